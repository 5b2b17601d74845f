"""A solitaire deal played by a script: `draw`, `throw 2H`, `stop`, `big gin`.

The policy is that of `simgin.checks.examples.deal_script`. A draw that the engine makes without a
question, because nothing else is legal, belongs to the script like any other; the stop of a gin
that ends the deal by itself (deal_scoring = penalty) may be written or left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from simgin.checks.examples import deal_script, schema
from simgin.checks.examples.cards import Answer
from simgin.checks.examples.deal_script import (
    BIG_GIN,
    STOCK,
    STOP,
    THROW,
    Action,
    Played,
    ScriptError,
    first_difference,
)
from simgin.checks.examples.schema import Example, Impossible
from simgin.core.solo import joker_place
from simgin.core.view import FROM_STOCK
from simgin.play.deal import WatchedDeal, watch_deal
from simgin.play.matchup import Matchup
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.text import notation

DRAW = Action(0, STOCK)
WORDS = {"draw": DRAW, "stop": Action(0, STOP), "big gin": Action(0, BIG_GIN)}
# Deals looked at to see whether one with the joker in the hand is ever played; a miss has odds of 1
# to 10**18
TRIES = 200


def action(text: str) -> Action:
    """The action that a text means; ScriptError otherwise."""
    words = " ".join(text.split())
    if words in WORDS:
        return WORDS[words]
    if words.startswith("throw "):
        return Action(0, THROW, notation.parse_card(words.removeprefix("throw ")))
    raise ScriptError(f"{text!r} is no action: write draw, throw CARD, stop or big gin.")


def said(action: Action) -> str:
    """The text of an action."""
    return (
        f"throw {notation.card_text(action.card)}"
        if action.what == THROW
        else next(word for word, known in WORDS.items() if known == action)
    )


def dealt(variant: Variant) -> int:
    """How many cards the player is dealt."""
    return 11 if variant.row["first_turn"] == "discard_first" else 10


# The deal


def play(variant: Variant, cards: Sequence[int], joker: int, script: list[Action]) -> Played:
    """Play a script on a pack (52 cards in dealing order) as far as possible.

    joker: its place among the 53 cards, or -1. A joker in the hand ends the deal before the first
    action, so nothing in the script is impossible then.
    """
    deal = watch_deal(
        Matchup(variant, deal_script.strategy(script), None, 0, "deal"), pack=cards, joker=joker
    )
    actions = list(script) if 0 <= joker < dealt(variant) else actions_of(deal)
    place = first_difference(script, actions)
    return Played(deal, script, actions, place)


def actions_of(deal: WatchedDeal) -> list[Action]:
    """What was really played, from the engine's history and its last question."""
    done = []
    for _, source, _, card in deal.turns:
        done += [DRAW] if source == FROM_STOCK else []
        done.append(Action(0, THROW, card) if card >= 0 else WORDS["big gin"])
    if deal.kind == "joker" or (not deal.kind and deal.questions[-1].view.drawn >= 0):
        done.append(DRAW)
    if deal.state.stopper >= 0 and deal.kind != "big_gin":
        done.append(WORDS["stop"])
    return done


def over(played: Played) -> bool:
    """Whether the deal has ended, and not without the script's doing."""
    left = played.actions[len(played.script) :]
    by_itself = played.deal.matchup.variant.row["deal_scoring"] == "penalty" and left == [
        WORDS["stop"]
    ]
    return bool(played.deal.kind) and (not left or by_itself)


def redealt(variant: Variant) -> bool:
    """Whether the engine never plays a hand that was dealt the joker."""
    own_rules = build_rules(variant)
    return all(joker_place(0, unit, 0, own_rules) >= dealt(variant) for unit in range(TRIES))


# The worked examples


def solo_script(example: Example) -> Answer:
    """How a deal for one player ends that is played by a script, as far as it can be."""
    variant, (cards, joker, _), script = _told(example)
    if 0 <= joker < dealt(variant) and redealt(variant):
        return {"illegal": None, "how": "redeal"}
    return _outcome(example, play(variant, cards, joker, script))


def played_script(example: Example) -> Played:
    """A deal for one player, played by a script as far as it can be."""
    variant, (cards, joker, _), script = _told(example)
    return play(variant, cards, joker, script)


def _told(example: Example) -> tuple[Variant, tuple[list[int], int, int], list[Action]]:
    """The variant, the pack as of `_pack`, and the actions."""
    variant = schema.variant(example, "deck_top_first", "actions", base=schema.base(example))
    if variant.row["players"] != 1:
        raise example.error(
            f"kind {example.kind} needs a variant for one player, and {example.variant} is for two."
        )
    script = _script(example)
    pack = _pack(example, variant)
    told = pack[-1]
    if script.count(DRAW) > told:
        raise example.error(
            f"input.deck_top_first has fewer cards ({told}) than the actions draw "
            f"({script.count(DRAW)})."
        )
    return variant, pack, script


def _script(example: Example) -> list[Action]:
    texts = schema.need(example, "actions")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise example.error("input.actions must be a list of texts like draw and throw 6C.")
    try:
        return [action(text) for text in texts]
    except (ScriptError, notation.CardError) as error:
        raise example.error(f"input.actions: {error}") from None


def _pack(example: Example, variant: Variant) -> tuple[list[int], int, int]:
    """The 52 cards in dealing order (unknown ones last), the joker's place, cards known."""
    (hand, in_hand), (deck, in_deck) = (
        _with_joker(example, "hand"),
        _with_joker(example, "deck_top_first"),
    )
    joker = in_hand
    if in_hand < 0 and in_deck >= 0:
        joker = len(hand) + in_deck
    if fault := _misplaced(variant, in_hand, in_deck):
        raise example.error(f"input: {fault}")
    if len(hand) + (in_hand >= 0) != dealt(variant):
        raise example.error(
            f"input.hand must have {dealt(variant)} cards, not {len(hand) + (in_hand >= 0)}."
        )
    told = [*hand, *deck]
    if twice := [card for card in range(52) if told.count(card) > 1]:
        raise example.error(
            f"input: {' '.join(map(notation.card_text, twice))} can be in one place only."
        )
    return (
        told + [card for card in range(52) if card not in told],
        joker,
        len(deck) + (in_deck >= 0),
    )


def _with_joker(example: Example, key: str) -> tuple[list[int], int]:
    """Some cards without the joker X, and its place among them, or -1."""
    value = schema.need(example, key)
    parts = re.split(r"\bX\b", value, flags=re.IGNORECASE) if isinstance(value, str) else [value]
    if len(parts) > 2:
        raise example.error(
            f"input.{key}: there is one joker, and X is written {len(parts) - 1} times."
        )
    cards = [schema.cards(example, f"input.{key}", part) for part in parts]
    joker = len(cards[0]) if len(cards) == 2 else -1
    together = []
    for part_cards in cards:
        together += part_cards
    return together, joker


def _misplaced(variant: Variant, in_hand: int, in_deck: int) -> str:
    """What is wrong with the places that X is written in; empty if nothing is."""
    joker = variant.row["joker"]
    if joker == "none":
        return (
            "there is no joker in these rules, so X has no place."
            if max(in_hand, in_deck) >= 0
            else ""
        )
    if (in_hand >= 0) == (in_deck >= 0):
        return "the joker X must be in one place, in hand or in deck_top_first."
    return (
        "the joker is shuffled in after the deal, so X cannot be in hand."
        if joker == "after_deal" and in_hand >= 0
        else ""
    )


def _outcome(example: Example, played: Played) -> Answer:
    """What became of the script: why an action was not possible, or the result."""
    place, state = played.illegal, played.deal.state
    if place >= 0:
        number = "" if place == len(played.script) - 1 else f", as action {place + 1}"
        if "illegal" not in example.expect:
            raise Impossible(f"{said(played.script[place])} (action {place + 1}) is not possible")
        return {"illegal": _why(played) + number}
    if not over(played):
        return {
            "illegal": None,
            "how": "the script ends before the deal",
            "draws": played.script.count(DRAW),
        }
    answer: Answer = {"illegal": None, "how": played.deal.kind, "draws": int(state.draws[0])}
    if played.deal.matchup.variant.row["deal_scoring"] == "penalty":
        return answer | {"score": int(state.score[0])}
    return answer | {"player": int(state.score[0]), "joker": int(state.score[1])}


def _why(played: Played) -> str:
    """Why the first impossible action was impossible, or the action itself."""
    place = played.illegal
    state = played.deal.state
    variant = played.deal.matchup.variant
    if played.deal.kind and place == len(played.actions):
        return "the deal is over"
    holds_ten = played.script[place - 1].what == THROW if place else dealt(variant) == 10
    if played.script[place].what != STOP or not holds_ten:
        return said(played.script[place])
    if state.count[0] > state.limit:
        return f"deadwood {int(state.count[0])} exceeds the limit"
    return "no stop before the first draw"

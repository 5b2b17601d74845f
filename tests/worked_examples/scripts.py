"""Deals of worked examples, played by a script for two players or for one."""

import re

from simgin.text import notation
from worked_examples import actions
from worked_examples.actions import DRAW, SEATS, STOCK, STOP, THROW, Action
from worked_examples.schema import Impossible

UNFINISHED = "the script ends before the deal"

# Two players


def play_script(example, subject):
    """Return the ending of a deal played by a script, as far as possible."""
    piles = ("nondealer", "dealer", "upcard", "stock_top_first")
    upcard = example.card("upcard")
    nondealer, dealer, stock = (example.hand(key) for key in piles if key != "upcard")
    variant = example.rules(*piles, "actions")
    script = [actions.parse_action(text) for text in example.given["actions"]]
    pack = actions.pack_of(nondealer, dealer, None if upcard < 0 else upcard, stock)
    deal = subject.Deal(variant, pack)
    place = actions.first_illegal(deal, script)
    if place >= 0:
        return {"illegal": _illegal_action(example, place)}
    deal.run_out()
    return _ended(deal, script)


def _ended(deal, script):
    if not deal.kind:
        drawn = sum(action.what == STOCK for action in script)
        return {"illegal": None, "how": UNFINISHED, "stock": actions.STOCK_CARDS - drawn}
    result = deal.result
    answer = {"illegal": None, "how": deal.kind}
    answer |= {"stock": result["stock_left"], "turns": result["turns"]}
    answer["points"] = dict(zip(SEATS, result["points"], strict=True))
    for key, name in (("winner", "winner"), ("stopper", "knocker")):
        answer[key] = None if result[name] is None else SEATS[result[name]]
    if result["knocker"] is not None:
        answer |= {"own": result["knocker_deadwood"], "other": result["defender_deadwood"]}
    return answer


def _illegal_action(example, place):
    """Return the text of an impossible action, with its number if the last action is the same."""
    texts = example.given["actions"]
    text = texts[place]
    if "illegal" not in example.expect:
        raise Impossible(f"{text} (action {place + 1}) is not possible")
    repeated = text == texts[-1] and place != len(texts) - 1
    return f"{text}, as action {place + 1}" if repeated else text


# One player


def solo_script(example, subject):
    """Return the ending of a solitaire deal played by a script, as far as possible.

    A draw that the deal makes without a question, because nothing else is legal, belongs to the
    script like any other; the stop of a gin that ends the deal by itself (deal_scoring = penalty)
    may be written or left out.
    """
    variant = example.rules("deck_top_first", "actions", base=example.base())
    example.of_one_player(variant, f"kind {example.kind}")
    script = [actions.parse_solo_action(text) for text in example.given["actions"]]
    pack, joker, told = _pack_alone(example, variant)
    if script.count(DRAW) > told:
        raise example.error(
            f"input.deck_top_first has fewer cards ({told}) than the actions draw "
            f"({script.count(DRAW)})."
        )
    deal = subject.Deal(variant, pack, joker)
    if deal.kind == "redeal":
        return {"illegal": None, "how": "redeal"}
    in_hand = (
        0 <= joker < actions.dealt_cards(variant.params)
    )  # the deal is over before the first action
    place = -1 if in_hand else actions.first_illegal(deal, script)
    if place >= 0:
        return {"illegal": _why_alone(example, deal, script, place)}
    return _ended_alone(deal, script)


def _pack_alone(example, variant):
    """Return the 52 cards in dealing order, the joker's position, and the number known."""
    hand, in_hand = _with_joker(example, "hand")
    deck, in_deck = _with_joker(example, "deck_top_first")
    joker = in_hand if in_hand >= 0 or in_deck < 0 else len(hand) + in_deck
    _check_places(example, variant.params, len(hand), in_hand >= 0, in_deck >= 0)
    told = [*hand, *deck]
    if len(told) > len({*told}):
        raise example.error("input: a card can be in one place only.")
    rest = [card for card in range(52) if card not in told]
    return told + rest, joker, len(deck) + (in_deck >= 0)


def _with_joker(example, key):
    first, *rest = map(notation.parse_cards, re.split(r"\bX\b", example.given[key], flags=re.I))
    if len(rest) > 1:
        raise example.error(f"input.{key}: there is one joker.")
    return [*first, *(rest[0] if rest else [])], len(first) if rest else -1


def _check_places(example, row, held, in_hand, in_deck):
    """Reject a hand of the wrong size, and an X if the rules have no joker."""
    if in_hand + in_deck != (row["joker"] != "none"):
        raise example.error("input: the joker X must be in one place if there is one.")
    if row["joker"] == "after_deal" and in_hand:
        raise example.error("input: the joker is shuffled in after the deal.")
    if held + in_hand != actions.dealt_cards(row):
        raise example.error(f"input.hand must have {actions.dealt_cards(row)} cards.")


def _ended_alone(deal, script):
    """Return the result of a deal if the script has ended it."""
    penalty = deal.row["deal_scoring"] == "penalty"
    if not deal.kind or deal.left not in ([], [Action(0, STOP)] if penalty else []):
        return {"illegal": None, "how": UNFINISHED, "draws": script.count(DRAW)}
    score, joker = deal.result["points"]
    answer = {"illegal": None, "how": deal.kind, "draws": deal.result["draws"][0]}
    return answer | ({"score": score} if penalty else {"player": score, "joker": joker})


def _why_alone(example, deal, script, place):
    """Return why the first impossible action was impossible, or the action itself."""
    action = script[place]
    text = actions.solo_action_text(action)
    if "illegal" not in example.expect:
        raise Impossible(f"{text} (action {place + 1}) is not possible")
    holds_ten = script[place - 1].what == THROW if place else actions.dealt_cards(deal.row) == 10
    if deal.kind and not deal.left:
        text = "the deal is over"
    elif action.what == STOP and holds_ten:
        deadwood, limit = deal.result["deadwood"], deal.result["limit"]
        over = f"deadwood {deadwood} exceeds the limit"
        text = over if deadwood > limit else "no stop before the first draw"
    return text if place == len(script) - 1 else f"{text}, as action {place + 1}"

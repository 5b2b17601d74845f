"""Single positions of a deal, reached by a script, and what the engine lets a player do there.

An option is an action the script can continue with, whether the engine asks for it or takes it by
itself because nothing else is legal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from simgin.checks.examples import deal_script, schema, solo_script
from simgin.checks.examples.deal_script import Action, NotPlayable, Played
from simgin.checks.examples.schema import Example, Impossible, NotSupported
from simgin.core.answers import BIG_GIN, SHOT
from simgin.rules.variants import Variant
from simgin.text import notation
from simgin.text.messages import shown

PHASES = HOLDS, THROWN = "drawer holds eleven", "after the throw"
OPENING, STOCK = (
    ("to_move", "passes"),
    ("phase", "stock", "stock_before_draw", "can_end_with_it"),
)  # keys beside parameters
TO_MOVE = {0: "nondealer", 1: "dealer", 2: "nondealer"}  # by passes

ELEVEN = notation.parse_cards(
    "AC AD AH 6D 7D 8D TC JC QC KC 9D"
)  # all melded; gin without 9D or KC, a knock with two without an ace
LOOSE = notation.parse_cards(
    "KS QH JS TH 9S 8H 7S 6H 5S"
)  # far from any ending, whatever two cards come
REST = [card for card in range(52) if card not in ELEVEN]

ALONE = (
    ELEVEN,
    notation.parse_cards("AC AD 9D 6D 7D 8D TC JC QC KC KS"),
    [*LOOSE, *notation.parse_cards("3C AD")],
)  # melded, two aces left, loose
BIG = "big gin if all eleven meld"

Position = tuple[
    list[int], list[Action], list[list[Action]]
]  # the pack, how it has come there, and ways to go on


def options(example: Example) -> dict[str, Any]:
    """What can be done in the position of `input.state`."""
    example = _flat(example)
    if example.given.get("to_move") == "player":
        return {"options": _alone(example)}
    variant = schema.variant(example, *(STOCK if "phase" in example.given else OPENING))
    cards, script, ways = (
        _late(example, variant.row) if "phase" in example.given else _early(example, variant.row)
    )
    before = deal_script.play(variant, cards, script)
    if before.illegal >= 0:
        raise Impossible(f"the position: {script[before.illegal]} is not possible")
    words = _words(lambda way: deal_script.play(variant, cards, [*script, *way]), ways)
    return {"options": words or [before.deal.kind]}


def _words(play: Callable[[list[Action]], Played], ways: list[list[Action]]) -> list[str]:
    """What can be gone on with, each once."""
    words = []
    for way in ways:
        try:
            played = play(way)
        except NotPlayable:
            continue  # another ending than the proposed one, which is among the ways as well
        if played.illegal < 0:
            words.append(_word(way, played))
    return list(dict.fromkeys(words))


def _alone(example: Example) -> list[str]:
    """What a single player can do first, with three hands: all melded, near gin, and loose."""
    variant = schema.variant(example, *OPENING, base=schema.base(example))
    if variant.row["players"] != 1:
        raise example.error(
            f"input.state.to_move = player needs a variant for one player, and {example.variant} "
            "is for two."
        )
    schema.number(example, "input.state.passes", schema.need(example, "passes"), 0, 0)
    size = solo_script.dealt(variant)
    melded, *others = (_first_words(variant, hand[:size]) for hand in ALONE)
    more = [word for words in others for word in words]
    return list(
        dict.fromkeys(
            BIG if word == "big gin" and word not in more else word for word in [*melded, *more]
        )
    )


def _first_words(variant: Variant, hand: list[int]) -> list[str]:
    """What a single player can do first with a hand, the joker far off."""
    cards = hand + [card for card in range(52) if card not in hand]
    joker = -1 if variant.row["joker"] == "none" else len(cards)
    ways = [[Action(0, deal_script.THROW, card)] for card in hand] + [
        [word] for word in solo_script.WORDS.values()
    ]
    return _words(lambda way: solo_script.play(variant, cards, joker, way), ways)


def _flat(example: Example) -> Example:
    """The example with the keys of `state` among those of the input."""
    state = schema.need(example, "state")
    if not isinstance(state, dict):
        raise example.error(
            "input.state must be an object, like first_turn, to_move and passes, or stock_end, "
            "stock and phase."
        )
    return replace(
        example,
        given={**{key: value for key, value in example.given.items() if key != "state"}, **state},
    )


def _early(example: Example, row: dict[str, Any]) -> Position:
    """Before the first draw, after so many passes."""
    passes = schema.number(example, "input.state.passes", schema.need(example, "passes"), 0, 2)
    if schema.word(example, "to_move", "nondealer", "dealer") != TO_MOVE[passes]:
        raise example.error(f"input.state.to_move must be {TO_MOVE[passes]} after {passes} passes.")
    cards = deal_script.pack(ELEVEN[:10], REST[:10], ELEVEN[10], REST[10:])
    script = [Action(seat, deal_script.PASS) for seat in range(passes)]
    return (
        cards,
        script,
        _closings(0) if row["first_turn"] == "discard_first" else _draws(passes % 2),
    )


def _late(example: Example, row: dict[str, Any]) -> Position:
    """After so many draws from the stock, each card thrown on its drawer's next turn."""
    if row["first_turn"] == "discard_first":
        raise NotSupported(
            "positions by the size of the stock are set up with an upcard only; this one is by "
            "reading."
        )
    holds = schema.word(example, "phase", *PHASES) == HOLDS
    key = "stock_before_draw" if holds else "stock"
    drawn = deal_script.STOCK_CARDS - schema.number(
        example, f"input.state.{key}", schema.need(example, key), 1, 31 if holds else 30
    )
    can_end = holds or example.given.get("can_end_with_it", True)
    if not isinstance(can_end, bool):
        raise example.error(
            f"input.state.can_end_with_it must be true or false, not {shown(str(can_end))}."
        )
    mover = drawn % 2
    # stream[i] is thrown when stream[i + 2] is drawn: first the tenth cards of the hands, then the
    # stock
    stream = [-1] * (deal_script.STOCK_CARDS + 2)
    nine = ELEVEN[:9] if can_end else LOOSE
    if can_end:
        stream[drawn], stream[drawn + 2 if holds else drawn - 1] = ELEVEN[9:]
    rest = iter([card for card in range(52) if card not in nine and card not in stream])
    other = [next(rest) for _ in nine]
    stream = [card if card >= 0 else next(rest) for card in stream]
    first, second = (
        [*hand, stream[seat]]
        for seat, hand in enumerate((nine, other) if mover == 0 else (other, nine))
    )
    script = (
        []
        if row["first_turn"] == "free"
        else [Action(0, deal_script.PASS), Action(1, deal_script.PASS)]
    )
    for i in range(drawn):
        script.append(Action(i % 2, deal_script.STOCK))
        script.append(Action(i % 2, deal_script.THROW, stream[i]))
    cards = deal_script.pack(first, second, next(rest), stream[2:])
    if holds:
        return cards, [*script, Action(mover, deal_script.STOCK)], _closings(mover)
    over = (
        row["stock_end"] == "opponent_may_take"
        and deal_script.STOCK_CARDS - drawn <= row["stock_reserve"]
    )
    return cards, script, _last_words(mover) if over else _draws(mover)


def _draws(seat: int) -> list[list[Action]]:
    """Ways to begin a turn."""
    return [
        [Action(seat, what)] for what in (deal_script.TAKE, deal_script.STOCK, deal_script.PASS)
    ]


def _closings(seat: int) -> list[list[Action]]:
    """Ways to end a turn."""
    cards = [
        [Action(seat, what, card)]
        for what in (deal_script.THROW, deal_script.STOP)
        for card in ELEVEN
    ]
    return [*cards, [Action(seat, deal_script.BIG_GIN)]]


def _last_words(seat: int) -> list[list[Action]]:
    """Ways to meet the last discard of the 50th-card rule: to take it is half a turn."""
    takes = [[Action(seat, deal_script.TAKE), *way] for way in _closings(seat)]
    return [*takes, [Action(seat, deal_script.STOCK)], [Action(seat, deal_script.PASS)]]


def _word(way: list[Action], played: Played) -> str:
    """What a way to go on is called in an expectation."""
    last = way[-1].what
    state = played.deal.state
    if last not in (deal_script.STOP, deal_script.BIG_GIN):
        return deal_script.WORDS[last]
    if way[0].what == deal_script.TAKE:
        return "take and end the deal"
    return {BIG_GIN: "big gin", SHOT: "shot"}.get(
        int(state.ending), "knock" if state.stopper_count else "gin"
    )

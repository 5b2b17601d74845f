"""Options of a player in single positions of a deal that a script reaches.

An option is any action with which the script can continue.
"""

from dataclasses import replace

from simgin.text import notation
from worked_examples import actions
from worked_examples.actions import BIG_GIN, PASS, STOCK, STOCK_CARDS, STOP, TAKE, THROW, Action
from worked_examples.schema import Impossible, NotSupported

PHASES = HOLDS, THROWN = "drawer holds eleven", "after the throw"
# Keys that are not parameters
OPENING = ("to_move", "passes")
LATE = ("phase", "stock", "stock_before_draw", "can_end_with_it")
TO_MOVE = {0: "nondealer", 1: "dealer", 2: "nondealer"}  # by passes

# All melded; gin without 9D or KC, a knock with two without an ace
ELEVEN = notation.parse_cards("AC AD AH 6D 7D 8D TC JC QC KC 9D")
# Far from any ending with any two cards
LOOSE = notation.parse_cards("KS QH JS TH 9S 8H 7S 6H 5S")
REST = [card for card in range(52) if card not in ELEVEN]
# Solitaire hands: melded, two aces left, unmatched
ALONE = (
    ELEVEN,
    notation.parse_cards("AC AD 9D 6D 7D 8D TC JC QC KC KS"),
    [*LOOSE, *notation.parse_cards("3C AD")],
)
BIG = "big gin if all eleven meld"


def options(example, subject):
    example = _flat(example)
    if example.given.get("to_move") == "player":
        return {"options": _alone(example, subject)}
    late = "phase" in example.given
    variant = example.rules(*(LATE if late else OPENING))
    cards, script, ways = (_late if late else _early)(example, variant.params)
    deal = subject.Deal(variant, cards)
    place = actions.first_illegal(deal, script)
    if place >= 0:
        raise Impossible(f"the position: {script[place]} is not possible")
    return {"options": _words(deal, ways) or [deal.kind]}


def _words(deal, ways):
    """Return the distinct continuations that are possible in a deal."""
    words = []
    for way in ways:
        then = deal.copy()
        try:
            if actions.first_illegal(then, way) < 0:
                words.append(_word(way, then))
        except NotSupported:
            continue  # an ending other than the proposed one, which is also listed
    return list(dict.fromkeys(words))


def _word(way, then):
    """Return the name of a continuation in an expectation."""
    last = way[-1].what
    if last not in (STOP, BIG_GIN):
        return last
    if way[0].what == TAKE:
        return "take and end the deal"
    return {"big_gin": "big gin", "undercut": "knock", "even": "knock"}.get(then.kind, then.kind)


def _alone(example, subject):
    """Return the first options in solitaire games with three hands: melded, near gin, unmatched."""
    variant = example.rules(*OPENING, base=example.base())
    example.of_one_player(variant, "input.state.to_move = player")
    example.whole("passes", 0, 0)
    found = []
    for eleven in ALONE:
        hand = eleven[: actions.dealt_cards(variant.params)]
        cards = hand + [card for card in range(52) if card not in hand]
        joker = -1 if variant.params["joker"] == "none" else len(cards)  # far off
        ways = [[Action(0, THROW, card)] for card in hand]
        ways += [[word] for word in actions.SOLO_ACTIONS.values()]
        found.append(_words(subject.Deal(variant, cards, joker), ways))
    melded, *others = found
    more = [word for words in others for word in words]
    words = [BIG if word == "big gin" and word not in more else word for word in melded + more]
    return list(dict.fromkeys(words))


def _flat(example):
    """Return the example with the keys of `state` moved to its input."""
    others = {key: value for key, value in example.given.items() if key != "state"}
    return replace(example, given=others | example.given["state"])


def _early(example, row):
    """Return the position before the first draw, after a number of passes."""
    passes = example.whole("passes", 0, 2)
    if example.word("to_move", "nondealer", "dealer") != TO_MOVE[passes]:
        raise example.error(f"input.state.to_move must be {TO_MOVE[passes]} after {passes} passes.")
    cards = actions.pack_of(ELEVEN[:10], REST[:10], ELEVEN[10], REST[10:])
    ways = _closings(0) if row["first_turn"] == "discard_first" else _draws(passes % 2)
    return cards, [Action(seat, PASS) for seat in range(passes)], ways


def _late(example, row):
    """Return the position after a number of draws, each discarded on the next turn."""
    if row["first_turn"] == "discard_first":
        raise NotSupported(
            "positions by the size of the stock are set up with an upcard only; this one is by "
            "reading."
        )
    holds = example.word("phase", *PHASES) == HOLDS
    key = "stock_before_draw" if holds else "stock"
    drawn = STOCK_CARDS - example.whole(key, 1, 30 + holds)
    can_end = holds or example.given.get("can_end_with_it", True)
    mover = drawn % 2
    cards, stream = _stacked(drawn, mover, holds, can_end)
    script = [] if row["first_turn"] == "free" else [Action(0, PASS), Action(1, PASS)]
    for i in range(drawn):
        script += [Action(i % 2, STOCK), Action(i % 2, THROW, stream[i])]
    if holds:
        return cards, [*script, Action(mover, STOCK)], _closings(mover)
    at_end = STOCK_CARDS - drawn <= row["stock_reserve"]
    over = row["stock_end"] == "opponent_may_take" and at_end
    return cards, script, _last_words(mover) if over else _draws(mover)


def _stacked(drawn, mover, holds, can_end):
    """Return a pack with which the mover can, or cannot, end the deal after `drawn` draws.

    Also returns the discards: stream[i] is discarded when stream[i + 2] is drawn, first the tenth
    cards of the hands, then the stock.
    """
    stream = [-1] * (STOCK_CARDS + 2)
    nine = ELEVEN[:9] if can_end else LOOSE
    if can_end:
        stream[drawn], stream[drawn + 2 if holds else drawn - 1] = ELEVEN[9:]
    rest = iter([card for card in range(52) if card not in nine and card not in stream])
    other = [next(rest) for _ in nine]
    stream = [card if card >= 0 else next(rest) for card in stream]
    first, second = (nine, other) if mover == 0 else (other, nine)
    hands = [*first, stream[0]], [*second, stream[1]]
    return actions.pack_of(*hands, next(rest), stream[2:]), stream


def _draws(seat):
    return [[Action(seat, what)] for what in (TAKE, STOCK, PASS)]


def _closings(seat):
    cards = [[Action(seat, what, card)] for what in (THROW, STOP) for card in ELEVEN]
    return [*cards, [Action(seat, BIG_GIN)]]


def _last_words(seat):
    """Return the options for the last discard of the 50th-card rule."""
    takes = [[Action(seat, TAKE), *way] for way in _closings(seat)]
    return [*takes, [Action(seat, STOCK)], [Action(seat, PASS)]]

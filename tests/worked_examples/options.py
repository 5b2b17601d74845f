"""Solve worked examples about the options of a player in one position.

An option is any action with which the script can continue.
"""

from dataclasses import replace

from simgin.text import notation
from worked_examples import actions
from worked_examples.actions import BIG_GIN, N_STOCK_CARDS, PASS, STOCK, STOP, TAKE, THROW, Action
from worked_examples.schema import ImpossibleActionError, NotSupportedError

POSITION_PHASES = HOLDING_ELEVEN, AFTER_DISCARD = "drawer holds eleven", "after the throw"
# Keys that are not parameters
OPENING_STATE_KEYS = ("to_move", "passes")
LATER_STATE_KEYS = ("phase", "stock", "stock_before_draw", "can_end_with_it")
MOVER_BY_PASSES = {0: "nondealer", 1: "dealer", 2: "nondealer"}  # by passes

# All melded; gin without 9D or KC, a knock with two without an ace
MELDED_HAND = notation.parse_cards("AC AD AH 6D 7D 8D TC JC QC KC 9D")
# Far from any ending with any two cards
UNMATCHED_HAND = notation.parse_cards("KS QH JS TH 9S 8H 7S 6H 5S")
REMAINING_CARDS = [card for card in range(52) if card not in MELDED_HAND]
# Solitaire hands: melded, two aces left, unmatched
SOLO_HANDS = (
    MELDED_HAND,
    notation.parse_cards("AC AD 9D 6D 7D 8D TC JC QC KC KS"),
    [*UNMATCHED_HAND, *notation.parse_cards("3C AD")],
)
CONDITIONAL_BIG_GIN = "big gin if all eleven meld"


def solve_options_example(example, implementation):
    """Return the names of the options in the position of the example."""
    example = _flatten_state(example)
    if example.input.get("to_move") == "player":
        return {"options": _list_solo_options(example, implementation)}
    is_later = "phase" in example.input
    variant = example.read_variant(*(LATER_STATE_KEYS if is_later else OPENING_STATE_KEYS))
    cards, script, continuations = (
        _set_up_later_position if is_later else _set_up_opening_position
    )(example, variant.params)
    deal = implementation.Deal(variant, cards)
    illegal = actions.find_illegal_action(deal, script)
    if illegal >= 0:
        raise ImpossibleActionError(f"the position: {script[illegal]} is not possible")
    return {"options": _list_possible_options(deal, continuations) or [deal.outcome]}


def _list_possible_options(deal, continuations):
    """Return the names of the options that are legal in a deal."""
    names = []
    for continuation in continuations:
        continued = deal.copy()
        try:
            if actions.find_illegal_action(continued, continuation) < 0:
                names.append(_name_option(continuation, continued))
        except NotSupportedError:
            continue  # an ending other than the proposed one, which is also listed
    return list(dict.fromkeys(names))


def _name_option(continuation, deal_afterwards):
    """Return the name of an option, given its actions and the deal after them."""
    last = continuation[-1].kind
    if last not in (STOP, BIG_GIN):
        return last
    if continuation[0].kind == TAKE:
        return "take and end the deal"
    return {"big_gin": "big gin", "undercut": "knock", "even": "knock"}.get(
        deal_afterwards.outcome, deal_afterwards.outcome
    )


def _list_solo_options(example, implementation):
    """Return the options in solitaire games, joined for three typical hands."""
    variant = example.read_variant(*OPENING_STATE_KEYS, base=example.get_base_spec())
    example.require_solo(variant, "input.state.to_move = player")
    example.read_int("passes", 0, 0)
    found = []
    for eleven in SOLO_HANDS:
        hand = eleven[: actions.count_dealt_cards(variant.params)]
        cards = hand + [card for card in range(52) if card not in hand]
        joker = -1 if variant.params["joker"] == "none" else len(cards)  # far off
        continuations = [[Action(0, THROW, card)] for card in hand]
        continuations += [[action] for action in actions.SOLO_ACTIONS.values()]
        found.append(
            _list_possible_options(implementation.Deal(variant, cards, joker), continuations)
        )
    melded, *others = found
    more = [name for names in others for name in names]
    names = [
        CONDITIONAL_BIG_GIN if name == "big gin" and name not in more else name
        for name in melded + more
    ]
    return list(dict.fromkeys(names))


def _flatten_state(example):
    """Return the example with the keys of `state` moved to the input."""
    others = {key: value for key, value in example.input.items() if key != "state"}
    return replace(example, input=others | example.input["state"])


def _set_up_opening_position(example, params):
    """Return pack, script and possible continuations before the first draw."""
    passes = example.read_int("passes", 0, 2)
    if example.read_choice("to_move", "nondealer", "dealer") != MOVER_BY_PASSES[passes]:
        raise example.make_error(
            f"input.state.to_move must be {MOVER_BY_PASSES[passes]} after {passes} passes."
        )
    cards = actions.build_pack(
        MELDED_HAND[:10], REMAINING_CARDS[:10], MELDED_HAND[10], REMAINING_CARDS[10:]
    )
    continuations = (
        _list_discard_continuations(0)
        if params["first_turn"] == "discard_first"
        else _list_draw_continuations(passes % 2)
    )
    return cards, [Action(seat, PASS) for seat in range(passes)], continuations


def _set_up_later_position(example, params):
    """Return pack, script and possible continuations after a number of draws."""
    if params["first_turn"] == "discard_first":
        raise NotSupportedError(
            "positions by the size of the stock are set up with an upcard only; this one is by "
            "reading."
        )
    holds = example.read_choice("phase", *POSITION_PHASES) == HOLDING_ELEVEN
    key = "stock_before_draw" if holds else "stock"
    drawn = N_STOCK_CARDS - example.read_int(key, 1, 30 + holds)
    can_end = holds or example.input.get("can_end_with_it", True)
    mover = drawn % 2
    cards, stream = _stack_pack(drawn, mover, holds, can_end)
    script = [] if params["first_turn"] == "free" else [Action(0, PASS), Action(1, PASS)]
    for i in range(drawn):
        script += [Action(i % 2, STOCK), Action(i % 2, THROW, stream[i])]
    if holds:
        return cards, [*script, Action(mover, STOCK)], _list_discard_continuations(mover)
    at_end = N_STOCK_CARDS - drawn <= params["stock_reserve"]
    over = params["stock_end"] == "opponent_may_take" and at_end
    return (
        cards,
        script,
        _list_last_continuations(mover) if over else _list_draw_continuations(mover),
    )


def _stack_pack(n_drawn, mover, has_drawn, can_end):
    """Return a pack for a position after n draws, and the discards that lead there.

    The position is the one after `n_drawn` draws. stream[i] is discarded when stream[i + 2] is
    drawn, first the tenth cards of the hands, then the stock.
    """
    stream = [-1] * (N_STOCK_CARDS + 2)
    nine = MELDED_HAND[:9] if can_end else UNMATCHED_HAND
    if can_end:
        stream[n_drawn], stream[n_drawn + 2 if has_drawn else n_drawn - 1] = MELDED_HAND[9:]
    rest = iter([card for card in range(52) if card not in nine and card not in stream])
    other = [next(rest) for _ in nine]
    stream = [card if card >= 0 else next(rest) for card in stream]
    first, second = (nine, other) if mover == 0 else (other, nine)
    hands = [*first, stream[0]], [*second, stream[1]]
    return actions.build_pack(*hands, next(rest), stream[2:]), stream


def _list_draw_continuations(seat):
    """Return the continuations with which a turn can begin."""
    return [[Action(seat, kind)] for kind in (TAKE, STOCK, PASS)]


def _list_discard_continuations(seat):
    """Return the continuations with eleven cards: discards and endings."""
    cards = [[Action(seat, kind, card)] for kind in (THROW, STOP) for card in MELDED_HAND]
    return [*cards, [Action(seat, BIG_GIN)]]


def _list_last_continuations(seat):
    """Return the continuations after the last discard (50th-card rule)."""
    takes = [
        [Action(seat, TAKE), *continuation] for continuation in _list_discard_continuations(seat)
    ]
    return [*takes, [Action(seat, STOCK)], [Action(seat, PASS)]]

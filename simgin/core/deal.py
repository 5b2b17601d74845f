"""One deal for two players, from the shuffle to its result (rules.md 4).

The engine keeps its own state, shows each seat a view, and asks only questions with more than one
legal answer. An answer outside `view.legal` raises; there are no forfeits and no repairs.
"""

import numpy as np

from simgin.core.answers import NO_ENDING, PHASE_LAST, PHASE_TURN, PHASE_UPCARD
from simgin.core.ask import ask_apart, ask_shown, show_cards, show_deal, show_ending, show_turn
from simgin.core.deadwood import best_discards, deadwood
from simgin.core.endings import (
    best_ending,
    ending_with,
    knock_limit,
    legal_discards,
    multiplier,
    must_be_melded,
)
from simgin.core.jit import inlined, jit, spliced
from simgin.core.pack import next_card
from simgin.core.rules import (
    AT_DRAW,
    DIE_OFF,
    DISCARD_FIRST,
    FREE,
    OPPONENT_MAY_TAKE,
    UPCARD_PASS,
    UPCARD_STOCK_OR_PASS,
)
from simgin.core.scoring import KIND_STALLED, KIND_VOID
from simgin.core.showdown import end_deal
from simgin.core.stake import refused, refused_blind
from simgin.core.state import DISCARD, KNOCK, TAKE, YES_OR_NO
from simgin.core.turn import close_turn, draw, no_card, propose, throw
from simgin.core.view import FROM_DEAL, FROM_PILE, FROM_STOCK

TURN_OVER = np.int64(3)  # in place of where a player draws


@jit
def deal_cards(state, rules):
    """Deal the hands and the upcard (rules.md 4.1)."""
    first = 1 - state.dealer
    eleven = rules.first_turn == DISCARD_FIRST
    hand0, hand1 = 0, 0
    for i in range(0, 20, 2):  # so much of every pack is shuffled
        hand0 |= 1 << np.int64(state.pack[i])
        hand1 |= 1 << np.int64(state.pack[i + 1])
    state.dealt = 20
    if eleven:
        hand0 |= 1 << next_card(state)
    state.hand[first] = hand0
    state.hand[state.dealer] = hand1
    if not eleven:
        state.top = state.upcard = next_card(state)
        state.pile = 1 << state.top
        state.upcard_to = 2
    state.limit = knock_limit(state.upcard, rules)
    state.multiplier = multiplier(state.upcard, rules)
    state.phase = PHASE_UPCARD
    for seat in range(2):
        state.count[seat] = state.dealt_count[seat] = deadwood(state.hand[seat], rules)


@spliced
def _play_turn(state, rules, view, other_view, seat, source, discard, knock, show_a, show_b):
    """One turn, from the draw to the discard or the ending; True if it ended the deal."""
    state.phase = PHASE_TURN
    draw(state, rules, seat, source)
    if rules.stock_end == AT_DRAW and source == FROM_STOCK and state.stock <= rules.stock_reserve:
        state.kind = KIND_VOID
        return True
    eleven = state.hand[seat]
    legal = legal_discards(eleven, state.taken, state.drawn, rules)
    must = must_be_melded(state.taken, rules)
    same = state.same[seat ^ state.half]
    least, best = best_discards(eleven, legal, rules)
    state.least = least
    state.best = best
    if not same or rules.big_gin:
        ending, card, count = best_ending(
            eleven, legal, must, state.limit, state.points[seat], least, best, rules
        )
        if ending != NO_ENDING and (card < 0 or not same):
            propose(state, ending, card, count)
            if ask_apart(state, rules, view, seat, KNOCK, YES_OR_NO, knock):
                end_deal(state, rules, view, seat, show_a, show_b)
                close_turn(state, view, other_view, seat, source, card)
                return True
            propose(state, NO_ENDING, -1, -1)
            show_ending(state, view)
    if state.turns == 0 or not rules.take_discard:  # on other turns the draw was asked before
        show_turn(state, view, seat)
    show_cards(state, view, seat)
    card = ask_shown(state, rules, view, seat, DISCARD, legal, discard)
    ten = eleven & ~(1 << card)
    left = least if best >> card & 1 else deadwood(ten, rules)
    if same:
        ending, count = ending_with(ten, left, must, state.limit, state.points[seat], rules)
        if ending != NO_ENDING:
            propose(state, ending, card, count)
            if ask_apart(state, rules, view, seat, KNOCK, YES_OR_NO, knock):
                end_deal(state, rules, view, seat, show_a, show_b)
                close_turn(state, view, other_view, seat, source, card)
                return True
            propose(state, NO_ENDING, -1, -1)
            show_ending(state, view)
    throw(state, seat, card)
    state.count[seat] = left
    close_turn(state, view, other_view, seat, source, card)
    no_card(state)
    return False


@spliced
def _last_discard(state, rules, view, other_view, seat, knock, show_a, show_b):
    """The 50th-card rule: `seat` may end the deal with the last discard (rules.md 4.5)."""
    state.phase = PHASE_LAST
    eleven = state.hand[seat] | 1 << state.top
    legal = legal_discards(eleven, state.top, -1, rules)
    must = must_be_melded(state.top, rules)
    least, best = best_discards(eleven, legal, rules)
    ending, card, count = best_ending(
        eleven, legal, must, state.limit, state.points[seat], least, best, rules
    )
    if ending == NO_ENDING:
        return
    propose(state, ending, card, count)
    if ask_apart(state, rules, view, seat, KNOCK, YES_OR_NO, knock):
        draw(state, rules, seat, FROM_PILE)
        end_deal(state, rules, view, seat, show_a, show_b)
        close_turn(state, view, other_view, seat, FROM_PILE, card)


@jit
def opening(state, rules, view1, view2, take1, take2, offer_a, answer_a, offer_b, answer_b):
    """The first upcard (rules.md 4.2): (whose turn follows, where that player draws).

    0 is the nondealer, 1 the dealer. The die may be refused before either decision, which ends the
    deal; `state.kind` tells.
    """
    first = 1 - state.dealer
    if rules.first_turn == DISCARD_FIRST or rules.first_turn == FREE:
        state.phase = PHASE_TURN
    if _raise(state, rules, view1, view2, first, offer_a, answer_a, offer_b, answer_b):
        return 0, FROM_DEAL
    return begun(state, rules, view1, view2, take1, take2, offer_a, answer_a, offer_b, answer_b)


@jit
def begun(state, rules, view1, view2, take1, take2, offer_a, answer_a, offer_b, answer_b):
    """The nondealer's first turn, behind the question about the die; returns as `opening`."""
    first = 1 - state.dealer
    if rules.first_turn == DISCARD_FIRST:
        return 0, FROM_DEAL
    if rules.first_turn == FREE:
        return 0, _firstdraw(state, rules, view1, first, take1)
    choices, declined = _upcard_choices(rules)
    answer = ask_apart(state, rules, view1, first, TAKE, choices, take1)
    if answer != declined:
        state.upcard_to = 0 if answer == FROM_PILE else 2
        return 0, answer
    return passed(state, rules, view1, view2, 0, take1, take2, offer_a, answer_a, offer_b, answer_b)


@jit
def passed(state, rules, view1, view2, whose, take1, take2, offer_a, answer_a, offer_b, answer_b):
    """What follows a pass of the nondealer (whose 0) or the dealer (1); returns as `opening`."""
    if whose == 1:
        return _passed_by_both(state, rules, view1, take1)
    state.shed[1 - state.dealer] |= 1 << state.top
    if _raise(state, rules, view2, view1, state.dealer, offer_a, answer_a, offer_b, answer_b):
        return 1, FROM_DEAL
    return offered_to_dealer(state, rules, view1, view2, take1, take2)


@jit
def offered_to_dealer(state, rules, view1, view2, take1, take2):
    """The dealer's choice about the first upcard; returns as `opening`."""
    choices, declined = _upcard_choices(rules)
    answer = ask_apart(state, rules, view2, state.dealer, TAKE, choices, take2)
    if answer != declined:
        state.upcard_to = 1 if answer == FROM_PILE else 2
        return 1, answer
    return _passed_by_both(state, rules, view1, take1)


@jit
def _passed_by_both(state, rules, view1, take1):
    """The nondealer's draw after two passes; returns as `opening`."""
    state.shed[state.dealer] |= 1 << state.top
    if rules.first_turn == UPCARD_STOCK_OR_PASS:
        return 0, _firstdraw(state, rules, view1, 1 - state.dealer, take1)
    return 0, FROM_STOCK


@jit
def _upcard_choices(rules):
    """The legal answers to the first upcard, as bits, and the one that passes.

    Where the choice is to take or to pass, 0 is the pass; where the stock is a choice too, 0 is the
    stock and 2 the pass.
    """
    return (3, 0) if rules.first_turn == UPCARD_PASS else (7, 2)


@spliced
def _raise(state, rules, view, other_view, seat, offer_a, answer_a, offer_b, answer_b):
    """Let a player offer the die at the start of a turn; True if the offer was refused.

    Rules.md 8.3 and 8.4.
    """
    if rules.die == DIE_OFF:
        return False
    return refused(
        state,
        rules,
        view,
        other_view,
        seat,
        rules.die_centre_in_play,
        offer_a,
        answer_a,
        offer_b,
        answer_b,
    )


@jit
def _firstdraw(state, rules, view, seat, take):
    """The nondealer draws from either pile while the first upcard still lies there."""
    state.phase = PHASE_TURN
    answer = where_to_draw(state, rules, view, seat, take)
    if answer == FROM_PILE:
        state.upcard_to = 0
    return answer


@inlined
def where_to_draw(state, rules, view, seat, take):
    """Where a player draws on an ordinary turn: from the stock or the discard pile."""
    if not rules.take_discard:
        return FROM_STOCK
    show_turn(state, view, seat)
    show_cards(state, view, seat)
    return ask_shown(state, rules, view, seat, TAKE, YES_OR_NO, take)


@spliced
def play_deal(
    state, rules, view1, view2, take1, discard1, knock1, take2, discard2, knock2,
    offer_a, answer_a, show_a, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play the deal that `clear_deal` has prepared, to its result in the state.

    1 is the nondealer, 2 the dealer: their views and the three policies asked often. Policies that
    are asked once a deal or less come by strategy, a and b.
    """
    if rules.die != DIE_OFF:
        show_deal(state, rules, view1, 1 - state.dealer)
        show_deal(state, rules, view2, state.dealer)
        if refused_blind(state, rules, view1, view2, offer_a, answer_a, offer_b, answer_b):
            return
    deal_cards(state, rules)
    show_deal(state, rules, view1, 1 - state.dealer)
    show_deal(state, rules, view2, state.dealer)
    whose, source = opening(
        state, rules, view1, view2, take1, take2, offer_a, answer_a, offer_b, answer_b
    )
    if state.kind >= 0:
        return
    play_turns(
        state, rules, view1, view2, take1, discard1, knock1, take2, discard2, knock2,
        offer_a, answer_a, show_a, offer_b, answer_b, show_b, whose, source,
    )  # fmt: skip


@spliced
def play_turns(
    state, rules, view1, view2, take1, discard1, knock1, take2, discard2, knock2,
    offer_a, answer_a, show_a, offer_b, answer_b, show_b, whose, source,
):  # fmt: skip
    """Play on from a turn to the result of the deal.

    whose: 0 the nondealer's turn, 1 the dealer's. source: where that player draws, or TURN_OVER if
    only what follows the turn is left to be played.
    """
    while True:
        if whose == 0:
            seat, view, other_view, discard, knock, next_take = (
                1 - state.dealer,
                view1,
                view2,
                discard1,
                knock1,
                take2,
            )
            next_knock = knock2
        else:
            seat, view, other_view, discard, knock, next_take = (
                state.dealer,
                view2,
                view1,
                discard2,
                knock2,
                take1,
            )
            next_knock = knock1
        if source != TURN_OVER and _play_turn(
            state, rules, view, other_view, seat, source, discard, knock, show_a, show_b
        ):
            return
        if state.stock <= rules.stock_reserve:
            if rules.stock_end == OPPONENT_MAY_TAKE:
                _last_discard(state, rules, other_view, view, 1 - seat, next_knock, show_a, show_b)
            if state.kind < 0:
                state.kind = KIND_VOID
            return
        if state.turns >= rules.max_turns:
            state.kind = KIND_STALLED
            return
        state.phase = PHASE_TURN
        if _raise(state, rules, other_view, view, 1 - seat, offer_a, answer_a, offer_b, answer_b):
            return
        source = where_to_draw(state, rules, other_view, 1 - seat, next_take)
        whose = 1 - whose

"""A deal for two players, from the shuffle to its result (rules.md 4).

The engine keeps its own state, shows each seat a view, and calls a policy only if more than one
action is legal. An action outside `view.legal` raises IllegalAction.
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

TURN_OVER = np.int64(3)  # draw source of a turn that has been played already


@jit
def deal_cards(state, rules):
    """Deal the hands and the upcard (rules.md 4.1)."""
    first = 1 - state.dealer
    eleven = rules.first_turn == DISCARD_FIRST
    hand0, hand1 = 0, 0
    for i in range(0, 20, 2):  # these cards have been shuffled already
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
    """Play a turn, from the draw to the discard or ending; return True if it ends the deal."""
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
    if state.turns == 0 or not rules.take_discard:  # otherwise written before the take decision
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
    """Let `seat` end the deal with the last discard: the 50th-card rule (rules.md 4.5)."""
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
    """Play the decisions about the first upcard (rules.md 4.2).

    The die can be refused before either decision. This ends the deal and sets `state.kind`.

    Returns the player whose turn follows (0 nondealer, 1 dealer) and where that player draws.
    """
    first = 1 - state.dealer
    if rules.first_turn == DISCARD_FIRST or rules.first_turn == FREE:
        state.phase = PHASE_TURN
    if _raise(state, rules, view1, view2, first, offer_a, answer_a, offer_b, answer_b):
        return 0, FROM_DEAL
    return begun(state, rules, view1, view2, take1, take2, offer_a, answer_a, offer_b, answer_b)


@jit
def begun(state, rules, view1, view2, take1, take2, offer_a, answer_a, offer_b, answer_b):
    """Play the nondealer's decision about the first upcard; return like `play_opening`."""
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
    """Continue after the nondealer or the dealer has passed; return like `play_opening`."""
    if whose == 1:
        return _passed_by_both(state, rules, view1, take1)
    state.shed[1 - state.dealer] |= 1 << state.top
    if _raise(state, rules, view2, view1, state.dealer, offer_a, answer_a, offer_b, answer_b):
        return 1, FROM_DEAL
    return offered_to_dealer(state, rules, view1, view2, take1, take2)


@jit
def offered_to_dealer(state, rules, view1, view2, take1, take2):
    """Let the dealer take the first upcard or pass; return like `play_opening`."""
    choices, declined = _upcard_choices(rules)
    answer = ask_apart(state, rules, view2, state.dealer, TAKE, choices, take2)
    if answer != declined:
        state.upcard_to = 1 if answer == FROM_PILE else 2
        return 1, answer
    return _passed_by_both(state, rules, view1, take1)


@jit
def _passed_by_both(state, rules, view1, take1):
    """Choose where the nondealer draws after two passes; return like `play_opening`."""
    state.shed[state.dealer] |= 1 << state.top
    if rules.first_turn == UPCARD_STOCK_OR_PASS:
        return 0, _firstdraw(state, rules, view1, 1 - state.dealer, take1)
    return 0, FROM_STOCK


@jit
def _upcard_choices(rules):
    """Return the legal actions on the first upcard, as bits, and the action that passes.

    If the player must take or pass, 0 is the pass. If the stock is a choice too, 0 is the stock and
    2 the pass.
    """
    return (3, 0) if rules.first_turn == UPCARD_PASS else (7, 2)


@spliced
def _raise(state, rules, view, other_view, seat, offer_a, answer_a, offer_b, answer_b):
    """Let a player offer the die at the start of a turn (rules.md 8.3 and 8.4).

    Returns True if the offer is refused.
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
    """Choose the pile that the nondealer draws from while it still shows the first upcard."""
    state.phase = PHASE_TURN
    answer = where_to_draw(state, rules, view, seat, take)
    if answer == FROM_PILE:
        state.upcard_to = 0
    return answer


@inlined
def where_to_draw(state, rules, view, seat, take):
    """Choose where a player draws on an ordinary turn: from the stock or the discard pile."""
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
    """Play the deal that `clear_deal` has prepared. The result is in the state.

    Arguments ending in 1 belong to the nondealer, those ending in 2 to the dealer: their views and
    the three policies that are called often. Policies that are called at most once per deal are
    passed by strategy, A and B.
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
    """Play the turns from a given turn to the result of the deal.

    `dealer_to_move` is 0 on the nondealer's turn and 1 on the dealer's. `source` is where that
    player draws, or TURN_OVER to play only what follows the turn.
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

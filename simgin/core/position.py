"""Rollouts from what one player sees, with the hidden cards filled in.

A *position* is a decision as its player sees it: a view. A *world* is a sampled hidden state: the
opponent's hand and the order of the stock. An *action* is what the player can do. The engine sets
up all three in its own state and plays to the end of the deal, so that all rules apply.

Information that a view does not contain is left out: the cards that the opponent drew (-1 in the
history), and how the points of columns were won.
"""

import numpy as np

from simgin.core.answers import (
    BIG_GIN,
    PASS,
    PHASE_BLIND,
    PHASE_LAST,
    PHASE_TURN,
    PHASE_UPCARD,
    TAKE,
)
from simgin.core.ask import forget, remember, show_deal, show_turn
from simgin.core.deadwood import deadwood
from simgin.core.deal import (
    TURN_OVER,
    begun,
    deal_cards,
    offered_to_dealer,
    opening,
    passed,
    play_turns,
    where_to_draw,
)
from simgin.core.endings import ending_with, must_be_melded
from simgin.core.jit import jit
from simgin.core.record import write_record
from simgin.core.rules import UPCARD_PASS, UPCARD_STOCK_OR_PASS
from simgin.core.scoring import KIND_VOID
from simgin.core.showdown import end_deal
from simgin.core.stake import FREE, accept, refuse, refused, turned_down
from simgin.core.turn import clear_deal, close_turn, draw, no_card, propose, throw
from simgin.core.view import FROM_DEAL, FROM_PILE, FROM_STOCK

# Actions in addition to those of a take policy: discard a card; end the deal with a discard (-1:
# big gin); leave the last discard (50th-card rule); offer a number on the die (0: no offer); accept
# or refuse the number offered.
THROW, END, LEAVE, OFFER, ACCEPT, REFUSE = 3, 4, 5, 6, 7, 8
IN_PACK = 52  # positions in `state.pack`


@jit
def set_position(state, rules, view, hand, stock):
    """Write a position and a world to the state; strategy A sits at the seat of the view.

    `hand` holds the opponent's ten cards and `stock` the face-down cards, the next one first.
    Before the cards are dealt, the hand is empty and the stock is the whole pack.
    """
    seat = view.seat
    other = 1 - seat
    clear_deal(state, rules, view.dealer)
    state.half = seat
    _set_table(state, view)
    _set_standing(state, view, seat)
    state.stock = view.stock
    state.shuffled = IN_PACK
    left = IN_PACK if view.phase == PHASE_BLIND else view.stock
    state.dealt = IN_PACK - left
    for i in range(left):
        state.pack[state.dealt + i] = stock[i]
    state.hand[seat] = view.hand
    state.hand[other] = hand
    state.count[seat] = view.count
    state.count[other] = deadwood(hand, rules)
    state.known[other] = view.known
    state.shed[other] = view.shed
    state.own_turns[seat] = view.own_turn - 1
    state.own_turns[other] = view.turns - view.own_turn + 1
    _set_seen(state, rules, view, seat)


@jit
def _set_table(state, view):
    """Write the piles, the turn, the die and the current card."""
    state.pile = view.pile
    state.upcard = view.upcard
    state.limit = view.limit
    state.multiplier = view.multiplier
    state.turns = view.turns
    state.phase = view.phase
    state.stake = view.stake
    state.owner = view.owner
    state.taken = view.taken
    state.drawn = view.drawn
    state.top = view.taken_offer
    if view.taken_offer < 0 and view.taken < 0:  # with eleven cards, or for decisions on the die
        state.top = view.history[view.turns - 1, 3] if view.turns > 0 else view.upcard


@jit
def _set_standing(state, view, seat):
    """Write the score of the match before this deal."""
    other = 1 - seat
    state.deal = view.deal
    state.points[seat] = view.own_points
    state.points[other] = view.other_points
    state.deals_won[seat] = view.own_deals
    state.deals_won[other] = view.other_deals
    state.games[seat] = view.own_games
    state.games[other] = view.other_games
    state.opened[seat] = view.own_opened
    state.opened[other] = view.other_opened
    for c in range(len(view.own_columns)):
        state.column_points[seat, c] = view.own_columns[c]
        state.column_points[other, c] = view.other_columns[c]
        state.column_winner[c] = -1
        if view.closed >> c & 1:
            ahead = view.own_columns[c] > view.other_columns[c]
            state.column_winner[c] = seat if ahead else other


@jit
def _set_seen(state, rules, view, seat):
    """Write which cards the opponent saw the player take face up, discard and decline."""
    known = np.int64(0)
    shed = np.int64(_passed(rules, view, seat)) << max(0, view.upcard)
    before = view.upcard
    for i in range(view.turns):
        row = view.history[i]
        thrown = np.int64(row[3])
        gone = 1 << thrown if thrown >= 0 else 0
        own = row[0] == seat
        if row[1] == FROM_PILE:
            state.takes[row[0]] += 1
            if own:
                known |= 1 << np.int64(row[2])
        elif row[1] == FROM_STOCK:
            state.draws[row[0]] += 1
            if own and before >= 0 and rules.take_discard:
                shed |= 1 << before
        if own:
            known &= ~gone
            shed |= gone
        before = thrown
    if view.taken >= 0:
        known |= 1 << view.taken
        state.takes[seat] += 1
    elif view.drawn >= 0:
        state.draws[seat] += 1
        if before >= 0 and rules.take_discard:
            shed |= 1 << before
    state.known[seat] = known
    state.shed[seat] = shed


@jit
def _passed(rules, view, seat):
    """Return True if the player has passed the first upcard.

    If the nondealer may draw from the stock immediately, a view does not show whether the dealer
    had a decision. The function assumes that the nondealer passed first, as most players do.
    """
    if rules.first_turn != UPCARD_PASS and rules.first_turn != UPCARD_STOCK_OR_PASS:
        return False
    if view.turns == 0 and view.phase == PHASE_UPCARD:  # the dealer offers the die after a pass
        return view.offered > 0 and seat != view.dealer
    if view.turns == 0:
        drawing = view.phase == PHASE_TURN and view.taken < 0
        return drawing and (view.drawn < 0 or rules.first_turn == UPCARD_PASS)
    first, source = view.history[0, 0], view.history[0, 1]
    if first == view.dealer:  # the nondealer passed, and the dealer took or drew
        return seat != view.dealer
    return source == FROM_STOCK


@jit
def set_view(state, rules, view, shown, seat):
    """Write to the view of a seat what the seat knows of the deal up to the position."""
    show_deal(state, rules, shown, seat)
    for i in range(view.turns):
        row = view.history[i]
        card = row[2] if row[1] == FROM_PILE or seat == view.seat else -1
        remember(shown, i, row[0], row[1], card, row[3])


@jit
def end_turn(state, rules, view, other_view, action, card, show_a, show_b):
    """Discard a card or end the deal, with the eleven cards of the position."""
    seat = view.seat
    source = FROM_PILE if view.taken >= 0 else FROM_STOCK if view.drawn >= 0 else FROM_DEAL
    if action == THROW:
        throw(state, seat, card)
        state.count[seat] = deadwood(state.hand[seat], rules)
        close_turn(state, view, other_view, seat, source, card)
        no_card(state)
        return
    ten = state.hand[seat] & ~(1 << card) if card >= 0 else state.hand[seat]
    ending, count = BIG_GIN, 0
    if card >= 0:
        must = must_be_melded(state.taken, rules)
        left = deadwood(ten, rules)
        ending, count = ending_with(ten, left, must, state.limit, state.points[seat], rules)
    propose(state, ending, card, count)
    end_deal(state, rules, view, seat, show_a, show_b)
    close_turn(state, view, other_view, seat, source, card)


@jit
def end_last(state, rules, view, other_view, action, card, show_a, show_b):
    """End the deal with the last discard, or leave it (50th-card rule)."""
    if action == LEAVE:
        state.kind = KIND_VOID
        return
    seat = view.seat
    draw(state, rules, seat, FROM_PILE)
    end_turn(state, rules, view, other_view, action, card, show_a, show_b)


@jit
def turn_die(
    state, rules, view, own, other, action, number, view1, view2, take1, take2,
    offer_a, answer_a, offer_b, answer_b,
):  # fmt: skip
    """Offer a number on the die, or accept or refuse an offer.

    A refusal ends the deal and sets `state.kind`. Returns the player to move (0 nondealer, 1
    dealer) and where that player draws.
    """
    seat = view.seat
    mover = seat if action == OFFER else 1 - seat
    if action == REFUSE:
        refuse(state, rules, mover, view.offered)
    elif action == ACCEPT:
        accept(state, other, own, mover, view.offered)
    elif number > 0:
        turned_down(state, rules, own, other, seat, number, answer_b)
    elif view.phase == PHASE_BLIND and seat != view.dealer:
        refused(state, rules, view2, view1, view.dealer, FREE, offer_a, answer_a, offer_b, answer_b)
    whose = np.int64(mover == view.dealer)
    if state.kind >= 0:
        return whose, FROM_DEAL
    if view.phase == PHASE_BLIND:
        deal_cards(state, rules)
        show_deal(state, rules, view1, 1 - view.dealer)
        show_deal(state, rules, view2, view.dealer)
        return opening(
            state, rules, view1, view2, take1, take2, offer_a, answer_a, offer_b, answer_b
        )
    if view.turns > 0:
        if whose == 0:
            return whose, where_to_draw(state, rules, view1, mover, take1)
        return whose, where_to_draw(state, rules, view2, mover, take2)
    if whose == 0:
        return begun(state, rules, view1, view2, take1, take2, offer_a, answer_a, offer_b, answer_b)
    return offered_to_dealer(state, rules, view1, view2, take1, take2)


@jit
def play_on(
    state, rules, view, hand, stock, action, card, view0, view1,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play an action in a world and continue to the end of the deal.

    `view` is the decision. It must be neither `view0` nor `view1`, which receive what the two seats
    see from then on. `card` is the card of the action or the number offered. Strategy A sits at the
    seat of the view.
    """
    forget(view0, state.turns)
    forget(view1, state.turns)
    set_position(state, rules, view, hand, stock)
    set_view(state, rules, view, view0, 0)
    set_view(state, rules, view, view1, 1)
    show_turn(state, view0 if view.seat == 0 else view1, view.seat)
    whose = np.int64(view.seat == view.dealer)
    view1st, view2nd = (view1, view0) if view.dealer == 0 else (view0, view1)
    own, other = (view0, view1) if view.seat == 0 else (view1, view0)
    if whose == 0:
        take1, discard1, knock1 = take_a, discard_a, knock_a
        take2, discard2, knock2 = take_b, discard_b, knock_b
    else:
        take1, discard1, knock1 = take_b, discard_b, knock_b
        take2, discard2, knock2 = take_a, discard_a, knock_a
    if view.phase == PHASE_LAST:
        end_last(state, rules, own, other, action, card, show_a, show_b)
    elif action in (THROW, END):
        end_turn(state, rules, own, other, action, card, show_a, show_b)
    source = FROM_PILE if action == TAKE else FROM_STOCK
    if action >= OFFER:
        whose, source = turn_die(
            state, rules, view, own, other, action, card,
            view1st, view2nd, take1, take2, offer_a, answer_a, offer_b, answer_b,
        )  # fmt: skip
    elif action == PASS:
        whose, source = passed(
            state, rules, view1st, view2nd, whose, take1, take2,
            offer_a, answer_a, offer_b, answer_b,
        )  # fmt: skip
    elif action == THROW:
        source = TURN_OVER
    elif view.phase == PHASE_UPCARD:
        state.upcard_to = whose if action == TAKE else 2
    if state.kind < 0:
        play_turns(
            state, rules, view1st, view2nd, take1, discard1, knock1, take2, discard2, knock2,
            offer_a, answer_a, show_a, offer_b, answer_b, show_b, whose, source,
        )  # fmt: skip


def play_worlds(
    state, rules, view0, view1, views, hands, stocks, actions, cards, first, records,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Roll out every action of a position in every world.

    Array arguments:
        views: (1,) or (n_worlds,) VIEW, the decision. It differs between worlds if the player has
            forgotten something.
        hands: (n_worlds,) int64, the opponent's hands.
        stocks: (n_worlds, n_stock) int8, the face-down cards, the next one first.
        actions, cards: (n_actions,) int64.
        records: (n_worlds, n_actions) DEAL_RECORD, overwritten with the results of the deals; side
            A is the player of the view.

    `first_world` is the number of the first world, used as the unit in the policies' random
    streams.
    """
    for w in range(len(hands)):
        state.unit = first + w
        view = views[w % len(views)]
        for k in range(len(actions)):
            play_on(
                state, rules, view, hands[w], stocks[w], actions[k], cards[k], view0, view1,
                take_a, discard_a, knock_a, offer_a, answer_a, show_a,
                take_b, discard_b, knock_b, offer_b, answer_b, show_b,
            )  # fmt: skip
            write_record(state, records[w, k], view.seat)

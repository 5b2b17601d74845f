"""Rollouts from the view of one player, with sampled hidden cards.

A *position* is the view of a player at a decision. A *world* is a sampled hidden state: the
opponent's hand and the order of the stock. An *action* is one of the player's options. The engine
writes all three to its state and plays to the end of the deal, so that all rules apply.

The state lacks information that a view does not contain: the cards that the opponent drew (-1 in
the history), and how the points in the columns were won.
"""

import numpy as np

from simgin.core.codes import (
    ACTION_PASS,
    ACTION_TAKE,
    ENDING_BIG_GIN,
    PHASE_BLIND,
    PHASE_LAST,
    PHASE_TURN,
    PHASE_UPCARD,
)
from simgin.core.deadwood import deadwood
from simgin.core.deal import (
    TURN_ALREADY_PLAYED,
    choose_draw_source,
    continue_after_pass,
    deal_cards,
    offer_upcard_to_dealer,
    offer_upcard_to_nondealer,
    play_opening,
    play_turns,
)
from simgin.core.deal_record import write_deal_record
from simgin.core.die import (
    MAY_OFFER_UNOWNED_DIE,
    accept_die,
    offer_die,
    query_die_offer,
    refuse_die,
)
from simgin.core.endings import find_ending, find_required_meld_card
from simgin.core.jit import jit
from simgin.core.query import clear_history, record_turn, write_deal_fields, write_turn_fields
from simgin.core.rules_record import FIRST_TURN_UPCARD_PASS, FIRST_TURN_UPCARD_STOCK_OR_PASS
from simgin.core.scoring import RESULT_VOID
from simgin.core.showdown import end_deal
from simgin.core.turn_steps import (
    clear_deal,
    discard_card,
    draw_card,
    propose_ending,
    record_turn_end,
    reset_turn,
)
from simgin.core.view import FROM_DEAL, FROM_PILE, FROM_STOCK

# Actions that a take policy does not have. ACTION_END_DEAL ends the deal with a discard (-1 for big
# gin). ACTION_LEAVE_DISCARD leaves the last discard on the pile (50th-card rule). ACTION_OFFER
# offers a number on the die, and 0 means no offer.
(
    ACTION_DISCARD,
    ACTION_END_DEAL,
    ACTION_LEAVE_DISCARD,
    ACTION_OFFER,
    ACTION_ACCEPT,
    ACTION_REFUSE,
) = (3, 4, 5, 6, 7, 8)
PACK_SIZE = 52  # number of cards in `state.pack`


@jit
def set_position(state, rules, view, hand, stock):
    """Write a position and the hidden cards of a sampled world to the state.

    Strategy A sits in the seat of the view.

    `hand` contains the opponent's ten cards, and `stock` the face-down cards in order. Before the
    cards are dealt, the hand is empty and the stock is the whole pack.
    """
    seat = view.seat
    opponent = 1 - seat
    clear_deal(state, rules, view.dealer)
    state.half = seat
    _set_table_state(state, view)
    _set_match_state(state, view, seat)
    state.stock = view.stock
    state.shuffled = PACK_SIZE
    n_undealt = PACK_SIZE if view.phase == PHASE_BLIND else view.stock
    state.dealt = PACK_SIZE - n_undealt
    for position in range(n_undealt):
        state.pack[state.dealt + position] = stock[position]
    state.hand[seat] = view.hand
    state.hand[opponent] = hand
    state.count[seat] = view.count
    state.count[opponent] = deadwood(hand, rules)
    state.known[opponent] = view.known
    state.shed[opponent] = view.shed
    state.own_turns[seat] = view.own_turn - 1
    state.own_turns[opponent] = view.turns - view.own_turn + 1
    _set_opponent_knowledge(state, rules, view, seat)


@jit
def _set_table_state(state, view):
    """Copy the public information about the current deal from a view to the state."""
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
    # The hand has ten cards, and the decision is not about the die.
    if view.taken_offer < 0 and view.taken < 0:
        state.top = view.history[view.turns - 1, 3] if view.turns > 0 else view.upcard


@jit
def _set_match_state(state, view, seat):
    """Copy the match score at the start of the deal from a view to the state."""
    opponent = 1 - seat
    state.deal = view.deal
    state.points[seat] = view.own_points
    state.points[opponent] = view.other_points
    state.deals_won[seat] = view.own_deals
    state.deals_won[opponent] = view.other_deals
    state.games[seat] = view.own_games
    state.games[opponent] = view.other_games
    state.opened[seat] = view.own_opened
    state.opened[opponent] = view.other_opened
    for column in range(len(view.own_columns)):
        state.column_points[seat, column] = view.own_columns[column]
        state.column_points[opponent, column] = view.other_columns[column]
        state.column_winner[column] = -1
        if view.closed >> column & 1:
            is_ahead = view.own_columns[column] > view.other_columns[column]
            state.column_winner[column] = seat if is_ahead else opponent


@jit
def _set_opponent_knowledge(state, rules, view, seat):
    """Write to the state which cards the opponent saw the player take, discard or decline."""
    known_cards = np.int64(0)
    shed_cards = np.int64(_has_passed_upcard(rules, view, seat)) << max(0, view.upcard)
    pile_card = view.upcard
    for turn in range(view.turns):
        row = view.history[turn]
        discarded = np.int64(row[3])
        discard_mask = 1 << discarded if discarded >= 0 else 0
        is_player = row[0] == seat
        if row[1] == FROM_PILE:
            state.takes[row[0]] += 1
            if is_player:
                known_cards |= 1 << np.int64(row[2])
        elif row[1] == FROM_STOCK:
            state.draws[row[0]] += 1
            if is_player and pile_card >= 0 and rules.take_discard:
                shed_cards |= 1 << pile_card
        if is_player:
            known_cards &= ~discard_mask
            shed_cards |= discard_mask
        pile_card = discarded
    if view.taken >= 0:
        known_cards |= 1 << view.taken
        state.takes[seat] += 1
    elif view.drawn >= 0:
        state.draws[seat] += 1
        if pile_card >= 0 and rules.take_discard:
            shed_cards |= 1 << pile_card
    state.known[seat] = known_cards
    state.shed[seat] = shed_cards


@jit
def _has_passed_upcard(rules, view, seat):
    """Return True if the player has passed the first upcard.

    If the nondealer may draw from the stock immediately, the view does not show whether the dealer
    had a decision. The function assumes that the nondealer passed first, as most players do.
    """
    if (
        rules.first_turn != FIRST_TURN_UPCARD_PASS
        and rules.first_turn != FIRST_TURN_UPCARD_STOCK_OR_PASS
    ):
        return False
    if view.turns == 0 and view.phase == PHASE_UPCARD:  # The nondealer has passed.
        return view.offered > 0 and seat != view.dealer
    if view.turns == 0:
        is_drawing = view.phase == PHASE_TURN and view.taken < 0
        return is_drawing and (view.drawn < 0 or rules.first_turn == FIRST_TURN_UPCARD_PASS)
    first_seat, source = view.history[0, 0], view.history[0, 1]
    if first_seat == view.dealer:  # The nondealer passed, and the dealer drew a card.
        return seat != view.dealer
    return source == FROM_STOCK


@jit
def fill_seat_view(state, rules, view, seat_view, seat):
    """Fill the view of a seat with all information that the seat has at the position."""
    write_deal_fields(state, rules, seat_view, seat)
    for turn in range(view.turns):
        row = view.history[turn]
        card = row[2] if row[1] == FROM_PILE or seat == view.seat else -1
        record_turn(seat_view, turn, row[0], row[1], card, row[3])


@jit
def end_turn(state, rules, view, other_view, action, card, show_a, show_b):
    """Discard a card or end the deal when the player holds eleven cards."""
    seat = view.seat
    source = FROM_PILE if view.taken >= 0 else FROM_STOCK if view.drawn >= 0 else FROM_DEAL
    if action == ACTION_DISCARD:
        discard_card(state, seat, card)
        state.count[seat] = deadwood(state.hand[seat], rules)
        record_turn_end(state, view, other_view, seat, source, card)
        reset_turn(state)
        return
    ten_cards = state.hand[seat] & ~(1 << card) if card >= 0 else state.hand[seat]
    ending, deadwood_points = ENDING_BIG_GIN, 0
    if card >= 0:
        required_card = find_required_meld_card(state.taken, rules)
        deadwood_left = deadwood(ten_cards, rules)
        ending, deadwood_points = find_ending(
            ten_cards, deadwood_left, required_card, state.limit, state.points[seat], rules
        )
    propose_ending(state, ending, card, deadwood_points)
    end_deal(state, rules, view, seat, show_a, show_b)
    record_turn_end(state, view, other_view, seat, source, card)


@jit
def resolve_last_discard(state, rules, view, other_view, action, card, show_a, show_b):
    """Take the last discard and end the deal, or decline the last discard (50th-card rule)."""
    if action == ACTION_LEAVE_DISCARD:
        state.kind = RESULT_VOID
        return
    seat = view.seat
    draw_card(state, rules, seat, FROM_PILE)
    end_turn(state, rules, view, other_view, action, card, show_a, show_b)


@jit
def resolve_die_action(
    state, rules, view, own_view, opponent_view, action, offered_number, nondealer_view,
    dealer_view, nondealer_take, dealer_take, offer_a, answer_a, offer_b, answer_b,
):  # fmt: skip
    """Apply a decision about the die: offer a number, or accept or refuse an offer.

    A refusal ends the deal and sets `state.kind`. Returns the player to move (0 for the nondealer,
    1 for the dealer) and the draw source.
    """
    seat = view.seat
    offering_seat = seat if action == ACTION_OFFER else 1 - seat
    if action == ACTION_REFUSE:
        refuse_die(state, rules, offering_seat, view.offered)
    elif action == ACTION_ACCEPT:
        accept_die(state, opponent_view, own_view, offering_seat, view.offered)
    elif offered_number > 0:
        offer_die(state, rules, own_view, opponent_view, seat, offered_number, answer_b)
    elif view.phase == PHASE_BLIND and seat != view.dealer:
        query_die_offer(
            state, rules, dealer_view, nondealer_view, view.dealer, MAY_OFFER_UNOWNED_DIE, offer_a,
            answer_a, offer_b, answer_b,
        )  # fmt: skip
    dealer_to_move = np.int64(offering_seat == view.dealer)
    if state.kind >= 0:
        return dealer_to_move, FROM_DEAL
    if view.phase == PHASE_BLIND:
        deal_cards(state, rules)
        write_deal_fields(state, rules, nondealer_view, 1 - view.dealer)
        write_deal_fields(state, rules, dealer_view, view.dealer)
        return play_opening(
            state, rules, nondealer_view, dealer_view, nondealer_take, dealer_take, offer_a,
            answer_a, offer_b, answer_b,
        )  # fmt: skip
    if view.turns > 0:
        if dealer_to_move == 0:
            return dealer_to_move, choose_draw_source(
                state, rules, nondealer_view, offering_seat, nondealer_take
            )
        return dealer_to_move, choose_draw_source(
            state, rules, dealer_view, offering_seat, dealer_take
        )
    if dealer_to_move == 0:
        return offer_upcard_to_nondealer(
            state, rules, nondealer_view, dealer_view, nondealer_take, dealer_take, offer_a,
            answer_a, offer_b, answer_b,
        )  # fmt: skip
    return offer_upcard_to_dealer(
        state, rules, nondealer_view, dealer_view, nondealer_take, dealer_take
    )


@jit
def roll_out_action(
    state, rules, view, hand, stock, action, card, view0, view1,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play an action in a sampled world, and continue to the end of the deal.

    `view` is the view at the decision. `view0` and `view1` become the views of the two seats after
    the action, so they must be different objects. `card` is the card of the action or the offered
    number. Strategy A sits in the seat of the view.
    """
    clear_history(view0, state.turns)
    clear_history(view1, state.turns)
    set_position(state, rules, view, hand, stock)
    fill_seat_view(state, rules, view, view0, 0)
    fill_seat_view(state, rules, view, view1, 1)
    write_turn_fields(state, view0 if view.seat == 0 else view1, view.seat)
    dealer_to_move = np.int64(view.seat == view.dealer)
    nondealer_view, dealer_view = (view1, view0) if view.dealer == 0 else (view0, view1)
    own_view, opponent_view = (view0, view1) if view.seat == 0 else (view1, view0)
    if dealer_to_move == 0:
        nondealer_take, nondealer_discard, nondealer_knock = take_a, discard_a, knock_a
        dealer_take, dealer_discard, dealer_knock = take_b, discard_b, knock_b
    else:
        nondealer_take, nondealer_discard, nondealer_knock = take_b, discard_b, knock_b
        dealer_take, dealer_discard, dealer_knock = take_a, discard_a, knock_a
    if view.phase == PHASE_LAST:
        resolve_last_discard(state, rules, own_view, opponent_view, action, card, show_a, show_b)
    elif action in (ACTION_DISCARD, ACTION_END_DEAL):
        end_turn(state, rules, own_view, opponent_view, action, card, show_a, show_b)
    source = FROM_PILE if action == ACTION_TAKE else FROM_STOCK
    if action >= ACTION_OFFER:
        dealer_to_move, source = resolve_die_action(
            state, rules, view, own_view, opponent_view, action, card, nondealer_view, dealer_view,
            nondealer_take, dealer_take, offer_a, answer_a, offer_b, answer_b,
        )  # fmt: skip
    elif action == ACTION_PASS:
        dealer_to_move, source = continue_after_pass(
            state, rules, nondealer_view, dealer_view, dealer_to_move, nondealer_take, dealer_take,
            offer_a, answer_a, offer_b, answer_b,
        )  # fmt: skip
    elif action == ACTION_DISCARD:
        source = TURN_ALREADY_PLAYED
    elif view.phase == PHASE_UPCARD:
        state.upcard_to = dealer_to_move if action == ACTION_TAKE else 2
    if state.kind < 0:
        play_turns(
            state, rules, nondealer_view, dealer_view, nondealer_take, nondealer_discard,
            nondealer_knock, dealer_take, dealer_discard, dealer_knock, offer_a, answer_a, show_a,
            offer_b, answer_b, show_b, dealer_to_move, source,
        )  # fmt: skip


def run_world_rollouts(
    state, rules, view0, view1, views, hands, stocks, actions, cards, first_world, records,
    take_a, discard_a, knock_a, offer_a, answer_a, show_a,
    take_b, discard_b, knock_b, offer_b, answer_b, show_b,
):  # fmt: skip
    """Roll out every action of a position in every sampled world.

    Array arguments:
        views: (1,) or (n_worlds,) VIEW_DTYPE, the view at the decision. Views differ between worlds
            if the player does not remember all cards.
        hands: (n_worlds,) int64, the opponent's hands.
        stocks: (n_worlds, n_stock) int8, the face-down cards in order.
        actions, cards: (n_actions,) int64.
        records: (n_worlds, n_actions) DEAL_RECORD_DTYPE, overwritten with the results of the deals.
            Side A is the player of the view.

    `first_world` is the number of the first world, which is the unit in the random streams of the
    policies.
    """
    for world in range(len(hands)):
        state.unit = first_world + world
        view = views[world % len(views)]
        for action_index in range(len(actions)):
            roll_out_action(
                state, rules, view, hands[world], stocks[world], actions[action_index],
                cards[action_index], view0, view1,
                take_a, discard_a, knock_a, offer_a, answer_a, show_a,
                take_b, discard_b, knock_b, offer_b, answer_b, show_b,
            )  # fmt: skip
            write_deal_record(state, records[world, action_index], view.seat)

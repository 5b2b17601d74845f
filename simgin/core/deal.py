"""Two-player deal, from the shuffle to the result (rules.md 4).

The engine has a private state, and each seat has a view of the state. The engine calls a policy
only if more than one action is legal. An action outside `view.legal` raises IllegalActionError.
"""

import numpy as np

from simgin.core.codes import ENDING_NONE, PHASE_LAST, PHASE_TURN, PHASE_UPCARD
from simgin.core.deadwood import best_discards, deadwood
from simgin.core.die import query_die_offer, query_offers_before_deal
from simgin.core.endings import (
    compute_deal_multiplier,
    compute_knock_limit,
    find_best_ending,
    find_ending,
    find_permitted_discards,
    find_required_meld_card,
)
from simgin.core.jit import force_inline, inline_before_compilation, jit
from simgin.core.query import (
    get_strategy_of_seat,
    query_policy_noinline,
    query_policy_with_view,
    write_card_fields,
    write_deal_fields,
    write_ending_fields,
    write_turn_fields,
)
from simgin.core.rules_record import (
    DIE_OFF,
    FIRST_TURN_DISCARD,
    FIRST_TURN_FREE,
    FIRST_TURN_UPCARD_PASS,
    FIRST_TURN_UPCARD_STOCK_OR_PASS,
    STOCK_END_AT_DRAW,
    STOCK_END_OPPONENT_MAY_TAKE,
)
from simgin.core.scoring import RESULT_STALLED, RESULT_VOID
from simgin.core.showdown import end_deal
from simgin.core.shuffle import deal_next_card
from simgin.core.state import SLOT_DISCARD, SLOT_KNOCK, SLOT_TAKE, YES_NO_ACTIONS
from simgin.core.turn_steps import (
    discard_card,
    draw_card,
    propose_ending,
    record_turn_end,
    reset_turn,
)
from simgin.core.view import FROM_DEAL, FROM_PILE, FROM_STOCK

TURN_ALREADY_PLAYED = np.int64(3)  # draw source of a turn that has already been played


@jit
def deal_cards(state, rules):
    """Deal the hands and the upcard (rules.md 4.1)."""
    nondealer = 1 - state.dealer
    eleven_cards = rules.first_turn == FIRST_TURN_DISCARD
    hand0, hand1 = 0, 0
    for i in range(0, 20, 2):  # The first 20 cards are already shuffled.
        hand0 |= 1 << np.int64(state.pack[i])
        hand1 |= 1 << np.int64(state.pack[i + 1])
    state.dealt = 20
    if eleven_cards:
        hand0 |= 1 << deal_next_card(state)
    state.hand[nondealer] = hand0
    state.hand[state.dealer] = hand1
    if not eleven_cards:
        state.top = state.upcard = deal_next_card(state)
        state.pile = 1 << state.top
        state.upcard_to = 2
    state.limit = compute_knock_limit(state.upcard, rules)
    state.multiplier = compute_deal_multiplier(state.upcard, rules)
    state.phase = PHASE_UPCARD
    for seat in range(2):
        state.count[seat] = state.dealt_deadwood[seat] = deadwood(state.hand[seat], rules)


@inline_before_compilation
def _play_turn(state, rules, view, other_view, seat, source, discard, knock, show_a, show_b):
    """Play one turn, from the draw to the discard or the end of the deal.

    Returns True if the deal ended.
    """
    state.phase = PHASE_TURN
    eleven_cards, taken_card, drawn_card = draw_card(state, rules, seat, source)
    if (
        rules.stock_end == STOCK_END_AT_DRAW
        and source == FROM_STOCK
        and state.stock <= rules.stock_reserve
    ):
        state.kind = RESULT_VOID
        return True
    legal = find_permitted_discards(eleven_cards, taken_card, drawn_card, rules)
    required_card = find_required_meld_card(taken_card, rules)
    discards_first = state.discards_first[get_strategy_of_seat(state, seat)]
    least, best = best_discards(eleven_cards, legal, rules)
    state.least = least
    state.best = best
    # The take decision of this turn has already written the turn fields.
    if state.turns == 0 or not rules.take_discard:
        write_turn_fields(state, view, seat)
    write_card_fields(state, view, seat)
    if not discards_first or rules.big_gin:
        ending, card, deadwood_points = find_best_ending(
            eleven_cards, legal, required_card, state.limit, state.points[seat], least, best, rules
        )
        if ending != ENDING_NONE and (card < 0 or not discards_first):
            propose_ending(state, ending, card, deadwood_points)
            if query_policy_noinline(state, rules, view, seat, SLOT_KNOCK, YES_NO_ACTIONS, knock):
                end_deal(state, rules, view, seat, show_a, show_b)
                record_turn_end(state, view, other_view, seat, source, card)
                return True
            propose_ending(state, ENDING_NONE, -1, -1)
            write_card_fields(state, view, seat)  # The policy can modify its view.
            write_ending_fields(state, view)
    card = query_policy_with_view(state, rules, view, seat, SLOT_DISCARD, legal, discard)
    ten_cards = eleven_cards & ~(1 << card)
    deadwood_left = least if best >> card & 1 else deadwood(ten_cards, rules)
    if discards_first:
        ending, deadwood_points = find_ending(
            ten_cards, deadwood_left, required_card, state.limit, state.points[seat], rules
        )
        if ending != ENDING_NONE:
            propose_ending(state, ending, card, deadwood_points)
            if query_policy_noinline(state, rules, view, seat, SLOT_KNOCK, YES_NO_ACTIONS, knock):
                end_deal(state, rules, view, seat, show_a, show_b)
                record_turn_end(state, view, other_view, seat, source, card)
                return True
            propose_ending(state, ENDING_NONE, -1, -1)
            write_ending_fields(state, view)
    discard_card(state, seat, card)
    state.count[seat] = deadwood_left
    record_turn_end(state, view, other_view, seat, source, card)
    reset_turn(state)
    return False


@inline_before_compilation
def _offer_last_discard(state, rules, view, other_view, seat, knock, show_a, show_b):
    """Let a player end the deal with the last discard (50th-card rule, rules.md 4.5)."""
    state.phase = PHASE_LAST
    eleven_cards = state.hand[seat] | 1 << state.top
    legal = find_permitted_discards(eleven_cards, state.top, -1, rules)
    required_card = find_required_meld_card(state.top, rules)
    least, best = best_discards(eleven_cards, legal, rules)
    ending, card, deadwood_points = find_best_ending(
        eleven_cards, legal, required_card, state.limit, state.points[seat], least, best, rules
    )
    if ending == ENDING_NONE:
        return
    propose_ending(state, ending, card, deadwood_points)
    if query_policy_noinline(state, rules, view, seat, SLOT_KNOCK, YES_NO_ACTIONS, knock):
        draw_card(state, rules, seat, FROM_PILE)
        end_deal(state, rules, view, seat, show_a, show_b)
        record_turn_end(state, view, other_view, seat, FROM_PILE, card)


@jit
def play_opening(
    state, rules, nondealer_view, dealer_view, nondealer_take, dealer_take, offer_a, answer_a,
    offer_b, answer_b,
):  # fmt: skip
    """Let the players decide about the first upcard (rules.md 4.2).

    Before each decision, the player can offer the die. A refusal ends the deal and sets
    `state.kind`.

    Returns the next player (0 for the nondealer, 1 for the dealer) and the draw source.
    """
    nondealer = 1 - state.dealer
    if rules.first_turn == FIRST_TURN_DISCARD or rules.first_turn == FIRST_TURN_FREE:
        state.phase = PHASE_TURN
    if _query_offer_before_turn(
        state, rules, nondealer_view, dealer_view, nondealer, offer_a, answer_a, offer_b, answer_b,
    ):  # fmt: skip
        return 0, FROM_DEAL
    return offer_upcard_to_nondealer(
        state, rules, nondealer_view, dealer_view, nondealer_take, dealer_take, offer_a, answer_a,
        offer_b, answer_b,
    )  # fmt: skip


@jit
def offer_upcard_to_nondealer(
    state, rules, nondealer_view, dealer_view, nondealer_take, dealer_take, offer_a, answer_a,
    offer_b, answer_b,
):  # fmt: skip
    """Let the nondealer decide about the first upcard.

    The function returns the same values as `play_opening`.
    """
    nondealer = 1 - state.dealer
    if rules.first_turn == FIRST_TURN_DISCARD:
        return 0, FROM_DEAL
    if rules.first_turn == FIRST_TURN_FREE:
        return 0, _choose_first_draw(state, rules, nondealer_view, nondealer, nondealer_take)
    choices, pass_action = _get_upcard_actions(rules)
    action = query_policy_noinline(
        state, rules, nondealer_view, nondealer, SLOT_TAKE, choices, nondealer_take
    )
    if action != pass_action:
        state.upcard_to = 0 if action == FROM_PILE else 2
        return 0, action
    return continue_after_pass(
        state, rules, nondealer_view, dealer_view, 0, nondealer_take, dealer_take, offer_a,
        answer_a, offer_b, answer_b,
    )  # fmt: skip


@jit
def continue_after_pass(
    state, rules, nondealer_view, dealer_view, passed_by_dealer, nondealer_take, dealer_take,
    offer_a, answer_a, offer_b, answer_b,
):  # fmt: skip
    """Continue the opening after the nondealer or the dealer has passed the first upcard.

    The function returns the same values as `play_opening`.
    """
    if passed_by_dealer == 1:
        return _continue_after_two_passes(state, rules, nondealer_view, nondealer_take)
    state.shed[1 - state.dealer] |= 1 << state.top
    if _query_offer_before_turn(
        state, rules, dealer_view, nondealer_view, state.dealer, offer_a, answer_a, offer_b,
        answer_b,
    ):  # fmt: skip
        return 1, FROM_DEAL
    return offer_upcard_to_dealer(
        state, rules, nondealer_view, dealer_view, nondealer_take, dealer_take
    )


@jit
def offer_upcard_to_dealer(state, rules, nondealer_view, dealer_view, nondealer_take, dealer_take):
    """Offer the first upcard to the dealer.

    The function returns the same values as `play_opening`.
    """
    choices, pass_action = _get_upcard_actions(rules)
    action = query_policy_noinline(
        state, rules, dealer_view, state.dealer, SLOT_TAKE, choices, dealer_take
    )
    if action != pass_action:
        state.upcard_to = 1 if action == FROM_PILE else 2
        return 1, action
    return _continue_after_two_passes(state, rules, nondealer_view, nondealer_take)


@jit
def _continue_after_two_passes(state, rules, nondealer_view, nondealer_take):
    """Choose the nondealer's draw source after both players have passed the upcard.

    The function returns the same values as `play_opening`.
    """
    state.shed[state.dealer] |= 1 << state.top
    if rules.first_turn == FIRST_TURN_UPCARD_STOCK_OR_PASS:
        return 0, _choose_first_draw(state, rules, nondealer_view, 1 - state.dealer, nondealer_take)
    return 0, FROM_STOCK


@jit
def _get_upcard_actions(rules):
    """Return the mask of the legal actions for the first upcard, and the action that passes.

    Passing is action 0 if the player can only take or pass. If the player can also draw from the
    stock, passing is action 2, and drawing is action 0.
    """
    return (3, 0) if rules.first_turn == FIRST_TURN_UPCARD_PASS else (7, 2)


@inline_before_compilation
def _query_offer_before_turn(
    state, rules, view, other_view, seat, offer_a, answer_a, offer_b, answer_b,
):  # fmt: skip
    """Let a player offer the die at the start of a turn (rules.md 8.3 and 8.4).

    Returns True if an offer is refused.
    """
    if rules.die == DIE_OFF:
        return False
    return query_die_offer(
        state, rules, view, other_view, seat, rules.die_centre_in_play, offer_a, answer_a, offer_b,
        answer_b,
    )  # fmt: skip


@jit
def _choose_first_draw(state, rules, view, seat, take):
    """Choose the draw source of the nondealer while the first upcard is still on the pile."""
    state.phase = PHASE_TURN
    source = choose_draw_source(state, rules, view, seat, take)
    if source == FROM_PILE:
        state.upcard_to = 0
    return source


@force_inline
def choose_draw_source(state, rules, view, seat, take):
    """Return the draw source, stock or discard pile, that a player chooses in an ordinary turn."""
    if not rules.take_discard:
        return FROM_STOCK
    write_turn_fields(state, view, seat)
    write_card_fields(state, view, seat)
    return query_policy_with_view(state, rules, view, seat, SLOT_TAKE, YES_NO_ACTIONS, take)


@inline_before_compilation
def play_deal(
    state, rules, nondealer_view, dealer_view, nondealer_take, nondealer_discard, nondealer_knock,
    dealer_take, dealer_discard, dealer_knock, offer_a, answer_a, show_a, offer_b, answer_b, show_b,
):  # fmt: skip
    """Play the deal that `clear_deal` has prepared, and write the result to the state.

    The names of the arguments with the nondealer's and the dealer's policies start with
    `nondealer_` and `dealer_`. Policies that are called at most once per deal are passed separately
    for strategies A and B.
    """
    if rules.die != DIE_OFF:
        write_deal_fields(state, rules, nondealer_view, 1 - state.dealer)
        write_deal_fields(state, rules, dealer_view, state.dealer)
        if query_offers_before_deal(
            state, rules, nondealer_view, dealer_view, offer_a, answer_a, offer_b, answer_b,
        ):  # fmt: skip
            return
    deal_cards(state, rules)
    write_deal_fields(state, rules, nondealer_view, 1 - state.dealer)
    write_deal_fields(state, rules, dealer_view, state.dealer)
    dealer_to_move, source = play_opening(
        state, rules, nondealer_view, dealer_view, nondealer_take, dealer_take, offer_a, answer_a,
        offer_b, answer_b,
    )  # fmt: skip
    if state.kind >= 0:
        return
    play_turns(
        state, rules, nondealer_view, dealer_view, nondealer_take, nondealer_discard,
        nondealer_knock, dealer_take, dealer_discard, dealer_knock, offer_a, answer_a, show_a,
        offer_b, answer_b, show_b, dealer_to_move, source,
    )  # fmt: skip


@inline_before_compilation
def play_turns(
    state, rules, nondealer_view, dealer_view, nondealer_take, nondealer_discard, nondealer_knock,
    dealer_take, dealer_discard, dealer_knock, offer_a, answer_a, show_a, offer_b, answer_b, show_b,
    dealer_to_move, source,
):  # fmt: skip
    """Play the turns of a deal from a given turn to the end of the deal.

    `dealer_to_move` is 0 on the nondealer's turn and 1 on the dealer's turn. `source` is the draw
    source of that turn, or TURN_ALREADY_PLAYED to start after the turn.
    """
    seat = (state.dealer ^ 1 ^ dealer_to_move) & 1  # The mask tells LLVM that the seat is 0 or 1.
    view, next_view = nondealer_view, dealer_view
    take, next_take = nondealer_take, dealer_take
    discard, next_discard = nondealer_discard, dealer_discard
    knock, next_knock = nondealer_knock, dealer_knock
    if dealer_to_move == 1:
        view, next_view, take, next_take = next_view, view, next_take, take
        discard, next_discard, knock, next_knock = next_discard, discard, next_knock, knock
    while True:
        if source != TURN_ALREADY_PLAYED and _play_turn(
            state, rules, view, next_view, seat, source, discard, knock, show_a, show_b
        ):
            return
        next_seat = seat ^ 1
        if state.stock <= rules.stock_reserve:
            if rules.stock_end == STOCK_END_OPPONENT_MAY_TAKE:
                _offer_last_discard(
                    state, rules, next_view, view, next_seat, next_knock, show_a, show_b
                )
            if state.kind < 0:
                state.kind = RESULT_VOID
            return
        if state.turns >= rules.max_turns:
            state.kind = RESULT_STALLED
            return
        state.phase = PHASE_TURN
        if _query_offer_before_turn(
            state, rules, next_view, view, next_seat, offer_a, answer_a, offer_b, answer_b,
        ):  # fmt: skip
            return
        source = choose_draw_source(state, rules, next_view, next_seat, next_take)
        seat, view, next_view, take, next_take = next_seat, next_view, view, next_take, take
        discard, next_discard, knock, next_knock = next_discard, discard, next_knock, knock

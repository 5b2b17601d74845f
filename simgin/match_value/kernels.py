"""Compiled functions that replay deals and fill tables of match values.

`simgin.core.jit` identifies compiled code by the name of this file.
"""

import numpy as np

from simgin.core.deadwood import compute_deadwood_for_role
from simgin.core.jit import jit
from simgin.core.rules_record import FIRST_TURN_DISCARD

# Replays of deals for `simgin.match_value.hands_by_turn`


def replay_deals(
    kernel, state, rules,
    view0, view1,
    sums_row, no_records,
    deal_ids, first_deal, turns,
    take_a, discard_a, knock_a,
    offer_a, answer_a, show_a,
    take_b, discard_b, knock_b,
    offer_b, answer_b, show_b,
):  # fmt: skip
    """Replay the deals in `deal_ids`, and write all their turns to `turns`.

    `deal_ids` contains the unit and the half of each deal, (n_deals, 2) int64. `first_deal` is the
    index of the first deal. Each kernel call plays a single deal and leaves it in the state, so the
    deal need not be traced.
    """
    next_index = 0
    state.log_half = -1
    for i in range(deal_ids.shape[0]):
        unit = deal_ids[i, 0]
        half = deal_ids[i, 1]
        kernel(
            state, rules,
            view0, view1,
            sums_row, no_records,
            unit, 1, 1,
            False, half == 1,
            take_a, discard_a, knock_a,
            offer_a, answer_a, show_a,
            take_b, discard_b, knock_b,
            offer_b, answer_b, show_b,
        )  # fmt: skip
        deal = first_deal + i
        next_index = _write_turns(state, rules, view0, view1, False, deal, turns, next_index)


def replay_deals_solo(
    kernel, state, rules,
    view0, view1,
    sums_row, no_records,
    deal_ids, first_deal, turns,
    discard, knock,
):  # fmt: skip
    """Replay the solitaire deals in `deal_ids`, and write all turns to `turns`.

    Only view0 is used.
    """
    next_index = 0
    state.log_half = -1
    for i in range(deal_ids.shape[0]):
        unit = deal_ids[i, 0]
        kernel(
            state, rules,
            view0,
            sums_row, no_records,
            unit, 1, 1,
            False,
            discard, knock,
        )  # fmt: skip
        deal = first_deal + i
        next_index = _write_turns(state, rules, view0, view0, True, deal, turns, next_index)


@jit
def _get_dealt_hand(state, rules, is_nondealer, is_solo):
    """Return the hand dealt to a player, as a bit mask.

    `is_nondealer` selects the nondealer in a two-player deal.
    """
    eleven_cards = rules.first_turn == FIRST_TURN_DISCARD
    hand = 0
    if is_solo:
        n_dealt = 11 if eleven_cards else 10
        # A joker in the hand replaces a card.
        n_cards = n_dealt - (0 <= state.joker < n_dealt)
        for i in range(n_cards):
            hand |= 1 << int(state.pack[i])
        return hand
    for i in range(10):
        hand |= 1 << int(state.pack[2 * i + (not is_nondealer)])
    if is_nondealer and eleven_cards:
        hand |= 1 << int(state.pack[20])
    return hand


@jit
def _write_turns(state, rules, view0, view1, is_solo, deal, turns, next_index):
    """Write the turns of a deal to `turns` from `next_index`, and return the next free index."""
    hands = np.zeros(2, np.int64)
    own_turns = np.zeros(2, np.int64)
    if state.turns:
        first_seat = 0 if is_solo else 1 - state.dealer
        hands[first_seat] = _get_dealt_hand(state, rules, True, is_solo)
        if not is_solo:
            hand = _get_dealt_hand(state, rules, False, is_solo)
            hands[1 - first_seat] = hand
    for turn_index in range(state.turns):
        seat = int(view0.history[turn_index, 0])
        discarded = int(view0.history[turn_index, 3])
        # Each view contains the cards that its seat has drawn.
        card0 = int(view0.history[turn_index, 2])
        card1 = int(view1.history[turn_index, 2])
        received_card = max(card0, card1)
        if received_card >= 0:
            hands[seat] |= 1 << received_card
        if discarded >= 0:
            hands[seat] &= ~(1 << discarded)
        own_turns[seat] += 1
        turn = turns[next_index]
        turn.deal = deal
        turn.turn = turn_index + 1
        turn.own_turn = own_turns[seat]
        turn.side = seat ^ state.half
        turn.count = compute_deadwood_for_role(hands[seat], rules, 0)
        next_index += 1
    return next_index


# Match values between deals for `simgin.match_value.boards`


def fill_value_table(
    table, next_a, next_b, probability_a, probability_b, next_dealer, no_winner_probability, reward
):
    """Fill a table of match values, from the end of the match to its start."""
    # probability that neither player's score changes, by dealer and next dealer
    p_same = np.zeros((2, 2))
    n_rows, n_gains_a = next_a.shape
    n_columns, n_gains_b = next_b.shape
    for i in range(n_rows - 1, -1, -1):
        table[i, :n_columns] = reward
        p_same[:] = 0.0
        for dealer in range(2):
            after_a = next_dealer[dealer, 0]
            dealer_without_winner = next_dealer[dealer, 2]
            p_same[dealer, dealer_without_winner] += no_winner_probability[dealer]
            for gain_index in range(n_gains_a):
                next_i = next_a[i, gain_index]
                p_gain = probability_a[dealer, gain_index]
                if next_i == i:
                    p_same[dealer, after_a] += p_gain
                    continue
                # LLVM vectorises the loop along a row.
                for j in range(n_columns):
                    next_value = table[next_i, j, after_a]
                    table[i, j, dealer] += p_gain * next_value
        for j in range(n_columns - 1, -1, -1):
            m00 = 1.0 - p_same[0, 0]
            m01 = -p_same[0, 1]
            m10 = -p_same[1, 0]
            m11 = 1.0 - p_same[1, 1]
            for dealer in range(2):
                after_b = next_dealer[dealer, 1]
                p_repeat = 0.0
                mean_next_value = 0.0
                for gain_index in range(n_gains_b):
                    next_j = next_b[j, gain_index]
                    p_gain = probability_b[dealer, gain_index]
                    if next_j == j:
                        p_repeat += p_gain
                    else:
                        next_value = table[i, next_j, after_b]
                        mean_next_value += p_gain * next_value
                table[i, j, dealer] += mean_next_value
                if dealer == 0 and after_b == 0:
                    m00 -= p_repeat
                elif dealer == 0:
                    m01 -= p_repeat
                elif after_b == 0:
                    m10 -= p_repeat
                else:
                    m11 -= p_repeat
            r0 = table[i, j, 0]
            r1 = table[i, j, 1]
            determinant = m00 * m11 - m01 * m10
            numerator0 = r0 * m11 - r1 * m01
            numerator1 = r1 * m00 - r0 * m10
            table[i, j, 0] = numerator0 / determinant
            table[i, j, 1] = numerator1 / determinant

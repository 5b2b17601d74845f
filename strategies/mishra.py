"""Mishra-uniform: evaluates melds and prospects, and avoids discards that help the opponent.

The value of an unmatched card increases with its possible melds and decreases with its points. The
value is lower if the opponent probably holds the missing cards in melds. Within two cards of a
knock, points count more. The value of a hand is the number of its melded cards, plus the mean value
of its unmatched cards, plus a bonus for a knock or gin. The authors estimated the opponent's hand
with a network. Here, all unseen cards are equally likely. The authors measured the effect of a
discard on the opponent by sampling 100 hands. Here, the effect is `gain`, fitted to such samples,
times the probability that the opponent can meld the card, with possible melds treated as
independent.

The knock rule avoids knocks with high deadwood if the opponent's estimated deadwood is low. The
engine chooses which melds to show.

Source: Mishra and Aggarwal, "Opponent Hand Estimation in Gin Rummy Using Deep Neural Networks and
Heuristic Strategies", EAAI-21; mbhaskar1/Gin-Rummy-Research-Challenge, 2021.
"""

import numpy as np

from simgin.strategy import Strategy, discard, helper, knock, param, take
from simgin.toolkit import (
    ALL_CARDS,
    card_value,
    cards_of_rank,
    deadwood,
    estimate_holdings_uniformly,
    highest_value_cards,
    leftover_cards,
    lowest_bit,
    nth_bit,
    popcount,
    suit_lane,
    take_if,
    total_points,
)
from simgin.toolkit.prospects import same_rank_or_suit

VALUE_PARAMETERS = {
    "promise": param(0.8, 0.0, 10.0, "value of each possible meld of an unmatched card"),
    "partner": param(1.5, 0.0, 10.0, "extra value per card of that meld in the hand"),
    "hurry": param(2.5, 0.0, 10.0, "factor on low points within two cards of a knock"),
    "ace": param(0.2, 0.0, 10.0, "extra value of an ace; a two gets half of it"),
    "knock": param(10.0, 0.0, 100.0, "value of a hand that can knock"),
    "gin": param(20.0, 0.0, 100.0, "value of gin"),
}
(
    MELD_VALUE_INDEX,
    MELD_PARTNER_VALUE_INDEX,
    NEAR_KNOCK_FACTOR_INDEX,
    ACE_VALUE_INDEX,
    KNOCK_VALUE_INDEX,
    GIN_VALUE_INDEX,
) = range(6)


@helper
def _compute_pair_probabilities(p_held):
    """Return the probability that the opponent holds each pair that would meld with each card.

    Args:
        p_held: Probability that the opponent holds each card, (52,) float64. Cards are
            treated as independent.

    Returns:
        (6, 52) float64. The first three pairs are the two cards below the card, on either side of
        it, and above it in its suit (ace low, as in the authors' program). The last three pairs
        consist of cards of the same rank. Each of these sets omits one of the other three suits.
    """
    p_pairs = np.zeros((6, 52))
    for suit in range(4):
        ace = 13 * suit
        for card in range(ace + 2, ace + 13):
            p_pairs[0, card] = p_held[card - 2] * p_held[card - 1]
        for card in range(ace + 1, ace + 12):
            p_pairs[1, card] = p_held[card - 1] * p_held[card + 1]
        for card in range(ace, ace + 11):
            p_pairs[2, card] = p_held[card + 1] * p_held[card + 2]
        suit1, suit2, suit3 = 13 * ((suit + 1) % 4), 13 * ((suit + 2) % 4), 13 * ((suit + 3) % 4)
        for rank in range(13):
            p_pairs[3, ace + rank] = p_held[suit2 + rank] * p_held[suit3 + rank]
            p_pairs[4, ace + rank] = p_held[suit1 + rank] * p_held[suit3 + rank]
            p_pairs[5, ace + rank] = p_held[suit1 + rank] * p_held[suit2 + rank]
    return p_pairs


@helper
def _compute_meld_probability(card, p_pairs):
    """Return the probability that the opponent can meld a card, assuming independent pairs."""
    none_probability = 1.0
    for i in range(6):
        none_probability *= 1 - p_pairs[i, card]
    return 1 - none_probability


@helper
def _compute_meld_probabilities(p_held, p_pairs):
    """Return, for each card, the probability that the opponent has it in a meld.

    The probability is the sum over the three-card melds of the card. For cards that the opponent
    cannot have, the probability is 0.
    """
    meld_probabilities = np.zeros(52)
    for i in range(6):
        for card in range(52):
            meld_probabilities[card] += p_pairs[i, card]
    for card in range(52):
        meld_probabilities[card] *= p_held[card]
    return meld_probabilities


@helper
def _evaluate_card(card, unmatched, available, meld_probabilities, urgency, rules, params):
    """Return the value of one unmatched card, including its prospects of becoming part of a meld.

    Args:
        card: Unmatched card, 0 to 51.
        unmatched: All unmatched cards, as a 52-bit mask.
        available: Cards that can still be drawn, as a 52-bit mask.
        meld_probabilities: Result of `_compute_meld_probabilities`.
        urgency: Factor for the low points of a card.
        rules: Rules of the variant.
        params: Parameters of the policy.
    """
    rank = card % 13
    value = urgency * (5 - card_value(card, rules)) + (
        params[ACE_VALUE_INDEX] / (1 + rank) if rank < 2 else 0.0
    )
    # cards of the suit, from three ranks below the card (bit 0) to two ranks above the card (bit 5)
    held_bits = suit_lane(unmatched, card // 13) << 3 >> rank
    usable_bits = held_bits | suit_lane(available, card // 13) << 3 >> rank
    if usable_bits & 0b000110 == 0b000110 and not held_bits & 0b000001:
        none_probability = _compute_no_meld_probability(
            meld_probabilities[card - 2] + meld_probabilities[card - 1]
        )
        value += none_probability * _evaluate_meld(popcount(held_bits & 0b000110), params)
    if usable_bits & 0b010100 == 0b010100 and not held_bits & 0b000010:
        none_probability = _compute_no_meld_probability(
            meld_probabilities[card - 1] + meld_probabilities[card + 1]
        )
        value += none_probability * _evaluate_meld(popcount(held_bits & 0b010100), params)
    if usable_bits & 0b110000 == 0b110000 and not held_bits & 0b000100:
        none_probability = _compute_no_meld_probability(
            meld_probabilities[card + 1] + meld_probabilities[card + 2]
        )
        value += none_probability * _evaluate_meld(popcount(held_bits & 0b110000), params)
    same_rank = cards_of_rank(rank)
    n_available, n_held = popcount(same_rank & available), popcount(same_rank & unmatched)
    if n_available + n_held >= 3:
        none_probability = _compute_no_meld_probability(
            meld_probabilities[rank]
            + meld_probabilities[13 + rank]
            + meld_probabilities[26 + rank]
            + meld_probabilities[39 + rank]
        )
        value += none_probability * n_available * _evaluate_meld(n_held > 1, params)
    return value


@helper
def _compute_no_meld_probability(summed_meld_probability):
    """Return the probability that none of several cards is in the opponent's melds.

    Args:
        summed_meld_probability: Sum over the cards of the probability that the opponent holds the
            card in a meld.
    """
    return max(0.0, 1 - summed_meld_probability)


@helper
def _evaluate_meld(n_cards_in_hand, params):
    """Return the value of a possible meld, given the number of its cards in the hand."""
    return params[MELD_VALUE_INDEX] + params[MELD_PARTNER_VALUE_INDEX] * n_cards_in_hand


@helper
def _write_card_values(
    cards,
    changed_cards,
    values_before,
    values,
    unmatched,
    available,
    meld_probabilities,
    urgency,
    rules,
    params,
):
    """Write the values of the given unmatched cards to `values`, (52,) float64.

    If `changed_cards` contains no card of the same rank or suit, the value is copied from
    `values_before`.
    """
    changed_cards = same_rank_or_suit(changed_cards)
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if changed_cards >> card & 1:
            values[card] = _evaluate_card(
                card, unmatched, available, meld_probabilities, urgency, rules, params
            )
        else:
            values[card] = values_before[card]


@helper
def _sum_hand_value(hand, unmatched, values, knock_limit, rules, params):
    """Return the value of a hand, computed from the values of the unmatched cards."""
    melded = popcount(hand) - popcount(unmatched)
    if unmatched == 0:
        return melded + params[GIN_VALUE_INDEX]
    total, remaining_cards = 0.0, unmatched
    while remaining_cards:
        total += values[lowest_bit(remaining_cards)]
        remaining_cards &= remaining_cards - 1
    return (
        melded
        + total / popcount(unmatched)
        + (params[KNOCK_VALUE_INDEX] if total_points(unmatched, rules) <= knock_limit else 0.0)
    )


@helper
def _compute_urgency(unmatched, knock_limit, rules, params):
    """Return the factor for the points of low cards, which increases close to a knock.

    The factor is `hurry` within two cards of a knock, otherwise 1.
    """
    for _ in range(2):
        unmatched &= (
            ~(1 << lowest_bit(highest_value_cards(unmatched, rules)[0])) if unmatched else 0
        )
    return params[NEAR_KNOCK_FACTOR_INDEX] if total_points(unmatched, rules) <= knock_limit else 1.0


@helper
def _evaluate_after_discard(
    hand,
    legal,
    available,
    meld_probabilities,
    knock_limit,
    rules,
    params,
    ten_card_evaluation,
    values,
):
    """Return the value of eleven cards after the best discard.

    If discarding the highest unmatched card allows a knock, that card is the discard. Otherwise,
    the discard is the unmatched card with the lowest value.

    Args:
        hand: Eleven cards as a 52-bit mask.
        legal: Legal discards as a 52-bit mask.
        available: Cards that can still be drawn.
        meld_probabilities: Result of `_compute_meld_probabilities`.
        knock_limit: Knock limit.
        rules: Rules of the variant.
        params: Parameters of the policy.
        ten_card_evaluation: Result of `_evaluate_hand` for ten of the cards.
        values: Scratch space, (52,) float64.
    """
    unmatched = leftover_cards(hand, 0, rules)
    if unmatched & legal == 0:
        return popcount(hand) - 1 + params[GIN_VALUE_INDEX]
    discarded = lowest_bit(highest_value_cards(unmatched & legal, rules)[0])
    urgency = _compute_urgency(unmatched, knock_limit, rules, params)
    values_before, unmatched_before, available_before, urgency_before = ten_card_evaluation
    changed_cards = (
        unmatched ^ unmatched_before | available ^ available_before
        if urgency == urgency_before
        else ALL_CARDS
    )
    if total_points(unmatched, rules) - card_value(discarded, rules) > knock_limit:
        _write_card_values(
            unmatched,
            changed_cards,
            values_before,
            values,
            unmatched,
            available,
            meld_probabilities,
            urgency,
            rules,
            params,
        )
        values_before, changed_cards = values, 0
        discarded = _find_lowest_value_card(unmatched & legal, values)
    card = 1 << discarded
    left_over = unmatched & ~card
    _write_card_values(
        left_over,
        changed_cards | card,
        values_before,
        values,
        left_over,
        available,
        meld_probabilities,
        urgency,
        rules,
        params,
    )
    return _sum_hand_value(hand & ~card, left_over, values, knock_limit, rules, params)


@helper
def _find_lowest_value_card(cards, values):
    """Return the card with the lowest value among the given cards.

    Ties are broken by the lowest card number.
    """
    lowest_card, min_value = -1, 1e9
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        if values[card] < min_value:
            lowest_card, min_value = card, values[card]
    return lowest_card


@helper
def _evaluate_hand(hand, available, meld_probabilities, knock_limit, rules, params):
    """Return the values of the unmatched cards, their mask, the available cards and the urgency."""
    values = np.zeros(52)
    unmatched = leftover_cards(hand, 0, rules)
    urgency = _compute_urgency(unmatched, knock_limit, rules, params)
    _write_card_values(
        unmatched,
        ALL_CARDS,
        values,
        values,
        unmatched,
        available,
        meld_probabilities,
        urgency,
        rules,
        params,
    )
    return values, unmatched, available, urgency


@take(
    name="mishra",
    **VALUE_PARAMETERS,
    tax=param(0.0, -10.0, 10.0, "penalty for revealing information by taking a card"),
)
def take_by_hand_value(view, rules, params):
    """Take a card that increases the number of melded cards or is at least as good as a draw."""
    card = view.taken_offer
    eleven_cards = view.hand | 1 << card
    if deadwood(eleven_cards, rules) < view.count + card_value(card, rules):
        return take_if(True, view.legal)
    p_held = np.empty(52)
    estimate_holdings_uniformly(view, p_held)
    meld_probabilities = _compute_meld_probabilities(p_held, _compute_pair_probabilities(p_held))
    available = view.unseen | view.known
    ten_cards, values = (
        _evaluate_hand(view.hand, available, meld_probabilities, view.limit, rules, params),
        np.empty(52),
    )
    value_if_taken = _evaluate_after_discard(
        eleven_cards,
        view.hand,
        available,
        meld_probabilities,
        view.limit,
        rules,
        params,
        ten_cards,
        values,
    )
    value_if_taken -= params[6]
    if value_if_taken < _sum_hand_value(
        view.hand, ten_cards[1], ten_cards[0], view.limit, rules, params
    ):
        # A drawn card can always be discarded, so drawing is better.
        return take_if(False, view.legal)
    total, remaining_cards = 0.0, view.unseen
    while remaining_cards:
        drawn_card = remaining_cards & -remaining_cards
        remaining_cards ^= drawn_card
        eleven_cards = view.hand | drawn_card
        opponent_probability = meld_probabilities[lowest_bit(drawn_card)]
        meld_probabilities[lowest_bit(drawn_card)] = 0.0
        total += _evaluate_after_discard(
            eleven_cards,
            eleven_cards,
            available & ~drawn_card,
            meld_probabilities,
            view.limit,
            rules,
            params,
            ten_cards,
            values,
        )
        meld_probabilities[lowest_bit(drawn_card)] = opponent_probability
    return take_if(value_if_taken * popcount(view.unseen) >= total, view.legal)


@helper
def _is_opponent_deadwood_low(view, max_deadwood, rules):
    """Return True if the opponent's mean deadwood in thirty sampled hands is low enough."""
    total, state = 0, 1 + view.noise % 2147483646
    for _ in range(30):
        hand, pool = view.known, view.unseen
        while popcount(hand) < 10 and pool:
            # Lehmer's generator, with the random number of this decision as the seed
            state = state * 48271 % 2147483647
            card = 1 << nth_bit(pool, state * popcount(pool) // 2147483647)
            hand |= card
            pool ^= card
        total += deadwood(hand, rules)
    return total <= 30 * max_deadwood


@discard(
    name="mishra",
    noise=True,
    **VALUE_PARAMETERS,
    share=param(0.77, 0.0, 10.0, "weight of the opponent's gain from the discard"),
    gain=param(1.45, 0.0, 20.0, "opponent's gain from a card that it can meld"),
    own=param(6, 0, 99, "maximum deadwood for a knock if the opponent seems low"),
    opp=param(18, 0, 99, "estimated deadwood up to which the opponent seems low"),
)
def discard_by_hand_value(view, rules, params):
    """Discard to knock if possible; otherwise, maximise hand value minus the opponent's gain."""
    unmatched = leftover_cards(view.hand, 0, rules)
    options = unmatched & view.legal
    if options == 0:
        return lowest_bit(view.best)
    highest_card = lowest_bit(highest_value_cards(options, rules)[0])
    deadwood_left = total_points(unmatched, rules) - card_value(highest_card, rules)
    if deadwood_left <= view.limit and (
        deadwood_left <= params[8] or not _is_opponent_deadwood_low(view, params[9], rules)
    ):
        return highest_card
    return _find_best_discard(view, options, rules, params)


@helper
def _find_best_discard(view, candidate_cards, rules, params):
    """Return the discard with the highest remaining hand value minus the opponent's gain."""
    p_held = np.empty(52)
    estimate_holdings_uniformly(view, p_held)
    p_pairs = _compute_pair_probabilities(p_held)
    meld_probabilities = _compute_meld_probabilities(p_held, p_pairs)
    available = view.unseen | view.known
    values, unmatched, _, urgency = _evaluate_hand(
        view.hand, available, meld_probabilities, view.limit, rules, params
    )
    new_values = np.empty(52)
    best_card, best_value = -1, -1e9
    while candidate_cards:
        card = lowest_bit(candidate_cards)
        candidate_cards &= candidate_cards - 1
        mask = 1 << card
        left_over = unmatched & ~mask
        _write_card_values(
            left_over,
            mask,
            values,
            new_values,
            left_over,
            available,
            meld_probabilities,
            urgency,
            rules,
            params,
        )
        value = _sum_hand_value(view.hand & ~mask, left_over, new_values, view.limit, rules, params)
        value -= params[6] * params[7] * _compute_meld_probability(card, p_pairs)
        if value > best_value:
            best_card, best_value = card, value
    return best_card


@knock(
    name="belief",
    noise=True,
    own=param(6, 0, 99, "maximum deadwood for a knock if the opponent seems low"),
    opp=param(18, 0, 99, "estimated deadwood up to which the opponent seems low"),
)
def knock_by_estimated_deadwood(view, rules, params):
    """Knock with low deadwood, or with more if the opponent probably has high deadwood."""
    return (
        view.ending >= 2
        or view.ending_count <= params[0]
        or not _is_opponent_deadwood_low(view, params[1], rules)
    )


MISHRA_UNIFORM = Strategy(
    "mishra-uniform",
    take=take_by_hand_value,
    discard=discard_by_hand_value,
    knock=knock_by_estimated_deadwood,
    ending="same",
)

"""Sampling of the opponent's hand, weighted by the opponent's actions.

Hands are sampled as a whole, not card by card. A hand of ten cards is more likely if it has little
deadwood for the stage of the deal. A hand is also more likely if the cards that the opponent took
fit it, and if the cards that the opponent declined or discarded do not fit it. The log-likelihood
of a hand, up to a constant, is a weighted sum of features. training/hands.py fits the weights by
distinguishing real hands from the same hands with some cards replaced. There are two sets of
weights, one for opponents who wait for gin and one for opponents who knock immediately.

Hands are sampled with the Metropolis algorithm (Metropolis et al., "Equation of State Calculations
by Fast Computing Machines", 1953). An exchange of cards is always accepted if it raises the
likelihood. Otherwise, the probability of acceptance is the ratio of the likelihoods. The
computation uses neither logarithms nor powers, so that results are identical on all machines.
"""

import numpy as np

from simgin.core.bits import lowest_bit, nth_bit, popcount
from simgin.core.deadwood import cards_in_melds, deadwood
from simgin.core.jit import jit
from simgin.core.rng import random_below
from simgin.core.view import FROM_PILE
from simgin.toolkit.beliefs import N_STAGES, find_deal_stage, has_opponent_declined_upcard
from simgin.toolkit.hand import total_points
from simgin.toolkit.legal_actions import next_random_word
from simgin.toolkit.opponent import touching_cards
from simgin.toolkit.prospects import outs, partners_by_rank_and_suit

LIKELIHOOD_FEATURES = (
    ("count", "deadwood, divided by ten"),
    ("count_squared", "deadwood squared, divided by 500"),
    ("count_0", "1 without deadwood, although gin was not declared"),
    ("count_to_4", "1 if the deadwood is at most 4"),
    ("count_to_10", "1 if the deadwood is at most 10, although there was no knock"),
    ("loose_0", "1 if all cards are in possible melds"),
    ("loose_1", "1 if one card is in no possible meld"),
    ("loose_2", "1 if two cards are in no possible meld, and so on"),
    ("loose_3", ""),
    ("loose_4", ""),
    ("loose_5", ""),
    ("loose_6", ""),
    ("loose_7", ""),
    ("loose_8", ""),
    ("loose_9", ""),
    ("loose_10", ""),
    ("loose_points", "points of the unmatched cards, divided by ten"),
    ("loose_high", "unmatched cards from 10 to K"),
    ("lone", "unmatched cards without a partner"),
    ("lone_points", "points of the unmatched cards without a partner, divided by ten"),
    ("lone_high", "unmatched cards from 10 to K without a partner"),
    ("both_ways", "unmatched cards with a partner in rank and one in suit"),
    ("taken_loose", "unmatched cards that the opponent took"),
    ("taken_lone", "unmatched cards without a partner that the opponent took"),
    ("declined_out", "declined cards that would make a new meld"),
    ("declined_fit", "declined cards that would extend a meld"),
    ("declined_near", "unmatched cards next to a declined card"),
    ("thrown_out", "discarded cards that would make a new meld"),
    ("thrown_fit", "discarded cards that would extend a meld"),
    ("thrown_near", "unmatched cards next to a discarded card"),
    ("thrown_near_lone", "unmatched cards without a partner next to a discarded card"),
    ("live_outs", "unseen cards that would make a new meld, divided by five"),
)
N_LIKELIHOOD_FEATURES = len(LIKELIHOOD_FEATURES)
LIKELIHOOD_FEATURE_NAMES = tuple(name for name, _ in LIKELIHOOD_FEATURES)
(
    FIRST_UNMATCHED_COUNT_FEATURE,
    UNMATCHED_POINTS_FEATURE,
    FIRST_TAKEN_FEATURE,
    FIRST_DECLINED_FEATURE,
    FIRST_DISCARDED_FEATURE,
) = (
    LIKELIHOOD_FEATURE_NAMES.index(name)
    for name in ("loose_0", "loose_points", "taken_loose", "declined_out", "thrown_out")
)
WAITING_WEIGHTS_OFFSET = 0  # offset of the weights for opponents who wait for gin
IMMEDIATE_KNOCK_WEIGHTS_OFFSET = (
    N_STAGES * N_LIKELIHOOD_FEATURES
)  # offset of the weights for opponents who knock immediately
N_HAND_WEIGHTS = 2 * IMMEDIATE_KNOCK_WEIGHTS_OFFSET  # total number of weights
TEN_TO_KING_CARDS = sum(0b1111 << (13 * suit + 9) for suit in range(4))
_N_EXP_SQUARINGS = 10


@jit
def _mask_if_known(card):
    """Return the mask of a card, or 0 if the card is unknown (-1)."""
    return 1 << np.int64(card) if card >= 0 else np.int64(0)


@jit
def find_declined_and_discarded(view):
    """Return the cards that the opponent declined and the cards that the opponent discarded.

    The function uses only the part of the history that the view contains.
    """
    declined, discarded = np.int64(0), np.int64(0)
    if has_opponent_declined_upcard(view):
        declined = 1 << view.upcard
    for i in range(view.turns):
        if view.history[i, 0] != view.seat:
            if i > 0 and view.history[i, 1] != FROM_PILE:
                declined |= _mask_if_known(view.history[i - 1, 3])
            discarded |= _mask_if_known(view.history[i, 3])
    return declined, discarded


@jit
def write_hand_features(features, ten_cards, declined, discarded, view, rules):
    """Write the features of a possible hand of the opponent to `features`.

    `ten_cards` contains the ten cards. `features` is (N_LIKELIHOOD_FEATURES,) float64.
    """
    deadwood_points = deadwood(ten_cards, rules)
    unmatched = ten_cards & ~cards_in_melds(ten_cards, rules)
    features[0] = deadwood_points * 0.1
    features[1] = deadwood_points * deadwood_points * 0.002
    features[2] = deadwood_points == 0
    features[3] = deadwood_points <= 4
    features[4] = deadwood_points <= 10
    for i in range(FIRST_UNMATCHED_COUNT_FEATURE, UNMATCHED_POINTS_FEATURE):
        features[i] = 0.0
    features[FIRST_UNMATCHED_COUNT_FEATURE + popcount(unmatched)] = 1.0
    by_rank, by_suit = partners_by_rank_and_suit(unmatched)
    without_partner = unmatched & ~(by_rank | by_suit)
    features[UNMATCHED_POINTS_FEATURE] = total_points(unmatched, rules) * 0.1
    features[UNMATCHED_POINTS_FEATURE + 1] = popcount(unmatched & TEN_TO_KING_CARDS)
    features[UNMATCHED_POINTS_FEATURE + 2] = popcount(without_partner)
    features[UNMATCHED_POINTS_FEATURE + 3] = total_points(without_partner, rules) * 0.1
    features[UNMATCHED_POINTS_FEATURE + 4] = popcount(without_partner & TEN_TO_KING_CARDS)
    features[UNMATCHED_POINTS_FEATURE + 5] = popcount(by_rank & by_suit)
    features[FIRST_TAKEN_FEATURE] = popcount(unmatched & view.known)
    features[FIRST_TAKEN_FEATURE + 1] = popcount(without_partner & view.known)
    new_outs = outs(unmatched, rules)
    fitting_outs = outs(ten_cards, rules) & ~new_outs
    features[FIRST_DECLINED_FEATURE] = popcount(new_outs & declined)
    features[FIRST_DECLINED_FEATURE + 1] = popcount(fitting_outs & declined)
    features[FIRST_DECLINED_FEATURE + 2] = popcount(unmatched & touching_cards(declined))
    near_discarded = touching_cards(discarded)
    features[FIRST_DISCARDED_FEATURE] = popcount(new_outs & discarded)
    features[FIRST_DISCARDED_FEATURE + 1] = popcount(fitting_outs & discarded)
    features[FIRST_DISCARDED_FEATURE + 2] = popcount(unmatched & near_discarded)
    features[FIRST_DISCARDED_FEATURE + 3] = popcount(without_partner & near_discarded)
    features[FIRST_DISCARDED_FEATURE + 4] = popcount(new_outs & view.unseen) * 0.2


@jit
def interpolate_weights(weights, view, knock_probability, params, offset):
    """Write the feature weights for the current stage and type of opponent to `weights`.

    `weights` is (N_LIKELIHOOD_FEATURES,) float64.

    `knock_probability` is the probability that the opponent knocks immediately. The result is
    interpolated between the two sets of weights, which start at `offset` in the policy's `params`.
    """
    stage_offset = offset + N_LIKELIHOOD_FEATURES * find_deal_stage(view.turns - view.own_turn + 1)
    for index in range(N_LIKELIHOOD_FEATURES):
        weights[index] = (
            knock_probability * params[stage_offset + IMMEDIATE_KNOCK_WEIGHTS_OFFSET + index]
            + (1 - knock_probability) * params[stage_offset + WAITING_WEIGHTS_OFFSET + index]
        )


@jit
def compute_log_likelihood(ten_cards, features, weights, declined, discarded, view, rules):
    """Return the log-likelihood, up to a constant, that the opponent holds ten given cards."""
    write_hand_features(features, ten_cards, declined, discarded, view, rules)
    log_likelihood = 0.0
    for feature_index in range(N_LIKELIHOOD_FEATURES):
        log_likelihood += features[feature_index] * weights[feature_index]
    return log_likelihood


@jit
def _approximate_exp(x):
    """Return the approximate exponential of x <= 0, using only multiplications."""
    power = max(0.0, 1 + x / (1 << _N_EXP_SQUARINGS))
    for _ in range(_N_EXP_SQUARINGS):
        power *= power
    return power


@jit
def sample_cards(cards, n_sampled, noise, stream):
    """Draw `n_sampled` cards at random from a mask, and return them as a mask."""
    unsampled_cards, sampled = cards, np.int64(0)
    n_cards = popcount(cards)
    for _ in range(n_sampled):
        card = 1 << nth_bit(unsampled_cards, random_below(n_cards, next_random_word(noise, stream)))
        unsampled_cards ^= card
        sampled |= card
        n_cards -= 1
    return sampled


@jit
def run_metropolis(
    hidden_cards, n_steps, features, weights, declined, discarded, view, rules, noise, stream
):
    """Return a sample of the opponent's hidden cards after the given number of Metropolis steps.

    Each step proposes to exchange one, two or three of the hidden cards for other unseen cards. For
    `stream`, see `next_random_word`.
    """
    likelihood = compute_log_likelihood(
        hidden_cards | view.known, features, weights, declined, discarded, view, rules
    )
    n_hidden = popcount(hidden_cards)
    max_exchanged = min(n_hidden, popcount(view.unseen) - n_hidden)
    for _ in range(n_steps):
        random_bits = next_random_word(noise, stream)
        n_exchanged = min(
            max_exchanged, 1 + (random_bits < 0x73333333) + (random_bits < 0x40000000)
        )
        removed_cards = sample_cards(hidden_cards, n_exchanged, noise, stream)
        proposed_cards = hidden_cards ^ removed_cards | sample_cards(
            view.unseen & ~hidden_cards, n_exchanged, noise, stream
        )
        proposed_likelihood = compute_log_likelihood(
            proposed_cards | view.known, features, weights, declined, discarded, view, rules
        )
        if (
            proposed_likelihood >= likelihood
            or next_random_word(noise, stream)
            < _approximate_exp(proposed_likelihood - likelihood) * 4294967296.0
        ):
            hidden_cards, likelihood = proposed_cards, proposed_likelihood
    return hidden_cards


@jit
def shuffle_stock(hidden_cards, view, noise, stream, stock):
    """Write the unseen cards outside the opponent's hand to `stock`, in random order."""
    remaining_cards = view.unseen & ~hidden_cards
    n_cards = 0
    while remaining_cards:
        stock[n_cards] = lowest_bit(remaining_cards)
        remaining_cards &= remaining_cards - 1
        n_cards += 1
    for i in range(n_cards - 1, 0, -1):
        other_index = random_below(i + 1, next_random_word(noise, stream))
        stock[i], stock[other_index] = stock[other_index], stock[i]

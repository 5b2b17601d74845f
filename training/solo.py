"""Compute the tables of the solitaire strategies from simulated deals without the joker.

    python training/solo.py        # writes stop.npy, solo.npy and solo_dp.npy in about two minutes

The joker can be omitted, because it only ends the deal: with m cards left, the next card is the
joker with probability 1/m. The files are in strategies/:

* stop.npy: the mean deadwood of each state of `simgin_strategies.stop`, followed by the
  probabilities of the next state for each number of remaining cards and each state.
* solo.npy: the probabilities of match totals in Solitary Gin, by number of remaining deals.
* solo_dp.npy: the linear functions of `simgin_strategies.solo_dp`. Each training round plays with
  the functions of the previous round. In every deal, one discard is random, so that poor hands
  occur. Only the hands after this discard are used for training.
"""

import argparse
from pathlib import Path

import numba
import numpy as np
from simgin_strategies.solo import MIN_TOTAL_SCORE, N_TOTAL_SCORES, TOTAL_SCORE_STEP
from simgin_strategies.solo_dp import (
    CARDS_PER_TIME_STEP,
    N_LINEAR_COEFFICIENTS,
    N_SCORING_TYPES,
    N_TIME_STEPS,
    N_UNMATCHED_COUNTS,
    PENALTY_SCORING_INDEX,
    WIN_SCORING_INDEX,
    compute_hand_features,
)
from simgin_strategies.stop import (
    MAX_CARDS_LEFT,
    N_DEADWOOD_BANDS,
    compute_stopping_value,
    find_deadwood_band,
)

from simgin.core import jit, rng
from simgin.core.bits import lowest_bit, nth_bit
from simgin.core.deadwood import best_discards, deadwood
from simgin.core.policy_types import PARAMS_TYPE, POLICY_TYPE, RULES_TYPE, VIEW_TYPE
from simgin.core.view import create_view
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader

STRATEGIES_DIRECTORY = Path(__file__).resolve().parent.parent / "strategies"
MAX_DRAWS = 42
# One variant for each type of scoring in solo_dp.npy
SCORING_VARIANTS = ("solitaire-gin", "solitaire-gin-knock", "solitary-gin")
# Weight of the prior of each function, in hands. The prior is a function that is fitted to hands
# with any number of unmatched cards.
PRIOR_WEIGHT_IN_HANDS = 1000


@jit.jit
def write_shuffled_pack(seed, unit, pack):
    """Shuffle the cards for a unit, and write them to `pack`."""
    for i in range(52):
        pack[i] = i
    for i in range(51):
        j = i + rng.random_below(
            52 - i, rng.generate_random_words(seed, unit, 0, i, rng.DOMAIN_SHUFFLE)[0]
        )
        pack[i], pack[j] = pack[j], pack[i]


def play_solo_deals(
    view, rules, params, discard, seed, n_deals, n_draws, random_discards, hands, unseen
):
    """Play deals, and record the hand and the unseen cards after each draw, as int64 masks.

    The player goes gin as soon as possible. hands[deal, t] is the hand after t draws, or 0 after
    gin. random_discards[deal] contains the number of a draw and an index: after that draw, the card
    at the index is discarded unless the player has gin.
    """
    pack = np.empty(52, np.int64)
    for deal in range(n_deals):
        write_shuffled_pack(seed, deal, pack)
        hand, seen_cards = 0, 0
        for i in range(10):
            hand |= 1 << pack[i]
        seen_cards = hand
        for t in range(n_draws + 1):
            hands[deal, t] = hand
            unseen[deal, t] = ((1 << 52) - 1) & ~seen_cards
            view.count = deadwood(hand, rules)
            if t == n_draws or view.count == 0:
                break
            card = pack[10 + t]
            hand |= 1 << card
            seen_cards |= 1 << card
            view.hand, view.legal = hand, hand
            view.unseen, view.pile = ((1 << 52) - 1) & ~seen_cards, seen_cards & ~hand
            view.own_turn = view.turn = t + 1
            view.deck_left = MAX_DRAWS - t
            view.least, view.best = best_discards(hand, hand, rules)
            if view.least == 0:
                discarded_card = lowest_bit(view.best)
            elif random_discards[deal, 0] == t + 1:
                discarded_card = nth_bit(hand, random_discards[deal, 1])
            else:
                discarded_card = discard(view, rules, params)
            hand &= ~(1 << discarded_card)


def collect_self_play(variant, discard, n_deals, seed, params=None, generator=None):
    """Play deals, and return the rules, the hands, the unseen cards and the random discards.

    Hands and unseen cards are int64 masks of shape (n_deals, n_draws + 1).
    """
    rules = build_rules(variants.find_variant(variant))
    policy = loader.find_strategy(f"gold+discard={discard}").discard
    n_draws = int(rules.max_draws) if rules.max_draws >= 0 else MAX_DRAWS
    hands, unseen = np.zeros((2, n_deals, n_draws + 1), np.int64)
    view = create_view()
    view.taken = view.taken_offer = -1
    signature = (
        (VIEW_TYPE, RULES_TYPE, PARAMS_TYPE, POLICY_TYPE)
        + (numba.int64,) * 3
        + (numba.int64[:, ::1],) * 3
    )
    kernel = jit.compile_function(play_solo_deals, signature, use_cache=False)
    params = compiler.make_parameter_vector(policy) if params is None else params
    random_discards = np.zeros((n_deals, 2), np.int64)
    if generator is not None:
        random_discards[:, 0], random_discards[:, 1] = (
            generator.integers(1, n_draws + 1, n_deals),
            generator.integers(11, size=n_deals),
        )
    kernel(
        view,
        rules,
        params,
        compiler.compile_policy(policy),
        seed,
        n_deals,
        n_draws,
        random_discards,
        hands,
        unseen,
    )
    return rules, hands, unseen, random_discards


@jit.jit
def count_transitions(hands, rules, deadwood_totals, transition_counts):
    """Count the deadwood bands of hands and the transitions between bands, by cards left."""
    for deal in range(hands.shape[0]):
        deadwood_before = deadwood(hands[deal, 0], rules)
        for t in range(1, hands.shape[1]):
            deadwood_totals[find_deadwood_band(deadwood_before), 0] += 1
            deadwood_totals[find_deadwood_band(deadwood_before), 1] += deadwood_before
            if hands[deal, t] == 0:
                break
            deadwood_after = deadwood(hands[deal, t], rules)
            transition_counts[
                hands.shape[1] - t + 1,
                find_deadwood_band(deadwood_before),
                find_deadwood_band(deadwood_after),
            ] += 1
            deadwood_before = deadwood_after


def compute_stop_table(n_deals, seed, discard="ahead:aim=gin"):
    """Compute the contents of stop.npy, the table for `stop-dp`.

    The counts of five adjacent numbers of remaining cards are pooled. A state without observations
    is assumed not to change.
    """
    rules, hands, *_ = collect_self_play("solitaire-gin-knock", discard, n_deals, seed)
    deadwood_totals = np.zeros((N_DEADWOOD_BANDS, 2))
    transition_counts = np.zeros((MAX_CARDS_LEFT + 1, N_DEADWOOD_BANDS, N_DEADWOOD_BANDS))
    count_transitions(hands, rules, deadwood_totals, transition_counts)
    padded_counts = np.pad(transition_counts, ((2, 2), (0, 0), (0, 0)))
    pooled_counts = sum(np.roll(padded_counts, k, axis=0) for k in range(-2, 3))[2:-2]
    pooled_counts += 1e-9 * np.eye(N_DEADWOOD_BANDS)
    probabilities = pooled_counts / pooled_counts.sum(axis=2, keepdims=True)
    mean_deadwood = deadwood_totals[:, 1] / np.maximum(deadwood_totals[:, 0], 1)
    print(
        f"stop: {n_deals:,} deals of {discard}, seed {seed}; {transition_counts.sum():,.0f} turns"
    )
    return np.concatenate([mean_deadwood, probabilities.ravel()]).astype(np.float32)


def compute_goal_table(n_deals, seed, discard="switch:k=2"):
    """Compute the contents of solo.npy, the probabilities of match totals in Solitary Gin.

    An element is the probability that 0 to 4 deals add up to at most -100, -95, ... points.
    """
    rules, hands, *_ = collect_self_play("solitary-gin", discard, n_deals, seed)
    # Proportions of deals by score, in ascending order
    score_probabilities = np.zeros(N_TOTAL_SCORES * 8)
    for ten_cards in hands:
        deadwood_points = deadwood(int(ten_cards[-1]), rules) if ten_cards[-1] else 0
        score_probabilities[
            ((deadwood_points or int(rules.penalty_gin)) - MIN_TOTAL_SCORE) // TOTAL_SCORE_STEP
        ] += 1 / n_deals
    total_probabilities = np.zeros(len(score_probabilities))
    total_probabilities[-MIN_TOTAL_SCORE // TOTAL_SCORE_STEP] = 1.0
    rows = []
    for _ in range(5):
        rows.append(total_probabilities.cumsum()[:N_TOTAL_SCORES])
        total_probabilities = np.convolve(total_probabilities, score_probabilities)[
            -MIN_TOTAL_SCORE // TOTAL_SCORE_STEP :
        ][: len(score_probabilities)]
    gin_rate = score_probabilities[(int(rules.penalty_gin) - MIN_TOTAL_SCORE) // TOTAL_SCORE_STEP]
    print(f"goal: {n_deals:,} deals of {discard}, seed {seed}; gin in {gin_rate:.1%}")
    return np.concatenate(rows).astype(np.float32)


@jit.jit
def compute_continuing_value(hands, n_draws, last_draw, is_gin, scoring, rules):
    """Return the expected value of continuing a recorded deal after some draws.

    Without the joker, the deal ends after `last_draw` draws. The value is averaged over the
    positions of the joker.
    """
    if scoring == PENALTY_SCORING_INDEX:
        return -float(rules.penalty_gin) if is_gin else -float(deadwood(hands[last_draw], rules))
    n_cards_left = MAX_CARDS_LEFT - n_draws
    n_cards_at_end = n_cards_left - (last_draw - n_draws)
    reach_probability = n_cards_at_end / n_cards_left if is_gin else 0.0
    if scoring == WIN_SCORING_INDEX:
        return reach_probability
    deadwood_sum = 0
    for i in range(n_draws, last_draw if is_gin else last_draw + 1):
        deadwood_sum += deadwood(hands[i], rules)
    return (
        reach_probability * compute_stopping_value(0, n_cards_at_end, rules)
        - deadwood_sum / n_cards_left
    )


@jit.jit
def add_hand_sums(hands, unseen, random_discards, scoring, rules, sums):
    """Add the hands after a random discard to the least-squares sums."""
    n_draws = hands.shape[1] - 1
    x = np.ones(N_LINEAR_COEFFICIENTS + 1)
    for deal in range(hands.shape[0]):
        last_draw = n_draws
        while hands[deal, last_draw] == 0:
            last_draw -= 1
        is_gin = deadwood(hands[deal, last_draw], rules) == 0
        for t in range(max(1, random_discards[deal, 0]), last_draw if is_gin else n_draws):
            n_unmatched, saved = compute_hand_features(hands[deal, t], unseen[deal, t], rules)
            x[1], x[2] = (
                saved,
                0 if scoring == WIN_SCORING_INDEX else deadwood(hands[deal, t], rules),
            )
            x[3] = compute_continuing_value(hands[deal], t, last_draw, is_gin, scoring, rules)
            time = (
                n_draws - t - 1
                if scoring == PENALTY_SCORING_INDEX
                else (MAX_CARDS_LEFT - t - 1) // CARDS_PER_TIME_STEP
            )
            for i in range(N_LINEAR_COEFFICIENTS):
                for j in range(N_LINEAR_COEFFICIENTS + 1):
                    sums[time, n_unmatched, i, j] += x[i] * x[j]


def fit_value_functions(sums):
    """Fit the linear value functions for one scoring rule by least squares.

    There is one function for each time and each number of unmatched cards. Functions with few hands
    are shrunk towards a function that is linear in the number of unmatched cards.
    """
    planes = np.zeros(sums.shape[:-1])
    for time in range(N_TIME_STEPS):
        squares, products = (
            sums[time, :, :, :N_LINEAR_COEFFICIENTS],
            sums[time, :, :, N_LINEAR_COEFFICIENTS],
        )
        n = squares[:, 0, 0].sum()
        mean_squares = squares.sum(axis=0) / max(n, 1) + 1e-9 * np.eye(N_LINEAR_COEFFICIENTS)
        plane_matrices = [
            np.vstack([np.eye(N_LINEAR_COEFFICIENTS), [n_cards, 0, 0]])
            for n_cards in range(N_UNMATCHED_COUNTS)
        ]
        pooled_squares = sum(a @ s @ a.T for a, s in zip(plane_matrices, squares, strict=True))
        pooled_squares = pooled_squares + 1e-9 * np.eye(N_LINEAR_COEFFICIENTS + 1)
        linear_plane = np.linalg.solve(
            pooled_squares, sum(a @ p for a, p in zip(plane_matrices, products, strict=True))
        )
        for n_unmatched in range(N_UNMATCHED_COUNTS):
            prior_plane = linear_plane @ plane_matrices[n_unmatched]
            planes[time, n_unmatched] = np.linalg.solve(
                squares[n_unmatched] + PRIOR_WEIGHT_IN_HANDS * mean_squares,
                products[n_unmatched] + PRIOR_WEIGHT_IN_HANDS * mean_squares @ prior_plane,
            )
    return planes


def compute_dp_table(n_deals, seed, rounds=5, discard="ahead:aim=loose"):
    """Compute the contents of solo_dp.npy, the table for the policies named `dp`.

    The given discard policy plays only in the first round. The hands of all rounds are used.
    """
    sums = np.zeros(
        (
            N_SCORING_TYPES,
            N_TIME_STEPS,
            N_UNMATCHED_COUNTS,
            N_LINEAR_COEFFICIENTS,
            N_LINEAR_COEFFICIENTS + 1,
        )
    )
    params = None
    for round_index in range(rounds):
        for scoring, variant in enumerate(SCORING_VARIANTS):
            generator = np.random.default_rng([seed, round_index, scoring])
            rules, hands, unseen, random_discards = collect_self_play(
                variant, discard, n_deals, seed + round_index, params, generator
            )
            add_hand_sums(hands, unseen, random_discards, scoring, rules, sums[scoring])
        table = (
            np.stack([fit_value_functions(scoring_sums) for scoring_sums in sums])
            .astype(np.float32)
            .ravel()
        )
        discard, params = "dp", table.astype(np.float64)
    hands = f"{sums[..., 0, 0].sum():,.0f} hands"
    print(
        f"dp: {rounds} rounds of {n_deals:,} deals of each of {', '.join(SCORING_VARIANTS)}, seed "
        f"{seed}"
    )
    print(f"trained with {hands}")
    return table


def main():
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--out", type=Path, default=STRATEGIES_DIRECTORY)
    args = parser.parse_args()
    np.save(args.out / "stop.npy", compute_stop_table(args.deals, args.seed))
    np.save(args.out / "solo.npy", compute_goal_table(args.deals, args.seed))
    np.save(args.out / "solo_dp.npy", compute_dp_table(args.deals // 2, args.seed))


if __name__ == "__main__":
    main()

"""Train the tables of the solitaire strategies from self-play in decks without the joker.

    python training/solo.py        # writes stop.npy, solo.npy and solo_dp.npy in about two minutes

The joker can be omitted, because it affects only the hazard 1/m. The files are in strategies/:

* stop.npy: the mean deadwood of each state of `simgin_strategies.stop`, followed by the
  probabilities of the next state by cards left and state.
* solo.npy: the probabilities of totals in Solitary Gin, by deals left.
* solo_dp.npy: the linear functions of `simgin_strategies.solo_dp`, by fitted iteration. Each round
  plays with the functions of the previous round. In every deal, one discard is random, so that poor
  hands occur. Only later hands are used for training.
"""

import argparse
from pathlib import Path

import numba
import numpy as np
from simgin_strategies.solo import MIN_TOTAL, N_TOTALS, TOTAL_STEP
from simgin_strategies.solo_dp import (
    CARDS_PER_STEP,
    N_SCORINGS,
    N_TIMES,
    N_UNMATCHED,
    PENALTIES,
    PLANE_SIZE,
    WON,
    compute_hand_features,
)
from simgin_strategies.stop import MAX_CARDS_LEFT, N_STATES, find_state_index, value_stopping

from simgin.core import jit, rng
from simgin.core.bits import lowest_bit, nth_bit
from simgin.core.deadwood import best_discards, deadwood
from simgin.core.policy_types import PARAMS_TYPE, POLICY_TYPE, RULES_TYPE, VIEW_TYPE
from simgin.core.view import new_view
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
MAX_DRAWS = 42
# One variant for each type of scoring in solo_dp.npy
SCORING_VARIANTS = ("solitaire-gin", "solitaire-gin-knock", "solitary-gin")
# Weight of the prior of each function, in hands. The prior is the function for all numbers of
# unmatched cards.
PRIOR_HANDS = 1000


@jit.jit
def write_shuffle(seed, unit, pack):
    """Write a shuffled pack to `pack`."""
    for i in range(52):
        pack[i] = i
    for i in range(51):
        j = i + rng.random_below(52 - i, rng.random_words(seed, unit, 0, i, rng.DOMAIN_SHUFFLE)[0])
        pack[i], pack[j] = pack[j], pack[i]


def play_solo_deals(view, rules, params, discard, seed, deals, draws, strays, hands, unseen):
    """Record the ten cards held after each draw and the unseen cards, as int64 masks.

    The player goes gin as soon as possible. hands[deal, t] is the hand after t draws, or 0 after
    gin. strays[deal] is a draw and an index: after that draw, the card at the index is discarded
    unless the hand is gin.
    """
    pack = np.empty(52, np.int64)
    for deal in range(deals):
        write_shuffle(seed, deal, pack)
        hand, seen = 0, 0
        for i in range(10):
            hand |= 1 << pack[i]
        seen = hand
        for t in range(draws + 1):
            hands[deal, t] = hand
            unseen[deal, t] = ((1 << 52) - 1) & ~seen
            view.count = deadwood(hand, rules)
            if t == draws or view.count == 0:
                break
            card = pack[10 + t]
            hand |= 1 << card
            seen |= 1 << card
            view.hand, view.legal = hand, hand
            view.unseen, view.pile = ((1 << 52) - 1) & ~seen, seen & ~hand
            view.own_turn = view.turn = t + 1
            view.deck_left = MAX_DRAWS - t
            view.least, view.best = best_discards(hand, hand, rules)
            if view.least == 0:
                discarded = lowest_bit(view.best)
            elif strays[deal, 0] == t + 1:
                discarded = nth_bit(hand, strays[deal, 1])
            else:
                discarded = discard(view, rules, params)
            hand &= ~(1 << discarded)


def collect_self_play(variant, discard, deals, seed, params=None, rng=None):
    """Play deals, and return rules, hands after each draw, unseen cards and random discards.

    Hands and unseen cards are int64 masks of shape (n_deals, n_draws + 1).
    """
    own_rules = build_rules(variants.find_variant(variant))
    policy = loader.find_strategy(f"gold+discard={discard}").discard
    draws = int(own_rules.max_draws) if own_rules.max_draws >= 0 else MAX_DRAWS
    hands, unseen = np.zeros((2, deals, draws + 1), np.int64)
    view = new_view()
    view.taken = view.taken_offer = -1
    signature = (
        (VIEW_TYPE, RULES_TYPE, PARAMS_TYPE, POLICY_TYPE)
        + (numba.int64,) * 3
        + (numba.int64[:, ::1],) * 3
    )
    kernel = jit.compile_function(play_solo_deals, signature, use_cache=False)
    params = compiler.make_parameter_vector(policy) if params is None else params
    strays = np.zeros((deals, 2), np.int64)
    if rng is not None:
        strays[:, 0], strays[:, 1] = (
            rng.integers(1, draws + 1, deals),
            rng.integers(11, size=deals),
        )
    kernel(
        view,
        own_rules,
        params,
        compiler.compile_policy(policy),
        seed,
        deals,
        draws,
        strays,
        hands,
        unseen,
    )
    return own_rules, hands, unseen, strays


@jit.jit
def count_transitions(hands, rules, totals, changes):
    """Count how often each state occurs, and which state follows, by number of cards left."""
    for deal in range(hands.shape[0]):
        deadwood_before = deadwood(hands[deal, 0], rules)
        for t in range(1, hands.shape[1]):
            totals[find_state_index(deadwood_before), 0] += 1
            totals[find_state_index(deadwood_before), 1] += deadwood_before
            if hands[deal, t] == 0:
                break
            deadwood_after = deadwood(hands[deal, t], rules)
            changes[
                hands.shape[1] - t + 1,
                find_state_index(deadwood_before),
                find_state_index(deadwood_after),
            ] += 1
            deadwood_before = deadwood_after


def compute_stop_table(deals, seed, discard="ahead:aim=gin"):
    """Compute the contents of stop.npy, the table for `stop_dp`.

    Five adjacent numbers of cards left are pooled. States without observations do not change.
    """
    own_rules, hands, *_ = collect_self_play("solitaire-gin-knock", discard, deals, seed)
    totals, changes = np.zeros((N_STATES, 2)), np.zeros((MAX_CARDS_LEFT + 1, N_STATES, N_STATES))
    count_transitions(hands, own_rules, totals, changes)
    padded = np.pad(changes, ((2, 2), (0, 0), (0, 0)))
    pooled = sum(np.roll(padded, k, axis=0) for k in range(-2, 3))[2:-2]
    pooled += 1e-9 * np.eye(N_STATES)
    chances = pooled / pooled.sum(axis=2, keepdims=True)
    means = totals[:, 1] / np.maximum(totals[:, 0], 1)
    print(f"stop: {deals:,} deals of {discard}, seed {seed}; {changes.sum():,.0f} turns")
    return np.concatenate([means, chances.ravel()]).astype(np.float32)


def compute_goal_table(deals, seed, discard="switch:k=2"):
    """Compute the contents of solo.npy: probabilities of match totals in Solitary Gin.

    An element is the probability that 0 to 4 deals add up to at most -100, -95, ... points.
    """
    own_rules, hands, *_ = collect_self_play("solitary-gin", discard, deals, seed)
    # Proportions of deals by score, in ascending order of the total
    scores = np.zeros(N_TOTALS * 8)
    for ten_cards in hands:
        deadwood_points = deadwood(int(ten_cards[-1]), own_rules) if ten_cards[-1] else 0
        scores[((deadwood_points or int(own_rules.penalty_gin)) - MIN_TOTAL) // TOTAL_STEP] += (
            1 / deals
        )
    total = np.zeros(len(scores))
    total[-MIN_TOTAL // TOTAL_STEP] = 1.0
    rows = []
    for _ in range(5):
        rows.append(total.cumsum()[:N_TOTALS])
        total = np.convolve(total, scores)[-MIN_TOTAL // TOTAL_STEP :][: len(scores)]
    gin = scores[(int(own_rules.penalty_gin) - MIN_TOTAL) // TOTAL_STEP]
    print(f"goal: {deals:,} deals of {discard}, seed {seed}; gin in {gin:.1%}")
    return np.concatenate(rows).astype(np.float32)


@jit.jit
def continuation_value(hands, t, last, gin, scoring, rules):
    """Return the value of continuing to draw with ten cards after t draws.

    The deal ends after `last` draws. The value is averaged over the positions of the joker.
    """
    if scoring == PENALTIES:
        return -float(rules.penalty_gin) if gin else -float(deadwood(hands[last], rules))
    left = MAX_CARDS_LEFT - t
    at_end = left - (last - t)
    reached = at_end / left if gin else 0.0
    if scoring == WON:
        return reached
    paid = 0
    for i in range(t, last if gin else last + 1):
        paid += deadwood(hands[i], rules)
    return reached * value_stopping(0, at_end, rules) - paid / left


@jit.jit
def add_hand_sums(hands, unseen, strays, scoring, rules, sums):
    """Add hands after a random discard to the sums, by time and number of unmatched cards."""
    draws = hands.shape[1] - 1
    x = np.ones(PLANE_SIZE + 1)
    for deal in range(hands.shape[0]):
        last_draw = draws
        while hands[deal, last_draw] == 0:
            last_draw -= 1
        gin = deadwood(hands[deal, last_draw], rules) == 0
        for t in range(max(1, strays[deal, 0]), last_draw if gin else draws):
            n_unmatched, saved = compute_hand_features(hands[deal, t], unseen[deal, t], rules)
            x[1], x[2] = saved, 0 if scoring == WON else deadwood(hands[deal, t], rules)
            x[3] = continuation_value(hands[deal], t, last_draw, gin, scoring, rules)
            time = (
                draws - t - 1
                if scoring == PENALTIES
                else (MAX_CARDS_LEFT - t - 1) // CARDS_PER_STEP
            )
            for i in range(PLANE_SIZE):
                for j in range(PLANE_SIZE + 1):
                    sums[time, n_unmatched, i, j] += x[i] * x[j]


def fit_planes(sums):
    """Fit the linear value functions for one scoring rule by least squares.

    Functions with few hands are shrunk towards a function that is linear in the number of unmatched
    cards.
    """
    planes = np.zeros(sums.shape[:-1])
    for time in range(N_TIMES):
        squares, products = sums[time, :, :, :PLANE_SIZE], sums[time, :, :, PLANE_SIZE]
        n = squares[:, 0, 0].sum()
        mean = squares.sum(axis=0) / max(n, 1) + 1e-9 * np.eye(PLANE_SIZE)
        with_loose = [np.vstack([np.eye(PLANE_SIZE), [now, 0, 0]]) for now in range(N_UNMATCHED)]
        pooled_squares = sum(a @ s @ a.T for a, s in zip(with_loose, squares, strict=True))
        pooled_squares = pooled_squares + 1e-9 * np.eye(PLANE_SIZE + 1)
        linear_plane = np.linalg.solve(
            pooled_squares, sum(a @ p for a, p in zip(with_loose, products, strict=True))
        )
        for n_unmatched in range(N_UNMATCHED):
            prior_plane = linear_plane @ with_loose[n_unmatched]
            planes[time, n_unmatched] = np.linalg.solve(
                squares[n_unmatched] + PRIOR_HANDS * mean,
                products[n_unmatched] + PRIOR_HANDS * mean @ prior_plane,
            )
    return planes


def compute_dp_table(deals, seed, rounds=5, discard="ahead:aim=loose"):
    """Compute the contents of solo_dp.npy, the table for `dp`.

    The first round plays the given discard policy. The hands of all rounds are used.
    """
    sums = np.zeros((N_SCORINGS, N_TIMES, N_UNMATCHED, PLANE_SIZE, PLANE_SIZE + 1))
    params = None
    for n in range(rounds):
        for scoring, variant in enumerate(SCORING_VARIANTS):
            rng = np.random.default_rng([seed, n, scoring])
            own_rules, hands, unseen, strays = collect_self_play(
                variant, discard, deals, seed + n, params, rng
            )
            add_hand_sums(hands, unseen, strays, scoring, own_rules, sums[scoring])
        table = (
            np.stack([fit_planes(scoring_sums) for scoring_sums in sums]).astype(np.float32).ravel()
        )
        discard, params = "dp", table.astype(np.float64)
    hands = f"{sums[..., 0, 0].sum():,.0f} hands"
    print(
        f"dp: {rounds} rounds of {deals:,} deals of each of {', '.join(SCORING_VARIANTS)}, seed "
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
    parser.add_argument("--out", type=Path, default=STRATEGIES)
    args = parser.parse_args()
    np.save(args.out / "stop.npy", compute_stop_table(args.deals, args.seed))
    np.save(args.out / "solo.npy", compute_goal_table(args.deals, args.seed))
    np.save(args.out / "solo_dp.npy", compute_dp_table(args.deals // 2, args.seed))


if __name__ == "__main__":
    main()

"""Train the corrections of `solo-champion` with rollouts, and write strategies/solo-champion.npy.

    python training/solo_champion.py            # all five games, a quarter of an hour
    python training/solo_champion.py --games solitaire-gin-scored --out x.npy

One discard decision is sampled from each deal. The three discards that the search of
`solo-two-draws` ranks highest are rolled out with `solo-dp` in the same decks. The difference
between the results and the values of the search is regressed on the features of the remaining cards
(`simgin_strategies.solo_champion`). The search then plays held-out decks with and without the
correction. If the gain is not significant at the 5 % level, the weights are set to 0. The joker is
not dealt: averaging over its position is exact and reduces the variance to a quarter. All
strategies wait for gin.

For each game, the script prints the score of the search (deals won in %, points, or penalties as
negative numbers) and the gain of the correction. The file begins with solo_dp.npy, the table that
the search uses.
"""

import argparse
from functools import cache
from math import sqrt
from pathlib import Path

import numba
import numpy as np
from simgin_strategies.solo_champion import JOKER_DECK_SIZE, N_WEIGHTS, write_features
from simgin_strategies.solo_two_draws import (
    compute_final_value,
    compute_gin_value,
    count_draws_left,
    find_best_discards,
)

from simgin.core.bits import lowest_bit
from simgin.core.cards import ALL_CARDS
from simgin.core.deadwood import best_discards, deadwood
from simgin.core.jit import compile_function, jit
from simgin.core.policy_types import PARAMS_TYPE, POLICY_TYPE, RULES_TYPE, VIEW_TYPE
from simgin.core.rules_record import SCORING_PENALTY
from simgin.core.view import create_view
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader

STRATEGIES_DIRECTORY = Path(__file__).resolve().parent.parent / "strategies"
# Unit of the regression by game: a typical difference between the two best discards. The games are
# in the order of the weights.
TYPICAL_DIFFERENCE_BY_GAME = {
    "solitaire-gin": 0.02,
    "solitaire-gin-scored": 0.8,
    "solitaire-gin-knock": 0.8,
    "gin-solitaire": 0.8,
    "solitary-gin": 0.8,
}
N_DECISIONS, N_DEALS, SEED = 300_000, 20_000, 9_000
# Number of discards that are rolled out, and number of discards that are searched
MAX_ROLLED_OUT_DISCARDS, MAX_SEARCHED_DISCARDS = 3, 4
DECKS_PER_DECISION = 2
RIDGE_PENALTY = 200.0


@jit
def compute_max_draws(rules):
    """Return the number of draws in a deal that ends without gin or the joker."""
    return rules.max_draws if rules.max_draws >= 0 else JOKER_DECK_SIZE


@jit
def update_view(view, hand, unseen, n_draws, rules):
    """Update the view of a player who holds eleven cards after some draws."""
    view.hand = view.legal = hand
    view.unseen = unseen
    view.own_turn = view.turn = n_draws
    view.deck_left = JOKER_DECK_SIZE - n_draws + 1
    view.least, view.best = best_discards(hand, hand, rules)


@jit
def compute_mean_deal_value(hands, n_draws, last_draw, rules):
    """Return the value of a deal after some draws, averaged over all joker positions."""
    n_cards = compute_max_draws(rules) - last_draw + 1
    value = compute_final_value(hands[last_draw], rules)
    if deadwood(hands[last_draw], rules) == 0:
        value = compute_gin_value(n_cards, rules)
    if rules.deal_scoring != SCORING_PENALTY:
        for s in range(last_draw - 1, n_draws - 1, -1):
            n_cards += 1
            value += (compute_final_value(hands[s], rules) - value) / n_cards
    return value


@jit
def roll_out_to_end(view, rules, discard, params, deck, hand, n_draws, unseen, hands):
    """Roll out a deal until gin or the last draw, and return the total number of draws.

    Args:
        view: View of the player.
        rules: Compiled rules.
        discard: Address of the discard policy.
        params: Parameters and weights of the policy.
        deck: Cards in the order in which they are drawn.
        hand: Ten cards, as a mask.
        n_draws: Number of draws so far.
        unseen: Unseen cards, as a mask.
        hands: Output: hands[k] is the hand after k draws.
    """
    first_draw = n_draws
    while True:
        hands[n_draws] = hand
        if n_draws == compute_max_draws(rules) or deadwood(hand, rules) == 0:
            return n_draws
        drawn_card = deck[n_draws - first_draw]
        unseen &= ~(1 << drawn_card)
        n_draws += 1
        update_view(view, hand | 1 << drawn_card, unseen, n_draws, rules)
        discarded_card = lowest_bit(view.best)
        if view.least > 0:
            discarded_card = discard(view, rules, params)
        hand = view.hand & ~(1 << discarded_card)


@jit
def shuffle_cards(cards, deck):
    """Write the cards of a mask to `deck` in random order."""
    n = 0
    while cards:
        deck[n] = lowest_bit(cards)
        cards &= cards - 1
        n += 1
    for i in range(n - 1, 0, -1):
        j = np.random.randint(0, i + 1)
        deck[i], deck[j] = deck[j], deck[i]


@jit
def convert_to_mask(cards):
    """Convert an array of cards to a mask."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


@jit
def sample_decision(view, rules, discard, table, pack, hands):
    """Play a random deal up to a random turn, and return True if a discard must be chosen."""
    shuffle_cards(ALL_CARDS, pack)
    t = np.random.randint(1, compute_max_draws(rules))
    # The joker could have ended the deal before this turn.
    if rules.max_draws < 0 and np.random.randint(0, JOKER_DECK_SIZE + 1) >= JOKER_DECK_SIZE + 1 - t:
        return False
    hand = convert_to_mask(pack[:10])
    n_draws = roll_out_to_end(
        view, rules, discard, table, pack[10:], hand, 0, ALL_CARDS & ~hand, hands
    )
    hand_after_draw = hands[t - 1] | 1 << pack[9 + t]
    update_view(view, hand_after_draw, ALL_CARDS & ~convert_to_mask(pack[: 10 + t]), t, rules)
    return n_draws >= t and view.least > 0


def add_decision_sums(view, rules, discard, table, seed, n_decisions, unit, squares, products):
    """Add sampled decisions to the least-squares sums."""
    np.random.seed(seed)
    pack, deck, hands = np.zeros((3, 53), np.int64)
    x, results = np.zeros((MAX_ROLLED_OUT_DISCARDS, N_WEIGHTS)), np.zeros(MAX_ROLLED_OUT_DISCARDS)
    n = 0
    while n < n_decisions:
        if not sample_decision(view, rules, discard, table, pack, hands):
            continue
        eleven, unseen, t = view.hand, view.unseen, view.own_turn
        draws_left = count_draws_left(view, rules)
        cards, values = find_best_discards(view, MAX_SEARCHED_DISCARDS, rules, table)
        order = np.argsort(-values)[:MAX_ROLLED_OUT_DISCARDS]
        results[:] = 0
        for _ in range(DECKS_PER_DECISION):
            shuffle_cards(unseen, deck)
            for k in range(MAX_ROLLED_OUT_DISCARDS):
                ten_cards = eleven & ~(1 << cards[order[k]])
                n_draws = roll_out_to_end(
                    view, rules, discard, table, deck, ten_cards, t, unseen, hands
                )
                results[k] += compute_mean_deal_value(hands, t, n_draws, rules) / (
                    DECKS_PER_DECISION * unit
                )
        for k in range(MAX_ROLLED_OUT_DISCARDS):
            ten_cards = eleven & ~(1 << cards[order[k]])
            write_features(ten_cards, unseen, draws_left, values[order[k]] / unit, rules, x[k])
        for k in range(1, MAX_ROLLED_OUT_DISCARDS):
            add_difference_sums(x[k] - x[0], results[k] - results[0], squares, products)
        n += 1


@jit
def add_difference_sums(row, result, squares, products):
    """Add the difference between a discard and the best discard to the least-squares sums.

    A discard has less weight if its search value is far below the best value.
    """
    search_value = row[-1]
    weight = 1 / (1 + search_value * search_value)
    nonzero_indices = np.flatnonzero(row)
    for i in nonzero_indices:
        products[i] += weight * row[i] * (result - search_value)
        for j in nonzero_indices:
            squares[i, j] += weight * row[i] * row[j]


def measure_deal_values(view, rules, discard, params, seed, results):
    """Play deals, and write the value of each deal to `results`, (n_deals,) float64."""
    np.random.seed(seed)
    pack, hands = np.zeros((2, 53), np.int64)
    for i in range(len(results)):
        shuffle_cards(ALL_CARDS, pack)
        hand = convert_to_mask(pack[:10])
        n_draws = roll_out_to_end(
            view, rules, discard, params, pack[10:], hand, 0, ALL_CARDS & ~hand, hands
        )
        results[i] = compute_mean_deal_value(hands, 0, n_draws, rules)


@cache
def compile_kernels():
    """Return compiled versions of `add_decision_sums` and `measure_deal_values`."""
    float_type, int_type = numba.float64, numba.int64
    player_types = VIEW_TYPE, RULES_TYPE, POLICY_TYPE, PARAMS_TYPE
    add_sums_signature = numba.void(
        *player_types, int_type, int_type, float_type, float_type[:, ::1], float_type[::1]
    )
    play_signature = numba.void(*player_types, int_type, float_type[::1])
    return compile_function(
        add_decision_sums, add_sums_signature, use_cache=False
    ), compile_function(measure_deal_values, play_signature, use_cache=False)


def get_policy_arguments(name):
    """Return the address and the parameter vector of a discard policy."""
    policy = loader.find_strategy(name).discard
    return compiler.compile_policy(policy), compiler.make_parameter_vector(policy).copy()


def create_solo_view():
    """Create the empty view of a player in a solitaire game."""
    view = create_view()
    view.taken = view.taken_offer = -1
    return view


def fit_correction(game, n_decisions, seed, add_sums):
    """Fit the weights of the correction for a game, (N_WEIGHTS,) float32."""
    rules, unit = build_rules(variants.find_variant(game)), TYPICAL_DIFFERENCE_BY_GAME[game]
    squares, products = np.zeros((N_WEIGHTS, N_WEIGHTS)), np.zeros(N_WEIGHTS)
    policy_address, table = get_policy_arguments("solo-dp")
    add_sums(
        create_solo_view(), rules, policy_address, table, seed, n_decisions, unit, squares, products
    )
    weights = np.linalg.solve(squares + RIDGE_PENALTY * np.eye(N_WEIGHTS), products)
    weights[:-1] *= unit
    return weights.astype(np.float32)


def has_significant_gain(game, weights, deals, seed, measure_values):
    """Print the gain from a correction in held-out decks, and return True if it is significant."""
    rules = build_rules(variants.find_variant(game))
    policy_address, params = get_policy_arguments("solo-champion")
    first_weight = len(params) - N_WEIGHTS * (
        len(TYPICAL_DIFFERENCE_BY_GAME) - list(TYPICAL_DIFFERENCE_BY_GAME).index(game)
    )
    results = np.zeros((2, deals))
    for is_corrected in (0, 1):
        params[first_weight : first_weight + N_WEIGHTS] = is_corrected * weights
        measure_values(
            create_solo_view(), rules, policy_address, params, seed, results[is_corrected]
        )
    results *= 100 if game == "solitaire-gin" else 1
    gains = results[1] - results[0]
    half_width = 1.96 * gains.std(ddof=1) / sqrt(deals)
    print(f"{game:22} {results[0].mean():7.2f}  {gains.mean():+.2f} ± {half_width:.2f}", flush=True)
    return gains.mean() > half_width


def train_corrections(games, n_decisions, deals, seed):
    """Train the corrections for games, and return the contents of solo-champion.npy."""
    add_sums, measure_values = compile_kernels()
    _, table = get_policy_arguments("solo-dp")
    parts = [table.astype(np.float32)]
    for game in TYPICAL_DIFFERENCE_BY_GAME:
        weights = np.zeros(N_WEIGHTS, np.float32)
        if game in games:
            correction = fit_correction(game, n_decisions, seed, add_sums)
            if has_significant_gain(game, correction, deals, seed + 1, measure_values):
                weights = correction
        parts.append(weights)
    return np.concatenate(parts)


def main():
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--games",
        nargs="+",
        default=list(TYPICAL_DIFFERENCE_BY_GAME),
        choices=list(TYPICAL_DIFFERENCE_BY_GAME),
    )
    parser.add_argument("--questions", type=int, default=N_DECISIONS)
    parser.add_argument("--deals", type=int, default=N_DEALS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=STRATEGIES_DIRECTORY / "solo-champion.npy")
    args = parser.parse_args()
    np.save(args.out, train_corrections(args.games, args.questions, args.deals, args.seed))


if __name__ == "__main__":
    main()

"""Combine the parts of the weights of `champion-mc`, and write strategies/champion-mc.npy.

    python training/champion_mc.py
    python training/champion_mc.py --spreads     # estimates the default parameters

The file contains the weights of `champion`, the weights for the opponent's hands, and the
probability of winning a match to 100 from each score. These come from training/champion.py,
training/hands.py and training/mc_value.py.

With `--spreads`, the script does not write a file. It rolls out the best actions at decisions of
`champion` against itself. A table compares two estimates of an action's gain over the first action:
one from the weights, and one from rollouts in many worlds. The table shows the standard deviation
of the difference of the two estimates. Two halves of the worlds are used to remove the sampling
error from this number. The table also shows the standard deviation between worlds and the remaining
length of the deal. The constants of `champion-mc` are rounded values from this table.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies import champion_mc
from simgin_strategies._champion import MATCH_VALUE_IN_POINTS

from simgin.analysis.world_sampling import sample_worlds
from simgin.core.position_rollouts import ACTION_DISCARD, ACTION_END_DEAL
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.rollouts import Action, list_legal_actions, roll_out_worlds
from simgin.play.traced_deal import trace_deal
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader
from simgin.toolkit import is_gin_or_better, legal_discards, lowers_deadwood

STRATEGIES_DIRECTORY = Path(__file__).resolve().parent.parent / "strategies"
WEIGHT_FILES = ("champion.npy", "hands.npy", "mc.npy")
N_UNITS, N_WORLDS, SEED = 400, 256, 991
ROLLOUT_OPPONENTS = ("champion", "champion+knock=at")  # strategies of the opponent in rollouts
IMMEDIATE_KNOCK_PROBABILITY = 0.5  # prior probability that the opponent knocks immediately
ESTIMATED_LOSS_BOUNDS = (
    0.5,
    1,
    2,
    4,
    8,
    16,
)  # upper bounds of the estimated loss from an action, in points
SPREAD_TABLE_HEADER = """\
| slot | loss, points | actions | gain by weights | gain in worlds | spread | sd of worlds | turns |
|---|---|--:|--:|--:|--:|--:|--:|"""


def load_all_weights() -> np.ndarray:
    """Return all weights of `champion-mc` in one float64 array."""
    return np.concatenate([np.load(STRATEGIES_DIRECTORY / part).ravel() for part in WEIGHT_FILES])


# Actions, best first according to the weights, and the estimated loss from each action in points

RankedActions = tuple[list[Action], list[float]]


def rank_draws(view: Any, rules: Any, weights: np.ndarray) -> RankedActions:
    """Rank the actions `take` and `draw`, if taking the card on offer lowers the deadwood."""
    if not lowers_deadwood(view, rules):
        return [], []
    gain = player.estimate_take_gain(view, rules, weights)
    draws = list_legal_actions(view, rules)[:2]
    return draws[::-1] if gain > 0 else draws, [0.0, abs(gain)]


def rank_discards(view: Any, rules: Any, params: np.ndarray) -> RankedActions:
    """Rank the discards with the lowest costs."""
    cards, estimated_gains = champion_mc.find_lowest_cost_discards(view.legal, view, rules, params)
    return [Action(ACTION_DISCARD, int(card)) for card in cards], [
        -float(gain) for gain in estimated_gains
    ]


def rank_knocks(view: Any, rules: Any, weights: np.ndarray) -> RankedActions:
    """Rank the actions `knock` and `continue`, unless the player has gin."""
    if is_gin_or_better(view):
        return [], []
    gain = player.estimate_knock_gain(view, rules, weights)
    discard = player.find_lowest_cost_discard(legal_discards(view, rules), view, rules, weights)
    actions = [Action(ACTION_DISCARD, int(discard)), Action(ACTION_END_DEAL, int(view.ending_card))]
    return actions[::-1] if gain > 0 else actions, [0.0, abs(gain)]


# Rollouts in worlds


def roll_out_actions(
    matchups: list[Matchup], view: Any, rules: Any, actions: list[Action]
) -> np.ndarray:
    """Return the value and the remaining turns of each action in each world.

    Each opponent plays in equally many worlds.
    """
    worlds_per_matchup, record_parts = N_WORLDS // len(matchups), []
    for i, matchup in enumerate(matchups):
        sampled_worlds = sample_worlds(
            view,
            rules,
            worlds_per_matchup,
            SEED,
            i * worlds_per_matchup,
            IMMEDIATE_KNOCK_PROBABILITY,
        )
        record_parts.append(roll_out_worlds(matchup, view, actions, sampled_worlds))
    records = np.concatenate(record_parts)
    match_values = np.load(STRATEGIES_DIRECTORY / "mc.npy").reshape(100, 100)
    points_a, points_b = records["points_a"], records["points_b"]
    win_probabilities = match_values[np.minimum(points_a, 99), np.minimum(points_b, 99)]
    win_probabilities = np.where(
        points_a >= 100, 1.0, np.where(points_b >= 100, 0.0, win_probabilities)
    )
    return np.stack([MATCH_VALUE_IN_POINTS * win_probabilities, records["turns"] - view.turns])


def iter_decisions_of_first_seat(matchup: Matchup, n_units: int) -> Iterator[tuple[str, Any]]:
    """Yield the slot and the view of each decision that the player at seat 0 makes."""
    for unit in range(n_units):
        for decision in trace_deal(matchup, unit).decisions:
            if decision.seat == 0:
                yield decision.slot, decision.view


def compare_estimated_gains(n_units: int) -> dict[tuple[str, float], list[np.ndarray]]:
    """Estimate gains from weights and from rollouts, grouped by slot and estimated loss.

    A row contains the estimate of the weights, the estimates of both halves of the worlds, the
    variance between worlds and the remaining turns.
    """
    matchups = [parse_matchup("champion", name, "eaai", SEED, "deal") for name in ROLLOUT_OPPONENTS]
    rules = build_rules(matchups[0].variant)
    params = compiler.make_parameter_vector(loader.find_strategy("champion-mc").policy("discard"))
    weights = np.load(STRATEGIES_DIRECTORY / "champion.npy").astype(np.float64)
    rankings = {"take": rank_draws, "discard": rank_discards, "knock": rank_knocks}
    rows_by_loss = defaultdict(list)
    for slot, view in iter_decisions_of_first_seat(matchups[0], n_units):
        ranking_params = params if slot == "discard" else weights
        actions, losses = rankings[slot](view, rules, ranking_params)
        if len(actions) < 2:
            continue
        values, turns = roll_out_actions(matchups, view, rules, actions)
        for i in range(1, len(actions)):
            gains = values[:, i] - values[:, 0]
            half_means = gains[::2].mean(), gains[1::2].mean()
            row = np.array([-losses[i], *half_means, gains.var(), turns[:, i].mean()])
            bound_index = np.searchsorted(ESTIMATED_LOSS_BOUNDS, losses[i])
            if bound_index < len(ESTIMATED_LOSS_BOUNDS):
                rows_by_loss[slot, ESTIMATED_LOSS_BOUNDS[bound_index]].append(row)
    return rows_by_loss


def print_spread_table(n_units: int) -> None:
    """Print how much the gains estimated from weights differ from those of rollouts."""
    print(SPREAD_TABLE_HEADER)
    rows_by_loss = compare_estimated_gains(n_units)
    for slot, loss_bound in sorted(rows_by_loss):
        rows = np.array(rows_by_loss[slot, loss_bound])
        estimated_gains, gains_in_first_half, gains_in_second_half, variances, n_turns = rows.T
        error_products = (gains_in_first_half - estimated_gains) * (
            gains_in_second_half - estimated_gains
        )
        spread = np.sqrt(max(0.0, error_products.mean()))
        mean_gain = (gains_in_first_half + gains_in_second_half).mean() / 2
        standard_deviation = np.sqrt(variances.mean())
        cells = [
            *(slot, loss_bound, len(rows), f"{estimated_gains.mean():.2f}", f"{mean_gain:.2f}"),
            *(f"{spread:.2f}", f"{standard_deviation:.1f}", f"{n_turns.mean():.1f}"),
        ]
        print(f"| {' | '.join(map(str, cells))} |")


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spreads", action="store_true")
    parser.add_argument("--units", type=int, default=N_UNITS)
    args = parser.parse_args()
    if args.spreads:
        print_spread_table(args.units)
    else:
        np.save(STRATEGIES_DIRECTORY / "champion-mc.npy", load_all_weights())


if __name__ == "__main__":
    main()

"""Combine the parts of the weights of `champion-mc`, and write strategies/champion-mc.npy.

    python training/champion_mc.py
    python training/champion_mc.py --spreads     # estimates the default parameters

The file contains the weights of champion, the weights of the opponent's hands, and the probability
of winning a match to 100 from each score. These come from training/champion.py, training/hands.py
and training/mc_value.py.

With `--spreads`, the script does not write a file. At decisions of `champion` against itself, it
rolls out the best actions in many worlds. A table compares their gains over the first action
according to the weights and in the worlds, and shows the standard deviation of the difference. This
is computed from two halves of the worlds, which removes the sampling error. The table also shows
the standard deviation between worlds and the remaining length of the deal. The constants of
champion-mc are these numbers, rounded.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies import champion_mc
from simgin_strategies._champion import MATCH_VALUE

from simgin.analysis.world_sampling import sample_worlds
from simgin.core.position_rollouts import ACTION_DISCARD, ACTION_END
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.rollouts import Action, legal_actions, roll_out_worlds
from simgin.play.traced_deal import trace_deal
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader
from simgin.toolkit import is_gin_or_better, legal_discards, lowers_deadwood

STRATEGIES = Path(__file__).resolve().parent.parent / "strategies"
PARTS = ("champion.npy", "hands.npy", "mc.npy")
UNITS, WORLDS, SEED = 400, 256, 991
ROLLOUT_OPPONENTS = ("champion", "champion+knock=at")  # strategies of the opponent in rollouts
IMMEDIATE_KNOCK_PROBABILITY = 0.5  # probability that the opponent knocks immediately
GAP_BOUNDS = (0.5, 1, 2, 4, 8, 16)  # upper bounds of the estimated loss of an action, in points
HEADER = """\
| slot | loss, points | actions | gain by weights | gain in worlds | spread | sd of worlds | turns |
|---|---|--:|--:|--:|--:|--:|--:|"""


def join_weights() -> np.ndarray:
    """Return all weights of `champion-mc` in one float64 array."""
    return np.concatenate([np.load(STRATEGIES / part).ravel() for part in PARTS])


# Actions in order of the weights, best first, and their estimated losses in points

RankedActions = tuple[list[Action], list[float]]


def rank_draws(view: Any, rules: Any, numbers: np.ndarray) -> RankedActions:
    """Return the actions `take` and `draw` if taking the card on offer lowers the deadwood."""
    if not lowers_deadwood(view, rules):
        return [], []
    gain = player.estimate_take_gain(view, rules, numbers)
    draws = legal_actions(view, rules)[:2]
    return draws[::-1] if gain > 0 else draws, [0.0, abs(gain)]


def rank_discards(view: Any, rules: Any, params: np.ndarray) -> RankedActions:
    """Return the discards with the lowest costs."""
    cards, prior_gains = champion_mc.find_lowest_cost_discards(view.legal, view, rules, params)
    return [Action(ACTION_DISCARD, int(card)) for card in cards], [
        -float(gain) for gain in prior_gains
    ]


def rank_knocks(view: Any, rules: Any, numbers: np.ndarray) -> RankedActions:
    """Return the actions `knock` and `continue`, unless the player has gin."""
    if is_gin_or_better(view):
        return [], []
    gain = player.knock_gain(view, rules, numbers)
    discard = player.find_lowest_cost_discard(legal_discards(view, rules), view, rules, numbers)
    actions = [Action(ACTION_DISCARD, int(discard)), Action(ACTION_END, int(view.ending_card))]
    return actions[::-1] if gain > 0 else actions, [0.0, abs(gain)]


# Rollouts in worlds


def rollout_values(
    matchups: list[Matchup], view: Any, rules: Any, actions: list[Action]
) -> np.ndarray:
    """Return each action's value in each world for champion-mc, with the numbers of turns.

    Each opponent plays in the same number of worlds.
    """
    share, played = WORLDS // len(matchups), []
    for i, matchup in enumerate(matchups):
        sampled_worlds = sample_worlds(
            view, rules, share, SEED, i * share, IMMEDIATE_KNOCK_PROBABILITY
        )
        played.append(roll_out_worlds(matchup, view, actions, sampled_worlds))
    records = np.concatenate(played)
    chances = np.load(STRATEGIES / "mc.npy").reshape(100, 100)
    points_a, points_b = records["points_a"], records["points_b"]
    win_probabilities = chances[np.minimum(points_a, 99), np.minimum(points_b, 99)]
    win_probabilities = np.where(
        points_a >= 100, 1.0, np.where(points_b >= 100, 0.0, win_probabilities)
    )
    return np.stack([MATCH_VALUE * win_probabilities, records["turns"] - view.turns])


def decisions_of_first_seat(matchup: Matchup, units: int) -> Iterator[tuple[str, Any]]:
    """Yield the slot and the view of each decision that the player at seat 0 makes."""
    for unit in range(units):
        for decision in trace_deal(matchup, unit).decisions:
            if decision.seat == 0:
                yield decision.slot, decision.view


def compare_estimates(units: int) -> dict[tuple[str, float], list[np.ndarray]]:
    """Return gains estimated by weights and by each half of the worlds, by slot and gap.

    Each row also contains the variance between worlds and the remaining turns.
    """
    rivals = [parse_matchup("champion", name, "eaai", SEED, "deal") for name in ROLLOUT_OPPONENTS]
    rules = build_rules(rivals[0].variant)
    params = compiler.make_parameter_vector(loader.find_strategy("champion-mc").policy("discard"))
    numbers = np.load(STRATEGIES / "champion.npy").astype(np.float64)
    rankings = {"take": rank_draws, "discard": rank_discards, "knock": rank_knocks}
    rows_by_gap = defaultdict(list)
    for slot, view in decisions_of_first_seat(rivals[0], units):
        slot_params = params if slot == "discard" else numbers
        actions, behind = rankings[slot](view, rules, slot_params)
        if len(actions) < 2:
            continue
        values, turns = rollout_values(rivals, view, rules, actions)
        for i in range(1, len(actions)):
            gains = values[:, i] - values[:, 0]
            half_means = gains[::2].mean(), gains[1::2].mean()
            row = np.array([-behind[i], *half_means, gains.var(), turns[:, i].mean()])
            gap_index = np.searchsorted(GAP_BOUNDS, behind[i])
            if gap_index < len(GAP_BOUNDS):
                rows_by_gap[slot, GAP_BOUNDS[gap_index]].append(row)
    return rows_by_gap


def print_spreads(units: int) -> None:
    """Print the table of the differences between weights and rollouts (option `--spreads`)."""
    print(HEADER)
    rows_by_gap = compare_estimates(units)
    for strategy_slot, gap in sorted(rows_by_gap):
        rows = np.array(rows_by_gap[strategy_slot, gap])
        before, one, other, apart, turns = rows.T
        product = (one - before) * (other - before)
        spread = np.sqrt(max(0.0, product.mean()))
        worlds, deviation = (one + other).mean() / 2, np.sqrt(apart.mean())
        cells = f"{before.mean():.2f} | {worlds:.2f} | {spread:.2f} | {deviation:.1f}"
        print(f"| {strategy_slot} | {gap} | {len(rows)} | {cells} | {turns.mean():.1f} |")


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spreads", action="store_true")
    parser.add_argument("--units", type=int, default=UNITS)
    args = parser.parse_args()
    if args.spreads:
        print_spreads(args.units)
    else:
        np.save(STRATEGIES / "champion-mc.npy", join_weights())


if __name__ == "__main__":
    main()

"""Measure how much each part of `champion` contributes, by removing only that part.

    python benchmarks/champion_parts.py              # about a minute; prints a Markdown table

The rules are `eaai`, and every row is played with the same deals. Intervals are 95 % confidence
intervals over mirrored pairs.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from simgin_strategies import _champion as sight
from simgin_strategies import champion as player

from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.stats.estimate import Z95
from simgin.strategy import Strategy, loader

OPPONENTS = ("simple", "marjj")
LEARNED_SLOTS = ("take", "discard", "knock")
# All weights of `champion`: the blends, followed by the table that selects a blend
ChampionWeights = np.ndarray


def split_weights(weights: ChampionWeights) -> tuple[np.ndarray, np.ndarray]:
    """Return the parts of the weights for `eaai`: the blends and the table that selects one."""
    blends = weights[: player.OPPONENT_TABLE_OFFSET]
    opponent_table = weights[player.OPPONENT_TABLE_OFFSET : player.N_WEIGHTS_PER_VARIANT]
    return blends.reshape(player.N_WEIGHT_BLENDS, player.N_WEIGHTS_PER_BLEND), opponent_table


def find_feature_indices(*names: str) -> list[int]:
    """Return the indices of the given discard features in a blend."""
    indices: list[int] = []
    for name in names:
        first_index = sight.FEATURE_NAMES.index(name)
        indices += range(first_index, player.KNOCK_TABLE_OFFSET, sight.N_FEATURES)
    return indices


def remove_features(*names: str) -> Callable[[ChampionWeights], None]:
    """Return a function that sets the weights of the given discard features to 0."""

    def change_weights_in_place(weights: ChampionWeights) -> None:
        blends, _ = split_weights(weights)
        blends[:, find_feature_indices(*names)] = 0

    return change_weights_in_place


def select_blend(blend_index: int) -> Callable[[ChampionWeights], None]:
    """Return a function that changes weights so that all opponents get the same blend."""

    def change_weights_in_place(weights: ChampionWeights) -> None:
        _, opponent_table = split_weights(weights)
        opponent_table[:] = blend_index

    return change_weights_in_place


def keep_weights(weights: ChampionWeights) -> None:
    """Leave the weights unchanged."""


SAFETY_FEATURES = [name for name, _ in sight.DISCARD_FEATURES if not name.startswith("near")]
OUTS_FEATURES = [
    name
    for name in sight.FEATURE_NAMES
    if name.startswith(("outs_if", "extensions_if", "high_outs", "low_outs"))
]
UNPAIRED_CARD_FEATURES = [name for name in sight.FEATURE_NAMES if "unpaired" in name]
OPPONENT_ACTION_FEATURES = [
    "unmatched_near_taken",
    "outs_near_taken",
    "outs_near_shed",
    "extensions_near_shed",
    "deadwood_times_known",
]
LAST_BLEND_INDEX = player.N_WEIGHT_BLENDS - 1
WEIGHT_CHANGE_BY_PART: dict[str, Callable[[ChampionWeights], None]] = {
    "nothing": keep_weights,
    "estimated probability that the opponent knocks immediately (always 0.5)": select_blend(
        LAST_BLEND_INDEX // 2
    ),
    "estimated probability that the opponent knocks immediately (always 0)": select_blend(0),
    "estimated probability that the opponent knocks immediately (always 1)": select_blend(
        LAST_BLEND_INDEX
    ),
    "value of the discard to the opponent": remove_features(*SAFETY_FEATURES),
    "live outs": remove_features(*OUTS_FEATURES),
    "draws that make gin": remove_features("gin_draws"),
    "draws that allow a knock": remove_features("knock_draws"),
    "cards without a partner": remove_features(*UNPAIRED_CARD_FEATURES),
    "effect of the opponent's takes and discards on the value of the hand": remove_features(
        *OPPONENT_ACTION_FEATURES
    ),
    "the score of the match": remove_features(
        "deadwood_times_opponent_score", "deadwood_times_own_score"
    ),
}


def build_changed_champion(change_weights: Callable[[ChampionWeights], None]) -> Strategy:
    """Return a copy of `champion` with changed weights."""
    champion = loader.find_strategy("champion")
    weights = np.load(player.discard_by_learned_cost.weights).astype(np.float64)
    change_weights(weights)
    policies = {}
    for slot in LEARNED_SLOTS:
        policy = champion.policy(slot)
        assert policy is not None
        policies[slot] = replace(policy, weights=weights)
    return replace(champion, **policies)


def replace_policies(**specs: str) -> Strategy:
    """Return a copy of `champion` in which some policies are replaced."""
    spec_parts = [f"+{slot}={policy}" for slot, policy in specs.items()]
    return loader.find_strategy("champion" + "".join(spec_parts))


def format_win_rate(strategy: Strategy, opponent: str, n_matches: int, seed: int) -> str:
    """Format the percentage of matches that a strategy wins, with its confidence interval."""
    opponent_strategy = loader.find_strategy(opponent)
    matchup = Matchup(variants.find_variant("eaai"), strategy, opponent_strategy, seed, "match")
    n_pairs = matchup.count_units(n_matches)
    _, records = kernel.play_with_records(matchup, 0, n_pairs)
    last_deals = records[records["outcome"] >= 0]
    wins_per_pair = np.bincount(last_deals["unit"], last_deals["outcome"] == 0, n_pairs) / 2
    half_width = Z95 * wins_per_pair.std(ddof=1) / np.sqrt(n_pairs)
    return f"{100 * wins_per_pair.mean():.1f} ± {100 * half_width:.1f}"


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=4022)
    args = parser.parse_args()
    players = {
        part: build_changed_champion(change) for part, change in WEIGHT_CHANGE_BY_PART.items()
    }
    players["knock policy (replaced by `early:k=3`)"] = replace_policies(knock="early:k=3")
    players["knock policy (replaced by `at:k=10`)"] = replace_policies(knock="at:k=10")
    players["take policy (replaced by `lower`)"] = replace_policies(take="lower")
    players["discard policy (replaced by `low`)"] = replace_policies(discard="low")
    print("| Removed part | Against `simple` | Against `marjj` |\n|---|---|---|")
    for part, changed_player in players.items():
        win_rates = [
            format_win_rate(changed_player, opponent, args.matches, args.seed)
            for opponent in OPPONENTS
        ]
        print(f"| {part} | {win_rates[0]} | {win_rates[1]} |", flush=True)


if __name__ == "__main__":
    main()

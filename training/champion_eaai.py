"""Train the additional weights of `champion-eaai`, and write strategies/champion-eaai.npy.

    python training/champion_eaai.py               # committed file: 20 minutes on one core
    python training/champion_eaai.py --deals 4000 --rounds 1 --out x.npy

The weights of `champion` do not change. In each round, discards, knocks and takes are rolled out as
in the training of `champion` (simgin/learn/champion_weights.py). The difference between the gain of
an action and its estimate is regressed on the features of the action. The regression is separate
for each category of a context, for one context after the other (backfitting). Sums of squares of
previous rounds reduce the steps, so all rounds have the same influence on the weights.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies import champion_eaai as detailed
from simgin_strategies._champion import N_FEATURES, N_STAGES

from simgin.learn.champion_weights import (
    MAX_TRIED_DISCARDS,
    ChampionTrainer,
    center_by_decision,
    compile_feature_writer,
    compute_match_win_rate,
    find_deal_stages,
    knock_sometimes,
    load_initial_weights,
    make_single_set_weights,
    propose_discards,
    propose_knock,
    propose_take,
    write_discard_features,
)
from simgin.play.matchup import Matchup
from simgin.play.rollouts import PairedRollouts
from simgin.rules import variants
from simgin.strategy import Strategy, loader

STRATEGIES_DIRECTORY = Path(__file__).resolve().parent.parent / "strategies"
VARIANT, SEED = "eaai", 20261130
N_DEALS, N_ROUNDS = 600_000, 8  # deals with discards per round, and rounds
# Players that wait for gin have more training opponents, because they differ more
OPPONENTS: dict[str, list[str | None]] = {
    "knock_immediately": ["simple"],
    "wait_for_gin": [None, "gold-early", "gin-only", "marjj-early"],
}
# Exponent of the likelihood ratios of known cards, because the length of the deal, which champion
# also uses, is partly the same evidence. In 40,000 matches with another seed, exponents of 0,
# 0.5 and 1 won 75.3, 76.8 and 77.2 % against gold-early, and 68.5, 68.0 and 67.6 % against marjj
# (each ± 0.4).
EVIDENCE_EXPONENT = 0.5
PENALTIES = {"discards": 6000.0, "knocks": 1000.0, "takes": 2000.0}  # ridge penalties
# Policies and their features are compiled together, so they have no types for mypy.
# mypy: disable-error-code="no-untyped-def"


class Decisions(NamedTuple):
    """Decisions of one type with rolled out actions.

    Attributes:
        features: Features of each action, centred by decision, (n, n_actions, n_features) float32.
        gains: Gain of each action, centred by decision, (n, n_actions) float32.
        rows: Row of each context in the additional weights, (n, n_contexts) int64.
        stages: Stage of the deal, (n,) int64.
        weights: Weight of each decision, with mean 1, (n,) float32.
    """

    features: np.ndarray
    gains: np.ndarray
    rows: np.ndarray
    stages: np.ndarray
    weights: np.ndarray


def write_rows(views, deadwood_points, rules, rows):
    """Write the rows of the additional weights at each decision, (n, n_contexts) int64."""
    for i in range(len(views)):
        found = detailed.find_rows(views[i], deadwood_points[i], rules)
        for j in range(len(found)):
            rows[i, j] = found[j]


def write_knock_features(views, rules, params, features):
    """Write the features of all knocks, (n, detailed.N_KNOCK_FEATURES) float64."""
    for i in range(len(views)):
        found = detailed.compute_knock_features(views[i], rules, params)
        for j in range(len(found)):
            features[i, j] = found[j]


def write_take_features(views, rules, params, features):
    """Write the features of all takes, (n, player.N_TAKE_FEATURES) float64."""
    for i in range(len(views)):
        found = detailed.compute_take_features(views[i], rules, params)
        for j in range(len(found)):
            features[i, j] = found[j]


class ContextTrainer(ChampionTrainer):
    """Trainer of the additional weights against one group of opponents.

    Attributes:
        context_weights: Additional weights by type of decision, (n_rows, n_features) each.
    """

    def __init__(
        self, opponents: list[str | None], weights: np.ndarray, seed: int, workers: int | None
    ) -> None:
        """Initialise the trainer with additional weights of 0 (see `ChampionTrainer`)."""
        strategies = [name and loader.find_strategy(name) for name in opponents]
        super().__init__(
            strategies, weights, seed, variants.find_variant(VARIANT), workers, is_trained=True
        )
        shapes = {
            "discards": (detailed.N_DISCARD_ROWS, N_FEATURES),
            "knocks": (detailed.N_ROWS, detailed.N_KNOCK_FEATURES),
            "takes": (detailed.N_ROWS, player.N_TAKE_FEATURES),
        }
        self.context_weights = {name: np.zeros(shape) for name, shape in shapes.items()}
        self.squares = {name: np.zeros((*shape, shape[1])) for name, shape in shapes.items()}

    @property
    def context_vector(self) -> np.ndarray:
        """Additional weights in the order of the weights file, (N_CONTEXT_WEIGHTS,) float64."""
        return np.concatenate([weights.ravel() for weights in self.context_weights.values()])

    @property
    def params(self) -> np.ndarray:
        """Parameters of a player with the same weights against every opponent."""
        opponent_table = np.zeros(player.OPPONENT_TABLE_SIZE * detailed.N_KNOWN_BINS)
        return np.concatenate(
            [
                make_single_set_weights(self.weights),
                self.context_vector,
                self.context_vector,
                opponent_table,
            ]
        )

    def make_matchup(self, opponent: Strategy | None, unit: Any) -> Matchup:
        """Return a matchup of the player with its current weights and an opponent."""
        strategy = loader.with_weights(loader.find_strategy("champion-eaai"), self.params)
        return Matchup(self.variant, strategy, opponent or strategy, self.seed, unit)

    def collect_discards(self, rollouts: PairedRollouts, equity: np.ndarray) -> Decisions:
        """Return discard decisions, in which a gain is a saved cost."""
        features = np.zeros((*rollouts.actions.shape, N_FEATURES))
        compile_feature_writer(write_discard_features)(
            rollouts.views, rollouts.actions, self.rules, features
        )
        mask = rollouts.rolled_out_mask
        decisions = self.make_decisions(
            rollouts,
            -center_by_decision(features, mask[..., None]),
            center_by_decision(equity, mask),
            rollouts.views["least"],
        )
        return decisions._replace(rows=decisions.rows[:, : detailed.N_DISCARD_CONTEXTS])

    def collect_knocks(self, rollouts: PairedRollouts, equity: np.ndarray) -> Decisions:
        """Return knock decisions."""
        features = np.zeros((len(rollouts.views), detailed.N_KNOCK_FEATURES))
        compile_feature_writer(write_knock_features)(
            rollouts.views, self.rules, self.params, features
        )
        return self.make_decisions(
            rollouts,
            features[:, None],
            (equity[:, 1] - equity[:, 0])[:, None],
            rollouts.views["ending_count"],
        )

    def collect_takes(self, rollouts: PairedRollouts, equity: np.ndarray) -> Decisions:
        """Return take decisions."""
        features = np.zeros((len(rollouts.views), player.N_TAKE_FEATURES))
        compile_feature_writer(write_take_features)(
            rollouts.views, self.rules, self.params, features
        )
        return self.make_decisions(
            rollouts,
            features[:, None],
            (equity[:, 1] - equity[:, 0])[:, None],
            rollouts.views["count"],
        )

    def make_decisions(
        self,
        rollouts: PairedRollouts,
        features: np.ndarray,
        gains: np.ndarray,
        deadwood_points: np.ndarray,
    ) -> Decisions:
        """Return the decisions in a block of deals, with their contexts and weights."""
        views = rollouts.views
        rows = np.zeros((len(views), len(detailed.CONTEXT_BOUNDS)), np.int64)
        compile_feature_writer(write_rows)(
            views, np.ascontiguousarray(deadwood_points), self.rules, rows
        )
        weights = self.compute_sqrt_decision_weights(rollouts) ** 2
        return Decisions(
            features.astype(np.float32),
            gains.astype(np.float32),
            rows,
            find_deal_stages(views),
            weights.astype(np.float32),
        )

    def roll_out_decisions(self, name: str, n_deals: int) -> Decisions:
        """Roll out decisions of one type against all opponents."""
        n_actions, propose, collect, explore = {
            "discards": (MAX_TRIED_DISCARDS, propose_discards, self.collect_discards, None),
            "knocks": (2, propose_knock, self.collect_knocks, knock_sometimes),
            "takes": (2, propose_take, self.collect_takes, None),
        }[name]
        blocks = list(self.roll_out_blocks(n_deals, n_actions, propose, collect, explore))
        return Decisions(*map(np.concatenate, zip(*blocks, strict=True)))

    def estimate_base_gains(self, name: str, decisions: Decisions) -> np.ndarray:
        """Return champion's estimates of the gains, (n, n_actions)."""
        if name == "knocks":
            return decisions.features[:, :, -1]
        first, n = (
            (0, N_FEATURES)
            if name == "discards"
            else (player.TAKE_FEATURES_OFFSET, player.N_TAKE_FEATURES)
        )
        weights = self.weights[first : first + N_STAGES * n].reshape(N_STAGES, n)
        return multiply(decisions.features, weights[decisions.stages])

    def fit(self, name: str, n_deals: int) -> None:
        """Roll out decisions of one type, and fit their additional weights."""
        decisions = self.roll_out_decisions(name, n_deals)
        weights, squares = self.context_weights[name], self.squares[name]
        residuals = decisions.gains - self.estimate_base_gains(name, decisions)
        for rows in decisions.rows.T:
            residuals -= multiply(decisions.features, weights[rows])
        for rows in decisions.rows.T:
            for row, indices in split_by_row(rows):
                features = decisions.features[indices]
                scaled = features * decisions.weights[indices, None, None]
                flat, flat_scaled = (x.reshape(-1, x.shape[-1]) for x in (features, scaled))
                squares[row] += flat_scaled.T @ flat
                change = np.linalg.solve(
                    squares[row] + PENALTIES[name] * np.eye(len(squares[row])),
                    flat_scaled.T @ residuals[indices].ravel(),
                )
                weights[row] += change
                residuals[indices] -= features @ change.astype(np.float32)

    def run_context_round(self, n_deals: int) -> np.ndarray:
        """Train for one round, and return the win rate against each opponent before the round."""
        records = self.sample_scores()
        for name in self.context_weights:
            self.fit(name, n_deals)
        return np.array([compute_match_win_rate(played_deals) for played_deals in records])

    def count_known_cards(self, n_deals: int) -> np.ndarray:
        """Return how often the opponent has each number of known cards, by turn.

        Returns:
            Proportions by turn of the player and number of known cards, (player.N_TURN_BINS,
            detailed.N_KNOWN_BINS).
        """
        decisions = self.roll_out_decisions("discards", n_deals)
        turn_rows, _, known_rows = decisions.rows.T[:3]
        n_known = np.minimum(known_rows - detailed.KNOWN_ROW, detailed.N_KNOWN_BINS - 1)
        counts = np.ones((player.N_TURN_BINS, detailed.N_KNOWN_BINS))
        np.add.at(counts, (turn_rows - detailed.TURN_ROW, n_known), decisions.weights)
        proportions: np.ndarray = counts / counts.sum(axis=1, keepdims=True)
        return proportions


def multiply(features: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the sum of features times weights, (n, n_actions) float32.

    Args:
        features: Features, (n, n_actions, n_features).
        weights: Weights, (n, n_features).
    """
    return np.einsum("nkf,nf->nk", features, weights.astype(np.float32))


def split_by_row(rows: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each row of the additional weights with the indices of its decisions."""
    order = np.argsort(rows, kind="stable")
    for indices in np.split(order, np.flatnonzero(np.diff(rows[order])) + 1):
        yield int(rows[indices[0]]), indices


def compute_opponent_levels(
    champion_weights: np.ndarray, likelihood_ratios: np.ndarray
) -> np.ndarray:
    """Return the probabilities that an opponent knocks immediately, in eighths.

    The prior odds are those of `champion`. Bayes' rule then adds the number of known cards.

    Args:
        champion_weights: Contents of champion.npy.
        likelihood_ratios: Ratios of the proportions of `ContextTrainer.count_known_cards`.
    """
    table = champion_weights[player.OPPONENT_TABLE_OFFSET : player.N_WEIGHTS_PER_VARIANT]
    max_level = player.N_WEIGHT_BLENDS - 1
    probabilities = (
        table.reshape(-1, player.N_TURN_BINS, 1).clip(0.25, max_level - 0.25) / max_level
    )
    odds = probabilities / (1 - probabilities) * likelihood_ratios**EVIDENCE_EXPONENT
    levels: np.ndarray = np.rint(max_level * odds / (1 + odds))
    return levels.ravel()


def train(n_deals: int, n_rounds: int, seed: int) -> np.ndarray:
    """Return the contents of champion-eaai.npy."""
    champion_weights = np.load(STRATEGIES_DIRECTORY / "champion.npy")
    knocking_weights, patient_weights = load_initial_weights(variants.find_variant(VARIANT))
    trainers = []
    for i, (group, weights) in enumerate(
        {"wait_for_gin": patient_weights, "knock_immediately": knocking_weights}.items()
    ):
        trainer = ContextTrainer(OPPONENTS[group], weights, seed + i, None)
        for round_number in range(1, n_rounds + 1):
            win_rates = trainer.run_context_round(n_deals)
            shown = ", ".join(f"{100 * rate:.1f} %" for rate in win_rates)
            print(f"opponents that {group}, before round {round_number}: won {shown}", flush=True)
        trainers.append(trainer)
    patient_counts, knocking_counts = (trainer.count_known_cards(n_deals) for trainer in trainers)
    levels = compute_opponent_levels(champion_weights, knocking_counts / patient_counts)
    parts = [champion_weights, *(trainer.context_vector for trainer in trainers), levels]
    return np.concatenate(parts).astype(np.float32)


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deals", type=int, default=N_DEALS, help="deals with rollouts per round")
    parser.add_argument("--rounds", type=int, default=N_ROUNDS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=STRATEGIES_DIRECTORY / "champion-eaai.npy")
    args = parser.parse_args()
    np.save(args.out, train(args.deals, args.rounds, args.seed))
    print(f"Output: {args.out}")


if __name__ == "__main__":
    main()

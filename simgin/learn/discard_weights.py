"""Training of the weights of a discard policy, using paired rollouts and a regression.

In each round, the player uses the weights of the previous round, so an increasingly strong player
evaluates the discards. The weights depend only on the seed and the previous rounds. An interrupted
training run is therefore resumed from its ledger with the same result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import jit
from simgin.learn import improvement
from simgin.learn.cma_search import N_ESTIMATE_FIELDS
from simgin.learn.improvement import Improvement
from simgin.learn.tune_request import CONFIRMATION_MATCHES, TrainingRequest, TuneError, read_players
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import ProgressCallback, make_progress_for_part, map_units
from simgin.play.rollouts import PairedRollouts, roll_out_deals
from simgin.report.progress import OnProgress
from simgin.report.report_table import Column, Table
from simgin.rules.build import build_rules
from simgin.runs.ledger import Ledger, open_ledger
from simgin.stats.estimate import Estimate
from simgin.stats.table import Frame, build_output_frame
from simgin.strategy import Policy, Strategy, discard, helper
from simgin.text.amounts import parse_count

TRAINING_ROUNDS = 8
TRAINING_DEALS = 20_000  # number of deals per round and opponent
EVALUATION_MATCHES = 4_000  # number of matches per opponent for the estimated gain of a round
MAX_SHOWN_WEIGHTS = 30  # maximum number of weights in the table of the report
ROLLOUT_DEALS_PER_CALL = 2_000  # number of deals per call (their views use 8 MB)


@dataclass(frozen=True)
class DiscardTrainingRequest(TrainingRequest):
    """Request to train the weights of a discard policy."""

    weights_file: Path  # file from which the strategy reads its weights

    @classmethod
    def read(
        cls,
        strategy: str,
        variant: str,
        against: Sequence[str] = (),
        *,
        rounds: int = TRAINING_ROUNDS,
        deals: int | str = TRAINING_DEALS,
        confirmation_matches: int | str = CONFIRMATION_MATCHES,
        seed: int = 1,
    ) -> DiscardTrainingRequest:
        """Parse the arguments of a request to train discard weights.

        Args:
            strategy: Strategy with a trainable discard policy.
            variant: Two-player variant.
            against: Opponents (default: `simple`).
            rounds: Number of rounds.
            deals: Number of deals per round and opponent.
            confirmation_matches: Number of matches per opponent for the confirmation.
            seed: Seed of the deals.

        Raises:
            TuneError: If the discard policy of the strategy cannot be trained.
            PlayerCountError: If the variant is a solitaire game.
            AmountError: If a number is not valid.
        """
        player, parsed_variant, opponents = read_players(strategy, variant, against)
        policy = player.discard
        assert policy is not None, "the loader fills empty slots"
        make_feature_sampler(policy)  # Raise an error if the policy cannot be trained.
        assert isinstance(policy.weights, Path), "the decorator requires a file"
        initial_weights = np.array(list(policy.start.values()), np.float64)
        untrained_player = replace(player, discard=replace(policy, weights=initial_weights))
        n_deals = parse_count(deals)
        players = (untrained_player, parsed_variant, opponents)
        description = f"training on {n_deals} deals a round"
        match_request = cls.read_match_request(players, confirmation_matches, seed, description)
        return cls(match_request, rounds, n_deals, policy.weights)

    @property
    def n_steps(self) -> int:
        """Number of progress steps: one per round, and the confirmation."""
        return self.n_rounds + 1

    @property
    def policy(self) -> Policy:
        """Discard policy whose weights are trained."""
        policy = self.match_request.strategy.discard
        assert policy is not None, "the loader fills empty slots"
        return policy

    @property
    def initial_weights(self) -> np.ndarray:
        """Weights of the policy before the training."""
        return np.array(list(self.policy.start.values()), np.float64)

    def with_weights(self, weights: np.ndarray) -> Strategy:
        """Return a copy of the strategy with new weights and a distinct canonical name."""
        return replace(self.match_request.strategy, discard=replace(self.policy, weights=weights))

    def with_weights_in_spec(self, weights: np.ndarray) -> Strategy:
        """Return a copy of the strategy with new weights and a spec that identifies them."""
        digest = hashlib.sha256(weights.tobytes()).hexdigest()
        player = self.with_weights(weights)
        return replace(player, spec=f"{player.spec} (trained, {digest[:8]})")


@dataclass(frozen=True, eq=False)
class TrainingRound:
    """Result of a training round: fitted weights, number of decisions and gain."""

    number: int  # number of the round, from 1
    weights: np.ndarray
    n_decisions: int  # number of decisions in which discards were compared
    gain: Estimate  # gain over the initial weights, measured on the deals of the next round


def play_rounds(
    request: DiscardTrainingRequest,
    ledger: Ledger,
    workers: int | None = None,
    step_progress: improvement.StepProgressFactory = lambda step: None,
) -> Iterator[TrainingRound]:
    """Yield the training rounds, which are played or loaded from the ledger.

    Args:
        request: Request for the training.
        ledger: Ledger of the training.
        workers: Number of worker threads.
        step_progress: Function that returns the progress callback for a round index.
    """
    sampler = make_feature_sampler(request.policy)
    weights = request.initial_weights
    array_shapes = {"weights": weights.shape, "questions": (), "gain": (N_ESTIMATE_FIELDS,)}
    for number in range(1, request.n_rounds + 1):
        progress = step_progress(number - 1)
        play_round = partial(_play_round, request, sampler, number, weights, workers, progress)
        arrays = improvement.load_or_play_step(
            ledger, f"round {number}", request.deals_per_round, array_shapes, play_round
        )
        weights = arrays["weights"]
        yield TrainingRound(number, weights, int(arrays["questions"]), Estimate(*arrays["gain"]))


def round_to_float32(weights: np.ndarray) -> np.ndarray:
    """Round weights to float32, the precision of the output file."""
    return weights.astype(np.float32).astype(np.float64)


def _play_round(
    request: DiscardTrainingRequest,
    sampler: FeatureSampler,
    number: int,
    weights: np.ndarray,
    workers: int | None,
    progress: ProgressCallback | None,
) -> dict[str, np.ndarray]:
    """Play a round with the weights of the previous round, and fit new weights."""
    match_request = request.match_request
    strategy = request.with_weights(weights)
    sums_by_opponent = []
    for index, opponent in enumerate(match_request.opponents):
        matchup = Matchup(
            match_request.variant,
            strategy,
            opponent,
            match_request.compute_generation_seed(number),
            "deal",
        )
        kernel.compile_matchup(matchup)
        opponent_progress = make_progress_for_part(progress, index, len(match_request.opponents))
        sums_by_opponent += map_units(
            partial(sampler.sample, matchup),
            request.deals_per_round,
            ROLLOUT_DEALS_PER_CALL,
            workers,
            opponent_progress,
        )
    total_sums = add_regression_sums(sums_by_opponent)
    new_weights = round_to_float32(fit_weights(total_sums, weights))
    evaluation_seed = match_request.compute_generation_seed(number + 1)
    strategies = [request.with_weights_in_spec(new_weights), match_request.strategy]
    new_score, base_score = improvement.evaluate_strategies(
        match_request, strategies, evaluation_seed, EVALUATION_MATCHES, workers
    )
    gain = np.array(astuple(improvement.to_estimate(new_score - base_score)))
    return {"weights": new_weights, "questions": np.array(total_sums.n_decisions), "gain": gain}


# Result


@dataclass(frozen=True, repr=False)
class TrainingResult(Improvement):
    """Result of training discard weights."""

    wording = improvement.TRAINING_WORDING
    training_request: DiscardTrainingRequest
    rounds: Sequence[TrainingRound]
    weights: np.ndarray

    @property
    def parameters(self) -> Frame:
        """DataFrame of the initial and the trained weight of each feature."""
        weights = zip(self.training_request.policy.start.items(), self.weights, strict=True)
        return build_output_frame(
            "weights",
            [
                {"number": name, "start": initial_weight, "trained": weight}
                for (name, initial_weight), weight in weights
            ],
        )

    def render_file(self, command: str) -> bytes:
        """Render the weights file, with the command and the gain in comments."""
        return improvement.encode_weights(self.weights, command, *self.verdict_sentences)

    def frames(self) -> Mapping[str, Frame]:
        """Return the DataFrames of the training, keyed by name."""
        rows = []
        for training_round in self.rounds:
            row = {"round": training_round.number, "questions": training_round.n_decisions}
            gain = training_round.gain
            rows.append({**row, "gain": gain.value, "low": gain.low, "high": gain.high})
        return {
            "parameters": self.parameters,
            "rounds": build_output_frame("rounds", rows),
            "confirmation": self.table,
        }

    def build_display_tables(self) -> list[Table]:
        """Return the report's tables of training rounds and of the first trained weights."""
        rounds = self.frames()["rounds"].rename(columns={"gain": "value"})
        gain_column = Column("value", "gain", factor=self.request.metric.display_factor)
        columns = (Column("round", "round"), Column("questions", "decisions"), gain_column)
        weights = self.parameters[:MAX_SHOWN_WEIGHTS]
        weight_rows = weights.assign(trained=[f"{weight:.3g}" for weight in weights["trained"]])
        note = "The policy discards the card with the lowest weighted sum of its features."
        if len(self.weights) > MAX_SHOWN_WEIGHTS:
            note = f"The first {MAX_SHOWN_WEIGHTS} of {len(self.weights)} weights. {note}"
        headings = {"number": "feature", "start": "start", "trained": "trained"}
        weight_columns = [Column(name, heading) for name, heading in headings.items()]
        return [
            Table("Gain in matches won by round (percentage points)", rounds, columns),
            Table("Weights", weight_rows, weight_columns, note),
        ]

    @property
    def method_description(self) -> str:
        """Description of the training method for the report."""
        training = self.training_request
        return (
            f"{training.rounds_text} of {training.deals_per_round:,} deals against every opponent. "
            "Each round played with the weights of the previous round. The result is the average "
            "over the second half of the rounds."
        )


def run_training(
    request: DiscardTrainingRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    run_ledger: Ledger | None = None,
) -> TrainingResult:
    """Train discard weights and confirm their gain.

    Args:
        request: Request for the training.
        workers: Number of worker threads.
        on_progress: Progress callback for the rounds and the confirmation.
        run_ledger: Ledger of the training, from which completed steps are loaded, or None for a
            ledger in memory.
    """
    if run_ledger is None:
        with open_ledger(None, request.identity) as memory_ledger:
            return run_training(request, workers, on_progress, run_ledger=memory_ledger)
    rounds: list[TrainingRound] = []
    step_progress = improvement.split_progress(
        on_progress,
        request.n_steps,
        lambda: "\n".join(_format_round_line(request, finished_round) for finished_round in rounds),
    )
    for training_round in play_rounds(request, run_ledger, workers, step_progress):
        rounds.append(training_round)
    later_rounds = rounds[len(rounds) // 2 :]
    weights = round_to_float32(
        np.mean([training_round.weights for training_round in later_rounds], axis=0)
    )
    strategy = request.with_weights_in_spec(weights)
    final_progress = step_progress(request.n_rounds)
    confirmation = improvement.confirm_gain(
        request.match_request, strategy, run_ledger, workers, final_progress
    )
    return TrainingResult(request.match_request, strategy, confirmation, request, rounds, weights)


def format_plan_sentence(request: DiscardTrainingRequest) -> str:
    """Return a sentence that describes the planned training."""
    match_request = request.match_request
    return (
        f"{match_request.strategy.name} trains {len(request.initial_weights)} weights in "
        f"{request.rounds_text} of {request.deals_per_round:,} deals against "
        f"{match_request.opponents_text} ({match_request.variant.spec}). At one decision "
        "per deal, several discards are played to the end of the deal. Then "
        f"{match_request.confirmation_matches:,} matches on held-out deals confirm the result."
    )


def _format_round_line(request: DiscardTrainingRequest, training_round: TrainingRound) -> str:
    """Return the progress line of a round, with its gain."""
    gain_text = improvement.format_interval(request.match_request, training_round.gain)
    return (
        f"round {training_round.number} of {request.n_rounds}: gain {gain_text} percentage points, "
        f"{training_round.n_decisions:,} decisions"
    )


# Features of discards and their regression


MAX_TRIED_DISCARDS = 5  # maximum number of discards that are rolled out per decision
# number of extra feature slots, which reveal whether `describe` writes too many features
N_SPARE_FEATURES = 16
PRIOR_WEIGHT_IN_DECISIONS = (
    300  # weight of the prior (the previous weights), as a number of decisions
)
ILLEGAL_COST = 1e300  # cost of cards that must not be discarded

# Policies and their features are compiled together, so they have no types for mypy.
# mypy: disable-error-code="no-untyped-def"


# Regression
#
# The rollouts of a decision share the same hidden cards and thus their luck. Features and points
# are therefore centred per decision, so that only differences between discards matter.


@dataclass(frozen=True, eq=False)
class RegressionSums:
    """Least-squares sums for a regression of costs on features."""

    squares: np.ndarray  # (n_features, n_features) float64
    products: np.ndarray  # (n_features,) float64
    n_decisions: int


def compute_regression_sums(
    features: np.ndarray, points: np.ndarray, is_tried: np.ndarray, decision_weights: np.ndarray
) -> RegressionSums:
    """Compute the least-squares sums for a regression of costs on features.

    Args:
        features: Features, (n_decisions, n_discards, n_features) float64.
        points: Points after each discard, (n_decisions, n_discards) float64.
        is_tried: True for discards that were rolled out, (n_decisions, n_discards) bool.
        decision_weights: Number of decisions in the deal from which each decision was drawn,
            (n_decisions,) int64.
    """
    centred_features = center_by_decision(features, is_tried[..., None])
    centred_points = center_by_decision(points, is_tried)
    feature_rows = centred_features.reshape(-1, features.shape[2])
    weighted_rows = (decision_weights[:, None, None] * centred_features).reshape(feature_rows.shape)
    # Weights are costs, and the policy discards the card with the lowest cost.
    costs = -centred_points.ravel()
    return RegressionSums(weighted_rows.T @ feature_rows, weighted_rows.T @ costs, len(features))


def add_regression_sums(sums: Sequence[RegressionSums]) -> RegressionSums:
    """Return the sum of several regression sums."""
    total, *others = sums
    for other in others:
        total = RegressionSums(
            total.squares + other.squares,
            total.products + other.products,
            total.n_decisions + other.n_decisions,
        )
    return total


def fit_weights(sums: RegressionSums, previous_weights: np.ndarray) -> np.ndarray:
    """Fit weights by ridge regression with a penalty on changes from the previous weights.

    For each feature, the previous weights count as PRIOR_WEIGHT_IN_DECISIONS decisions. The result
    does not depend on the units of the features. If a feature never differs between the discards of
    a decision, its weight does not change.

    Args:
        sums: Least-squares sums.
        previous_weights: Weights of the previous round, (n_features,) float64.

    Returns:
        Weights, (n_features,) float64.
    """
    ridge_penalty = PRIOR_WEIGHT_IN_DECISIONS / max(1, sums.n_decisions) * sums.squares.diagonal()
    positive_penalty = np.where(ridge_penalty > 0, ridge_penalty, 1)
    residual_products = sums.products - sums.squares @ previous_weights
    penalised_squares = sums.squares + np.diag(positive_penalty)
    return previous_weights + np.linalg.solve(penalised_squares, residual_products)


def center_by_decision(values: np.ndarray, is_tried: np.ndarray) -> np.ndarray:
    """Subtract each decision's mean over its tried discards, and set untried discards to 0.

    If all values of a decision are equal, the result is exactly 0, so that rounding errors have no
    effect.
    """
    offsets = values - values[:, :1]  # The first discard is always rolled out.
    tried_offsets = np.where(is_tried, offsets, 0)
    mean = tried_offsets.sum(axis=1, keepdims=True) / is_tried.sum(axis=1, keepdims=True)
    return np.where(is_tried, tried_offsets - mean, 0)


# Sampling


@dataclass(frozen=True)
class FeatureSampler:
    """Sampler that rolls out discards and computes their features."""

    policy: Policy
    select_discards: Policy  # policy that returns the discards with the lowest costs as bits
    # function that is called with views, actions, rules and the array for the features
    write_features: Callable[..., None]

    def sample(self, matchup: Matchup, first_deal: int, n_deals: int) -> RegressionSums:
        """Roll out deals of a matchup and return the regression sums of their decisions.

        Raises:
            TuneError: If `describe` writes too many features.
        """
        rollouts = roll_out_deals(
            matchup, self.select_discards, first_deal, n_deals, MAX_TRIED_DISCARDS
        )
        features = self._compute_features(rollouts, build_rules(matchup.variant))
        point_differences = rollouts.records["points_a"] - rollouts.records["points_b"]
        return compute_regression_sums(
            features, point_differences.astype(float), rollouts.rolled_out_mask, rollouts.weights
        )

    def _compute_features(self, rollouts: PairedRollouts, rules: Any) -> np.ndarray:
        """Compute the features of every discard, (n_decisions, n_discards, n_features) float64."""
        n_features = len(self.policy.start)
        features = np.zeros((*rollouts.actions.shape, n_features + N_SPARE_FEATURES))
        self.write_features(rollouts.views, rollouts.actions, rules, features)
        file_name = self.policy.source_file.name
        if features[:, :, n_features:].any():
            raise TuneError(
                f"`describe` in {file_name} computes features that have no initial weight: `start` "
                f"has only {n_features} weights. Add the missing initial weights to `start`."
            )
        return features[:, :, :n_features]


def make_feature_sampler(policy: Policy) -> FeatureSampler:
    """Return the feature sampler for a discard policy.

    Raises:
        TuneError: If the policy has no features or its features cannot be compiled.
    """
    location = f"the discard policy {policy.name!r} in {policy.source_file.name}"
    if policy.describe is None:
        raise TuneError(
            f"{location} cannot be trained because it defines no features. Add a function "
            "`describe` that computes the features of a discard, and a dictionary `start` with the "
            "initial weight of each feature: "
            '@discard(weights="mine.npy", describe=describe, start={"deadwood left": 1}).'
        )
    if not jit.is_interpreted() and not hasattr(policy.describe, "py_func"):
        raise TuneError(
            f"the function `describe` of {location} cannot be compiled. Decorate `describe` with "
            "@helper."
        )
    describe = policy.describe
    return FeatureSampler(
        policy, _make_discard_selector(describe, len(policy.start)), _make_feature_writer(describe)
    )


@cache
def _make_discard_selector(describe: Callable[..., None], n_features: int) -> Policy:
    """Return a policy that selects up to MAX_TRIED_DISCARDS discards of lowest cost."""
    n_feature_slots = n_features + N_SPARE_FEATURES

    @discard
    def select_cheapest(view, rules, params):
        first_weight = len(params) - n_features  # Parameters can precede the weights.
        costs = np.full(52, ILLEGAL_COST)
        for card in range(52):
            if view.legal >> card & 1:
                features = np.zeros(n_feature_slots)
                describe(view, rules, card, features)
                costs[card] = 0.0
                for k in range(n_features):
                    costs[card] += params[first_weight + k] * features[k]
        selected_cards = np.int64(0)
        for _ in range(MAX_TRIED_DISCARDS):
            cheapest_card = costs.argmin()
            if costs[cheapest_card] < ILLEGAL_COST:
                selected_cards |= 1 << cheapest_card
                costs[cheapest_card] = ILLEGAL_COST
        return selected_cards

    policy: Policy = select_cheapest
    return policy


@cache
def _make_feature_writer(describe: Callable[..., None]) -> Callable[..., None]:
    """Return a compiled function that writes the features of every discard."""

    @helper
    def write_features(views, actions, rules, features):
        for i in range(len(views)):
            for k in range(actions.shape[1]):
                if actions[i, k] >= 0:
                    describe(views[i], rules, actions[i, k], features[i, k])

    writer: Callable[..., None] = write_features
    return writer

"""Training of the weights of a discard policy with paired rollouts and a regression.

Every round plays with the weights of the previous round, so discards are evaluated by a stronger
player each time. The weights of a round depend only on the seed and the previous rounds, so an
interrupted training resumes from its ledger and gives the same result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import jit
from simgin.learn import improvement
from simgin.learn.cma_search import ESTIMATE_SIZE
from simgin.learn.improvement import Improvement
from simgin.learn.tune_request import (
    CONFIRMATION_MATCHES,
    TrainingRequest,
    TuneError,
    TuneRequest,
    read_matches,
    read_players,
)
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress, map_units, partial_progress
from simgin.play.rollouts import PairedRollouts, roll_out_deals
from simgin.report.progress import OnProgress
from simgin.report.report_table import Column, Table
from simgin.rules.build import build_rules
from simgin.runs.ledger import Ledger, open_ledger
from simgin.stats.estimate import Estimate
from simgin.stats.table import Frame, build_frame
from simgin.strategy import Policy, Strategy, discard, helper
from simgin.text.amounts import parse_count, parse_seed

TRAINING_ROUNDS = 8
TRAINING_DEALS = 20_000  # number of deals per round and opponent
EVALUATION_MATCHES = 4_000  # number of matches per opponent that estimate the gain of a round
MAX_WEIGHTS_SHOWN = 30  # maximum number of weights in the table of a report
ROLLOUT_BLOCK = 2_000  # number of deals per call, whose views take 8 MB


@dataclass(frozen=True)
class TrainRequest(TrainingRequest):
    """Request to train discard weights, with the deals per round and opponent."""

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
    ) -> TrainRequest:
        """Parse the arguments of a request.

        Args:
            strategy: Strategy with a trainable discard policy.
            variant: Two-player variant.
            against: Opponents (default: `simple`).
            rounds: Number of rounds.
            deals: Deals per round and opponent.
            confirmation_matches: Matches per opponent that confirm the result.
            seed: Seed of the deals.

        Raises:
            TuneError: If the discard policy of the strategy cannot be trained.
            PlayerCountError: If the variant is a solitaire variant.
            AmountError: If a number is not valid.
        """
        player, rules, pool = read_players(strategy, variant, against)
        confirming = read_matches(confirmation_matches)
        policy = player.discard
        assert policy is not None, "the loader fills empty slots"
        feature_sampler(policy)  # This call raises an error if the policy cannot be trained.
        assert isinstance(policy.weights, Path), "the decorator requires a file"
        start = np.array(list(policy.start.values()), np.float64)
        untrained = replace(player, discard=replace(policy, weights=start))
        n = parse_count(deals)
        training = f"training on {n} deals a round"
        match = TuneRequest(
            untrained,
            rules,
            pool,
            (),
            confirmation_matches=confirming,
            seed=parse_seed(seed),
            training=training,
        )
        return cls(match, rounds, n, policy.weights)

    @property
    def n_pieces(self) -> int:
        """Number of progress steps: one for each round and one for the confirmation."""
        return self.rounds + 1

    @property
    def policy(self) -> Policy:
        """Discard policy whose weights are trained."""
        policy = self.match.strategy.discard
        assert policy is not None, "the loader fills empty slots"
        return policy

    @property
    def initial_weights(self) -> np.ndarray:
        """Weights of the policy before the training."""
        return np.array(list(self.policy.start.values()), np.float64)

    def with_weights(self, weights: np.ndarray) -> Strategy:
        """Return the strategy with other weights and a unique canonical name."""
        return replace(self.match.strategy, discard=replace(self.policy, weights=weights))

    def renamed_with_weights(self, weights: np.ndarray) -> Strategy:
        """Return the strategy with other weights and a new name, so that it can play itself."""
        digest = hashlib.sha256(weights.tobytes()).hexdigest()
        player = self.with_weights(weights)
        return replace(player, spec=f"{player.spec} (trained, {digest[:8]})")


@dataclass(frozen=True, eq=False)
class TrainingRound:
    """Result of one training round: weights, number of decisions and gain."""

    number: int  # number of the round, starting at 1
    weights: np.ndarray
    n_decisions: int  # number of decisions whose discards were compared
    gain: Estimate  # gain over the initial weights, on the deals of the next round


def run_rounds(
    request: TrainRequest,
    ledger: Ledger,
    workers: int | None = None,
    piece_progress: improvement.PieceProgress = lambda place: None,
    on_round: Callable[[TrainingRound], None] = lambda record: None,
) -> list[TrainingRound]:
    """Run all rounds of a training, loading finished rounds from the ledger.

    Args:
        request: Request for the training.
        ledger: Ledger of the training.
        workers: Number of worker threads.
        piece_progress: Function that returns the progress callback of a round, given its index.
        on_round: Function that is called with every round.
    """
    sampler = feature_sampler(request.policy)
    weights = request.initial_weights
    rounds = []
    for number in range(1, request.rounds + 1):
        result = improvement.load_or_play_step(
            ledger,
            f"round {number}",
            request.deals,
            {"weights": weights.shape, "questions": (), "gain": (ESTIMATE_SIZE,)},
            partial(
                _play_round, request, sampler, number, weights, workers, piece_progress(number - 1)
            ),
        )
        weights = result["weights"]
        record = TrainingRound(number, weights, int(result["questions"]), Estimate(*result["gain"]))
        rounds.append(record)
        on_round(record)
    return rounds


def round_to_float32(weights: np.ndarray) -> np.ndarray:
    """Round weights to the precision of the output file."""
    return weights.astype(np.float32).astype(np.float64)


def _play_round(
    request: TrainRequest,
    sampler: FeatureSampler,
    number: int,
    weights: np.ndarray,
    workers: int | None,
    progress: Progress | None,
) -> dict[str, np.ndarray]:
    """Play a round with the weights of the previous round, and fit new weights."""
    match = request.match
    player = request.with_weights(weights)
    sums = []
    for index, opponent in enumerate(match.pool):
        matchup = Matchup(match.variant, player, opponent, match.generation_seed(number), "deal")
        kernel.compile_matchup(matchup)
        part = partial_progress(progress, index, len(match.pool))
        sums += map_units(
            partial(sampler.sample, matchup), request.deals, ROLLOUT_BLOCK, workers, part
        )
    total = add_sums(sums)
    learned = round_to_float32(fit_weights(total, weights))
    evaluation_seed = match.generation_seed(number + 1)
    players = [request.renamed_with_weights(learned), match.strategy]
    new_score, base_score = improvement.evaluate_strategies(
        match, players, evaluation_seed, EVALUATION_MATCHES, workers
    )
    gain = np.array(astuple(improvement.to_estimate(new_score - base_score)))
    return {"weights": learned, "questions": np.array(total.n_decisions), "gain": gain}


# Result


@dataclass(frozen=True, repr=False)
class TrainingResult(Improvement):
    """Result of training the weights of a discard policy."""

    wording = improvement.TRAINING_WORDING
    training: TrainRequest
    rounds: Sequence[TrainingRound]
    weights: np.ndarray

    @property
    def parameters(self) -> Frame:
        """DataFrame of the initial weight and the trained weight of each feature."""
        learned = zip(self.training.policy.start.items(), self.weights, strict=True)
        return build_frame(
            "weights",
            [
                {"number": name, "start": start, "trained": weight}
                for (name, start), weight in learned
            ],
        )

    def file_content(self, command: str) -> bytes:
        """Return the weights, followed by comments with the command and the gain."""
        return improvement.encode_weights(self.weights, command, *self.sentences)

    def frames(self) -> Mapping[str, Frame]:
        """Return the DataFrames of the training by name."""
        rounds = []
        for record in self.rounds:
            gain = {"gain": record.gain.value, "low": record.gain.low, "high": record.gain.high}
            rounds.append({"round": record.number, "questions": record.n_decisions, **gain})
        return {
            "parameters": self.parameters,
            "rounds": build_frame("rounds", rounds),
            "confirmation": self.table,
        }

    def display_tables(self) -> list[Table]:
        """Return tables of the training rounds and of the first trained weights."""
        rounds = self.frames()["rounds"].rename(columns={"gain": "value"})
        gain = Column("value", "gain", factor=self.request.metric.display_factor)
        columns = (Column("round", "round"), Column("questions", "decisions"), gain)
        weights = self.parameters[:MAX_WEIGHTS_SHOWN]
        weights_text = weights.assign(trained=[f"{weight:.3g}" for weight in weights["trained"]])
        note = "The policy discards the card with the lowest weighted sum of its features."
        if len(self.weights) > MAX_WEIGHTS_SHOWN:
            note = f"The first {MAX_WEIGHTS_SHOWN} of {len(self.weights)} weights. {note}"
        round_rows = [
            Column("number", "feature"),
            Column("start", "start"),
            Column("trained", "trained"),
        ]
        return [
            Table("Gain in matches won by round (percentage points)", rounds, columns),
            Table("Weights", weights_text, round_rows, note),
        ]

    @property
    def method(self) -> str:
        """Description of the training method for use in the report."""
        training = self.training
        return (
            f"{training.round_count} of {training.deals:,} deals against every opponent. Each "
            "round played with the weights of the previous round. The result is the average over "
            "the second half of the rounds."
        )


def run_training(
    training: TrainRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    run_ledger: Ledger | None = None,
) -> TrainingResult:
    """Train discard weights and confirm their gain.

    Args:
        training: Request for the training.
        workers: Number of worker threads.
        on_progress: Progress callback for the rounds and the confirmation.
        run_ledger: Ledger of the training, whose finished steps are reused, or None for a ledger in
            memory.
    """
    if run_ledger is None:
        with open_ledger(None, training.identity) as memory:
            return run_training(training, workers, on_progress, run_ledger=memory)
    lines: list[str] = []
    piece_progress = improvement.share_pieces(
        on_progress, training.n_pieces, lambda: "\n".join(lines)
    )

    def record_round(record: TrainingRound) -> None:
        lines.append(_round_line(training, record))

    rounds = run_rounds(training, run_ledger, workers, piece_progress, record_round)
    later_rounds = rounds[len(rounds) // 2 :]
    weights = round_to_float32(np.mean([record.weights for record in later_rounds], axis=0))
    strategy = training.renamed_with_weights(weights)
    final_progress = piece_progress(training.rounds)
    confirmation = improvement.confirm(
        training.match, strategy, run_ledger, workers, final_progress
    )
    return TrainingResult(training.match, strategy, confirmation, training, rounds, weights)


def plan_sentence(training: TrainRequest) -> str:
    """Return a sentence that describes how the weights will be trained."""
    match = training.match
    return (
        f"{match.strategy.name} trains {len(training.initial_weights)} weights in "
        f"{training.round_count} of {training.deals:,} deals against {match.opponent_list} "
        f"({match.variant.spec}). At one decision per deal, several discards are played to the end "
        f"of the deal. Then {match.confirmation_matches:,} matches on held-out deals confirm the "
        "result."
    )


def _round_line(training: TrainRequest, result: TrainingRound) -> str:
    """Return the progress line that shows the gain of a round."""
    gain = improvement.format_interval(training.match, result.gain)
    return (
        f"round {result.number} of {training.rounds}: gain {gain} percentage points, "
        f"{result.n_decisions:,} decisions"
    )


# Features of discards and their regression


MAX_ALTERNATIVES = 5  # maximum number of discards rolled out per decision
# Number of extra features, which stay 0 unless `describe` writes too many features
FEATURE_MARGIN = 16
PRIOR_DECISIONS = 300  # weight of the prior, which is the previous weights, in decisions
ILLEGAL_COST = 1e300  # cost of cards that may not be discarded

# Policies and their features are compiled together, so mypy sees them untyped.
# mypy: disable-error-code="no-untyped-def"


# Regression
#
# The rollouts of a decision share the same hidden cards and their luck. Features and points are
# therefore centred per decision, so that only differences between its discards count.


@dataclass(frozen=True, eq=False)
class RegressionSums:
    """Least-squares sums over decisions, by feature."""

    squares: np.ndarray  # (n_features, n_features) float64
    products: np.ndarray  # (n_features,) float64
    n_decisions: int


def regression_sums(
    features: np.ndarray, points: np.ndarray, tried: np.ndarray, multiplicity: np.ndarray
) -> RegressionSums:
    """Compute the least-squares sums over decisions, by feature.

    Args:
        features: Features, (n_decisions, n_discards, n_features) float64.
        points: Points after each discard, (n_decisions, n_discards) float64.
        tried: True for discards that were rolled out, (n_decisions, n_discards) bool.
        multiplicity: Number of decisions in the deal from which each decision was drawn,
            (n_decisions,) int64.
    """
    x = center_by_decision(features, tried[..., None])
    y = center_by_decision(points, tried)
    rows = x.reshape(-1, features.shape[2])
    weighted_rows = (multiplicity[:, None, None] * x).reshape(rows.shape)
    costs = -y.ravel()  # Weights are costs, and the policy discards the card of lowest cost.
    return RegressionSums(weighted_rows.T @ rows, weighted_rows.T @ costs, len(features))


def add_sums(parts: Sequence[RegressionSums]) -> RegressionSums:
    """Return the total of several regression sums, added in order."""
    total, *other_parts = parts
    for part in other_parts:
        total = RegressionSums(
            total.squares + part.squares,
            total.products + part.products,
            total.n_decisions + part.n_decisions,
        )
    return total


def fit_weights(sums: RegressionSums, previous: np.ndarray) -> np.ndarray:
    """Fit weights by ridge regression, with a penalty on differences from the previous weights.

    The previous weights count as much as PRIOR_DECISIONS decisions for each feature. The result
    therefore does not depend on the units of the features. If a feature never differs between two
    discards, the weight of the feature does not change.

    Args:
        sums: Least-squares sums.
        previous: Weights of the previous round, (n_features,) float64.

    Returns:
        Weights, (n_features,) float64.
    """
    ridge = PRIOR_DECISIONS / max(1, sums.n_decisions) * sums.squares.diagonal()
    ridge_or_one = np.where(ridge > 0, ridge, 1)
    residual = sums.products - sums.squares @ previous
    return previous + np.linalg.solve(sums.squares + np.diag(ridge_or_one), residual)


def center_by_decision(numbers: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Subtract the mean of all discards at a decision; discards without rollouts become 0.

    If all numbers of a decision are equal, the result is exactly 0, so that rounding errors do not
    count as differences.
    """
    offsets = numbers - numbers[:, :1]  # The first discard is always rolled out.
    tried_offsets = np.where(tried, offsets, 0)
    mean = tried_offsets.sum(axis=1, keepdims=True) / tried.sum(axis=1, keepdims=True)
    return np.where(tried, tried_offsets - mean, 0)


# Sampling


@dataclass(frozen=True)
class FeatureSampler:
    """Sampler that rolls out discards and computes their features."""

    policy: Policy
    select_discards: Policy  # function that returns the discards of lowest cost as bits
    # Function with the arguments views, actions, rules, and features to write
    write_features: Callable[..., None]

    def sample(self, matchup: Matchup, first_deal: int, n_deals: int) -> RegressionSums:
        """Roll out deals of a matchup, and return the regression sums of their decisions.

        Raises:
            TuneError: If describe writes too many features.
        """
        rollouts = roll_out_deals(
            matchup, self.select_discards, first_deal, n_deals, MAX_ALTERNATIVES
        )
        numbers = self._features(rollouts, build_rules(matchup.variant))
        point_differences = rollouts.records["points_a"] - rollouts.records["points_b"]
        return regression_sums(
            numbers, point_differences.astype(float), rollouts.is_tried, rollouts.weights
        )

    def _features(self, rollouts: PairedRollouts, rules: Any) -> np.ndarray:
        """Compute the features of every discard, (n_decisions, n_discards, n_features) float64."""
        size = len(self.policy.start)
        numbers = np.zeros((*rollouts.actions.shape, size + FEATURE_MARGIN))
        self.write_features(rollouts.views, rollouts.actions, rules, numbers)
        file_name = self.policy.source_file.name
        if numbers[:, :, size:].any():
            raise TuneError(
                f"`describe` in {file_name} writes features without an initial weight: `start` has "
                f"only {size} weights. Add the missing initial weights to `start`."
            )
        return numbers[:, :, :size]


def feature_sampler(policy: Policy) -> FeatureSampler:
    """Return the feature sampler for a discard policy.

    Raises:
        TuneError: If the policy has no features, or they cannot be compiled.
    """
    location = f"the discard policy {policy.name!r} in {policy.source_file.name}"
    if policy.describe is None:
        raise TuneError(
            f"{location} cannot be trained because it defines no features. Add a function "
            "`describe` that writes the features of a discard, and a dictionary `start` with the "
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
        policy, _cheapest_discards(describe, len(policy.start)), _feature_writer(describe)
    )


@cache
def _cheapest_discards(describe: Callable[..., None], size: int) -> Policy:
    """Return a policy that selects up to MAX_ALTERNATIVES discards with the lowest costs."""
    n_slots = size + FEATURE_MARGIN

    @discard
    def cheapest(view, rules, params):
        offset = len(params) - size  # Parameters can precede the weights.
        prices = np.full(52, ILLEGAL_COST)
        for card in range(52):
            if view.legal >> card & 1:
                numbers = np.zeros(n_slots)
                describe(view, rules, card, numbers)
                prices[card] = 0.0
                for k in range(size):
                    prices[card] += params[offset + k] * numbers[k]
        few = np.int64(0)
        for _ in range(MAX_ALTERNATIVES):
            least = prices.argmin()
            if prices[least] < ILLEGAL_COST:
                few |= 1 << least
                prices[least] = ILLEGAL_COST
        return few

    policy: Policy = cheapest
    return policy


@cache
def _feature_writer(describe: Callable[..., None]) -> Callable[..., None]:
    """Return a compiled function that writes the features of every discard."""

    @helper
    def write(views, actions, rules, numbers):
        for i in range(len(views)):
            for k in range(actions.shape[1]):
                if actions[i, k] >= 0:
                    describe(views[i], rules, actions[i, k], numbers[i, k])

    writer: Callable[..., None] = write
    return writer

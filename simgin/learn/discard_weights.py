"""Training of discard weights: paired rollouts and a regression on features of discards.

Every round plays with the weights of the previous round, so that discards are evaluated by a player
that is already better. The weights of a round depend only on the seed and the rounds before. An
interrupted training therefore resumes from its ledger and gives the same result.
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
TRAINING_DEALS = 20_000  # deals per round and opponent
EVALUATION_MATCHES = 4_000  # matches against each opponent to estimate the gain of a round
MAX_WEIGHTS_SHOWN = 30  # weights in the table of a report
ROLLOUT_BLOCK = 2_000  # deals per call; their views take 8 MB


@dataclass(frozen=True)
class TrainRequest(TrainingRequest):
    """A training of discard weights, with so many deals per round and opponent."""

    weights_file: Path  # the file that the strategy reads its weights from

    @classmethod
    def read(
        cls,
        strategy: str,
        variant: str,
        against: Sequence[str] = (),
        *,
        rounds: int = TRAINING_ROUNDS,
        deals: int | str = TRAINING_DEALS,
        confirmed: int | str = CONFIRMATION_MATCHES,
        seed: int = 1,
    ) -> TrainRequest:
        """Return the training that the strings describe.

        Args:
            strategy: Strategy with a trainable discard policy.
            variant: Two-player variant.
            against: Opponents, by default `simple`.
            rounds: Number of rounds.
            deals: Deals per round and opponent.
            confirmed: Matches of the confirmation.
            seed: Seed of the deals.

        Raises:
            TuneError: The strategy cannot be trained, or a request of its opponents is invalid.
            PlayerCountError: The variant is a solitaire game.
            AmountError: A number is invalid.
        """
        player, rules, pool = read_players(strategy, variant, against)
        confirming = read_matches(confirmed)
        policy = player.discard
        assert policy is not None, "the loader fills empty slots"
        feature_sampler(policy)  # raises for one that cannot be trained
        assert isinstance(policy.weights, Path), "the decorator asks for a file"
        start = np.array(list(policy.start.values()), np.float64)
        untrained = replace(player, discard=replace(policy, weights=start))
        n = parse_count(deals)
        training = f"training on {n} deals a round"
        match = TuneRequest(
            untrained,
            rules,
            pool,
            (),
            confirmed=confirming,
            seed=parse_seed(seed),
            training=training,
        )
        return cls(match, rounds, n, policy.weights)

    @property
    def n_pieces(self) -> int:
        """Number of progress steps: one per round and one for the confirmation."""
        return self.rounds + 1

    @property
    def policy(self) -> Policy:
        """The policy that is trained, with its initial weights."""
        policy = self.match.strategy.discard
        assert policy is not None, "the loader fills empty slots"
        return policy

    @property
    def initial_weights(self) -> np.ndarray:
        """The weights before the training."""
        return np.array(list(self.policy.start.values()), np.float64)

    def with_weights(self, weights: np.ndarray) -> Strategy:
        """Return the strategy with other weights and its own canonical name."""
        return replace(self.match.strategy, discard=replace(self.policy, weights=weights))

    def renamed_with_weights(self, weights: np.ndarray) -> Strategy:
        """Return the strategy with other weights and a distinct name, as it plays the start."""
        digest = hashlib.sha256(weights.tobytes()).hexdigest()
        player = self.with_weights(weights)
        return replace(player, spec=f"{player.spec} (trained, {digest[:8]})")


@dataclass(frozen=True, eq=False)
class TrainingRound:
    """The result of a round."""

    number: int  # from 1
    weights: np.ndarray
    n_decisions: int  # decisions whose discards were compared
    gain: Estimate  # gain over the initial weights, on the deals of the next round


def run_rounds(
    request: TrainRequest,
    ledger: Ledger,
    workers: int | None = None,
    piece_progress: improvement.PieceProgress = lambda place: None,
    on_round: Callable[[TrainingRound], None] = lambda played: None,
) -> list[TrainingRound]:
    """Return all rounds of a training, after playing those that the ledger does not have.

    Args:
        request: The training.
        ledger: Ledger of the training.
        workers: Number of worker threads.
        piece_progress: Function that returns the progress callback of a round, counted from 0.
        on_round: Callback that is called with every round.
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
        played = TrainingRound(number, weights, int(result["questions"]), Estimate(*result["gain"]))
        rounds.append(played)
        on_round(played)
    return rounds


def round_to_float32(weights: np.ndarray) -> np.ndarray:
    """Return weights with the precision of the output file, independent of rounding errors."""
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
    every = add_sums(sums)
    learned = round_to_float32(fit_weights(every, weights))
    evaluation_seed = match.generation_seed(number + 1)
    players = [request.renamed_with_weights(learned), match.strategy]
    after, base = improvement.evaluate_strategies(
        match, players, evaluation_seed, EVALUATION_MATCHES, workers
    )
    gain = np.array(astuple(improvement.to_estimate(after - base)))
    return {"weights": learned, "questions": np.array(every.n_decisions), "gain": gain}


# Result


@dataclass(frozen=True)
class TrainingResult(Improvement):
    """The result of a training."""

    wording = improvement.TRAINING_WORDING
    training: TrainRequest
    rounds: Sequence[TrainingRound]
    weights: np.ndarray

    @property
    def parameters(self) -> Frame:
        """The weights: number, start, trained."""
        learned = zip(self.training.policy.start.items(), self.weights, strict=True)
        return build_frame(
            "weights",
            [{"number": name, "start": start, "trained": now} for (name, start), now in learned],
        )

    def file_content(self, command: str) -> bytes:
        """Return the weights, followed by the command and the gain as remarks."""
        return improvement.encode_weights(self.weights, command, *self.sentences)

    def frames(self) -> Mapping[str, Frame]:
        """Return the DataFrames by name."""
        rounds = []
        for played in self.rounds:
            gain = {"gain": played.gain.value, "low": played.gain.low, "high": played.gain.high}
            rounds.append({"round": played.number, "questions": played.n_decisions, **gain})
        return {
            "parameters": self.parameters,
            "rounds": build_frame("rounds", rounds),
            "confirmation": self.table,
        }

    def display_tables(self) -> list[Table]:
        """Return the tables of the rounds and of the first weights."""
        rounds = self.frames()["rounds"].rename(columns={"gain": "value"})
        gain = Column("value", "gain", factor=self.request.metric.display_factor)
        columns = (Column("round", "round"), Column("questions", "questions"), gain)
        weights = self.parameters[:MAX_WEIGHTS_SHOWN]
        weights_text = weights.assign(trained=[f"{weight:.3g}" for weight in weights["trained"]])
        note = "The card with the least sum of weights times numbers is thrown; sums are points."
        if len(self.weights) > MAX_WEIGHTS_SHOWN:
            note = f"The first {MAX_WEIGHTS_SHOWN} of {len(self.weights)}. {note}"
        named = [Column(name, name) for name in ("number", "start", "trained")]
        return [
            Table("Rounds: matches won more than at the start [%]", rounds, columns),
            Table("Weights", weights_text, named, note),
        ]

    @property
    def method(self) -> str:
        """A sentence on how the training was made."""
        training = self.training
        return (
            f"{training.rounds} rounds of {training.deals:,} deals against every opponent, each "
            "with the weights of the round before; the mean of the later half of them."
        )


def run_training(
    training: TrainRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    run_ledger: Ledger | None = None,
) -> TrainingResult:
    """Train and confirm; steps in the ledger are not played again.

    Args:
        training: The training.
        workers: Number of worker threads.
        on_progress: Callback for the progress of the rounds and the confirmation together.
        run_ledger: Ledger of the training; None for a ledger in memory.
    """
    if run_ledger is None:
        with open_ledger(None, training.identity) as memory:
            return run_training(training, workers, on_progress, run_ledger=memory)
    lines: list[str] = []
    piece_progress = improvement.share_pieces(
        on_progress, training.n_pieces, lambda: "\n".join(lines)
    )

    def record_round(played: TrainingRound) -> None:
        lines.append(_round_line(training, played))

    rounds = run_rounds(training, run_ledger, workers, piece_progress, record_round)
    later = rounds[len(rounds) // 2 :]
    weights = round_to_float32(np.mean([played.weights for played in later], axis=0))
    strategy = training.renamed_with_weights(weights)
    last = piece_progress(training.rounds)
    confirmation = improvement.confirm(training.match, strategy, run_ledger, workers, last)
    return TrainingResult(training.match, strategy, confirmation, training, rounds, weights)


def plan_sentence(training: TrainRequest) -> str:
    """Return sentences on what will be played."""
    match = training.match
    return (
        f"{training.rounds} rounds of {training.deals:,} deals against {match.opponent_list} "
        f"({match.variant.spec}): each is played on with several discards, and what they lead to "
        f"teaches {len(training.initial_weights)} weights. Then {match.confirmed:,} matches on "
        f"{TrainingResult.wording.held_out} confirm what was learned."
    )


def _round_line(training: TrainRequest, result: TrainingRound) -> str:
    """Return a line with the gain of a round."""
    gain = improvement.format_interval(training.match, result.gain)
    return (
        f"round {result.number} of {training.rounds}: gain {gain} % of the matches, from "
        f"{result.n_decisions:,} questions"
    )


# Features of discards and their regression


MAX_ALTERNATIVES = 5  # discards per decision that are rolled out
FEATURE_MARGIN = 16  # extra features, which stay 0 unless a function writes too many
PRIOR_DECISIONS = 300  # decisions that the previous weights count for, as a prior
ILLEGAL_COST = 1e300  # cost of cards that may not be discarded

# Policies and their features are compiled together, so mypy sees them untyped.
# mypy: disable-error-code="no-untyped-def"


# Regression
#
# The rollouts of one decision start from the same world and share its luck. Features and points
# are therefore centred per decision: only differences between its discards count.


@dataclass(frozen=True, eq=False)
class RegressionSums:
    """Least-squares sums of decisions, by feature."""

    squares: np.ndarray  # (n_features, n_features) float64
    products: np.ndarray  # (n_features,) float64
    n_decisions: int


def regression_sums(
    features: np.ndarray, points: np.ndarray, tried: np.ndarray, multiplicity: np.ndarray
) -> RegressionSums:
    """Return the least-squares sums of decisions.

    Args:
        features: Features, (n_decisions, n_discards, n_features) float64.
        points: Points after each discard, (n_decisions, n_discards) float64.
        tried: True for discards that were rolled out, (n_decisions, n_discards) bool.
        multiplicity: Number of decisions of its deal that each was drawn from, (n_decisions,)
            int64.

    Returns:
        The sums.
    """
    x = center_by_decision(features, tried[..., None])
    y = center_by_decision(points, tried)
    rows = x.reshape(-1, features.shape[2])
    weighted = (multiplicity[:, None, None] * x).reshape(rows.shape)
    costs = -y.ravel()  # weights are costs: the policy discards the cheapest card
    return RegressionSums(weighted.T @ rows, weighted.T @ costs, len(features))


def add_sums(parts: Sequence[RegressionSums]) -> RegressionSums:
    """Return the total of several sums, added in their order."""
    total, *others = parts
    for part in others:
        total = RegressionSums(
            total.squares + part.squares,
            total.products + part.products,
            total.n_decisions + part.n_decisions,
        )
    return total


def fit_weights(sums: RegressionSums, previous: np.ndarray) -> np.ndarray:
    """Return the weights that fit best, with the previous weights as a prior.

    The previous weights count as PRIOR_DECISIONS further decisions for each feature. The result
    therefore does not depend on units of measurement, and a feature that never differed between two
    discards keeps its weight.

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
    """Return numbers minus the mean of their decision; 0 for discards that were not tried.

    The result is exactly 0 if all numbers are equal, because a rounding error would count as a
    difference.
    """
    offsets = numbers - numbers[:, :1]  # the first is always tried
    tried_offsets = np.where(tried, offsets, 0)
    mean = tried_offsets.sum(axis=1, keepdims=True) / tried.sum(axis=1, keepdims=True)
    return np.where(tried, tried_offsets - mean, 0)


# Sampling


@dataclass(frozen=True)
class FeatureSampler:
    """The rollouts and features of the discards of a policy."""

    policy: Policy
    select_discards: Policy  # returns the cheapest discards as bits
    write_features: Callable[..., None]  # (views, actions, rules, features) writes the features

    def sample(self, matchup: Matchup, first_deal: int, n_deals: int) -> RegressionSums:
        """Roll out deals of a matchup and return their regression sums.

        Raises:
            TuneError: The features are not valid.
        """
        branches = roll_out_deals(
            matchup, self.select_discards, first_deal, n_deals, MAX_ALTERNATIVES
        )
        numbers = self._features(branches, build_rules(matchup.variant))
        won = branches.records["points_a"] - branches.records["points_b"]
        return regression_sums(numbers, won.astype(float), branches.is_tried, branches.weights)

    def _features(self, branches: PairedRollouts, rules: Any) -> np.ndarray:
        """Return the features of every discard, (n_decisions, n_discards, n_features) float64."""
        size = len(self.policy.start)
        numbers = np.zeros((*branches.actions.shape, size + FEATURE_MARGIN))
        self.write_features(branches.views, branches.actions, rules, numbers)
        where = self.policy.source_file.name
        if numbers[:, :, size:].any():
            raise TuneError(
                f"describe in {where} writes more numbers than the {size} that start names; name "
                "each with the weight that it starts from."
            )
        return numbers[:, :, :size]


def feature_sampler(policy: Policy) -> FeatureSampler:
    """Return the sampler of a discard policy.

    Raises:
        TuneError: The policy has no features, or they cannot be compiled.
    """
    where = f"the discard policy {policy.name!r} in {policy.source_file.name}"
    if policy.describe is None:
        raise TuneError(
            f"{where} does not say what it weighs; give it describe, a function that writes the "
            'numbers of a discard, and start, their weights: @discard(weights="mine.npy", '
            'describe=describe, start={"deadwood left": 1}).'
        )
    if not jit.is_interpreted() and not hasattr(policy.describe, "py_func"):
        raise TuneError(f"{where} has a plain function as describe; write @helper above it.")
    describe = policy.describe
    return FeatureSampler(
        policy, _cheapest_discards(describe, len(policy.start)), _feature_writer(describe)
    )


@cache
def _cheapest_discards(describe: Callable[..., None], size: int) -> Policy:
    """Return a policy that selects the discards of lowest cost, at most MAX_ALTERNATIVES."""
    n_slots = size + FEATURE_MARGIN

    @discard
    def cheapest(view, rules, params):
        first = len(params) - size  # parameters can precede the weights
        prices = np.full(52, ILLEGAL_COST)
        for card in range(52):
            if view.legal >> card & 1:
                numbers = np.zeros(n_slots)
                describe(view, rules, card, numbers)
                prices[card] = 0.0
                for k in range(size):
                    prices[card] += params[first + k] * numbers[k]
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
    """Return a compiled function that writes the features of all discards."""

    @helper
    def write(views, answers, rules, numbers):
        for i in range(len(views)):
            for k in range(answers.shape[1]):
                if answers[i, k] >= 0:
                    describe(views[i], rules, answers[i, k], numbers[i, k])

    writer: Callable[..., None] = write
    return writer

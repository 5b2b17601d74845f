"""Training of discard weights: paired rollouts and a regression on features of discards.

Every round plays with the weights of the previous round, so that discards are evaluated by a player
that is already better. The weights of a round depend only on the seed and the rounds before. An
interrupted training therefore resumes from its ledger and gives the same result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import jit
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress, over_units, share
from simgin.play.rollout import Branches, branch_deals
from simgin.report.progress import OnProgress
from simgin.report.table import Column, Table
from simgin.rules.build import build_rules
from simgin.runs.ledger import Ledger
from simgin.runs.manifest import run_identity
from simgin.stats.estimate import Estimate
from simgin.stats.table import Frame, frame_of
from simgin.strategy import Policy, Strategy, discard, helper
from simgin.text.amounts import parse_count, parse_seed
from simgin.tune import found
from simgin.tune.found import Found
from simgin.tune.search import LIMITS
from simgin.tune.tune_request import CONFIRMED, TuneError, TuneRequest, read_matches, read_players

ROUNDS = 8
DEALS = 20_000  # deals per round and opponent
WATCHED = 4_000  # matches against each opponent to estimate the gain of a round
SHOWN = 30  # weights in the table of a report
BLOCK = 2_000  # deals per call; their views take 8 MB


@dataclass(frozen=True)
class TrainRequest:
    """A training of discard weights."""

    match: TuneRequest  # strategy with its initial weights, opponents and confirmation
    rounds: int
    deals: int  # deals per round and opponent
    named: Path  # the file that the strategy reads its weights from

    @classmethod
    def read(
        cls,
        strategy: str,
        variant: str,
        against: Sequence[str] = (),
        *,
        rounds: int = ROUNDS,
        deals: int | str = DEALS,
        confirmed: int | str = CONFIRMED,
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
            SeatError: The variant is a solitaire game.
            AmountError: A number is invalid.
        """
        player, rules, pool = read_players(strategy, variant, against)
        confirming = read_matches(confirmed)
        policy = player.discard
        assert policy is not None, "the loader fills empty slots"
        lessons(policy)  # raises for one that cannot be trained
        assert isinstance(policy.weights, Path), "the decorator asks for a file"
        start = np.array(list(policy.start.values()), np.float64)
        untrained = replace(player, discard=replace(policy, weights=start))
        match = TuneRequest(untrained, rules, pool, (), confirmed=confirming, seed=parse_seed(seed))
        return cls(match, rounds, parse_count(deals), policy.weights)

    @property
    def pieces(self) -> int:
        """The number of parts of the work: the rounds and the confirmation."""
        return self.rounds + 1

    @property
    def policy(self) -> Policy:
        """The policy that is trained, with its initial weights."""
        policy = self.match.strategy.discard
        assert policy is not None, "the loader fills empty slots"
        return policy

    @property
    def start(self) -> np.ndarray:
        """The weights before the training."""
        return np.array(list(self.policy.start.values()), np.float64)

    def with_weights(self, weights: np.ndarray) -> Strategy:
        """Return the strategy with other weights and its own canonical name."""
        return replace(self.match.strategy, discard=replace(self.policy, weights=weights))

    def trained(self, weights: np.ndarray) -> Strategy:
        """Return the strategy with other weights and a distinct name, as it plays the start."""
        digest = hashlib.sha256(weights.tobytes()).hexdigest()
        player = self.with_weights(weights)
        return replace(player, text=f"{player.text} (trained, {digest[:8]})")

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that must not change when a training is resumed."""
        matchups = self.match.matchups(self.match.strategy, self.match.seed)
        return run_identity(matchups, search=f"training on {self.deals} deals a round")


@dataclass(frozen=True, eq=False)
class Round:
    """The result of a round."""

    number: int  # from 1
    weights: np.ndarray
    questions: int  # decisions whose discards were compared
    gain: Estimate  # gain over the initial weights, on the deals of the next round


def train(
    request: TrainRequest,
    ledger: Ledger,
    workers: int | None = None,
    part: found.Parts = lambda place: None,
    see: Callable[[Round], None] = lambda played: None,
) -> list[Round]:
    """Return all rounds of a training, after playing those that the ledger does not have.

    Args:
        request: The training.
        ledger: Ledger of the training.
        workers: Number of worker threads.
        part: Function that returns the progress callback of a round, counted from 0.
        see: Callback that is called with every round.
    """
    taught = lessons(request.policy)
    weights = request.start
    rounds = []
    for number in range(1, request.rounds + 1):
        result = found.kept_step(
            ledger,
            f"round {number}",
            request.deals,
            {"weights": weights.shape, "questions": (), "gain": (LIMITS,)},
            partial(_play, request, taught, number, weights, workers, part(number - 1)),
        )
        weights = result["weights"]
        played = Round(number, weights, int(result["questions"]), Estimate(*result["gain"]))
        rounds.append(played)
        see(played)
    return rounds


def rounded(weights: np.ndarray) -> np.ndarray:
    """Return weights with the precision of the output file, independent of rounding errors."""
    return weights.astype(np.float32).astype(np.float64)


def _play(
    request: TrainRequest,
    taught: Lessons,
    number: int,
    weights: np.ndarray,
    workers: int | None,
    progress: Progress | None,
) -> dict[str, np.ndarray]:
    """Play a round with the weights of the previous round, and fit new weights."""
    match = request.match
    player = request.with_weights(weights)
    sums = []
    for place, opponent in enumerate(match.pool):
        matchup = Matchup(match.variant, player, opponent, match.generation_seed(number), "deal")
        kernel.prepare(matchup)
        part = share(progress, place, len(match.pool))
        sums += over_units(partial(taught.learn, matchup), request.deals, BLOCK, workers, part)
    every = added(sums)
    learned = rounded(solve(every, weights))
    fresh = match.generation_seed(number + 1)
    players = [request.trained(learned), match.strategy]
    after, base = found.worths(match, players, fresh, WATCHED, workers)
    gain = np.array(astuple(found.estimate(after - base)))
    return {"weights": learned, "questions": np.array(every.questions), "gain": gain}


# Result


@dataclass(frozen=True)
class Trained(Found):
    """The result of a training."""

    words = found.TRAINING
    training: TrainRequest
    rounds: Sequence[Round]
    weights: np.ndarray

    @property
    def identity(self) -> Mapping[str, Any]:
        """See `simgin.report.report.Result`."""
        return self.training.identity

    @property
    def parameters(self) -> Frame:
        """The weights: number, start, trained."""
        learned = zip(self.training.policy.start.items(), self.weights, strict=True)
        return frame_of(
            [{"number": name, "start": start, "trained": now} for (name, start), now in learned]
        )

    def file(self, command: str) -> bytes:
        """Return the weights, followed by the command and the gain as remarks."""
        return found.saved(self.weights, command, *self.sentences)

    def frames(self) -> Mapping[str, Frame]:
        """Return the DataFrames by name."""
        rounds = []
        for played in self.rounds:
            gain = {"gain": played.gain.value, "low": played.gain.low, "high": played.gain.high}
            rounds.append({"round": played.number, "questions": played.questions, **gain})
        return {
            "parameters": self.parameters,
            "rounds": frame_of(rounds),
            "confirmation": self.table,
        }

    def shown(self) -> list[Table]:
        """Return the tables of the rounds and of the first weights."""
        rounds = self.frames()["rounds"].rename(columns={"gain": "value"})
        gain = Column("value", "gain", factor=self.request.metric.factor)
        columns = (Column("round", "round"), Column("questions", "questions"), gain)
        weights = self.parameters[:SHOWN]
        told = weights.assign(trained=[f"{weight:.3g}" for weight in weights["trained"]])
        note = "The card with the least sum of weights times numbers is thrown; sums are points."
        if len(self.weights) > SHOWN:
            note = f"The first {SHOWN} of {len(self.weights)}. {note}"
        named = [Column(name, name) for name in ("number", "start", "trained")]
        return [
            Table("Rounds: matches won more than at the start [%]", rounds, columns),
            Table("Weights", told, named, note),
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
    run_ledger: Ledger,
) -> Trained:
    """Train and confirm; steps in the ledger are not played again.

    Args:
        training: The training.
        workers: Number of worker threads.
        on_progress: Callback for the progress of the rounds and the confirmation together.
        run_ledger: Ledger of the training.
    """
    lines: list[str] = []
    part = found.share_pieces(on_progress, training.pieces, lambda: "\n".join(lines))

    def see(played: Round) -> None:
        lines.append(_round_line(training, played))

    rounds = train(training, run_ledger, workers, part, see)
    later = rounds[len(rounds) // 2 :]
    weights = rounded(np.mean([played.weights for played in later], axis=0))
    strategy = training.trained(weights)
    last = part(training.rounds)
    confirmation = found.confirm(training.match, strategy, run_ledger, workers, last)
    return Trained(training.match, strategy, confirmation, training, rounds, weights)


def plan_sentence(training: TrainRequest) -> str:
    """Return sentences on what will be played."""
    match = training.match
    return (
        f"{training.rounds} rounds of {training.deals:,} deals against {match.opponents} "
        f"({match.variant.text}): each is played on with several discards, and what they lead to "
        f"teaches {len(training.start)} weights. Then {match.confirmed:,} matches on "
        f"{Trained.words.unseen} confirm what was learned."
    )


def _round_line(training: TrainRequest, played: Round) -> str:
    """Return a line with the gain of a round."""
    gain = found.interval(training.match, played.gain)
    return (
        f"round {played.number} of {training.rounds}: gain {gain} % of the matches, from "
        f"{played.questions:,} questions"
    )


# Features of discards and their regression


TRIED = 5  # discards per decision that are rolled out
MARGIN = 16  # extra features, which stay 0 unless a function writes too many
HELD = 300  # decisions that the previous weights count for, as a prior
FAR = 1e300  # cost of cards that may not be discarded

# Policies and their features are compiled together, so mypy sees them untyped.
# mypy: disable-error-code="no-untyped-def"


# Regression
#
# The rollouts of one decision start from the same world and share its luck. Features and points
# are therefore centred per decision: only differences between its discards count.


@dataclass(frozen=True, eq=False)
class Sums:
    """Least-squares sums of decisions, by feature."""

    squares: np.ndarray  # (n_features, n_features) float64
    products: np.ndarray  # (n_features,) float64
    questions: int


def least_squares(
    numbers: np.ndarray, points: np.ndarray, tried: np.ndarray, stands_for: np.ndarray
) -> Sums:
    """Return the least-squares sums of decisions.

    Args:
        numbers: Features, (n_decisions, n_discards, n_features) float64.
        points: Points after each discard, (n_decisions, n_discards) float64.
        tried: True for discards that were rolled out, (n_decisions, n_discards) bool.
        stands_for: Number of decisions of its deal that each was drawn from, (n_decisions,) int64.

    Returns:
        The sums.
    """
    x = centred(numbers, tried[..., None])
    y = centred(points, tried)
    rows = x.reshape(-1, numbers.shape[2])
    weighted = (stands_for[:, None, None] * x).reshape(rows.shape)
    costs = -y.ravel()  # weights are costs: the policy discards the cheapest card
    return Sums(weighted.T @ rows, weighted.T @ costs, len(numbers))


def added(every: Sequence[Sums]) -> Sums:
    """Return the total of several sums, added in their order."""
    total, *others = every
    for one in others:
        total = Sums(
            total.squares + one.squares,
            total.products + one.products,
            total.questions + one.questions,
        )
    return total


def solve(sums: Sums, before: np.ndarray) -> np.ndarray:
    """Return the weights that fit best, with the previous weights as a prior.

    The previous weights count as PRIOR_DECISIONS further decisions for each feature. The result
    therefore does not depend on units of measurement, and a feature that never differed between two
    discards keeps its weight.

    Args:
        sums: Least-squares sums.
        before: Weights of the previous round, (n_features,) float64.

    Returns:
        Weights, (n_features,) float64.
    """
    ridge = HELD / max(1, sums.questions) * sums.squares.diagonal()
    held = np.where(ridge > 0, ridge, 1)
    missing = sums.products - sums.squares @ before
    return before + np.linalg.solve(sums.squares + np.diag(held), missing)


def centred(numbers: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Return numbers minus the mean of their decision; 0 for discards that were not tried.

    The result is exactly 0 if all numbers are equal, because a rounding error would count as a
    difference.
    """
    apart = numbers - numbers[:, :1]  # the first is always tried
    kept = np.where(tried, apart, 0)
    mean = kept.sum(axis=1, keepdims=True) / tried.sum(axis=1, keepdims=True)
    return np.where(tried, kept - mean, 0)


# Sampling


@dataclass(frozen=True)
class Lessons:
    """The rollouts and features of the discards of a policy."""

    policy: Policy
    try_few: Policy  # returns the cheapest discards as bits
    write: Callable[..., None]  # (views, actions, rules, features) writes the features

    def learn(self, matchup: Matchup, first: int, deals: int) -> Sums:
        """Roll out deals of a matchup and return their regression sums.

        Raises:
            TuneError: The features are not valid.
        """
        branches = branch_deals(matchup, self.try_few, first, deals, TRIED)
        numbers = self._numbers(branches, build_rules(matchup.variant))
        won = branches.records["points_a"] - branches.records["points_b"]
        return least_squares(numbers, won.astype(float), branches.tried, branches.weights)

    def _numbers(self, branches: Branches, rules: Any) -> np.ndarray:
        """Return the features of every discard, (n_decisions, n_discards, n_features) float64."""
        size = len(self.policy.start)
        numbers = np.zeros((*branches.answers.shape, size + MARGIN))
        self.write(branches.views, branches.answers, rules, numbers)
        where = self.policy.source.name
        if numbers[:, :, size:].any():
            raise TuneError(
                f"describe in {where} writes more numbers than the {size} that start names; name "
                "each with the weight that it starts from."
            )
        return numbers[:, :, :size]


def lessons(policy: Policy) -> Lessons:
    """Return the sampler of a discard policy.

    Raises:
        TuneError: The policy has no features, or they cannot be compiled.
    """
    where = f"the discard policy {policy.name!r} in {policy.source.name}"
    if policy.describe is None:
        raise TuneError(
            f"{where} does not say what it weighs; give it describe, a function that writes the "
            'numbers of a discard, and start, their weights: @discard(weights="mine.npy", '
            'describe=describe, start={"deadwood left": 1}).'
        )
    if not jit.interpreted() and not hasattr(policy.describe, "py_func"):
        raise TuneError(f"{where} has a plain function as describe; write @helper above it.")
    describe = policy.describe
    return Lessons(policy, _cheapest(describe, len(policy.start)), _writer(describe))


@cache
def _cheapest(describe: Callable[..., None], size: int) -> Policy:
    """Return a policy that selects the discards of lowest cost, at most MAX_ALTERNATIVES."""
    room = size + MARGIN

    @discard
    def cheapest(view, rules, params):
        first = len(params) - size  # parameters can precede the weights
        prices = np.full(52, FAR)
        for card in range(52):
            if view.legal >> card & 1:
                numbers = np.zeros(room)
                describe(view, rules, card, numbers)
                prices[card] = 0.0
                for k in range(size):
                    prices[card] += params[first + k] * numbers[k]
        few = np.int64(0)
        for _ in range(TRIED):
            least = prices.argmin()
            if prices[least] < FAR:
                few |= 1 << least
                prices[least] = FAR
        return few

    policy: Policy = cheapest
    return policy


@cache
def _writer(describe: Callable[..., None]) -> Callable[..., None]:
    """Return a compiled function that writes the features of all discards."""

    @helper
    def write(views, answers, rules, numbers):
        for i in range(len(views)):
            for k in range(answers.shape[1]):
                if answers[i, k] >= 0:
                    describe(views[i], rules, answers[i, k], numbers[i, k])

    writer: Callable[..., None] = write
    return writer

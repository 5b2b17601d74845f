"""Training: rounds of deals branched at a discard, and a regression on the numbers of discards.

Every round is played with the weights of the round before, so that later discards are judged by
somebody who already plays better. The weights of a round depend on the seed and on those before
alone, so a training that was interrupted goes on from its ledger to the same end.
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
DEALS = 20_000  # branched in a round against each opponent
WATCHED = 4_000  # matches against each opponent that show what a round gained
SHOWN = 30  # weights at most in the table of a screen
BLOCK = 2_000  # deals branched in one call: their views take 8 MB


@dataclass(frozen=True)
class TrainRequest:
    """A training before it begins."""

    match: TuneRequest  # who is trained, from its start, against whom, and how it is confirmed
    rounds: int
    deals: int  # branched in a round against each opponent
    named: Path  # the file that the strategy reads its weights from

    @property
    def pieces(self) -> int:
        """Parts of the work: the rounds, and the confirmation."""
        return self.rounds + 1

    @property
    def policy(self) -> Policy:
        """The policy that learns, with its weights before any training."""
        policy = self.match.strategy.discard
        assert policy is not None, "the loader fills empty slots"
        return policy

    @property
    def start(self) -> np.ndarray:
        """The weights before any training."""
        return np.array(list(self.policy.start.values()), np.float64)

    def with_weights(self, weights: np.ndarray) -> Strategy:
        """The strategy with other weights, under its own text."""
        return replace(self.match.strategy, discard=replace(self.policy, weights=weights))

    def trained(self, weights: np.ndarray) -> Strategy:
        """The strategy with other weights, under a text of its own, as it meets the start."""
        digest = hashlib.sha256(weights.tobytes()).hexdigest()
        player = self.with_weights(weights)
        return replace(player, text=f"{player.text} (trained, {digest[:8]})")

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What may not change when a training is continued."""
        matchups = self.match.matchups(self.match.strategy, self.match.seed)
        return run_identity(matchups, search=f"training on {self.deals} deals a round")


@dataclass(frozen=True, eq=False)
class Round:
    """What a round came to."""

    number: int  # from 1
    weights: np.ndarray
    questions: int  # discards whose alternatives were compared
    gain: Estimate  # of its weights on the start, on the packs of the next round


def read_training(
    strategy: str,
    variant: str,
    against: Sequence[str] = (),
    *,
    rounds: int = ROUNDS,
    deals: int | str = DEALS,
    confirmed: int | str = CONFIRMED,
    seed: int = 1,
) -> TrainRequest:
    """The request that texts name; against: the opponents, by default simple.

    Raises TuneError, SeatError, AmountError and what the loaders of variants and strategies raise.
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
    return TrainRequest(match, rounds, parse_count(deals), policy.weights)


def train(
    request: TrainRequest,
    ledger: Ledger,
    workers: int | None = None,
    part: found.Parts = lambda place: None,
    see: Callable[[Round], None] = lambda played: None,
) -> list[Round]:
    """All rounds of a training; those in the ledger are not played again.

    part: takes the progress of each round, from 0. see: is shown every round.
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
    """Weights with the digits of a file, so that the last bits of the arithmetic do not count."""
    return weights.astype(np.float32).astype(np.float64)


def _play(
    request: TrainRequest,
    taught: Lessons,
    number: int,
    weights: np.ndarray,
    workers: int | None,
    progress: Progress | None,
) -> dict[str, np.ndarray]:
    """Play a round with the weights of the one before, and learn from it."""
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


# What came of it


@dataclass(frozen=True)
class Trained(Found):
    """What came of a training."""

    words = found.TRAINING
    training: TrainRequest
    rounds: Sequence[Round]
    weights: np.ndarray

    @property
    def parameters(self) -> Frame:
        """The weights: number, start, trained."""
        learned = zip(self.training.policy.start.items(), self.weights, strict=True)
        return frame_of(
            [{"number": name, "start": start, "trained": now} for (name, start), now in learned]
        )

    def file(self, command: str) -> bytes:
        """The weights, and behind them what made them and what they are worth."""
        return found.saved(self.weights, command, *self.sentences)

    def tables(self) -> Mapping[str, Frame]:
        """The frames of a training by the names of their files."""
        rounds = []
        for played in self.rounds:
            gain = {"gain": played.gain.value, "low": played.gain.low, "high": played.gain.high}
            rounds.append({"round": played.number, "questions": played.questions, **gain})
        return {
            "parameters.csv": self.parameters,
            "rounds.csv": frame_of(rounds),
            "confirmation.csv": self.table,
        }

    def shown(self) -> list[Table]:
        """The course, and the first weights; all are in the file."""
        rounds = self.tables()["rounds.csv"].rename(columns={"gain": "value"})
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
        """How the training was made."""
        training = self.training
        return (
            f"{training.rounds} rounds of {training.deals:,} deals against every opponent, each "
            "with the weights of the round before; the mean of the later half of them."
        )


def carry_out(
    training: TrainRequest,
    ledger: Ledger,
    workers: int | None = None,
    part: found.Parts = lambda place: None,
    see: Callable[[str], None] = lambda line: None,
) -> Trained:
    """Train and confirm; what is in the ledger is not played again.

    part: takes the progress of the rounds and of the confirmation, as pieces of the work. see: is
    shown a line for every round.
    """
    rounds = train(training, ledger, workers, part, lambda one: see(_round_line(training, one)))
    later = rounds[len(rounds) // 2 :]
    weights = rounded(np.mean([played.weights for played in later], axis=0))
    strategy = training.trained(weights)
    confirmation = found.confirm(training.match, strategy, ledger, workers, part(training.rounds))
    return Trained(training.match, strategy, confirmation, training, rounds, weights)


def plan_sentence(training: TrainRequest) -> str:
    """What will be played."""
    match = training.match
    return (
        f"{training.rounds} rounds of {training.deals:,} deals against {match.opponents} "
        f"({match.variant.text}): each is played on with several discards, and what they lead to "
        f"teaches {len(training.start)} weights. Then {match.confirmed:,} matches on "
        f"{Trained.words.unseen} confirm what was learned."
    )


def _round_line(training: TrainRequest, played: Round) -> str:
    """What a round gained, in a line."""
    gain = found.interval(training.match, played.gain)
    return (
        f"round {played.number} of {training.rounds}: gain {gain} % of the matches, from "
        f"{played.questions:,} questions"
    )


# What a round learns: the numbers of discards, and their least squares


TRIED = 5  # discards of a question that are played on
MARGIN = 16  # numbers beyond the last, which stay 0 unless a function writes too many
HELD = 300  # questions that the weights of the round before count for
FAR = 1e300  # the price of what is not legal

# Policies and what describes them are compiled together, so mypy sees them untyped.
# mypy: disable-error-code="no-untyped-def"


# Regression
#
# The discards of one question were played on in the same world, and share its luck. So what they
# share is taken out of both sides first: only differences between the discards of a question teach.


@dataclass(frozen=True, eq=False)
class Sums:
    """Least-squares sums of some questions, by number of a discard."""

    squares: np.ndarray  # float64 (numbers, numbers)
    products: np.ndarray  # float64 (numbers,)
    questions: int


def least_squares(
    numbers: np.ndarray, points: np.ndarray, tried: np.ndarray, stands_for: np.ndarray
) -> Sums:
    """Return the sums of some questions.

    numbers: float64 (questions, discards, numbers). points: what each discard led to, float64
    (questions, discards). tried: which of them are there, bool of that shape. stands_for: int64
    (questions,), how many questions of its deal each was drawn from.
    """
    x = centred(numbers, tried[..., None])
    y = centred(points, tried)
    rows = x.reshape(-1, numbers.shape[2])
    weighted = (stands_for[:, None, None] * x).reshape(rows.shape)
    costs = -y.ravel()  # a weight is a price: the cheapest discard is thrown
    return Sums(weighted.T @ rows, weighted.T @ costs, len(numbers))


def added(every: Sequence[Sums]) -> Sums:
    """The sums of all questions of some sums, added in their order."""
    total, *others = every
    for one in others:
        total = Sums(
            total.squares + one.squares,
            total.products + one.products,
            total.questions + one.questions,
        )
    return total


def solve(sums: Sums, before: np.ndarray) -> np.ndarray:
    """The weights that fit best, held by those of the round before: float64 (numbers,).

    They are held as if HELD more questions had confirmed each of them; so a unit of measurement
    changes nothing, and a number that never differed between two discards keeps its weight.
    """
    ridge = HELD / max(1, sums.questions) * sums.squares.diagonal()
    held = np.where(ridge > 0, ridge, 1)
    missing = sums.products - sums.squares @ before
    return before + np.linalg.solve(sums.squares + np.diag(held), missing)


def centred(numbers: np.ndarray, tried: np.ndarray) -> np.ndarray:
    """Numbers less the mean of what was tried at their question; 0 for what was not.

    Exactly 0 where all are equal: the least residue would be taken for a difference.
    """
    apart = numbers - numbers[:, :1]  # the first is always tried
    kept = np.where(tried, apart, 0)
    mean = kept.sum(axis=1, keepdims=True) / tried.sum(axis=1, keepdims=True)
    return np.where(tried, kept - mean, 0)


# Lessons


@dataclass(frozen=True)
class Lessons:
    """How the discards of one policy are tried and described."""

    policy: Policy
    try_few: Policy  # answers the cheapest discards, as bits
    write: Callable[..., None]  # (views, answers, rules, numbers): writes the numbers of each

    def learn(self, matchup: Matchup, first: int, deals: int) -> Sums:
        """Branch some deals of a matchup, and sum up what their discards led to.

        Raises TuneError for numbers that cannot be learned from.
        """
        branches = branch_deals(matchup, self.try_few, first, deals, TRIED)
        numbers = self._numbers(branches, build_rules(matchup.variant))
        won = branches.records["points_a"] - branches.records["points_b"]
        return least_squares(numbers, won.astype(float), branches.tried, branches.weights)

    def _numbers(self, branches: Branches, rules: Any) -> np.ndarray:
        """The numbers of every discard tried: float64 (questions, discards, numbers)."""
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
    """The lessons of a discard policy. TuneError if it does not say what it is to learn."""
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
    """The discards of least weighted sum, at most TRIED."""
    room = size + MARGIN

    @discard
    def cheapest(view, rules, params):
        first = len(params) - size  # parameters may stand before the weights
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
    """What writes the numbers of all discards of some questions."""

    @helper
    def write(views, answers, rules, numbers):
        for i in range(len(views)):
            for k in range(answers.shape[1]):
                if answers[i, k] >= 0:
                    describe(views[i], rules, answers[i, k], numbers[i, k])

    writer: Callable[..., None] = write
    return writer

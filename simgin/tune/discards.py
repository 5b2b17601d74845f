"""The discards that a training tries, their numbers, and what these gain, by regression."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from simgin.core import jit
from simgin.play.matchup import Matchup
from simgin.play.rollout import Branches, branch_deals
from simgin.rules.build import build_rules
from simgin.strategy import Policy, discard, helper
from simgin.tune.tune_request import TuneError

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


def least_squares(numbers: np.ndarray, points: np.ndarray, tried: np.ndarray) -> Sums:
    """The sums of some questions.

    numbers: float64 (questions, discards, numbers). points: what each discard led to, float64
    (questions, discards). tried: which of them are there, bool of that shape.
    """
    x = centred(numbers, tried[..., None])
    y = centred(points, tried)
    rows = x.reshape(-1, numbers.shape[2])
    costs = -y.ravel()  # a weight is a price: the cheapest discard is thrown
    return Sums(rows.T @ rows, rows.T @ costs, len(numbers))


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
        found = branch_deals(matchup, self.try_few, first, deals, TRIED)
        numbers = self._numbers(found, build_rules(matchup.variant))
        won = found.records["points_a"] - found.records["points_b"]
        return least_squares(numbers, won.astype(float), found.tried)

    def _numbers(self, found: Branches, rules: Any) -> np.ndarray:
        """The numbers of every discard tried: float64 (questions, discards, numbers)."""
        size = len(self.policy.start)
        numbers = np.zeros((*found.answers.shape, size + MARGIN))
        self.write(found.views, found.answers, rules, numbers)
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
        found = np.int64(0)
        for _ in range(TRIED):
            least = prices.argmin()
            if prices[least] < FAR:
                found |= 1 << least
                prices[least] = FAR
        return found

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

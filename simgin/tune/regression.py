"""What discards gain, regressed on their numbers.

The discards of one question were played on in the same world, and share its luck. So what they
share is taken out of both sides first: only differences between the discards of a question teach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

HELD = 300  # questions that the weights of the round before count for


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

"""Weighted least squares on cells, with a fixed effect of every question.

All answers to a question were played on in the same world. What they share is taken out by
subtracting the mean of the question from both sides (the within estimator). Errors are clustered by
question (White 1980), with the correction n / (n - 1) for a cell's effective number of questions
(Kish 1965).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

LEAST_MET = 30  # questions, without which a cell stays empty


@dataclass(frozen=True, eq=False)
class Regression:
    """What answers led to, regressed on their cells.

    cells: int64 (questions, answers), -1 for none. worth: float64 of the same shape, NaN where
    there is no answer. weights: int64 (questions,). size: how many cells there are. base: the cell
    that the others are compared with, where every answer has one.
    """

    cells: np.ndarray
    worth: np.ndarray
    weights: np.ndarray
    size: int
    base: int | None

    @cached_property
    def met(self) -> np.ndarray:
        """How many answers every cell met: int64 (cells,)."""
        return np.bincount(self.cells[self.cells >= 0], minlength=self.size)

    @cached_property
    def numbers(self) -> np.ndarray:
        """Of every cell the coefficient, its standard error and the effective number of questions.

        float64 (3, cells).
        """
        inverse, effective = self._inverse, self._effective
        values = inverse @ self._by_cell(self._weights * self._centred(self.worth))
        fitted = np.where(self.cells >= 0, values[self.cells], 0)
        scores = self._weights * self._centred(self.worth - fitted)
        variances = np.einsum("ij,jk,ki->i", inverse, self._by_two_cells(scores), inverse)
        return np.stack([values, np.sqrt(variances * effective / (effective - 1)), effective])

    @property
    def _inverse(self) -> np.ndarray:
        """The inverse of the sums of squares; 0 for the base and for cells hardly met."""
        shared = np.sqrt(self._weights / self._answers)
        squares = np.diag(self._by_cell(self._weights)) - self._by_two_cells(shared)
        used = (self.met >= LEAST_MET) & (np.arange(self.size) != self.base)
        inverse: np.ndarray = np.zeros_like(squares)
        inverse[np.ix_(used, used)] = np.linalg.pinv(squares[np.ix_(used, used)])
        return inverse

    @property
    def _effective(self) -> np.ndarray:
        """How many answers of equal weight those of every cell are worth, at least 2."""
        squares = np.maximum(self._by_cell(self._weights**2), 1)
        effective: np.ndarray = np.maximum(self._by_cell(self._weights) ** 2 / squares, 2)
        return effective

    @property
    def _weights(self) -> np.ndarray:
        """The weights as a column: float64 (questions, 1)."""
        weights: np.ndarray = self.weights[:, None].astype(float)
        return weights

    @cached_property
    def _tried(self) -> np.ndarray:
        """Which answers there are: bool (questions, answers)."""
        tried: np.ndarray = ~np.isnan(self.worth)
        return tried

    @property
    def _answers(self) -> np.ndarray:
        """The number of answers to every question, at least 1: int64 (questions, 1)."""
        answers: np.ndarray = np.maximum(self._tried.sum(axis=1, keepdims=True), 1)
        return answers

    @cached_property
    def _named(self) -> np.ndarray:
        """Which answers there are that have a cell: bool (questions, answers)."""
        named: np.ndarray = self._tried & (self.cells >= 0)
        return named

    def _centred(self, values: np.ndarray) -> np.ndarray:
        """Values of answers minus the mean of their question; 0 where there is no answer."""
        kept = np.where(self._tried, values, 0)
        mean = kept.sum(axis=1, keepdims=True) / self._answers
        return np.where(self._tried, kept - mean, 0)

    def _by_cell(self, values: np.ndarray) -> np.ndarray:
        """Sums of values of answers: float64 (cells,)."""
        values = np.broadcast_to(values, self.cells.shape)[self._named]
        return np.bincount(self.cells[self._named], values, self.size)

    def _by_two_cells(self, values: np.ndarray) -> np.ndarray:
        """Sums of products of every two answers to a question: float64 (cells, cells)."""
        values = np.broadcast_to(values, self.cells.shape)
        sums = np.zeros(self.size**2)
        for k, m in product(range(self.cells.shape[1]), repeat=2):
            both = self._named[:, k] & self._named[:, m]
            place = self.cells[both, k] * self.size + self.cells[both, m]
            sums += np.bincount(place, values[both, k] * values[both, m], self.size**2)
        return sums.reshape(self.size, self.size)

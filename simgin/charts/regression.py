"""Weighted least squares on cells, with a fixed effect of every decision.

All actions of a decision have rollouts in the same world. Subtracting the mean of the decision from
both sides removes what they share (the within estimator). Standard errors are clustered by decision
(White 1980), with the correction n / (n - 1) for the effective number of decisions of a cell (Kish
1965).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

LEAST_MET = 30  # per cell; a cell with fewer stays empty


@dataclass(frozen=True, eq=False)
class Regression:
    """Regression of the values of actions on their cells.

    Attributes:
        cells: int64 (n_decisions, n_actions), cell of each action, -1 for none.
        values: float64 (n_decisions, n_actions), NaN if there is no action.
        weights: int64 (n_decisions,).
        n_cells: Number of cells.
        baseline: Cell that is the baseline, if every action has a cell.
    """

    cells: np.ndarray
    worth: np.ndarray
    weights: np.ndarray
    size: int
    base: int | None

    @cached_property
    def met(self) -> np.ndarray:
        """Number of actions in every cell: int64 (n_cells,)."""
        return np.bincount(self.cells[self.cells >= 0], minlength=self.size)

    @cached_property
    def numbers(self) -> np.ndarray:
        """Coefficient, standard error and effective number of decisions of every cell.

        float64 (3, n_cells).
        """
        inverse, effective = self._inverse, self._effective
        values = inverse @ self._by_cell(self._weights * self._centred(self.worth))
        fitted = np.where(self.cells >= 0, values[self.cells], 0)
        scores = self._weights * self._centred(self.worth - fitted)
        variances = np.einsum("ij,jk,ki->i", inverse, self._by_two_cells(scores), inverse)
        return np.stack([values, np.sqrt(variances * effective / (effective - 1)), effective])

    @property
    def _inverse(self) -> np.ndarray:
        """Inverse of the matrix of sums of squares; 0 for the baseline and for rare cells."""
        shared = np.sqrt(self._weights / self._answers)
        squares = np.diag(self._by_cell(self._weights)) - self._by_two_cells(shared)
        used = (self.met >= LEAST_MET) & (np.arange(self.size) != self.base)
        inverse: np.ndarray = np.zeros_like(squares)
        inverse[np.ix_(used, used)] = np.linalg.pinv(squares[np.ix_(used, used)])
        return inverse

    @property
    def _effective(self) -> np.ndarray:
        """Effective number of decisions of every cell, at least 2."""
        squares = np.maximum(self._by_cell(self._weights**2), 1)
        effective: np.ndarray = np.maximum(self._by_cell(self._weights) ** 2 / squares, 2)
        return effective

    @property
    def _weights(self) -> np.ndarray:
        """Weights as a column: float64 (n_decisions, 1)."""
        weights: np.ndarray = self.weights[:, None].astype(float)
        return weights

    @cached_property
    def _tried(self) -> np.ndarray:
        """Mask of the existing actions: bool (n_decisions, n_actions)."""
        tried: np.ndarray = ~np.isnan(self.worth)
        return tried

    @property
    def _answers(self) -> np.ndarray:
        """Number of actions of every decision, at least 1: int64 (n_decisions, 1)."""
        answers: np.ndarray = np.maximum(self._tried.sum(axis=1, keepdims=True), 1)
        return answers

    @cached_property
    def _named(self) -> np.ndarray:
        """Mask of the existing actions with a cell: bool (n_decisions, n_actions)."""
        named: np.ndarray = self._tried & (self.cells >= 0)
        return named

    def _centred(self, values: np.ndarray) -> np.ndarray:
        """Subtract the mean of the decision from values of actions; 0 if there is no action."""
        kept = np.where(self._tried, values, 0)
        mean = kept.sum(axis=1, keepdims=True) / self._answers
        return np.where(self._tried, kept - mean, 0)

    def _by_cell(self, values: np.ndarray) -> np.ndarray:
        """Sum values of actions by cell: float64 (n_cells,)."""
        values = np.broadcast_to(values, self.cells.shape)[self._named]
        return np.bincount(self.cells[self._named], values, self.size)

    def _by_two_cells(self, values: np.ndarray) -> np.ndarray:
        """Sum products of all pairs of actions of a decision: float64 (n_cells, n_cells)."""
        values = np.broadcast_to(values, self.cells.shape)
        sums = np.zeros(self.size**2)
        for k, m in product(range(self.cells.shape[1]), repeat=2):
            both = self._named[:, k] & self._named[:, m]
            place = self.cells[both, k] * self.size + self.cells[both, m]
            sums += np.bincount(place, values[both, k] * values[both, m], self.size**2)
        return sums.reshape(self.size, self.size)

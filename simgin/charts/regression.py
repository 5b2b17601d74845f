"""Weighted least squares on chart cells, with a fixed effect for each decision.

All actions of a decision are rolled out with the same hidden cards. The within estimator subtracts
the mean of the decision from both sides of the regression, which removes the shared luck of the
actions. Standard errors are clustered by decision (White 1980). The correction n / (n - 1) uses the
effective number n of decisions in a cell (Kish 1965).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

MIN_DECISIONS = 30  # minimum number of decisions in a non-empty cell


@dataclass(frozen=True, eq=False)
class CellRegression:
    """Weighted regression that estimates the gain in each chart cell from action values.

    Attributes:
        action_cells: Cell of each action, or -1 if the action has no cell,
            (n_decisions, n_actions) int64.
        action_values: Value of each action, or NaN if there is no action, (n_decisions, n_actions)
            float64.
        decision_weights: Weight of each decision, (n_decisions,) int64.
        n_cells: Number of cells.
        baseline_cell: Baseline cell, or None if the baseline is an action without a cell.
    """

    action_cells: np.ndarray
    action_values: np.ndarray
    decision_weights: np.ndarray
    n_cells: int
    baseline_cell: int | None

    @cached_property
    def action_counts(self) -> np.ndarray:
        """Number of actions in each chart cell, (n_cells,) int64."""
        return np.bincount(self.action_cells[self.action_cells >= 0], minlength=self.n_cells)

    @cached_property
    def estimates(self) -> np.ndarray:
        """Coefficients, standard errors and effective sample sizes, (3, n_cells) float64."""
        matrix, effective_decisions = self._inverse_matrix, self._effective_counts
        coefficients = matrix @ self._sum_by_cell(
            self._weight_column * self._centre(self.action_values)
        )
        fitted_values = np.where(self.action_cells >= 0, coefficients[self.action_cells], 0)
        scores = self._weight_column * self._centre(self.action_values - fitted_values)
        variances = np.einsum("ij,jk,ki->i", matrix, self._sum_by_cell_pair(scores), matrix)
        standard_errors = np.sqrt(variances * effective_decisions / (effective_decisions - 1))
        return np.stack([coefficients, standard_errors, effective_decisions])

    @property
    def _inverse_matrix(self) -> np.ndarray:
        """Inverse of the regression matrix X'X, with zeros for the baseline and rare cells."""
        scaled_weights = np.sqrt(self._weight_column / self._n_actions)
        total_weights = np.diag(self._sum_by_cell(self._weight_column))
        cross_products = total_weights - self._sum_by_cell_pair(scaled_weights)
        is_estimated = (self.action_counts >= MIN_DECISIONS) & (
            np.arange(self.n_cells) != self.baseline_cell
        )
        estimated_cells = np.ix_(is_estimated, is_estimated)
        inverse_matrix: np.ndarray = np.zeros_like(cross_products)
        inverse_matrix[estimated_cells] = np.linalg.pinv(cross_products[estimated_cells])
        return inverse_matrix

    @property
    def _effective_counts(self) -> np.ndarray:
        """Effective number of decisions in each cell, at least 2 (Kish 1965)."""
        squared_weights = np.maximum(self._sum_by_cell(self._weight_column**2), 1)
        effective_counts = self._sum_by_cell(self._weight_column) ** 2 / squared_weights
        return np.asarray(np.maximum(effective_counts, 2))

    @property
    def _weight_column(self) -> np.ndarray:
        """Decision weights as a column vector, (n_decisions, 1) float64."""
        return np.asarray(self.decision_weights[:, None], float)

    @cached_property
    def _action_exists(self) -> np.ndarray:
        """Mask of the actions that exist at each decision, (n_decisions, n_actions) bool."""
        return np.asarray(~np.isnan(self.action_values))

    @property
    def _n_actions(self) -> np.ndarray:
        """Number of actions at each decision, at least 1, (n_decisions, 1) int64."""
        return np.asarray(np.maximum(self._action_exists.sum(axis=1, keepdims=True), 1))

    @cached_property
    def _has_cell(self) -> np.ndarray:
        """Mask of the actions that belong to a chart cell, (n_decisions, n_actions) bool."""
        return np.asarray(self._action_exists & (self.action_cells >= 0))

    def _centre(self, values: np.ndarray) -> np.ndarray:
        """Subtract the mean over all actions of a decision from the value of each action.

        If there is no action, the result is 0.
        """
        defined_values = np.where(self._action_exists, values, 0)
        mean = defined_values.sum(axis=1, keepdims=True) / self._n_actions
        return np.where(self._action_exists, defined_values - mean, 0)

    def _sum_by_cell(self, values: np.ndarray) -> np.ndarray:
        """Sum the values of actions in each cell, (n_cells,) float64."""
        values = np.broadcast_to(values, self.action_cells.shape)[self._has_cell]
        return np.bincount(self.action_cells[self._has_cell], values, self.n_cells)

    def _sum_by_cell_pair(self, values: np.ndarray) -> np.ndarray:
        """Sum the products of action values at each decision, by pair of cells."""
        values = np.broadcast_to(values, self.action_cells.shape)
        sums = np.zeros(self.n_cells**2)
        for k, m in product(range(self.action_cells.shape[1]), repeat=2):
            has_cells = self._has_cell[:, k] & self._has_cell[:, m]
            index = self.action_cells[has_cells, k] * self.n_cells + self.action_cells[has_cells, m]
            sums += np.bincount(index, values[has_cells, k] * values[has_cells, m], self.n_cells**2)
        return sums.reshape(self.n_cells, self.n_cells)

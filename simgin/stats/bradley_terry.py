"""Bradley and Terry's model, P(i beats j) = t_i / (t_i + t_j) (Biometrika 1952)."""

from __future__ import annotations

import numpy as np

ELO = 400 / np.log(10)  # Elo in a unit of log t, or of log odds
CONVERGED = 1e-9  # in log t
ITERATIONS = 100_000


def strengths(wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """log t, mean 0, for each of several tables: float64 (tables, k).

    wins[s, i, j] is what i won against j (float64 (tables, k, k)); in every table everybody is
    connected with everybody by results both ways. The iteration is
    t_i <- W_i / sum_j n_ij / (t_i + t_j) (Zermelo 1929; Hunter, Annals of Statistics 2004).
    """
    won = wins.sum(axis=2)
    games = wins + wins.transpose(0, 2, 1)
    log_t: np.ndarray = np.zeros(won.shape)
    if start is not None:
        log_t = log_t + start
    for _ in range(ITERATIONS):
        before = log_t
        t = np.exp(log_t)
        pair_strengths = t[:, :, None] + t[:, None, :]
        expected = games / pair_strengths
        won_per_t = expected.sum(axis=2)
        log_t = np.log(won) - np.log(won_per_t)
        log_t -= log_t.mean(axis=1, keepdims=True)
        if np.abs(log_t - before).max() < CONVERGED:
            break
    return log_t


def deviances(wins: np.ndarray, log_t: np.ndarray) -> np.ndarray:
    """The deviance of each of several tables from the model: float64 (tables,).

    Twice the log likelihood that the observed shares have more than the model's chances. A cell
    without wins counts like any other.
    """
    log_odds = log_t[:, :, None] - log_t[:, None, :]
    log_chances = -np.logaddexp(0, -log_odds)
    games = wins + wins.transpose(0, 2, 1)
    shares = np.ones_like(wins)
    np.divide(wins, games, out=shares, where=wins > 0)
    surplus = wins * (np.log(shares) - log_chances)
    return np.asarray(2 * surplus.sum(axis=(1, 2)))

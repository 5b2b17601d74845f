"""The equilibrium mix: the mixture of players that nobody beats.

Ratings average over whoever takes part: ten copies of a weak player raise whoever beats him. The
equilibrium of the game "choose a player" does not change when copies or weaker players join
(Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating evaluation", NeurIPS 2018).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simgin.stats.round_robin import ELO, RoundRobin

if TYPE_CHECKING:
    import pandas as pd

MIX_COLUMNS = (
    "strategy",
    *("mix", "mix_low", "mix_high"),
    *("elo_v_mix", "elo_v_mix_low", "elo_v_mix_high"),
)
SAMPLES = 200  # of the bootstrap: a linear program each
LIMITS = (2.5, 97.5)  # per cent of the samples
IN_PLAY = 1e-6  # whoever has less weight is not part of the mix


def equilibrium_mix(robin: RoundRobin) -> pd.DataFrame:
    """The weight of everyone in the mix, 0..1, and what everyone is worth against it in Elo.

    MIX_COLUMNS, in the order of names. The game is the table of log odds. Nobody has more than 0
    against the mix, and all who are part of it have 0. Weights jump from player to player, so their
    limits are those of 95 % of the bootstrap samples. Who never won against the mix has no limits:
    his Elo is that of half a win. NaN unless everyone met everyone, three at least, in enough
    batches.
    """
    import pandas as pd

    frame = pd.DataFrame({**dict.fromkeys(MIX_COLUMNS, np.nan), "strategy": robin.names})
    if not robin.is_complete or not robin.is_enough:
        return frame
    games = robin.log_odds[: SAMPLES + 1]
    mix, *sampled_mixes = map(equilibrium, games)
    mix_low, mix_high = np.percentile(sampled_mixes, LIMITS, axis=0)
    against = zip(games, [mix, *sampled_mixes], strict=True)
    elo, *sampled_elo = (ELO * (game @ weights) for game, weights in against)
    half = robin.half_width(np.array(sampled_elo))
    known = np.where(((robin.wins[0] @ mix) == 0) & (mix == 0), np.nan, half)
    return frame.assign(
        mix=mix,
        mix_low=mix_low,
        mix_high=mix_high,
        elo_v_mix=elo,
        elo_v_mix_low=elo - known,
        elo_v_mix_high=np.minimum(elo + known, 0),
    )


def equilibrium(game: np.ndarray) -> np.ndarray:
    """Weights, float64 (k,) of sum 1, with which no choice gains anything in a symmetric game.

    game[i, j] is what choice i gains from choice j, -game[j, i]: float64 (k, k). Of several
    equilibria it is the one of greatest entropy, in which equal choices have equal weights.
    """
    inner = _inner(game)
    in_play = inner > IN_PLAY
    weights = inner * in_play
    gains = game[:, in_play]
    among = gains[in_play]
    if np.linalg.matrix_rank(among) < len(among) - 1:
        weights[in_play] = _most_even(gains, weights[in_play])
    return np.asarray(weights / weights.sum())


def _inner(game: np.ndarray) -> np.ndarray:
    """An equilibrium in which whoever has no weight in it has none in any.

    Weights x >= 0 with game @ x <= 0 that make the least of x - game @ x as large as possible: in
    some equilibrium each choice has a weight, or else loses (Goldman and Tucker 1956).
    """
    from scipy.optimize import linprog

    k = len(game)
    column = np.ones((k, 1))
    objective = np.append(np.zeros(k), -1.0)
    nobody_gains = np.hstack([game, 0 * column])
    least = np.hstack([game - np.eye(k), column])
    sum_of_weights = np.append(np.ones(k), 0.0)
    solution = linprog(
        objective,
        A_ub=np.vstack([nobody_gains, least]),
        b_ub=np.zeros(2 * k),
        A_eq=sum_of_weights[None],
        b_eq=[1.0],
        bounds=(0, None),
    )
    return np.asarray(solution.x[:k])


def _most_even(game: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Of several equilibria the one of greatest entropy, from one with all weights above 0.

    game: what everybody gains from those in play, (k, in play).
    """
    from scipy.optimize import minimize

    def order(x: np.ndarray) -> float:
        return float(x @ np.log(x))

    def slope(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.log(x) + 1)

    nobody_gains = {"type": "ineq", "fun": lambda x: -game @ x, "jac": lambda x: -game}
    ones = np.ones_like(start)
    sum_is_one = {"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: ones}
    solution = minimize(
        order,
        start,
        jac=slope,
        bounds=[(IN_PLAY**2, 1)] * len(start),
        constraints=[nobody_gains, sum_is_one],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    return np.asarray(solution.x)

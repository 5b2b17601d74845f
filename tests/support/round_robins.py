"""Construct round robins with exact win rates, as batch rows."""

import itertools

import numpy as np

from simgin.core import batch_columns


def make_pairing(a, b, win_share, *, n_batches=10, n_pairs=500, rng=None):
    """Return the batch rows of a pairing in which `a` wins a proportion of the mirrored pairs."""
    rows = np.zeros((n_batches, batch_columns.N_COLUMNS), np.int64)
    won = round(win_share * n_pairs) if rng is None else rng.binomial(n_pairs, win_share, n_batches)
    rows[:, batch_columns.UNITS_COLUMN] = n_pairs
    (
        rows[:, batch_columns.WIN_RATE_HISTOGRAM_START],
        rows[:, batch_columns.WIN_RATE_HISTOGRAM_START + 4],
    ) = (n_pairs - won, won)
    return (a, b), rows


def make_round_robin(elo_by_player, **pairing_options):
    """Return the batch rows of a round robin between players with these Elo ratings."""
    return dict(
        make_pairing(
            a, b, 1 / (1 + 10 ** ((elo_by_player[b] - elo_by_player[a]) / 400)), **pairing_options
        )
        for a, b in itertools.combinations(elo_by_player, 2)
    )

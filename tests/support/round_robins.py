"""Constructed round robins: batch rows in which A wins a given proportion of pairs."""

import itertools

import numpy as np

from simgin.core import batch_columns


def make_pairing(a, b, share, *, batches=10, pairs=500, rng=None):
    """Return the rows of a pairing in which `a` wins both games of this proportion of pairs."""
    rows = np.zeros((batches, batch_columns.N_COLUMNS), np.int64)
    won = round(share * pairs) if rng is None else rng.binomial(pairs, share, batches)
    rows[:, batch_columns.COL_UNITS] = pairs
    (
        rows[:, batch_columns.COL_WIN_RATE_HISTOGRAM],
        rows[:, batch_columns.COL_WIN_RATE_HISTOGRAM + 4],
    ) = (pairs - won, won)
    return (a, b), rows


def make_round_robin(elo, **options):
    """Return a round robin of players with exactly these strengths."""
    return dict(
        make_pairing(a, b, 1 / (1 + 10 ** ((elo[b] - elo[a]) / 400)), **options)
        for a, b in itertools.combinations(elo, 2)
    )

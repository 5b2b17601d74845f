"""Round robins made for tests: batch rows in which A wins a given share of pairs."""

import itertools

import numpy as np

from simgin.core import batch_columns


def pairing(a, b, share, *, batches=10, pairs=500, rng=None):
    """A cell in which a wins this share of pairs: sweeps only, evenly over batches or by chance."""
    rows = np.zeros((batches, batch_columns.N_COLUMNS), np.int64)
    won = round(share * pairs) if rng is None else rng.binomial(pairs, share, batches)
    rows[:, batch_columns.COL_UNITS] = pairs
    rows[:, batch_columns.COL_PAIR_HISTOGRAM], rows[:, batch_columns.COL_PAIR_HISTOGRAM + 4] = (
        pairs - won,
        won,
    )
    return (a, b), rows


def field(elo, **how):
    """The round robin of players who have exactly these strengths."""
    return dict(
        pairing(a, b, 1 / (1 + 10 ** ((elo[b] - elo[a]) / 400)), **how)
        for a, b in itertools.combinations(elo, 2)
    )

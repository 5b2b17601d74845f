"""Packing: every array comes back, damage is noticed, and real rows shrink to a tenth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.runs.packing import UnpackError, pack, unpack

shapes = st.tuples(st.integers(1, 9), st.integers(1, 9))
tables = shapes.flatmap(lambda shape: arrays(np.int64, shape))


@given(tables)
def test_what_was_packed_comes_back(rows):
    back = unpack(pack(rows), rows.shape[1])
    assert back.dtype == np.int64 and (back == rows).all() and back.flags.writeable


def test_the_order_in_memory_does_not_matter():
    rows = np.arange(60).reshape(12, 5) << 40
    assert pack(np.asfortranarray(rows)) == pack(rows) == pack(rows.astype(">i8"))


def test_damage_is_noticed():
    blob = pack(np.arange(300).reshape(30, 10))
    for bad in (blob[:-9], blob[:40] + b"?" + blob[41:], b"", b"nonsense"):
        with pytest.raises(UnpackError):
            unpack(bad, 10)
    with pytest.raises(UnpackError, match="2400 bytes are no rows of 7 numbers"):
        unpack(blob, 7)


def test_batch_rows_shrink_to_a_tenth():
    rows = kernel.play(parse_matchup("gold", "simple", "standard", 1, "deal"), 0, 20_000)
    assert rows.shape == (20, sums.COLUMNS)
    assert len(pack(rows)) < rows.nbytes / 8  # of twenty rows; of hundreds, a tenth

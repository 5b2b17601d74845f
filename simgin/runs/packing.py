"""Batch rows and recorded deals as bytes: in the ledger, and on the way from a worker.

Numbers of one column are alike and small, so that most of their bytes are zero. Each column stands
by itself, and in it the lowest bytes of all numbers, then the second lowest, and so on, before zlib
compresses the whole: HDF5's shuffle filter. A batch row shrinks to a tenth.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

LEVEL = 1  # zlib's quickest: higher ones take many times as long and gain a few per cent
BYTES = 8  # of an int64

UnpackError = zlib.error  # what damaged bytes raise


def pack(rows: np.ndarray[Any, Any]) -> bytes:
    """An int64 array (rows, columns) as bytes. Compresses without the interpreter lock."""
    count, columns = rows.shape
    by_column = np.ascontiguousarray(rows.T, "<i8")
    numbers = by_column.view(np.uint8).reshape(columns, count, BYTES)
    planes = numbers.transpose(0, 2, 1)
    return zlib.compress(planes.tobytes(), LEVEL)


def unpack(blob: bytes, columns: int) -> np.ndarray[Any, Any]:
    """The array (rows, columns) that was packed. Raises UnpackError if the bytes are damaged."""
    raw = np.frombuffer(zlib.decompress(blob), np.uint8)
    if raw.size % (columns * BYTES):
        raise UnpackError(f"{raw.size} bytes are no rows of {columns} numbers")
    planes = raw.reshape(columns, BYTES, -1)
    numbers = np.array(planes.transpose(2, 0, 1), order="C")
    return numbers.view("<i8")[:, :, 0]

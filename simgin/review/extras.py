"""Extras: what the passes over a variant measured, and how the ledger keeps it as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from simgin.review.variant_matches import Measurement
from simgin.stats.quantity import Quantity

if TYPE_CHECKING:
    import pandas as pd

    from simgin.runs.steps import Arrays

# Names of arrays: what they belong to, its key, and the part of it
MEASURED = "measured"
REASON = "reason"
FRAME = "frame"
NOTE = "note"


@dataclass(frozen=True, eq=False)
class Extras:
    """Results of passes over one variant.

    measured: by the keys of rule metrics. frames: tidy frames by the names of their pictures.
    notes: sentences by their subject, on what could not be measured.
    """

    measured: Mapping[str, Measurement] = field(default_factory=dict)
    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)


def to_arrays(extras: Extras) -> Arrays:
    """Extras as arrays that keep every bit."""
    arrays: Arrays = {}
    for key, measurement in extras.measured.items():
        arrays |= _measurement_arrays(key, measurement)
    for name, frame in extras.frames.items():
        arrays |= _frame_arrays(name, frame)
    for subject, sentence in extras.notes.items():
        arrays[f"{NOTE} {subject}"] = np.array(sentence)
    return arrays


def _measurement_arrays(key: str, measurement: Measurement) -> Arrays:
    if isinstance(measurement, str):
        return {f"{REASON} {key}": np.array(measurement)}
    return {
        f"{MEASURED} {key} numbers": _numbers(measurement),
        f"{MEASURED} {key} moves": measurement.moves,
    }


def _frame_arrays(name: str, frame: pd.DataFrame) -> Arrays:
    arrays = {f"{FRAME} {name} columns": np.array(list(frame.columns), str)}
    for column, values in frame.items():
        is_text = values.dtype.kind not in "biuf"
        arrays[f"{FRAME} {name} {column}"] = values.to_numpy(str if is_text else None)
    return arrays


def from_arrays(arrays: Arrays) -> Extras:
    """The extras that `to_arrays` wrote, of one pass or of several over one variant."""
    measured: dict[str, Measurement] = {}
    frames: dict[str, pd.DataFrame] = {}
    notes: dict[str, str] = {}
    for name, array in arrays.items():
        kind, key, *part = name.split(" ")
        if kind == REASON:
            measured[key] = str(array)
        elif kind == NOTE:
            notes[key] = str(array)
        elif kind == MEASURED and part == ["numbers"]:
            measured[key] = _quantity(array, arrays[f"{MEASURED} {key} moves"])
        elif kind == FRAME and part == ["columns"]:
            frames[key] = _frame(key, array, arrays)
    return Extras(measured, frames, notes)


def _frame(name: str, columns: np.ndarray, arrays: Arrays) -> pd.DataFrame:
    import pandas as pd

    values = {column: arrays[f"{FRAME} {name} {column}"] for column in columns.tolist()}
    return pd.DataFrame(values, columns=list(values))


def _numbers(own: Quantity) -> np.ndarray:
    """The fields that a measured quantity has beside its moves; `span` is NaN without one."""
    span = own.span or (np.nan, np.nan)
    return np.array([own.value, own.n, own.batches, own.share, own.own_se, *span, own.case])


def _quantity(numbers: np.ndarray, moves: np.ndarray) -> Quantity:
    value, n, batches, share, own_se, low, high, case = numbers.tolist()
    span = None if np.isnan(low) else (low, high)
    return Quantity(value, int(n), moves, batches, bool(share), own_se, span, case)

"""Parquet file of recorded deals, one row per deal, for analyses beyond simgin's tables.

Requires pyarrow, which is installed with simgin[parquet]. Memory use does not depend on the number
of deals.
"""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import sums
from simgin.core.record import DEAL
from simgin.text.files import replacing

ABOUT = "One deal a row. Sides: A, B (of one player's games the joker or the clock), or empty."
ROWS = 1 << 17  # rows per group, which are in memory at the same time when writing and reading
WORDS = {
    "sides": {0: "A", 1: "B", -1: ""},
    "upcard": {0: "nondealer", 1: "dealer", 2: "neither", -1: ""},
    "outcomes": {-1: "", 0: "A", 1: "B", -2: "drawn", -3: "unfinished"},
    "kinds": dict(enumerate(sums.KINDS)),
}

# Variant, A, B (empty in solitaire games) and the array of deals
Batch = tuple[str, str, str, np.ndarray]


class RecordsError(ValueError):
    """Exception for records that cannot be written; the message suggests a fix."""


@cache
def columns() -> dict[str, dict[str, Any]]:
    """Return the columns of the file with their properties, as defined in deals.toml."""
    text = Path(__file__).with_name("deals.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def write(path: str | Path, batches: Iterable[Batch]) -> int:
    """Write deals to a Parquet file in the given order and return their number.

    Sides, outcomes and similar codes are written as words. An existing file is replaced after all
    deals have been written, and kept if an error occurs.

    Args:
        path: Path of the file.
        batches: Variant, A, B (empty in solitaire games) and the deals of every batch, as
            `(n_deals,)` arrays with the fields of `DEAL_RECORD`, from `kernel.play_with_records`.

    Raises:
        RecordsError: If pyarrow is missing or the file cannot be written.
    """
    arrow, parquet = _arrow()
    schema, written = _schema(arrow), 0
    try:
        with (
            replacing(Path(path)) as file,
            parquet.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            for table in _groups(arrow, schema, batches):
                writer.write_table(table, row_group_size=ROWS)
                written += table.num_rows
    except OSError as error:
        raise RecordsError(
            f"{path} cannot be written ({error.strerror or error}); name another file."
        ) from error
    return written


def check() -> None:
    """Raise RecordsError if pyarrow is missing; called before a long run."""
    _arrow()


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise RecordsError(
            "Records are written with pyarrow, which is not installed; install simgin[parquet]."
        ) from None
    return pyarrow, pyarrow.parquet


def _schema(arrow: Any) -> Any:
    word = arrow.dictionary(arrow.int8(), arrow.string())
    whole = {8: arrow.int8(), 16: arrow.int16(), 32: arrow.int32(), 64: arrow.int64()}
    fields = []
    kinds = {"texts": arrow.dictionary(arrow.int32(), arrow.string())} | dict.fromkeys(WORDS, word)
    for name, column in columns().items():
        kind = kinds[column["words"]] if "words" in column else whole[column.get("bits", 16)]
        about = {"description": column["about"]}
        fields.append(arrow.field(name, kind, nullable=False, metadata=about))
    return arrow.schema(fields, metadata={"description": ABOUT})


def _groups(arrow: Any, schema: Any, batches: Iterable[Batch]) -> Iterator[Any]:
    """Yield Arrow tables of about one row group, because small groups are slow to read."""
    waiting: list[Any] = []
    for *texts, rows in batches:
        for first in range(0, len(rows), ROWS):
            waiting.append(_table(arrow, schema, texts, rows[first : first + ROWS]))
            if sum(table.num_rows for table in waiting) >= ROWS:
                yield arrow.concat_tables(waiting).unify_dictionaries()
                waiting = []
    if waiting:
        yield arrow.concat_tables(waiting).unify_dictionaries()


def _table(arrow: Any, schema: Any, texts: list[str], rows: np.ndarray) -> Any:
    """Return the Arrow table of one batch; a value that does not fit its type is an error."""
    same = np.zeros(len(rows), np.int32)
    arrays = [arrow.DictionaryArray.from_arrays(same, [text]) for text in texts]
    for name in DEAL.names or ():
        numbers = np.ascontiguousarray(rows[name])
        if words := columns()[name].get("words"):
            arrays.append(_worded(arrow, numbers, WORDS[words]))
        else:
            arrays.append(arrow.array(numbers).cast(schema.field(name).type))
    return arrow.Table.from_arrays(arrays, schema=schema)


def _worded(arrow: Any, numbers: np.ndarray, words: dict[int, str]) -> Any:
    """Return an Arrow array with the word for each code."""
    known = np.array(sorted(words))
    places = np.searchsorted(known, numbers).clip(max=len(known) - 1)
    if (strange := numbers[known[places] != numbers]).size:
        raise ValueError(f"{strange[0]} stands for none of {', '.join(map(repr, words.values()))}.")
    return arrow.DictionaryArray.from_arrays(
        places.astype(np.int8), [words[int(number)] for number in known]
    )

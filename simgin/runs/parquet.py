"""Recorded deals as a Parquet file, one row per deal, for questions that no table answers.

Needs pyarrow, which comes with simgin[parquet]. Memory is bounded whatever the number of deals.
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
ROWS = 1 << 17  # of a row group: what is held in memory, and the least that a reader has to read
WORDS = {
    "sides": {0: "A", 1: "B", -1: ""},
    "upcard": {0: "nondealer", 1: "dealer", 2: "neither", -1: ""},
    "outcomes": {-1: "", 0: "A", 1: "B", -2: "drawn", -3: "unfinished"},
    "kinds": dict(enumerate(sums.KINDS)),
}

# Variant, A, B (empty for one player), and the rows of its deals
Batch = tuple[str, str, str, np.ndarray]


class RecordsError(ValueError):
    """Records that cannot be written; the message is a sentence with the remedy."""


@cache
def columns() -> dict[str, dict[str, Any]]:
    """The columns of the file, as deals.toml describes them."""
    text = Path(__file__).with_name("deals.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def write(path: str | Path, batches: Iterable[Batch]) -> int:
    """Write deals to a Parquet file, in the order given; returns how many.

    A batch is (variant, A, B, rows), rows `core.record.DEAL` (deals,) as from
    `kernel.play_recorded`; B is empty for one player. Sides and kinds become words. A file that is
    there is replaced once all is written, and kept if anything fails. Raises RecordsError where
    pyarrow is missing or the file cannot be written.
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
    """Raise RecordsError where records could not be written: to be asked before a long run."""
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
    """Tables of about one row group: a group of few rows would be slow to read."""
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
    """The rows of one batch as the file has them.

    A number that its type does not hold is an error, never cut.
    """
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
    """Numbers as the words they stand for."""
    known = np.array(sorted(words))
    places = np.searchsorted(known, numbers).clip(max=len(known) - 1)
    if (strange := numbers[known[places] != numbers]).size:
        raise ValueError(f"{strange[0]} stands for none of {', '.join(map(repr, words.values()))}.")
    return arrow.DictionaryArray.from_arrays(
        places.astype(np.int8), [words[int(number)] for number in known]
    )

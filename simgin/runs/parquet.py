"""Parquet files with one row per recorded deal, for custom analyses.

Writing these files requires pyarrow, which is installed with simgin[parquet]. Memory use does not
depend on the number of deals.
"""

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import batch_columns
from simgin.core.deal_record import DEAL_RECORD_DTYPE
from simgin.text.files import atomic_write
from simgin.text.messages import SimginError

FILE_DESCRIPTION = (
    "One row per deal. A side is A, B (in solitaire the joker or the clock), or empty."
)
# Number of rows per row group. Only one row group at a time is kept in memory.
ROWS_PER_GROUP = 1 << 17
WORDS_BY_CODE = {
    "sides": {0: "A", 1: "B", -1: ""},
    "upcard": {0: "nondealer", 1: "dealer", 2: "neither", -1: ""},
    "outcomes": {-1: "", 0: "A", 1: "B", -2: "drawn", -3: "unfinished"},
    "kinds": dict(enumerate(batch_columns.DEAL_RESULTS)),
}

# variant, strategy A, strategy B (empty in solitaire games) and array of deals
DealBatch = tuple[str, str, str, np.ndarray]


class RecordsError(SimginError):
    """Exception for recorded deals that cannot be written, with a suggested fix."""


@cache
def read_columns() -> dict[str, dict[str, Any]]:
    """Return the columns in a file of recorded deals, as defined in deals.toml."""
    toml_text = Path(__file__).with_name("deals.toml").read_text(encoding="utf-8")
    return tomllib.loads(toml_text)


def write_deals(path: str | Path, batches: Iterable[DealBatch]) -> int:
    """Write recorded deals to a Parquet file in order, and return the number of deals.

    Sides, outcomes and similar codes are written as words. If the file exists, it is replaced after
    all deals have been written.

    Args:
        path: Path of the file.
        batches: Variant, strategy A, strategy B (empty in solitaire games) and the deals of every
            batch. The deals are `(n_deals,)` arrays with the fields of `DEAL_RECORD_DTYPE`, from
            `kernel.play_with_records`.

    Raises:
        RecordsError: If pyarrow is missing or the file cannot be written.
    """
    pyarrow, parquet = import_pyarrow()
    schema, n_deals = _build_schema(pyarrow), 0
    try:
        with (
            atomic_write(Path(path)) as file,
            parquet.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            for table in _iter_row_groups(pyarrow, schema, batches):
                writer.write_table(table, row_group_size=ROWS_PER_GROUP)
                n_deals += table.num_rows
    except OSError as error:
        raise RecordsError(
            f"{path} cannot be written ({error.strerror or error}). Choose another file."
        ) from error
    return n_deals


def import_pyarrow() -> tuple[Any, Any]:
    """Return the modules pyarrow and pyarrow.parquet, or raise RecordsError if not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise RecordsError(
            "--record requires the package pyarrow. To install pyarrow, run: pip install "
            "'simgin[parquet]'"
        ) from None
    return pyarrow, pyarrow.parquet


def _build_schema(pyarrow: Any) -> Any:
    """Return the Arrow schema of a file of recorded deals."""
    word_type = pyarrow.dictionary(pyarrow.int8(), pyarrow.string())

    fields = []
    types_by_name = {
        "texts": pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    } | dict.fromkeys(WORDS_BY_CODE, word_type)
    for name, column in read_columns().items():
        if "words" in column:
            arrow_type = types_by_name[column["words"]]
        else:
            arrow_type = getattr(pyarrow, f"int{column.get('bits', 16)}")()
        metadata = {"description": column["about"]}
        fields.append(pyarrow.field(name, arrow_type, nullable=False, metadata=metadata))
    return pyarrow.schema(fields, metadata={"description": FILE_DESCRIPTION})


def _iter_row_groups(pyarrow: Any, schema: Any, batches: Iterable[DealBatch]) -> Iterator[Any]:
    """Yield Arrow tables of about one row group each, because small groups are slow to read."""
    pending_tables: list[Any] = []
    for *labels, rows in batches:
        for first_row in range(0, len(rows), ROWS_PER_GROUP):
            group = rows[first_row : first_row + ROWS_PER_GROUP]
            pending_tables.append(_to_arrow_table(pyarrow, schema, labels, group))
            if sum(table.num_rows for table in pending_tables) >= ROWS_PER_GROUP:
                yield pyarrow.concat_tables(pending_tables).unify_dictionaries()
                pending_tables = []
    if pending_tables:
        yield pyarrow.concat_tables(pending_tables).unify_dictionaries()


def _to_arrow_table(pyarrow: Any, schema: Any, labels: list[str], rows: np.ndarray) -> Any:
    """Return the Arrow table of a batch, or raise an error if a value is out of range."""
    zeros = np.zeros(len(rows), np.int32)
    arrays = [pyarrow.DictionaryArray.from_arrays(zeros, [label]) for label in labels]
    for name in DEAL_RECORD_DTYPE.names or ():
        codes = np.ascontiguousarray(rows[name])
        if words := read_columns()[name].get("words"):
            arrays.append(_decode_codes(pyarrow, codes, WORDS_BY_CODE[words]))
        else:
            arrays.append(pyarrow.array(codes).cast(schema.field(name).type))
    return pyarrow.Table.from_arrays(arrays, schema=schema)


def _decode_codes(pyarrow: Any, codes: np.ndarray, words: dict[int, str]) -> Any:
    """Convert integer codes to an Arrow array of words."""
    known_codes = np.array(sorted(words))
    indices = np.searchsorted(known_codes, codes).clip(max=len(known_codes) - 1)
    if (unknown_codes := codes[known_codes[indices] != codes]).size:
        raise ValueError(
            f"the code {unknown_codes[0]} does not represent any of these words: "
            f"{', '.join(map(repr, words.values()))}."
        )
    known_words = [words[int(code)] for code in known_codes]
    return pyarrow.DictionaryArray.from_arrays(indices.astype(np.int8), known_words)

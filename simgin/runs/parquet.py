"""Recorded deals as a Parquet file, one row per deal, for questions that no table answers.

Needs pyarrow, which comes with simgin[parquet]. Memory is bounded whatever the number of deals.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core import sums
from simgin.core.record import DEAL
from simgin.text.files import replacing

ABOUT = "One deal a row. Sides: A, B (of one player's games the joker or the clock), or empty."
ROWS = 1 << 17  # of a row group: what is held in memory, and the least that a reader has to read
SIDES = {0: "A", 1: "B", -1: ""}
UPCARD = {0: "nondealer", 1: "dealer", 2: "neither", -1: ""}
OUTCOMES = {-1: "", 0: "A", 1: "B", -2: "drawn", -3: "unfinished"}
KINDS = dict(enumerate(sums.KINDS))

Batch = tuple[
    str, str, str, np.ndarray
]  # variant, A, B (empty for one player), and the rows of its deals


class RecordsError(ValueError):
    """Records that cannot be written; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Column:
    """One column of the file: its type, or the words that numbers stand for, and what it says."""

    name: str
    about: str
    bits: int = 16  # of a signed integer
    words: dict[int, str] | None = None


TEXTS = (
    Column("variant", "The game, in its text form."),
    Column("a", "Strategy A, in its text form."),
    Column("b", "Strategy B; empty in games for one player."),
)
COLUMNS = (
    Column("unit", "Number of the pair, deal or match; with the seed it names the pack.", 64),
    Column("half", "Half of the pair, 0 or 1; in the other the strategies change seats.", 8),
    Column("deal", "Number of the deal in its match, from 0.", 32),
    Column("dealer", "Who deals.", words=SIDES),
    Column("kind", "How the deal ended.", words=KINDS),
    Column("winner", "Who won the deal; empty: nobody.", words=SIDES),
    Column("knocker", "Who ended the deal; empty: nobody.", words=SIDES),
    Column("points_a", "Points of A for the deal.", 32),
    Column("points_b", "Points of B, or of the joker, for the deal.", 32),
    Column("turns", "Turns of both players."),
    Column("upcard_to", "Who took the first upcard; empty: there was none.", words=UPCARD),
    Column("knock_count", "Deadwood of whoever ended the deal."),
    Column("defender_count", "Deadwood of the other side after laying off."),
    Column("defender_before", "Deadwood of the other side before laying off."),
    Column("laid_off", "Cards laid off.", 8),
    Column("dealt_a", "Deadwood of A as dealt."),
    Column("dealt_b", "Deadwood of B as dealt."),
    Column("takes_a", "Upcards and discards that A took."),
    Column("takes_b", "Upcards and discards that B took."),
    Column("draws_a", "Draws of A of both kinds."),
    Column("draws_b", "Draws of B of both kinds."),
    Column("multiplier", "What the score was multiplied by.", 32),
    Column("stake", "The number on the die when the deal was over.", 32),
    Column("owner", "Who owned the die then; empty: nobody.", words=SIDES),
    Column("pays", "Won deals or games that a refusal of the die brought.", 8),
    Column("score_a", "Points of A in the match before the deal.", 32),
    Column("score_b", "Points of B in the match before the deal.", 32),
    Column("deals_a", "Deals that A had won in the match before.", 32),
    Column("deals_b", "Deals that B had won in the match before.", 32),
    Column("games_a", "Games that A had won in the match before.", 32),
    Column("games_b", "Games that B had won in the match before.", 32),
    Column("outcome", "Who won the match (or single deal); empty: it goes on.", words=OUTCOMES),
)


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
    text = arrow.dictionary(arrow.int32(), arrow.string())
    whole = {8: arrow.int8(), 16: arrow.int16(), 32: arrow.int32(), 64: arrow.int64()}
    fields = []
    for column in (*TEXTS, *COLUMNS):
        kind = text if column in TEXTS else word if column.words else whole[column.bits]
        about = {"description": column.about}
        fields.append(arrow.field(column.name, kind, nullable=False, metadata=about))
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
    for column in COLUMNS:
        numbers = np.ascontiguousarray(rows[column.name])
        if column.words:
            arrays.append(_worded(arrow, numbers, column.words))
        else:
            arrays.append(arrow.array(numbers).cast(schema.field(column.name).type))
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


assert tuple(column.name for column in COLUMNS) == DEAL.names

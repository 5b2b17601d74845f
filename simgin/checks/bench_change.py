"""What changed in speed: figures of `simgin bench` against those of another installation.

An installation that is there is measured in turns with this one, each in processes of its own, so
that the machine's moods hit both; a file holds what another one measured at its time. Either way
ratios to the calibration kernel of the same process are compared, not seconds.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simgin.text.files import read_text

ROUNDS = 5  # turns of both installations
LEAST = 1e-12  # what no ratio falls below, nor its reciprocal
THIS = [sys.executable, "-m", "simgin"]

Row = Mapping[str, Any]  # a figure as `simgin bench --json` prints it
Round = Sequence[Row]


class BenchError(ValueError):
    """Figures that cannot be had; the message names the remedy."""


@dataclass(frozen=True)
class Change:
    """One figure of both.

    before, now: medians of the ratios to the calibration kernel. faster: before over now, the
    median of the rounds, with the least and the greatest; None with one round.
    """

    figure: str
    threads: int
    before: float
    now: float
    faster: float
    low: float | None
    high: float | None


def read_rounds(path: Path) -> list[Round]:
    """The figures that `simgin bench --save` wrote, as a single round. Raises BenchError."""
    try:
        return [_rows(read_text(path))]
    except (OSError, ValueError, RecursionError):
        raise BenchError(
            f"{path} is neither an installation of simgin nor a file of `simgin bench --save`."
        ) from None


def _rows(text: str) -> Round:
    """The rows of figures in JSON. ValueError if it is anything else."""
    saved = json.loads(text)
    rows = saved.get("rows") if isinstance(saved, dict) else None
    if not isinstance(rows, list) or not rows or not all(map(_is_figure, rows)):
        raise ValueError("no figures")
    return rows


def _is_figure(row: object) -> bool:
    """Whether a row says all that is needed to compare it."""
    match row:
        case {"figure": str(), "threads": int(), "ratio": float() | int() as ratio}:
            return LEAST < ratio < 1 / LEAST
    return False


def find_installation(path: Path) -> Path | None:
    """The `simgin` of another installation: a program, or a virtual environment that has one.

    None if the path is neither.
    """
    for program in (path, path / "bin" / "simgin"):
        if program.is_file() and os.access(program, os.X_OK):
            return program
    return None


def measure_in_turns(
    other: Path, seconds: float, tell: Callable[[str], None] = lambda _: None
) -> tuple[list[Round], list[Round]]:
    """Rounds of the other installation and of this one, in turns. Raises BenchError."""
    before, now = [], []
    for number in range(1, ROUNDS + 1):
        tell(f"round {number} of {ROUNDS}")
        before.append(_measure([str(other)], seconds))
        now.append(_measure(THIS, seconds))
    return before, now


def changes(before: Sequence[Round], now: Sequence[Round]) -> list[Change]:
    """Every figure that both have, in the order of the newer one; round for round."""
    table = []
    old, new = [_ratios(rows) for rows in before], [_ratios(rows) for rows in now]
    for key in new[0]:
        if not all(key in ratios for ratios in [*old, *new]):
            continue
        pairs = [(was[key], now[key]) for was, now in zip(old, new, strict=True)]
        faster = [was / now for was, now in pairs]
        several = len(pairs) > 1
        change = Change(
            *key,
            before=statistics.median(was for was, _ in pairs),
            now=statistics.median(now for _, now in pairs),
            faster=statistics.median(faster),
            low=min(faster) if several else None,
            high=max(faster) if several else None,
        )
        table.append(change)
    return table


def _ratios(rows: Round) -> dict[tuple[str, int], float]:
    return {(row["figure"], row["threads"]): row["ratio"] for row in rows}


def _measure(program: Sequence[str], seconds: float) -> Round:
    words = [*program, "bench", "--seconds", f"{seconds:g}", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    try:
        return _rows(done.stdout)
    except ValueError:
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise BenchError(f"{words[0]} cannot be measured: {last[0]}") from None

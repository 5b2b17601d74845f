"""The plan of a run, shown before it begins: every cell, how much it plays, and how long that will take here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simgin.cli.output import console, grid
from simgin.cli.session import explained_wait
from simgin.play import matchup
from simgin.play.parallel import usable_cpus
from simgin.runs import ledger, plan, schedule
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    from simgin.runs.experiment import Cell
    from simgin.runs.plan import Plan

MOST_ROWS = 40  # cells listed; of more the rest are counted


def rows(asked: Plan, place: Path, workers: int | None, *, record: bool) -> list[dict[str, Any]]:
    """The plan for programs: of every cell who plays what, `n` deals or matches (or the most of them), and what of it is left to do here.

    `units` are those that the ledger does not have, `seconds` an estimate from a few that are played and thrown away.
    """
    left, unit_seconds = _left(asked, place, record), _unit_seconds(asked)
    return [
        {
            "variant": cell.matchup.variant.text,
            "strategy": cell.matchup.a.text,
            "opponent": cell.matchup.opponent,
            "unit": asked.unit,
            "n": cell.n,
            "units": units,
            "seconds": asked.seconds
            or float(f"{units * seconds / (workers or usable_cpus()):.3g}"),
        }
        for cell, units, seconds in zip(asked.cells, left, unit_seconds, strict=True)
    ]


def announce(asked: Plan, cells: Sequence[Mapping[str, Any]], place: Path) -> None:
    """Print the question, the hypothesis, the plan (its `rows`) and where it is written."""
    out = console()
    out.print(asked.question or asked.title)
    if asked.hypothesis:
        out.print(f"Hypothesis: {asked.hypothesis}")
    table = grid("The plan", "variant", "A", "B", "to play", "time")
    for cell, row in list(zip(asked.cells, cells, strict=True))[:MOST_ROWS]:
        table.add_row(
            row["variant"],
            row["strategy"],
            row["opponent"],
            _amount(asked, cell, row["units"]),
            _time(asked, row["seconds"]),
        )
    out.print(table)
    if len(cells) > MOST_ROWS:
        out.print(f"... and {len(cells) - MOST_ROWS} more")
    left, seconds = (sum(row[what] for row in cells) for what in ("units", "seconds"))
    out.print(f"{_total(asked, left, seconds)} Results go to {place}.\n")


def _unit_seconds(asked: Plan) -> list[float]:
    with explained_wait():
        for one in asked.matchups:
            matchup.prepare(one)
    return [plan.unit_seconds(one) for one in asked.matchups]


def _left(asked: Plan, place: Path, record: bool) -> list[int]:
    """Units of every cell that the ledger does not have."""
    if not (place / ledger.FILE).is_file():
        return [schedule.left(cell, ()) for cell in asked.cells]
    with ledger.reading(place / ledger.FILE) as book:
        book.check(asked.identity)
        return [
            schedule.left(cell, book.finished(i, recorded=record))
            for i, cell in enumerate(asked.cells)
        ]


def _amount(asked: Plan, cell: Cell, units: int) -> str:
    """How much a cell plays: `200,000 deals`, `up to ...` under a stopping rule, and what of it is there already."""
    unit = UNITS[asked.unit]
    if asked.seconds is not None:
        return f"{unit} for {asked.seconds:g} s"
    there = cell.matchup.units(cell.n) - units
    said = f"{'up to ' if asked.rules else ''}{cell.n:,} {unit}"
    return f"{said} ({100 * there // cell.matchup.units(cell.n)} % there)" if there else said


def _time(asked: Plan, seconds: float) -> str:
    return (
        spoken(asked.seconds)
        if asked.seconds is not None
        else f"{'up to ' if asked.rules else ''}{spoken(seconds)}"
    )


def _total(asked: Plan, left: int, seconds: float) -> str:
    """How long all of it takes, and what ends it."""
    many = f"{len(asked.cells)} matchups: " if len(asked.cells) > 1 else ""
    if left == 0:
        return f"{many}everything is there already."
    if asked.seconds is not None:
        return f"{many}{spoken(asked.seconds * len(asked.cells))} in all."
    if asked.rules:
        return f"{many}at most {spoken(seconds)} in all. {asked.stop}."
    return f"{many}{spoken(seconds)} in all."


def spoken(seconds: float) -> str:
    """A time for people: `under 1 s`, `40 s`, `3 min`, `2 h 5 min`."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

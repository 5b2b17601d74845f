"""The plan of a run, shown before it begins: every cell, how much it plays, and how long that will take here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from simgin import ledger, matchup, plan, work
from simgin.commands.answer import console, grid
from simgin.commands.playing import explained_wait
from simgin.threads import usable_cpus

if TYPE_CHECKING:
    from simgin.experiment import Cell
    from simgin.plan import Plan

MOST_ROWS = 40  # cells listed; of more the rest are counted


def announce(asked: Plan, place: Path, workers: int | None) -> None:
    """Print the question, the hypothesis, the plan and where it is written."""
    out = console()
    out.print(asked.question or asked.title)
    if asked.hypothesis:
        out.print(f"Hypothesis: {asked.hypothesis}")
    left = _left(asked, place)
    times = [units * seconds / (workers or usable_cpus()) for units, seconds in zip(left, _unit_seconds(asked), strict=True)]
    table = grid("The plan", "variant", "A", "B", "to play", "time")
    for cell, units, seconds in list(zip(asked.cells, left, times, strict=True))[:MOST_ROWS]:
        one = cell.matchup
        table.add_row(one.variant.text, one.a.text, one.opponent, _amount(asked, cell, units), _time(asked, seconds))
    out.print(table)
    if len(times) > MOST_ROWS:
        out.print(f"... and {len(times) - MOST_ROWS} more")
    out.print(f"{_total(asked, sum(left), sum(times))} Results go to {place}.\n")


def _unit_seconds(asked: Plan) -> list[float]:
    with explained_wait():
        for one in asked.matchups:
            matchup.prepare(one)
    return [plan.unit_seconds(one) for one in asked.matchups]


def _left(asked: Plan, place: Path) -> list[int]:
    """Units of every cell that the ledger does not have."""
    if not (place / ledger.FILE).is_file():
        return [work.left(cell, ()) for cell in asked.cells]
    with ledger.reading(place / ledger.FILE) as book:
        return [work.left(cell, book.finished(i)) for i, cell in enumerate(asked.cells)]


def _amount(asked: Plan, cell: Cell, units: int) -> str:
    """How much a cell plays: `200,000 deals`, `up to ...` under a stopping rule, and what of it is there already."""
    unit = {"deal": "deals", "match": "matches"}[asked.unit]
    if asked.seconds is not None:
        return f"{unit} for {asked.seconds:g} s"
    there = cell.matchup.units(cell.n) - units
    said = f"{'up to ' if asked.rules else ''}{cell.n:,} {unit}"
    return f"{said} ({100 * there // cell.matchup.units(cell.n)} % there)" if there else said


def _time(asked: Plan, seconds: float) -> str:
    return spoken(asked.seconds) if asked.seconds is not None else f"{'up to ' if asked.rules else ''}{spoken(seconds)}"


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

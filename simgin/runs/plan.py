"""What is to be played, before it is played: cells, when each of them ends, and what is to be compared."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from simgin.play import matchup
from simgin.play.matchup import Matchup, seated
from simgin.runs import directory, experiment, stopping
from simgin.runs.experiment import Cell, Experiment
from simgin.text import amounts
from simgin.text.amounts import AmountError

PILOT_SECONDS = 0.02  # what a matchup is played for, to say how long a run will take


@dataclass(frozen=True)
class Plan:
    """A run before it begins. All cells have one seed and one unit."""

    title: str
    cells: tuple[Cell, ...]
    rules: tuple[
        stopping.Rule, ...
    ] = ()  # one a cell, or none: then the size is fixed, or the time
    seconds: float | None = None  # for every cell
    question: str | None = None
    hypothesis: str | None = None
    contrasts: tuple[tuple[int, int], ...] = ()  # a cell and its base, by their places

    @property
    def seed(self) -> int:
        """The seed of every cell."""
        return self.cells[0].matchup.seed

    @property
    def unit(self) -> Literal["deal", "match"]:
        """What every cell is played in."""
        return self.cells[0].matchup.unit

    @property
    def matchups(self) -> list[Matchup]:
        """Who plays whom, cell by cell."""
        return [cell.matchup for cell in self.cells]

    @property
    def stop(self) -> str | None:
        """The rule that ends a cell, in words; None for a fixed size or time. Part of the identity: it may not change under way."""
        return "; ".join(dict.fromkeys(rule.text for rule in self.rules)) or None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What the ledger of this run is known by."""
        return directory.identity(
            self.matchups, question=self.question, hypothesis=self.hypothesis, stop=self.stop
        )


def of_matchup(
    a: str,
    b: str | None,
    variant: str,
    *,
    deals: int | str | None = None,
    matches: int | str | None = None,
    until: str | float | None = None,
    sprt: tuple[float, float] | None = None,
    seconds: float | None = None,
    seed: int = 1,
) -> Plan:
    """One matchup from text forms and counts. With until, sprt or seconds (one of them), deals or matches is the most to play."""
    if deals is not None and matches is not None:
        raise AmountError("deals and matches are both given; keep one of them.")
    if sum(end is not None for end in (until, sprt, seconds)) > 1:
        raise AmountError("until, sprt and for each end a run; keep one of them.")
    unit: Literal["deal", "match"] = "deal" if matches is None else "match"
    given = deals if matches is None else matches
    n = _most(until, sprt, seconds) if given is None else amounts.count(given)
    one = seated(a, b, variant, _seed(seed), unit)
    return Plan(one.title, (Cell(one, n),), _rules([one], until, sprt), seconds)


def of_experiment(one: Experiment, seed: int | None = None) -> Plan:
    """The plan of an experiment file; `seed` stands in for its own."""
    one = one if seed is None else dataclasses.replace(one, seed=_seed(seed))
    cells = experiment.cells(one)
    rules = _rules([cell.matchup for cell in cells], one.until, one.sprt)
    return Plan(
        one.name,
        tuple(cells),
        rules,
        one.seconds,
        one.question,
        one.hypothesis,
        tuple(experiment.contrasts(one)),
    )


def of_file(path: str | Path, seed: int | None = None) -> Plan:
    """As `of_experiment`, from the file."""
    return of_experiment(experiment.read(path), seed)


def _most(*ends: object) -> int:
    """How many deals or matches where no count is given."""
    until, sprt, seconds = ends
    if seconds is not None:
        return amounts.MOST
    return experiment.DEFAULT_DEALS if until is None and sprt is None else experiment.MOST_DEALS


def _rules(
    matchups: Sequence[Matchup], until: str | float | None, sprt: tuple[float, float] | None
) -> tuple[stopping.Rule, ...]:
    if until is not None:
        return tuple(stopping.until(until, one) for one in matchups)
    if sprt is not None:
        return tuple(stopping.sprt(*sprt, one) for one in matchups)
    return ()


def _seed(number: int) -> int:
    if not 0 <= number < experiment.SEEDS:
        raise AmountError(f"{number} is no seed: the seed must lie between 0 and 2^64 - 1.")
    return number


def unit_seconds(one: Matchup) -> float:
    """Seconds that a unit of a matchup takes on one processor here, from some of them played and thrown away."""
    units = 1
    matchup.play(one, 0, units)  # the first call of a process takes longer
    while True:
        started = time.perf_counter()
        matchup.play(one, 0, units)
        if (seconds := time.perf_counter() - started) > PILOT_SECONDS or units >= one.batch:
            return seconds / units
        units = min(one.batch, units * 8)

"""A plan: what a run will play, when each cell ends, and what will be compared."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from simgin.core import sums
from simgin.play.kernel import play
from simgin.play.matchup import Matchup, parse_matchup
from simgin.runs import experiment, stopping
from simgin.runs.block import Task
from simgin.runs.experiment import Effect, Experiment
from simgin.runs.manifest import run_identity
from simgin.runs.runner import Step
from simgin.stats import metrics
from simgin.stats.estimate import estimate_metric
from simgin.text import amounts
from simgin.text.amounts import AmountError

PILOT_SECONDS = 0.02  # what a matchup is played for to estimate how long a run will take


@dataclass(frozen=True)
class Plan:
    """A run before it begins. All cells have one seed and one unit."""

    title: str
    tasks: tuple[Task, ...]
    # One for every cell, or none where the size or the time is fixed
    rules: tuple[stopping.Rule, ...] = ()
    seconds: float | None = None  # for every cell
    question: str | None = None
    hypothesis: str | None = None
    contrasts: tuple[tuple[int, int], ...] = ()  # a cell and its base, by their places
    effects: tuple[Effect, ...] = ()  # changes by field
    steps: tuple[Step, ...] = ()  # played beside the cells

    @property
    def seed(self) -> int:
        """The seed of every cell."""
        return self.tasks[0].matchup.seed

    @property
    def unit(self) -> Literal["deal", "match"]:
        """What every cell is played in."""
        return self.tasks[0].matchup.unit

    @property
    def matchups(self) -> list[Matchup]:
        """Who plays whom, cell by cell."""
        return [task.matchup for task in self.tasks]

    @property
    def stop(self) -> str | None:
        """The stopping rule in words; None for a fixed size or time.

        It is part of the run's identity: it may not change under way.
        """
        return "; ".join(dict.fromkeys(rule.text for rule in self.rules)) or None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What the ledger of this run is known by."""
        plan = {"question": self.question, "hypothesis": self.hypothesis, "stop": self.stop}
        return run_identity(self.matchups, **plan)


def plan_matchup(
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
    """The plan of one matchup, from text forms and counts.

    At most one of until, sprt and seconds ends it; deals or matches is then the most to play.
    Raises AmountError for a count or a seed that is none.
    """
    if deals is not None and matches is not None:
        raise AmountError("deals and matches are both given; keep one of them.")
    if sum(end is not None for end in (until, sprt, seconds)) > 1:
        raise AmountError("until, sprt and a playing time each end a run; keep one of them.")
    unit: Literal["deal", "match"] = "deal" if matches is None else "match"
    given = deals if matches is None else matches
    size = experiment.default_size(until, sprt, seconds, unit)
    n = size if given is None else amounts.parse_count(given)
    found = parse_matchup(a, b, variant, amounts.parse_seed(seed), unit)
    return Plan(found.title, (Task(found, n),), _rules([found], until, sprt), seconds)


def plan_experiment(asked: Experiment) -> Plan:
    """The plan of an experiment."""
    tasks = experiment.tasks(asked)
    return Plan(
        title=asked.name,
        tasks=tuple(tasks),
        rules=_rules([task.matchup for task in tasks], asked.until, asked.sprt),
        seconds=asked.seconds,
        question=asked.question,
        hypothesis=asked.hypothesis,
        contrasts=tuple(experiment.contrasts(asked)),
        effects=asked.effects,
    )


def plan_file(path: str | Path, seed: int | None = None) -> Plan:
    """The plan of an experiment file; `seed` replaces the file's."""
    known = None if seed is None else amounts.parse_seed(seed)
    return plan_experiment(experiment.read(path, known))


def _rules(
    matchups: Sequence[Matchup], until: str | float | None, sprt: tuple[float, float] | None
) -> tuple[stopping.Rule, ...]:
    if until is not None:
        return tuple(stopping.until(until, matchup) for matchup in matchups)
    if sprt is not None:
        return tuple(stopping.sprt(*sprt, matchup) for matchup in matchups)
    return ()


def unit_seconds(matchup: Matchup) -> float:
    """Seconds that a unit takes on one processor here, from a few that are played and dropped."""
    return pilot(matchup)[0]


def pilot(matchup: Matchup) -> tuple[float, np.ndarray]:
    """Seconds that a unit takes on one processor here, and the batch rows of a few units.

    Time in which others had the processor does not count.
    """
    units = 1
    play(matchup, 0, units)  # the first call of a process takes longer
    while True:
        started = time.process_time()
        rows = play(matchup, 0, units)
        seconds = time.process_time() - started
        if seconds > PILOT_SECONDS or units >= matchup.batch:
            return seconds / units, rows
        units = min(matchup.batch, units * 8)


def deviations(matchup: Matchup) -> dict[str, float]:
    """Standard deviation of a unit's share won and points, by metric (`metrics.headline`).

    Measured in a pilot; where that is too short for an estimate, the nominal one of stopping rules.
    """
    total = pilot(matchup)[1].sum(axis=0)
    found = {}
    for name in metrics.headline(matchup.unit, len(matchup.players)):
        se = estimate_metric(total, metrics.BY_NAME[name]).se
        measured = se * math.sqrt(total[sums.UNITS])
        nominal = stopping.NOMINAL_SD.get(name, stopping.SHARE_SD)[matchup.mirrored]
        found[name] = measured if measured > 0 else nominal
    return found

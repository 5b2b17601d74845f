"""Live estimate of a run in progress, for its progress line.

An interval that is looked at repeatedly covers the true value less often than its level, unless a
stopping rule widens it (docs/explanation/statistics.md#looking-more-than-once). Nothing is stored.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import sums
from simgin.report import numbers
from simgin.runs import stopping
from simgin.runs.stopping import Rule, Sprt, Until
from simgin.stats.estimate import estimate_metric
from simgin.stats.metrics import BY_NAME, headline
from simgin.text.amounts import UNITS, short_count

if TYPE_CHECKING:
    from simgin.runs.block import Done, Task
    from simgin.runs.ledger import Ledger
    from simgin.runs.plan import Plan


MOST_CHARACTERS = 30  # maximum length of the players' names


class SoFar:
    """Sums of the finished blocks of each matchup of a run."""

    def __init__(self, plan: Plan, ledger: Ledger, names: Mapping[str, str]) -> None:
        self._plan = plan
        self._ledger = ledger
        self._names = names
        self._totals: dict[int, np.ndarray] = {}
        self._cell = 0

    def add(self, done: Done) -> None:
        """Add a finished block."""
        self._cell = done.block.cell
        if self._cell in self._totals:
            self._totals[self._cell] += done.rows().sum(axis=0)
        else:
            self._totals[self._cell] = self._in_ledger()

    def _in_ledger(self) -> np.ndarray:
        """Return the sums that the ledger has of the matchup in progress."""
        task = self._task
        rows = (row for _, row in self._ledger.each(self._cell, task.units, task.matchup.batch))
        return sum(rows, np.zeros(sums.COLUMNS, np.int64))

    @property
    def _task(self) -> Task:
        return self._plan.tasks[self._cell]

    def line(self) -> str:
        """Return the line of the matchup in progress: `12.4k of 100k matches  won 46.8 ± 0.9 %`."""
        if not self._totals:
            return ""
        parts = [self._who()] if len(self._plan.tasks) > 1 else []
        parts.append(self._size())
        rule = self._plan.rules[self._cell] if self._plan.rules else None
        return "  ".join([*parts, *self._estimate(rule)])

    def _who(self) -> str:
        matchup = self._task.matchup
        players = [self._names.get(player.text, player.text) for player in matchup.players]
        title = textwrap.shorten(" v ".join(players), MOST_CHARACTERS, placeholder="…")
        return f"{self._cell + 1}/{len(self._plan.tasks)} {title}, {matchup.variant.text}"

    def _size(self) -> str:
        """Return the size so far: `12.4k of 100k deals`, or `of at most` with a stopping rule."""
        task = self._task
        played = short_count(task.matchup.cell.results(int(self._totals[self._cell][sums.UNITS])))
        unit = UNITS[self._plan.unit]
        if self._plan.seconds is not None:
            return f"{played} {unit}"
        most = "at most " if self._plan.rules else ""
        return f"{played} of {most}{short_count(task.n)} {unit}"

    def _estimate(self, rule: Rule | None) -> list[str]:
        """Return the win rate with its interval, and what the stopping rule waits for."""
        total = self._totals[self._cell]
        name, _ = headline(self._plan.unit, len(self._task.matchup.players))
        multiplier = None if rule is None else rule.multiplier(int(total[sums.UNITS]))
        metric = BY_NAME[rule.metric if isinstance(rule, Until) else name]
        found = estimate_metric(total, metric, multiplier=multiplier)
        text = numbers.estimate(found.value, found.low, found.high, metric.factor)
        if text == numbers.DASH:
            return []
        noun = "won" if metric.share else "points"
        percent = " %" if metric.share else ""
        parts = [f"{noun} {text}{percent}"]
        if isinstance(rule, Until):
            parts.append(f"until ± {metric.factor * rule.half_width:g}{percent}")
        if isinstance(rule, Sprt):
            low, high = stopping.bounds()
            parts.append(f"LLR {rule.llr(total):.1f}, decided at {low:.1f} or {high:.1f}")
        return parts

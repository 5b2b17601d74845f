"""Live estimate of a run in progress, for the progress display.

Unless a stopping rule widens it, an interval that is examined repeatedly covers the true value less
often than 95 % of the time (docs/explanation/statistics.md#optional-stopping). Live estimates are
not stored.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from simgin.core import batch_columns
from simgin.report import numbers
from simgin.runs import stopping
from simgin.runs.stopping import PrecisionRule, SequentialTest, StoppingRule
from simgin.stats.estimate import estimate_metric
from simgin.stats.metrics import METRICS_BY_NAME, headline_metrics
from simgin.text.amounts import UNIT_PLURALS, format_count

if TYPE_CHECKING:
    from simgin.runs.block import BlockResult, Task
    from simgin.runs.ledger import Ledger
    from simgin.runs.plan import Plan


MAX_PLAYERS_LENGTH = 30  # maximum total length of the players' names


class LiveEstimate:
    """Sums over the finished blocks of each matchup in a run."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self._plan = plan
        self._ledger = ledger
        self._names = plan.display_names
        self._totals: dict[int, np.ndarray] = {}
        self._cell = 0

    def add(self, result: BlockResult) -> None:
        """Add a finished block."""
        self._cell = result.block.matchup_index
        if self._cell in self._totals:
            self._totals[self._cell] += result.rows().sum(axis=0)
        else:
            self._totals[self._cell] = self._ledger_sums()

    def _ledger_sums(self) -> np.ndarray:
        """Return the sums over the batches of the current matchup in the ledger."""
        task = self._task
        rows = (
            row
            for _, row in self._ledger.iter_finished(
                self._cell, task.units, task.matchup.batch_size
            )
        )
        return sum(rows, np.zeros(batch_columns.N_COLUMNS, np.int64))

    @property
    def _task(self) -> Task:
        return self._plan.tasks[self._cell]

    def line(self) -> str:
        """Return a line about the current matchup: `12.4k of 100k matches  won 46.8 ± 0.9 %`."""
        if not self._totals:
            return ""
        parts = [self._players()] if len(self._plan.tasks) > 1 else []
        parts.append(self._size())
        rule = self._plan.stopping_rules[self._cell] if self._plan.stopping_rules else None
        return "  ".join([*parts, *self._estimate(rule)])

    def _players(self) -> str:
        matchup = self._task.matchup
        players = [self._names.get(player.spec, player.spec) for player in matchup.players]
        title = textwrap.shorten(" v ".join(players), MAX_PLAYERS_LENGTH, placeholder="…")
        return f"{self._cell + 1}/{len(self._plan.tasks)} {title}, {matchup.variant.spec}"

    def _size(self) -> str:
        """Return the current and the final or maximum size, such as `12.4k of 100k deals`."""
        task = self._task
        played = format_count(
            task.matchup.key.count_games(int(self._totals[self._cell][batch_columns.COL_UNITS]))
        )
        unit = UNIT_PLURALS[self._plan.unit]
        if self._plan.seconds is not None:
            return f"{played} {unit}"
        most = "at most " if self._plan.stopping_rules else ""
        return f"{played} of {most}{format_count(task.n)} {unit}"

    def _estimate(self, rule: StoppingRule | None) -> list[str]:
        """Return the win rate with its interval, and the target of the stopping rule."""
        total = self._totals[self._cell]
        name, _ = headline_metrics(self._plan.unit, len(self._task.matchup.players))
        multiplier = None if rule is None else rule.multiplier(int(total[batch_columns.COL_UNITS]))
        metric = METRICS_BY_NAME[rule.metric if isinstance(rule, PrecisionRule) else name]
        estimate = estimate_metric(total, metric, multiplier=multiplier)
        text = numbers.format_estimate(
            estimate.value, estimate.low, estimate.high, metric.display_factor
        )
        if text == numbers.EN_DASH:
            return []
        noun = "won" if metric.is_proportion else "points"
        percent = " %" if metric.is_proportion else ""
        parts = [f"{noun} {text}{percent}"]
        if isinstance(rule, PrecisionRule):
            parts.append(f"until ± {metric.display_factor * rule.half_width:g}{percent}")
        if isinstance(rule, SequentialTest):
            low, high = stopping.compute_sprt_bounds()
            parts.append(f"LLR {rule.llr(total):.1f}, decided at {low:.1f} or {high:.1f}")
        return parts

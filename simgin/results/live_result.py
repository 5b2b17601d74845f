"""Live estimates of a run in progress, which are shown in the progress display.

An interval that is examined repeatedly covers the true value less than 95 % of the time, unless a
stopping rule widens it (docs/explanation/statistics.md#optional-stopping). Live estimates are not
stored.
"""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.core import batch_columns
from simgin.report import numbers
from simgin.report.progress import InterimResult
from simgin.runs import stopping
from simgin.runs.stopping import PrecisionRule, SequentialTest, StoppingRule
from simgin.stats.estimate import Estimate, estimate_metric
from simgin.stats.metrics import METRICS_BY_NAME, Metric, select_headline_metrics
from simgin.text.amounts import UNIT_PLURALS, format_count

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simgin.runs.block import BlockResult, Task
    from simgin.runs.ledger import Ledger
    from simgin.runs.plan import Plan


MAX_PLAYER_NAMES_LENGTH = 30  # maximum total length of the player names, in characters


class LiveEstimate:
    """Interim estimate for each matchup of a run, computed from the finished blocks."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self._plan = plan
        self._ledger = ledger
        self._names = plan.display_names
        self._totals: dict[int, np.ndarray] = {}
        self._matchup_index = 0

    def add(self, result: BlockResult) -> None:
        """Add the batch rows of a finished block to the totals of its matchup."""
        self._matchup_index = result.block.matchup_index
        if self._matchup_index in self._totals:
            self._totals[self._matchup_index] += result.unpack_rows().sum(axis=0)
        else:
            self._totals[self._matchup_index] = self._sum_ledger_rows()

    def _sum_ledger_rows(self) -> np.ndarray:
        """Return the sum of the current matchup's batch rows in the ledger."""
        task = self._task
        finished = self._ledger.iter_finished_rows(
            self._matchup_index, task.units, task.matchup.batch_size
        )
        return sum((row for _, row in finished), np.zeros(batch_columns.N_COLUMNS, np.int64))

    @property
    def _task(self) -> Task:
        return self._plan.tasks[self._matchup_index]

    def format_line(self) -> str:
        """Return the progress line of the current matchup.

        An example is `12.4k of 100k matches won 46.8 ± 0.9 %`.
        """
        if not self._totals:
            return ""
        phrases = [self._format_matchup_label()] if len(self._plan.tasks) > 1 else []
        return "  ".join([*phrases, self._format_size(), *self._format_main_estimate()])

    def render(self) -> RenderableType:
        """Return the progress line of the current matchup, and the values for a live chart."""
        return InterimResult(
            self.format_line(), self._make_chart_values() if self._totals else None
        )

    def _make_chart_values(self) -> dict[str, Any] | None:
        """Return the values of a live chart: players, sample size, estimate and target."""
        metric, estimate = self._compute_main_estimate()
        factor = metric.display_factor
        values = [factor * number for number in (estimate.value, estimate.low, estimate.high)]
        if not all(map(math.isfinite, values)):
            return None
        rule = self._stopping_rule
        target = rule.half_width if isinstance(rule, PrecisionRule) else None
        return {
            "matchup": self._matchup_index,
            "matchups": len(self._plan.tasks),
            "players": self._list_player_names(),
            "n": self._count_played(),
            "max": None if self._plan.seconds is not None else self._task.n_games,
            "unit": UNIT_PLURALS[self._plan.unit],
            "is_percentage": metric.is_proportion,
            **dict(zip(("value", "low", "high"), values, strict=True)),
            "target": target and factor * target,
        }

    @property
    def _stopping_rule(self) -> StoppingRule | None:
        """Stopping rule of the current matchup."""
        return self._plan.stopping_rules[self._matchup_index] if self._plan.stopping_rules else None

    def _list_player_names(self) -> list[str]:
        """Return the display names of the players in the current matchup."""
        return [self._names.get(player.spec, player.spec) for player in self._task.matchup.players]

    def _format_matchup_label(self) -> str:
        """Return the number and players of the current matchup, as in `2/6 gold v simple`."""
        title = textwrap.shorten(
            " v ".join(self._list_player_names()), MAX_PLAYER_NAMES_LENGTH, placeholder="…"
        )
        position = f"{self._matchup_index + 1}/{len(self._plan.tasks)}"
        return f"{position} {title}, {self._task.matchup.variant.spec}"

    def _count_played(self) -> int:
        """Return the number of deals or matches played in the current matchup."""
        units = int(self._totals[self._matchup_index][batch_columns.UNITS_COLUMN])
        return self._task.matchup.key.count_games(units)

    def _format_size(self) -> str:
        """Return the played and the planned sample size, such as `12.4k of 100k deals`."""
        task = self._task
        played_text = format_count(self._count_played())
        unit_plural = UNIT_PLURALS[self._plan.unit]
        if self._plan.seconds is not None:
            return f"{played_text} {unit_plural}"
        at_most = "at most " if self._plan.stopping_rules else ""
        return f"{played_text} of {at_most}{format_count(task.n_games)} {unit_plural}"

    def _compute_main_estimate(self) -> tuple[Metric, Estimate]:
        """Return the main metric of the current matchup, with its estimate."""
        total, rule = self._totals[self._matchup_index], self._stopping_rule
        name, _ = select_headline_metrics(self._plan.unit, len(self._task.matchup.players))
        multiplier = (
            None
            if rule is None
            else rule.compute_multiplier(int(total[batch_columns.UNITS_COLUMN]))
        )
        metric = METRICS_BY_NAME[rule.metric if isinstance(rule, PrecisionRule) else name]
        return metric, estimate_metric(total, metric, critical_value=multiplier)

    def _format_main_estimate(self) -> list[str]:
        """Return the main estimate and the target of the stopping rule as phrases."""
        metric, estimate = self._compute_main_estimate()
        rule, factor = self._stopping_rule, metric.display_factor
        text = numbers.format_estimate(estimate.value, estimate.low, estimate.high, factor)
        if text == numbers.EN_DASH:
            return []
        prefix = "won" if metric.is_proportion else "points"
        percent_sign = " %" if metric.is_proportion else ""
        phrases = [f"{prefix} {text}{percent_sign}"]
        if isinstance(rule, PrecisionRule):
            phrases.append(f"until ± {factor * rule.half_width:g}{percent_sign}")
        if isinstance(rule, SequentialTest):
            low, high = stopping.compute_sprt_bounds()
            llr = rule.compute_llr(self._totals[self._matchup_index])
            phrases.append(f"LLR {llr:.1f}, decided at {low:.1f} or {high:.1f}")
        return phrases

"""Interim scorecard for the progress display of a review."""

import time

from rich.console import RenderableType

from simgin.report.report_table import Table
from simgin.results.live_result import LiveEstimate
from simgin.results.run_info import make_run_info
from simgin.results.run_results import RunResults
from simgin.review.review import Review
from simgin.review.review_report import build_scorecard_table, fit_scorecard
from simgin.review.review_request import ReviewRequest
from simgin.runs.block import BlockResult, Task, count_remaining_units_by_task
from simgin.runs.ledger import Ledger
from simgin.runs.plan import Plan
from simgin.runs.runner import find_missing_passes
from simgin.runs.stopping import StopResult

# maximum proportion of the run time that is spent on interim scorecards
MAX_RENDER_TIME_PROPORTION = 0.05


class LiveScorecard(LiveEstimate):
    """Scorecard of the matchups that a review has finished so far.

    A matchup is shown when the last match of a stage has been played. The values can change in
    later stages.
    """

    def __init__(self, request: ReviewRequest, plan: Plan, ledger: Ledger) -> None:
        super().__init__(plan, ledger)
        self._request = request
        self._units_left = count_remaining_units_by_task(plan.tasks, ledger, with_deals=False)
        self._progress: tuple[object, ...] = ()
        self._scorecard: Table | None = None
        self._next_update = 0.0

    def add(self, result: BlockResult) -> None:
        """Add the result of a finished block."""
        super().add(result)
        self._units_left[result.block.matchup_index] -= result.block.units

    def render(self) -> RenderableType:
        """Return the scorecard, or a progress line while no matchup is finished."""
        units_played = [
            task.units if not units_left else self._count_units_of_earlier_stages(task)
            for task, units_left in zip(self._plan.tasks, self._units_left, strict=True)
        ]
        finished_indices = [index for index, units in enumerate(units_played) if units]
        if not finished_indices:
            return super().render()
        progress = (units_played, len(find_missing_passes(self._plan.extra_passes, self._ledger)))
        update_time = time.monotonic()
        is_due = update_time >= self._next_update or not any(self._units_left)
        if self._scorecard is None or (progress != self._progress and is_due):
            self._progress = progress
            run_info = make_run_info(self._plan, [StopResult(units) for units in units_played])
            results = RunResults(run_info, self._ledger)
            review = Review(self._request, results, finished_matchup_indices=finished_indices)
            self._scorecard = fit_scorecard(review, build_scorecard_table(review))
            self._next_update = (
                update_time + (time.monotonic() - update_time) / MAX_RENDER_TIME_PROPORTION
            )
        return self._scorecard

    def _count_units_of_earlier_stages(self, task: Task) -> int:
        """Return the number of units that earlier stages played in a matchup."""
        n_matches = max(
            [n_matches for n_matches in self._request.stage_sizes if n_matches < task.n_games],
            default=0,
        )
        return task.matchup.count_units(n_matches)

"""Scorecard of a review in progress, for the progress display."""

from rich.console import RenderableType

from simgin.report.report_table import Table
from simgin.results.live_result import LiveEstimate
from simgin.results.run_info import make_run_info
from simgin.results.run_results import RunResults
from simgin.review.review import Review
from simgin.review.review_report import scorecard_table
from simgin.review.review_request import ReviewRequest
from simgin.runs.block import BlockResult, remaining_units_by_task
from simgin.runs.ledger import Ledger
from simgin.runs.plan import Plan
from simgin.runs.runner import missing_steps
from simgin.runs.stopping import StopResult


class LiveScorecard(LiveEstimate):
    """Scorecard of the finished matchups of a review.

    A matchup is shown after its last match. All values are therefore final.
    """

    def __init__(self, request: ReviewRequest, plan: Plan, ledger: Ledger) -> None:
        super().__init__(plan, ledger)
        ends = [StopResult(task.units) for task in plan.tasks]
        self._request = request
        self._results = RunResults(make_run_info(plan, ends), ledger)
        self._units_left = remaining_units_by_task(plan.tasks, ledger, with_deals=False)
        self._progress: tuple[object, ...] = ()
        self._scorecard: Table | None = None

    def add(self, result: BlockResult) -> None:
        """Add a finished block."""
        super().add(result)
        self._units_left[result.block.matchup_index] -= result.block.units

    def result(self) -> RenderableType:
        """Return the scorecard, or a line about the first matchup until this matchup has ended."""
        finished = frozenset(i for i, units in enumerate(self._units_left) if not units)
        if not finished:
            return super().result()
        progress = (finished, len(missing_steps(self._plan.extra_steps, self._ledger)))
        if self._scorecard is None or progress != self._progress:
            self._progress = progress
            review = Review(self._request, self._results, finished=finished)
            self._scorecard = scorecard_table(review)
        return self._scorecard

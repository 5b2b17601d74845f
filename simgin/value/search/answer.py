"""A search carried out: what was found, with a row for each deal, or each costly decision."""

from __future__ import annotations

from typing import Any

from simgin.play.parallel import Progress
from simgin.value.analysis.analysis import Effort
from simgin.value.search import costly, described
from simgin.value.search.search import Found, Request, search

Row = dict[str, Any]


def carry_out(
    request: Request, workers: int | None = None, progress: Progress | None = None
) -> tuple[Found, list[Row]]:
    """What was found, and the rows that tell it.

    Each has the deal (variant, strategy, opponent, seed, unit, half, deal), how it ended (ending,
    turns, points, happened) and the command that shows it. With `differ` also place, own and other:
    the first decision made otherwise; rival, rival_happened, rival_points, rival_command and gain.
    With `costly` place, turn, own and best: the decision; cost, low, high and by; analyze: a
    command.
    """
    found = search(request, workers, progress)
    rows = described.rows(found)
    if not request.where.is_costly:
        return found, rows
    effort = Effort(seed=request.matchup.seed, workers=workers)
    mistakes = costly.costliest(found, effort, progress)
    return found, costly.rows(mistakes, rows)

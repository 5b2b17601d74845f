"""The decisions that cost a strategy most, among those of the deals that were found.

Every decision is analysed in a few worlds. Those that seem to have cost most are analysed anew, in
more worlds and others: the greatest of many rough figures is too great, and the new one is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from simgin.play.deal import watch_deal
from simgin.play.parallel import Progress, share
from simgin.value.analysis.analysis import Analysis, Effort, analyse
from simgin.value.analysis.position import Position, positions_in
from simgin.value.search.search import Found

FIRST_WORLDS = 200
Row = dict[str, Any]
Decision = tuple[int, Position]  # behind the place of its deal among those found


@dataclass(frozen=True)
class Mistake:
    """A decision that cost something."""

    deal: int  # its place among the deals found
    analysis: Analysis

    @property
    def done(self) -> int:
        """The place of the action done."""
        position = self.analysis.position
        assert position.done is not None, "a decision of a deal was made"
        return position.actions.index(position.done)

    @property
    def cost(self) -> float:
        """What it cost, in the unit of the analysis."""
        return self.analysis.cost(self.done)[0]


def costliest(
    found: Found,
    effort: Effort,
    progress: Progress | None = None,
) -> list[Mistake]:
    """The decisions of A that cost most, the costliest first; A and B play on.

    effort: for each of those listed. At most as many as the search lists, and none that cost
    nothing after all.
    """
    decisions = _decisions(found)
    limit = found.request.limit
    rough = replace(effort, worlds=FIRST_WORLDS)
    anew = replace(effort, seed=effort.seed + 1)
    mistakes = _ranked(
        found,
        decisions,
        rough,
        share(progress, 0, 2),
    )
    seeming = []
    for mistake in mistakes[:limit]:
        seeming.append((mistake.deal, mistake.analysis.position))
    listed = _ranked(
        found,
        seeming,
        anew,
        share(progress, 1, 2),
    )
    return [mistake for mistake in listed if mistake.cost > 0]


def _decisions(found: Found) -> list[Decision]:
    """The decisions of A in the deals found."""
    decisions = []
    for place, deal in enumerate(found.deals):
        record = deal["deal"]
        watched = watch_deal(
            found.request.matchup,
            int(record["unit"]),
            int(record["half"]),
            int(record["deal"]),
        )
        own_seat = watched.state.half
        for position in positions_in(watched):
            if position.view.seat == own_seat:
                decisions.append((place, position))
    return decisions


def _ranked(
    found: Found,
    decisions: list[Decision],
    effort: Effort,
    progress: Progress | None,
) -> list[Mistake]:
    """Decisions analysed, the costliest first."""
    matchup = found.request.matchup
    mistakes = []
    for deal, position in decisions:
        analysis = analyse(
            position,
            matchup.a.text,
            matchup.opponent or None,
            effort,
        )
        mistakes.append(Mistake(deal, analysis))
        if progress is not None:
            progress(len(mistakes), len(decisions))
    return sorted(mistakes, key=lambda mistake: -mistake.cost)


def rows(mistakes: list[Mistake], deals: Sequence[Row]) -> list[Row]:
    """A row for each decision, behind those of its deal; deals: the rows of all deals found."""
    described = []
    for mistake in mistakes:
        analysis = mistake.analysis
        position = analysis.position
        best = position.actions[analysis.order[0]]
        cost, low, high = analysis.cost(mistake.done)
        deal = deals[mistake.deal]
        analyze = deal["command"].replace("simgin show", "simgin analyze", 1)
        row = {
            "place": position.place,
            "turn": position.turn,
            "own": position.text(position.actions[mistake.done]),
            "best": position.text(best),
            "cost": cost,
            "low": low,
            "high": high,
            "by": analysis.by,
            "analyze": f"{analyze} --turn {position.turn}",
        }
        described.append(deal | row)
    return described

"""The decisions that cost a strategy most, among those of the deals that were found.

Every decision is analysed in a few worlds. For those that seem to have cost most, what was done and
the best that was found are compared in other worlds: the greatest of many rough figures is too
great, and the new one is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simgin.play.deal import watch_deal
from simgin.play.parallel import Progress, share
from simgin.stats.estimate import Estimate, mean_of
from simgin.value.analysis.analysis import Analysis, Effort, analyse, played_on
from simgin.value.analysis.judge import own_positions
from simgin.value.analysis.position import Position
from simgin.value.search.search import Found

FIRST_WORLDS = 200
NEW_WORLDS = 2000  # of the decisions that seem costliest
Row = dict[str, Any]


@dataclass(frozen=True)
class Mistake:
    """A decision that seems to have cost something.

    deal: its place among the deals found. best, done: in words. cost: in what `by` counts, as of an
    analysis.
    """

    deal: int
    position: Position
    done: str
    best: str
    cost: Estimate
    by: str


def costliest(found: Found, effort: Effort, progress: Progress | None = None) -> list[Mistake]:
    """The decisions of A that cost most, the costliest first; A and B play on.

    At most as many as the search lists, and none that cost nothing after all.
    """
    rough = replace(effort, worlds=FIRST_WORLDS)
    seeming = _seeming(found, rough, share(progress, 0, 2))[: found.request.limit]
    anew = replace(effort, worlds=NEW_WORLDS, seed=effort.seed + 1)
    report = share(progress, 1, 2)
    mistakes = []
    for deal, analysis in seeming:
        mistakes.append(_mistake(found, deal, analysis, anew))
        if report is not None:
            report(len(mistakes), len(seeming))
    mistakes.sort(key=lambda mistake: -mistake.cost.value)
    return [mistake for mistake in mistakes if mistake.cost.value > 0]


def _seeming(found: Found, effort: Effort, progress: Progress | None) -> list[tuple[int, Analysis]]:
    """The decisions with something better, behind the place of the deal; costliest first."""
    matchup = found.request.matchup
    decisions = list(_decisions(found))
    seeming = []
    for number, (deal, position) in enumerate(decisions, start=1):
        analysis = analyse(position, matchup.a.text, matchup.opponent or None, effort)
        if _rough_cost(analysis) > 0:
            seeming.append((deal, analysis))
        if progress is not None:
            progress(number, len(decisions))
    return sorted(seeming, key=lambda pair: -_rough_cost(pair[1]))


def _decisions(found: Found) -> Iterator[tuple[int, Position]]:
    """The decisions of A, behind the place of their deal among those found."""
    matchup = found.request.matchup
    for place, record in enumerate(found.deals["deal"]):
        deal = watch_deal(matchup, int(record["unit"]), int(record["half"]), int(record["deal"]))
        for position in own_positions(deal):
            yield place, position


def _rough_cost(analysis: Analysis) -> float:
    """What the decision seems to have cost, in the worlds that chose the best."""
    position = analysis.position
    assert position.done is not None, "a decision of a deal was made"
    return analysis.cost(position.actions.index(position.done))[0]


def _mistake(found: Found, deal: int, analysis: Analysis, effort: Effort) -> Mistake:
    """What the decision cost in other worlds, all of which both actions meet."""
    position = analysis.position
    best = position.actions[analysis.order[0]]
    assert position.done is not None, "a decision of a deal was made"
    both = replace(position, actions=[best, position.done])
    matchup = found.request.matchup
    anew = played_on(both, matchup.a.text, matchup.opponent or None, effort)
    cost = mean_of(anew.worth[:, 0] - anew.worth[:, 1])
    return Mistake(
        deal, position, position.text(position.done), position.text(best), cost, analysis.by
    )


def rows(mistakes: list[Mistake], deals: Sequence[Row]) -> list[Row]:
    """A row for each decision, behind those of its deal; deals: the rows of all deals found."""
    described = []
    for mistake in mistakes:
        position = mistake.position
        cost = mistake.cost
        deal = deals[mistake.deal]
        analyze = deal["command"].replace("simgin show", "simgin analyze", 1)
        row = {
            "place": position.place,
            "turn": position.turn,
            "own": mistake.done,
            "best": mistake.best,
            "cost": cost.value,
            "low": cost.low,
            "high": cost.high,
            "by": mistake.by,
            "analyze": f"{analyze} --turn {position.turn}",
        }
        described.append(deal | row)
    return described

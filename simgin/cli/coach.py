"""What somebody's decisions at a table cost: one at a time, a deal's, and a match's error rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from simgin.analysis.analysis import Analysis, Effort, analyse, strongest
from simgin.analysis.grades import LADDER, grade, trial_of
from simgin.analysis.grades_report import verdict
from simgin.analysis.position import Position, positions_in
from simgin.analysis.words import better
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.watch import WatchedDeal

WORLDS, SECONDS = 1000, 2.0  # of a decision, at most


class Coach:
    """Looks at the decisions of seat 0, one after another."""

    def __init__(self, matchup: Matchup) -> None:
        self.matchup = matchup
        self._found: dict[int, Analysis] = {}  # of this deal, by the number of the question

    def comments(self, deal: WatchedDeal, first: int) -> list[str]:
        """A line for each decision that was made from question number `first` on."""
        made = decisions(deal)
        numbers = {position.number for position in made}
        self._found = {number: one for number, one in self._found.items() if number in numbers}
        new = [position for position in made if position.number >= first]
        return [self._comment(position) for position in new]

    def _comment(self, position: Position) -> str:
        other = self.matchup.opponent or None
        effort = Effort(WORLDS, SECONDS, self.matchup.seed)
        found = analyse(position, strongest(position.variant), other, effort)
        self._found[position.number] = found
        place = position.actions.index(position.was_done)
        done, best = (
            position.text(position.was_done),
            position.text(position.actions[found.best[0]]),
        )
        if found.best == [place]:
            return f"Coach: {done} is best"
        if place in found.best:
            others = [position.text(position.actions[one]) for one in found.best if one != place]
            return f"Coach: {done} or {others[0]}: too close to call"
        mean, low, high = found.cost(place)
        cost = f"{mean:.1f} {found.unit} ({low:.1f} to {high:.1f})"
        return f"Coach: {done} cost {cost}; better: {better(done, best)}"

    def deal_line(self) -> str:
        """What the mistakes of the deal cost in all."""
        costs = []
        for found in self._found.values():
            place = found.position.actions.index(found.position.was_done)
            if place not in found.best:
                costs.append(found.cost(place)[0])
        unit = next((found.unit for found in self._found.values()), "points")
        self._found = {}
        if not costs:
            return "Coach: no clear mistake in this deal"
        mistakes = "1 clear mistake" if len(costs) == 1 else f"{len(costs)} clear mistakes"
        return f"Coach: {mistakes} in this deal, {sum(costs):.1f} {unit} in all"


def decisions(deal: WatchedDeal) -> list[Position]:
    """The decisions that seat 0 has made in a deal that may still be open."""
    made = positions_in(replace(deal, fault="", is_cut=False))
    return [position for position in made if position.view.seat == 0]


def graded(matchup: Matchup, deals: Sequence[WatchedDeal]) -> Iterator[str]:
    """What seat 0 gave up in some deals, as `simgin grade` says it, and the ladder."""
    best = strongest(matchup.variant)
    judging = parse_matchup(best, matchup.opponent or None, matchup.variant.text, 1, "deal")
    found = grade(trial_of(matchup.a.text, judging, len(deals)), deals)
    yield from verdict(found)
    if found.has_ladder:
        ladder = ", ".join(f"{name} {points:g}" for name, (points, _) in LADDER.items())
        yield f"In hundreds of deals (eaai): {ladder}"

"""The confirmation: what was found against the defaults, on packs that the search never saw."""

from __future__ import annotations

from dataclasses import dataclass

from simgin.core import sums
from simgin.play.parallel import Progress
from simgin.runs.ledger import Ledger
from simgin.stats.estimate import Estimate
from simgin.strategy import Strategy
from simgin.tune import scores
from simgin.tune.field import Field, distinct, field, play_all, read_step, scores_against
from simgin.tune.request import TuneRequest
from simgin.tune.scores import Score


@dataclass(frozen=True)
class Line:
    """The tuned strategy and the default against one opponent, on the same packs."""

    opponent: str
    tuned: Estimate
    default: Estimate
    gain: Estimate


@dataclass(frozen=True)
class Confirmation:
    """What tuning gained: against everyone of the pool, head to head, and by the objective."""

    lines: tuple[Line, ...]  # one for everyone of the pool
    direct: Line  # against the default
    objective: Line  # the mean over the pool, or the least of it

    @property
    def every(self) -> list[Line]:
        """Every opponent once, the default last unless the pool has it."""
        by_opponent = {line.opponent: line for line in (*self.lines, self.direct)}
        return list(by_opponent.values())


def confirm(
    request: TuneRequest,
    tuned: Strategy,
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Confirmation:
    """The confirmation of a strategy that a search found; played unless the ledger has it."""
    matchups = [request.matchup(tuned, request.strategy, request.seed)]
    for strategy in (tuned, request.strategy):
        matchups += request.matchups(strategy, request.seed)
    matchups = distinct(matchups)
    name = f"confirmation of {tuned.text}"
    if not ledger.has_step(name, request.confirmed):
        fresh = play_all(matchups, request.confirmed, workers, progress)
        numbered = {str(place): rows for place, rows in enumerate(fresh)}
        ledger.add_step(name, request.confirmed, numbered)
    shapes = {}
    for place, matchup in enumerate(matchups):
        batches = -(-matchup.units(request.confirmed) // matchup.batch)
        shapes[str(place)] = (batches, sums.COLUMNS)
    arrays = read_step(ledger, name, request.confirmed, shapes)
    rows = [arrays[str(place)] for place, _ in enumerate(matchups)]
    played = field(matchups, rows)
    return _confirmation(request, tuned, played)


def _confirmation(request: TuneRequest, tuned: Strategy, played: Field) -> Confirmation:
    """What the matches of the confirmation say."""
    n = request.confirmed
    metric = scores.metric_of(request.objective)
    default = request.strategy
    own = scores_against(request, tuned, played, n)
    base = scores_against(request, default, played, n)
    lines = []
    for opponent, score, base_score in zip(request.pool, own, base, strict=True):
        line = _line(opponent.text, score, base_score)
        lines.append(line)
    even = scores.even(n, metric)
    direct = even
    if tuned.text != default.text:
        cell = played[tuned.text, default.text]
        direct = scores.score(cell, metric)
    own_total = scores.total(own, request.objective)
    base_total = scores.total(base, request.objective)
    return Confirmation(
        tuple(lines), _line(default.text, direct, even), _line("", own_total, base_total)
    )


def _line(opponent: str, tuned: Score, default: Score) -> Line:
    return Line(opponent, tuned.estimate(), default.estimate(), tuned.gain(default))

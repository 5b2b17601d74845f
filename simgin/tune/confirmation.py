"""The confirmation: what was found against the defaults, on packs that the search never saw."""

from __future__ import annotations

from dataclasses import dataclass

from simgin.core import sums
from simgin.play.parallel import Progress
from simgin.runs.ledger import Ledger
from simgin.stats.estimate import Estimate
from simgin.strategy import Strategy
from simgin.tune.field import Score, distinct, field, kept_step, play_all, total
from simgin.tune.tune_request import TuneRequest


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
        return list({line.opponent: line for line in (*self.lines, self.direct)}.values())


def confirm(
    request: TuneRequest,
    tuned: Strategy,
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Confirmation:
    """The confirmation of a strategy that a search found; played unless the ledger has it."""
    default = request.strategy
    n = request.confirmed
    every = [request.matchup(tuned, default, request.seed)]
    for strategy in (tuned, default):
        every += request.matchups(strategy, request.seed)
    matchups = distinct(every)
    batches = [-(-matchup.units(n) // matchup.batch) for matchup in matchups]
    shapes = {str(place): (rows, sums.COLUMNS) for place, rows in enumerate(batches)}
    arrays = kept_step(
        ledger,
        f"confirmation of {tuned.text}",
        n,
        shapes,
        lambda: dict(zip(shapes, play_all(matchups, n, workers, progress), strict=True)),
    )
    played = field(request, n, matchups, [arrays[name] for name in shapes])
    own, base = played.each(tuned), played.each(default)
    names = [opponent.text for opponent in request.pool]
    lines = tuple(map(_line, names, own, base))
    direct = _line(default.text, played.against(tuned, default), played.against(default, default))
    objective = _line("", total(own, request.objective), total(base, request.objective))
    return Confirmation(lines, direct, objective)


def _line(opponent: str, tuned: Score, default: Score) -> Line:
    return Line(opponent, tuned.estimate(), default.estimate(), tuned.gain(default))

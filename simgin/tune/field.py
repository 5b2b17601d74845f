"""Strategies played against a pool on the same packs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress
from simgin.runs import ledger, runner
from simgin.runs.block import Task
from simgin.runs.ledger import Ledger, LedgerError
from simgin.runs.threads import Threads
from simgin.stats.played import Played
from simgin.strategy import Strategy
from simgin.tune import scores
from simgin.tune.request import TuneRequest
from simgin.tune.scores import Score

MISSING = np.array("")  # what is no array of numbers
Field = Mapping[tuple[str, str], Played]  # by the texts of the two players


def distinct(matchups: Sequence[Matchup]) -> list[Matchup]:
    """Matchups, each once and nobody against himself."""
    kept = {matchup.cell: matchup for matchup in matchups if matchup.mirrored}
    return list(kept.values())


def play_all(
    matchups: Sequence[Matchup],
    matches: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[np.ndarray]:
    """The batch rows of each of some distinct matchups of one seed."""
    tasks = [Task(matchup, matches) for matchup in matchups]
    team = Threads(workers)
    team.prepare(matchups)
    with ledger.opened(None, {}) as memory:
        runner.run(tasks, memory, team, progress)
        return [
            memory.rows(place, task.units, task.matchup.batch) for place, task in enumerate(tasks)
        ]


def field(matchups: Sequence[Matchup], rows: Sequence[np.ndarray]) -> Field:
    """What came of distinct matchups, by the texts of the two players."""
    played = {}
    for matchup, of_matchup in zip(matchups, rows, strict=True):
        played[matchup.a.text, matchup.opponent] = Played(matchup.cell, of_matchup)
    return played


def read_step(
    run_ledger: Ledger, name: str, n: int, shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, np.ndarray]:
    """The arrays of a step. LedgerError for others: a directory may come from anybody."""
    arrays = run_ledger.step(name, n)
    for key, shape in shapes.items():
        array = arrays.get(key, MISSING)
        is_numbers = array.dtype.kind in "if"
        if not is_numbers or array.shape != shape or not np.isfinite(array).all():
            raise LedgerError(
                f"the search is damaged ({name}: {key}); remove its directory to begin again."
            )
    return arrays


def scores_against(
    request: TuneRequest, strategy: Strategy, played: Field, matches: int
) -> list[Score]:
    """What a strategy is worth against everyone of the pool, one by one."""
    metric = scores.metric_of(request.objective)
    found = []
    for opponent in request.pool:
        if opponent.text == strategy.text:
            found.append(scores.even(matches, metric))
        else:
            found.append(scores.score(played[strategy.text, opponent.text], metric))
    return found


def worths(
    request: TuneRequest,
    strategies: Sequence[Strategy],
    seed: int,
    matches: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Score]:
    """What each of some strategies is worth against the pool, all on the same packs."""
    every = []
    for strategy in strategies:
        every += request.matchups(strategy, seed)
    matchups = distinct(every)
    played = field(matchups, play_all(matchups, matches, workers, progress))
    found = []
    for strategy in strategies:
        against = scores_against(request, strategy, played, matches)
        found.append(scores.total(against, request.objective))
    return found

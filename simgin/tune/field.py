"""Strategies played against a pool on the same packs: what each is worth, and what it gains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress
from simgin.runs import ledger, runner
from simgin.runs.block import Task
from simgin.runs.ledger import Ledger, LedgerError
from simgin.runs.runner import Threads
from simgin.stats import batches, quantity
from simgin.stats.batches import Played
from simgin.stats.estimate import Estimate, quantile
from simgin.stats.metrics import Metric
from simgin.strategy import Strategy
from simgin.tune.tune_request import TuneRequest

MISSING = np.array("")  # what is no array of numbers


@dataclass(frozen=True, eq=False)
class Score:
    """A value, and how far each batch of packs moves it: float64 (batches,)."""

    value: float
    moves: np.ndarray
    batches: float  # how many of equal size these are worth

    def gain(self, base: Score) -> Estimate:
        """How much this is more than another of the same packs."""
        return Score(self.value - base.value, self.moves - base.moves, self.batches).estimate()

    def estimate(self) -> Estimate:
        """The value with its error."""
        se = batches.standard_error(self.moves, self.batches)
        half = quantile(self.batches) * se
        n = round(self.batches)
        return Estimate(self.value, se, n, self.value - half, self.value + half)


@dataclass(frozen=True, eq=False)
class Field:
    """What came of matchups on the same packs, by the texts of the two players."""

    request: TuneRequest
    matches: int  # of each matchup
    played: Mapping[tuple[str, str], Played]

    def against(self, strategy: Strategy, opponent: Strategy) -> Score:
        """A strategy against one opponent; against itself it needs no play."""
        metric = self.request.metric
        if strategy.text == opponent.text:
            return even(self.matches, metric)
        return score(self.played[strategy.text, opponent.text], metric)

    def each(self, strategy: Strategy) -> list[Score]:
        """A strategy against everyone of the pool, one by one."""
        return [self.against(strategy, opponent) for opponent in self.request.pool]


def score(played: Played, metric: Metric) -> Score:
    """A strategy against one opponent."""
    found = quantity.ratio(played.rows, metric, played.as_b)
    return Score(found.value, found.moves, found.batches)


def even(matches: int, metric: Metric) -> Score:
    """A strategy against itself: one half of the matches, no points.

    matches: that another strategy plays on the same packs.
    """
    pairs = (matches + 1) // 2
    whole, rest = divmod(pairs, sums.BATCH_MATCHES)
    sizes = [sums.BATCH_MATCHES] * whole + [rest] * (rest > 0)
    effective = pairs**2 / sum(size**2 for size in sizes)
    return Score(0.5 if metric.share else 0.0, np.zeros(len(sizes)), effective)


def total(scores: Sequence[Score], objective: str) -> Score:
    """What a strategy is worth against a pool: the mean, or the least of the scores."""
    if objective == "worst":
        return min(scores, key=lambda score: score.value)
    value = float(np.mean([score.value for score in scores]))
    return Score(value, np.mean([score.moves for score in scores], axis=0), scores[0].batches)


def distinct(matchups: Sequence[Matchup]) -> list[Matchup]:
    """Matchups, each once and nobody against himself."""
    return list({matchup.cell: matchup for matchup in matchups if matchup.mirrored}.values())


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


def field(
    request: TuneRequest, matches: int, matchups: Sequence[Matchup], rows: Sequence[np.ndarray]
) -> Field:
    """What came of distinct matchups, from the batch rows of each."""
    played = {}
    for matchup, of_matchup in zip(matchups, rows, strict=True):
        played[matchup.a.text, matchup.opponent] = Played(matchup.cell, of_matchup)
    return Field(request, matches, played)


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
    played = field(request, matches, matchups, play_all(matchups, matches, workers, progress))
    return [total(played.each(strategy), request.objective) for strategy in strategies]


def kept_step(
    run_ledger: Ledger,
    name: str,
    n: int,
    shapes: Mapping[str, tuple[int, ...]],
    play: Callable[[], Mapping[str, np.ndarray]],
) -> dict[str, np.ndarray]:
    """The arrays of a step of this size; played unless the ledger has it.

    Raises LedgerError for arrays of other shapes: a directory may come from anybody.
    """
    if not run_ledger.has_step(name, n):
        run_ledger.add_step(name, n, play())
    arrays = run_ledger.step(name, n)
    for key, shape in shapes.items():
        array = arrays.get(key, MISSING)
        is_numbers = array.dtype.kind in "if"
        if not is_numbers or array.shape != shape or not np.isfinite(array).all():
            raise LedgerError(
                f"the search is damaged ({name}: {key}); remove its directory to begin again."
            )
    return arrays

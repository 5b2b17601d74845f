"""The search: generations of strategies drawn by CMA-ES, all of one generation on the same packs.

Covariance matrix adaptation (N. Hansen and A. Ostermeier, Evolutionary Computation 2001) draws each
generation from a normal distribution and moves it towards those who did best. The draws depend on
the seed alone and every result on its packs alone, so a search that was interrupted goes on from
what is in its ledger to the same end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simgin.play.parallel import Progress
from simgin.runs.ledger import Ledger
from simgin.stats.estimate import Estimate
from simgin.tune.field import read_step, worths
from simgin.tune.knobs import Knob, TuneError
from simgin.tune.request import TuneRequest, Values

LIMITS = 5  # numbers of an Estimate
WHOLE = 0.3  # least standard deviation of a whole number: its neighbours stay in play


@dataclass(frozen=True)
class Middle:
    """The middle of what is drawn, as it would be played, and the standard deviation around it."""

    values: Values
    spread: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Generation:
    """Candidates of one generation, and what the middle that they were drawn around is worth."""

    number: int  # from 1
    values: tuple[Values, ...]
    objective: np.ndarray  # float64 (candidates,): share of matches, or points per deal
    middle: Middle
    gain: Estimate  # of the middle over the defaults, on the packs of the candidates


@dataclass(frozen=True)
class Course:
    """A search from its first generation to the middle that it ends with."""

    generations: tuple[Generation, ...]
    end: Middle


class Draws:
    """The distribution that candidates are drawn from, in steps from the start."""

    def __init__(self, knobs: Sequence[Knob], candidates: int, seed: int) -> None:
        self._knobs = knobs
        # One number alone is no space to the library; the second of them moves nothing.
        size = max(2, len(knobs))
        lot = np.random.default_rng(seed)
        low, high = [-1.0] * size, [1.0] * size
        least = [0.0] * size
        for place, knob in enumerate(knobs):
            low[place] = (knob.low - knob.start) / knob.step
            high[place] = (knob.high - knob.start) / knob.step
            if knob.whole:
                least[place] = WHOLE / knob.step
        options = {
            "randn": lambda *shape: lot.standard_normal(shape),
            "seed": np.nan,  # numpy's own generator is left alone
            "bounds": [low, high],
            "minstd": least,
            "popsize": candidates,
            "verbose": -9,
        }
        start = [0.0] * size
        self._cma = _library().CMAEvolutionStrategy(start, 1.0, options)

    def next(self) -> list[np.ndarray]:
        """The next generation."""
        return list(self._cma.ask())

    def learn(self, points: Sequence[np.ndarray], worths: np.ndarray) -> None:
        """Move towards the best of a generation. worths: the more the better."""
        costs = -worths
        self._cma.tell(points, list(costs))

    def values(self, point: np.ndarray) -> Values:
        """A point as values of the knobs."""
        values = []
        for knob, steps in zip(self._knobs, point, strict=False):
            moved = float(steps) * knob.step
            value = knob.value(knob.start + moved)
            values.append(value)
        return tuple(values)

    @property
    def middle(self) -> Middle:
        """The middle of the distribution."""
        result = self._cma.result
        spread = []
        for knob, deviation in zip(self._knobs, result.stds, strict=False):
            own_deviation = knob.step * float(deviation)
            spread.append(own_deviation)
        values = self.values(result.xfavorite)
        return Middle(values, tuple(spread))


def _library() -> Any:
    """The package cma, if it is installed."""
    try:
        import cma
    except ImportError:
        raise TuneError(
            "the search needs the package cma; install it with: pip install 'simgin[tune]'"
        ) from None
    return cma


def search(
    request: TuneRequest,
    ledger: Ledger,
    workers: int | None = None,
    part: Callable[[int], Progress | None] = lambda place: None,
    see: Callable[[Generation], None] = lambda generation: None,
) -> Course:
    """All generations of a request; those in the ledger are not played again.

    part: takes the progress of each generation, from 0. see: is shown every generation.
    """
    draws = Draws(request.knobs, request.candidates, request.seed)
    generations = []
    for number in range(1, request.generations + 1):
        middle = draws.middle
        points = draws.next()
        values = tuple(draws.values(point) for point in points)
        name = f"generation {number}"
        if not ledger.has_step(name, request.matches):
            tried = [*values, middle.values]
            result = _play(request, number, tried, workers, part(number - 1))
            ledger.add_step(name, request.matches, result)
        shapes = {"objective": (len(values),), "gain": (LIMITS,)}
        result = read_step(ledger, name, request.matches, shapes)
        objective = result["objective"]
        draws.learn(points, objective)
        gain = Estimate(*result["gain"])
        generation = Generation(number, values, objective, middle, gain)
        generations.append(generation)
        see(generation)
    return Course(tuple(generations), draws.middle)


def _play(
    request: TuneRequest,
    number: int,
    tried: Sequence[Values],
    workers: int | None,
    progress: Progress | None,
) -> dict[str, np.ndarray]:
    """Play a generation and, on the same packs, the defaults. tried: the middle comes last."""
    strategies = [request.candidate(values) for values in tried]
    strategies.append(request.strategy)
    seed = request.generation_seed(number)
    found = worths(request, strategies, seed, request.matches, workers, progress)
    *candidates, middle, base = found
    gain = middle.gain(base)
    objective = [score.value for score in candidates]
    limits = [gain.value, gain.se, gain.n, gain.low, gain.high]
    return {"objective": np.array(objective), "gain": np.array(limits)}

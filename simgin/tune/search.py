"""The search: generations of strategies drawn by CMA-ES, all of one generation on the same packs.

Covariance matrix adaptation (N. Hansen and A. Ostermeier, Evolutionary Computation 2001) draws each
generation from a normal distribution and moves it towards those who did best. The draws depend on
the seed alone and every result on its packs alone, so a search that was interrupted goes on from
what is in its ledger to the same end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from simgin.play.parallel import Progress
from simgin.runs.ledger import Ledger
from simgin.stats.estimate import Estimate
from simgin.tune.field import kept_step, worths
from simgin.tune.found import Parts
from simgin.tune.knobs import Knob, TuneError
from simgin.tune.tune_request import TuneRequest, Values

LIMITS = len(fields(Estimate))
BEST = 3  # middles that come into the finals by what they gained
FINALISTS = 3 + BEST
LONGER = 5  # times the matches of a generation, in the finals
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
        self._cma = _library().CMAEvolutionStrategy([0.0] * size, 1.0, options)

    def next(self) -> list[np.ndarray]:
        """The next generation."""
        return list(self._cma.ask())

    def learn(self, points: Sequence[np.ndarray], worths: np.ndarray) -> None:
        """Move towards the best of a generation. worths: the more the better."""
        self._cma.tell(points, list(-worths))

    def values(self, point: np.ndarray) -> Values:
        """A point as values of the knobs."""
        moved = zip(self._knobs, map(float, point), strict=False)
        return tuple(knob.value(knob.start + steps * knob.step) for knob, steps in moved)

    @property
    def middle(self) -> Middle:
        """The middle of the distribution."""
        result = self._cma.result
        deviations = zip(self._knobs, map(float, result.stds), strict=False)
        spread = tuple(knob.step * deviation for knob, deviation in deviations)
        return Middle(self.values(result.xfavorite), spread)


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
    part: Parts = lambda place: None,
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
        result = kept_step(
            ledger,
            f"generation {number}",
            request.matches,
            {"objective": (len(values),), "gain": (LIMITS,)},
            partial(_play, request, number, [*values, middle.values], workers, part(number - 1)),
        )
        objective = result["objective"]
        draws.learn(points, objective)
        generation = Generation(number, values, objective, middle, Estimate(*result["gain"]))
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
    strategies = [*map(request.candidate, tried), request.strategy]
    seed = request.generation_seed(number)
    *candidates, middle, base = worths(
        request, strategies, seed, request.matches, workers, progress
    )
    objective = [score.value for score in candidates]
    gain = astuple(middle.gain(base))
    return {"objective": np.array(objective), "gain": np.array(gain)}


# The finals


def choose(
    request: TuneRequest,
    course: Course,
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Values:
    """The best of a few, and of the defaults, on packs new to all; played unless the ledger has it.

    A search wanders: its last middle is not its best, and the one that measured best was also
    lucky.
    """
    finalists = _finalists(request, course)
    last = len(course.generations)
    n = LONGER * request.matches

    def play() -> dict[str, np.ndarray]:
        strategies = list(map(request.candidate, finalists))
        seed = request.generation_seed(last + 1)
        found = worths(request, strategies, seed, n, workers, progress)
        return {"worths": np.array([worth.value for worth in found])}

    shapes = {"worths": (len(finalists),)}
    result = kept_step(ledger, f"finals after {last} generations", n, shapes, play)
    return finalists[int(result["worths"].argmax())]


def _finalists(request: TuneRequest, course: Course) -> list[Values]:
    """The defaults, the last middle, the mean of the later ones, and those that gained most."""
    middles = [generation.middle.values for generation in course.generations]
    end = course.end.values
    later = [*middles[len(middles) // 2 :], end]
    columns = zip(request.knobs, zip(*later, strict=True), strict=True)
    mean = tuple(knob.value(float(np.mean(column))) for knob, column in columns)
    ranked = sorted(course.generations, key=lambda one: one.gain.value, reverse=True)
    best = [generation.middle.values for generation in ranked[:BEST]]
    return list(dict.fromkeys([request.defaults, end, mean, *best]))

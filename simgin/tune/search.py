"""Parameter search with CMA-ES; all strategies of a generation play the same deals.

Covariance matrix adaptation (N. Hansen and A. Ostermeier, Evolutionary Computation 2001) draws each
generation from a normal distribution and moves it towards the best candidates. The candidates
depend on the seed only, and each result depends on its deals only. An interrupted search therefore
resumes from its ledger and gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from simgin import plots
from simgin.play.parallel import Progress
from simgin.report.progress import OnProgress
from simgin.report.report import Picture
from simgin.report.table import Column, Table
from simgin.runs.ledger import Ledger
from simgin.stats.estimate import Estimate
from simgin.stats.table import Frame, frame_of
from simgin.strategy.text_form import values_toml
from simgin.text.messages import one_line
from simgin.tune.found import (
    Found,
    Parts,
    Wording,
    confirm,
    estimate,
    interval,
    kept_step,
    share_pieces,
    worths,
)
from simgin.tune.tune_request import Knob, TuneError, TuneRequest, Values, slot_values

LIMITS = len(fields(Estimate))
BEST = 3  # means that enter the finals because of their gain
FINALISTS = 3 + BEST
LONGER = 5  # matches of the finals, relative to a generation
WHOLE = 0.3  # minimum standard deviation of integer parameters, so that their neighbours are tried


@dataclass(frozen=True)
class Middle:
    """The mean of the distribution of candidates, rounded as it is played, and its deviations."""

    values: Values
    spread: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Generation:
    """Candidates of a generation, and the gain of the mean that they were drawn around."""

    number: int  # from 1
    values: tuple[Values, ...]
    objective: np.ndarray  # (n_candidates,) float64: proportion of matches won, or points per deal
    middle: Middle
    gain: Estimate  # of the mean over the defaults, on the deals of the candidates


@dataclass(frozen=True)
class Course:
    """A search from the first generation to its final mean."""

    generations: tuple[Generation, ...]
    end: Middle


class Draws:
    """The distribution of candidates, in steps from the start."""

    def __init__(self, knobs: Sequence[Knob], candidates: int, seed: int) -> None:
        self._knobs = knobs
        # The library needs at least two dimensions; the second one has no effect
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
            "seed": np.nan,  # leaves numpy's global generator unchanged
            "bounds": [low, high],
            "minstd": least,
            "popsize": candidates,
            "verbose": -9,
        }
        self._cma = _library().CMAEvolutionStrategy([0.0] * size, 1.0, options)

    def next(self) -> list[np.ndarray]:
        """Return the next generation."""
        return list(self._cma.ask())

    def learn(self, points: Sequence[np.ndarray], worths: np.ndarray) -> None:
        """Move the distribution towards the best candidates; higher scores are better."""
        self._cma.tell(points, list(-worths))

    def values(self, point: np.ndarray) -> Values:
        """Return a point as values of the parameters."""
        moved = zip(self._knobs, map(float, point), strict=False)
        return tuple(knob.value(knob.start + steps * knob.step) for knob, steps in moved)

    @property
    def middle(self) -> Middle:
        """The mean of the distribution."""
        result = self._cma.result
        deviations = zip(self._knobs, map(float, result.stds), strict=False)
        spread = tuple(knob.step * deviation for knob, deviation in deviations)
        return Middle(self.values(result.xfavorite), spread)


def _library() -> Any:
    """Return the package cma, or raise TuneError if it is not installed."""
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
    """Return all generations of a search, after playing those that the ledger does not have.

    Args:
        request: The search.
        ledger: Ledger of the search.
        workers: Number of worker threads.
        part: Function that returns the progress callback of a generation, counted from 0.
        see: Callback that is called with every generation.
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
    """Play a generation, its mean (last in `tried`) and the defaults on the same deals."""
    strategies = [*map(request.candidate, tried), request.strategy]
    seed = request.generation_seed(number)
    *candidates, middle, base = worths(
        request, strategies, seed, request.matches, workers, progress
    )
    objective = [score.value for score in candidates]
    gain = astuple(estimate(middle - base))
    return {"objective": np.array(objective), "gain": np.array(gain)}


# Finals


def choose(
    request: TuneRequest,
    course: Course,
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Values:
    """Return the best of a few candidates and the defaults on fresh deals.

    The last mean of a search is not necessarily its best, and the one with the highest score was
    also lucky. The finals are played unless the ledger has them.
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
    """Return the defaults, the final mean, the average of the later means, and the best means."""
    middles = [generation.middle.values for generation in course.generations]
    end = course.end.values
    later = [*middles[len(middles) // 2 :], end]
    columns = zip(request.knobs, zip(*later, strict=True), strict=True)
    mean = tuple(knob.value(float(np.mean(column))) for knob, column in columns)
    ranked = sorted(course.generations, key=lambda one: one.gain.value, reverse=True)
    best = [generation.middle.values for generation in ranked[:BEST]]
    return list(dict.fromkeys([request.defaults, end, mean, *best]))


# Result


@dataclass(frozen=True)
class Tuned(Found):
    """The result of a search."""

    words = Wording(
        doing="Tuning",
        done="tuned",
        before="default",
        search="search",
        pieces="generations",
        content="numbers",
        ending=".toml",
        mark=b"# simgin tune ",
    )
    course: Course
    values: Values  # chosen in the finals

    @property
    def parameters(self) -> Frame:
        """The parameters: parameter, meaning, low, high, default, tuned."""
        return frame_of(
            [
                {
                    "parameter": knob.name,
                    "meaning": knob.param.about,
                    "low": knob.low,
                    "high": knob.high,
                    "default": knob.param.default,
                    "tuned": value,
                }
                for knob, value in zip(self.request.knobs, self.values, strict=True)
            ]
        )

    @property
    def candidates(self) -> Frame:
        """Every strategy tried: generation, strategy, parameter values and score."""
        names = [knob.name for knob in self.request.knobs]
        rows = []
        for generation in self.course.generations:
            for values, worth in zip(generation.values, generation.objective, strict=True):
                strategy = self.request.candidate(values)
                row: dict[str, Any] = {"generation": generation.number, "strategy": strategy.text}
                row |= zip(names, values, strict=True)
                rows.append({**row, self.request.objective: worth})
        return frame_of(rows)

    @property
    def path(self) -> Frame:
        """The mean after every generation, as `simgin.plots.search_history` draws it.

        Gains are measured on the deals of the next generation. The last rows are the values that
        were chosen, with the gain of the confirmation.
        """
        request = self.request
        rows: list[dict[str, Any]] = []
        for last in self.course.generations:
            rows += _path_rows(request, last.number - 1, last.middle, last.gain, request.matches)
        chosen = Middle(self.values, self.course.end.spread)
        gain = self.confirmation.objective.gain
        rows += _path_rows(request, request.generations, chosen, gain, request.confirmed)
        return frame_of(rows)

    def file(self, command: str) -> bytes:
        """Return the tuned parameters as TOML for `name@FILE.toml`, with remarks on the gain."""
        remarks = [command, *self.sentences]
        head = "".join(f"# {one_line(remark)}\n" for remark in remarks)
        text = values_toml(slot_values(self.request.knobs, self.values))
        return f"{head}\n{text}".encode()

    def frames(self) -> Mapping[str, Frame]:
        """Return the DataFrames by name."""
        return {
            "parameters": self.parameters,
            "candidates": self.candidates,
            "search": self.path,
            "confirmation": self.table,
        }

    def shown(self) -> list[Table]:
        """Return the table of the parameters."""
        told = [
            {
                "parameter": knob.name,
                "default": knob.text(knob.param.default),
                "tuned": knob.text(value),
                "limits": f"{knob.low:g}..{knob.high:g}",
            }
            for knob, value in zip(self.request.knobs, self.values, strict=True)
        ]
        return [Table("Numbers", frame_of(told), [Column(name, name) for name in told[0]])]

    def pictures(self) -> list[Picture]:
        """Return the plot of the search history."""
        factor = self.request.metric.factor
        gains = [f"{factor * one.gain.value:.2f}" for one in self.course.generations]
        chosen = interval(self.request, self.confirmation.objective.gain)
        told = (
            f"Gain on the default by generation: {', '.join(gains)}; of the values chosen {chosen}."
        )
        figure = plots.search(self.path, seed=self.request.seed)
        return [Picture("search", "Course of the search", told, figure)]

    @property
    def method(self) -> str:
        """A sentence on how the search was made."""
        request = self.request
        return (
            f"CMA-ES, {request.generations} generations of {request.candidates} strategies, "
            f"{request.matches:,} matches each against every opponent, all of a generation on the "
            "same packs."
        )


def run_tune(
    request: TuneRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    run_ledger: Ledger,
    on_generation: Callable[[Generation], None] = lambda generation: None,
) -> Tuned:
    """Search, choose and confirm; steps in the ledger are not played again.

    Args:
        request: The search.
        workers: Number of worker threads.
        on_progress: Callback for the progress of the generations, finals and confirmation together.
        run_ledger: Ledger of the search.
        on_generation: Callback that is called with every generation.
    """
    seen: list[Generation] = []

    def see(generation: Generation) -> None:
        seen.append(generation)
        on_generation(generation)

    last = request.generations
    part = share_pieces(on_progress, last + 2, lambda: course_line(request, seen))
    course = search(request, run_ledger, workers, part, see)
    values = choose(request, course, run_ledger, workers, part(last))
    strategy = request.candidate(values)
    confirmation = confirm(request, strategy, run_ledger, workers, part(last + 1))
    return Tuned(request, strategy, confirmation, course, values)


def plan_sentence(request: TuneRequest) -> str:
    """Return a sentence on what will be played."""
    names = ", ".join(knob.name for knob in request.knobs)
    return (
        f"{request.generations} generations of {request.candidates} strategies that differ in "
        f"{names} play {request.matches:,} matches each against {request.opponents} "
        f"({request.variant.text}). Then {request.confirmed:,} matches on {Tuned.words.unseen} "
        "confirm what was found."
    )


def course_line(request: TuneRequest, generations: Sequence[Generation]) -> str:
    """Return a line on the progress of a search."""
    if not generations:
        return f"generation 1 of {request.generations}"
    last = generations[-1]
    moved = zip(request.knobs, last.middle.values, strict=True)
    listed = ", ".join(f"{knob.name}={knob.text(value)}" for knob, value in moved)
    gain = interval(request, last.gain)
    return f"generation {last.number} of {request.generations}: gain {gain}; {listed}"


def _path_rows(
    request: TuneRequest, generations: int, middle: Middle, gain: Estimate, n: int
) -> Iterator[dict[str, Any]]:
    """Yield a row for every parameter after a number of generations."""
    for knob, value, spread in zip(request.knobs, middle.values, middle.spread, strict=True):
        yield {
            "variant": request.variant.text,
            "strategy": request.strategy.text,
            "opponent": ", ".join(opponent.text for opponent in request.pool),
            "metric": request.metric.name,
            "generations": generations,
            "gain": gain.value,
            "low": gain.low,
            "high": gain.high,
            "parameter": knob.name,
            "value": value,
            "value_low": max(knob.low, value - spread),
            "value_high": min(knob.high, value + spread),
            "default": knob.param.default,
            "n": n,
        }

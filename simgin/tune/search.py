"""The search: generations of strategies drawn by CMA-ES, all of one generation on the same packs.

Covariance matrix adaptation (N. Hansen and A. Ostermeier, Evolutionary Computation 2001) draws each
generation from a normal distribution and moves it towards those who did best. The draws depend on
the seed alone and every result on its packs alone, so a search that was interrupted goes on from
what is in its ledger to the same end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from simgin import plots
from simgin.play.parallel import Progress
from simgin.report.report import Picture
from simgin.report.table import Column, Table
from simgin.runs.ledger import Ledger
from simgin.stats.estimate import Estimate
from simgin.stats.table import Frame, frame_of
from simgin.strategy.text_form import values_toml
from simgin.text.messages import one_line
from simgin.tune.found import Found, Parts, Wording, confirm, estimate, interval, kept_step, worths
from simgin.tune.tune_request import Knob, TuneError, TuneRequest, Values, slot_values

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
    gain = astuple(estimate(middle - base))
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


# What came of it


@dataclass(frozen=True)
class Tuned(Found):
    """What came of a search."""

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
    values: Values  # that were chosen

    @property
    def parameters(self) -> Frame:
        """The numbers: parameter, meaning, low, high, default, tuned."""
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
        """Every strategy tried: generation, strategy, its values, and what it was worth."""
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
        """The middle of the search after every generation, as `simgin.plots.search` draws it.

        What it gains is measured on the packs of the next generation. Last come the values that
        were chosen, with the gain that the confirmation found.
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
        """The tuned numbers as `name@FILE.toml` reads them, with what they are worth."""
        remarks = [command, *self.sentences]
        head = "".join(f"# {one_line(remark)}\n" for remark in remarks)
        text = values_toml(slot_values(self.request.knobs, self.values))
        return f"{head}\n{text}".encode()

    def tables(self) -> Mapping[str, Frame]:
        """The frames of a search by the names of their files."""
        return {
            "parameters.csv": self.parameters,
            "candidates.csv": self.candidates,
            "search.csv": self.path,
            "confirmation.csv": self.table,
        }

    def shown(self) -> list[Table]:
        """The numbers."""
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
        """The course of the search."""
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
        """How the search was made."""
        request = self.request
        return (
            f"CMA-ES, {request.generations} generations of {request.candidates} strategies, "
            f"{request.matches:,} matches each against every opponent, all of a generation on the "
            "same packs."
        )


def carry_out(
    request: TuneRequest,
    ledger: Ledger,
    workers: int | None = None,
    part: Parts = lambda place: None,
    see: Callable[[Generation], None] = lambda generation: None,
) -> Tuned:
    """Search, choose and confirm; what is in the ledger is not played again.

    part: takes the progress of the generations, of the finals and of the confirmation, as pieces of
    the work. see: is shown every generation.
    """
    course = search(request, ledger, workers, part, see)
    last = request.generations
    values = choose(request, course, ledger, workers, part(last))
    strategy = request.candidate(values)
    confirmation = confirm(request, strategy, ledger, workers, part(last + 1))
    return Tuned(request, strategy, confirmation, course, values)


def plan_sentence(request: TuneRequest) -> str:
    """What will be played."""
    names = ", ".join(knob.name for knob in request.knobs)
    return (
        f"{request.generations} generations of {request.candidates} strategies that differ in "
        f"{names} play {request.matches:,} matches each against {request.opponents} "
        f"({request.variant.text}). Then {request.confirmed:,} matches on {Tuned.words.unseen} "
        "confirm what was found."
    )


def course_line(request: TuneRequest, generations: Sequence[Generation]) -> str:
    """How far a search has come, in a line."""
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
    """A row for every number after so many generations."""
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

"""A search from its request to what came of it: the numbers, their file, tables, a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simgin import plots
from simgin.report.report import Picture
from simgin.report.table import Column, Table
from simgin.runs.ledger import Ledger
from simgin.stats.estimate import Estimate
from simgin.strategy.text_form import values_toml
from simgin.tune.found import Found, Parts, Wording, confirm, frame, interval
from simgin.tune.knobs import slot_values
from simgin.tune.search import Course, Generation, Middle, choose, search
from simgin.tune.tune_request import TuneRequest, Values

if TYPE_CHECKING:
    import pandas as pd


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
    def identity(self) -> dict[str, Any]:
        """What may not change when the search is continued."""
        return self.request.identity

    @property
    def parameters(self) -> pd.DataFrame:
        """The numbers: parameter, meaning, low, high, default, tuned."""
        return frame(
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
    def candidates(self) -> pd.DataFrame:
        """Every strategy tried: generation, strategy, its values, and what it was worth."""
        names = [knob.name for knob in self.request.knobs]
        rows = []
        for generation in self.course.generations:
            for values, worth in zip(generation.values, generation.objective, strict=True):
                strategy = self.request.candidate(values)
                row: dict[str, Any] = {"generation": generation.number, "strategy": strategy.text}
                row |= zip(names, values, strict=True)
                rows.append({**row, self.request.objective: worth})
        return frame(rows)

    @property
    def path(self) -> pd.DataFrame:
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
        return frame(rows)

    def file(self, command: str) -> bytes:
        """The tuned numbers as `name@FILE.toml` reads them, with what they are worth."""
        remarks = [command, *self.sentences]
        head = "".join(f"# {remark}\n" for remark in remarks)
        text = values_toml(slot_values(self.request.knobs, self.values))
        return f"{head}\n{text}".encode()

    def tables(self) -> Mapping[str, pd.DataFrame]:
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
        return [Table("Numbers", frame(told), [Column(name, name) for name in told[0]])]

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

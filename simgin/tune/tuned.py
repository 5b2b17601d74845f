"""A search from its request to what came of it, as tidy frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from simgin.play.parallel import Progress
from simgin.runs.ledger import Ledger
from simgin.stats.estimate import Estimate
from simgin.strategy import Strategy
from simgin.tune import scores
from simgin.tune.confirmation import Confirmation, Line, confirm
from simgin.tune.finals import choose
from simgin.tune.request import TuneRequest, Values
from simgin.tune.search import Course, Generation, Middle, search
from simgin.tune.wording import TUNING, Found, Wording

if TYPE_CHECKING:
    import pandas as pd

Parts = Callable[[int], Progress | None]  # the progress of a piece of the work, from 0


@dataclass(frozen=True)
class Tuned:
    """What came of a search."""

    request: TuneRequest
    course: Course
    values: Values  # that were chosen
    confirmation: Confirmation
    wording: ClassVar[Wording] = TUNING

    @property
    def strategy(self) -> Strategy:
        """The strategy with the values that were chosen."""
        return self.request.candidate(self.values)

    @property
    def is_moved(self) -> bool:
        """Whether the search ended anywhere else than at the defaults."""
        return self.strategy.text != self.request.strategy.text

    @property
    def parameters(self) -> pd.DataFrame:
        """The numbers: parameter, meaning, low, high, default, tuned."""
        rows = []
        for knob, value in zip(self.request.knobs, self.values, strict=True):
            row = {
                "parameter": knob.name,
                "meaning": knob.param.about,
                "low": knob.low,
                "high": knob.high,
                "default": knob.param.default,
                "tuned": value,
            }
            rows.append(row)
        return _frame(rows)

    @property
    def candidates(self) -> pd.DataFrame:
        """Every strategy tried: generation, strategy, its values, and what it was worth."""
        names = [knob.name for knob in self.request.knobs]
        rows = []
        for generation in self.course.generations:
            for values, worth in zip(generation.values, generation.objective, strict=True):
                strategy = self.request.candidate(values)
                row: dict[str, Any] = {"generation": generation.number, "strategy": strategy.text}
                row |= dict(zip(names, values, strict=True))
                row[self.request.objective] = worth
                rows.append(row)
        return _frame(rows)

    @property
    def path(self) -> pd.DataFrame:
        """The middle of the search after every generation, as `simgin.plots.search` draws it.

        What it gains is measured on the packs of the next generation. Last come the values that
        were chosen, with the gain that the confirmation found.
        """
        request = self.request
        rows: list[dict[str, Any]] = []
        for generation in self.course.generations:
            rows += _path_rows(
                request, generation.number - 1, generation.middle, generation.gain, request.matches
            )
        gain = self.confirmation.objective.gain
        last = len(self.course.generations)
        chosen = Middle(self.values, self.course.end.spread)
        rows += _path_rows(request, last, chosen, gain, request.confirmed)
        return _frame(rows)

    @property
    def table(self) -> pd.DataFrame:
        """The confirmation: a row for every opponent, the default last."""
        return confirmation_table(self)


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
    return Tuned(request, course, values, confirmation)


def confirmation_table(found: Found) -> pd.DataFrame:
    """A row for every opponent of a confirmation, the default last."""
    rows = [_confirmation_row(found, line) for line in found.confirmation.every]
    return _frame(rows)


def _frame(rows: list[dict[str, Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(rows)


def _path_rows(
    request: TuneRequest, generations: int, middle: Middle, gain: Estimate, n: int
) -> Iterator[dict[str, Any]]:
    """A row for every number after so many generations."""
    for knob, value, spread in zip(request.knobs, middle.values, middle.spread, strict=True):
        yield {
            "variant": request.variant.text,
            "strategy": request.strategy.text,
            "opponent": ", ".join(opponent.text for opponent in request.pool),
            "metric": scores.METRICS[request.objective],
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


def _confirmation_row(found: Found, line: Line) -> dict[str, Any]:
    request = found.request
    row: dict[str, Any] = {
        "variant": request.variant.text,
        "strategy": found.strategy.text,
        "base_strategy": request.strategy.text,
        "opponent": line.opponent,
        "metric": scores.METRICS[request.objective],
    }
    words = found.wording
    for name, each in ((words.done, line.tuned), (words.before, line.default), ("gain", line.gain)):
        row |= _limits(name, each)
    return {**row, "n": request.confirmed}


def _limits(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}

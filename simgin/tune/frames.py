"""A search as tidy frames: what was tried, how the numbers moved, what the confirmation says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from simgin.stats.estimate import Estimate
from simgin.strategy import Strategy
from simgin.tune import scores
from simgin.tune.confirmation import Confirmation, Line
from simgin.tune.request import TuneRequest, Values
from simgin.tune.search import Course, Middle


@dataclass(frozen=True)
class Tuned:
    """What came of a search."""

    request: TuneRequest
    course: Course
    values: Values  # that were chosen
    confirmation: Confirmation

    @property
    def strategy(self) -> Strategy:
        """The strategy with the values that were chosen."""
        return self.request.candidate(self.values)

    @property
    def is_moved(self) -> bool:
        """Whether the search ended anywhere else than at the defaults."""
        return self.strategy.text != self.request.strategy.text


def parameters(tuned: Tuned) -> pd.DataFrame:
    """The numbers: parameter, meaning, low, high, default, tuned."""
    rows = []
    for knob, value in zip(tuned.request.knobs, tuned.values, strict=True):
        row = {
            "parameter": knob.name,
            "meaning": knob.param.about,
            "low": knob.low,
            "high": knob.high,
            "default": knob.param.default,
            "tuned": value,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def candidates(tuned: Tuned) -> pd.DataFrame:
    """Every strategy tried: generation, strategy, its values, and what it was worth."""
    names = [knob.name for knob in tuned.request.knobs]
    rows = []
    for generation in tuned.course.generations:
        for values, worth in zip(generation.values, generation.objective, strict=True):
            strategy = tuned.request.candidate(values)
            row: dict[str, Any] = {
                "generation": generation.number,
                "strategy": strategy.text,
            }
            row |= dict(zip(names, values, strict=True))
            row[tuned.request.objective] = worth
            rows.append(row)
    return pd.DataFrame(rows)


def path(tuned: Tuned) -> pd.DataFrame:
    """The middle of the search after every generation, as `simgin.plots.search` draws it.

    What it gains is measured on the packs of the next generation. Last come the values that were
    chosen, with the gain that the confirmation found.
    """
    request = tuned.request
    rows: list[dict[str, Any]] = []
    for generation in tuned.course.generations:
        rows += _path_rows(
            request,
            generation.number - 1,
            generation.middle,
            generation.gain,
            request.matches,
        )
    gain = tuned.confirmation.objective.gain
    last = len(tuned.course.generations)
    chosen = Middle(tuned.values, tuned.course.end.spread)
    rows += _path_rows(
        request,
        last,
        chosen,
        gain,
        request.confirmed,
    )
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


def confirmation(tuned: Tuned) -> pd.DataFrame:
    """The confirmation: a row for every opponent, the default last."""
    confirmed = tuned.confirmation
    lines = [*confirmed.lines, confirmed.direct]
    rows = [_confirmation_row(tuned, line) for line in lines]
    return pd.DataFrame(rows)


def _confirmation_row(tuned: Tuned, line: Line) -> dict[str, Any]:
    request = tuned.request
    row: dict[str, Any] = {
        "variant": request.variant.text,
        "strategy": tuned.strategy.text,
        "base_strategy": request.strategy.text,
        "opponent": line.opponent,
        "metric": scores.METRICS[request.objective],
    }
    for name, each in (("tuned", line.tuned), ("default", line.default), ("gain", line.gain)):
        row |= _limits(name, each)
    return {**row, "n": request.confirmed}


def _limits(name: str, estimate: Estimate) -> dict[str, float]:
    return {
        name: estimate.value,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
    }

"""The finals: the most promising middles of a search play for longer, and the best is chosen.

A search wanders: its last middle is not its best, and the one that measured best was also lucky.
So a few of them, and the defaults, meet on packs that are new to all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simgin.play.parallel import Progress
from simgin.runs.ledger import Ledger
from simgin.tune.field import read_step, worths
from simgin.tune.request import TuneRequest, Values
from simgin.tune.search import Course, Generation

BEST = 3  # middles that come in by what they gained
FINALISTS = 3 + BEST
LONGER = 5  # times the matches of a generation


def choose(
    request: TuneRequest,
    course: Course,
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Values:
    """The best of the finalists; played unless the ledger has them."""
    finalists = _finalists(request, course)
    last = len(course.generations)
    n = LONGER * request.matches
    name = f"finals after {last} generations"
    if not ledger.has_step(name, n):
        seed = request.generation_seed(last + 1)
        strategies = [request.candidate(values) for values in finalists]
        found = worths(request, strategies, seed, n, workers, progress)
        values = [worth.value for worth in found]
        result = {"worths": np.array(values)}
        ledger.add_step(name, n, result)
    result = read_step(ledger, name, n, {"worths": (len(finalists),)})
    place = int(result["worths"].argmax())
    return finalists[place]


def _finalists(request: TuneRequest, course: Course) -> list[Values]:
    """The defaults, the last middle, the mean of the later ones, and those that gained most."""
    middles = [generation.middle.values for generation in course.generations]
    half = len(middles) // 2
    end = course.end.values
    later = [*middles[half:], end]
    mean = _mean(request, later)
    finalists = [request.defaults, end, mean]
    ranked = sorted(course.generations, key=_gained, reverse=True)
    for generation in ranked[:BEST]:
        finalists.append(generation.middle.values)
    return list(dict.fromkeys(finalists))


def _gained(generation: Generation) -> float:
    return generation.gain.value


def _mean(request: TuneRequest, middles: Sequence[Values]) -> Values:
    """The mean of some values of the knobs, as it would be played."""
    values = []
    columns = zip(*middles, strict=True)
    for knob, column in zip(request.knobs, columns, strict=True):
        mean = float(np.mean(column))
        values.append(knob.value(mean))
    return tuple(values)

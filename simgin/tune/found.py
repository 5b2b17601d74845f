"""What searches and trainings share: what strategies are worth, what came of it, and its page."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from simgin.core import rng, sums
from simgin.play.matchup import Matchup
from simgin.play.parallel import Progress
from simgin.report import numbers
from simgin.report.report import Picture, Report
from simgin.report.table import Column, Table
from simgin.runs.ledger import Ledger, LedgerError
from simgin.runs.manifest import engine_digest
from simgin.runs.runner import run_matchups
from simgin.stats import batches, quantity, table
from simgin.stats.estimate import Estimate, around
from simgin.stats.metrics import Metric
from simgin.stats.quantity import Quantity
from simgin.stats.table import Frame, frame_of
from simgin.strategy import Strategy
from simgin.text.messages import one_line
from simgin.tune.tune_request import TuneRequest

MISSING = np.array("")  # what is no array of numbers
Parts = Callable[[int], Progress | None]  # the progress of a piece of the work, from 0


class Wording(NamedTuple):
    """The words for what was done, and for the strategy before and after it."""

    doing: str
    done: str
    before: str
    search: str  # what was done, as a thing
    pieces: str  # of it
    content: str  # of its file
    ending: str  # of the name of that file
    mark: bytes  # in that file

    @property
    def unseen(self) -> str:
        """The packs of the confirmation."""
        return f"packs that the {self.search} never saw"

    @property
    def file(self) -> str:
        """The name of the file in a directory."""
        return f"{self.done}{self.ending}"


TRAINING = Wording(
    doing="Training",
    done="trained",
    before="start",
    search="training",
    pieces="rounds",
    content="weights",
    ending=".npy",
    mark=b"\n# simgin train ",
)


# Strategies played against a pool on the same packs: what each is worth, and what it gains


@dataclass(frozen=True, eq=False)
class Field:
    """What came of matchups on the same packs: batch rows by the texts of the two players."""

    request: TuneRequest
    matches: int  # of each matchup
    rows: Mapping[tuple[str, str], np.ndarray]

    def against(self, strategy: Strategy, opponent: Strategy) -> Quantity:
        """A strategy against one opponent; against itself it needs no play."""
        metric = self.request.metric
        if strategy.text == opponent.text:
            return even(self.matches, metric)
        return quantity.ratio(self.rows[strategy.text, opponent.text], metric)

    def each(self, strategy: Strategy) -> list[Quantity]:
        """A strategy against everyone of the pool, one by one."""
        return [self.against(strategy, opponent) for opponent in self.request.pool]


def estimate(found: Quantity) -> Estimate:
    """A value with the error that its batches alone tell."""
    se = batches.standard_error(found.moves, found.batches)
    return around(found.value, se, round(found.batches), found.batches)


def even(matches: int, metric: Metric) -> Quantity:
    """A strategy against itself: one half of the matches, no points.

    matches: that another strategy plays on the same packs.
    """
    pairs = (matches + 1) // 2
    whole, rest = divmod(pairs, sums.BATCH_MATCHES)
    sizes = [sums.BATCH_MATCHES] * whole + [rest] * (rest > 0)
    effective = pairs**2 / sum(size**2 for size in sizes)
    value = 0.5 if metric.share else 0.0
    return Quantity(value, matches, np.zeros(len(sizes)), effective)


def total(scores: Sequence[Quantity], objective: str) -> Quantity:
    """What a strategy is worth against a pool: the mean, or the least of the scores."""
    if objective == "worst":
        return min(scores, key=lambda score: score.value)
    return quantity.mean(scores)


def distinct(matchups: Sequence[Matchup]) -> list[Matchup]:
    """Matchups, each once and nobody against himself."""
    return list({matchup.cell: matchup for matchup in matchups if matchup.mirrored}.values())


def field(
    request: TuneRequest, matches: int, matchups: Sequence[Matchup], rows: Sequence[np.ndarray]
) -> Field:
    """What came of distinct matchups, from the batch rows of each."""
    pairs = [(matchup.a.text, matchup.opponent) for matchup in matchups]
    return Field(request, matches, dict(zip(pairs, rows, strict=True)))


def worths(
    request: TuneRequest,
    strategies: Sequence[Strategy],
    seed: int,
    matches: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[Quantity]:
    """What each of some strategies is worth against the pool, all on the same packs."""
    every = []
    for strategy in strategies:
        every += request.matchups(strategy, seed)
    matchups = distinct(every)
    played = field(request, matches, matchups, run_matchups(matchups, matches, workers, progress))
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


# The confirmation


@dataclass(frozen=True)
class Line:
    """The tuned strategy and the default against one opponent, on the same packs."""

    opponent: str
    tuned: Estimate
    default: Estimate
    gain: Estimate


@dataclass(frozen=True)
class Confirmation:
    """What tuning gained: against everyone of the pool, head to head, and by the objective."""

    lines: tuple[Line, ...]  # one for everyone of the pool
    direct: Line  # against the default
    objective: Line  # the mean over the pool, or the least of it

    @property
    def every(self) -> list[Line]:
        """Every opponent once, the default last unless the pool has it."""
        return list({line.opponent: line for line in (*self.lines, self.direct)}.values())


def confirm(
    request: TuneRequest,
    tuned: Strategy,
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Confirmation:
    """The confirmation of a strategy that a search found; played unless the ledger has it."""
    default = request.strategy
    n = request.confirmed
    every = [request.matchup(tuned, default, request.seed)]
    for strategy in (tuned, default):
        every += request.matchups(strategy, request.seed)
    matchups = distinct(every)
    batches = [-(-matchup.units(n) // matchup.batch) for matchup in matchups]
    shapes = {str(place): (rows, sums.COLUMNS) for place, rows in enumerate(batches)}
    arrays = kept_step(
        ledger,
        f"confirmation of {tuned.text}",
        n,
        shapes,
        lambda: dict(zip(shapes, run_matchups(matchups, n, workers, progress), strict=True)),
    )
    played = field(request, n, matchups, [arrays[name] for name in shapes])
    own, base = played.each(tuned), played.each(default)
    names = [opponent.text for opponent in request.pool]
    lines = tuple(map(_line, names, own, base))
    direct = _line(default.text, played.against(tuned, default), played.against(default, default))
    objective = _line("", total(own, request.objective), total(base, request.objective))
    return Confirmation(lines, direct, objective)


def _line(opponent: str, tuned: Quantity, default: Quantity) -> Line:
    return Line(opponent, estimate(tuned), estimate(default), estimate(tuned - default))


@dataclass(frozen=True)
class Found:
    """What came of a search or of a training."""

    words: ClassVar[Wording]
    request: TuneRequest  # who was to become better, against whom
    strategy: Strategy  # what it became
    confirmation: Confirmation

    @property
    def is_moved(self) -> bool:
        """Whether it became anything else than it was."""
        return self.strategy.text != self.request.strategy.text

    @property
    def table(self) -> Frame:
        """The confirmation: a row for every opponent, what it was before last."""
        rows = []
        for line in self.confirmation.every:
            row: dict[str, Any] = {
                "variant": self.request.variant.text,
                "strategy": self.strategy.text,
                "base_strategy": self.request.strategy.text,
                "opponent": line.opponent,
                "metric": self.request.metric.name,
            }
            row |= limits(self.words.done, line.tuned)
            row |= limits(self.words.before, line.default)
            row |= limits("gain", line.gain)
            rows.append({**row, "n": self.request.confirmed})
        return frame_of(rows)

    @property
    def sentences(self) -> list[str]:
        """Whether anything was gained, and what it is worth against what it was."""
        words = self.words
        if not self.is_moved:
            return [
                f"The {words.search} ended where it began: nothing is gained, and the "
                f"{words.before}s stay."
            ]
        direct = self.confirmation.direct
        sentences = [_verdict(self, self.confirmation.objective)]
        if self.confirmation.objective.gain.low > 0 > direct.gain.high:
            figure = interval(self.request, direct.tuned)
            unit = "points per deal" if self.request.objective == "points" else "% of the matches"
            sentences.append(
                f"But against the {words.before} itself it makes only {figure} {unit}: it is "
                "fitted to its opponents, and not the better player."
            )
        return sentences

    @property
    def sums_up(self) -> str:
        """What the line of the whole pool is called; empty where there is none."""
        if len(self.request.pool) == 1:
            return ""
        return "hardest of the pool" if self.request.objective == "worst" else "mean of the pool"

    @property
    def method(self) -> str:
        """How it was made, in a sentence."""
        raise NotImplementedError

    def file(self, command: str) -> bytes:
        """What was found, as players read it, with what it is worth. command: repeats it."""
        raise NotImplementedError

    def tables(self) -> Mapping[str, Frame]:
        """Its frames by the names of their files."""
        raise NotImplementedError

    def shown(self) -> list[Table]:
        """Its tables for people, but for the confirmation."""
        raise NotImplementedError

    def pictures(self) -> list[Picture]:
        """What there is to see of it."""
        return []


def saved(weights: np.ndarray, *remarks: str) -> bytes:
    """Weights as numpy saves them, and remarks behind them: readers stop where the array ends."""
    content = io.BytesIO()
    np.save(content, weights.astype(np.float32))
    text = "".join(f"\n# {one_line(remark)}" for remark in remarks)
    return content.getvalue() + f"{text}\n".encode() * bool(remarks)


def limits(name: str, estimate: Estimate) -> dict[str, float]:
    """The cells of an estimate: NAME, NAME_low, NAME_high."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def interval(request: TuneRequest, estimate: Estimate) -> str:
    """A figure with its interval; one half against oneself has none."""
    limits = (estimate.value, estimate.low, estimate.high)
    return numbers.estimate(*limits, request.metric.factor)


def found_report(found: Found, command: str) -> Report:
    """What came of it, for a page and a screen. command: repeats it."""
    request, words = found.request, found.words
    shown = found.shown()
    if found.is_moved:
        shown.append(_confirmation(found))
    origin = f"stream {rng.STREAM}, engine {engine_digest()}"
    files = f"{words.file} with the {words.done} {words.content}"
    return Report(
        question=f"{request.strategy.name}, {words.done} for {request.variant.text}",
        verdict=found.sentences,
        tables=shown,
        pictures=found.pictures(),
        facts=[
            ("Gain", f"{words.done} less {words.before}, on the same packs; ± is a 95 % interval"),
            (words.search.capitalize(), found.method),
            ("Random numbers", origin),
            ("Beside this page", f"{files}, every table as CSV, manifest.json."),
        ],
        command=command,
        files={name: table.csv(frame) for name, frame in found.tables().items()},
    )


def _verdict(found: Found, line: Line) -> str:
    words, request = found.words, found.request
    gain = interval(request, line.gain)
    unit = "points" if request.objective == "points" else "percentage points"
    before, after = _value(request, line.default), _value(request, line.tuned)
    size = f"on {request.confirmed:,} matches of {words.unseen}"
    change = f"{before} become {after} {_measure(request)}, {size}"
    advice = f"Keep the {words.before}{'s' * (words.before == 'default')}."
    if line.gain.low > 0:
        return f"{words.doing} gained {gain} {unit}: {change}."
    if line.gain.high < 0:
        return f"{words.doing} gained nothing: {change}. {advice}"
    return f"No gain is shown, {gain} {unit}: {change}. {advice}"


def _measure(request: TuneRequest) -> str:
    """What is counted, against whom."""
    if request.objective == "points":
        return f"points per deal against {request.opponents}"
    hardest = "the hardest of " if request.objective == "worst" and len(request.pool) > 1 else ""
    return f"% of the matches against {hardest}{request.opponents}"


def _value(request: TuneRequest, estimate: Estimate) -> str:
    """A figure without its interval."""
    factor = request.metric.factor
    span = factor * (estimate.high - estimate.low)
    return numbers.number(factor * estimate.value, span / 2)


def _confirmation(found: Found) -> Table:
    """What was found against everybody, beside what it began as."""
    words, request = found.words, found.request
    lines = []
    for line in found.confirmation.every:
        itself = f", the {words.before}" * (line.opponent == request.strategy.text)
        lines.append((f"{request.names[line.opponent]}{itself}", line))
    if found.sums_up:
        lines.append((found.sums_up, found.confirmation.objective))
    told = [
        {
            "against": name,
            **limits(words.before, line.default),
            **limits(words.done, line.tuned),
            **limits("gain", line.gain),
        }
        for name, line in lines
    ]
    names = [words.before, words.done, "gain"]
    columns = [Column(name, name, factor=request.metric.factor) for name in names]
    return Table(
        f"Confirmation: {request.metric.title}",
        frame_of(told),
        [Column("against", "against"), *columns],
        f"{request.confirmed:,} matches each, seed {request.seed}, on {words.unseen}.",
    )

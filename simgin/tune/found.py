"""Common parts of searches and trainings: evaluation, confirmation and report."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from simgin.core import rng, sums
from simgin.play.matchup import Matchup
from simgin.play.parallel import SHARES, Progress, share
from simgin.report import numbers
from simgin.report.progress import OnProgress
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

MISSING = np.array("")  # placeholder that is not an array of numbers
Parts = Callable[[int], Progress | None]  # progress callback of a piece of the work, counted from 0


class Wording(NamedTuple):
    """Words for what was done, and for the strategy before and after it."""

    doing: str
    done: str
    before: str
    search: str  # noun for what was done
    pieces: str  # parts of the work
    content: str  # what the output file contains
    ending: str  # extension of the output file
    mark: bytes  # bytes that identify the output file

    @property
    def unseen(self) -> str:
        """The words for the deals of the confirmation."""
        return f"packs that the {self.search} never saw"

    @property
    def file(self) -> str:
        """The name of the output file."""
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


# Strategies against a pool of opponents on the same deals: scores and gains


@dataclass(frozen=True, eq=False)
class Field:
    """Results of matchups on the same deals: batch rows by the canonical names of the players."""

    request: TuneRequest
    matches: int  # of each matchup
    rows: Mapping[tuple[str, str], np.ndarray]

    def against(self, strategy: Strategy, opponent: Strategy) -> Quantity:
        """Return the score of a strategy against an opponent; against itself it is even."""
        metric = self.request.metric
        if strategy.text == opponent.text:
            return even(self.matches, metric)
        return quantity.ratio(self.rows[strategy.text, opponent.text], metric)

    def each(self, strategy: Strategy) -> list[Quantity]:
        """Return the scores of a strategy against every opponent of the pool."""
        return [self.against(strategy, opponent) for opponent in self.request.pool]


def estimate(found: Quantity) -> Estimate:
    """Return an estimate whose standard error is computed from its batches."""
    se = batches.standard_error(found.moves, found.batches)
    return around(found.value, se, round(found.batches), found.batches)


def even(matches: int, metric: Metric) -> Quantity:
    """Return the score of a strategy against itself: half of the matches, no points.

    Args:
        matches: Number of matches that the other strategy plays on the same deals.
        metric: Metric of the objective.
    """
    pairs = (matches + 1) // 2
    whole, rest = divmod(pairs, sums.BATCH_MATCHES)
    sizes = [sums.BATCH_MATCHES] * whole + [rest] * (rest > 0)
    effective = pairs**2 / sum(size**2 for size in sizes)
    value = 0.5 if metric.share else 0.0
    return Quantity(value, matches, np.zeros(len(sizes)), effective)


def total(scores: Sequence[Quantity], objective: str) -> Quantity:
    """Return the score against a pool: the mean, or the minimum for the objective "worst"."""
    if objective == "worst":
        return min(scores, key=lambda score: score.value)
    return quantity.mean(scores)


def distinct(matchups: Sequence[Matchup]) -> list[Matchup]:
    """Return the mirrored matchups without duplicates and without self-play."""
    return list({matchup.cell: matchup for matchup in matchups if matchup.mirrored}.values())


def field(
    request: TuneRequest, matches: int, matchups: Sequence[Matchup], rows: Sequence[np.ndarray]
) -> Field:
    """Return the results of distinct matchups from their batch rows."""
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
    """Return the score of each strategy against the pool, all on the same deals."""
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
    """Return the arrays of a step from the ledger, after playing it if it is missing.

    Args:
        run_ledger: Ledger of the search.
        name: Name of the step.
        n: Size of the step.
        shapes: Expected shapes of arrays by name.
        play: Function that computes the arrays.

    Raises:
        LedgerError: An array has another shape or is not finite; the directory may be untrusted.
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


# Confirmation


@dataclass(frozen=True)
class Line:
    """The tuned strategy and the default against one opponent, on the same deals."""

    opponent: str
    tuned: Estimate
    default: Estimate
    gain: Estimate


@dataclass(frozen=True)
class Confirmation:
    """The gain on held-out deals: per opponent, head to head, and by the objective."""

    lines: tuple[Line, ...]  # one per opponent of the pool
    direct: Line  # against the default
    objective: Line  # mean or minimum over the pool

    @property
    def every(self) -> list[Line]:
        """Every opponent once, with the default last unless it is in the pool."""
        return list({line.opponent: line for line in (*self.lines, self.direct)}.values())


def confirm(
    request: TuneRequest,
    tuned: Strategy,
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Confirmation:
    """Return the confirmation of a strategy, after playing it if the ledger does not have it.

    Args:
        request: What was to be improved.
        tuned: The strategy that was found.
        ledger: Ledger of the search.
        workers: Number of worker threads.
        progress: Progress callback.
    """
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
    """The result of a search or a training."""

    words: ClassVar[Wording]
    request: TuneRequest  # what was to be improved, and the opponents
    strategy: Strategy  # the result
    confirmation: Confirmation

    @property
    def is_moved(self) -> bool:
        """True if the strategy differs from the one before."""
        return self.strategy.text != self.request.strategy.text

    @property
    def table(self) -> Frame:
        """The confirmation as a DataFrame: one row per opponent, the default last."""
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
        """Sentences on the gain by the objective and against the strategy before."""
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
        """Name of the row for the whole pool; empty if there is none."""
        if len(self.request.pool) == 1:
            return ""
        return "hardest of the pool" if self.request.objective == "worst" else "mean of the pool"

    @property
    def method(self) -> str:
        """A sentence on how the strategy was found."""
        raise NotImplementedError

    def file(self, command: str) -> bytes:
        """Return the output file, with the command and the gain as remarks."""
        raise NotImplementedError

    @property
    def identity(self) -> Mapping[str, Any]:
        """See `simgin.report.report.Result`."""
        return self.request.identity

    @property
    def units(self) -> list[int]:
        """See `simgin.report.report.Result`."""
        matchups = self.request.matchups(self.request.strategy, self.request.seed)
        return [matchup.units(self.request.confirmed) for matchup in matchups]

    def frames(self) -> Mapping[str, Frame]:
        """Return the DataFrames by name."""
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        """Return a row of the confirmation for each opponent; the CSV has one per estimate."""
        return [table.for_json(row) for row in self.table.to_dict("records")]

    def report(self, command: str) -> Report:
        """Return the report of the improvement."""
        return found_report(self, command)

    def shown(self) -> list[Table]:
        """Return the tables for reports, without the confirmation."""
        raise NotImplementedError

    def pictures(self) -> list[Picture]:
        """Return the plots for reports."""
        return []


def saved(weights: np.ndarray, *remarks: str) -> bytes:
    """Return weights in the npy format, followed by remarks.

    NumPy stops reading where the array ends, so it ignores the remarks.
    """
    content = io.BytesIO()
    np.save(content, weights.astype(np.float32))
    text = "".join(f"\n# {one_line(remark)}" for remark in remarks)
    return content.getvalue() + f"{text}\n".encode() * bool(remarks)


def share_pieces(on_progress: OnProgress | None, pieces: int, look: Callable[[], str]) -> Parts:
    """Return a function that returns the progress callback of a piece of the work.

    Args:
        on_progress: Callback for the progress of all pieces together.
        pieces: Number of pieces.
        look: Function that returns the result so far.
    """
    if on_progress is None:
        return lambda piece: None

    def report(done: int, total: int) -> None:
        on_progress(done, total, look)

    on_progress(0, SHARES * pieces)
    return lambda piece: share(report, piece, pieces)


def limits(name: str, estimate: Estimate) -> dict[str, float]:
    """Return the columns of an estimate: NAME, NAME_low and NAME_high."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def interval(request: TuneRequest, estimate: Estimate) -> str:
    """Return an estimate with its confidence interval, scaled by the factor of the metric.

    The even score of self-play has no interval.
    """
    limits = (estimate.value, estimate.low, estimate.high)
    return numbers.estimate(*limits, request.metric.factor)


def found_report(found: Found, command: str) -> Report:
    """Return the report of an improvement.

    Args:
        found: Result of a search or training.
        command: Command that reproduces it.
    """
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
        files={f"{name}.csv": table.csv(frame) for name, frame in found.frames().items()},
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
    """Return the unit of the objective and the opponents."""
    if request.objective == "points":
        return f"points per deal against {request.opponents}"
    hardest = "the hardest of " if request.objective == "worst" and len(request.pool) > 1 else ""
    return f"% of the matches against {hardest}{request.opponents}"


def _value(request: TuneRequest, estimate: Estimate) -> str:
    """Return an estimate without its interval."""
    factor = request.metric.factor
    span = factor * (estimate.high - estimate.low)
    return numbers.number(factor * estimate.value, span / 2)


def _confirmation(found: Found) -> Table:
    """Return a table of the strategy before and after, against every opponent."""
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

"""Evaluation, confirmation and reports of improved strategies, after a search or training."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from simgin.core import batch_columns, rng
from simgin.learn.tune_request import TuneRequest
from simgin.play.matchup import Matchup
from simgin.play.parallel import PROGRESS_PARTS, Progress, partial_progress
from simgin.report import numbers
from simgin.report.progress import OnProgress
from simgin.report.report import LazySequence, Plot, Report
from simgin.report.report_table import Column, Table
from simgin.runs.ledger import Ledger, LedgerError
from simgin.runs.manifest import compute_engine_digest
from simgin.runs.result import Result
from simgin.runs.runner import run_matchups
from simgin.stats import batches, paired_estimate, table
from simgin.stats.estimate import Estimate, interval_around
from simgin.stats.metrics import Metric
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import Frame, build_frame, estimate_columns, make_frame
from simgin.strategy import Strategy
from simgin.text.messages import escape_to_one_line

NO_ARRAY = np.array("")  # placeholder that is not an array of numbers
# Function from the index of a piece of the work to its progress callback
PieceProgress = Callable[[int], Progress | None]


class Wording(NamedTuple):
    """Words in screens and reports that differ between searches and training."""

    doing: str
    done: str
    baseline: str
    initial: str  # parameters or weights of the baseline
    noun: str  # name of the whole process, such as a search
    pieces: str  # name of the parts of the process, in the plural
    content: str  # content of the output file
    suffix: str  # extension of the output file
    marker: bytes  # bytes that identify the output file

    @property
    def file_name(self) -> str:
        """Name of the output file of a search or training."""
        return f"{self.done}{self.suffix}"


TRAINING_WORDING = Wording(
    doing="Training",
    done="trained",
    baseline="start",
    initial="initial weights",
    noun="training",
    pieces="rounds",
    content="weights",
    suffix=".npy",
    marker=b"\n# simgin train ",
)


# Scores of strategies against a pool of opponents, on the same deals


@dataclass(frozen=True, eq=False)
class PoolResults:
    """Batch rows of matchups that play the same deals, by the names of the players."""

    request: TuneRequest
    n_matches: int  # number of matches per matchup
    rows: Mapping[tuple[str, str], np.ndarray]

    def score_against(self, strategy: Strategy, opponent: Strategy) -> PairedEstimate:
        """Return the score of a strategy against an opponent, or the even score in self-play."""
        metric = self.request.metric
        if strategy.spec == opponent.spec:
            return even_score(self.n_matches, metric)
        return paired_estimate.compute_ratio(self.rows[strategy.spec, opponent.spec], metric)

    def scores(self, strategy: Strategy) -> list[PairedEstimate]:
        """Return the scores of a strategy against every opponent of the pool."""
        return [self.score_against(strategy, opponent) for opponent in self.request.pool]


def to_estimate(estimate: PairedEstimate) -> Estimate:
    """Convert a paired estimate to an estimate with a confidence interval."""
    se = batches.standard_error(estimate.influences, estimate.effective_batches)
    return interval_around(
        estimate.value, se, round(estimate.effective_batches), estimate.effective_batches
    )


def even_score(n_matches: int, metric: Metric) -> PairedEstimate:
    """Return the expected score of a strategy in self-play: half of the matches, or 0 points.

    Args:
        n_matches: Number of matches that the compared strategy plays on the same deals.
        metric: Metric of the objective.
    """
    pairs = (n_matches + 1) // 2
    full_batches, remainder = divmod(pairs, batch_columns.MATCH_BATCH_SIZE)
    sizes = [batch_columns.MATCH_BATCH_SIZE] * full_batches + [remainder] * (remainder > 0)
    effective = pairs**2 / sum(size**2 for size in sizes)
    value = 0.5 if metric.is_proportion else 0.0
    return PairedEstimate(value, n_matches, np.zeros(len(sizes)), effective)


def pool_score(scores: Sequence[PairedEstimate], objective: str) -> PairedEstimate:
    """Return the mean score against all opponents, or the minimum for the objective "worst"."""
    if objective == "worst":
        return min(scores, key=lambda score: score.value)
    return paired_estimate.average_estimates(scores)


def distinct_matchups(matchups: Sequence[Matchup]) -> list[Matchup]:
    """Return the mirrored matchups of the given pairs, without duplicates and self-play."""
    return list({matchup.key: matchup for matchup in matchups if matchup.is_mirrored}.values())


def collect_results(
    request: TuneRequest, n_matches: int, matchups: Sequence[Matchup], rows: Sequence[np.ndarray]
) -> PoolResults:
    """Combine distinct matchups with their batch rows as PoolResults."""
    pairs = [(matchup.a.spec, matchup.opponent) for matchup in matchups]
    return PoolResults(request, n_matches, dict(zip(pairs, rows, strict=True)))


def evaluate_strategies(
    request: TuneRequest,
    strategies: Sequence[Strategy],
    seed: int,
    n_matches: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[PairedEstimate]:
    """Return the score of each strategy against the pool, measured on the same deals."""
    matchups_with_duplicates = []
    for strategy in strategies:
        matchups_with_duplicates += request.matchups(strategy, seed)
    matchups = distinct_matchups(matchups_with_duplicates)
    results = collect_results(
        request, n_matches, matchups, run_matchups(matchups, n_matches, workers, progress)
    )
    return [pool_score(results.scores(strategy), request.objective) for strategy in strategies]


def load_or_play_step(
    run_ledger: Ledger,
    name: str,
    n: int,
    shapes: Mapping[str, tuple[int, ...]],
    play: Callable[[], Mapping[str, np.ndarray]],
) -> dict[str, np.ndarray]:
    """Return the arrays of a step from the ledger, playing the step first if they are missing.

    Args:
        run_ledger: Ledger of the search.
        name: Name of the step.
        n: Size of the step.
        shapes: Expected shapes of the arrays, by name.
        play: Function that computes the arrays.

    Raises:
        LedgerError: If an array has an unexpected shape or is not finite, which can happen in
            an untrusted directory.
    """
    if not run_ledger.has_pass(name, n):
        run_ledger.add_pass(name, n, play())
    arrays = run_ledger.read_pass(name, n)
    for key, shape in shapes.items():
        array = arrays.get(key, NO_ARRAY)
        is_numbers = array.dtype.kind in "if"
        if not is_numbers or array.shape != shape or not np.isfinite(array).all():
            raise LedgerError(
                f"the ledger is corrupt (step {name!r}, array {key!r}). Remove the directory to "
                "start again."
            )
    return arrays


# Confirmation


@dataclass(frozen=True)
class OpponentComparison:
    """Scores of the improved and the default strategy against one opponent on the same deals."""

    opponent: str
    tuned: Estimate
    default: Estimate
    gain: Estimate


@dataclass(frozen=True)
class Confirmation:
    """Gains on held-out deals, both against each opponent and in the objective."""

    comparisons: tuple[OpponentComparison, ...]  # comparisons by opponent of the pool
    head_to_head: OpponentComparison  # comparison against the default as the opponent
    objective: OpponentComparison  # comparison of the mean or minimum over the pool

    @property
    def all_comparisons(self) -> list[OpponentComparison]:
        """Comparisons with all opponents, including the default strategy."""
        return list(
            {line.opponent: line for line in (*self.comparisons, self.head_to_head)}.values()
        )


def confirm(
    request: TuneRequest,
    tuned: Strategy,
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Confirmation:
    """Confirm the gain of a strategy on held-out deals, or load the result from the ledger.

    Args:
        request: Strategy before the improvement, and the opponents.
        tuned: Strategy after the improvement.
        ledger: Ledger of the search.
        workers: Number of worker threads.
        progress: Progress callback.
    """
    default = request.strategy
    n = request.confirmation_matches
    matchups_with_duplicates = [request.matchup(tuned, default, request.seed)]
    for strategy in (tuned, default):
        matchups_with_duplicates += request.matchups(strategy, request.seed)
    matchups = distinct_matchups(matchups_with_duplicates)
    batches = [-(-matchup.count_units(n) // matchup.batch_size) for matchup in matchups]
    shapes = {str(index): (rows, batch_columns.N_COLUMNS) for index, rows in enumerate(batches)}
    arrays = load_or_play_step(
        ledger,
        f"confirmation of {tuned.spec}",
        n,
        shapes,
        lambda: dict(zip(shapes, run_matchups(matchups, n, workers, progress), strict=True)),
    )
    results = collect_results(request, n, matchups, [arrays[name] for name in shapes])
    tuned_scores, default_scores = results.scores(tuned), results.scores(default)
    names = [opponent.spec for opponent in request.pool]
    lines = tuple(map(_compare, names, tuned_scores, default_scores))
    head_to_head = _compare(
        default.spec, results.score_against(tuned, default), results.score_against(default, default)
    )
    objective = _compare(
        "",
        pool_score(tuned_scores, request.objective),
        pool_score(default_scores, request.objective),
    )
    return Confirmation(lines, head_to_head, objective)


def _compare(opponent: str, tuned: PairedEstimate, default: PairedEstimate) -> OpponentComparison:
    return OpponentComparison(
        opponent, to_estimate(tuned), to_estimate(default), to_estimate(tuned - default)
    )


@dataclass(frozen=True, repr=False)
class Improvement(Result):
    """Base class for the results of parameter searches and of training."""

    wording: ClassVar[Wording]
    request: TuneRequest  # request with the strategy before the improvement
    strategy: Strategy  # strategy after the improvement
    confirmation: Confirmation

    @property
    def has_changed(self) -> bool:
        """True if the search or training has found new parameters or weights."""
        return self.strategy.spec != self.request.strategy.spec

    @property
    def table(self) -> Frame:
        """DataFrame of the gain against every opponent (output `confirmation`)."""
        rows = []
        for line in self.confirmation.all_comparisons:
            row: dict[str, Any] = {
                "variant": self.request.variant.spec,
                "strategy": self.strategy.spec,
                "base_strategy": self.request.strategy.spec,
                "opponent": line.opponent,
                "metric": self.request.metric.name,
                "kind": "gain",
            }
            row |= bound_columns(self.wording.done, line.tuned)
            row |= bound_columns(self.wording.baseline, line.default)
            row |= estimate_columns(line.gain, self.request.confirmation_matches)
            rows.append(row)
        return build_frame("confirmation", rows)

    @property
    def sentences(self) -> list[str]:
        """Sentences about the gain and about the matches against the default strategy."""
        words = self.wording
        if not self.has_changed:
            return [f"The {words.noun} found nothing better than the {words.initial}."]
        direct = self.confirmation.head_to_head
        sentences = [_gain_sentence(self, self.confirmation.objective)]
        if self.confirmation.objective.gain.low > 0 > direct.gain.high:
            figure = format_interval(self.request, direct.tuned)
            score = (
                f"scores only {figure} points per deal"
                if self.request.objective == "points"
                else f"wins only {figure} % of matches"
            )
            sentences.append(
                f"However, it {score} against the {words.initial}. It is fitted to its opponents, "
                "and is not stronger in general."
            )
        return sentences

    @property
    def pool_label(self) -> str:
        """Label of the table row for all opponents, or "" if there is only one opponent."""
        if len(self.request.pool) == 1:
            return ""
        return "hardest opponent" if self.request.objective == "worst" else "mean of opponents"

    @property
    def method(self) -> str:
        """Description, for the report, of the method that found the improvement."""
        raise NotImplementedError

    def file_content(self, command: str) -> bytes:
        """Return the content of the output file, with the command and the gain in comments."""
        raise NotImplementedError

    @property
    def identity(self) -> Mapping[str, Any]:
        """Identity of the result (see `Result.identity`)."""
        return self.request.identity

    @property
    def played(self) -> list[tuple[Matchup, int]]:
        """Matchups, each with its number of played units (see `Result.played`)."""
        matchups = self.request.matchups(self.request.strategy, self.request.seed)
        return [
            (matchup, matchup.count_units(self.request.confirmation_matches))
            for matchup in matchups
        ]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of the confirmation table for JSON."""
        return table.to_records(self.table)

    @property
    def manifest_entries(self) -> dict[str, Any]:
        """Additional entries of `manifest.json` (see `Result.manifest_entries`)."""
        return {"tune": self.request.objective}

    def report(self, command: str) -> Report:
        """Return the report of the improved strategy."""
        return improvement_report(self, command)

    def extend_report(self, report: Report, command: str) -> Report:
        """Return the report, including the file of the improved strategy."""
        content = self.file_content(command)
        return replace(report, files={**report.files, self.wording.file_name: content})

    def display_tables(self) -> list[Table]:
        """Return the tables of the report that follow the confirmation table."""
        raise NotImplementedError

    def plots(self) -> Iterable[Plot]:
        """Return the plots of the report."""
        return ()


def encode_weights(weights: np.ndarray, *remarks: str) -> bytes:
    """Encode weights in the npy format, followed by comments.

    NumPy stops reading at the end of the array, so it ignores the comments.
    """
    content = io.BytesIO()
    np.save(content, weights.astype(np.float32))
    text = "".join(f"\n# {escape_to_one_line(remark)}" for remark in remarks)
    return content.getvalue() + f"{text}\n".encode() * bool(remarks)


def share_pieces(
    on_progress: OnProgress | None, pieces: int, render_result: Callable[[], str]
) -> PieceProgress:
    """Return a function that maps the index of a step to a progress callback.

    Args:
        on_progress: Progress callback for all pieces together.
        pieces: Number of pieces.
        render_result: Function that returns a description of the result so far.
    """
    if on_progress is None:
        return lambda piece: None

    def report(done: int, total: int) -> None:
        on_progress(done, total, render_result)

    on_progress(0, PROGRESS_PARTS * pieces)
    return lambda piece: partial_progress(report, piece, pieces)


def bound_columns(name: str, estimate: Estimate) -> dict[str, float]:
    """Return an estimate as the columns NAME, NAME_low and NAME_high."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def format_interval(request: TuneRequest, estimate: Estimate) -> str:
    """Format an estimate with its confidence interval, in the unit of the metric.

    The score of self-play is exact, so it has no interval.
    """
    limits = (estimate.value, estimate.low, estimate.high)
    return numbers.format_estimate(*limits, request.metric.display_factor)


def improvement_report(improvement: Improvement, command: str) -> Report:
    """Return the report of an improved strategy.

    Args:
        improvement: Result of a search or of training.
        command: Command that reproduces the result.
    """
    request, words = improvement.request, improvement.wording
    display_tables = improvement.display_tables()
    if improvement.has_changed:
        display_tables.append(_confirmation_table(improvement))
    origin = f"stream {rng.STREAM_VERSION}, engine {compute_engine_digest()}"
    files = f"{words.file_name} contains the {words.done} {words.content}"
    return Report(
        question=f"{request.strategy.name}, {words.done} for {request.variant.spec}",
        verdict=improvement.sentences,
        tables=display_tables,
        plots=LazySequence(improvement.plots()),
        facts=[
            (
                "Gain",
                f"{words.done} minus {words.baseline}, on the same deals. ± is a 95 % confidence "
                "interval.",
            ),
            (words.noun.capitalize(), improvement.method),
            ("Random numbers", origin),
            ("Files", f"{files}. Every table is also a CSV file."),
        ],
        command=command,
        files={
            f"{name}.csv": table.format_csv(frame) for name, frame in improvement.frames().items()
        },
    )


def _gain_sentence(improvement: Improvement, comparison: OpponentComparison) -> str:
    words, request = improvement.wording, improvement.request
    is_points = request.objective == "points"
    gain = format_interval(request, comparison.gain)
    gain += " points per deal" if is_points else " percentage points"
    hardest = "the hardest of " if request.objective == "worst" and len(request.pool) > 1 else ""
    verb, unit, percent = (
        ("scores", "points per deal", "") if is_points else ("wins", "% of matches", " %")
    )
    change = (
        f"With the {words.done} {words.content}, the strategy {verb} "
        f"{_format_point(request, comparison.tuned)} {unit} against {hardest}"
        f"{request.opponent_list}, compared with {_format_point(request, comparison.default)}"
        f"{percent} before ({request.confirmation_matches:,} matches on held-out deals)."
    )
    if comparison.gain.low > 0:
        return f"{words.doing} gained {gain}. {change}"
    if comparison.gain.high < 0:
        return f"{words.doing} did not help. {change} Keep the {words.initial}."
    return (
        f"{words.doing} made no significant difference ({gain}). {change} Keep the {words.initial}."
    )


def _format_point(request: TuneRequest, estimate: Estimate) -> str:
    """Format an estimate without its interval, in the unit of the metric."""
    factor = request.metric.display_factor
    span = factor * (estimate.high - estimate.low)
    return numbers.format_number(factor * estimate.value, span / 2)


def _confirmation_table(improvement: Improvement) -> Table:
    """Return a table of the results against each opponent, before and after the improvement."""
    words, request = improvement.wording, improvement.request
    lines = []
    for line in improvement.confirmation.all_comparisons:
        itself = f" ({words.baseline})" * (line.opponent == request.strategy.spec)
        lines.append((f"{request.short_names[line.opponent]}{itself}", line))
    if improvement.pool_label:
        lines.append((improvement.pool_label, improvement.confirmation.objective))
    rows = [
        {
            "against": name,
            **bound_columns(words.baseline, line.default),
            **bound_columns(words.done, line.tuned),
            **bound_columns("gain", line.gain),
        }
        for name, line in lines
    ]
    names = [words.baseline, words.done, "gain"]
    columns = [Column(name, name, factor=request.metric.display_factor) for name in names]
    return Table(
        f"Confirmation: {request.metric.title}",
        make_frame(rows),
        [Column("against", "against"), *columns],
        f"{request.confirmation_matches:,} matches per value on held-out deals (seed "
        f"{request.seed}).",
    )

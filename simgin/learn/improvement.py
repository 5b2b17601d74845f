"""Evaluation and reports of strategies that a search or training has improved."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from simgin.core import batch_columns, rng
from simgin.learn.tune_request import TuneRequest
from simgin.play.matchup import Matchup
from simgin.play.parallel import PROGRESS_STEPS_PER_PART, ProgressCallback, make_progress_for_part
from simgin.report import numbers
from simgin.report.progress import OnProgress
from simgin.report.report import LazySequence, Plot, Report
from simgin.report.report_table import Column, Table
from simgin.runs.ledger import Ledger, LedgerError
from simgin.runs.manifest import compute_engine_digest
from simgin.runs.result import Result
from simgin.runs.runner import run_matchups
from simgin.stats import batches, paired_estimate, table
from simgin.stats.estimate import Estimate, make_estimate_with_t_interval
from simgin.stats.metrics import Metric
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import Frame, build_output_frame, make_estimate_columns, make_frame
from simgin.strategy import Strategy
from simgin.text.messages import escape_to_one_line

MISSING_ARRAY_PLACEHOLDER = np.array("")  # placeholder for a missing array of numbers
# function that returns the progress callback for the index of a step
StepProgressFactory = Callable[[int], ProgressCallback | None]


class Wording(NamedTuple):
    """Terms in screens and reports that differ between a search and training."""

    gerund: str
    participle: str
    baseline_word: str
    initial_noun: str  # noun for the parameters or weights of the baseline
    process_noun: str  # noun for the whole process, such as "search"
    steps_noun: str  # plural noun for the steps of the process, such as "generations"
    content_noun: str  # noun for the content of the output file
    file_suffix: str  # file name extension of the output file
    file_marker: bytes  # bytes that identify an output file

    @property
    def file_name(self) -> str:
        """Name of the output file of a search or training."""
        return f"{self.participle}{self.file_suffix}"


TRAINING_WORDING = Wording(
    gerund="Training",
    participle="trained",
    baseline_word="start",
    initial_noun="initial weights",
    process_noun="training",
    steps_noun="rounds",
    content_noun="weights",
    file_suffix=".npy",
    file_marker=b"\n# simgin train ",
)


# Scores of strategies against several opponents on the same deals


@dataclass(frozen=True, eq=False)
class PoolResults:
    """Results of several strategies against a pool of opponents, on the same deals."""

    request: TuneRequest
    n_matches: int  # number of matches per matchup
    rows: Mapping[tuple[str, str], np.ndarray]

    def compute_score(self, strategy: Strategy, opponent: Strategy) -> PairedEstimate:
        """Return the score of a strategy against an opponent.

        In self-play, the score is that of two equal players.
        """
        metric = self.request.metric
        if strategy.spec == opponent.spec:
            return compute_even_score(self.n_matches, metric)
        return paired_estimate.estimate_metric_by_batch(
            self.rows[strategy.spec, opponent.spec], metric
        )

    def compute_scores(self, strategy: Strategy) -> list[PairedEstimate]:
        """Return the scores of a strategy against every opponent."""
        return [self.compute_score(strategy, opponent) for opponent in self.request.opponents]


def to_estimate(score: PairedEstimate) -> Estimate:
    """Convert a score or a difference of scores to an estimate with a confidence interval."""
    n_batches = score.effective_batches
    se = batches.compute_standard_error(score.influences, n_batches)
    return make_estimate_with_t_interval(score.value, se, round(n_batches), n_batches)


def compute_even_score(n_matches: int, metric: Metric) -> PairedEstimate:
    """Return the score of a strategy against itself: 0.5 for matches, or 0 for points.

    Args:
        n_matches: Number of matches of the strategy whose score is compared with this score.
        metric: Metric on which the objective is based.
    """
    n_pairs = (n_matches + 1) // 2
    full_batches, remainder = divmod(n_pairs, batch_columns.MATCH_BATCH_SIZE)
    batch_sizes = [batch_columns.MATCH_BATCH_SIZE] * full_batches + [remainder] * (remainder > 0)
    effective_pairs = n_pairs**2 / sum(batch_size**2 for batch_size in batch_sizes)
    value = 0.5 if metric.is_proportion else 0.0
    return PairedEstimate(value, n_matches, np.zeros(len(batch_sizes)), effective_pairs)


def compute_pool_score(scores: Sequence[PairedEstimate], objective: str) -> PairedEstimate:
    """Return the mean score against all opponents, or the minimum for the objective "worst"."""
    if objective == "worst":
        return min(scores, key=lambda score: score.value)
    return paired_estimate.average_estimates(scores)


def find_distinct_matchups(matchups: Sequence[Matchup]) -> list[Matchup]:
    """Return the distinct matchups, excluding self-play."""
    return list({matchup.key: matchup for matchup in matchups if matchup.is_mirrored}.values())


def collect_results(
    request: TuneRequest, n_matches: int, matchups: Sequence[Matchup], rows: Sequence[np.ndarray]
) -> PoolResults:
    """Combine distinct matchups and their batch rows into one result."""
    player_pairs = [(matchup.a.spec, matchup.opponent) for matchup in matchups]
    return PoolResults(request, n_matches, dict(zip(player_pairs, rows, strict=True)))


def evaluate_strategies(
    request: TuneRequest,
    strategies: Sequence[Strategy],
    seed: int,
    n_matches: int,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
) -> list[PairedEstimate]:
    """Return the score of each strategy against all opponents, measured on the same deals."""
    all_matchups = []
    for strategy in strategies:
        all_matchups += request.make_matchups(strategy, seed)
    matchups = find_distinct_matchups(all_matchups)
    results = collect_results(
        request, n_matches, matchups, run_matchups(matchups, n_matches, workers, progress)
    )
    return [
        compute_pool_score(results.compute_scores(strategy), request.objective)
        for strategy in strategies
    ]


def load_or_play_step(
    run_ledger: Ledger,
    step_name: str,
    sample_size: int,
    array_shapes: Mapping[str, tuple[int, ...]],
    play_step: Callable[[], Mapping[str, np.ndarray]],
) -> dict[str, np.ndarray]:
    """Load a step's arrays from the ledger, or play the step first if it is missing.

    Args:
        run_ledger: Ledger of the search.
        step_name: Name of the step in the ledger.
        sample_size: Number of matches or rounds of the step.
        array_shapes: Expected shapes of the arrays, keyed by name.
        play_step: Function that computes the arrays.

    Raises:
        LedgerError: If an array has an unexpected shape or is not finite. An untrusted directory
            can contain such an array.
    """
    if not run_ledger.has_step_result(step_name, sample_size):
        run_ledger.add_step_result(step_name, sample_size, play_step())
    arrays = run_ledger.read_step_result(step_name, sample_size)
    for array_name, shape in array_shapes.items():
        array = arrays.get(array_name, MISSING_ARRAY_PLACEHOLDER)
        is_numeric = array.dtype.kind in "if"
        if not is_numeric or array.shape != shape or not np.isfinite(array).all():
            raise LedgerError(
                f"the ledger is corrupt (step {step_name!r}, array {array_name!r}). Remove the "
                "directory to start again."
            )
    return arrays


# Confirmation


@dataclass(frozen=True)
class OpponentComparison:
    """Scores of the improved and the default strategy against one opponent on the same deals."""

    opponent: str
    tuned_score: Estimate
    default_score: Estimate
    gain: Estimate


@dataclass(frozen=True)
class Confirmation:
    """Gains on held-out deals: against each opponent, and in the mean or minimum score."""

    comparisons: tuple[OpponentComparison, ...]  # comparisons with each opponent
    head_to_head: OpponentComparison  # comparison in which the default strategy is the opponent
    objective_comparison: OpponentComparison  # comparison of the mean or minimum over all opponents

    @property
    def all_comparisons(self) -> list[OpponentComparison]:
        """Comparisons with all opponents, including the default strategy."""
        return list(
            {
                comparison.opponent: comparison
                for comparison in (*self.comparisons, self.head_to_head)
            }.values()
        )


def confirm_gain(
    request: TuneRequest,
    tuned_strategy: Strategy,
    ledger: Ledger,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
) -> Confirmation:
    """Confirm the gain of a strategy on held-out deals, or load the result from the ledger.

    Args:
        request: Request with the strategy before the improvement and its opponents.
        tuned_strategy: Strategy after the improvement.
        ledger: Ledger of the search.
        workers: Number of worker threads.
        progress: Progress callback.
    """
    default_strategy = request.strategy
    n_matches = request.confirmation_matches
    all_matchups = [request.make_matchup(tuned_strategy, default_strategy, request.seed)]
    for strategy in (tuned_strategy, default_strategy):
        all_matchups += request.make_matchups(strategy, request.seed)
    matchups = find_distinct_matchups(all_matchups)
    counts = [-(-matchup.count_units(n_matches) // matchup.batch_size) for matchup in matchups]
    array_shapes = {
        str(index): (n_rows, batch_columns.N_COLUMNS) for index, n_rows in enumerate(counts)
    }
    arrays = load_or_play_step(
        ledger,
        f"confirmation of {tuned_strategy.spec}",
        n_matches,
        array_shapes,
        lambda: dict(
            zip(array_shapes, run_matchups(matchups, n_matches, workers, progress), strict=True)
        ),
    )
    results = collect_results(request, n_matches, matchups, [arrays[name] for name in array_shapes])
    tuned_scores, default_scores = (
        results.compute_scores(tuned_strategy),
        results.compute_scores(default_strategy),
    )
    names = [opponent.spec for opponent in request.opponents]
    comparisons = tuple(map(_compare_scores, names, tuned_scores, default_scores))
    head_to_head = _compare_scores(
        default_strategy.spec,
        results.compute_score(tuned_strategy, default_strategy),
        results.compute_score(default_strategy, default_strategy),
    )
    objective_comparison = _compare_scores(
        "",
        compute_pool_score(tuned_scores, request.objective),
        compute_pool_score(default_scores, request.objective),
    )
    return Confirmation(comparisons, head_to_head, objective_comparison)


def _compare_scores(
    opponent: str, tuned_score: PairedEstimate, default_score: PairedEstimate
) -> OpponentComparison:
    """Compare the scores of both strategies against one opponent."""
    return OpponentComparison(
        opponent,
        to_estimate(tuned_score),
        to_estimate(default_score),
        to_estimate(tuned_score - default_score),
    )


@dataclass(frozen=True, repr=False)
class Improvement(Result):
    """Base class for results of parameter searches and of training."""

    wording: ClassVar[Wording]
    request: TuneRequest  # request, which contains the strategy before the improvement
    strategy: Strategy  # strategy after the improvement
    confirmation: Confirmation

    @property
    def has_changed(self) -> bool:
        """True if the search or training found new parameters or weights."""
        return self.strategy.spec != self.request.strategy.spec

    @property
    def table(self) -> Frame:
        """DataFrame of the gain against every opponent."""
        rows = []
        for comparison in self.confirmation.all_comparisons:
            row: dict[str, Any] = {
                "variant": self.request.variant.spec,
                "strategy": self.strategy.spec,
                "base_strategy": self.request.strategy.spec,
                "opponent": comparison.opponent,
                "metric": self.request.metric.name,
                "kind": "gain",
            }
            row |= make_interval_columns(self.wording.participle, comparison.tuned_score)
            row |= make_interval_columns(self.wording.baseline_word, comparison.default_score)
            row |= make_estimate_columns(comparison.gain, self.request.confirmation_matches)
            rows.append(row)
        return build_output_frame("confirmation", rows)

    @property
    def verdict_sentences(self) -> list[str]:
        """Sentences about the gain and about the matches against the default strategy."""
        wording = self.wording
        if not self.has_changed:
            return [
                f"The {wording.process_noun} found nothing better than the {wording.initial_noun}."
            ]
        head_to_head = self.confirmation.head_to_head
        sentences = [_format_gain_sentence(self, self.confirmation.objective_comparison)]
        if self.confirmation.objective_comparison.gain.low > 0 > head_to_head.gain.high:
            score_text = format_interval(self.request, head_to_head.tuned_score)
            score_sentence = (
                f"scores only {score_text} points per deal"
                if self.request.objective == "points"
                else f"wins only {score_text} % of matches"
            )
            sentences.append(
                f"However, it {score_sentence} against the {wording.initial_noun}. It is fitted to "
                "its opponents, and is not stronger in general."
            )
        return sentences

    @property
    def mean_row_label(self) -> str:
        """Label of the table row for all opponents together, or "" for a single opponent."""
        if len(self.request.opponents) == 1:
            return ""
        return "hardest opponent" if self.request.objective == "worst" else "mean of opponents"

    @property
    def method_description(self) -> str:
        """Description of the method that found the improvement, for the report."""
        raise NotImplementedError

    def render_file(self, command: str) -> bytes:
        """Render the output file, with the command and the gain in comments."""
        raise NotImplementedError

    @property
    def identity(self) -> Mapping[str, Any]:
        """Entries of `manifest.json` that identify the search or training."""
        return self.request.identity

    @property
    def played_matchups(self) -> list[tuple[Matchup, int]]:
        """Matchups of the confirmation, each with the number of units played."""
        matchups = self.request.make_matchups(self.request.strategy, self.request.seed)
        return [
            (matchup, matchup.count_units(self.request.confirmation_matches))
            for matchup in matchups
        ]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of the confirmation table for JSON."""
        return table.to_records(self.table)

    @property
    def manifest_entries(self) -> dict[str, Any]:
        """Additional entries of `manifest.json`: the objective of the search."""
        return {"tune": self.request.objective}

    def report(self, command: str) -> Report:
        """Return the report of the improved strategy.

        Args:
            command: Command that reproduces the result.
        """
        request, wording = self.request, self.wording
        display_tables = self.build_display_tables()
        if self.has_changed:
            display_tables.append(_build_confirmation_table(self))
        gain_text = (
            f"{wording.participle} minus {wording.baseline_word}, on the same deals. ± is a 95 % "
            "confidence interval."
        )
        software_text = f"stream {rng.STREAM_VERSION}, engine {compute_engine_digest()}"
        files_text = (
            f"{wording.file_name} contains the {wording.participle} {wording.content_noun}. Every "
            "table is also a CSV file."
        )
        return Report(
            question=f"{request.strategy.name}, {wording.participle} for {request.variant.spec}",
            verdict=self.verdict_sentences,
            tables=display_tables,
            plots=LazySequence(self.plots()),
            facts=[
                ("Gain", gain_text),
                (wording.process_noun.capitalize(), self.method_description),
                ("Random numbers", software_text),
                ("Files", files_text),
            ],
            command=command,
            files={f"{name}.csv": table.format_csv(frame) for name, frame in self.frames().items()},
        )

    def extend_report(self, report: Report, command: str) -> Report:
        """Return a copy of the report that includes the improved parameters as a file."""
        content = self.render_file(command)
        return replace(report, files={**report.files, self.wording.file_name: content})

    def build_display_tables(self) -> list[Table]:
        """Return the tables that the report shows before the confirmation table."""
        raise NotImplementedError

    def plots(self) -> Iterable[Plot]:
        """Return the plots of the report."""
        return ()


def encode_weights(weights: np.ndarray, *comments: str) -> bytes:
    """Encode weights in the npy format, followed by comments.

    NumPy stops reading at the end of the array and therefore ignores the comments.
    """
    npy_file = io.BytesIO()
    np.save(npy_file, weights.astype(np.float32))
    comment_text = "".join(f"\n# {escape_to_one_line(comment)}" for comment in comments)
    return npy_file.getvalue() + f"{comment_text}\n".encode() * bool(comments)


def split_progress(
    on_progress: OnProgress | None, n_steps: int, render_result: Callable[[], str]
) -> StepProgressFactory:
    """Split a progress callback into one callback per step, as a function of the step index.

    Args:
        on_progress: Progress callback for all steps together.
        n_steps: Number of steps.
        render_result: Function that returns a description of the interim result.
    """
    if on_progress is None:
        return lambda step: None

    def report_progress(done: int, total: int) -> None:
        on_progress(done, total, render_result)

    on_progress(0, PROGRESS_STEPS_PER_PART * n_steps)
    return lambda step: make_progress_for_part(report_progress, step, n_steps)


def make_interval_columns(name: str, estimate: Estimate) -> dict[str, float]:
    """Return an estimate and its confidence bounds as the columns NAME, NAME_low, NAME_high."""
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def format_interval(request: TuneRequest, estimate: Estimate) -> str:
    """Format an estimate with its confidence interval in the unit of the metric.

    The score in self-play is exact and has no interval.
    """
    bounds = (estimate.value, estimate.low, estimate.high)
    return numbers.format_estimate(*bounds, request.metric.display_factor)


def _format_gain_sentence(improvement: Improvement, comparison: OpponentComparison) -> str:
    """Return the sentences that state the gain in matches or points."""
    wording, request = improvement.wording, improvement.request
    gain_unit, verb, unit, percent_sign = (
        ("points per deal", "scores", "points per deal", "")
        if request.objective == "points"
        else ("percentage points", "wins", "% of matches", " %")
    )
    gain_text = f"{format_interval(request, comparison.gain)} {gain_unit}"
    has_hardest = request.objective == "worst" and len(request.opponents) > 1
    hardest_text = "the hardest of " if has_hardest else ""
    change_text = (
        f"With the {wording.participle} {wording.content_noun}, the strategy {verb} "
        f"{_format_point_estimate(request, comparison.tuned_score)} {unit} against {hardest_text}"
        f"{request.opponents_text}, compared with "
        f"{_format_point_estimate(request, comparison.default_score)}{percent_sign} before "
        f"({request.confirmation_matches:,} matches on held-out deals)."
    )
    if comparison.gain.low > 0:
        return f"{wording.gerund} gained {gain_text}. {change_text}"
    if comparison.gain.high < 0:
        return f"{wording.gerund} did not help. {change_text} Keep the {wording.initial_noun}."
    return (
        f"{wording.gerund} made no significant difference ({gain_text}). {change_text} Keep the "
        f"{wording.initial_noun}."
    )


def _format_point_estimate(request: TuneRequest, estimate: Estimate) -> str:
    """Format an estimate in the unit of the metric, without its confidence interval."""
    factor = request.metric.display_factor
    interval_width = factor * (estimate.high - estimate.low)
    return numbers.format_number(factor * estimate.value, interval_width / 2)


def _build_confirmation_table(improvement: Improvement) -> Table:
    """Return a table of the results against each opponent before and after the improvement."""
    wording, request = improvement.wording, improvement.request
    named_comparisons = []
    for comparison in improvement.confirmation.all_comparisons:
        note = f" ({wording.baseline_word})" * (comparison.opponent == request.strategy.spec)
        named_comparisons.append((f"{request.short_names[comparison.opponent]}{note}", comparison))
    if improvement.mean_row_label:
        named_comparisons.append(
            (improvement.mean_row_label, improvement.confirmation.objective_comparison)
        )
    rows = [
        {
            "against": name,
            **make_interval_columns(wording.baseline_word, comparison.default_score),
            **make_interval_columns(wording.participle, comparison.tuned_score),
            **make_interval_columns("gain", comparison.gain),
        }
        for name, comparison in named_comparisons
    ]
    names = [wording.baseline_word, wording.participle, "gain"]
    columns = [Column(name, name, factor=request.metric.display_factor) for name in names]
    return Table(
        f"Confirmation: {request.metric.title}",
        make_frame(rows),
        [Column("against", "against"), *columns],
        f"{request.confirmation_matches:,} matches per value on held-out deals (seed "
        f"{request.seed}).",
    )

"""Search for better parameters with the evolution strategy CMA-ES.

The covariance matrix adaptation evolution strategy (Hansen and Ostermeier, Evolutionary Computation
2001) draws each generation of candidates from a normal distribution and moves it towards the best
candidates. All strategies in a generation play the same deals. Candidates and deals depend only
on the seed. An interrupted search is therefore resumed from its ledger with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from simgin import plots
from simgin.learn import improvement
from simgin.learn.tune_request import (
    ParameterValues,
    TunableParameter,
    TuneError,
    TuneRequest,
    group_values_by_slot,
)
from simgin.play.parallel import ProgressCallback
from simgin.report.progress import OnProgress
from simgin.report.report import Plot
from simgin.report.report_table import Column, Table
from simgin.runs.ledger import Ledger, open_ledger
from simgin.stats.estimate import Estimate
from simgin.stats.table import Frame, build_output_frame, make_frame
from simgin.strategy.strategy_spec import format_values_toml
from simgin.text.messages import escape_to_one_line

N_ESTIMATE_FIELDS = len(fields(Estimate))
N_BEST_MEANS_IN_FINALS = 3  # number of distribution means that enter the finals
MAX_FINALISTS = 3 + N_BEST_MEANS_IN_FINALS
# factor by which the number of matches increases in the finals
FINALS_MATCHES_FACTOR = 5
# Minimum standard deviation of integer parameters, so that adjacent integers are tried
MIN_INTEGER_DEVIATION = 0.3


@dataclass(frozen=True)
class DistributionMean:
    """Mean and standard deviation of each parameter in the candidate distribution."""

    values: ParameterValues
    deviations: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Generation:
    """Generation of candidates, with the distribution mean from which they were sampled."""

    number: int  # number of the generation, from 1
    candidates: tuple[ParameterValues, ...]
    scores: np.ndarray  # proportion of matches won or points per deal, (n_candidates,) float64
    mean: DistributionMean
    gain: Estimate  # gain of the mean over the defaults, measured on the deals of the candidates


@dataclass(frozen=True)
class SearchHistory:
    """Generations of a search, and the mean of the final distribution."""

    generations: tuple[Generation, ...]
    final_mean: DistributionMean


class CandidateDistribution:
    """Distribution of candidates in a scaled parameter space, as adapted by CMA-ES."""

    def __init__(
        self, parameters: Sequence[TunableParameter], n_candidates: int, seed: int
    ) -> None:
        self._parameters = parameters
        # The library needs at least two dimensions, so an unused dimension is added to a single
        # parameter.
        n_dimensions = max(2, len(parameters))
        rng = np.random.default_rng(seed)
        lower_bounds, upper_bounds = [-1.0] * n_dimensions, [1.0] * n_dimensions
        min_deviations = [0.0] * n_dimensions
        for index, parameter in enumerate(parameters):
            lower_bounds[index] = (
                parameter.low - parameter.initial_value
            ) / parameter.initial_deviation
            upper_bounds[index] = (
                parameter.high - parameter.initial_value
            ) / parameter.initial_deviation
            if parameter.is_integer:
                min_deviations[index] = MIN_INTEGER_DEVIATION / parameter.initial_deviation
        options = {
            "randn": lambda *shape: rng.standard_normal(shape),
            "seed": np.nan,  # If the seed is NaN, NumPy's global generator is not changed.
            "bounds": [lower_bounds, upper_bounds],
            "minstd": min_deviations,
            "popsize": n_candidates,
            "verbose": -9,
        }
        self._cma = _import_cma().CMAEvolutionStrategy([0.0] * n_dimensions, 1.0, options)

    def sample_generation(self) -> list[np.ndarray]:
        """Sample the candidates of the next generation, as points in the scaled space."""
        return list(self._cma.ask())

    def update(self, points: Sequence[np.ndarray], scores: np.ndarray) -> None:
        """Move the distribution towards the candidates with the highest scores."""
        self._cma.tell(points, list(-scores))

    def to_parameter_values(self, point: np.ndarray) -> ParameterValues:
        """Convert a point in the scaled search space to parameter values."""
        offsets = zip(self._parameters, map(float, point), strict=False)
        return tuple(
            parameter.round_value(parameter.initial_value + offset * parameter.initial_deviation)
            for parameter, offset in offsets
        )

    @property
    def mean(self) -> DistributionMean:
        """Current mean of the candidate distribution."""
        result = self._cma.result
        deviations = zip(self._parameters, map(float, result.stds), strict=False)
        scaled_deviations = tuple(
            parameter.initial_deviation * deviation for parameter, deviation in deviations
        )
        return DistributionMean(self.to_parameter_values(result.xfavorite), scaled_deviations)


def _import_cma() -> Any:
    """Import the package `cma`, or raise TuneError if it is not installed."""
    try:
        import cma
    except ImportError:
        raise TuneError(
            "tuning requires the package cma. To install cma, run: pip install 'simgin[tune]'"
        ) from None
    return cma


def play_generations(
    request: TuneRequest,
    distribution: CandidateDistribution,
    ledger: Ledger,
    workers: int | None,
    step_progress: improvement.StepProgressFactory,
) -> Iterator[Generation]:
    """Yield the generations of a search, which are played or loaded from the ledger.

    Args:
        request: Request for the search.
        distribution: Candidate distribution, which is updated after every generation.
        ledger: Ledger of the search.
        workers: Number of worker threads.
        step_progress: Function that returns the progress callback for a generation index.
    """
    for generation_number in range(1, request.n_generations + 1):
        current_mean = distribution.mean
        scaled_points = distribution.sample_generation()
        values = tuple(distribution.to_parameter_values(point) for point in scaled_points)
        arrays = improvement.load_or_play_step(
            ledger,
            f"generation {generation_number}",
            request.n_matches,
            {"objective": (len(values),), "gain": (N_ESTIMATE_FIELDS,)},
            partial(
                _play_generation,
                request,
                generation_number,
                [*values, current_mean.values],
                workers,
                step_progress(generation_number - 1),
            ),
        )
        scores = arrays["objective"]
        distribution.update(scaled_points, scores)
        yield Generation(generation_number, values, scores, current_mean, Estimate(*arrays["gain"]))


def _play_generation(
    request: TuneRequest,
    number: int,
    tried_values: Sequence[ParameterValues],
    workers: int | None,
    progress: ProgressCallback | None,
) -> dict[str, np.ndarray]:
    """Play matches with the candidates of a generation, their mean and the default values."""
    strategies = [*map(request.with_values, tried_values), request.strategy]
    seed = request.compute_generation_seed(number)
    *candidate_scores, mean_score, default_score = improvement.evaluate_strategies(
        request, strategies, seed, request.n_matches, workers, progress
    )
    candidate_values = [score.value for score in candidate_scores]
    gain_fields = astuple(improvement.to_estimate(mean_score - default_score))
    return {"objective": np.array(candidate_values), "gain": np.array(gain_fields)}


# Finals


def play_finals(
    request: TuneRequest,
    history: SearchHistory,
    ledger: Ledger,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
) -> ParameterValues:
    """Play the finals, and return the finalist with the best score in new deals.

    The last mean of a search is not necessarily the best, and the mean with the highest score
    probably owes part of its score to luck. The finals therefore compare several means and the
    defaults.
    """
    finalists = _select_finalists(request, history)
    n_generations = len(history.generations)
    n_matches = FINALS_MATCHES_FACTOR * request.n_matches

    def play_finalists() -> dict[str, np.ndarray]:
        strategies = list(map(request.with_values, finalists))
        seed = request.compute_generation_seed(n_generations + 1)
        scores = improvement.evaluate_strategies(
            request, strategies, seed, n_matches, workers, progress
        )
        return {"worths": np.array([score.value for score in scores])}

    array_shapes = {"worths": (len(finalists),)}
    arrays = improvement.load_or_play_step(
        ledger, f"finals after {n_generations} generations", n_matches, array_shapes, play_finalists
    )
    return finalists[int(arrays["worths"].argmax())]


def _select_finalists(request: TuneRequest, history: SearchHistory) -> list[ParameterValues]:
    """Return the finalists: the default values and several distribution means."""
    means = [generation.mean.values for generation in history.generations]
    mean = history.final_mean.values
    later_means = [*means[len(means) // 2 :], mean]
    columns = zip(request.parameters, zip(*later_means, strict=True), strict=True)
    mean_of_later_means = tuple(
        parameter.round_value(float(np.mean(column))) for parameter, column in columns
    )
    generations = sorted(
        history.generations, key=lambda generation: generation.gain.value, reverse=True
    )
    best_means = [generation.mean.values for generation in generations[:N_BEST_MEANS_IN_FINALS]]
    return list(dict.fromkeys([request.default_values, mean, mean_of_later_means, *best_means]))


# Result


@dataclass(frozen=True, repr=False)
class TuningResult(improvement.Improvement):
    """Result of a parameter search."""

    wording = improvement.Wording(
        gerund="Tuning",
        participle="tuned",
        baseline_word="default",
        initial_noun="default parameters",
        process_noun="search",
        steps_noun="generations",
        content_noun="parameters",
        file_suffix=".toml",
        file_marker=b"# simgin tune ",
    )
    history: SearchHistory
    tuned_values: ParameterValues  # parameter values that won the finals

    @property
    def parameters(self) -> Frame:
        """DataFrame of the tuned parameters with their meanings, ranges, defaults and values."""
        return build_output_frame(
            "parameters",
            [
                {
                    "parameter": parameter.name,
                    "meaning": parameter.declaration.about,
                    "low": parameter.low,
                    "high": parameter.high,
                    "default": parameter.declaration.default,
                    "tuned": value,
                }
                for parameter, value in zip(self.request.parameters, self.tuned_values, strict=True)
            ],
        )

    @property
    def candidates(self) -> Frame:
        """DataFrame of all candidates, with their generation, strategy, parameters and score."""
        names = [parameter.name for parameter in self.request.parameters]
        rows = []
        for generation in self.history.generations:
            for values, score in zip(generation.candidates, generation.scores, strict=True):
                strategy = self.request.with_values(values)
                row: dict[str, Any] = {"generation": generation.number, "strategy": strategy.spec}
                row |= zip(names, values, strict=True)
                rows.append({**row, self.request.objective: score})
        return make_frame(rows)

    @property
    def history_frame(self) -> Frame:
        """DataFrame of the mean after every generation, for `simgin.plots.search_history`.

        Gains are measured on the deals of the next generation. The last rows contain the selected
        values and the confirmed gain.
        """
        request = self.request
        rows: list[dict[str, Any]] = []
        for generation in self.history.generations:
            rows += _iter_history_rows(
                request, generation.number - 1, generation.mean, generation.gain, request.n_matches
            )
        selected_mean = DistributionMean(self.tuned_values, self.history.final_mean.deviations)
        gain = self.confirmation.objective_comparison.gain
        rows += _iter_history_rows(
            request, request.n_generations, selected_mean, gain, request.confirmation_matches
        )
        return build_output_frame("search", rows)

    def render_file(self, command: str) -> bytes:
        """Render the tuned parameters as a TOML file, with the gain in comments."""
        comments = [command, *self.verdict_sentences]
        comment_lines = "".join(f"# {escape_to_one_line(comment)}\n" for comment in comments)
        text = format_values_toml(group_values_by_slot(self.request.parameters, self.tuned_values))
        return f"{comment_lines}\n{text}".encode()

    def frames(self) -> Mapping[str, Frame]:
        """Return the DataFrames of the search, keyed by name."""
        return {
            "parameters": self.parameters,
            "candidates": self.candidates,
            "search": self.history_frame,
            "confirmation": self.table,
        }

    def build_display_tables(self) -> list[Table]:
        """Return the report's table of tuned parameters."""
        rows = [
            {
                "parameter": parameter.name,
                "default": parameter.format_value(parameter.declaration.default),
                "tuned": parameter.format_value(value),
                "range": f"{parameter.low:g}..{parameter.high:g}",
            }
            for parameter, value in zip(self.request.parameters, self.tuned_values, strict=True)
        ]
        return [Table("Parameters", make_frame(rows), [Column(name, name) for name in rows[0]])]

    def plots(self) -> Iterator[Plot]:
        """Yield the plot of the search history."""
        factor = self.request.metric.display_factor
        gain_texts = [
            f"{factor * generation.gain.value:.2f}" for generation in self.history.generations
        ]
        gain_text = improvement.format_interval(
            self.request, self.confirmation.objective_comparison.gain
        )
        alt_text = (
            f"Gain over the defaults by generation: {', '.join(gain_texts)}. Result: {gain_text}."
        )
        figure = plots.search_history(self.history_frame, seed=self.request.seed)
        yield Plot("search", "Search history", alt_text, figure)

    @property
    def method_description(self) -> str:
        """Description of the search method for the report."""
        request = self.request
        return (
            f"CMA-ES with {request.generations_text} of {request.n_candidates} strategies. "
            f"Each strategy played {request.n_matches:,} matches against every opponent, on the "
            "same deals as the other strategies of its generation."
        )


def run_tune(
    request: TuneRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    run_ledger: Ledger | None = None,
) -> TuningResult:
    """Search for better parameters, and confirm the gain of the best ones.

    Args:
        request: Request for the search.
        workers: Number of worker threads.
        on_progress: Progress callback for the generations, the finals and the confirmation.
        run_ledger: Ledger of the search, from which completed steps are loaded, or None for a
            ledger in memory.
    """
    if run_ledger is None:
        with open_ledger(None, request.identity) as memory_ledger:
            return run_tune(request, workers, on_progress, run_ledger=memory_ledger)
    generations: list[Generation] = []
    n_generations = request.n_generations
    step_progress = improvement.split_progress(
        on_progress, n_generations + 2, lambda: format_progress_line(request, generations)
    )
    distribution = CandidateDistribution(request.parameters, request.n_candidates, request.seed)
    for generation in play_generations(request, distribution, run_ledger, workers, step_progress):
        generations.append(generation)
    history = SearchHistory(tuple(generations), distribution.mean)
    values = play_finals(request, history, run_ledger, workers, step_progress(n_generations))
    strategy = request.with_values(values)
    confirmation = improvement.confirm_gain(
        request, strategy, run_ledger, workers, step_progress(n_generations + 1)
    )
    return TuningResult(request, strategy, confirmation, history, values)


def format_plan_sentence(request: TuneRequest) -> str:
    """Return a sentence that describes the planned search."""
    names = ", ".join(parameter.name for parameter in request.parameters)
    verb = "plays" if request.n_generations == 1 else "play"
    return (
        f"{request.generations_text} of {request.n_candidates} strategies {verb} "
        f"{request.n_matches:,} matches per strategy against {request.opponents_text} "
        f"({request.variant.spec}). Parameters: {names}. Then "
        f"{request.confirmation_matches:,} matches on held-out deals confirm the result."
    )


def format_progress_line(request: TuneRequest, generations: Sequence[Generation]) -> str:
    """Return a progress line with the latest mean and its gain over the default values."""
    if not generations:
        return f"generation 1 of {request.n_generations}"
    last_generation = generations[-1]
    values_by_parameter = zip(request.parameters, last_generation.mean.values, strict=True)
    settings = ", ".join(
        f"{parameter.name}={parameter.format_value(value)}"
        for parameter, value in values_by_parameter
    )
    gain_text = improvement.format_interval(request, last_generation.gain)
    position = f"generation {last_generation.number} of {request.n_generations}"
    return f"{position}: gain {gain_text}; {settings}"


def _iter_history_rows(
    request: TuneRequest, n_generations: int, mean: DistributionMean, gain: Estimate, n_matches: int
) -> Iterator[dict[str, Any]]:
    """Yield one row per parameter, with its mean after `n_generations` generations."""
    for parameter, value, deviation in zip(
        request.parameters, mean.values, mean.deviations, strict=True
    ):
        yield {
            "variant": request.variant.spec,
            "strategy": request.strategy.spec,
            "opponent": ", ".join(opponent.spec for opponent in request.opponents),
            "metric": request.metric.name,
            "generations": n_generations,
            "gain": gain.value,
            "low": gain.low,
            "high": gain.high,
            "parameter": parameter.name,
            "value": value,
            "value_low": max(parameter.low, value - deviation),
            "value_high": min(parameter.high, value + deviation),
            "default": parameter.declaration.default,
            "n": n_matches,
        }

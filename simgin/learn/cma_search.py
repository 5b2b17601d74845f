"""Search for better parameters with the evolution strategy CMA-ES.

Covariance matrix adaptation (N. Hansen and A. Ostermeier, Evolutionary Computation 2001) draws each
generation from a normal distribution and moves it towards the best candidates. All strategies of a
generation play the same deals. Candidates and deals depend only on the seed, so an interrupted
search resumes from its ledger and gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from simgin import plots
from simgin.learn.improvement import (
    Improvement,
    PieceProgress,
    Wording,
    confirm,
    evaluate_strategies,
    format_interval,
    load_or_play_step,
    share_pieces,
    to_estimate,
)
from simgin.learn.tune_request import (
    ParameterValues,
    TunableParameter,
    TuneError,
    TuneRequest,
    slot_values,
)
from simgin.play.parallel import Progress
from simgin.report.progress import OnProgress
from simgin.report.report import Plot
from simgin.report.report_table import Column, Table
from simgin.runs.ledger import Ledger, open_ledger
from simgin.stats.estimate import Estimate
from simgin.stats.table import Frame, build_frame, make_frame
from simgin.strategy.strategy_spec import format_values_toml
from simgin.text.messages import escape_to_one_line

ESTIMATE_SIZE = len(fields(Estimate))
BEST_MEANS = 3  # number of means that enter the finals, those with the highest gains
MAX_FINALISTS = 3 + BEST_MEANS
# Factor by which a strategy plays more matches in the finals than in a generation
FINALS_FACTOR = 5
# Minimum standard deviation of integer parameters, so that their neighbours are tried
MIN_INTEGER_DEVIATION = 0.3


@dataclass(frozen=True)
class DistributionMean:
    """Mean and standard deviations of the candidates, rounded to valid parameter values."""

    values: ParameterValues
    deviations: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Generation:
    """Candidates of one generation, with the mean of the distribution that produced them."""

    number: int  # number of the generation, starting at 1
    candidates: tuple[ParameterValues, ...]
    scores: np.ndarray  # (n_candidates,) float64: proportion of matches won, or points per deal
    mean: DistributionMean
    gain: Estimate  # gain of the mean over the defaults, on the deals of the candidates


@dataclass(frozen=True)
class SearchHistory:
    """All generations of a search, followed by the final mean."""

    generations: tuple[Generation, ...]
    final_mean: DistributionMean


class CandidateDistribution:
    """Distribution of candidates, scaled so that the initial standard deviations are 1."""

    def __init__(
        self, parameters: Sequence[TunableParameter], n_candidates: int, seed: int
    ) -> None:
        self._parameters = parameters
        # The library needs at least two dimensions, so a single parameter is padded with an unused
        # dimension.
        size = max(2, len(parameters))
        rng = np.random.default_rng(seed)
        low, high = [-1.0] * size, [1.0] * size
        min_deviations = [0.0] * size
        for index, parameter in enumerate(parameters):
            low[index] = (parameter.low - parameter.start) / parameter.initial_deviation
            high[index] = (parameter.high - parameter.start) / parameter.initial_deviation
            if parameter.is_integer:
                min_deviations[index] = MIN_INTEGER_DEVIATION / parameter.initial_deviation
        options = {
            "randn": lambda *shape: rng.standard_normal(shape),
            "seed": np.nan,  # The value NaN leaves NumPy's global generator unchanged.
            "bounds": [low, high],
            "minstd": min_deviations,
            "popsize": n_candidates,
            "verbose": -9,
        }
        self._cma = _import_cma().CMAEvolutionStrategy([0.0] * size, 1.0, options)

    def draw_generation(self) -> list[np.ndarray]:
        """Draw the points of the candidates in the next generation."""
        return list(self._cma.ask())

    def update(self, points: Sequence[np.ndarray], scores: np.ndarray) -> None:
        """Move the distribution towards the candidates with the highest scores."""
        self._cma.tell(points, list(-scores))

    def parameter_values(self, point: np.ndarray) -> ParameterValues:
        """Convert a point in the scaled space to parameter values."""
        steps_by_tunable = zip(self._parameters, map(float, point), strict=False)
        return tuple(
            tunable.round_value(tunable.start + steps * tunable.initial_deviation)
            for tunable, steps in steps_by_tunable
        )

    @property
    def mean(self) -> DistributionMean:
        """Current mean of the candidate distribution."""
        result = self._cma.result
        deviations = zip(self._parameters, map(float, result.stds), strict=False)
        spread = tuple(tunable.initial_deviation * deviation for tunable, deviation in deviations)
        return DistributionMean(self.parameter_values(result.xfavorite), spread)


def _import_cma() -> Any:
    """Return the package `cma`, or raise TuneError if it is not installed."""
    try:
        import cma
    except ImportError:
        raise TuneError(
            "tuning requires the package cma. To install cma, run: pip install 'simgin[tune]'"
        ) from None
    return cma


def search(
    request: TuneRequest,
    ledger: Ledger,
    workers: int | None = None,
    piece_progress: PieceProgress = lambda place: None,
    on_generation: Callable[[Generation], None] = lambda generation: None,
) -> SearchHistory:
    """Run all generations of a search, loading finished generations from the ledger.

    Args:
        request: Request for the search.
        ledger: Ledger of the search.
        workers: Number of worker threads.
        piece_progress: Function that returns the progress callback of a generation, given its
            index.
        on_generation: Function that is called with every generation.
    """
    distribution = CandidateDistribution(request.parameters, request.n_candidates, request.seed)
    generations = []
    for number in range(1, request.generations + 1):
        current_mean = distribution.mean
        points = distribution.draw_generation()
        values = tuple(distribution.parameter_values(point) for point in points)
        result = load_or_play_step(
            ledger,
            f"generation {number}",
            request.matches,
            {"objective": (len(values),), "gain": (ESTIMATE_SIZE,)},
            partial(
                _play_generation,
                request,
                number,
                [*values, current_mean.values],
                workers,
                piece_progress(number - 1),
            ),
        )
        objective = result["objective"]
        distribution.update(points, objective)
        generation = Generation(number, values, objective, current_mean, Estimate(*result["gain"]))
        generations.append(generation)
        on_generation(generation)
    return SearchHistory(tuple(generations), distribution.mean)


def _play_generation(
    request: TuneRequest,
    number: int,
    tried_values: Sequence[ParameterValues],
    workers: int | None,
    progress: Progress | None,
) -> dict[str, np.ndarray]:
    """Play the candidates of a generation, the distribution mean and the default values."""
    strategies = [*map(request.with_values, tried_values), request.strategy]
    seed = request.generation_seed(number)
    *candidates, mean_score, default_score = evaluate_strategies(
        request, strategies, seed, request.matches, workers, progress
    )
    objective = [score.value for score in candidates]
    gain = astuple(to_estimate(mean_score - default_score))
    return {"objective": np.array(objective), "gain": np.array(gain)}


# Finals


def play_finals(
    request: TuneRequest,
    history: SearchHistory,
    ledger: Ledger,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ParameterValues:
    """Return the finalist with the best score on new deals, from the ledger or after play.

    The last mean of a search is not necessarily the best mean, and the mean with the highest score
    was also lucky. The finals therefore compare several means and the defaults.
    """
    finalists = _finalists(request, history)
    n_generations = len(history.generations)
    n = FINALS_FACTOR * request.matches

    def play() -> dict[str, np.ndarray]:
        strategies = list(map(request.with_values, finalists))
        seed = request.generation_seed(n_generations + 1)
        scores = evaluate_strategies(request, strategies, seed, n, workers, progress)
        return {"worths": np.array([score.value for score in scores])}

    shapes = {"worths": (len(finalists),)}
    result = load_or_play_step(ledger, f"finals after {n_generations} generations", n, shapes, play)
    return finalists[int(result["worths"].argmax())]


def _finalists(request: TuneRequest, history: SearchHistory) -> list[ParameterValues]:
    """Return the finalists: defaults, final mean, mean of the later means, and best means."""
    middles = [generation.mean.values for generation in history.generations]
    end = history.final_mean.values
    later_means = [*middles[len(middles) // 2 :], end]
    columns = zip(request.parameters, zip(*later_means, strict=True), strict=True)
    mean = tuple(tunable.round_value(float(np.mean(column))) for tunable, column in columns)
    ranked = sorted(history.generations, key=lambda one: one.gain.value, reverse=True)
    best = [generation.mean.values for generation in ranked[:BEST_MEANS]]
    return list(dict.fromkeys([request.default_values, end, mean, *best]))


# Result


@dataclass(frozen=True, repr=False)
class TuningResult(Improvement):
    """Result of a parameter search."""

    wording = Wording(
        doing="Tuning",
        done="tuned",
        baseline="default",
        initial="default parameters",
        noun="search",
        pieces="generations",
        content="parameters",
        suffix=".toml",
        marker=b"# simgin tune ",
    )
    history: SearchHistory
    values: ParameterValues  # winner of the finals

    @property
    def parameters(self) -> Frame:
        """DataFrame of the tuned parameters: meaning, range, default value and tuned value."""
        return build_frame(
            "parameters",
            [
                {
                    "parameter": tunable.name,
                    "meaning": tunable.param.about,
                    "low": tunable.low,
                    "high": tunable.high,
                    "default": tunable.param.default,
                    "tuned": value,
                }
                for tunable, value in zip(self.request.parameters, self.values, strict=True)
            ],
        )

    @property
    def candidates(self) -> Frame:
        """DataFrame of all candidates: generation, strategy, parameters and score."""
        names = [tunable.name for tunable in self.request.parameters]
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
        values and the gain of the confirmation.
        """
        request = self.request
        rows: list[dict[str, Any]] = []
        for entry in self.history.generations:
            rows += _history_rows(
                request, entry.number - 1, entry.mean, entry.gain, request.matches
            )
        selected_mean = DistributionMean(self.values, self.history.final_mean.deviations)
        gain = self.confirmation.objective.gain
        rows += _history_rows(
            request, request.generations, selected_mean, gain, request.confirmation_matches
        )
        return build_frame("search", rows)

    def file_content(self, command: str) -> bytes:
        """Return the tuned parameters as TOML for `name@FILE.toml`, with the gain in comments."""
        remarks = [command, *self.sentences]
        head = "".join(f"# {escape_to_one_line(remark)}\n" for remark in remarks)
        text = format_values_toml(slot_values(self.request.parameters, self.values))
        return f"{head}\n{text}".encode()

    def frames(self) -> Mapping[str, Frame]:
        """Return the DataFrames of the search by name."""
        return {
            "parameters": self.parameters,
            "candidates": self.candidates,
            "search": self.history_frame,
            "confirmation": self.table,
        }

    def display_tables(self) -> list[Table]:
        """Return the table of the tuned parameters."""
        rows = [
            {
                "parameter": tunable.name,
                "default": tunable.format_value(tunable.param.default),
                "tuned": tunable.format_value(value),
                "range": f"{tunable.low:g}..{tunable.high:g}",
            }
            for tunable, value in zip(self.request.parameters, self.values, strict=True)
        ]
        return [Table("Parameters", make_frame(rows), [Column(name, name) for name in rows[0]])]

    def plots(self) -> Iterator[Plot]:
        """Yield the plot of the search history."""
        factor = self.request.metric.display_factor
        gains = [f"{factor * generation.gain.value:.2f}" for generation in self.history.generations]
        gain_text = format_interval(self.request, self.confirmation.objective.gain)
        alt_text = f"Gain over the defaults by generation: {', '.join(gains)}. Result: {gain_text}."
        figure = plots.search_history(self.history_frame, seed=self.request.seed)
        yield Plot("search", "Search history", alt_text, figure)

    @property
    def method(self) -> str:
        """Description of the search method for use in the report."""
        request = self.request
        return (
            f"CMA-ES with {request.generation_count} of {request.n_candidates} strategies. "
            f"Each strategy played {request.matches:,} matches against every opponent, on the same "
            "deals as the other strategies of its generation."
        )


def run_tune(
    request: TuneRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    run_ledger: Ledger | None = None,
    on_generation: Callable[[Generation], None] = lambda generation: None,
) -> TuningResult:
    """Search for better parameters, select the best ones, and confirm their gain.

    Args:
        request: Request for the search.
        workers: Number of worker threads.
        on_progress: Progress callback for the generations, the finals and the confirmation.
        run_ledger: Ledger of the search, whose finished steps are reused, or None for a ledger in
            memory.
        on_generation: Function that is called with every generation.
    """
    if run_ledger is None:
        with open_ledger(None, request.identity) as memory:
            return run_tune(
                request, workers, on_progress, run_ledger=memory, on_generation=on_generation
            )
    finished: list[Generation] = []

    def record_generation(generation: Generation) -> None:
        finished.append(generation)
        on_generation(generation)

    n_generations = request.generations
    piece_progress = share_pieces(
        on_progress, n_generations + 2, lambda: progress_line(request, finished)
    )
    history = search(request, run_ledger, workers, piece_progress, record_generation)
    values = play_finals(request, history, run_ledger, workers, piece_progress(n_generations))
    strategy = request.with_values(values)
    confirmation = confirm(
        request, strategy, run_ledger, workers, piece_progress(n_generations + 1)
    )
    return TuningResult(request, strategy, confirmation, history, values)


def plan_sentence(request: TuneRequest) -> str:
    """Return a sentence that describes how the parameters will be searched."""
    names = ", ".join(tunable.name for tunable in request.parameters)
    return (
        f"{request.generation_count} of {request.n_candidates} strategies play "
        f"{request.matches:,} matches per strategy against {request.opponent_list} "
        f"({request.variant.spec}). Parameters: {names}. Then "
        f"{request.confirmation_matches:,} matches on held-out deals confirm the result."
    )


def progress_line(request: TuneRequest, generations: Sequence[Generation]) -> str:
    """Return the progress line, which shows the latest mean and its gain over the defaults."""
    if not generations:
        return f"generation 1 of {request.generations}"
    last = generations[-1]
    pairs = zip(request.parameters, last.mean.values, strict=True)
    settings = ", ".join(
        f"{tunable.name}={tunable.format_value(value)}" for tunable, value in pairs
    )
    gain = format_interval(request, last.gain)
    return f"generation {last.number} of {request.generations}: gain {gain}; {settings}"


def _history_rows(
    request: TuneRequest, n_generations: int, mean: DistributionMean, gain: Estimate, n: int
) -> Iterator[dict[str, Any]]:
    """Yield the rows of `history_frame` for a number of generations, one row per parameter."""
    for tunable, value, spread in zip(
        request.parameters, mean.values, mean.deviations, strict=True
    ):
        yield {
            "variant": request.variant.spec,
            "strategy": request.strategy.spec,
            "opponent": ", ".join(opponent.spec for opponent in request.pool),
            "metric": request.metric.name,
            "generations": n_generations,
            "gain": gain.value,
            "low": gain.low,
            "high": gain.high,
            "parameter": tunable.name,
            "value": value,
            "value_low": max(tunable.low, value - spread),
            "value_high": min(tunable.high, value + spread),
            "default": tunable.param.default,
            "n": n,
        }

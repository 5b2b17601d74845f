"""Rule reviews: metrics of every player type under every rule set, and the effects of rules.

This module plays no matches itself. All metrics are computed from the ledger, which contains the
batch rows of the matchups and the results of extra passes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from simgin.core.matchup_key import MatchupKey
from simgin.play.matchup import parse_matchup
from simgin.report.progress import OnProgress
from simgin.report.report import Report
from simgin.results.run_results import RunResults, run_plan, run_saved_plan
from simgin.review import match_course, review_request, scorecard
from simgin.review.review_request import ReviewRequest, resolve_players
from simgin.review.scorecard import DesignGoal, MatchupStats, Measurement, ScorecardRow
from simgin.rules import variants
from simgin.runs.block import Block, Task
from simgin.runs.ledger import Ledger
from simgin.runs.manifest import compute_engine_digest
from simgin.runs.plan import Plan
from simgin.runs.result import Result
from simgin.runs.runner import ExtraPass
from simgin.runs.stopping import StopResult
from simgin.stats import metrics, paired_estimate
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import Frame, build_output_frame, make_estimate_columns
from simgin.strategy.cast import CHAMPION_STRATEGY, GIN_PLAYER, IMMEDIATE_KNOCKER, STRONG_PLAYER

# Distance of a difference from a threshold, in standard errors. If a difference is closer to a
# threshold, the probability that the last stage of a review settles the effect size is at most 1/3.
NEAR_THRESHOLD_STANDARD_ERRORS = 1.1
# keys of the metrics that compare two player types
SKILL_METRIC, GIN_VS_KNOCK_METRIC = "skill", "waiting"
MIN_STALLED_RATE_FOR_WARNING = 0.01  # minimum proportion of stalled deals for a warning


@dataclass(frozen=True, eq=False)
class Effect:
    """Difference of a metric from the baseline under a variant, with its effect size.

    Attributes:
        difference: Difference with its standard error and its 95 % interval.
        size_thresholds: Minimum absolute differences for the effect sizes "a little" and "much".
        is_tenfold_change: True if a percentage changes by a factor of ten or more.
        interval_error_rate: Error rate of the interval that determines the effect size. In a
            sequential review, the error rate is lower than 5 %, so that effect sizes are valid at
            every interim test.
    """

    difference: PairedEstimate
    size_thresholds: tuple[float, float]
    is_tenfold_change: bool = False
    interval_error_rate: float = ALPHA

    @property
    def _adjusted_difference(self) -> PairedEstimate:
        """Difference with the interval that the effect size depends on."""
        return replace(self.difference, error_rate=self.interval_error_rate)

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the interval that the effect size depends on."""
        return self._adjusted_difference.interval

    @property
    def is_decided(self) -> bool:
        """True if the effect size is the same in the whole interval, or if there is no interval."""
        little_bound, much_bound = self.size_thresholds
        low_size, high_size = np.searchsorted(
            (-much_bound, -little_bound, little_bound, much_bound), self.interval
        )
        return bool(low_size == high_size)

    @property
    def is_near_threshold(self) -> bool:
        """True if the difference is so close to a threshold that more matches rarely decide it."""
        value, se = abs(self.difference.value), self.difference.se
        return (
            min(abs(value - bound) for bound in self.size_thresholds)
            < NEAR_THRESHOLD_STANDARD_ERRORS * se
        )

    @property
    def size(self) -> str:
        """Effect size, as classified by `scorecard.classify_effect_size`."""
        size = scorecard.classify_effect_size(self._adjusted_difference, self.size_thresholds)
        return (
            scorecard.LARGE_EFFECT
            if self.is_tenfold_change and size == scorecard.SMALL_EFFECT
            else size
        )

    @property
    def sign(self) -> int:
        """Sign of the effect, or 0 if it is inconclusive or negligible."""
        if self.size in (scorecard.NO_EFFECT, scorecard.UNCLEAR_EFFECT):
            return 0
        return 1 if self.difference.value > 0 else -1


MetricKey = tuple[str, str, str]  # variant, metric and player type
PairingKey = tuple[str, frozenset[str]]  # variant and strategies of a matchup


@dataclass(frozen=True, eq=False, repr=False)
class Review(Result):
    """Review of rule sets, which is computed from the results of a run.

    Attributes:
        request: Request with the rule sets, players and goals.
        results: Results of the run.
        batch_parity: 0 to use only batches with an even index, 1 for an odd index, or None to use
            all batches.
        finished_matchup_indices: Indices of the finished matchups of a review in progress, or None
            if all matchups are finished.
        max_matches: Maximum number of matches of each matchup to use, or None to use all matches.
        parent_review: Review that loads the data of this review, or None if this review loads them
            itself.
    """

    request: ReviewRequest
    results: RunResults
    batch_parity: int | None = None
    finished_matchup_indices: Collection[int] | None = None
    max_matches: int | None = None
    parent_review: Review | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        """Settings that determine the result (see `Result.identity`)."""
        return self.results.identity

    @property
    def stop_results(self) -> Sequence[StopResult]:
        """Sample sizes of the matchups (see `Result.stop_results`)."""
        return self.results.stop_results

    @property
    def manifest_entries(self) -> dict[str, Any]:
        """Additional entries of `manifest.json` (see `Result.manifest_entries`)."""
        return {**self.results.manifest_entries, "review": asdict(self.request)}

    def frames(self) -> dict[str, Frame]:
        """Return the metrics and their differences from the baseline as DataFrames."""
        return {"metrics": self.metrics, "differences": self.differences}

    def report(self, command: str) -> Report:
        """Return the report of the review."""
        from simgin.review.review_report import build_review_report

        return build_review_report(self, command)

    @property
    def run_ledger(self) -> Ledger:
        """Ledger that contains the results of the run."""
        return self.results.ledger

    def _select_batches(self, rows: np.ndarray, matchup_key: MatchupKey) -> np.ndarray:
        """Return the batches of a matchup that belong to this review."""
        if self.max_matches is not None:
            rows = rows[: matchup_key.count_units(self.max_matches) // matchup_key.batch_size]
        return rows if self.batch_parity is None else rows[self.batch_parity :: 2]

    @cached_property
    def matches_by_pairing(self) -> dict[PairingKey, int]:
        """Number of matches played, keyed by variant and players."""
        keys = self.results.matchup_keys
        pairings = [(key.variant, frozenset(key.players)) for key in keys]
        return dict(zip(pairings, self.results.matchup_sizes, strict=True))

    def find_pairing(self, metric_key: MetricKey) -> PairingKey:
        """Return the matchup that determines a metric of a two-player variant."""
        variant, metric, player_type = metric_key
        if metric == GIN_VS_KNOCK_METRIC:
            return variant, frozenset(self.request.gin_and_knock_players or ())
        opponent = STRONG_PLAYER if metric == SKILL_METRIC else player_type
        players = (self.find_strategy(variant, player_type), self.find_strategy(variant, opponent))
        return variant, frozenset(players)

    def count_matches(self, *metric_keys: MetricKey) -> int:
        """Return the minimum number of matches that any of several metrics is based on."""
        if not self.request.is_sequential:
            return self.request.matches
        return min(self.matches_by_pairing[self.find_pairing(key)] for key in metric_keys)

    def select_first_matches(self, n_matches: int) -> Review:
        """Return a review of only the first `n_matches` matches of every matchup."""
        is_complete = not self.request.is_sequential or n_matches >= max(
            self.matches_by_pairing.values()
        )
        return self if is_complete else self._partial_reviews[n_matches]

    @cached_property
    def _partial_reviews(self) -> dict[int, Review]:
        """Reviews of only the first matches of every matchup, keyed by the number of matches."""
        review = self.parent_review or self
        return {
            n: replace(self, parent_review=review, max_matches=n) for n in self.request.stage_sizes
        }

    def select_half(self, batch_parity: int) -> Review:
        """Return a review of only the batches with an even index (0) or an odd index (1)."""
        return replace(self, parent_review=self.parent_review or self, batch_parity=batch_parity)

    @cached_property
    def scorecard_rows(self) -> tuple[ScorecardRow, ...]:
        """Rows of the scorecard."""
        rows_by_key: dict[str, ScorecardRow] = {}
        for variant in self.request.variants:
            params = variants.find_variant(variant).params
            for row in scorecard.list_scorecard_rows(params, self.request.seconds_per_turn):
                rows_by_key.setdefault(row.key, row)
        return tuple(rows_by_key.values())

    @cached_property
    def stalled_rates(self) -> Mapping[tuple[str, str], float]:
        """Proportions of stalled deals that require a warning, keyed by variant and player type."""
        return {
            (variant, player_type): estimate.value
            for (variant, metric, player_type), estimate in self.measurements.items()
            if metric == scorecard.STALLED_ROW_KEY
            and isinstance(estimate, PairedEstimate)
            and estimate.value >= MIN_STALLED_RATE_FOR_WARNING
        }

    @cached_property
    def knock_rates(self) -> Mapping[str, PairedEstimate]:
        """Proportions of deals between strong players that end with a knock, keyed by variant."""
        return {
            variant: scorecard.estimate_knock_rate(self.get_stats_of_type(variant, STRONG_PLAYER))
            for variant, metric, player_type in self.measurements
            if (metric, player_type) == ("knock_turn", STRONG_PLAYER)
        }

    @property
    def shown_scorecard_rows(self) -> tuple[ScorecardRow, ...]:
        """Rows of the scorecard, without stalled deals if these are rare."""
        return tuple(
            row
            for row in self.scorecard_rows
            if row.key != scorecard.STALLED_ROW_KEY or self.stalled_rates
        )

    @cached_property
    def player_types(self) -> tuple[str, ...]:
        """Names of the player types, weakest first."""
        return (*(kind.name for kind in self.request.kinds), STRONG_PLAYER)

    @cached_property
    def find_equal_built_in(self) -> Callable[[str], str]:
        """Function that returns the built-in variant with the same rules as a spec, or ""."""
        return cache(_find_equal_built_in)

    def find_strategy(self, variant: str, player_type: str) -> str:
        """Return the strategy that plays as a player type under a variant."""
        if player_type == STRONG_PLAYER:
            return self.request.find_strong_player(variant)
        return dict(self.request.kinds)[player_type]

    def get_stats_of_type(self, variant: str, player_type: str) -> MatchupStats:
        """Return the statistics of a player type in self-play or in solitaire games."""
        return self.get_stats_of_strategy(variant, self.find_strategy(variant, player_type))

    def get_stats_of_strategy(self, variant: str, strategy: str) -> MatchupStats:
        """Return the statistics of a strategy in self-play or in solitaire games."""
        rows = self._batch_rows[variant, strategy, "" if self.request.is_solo else strategy]
        return MatchupStats(rows, self._event_counts.get((variant, strategy), {}))

    @cached_property
    def _batch_rows(self) -> dict[tuple[str, str, str], np.ndarray]:
        """Batch rows that belong to this review, keyed by variant, strategy A and strategy B."""
        return {
            (key.variant, key.a, key.b): self._select_batches(rows, key)
            for key, rows in (self.parent_review or self)._loaded_batch_rows.items()
        }

    @cached_property
    def _loaded_batch_rows(self) -> dict[MatchupKey, np.ndarray]:
        """Batch rows of all finished matchups, keyed by matchup."""
        return {
            key: match_course.merge_batches(self.results.load_rows(i))
            for i, key in enumerate(self.results.matchup_keys)
            if self.finished_matchup_indices is None or i in self.finished_matchup_indices
        }

    @cached_property
    def _event_counts(self) -> dict[tuple[str, str], Mapping[str, np.ndarray]]:
        """Event counts that belong to this review, keyed by variant and strategy."""
        return {
            (key.variant, key.a): {
                name: self._select_batches(array, key) for name, array in counts.items()
            }
            for key, counts in (self.parent_review or self)._loaded_event_counts.items()
        }

    @cached_property
    def _loaded_event_counts(self) -> dict[MatchupKey, Mapping[str, np.ndarray]]:
        """Event counts of all recorded matches between strong players, keyed by matchup."""
        ledger = self.results.ledger
        counts_by_matchup: dict[MatchupKey, Mapping[str, np.ndarray]] = {}
        for variant, name in list_recorded_matchups(self.request):
            stages = self.request.list_stages(self.matches_by_pairing[variant, frozenset({name})])
            passes = [
                (format_recording_name(variant, name, first_match), end_match - first_match)
                for first_match, end_match in stages
            ]
            if self.finished_matchup_indices is not None and not (
                passes and all(itertools.starmap(ledger.has_step_result, passes))
            ):
                continue
            counts = [ledger.read_step_result(*extra_pass) for extra_pass in passes]
            opponent = "" if self.request.is_solo else name
            key = MatchupKey(variant, name, opponent, self.request.seed, "match")
            counts_by_matchup[key] = {
                event: np.concatenate([stage[event] for stage in counts]) for event in counts[0]
            }
        return counts_by_matchup

    def estimate_win_rate(self, variant: str, strategy: str, opponent: str) -> PairedEstimate:
        """Estimate the proportion of matches that one strategy wins against another."""
        rows_by_players = {
            key[1:]: rows for key, rows in self._batch_rows.items() if key[0] == variant
        }
        metric = metrics.METRICS_BY_NAME["match_win"]
        return paired_estimate.estimate_pairwise_metric(rows_by_players, strategy, opponent, metric)

    @cached_property
    def measurements(self) -> dict[MetricKey, Measurement]:
        """Values from the finished matchups, keyed by variant, metric and player type.

        If a value is missing, a string states the reason.
        """
        return dict(itertools.chain(*map(self._measure_variant, self.request.played_variants)))

    def _measure_variant(self, variant: str) -> Iterator[tuple[MetricKey, Measurement]]:
        """Yield each value under a variant with its variant, metric and player type."""
        is_requested = variant in self.request.variants
        for player_type in self.player_types if is_requested else (STRONG_PLAYER,):
            strategy = self.find_strategy(variant, player_type)
            if self._are_matchups_finished(variant, strategy, strategy):
                stats = self.get_stats_of_type(variant, player_type)
                for row in self.scorecard_rows:
                    yield (variant, row.key, player_type), row.measure(stats)
        strong_player = self.request.find_strong_player(variant)
        # In solitaire games, other players can be as strong as the strong player.
        for weaker_type in self.request.kinds[: 1 if self.request.is_solo else None]:
            if self._are_matchups_finished(variant, strong_player, weaker_type.strategy):
                win_rate = self._measure_skill(variant, strong_player, weaker_type.strategy)
                yield (variant, SKILL_METRIC, weaker_type.name), win_rate
        gin_and_knock = self.request.gin_and_knock_players
        if gin_and_knock and is_requested and self._are_matchups_finished(variant, *gin_and_knock):
            yield (
                (variant, GIN_VS_KNOCK_METRIC, GIN_PLAYER),
                self.estimate_win_rate(variant, *gin_and_knock),
            )

    def _are_matchups_finished(self, variant: str, strategy: str, opponent: str) -> bool:
        """Return True if the matchups between two strategies are finished."""
        if self.request.is_solo:
            return all((variant, name, "") in self._batch_rows for name in (strategy, opponent))
        return bool(
            {(variant, strategy, opponent), (variant, opponent, strategy)} & self._batch_rows.keys()
        )

    def _measure_skill(self, variant: str, strong_player: str, weaker_player: str) -> Measurement:
        """Estimate the strong player's win rate or, in solitaire games, its lead in win rates."""
        win_metric = metrics.METRICS_BY_NAME["match_win"]
        if self.request.is_solo:
            rows = [self._batch_rows[variant, name, ""] for name in (strong_player, weaker_player)]
            strong_rate, weaker_rate = (
                paired_estimate.estimate_metric_by_batch(batch_rows, win_metric)
                for batch_rows in rows
            )
            return strong_rate - weaker_rate
        if strong_player == weaker_player:
            return "the two players are the same strategy"
        return self.estimate_win_rate(variant, strong_player, weaker_player)

    @cached_property
    def effects(self) -> dict[MetricKey, Effect]:
        """Differences from the baseline, keyed by variant, metric and player type."""
        base_variant = self.request.base
        effects = {}
        for key, estimate in self.measurements.items():
            variant, metric, player_type = key
            if base_variant is None or variant == base_variant or isinstance(estimate, str):
                continue
            base_key = (base_variant, metric, player_type)
            n_matches = self.count_matches(key, base_key)
            value, baseline = (
                self.select_first_matches(n_matches).measurements.get(metric_key)
                for metric_key in (key, base_key)
            )
            if isinstance(value, PairedEstimate) and isinstance(baseline, PairedEstimate):
                error_rate = self.request.find_interval_error_rate(n_matches)
                effects[key] = self.compute_effect(value, baseline, metric, error_rate)
        return effects

    def compute_effect(
        self,
        value: PairedEstimate,
        reference: PairedEstimate,
        metric: str,
        error_rate: float = ALPHA,
    ) -> Effect:
        """Compute the difference between two values of a metric, with its effect size."""
        if metric in (SKILL_METRIC, GIN_VS_KNOCK_METRIC):
            return Effect(
                value - reference, scorecard.SKILL_EFFECT_BOUNDS, interval_error_rate=error_rate
            )
        base_variant = self.request.base
        assert base_variant is not None
        row = next(row for row in self.scorecard_rows if row.key == metric)
        strong = self.measurements[base_variant, metric, STRONG_PLAYER]
        bounds_reference = strong if isinstance(strong, PairedEstimate) else reference
        n_matches = self.get_stats_of_type(base_variant, STRONG_PLAYER).n_matches
        bounds = row.compute_effect_bounds(bounds_reference, n_matches)
        is_tenfold_change = scorecard.is_tenfold_change(value, reference, row, error_rate)
        return Effect(value - reference, bounds, is_tenfold_change, error_rate)

    def compute_adaptation_effect(self, variant: str, row: ScorecardRow) -> Effect | None:
        """Compute the effect of adapting `champion` to a variant on a metric, or return None."""
        key, pairing = (variant, row.key, STRONG_PLAYER), (variant, frozenset({CHAMPION_STRATEGY}))
        n_matches = min(self.count_matches(key), self.matches_by_pairing[pairing])
        partial_review = self.select_first_matches(n_matches)
        value = row.measure(partial_review.get_stats_of_type(variant, STRONG_PLAYER))
        reference = row.measure(partial_review.get_stats_of_strategy(variant, CHAMPION_STRATEGY))
        if isinstance(value, str) or isinstance(reference, str):
            return None
        error_rate = self.request.find_interval_error_rate(n_matches)
        bounds = row.compute_effect_bounds(reference, n_matches)
        is_tenfold_change = scorecard.is_tenfold_change(value, reference, row, error_rate)
        return Effect(value - reference, bounds, is_tenfold_change, error_rate)

    @property
    def next_matches_by_pairing(self) -> dict[PairingKey, int]:
        """Number of matches after the next stage, keyed by variant and players."""
        undecided_pairings = self._find_undecided_pairings()
        next_larger_size = {
            n: min([size for size in self.request.stage_sizes if size > n], default=n)
            for n in set(self.matches_by_pairing.values())
        }
        return {
            pairing: next_larger_size[n] if pairing in undecided_pairings else n
            for pairing, n in self.matches_by_pairing.items()
        }

    def _find_undecided_pairings(self) -> set[PairingKey]:
        """Return the matchups that determine uncertain effect sizes and undecided goals."""
        pairings = set()
        for key, effect in self.effects.items():
            variant, metric, player_type = key
            base_key = (str(self.request.base), metric, player_type)
            is_shown = player_type == STRONG_PLAYER or metric in (
                SKILL_METRIC,
                GIN_VS_KNOCK_METRIC,
                "turns_per_match",
            )
            is_last = self.count_matches(key, base_key) >= self.request.stage_sizes[-2]
            is_futile = is_last and effect.is_near_threshold
            if is_shown and not effect.is_decided and not is_futile:
                pairings |= {self.find_pairing(key), self.find_pairing(base_key)}
        for goal in scorecard.parse_goals(self.request.goals, self.scorecard_rows):
            for variant in self.request.variants:
                key = (variant, goal.row.key, STRONG_PLAYER)
                if self.evaluate_goal(goal, variant) == scorecard.GOAL_UNDECIDED:
                    pairings.add(self.find_pairing(key))
        return pairings

    def evaluate_goal(self, goal: DesignGoal, variant: str) -> str:
        """Return GOAL_MET, GOAL_MISSED or GOAL_UNDECIDED for a design goal under a variant."""
        key = (variant, goal.row.key, STRONG_PLAYER)
        value = self.measurements[key]
        if isinstance(value, str):
            return scorecard.GOAL_UNDECIDED
        error_rate = self.request.find_interval_error_rate(self.count_matches(key))
        return goal.evaluate(replace(value, error_rate=error_rate))

    def select_effects_by_type(self, variant: str, metric: str) -> dict[str, Effect]:
        """Return the effects on a metric by player type, weakest type first."""
        keyed_effects = self.effects.items()
        return {
            effect_type: effect
            for (effect_variant, effect_metric, effect_type), effect in keyed_effects
            if (effect_variant, effect_metric) == (variant, metric)
        }

    def varies_by_player_type(self, variant: str, metric: str) -> bool:
        """Return True if the effects on two player types differ significantly."""
        effects = self.select_effects_by_type(variant, metric).values()
        return any(
            effect.difference.interval[0] - other_effect.difference.interval[1] > 0
            and effect.difference.value - other_effect.difference.value > effect.size_thresholds[0]
            for effect, other_effect in itertools.permutations(effects, 2)
        )

    def is_identical_to_baseline(self, variant: str) -> bool:
        """Return True if each match has the same result as under the baseline."""
        effects = self.effects.items()
        differences = [effect.difference for key, effect in effects if key[0] == variant]
        return bool(differences) and all(number.value == number.se == 0 for number in differences)

    @cached_property
    def training_dependent_metrics(self) -> frozenset[str]:
        """Metrics whose values change if a strong player is trained for the rules."""
        dependent_keys = (row.key for row in self.scorecard_rows if not row.is_training_independent)
        return frozenset((SKILL_METRIC, *dependent_keys))

    def needs_training(self, metric_key: MetricKey) -> bool:
        """Return True if training the strong player would change a value."""
        variant, metric, player_type = metric_key
        is_strong = player_type == STRONG_PLAYER or metric == SKILL_METRIC
        is_variant_untrained = variant in self.request.untrained_variants
        return is_variant_untrained and is_strong and metric in self.training_dependent_metrics

    # DataFrames

    @cached_property
    def metrics(self) -> Frame:
        """DataFrame of all scorecard values, including missing values."""
        rows = []
        for key, estimate in self.measurements.items():
            labels = self._make_label_columns(*key) | {"untrained": self.needs_training(key)}
            if isinstance(estimate, str):
                rows.append({**labels, "n": 0, "why": estimate})
            else:
                rows.append({**labels, **make_estimate_columns(estimate, estimate.n), "why": ""})
        return build_output_frame("metrics", rows)

    @cached_property
    def differences(self) -> Frame:
        """DataFrame of all differences from the baseline."""
        p_values = np.array([effect.difference.p for effect in self.effects.values()], float)
        base = str(self.request.base)
        rows = []
        for (key, effect), p_holm in zip(
            self.effects.items(), adjust_p_values(p_values), strict=True
        ):
            difference = effect.difference
            size = scorecard.format_effect_size(
                effect.size, effect.size_thresholds, effect.interval
            )
            test_columns = {"base_variant": base, "p": difference.p, "p_holm": p_holm, "size": size}
            is_untrained = self.needs_training(key) or self.needs_training((base, *key[1:]))
            labels = self._make_label_columns(*key) | {
                "untrained": is_untrained,
                "kind": "difference",
            }
            rows.append(labels | make_estimate_columns(difference, difference.n) | test_columns)
        return build_output_frame("review_differences", rows)

    def _make_label_columns(self, variant: str, metric: str, player_type: str) -> dict[str, Any]:
        """Return the columns that label a value: its variant, players, metric and title."""
        strategy = self.find_strategy(variant, player_type)
        opponent, players = strategy, player_type
        if metric == SKILL_METRIC:
            title = scorecard.choose_skill_title(self.request.is_solo)
            strategy = self.request.find_strong_player(variant)
            players = f"{STRONG_PLAYER} v {player_type}"
        elif metric == GIN_VS_KNOCK_METRIC:
            opponent = dict(self.request.kinds)[IMMEDIATE_KNOCKER]
            title = scorecard.GIN_VS_KNOCK_TITLE
            players = f"{player_type} v {IMMEDIATE_KNOCKER}"
        else:
            title = next(row.title for row in self.scorecard_rows if row.key == metric)
        labels = {"variant": variant, "strategy": strategy, "unit": metrics.MATCH, "metric": metric}
        opponent = "" if self.request.is_solo else opponent
        return {**labels, "opponent": opponent, "title": title, "players": players}


def _find_equal_built_in(variant: str) -> str:
    """Return the built-in variant with the same rules as a variant spec, or ""."""
    if "+" not in variant:
        return ""
    built_in = variants.find_built_in_equal(variants.find_variant(variant))
    return built_in.spec if built_in else ""


def restore_review(manifest_entry: Mapping[str, Any], results: RunResults) -> Review:
    """Restore a review from a run's manifest and results.

    Raises:
        ReviewError: If the review was made by another version of simgin.
    """
    if results.info.identity["engine"] != compute_engine_digest() or "kinds" not in manifest_entry:
        raise review_request.ReviewError(
            "this review was written by another version of simgin. Repeat the review with this "
            "version in a new directory."
        )
    return Review(ReviewRequest.from_manifest(manifest_entry), results)


# Plan


def run_review(
    request: ReviewRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    *,
    output: str | Path | None = None,
    **options: Any,
) -> Review:
    """Play all matches of a review request, and return the review.

    Args:
        request: Request with the rule sets, players and goals.
        workers: Number of worker threads.
        on_progress: Callback that reports the progress.
        output: Directory in which the matches are stored and an interrupted review is continued.
        **options: Additional arguments for `run_plan`, such as a ledger.
    """
    from simgin.review.live_scorecard import LiveScorecard

    if not request.strong:
        request = resolve_players(request, workers)
    options |= {"on_progress": on_progress, "make_live_estimate": partial(LiveScorecard, request)}
    run = run_plan if output is None else partial(run_saved_plan, output=output)
    return Review(request, run(plan_review(request), workers=workers, **options))


def plan_review(
    request: ReviewRequest, matches_by_pairing: Mapping[PairingKey, int] | None = None
) -> Plan:
    """Return the plan of a review, including the matches to record.

    The players in the request must be resolved.

    Args:
        request: Request with resolved players.
        matches_by_pairing: Number of matches of every matchup. The default is the smallest possible
            number.
    """
    matchup_specs = dict.fromkeys(
        spec for variant in request.played_variants for spec in _iterate_matchups(request, variant)
    )
    matchups = [
        parse_matchup(strategy_a, strategy_b, variant, request.seed, "match")
        for variant, strategy_a, strategy_b in matchup_specs
    ]
    tasks = []
    for matchup in matchups:
        pairing = matchup.variant.spec, frozenset(matchup.key.players)
        n_matches = matches_by_pairing[pairing] if matches_by_pairing else request.stage_sizes[0]
        tasks.append(Task(matchup, n_matches))
    base_text = f", against {request.base}" if request.base else ""
    variant_names = ", ".join(request.variants)
    plan = Plan(
        "review",
        tuple(tasks),
        question=f"How do these rules affect the game? {variant_names}{base_text}",
        extra_passes=tuple(_iterate_recording_passes(request, tasks)),
    )
    if not request.is_sequential:
        return plan
    max_units = sum(matchup.count_units(request.matches) for matchup in matchups)
    return replace(plan, max_units=max_units, plan_next_stage=partial(_plan_next_stage, request))


def _plan_next_stage(request: ReviewRequest, results: RunResults) -> Plan | None:
    """Return a plan with more matches, or None if all effect sizes and goals are decided."""
    review = Review(request, results)
    matches = review.next_matches_by_pairing
    return None if matches == review.matches_by_pairing else plan_review(request, matches)


def _iterate_matchups(
    request: ReviewRequest, variant: str
) -> Iterator[tuple[str, str, str | None]]:
    """Yield the variant and both strategies of each matchup under a variant.

    Some matchups are yielded twice.

    Every player type plays against itself. The strong player also plays against every weaker player
    type.
    """
    strong = request.find_strong_player(variant)
    weaker_players = [weaker_type.strategy for weaker_type in request.kinds]
    if request.is_solo:
        yield from ((variant, name, None) for name in dict.fromkeys([*weaker_players, strong]))
        return
    for name in (strong, *weaker_players):
        yield variant, strong, name
    if variant not in request.variants:  # At equal match length, only strong players play.
        return
    if variant in request.adapted_variants:
        yield variant, strong, CHAMPION_STRATEGY
        yield variant, CHAMPION_STRATEGY, CHAMPION_STRATEGY
    for name in weaker_players:
        yield variant, name, name
    if request.gin_and_knock_players and strong not in request.gin_and_knock_players[1:]:
        yield variant, *request.gin_and_knock_players


def list_recorded_matchups(request: ReviewRequest) -> list[tuple[str, str]]:
    """Return the variants and strategies whose matches are recorded deal by deal.

    The strategies are the strong player and, for variants with an adapted player, `champion`.
    """
    players = [
        (variant, request.find_strong_player(variant)) for variant in request.played_variants
    ]
    return [*players, *((variant, CHAMPION_STRATEGY) for variant in request.adapted_variants)]


def format_recording_name(variant: str, player: str, first_match: int = 0) -> str:
    """Return the name under which the ledger stores recorded matches of a player."""
    return f"course of {player} {variant}" + f" from match {first_match}" * bool(first_match)


def _iterate_recording_passes(request: ReviewRequest, tasks: Sequence[Task]) -> Iterator[ExtraPass]:
    """Yield the extra passes that record matches of the strong players."""
    recorded_matchups = list_recorded_matchups(request)
    for index, task in enumerate(tasks):
        key = task.matchup.key
        if (key.variant, key.a) in recorded_matchups and key.b in ("", key.a):
            for match, end_match in request.list_stages(task.n_games):
                block = Block(index, task.matchup, match // key.batch_size, end_match - match)
                name = format_recording_name(key.variant, key.a, match)
                yield ExtraPass(name, block, match_course.count_match_events)

"""Reviews, which measure every player type under every rule set, and effects of rule changes.

This module plays no matches. It computes all values from the ledger, which contains the batch rows
of the matchups and the results of further steps.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from simgin.core.matchup_key import MatchupKey
from simgin.play.matchup import parse_matchup
from simgin.report.progress import OnProgress
from simgin.report.report import Report
from simgin.results.run_results import RunResults, run_plan
from simgin.review import match_course, review_request, scorecard
from simgin.review.review_request import ReviewRequest, resolve_players
from simgin.review.scorecard import DesignGoal, MatchupStats, Measurement, ScorecardRow
from simgin.rules import variants
from simgin.runs.block import Block, Task
from simgin.runs.ledger import Ledger
from simgin.runs.manifest import compute_engine_digest
from simgin.runs.plan import Plan
from simgin.runs.result import Result
from simgin.runs.runner import ExtraStep
from simgin.runs.stopping import StopResult
from simgin.stats import metrics, paired_estimate
from simgin.stats.differences import adjust_p_values
from simgin.stats.estimate import ALPHA
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import Frame, build_frame, estimate_columns
from simgin.strategy.cast import CHAMPION, KNOCKS_IMMEDIATELY, PLAYS_FOR_GIN, STRONG

# Distance to a threshold, in standard errors, below which the last stage of a review would decide
# an effect size with a probability of at most 1/6
FUTILE_DISTANCE = 0.7
SKILL, GIN_VS_KNOCK = "skill", "waiting"  # keys of the metrics that compare two players


@dataclass(frozen=True, eq=False)
class Effect:
    """Difference in a metric between a variant and the baseline, with its effect size.

    Attributes:
        difference: Difference with its standard error and its 95 % interval.
        bounds: Minimum differences that are called "a little" and "much".
        is_tenfold: True if the value is a percentage that changes by a factor of ten or more.
        error_rate: Error rate of the interval that decides the effect size. In a sequential review,
            it is lower than 5 %, so that effect sizes are valid at every look.
    """

    difference: PairedEstimate
    bounds: tuple[float, float]
    is_tenfold: bool = False
    error_rate: float = ALPHA

    @property
    def _sequential_difference(self) -> PairedEstimate:
        return replace(self.difference, error_rate=self.error_rate)

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds of the interval that decides the effect size."""
        return self._sequential_difference.interval

    @property
    def is_decided(self) -> bool:
        """True if the interval includes a single effect size, or if there is no interval."""
        little, much = self.bounds
        first, last = np.searchsorted((-much, -little, little, much), self.interval)
        return bool(first == last)

    @property
    def is_near_threshold(self) -> bool:
        """True if the last stage of a review would rarely decide the effect size."""
        value, se = abs(self.difference.value), self.difference.se
        return min(abs(value - bound) for bound in self.bounds) < FUTILE_DISTANCE * se

    @property
    def size(self) -> str:
        """Effect size: SAME, LITTLE, MUCH or UNCLEAR (see `simgin.review.scorecard`)."""
        size = scorecard.effect_size(self._sequential_difference, self.bounds)
        return scorecard.MUCH if self.is_tenfold and size == scorecard.LITTLE else size

    @property
    def sign(self) -> int:
        """1 for an increase, -1 for a decrease, 0 if the effect is inconclusive or negligible."""
        if self.size in (scorecard.SAME, scorecard.UNCLEAR):
            return 0
        return 1 if self.difference.value > 0 else -1


MetricKey = tuple[str, str, str]  # variant, metric and player type
Pairing = tuple[str, frozenset[str]]  # variant and strategies of a matchup


@dataclass(frozen=True, eq=False, repr=False)
class Review(Result):
    """Finished review with its open ledger.

    Attributes:
        request: Request with the rule sets, players and goals.
        results: Results of the run.
        parity: 0 or 1 to use only the even or odd batches.
        finished: Indices of the finished matchups of a review in progress, or None for all.
        limit: Maximum number of matches to use of every matchup, or None for all matches.
    """

    request: ReviewRequest
    results: RunResults
    parity: int | None = None
    finished: Collection[int] | None = None
    limit: int | None = None

    @property
    def identity(self) -> Mapping[str, Any]:
        """Identity of the result (see `Result.identity`)."""
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
        from simgin.review.review_report import review_report

        return review_report(self, command)

    @property
    def run_ledger(self) -> Ledger:
        """Ledger of the run."""
        return self.results.ledger

    def _select(self, batches: np.ndarray, key: MatchupKey) -> np.ndarray:
        """Return the batches of a matchup that this review uses."""
        if self.limit is not None:
            batches = batches[: key.count_units(self.limit) // key.batch_size]
        return batches if self.parity is None else batches[self.parity :: 2]

    @cached_property
    def sizes(self) -> dict[Pairing, int]:
        """Number of matches of every matchup."""
        keys = self.results.matchup_keys
        pairings = [(key.variant, frozenset(key.players)) for key in keys]
        return dict(zip(pairings, self.results.sizes, strict=True))

    def pairing(self, key: MetricKey) -> Pairing:
        """Return the matchup from which a metric of a two-player variant is computed."""
        variant, metric, kind = key
        if metric == GIN_VS_KNOCK:
            return variant, frozenset(self.request.gin_and_knock_players or ())
        opponent = STRONG if metric == SKILL else kind
        return variant, frozenset({self.strategy(variant, kind), self.strategy(variant, opponent)})

    def n_matches(self, *keys: MetricKey) -> int:
        """Return the number of matches that all of the given metrics have in common."""
        if not self.request.is_sequential:
            return self.request.matches
        return min(self.sizes[self.pairing(key)] for key in keys)

    def first(self, n_matches: int) -> Review:
        """Return the review of the first matches of every matchup."""
        is_complete = not self.request.is_sequential or n_matches >= max(self.sizes.values())
        return self if is_complete else self._first_looks[n_matches]

    @cached_property
    def _first_looks(self) -> dict[int, Review]:
        return {n: replace(self, limit=n) for n in self.request.sizes}

    @cached_property
    def rows(self) -> tuple[ScorecardRow, ...]:
        """Rows of the scorecard."""
        keys: dict[str, ScorecardRow] = {}
        for variant in self.request.variants:
            for row in scorecard.scorecard_rows(
                variants.find_variant(variant).params, self.request.seconds_per_turn
            ):
                keys.setdefault(row.key, row)
        return tuple(keys.values())

    @cached_property
    def player_types(self) -> tuple[str, ...]:
        """Names of the player types, weakest first."""
        return (*(kind.name for kind in self.request.kinds), STRONG)

    @cached_property
    def equal_built_in(self) -> Callable[[str], str]:
        """Function that finds the built-in variant with the rules of a combined spec, or ""."""
        return cache(_equal_built_in)

    def strategy(self, variant: str, player_type: str) -> str:
        """Return the strategy of a player type under a variant."""
        if player_type == STRONG:
            return self.request.strong_player(variant)
        return dict(self.request.kinds)[player_type]

    def stats_of_type(self, variant: str, player_type: str) -> MatchupStats:
        """Return the statistics of a player type against itself or in solitaire games."""
        return self.stats_of_strategy(variant, self.strategy(variant, player_type))

    def stats_of_strategy(self, variant: str, name: str) -> MatchupStats:
        """Return the statistics of a strategy against itself or in solitaire games."""
        rows = self._batch_rows[variant, name, "" if self.request.is_solo else name]
        return MatchupStats(rows, self._match_courses.get((variant, name), {}))

    @cached_property
    def _batch_rows(self) -> dict[tuple[str, str, str], np.ndarray]:
        """Batch rows of every finished matchup, keyed by variant, A and B."""
        return {
            (key.variant, key.a, key.b): self._select(
                match_course.merge_batches(self.results.rows(i)), key
            )
            for i, key in enumerate(self.results.matchup_keys)
            if self.finished is None or i in self.finished
        }

    @cached_property
    def _match_courses(self) -> dict[tuple[str, str], Mapping[str, np.ndarray]]:
        """Counts from recorded matches between strong players, keyed by variant and strategy."""
        ledger = self.results.ledger
        courses: dict[tuple[str, str], Mapping[str, np.ndarray]] = {}
        for variant, name in match_course_matchups(self.request):
            stages = self.request.stages(self.sizes[variant, frozenset({name})])
            steps = [(step_name(variant, name, first), last - first) for first, last in stages]
            is_complete = bool(steps) and all(itertools.starmap(ledger.has_pass, steps))
            if self.finished is not None and not is_complete:
                continue
            counts = [ledger.read_pass(*step) for step in steps]
            opponent = "" if self.request.is_solo else name
            key = MatchupKey(variant, name, opponent, self.request.seed, "match")
            courses[variant, name] = {
                name: self._select(np.concatenate([part[name] for part in counts]), key)
                for name in counts[0]
            }
        return courses

    def win_rate(self, variant: str, a: str, b: str) -> PairedEstimate:
        """Return the proportion of matches that one strategy wins against another."""
        cells = {
            (b, c): rows
            for (rule_set, b, c), rows in self._batch_rows.items()
            if rule_set == variant
        }
        return paired_estimate.compute_ratio_between(
            cells, a, b, metrics.METRICS_BY_NAME["match_win"]
        )

    @cached_property
    def measurements(self) -> dict[MetricKey, Measurement]:
        """All values of the finished matchups. A string states the reason for a missing value."""
        return dict(
            itertools.chain.from_iterable(map(self._measure_variant, self.request.played_variants))
        )

    def _measure_variant(self, variant: str) -> Iterator[tuple[MetricKey, Measurement]]:
        asked_for = variant in self.request.variants
        for name in self.player_types if asked_for else (STRONG,):
            strategy = self.strategy(variant, name)
            if self._is_played(variant, strategy, strategy):
                played = self.stats_of_type(variant, name)
                for row in self.rows:
                    yield (variant, row.key, name), row.measure(played)
        strong = self.request.strong_player(variant)
        # In solitaire games, other players can be as strong as the strong player.
        for kind in self.request.kinds[: 1 if self.request.is_solo else None]:
            if self._is_played(variant, strong, kind.strategy):
                number = self._measure_skill(variant, strong, kind.strategy)
                yield (variant, SKILL, kind.name), number
        players = self.request.gin_and_knock_players
        if players and asked_for and self._is_played(variant, *players):
            yield (variant, GIN_VS_KNOCK, PLAYS_FOR_GIN), self.win_rate(variant, *players)

    def _is_played(self, variant: str, a: str, b: str) -> bool:
        """Return True if the matchups of two strategies have ended."""
        if self.request.is_solo:
            return all((variant, name, "") in self._batch_rows for name in (a, b))
        return bool({(variant, a, b), (variant, b, a)} & self._batch_rows.keys())

    def _measure_skill(self, variant: str, strong: str, weaker: str) -> Measurement:
        """Return the win rate of the strong player, or the difference in solitaire games."""
        win = metrics.METRICS_BY_NAME["match_win"]
        if self.request.is_solo:
            strong_rows, weaker_rows = (
                self._batch_rows[variant, name, ""] for name in (strong, weaker)
            )
            return paired_estimate.compute_ratio(strong_rows, win) - paired_estimate.compute_ratio(
                weaker_rows, win
            )
        if strong == weaker:
            return "the two players are the same strategy"
        return self.win_rate(variant, strong, weaker)

    @cached_property
    def effects(self) -> dict[MetricKey, Effect]:
        """All differences from the baseline, including differences at equal match length."""
        base = self.request.base
        changes = {}
        for key, number in self.measurements.items():
            variant, metric, kind = key
            if base is None or variant == base or isinstance(number, str):
                continue
            base_key = (base, metric, kind)
            n = self.n_matches(key, base_key)
            value, baseline = (self.first(n).measurements.get(k) for k in (key, base_key))
            if isinstance(value, PairedEstimate) and isinstance(baseline, PairedEstimate):
                error_rate = self.request.error_rate(n)
                changes[key] = self.compute_effect(value, baseline, metric, error_rate)
        return changes

    def compute_effect(
        self,
        value: PairedEstimate,
        reference: PairedEstimate,
        metric: str,
        error_rate: float = ALPHA,
    ) -> Effect:
        """Return the difference between two values of a metric, with its effect size."""
        if metric in (SKILL, GIN_VS_KNOCK):
            return Effect(value - reference, scorecard.SKILL_BOUNDS, error_rate=error_rate)
        base = self.request.base
        assert base is not None
        row = next(row for row in self.rows if row.key == metric)
        strong = self.measurements[base, metric, STRONG]
        strong_value = strong if isinstance(strong, PairedEstimate) else reference
        bounds = row.effect_bounds(strong_value, self.stats_of_type(base, STRONG).n_matches)
        is_tenfold = scorecard.is_tenfold(value, reference, row, error_rate)
        return Effect(value - reference, bounds, is_tenfold, error_rate)

    def adapted_effect(self, variant: str, row: ScorecardRow) -> Effect | None:
        """Return the difference between an adapted player and champion, or None."""
        key, pairing = (variant, row.key, STRONG), (variant, frozenset({CHAMPION}))
        n = min(self.n_matches(key), self.sizes[pairing])
        view = self.first(n)
        value = row.measure(view.stats_of_type(variant, STRONG))
        reference = row.measure(view.stats_of_strategy(variant, CHAMPION))
        if isinstance(value, str) or isinstance(reference, str):
            return None
        error_rate = self.request.error_rate(n)
        bounds = row.effect_bounds(reference, n)
        is_tenfold = scorecard.is_tenfold(value, reference, row, error_rate)
        return Effect(value - reference, bounds, is_tenfold, error_rate)

    @property
    def next_sizes(self) -> dict[Pairing, int]:
        """Number of matches of every matchup in the next stage."""
        undecided = self._find_undecided_pairings()
        larger = {
            n: min([size for size in self.request.sizes if size > n], default=n)
            for n in set(self.sizes.values())
        }
        return {
            pairing: larger[n] if pairing in undecided else n for pairing, n in self.sizes.items()
        }

    def _find_undecided_pairings(self) -> set[Pairing]:
        """Return the matchups on which undecided effect sizes and undecided goals depend."""
        found = set()
        for key, effect in self.effects.items():
            variant, metric, kind = key
            base_key = (str(self.request.base), metric, kind)
            is_shown = kind == STRONG or metric in (SKILL, GIN_VS_KNOCK, "turns_per_match")
            is_last = self.n_matches(key, base_key) >= self.request.sizes[-2]
            is_futile = is_last and effect.is_near_threshold
            if is_shown and not effect.is_decided and not is_futile:
                found |= {self.pairing(key), self.pairing(base_key)}
        for goal in scorecard.parse_goals(self.request.goals, self.rows):
            for variant in self.request.variants:
                key = (variant, goal.row.key, STRONG)
                if self.evaluate_goal(goal, variant) == scorecard.UNDECIDED:
                    found.add(self.pairing(key))
        return found

    def evaluate_goal(self, goal: DesignGoal, variant: str) -> str:
        """Return if a rule set meets a goal: MET, MISSED or UNDECIDED."""
        key = (variant, goal.row.key, STRONG)
        value = self.measurements[key]
        if isinstance(value, str):
            return scorecard.UNDECIDED
        error_rate = self.request.error_rate(self.n_matches(key))
        return goal.evaluate(replace(value, error_rate=error_rate))

    def effects_by_type(self, variant: str, metric: str) -> dict[str, Effect]:
        """Return the effect on a metric for every player type, weakest player type first."""
        items = self.effects.items()
        return {
            kind: own
            for (rule_set, key, kind), own in items
            if (rule_set, key) == (variant, metric)
        }

    def player_types_differ(self, variant: str, metric: str) -> bool:
        """Return True if an effect differs significantly and much between player types."""
        own = self.effects_by_type(variant, metric).values()
        return any(
            effect.difference.interval[0] - other.difference.interval[1] > 0
            and effect.difference.value - other.difference.value > effect.bounds[0]
            for effect, other in itertools.permutations(own, 2)
        )

    def is_identical_to_baseline(self, variant: str) -> bool:
        """Return True if every match had the same result as under the baseline."""
        own = [
            difference.difference
            for (rule_set, *_), difference in self.effects.items()
            if rule_set == variant
        ]
        return bool(own) and all(difference.value == 0 and difference.se == 0 for difference in own)

    @cached_property
    def depends_on_training(self) -> frozenset[str]:
        """Metrics that change if the strong player is trained for the rules."""
        return frozenset(
            {SKILL, *(row.key for row in self.rows if not row.is_training_independent)}
        )

    def is_untrained(self, key: MetricKey) -> bool:
        """Return True if training the strong player for the rules would change a value."""
        variant, metric, kind = key
        is_strong = kind == STRONG or metric == SKILL
        untrained = variant in self.request.untrained
        return untrained and is_strong and metric in self.depends_on_training

    # DataFrames

    @cached_property
    def metrics(self) -> Frame:
        """All values of the scorecard (output `metrics` in rows.toml)."""
        rows = []
        for (variant, metric, kind), number in self.measurements.items():
            untrained = self.is_untrained((variant, metric, kind))
            names = {**self._labels(variant, metric, kind), "untrained": untrained}
            if isinstance(number, str):
                rows.append({**names, "n": 0, "why": number})
            else:
                rows.append({**names, **estimate_columns(number, number.n), "why": ""})
        return build_frame("metrics", rows)

    @cached_property
    def differences(self) -> Frame:
        """All differences from the baseline (output `review_differences` in rows.toml)."""
        p_holm = adjust_p_values(
            np.array([change.difference.p for change in self.effects.values()], float)
        )
        base = str(self.request.base)
        rows = []
        for ((variant, metric, kind), change), p in zip(self.effects.items(), p_holm, strict=True):
            difference = change.difference
            size = scorecard.effect_size_range(change.size, change.bounds, change.interval)
            tests = {"base_variant": base, "p": difference.p, "p_holm": p, "size": size}
            untrained = [
                self.is_untrained((rule_set, metric, kind)) for rule_set in (variant, base)
            ]
            names = {**self._labels(variant, metric, kind), "untrained": any(untrained)}
            rows.append(
                {
                    **names,
                    **estimate_columns(difference, difference.n),
                    **tests,
                    "kind": "difference",
                }
            )
        return build_frame("review_differences", rows)

    def _labels(self, variant: str, metric: str, player_type: str) -> dict[str, str]:
        """Return the columns that identify a value, such as its variant, metric and players."""
        name = self.strategy(variant, player_type)
        opponent, players = name, player_type
        if metric == SKILL:
            title, name = (
                scorecard.skill_title(self.request.is_solo),
                self.request.strong_player(variant),
            )
            players = f"{STRONG} v {player_type}"
        elif metric == GIN_VS_KNOCK:
            opponent = dict(self.request.kinds)[KNOCKS_IMMEDIATELY]
            title = scorecard.GIN_VS_KNOCK_TITLE
            players = f"{player_type} v {KNOCKS_IMMEDIATELY}"
        else:
            title = next(row.title for row in self.rows if row.key == metric)
        labels = {"variant": variant, "strategy": name, "unit": metrics.MATCH, "metric": metric}
        opponent = "" if self.request.is_solo else opponent
        return {**labels, "opponent": opponent, "title": title, "players": players}


def _equal_built_in(variant: str) -> str:
    """Return the name of the built-in variant that a combined spec equals, or an empty string."""
    built_in = (
        variants.find_built_in_equal(variants.find_variant(variant)) if "+" in variant else None
    )
    return built_in.spec if built_in else ""


def restore_review(entry: Mapping[str, Any], results: RunResults) -> Review:
    """Restore the review of a run directory from its manifest and results.

    Raises:
        ReviewError: If another version of simgin made the review.
    """
    if results.info.identity["engine"] != compute_engine_digest() or "kinds" not in entry:
        raise review_request.ReviewError(
            "this review was written by another version of simgin. Repeat the review with this "
            "version in a new directory."
        )
    return Review(ReviewRequest.from_manifest(entry), results)


# Plan


def run_review(
    request: ReviewRequest,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
    **options: Any,
) -> Review:
    """Play all matches of a request and return the review.

    Args:
        request: Request with the rule sets, players and goals.
        workers: Number of worker threads.
        on_progress: Callback that reports the progress.
        **options: Additional arguments of `run_plan`, such as a ledger.
    """
    from simgin.review.live_scorecard import LiveScorecard

    if not request.strong:
        request = resolve_players(request, workers)
    plan, live = plan_review(request), partial(LiveScorecard, request)
    return Review(request, run_plan(plan, workers, on_progress, make_live=live, **options))


def plan_review(request: ReviewRequest, sizes: Mapping[Pairing, int] | None = None) -> Plan:
    """Return the plan of a review, with its matchups and steps. The players must be resolved.

    Args:
        request: Request with resolved players.
        sizes: Number of matches of every matchup, by default the smallest number.
    """
    cells = dict.fromkeys(
        cell for variant in request.played_variants for cell in _matchups(request, variant)
    )
    matchups = [parse_matchup(a, b, v, request.seed, "match") for v, a, b in cells]
    tasks = []
    for matchup in matchups:
        pairing = matchup.variant.spec, frozenset(matchup.key.players)
        tasks.append(Task(matchup, sizes[pairing] if sizes else request.sizes[0]))
    against = f", against {request.base}" if request.base else ""
    names = ", ".join(request.variants)
    plan = Plan(
        "review",
        tuple(tasks),
        question=f"How do these rules affect the game? {names}{against}",
        extra_steps=tuple(_match_course_steps(request, tasks)),
    )
    if not request.is_sequential:
        return plan
    max_units = sum(matchup.count_units(request.matches) for matchup in matchups)
    return replace(plan, max_units=max_units, next_stage=partial(_plan_next_stage, request))


def _plan_next_stage(request: ReviewRequest, results: RunResults) -> Plan | None:
    """Return the plan with more matches for undecided effect sizes, or None if there are none."""
    review = Review(request, results)
    sizes = review.next_sizes
    return None if sizes == review.sizes else plan_review(request, sizes)


def _matchups(request: ReviewRequest, variant: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield the variant, A and B of every matchup of a variant. Some matchups occur twice.

    Every player type plays against itself. The strong player also plays against every weaker player
    type.
    """
    strong = request.strong_player(variant)
    weaker = [kind.strategy for kind in request.kinds]
    if request.is_solo:
        yield from ((variant, name, None) for name in dict.fromkeys([*weaker, strong]))
        return
    for name in (strong, *weaker):
        yield variant, strong, name
    if variant not in request.variants:  # At equal match length, only strong players play.
        return
    if variant in request.adapted_variants:
        yield variant, strong, CHAMPION
        yield variant, CHAMPION, CHAMPION
    for name in weaker:
        yield variant, name, name
    if request.gin_and_knock_players and strong not in request.gin_and_knock_players[1:]:
        yield variant, *request.gin_and_knock_players


def match_course_matchups(request: ReviewRequest) -> list[tuple[str, str]]:
    """Return the variants and players of the matches that are recorded deal by deal.

    These are the matches of the strong player and, for variants with an adapted player, the matches
    of champion.
    """
    own = [(variant, request.strong_player(variant)) for variant in request.played_variants]
    return [*own, *((variant, CHAMPION) for variant in request.adapted_variants)]


def step_name(variant: str, player: str, first: int = 0) -> str:
    """Return the name of the ledger step that records the matches of a player under a variant."""
    return f"course of {player} {variant}" + f" from match {first}" * bool(first)


def _match_course_steps(request: ReviewRequest, tasks: Sequence[Task]) -> Iterator[ExtraStep]:
    """Yield the simulation passes that record the matches of `match_course_matchups`."""
    courses = match_course_matchups(request)
    for index, task in enumerate(tasks):
        key = task.matchup.key
        if (key.variant, key.a) in courses and key.b in ("", key.a):
            for first, last in request.stages(task.n):
                block = Block(index, task.matchup, first // key.batch_size, last - first)
                name = step_name(key.variant, key.a, first)
                yield ExtraStep(name, block, match_course.count_matches)

"""Request for a review: rule sets, baseline, players and goals.

Results of a rule review depend strongly on the players. A review therefore reports every player
type separately and does not average over player types. The scorecard shows the values of the strong
player.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from simgin.learn import adapt
from simgin.learn.strongest import load_or_find_strongest, play_matches, train_or_find_strongest
from simgin.play.parallel import ProgressCallback, make_progress_for_part
from simgin.rules import variants
from simgin.rules.parameters import load_rule_parameters
from simgin.rules.variants import Variant
from simgin.runs.experiment_file import SampleSize, StrategySpec, VariantSpec
from simgin.stats import metrics, paired_estimate
from simgin.stats.estimate import ALPHA
from simgin.strategy import cast, loader
from simgin.text import amounts, toml
from simgin.text.files import make_directory_name
from simgin.text.messages import SimginError, format_value, print_status, suggest_spelling

DEFAULT_REVIEW_MATCHES = 20_000  # default maximum number of matches per pair of players
# Numbers of matches after which simgin evaluates a review, and the error rate of the intervals that
# determine effect sizes at each look. The total error rate over all looks is 5 %. The proportion (n
# / 20,000)^2 of this error rate is spent after n matches (Lan and DeMets 1983, Kim and DeMets
# 1987).
ERROR_RATES_BY_MATCHES = {5_000: 0.003125, 10_000: 0.01049, DEFAULT_REVIEW_MATCHES: 0.04316}
DEFAULT_SOLO_REVIEW_MATCHES = 5_000  # default number of matches per player in a solitaire variant
# Minimum number of matches per pair of players, which gives the five batches that standard errors
# require
MIN_REVIEW_MATCHES = 1_000
# factor by which --deep multiplies the number of matches, which divides standard errors by ten
DEEP_REVIEW_FACTOR = 100
DEFAULT_SECONDS_PER_TURN = 8.0
MAX_RULE_SETS = 50  # maximum number of rule sets in a sweep
_RANGE_PATTERN = re.compile(r"(\d{1,9})\.\.(\d{1,9})", re.ASCII)
# minimum relative difference in match length for which the target is changed
MATCH_LENGTH_TOLERANCE = 0.1
TARGET_SCORE_STEP = 5  # points
PILOT_MATCHES = 1_000  # number of pilot matches that measure a match length
# numerator and denominator of the mean number of turns per match
MATCH_LENGTH_METRICS = ("turns", "deals_per_match")


class ReviewError(SimginError):
    """Exception for an invalid review request, with a message that suggests a fix."""


def _list_weaker_types() -> tuple[cast.PlayerType, ...]:
    """Return the weaker player types of the standard variant."""
    return cast.list_weaker_types(variants.find_variant("standard"))


@dataclass(frozen=True)
class ReviewRequest:
    """Request for a review, with values that a manifest can store.

    Attributes:
        variants: Canonical variant specs. Except in sweeps, the baseline comes first.
        base: Spec of the baseline, or None if there is no baseline.
        kinds: Weaker player types with their strategies, weakest first.
        strong: Pairs of a variant and the strong player under this variant. The tuple is empty
            until the players are resolved.
        same_length: Pairs of a variant and the same variant with a target score for equal match
            length.
        given_strong: Strong player that the user specified, or None.
        adapt: True to adapt `champion` to every rule set.
        deep: True to play 100 times as many matches.
        matches: Maximum number of matches per pair of players.
        is_sequential: True to start with the smallest number of matches in
            `ERROR_RATES_BY_MATCHES`, and to play more matches only if an effect size is uncertain.
        seed: Seed of the deals.
        seconds_per_turn: Duration of a turn in seconds, for match lengths in minutes.
        title: Title of the report.
        note: Note that is shown in the report.
        goals: Design goals as entered by the user.
        sweep: Swept parameters with their values.
    """

    variants: tuple[str, ...]
    base: str | None = None
    kinds: tuple[cast.PlayerType, ...] = field(default_factory=_list_weaker_types)
    strong: tuple[tuple[str, str], ...] = ()
    same_length: tuple[tuple[str, str], ...] = ()
    given_strong: str | None = None
    adapt: bool = False
    deep: bool = False
    matches: int = DEFAULT_REVIEW_MATCHES
    is_sequential: bool = False
    seed: int = 1
    seconds_per_turn: float = DEFAULT_SECONDS_PER_TURN
    title: str = ""
    note: str = ""
    goals: tuple[str, ...] = ()
    sweep: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def read(
        cls,
        rule_sets: Sequence[str] = (),
        against: str | None = None,
        *,
        players: Sequence[str] = (),
        sweep: Sequence[str] = (),
        targets: str = "",
        goals: Sequence[str] = (),
        deep: bool = False,
        adapt: bool = False,
        matches: float | str | None = None,
        seed: int = 1,
        seconds_per_turn: float = DEFAULT_SECONDS_PER_TURN,
        title: str = "",
        note: str = "",
    ) -> ReviewRequest:
        """Create a request from the options of a review.

        Args:
            rule_sets: Variant specs.
            against: Variant spec of the baseline.
            players: Strategies that replace the default player types, with the weakest first. The
                last strategy is the strong player.
            sweep: One or two parameters with their values, such as undercut_bonus=0,10,25 or
                knock_limit=0..10.
            targets: Point targets to sweep in addition to the target of the variant, such as
                150,250.
            goals: Design goals, such as "gin 40..50 %".
            deep: True to play 100 times as many matches.
            adapt: True to train a strong player for every rule set.
            matches: Number of matches per pair of players. By default, a review with a baseline
                plays 5,000 matches. If an effect size is uncertain, it plays up to 20,000 matches.
            seed: Seed of the deals.
            seconds_per_turn: Duration of a turn in seconds, for match lengths in minutes.
            title: Title of the report.
            note: Note that is shown in the report.

        Raises:
            ReviewError: If the variants cannot be reviewed together or a goal is not valid.
        """
        from simgin.review import scorecard

        if not rule_sets and against is None:
            raise ReviewError(
                "no variant is specified. Specify at least one variant, as in `simgin review "
                "oklahoma --against standard`. `simgin variants` lists all variants."
            )
        if targets:
            sweep = [*sweep, _make_target_sweep(rule_sets, targets)]
        if sweep:
            rule_sets, against, swept_parameters = _parse_sweep(rule_sets, against, sweep)
        else:
            swept_parameters = ()
        base_specs = () if against is None else (against,)
        all_variants = [variants.find_variant(name) for name in (*base_specs, *rule_sets)]
        if len({variant.params["players"] for variant in all_variants}) > 1:
            raise ReviewError(
                "solitaire and two-player variants have no metric in common. Review the solitaire "
                "variants separately."
            )
        specs = tuple(dict.fromkeys(variant.spec for variant in all_variants))
        if sweep and specs[0] in (variant.spec for variant in all_variants[1:]):
            # The variants stay in the order of the sweep.
            specs = tuple(dict.fromkeys(variant.spec for variant in all_variants[1:]))
        if rule_sets and against is not None and len(specs) == 1:
            raise ReviewError(
                f"{' and '.join(map(format_value, rule_sets))} "
                f"{'has' if len(rule_sets) == 1 else 'have'} the same rules as the baseline "
                f"{format_value(against)}. Change a rule, or omit --against."
            )
        if not sweep:
            _report_repeated_rules([*base_specs, *rule_sets], all_variants)
        base = all_variants[0].spec if against is not None and len(specs) > 1 else None
        is_solo = all_variants[0].is_solo
        if adapt and players:
            raise ReviewError(
                "--adapt cannot be combined with --players, because the last strategy of --players "
                "is the strong player. Omit one of the two options."
            )
        if adapt and is_solo:
            raise ReviewError(
                "--adapt requires a two-player variant. Omit --adapt for solitaire variants."
            )
        weaker_types, strong_player = (
            _parse_players(players, all_variants)
            if players
            else (cast.list_weaker_types(*all_variants), None)
        )
        scorecard_rows = scorecard.list_scorecard_rows(
            variants.find_variant(specs[0]).params, seconds_per_turn
        )
        scorecard.parse_goals(goals, scorecard_rows)
        return cls(
            specs,
            base,
            kinds=weaker_types,
            given_strong=strong_player,
            adapt=adapt,
            deep=deep,
            matches=_parse_match_count(matches, is_solo, deep),
            is_sequential=not (matches or deep or is_solo or sweep or base is None),
            seed=amounts.parse_seed(seed),
            seconds_per_turn=seconds_per_turn,
            title=title,
            note=note,
            goals=tuple(goals),
            sweep=swept_parameters,
        )

    @classmethod
    def read_file(cls, path: Path, **options: Any) -> ReviewRequest:
        """Read a request from a review file in TOML format (see `ReviewFile`).

        Args:
            path: Path of the file.
            **options: Arguments of `read` that override values in the file.

        Raises:
            TomlError: If the file is not valid.
            ReviewError: If the request is not valid, as in `read`.
        """
        contents = toml.read_toml_file(path, "Specify a review file")
        try:
            fields = ReviewFile.model_validate(contents).model_dump()
        except ValidationError as error:
            field_order = list(ReviewFile.model_fields)
            raise toml.TomlError(
                toml.describe_validation_errors(path, error, lambda _: field_order)
            ) from None
        for name, other_name in (("deep", "matches"), ("matches", "deep")):
            if other_name in options:  # The option overrides the sample size in the file.
                del fields[name]
        return cls.read(**{**fields, **options})

    @classmethod
    def from_manifest(cls, manifest_entry: Mapping[str, Any]) -> ReviewRequest:
        """Return the request stored in a manifest."""
        fields = {name: _convert_lists_to_tuples(value) for name, value in manifest_entry.items()}
        return cls(kinds=tuple(cast.PlayerType(*kind) for kind in fields.pop("kinds")), **fields)

    @property
    def default_directory_name(self) -> str:
        """Name of the run directory unless the user specifies one."""
        name_parts = list(self.variants)
        if self.sweep:
            name_parts = [str(self.base), *(name for name, _ in self.sweep)]
        elif self.base is not None:
            name_parts = [*self.compared_variants, "against", self.base]
        return make_directory_name("-".join(["review", *name_parts]))

    @property
    def compared_variants(self) -> tuple[str, ...]:
        """Variants that are compared with the baseline.

        If there is no baseline, the tuple is empty.
        """
        if self.base is None:
            return ()
        return tuple(variant for variant in self.variants if variant != self.base)

    @cached_property
    def is_solo(self) -> bool:
        """True if the review is about solitaire games."""
        return variants.find_variant(self.variants[0]).is_solo

    @property
    def played_variants(self) -> tuple[str, ...]:
        """Variants that are played, including those for equal match length."""
        return (*self.variants, *(spec for _, spec in self.same_length))

    @property
    def swept_variants(self) -> list[str]:
        """Variants for all combinations of the swept parameter values."""
        return _list_sweep_variants(str(self.base), self.sweep)

    @property
    def gin_and_knock_players(self) -> tuple[str, str] | None:
        """Strategies that play for gin and that knock immediately, or None."""
        kinds = dict(self.kinds)
        if not {cast.GIN_PLAYER, cast.IMMEDIATE_KNOCKER} <= kinds.keys():
            return None
        return kinds[cast.GIN_PLAYER], kinds[cast.IMMEDIATE_KNOCKER]

    @property
    def stage_sizes(self) -> tuple[int, ...]:
        """Numbers of matches per pair of players at which the review can stop."""
        return tuple(ERROR_RATES_BY_MATCHES) if self.is_sequential else (self.matches,)

    def list_stages(self, n_matches: int) -> list[tuple[int, int]]:
        """Return the first match and the exclusive end of each stage up to `n_matches`."""
        return list(itertools.pairwise([0, *(n for n in self.stage_sizes if n <= n_matches)]))

    def find_interval_error_rate(self, n_matches: int) -> float:
        """Return the error rate of the intervals for effect sizes after `n_matches`."""
        return ERROR_RATES_BY_MATCHES[n_matches] if self.is_sequential else ALPHA

    def find_strong_player(self, variant: str) -> str:
        """Return the strategy of the strong player under a variant."""
        return dict(self.strong)[variant]

    @cached_property
    def adapted_variants(self) -> list[str]:
        """Variants for which the strong player is an adapted `champion`."""
        return [
            spec
            for spec in self.variants
            if cast.CHAMPION_STRATEGY + "@" in self.find_strong_player(spec)
        ]

    @cached_property
    def untrained_variants(self) -> list[str]:
        """Variants whose strong player, chosen by simgin, was not trained for the rules.

        If `adapt` is True, the list is empty, because the default `champion` is used only where
        training did not improve it.
        """
        if self.adapt or self.given_strong is not None or self.is_solo:
            return []
        return [
            spec
            for spec in self.played_variants
            if not adapt.is_trained_champion(
                self.find_strong_player(spec), variants.find_variant(spec)
            )
        ]


def _convert_lists_to_tuples(value: Any) -> Any:
    """Convert nested lists to nested tuples."""
    return tuple(map(_convert_lists_to_tuples, value)) if isinstance(value, list) else value


def _parse_match_count(matches: float | str | None, is_solo: bool, deep: bool) -> int:
    """Return the number of matches per pair of players, or raise ReviewError if too small."""
    if deep and matches is not None:
        raise ReviewError("`deep` and `matches` cannot be combined. Use only one of them.")
    if matches is None:
        default = DEFAULT_SOLO_REVIEW_MATCHES if is_solo else DEFAULT_REVIEW_MATCHES
        return default * DEEP_REVIEW_FACTOR if deep else default
    n_matches = amounts.parse_count(matches)
    if n_matches < MIN_REVIEW_MATCHES:
        raise ReviewError(
            f"{n_matches} matches are too few to estimate standard errors. Use at least "
            f"{MIN_REVIEW_MATCHES} matches."
        )
    return n_matches


def _parse_players(
    players: Sequence[str], reviewed_variants: Sequence[Variant]
) -> tuple[tuple[cast.PlayerType, ...], str]:
    """Return the weaker players as player types, and the strategy of the strong player.

    Strategies of the default player types keep the names of these types, so that the review has
    the same rows as a review with the default players.
    """
    specs = [loader.find_strategy(name).spec for name in players]
    if len(set(specs)) < 2:
        raise ReviewError(
            "--players requires at least two different strategies. List them from weakest to "
            "strongest."
        )
    *weaker_specs, strong_spec = dict.fromkeys(specs)
    type_names = {
        strategy: name for name, strategy in cast.list_player_types(*reviewed_variants)[:-1]
    }
    weaker_types = (cast.PlayerType(type_names.get(spec, spec), spec) for spec in weaker_specs)
    return tuple(weaker_types), strong_spec


# Sweeps


def _parse_sweep(
    variant_specs: Sequence[str], against: str | None, sweep: Sequence[str]
) -> tuple[list[str], str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """Return the variants, the baseline and the parameter values of a sweep."""
    if against is not None or len(variant_specs) != 1 or len(sweep) > 2:
        raise ReviewError(
            "a sweep requires one variant and one or two parameters, and does not support "
            "--against. Use a command such as `simgin review standard --sweep "
            "undercut_bonus=0,10,25`."
        )
    swept_parameters = tuple(map(_parse_sweep_values, sweep))
    if len({name for name, _ in swept_parameters}) < len(swept_parameters):
        raise ReviewError(
            "both --sweep options specify the same parameter. Use two different parameters."
        )
    n_points = math.prod(len(values) for _, values in swept_parameters)
    if n_points < 2:
        raise ReviewError(
            "a sweep needs at least two values. Add values, as in `--sweep gin_bonus=20,25`."
        )
    if n_points > MAX_RULE_SETS:
        raise ReviewError(
            f"a sweep cannot have {n_points} rule sets. Use at most {MAX_RULE_SETS} rule sets."
        )
    base = variants.find_variant(variant_specs[0]).spec
    return _list_sweep_variants(base, swept_parameters), base, swept_parameters


def _report_repeated_rules(names: Sequence[str], rule_sets: Sequence[Variant]) -> None:
    """Print a message for each rule set that is equal to an earlier rule set or the baseline."""
    specs = [rule_set.spec for rule_set in rule_sets]
    for i, (name, spec) in enumerate(zip(names, specs, strict=True)):
        if spec in specs[:i]:
            print_status(
                f"{format_value(name)} is omitted because the review already contains the same "
                f"rules ({spec})."
            )


def _make_target_sweep(variant_specs: Sequence[str], targets: str) -> str:
    """Return a sweep over target scores, such as `points_target=100,150,250`."""
    rules = variants.find_variant(variant_specs[0] if variant_specs else "standard")
    if rules.goal.score_unit != "points":
        raise ReviewError(
            f"--targets requires a variant with the goal `points`, but the goal of {rules.spec} is "
            f"{rules.goal.name}. Use a variant such as `standard`."
        )
    name, values = _parse_sweep_values(f"points_target={rules.params['points_target']},{targets}")
    sorted_values = sorted(values, key=lambda value: int(value) if value.isdecimal() else 0)
    return f"{name}={','.join(sorted_values)}"


def _list_sweep_variants(base: str, sweep: Sequence[tuple[str, tuple[str, ...]]]) -> list[str]:
    """Return the canonical spec of each variant in a sweep."""
    specs = []
    for point in itertools.product(*(values for _, values in sweep)):
        settings = [f"{name}={value}" for (name, _), value in zip(sweep, point, strict=True)]
        specs.append(variants.find_variant("+".join([base, *settings])).spec)
    return specs


def _parse_sweep_values(sweep_text: str) -> tuple[str, tuple[str, ...]]:
    """Return the parameter and the values of a sweep, such as `knock_limit=0..3`."""
    name, separator, values = sweep_text.partition("=")
    name = name.strip()
    if name not in load_rule_parameters():
        suggestion = suggest_spelling(name, load_rule_parameters())
        raise ReviewError(f"{format_value(name)} is not a valid parameter{suggestion}")
    parsed_values = [
        value for text in values.split(",") for value in _parse_range(text.strip()) if value
    ]
    if not separator or not parsed_values:
        raise ReviewError(
            f"--sweep {name} has no values. Add values, as in `--sweep {name}=0,10,25`."
        )
    return name, tuple(dict.fromkeys(parsed_values))


def _parse_range(range_text: str) -> Sequence[str]:
    """Return the values of a range such as `2..5`, or of a single value."""
    if ".." not in range_text:
        return (range_text,)
    span = _RANGE_PATTERN.fullmatch(range_text)
    first, last = map(int, span.groups()) if span else (0, MAX_RULE_SETS + 1)
    if last - first > MAX_RULE_SETS:
        raise ReviewError(
            f"{format_value(range_text)} is not a valid range. Use a range of whole numbers such "
            f"as 0..10, with at most {MAX_RULE_SETS + 1} values."
        )
    return [str(value) for value in range(first, last + 1)]


# Players and targets


def resolve_players(
    request: ReviewRequest, workers: int | None = None, progress: ProgressCallback | None = None
) -> ReviewRequest:
    """Return a request with strong players and with targets for equal match length.

    The function plays pilot matches. If `adapt` is True, the function also trains players and
    caches the results.

    Args:
        request: Request for the review.
        workers: Number of worker threads.
        progress: Callback that reports the progress.
    """
    strong_players = {}
    for index, variant in enumerate(request.variants):
        variant_progress = make_progress_for_part(progress, index, len(request.variants))
        if request.given_strong is not None:
            strong_players[variant] = request.given_strong
        elif request.adapt:
            strong_players[variant] = train_or_find_strongest(
                variant, request.seed, workers, variant_progress
            )
        else:
            strong_players[variant] = load_or_find_strongest(variant, request.seed, workers)
        if variant_progress is not None:
            variant_progress(1, 1)
    same_length = {}
    if not request.is_solo and not request.sweep and request.base is not None:
        player = strong_players[request.base]
        baseline_turns = measure_turns_per_match(player, request.base, request, workers)
        for variant in request.compared_variants:
            adjusted_variant, player = _adjust_match_length(
                baseline_turns, variant, strong_players[variant], request, workers
            )
            if adjusted_variant is not None and adjusted_variant not in request.variants:
                same_length[variant] = adjusted_variant
                strong_players[adjusted_variant] = player
    return replace(
        request, strong=tuple(strong_players.items()), same_length=tuple(same_length.items())
    )


def _adjust_match_length(
    n_turns: float, variant: str, player: str, request: ReviewRequest, workers: int | None
) -> tuple[str | None, str]:
    """Adjust the target score to a match length, and find the strong player for it.

    If the player was not trained for the new target, another player can be stronger, so the target
    is adjusted again to the strongest player.
    """
    adjusted_variant = _find_variant_with_match_length(n_turns, variant, player, request, workers)
    if (
        adjusted_variant is None
        or request.given_strong is not None
        or adapt.is_trained_champion(player, variants.find_variant(adjusted_variant))
    ):
        return adjusted_variant, player
    player = load_or_find_strongest(adjusted_variant, request.seed, workers)
    return _find_variant_with_match_length(n_turns, variant, player, request, workers), player


def _find_variant_with_match_length(
    n_turns: float, variant: str, player: str, request: ReviewRequest, workers: int | None
) -> str | None:
    """Return a variant with a given match length, or None if `variant` already has it."""
    rules = variants.find_variant(variant)
    target = rules.params["points_target"]
    if rules.goal.score_unit != "points" or not isinstance(target, int):
        return None
    current_turns = measure_turns_per_match(player, variant, request, workers)
    if abs(current_turns / n_turns - 1) <= MATCH_LENGTH_TOLERANCE:
        return None

    def measure_length(points: int) -> float:
        return measure_turns_per_match(
            player, f"{variant}+points_target={points}", request, workers
        )

    new_target = find_nearest_target(n_turns, measure_length, target * n_turns / current_turns)
    return variants.find_variant(f"{variant}+points_target={new_target}").spec


def find_nearest_target(
    n_turns: float, measure_length: Callable[[int], float], first_target: float
) -> int:
    """Return the target score whose match length is nearest to `n_turns`.

    Targets are multiples of five. Match length increases with the target, but not proportionally,
    because the last deal of a match is always completed. The search therefore finds two adjacent
    targets between which the desired length lies.

    Args:
        n_turns: Desired number of turns per match.
        measure_length: Function that returns the number of turns per match for a target.
        first_target: Target that is tried first.
    """
    largest = load_rule_parameters()["points_target"].max_value // TARGET_SCORE_STEP
    # Candidates are multiples of five. A target of 0 is not possible.
    low, high = 0, largest + 1
    low_turns, high_turns = 0.0, math.inf
    candidate = round(first_target / TARGET_SCORE_STEP)
    while high - low > 1:
        candidate = min(max(candidate, low + 1), high - 1)
        turns = measure_length(candidate * TARGET_SCORE_STEP)
        if turns < n_turns:
            low, low_turns = candidate, turns
        else:
            high, high_turns = candidate, turns
        slope = turns / candidate if high > largest else (high_turns - low_turns) / (high - low)
        candidate = round(low + (n_turns - low_turns) / slope)
    is_low_nearer = low and n_turns - low_turns < high_turns - n_turns
    return TARGET_SCORE_STEP * (low if is_low_nearer else high)


def measure_turns_per_match(
    player: str, variant: str, request: ReviewRequest, workers: int | None
) -> float:
    """Measure the mean number of turns per match of a player in self-play.

    The mean covers `PILOT_MATCHES` matches, so the ratio of two match lengths has a standard error
    of about 1.9 %. The number does not depend on the size of the review, so that the target scores
    remain the same if the review is extended.
    """
    rows = play_matches(player, player, variant, request.seed, workers, PILOT_MATCHES)
    n_turns, n_deals = (
        paired_estimate.estimate_metric_by_batch(rows, metrics.METRICS_BY_NAME[name]).value
        for name in MATCH_LENGTH_METRICS
    )
    return n_turns * n_deals


# Review files


StringList = Annotated[list[str], Field(default_factory=list)]


class ReviewFile(toml.StrictTable):
    """Schema of a TOML review file.

    Example:
        title = "Should we play Oklahoma?"   # heading of the report; optional
        note = "For the meeting in May."     # shown in the report; optional
        rule_sets = ["oklahoma", "standard+gin_bonus=20"]
        against = "standard"
        players = ["simple", "mine.py", "champion"]   # optional; weakest first
        goals = ["turns per match 100..140", "gin 40..50 %"]
        seconds_per_turn = 10
        sweep = ["undercut_bonus=0,10,25"]   # only for a single rule set
        matches = "20k"
        seed = 1
        adapt = true
    """

    title: str = ""
    note: str = ""
    rule_sets: Annotated[list[VariantSpec], Field(min_length=1)]
    against: VariantSpec | None = None
    players: Annotated[list[StrategySpec], Field(default_factory=list)]
    goals: StringList
    sweep: StringList
    seconds_per_turn: Annotated[float, Field(gt=0, allow_inf_nan=False)] = DEFAULT_SECONDS_PER_TURN
    matches: SampleSize | None = None
    seed: Annotated[int, AfterValidator(amounts.parse_seed)] = 1
    adapt: bool = False
    deep: bool = False

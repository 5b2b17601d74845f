"""Plans of runs, which contain matchups, stopping rules and comparisons.

A plan is made from the specs of one matchup or from an experiment file
(`simgin.runs.experiment_file`).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from simgin.core import batch_columns
from simgin.core.matchup_key import MatchupKey
from simgin.play.kernel import play_batches
from simgin.play.matchup import Matchup, PlayerCountError, make_short_names, parse_matchup
from simgin.rules import variants
from simgin.runs import stopping
from simgin.runs.block import Task
from simgin.runs.manifest import build_identity
from simgin.runs.runner import ExtraPass
from simgin.stats import metrics
from simgin.stats.estimate import estimate_metric
from simgin.strategy import loader
from simgin.text import amounts, examples
from simgin.text.amounts import AmountError
from simgin.text.messages import format_value, join_words, print_status

if TYPE_CHECKING:
    from simgin.runs.experiment_file import ExperimentFile, SweepPoint

PILOT_SECONDS = 0.02  # playing time per matchup for estimating the duration of a run, in seconds
DEFAULT_DEALS = 100_000
DEFAULT_MATCHES = 5_000
# default maximum number of units of a matchup with a stopping rule
DEFAULT_MAX_SIZE = 10_000_000
# keys whose strategies are compared with each other, with the panel first
COMPARED_STRATEGY_KEYS = ("panel", "sweep", "solo")
# Baseline of a contrast in which the opponent would play against itself. This matchup is not
# played, because its results are known.
SELF_PLAY_INDEX = -1
MIN_LEAGUE_SIZE = 3
LEAGUE_QUESTION = "Which strategy is the strongest?"

# key in the experiment file, and a matchup that the key defines
KeyedMatchup = tuple[str, MatchupKey]


class FieldChange(NamedTuple):
    """Change to a strategy, and the opponent against whom it is tested.

    A field consists of the strategy that is changed and its opponent. Strategies are stored as
    canonical specs.
    """

    change: str  # change in the format of a strategy spec, such as "discard=high-first"
    strategy: str  # strategy with the change
    baseline: str  # strategy without the change
    opponent: str

    @property
    def field(self) -> str:
        """Name of the unchanged matchup, such as "gold v simple" or "gold" for self-play."""
        if self.baseline == self.opponent:
            return self.baseline
        return f"{self.baseline} v {self.opponent}"


@dataclass(frozen=True)
class Plan:
    """Plan of a run whose matchups share one seed and unit of play."""

    title: str
    tasks: tuple[Task, ...]
    # Stopping rules, one per matchup. If the size or the time is fixed, there are no stopping
    # rules.
    stopping_rules: tuple[stopping.StoppingRule, ...] = ()
    seconds: float | None = None  # time limit per matchup, in seconds
    question: str | None = None
    hypothesis: str | None = None
    # Indices of matchups and of their baselines. A baseline can be SELF_PLAY_INDEX.
    contrasts: tuple[tuple[int, int], ...] = ()
    effects: tuple[FieldChange, ...] = ()
    # labels of variants and strategies, by spec
    labels: Mapping[str, str] = field(default_factory=dict)
    extra_passes: tuple[ExtraPass, ...] = ()  # extra passes, which play parts of the matchups again
    # If a run has stages, `max_units` is the maximum number of units of all stages.
    # `plan_next_stage` is a function that returns the plan of the next stage from the results of a
    # stage, or None after the last stage.
    max_units: int | None = None
    plan_next_stage: Callable[[Any], Plan | None] = lambda _: None

    @property
    def seed(self) -> int:
        """Seed of every matchup."""
        return self.tasks[0].matchup.seed

    @property
    def unit(self) -> Literal["deal", "match"]:
        """Unit of play of every matchup, "deal" or "match"."""
        return self.tasks[0].matchup.unit

    @property
    def label(self) -> str:
        """Title of the plan, or the players' names if there is a single matchup."""
        if len(self.tasks) > 1:
            return self.title
        names = self.display_names
        players = self.matchups[0].players
        return " v ".join(names.get(player.spec, player.spec) for player in players)

    @property
    def matchups(self) -> list[Matchup]:
        """Matchups in table order."""
        return [task.matchup for task in self.tasks]

    @property
    def matchup_keys(self) -> list[MatchupKey]:
        """Keys of the matchups, with the variant, strategies, seed and unit."""
        return [matchup.key for matchup in self.matchups]

    @property
    def display_names(self) -> dict[str, str]:
        """User-defined labels and short file names, keyed by spec."""
        return {**make_short_names(self.matchups), **self.labels}

    @property
    def stopping_text(self) -> str | None:
        """Description of the stopping rule, or None if the size or the time is fixed.

        The description is part of the identity of the run, so the stopping rule cannot change when
        the run continues.
        """
        return "; ".join(dict.fromkeys(rule.text for rule in self.stopping_rules)) or None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Identity of the run, as stored in the ledger."""
        return build_identity(
            self.matchups,
            question=self.question,
            hypothesis=self.hypothesis,
            stop=self.stopping_text,
        )


def plan_matchup(
    a: str,
    b: str | None,
    variant: str,
    *,
    deals: int | str | None = None,
    matches: int | str | None = None,
    until: str | float | None = None,
    sprt: Sequence[float] | str | None = None,
    seconds: float | str | None = None,
    seed: int = 1,
) -> Plan:
    """Return the plan of a run with a single matchup.

    At most one of `until`, `sprt` and `seconds` can be specified. If one of them is specified, the
    number of deals or matches is a maximum.

    Args:
        a: Spec of strategy A.
        b: Spec of strategy B, or None in solitaire games.
        variant: Spec of the variant.
        deals: Number of deals, such as 100000 or "100k".
        matches: Number of matches, in the same format.
        until: Half-width of the interval at which the run stops, such as "0.1%" or 0.05 (points).
        sprt: Elo differences of the two hypotheses of a sequential test.
        seconds: Time limit in seconds.
        seed: Seed of the run.

    Raises:
        AmountError: If a count, the seed or the combination of arguments is invalid.
    """
    if deals is not None and matches is not None:
        raise AmountError("`deals` and `matches` cannot be combined. Use only one of them.")
    if sum(option is not None for option in (until, sprt, seconds)) > 1:
        raise AmountError(
            "`until`, `sprt` and a time limit cannot be combined. Use only one of them."
        )
    until = None if until is None else amounts.parse_half_width(until)
    sprt = None if sprt is None else amounts.parse_elo_bounds(sprt)
    seconds = None if seconds is None else amounts.parse_seconds(seconds)
    unit: Literal["deal", "match"] = "deal" if matches is None else "match"
    count = deals if matches is None else matches
    default_size = _choose_default_size(until, sprt, seconds, unit)
    n_games = default_size if count is None else amounts.parse_count(count)
    matchup = parse_matchup(a, b, variant, amounts.parse_seed(seed), unit)
    _warn_about_match_rules([matchup])
    stopping_rules = _build_stopping_rules([matchup], until, sprt, n_games)
    return Plan(matchup.title, (Task(matchup, n_games),), stopping_rules, seconds)


def plan_match(
    strategies: Sequence[str],
    variant: str,
    *,
    against: str | None = None,
    base: str | None = None,
    **arguments: Any,
) -> Plan:
    """Return the plan of one matchup, or of several strategies against one opponent.

    Args:
        strategies: Specs of strategy A and optionally B, or of the strategies to compare.
        variant: Spec of the variant.
        against: Spec of the common opponent.
        base: Spec of the baseline for differences, by default the first strategy.
        **arguments: Additional arguments of `plan_matchup`, and `labels` as in an experiment file.

    Raises:
        PlayerCountError: If no strategy is given, if several strategies or a baseline are given
            without a common opponent, or if a strategy is also the common opponent.
        ExperimentError: If a label is not valid.
    """
    if not strategies:
        raise PlayerCountError("the list of strategies is empty. Specify at least one strategy.")
    if against is None and (base is not None or len(strategies) > 2):
        raise PlayerCountError(
            "--base and comparisons of more than two strategies require a common opponent. Specify "
            "the opponent with --against, or use `simgin league`."
        )
    if against is None or (base is None and len(strategies) == 1):
        strategy_a, strategy_b = strategies[0], against or next(iter(strategies[1:]), None)
        labels = arguments.pop("labels", None) or {}
        plan = plan_matchup(strategy_a, strategy_b, variant, **arguments)
        return replace(plan, labels=_read_labels(labels, plan.matchups))
    opponent, specs = loader.find_strategy(against).spec, _find_specs(strategies)
    if opponent in specs:
        raise PlayerCountError(
            f"{opponent!r} cannot be both a strategy and the common opponent, because a match "
            "of a strategy against itself does not show its strength. Omit it from the strategies, "
            f"or use --base {opponent}."
        )
    keys = {
        "question": f"Which strategies beat {opponent}?",
        "panel": {"strategies": specs, "against": opponent},
        "base": base and loader.find_strategy(base).spec,
    }
    return _plan_from_keys(f"{len(strategies)} strategies v {opponent}", variant, keys | arguments)


def drop_opponent(strategies: Sequence[str], against: str | None) -> Sequence[str]:
    """Remove the common opponent from a list of strategies, and print a note."""
    other_strategies = [name for name in strategies if name != against]
    if 0 < len(other_strategies) < len(strategies):
        print_status(f"{against} is used only as the common opponent, not as a strategy.")
        return other_strategies
    return strategies


def plan_league(strategies: Sequence[str], variant: str, **arguments: Any) -> Plan:
    """Return the plan of a league, in which each strategy plays every other strategy.

    Args:
        strategies: Specs of three or more strategies.
        variant: Spec of the variant.
        **arguments: Additional arguments of `plan_match`.

    Raises:
        PlayerCountError: If there are too few different strategies.
    """
    specs = list(dict.fromkeys(_find_specs(strategies)))
    if len(specs) < MIN_LEAGUE_SIZE:
        raise PlayerCountError(
            f"a league requires at least {MIN_LEAGUE_SIZE} different strategies, not {len(specs)}. "
            "Add strategies."
        )
    keys = {"question": LEAGUE_QUESTION, "round_robin": specs}
    return _plan_from_keys(f"league of {len(specs)}", variant, keys | arguments)


def _find_specs(strategies: Sequence[str]) -> list[str]:
    """Return the canonical specs of strategies."""
    return [loader.find_strategy(name).spec for name in strategies]


def _plan_from_keys(title: str, variant: str, keys: Mapping[str, Any]) -> Plan:
    """Return the plan of an experiment that options or Python arguments describe."""
    from simgin.runs.experiment_file import parse_experiment

    rules = variants.find_variant(variant)
    if rules.is_solo:
        raise PlayerCountError(
            f"{rules.spec} is a solitaire game. Specify one strategy, or list several strategies "
            "under `solo` in an experiment file."
        )
    seed = amounts.parse_seed(keys.get("seed", 1))
    all_keys = {**keys, "variants": [rules.spec], "seed": seed, "for": keys.get("seconds")}
    all_keys["seconds"] = None
    specified_keys = {key: value for key, value in all_keys.items() if value is not None}
    return _plan_from_file(parse_experiment(specified_keys), title)


def _warn_about_match_rules(matchups: Sequence[Matchup]) -> None:
    """Warn about match rules that have no effect in single deals."""
    for variant in dict.fromkeys(matchup.variant for matchup in matchups if matchup.unit == "deal"):
        variants.warn_about_match_settings(variant)


def _choose_default_size(
    until: str | float | None,
    sprt: tuple[float, float] | None,
    seconds: float | None,
    unit: Literal["deal", "match"],
) -> int:
    """Return the default number of deals or matches per matchup."""
    if seconds is not None:
        return amounts.MAX_COUNT
    if until is not None or sprt is not None:
        return DEFAULT_MAX_SIZE
    return DEFAULT_DEALS if unit == "deal" else DEFAULT_MATCHES


def _build_stopping_rules(
    matchups: Sequence[Matchup],
    until: str | float | None,
    sprt: tuple[float, float] | None,
    n_games: int,
) -> tuple[stopping.StoppingRule, ...]:
    """Return one stopping rule per matchup, or () if the size or the time is fixed."""
    if until is not None:
        return tuple(stopping.make_precision_rule(until, matchup, n_games) for matchup in matchups)
    if sprt is not None:
        return tuple(stopping.make_sequential_test(*sprt, matchup) for matchup in matchups)
    return ()


def measure_unit_seconds(matchup: Matchup) -> float:
    """Play a few units, and return the CPU time per unit in seconds."""
    return run_pilot(matchup)[0]


def run_pilot(matchup: Matchup) -> tuple[float, np.ndarray]:
    """Play a few units of a matchup, and measure the CPU time.

    Returns:
        Seconds per unit on one core, and the batch rows, `(n_batches, N_COLUMNS) int64`.
    """
    units = 1
    # Do not measure the first call in a process, because it takes longer.
    play_batches(matchup, 0, units)
    while True:
        start_time = time.process_time()
        rows = play_batches(matchup, 0, units)
        seconds = time.process_time() - start_time
        if seconds > PILOT_SECONDS or units >= matchup.batch_size:
            return seconds / units, rows
        units = min(matchup.batch_size, units * 8)


def estimate_standard_deviations(matchup: Matchup) -> dict[str, float]:
    """Estimate the standard deviation of each headline metric per unit, from a pilot.

    Returns:
        Standard deviations by metric (`metrics.select_headline_metrics`). If the pilot is too short
        for an estimate, the nominal standard deviation of the stopping rules is used.
    """
    total = run_pilot(matchup)[1].sum(axis=0)
    standard_deviations = {}
    for name in metrics.select_headline_metrics(matchup.unit, len(matchup.players)):
        se = estimate_metric(total, metrics.METRICS_BY_NAME[name]).se
        pilot_sd = se * math.sqrt(total[batch_columns.UNITS_COLUMN])
        nominal_sds = stopping.NOMINAL_SD_BY_METRIC.get(name, stopping.NOMINAL_PROPORTION_SD)
        standard_deviations[name] = pilot_sd if pilot_sd > 0 else nominal_sds[matchup.is_mirrored]
    return standard_deviations


# Plan of an experiment file


def plan_experiment(path: str | Path, seed: int | None = None) -> Plan:
    """Return the plan of an experiment file.

    If the file contains a matchup again with the sides swapped, the plan includes the matchup only
    once. The matchups are sorted by variant and then by pair, as in the tables.

    Args:
        path: Path of the file, or name of a built-in experiment.
        seed: Seed that replaces the seed in the file.

    Raises:
        ExperimentError: If the file is invalid. The message lists all errors in the file.
    """
    # Import the module here, because pydantic loads slowly and a plan with a single matchup does
    # not need it.
    from simgin.runs import experiment_file

    fixed_seed = None if seed is None else amounts.parse_seed(seed)
    path = examples.find_experiment_file(path)
    file = experiment_file.read_experiment(path)
    if fixed_seed is not None:
        file = file.model_copy(update={"seed": fixed_seed})
    return _plan_from_file(file, path.stem, f"{path}: ")


def _plan_from_file(file: ExperimentFile, title: str, source: str = "") -> Plan:
    """Return the plan of an experiment file, with `source` at the start of error messages."""
    from simgin.runs.experiment_file import ExperimentError

    file = _add_baseline_to_panel(file)
    keyed_matchups = list(_iter_keyed_matchups(file))
    unique_matchups: dict[tuple[str, frozenset[str]], MatchupKey] = {}
    for _, key in keyed_matchups:
        unique_matchups.setdefault((key.variant, frozenset((key.a, key.b))), key)
    keys = list(unique_matchups.values())
    baseline = _find_equivalent_name(file.base, _list_possible_baselines(file, keys))
    if errors := [f"{source}{sentence}" for sentence in _iter_errors(file, keys, baseline)]:
        raise ExperimentError(errors)
    default_size = _choose_default_size(file.until, file.sprt, file.seconds, file.unit)
    n_games = file.matches or file.deals or default_size
    matchups = list(_iter_matchups(keys))
    _warn_about_match_rules(matchups)
    return Plan(
        title=title,
        tasks=tuple(Task(matchup, n_games) for matchup in matchups),
        stopping_rules=_build_stopping_rules(matchups, file.until, file.sprt, n_games),
        seconds=file.seconds,
        question=file.question,
        hypothesis=file.hypothesis,
        contrasts=tuple(_find_contrasts(keyed_matchups, keys, baseline)),
        effects=tuple(_iter_effects(file)),
        labels={
            **_make_sweep_labels(file, matchups),
            **_read_labels(file.labels, matchups, source),
        },
    )


def _add_baseline_to_panel(file: ExperimentFile) -> ExperimentFile:
    """Add the baseline to the panel if it is a strategy and no matchup contains it."""
    from simgin.runs.experiment_file import canonicalize_strategy

    if file.base is None or file.panel is None:
        return file
    baselines = _list_possible_baselines(file, [key for _, key in _iter_keyed_matchups(file)])
    if _find_equivalent_name(file.base, baselines) in baselines:
        return file
    strategies = [*file.panel.strategies, canonicalize_strategy(file.base)]
    panel = file.panel.model_copy(update={"strategies": strategies})
    return file.model_copy(update={"panel": panel})


def _iter_keyed_matchups(file: ExperimentFile) -> Iterator[KeyedMatchup]:
    """Yield each matchup of an experiment file with the key that defines it, by variant."""
    points: dict[str | None, list[SweepPoint]] = {}
    for point in file.sweep.list_points() if file.sweep else []:
        points.setdefault(point.variant, []).append(point)
    for variant in list(filter(None, points)) or dict.fromkeys(file.variants):
        for key, strategy, opponent in _iter_pairs(
            file, variant, points.get(variant) or points.get(None, [])
        ):
            yield key, MatchupKey(variant, strategy, opponent, file.seed, file.unit)


def _iter_pairs(
    file: ExperimentFile, variant: str, sweep_points: Sequence[SweepPoint]
) -> Iterator[tuple[str, str, str]]:
    """Yield the defining key and both strategies of each matchup in a variant."""
    for pair in file.matchups:
        yield "matchups", pair.a, pair.b
    for strategy_a, strategy_b in itertools.combinations(dict.fromkeys(file.round_robin or []), 2):
        yield "round_robin", strategy_a, strategy_b
    if file.panel is not None:
        for strategy in file.panel.strategies:
            yield "panel", strategy, file.panel.against
    for field_change in _iter_effects(file):
        if field_change.baseline != field_change.opponent:
            yield "fields", field_change.baseline, field_change.opponent
        yield "fields", field_change.strategy, field_change.opponent
    for strategy in file.solo or []:
        yield "solo", strategy, ""
    opponent = "" if variants.find_variant(variant).is_solo else "simple"
    for point in sweep_points:
        yield "sweep", point.strategy, point.against or opponent


def _iter_effects(file: ExperimentFile) -> Iterator[FieldChange]:
    """Yield each combination of a change and an opponent in an experiment file.

    If a change does not alter the strategy or makes it equal to the opponent, it is omitted.
    """
    for change in dict.fromkeys(file.changes):
        for field_entry in file.fields:
            opponent = field_entry.against or field_entry.strategy
            strategy = loader.find_strategy(f"{field_entry.strategy}+{change}").spec
            if strategy not in (field_entry.strategy, opponent):
                yield FieldChange(change, strategy, field_entry.strategy, opponent)


def _find_equivalent_name(spec: str | None, names: Collection[str]) -> str | None:
    """Return the name in `names` that is equivalent to a spec, or else the spec."""
    from simgin.runs import experiment_file

    if spec is None or spec in names:
        return spec
    return next(
        (name for name in experiment_file.find_canonical_specs(spec) if name in names), spec
    )


def _list_possible_baselines(file: ExperimentFile, keys: Iterable[MatchupKey]) -> set[str]:
    """Return the valid baselines: the variants, the strategies A and the panel's opponent."""
    names = {name for key in keys for name in (key.variant, key.a)}
    return names if file.panel is None else names | {file.panel.against}


def _make_sweep_labels(file: ExperimentFile, matchups: Sequence[Matchup]) -> dict[str, str]:
    """Return labels with the swept values that specs omit because they are defaults."""
    short_names = make_short_names(matchups)
    full_specs = file.sweep.list_full_specs() if file.sweep else {}
    return {
        spec: full_spec.replace(spec, short_names.get(spec, spec), 1)
        for spec, full_spec in full_specs.items()
        if spec not in short_names or full_spec.startswith(spec)
    }


def _read_labels(
    labels: Mapping[str, str], matchups: Sequence[Matchup], source: str = ""
) -> dict[str, str]:
    """Return the labels in a file, keyed by the specs of variants and strategies.

    Raises:
        ExperimentError: If a label refers to a name that occurs in no matchup, or if two names have
            the same label.
    """
    if not labels:
        return {}
    from simgin.runs.experiment_file import ExperimentError

    keys = [matchup.key for matchup in matchups]
    names = dict.fromkeys(name for key in keys for name in (key.variant, *key.players))
    specs_by_short_name = {name: spec for spec, name in make_short_names(matchups).items()}
    labels_by_name = {
        str(_find_equivalent_name(specs_by_short_name.get(key, key), names)): label
        for key, label in labels.items()
    }
    played = join_words([*names], "or")
    errors = [
        f"{format_value(spec)} is not played. Use the name of a variant or strategy: {played}."
        for spec in labels_by_name
        if spec not in names
    ]
    for spec, label in labels_by_name.items():
        if label in {labels_by_name.get(name, name) for name in names if name != spec}:
            errors.append(
                f"{format_value(label)} is the name of another variant or strategy. Choose a "
                "different label."
            )
    if errors:
        raise ExperimentError([f"{source}labels: {error}" for error in errors])
    return labels_by_name


def _iter_errors(
    file: ExperimentFile, keys: Sequence[MatchupKey], baseline: str | None
) -> Iterator[str]:
    """Yield an error message for each problem with the complete list of matchups."""
    if not keys:
        yield (
            "the file defines no matchup because all strategies are identical or no change has an "
            "effect. Choose other strategies or changes."
        )
        return
    if baseline is not None and baseline not in _list_possible_baselines(file, keys):
        yield (
            f"base: {format_value(baseline)} does not occur in this file. "
            "Use one of its variants or strategies."
        )
    if file.sprt is not None:
        for name in dict.fromkeys([key.a for key in keys if key.a == key.b]):
            yield (
                f"`sprt` cannot be used because {name} plays against itself. Remove this pair or "
                "`sprt`."
            )


def _iter_matchups(keys: Sequence[MatchupKey]) -> Iterator[Matchup]:
    """Yield the matchups for a list of keys, and load each variant and strategy once."""
    variants_by_spec = {key.variant: variants.find_variant(key.variant) for key in keys}
    players = {spec: loader.find_strategy(spec) for key in keys for spec in key.players}
    for key in keys:
        strategy_a, strategy_b = players[key.a], players.get(key.b)
        yield Matchup(variants_by_spec[key.variant], strategy_a, strategy_b, key.seed, key.unit)


def _find_contrasts(
    keyed_matchups: Sequence[KeyedMatchup], keys: Sequence[MatchupKey], baseline: str | None
) -> list[tuple[int, int]]:
    """Return the indices of each compared matchup and its baseline, as pairs.

    The matchups of a pair differ only in the strategy or only in the variant. Strategies are
    compared within a panel, a sweep or a list of solitaire strategies, against the same opponent.
    Variants are compared if the same strategies play. Every pair is compared only once. A strategy
    that plays against itself is not compared because it always wins half of the deals. If the
    baseline is the opponent of the panel, the panel is compared with the self-play of the opponent.
    A contrast can refer to a matchup that is played with the sides swapped.
    """
    index_by_key = {replace(key, a=key.b, b=key.a): i for i, key in enumerate(keys)}
    index_by_key |= {key: i for i, key in enumerate(keys)}
    pairs: list[tuple[MatchupKey, MatchupKey]] = []
    panel = dict.fromkeys(matchup for source, matchup in keyed_matchups if source == "panel")
    is_panel_opponent = any(matchup.b == baseline for matchup in panel)
    for key in COMPARED_STRATEGY_KEYS[is_panel_opponent:]:
        group = dict.fromkeys(matchup for source, matchup in keyed_matchups if source == key)
        contrast_pairs = _iter_contrasts(list(group), "a", baseline)
        pairs += [
            pair
            for pair in contrast_pairs
            if all(matchup_key.a != matchup_key.b for matchup_key in pair)
        ]
    pairs += _iter_contrasts(keys, "variant", baseline)
    unique_pairs = {frozenset(pair): pair for pair in reversed(pairs)}
    contrasts = [
        (index_by_key[matchup_key], index_by_key[baseline_key])
        for matchup_key, baseline_key in reversed(unique_pairs.values())
    ]
    if is_panel_opponent:
        contrasts += [
            (index_by_key[matchup_key], SELF_PLAY_INDEX)
            for matchup_key in panel
            if matchup_key in keys and matchup_key.a != matchup_key.b
        ]
    return contrasts


def _iter_contrasts(
    group: Sequence[MatchupKey], field: Literal["variant", "a"], baseline: str | None
) -> Iterator[tuple[MatchupKey, MatchupKey]]:
    """Yield each matchup with its baseline, from which it differs only in `field`.

    If the group contains `baseline`, each matchup is compared with the matchup of `baseline`.
    Otherwise, each matchup is compared with the first matchup.
    """
    has_baseline = any(getattr(key, field) == baseline for key in group)
    groups: dict[MatchupKey, list[MatchupKey]] = {}
    for key in group:
        shared_key = replace(key, variant="") if field == "variant" else replace(key, a="")
        groups.setdefault(shared_key, []).append(key)
    for comparable_keys in groups.values():
        if has_baseline:
            baselines = [key for key in comparable_keys if getattr(key, field) == baseline]
        else:
            baselines = [key for key in comparable_keys if field == "variant" or key.a != key.b]
        for key in comparable_keys:
            if baselines and key != baselines[0]:
                yield key, baselines[0]

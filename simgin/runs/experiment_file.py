"""Schema of experiment files, which are TOML files that describe the runs for a research question.

All errors in a file are reported together. This example contains all keys:

  question = "Does waiting for gin pay?"
  hypothesis = "It does under 25/25." # optional; what you expect
  variants = ["eaai"]              # variant specs; default: standard
  seed = 1
  deals = "200k"                   # or matches = ...; default: 100k deals (league: 5k matches)
  until = "0.1%"                   # or sprt = [0, 10], or for = "30s"; deals is then the maximum
  base = "simple"                  # baseline of all comparisons; default: the first
  round_robin = ["simple", "gold"] # each strategy against every other
  [[matchups]]                     # single matchups
  a = "gin-only"
  b = "simple"
  [labels]                         # names in sentences, tables and plots
  gin-only = "Patient"
  [panel]                          # each of these strategies against one opponent
  strategies = ["gold", "stubborn"]
  against = "simple"
  [sweep]                          # every combination of the values
  strategy = "simple+knock=at:k={k}"
  grid.k = [0, 2, 4]
  [[fields]]                       # each of changes = ["knock=early", ...] in this strategy
  strategy = "gold"                # against this opponent; default: the same strategy
  against = "simple"

Paths of strategies and variants are relative to the directory of the file. If a path exists only
relative to the working directory, it is also valid.

For solitaire games, only sweeps and a list of strategies, such as `solo = ["gold", "gin-only"]`,
are allowed.
"""

import contextlib
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, ValidationError

from simgin.rules import variants
from simgin.strategy import loader
from simgin.text import amounts, examples, toml
from simgin.text.amounts import parse_count
from simgin.text.messages import format_value

MAX_COMBINATIONS = 10_000  # maximum number of combinations in a sweep
# maximum number of invalid combinations that are listed for a spec
MAX_LISTED_COMBINATIONS = 3
MAX_LABEL_LENGTH = 200  # maximum length of a label, in characters
# Path in a spec, delimited by separators or by the start and end of the spec
_PATH_PATTERN = re.compile(r"(?<![^+=#@])[^+=#@]*\.(?:py|toml|npy)(?=$|[+#:@])", re.IGNORECASE)
_PLACEHOLDER_PATTERN = re.compile(r"\{([^{}]*)\}")


def _format_grid_value(value: object) -> str:
    """Format a value of a sweep for a spec, such as `True` as `yes`."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float() if abs(value) < 1e18 or abs(value) == math.inf or value != value:
            return str(value).removesuffix(".0")
        case str():
            return value
        case _:
            description = "a list" if isinstance(value, list) else format_value(value)
            raise ValueError(
                f"{description} is not a valid value. Use a number, a string, true or false."
            )


GridValue = Annotated[str, PlainValidator(_format_grid_value)]


@dataclass(frozen=True)
class SweepPoint:
    """Combination of parameter values in a sweep, expressed as canonical specs.

    If the sweep does not specify `variant` or `against`, the attribute is None.
    """

    variant: str | None
    strategy: str
    against: str | None


class ParameterSweep(toml.StrictTable):
    """Parameter sweep: specs with placeholders such as {k}, and the values of the placeholders."""

    strategy: str
    against: str | None = None
    variant: str | None = None
    grid: Annotated[dict[str, Annotated[list[GridValue], Field(min_length=1)]], Field(min_length=1)]

    def list_points(self) -> list[SweepPoint]:
        """Return every combination of grid values, with the last placeholder varying fastest.

        The sweep must be valid (see `list_sweep_errors`).
        """
        canonicalizers = {key: cache(canonicalize) for key, canonicalize in _CANONICALIZERS.items()}
        points = []
        for placeholder_values in _iter_combinations(self.grid):
            specs: dict[str, str | None] = dict.fromkeys(_CANONICALIZERS)
            for key, template in _collect_specs(self).items():
                specs[key] = canonicalizers[key](_fill_placeholders(template, placeholder_values))
            points.append(SweepPoint(specs["variant"], str(specs["strategy"]), specs["against"]))
        return list(dict.fromkeys(points))

    def list_full_specs(self) -> dict[str, str]:
        """Return the specs with all swept values, by canonical specs, which omit default values."""
        full_specs: dict[str, str] = {}
        for key, template in _collect_specs(self).items():
            names = _find_placeholders(template)
            for values in _iter_combinations({name: self.grid[name] for name in names}):
                spec = _fill_placeholders(template, values)
                full_specs.setdefault(_CANONICALIZERS[key](spec), spec if names else "")
        return {spec: full for spec, full in full_specs.items() if full not in ("", spec)}


def list_sweep_errors(sweep: ParameterSweep) -> list[str]:
    """Return an error message for each problem in a parameter sweep.

    The messages do not contain the file name.
    """
    used_names = {
        name for template in _collect_specs(sweep).values() for name in _find_placeholders(template)
    }
    errors = [
        f"sweep: the placeholder {format_value(name)} has no values. List them in [sweep.grid]."
        for name in sorted(used_names - set(sweep.grid))
    ]
    errors += [
        f"sweep, grid: {format_value(name)} is not a placeholder. Use it in braces in strategy, "
        "against or variant, or remove it."
        for name in sweep.grid
        if name not in used_names
    ]
    if (n_points := math.prod(map(len, sweep.grid.values()))) > MAX_COMBINATIONS:
        errors.append(
            f"sweep, grid: {n_points:,} combinations are too many. Use shorter lists with at most "
            f"{MAX_COMBINATIONS:,} combinations."
        )
    if not errors:
        for key, template in _collect_specs(sweep).items():
            errors += _iter_combination_errors(key, template, sweep.grid)
    return errors


def canonicalize_variant(spec: str) -> str:
    """Return the canonical spec of a variant, or raise ValueError."""
    return variants.find_variant(spec).spec


def canonicalize_strategy(spec: str) -> str:
    """Return the canonical spec of a strategy, or raise ValueError."""
    return loader.find_strategy(spec).spec


_CANONICALIZERS: dict[str, Callable[[str], str]] = {
    "variant": canonicalize_variant,
    "strategy": canonicalize_strategy,
    "against": canonicalize_strategy,
}


def _collect_specs(sweep: ParameterSweep) -> dict[str, str]:
    """Return the specs in a sweep, keyed by `variant`, `strategy` or `against`."""
    specs = {"variant": sweep.variant, "strategy": sweep.strategy, "against": sweep.against}
    return {key: spec for key, spec in specs.items() if spec is not None}


def _iter_combination_errors(key: str, spec: str, grid: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield errors about the first invalid combinations, and the number of further errors."""
    n_errors = 0
    for values in _iter_combinations({name: grid[name] for name in _find_placeholders(spec)}):
        try:
            _CANONICALIZERS[key](_fill_placeholders(spec, values))
        except ValueError as error:
            n_errors += 1
            if n_errors <= MAX_LISTED_COMBINATIONS:
                assignments = ", ".join(
                    f"{name} = {format_value(value)}" for name, value in values.items()
                )
                context = f" with {assignments}" if assignments else ""
                yield f"sweep, {key}{context}: " + " ".join(str(error).splitlines())
    if n_errors > MAX_LISTED_COMBINATIONS:
        yield (
            f"sweep, {key}: {n_errors - MAX_LISTED_COMBINATIONS:,} more combinations are invalid. "
            "Change the lists in [sweep.grid]."
        )


def _iter_combinations(grid: Mapping[str, list[str]]) -> Iterator[dict[str, str]]:
    """Yield every combination of grid values, keyed by placeholder."""
    return (dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values()))


def _find_placeholders(spec: str) -> list[str]:
    """Return the distinct names of the placeholders in a spec."""
    return list(dict.fromkeys(_PLACEHOLDER_PATTERN.findall(spec)))


def _fill_placeholders(spec: str, values: Mapping[str, str]) -> str:
    """Replace the placeholders in a spec with their values."""
    return _PLACEHOLDER_PATTERN.sub(lambda match: values[match[1]], spec)


# keys that are valid only for two-player games
TWO_PLAYER_KEYS = ("matchups", "round_robin", "panel", "fields")
STOPPING_KEYS = ("until", "sprt", "for")  # keys that specify a stopping rule


class ExperimentError(toml.TomlError):
    """Exception for an invalid experiment file, which lists one error per line."""


def _check_variant_or_strategy(spec: str) -> str:
    """Return a spec unchanged, or raise ValueError if it is neither a variant nor a strategy."""
    if not find_canonical_specs(spec):
        raise ValueError(
            f"{format_value(spec)} is neither a variant nor a strategy. Use a variant or a "
            "strategy from this file."
        )
    return spec


def find_canonical_specs(spec: str) -> list[str]:
    """Return the canonical specs of the variant and the strategy that a spec can refer to."""
    specs = []
    for canonicalize in (canonicalize_variant, canonicalize_strategy):
        with contextlib.suppress(ValueError):
            specs.append(canonicalize(spec))
    return specs


def _check_change(change: str) -> str:
    """Return a change such as "slot=policy" unchanged, or raise ValueError if it is not valid."""
    canonicalize_strategy(f"simple+{change}")
    return change


VariantSpec = Annotated[str, AfterValidator(canonicalize_variant)]
StrategySpec = Annotated[str, AfterValidator(canonicalize_strategy)]
SampleSize = Annotated[int, BeforeValidator(parse_count)]
StrategyChange = Annotated[str, AfterValidator(_check_change)]
Label = Annotated[str, Field(min_length=1, max_length=MAX_LABEL_LENGTH)]


class StrategyPair(toml.StrictTable):
    """Two strategies that play against each other."""

    a: StrategySpec
    b: StrategySpec = "simple"


class Panel(toml.StrictTable):
    """Strategies that all play against the same opponent."""

    strategies: Annotated[list[StrategySpec], Field(min_length=1)]
    against: StrategySpec = "simple"


class FieldEntry(toml.StrictTable):
    """Strategy to change, and its opponent (by default, the unchanged strategy)."""

    strategy: StrategySpec
    against: StrategySpec | None = None


class ExperimentFile(toml.StrictTable):
    """Schema of an experiment file."""

    question: Annotated[str, Field(min_length=1)]
    hypothesis: Annotated[str, Field(min_length=1)] | None = None
    variants: Annotated[
        list[VariantSpec], Field(min_length=1, default_factory=lambda: ["standard"])
    ]
    seed: Annotated[int, AfterValidator(amounts.parse_seed)] = 1
    deals: SampleSize | None = None
    matches: SampleSize | None = None
    until: Annotated[str | float | None, PlainValidator(amounts.parse_half_width)] = None
    sprt: Annotated[tuple[float, float] | None, PlainValidator(amounts.parse_elo_bounds)] = None
    seconds: Annotated[float | None, PlainValidator(amounts.parse_seconds)] = Field(
        None, alias="for"
    )
    base: Annotated[str, AfterValidator(_check_variant_or_strategy)] | None = None
    matchups: Annotated[list[StrategyPair], Field(default_factory=list)]
    round_robin: Annotated[list[StrategySpec], Field(min_length=2)] | None = None
    panel: Panel | None = None
    changes: Annotated[list[StrategyChange], Field(default_factory=list)]
    fields: Annotated[list[FieldEntry], Field(default_factory=list)]
    solo: Annotated[list[StrategySpec], Field(min_length=1)] | None = None
    sweep: ParameterSweep | None = None
    labels: Annotated[dict[str, Label], Field(default_factory=dict)]

    @property
    def unit(self) -> Literal["deal", "match"]:
        """Unit of play, "deal" or "match", which is "match" by default in leagues."""
        is_league = self.round_robin is not None and self.deals is None
        return "match" if self.matches is not None or is_league else "deal"


def read_experiment(path: Path) -> ExperimentFile:
    """Read and validate an experiment file.

    `plan_experiment` also finds errors that depend on the complete list of matchups.

    Raises:
        ExperimentError: If the file is invalid. The message lists all errors in the file.
    """
    try:
        contents = toml.read_toml_file(path, examples.suggest_experiments(path))
        resolved_keys = _resolve_paths(contents, path.parent)
    except toml.TomlError as error:
        raise ExperimentError(error.messages) from None
    except RecursionError:
        reason = "its lists or tables are nested too deeply"
        raise ExperimentError([f"{path} cannot be read ({reason}). Simplify the file."]) from None
    return parse_experiment(resolved_keys, path)


def parse_experiment(raw: dict[str, Any], source: Path | None = None) -> ExperimentFile:
    """Validate the contents of an experiment file, or raise ExperimentError.

    Args:
        raw: Keys and values of the file.
        source: Path of the file for error messages, or None if the keys come from command options.
    """
    prefix = f"{source}: " if source else ""
    sentences = [f"{prefix}{sentence}" for sentence in _iter_key_conflicts(raw)]
    try:
        file = ExperimentFile.model_validate(raw)
    except ValidationError as error:
        errors = toml.describe_validation_errors(source or "options", error, _list_valid_keys)
        raise ExperimentError(errors + sentences) from None
    sentences += [f"{prefix}{sentence}" for sentence in _iter_incompatible_keys(file)]
    if sentences:
        raise ExperimentError(sentences)
    return file


def _resolve_paths(value: Any, folder: Path, key: str = "") -> Any:
    """Resolve the paths in specs relative to the directory of the experiment file.

    If the directory is the working directory or if a path exists only there, the path is not
    changed. The path of a weights file without a directory is also not changed, because it refers
    to a player trained with `simgin train`.
    """

    def resolve_path(match: re.Match[str]) -> str:
        path = Path(match[0])
        is_learned = path.suffix.lower() == ".npy" and "/" not in match[0]
        if is_learned or (path.is_file() and not (folder / path).is_file()):
            return match[0]
        return str(folder / path)

    match value:
        case str() if key not in ("question", "hypothesis") and folder.resolve() != Path.cwd():
            return _PATH_PATTERN.sub(resolve_path, value)
        case list():
            return [_resolve_paths(item, folder, key) for item in value]
        case dict() if key == "labels":
            return {_resolve_paths(name, folder): label for name, label in value.items()}
        case dict():
            return {name: _resolve_paths(item, folder, name) for name, item in value.items()}
    return value


def _iter_key_conflicts(raw: dict[str, Any]) -> Iterator[str]:
    """Yield an error for each combination of keys that is not allowed."""
    if "deals" in raw and "matches" in raw:
        yield "deals and matches cannot be used together. Remove one of them."
    if len(stopping_keys := [key for key in STOPPING_KEYS if key in raw]) > 1:
        yield f"{' and '.join(stopping_keys)} cannot be used together. Keep one of them."
    sweep = raw.get("sweep")
    if "variants" in raw and isinstance(sweep, dict) and "variant" in sweep:
        yield "variants and the variant of the sweep cannot be used together. Remove one of them."
    if bool(raw.get("changes")) != bool(raw.get("fields")):
        yield "changes and [[fields]] must be used together. Add the missing one or remove both."
    if not any(raw.get(key) for key in (*TWO_PLAYER_KEYS, "solo", "sweep")):
        yield (
            "the file defines no matchup. Add [[matchups]], round_robin, a panel, a sweep or "
            "fields, or a solo list for solitaire variants."
        )


def _iter_incompatible_keys(file: ExperimentFile) -> Iterator[str]:
    """Yield an error for each key that does not fit the number of players of a variant."""
    sweep, specs = file.sweep, file.variants
    if sweep is not None:
        if errors := list_sweep_errors(sweep):
            yield from errors
            return
        if sweep.variant is not None:
            specs = [str(point.variant) for point in sweep.list_points()]
    solo_variants = [spec for spec in specs if variants.find_variant(spec).is_solo]
    two_player_variants = [spec for spec in specs if spec not in solo_variants]
    if solo_variants and two_player_variants:
        yield (
            f"variants mixes solitaire variants ({', '.join(dict.fromkeys(solo_variants))}) and "
            f"two-player variants ({', '.join(dict.fromkeys(two_player_variants))}). Use two files."
        )
    elif two_player_variants and file.solo:
        yield (
            f"solo cannot be used with {two_player_variants[0]}, which is a two-player variant. "
            "Use matchups, round_robin, panel or sweep."
        )
    elif solo_variants:
        yield from _iter_incompatible_solo_keys(file, solo_variants[0])


def _iter_incompatible_solo_keys(file: ExperimentFile, variant: str) -> Iterator[str]:
    """Yield an error for each key that a solitaire variant does not allow."""
    for key in TWO_PLAYER_KEYS:
        if getattr(file, key):
            yield (
                f"{key} cannot be used with {variant}, which is a solitaire variant. Use solo or a "
                "sweep."
            )
    if file.sprt is not None:
        yield (
            f"sprt cannot be used with {variant}, which is a solitaire variant. Use until, for or "
            "deals."
        )
    if file.sweep is not None and file.sweep.against is not None:
        yield (
            f"sweep, against cannot be used with {variant}, which is a solitaire variant. Remove "
            "it."
        )


def _list_valid_keys(location: toml.KeyPath) -> list[str]:
    """Return the valid keys at the location of an unknown key."""
    tables: dict[str, type[toml.StrictTable]] = {
        "matchups": StrategyPair,
        "panel": Panel,
        "sweep": ParameterSweep,
        "fields": FieldEntry,
    }
    table = tables.get(str(location[0]), ExperimentFile) if len(location) > 1 else ExperimentFile
    return [field.alias or name for name, field in table.model_fields.items()]

"""Format of experiment files: TOML files with one question.

All errors of a file are reported together. An example with all keys:

  question = "Does waiting for gin pay?"
  hypothesis = "It does under 25/25." # optional; what you expect
  variants = ["eaai"]              # variant specs; default: standard
  seed = 1
  deals = "200k"                   # or matches = ...; default: 100k deals (league: 5k matches)
  until = "0.1%"                   # or sprt = [0, 10], or for = "30s"; then deals is the maximum
  base = "simple"                  # baseline of all comparisons; default: the first
  round_robin = ["simple", "gold"] # each strategy against every other
  [[matchups]]                     # single matchups
  a = "gin-only"
  b = "simple"
  [panel]                          # each of these strategies against one opponent
  strategies = ["gold", "stubborn"]
  against = "simple"
  [sweep]                          # every combination of the values
  strategy = "simple+knock=at:k={k}"
  grid.k = [0, 2, 4]
  [[fields]]                       # each of changes = ["knock=early", ...] in this strategy
  strategy = "gold"                # against this opponent; default: the same strategy
  against = "simple"

Solitaire games allow only sweeps and solo = ["gold", "gin-only"], a list of strategies.
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
from simgin.text.messages import shown

MOST = 10_000  # combinations per sweep
TOLD = 3  # invalid combinations of a spec that are listed; the others are counted
_PLACE = re.compile(r"\{([^{}]*)\}")


def _word(value: object) -> str:
    """Return a value of a grid in the notation of specs."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float() if abs(value) < 1e18 or not math.isfinite(value):
            return str(value).removesuffix(".0")
        case str():
            return value
        case _:
            given = "a list" if isinstance(value, list) else shown(value)
            raise ValueError(
                f"{given} cannot be put in a place; write a number, a word, true or false."
            )


@dataclass(frozen=True)
class Point:
    """One combination of a sweep, in canonical specs.

    `variant` and `against` are None if the sweep does not name them.
    """

    variant: str | None
    strategy: str
    against: str | None


class Sweep(toml.Table):
    """Parameter sweep: specs with placeholders such as {k}, and the values of each."""

    strategy: str
    against: str | None = None
    variant: str | None = None
    grid: Annotated[
        dict[str, Annotated[list[Annotated[str, PlainValidator(_word)]], Field(min_length=1)]],
        Field(min_length=1),
    ]

    def points(self) -> list[Point]:
        """Return every combination once, in the order of the file, varying the last list fastest.

        The sweep must be valid (see `list_sweep_errors`).
        """
        finders = {key: cache(finder) for key, finder in _FINDERS.items()}
        found = []
        for values in _combinations(self.grid):
            named: dict[str, str | None] = dict.fromkeys(_FINDERS)
            for key, text in _texts(self).items():
                named[key] = finders[key](_filled(text, values))
            found.append(Point(named["variant"], str(named["strategy"]), named["against"]))
        return list(dict.fromkeys(found))


def sweep_faults(sweep: Sweep) -> list[str]:
    """Return an error message for every problem of a sweep.

    The messages do not contain the name of the file.
    """
    used = {name for text in _texts(sweep).values() for name in _places(text)}
    sentences = [
        f"sweep: the place {shown(name)} has no list; give its values in [sweep.grid]."
        for name in sorted(used - set(sweep.grid))
    ]
    sentences += [
        f"sweep, grid: {shown(name)} has no place; write it in braces in strategy, against or "
        "variant, or leave it out."
        for name in sweep.grid
        if name not in used
    ]
    if (size := math.prod(map(len, sweep.grid.values()))) > MOST:
        sentences.append(
            f"sweep, grid: {size:,} combinations are too many; give shorter lists, at most "
            f"{MOST:,} combinations."
        )
    if not sentences:
        for key, text in _texts(sweep).items():
            sentences += _nameless(key, text, sweep.grid)
    return sentences


def variant_text(text: str) -> str:
    """Return the canonical spec of a variant, or raise ValueError."""
    return variants.find(text).text


def strategy_text(text: str) -> str:
    """Return the canonical spec of a strategy, or raise ValueError."""
    return loader.find(text).text


_FINDERS: dict[str, Callable[[str], str]] = {
    "variant": variant_text,
    "strategy": strategy_text,
    "against": strategy_text,
}


def _texts(sweep: Sweep) -> dict[str, str]:
    """Return the specs of a sweep by key."""
    texts = {"variant": sweep.variant, "strategy": sweep.strategy, "against": sweep.against}
    return {key: text for key, text in texts.items() if text is not None}


def _nameless(key: str, text: str, grid: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield an error for the first combinations that are not valid specs, and count the rest."""
    found = 0
    for values in _combinations({name: grid[name] for name in _places(text)}):
        try:
            _FINDERS[key](_filled(text, values))
        except ValueError as error:
            found += 1
            if found <= TOLD:
                given = ", ".join(f"{name} = {shown(value)}" for name, value in values.items())
                place = f" with {given}" if given else ""
                yield f"sweep, {key}{place}: " + " ".join(str(error).splitlines())
    if found > TOLD:
        yield (
            f"sweep, {key}: {found - TOLD:,} more combinations name nothing; change the lists of "
            "[sweep.grid]."
        )


def _combinations(grid: Mapping[str, list[str]]) -> Iterator[dict[str, str]]:
    return (dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values()))


def _places(text: str) -> list[str]:
    """Return the unique names in braces."""
    return list(dict.fromkeys(_PLACE.findall(text)))


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place[1]], text)


# Keys that are valid only in two-player games
FOR_TWO = ("matchups", "round_robin", "panel", "fields")
ENDS = ("until", "sprt", "for")  # keys of stopping rules


class ExperimentError(toml.TomlError):
    """Exception for an invalid experiment file, with one line per error."""


def _either(text: str) -> str:
    """Return a spec unchanged, or raise ValueError unless it names a variant or a strategy."""
    if not canonical(text):
        raise ValueError(
            f"{shown(text)} names neither a variant nor a strategy; name one of those that are "
            "compared."
        )
    return text


def canonical(text: str) -> list[str]:
    """Return the canonical specs of the variant and the strategy that a string names."""
    found = []
    for finder in (variant_text, strategy_text):
        with contextlib.suppress(ValueError):
            found.append(finder(text))
    return found


def _change(text: str) -> str:
    """Return a change such as "slot=policy", or raise ValueError if it is invalid."""
    strategy_text(f"simple+{text}")
    return text


VariantText = Annotated[str, AfterValidator(variant_text)]
StrategyText = Annotated[str, AfterValidator(strategy_text)]
Count = Annotated[int, BeforeValidator(parse_count)]


class Pair(toml.Table):
    """Matchup of two strategies."""

    a: StrategyText
    b: StrategyText = "simple"


class Panel(toml.Table):
    """Strategies that each play against the same opponent."""

    strategies: Annotated[list[StrategyText], Field(min_length=1)]
    against: StrategyText = "simple"


class PlayedField(toml.Table):
    """Strategy that tries the changes, and its opponent, by default the same strategy."""

    strategy: StrategyText
    against: StrategyText | None = None


class File(toml.Table):
    """Keys of an experiment file."""

    question: Annotated[str, Field(min_length=1)]
    hypothesis: Annotated[str, Field(min_length=1)] | None = None
    variants: Annotated[
        list[VariantText], Field(min_length=1, default_factory=lambda: ["standard"])
    ]
    seed: Annotated[int, AfterValidator(amounts.parse_seed)] = 1
    deals: Count | None = None
    matches: Count | None = None
    until: Annotated[str | float | None, PlainValidator(amounts.parse_half_width)] = None
    sprt: Annotated[tuple[float, float] | None, PlainValidator(amounts.parse_elo_bounds)] = None
    seconds: Annotated[float | None, PlainValidator(amounts.parse_seconds)] = Field(
        None, alias="for"
    )
    base: Annotated[str, AfterValidator(_either)] | None = None
    matchups: Annotated[list[Pair], Field(default_factory=list)]
    round_robin: Annotated[list[StrategyText], Field(min_length=2)] | None = None
    panel: Panel | None = None
    changes: Annotated[list[Annotated[str, AfterValidator(_change)]], Field(default_factory=list)]
    fields: Annotated[list[PlayedField], Field(default_factory=list)]
    solo: Annotated[list[StrategyText], Field(min_length=1)] | None = None
    sweep: Sweep | None = None

    @property
    def unit(self) -> Literal["deal", "match"]:
        """Unit of play, "deal" or "match"; a league plays matches unless the file sets deals."""
        is_league = self.round_robin is not None and self.deals is None
        return "match" if self.matches is not None or is_league else "deal"


def read(path: Path) -> File:
    """Read an experiment file.

    Errors that need the complete list of matchups are found later, by `plan_experiment`.

    Raises:
        ExperimentError: If the file is invalid; the message lists all errors.
    """
    try:
        raw = toml.read_tables(path, examples.remedy(path))
    except toml.TomlError as error:
        raise ExperimentError(error.sentences) from None
    sentences = [f"{path}: {sentence}" for sentence in _conflicts(raw)]
    try:
        file = File.model_validate(raw)
    except ValidationError as error:
        raise ExperimentError(toml.describe_mistakes(path, error, _known) + sentences) from None
    sentences += [f"{path}: {sentence}" for sentence in _misfits(file)]
    if sentences:
        raise ExperimentError(sentences)
    return file


def _conflicts(raw: dict[str, Any]) -> Iterator[str]:
    """Yield an error for every combination of keys that is not allowed."""
    if "deals" in raw and "matches" in raw:
        yield "deals and matches are both given; keep one of them."
    if len(ends := [key for key in ENDS if key in raw]) > 1:
        yield f"{' and '.join(ends)} are given together; keep one of them."
    swept = raw.get("sweep")
    if "variants" in raw and isinstance(swept, dict) and "variant" in swept:
        yield "variants and the variant of the sweep are both given; keep one of them."
    if bool(raw.get("changes")) != bool(raw.get("fields")):
        yield "changes are tried in fields; give both, or neither: changes = [...] and [[fields]]."
    if not any(raw.get(key) for key in (*FOR_TWO, "solo", "sweep")):
        yield (
            "nobody plays; give [[matchups]] with a and b, a round_robin list, a panel or a sweep; "
            "for one player a solo list."
        )


def _misfits(file: File) -> Iterator[str]:
    """Yield an error for every player key that does not suit the variants."""
    swept, games = file.sweep, file.variants
    if swept is not None:
        if faults := sweep_faults(swept):
            yield from faults
            return
        if swept.variant is not None:
            games = [str(point.variant) for point in swept.points()]
    for_one = [text for text in games if variants.find(text).row["players"] == 1]
    for_two = [text for text in games if text not in for_one]
    if for_one and for_two:
        yield (
            f"variants has games for one player ({', '.join(dict.fromkeys(for_one))}) and for two "
            f"({', '.join(dict.fromkeys(for_two))}); make a file of each."
        )
    elif for_two and file.solo:
        yield (
            f"solo is for one player, but {for_two[0]} is for two players; name pairs in matchups, "
            "round_robin, panel or sweep."
        )
    elif for_one:
        yield from _misfits_of_one(file, for_one[0])


def _misfits_of_one(file: File, game: str) -> Iterator[str]:
    """Yield an error for every key that a solitaire game does not have."""
    for key in FOR_TWO:
        if getattr(file, key):
            yield (
                f"{key} is for two players, but {game} is for one player; name who plays alone in "
                "solo or a sweep."
            )
    if file.sprt is not None:
        yield (
            f"sprt tells two players apart, but {game} is for one player; give until, for or deals."
        )
    if file.sweep is not None and file.sweep.against is not None:
        yield f"sweep, against is for two players, but {game} is for one player; leave it out."


def _known(location: toml.Location) -> list[str]:
    """Return the valid keys at the location of an unknown key."""
    tables: dict[str, type[toml.Table]] = {"matchups": Pair, "panel": Panel, "sweep": Sweep}
    tables["fields"] = PlayedField
    table = tables.get(str(location[0]), File) if len(location) > 1 else File
    return [field.alias or name for name, field in table.model_fields.items()]

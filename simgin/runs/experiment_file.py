"""The form of an experiment file: one question in TOML, read with every mistake reported at once.

question = "Does waiting for gin pay?"
hypothesis = "It does under 25/25." # what you expect, in words; optional
variants = ["eaai"]              # text forms; default: standard
seed = 1
deals = "200k"                   # or matches = ...; default: 100,000 deals (league: 5,000 matches)
until = "0.1%"                   # or sprt = [0, 10], or for = "30s"; then deals is the most
base = "simple"                  # what the others are compared with; default: the first
round_robin = ["simple", "gold"] # each against each other
[[matchups]]                     # and these pairs
a = "gin-only"
b = "simple"
[panel]                          # and each of these against one
strategies = ["gold", "stubborn"]
against = "simple"
[sweep]                          # and every combination of the lists
strategy = "simple+knock=at:k={k}"
grid.k = [0, 2, 4]
[[fields]]                       # and each of changes = ["knock=early", ...], made by this player
strategy = "gold"                # against this one; default: itself
against = "simple"

For one player there are only sweeps and solo = ["gold", "gin-only"]: each of them alone.
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

MOST = 10_000  # combinations
TOLD = 3  # combinations of a text that name nothing, before the others are only counted
_PLACE = re.compile(r"\{([^{}]*)\}")


def _word(value: object) -> str:
    """A value of a grid as the text forms write it."""
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
    """One combination in canonical texts; None where the sweep names no variant or opponent."""

    variant: str | None
    strategy: str
    against: str | None


class Sweep(toml.Table):
    """The sweep of a file: texts with places like {k}, and the values of every place, as text."""

    strategy: str
    against: str | None = None
    variant: str | None = None
    grid: Annotated[
        dict[str, Annotated[list[Annotated[str, PlainValidator(_word)]], Field(min_length=1)]],
        Field(min_length=1),
    ]

    def points(self) -> list[Point]:
        """Every combination once, in the order of the file, the last list running fastest.

        The sweep has no faults.
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
    """A sentence for everything that keeps a sweep from being laid out.

    The sentences go on from the name of the file.
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
    """The canonical text of a variant; ValueError with its sentences if it names none."""
    return variants.find(text).text


def strategy_text(text: str) -> str:
    """The canonical text of a strategy; ValueError with a sentence if it names none."""
    return loader.find(text).text


_FINDERS: dict[str, Callable[[str], str]] = {
    "variant": variant_text,
    "strategy": strategy_text,
    "against": strategy_text,
}


def _texts(sweep: Sweep) -> dict[str, str]:
    """The texts of a sweep by their keys."""
    texts = {"variant": sweep.variant, "strategy": sweep.strategy, "against": sweep.against}
    return {key: text for key, text in texts.items() if text is not None}


def _nameless(key: str, text: str, grid: Mapping[str, list[str]]) -> Iterator[str]:
    """A sentence for each of the first combinations that name nothing, and one for the rest."""
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
    """The names in braces, each once."""
    return list(dict.fromkeys(_PLACE.findall(text)))


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda place: values[place[1]], text)


# The keys that name players of games for two
FOR_TWO = ("matchups", "round_robin", "panel", "fields")
ENDS = ("until", "sprt", "for")  # the keys that say when to stop, other than a count


class ExperimentError(toml.TomlError):
    """An experiment file that cannot be used; one sentence for every mistake, a line each."""


def _either(text: str) -> str:
    """A text that names a variant or a strategy, as written."""
    if not canonical(text):
        raise ValueError(
            f"{shown(text)} names neither a variant nor a strategy; name one of those that are "
            "compared."
        )
    return text


def canonical(text: str) -> list[str]:
    """What a text names, a variant or a strategy or both, in canonical form."""
    found = []
    for finder in (variant_text, strategy_text):
        with contextlib.suppress(ValueError):
            found.append(finder(text))
    return found


def _change(text: str) -> str:
    """A change of a strategy, as its text has it: slot=policy."""
    strategy_text(f"simple+{text}")
    return text


VariantText = Annotated[str, AfterValidator(variant_text)]
StrategyText = Annotated[str, AfterValidator(strategy_text)]
Count = Annotated[int, BeforeValidator(parse_count)]


class Pair(toml.Table):
    """Two strategies that meet."""

    a: StrategyText
    b: StrategyText = "simple"


class Panel(toml.Table):
    """Several strategies, each of which meets the same opponent."""

    strategies: Annotated[list[StrategyText], Field(min_length=1)]
    against: StrategyText = "simple"


class PlayedField(toml.Table):
    """Who tries the changes, and what the others play: the same if `against` is left out."""

    strategy: StrategyText
    against: StrategyText | None = None


class File(toml.Table):
    """The keys of an experiment file."""

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
        """What is played; a league ranks by matches unless the file says deals."""
        is_league = self.round_robin is not None and self.deals is None
        return "match" if self.matches is not None or is_league else "deal"


def read(path: Path) -> File:
    """What an experiment file says.

    Raises ExperimentError with a sentence for every mistake that shows before it is laid out.
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
    """A sentence for every two keys that do not go together."""
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
    """A sentence for everything that keeps the players from fitting the variants."""
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
    """A sentence for every key that a game for one player has no use for."""
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
    """The keys that may stand where an unknown one does."""
    tables: dict[str, type[toml.Table]] = {"matchups": Pair, "panel": Panel, "sweep": Sweep}
    tables["fields"] = PlayedField
    table = tables.get(str(location[0]), File) if len(location) > 1 else File
    return [field.alias or name for name, field in table.model_fields.items()]

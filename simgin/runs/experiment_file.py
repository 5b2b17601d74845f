"""The form of an experiment file: one question in TOML, read with every mistake reported at once.

question = "Does waiting for gin pay?"
hypothesis = "It does under 25/25." # what you expect, in words; optional
variants = ["eaai"]              # text forms; default: standard
seed = 1
deals = "200k"                   # or matches = ...; default: 100,000 deals
until = "0.1%"                   # or sprt = [0, 10], or for = "30s"; then deals is the most
base = "simple"                  # what the others are compared with; default: the first
round_robin = ["simple", "gold"] # each against each other
[[matchups]]                     # and these pairs
a = "gin-only"
b = "simple"
[panel]                          # and each of these against one
strategies = ["gold", "stubborn"]
against = "simple"
[sweep]                          # and every combination of the lists; see simgin.runs.sweep
strategy = "simple+knock=at:k={k}"
grid.k = [0, 2, 4]
[[fields]]                       # and each of changes = ["knock=early", ...], made by this player
strategy = "gold"                # against this one; default: itself
against = "simple"

For one player there are only sweeps and solo = ["gold", "gin-only"]: each of them alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, ValidationError

from simgin.rules import variants
from simgin.runs import sweep
from simgin.runs.sweep import Sweep, strategy_text, variant_text
from simgin.text import amounts, examples, toml
from simgin.text.amounts import parse_count
from simgin.text.messages import shown

FOR_TWO = (
    "matchups",
    "round_robin",
    "panel",
    "fields",
)  # the keys that name players of games for two
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


def read(path: Path) -> File:
    """What an experiment file says.

    Raises ExperimentError with a sentence for every mistake that shows before it is laid out.
    """
    try:
        raw = toml.read_tables(path, examples.remedy(path))
    except toml.TomlError as error:
        raise ExperimentError(error.sentences) from None
    conflicts = [f"{path}: {sentence}" for sentence in _conflicts(raw)]
    try:
        file = File.model_validate(raw)
    except ValidationError as error:
        raise ExperimentError(toml.describe_mistakes(path, error, _known) + conflicts) from None
    if conflicts:
        raise ExperimentError(conflicts)
    return file


def _conflicts(raw: dict[str, Any]) -> list[str]:
    """Mistakes that no single key makes."""
    swept = _sweep(raw)
    faults = [] if swept is None else sweep.faults(swept)
    sentences = list(faults)
    if "deals" in raw and "matches" in raw:
        sentences.append("deals and matches are both given; keep one of them.")
    if len(ends := [key for key in ENDS if key in raw]) > 1:
        sentences.append(f"{' and '.join(ends)} are given together; keep one of them.")
    if swept is not None and swept.variant is not None and "variants" in raw:
        sentences.append("variants and the variant of the sweep are both given; keep one of them.")
    if bool(raw.get("changes")) != bool(raw.get("fields")):
        sentences.append(
            "changes are tried in fields; give both, or neither: changes = [...] and [[fields]]."
        )
    if not any(raw.get(key) for key in (*FOR_TWO, "solo", "sweep")):
        sentences.append(
            "nobody plays; give [[matchups]] with a and b, a round_robin list, a panel or a sweep; "
            "for one player a solo list."
        )
    return sentences + list(_misfits(raw, list(_games(raw, None if faults else swept))))


def _misfits(raw: dict[str, Any], games: Sequence[variants.Variant]) -> Iterator[str]:
    """A sentence for every key whose players do not fit the variants."""
    alone, others = (
        list(dict.fromkeys(game.text for game in games if (game.row["players"] == 1) is one))
        for one in (True, False)
    )
    if alone and others:
        yield (
            f"variants has games for one player ({', '.join(alone)}) and for two "
            f"({', '.join(others)}); make a file of each."
        )
        return
    said = f"{alone[0]} is for one player; name who plays alone in solo or a sweep" if alone else ""
    if others:
        said = (
            f"{others[0]} is for two players; name pairs in matchups, round_robin, panel or sweep"
        )
    for key in FOR_TWO if alone else ("solo",) if others else ():
        if raw.get(key):
            yield f"{key} is for {'two players' if alone else 'one player'}, but {said}."
    if alone and "sprt" in raw:
        yield (
            f"sprt tells two players apart, but {alone[0]} is for one player; give until, for or "
            "deals."
        )
    if alone and (swept := _sweep(raw)) is not None and swept.against is not None:
        yield f"sweep, against is for two players, but {alone[0]} is for one player; leave it out."


def _sweep(raw: dict[str, Any]) -> Sweep | None:
    """The sweep of a file if it has a sound form; faults of form are reported elsewhere."""
    with contextlib.suppress(ValidationError):
        return Sweep.model_validate(raw["sweep"]) if "sweep" in raw else None
    return None


def _games(raw: dict[str, Any], swept: Sweep | None) -> Iterator[variants.Variant]:
    """The games among what a file gives for variants; what names none is reported elsewhere."""
    texts = raw.get("variants", ["standard"])
    if "variant" in (raw["sweep"] if isinstance(raw.get("sweep"), dict) else {}):
        texts = [point.variant for point in sweep.points(swept)] if swept is not None else []
    for text in texts if isinstance(texts, list) else []:
        with contextlib.suppress(variants.VariantError):
            if isinstance(text, str):
                yield variants.find(text)


def _known(location: toml.Location) -> list[str]:
    """The keys that may stand where an unknown one does."""
    inner: dict[str, type[toml.Table]] = {
        "matchups": Pair,
        "panel": Panel,
        "sweep": Sweep,
        "fields": PlayedField,
    }
    fields = (inner.get(str(location[0]), File) if len(location) > 1 else File).model_fields
    return [field.alias or name for name, field in fields.items()]

"""The form of a run's manifest: what findings rest on, checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from simgin.text.amounts import MOST_UNITS, SEEDS
from simgin.text.messages import shown

Units = Annotated[int, Field(ge=1, le=2 * MOST_UNITS)]
Share = Annotated[float, Field(ge=0, le=1)]
Place = Annotated[int, Field(ge=0)]  # of a cell


class Part(BaseModel):
    """A table of a manifest whose values are not converted; what else is in it stays."""

    model_config = ConfigDict(extra="allow", strict=True)


class Known(BaseModel):
    """A table of a manifest that has these keys and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


class EndedCell(Known):
    """A cell and how it ended."""

    variant: str
    a: str
    b: str
    n: Units
    units: Units
    stopped: str
    multiplier: Annotated[float, Field(gt=0, le=100)] | None


class ChiSquare(Part):
    """A test of homogeneity; nothing where it is undefined."""

    chi_square: float | None
    df: float
    p: Share | None
    largest_residual: float | None


class Workers(ChiSquare):
    """The same test over those who played."""

    names: list[str]


class CellHealth(Known):
    """How alike the batches of a cell are."""

    metric: str
    batches: ChiSquare
    workers: Workers
    played_again: int = 0


class Review(Known):
    """The request of a review."""

    variants: Annotated[list[str], Field(min_length=1)]
    base: str | None
    deep: bool
    matches: Units
    seed: Annotated[int, Field(ge=0, lt=SEEDS)]


class Manifest(Part):
    """The keys of a manifest that findings rest on."""

    command: str
    engine: str
    question: str | None
    hypothesis: str | None
    stop: str | None
    seed: Annotated[int, Field(ge=0, lt=SEEDS)]
    unit: Literal["deal", "match"]
    matchups: Annotated[list[EndedCell], Field(min_length=1)]
    variants: dict[str, dict[str, Any]]
    strategies: dict[str, dict[str, Any]]
    contrasts: list[Annotated[list[Place], Field(min_length=2, max_length=2)]]
    effects: list[Annotated[list[str], Field(min_length=4, max_length=4)]] = []
    health: list[CellHealth]
    names: dict[str, str] = {}
    review: Review | None = None


def fault(contents: Mapping[str, Any]) -> str:
    """The first thing that is wrong with a manifest, in a few words; empty if nothing is."""
    try:
        found = Manifest.model_validate(contents)
    except ValidationError as error:
        mistake = error.errors(include_url=False)[0]
        place = ", ".join(map(str, mistake["loc"]))
        if mistake["type"] == "missing":
            return f"{place} is missing"
        return f"{place} is {shown(mistake['input'])}"
    cells = len(found.matchups)
    if len(found.health) not in (0, cells):
        return f"health has {len(found.health)} entries for {cells} matchups"
    for pair in found.contrasts:
        if max(pair) >= cells:
            return f"contrasts has {max(pair)}, and the matchups end with {cells - 1}"
    met = set()
    for end in found.matchups:
        if end.variant not in found.variants:
            return f"variants lacks {shown(end.variant)}"
        met |= {(end.variant, end.a, end.b), (end.variant, end.b, end.a)}
    return _effect_fault(found, met)


def _effect_fault(found: Manifest, met: set[tuple[str, str, str]]) -> str:
    """The first effect between players who did not meet; met: variant and players."""
    variants = {end.variant for end in found.matchups}
    for _, strategy, base, opponent in found.effects:
        players = {strategy, base} if base != opponent else {strategy}
        for variant in variants:
            for player in players:
                if (variant, player, opponent) not in met:
                    return f"effects has {shown(player)} v {shown(opponent)}, who did not meet"
    return ""

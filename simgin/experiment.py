"""An experiment: one question in one TOML file, read with every mistake reported at once, and laid out as cells.

question = "Does waiting for gin pay?"
variants = ["eaai"]              # text forms; default: standard
seed = 1
deals = "200k"                   # or matches = ...; default: 100,000 deals
round_robin = ["simple", "gold"] # each against each other
[[matchups]]                     # and these pairs
a = "gin-only"
b = "simple"
[panel]                          # and each of these against one
strategies = ["gold", "stubborn"]
against = "simple"

Games for one player have none of these but solo = ["gold", "gin-only"]: each of them alone.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from simgin import forms, loader, variants
from simgin.counts import CountError, count
from simgin.matchup import Matchup

__all__ = ["Cell", "CountError", "Experiment", "ExperimentError", "cells", "count", "read"]

DEFAULT_DEALS = 100_000
SEEDS = 2**64
FOR_TWO = ("matchups", "round_robin", "panel")  # the keys that name players of games for two


class ExperimentError(forms.FormError):
    """An experiment file that cannot be used; one sentence for every mistake, a line each."""


@dataclass(frozen=True)
class Experiment:
    """A checked experiment. Texts are canonical; `pairs` has no pair twice."""

    name: str  # the file's name without its ending
    question: str
    variants: tuple[str, ...]
    pairs: tuple[tuple[str, str | None], ...]  # of games for one player: (strategy, None)
    seed: int
    unit: Literal["deal", "match"]
    n: int  # deals or matches of every cell


@dataclass(frozen=True)
class Cell:
    """One matchup of an experiment and how many deals or matches it is to play."""

    matchup: Matchup
    n: int


def _variant(text: str) -> str:
    return variants.find(text).text


def _strategy(text: str) -> str:
    return loader.find(text).text


def _seed(number: int) -> int:
    if not 0 <= number < SEEDS:
        raise ValueError("the seed must lie between 0 and 2^64 - 1.")
    return number


VariantText = Annotated[str, AfterValidator(_variant)]
StrategyText = Annotated[str, AfterValidator(_strategy)]
Count = Annotated[int, BeforeValidator(count)]


class _Pair(forms.Form):
    a: StrategyText
    b: StrategyText = "simple"


class _Panel(forms.Form):
    strategies: Annotated[list[StrategyText], Field(min_length=1)]
    against: StrategyText = "simple"


class _File(forms.Form):
    question: Annotated[str, Field(min_length=1)]
    variants: Annotated[list[VariantText], Field(min_length=1, default_factory=lambda: ["standard"])]
    seed: Annotated[int, AfterValidator(_seed)] = 1
    deals: Count | None = None
    matches: Count | None = None
    matchups: Annotated[list[_Pair], Field(default_factory=list)]
    round_robin: Annotated[list[StrategyText], Field(min_length=2)] | None = None
    panel: _Panel | None = None
    solo: Annotated[list[StrategyText], Field(min_length=1)] | None = None


def read(path: str | Path) -> Experiment:
    """The experiment in a TOML file. Raises ExperimentError with one sentence for every mistake in it."""
    path = Path(path)
    try:
        raw = forms.toml(path, "name an experiment file")
        file = _File.model_validate(raw)
    except forms.FormError as error:
        raise ExperimentError(error.sentences) from None
    except ValidationError as error:
        raise ExperimentError(forms.mistakes(path, error, _known) + _conflicts(path, raw)) from None
    if conflicts := _conflicts(path, raw):
        raise ExperimentError(conflicts)
    return Experiment(
        name=path.stem,
        question=file.question,
        variants=tuple(dict.fromkeys(file.variants)),
        pairs=tuple(_pairs(file)),
        seed=file.seed,
        unit="deal" if file.matches is None else "match",
        n=file.matches or file.deals or DEFAULT_DEALS,
    )


def cells(experiment: Experiment) -> list[Cell]:
    """The cells in the order of tables: variant by variant, pair by pair."""
    rules = {text: variants.find(text) for text in experiment.variants}
    players = {text: loader.find(text) for text in itertools.chain.from_iterable(experiment.pairs) if text}
    return [
        Cell(Matchup(rules[variant], players[a], players.get(b or ""), experiment.seed, experiment.unit), experiment.n)
        for variant in experiment.variants
        for a, b in experiment.pairs
    ]


def _pairs(file: _File) -> Iterable[tuple[str, str | None]]:
    """Explicit pairs, the round robin, the panel, and who plays alone; a pair met again, in either order, is left out."""
    named: list[tuple[str, str | None]] = [(pair.a, pair.b) for pair in file.matchups]
    named += itertools.combinations(dict.fromkeys(file.round_robin or []), 2)
    if file.panel is not None:
        named += [(strategy, file.panel.against) for strategy in file.panel.strategies]
    named += [(strategy, None) for strategy in file.solo or []]
    unique: dict[frozenset[str | None], tuple[str, str | None]] = {}
    for pair in named:
        unique.setdefault(frozenset(pair), pair)
    return unique.values()


def _conflicts(path: Path, raw: dict[str, Any]) -> list[str]:
    """Mistakes that no single key makes."""
    sentences = []
    if "deals" in raw and "matches" in raw:
        sentences.append(f"{path}: deals and matches are both given; keep one of them.")
    if not any(raw.get(key) for key in (*FOR_TWO, "solo")):
        sentences.append(
            f"{path}: nobody plays; give [[matchups]] with a and b, a round_robin list or a panel; for one player a solo list."
        )
    return sentences + [f"{path}: {sentence}" for sentence in _misfits(raw)]


def _misfits(raw: dict[str, Any]) -> Iterator[str]:
    """Games and players that do not go together: one sentence for every key that names the players of other games."""
    games = list(_games(raw.get("variants", ["standard"])))
    alone, others = ([game.text for game in games if (game.row["players"] == 1) is one] for one in (True, False))
    if alone and others:
        yield f"variants has games for one player ({', '.join(alone)}) and for two ({', '.join(others)}); make a file of each."
        return
    said = f"{alone[0]} is for one player; name who plays alone in solo" if alone else ""
    if others:
        said = f"{others[0]} is for two players; name pairs in matchups, round_robin or panel"
    for key in FOR_TWO if alone else ("solo",) if others else ():
        if raw.get(key):
            yield f"{key} is for {'two players' if alone else 'one player'}, but {said}."


def _games(texts: Any) -> Iterator[variants.Variant]:
    """The games among what a file gives for variants; what names none is reported elsewhere."""
    for text in texts if isinstance(texts, list) else []:
        with contextlib.suppress(variants.VariantError):
            if isinstance(text, str):
                yield variants.find(text)


def _known(location: forms.Location) -> list[str]:
    """The keys that may stand where an unknown one does."""
    inner: dict[str, type[forms.Form]] = {"matchups": _Pair, "panel": _Panel}
    return list((inner.get(str(location[0]), _File) if len(location) > 1 else _File).model_fields)

"""An experiment: what a file asks (see `simgin.runs.experiment_file`), laid out as cells, and which of them are compared with each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs import experiment_file, sweep
from simgin.runs.experiment_file import SEEDS, ExperimentError, File
from simgin.strategy import loader
from simgin.text import amounts
from simgin.text.amounts import AmountError, count
from simgin.text.messages import shown

__all__ = [
    "SEEDS",
    "AmountError",
    "Cell",
    "Experiment",
    "ExperimentError",
    "cells",
    "contrasts",
    "count",
    "read",
]

DEFAULT_DEALS = 100_000
# Of a cell that is played until it is precise enough or decided, unless the file says otherwise
MOST_DEALS = 10_000_000
SERIES = ("panel", "sweep", "solo")  # the keys that name strategies to be compared with each other

Named = tuple[str, str, str | None]  # variant, A, B; of games for one player B is None


@dataclass(frozen=True)
class Experiment:
    """A checked experiment. Texts are canonical; `cells` has no matchup twice, not with its sides exchanged either."""

    name: str  # the file's name without its ending
    question: str
    cells: tuple[Named, ...]  # in the order of tables: variant by variant, pair by pair
    seed: int = 1
    unit: Literal["deal", "match"] = "deal"
    # Deals or matches of every cell; with until, sprt or seconds the most of them
    n: int = DEFAULT_DEALS
    # Half-width of the 95 % limits: "0.1%" of the share won, or points per deal
    until: str | float | None = None
    sprt: tuple[float, float] | None = None  # Elo differences to tell apart
    seconds: float | None = None  # time for every cell
    hypothesis: str | None = None
    # The variant or strategy that others are compared with; None: the first
    base: str | None = None
    series: tuple[
        tuple[Named, ...], ...
    ] = ()  # cells whose strategies are compared with each other


@dataclass(frozen=True)
class Cell:
    """One matchup of an experiment and how many deals or matches it is to play."""

    matchup: Matchup
    n: int


def read(path: str | Path) -> Experiment:
    """The experiment in a TOML file. Raises ExperimentError with one sentence for every mistake in it."""
    path = Path(path)
    found = _laid_out(path.stem, experiment_file.read(path))
    if faults := [f"{path}: {sentence}" for sentence in _faults(found)]:
        raise ExperimentError(faults)
    return found


def cells(experiment: Experiment) -> list[Cell]:
    """The cells in the order of tables, ready to be played."""
    rules = {variant: variants.find(variant) for variant, _, _ in experiment.cells}
    players = {text: loader.find(text) for _, *pair in experiment.cells for text in pair if text}
    return [
        Cell(
            Matchup(
                rules[variant], players[a], players.get(b or ""), experiment.seed, experiment.unit
            ),
            experiment.n,
        )
        for variant, a, b in experiment.cells
    ]


def contrasts(experiment: Experiment) -> list[tuple[int, int]]:
    """What is compared: the numbers of a cell and of its base, which is alike but for the strategy, or but for the variant.

    Strategies are compared within a panel, a sweep or a solo list, where the opponent is the same; variants wherever the same
    two play. No two cells are compared twice, and nobody with a strategy that plays itself: what that wins is one half without playing.
    """
    number = {cell: i for i, cell in enumerate(experiment.cells)}
    pairs = [
        pair
        for series in experiment.series
        for pair in _against(series, 1, experiment.base)
        if not any(map(_alike, pair))
    ]
    pairs += _against(experiment.cells, 0, experiment.base)
    unique = {frozenset(pair): pair for pair in reversed(pairs)}
    return [(number[cell], number[base]) for cell, base in reversed(unique.values())]


def _against(group: Sequence[Named], part: int, base: str | None) -> Iterator[tuple[Named, Named]]:
    """Each cell and the one that it is compared with: alike but for one part, 0 the variant or 1 the strategy."""
    named = base if any(cell[part] == base for cell in group) else None
    alike: dict[tuple[str | None, ...], list[Named]] = {}
    for cell in group:
        alike.setdefault((*cell[:part], *cell[part + 1 :]), []).append(cell)
    for some in alike.values():
        first = next(
            (
                cell
                for cell in some
                if cell[part] == named or (named is None and not (part == 1 and _alike(cell)))
            ),
            None,
        )
        yield from ((cell, first) for cell in some if first is not None and cell != first)


def _alike(cell: Named) -> bool:
    """Whether a strategy plays itself."""
    return cell[1] == cell[2]


def _laid_out(name: str, file: File) -> Experiment:
    named = list(_named(file))
    unique: dict[tuple[str, frozenset[str | None]], Named] = {}
    for _, cell in named:
        unique.setdefault((cell[0], frozenset(cell[1:])), cell)
    kept = set(unique.values())
    series = [
        tuple(dict.fromkeys(cell for source, cell in named if source == key and cell in kept))
        for key in SERIES
    ]
    return Experiment(
        name=name,
        question=file.question,
        cells=tuple(unique.values()),
        seed=file.seed,
        unit="deal" if file.matches is None else "match",
        n=file.matches or file.deals or _default(file),
        until=file.until,
        sprt=file.sprt,
        seconds=file.seconds,
        hypothesis=file.hypothesis,
        base=_base(file.base, unique.values()),
        series=tuple(filter(None, series)),
    )


def _default(file: File) -> int:
    """Deals of a cell where the file gives no count; where time alone ends a cell, as many as a count can say."""
    if file.seconds is not None:
        return amounts.MOST
    return DEFAULT_DEALS if file.until is None and file.sprt is None else MOST_DEALS


def _named(file: File) -> Iterator[tuple[str, Named]]:
    """Every cell that a file names and the key that names it, variant by variant."""
    swept: dict[str | None, list[sweep.Point]] = {}
    for point in sweep.points(file.sweep) if file.sweep else []:
        swept.setdefault(point.variant, []).append(point)
    for variant in list(filter(None, swept)) or dict.fromkeys(file.variants):
        yield from (("matchups", (variant, pair.a, pair.b)) for pair in file.matchups)
        yield from (
            ("round_robin", (variant, a, b))
            for a, b in itertools.combinations(dict.fromkeys(file.round_robin or []), 2)
        )
        if file.panel is not None:
            yield from (
                ("panel", (variant, strategy, file.panel.against))
                for strategy in file.panel.strategies
            )
        yield from (("solo", (variant, strategy, None)) for strategy in file.solo or [])
        opponent = None if variants.find(variant).row["players"] == 1 else "simple"
        points = swept.get(variant) or swept.get(None, [])
        yield from (
            ("sweep", (variant, point.strategy, point.against or opponent)) for point in points
        )


def _base(text: str | None, found: Iterable[Named]) -> str | None:
    """The base in the form in which the cells name it; as written if none does."""
    texts = {part for variant, a, _ in found for part in (variant, a)}
    return text and next((one for one in experiment_file.canonical(text) if one in texts), text)


def _faults(found: Experiment) -> Iterator[str]:
    """Mistakes that show only when everything is laid out."""
    games, players = ({cell[part] for cell in found.cells} for part in (0, 1))
    if found.base is not None and found.base not in games | players:
        yield f"base: {shown(found.base)} is not played here; name one of the variants or strategies of this file."
    if found.sprt is not None:
        for a in dict.fromkeys(a for _, a, b in found.cells if a == b):
            yield f"sprt tells two strategies apart, but {a} plays itself; leave out that pair, or sprt."

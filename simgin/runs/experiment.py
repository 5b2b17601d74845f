"""An experiment: the cells that its file lays out, and which of them are compared with each other.

`simgin.runs.experiment_file` reads the file. It is imported where a file is read: what it is
written with, pydantic, takes a while to load, and a match needs none of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from simgin.core.cell import Cell
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.runs.block import Task
from simgin.strategy import loader
from simgin.text import amounts, examples
from simgin.text.messages import shown

if TYPE_CHECKING:
    from simgin.runs.experiment_file import File, Point

DEFAULT_DEALS = 100_000
DEFAULT_MATCHES = 5_000
# For a cell that is played until it is precise enough or decided, unless the file says otherwise
MOST_DEALS = 10_000_000
SERIES = ("panel", "sweep", "solo")  # the keys whose strategies are compared with each other

Source = tuple[str, Cell]  # the key of the file that names a cell, and the cell


class Effect(NamedTuple):
    """A change in a field, in canonical texts."""

    change: str  # as strategies have it in their texts: "discard=high-first"
    strategy: str  # the player who makes the change
    base: str  # the player who does not
    opponent: str

    @property
    def field(self) -> str:
        """The field in words: "gold" where all play gold, or "gold v simple"."""
        if self.base == self.opponent:
            return self.base
        return f"{self.base} v {self.opponent}"


@dataclass(frozen=True)
class Experiment:
    """A checked experiment. No matchup is there twice, not with its sides exchanged either."""

    name: str  # the file's name without its ending
    question: str
    cells: tuple[Cell, ...]  # in the order of tables: variant by variant, pair by pair
    # Deals or matches of every cell; with until, sprt or seconds the most of them
    n: int = DEFAULT_DEALS
    # Half-width of the 95 % limits: "0.1%" of the share won, or points per deal
    until: str | float | None = None
    sprt: tuple[float, float] | None = None  # two differences in Elo to decide between
    seconds: float | None = None  # time for every cell
    hypothesis: str | None = None
    # The variant or strategy that others are compared with; None: the first
    base: str | None = None
    # Cells whose strategies are compared with each other
    series: tuple[tuple[Cell, ...], ...] = ()
    effects: tuple[Effect, ...] = ()  # every change in every field


def read(path: str | Path, seed: int | None = None) -> Experiment:
    """The experiment in a TOML file, or the one of that name; `seed` replaces the file's.

    Raises ExperimentError with a sentence for every mistake in the file.
    """
    from simgin.runs import experiment_file

    path = examples.experiment_file(path)
    file = experiment_file.read(path)
    if seed is None:
        seed = file.seed
    experiment = _laid_out(path.stem, file, seed)
    faults = [f"{path}: {sentence}" for sentence in _faults(experiment)]
    if faults:
        raise experiment_file.ExperimentError(faults)
    return experiment


def tasks(experiment: Experiment) -> list[Task]:
    """The cells in the order of tables, ready to be played."""
    found = {cell.variant: variants.find(cell.variant) for cell in experiment.cells}
    players = {text: loader.find(text) for cell in experiment.cells for text in cell.players}
    laid_out = []
    for cell in experiment.cells:
        a, b = players[cell.a], players.get(cell.b)
        matchup = Matchup(found[cell.variant], a, b, cell.seed, cell.unit)
        laid_out.append(Task(matchup, experiment.n))
    return laid_out


def contrasts(experiment: Experiment) -> list[tuple[int, int]]:
    """What is compared: the places of a cell and of its base, alike but for strategy or variant.

    Strategies are compared within a panel, a sweep or a solo list, where the opponent is the same;
    variants wherever the same two play. No two cells are compared twice, and nobody with a strategy
    that plays itself: it wins one half without playing.
    """
    place = {cell: i for i, cell in enumerate(experiment.cells)}
    pairs: list[tuple[Cell, Cell]] = []
    for series in experiment.series:
        compared = _against(series, "a", experiment.base)
        pairs += [pair for pair in compared if all(cell.a != cell.b for cell in pair)]
    pairs += _against(experiment.cells, "variant", experiment.base)
    unique = {frozenset(pair): pair for pair in reversed(pairs)}
    return [(place[cell], place[base]) for cell, base in reversed(unique.values())]


def _against(
    group: Sequence[Cell], field: Literal["variant", "a"], base: str | None
) -> Iterator[tuple[Cell, Cell]]:
    """Each cell and the one that it is compared with, which is alike but for one field.

    That is the one with the base, if any cell has it, or else the first that can be.
    """
    is_named = any(getattr(cell, field) == base for cell in group)
    groups: dict[Cell, list[Cell]] = {}
    for cell in group:
        rest = replace(cell, variant="") if field == "variant" else replace(cell, a="")
        groups.setdefault(rest, []).append(cell)
    for alike in groups.values():
        if is_named:
            bases = [cell for cell in alike if getattr(cell, field) == base]
        else:
            bases = [cell for cell in alike if field == "variant" or cell.a != cell.b]
        for cell in alike:
            if bases and cell != bases[0]:
                yield cell, bases[0]


def _laid_out(name: str, file: File, seed: int) -> Experiment:
    sources = list(_sources(file, seed))
    unique: dict[tuple[str, frozenset[str]], Cell] = {}
    for _, cell in sources:
        unique.setdefault((cell.variant, frozenset((cell.a, cell.b))), cell)
    kept = set(unique.values())
    series = []
    for key in SERIES:
        compared = (cell for source, cell in sources if source == key and cell in kept)
        series.append(tuple(dict.fromkeys(compared)))
    size = default_size(file.until, file.sprt, file.seconds, file.unit)
    return Experiment(
        name=name,
        question=file.question,
        cells=tuple(unique.values()),
        n=file.matches or file.deals or size,
        until=file.until,
        sprt=file.sprt,
        seconds=file.seconds,
        hypothesis=file.hypothesis,
        base=_base(file.base, unique.values()),
        series=tuple(filter(None, series)),
        effects=tuple(_effects(file)),
    )


def default_size(
    until: str | float | None,
    sprt: tuple[float, float] | None,
    seconds: float | None,
    unit: Literal["deal", "match"],
) -> int:
    """Deals or matches of a cell where no count is given, by what ends it."""
    if seconds is not None:
        return amounts.MOST_UNITS
    if until is not None or sprt is not None:
        return MOST_DEALS
    return DEFAULT_DEALS if unit == "deal" else DEFAULT_MATCHES


def _sources(file: File, seed: int) -> Iterator[Source]:
    """Every cell that a file names with the key that names it, variant by variant."""
    from simgin.runs import experiment_file

    points: dict[str | None, list[Point]] = {}
    for point in experiment_file.sweep_points(file.sweep) if file.sweep else []:
        points.setdefault(point.variant, []).append(point)
    for variant in list(filter(None, points)) or dict.fromkeys(file.variants):
        for key, a, b in _pairs(file, variant, points.get(variant) or points.get(None, [])):
            yield key, Cell(variant, a, b, seed, file.unit)


def _pairs(file: File, variant: str, swept: Sequence[Point]) -> Iterator[tuple[str, str, str]]:
    """Who plays whom under a variant, with the key that names them; B is empty for one player."""
    for pair in file.matchups:
        yield "matchups", pair.a, pair.b
    for a, b in itertools.combinations(dict.fromkeys(file.round_robin or []), 2):
        yield "round_robin", a, b
    if file.panel is not None:
        for strategy in file.panel.strategies:
            yield "panel", strategy, file.panel.against
    for effect in _effects(file):
        if effect.base != effect.opponent:
            yield "fields", effect.base, effect.opponent
        yield "fields", effect.strategy, effect.opponent
    for strategy in file.solo or []:
        yield "solo", strategy, ""
    opponent = "" if variants.find(variant).row["players"] == 1 else "simple"
    for point in swept:
        yield "sweep", point.strategy, point.against or opponent


def _effects(file: File) -> Iterator[Effect]:
    """Every change in every field, change by change.

    A change that changes nothing, or makes the player one of the others, is left out.
    """
    for change in dict.fromkeys(file.changes):
        for field in file.fields:
            opponent = field.against or field.strategy
            strategy = loader.find(f"{field.strategy}+{change}").text
            if strategy not in (field.strategy, opponent):
                yield Effect(change, strategy, field.strategy, opponent)


def _base(text: str | None, cells: Iterable[Cell]) -> str | None:
    """The base in the form in which the cells name it; as written if none does."""
    from simgin.runs import experiment_file

    if text is None:
        return None
    names = _names(cells)
    return next((name for name in experiment_file.canonical(text) if name in names), text)


def _names(cells: Iterable[Cell]) -> set[str]:
    """The variants of some cells, and the strategies of their A sides."""
    return {name for cell in cells for name in (cell.variant, cell.a)}


def _faults(experiment: Experiment) -> Iterator[str]:
    """Mistakes that show only when everything is laid out."""
    if not experiment.cells:
        yield (
            "nobody plays: all strategies of the round robin are one, or no change of the fields "
            "changes anything; name others."
        )
        return
    base = experiment.base
    if base is not None and base not in _names(experiment.cells):
        yield (
            f"base: {shown(base)} is not played here; "
            "name one of the variants or strategies of this file."
        )
    if experiment.sprt is not None:
        for a in dict.fromkeys([cell.a for cell in experiment.cells if cell.a == cell.b]):
            yield (
                f"sprt compares two strategies, but {a} plays itself; leave out that pair, or sprt."
            )

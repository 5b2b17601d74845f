"""A plan: what a run will play, when each cell ends, and what will be compared.

It is made of the texts of one matchup, or of an experiment file (`simgin.runs.experiment_file`).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from simgin.core import sums
from simgin.core.cell import Cell
from simgin.play.kernel import play
from simgin.play.matchup import Matchup, parse_matchup
from simgin.rules import variants
from simgin.runs import stopping
from simgin.runs.block import Task
from simgin.runs.manifest import run_identity
from simgin.runs.runner import Step
from simgin.stats import metrics
from simgin.stats.estimate import estimate_metric
from simgin.strategy import loader
from simgin.text import amounts, examples
from simgin.text.amounts import AmountError
from simgin.text.messages import shown

if TYPE_CHECKING:
    from simgin.runs.experiment_file import File, Point

PILOT_SECONDS = 0.02  # what a matchup is played for to estimate how long a run will take
DEFAULT_DEALS = 100_000
DEFAULT_MATCHES = 5_000
# For a cell that is played until it is precise enough or decided, unless the plan says otherwise
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
class Plan:
    """A run before it begins. All cells have one seed and one unit."""

    title: str
    tasks: tuple[Task, ...]
    # One for every cell, or none where the size or the time is fixed
    rules: tuple[stopping.Rule, ...] = ()
    seconds: float | None = None  # for every cell
    question: str | None = None
    hypothesis: str | None = None
    contrasts: tuple[tuple[int, int], ...] = ()  # a cell and its base, by their places
    effects: tuple[Effect, ...] = ()  # changes by field
    steps: tuple[Step, ...] = ()  # played beside the cells

    @property
    def seed(self) -> int:
        """The seed of every cell."""
        return self.tasks[0].matchup.seed

    @property
    def unit(self) -> Literal["deal", "match"]:
        """What every cell is played in."""
        return self.tasks[0].matchup.unit

    @property
    def matchups(self) -> list[Matchup]:
        """Who plays whom, cell by cell."""
        return [task.matchup for task in self.tasks]

    @property
    def cells(self) -> list[Cell]:
        """The same in texts."""
        return [matchup.cell for matchup in self.matchups]

    @property
    def stop(self) -> str | None:
        """The stopping rule in words; None for a fixed size or time.

        It is part of the run's identity: it may not change under way.
        """
        return "; ".join(dict.fromkeys(rule.text for rule in self.rules)) or None

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What the ledger of this run is known by."""
        plan = {"question": self.question, "hypothesis": self.hypothesis, "stop": self.stop}
        return run_identity(self.matchups, **plan)


def plan_matchup(
    a: str,
    b: str | None,
    variant: str,
    *,
    deals: int | str | None = None,
    matches: int | str | None = None,
    until: str | float | None = None,
    sprt: tuple[float, float] | None = None,
    seconds: float | None = None,
    seed: int = 1,
) -> Plan:
    """The plan of one matchup, from text forms and counts.

    At most one of until, sprt and seconds ends it; deals or matches is then the most to play.
    Raises AmountError for a count or a seed that is none.
    """
    if deals is not None and matches is not None:
        raise AmountError("deals and matches are both given; keep one of them.")
    if sum(end is not None for end in (until, sprt, seconds)) > 1:
        raise AmountError("until, sprt and a playing time each end a run; keep one of them.")
    unit: Literal["deal", "match"] = "deal" if matches is None else "match"
    given = deals if matches is None else matches
    size = _default_size(until, sprt, seconds, unit)
    n = size if given is None else amounts.parse_count(given)
    found = parse_matchup(a, b, variant, amounts.parse_seed(seed), unit)
    _warn_of_match_rules([found])
    return Plan(found.title, (Task(found, n),), _rules([found], until, sprt), seconds)


def _warn_of_match_rules(matchups: Sequence[Matchup]) -> None:
    for variant in dict.fromkeys(one.variant for one in matchups if one.unit == "deal"):
        variants.warn_of_match_rules(variant)


def _default_size(
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


def _rules(
    matchups: Sequence[Matchup], until: str | float | None, sprt: tuple[float, float] | None
) -> tuple[stopping.Rule, ...]:
    if until is not None:
        return tuple(stopping.until(until, matchup) for matchup in matchups)
    if sprt is not None:
        return tuple(stopping.sprt(*sprt, matchup) for matchup in matchups)
    return ()


def unit_seconds(matchup: Matchup) -> float:
    """Seconds that a unit takes on one processor here, from a few that are played and dropped."""
    return pilot(matchup)[0]


def pilot(matchup: Matchup) -> tuple[float, np.ndarray]:
    """Seconds that a unit takes on one processor here, and the batch rows of a few units.

    Time in which others had the processor does not count.
    """
    units = 1
    play(matchup, 0, units)  # the first call of a process takes longer
    while True:
        started = time.process_time()
        rows = play(matchup, 0, units)
        seconds = time.process_time() - started
        if seconds > PILOT_SECONDS or units >= matchup.batch:
            return seconds / units, rows
        units = min(matchup.batch, units * 8)


def deviations(matchup: Matchup) -> dict[str, float]:
    """Standard deviation of a unit's share won and points, by metric (`metrics.headline`).

    Measured in a pilot; where that is too short for an estimate, the nominal one of stopping rules.
    """
    total = pilot(matchup)[1].sum(axis=0)
    found = {}
    for name in metrics.headline(matchup.unit, len(matchup.players)):
        se = estimate_metric(total, metrics.BY_NAME[name]).se
        measured = se * math.sqrt(total[sums.UNITS])
        nominal = stopping.NOMINAL_SD.get(name, stopping.SHARE_SD)[matchup.mirrored]
        found[name] = measured if measured > 0 else nominal
    return found


# The plan of an experiment file


def plan_file(path: str | Path, seed: int | None = None) -> Plan:
    """The plan of an experiment file, or of the one of that name; `seed` replaces the file's.

    No matchup is there twice, not with its sides exchanged either; they stand in the order of
    tables: variant by variant, pair by pair. Raises ExperimentError with a sentence for every
    mistake in the file.
    """
    # Here: what it is written with, pydantic, takes a while to load, and a match needs none of it.
    from simgin.runs import experiment_file

    known = None if seed is None else amounts.parse_seed(seed)
    path = examples.experiment_file(path)
    file = experiment_file.read(path)
    sources = list(_sources(file, file.seed if known is None else known))
    unique: dict[tuple[str, frozenset[str]], Cell] = {}
    for _, cell in sources:
        unique.setdefault((cell.variant, frozenset((cell.a, cell.b))), cell)
    cells = list(unique.values())
    base = _base(file.base, cells)
    if faults := [f"{path}: {sentence}" for sentence in _faults(file, cells, base)]:
        raise experiment_file.ExperimentError(faults)
    size = _default_size(file.until, file.sprt, file.seconds, file.unit)
    n = file.matches or file.deals or size
    matchups = list(_matchups(cells))
    _warn_of_match_rules(matchups)
    return Plan(
        title=path.stem,
        tasks=tuple(Task(matchup, n) for matchup in matchups),
        rules=_rules(matchups, file.until, file.sprt),
        seconds=file.seconds,
        question=file.question,
        hypothesis=file.hypothesis,
        contrasts=tuple(_contrasts(sources, cells, base)),
        effects=tuple(_effects(file)),
    )


def _sources(file: File, seed: int) -> Iterator[Source]:
    """Every cell that a file names with the key that names it, variant by variant."""
    points: dict[str | None, list[Point]] = {}
    for point in file.sweep.points() if file.sweep else []:
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


def _faults(file: File, cells: Sequence[Cell], base: str | None) -> Iterator[str]:
    """Mistakes that show only when everything is laid out."""
    if not cells:
        yield (
            "nobody plays: all strategies of the round robin are one, or no change of the fields "
            "changes anything; name others."
        )
        return
    if base is not None and base not in _names(cells):
        yield (
            f"base: {shown(base)} is not played here; "
            "name one of the variants or strategies of this file."
        )
    if file.sprt is not None:
        for a in dict.fromkeys([cell.a for cell in cells if cell.a == cell.b]):
            yield (
                f"sprt compares two strategies, but {a} plays itself; leave out that pair, or sprt."
            )


def _matchups(cells: Sequence[Cell]) -> Iterator[Matchup]:
    """The cells ready to be played, each variant and strategy found once."""
    found = {cell.variant: variants.find(cell.variant) for cell in cells}
    players = {text: loader.find(text) for cell in cells for text in cell.players}
    for cell in cells:
        a, b = players[cell.a], players.get(cell.b)
        yield Matchup(found[cell.variant], a, b, cell.seed, cell.unit)


def _contrasts(
    sources: Sequence[Source], cells: Sequence[Cell], base: str | None
) -> list[tuple[int, int]]:
    """What is compared: the places of a cell and of its base, alike but for strategy or variant.

    Strategies are compared within a panel, a sweep or a solo list, where the opponent is the same;
    variants wherever the same two play. No two cells are compared twice, and nobody with a strategy
    that plays itself: it wins one half without playing.
    """
    place = {cell: i for i, cell in enumerate(cells)}
    pairs: list[tuple[Cell, Cell]] = []
    for key in SERIES:
        series = (cell for source, cell in sources if source == key and cell in place)
        compared = _against(list(dict.fromkeys(series)), "a", base)
        pairs += [pair for pair in compared if all(cell.a != cell.b for cell in pair)]
    pairs += _against(cells, "variant", base)
    unique = {frozenset(pair): pair for pair in reversed(pairs)}
    return [(place[cell], place[other]) for cell, other in reversed(unique.values())]


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

"""Results on a terminal of any width, printed with rich. Nothing is ever cut off."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simgin.report import numbers, summary, wrapping
from simgin.stats import metrics, table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console, ConsoleOptions, Group, RenderableType
    from rich.table import Table

# These columns fill one table of 80 characters; the deal outcomes fill another
FIRST = ("deal_win", "margin", "score", "match_win", "goal_met", "settlement", "turns")
NAME_WIDTH = 12  # characters of a name, or a fifth of the terminal, kept beside the numbers
GAP = 3  # characters between two columns
WIDE = 70  # characters; on wider terminals, meanings stand beside the values

Row = Mapping[str, str]


def results(frame: pd.DataFrame) -> Results:
    """The summary for rich: who wins, how deals end, how to read it."""
    return Results(frame)


@dataclass(frozen=True)
class Results:
    """The summary in tables that fit the terminal.

    Names are folded, and columns without room get a table of their own.
    """

    frame: pd.DataFrame

    def __rich_console__(
        self,
        _console: Console,
        options: ConsoleOptions,
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        rows = summary.texts(self.frame)
        yield Text(_heading(self.frame, rows), style="bold")
        for heading, label, part in _blocks(self.frame, rows):
            if heading:
                yield ""
                yield Text(heading, style="bold")
            for grid in _grids(part, label, options.max_width):
                yield ""
                yield grid
        yield Text(f"\n{summary.reading(self.frame)}")


def _heading(frame: pd.DataFrame, rows: list[dict[str, str]]) -> str:
    """What all rows have in common."""
    matchups = [rows for _, rows in table.matchups(frame)]
    size = summary.played(*matchups)
    first = rows[0]
    roles = summary.roles(frame)
    if len(rows) == 1:
        players = " against ".join(first[role] for role in roles)
        return f"{players}, {first['variant']}, {size}"
    common = []
    for name in ("variant", *roles):
        if len(_distinct(rows, name)) == 1:
            common.append(f"{name}: {first[name]}")
    common.append(f"{size} each")
    return "; ".join(common)


def _distinct(rows: Sequence[Row], name: str) -> list[str]:
    """The distinct texts of a column, in order of appearance."""
    return list(dict.fromkeys(row[name] for row in rows))


def _blocks(
    frame: pd.DataFrame,
    rows: list[dict[str, str]],
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """(heading, label of the names, rows): one block per variant; one if only variants differ."""
    roles = summary.roles(frame)
    variants = _distinct(rows, "variant")
    differing = [role for role in roles if len(_distinct(rows, role)) > 1]
    if not differing:
        label = "variant" if len(variants) > 1 else roles[0]
        yield "", label, frame
        return
    label = " v ".join(differing)
    for variant in variants:
        heading = variant if len(variants) > 1 else ""
        yield heading, label, frame[frame["variant"] == variant]


def _grids(part: pd.DataFrame, label: str, room: int) -> Iterator[Table]:
    """The tables of one block, none wider than `room`."""
    rows = summary.texts(part)
    columns = summary.shown_columns(part)
    label_roles = label.split(" v ")
    names = []
    for row in rows:
        players = [row[role] for role in label_roles]
        names.append(" v ".join(players))
    longest = _longest([label, *names])
    for titles in _packed_titles(columns, rows, longest, room):
        yield _grid(label, names, titles, rows, room)


def _packed_titles(
    columns: Sequence[summary.Column],
    rows: Sequence[Row],
    longest: int,
    room: int,
) -> list[list[str]]:
    """Column titles per table: results and outcomes apart, unless that takes more tables."""
    widths = {column.title: _width(column.title, rows) for column in columns}
    name_width = max(NAME_WIDTH, room // 5)
    left = room - min(longest, name_width)
    first = [column.title for column in columns if column.metric in FIRST]
    outcomes = [column.title for column in columns if column.metric not in FIRST]
    apart = _packed(first, widths, left) + _packed(outcomes, widths, left)
    together = _packed(first + outcomes, widths, left)
    return apart if len(apart) <= len(together) else together


def _packed(titles: list[str], widths: dict[str, int], room: int) -> list[list[str]]:
    """Titles in order, in as few lists as possible, each at most `room` characters wide."""
    lists: list[list[str]] = []
    taken = 0
    for title in titles:
        width = GAP + widths[title]
        if not lists or taken + width > room:
            lists.append([])
            taken = 0
        lists[-1].append(title)
        taken += width
    return lists


def _width(title: str, rows: Sequence[Row]) -> int:
    """The least width of a column that breaks lopsided intervals only, before the bracket."""
    lines = [title]
    for row in rows:
        lines += _broken(row[title]).split("\n")
    return _longest(lines)


def _broken(text: str) -> str:
    return text.replace(" (", "\n(")


def _longest(parts: list[str]) -> int:
    return max(map(len, parts))


def _grid(
    label: str,
    names: list[str],
    titles: list[str],
    rows: Sequence[Row],
    room: int,
) -> Table:
    from rich import box
    from rich.table import Table

    out = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    out.add_column(label, overflow="fold")
    broken_width = whole_width = 0
    for title in titles:
        least = _width(title, rows)
        out.add_column(title, justify="right", overflow="fold", min_width=least)
        broken_width += GAP + least
        cells = [row[title] for row in rows]
        whole_width += GAP + _longest([title, *cells])
    fits_unbroken = _longest([label, *names]) + whole_width <= room
    for name, row in zip(names, rows, strict=True):
        cells = [row[title] for title in titles]
        if not fits_unbroken:
            cells = [_broken(cell) for cell in cells]
        left = max(1, room - broken_width)
        folded = wrapping.fold(name, left)
        out.add_row("\n".join(folded), *cells)
    return out


# Details


def details(frame: pd.DataFrame) -> Details:
    """Every metric of the first matchup of a frame, from A's side, with its meaning."""
    return Details(frame)


@dataclass(frozen=True)
class Details:
    """All metrics for rich: meanings beside the values, or below them on a narrow terminal.

    Metrics that never happened or are undefined are only named, in the last lines.
    """

    frame: pd.DataFrame

    def __rich_console__(
        self,
        _console: Console,
        options: ConsoleOptions,
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        (variant, *names), rows = next(iter(table.matchups(self.frame)))
        players = " against ".join(name for name in names if name)
        size = summary.played(rows)
        heading = f"{players}, {variant}, {size}: all metrics with 95 % intervals"
        yield Text(heading, style="bold")
        yield ""
        estimates, never, undefined = _sorted_cells(rows)
        is_wide = options.max_width >= WIDE
        yield _beside(estimates) if is_wide else _below(estimates)
        yield ""
        if never:
            most = max(never.values())
            limit = numbers.number(most, most)
            yield Text(f"Never seen: {', '.join(never)} (each rate below {limit}, 95 %).")
        if undefined:
            yield Text(f"Too few deals to estimate: {', '.join(undefined)}.")


def _sorted_cells(rows: pd.DataFrame) -> tuple[dict[str, str], dict[str, float], list[str]]:
    """Metrics with their text, those never seen with their upper limit, those undefined."""
    estimates: dict[str, str] = {}
    never: dict[str, float] = {}
    undefined = []
    for name in map(str, rows.index):
        value, low, high = table.cell(rows, name)
        if math.isnan(value):
            undefined.append(name)
        elif metrics.BY_NAME[name].share and value == 0:
            never[name] = high
        else:
            estimates[name] = numbers.estimate(value, low, high)
    return estimates, never, undefined


def _beside(estimates: dict[str, str]) -> Table:
    from rich import box
    from rich.table import Table

    out = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    out.add_column("metric", no_wrap=True)
    out.add_column("value", justify="right", no_wrap=True)
    out.add_column("meaning")
    for name, text in estimates.items():
        meaning = metrics.BY_NAME[name].meaning
        out.add_row(name, _broken(text), meaning)
    return out


def _below(estimates: dict[str, str]) -> Group:
    from rich.console import Group
    from rich.padding import Padding

    widest = _longest(list(estimates))
    lines: list[RenderableType] = []
    for name, text in estimates.items():
        meaning = metrics.BY_NAME[name].meaning
        lines.append(f"{name:{widest}}  {text}")
        lines.append(Padding(meaning, (0, 0, 0, 4)))
    return Group(*lines)

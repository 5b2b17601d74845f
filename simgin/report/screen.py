"""Results on a terminal of any width, printed with rich. Nothing is ever cut."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simgin.report import numbers, summary, wrapping
from simgin.stats import metrics, table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console, ConsoleOptions, Group, RenderableType
    from rich.table import Table

# These fill one table of 80 columns, the endings another.
FIRST = ("deal_win", "margin", "score", "match_win", "goal_met", "settlement", "turns")
# Characters of a name, or a fifth of the terminal, that have room beside the numbers
NAME_WIDTH = 12
GAP = 3  # characters between two columns
WIDE = 70  # characters from which on the details have their meanings beside them


def results(frame: pd.DataFrame) -> Results:
    """The summary to print with rich: who wins, how deals end, and how to read it, in tables as wide as there is room for."""
    return Results(frame)


@dataclass(frozen=True)
class Results:
    """The summary as rich prints it. Nothing is ever cut: names are folded, and columns without room get a table of their own."""

    frame: pd.DataFrame

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        rows = summary.texts(self.frame)
        yield Text(_heading(self.frame, rows), style="bold")
        for heading, label, part in _blocks(self.frame, rows):
            if heading:
                yield ""
                yield Text(heading, style="bold")
            group, columns = summary.texts(part), summary.shown_columns(part)
            names = [_name(row, label) for row in group]
            for titles in _tables(columns, group, _longest([label, *names]), options.max_width):
                yield ""
                yield _grid(label, names, titles, group, options.max_width)
        yield Text(f"\n{summary.reading(self.frame)}")


def details(frame: pd.DataFrame) -> Details:
    """Every metric of the first matchup of the frame, seen by A, with its meaning, to print with rich.

    Metrics that were never seen or are undefined are named in the last lines only.
    """
    return Details(frame)


@dataclass(frozen=True)
class Details:
    """All metrics as rich prints them: meanings in a column of their own, or under the numbers where there is little room."""

    frame: pd.DataFrame

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        (variant, *names), rows = next(iter(table.matchups(self.frame)))
        cells = {str(name): table.cell(rows, str(name)) for name in rows.index}
        undefined = [name for name, (value, *_) in cells.items() if math.isnan(value)]
        never = [
            name
            for name, (value, *_) in cells.items()
            if metrics.BY_NAME[name].share and value == 0
        ]
        lines = {
            name: numbers.estimate(*cell)
            for name, cell in cells.items()
            if name not in (*undefined, *never)
        }
        who = " against ".join(filter(None, names))
        yield Text(
            f"{who}, {variant}, {summary.played(rows)}: every rate and mean with its 95 % interval",
            style="bold",
        )
        yield ""
        yield _beside(lines) if options.max_width >= WIDE else _below(lines)
        yield ""
        if never:
            most = max(cells[name][2] for name in never)
            yield Text(
                f"Never seen: {', '.join(never)} (each share below {numbers.number(most, most)}, 95 %)."
            )
        if undefined:
            yield Text(f"Too little to say: {', '.join(undefined)}.")


def _heading(frame: pd.DataFrame, rows: list[dict[str, str]]) -> str:
    """What all rows have in common."""
    amount = summary.played(*(seen for _, seen in table.matchups(frame)))
    first, roles = rows[0], summary.roles(frame)
    if len(rows) == 1:
        return f"{' against '.join(first[role] for role in roles)}, {first['variant']}, {amount}"
    common = [
        f"{name}: {first[name]}"
        for name in ("variant", *roles)
        if len({row[name] for row in rows}) == 1
    ]
    return "; ".join([*common, f"{amount} each"])


def _blocks(
    frame: pd.DataFrame, rows: list[dict[str, str]]
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """(heading, what the rows are named by, frame): a block a variant, or one block of variants if only they differ."""
    roles = summary.roles(frame)
    pairs = {tuple(row[role] for role in roles) for row in rows}
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    if len(pairs) == 1:
        yield "", "variant" if len(variants) > 1 else roles[0], frame
        return
    label = " v ".join(role for role in roles if len({row[role] for row in rows}) > 1)
    for variant in variants:
        yield variant if len(variants) > 1 else "", label, frame[frame["variant"] == variant]


def _name(row: dict[str, str], label: str) -> str:
    return " v ".join(row[part] for part in label.split(" v "))


def _tables(
    columns: Sequence[summary.Column], rows: list[dict[str, str]], longest: int, room: int
) -> list[list[str]]:
    """The titles of the columns of each table: results and endings apart, unless fewer tables do."""
    widths = {column.title: _width(column.title, rows) for column in columns}
    left = room - min(longest, max(NAME_WIDTH, room // 5))
    results, endings = (
        [column.title for column in columns if (column.metric in FIRST) is first]
        for first in (True, False)
    )
    apart, flowing = (
        _packed(results, widths, left) + _packed(endings, widths, left),
        _packed(results + endings, widths, left),
    )
    return apart if len(apart) <= len(flowing) else flowing


def _packed(titles: list[str], widths: dict[str, int], room: int) -> list[list[str]]:
    """Titles in their order in as few lists as need no more than `room` characters each."""
    lists: list[list[str]] = []
    for title in titles:
        if not lists or sum(GAP + widths[other] for other in (*lists[-1], title)) > room:
            lists.append([])
        lists[-1].append(title)
    return lists


def _width(title: str, rows: list[dict[str, str]]) -> int:
    """The least width of a column in which nothing but lopsided intervals is broken, before the bracket."""
    return _longest([title, *(line for row in rows for line in _broken(row[title]).split("\n"))])


def _broken(text: str) -> str:
    return text.replace(" (", "\n(")


def _longest(parts: list[str]) -> int:
    return max(map(len, parts))


def _grid(
    label: str, names: list[str], titles: list[str], rows: list[dict[str, str]], room: int
) -> Table:
    from rich import box
    from rich.table import Table

    out = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    left = room - sum(GAP + _width(title, rows) for title in titles)
    out.add_column(label, overflow="fold")
    for title in titles:
        out.add_column(title, justify="right", overflow="fold", min_width=_width(title, rows))
    whole = (
        _longest([label, *names])
        + sum(GAP + _longest([title, *(row[title] for row in rows)]) for title in titles)
        <= room
    )
    for name, row in zip(names, rows, strict=True):
        cells = (row[title] if whole else _broken(row[title]) for title in titles)
        out.add_row("\n".join(wrapping.fold(name, max(1, left))), *cells)
    return out


def _beside(lines: dict[str, str]) -> Table:
    from rich import box
    from rich.table import Table

    out = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    out.add_column("metric", no_wrap=True)
    out.add_column("value", justify="right", no_wrap=True)
    out.add_column("meaning")
    for name, text in lines.items():
        out.add_row(name, _broken(text), metrics.BY_NAME[name].meaning)
    return out


def _below(lines: dict[str, str]) -> Group:
    from rich.console import Group
    from rich.padding import Padding

    left = _longest(list(lines))
    out: list[RenderableType] = []
    for name, text in lines.items():
        out += [f"{name:{left}}  {text}", Padding(metrics.BY_NAME[name].meaning, (0, 0, 0, 4))]
    return Group(*out)

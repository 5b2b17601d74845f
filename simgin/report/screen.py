"""Results on a terminal of any width, printed with rich: words first, then one table.

No number is ever cut off; columns without room are left to the page and to --details.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from simgin.report import numbers, summary, wrapping
from simgin.stats import metrics, table

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console, ConsoleOptions, Group, RenderableType
    from rich.table import Table

MOST_LINES = 10  # of words above the table of a run
MOST_ROWS = 18  # of the table: with the words it fills two screens of 24 lines
NAMES_WIDTH = 24  # characters that names keep beside the numbers, or a third of the terminal
GAP = 3  # characters between two columns
INTERVALS = "± and brackets are 95 % intervals."
WIDE = 70  # characters; on wider terminals, meanings stand beside the values

# What a table of several matchups shows, the most important first, as far as there is room
COLUMNS = ("match_win", "goal_met", "margin", "score", "deal_win", "settlement", "turns")
# What a table of one matchup shows of either player; the ways to win only where somebody did
BY_PLAYER = {
    "match_win": "matches won %",
    "deal_win": "deals won %",
    "won_knock": "  by knock %",
    "won_gin": "  by gin %",
    "won_big_gin": "  by big gin %",
    "won_shot": "  by Gin Shot %",
    "won_undercut": "  by undercut %",
    "won_refused": "  by a refused stake %",
    "margin": "net points/deal",
    "settlement": "settlement/match",
}

Row = Mapping[str, str]


# Words


@dataclass(frozen=True)
class Words:
    """Sentences for rich, each on lines of its own; the last ones only if there is room."""

    sentences: Sequence[str]
    most_lines: int = MOST_LINES

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        room = self.most_lines
        for place, sentence in enumerate(self.sentences):
            lines = _wrapped(sentence, options.max_width)
            room -= len(lines)
            if place and room < 0:
                left = len(self.sentences) - place
                more = "findings" if left > 1 else "finding"
                yield Text(f"... and {left} more {more}.")
                return
            yield Text("\n".join(lines))


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of at most `width` characters, no number apart from its error or unit if it fits."""
    wrapped = textwrap.fill(wrapping.keep_units(text), width, break_on_hyphens=False)
    return wrapped.replace("\N{NO-BREAK SPACE}", " ").split("\n")


# One table


def results(frame: pd.DataFrame, seed: int) -> Results:
    """The main figures of a tidy frame for rich: what was played, one table, how to read it."""
    return Results(frame, seed)


@dataclass(frozen=True)
class Results:
    """One table that fits the terminal: a column a player, or a row a matchup if there are more."""

    frame: pd.DataFrame
    seed: int

    def __rich_console__(
        self, _console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        from rich.text import Text

        rows = summary.texts(self.frame)
        heading = f"{_heading(self.frame, rows)}, seed {self.seed}"
        lines = _wrapped(heading, options.max_width)
        yield Text("\n" + "\n".join(lines), style="bold")
        yield ""
        if len(rows) == 1:
            yield _player_table(_player_columns(self.frame, rows[0]), options.max_width)
        else:
            yield _matchup_table(self.frame, rows[:MOST_ROWS], options.max_width)
        left = len(rows) - MOST_ROWS
        if left > 0:
            yield Text(f"... and {left} more")
        lines = _wrapped(_reading(self.frame, rows), options.max_width)
        yield Text("\n" + "\n".join(lines))


def _heading(frame: pd.DataFrame, rows: list[dict[str, str]]) -> str:
    """What all rows have in common."""
    size = summary.played(*[rows for _, rows in table.matchups(frame)])
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


def _reading(frame: pd.DataFrame, rows: Sequence[Row]) -> str:
    """How to read the table, in a line or two."""
    cells: list[str] = []
    for row in rows:
        cells += {title: cell for title, cell in row.items() if title != "played"}.values()
    has_players = (frame["opponent"] != "").any()
    sentences = []
    if len(rows) > 1 and has_players:
        sentences.append("Wins are A's; points are A's minus B's.")
    if any("(" in cell for cell in cells):
        sentences.append(INTERVALS)
    else:
        sentences.append("± is a 95 % interval.")
    if _is_mirrored(frame):
        sentences.append("Every pack is played twice, with the players exchanged.")
    if numbers.DASH in cells:
        sentences.append(f"{numbers.DASH}: too few deals to estimate.")
    return " ".join(sentences)


def _is_mirrored(frame: pd.DataFrame) -> bool:
    opponent = frame["opponent"]
    meets_another = (opponent != "") & (opponent != frame["strategy"])
    return bool(meets_another.any())


# One matchup: a column a player


def _player_columns(frame: pd.DataFrame, row: Row) -> dict[str, dict[str, str]]:
    """The cells by player and label. row: the matchup's texts in the summary."""
    shown = summary.shown_columns(frame)
    if not _is_mirrored(frame):
        name = row[summary.roles(frame)[0]]
        titles = [column.title for column in shown]
        return {name: {title: row[title] for title in titles}}
    in_summary = {column.metric for column in shown}
    won = set(frame[frame["value"] > 0]["metric"])
    labels = {}
    for metric, label in BY_PLAYER.items():
        known = won if metric.startswith("won_") else in_summary
        if metric in known:
            labels[metric] = label
    columns = {}
    for player, rows in frame.groupby("strategy", sort=False):
        columns[str(player)] = _cells(rows.set_index("metric"), labels)
    return columns


def _cells(rows: pd.DataFrame, labels: Mapping[str, str]) -> dict[str, str]:
    """The estimates of some metrics by their labels."""
    cells = {}
    for metric, label in labels.items():
        limits = table.cell(rows, metric)
        cells[label] = numbers.estimate(*limits, metrics.BY_NAME[metric].factor)
    return cells


def _player_table(columns: Mapping[str, Mapping[str, str]], room: int) -> Table:
    first, *_ = columns.values()
    labels = list(first)
    left = room - _longest(labels)
    width = left // len(columns) - GAP
    out = _table()
    out.add_column("", no_wrap=True)
    texts = []
    for name, cells in columns.items():
        out.add_column(_folded(name, width), justify="right")
        column = list(cells.values())
        if _longest(column) > width:
            column = [_broken(cell) for cell in column]
        texts.append(column)
    for row in zip(labels, *texts, strict=True):
        out.add_row(*row)
    return out


# Several matchups: a row each


def _matchup_table(frame: pd.DataFrame, rows: Sequence[Row], room: int) -> Table:
    """The names that differ, then as many columns of figures as there is room for."""
    needed = {}
    for name in ("variant", *summary.roles(frame)):
        texts = _distinct(rows, name)
        if len(texts) > 1:
            needed[name] = _longest([name, *texts])
    widths = _shared(needed, max(NAMES_WIDTH, room // 3))
    room -= _taken(widths) - GAP
    titles = _fitting(frame, rows, room)
    figures = {}
    for title in titles:
        figures[title] = _broken_width(title, rows)
    room -= _taken(figures)
    spare = max(0, room)
    before = sum(widths.values())
    widths = _shared(needed, before + spare)
    return _row_table(rows, widths, titles, spare + before - sum(widths.values()))


def _shared(needed: Mapping[str, int], room: int) -> dict[str, int]:
    """The widths of columns that share a room: the widest are narrowed until they fit."""
    widths = dict(needed)
    while sum(widths.values()) > room:
        widest = max(widths, key=widths.__getitem__)
        if widths[widest] == 1:
            break
        widths[widest] -= 1
    return widths


def _taken(widths: Mapping[str, int]) -> int:
    """Characters that columns take, each with its gap."""
    gaps = GAP * len(widths)
    return sum(widths.values()) + gaps


def _fitting(frame: pd.DataFrame, rows: Sequence[Row], room: int) -> list[str]:
    """The titles of the most important columns that have room, in the order of the summary."""
    columns = summary.shown_columns(frame)
    shown = {column.metric: column.title for column in columns}
    chosen: list[str] = []
    for metric in COLUMNS:
        if metric not in shown:
            continue
        title = shown[metric]
        room -= GAP + _broken_width(title, rows)
        if chosen and room < 0:
            break
        chosen.append(title)
    return [title for title in shown.values() if title in chosen]


def _row_table(
    rows: Sequence[Row], names: Mapping[str, int], titles: Sequence[str], spare: int
) -> Table:
    """names: the columns of names with their widths. spare: characters left for long intervals."""
    out = _table()
    for name in names:
        out.add_column(name)
    whole = []
    for title in titles:
        out.add_column(title, justify="right")
        longer = _width(title, rows) - _broken_width(title, rows)
        if longer <= spare:
            whole.append(title)
            spare -= longer
    for row in rows:
        cells = [_folded(row[name], width) for name, width in names.items()]
        for title in titles:
            cell = row[title]
            cells.append(cell if title in whole else _broken(cell))
        out.add_row(*cells)
    return out


def _table() -> Table:
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def _folded(name: str, width: int) -> str:
    return "\n".join(wrapping.fold(name, max(1, width)))


def _width(title: str, rows: Sequence[Row]) -> int:
    """The width of a column that breaks nothing."""
    return _longest([title, *[row[title] for row in rows]])


def _broken_width(title: str, rows: Sequence[Row]) -> int:
    """The least width of a column: lopsided intervals are broken before the bracket."""
    lines = [title]
    for row in rows:
        lines += _broken(row[title]).split("\n")
    return _longest(lines)


def _broken(text: str) -> str:
    return text.replace(" (", "\n(")


def _longest(parts: list[str]) -> int:
    return max(map(len, parts))


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
        self, _console: Console, options: ConsoleOptions
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
    out = _table()
    out.add_column("metric", no_wrap=True)
    out.add_column("value", justify="right", no_wrap=True)
    out.add_column("meaning")
    for name, text in estimates.items():
        out.add_row(name, _broken(text), metrics.BY_NAME[name].meaning)
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

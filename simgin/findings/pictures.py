"""The pictures of a run, each with what is to be seen in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simgin import plots
from simgin.core.sums import KINDS
from simgin.report import numbers, summary
from simgin.report.report import Picture
from simgin.stats import table
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings

MOST_ROWS = 60  # matchups in one picture; a larger league has its heat maps
MOST_TOLD = 12  # matchups of a picture that are put in words one by one
WINS = (
    "deal_win",
    "margin",
    "score",
    "match_win",
    "goal_met",
    "settlement",
)  # what the picture of who wins has panels of


def of(found: Findings) -> Iterator[Picture]:
    """Every picture of a run, in the order of its page."""
    seed, unit = found.record.seed, found.record.unit
    if len(found.cells) <= MOST_ROWS:
        yield Picture(
            "win_and_points",
            "Wins and points",
            who_wins(found.table),
            plots.win_and_points(found.table, seed=seed),
        )
        yield Picture(
            "endings", "Deal outcomes", endings(found.table), plots.endings(found.table, seed=seed)
        )
    for variant, rows in found.standings.groupby("variant", sort=False):
        cross = found.cross[found.cross["variant"] == variant]
        figure = plots.league(rows, cross, unit=unit, seed=seed)
        yield Picture(
            f"league-{word(str(variant))}",
            f"Head to head: {variant}",
            league(rows, cross, unit),
            figure,
            str(variant),
        )


def who_wins(frame: pd.DataFrame) -> str:
    """Of every matchup the columns that say who wins, as the summary has them."""
    titles = [column.title for column in summary.shown_columns(frame) if column.metric in WINS]
    told = [
        f"{_named(row)}: {', '.join(f'{title} {row[title]}' for title in titles)}"
        for row in summary.texts(frame)
    ]
    return f"Dots with 95 % bars, a row for each matchup. {_first(told)}"


def endings(frame: pd.DataFrame) -> str:
    """Of every matchup the result kinds that were seen, in per cent of all deals, the commonest first."""
    told = []
    for (variant, a, b), rows in table.matchups(frame):
        shares = sorted(
            ((table.cell(rows, kind)[0], kind) for kind in KINDS if table.cell(rows, kind)[0] > 0),
            reverse=True,
        )
        parts = ", ".join(f"{kind.replace('_', ' ')} {_percent(share)} %" for share, kind in shares)
        told.append(
            f"{_named({'variant': variant, 'A': a, 'B': b})}: {parts or 'too few deals to say'}"
        )
    return f"A stacked bar for each matchup, shares of all deals. {_first(told)}"


def _percent(share: float) -> str:
    """Whole per cent."""
    return f"{100 * share:.0f}" if share >= 0.005 else "under 1"


def league(standings: pd.DataFrame, cross: pd.DataFrame, unit: str) -> str:
    """The order of a league, and its most one-sided pairing."""
    order = ", ".join(
        f"{place} {name}" for place, name in enumerate(standings["strategy"], start=1)
    )
    said = (
        f"Heat map of {UNITS[unit]} won by the row against the column, best rating first: {order}."
    )
    if cross["share"].isna().all():
        return said
    most = cross.sort_values("share", kind="stable").iloc[-1]
    share = numbers.estimate(most["share"], most["low"], most["high"], 100)
    return f"{said} Most one-sided: {most['strategy']} wins {share} % against {most['opponent']}."


def _named(row: dict[str, str]) -> str:
    players = [row[role] for role in ("A", "B", "strategy") if row.get(role)]
    return f"{row['variant']}, {' against '.join(players)}"


def _first(told: list[str]) -> str:
    more = len(told) - MOST_TOLD
    return "; ".join(told[:MOST_TOLD]) + (
        f"; and {more} more, all in the table of results." if more > 0 else "."
    )


def word(variant: str) -> str:
    """A variant as a file name and as a word for ids."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", variant)

"""The pictures of a run, each with what it shows in words.

A new picture is a function of `simgin.plots` and one more `Picture` here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simgin import plots
from simgin.core.sums import KINDS, WON_KINDS
from simgin.findings.wording import ranged
from simgin.report import figures, numbers, summary
from simgin.report.report import Picture
from simgin.stats import table
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings

MOST_ROWS = 60  # matchups in one picture; a larger league has its heat maps
MOST_DESCRIBED = 12  # matchups of a picture that are put in words one by one
# The metrics of the picture of wins and points
WINS = ("deal_win", "margin", "score", "match_win", "goal_met", "settlement")


def run_pictures(findings: Findings) -> Iterator[Picture]:
    """Every picture of a run, in the order of its page."""
    if len(findings.cells) <= MOST_ROWS:
        yield from _matchup_pictures(findings)
    for name, rows in findings.standings.groupby("variant", sort=False):
        yield from _league_pictures(findings, str(name), rows)
    points = findings.effects[findings.effects["metric"] == "margin"]
    fields = figures.unique(points["field"])
    for name, rows in points.groupby("variant", sort=False):
        if rows["low"].notna().any():  # else too few batches were played to draw anything
            yield _effects_picture(findings, str(name), rows, fields)


def _matchup_pictures(findings: Findings) -> Iterator[Picture]:
    frame = findings.table
    seed = findings.record.seed
    yield Picture(
        "win_and_points",
        "Wins and points",
        describe_wins(frame),
        plots.win_and_points(frame, seed=seed),
    )
    yield Picture(
        "endings", "Deal outcomes", describe_endings(frame), plots.endings(frame, seed=seed)
    )


def _league_pictures(findings: Findings, variant: str, rows: pd.DataFrame) -> Iterator[Picture]:
    """Ratings, if there are any, and the heat map of a league."""
    record = findings.record
    cross = findings.cross[findings.cross["variant"] == variant]
    word = file_word(variant)
    if rows["elo"].notna().all():
        yield Picture(
            f"ratings-{word}",
            f"Ratings: {variant}",
            describe_ratings(rows),
            plots.ratings(rows, unit=record.unit, seed=record.seed),
            variant,
        )
    yield Picture(
        f"league-{word}",
        f"Head to head: {variant}",
        describe_league(rows, cross, record.unit),
        plots.league(rows, cross, unit=record.unit, seed=record.seed),
        variant,
    )


def _effects_picture(
    findings: Findings, variant: str, rows: pd.DataFrame, fields: Sequence[str]
) -> Picture:
    word = file_word(variant)
    return Picture(
        f"effects-{word}",
        f"Effects by field: {variant}",
        describe_effects(rows),
        plots.effects(rows, seed=findings.record.seed, among=fields),
        variant,
    )


def describe_ratings(standings: pd.DataFrame) -> str:
    """The leads of a league, best first."""
    leading = standings.iloc[:-1]
    parts = [f"{row['strategy']} {ranged(row, 'lead')}" for _, row in leading.iterrows()]
    return f"Ratings, and leads in Elo over the next, best first: {'; '.join(parts)}."


def describe_wins(frame: pd.DataFrame) -> str:
    """The columns of every matchup that say who wins, as in the summary."""
    titles = [column.title for column in summary.shown_columns(frame) if column.metric in WINS]
    parts = []
    for row in summary.texts(frame):
        values = ", ".join(f"{title} {row[title]}" for title in titles)
        who = _who(row["variant"], [row.get(role, "") for role in ("A", "B", "strategy")])
        parts.append(f"{who}: {values}")
    return f"Dots with 95 % intervals, one row per matchup. {_first(parts)}"


def describe_endings(frame: pd.DataFrame) -> str:
    """The deal outcomes of every matchup in per cent of all deals, the commonest first.

    Where two players meet, A's and B's apart.
    """
    has_sides = summary.has_sides(frame)
    parts = []
    for (variant, a, b), rows in table.matchups(frame):
        told = _sides_won(rows) if has_sides else _listed_shares(rows, KINDS)
        parts.append(f"{_who(variant, [a, b])}: {told or 'too few deals'}")
    return f"One stacked bar per matchup, shares of all deals. {_first(parts)}"


def _sides_won(rows: pd.DataFrame) -> str:
    """`A won 39 % (undercut 31 %, gin 7 %), B 61 % (knock 59 %, gin 2 %), void under 1 %`."""
    parts = []
    for who, total, prefix in (("A won", "deal_win", "won_"), ("B won", "deal_loss", "lost_")):
        won, *_ = table.cell(rows, total)
        if won > 0:
            ways = _listed_shares(rows, WON_KINDS, prefix)
            parts.append(f"{who} {_percent(won)} % ({ways})")
    parts.append(_listed_shares(rows, [kind for kind in KINDS if kind not in WON_KINDS]))
    return ", ".join(filter(None, parts))


def _listed_shares(rows: pd.DataFrame, kinds: Sequence[str], prefix: str = "") -> str:
    """The kinds that occurred, the commonest first; prefix: of their metrics."""
    shares = [(table.cell(rows, f"{prefix}{kind}")[0], kind.replace("_", " ")) for kind in kinds]
    occurred = sorted([(share, kind) for share, kind in shares if share > 0], reverse=True)
    return ", ".join(f"{kind} {_percent(share)} %" for share, kind in occurred)


def describe_league(standings: pd.DataFrame, cross: pd.DataFrame, unit: str) -> str:
    """The order of a league, and its most one-sided pairing."""
    order = ", ".join(f"{i} {name}" for i, name in enumerate(standings["strategy"], start=1))
    heat_map = (
        f"Heat map of {UNITS[unit]} won by the row against the column, best rating first: {order}."
    )
    if cross["share"].isna().all():
        return heat_map
    most = cross.sort_values("share", kind="stable").iloc[-1]
    share = numbers.estimate(most["share"], most["low"], most["high"], 100)
    winning = f"{most['strategy']} wins {share} % against {most['opponent']}"
    return f"{heat_map} Most one-sided: {winning}."


def describe_effects(rows: pd.DataFrame) -> str:
    """The least and the largest effect of every change, in points a deal."""
    parts = []
    for change, group in rows.dropna(subset=["difference"]).groupby("change", sort=False):
        ranked = group.sort_values("difference", kind="stable")
        parts.append(f"{change}: {_effect(ranked.iloc[0])} to {_effect(ranked.iloc[-1])}")
    return f"Points a deal gained, dots with 95 % intervals, one panel per change. {_first(parts)}"


def _effect(row: Any) -> str:
    points = numbers.estimate(row["difference"], row["low"], row["high"])
    return f"{points} ({row['field']})"


def file_word(variant: str) -> str:
    """A variant as part of a file name and of an id."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", variant)


def _percent(share: float) -> str:
    """Whole per cent."""
    return f"{100 * share:.0f}" if share >= 0.005 else "under 1"


def _who(variant: str, players: Sequence[str]) -> str:
    return f"{variant}, {' against '.join(filter(None, players))}"


def _first(parts: Sequence[str]) -> str:
    listed = "; ".join(parts[:MOST_DESCRIBED])
    more = len(parts) - MOST_DESCRIBED
    if more > 0:
        return f"{listed}; and {more} more, all in the table of results."
    return f"{listed}."

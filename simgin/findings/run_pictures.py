"""The pictures of a run, each with what it shows in words.

A new picture is a function of `simgin.plots` and one more `Picture` here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simgin import plots
from simgin.core.sums import KINDS, WON_KINDS
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
    parts = []
    for _, row in standings.iloc[:-1].iterrows():
        lead = numbers.estimate(row["lead"], row["lead_low"], row["lead_high"])
        parts.append(f"{row['strategy']} {lead}")
    return f"Ratings, and leads in Elo over the next, best first: {'; '.join(parts)}."


def describe_wins(frame: pd.DataFrame) -> str:
    """The columns of every matchup that say who wins, as in the summary."""
    titles = [column.title for column in summary.shown_columns(frame) if column.metric in WINS]
    parts = []
    for row in summary.texts(frame):
        values = ", ".join(f"{title} {row[title]}" for title in titles)
        players = [row[role] for role in ("A", "B", "strategy") if row.get(role)]
        who = _who(row["variant"], players)
        parts.append(f"{who}: {values}")
    return f"Dots with 95 % intervals, one row per matchup. {_first(parts)}"


def describe_endings(frame: pd.DataFrame) -> str:
    """The deal outcomes of every matchup in per cent of all deals, the commonest first.

    Where two players meet, A's and B's apart.
    """
    outcomes = _sides_won if summary.has_sides(frame) else _outcomes
    parts = []
    for (variant, a, b), rows in table.matchups(frame):
        who = _who(variant, [name for name in (a, b) if name])
        told = outcomes(rows) or "too few deals"
        parts.append(f"{who}: {told}")
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


def _outcomes(rows: pd.DataFrame) -> str:
    return _listed_shares(rows, KINDS)


def _listed_shares(rows: pd.DataFrame, kinds: Sequence[str], prefix: str = "") -> str:
    """The kinds that occurred, the commonest first; prefix: of their metrics."""
    shares = []
    for kind in kinds:
        share, *_ = table.cell(rows, f"{prefix}{kind}")
        if share > 0:
            shares.append((share, kind))
    shares.sort(reverse=True)
    texts = []
    for share, kind in shares:
        words = kind.replace("_", " ")
        texts.append(f"{words} {_percent(share)} %")
    return ", ".join(texts)


def describe_league(standings: pd.DataFrame, cross: pd.DataFrame, unit: str) -> str:
    """The order of a league, and its most one-sided pairing."""
    places = enumerate(standings["strategy"], start=1)
    order = ", ".join(f"{place} {name}" for place, name in places)
    heat_map = (
        f"Heat map of {UNITS[unit]} won by the row against the column, best rating first: {order}."
    )
    if cross["share"].isna().all():
        return heat_map
    most = cross.sort_values("share", kind="stable").iloc[-1]
    share = numbers.estimate(most["share"], most["low"], most["high"], 100)
    winner = most["strategy"]
    loser = most["opponent"]
    return f"{heat_map} Most one-sided: {winner} wins {share} % against {loser}."


def describe_effects(rows: pd.DataFrame) -> str:
    """The least and the largest effect of every change, in points a deal."""
    parts = []
    for change, group in rows.dropna(subset=["difference"]).groupby("change", sort=False):
        ranked = group.sort_values("difference", kind="stable")
        worst = _effect(ranked.iloc[0])
        best = _effect(ranked.iloc[-1])
        parts.append(f"{change}: {worst} to {best}")
    return f"Points a deal gained, dots with 95 % intervals, one panel per change. {_first(parts)}"


def _effect(row: Any) -> str:
    points = numbers.estimate(row["difference"], row["low"], row["high"])
    return f"{points} ({row['field']})"


def file_word(variant: str) -> str:
    """A variant as part of a file name and of an id."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", variant)


def _percent(share: float) -> str:
    """Whole per cent."""
    if share >= 0.005:
        return f"{100 * share:.0f}"
    return "under 1"


def _who(variant: str, players: Sequence[str]) -> str:
    names = " against ".join(players)
    return f"{variant}, {names}"


def _first(parts: Sequence[str]) -> str:
    listed = "; ".join(parts[:MOST_DESCRIBED])
    more = len(parts) - MOST_DESCRIBED
    if more > 0:
        return f"{listed}; and {more} more, all in the table of results."
    return f"{listed}."

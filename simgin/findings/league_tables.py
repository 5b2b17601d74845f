"""The tables of round robins: the league, its ratings and its cross-table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simgin.findings.league_sentences import NON_ADDITIVITY, circles, mix
from simgin.findings.wording import ranged
from simgin.report import numbers
from simgin.report.sheet import Sheet
from simgin.stats import league
from simgin.stats.estimate import Z95
from simgin.stats.metrics import BY_NAME
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings


def standings(findings: Findings) -> Iterator[Sheet]:
    """The league table of every round robin."""
    for name, rows in findings.standings.groupby("variant", sort=False):
        measures = [measure for measure in league.MEASURES["match"] if rows[measure].notna().any()]
        titles = [BY_NAME[measure].title for measure in measures]
        lines = [_standing(row, measures) for _, row in rows.iterrows()]
        headings = ("strategy", "Elo", *titles)
        yield Sheet(f"League: {name}", headings, lines, _league_note(findings))


def _standing(row: Any, measures: Sequence[str]) -> tuple[str, ...]:
    """A strategy's line of the league table."""
    texts = [ranged(row, name, BY_NAME[name].factor) for name in measures]
    return (row["strategy"], _elo(row), *texts)


def _league_note(findings: Findings) -> str:
    unit = UNITS[findings.record.unit]
    return (
        "Means over all opponents with equal weights. "
        f"Elo is fitted to {unit} won (Bradley and Terry's model)."
    )


def ratings(findings: Findings) -> Iterator[Sheet]:
    """Ratings, their differences and the equilibrium mix of every round robin."""
    headings = ("strategy", "Elo", "lead over the next", "Elo v the mix")
    for name, rows in findings.standings.groupby("variant", sort=False):
        if not rows["elo"].isna().all():
            lines = [_rating(row) for _, row in rows.iterrows()]
            note = _ratings_note(findings, str(name), rows)
            yield Sheet(f"Ratings: {name}", headings, lines, note)


def _rating(row: Any) -> tuple[str, ...]:
    """A strategy's line of the ratings."""
    lead = ranged(row, "lead")
    if math.isnan(row["lead"]):
        lead = ""  # nobody is next
    return row["strategy"], _elo(row), lead, ranged(row, "elo_v_mix")


def _ratings_note(findings: Findings, variant: str, rows: pd.DataFrame) -> str:
    fit = findings.non_additivity[variant]
    triads = findings.triads[variant]
    sentences = [
        "A lead has the error of the difference; an Elo has that of the distance to the anchor.",
        _sentence(mix(rows)),
    ]
    if rows["elo_v_mix_low"].isna().any():
        sentences.append(f"{numbers.DASH}: never won against it.")
    if not math.isnan(fit.share):
        wide = findings.multiplier / Z95
        low = fit.share - wide * fit.half
        share = numbers.estimate(fit.share, low, fit.share + wide * fit.half, 100)
        sentences.append(f"Non-additivity: {share} % of the deviance. {NON_ADDITIVITY}")
    sentences.append(_sentence(circles(triads)))
    return " ".join(sentences)


def _sentence(said: str) -> str:
    return said[:1].upper() + said[1:]


def _elo(row: Any) -> str:
    if row["elo"] == row["elo_low"] == row["elo_high"] == 0:
        return "0 (anchor)"
    return ranged(row, "elo")


def crosses(findings: Findings) -> Iterator[Sheet]:
    """The cross-table of every round robin, in the order of its league table."""
    unit = UNITS[findings.record.unit].capitalize()
    standings = findings.standings
    for variant, frame in findings.cross.groupby("variant", sort=False):
        order = list(standings.loc[standings["variant"] == variant, "strategy"])
        headings = ("place", "strategy", *map(str, range(1, len(order) + 1)))
        title = f"{unit} won %, row against column: {variant}"
        lines = _cross_lines(frame, order)
        yield Sheet(title, headings, lines, "Columns are numbered like the rows.")


def _cross_lines(frame: pd.DataFrame, order: Sequence[str]) -> list[tuple[str, ...]]:
    """The lines of a cross-table: place, strategy, and what it wins of each."""
    cells = {
        (row["strategy"], row["opponent"]): numbers.estimate(
            row["share"], row["low"], row["high"], 100
        )
        for _, row in frame.iterrows()
    }
    return [
        (str(place), a, *[cells.get((a, b), "") for b in order])
        for place, a in enumerate(order, start=1)
    ]

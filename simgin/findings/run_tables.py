"""The tables of a run, as sheets of text for the screen, for Markdown and for the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from simgin.findings.change_tables import detectable, differences, effects
from simgin.findings.league_tables import crosses, ratings, standings
from simgin.findings.wording import ranged
from simgin.report import numbers, summary
from simgin.report.sheet import Sheet
from simgin.stats import table
from simgin.stats.estimate import POWER_80, Z95
from simgin.stats.metrics import BY_NAME, headline
from simgin.stats.mirroring import Sweeps
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings

MOST_ROWS = 60  # of a sheet on a screen
WHO = ["variant", "strategy", "opponent"]


def run_sheets(findings: Findings) -> list[Sheet]:
    """Every sheet that has something to say about a run."""
    beside = [*crosses(findings), _pairing(findings), _adjusted(findings.adjusted)]
    return [sheet for sheet in [*_main_sheets(findings), *beside] if sheet.rows]


def _main_sheets(findings: Findings) -> list[Sheet]:
    """What a terminal shows, too."""
    return [
        *effects(findings.effects),
        differences(findings.differences),
        *standings(findings),
        *ratings(findings),
    ]


def on_screen(findings: Findings) -> list[Sheet | str]:
    """The same for --details: what holds for every cell is a line; its table is in the summary."""
    parts = [
        *[_short(sheet) for sheet in _main_sheets(findings) if sheet.rows],
        _detectable(findings),
        _mirroring_line(findings.pairing),
        _adjusted_lines(findings.adjusted),
    ]
    return list(filter(None, parts))


def _short(sheet: Sheet) -> Sheet | str:
    """A sheet, or where it is to be found if it would fill the screen several times."""
    if len(sheet.rows) <= MOST_ROWS:
        return sheet
    file = f"{sheet.title.lower()}.csv"
    return f"\n{sheet.title}: {len(sheet.rows)} rows, in summary.md and {file}."


def results(frame: pd.DataFrame) -> Sheet:
    """The summary: one row per matchup of a tidy frame."""
    rows = summary.texts(frame)
    cells = [tuple(row.values()) for row in rows]
    return Sheet("Results", tuple(rows[0]), cells, summary.reading(frame))


def _pairing(findings: Findings) -> Sheet:
    """What mirroring is worth to every mirrored cell."""
    lines = []
    for names, rows in findings.pairing.groupby(WHO, sort=False):
        variant, a, b = map(str, names)
        swept = _swept(findings, findings.sweeps[variant, a, b])
        lines.append((variant, f"{a} v {b}", *_pairing_figures(rows), swept))
    note = (
        "The variance of a pair's result over that of two unpaired results: n paired results are "
        "worth n divided by it. The luck share is the part of the variance of a single result in "
        "points that the pack decides, for these two players. A pair is swept by a player who wins "
        "both of its halves; p is that of the exact sign test."
    )
    headings = ("variant", "A v B", "points", "won", "luck share", "swept by A, by B")
    return Sheet("What mirroring is worth", headings, lines, note)


def _pairing_figures(rows: pd.DataFrame) -> tuple[str, str, str]:
    """rho of points and of what is won, and the luck share, of one cell."""
    by_measure = rows.set_index("measure")
    points = by_measure.loc["points"]
    wins = by_measure.loc["share"]
    luck = ranged(points, "luck", 100)
    if luck != numbers.DASH:
        luck = f"{luck} %"
    return ranged(points, "rho"), ranged(wins, "rho"), luck


def _swept(findings: Findings, sweeps: Sweeps) -> str:
    """Pairs of which A won both halves, and B; with the exact p where the size was fixed."""
    counts = f"{sweeps.a:,}, {sweeps.b:,}"
    if findings.record.stop or math.isnan(sweeps.p):
        return counts
    if sweeps.p < 1e-4:
        return f"{counts} (p < .0001)"
    return f"{counts} (p {sweeps.p:.2g})"


def _detectable(findings: Findings) -> str:
    """The lead that every cell would have shown, of runs of pairs whose size was fixed."""
    if any(end.multiplier is not None for end in findings.record.ends):
        return ""
    if not all(cell.mirrored for cell in findings.cells):
        return ""
    leads = []
    for metric in headline(findings.record.unit, 2):
        errors = [rows["se"].to_dict()[metric] for _, rows in table.matchups(findings.table)]
        leads.append(detectable(POWER_80 * max(errors), metric))
    if numbers.DASH in leads:
        return ""
    each = "every matchup" if len(findings.cells) > 1 else "this run"
    unit = UNITS[findings.record.unit]
    return (
        f"A share {leads[0]} percentage points above one half of the {unit}, or a lead of "
        f"{leads[1]} points a deal, would have been detected by {each} four times in five."
    )


def _mirroring_line(frame: pd.DataFrame) -> str:
    """What mirroring is worth in a line: the figures of one cell, the range of several."""
    known = frame[frame["rho"].notna()]
    points = known[known["measure"] == "points"]
    wins = known[known["measure"] == "share"]
    if points.empty:
        return ""
    luck = _spread(points, "luck", 100)
    points_left = _spread(points, "rho", 1)
    left = f"Mirroring leaves {points_left} of the variance of points"
    if len(wins):  # else one side won everything
        wins_left = _spread(wins, "rho", 1)
        left += f" and {wins_left} of that of wins"
    return f"{left}; luck share {luck} %."


def _spread(rows: pd.DataFrame, name: str, factor: int) -> str:
    """The value of one row with its limits, the range of several."""
    if len(rows) == 1:
        return ranged(rows.iloc[0], name, factor)
    values = factor * rows[name]
    widths = rows[f"{name}_high"] - rows[f"{name}_low"]
    error = factor * widths.max() / 2
    least = numbers.number(values.min(), error)
    largest = numbers.number(values.max(), error)
    return f"{least} to {largest}"


def _adjusted_lines(frame: pd.DataFrame) -> str:
    """What a control variate helps in one cell, in a line for every metric."""
    if len(frame.groupby(WHO)) > 1:
        return "Figures adjusted for the cards dealt are in the summary."
    return "\n".join(
        f"Adjusted for the cards dealt: {metric} {adjusted} (raw {raw}, variance {ratio})."
        for _, _, metric, raw, adjusted, ratio in _adjusted(frame).rows
    )


def _adjusted(frame: pd.DataFrame) -> Sheet:
    lines = []
    for _, row in frame.iterrows():
        metric = BY_NAME[row["metric"]]
        raw = _plus_minus(metric.factor * row["value"], metric.factor * row["se"])
        adjusted = _plus_minus(metric.factor * row["adjusted"], metric.factor * row["adjusted_se"])
        who = " v ".join(filter(None, (row["strategy"], row["opponent"])))
        ratio = f"{row['variance_ratio']:.2f}"
        lines.append((row["variant"], who, metric.title, raw, adjusted, ratio))
    note = (
        "The luck of the deadwood as dealt is taken out by regression; the raw figure stays valid. "
        "± is 95 %. Variance is the adjusted one over the raw one."
    )
    headings = ("variant", "who", "metric", "raw", "adjusted", "variance")
    return Sheet("Adjusted for the cards dealt", headings, lines, note)


def _plus_minus(value: float, se: float) -> str:
    half = Z95 * se
    return numbers.estimate(value, value - half, value + half)

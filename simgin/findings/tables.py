"""The tables of a run, as sheets of text for the screen, for Markdown and for the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simgin.findings.change_sentences import SURE, is_significant
from simgin.findings.league_sentences import NON_ADDITIVITY, circles, mix
from simgin.report import numbers, summary
from simgin.report.sheet import Sheet
from simgin.stats import league, table
from simgin.stats.estimate import POWER_80, Z95
from simgin.stats.metrics import BY_NAME, headline
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings

MOST_ROWS = 60  # of a sheet on a screen
WHO = ["variant", "strategy", "opponent"]


def run_sheets(findings: Findings) -> list[Sheet]:
    """Every sheet that has something to say about a run."""
    sheets = [
        *effects(findings.effects),
        differences(findings.differences),
        *standings(findings),
        *_ratings(findings),
        *_crosses(findings),
        _pairing(findings),
        _adjusted(findings.adjusted),
    ]
    return [sheet for sheet in sheets if sheet.rows]


def on_screen(findings: Findings) -> list[Sheet | str]:
    """The same for --details: what holds for every cell is a line; its table is in the summary."""
    parts: list[Sheet | str] = []
    sheets = [
        *effects(findings.effects),
        differences(findings.differences),
        *standings(findings),
        *_ratings(findings),
    ]
    for sheet in sheets:
        if sheet.rows:
            parts.append(_short(sheet))
    lines = (
        _detectable(findings),
        _mirroring_line(findings.pairing),
        _adjusted_lines(findings.adjusted),
    )
    return [*parts, *filter(None, lines)]


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


def differences(frame: pd.DataFrame) -> Sheet:
    """One row per comparison, one column per metric."""
    metrics = list(dict.fromkeys(frame["metric"]))
    compared = ["variant", "base_variant", "strategy", "base_strategy", "opponent"]
    lines = []
    for names, rows in frame.groupby(compared, sort=False):
        cells = {row["metric"]: _difference(row) for _, row in rows.iterrows()}
        comparison = _minus(*map(str, names))
        texts = [cells.get(metric, "") for metric in metrics]
        lines.append((comparison, *texts))
    if frame["paired"].all():
        packs = "Both sides played the same packs, so differences are paired."
    else:
        packs = "The sides played different packs, so the errors of both add up."
    note = (
        f"{packs} * marks p < {SURE} after Holm's adjustment for the {frame['p'].count()} "
        "comparisons of this table. Otherwise there is no significant difference; one as large as "
        "the number in brackets would have been detected in four runs of five."
    )
    headings = ("minus its base", *map(_title, metrics))
    return Sheet("Differences", headings, lines, note)


def _difference(row: Any) -> str:
    if row["se"] == 0:
        return "none"
    metric = row["metric"]
    factor = _factor(metric)
    text = numbers.estimate(
        row["difference"],
        row["low"],
        row["high"],
        factor,
    )
    if text == numbers.DASH or math.isnan(row["p_holm"]):
        return text
    if row["p_holm"] < SURE:
        return f"{text} *"
    detectable = _number(row["detectable"], metric)
    return f"{text} ({detectable})"


def effects(frame: pd.DataFrame) -> list[Sheet]:
    """A sheet for every variant and metric: one row per change, one column per field."""
    family = frame["p"].count()
    note = (
        "What the player gains by the change. A field is what the others play: the same as the "
        f"player, or the opponent named after v. * marks p < {SURE} after Holm's adjustment for "
        f"the {family} effects of the run; the last column counts those."
    )
    sheets = []
    for names, rows in frame.groupby(["variant", "metric"], sort=False):
        variant, metric = map(str, names)
        title = f"Effects under {variant}: {_title(metric)}"
        fields = tuple(dict.fromkeys(rows["field"]))
        gains = rows.groupby("change", sort=False)["difference"].mean()
        ranked = gains.sort_values(ascending=False, kind="stable")
        lines = []
        for change in ranked.index:
            own = rows[rows["change"] == change]
            line = _effects_line(str(change), own, fields)
            lines.append(line)
        sheet = Sheet(title, ("change", *fields, "gains, loses"), lines, note)
        sheets.append(sheet)
    return sheets


def _effects_line(change: str, rows: pd.DataFrame, fields: Sequence[str]) -> tuple[str, ...]:
    """A change in every field, and in how many of them it gains and loses for certain."""
    texts = dict.fromkeys(fields, "")
    gains = 0
    losses = 0
    for _, row in rows.iterrows():
        factor = _factor(row["metric"])
        text = numbers.estimate(row["difference"], row["low"], row["high"], factor)
        if is_significant(row):
            text = f"{text} *"
            gains += row["difference"] > 0
            losses += row["difference"] < 0
        texts[row["field"]] = text
    return (change, *texts.values(), f"{gains}, {losses} of {len(rows)}")


def _minus(
    variant: str,
    base_variant: str,
    strategy: str,
    base_strategy: str,
    opponent: str,
) -> str:
    """What is compared with what: the part that differs, and the rest in brackets."""
    against = f"v {opponent}" if opponent else ""
    if variant != base_variant:
        rest = " ".join(filter(None, (strategy, against)))
        return f"{variant} - {base_variant} ({rest})"
    if strategy != base_strategy:
        rest = ", ".join(filter(None, (variant, against)))
        return f"{strategy} - {base_strategy} ({rest})"
    rest = " ".join(filter(None, (variant, against)))  # the same in two runs
    return f"{strategy} ({rest})"


def standings(findings: Findings) -> list[Sheet]:
    """The league table of every round robin."""
    sheets = []
    for name, rows in findings.standings.groupby("variant", sort=False):
        variant = str(name)
        measures = []
        for measure in league.MEASURES["match"]:
            if rows[measure].notna().any():
                measures.append(measure)
        lines = [_standing(row, measures) for _, row in rows.iterrows()]
        sheet = Sheet(
            f"League: {variant}",
            ("strategy", "Elo", *map(_title, measures)),
            lines,
            _league_note(findings),
        )
        sheets.append(sheet)
    return sheets


def _standing(row: Any, measures: Sequence[str]) -> tuple[str, ...]:
    """A strategy's line of the league table."""
    texts = []
    for name in measures:
        text = _ranged(row, name, _factor(name))
        texts.append(text)
    return (row["strategy"], _elo(row), *texts)


def _league_note(findings: Findings) -> str:
    unit = UNITS[findings.record.unit]
    return (
        "Means over all opponents with equal weights. "
        f"Elo is fitted to {unit} won (Bradley and Terry's model)."
    )


def _ratings(findings: Findings) -> list[Sheet]:
    """Ratings, their differences and the equilibrium mix of every round robin."""
    headings = ("strategy", "Elo", "lead over the next", "Elo v the mix")
    sheets = []
    for name, rows in findings.standings.groupby("variant", sort=False):
        variant = str(name)
        if rows["elo"].isna().all():
            continue
        lines = [_rating(row) for _, row in rows.iterrows()]
        note = _ratings_note(findings, variant, rows)
        sheets.append(Sheet(f"Ratings: {variant}", headings, lines, note))
    return sheets


def _rating(row: Any) -> tuple[str, ...]:
    """A strategy's line of the ratings."""
    lead = _ranged(row, "lead", 1)
    if math.isnan(row["lead"]):
        lead = ""  # nobody is next
    against = _ranged(row, "elo_v_mix", 1)
    return row["strategy"], _elo(row), lead, against


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
        high = fit.share + wide * fit.half
        share = numbers.estimate(fit.share, low, high, 100)
        sentences.append(f"Non-additivity: {share} % of the deviance. {NON_ADDITIVITY}")
    said = circles(triads)
    sentences.append(_sentence(said))
    return " ".join(sentences)


def _sentence(said: str) -> str:
    return said[:1].upper() + said[1:]


def _elo(row: Any) -> str:
    elo = row["elo"]
    low = row["elo_low"]
    high = row["elo_high"]
    if elo == low == high == 0:
        return "0 (anchor)"
    return _ranged(row, "elo", 1)


def _ranged(row: Any, name: str, factor: int) -> str:
    low = row[f"{name}_low"]
    high = row[f"{name}_high"]
    return numbers.estimate(row[name], low, high, factor)


def _crosses(findings: Findings) -> list[Sheet]:
    """The cross-table of every round robin, in the order of its league table."""
    unit = UNITS[findings.record.unit].capitalize()
    standings = findings.standings
    sheets = []
    for variant, frame in findings.cross.groupby("variant", sort=False):
        is_own = standings["variant"] == variant
        order = list(standings.loc[is_own, "strategy"])
        columns = map(str, range(1, len(order) + 1))
        sheet = Sheet(
            f"{unit} won %, row against column: {variant}",
            ("place", "strategy", *columns),
            _cross_lines(frame, order),
            "Columns are numbered like the rows.",
        )
        sheets.append(sheet)
    return sheets


def _cross_lines(frame: pd.DataFrame, order: Sequence[str]) -> list[tuple[str, ...]]:
    """The lines of a cross-table: place, strategy, and what it wins of each."""
    cells: dict[tuple[str, str], str] = {}
    for _, row in frame.iterrows():
        share = numbers.estimate(
            row["share"],
            row["low"],
            row["high"],
            100,
        )
        cells[row["strategy"], row["opponent"]] = share
    lines = []
    for place, a in enumerate(order, start=1):
        texts = [cells.get((a, b), "") for b in order]
        lines.append((str(place), a, *texts))
    return lines


def _pairing(findings: Findings) -> Sheet:
    """What mirroring is worth to every mirrored cell."""
    lines = []
    for names, rows in findings.pairing.groupby(WHO, sort=False):
        variant, a, b = map(str, names)
        figures = _pairing_figures(rows)
        swept = _swept(findings, variant, a, b)
        lines.append((variant, f"{a} v {b}", *figures, swept))
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
    by_measure = {row["measure"]: row for _, row in rows.iterrows()}
    points = by_measure["points"]
    wins = by_measure["share"]
    luck = _ranged(points, "luck", 100)
    if luck != numbers.DASH:
        luck = f"{luck} %"
    return _ranged(points, "rho", 1), _ranged(wins, "rho", 1), luck


def _swept(findings: Findings, variant: str, a: str, b: str) -> str:
    """Pairs of which A won both halves, and B; with the exact p where the size was fixed."""
    sweeps = findings.sweeps[variant, a, b]
    counts = f"{sweeps.a:,}, {sweeps.b:,}"
    if findings.record.stop or math.isnan(sweeps.p):
        return counts
    if sweeps.p < 1e-4:
        return f"{counts} (p < .0001)"
    return f"{counts} (p {sweeps.p:.2g})"


def _detectable(findings: Findings) -> str:
    """The lead that every cell would have shown, of runs of pairs whose size was fixed."""
    looked = any(end.multiplier is not None for end in findings.record.ends)
    if looked:
        return ""
    if not all(cell.mirrored for cell in findings.cells):
        return ""
    wins, points = headline(findings.record.unit, 2)
    leads = []
    for metric in (wins, points):
        errors = []
        for _, rows in table.matchups(findings.table):
            by_metric = rows["se"].to_dict()
            errors.append(by_metric[metric])
        least = POWER_80 * max(errors)
        if math.isnan(least):
            return ""
        leads.append(_number(least, metric))
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
        return _ranged(rows.iloc[0], name, factor)
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
    lines = []
    for _, _, metric, raw, adjusted, ratio in _adjusted(frame).rows:
        lines.append(
            f"Adjusted for the cards dealt: {metric} {adjusted} (raw {raw}, variance {ratio})."
        )
    return "\n".join(lines)


def _adjusted(frame: pd.DataFrame) -> Sheet:
    lines = []
    for _, row in frame.iterrows():
        metric = row["metric"]
        factor = _factor(metric)
        raw = _plus_minus(factor * row["value"], factor * row["se"])
        adjusted = _plus_minus(factor * row["adjusted"], factor * row["adjusted_se"])
        players = filter(None, (row["strategy"], row["opponent"]))
        who = " v ".join(players)
        ratio = f"{row['variance_ratio']:.2f}"
        title = _title(metric)
        line = (row["variant"], who, title, raw, adjusted, ratio)
        lines.append(line)
    note = (
        "The luck of the deadwood as dealt is taken out by regression; the raw figure stays valid. "
        "± is 95 %. Variance is the adjusted one over the raw one."
    )
    headings = ("variant", "who", "metric", "raw", "adjusted", "variance")
    return Sheet("Adjusted for the cards dealt", headings, lines, note)


def _title(metric: str) -> str:
    return BY_NAME[metric].title


def _factor(metric: str) -> int:
    return BY_NAME[metric].factor


def _number(value: float, metric: str) -> str:
    if math.isnan(value):
        return numbers.DASH
    scaled = _factor(metric) * value
    return numbers.number(scaled, scaled)


def _plus_minus(value: float, se: float, z: float = Z95) -> str:
    half = z * se
    low = value - half
    high = value + half
    return numbers.estimate(value, low, high)

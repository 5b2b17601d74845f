"""What a run found beside its table, as small tables of text: for the screen and for Markdown alike."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from simgin.report import numbers, summary
from simgin.report.sheet import Sheet
from simgin.stats import league, table
from simgin.stats.estimate import POWER_80, Z95
from simgin.stats.metrics import BY_NAME, headline
from simgin.text.amounts import UNITS

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings

SURE = 0.05
MOST_ROWS = 60  # of a sheet on a screen


def of(found: Findings) -> list[Sheet]:
    """Every sheet that has something to say about a run."""
    leagues = [*standings(found), *crosses(found)]
    sheets = [
        differences(found.differences),
        *leagues,
        _pairing(found, found.multiplier),
        _adjusted(found.adjusted),
    ]
    return [sheet for sheet in sheets if sheet.rows]


def on_screen(found: Findings) -> list[Sheet | str]:
    """The same for a terminal: what is told of every cell is a line, the tables are in the summary."""
    sheets = [sheet for sheet in (differences(found.differences), *standings(found)) if sheet.rows]
    return [
        *(_short(sheet) for sheet in sheets),
        *filter(
            None,
            (_detectable(found), _worth(found.pairing, found.multiplier), _helped(found.adjusted)),
        ),
    ]


def _short(sheet: Sheet) -> Sheet | str:
    """A sheet, or where it is to be found if it would fill the screen several times."""
    return (
        sheet
        if len(sheet.rows) <= MOST_ROWS
        else f"\n{sheet.title}: {len(sheet.rows)} rows, in summary.md and {sheet.title.lower()}.csv."
    )


def results(frame: pd.DataFrame) -> Sheet:
    """The summary: a row for every matchup of a tidy frame."""
    rows = summary.texts(frame)
    return Sheet(
        "Results", tuple(rows[0]), [tuple(row.values()) for row in rows], summary.reading(frame)
    )


def differences(frame: pd.DataFrame) -> Sheet:
    """A row for every comparison, a column for every metric."""
    metrics = list(dict.fromkeys(frame["metric"]))
    rows = []
    for pair, of_pair in frame.groupby(
        ["variant", "base_variant", "strategy", "base_strategy", "opponent"], sort=False
    ):
        cells = {row["metric"]: _difference(row) for _, row in of_pair.iterrows()}
        rows.append((_pair(*map(str, pair)), *(cells.get(metric, "") for metric in metrics)))
    packs = (
        "The same packs: paired."
        if frame["paired"].all()
        else "Other packs: the errors of both add up."
    )
    note = (
        f"{packs} * is p < {SURE} after Holm's adjustment for the {frame['p'].count()} comparisons of this table; elsewhere the "
        "brackets say which true difference would have been found four times in five."
    )
    return Sheet("Differences", ("minus its base", *map(_title, metrics)), rows, note)


def _difference(row: Any) -> str:
    if row["se"] == 0:
        return "none"
    said = numbers.estimate(row["difference"], row["low"], row["high"], _factor(row["metric"]))
    if said == numbers.DASH or math.isnan(row["p_holm"]):
        return said
    return (
        f"{said} *"
        if row["p_holm"] < SURE
        else f"{said} ({_number(row['detectable'], row['metric'])})"
    )


def _pair(variant: str, base_variant: str, strategy: str, base_strategy: str, opponent: str) -> str:
    """What is compared with what: the part that differs, and the rest in brackets."""
    against = [f"v {opponent}"] if opponent else []
    if variant == base_variant and strategy == base_strategy:
        return " ".join([f"{strategy} ({variant}", *against]) + ")"  # of two runs
    if variant != base_variant:
        return f"{variant} - {base_variant} ({' '.join([strategy, *against])})"
    return f"{strategy} - {base_strategy} ({', '.join([variant, *against])})"


def standings(found: Findings) -> list[Sheet]:
    """The league table of every variant in which each met each."""
    return [
        _standings(found, str(variant), rows)
        for variant, rows in found.standings.groupby("variant", sort=False)
    ]


def _standings(found: Findings, variant: str, rows: pd.DataFrame) -> Sheet:
    measures = [name for name in league.MEASURES["match"] if rows[name].notna().any()]
    lines = [
        (row["strategy"], _elo(row), *(_ranged(row, name, _factor(name)) for name in measures))
        for _, row in rows.iterrows()
    ]
    note = f"Means over all opponents, each counted alike; Elo by {UNITS[found.record.unit]} won, Bradley and Terry's model."
    cycles = found.cycles[variant]
    if not math.isnan(cycles.share):
        note += f" Cyclic share, what no rating can explain: {_plus_minus(100 * cycles.share, 100 * cycles.se, found.multiplier)} %."
    return Sheet(f"League: {variant}", ("strategy", "Elo", *map(_title, measures)), lines, note)


def _elo(row: Any) -> str:
    return (
        "0 (anchor)"
        if row["elo"] == row["elo_low"] == row["elo_high"] == 0
        else _ranged(row, "elo", 1)
    )


def _ranged(row: Any, name: str, factor: int) -> str:
    return numbers.estimate(row[name], row[f"{name}_low"], row[f"{name}_high"], factor)


def crosses(found: Findings) -> list[Sheet]:
    """Everyone against everyone, in the order of the league tables: what the row won of its matches (or deals) against the column."""
    return [
        _cross(found, str(variant), frame)
        for variant, frame in found.cross.groupby("variant", sort=False)
    ]


def _cross(found: Findings, variant: str, frame: pd.DataFrame) -> Sheet:
    order = list(found.standings.loc[found.standings["variant"] == variant, "strategy"])
    cells = {
        (row["strategy"], row["opponent"]): numbers.estimate(
            row["share"], row["low"], row["high"], 100
        )
        for _, row in frame.iterrows()
    }
    lines = [
        (str(place), a, *(cells.get((a, b), "") for b in order))
        for place, a in enumerate(order, start=1)
    ]
    title = f"{UNITS[found.record.unit].capitalize()} won %, row against column: {variant}"
    return Sheet(
        title,
        ("place", "strategy", *map(str, range(1, len(order) + 1))),
        lines,
        "Columns are numbered like the rows.",
    )


def _pairing(found: Findings, z: float) -> Sheet:
    parts = []
    for names, rows in found.pairing.groupby(["variant", "strategy", "opponent"], sort=False):
        variant, a, b = map(str, names)
        by_measure = {row["measure"]: row for _, row in rows.iterrows()}
        texts = [
            _plus_minus(by_measure[name]["rho"], by_measure[name]["se"], z)
            for name in ("points", "share")
        ]
        luck = _plus_minus(100 * by_measure["points"]["luck"], 100 * by_measure["points"]["se"], z)
        parts.append(
            (
                variant,
                f"{a} v {b}",
                *texts,
                luck if luck == numbers.DASH else f"{luck} %",
                _swept(found, variant, a, b),
            )
        )
    note = (
        "Variance of a pair's result over that of two unpaired results: n paired results are worth n divided by it. The luck share is "
        "the part of a single result's variance in points that belongs to the pack, for these two players. A pair is swept by whoever won "
        "both of its halves, whatever the luck; p is that of the exact sign test."
    )
    return Sheet(
        "What mirroring is worth",
        ("variant", "A v B", "points", "won", "luck share", "swept by A, by B"),
        parts,
        note,
    )


def _swept(found: Findings, variant: str, a: str, b: str) -> str:
    """Pairs of which A won both halves, and B; with the exact p of the sign test where the size was fixed."""
    sweeps = found.sweeps[variant, a, b]
    p = (
        ""
        if found.record.stop or math.isnan(sweeps.p)
        else f" (p {'< .0001' if sweeps.p < 1e-4 else f'{sweeps.p:.2g}'})"
    )
    return f"{sweeps.a:,}, {sweeps.b:,}{p}"


def _detectable(found: Findings) -> str:
    """What lead over an equal opponent every cell would have shown, of runs of pairs whose size was fixed."""
    looked = any(end.multiplier is not None for end in found.record.ends)
    if looked or not all(cell.mirrored for cell in found.cells):
        return ""
    said = []
    for metric in headline(found.record.unit, 2):
        least = POWER_80 * max(
            rows["se"].to_dict()[metric] for _, rows in table.matchups(found.table)
        )
        if math.isnan(least):
            return ""
        said.append(
            f"{_number(least, metric)} {'%' if _factor(metric) == 100 else 'points a deal'}"
        )
    each = "every matchup" if len(found.cells) > 1 else "this run"
    return f"Smallest lead that {each} would have shown four times in five: {' of the wins, '.join(said)}."


def _worth(frame: pd.DataFrame, z: float) -> str:
    """What mirroring is worth in a line: the figures of one cell, the range of several."""
    parts = {
        name: frame[(frame["measure"] == name) & frame["rho"].notna()]
        for name in ("points", "share")
    }
    if parts["points"].empty:
        return ""
    said = {name: _spread(rows["rho"], rows["se"], z) for name, rows in parts.items()}
    luck = _spread(100 * parts["points"]["luck"], 100 * parts["points"]["se"], z)
    return f"Mirroring leaves {said['points']} of the variance of points and {said['share']} of that of wins; luck share {luck} %."


def _spread(values: pd.Series, errors: pd.Series, z: float) -> str:
    if len(values) == 1:
        return _plus_minus(values.iloc[0], errors.iloc[0], z)
    error = z * errors.max()
    return f"{numbers.number(values.min(), error)} to {numbers.number(values.max(), error)}"


def _helped(frame: pd.DataFrame) -> str:
    """What a control variate helps in one cell, in a line for every metric."""
    if len(frame.groupby(["variant", "strategy", "opponent"])) > 1:
        return "Figures adjusted for the cards dealt are in the summary."
    return "\n".join(
        f"Adjusted for the cards dealt: {row[2]} {row[4]} (raw {row[3]}, variance {row[5]})."
        for row in _adjusted(frame).rows
    )


def _adjusted(frame: pd.DataFrame) -> Sheet:
    rows = [
        (
            row["variant"],
            row["strategy"] + (f" v {row['opponent']}" if row["opponent"] else ""),
            _title(row["metric"]),
            _plus_minus(*(_factor(row["metric"]) * row[name] for name in ("value", "se"))),
            _plus_minus(
                *(_factor(row["metric"]) * row[name] for name in ("adjusted", "adjusted_se"))
            ),
            f"{row['variance_ratio']:.2f}",
        )
        for _, row in frame.iterrows()
    ]
    note = "The luck of the deadwood as dealt taken out by regression; the raw figure stands. ± is 95 %."
    return Sheet(
        "Adjusted for the cards dealt",
        ("variant", "who", "metric", "raw", "adjusted", "variance"),
        rows,
        note,
    )


def _title(metric: str) -> str:
    return BY_NAME[metric].title


def _factor(metric: str) -> int:
    return BY_NAME[metric].factor


def _number(value: float, metric: str) -> str:
    return (
        numbers.DASH
        if math.isnan(value)
        else numbers.number(_factor(metric) * value, _factor(metric) * value)
    )


def _plus_minus(value: float, se: float, z: float = Z95) -> str:
    return numbers.estimate(value, value - z * se, value + z * se)

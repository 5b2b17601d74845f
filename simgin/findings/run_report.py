"""Report of a run: sentences, tables and plots, and how the run was made.

To add a plot, write a function in `simgin.plots` and yield a `Plot` here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simgin import plots
from simgin.findings.run_record import describe_health, describe_size
from simgin.findings.verdict import COMPARED, compared, is_significant, verdict
from simgin.report import numbers, summary
from simgin.report.report import Picture, Report
from simgin.report.table import Column, Table
from simgin.rules import variants
from simgin.stats import table
from simgin.stats.estimate import ALPHA, Z95
from simgin.stats.metrics import BY_NAME, WINS
from simgin.text.amounts import UNITS
from simgin.text.messages import value_text

if TYPE_CHECKING:
    import pandas as pd

    from simgin.findings.findings import Findings

STANDARD = "standard"  # reference variant for descriptions of rules
WHO = (Column("variant", "variant"), Column("strategy", "A"), Column("opponent", "B"))
LEAGUE = (
    Column("strategy", "strategy"),
    Column("elo", "Elo"),
    Column("lead", "lead over the next"),
    Column("elo_v_mix", "Elo v the mix"),
    Column("mix", "in the mix %", factor=100),
)
PAIRING = (
    *WHO,
    Column("measure", "of"),
    Column("rho", "variance left"),
    Column("luck", "luck share %", factor=100),
    Column("swept", "swept by A"),
    Column("swept_by_b", "by B"),
    Column("p_sweeps", "p"),
)
LEAGUE_NOTE = (
    "Elo is fitted to {unit} won (Bradley and Terry's model); the anchor has 0. A lead has the "
    "error of the difference; an Elo has that of the distance to the anchor. The mix is the one "
    "that nobody is measured ahead of."
)
PAIRING_NOTE = (
    "Variance left: of a pair's result over that of two unpaired results; n paired results are "
    "worth n divided by it. The luck share is the part of the variance of a single result that the "
    "pack decides, for these two players. A pair is swept by a player who wins both of its halves; "
    "p is that of the exact sign test."
)
MOST_DRAWN = 60  # matchups per plot; larger leagues have heat maps
CROSS = (*WHO[1:], Column("share", "won %", factor=100))
EFFECTS = (Column("change", "change"), Column("field", "field"), Column("difference", "points"))


def run_report(
    findings: Findings, command: str, pictures: Iterable[Picture] = (), *, details: bool = True
) -> Report:
    """Return the report of a run.

    Args:
        findings: Results of the run.
        command: Command that repeats the run.
        pictures: Plots of the report. CSV files are included only if there are plots.
        details: True to include the folded tables.
    """
    told = findings.by_own_names
    main = main_table(told)
    return Report(
        question=findings.record.question or _question(told),
        verdict=verdict(told),
        tables=[main] if main else [],
        pictures=list(pictures),
        folded=run_tables(told) if details else [],
        facts=list(_facts(findings)),
        command=command,
        files=_tables(findings) if pictures else {},
    )


def _tables(findings: Findings) -> dict[str, str]:
    """Return the CSV files by name, without empty tables."""
    beside = {
        "differences": findings.differences,
        "effects": findings.effects,
        "league": findings.standings,
        "cross": findings.cross,
        "circles": findings.circles,
        "pairing": findings.pairing,
        "adjusted": findings.adjusted,
    }
    files = {"table.csv": table.csv(findings.table)}
    for name, frame in beside.items():
        if len(frame):
            files[f"{name}.csv"] = table.csv(frame)
    return files | {"summary.csv": summary.csv(findings.estimates)}


def _question(findings: Findings) -> str:
    """Return a question for a run without one."""
    cell, *others = findings.cells
    if others:
        return "Who wins?"
    if not cell.b:
        return f"How well does {cell.a} do at {cell.variant}?"
    return f"Does {cell.a} beat {cell.b}?" if cell.a != cell.b else f"How does {cell.a} do?"


def _facts(findings: Findings) -> Iterator[tuple[str, str]]:
    """Yield a label and a description for every setting that determines the results.

    Times and machines are omitted, so that equal runs have equal reports. The manifest contains
    them.
    """
    record = findings.record
    identity = record.identity
    if record.hypothesis:
        yield "Hypothesis", record.hypothesis
    yield "Played", describe_size(record)
    if record.stop:
        yield "Stopping rule", record.stop
    for name, params in identity["variants"].items():
        yield f"Variant {name}", describe_rules(params)
    for name, strategy in identity["strategies"].items():
        called = f"{record.names[name]}: " if name in record.names else ""
        policies = ", ".join(f"{slot} {policy}" for slot, policy in strategy["policies"].items())
        made = f"ending {strategy['ending']}; files {strategy['digest']}"
        yield f"Strategy {name}", f"{called}{policies}; {made}"
    yield "Random numbers", f"stream {identity['stream']}, engine {identity['engine']}"
    yield (
        "Beside this page",
        "table.csv has every figure, manifest.json versions and times, ledger.sqlite the sums of "
        "every batch.",
    )


def describe_rules(params: Mapping[str, Any]) -> str:
    """Return the parameters that differ from the standard variant, with the standard values.

    Parameters that the variant does not use are omitted.
    """
    changed = []
    for name, value in variants.find(STANDARD).row.items():
        own = params.get(name)
        # Compared as strings, because a manifest has lists and a variant has tuples.
        if own is not None and value_text(own) != value_text(value):
            changed.append(f"{name} {value_text(own)} ({value_text(value)})")
    if not changed:
        return "the standard rules"
    return f"differs from {STANDARD} in {', '.join(changed)}"


# Tables


def main_table(findings: Findings) -> Table | None:
    """Return the table to print: a short league table, or else the results.

    Returns:
        None if the sentences contain everything.
    """
    rated = [*leagues(findings)] if findings.round_robins else []
    if len(rated) == 1 and len(rated[0].frame) <= summary.MOST_ROWS:
        return rated[0]
    if findings.all_identical:
        return None
    return summary.on_screen(findings.estimates, findings.record.seed)


def run_tables(findings: Findings) -> list[Table]:
    """Return every non-empty table of a run."""
    results = summary.results(findings.estimates)
    health = describe_health(findings.record.health, "batches")
    told = f"{results.note} {describe_size(findings.record)} {health}".rstrip()
    tables = [
        replace(results, note=told),
        *effects(findings.effects),
        differences(findings.differences),
        *leagues(findings),
        *crosses(findings),
        Table("What mirroring is worth", findings.pairing, PAIRING, PAIRING_NOTE),
    ]
    if len(findings.cells) == 1:
        tables.append(summary.details(findings.estimates))
    return [one for one in tables if len(one.frame)]


def leagues(findings: Findings) -> Iterator[Table]:
    """Yield the ratings, their differences and the equilibrium mix of every round robin."""
    for name, rows in findings.standings.groupby("variant", sort=False):
        if rows["elo"].notna().all():
            note = LEAGUE_NOTE.format(unit=UNITS[findings.record.unit])
            yield Table(f"League: {name}", rows, LEAGUE, f"{note}{_fit(findings, str(name))}")


def _fit(findings: Findings, variant: str) -> str:
    """Return a sentence about the part of the results that no ratings explain."""
    fit = findings.non_additivity[variant]
    half = findings.multiplier / Z95 * fit.half
    if math.isnan(fit.share):
        return ""
    share = numbers.estimate(fit.share, fit.share - half, fit.share + half, 100)
    return (
        f" Non-additivity: {share} % of the deviance fits no ratings, because some players suit or "
        "do not suit each other; that takes no circle."
    )


def crosses(findings: Findings) -> Iterator[Table]:
    """Yield the cross-table of every round robin, in the order of its league table."""
    unit = UNITS[findings.record.unit].capitalize()
    standings = findings.standings
    for variant, frame in findings.cross.groupby("variant", sort=False):
        places = standings.loc[standings["variant"] == variant].set_index("strategy")["place"]
        told = frame.assign(
            strategy=[f"{places[name]} {name}" for name in frame["strategy"]],
            column=frame["opponent"].map(places).map(str),
            place=frame["strategy"].map(places),
            against=frame["opponent"].map(places),
        ).sort_values(["place", "against"])
        title = f"{unit} won %, row against column: {variant}"
        yield pivot(
            title, told, "strategy", "column", _share, "Columns are numbered like the rows."
        )


def _share(row: Any) -> str:
    return numbers.estimate(row["share"], row["low"], row["high"], 100)


def pivot(
    title: str,
    frame: pd.DataFrame,
    line: str,
    column: str,
    text: Callable[[Any], str],
    note: str = "",
) -> Table:
    """Return a table with a row per value of one column and a column per value of another.

    Args:
        title: Title of the table.
        frame: DataFrame in long format.
        line: Column whose values become rows.
        column: Column whose values become columns.
        text: Function that formats a row of the DataFrame as a table cell.
        note: Note below the table.
    """
    headings = sorted(dict.fromkeys(frame[column]), key=_number)
    cells: dict[str, dict[str, str]] = {}
    for row in frame.to_dict("records"):
        cells.setdefault(row[line], dict.fromkeys(headings, ""))[row[column]] = text(row)
    told = table.frame_of([{line: name, **row} for name, row in cells.items()])
    return Table(title, told, [Column(name, name) for name in (line, *headings)], note)


def _number(heading: str) -> int:
    """Return the sort key of a heading, which sorts numbers and keeps the order of names."""
    return int(heading) if heading.isdigit() else 0


def differences(frame: pd.DataFrame) -> Table:
    """Return the table of differences, with a row per comparison and a column per metric."""
    packs = "The sides played different packs, so the errors of both add up."
    if frame["paired"].all():
        packs = "Both sides played the same packs, so differences are paired."
    note = (
        f"{packs} * marks p < {ALPHA} after Holm's adjustment for the {frame['p'].count()} "
        "comparisons of this table. Otherwise it is too close to call; a difference as large as "
        "the number in brackets would have been detected in four runs of five."
    )
    told = frame.assign(
        comparison=[
            compared(*row, less=" - ", against="v")
            for row in frame[COMPARED].astype(str).itertuples(index=False)
        ],
        column=[BY_NAME[name].title for name in frame["metric"]],
    )
    return pivot("Differences", told, "comparison", "column", _difference, note)


def _difference(row: Any) -> str:
    if row["se"] == 0:
        return "none"
    factor = BY_NAME[row["metric"]].factor
    text = numbers.estimate(row["difference"], row["low"], row["high"], factor)
    if is_significant(row):
        return f"{text} *"
    if text == numbers.DASH or math.isnan(row.get("detectable", math.nan)):
        return text
    smallest = factor * row["detectable"]
    return f"{text} ({numbers.number(smallest, smallest)})"


def effects(frame: pd.DataFrame) -> Iterator[Table]:
    """Yield a table per variant and metric, with a row per change and a column per field."""
    note = (
        "What the player gains by the change. A field is what the others play: the same as the "
        f"player, or the opponent named after v. * marks p < {ALPHA} after Holm's adjustment for "
        f"the {frame['p'].count()} effects of the run."
    )
    for names, rows in frame.groupby(["variant", "metric"], sort=False):
        variant, metric = map(str, names)
        title = f"Effects under {variant}: {BY_NAME[metric].title}"
        gains = rows.groupby("change")["difference"].transform("min")
        ranked = rows.assign(gains=-gains).sort_values("gains", kind="stable")
        yield pivot(title, ranked, "change", "field", _difference, note)


# Plots


def run_pictures(findings: Findings) -> Iterator[Picture]:
    """Yield all plots of a run in the order of the report."""
    seed, unit = findings.record.seed, findings.record.unit
    leagues = findings.standings.groupby("variant", sort=False)
    for name, rows in leagues:
        under = f" under {name}" * (len(leagues) > 1)
        cross = findings.cross[findings.cross["variant"] == name]
        if rows["elo"].notna().all():
            drawn = plots.ratings(rows, unit=unit, seed=seed)
            question = f"Who is stronger than whom{under}?"
            yield Picture(f"ratings-{file_word(name)}", question, "", drawn, rows, LEAGUE)
        drawn = plots.league(rows, cross, unit=unit, seed=seed)
        question = f"Who wins against whom{under}?"
        yield Picture(f"league-{file_word(name)}", question, "", drawn, cross, CROSS)
    points = findings.effects[findings.effects["metric"] == "margin"]
    for name, rows in points.groupby("variant", sort=False):
        if rows["low"].notna().any():  # otherwise, the run has too few batches for intervals
            drawn = plots.effects(rows, seed=seed)
            question = f"What does each change gain under {name}?"
            told = rows.rename(columns={"low": "difference_low", "high": "difference_high"})
            yield Picture(f"effects-{file_word(name)}", question, "", drawn, told, EFFECTS)
    if len(findings.cells) <= MOST_DRAWN:
        yield from _matchup_pictures(findings.table, seed)


def _matchup_pictures(frame: pd.DataFrame, seed: int) -> Iterator[Picture]:
    told, columns = summary.wide(frame), summary.shown(frame)
    for name, question, drawn, is_shown in (
        ("win_and_points", "Who wins?", plots.win_and_points(frame, seed=seed), True),
        ("endings", "How do deals end?", plots.endings(frame, seed=seed), False),
    ):
        shown = [c for c in columns if (c.name in WINS) == is_shown and c.name != "turns"]
        cells = [f"{c.name}{end}" for c in shown for end in ("", "_low", "_high")]
        part = told[[*(column.name for column in WHO), *cells]]
        yield Picture(name, question, "", drawn, part, (*WHO, *shown))


def file_word(variant: object) -> str:
    """Return the name of a variant in a form that is valid in file names and HTML ids."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", str(variant))

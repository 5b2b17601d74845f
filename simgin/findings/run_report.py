"""The report of a run: its sentences, tables and pictures, and how it was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simgin.findings.run_record import describe_size
from simgin.findings.run_tables import main_table, run_tables
from simgin.findings.verdict import verdict
from simgin.report import summary
from simgin.report.report import Picture, Report
from simgin.rules import variants
from simgin.stats import table
from simgin.text.messages import value_text

if TYPE_CHECKING:
    from simgin.findings.findings import Findings

STANDARD = "standard"  # the variant that others are compared with


def run_report(
    findings: Findings, command: str, pictures: Iterable[Picture] = (), *, details: bool = True
) -> Report:
    """The report of a run. command: repeats it. details: with the tables that are folded."""
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
    """The CSV files by name; a table without rows is not written."""
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
    return files | {"summary.csv": summary.csv(findings.table)}


def _question(findings: Findings) -> str:
    """The question of a run that was given none."""
    cell, *others = findings.cells
    if others:
        return "Who wins?"
    if not cell.b:
        return f"How well does {cell.a} do at {cell.variant}?"
    return f"Does {cell.a} beat {cell.b}?" if cell.a != cell.b else f"How does {cell.a} do?"


def _facts(findings: Findings) -> Iterator[tuple[str, str]]:
    """How the run was made, as far as its results depend on it.

    Times and machines are left to the manifest: equal runs have equal pages.
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
        yield f"Strategy {name}", called + _describe_strategy(strategy)
    yield "Random numbers", f"stream {identity['stream']}, engine {identity['engine']}"
    yield (
        "Beside this page",
        "table.csv has every figure, manifest.json versions and times, ledger.sqlite the sums of "
        "every batch.",
    )


def describe_rules(params: Mapping[str, Any]) -> str:
    """The parameters that differ from the standard variant's, whose values stand in brackets.

    Those that the variant has no use for are left out.
    """
    changed = []
    for name, value in variants.find(STANDARD).row.items():
        own = params.get(name)
        # By their texts, since a manifest has lists where a variant has pairs.
        if own is not None and value_text(own) != value_text(value):
            changed.append(f"{name} {value_text(own)} ({value_text(value)})")
    if not changed:
        return "the standard rules"
    return f"differs from {STANDARD} in {', '.join(changed)}"


def _describe_strategy(strategy: Mapping[str, Any]) -> str:
    """The policies of a strategy, how it proposes to end a deal, and the digest of its files."""
    policies = ", ".join(f"{slot} {policy}" for slot, policy in strategy["policies"].items())
    return f"{policies}; ending {strategy['ending']}; files {strategy['digest']}"

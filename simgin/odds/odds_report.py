"""The report of odds: sentences, pictures, tables, and how they were made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simgin.odds.odds import Odds
from simgin.odds.odds_pictures import odds_pictures
from simgin.odds.odds_sentences import odds_sentences
from simgin.odds.sheets import odds_sheets
from simgin.report.report import Report

READING = "± and brackets are 95 % intervals."
SOLO_READING = (
    f"{READING} Left: cards in the deck, joker included. If not: share won of the deals still in "
    "progress."
)


def odds_report(odds: Odds, identity: Mapping[str, Any], command: str) -> Report:
    """The report of odds. identity: what the results depend on. command: repeats it."""
    first, *others = odds_sheets(odds)
    return Report(
        question=f"Odds of {', '.join(identity['variants'])}",
        verdict=odds_sentences(odds),
        tables=[first],
        pictures=list(odds_pictures(odds)),
        folded=others,
        facts=[("Reading", reading(odds)), *_facts(odds, identity)],
        command=command,
        files=odds.csv_files(),
    )


def reading(odds: Odds) -> str:
    """How to read the tables."""
    return SOLO_READING if "left" in odds.frames else READING


def _facts(odds: Odds, identity: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """How the odds were made."""
    for variant, best in odds.strongest.items():
        yield f"Strongest player of {variant}", best
    for sentence in odds.refused:
        yield "Not computed", sentence
    yield "Random numbers", f"stream {identity['stream']}, engine {identity['engine']}"
    yield "Beside this page", "every table as CSV, every picture as SVG and PNG, manifest.json."

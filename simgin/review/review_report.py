"""The report of a review: sentences, pictures, tables, and how it was made."""

from __future__ import annotations

from collections.abc import Iterator

from simgin.findings.run_record import describe_size
from simgin.findings.run_report import describe_rules
from simgin.report.report import Report
from simgin.report.screen import Words
from simgin.report.sheet import Sheet
from simgin.review import review_tables, solo_metrics
from simgin.review.players import LUCK_PAIR, REFERENCE, best_solo
from simgin.review.review import Review
from simgin.review.review_pictures import review_pictures
from simgin.review.review_sentences import review_sentences
from simgin.stats import table

MOST_LINES = 30  # of words on a terminal


def review_report(review: Review, command: str) -> Report:
    """The report of a review. command: repeats it."""
    return Report(
        question=title(review),
        verdict=review_sentences(review),
        tables=[review_tables.portrait_sheet(review)],
        pictures=list(review_pictures(review)),
        folded=[review_tables.all_metrics_sheet(review)],
        facts=[("Players", _lead(review)), *_facts(review)],
        command=command,
        files=_csv_files(review),
    )


def review_screen(review: Review, *, details: bool = False) -> Iterator[Words | Sheet]:
    """What a terminal shows of a review: words and a table; with details, every metric."""
    yield Words(review_sentences(review), MOST_LINES)
    yield review_tables.portrait_sheet(review)
    if details:
        yield review_tables.metrics_sheet(review)
        if review.request.others:
            yield review_tables.differences_sheet(review)


def title(review: Review) -> str:
    """What was reviewed, and against what."""
    request = review.request
    if request.others:
        return f"{', '.join(request.others)} against {request.base}"
    return f"Review of {', '.join(request.variants)}"


def _lead(review: Review) -> str:
    request = review.request
    field = ", ".join(request.field)
    size = f"{request.matches:,} matches"
    if request.alone:
        return f"Played by {field}: {size} each, on the same packs."
    return (
        f"Played by {field} and by players who differ only in their knock threshold: {size} for "
        "every pair of players."
    )


def _csv_files(review: Review) -> dict[str, str]:
    """The CSV files by name."""
    frames = {"table.csv": review.findings.table, "metrics.csv": review.metrics}
    if review.request.others:
        frames["differences.csv"] = review.differences
    return {name: table.csv(frame) for name, frame in frames.items()}


def _facts(review: Review) -> Iterator[tuple[str, str]]:
    """How it was made."""
    record = review.findings.record
    yield "Played", describe_size(record)
    yield from _solo_passes(review) if review.request.alone else _passes(review)
    for name, params in record.identity["variants"].items():
        yield f"Rules of {name}", describe_rules(params)
    stream = record.identity["stream"]
    engine = record.identity["engine"]
    yield "Random numbers", f"stream {stream}, engine {engine}"
    yield (
        "Other files",
        "metrics.csv has every metric, table.csv every matchup, manifest.json versions and times.",
    )


def _solo_passes(review: Review) -> Iterator[tuple[str, str]]:
    yield "The naive player", solo_metrics.NAIVE
    for variant in review.request.variants:
        deals = int(review.extras[variant].frames["odds"]["n"].iloc[0])
        yield (
            f"The best player of {variant}",
            f"{best_solo(variant)}; draws and the joker's place from {deals:,} deals.",
        )


def _passes(review: Review) -> Iterator[tuple[str, str]]:
    """What else was played under the same rules, and what could not be measured."""
    request = review.request
    field = ", ".join(request.field)
    yield "Field", f"{field}: metrics are means over them, each playing itself."
    deals = f"{request.singles:,} single deals of"
    yield "Luck", f"{deals} {LUCK_PAIR[0]} against {LUCK_PAIR[1]}, every pack played twice."
    yield "Points, win probability by score", f"{deals} {REFERENCE} against itself."
    for variant in request.variants:
        notes = review.extras[variant].notes
        if "value" in notes:
            yield f"No win probability by score for {variant}", notes["value"]

"""What a review leaves in its directory, as file contents: tables, pictures, and the page with all of it."""

from __future__ import annotations

from collections.abc import Iterator

from simgin.findings.record import describe_size
from simgin.findings.report import describe_rules
from simgin.report.report import Report
from simgin.review import pictures, sentences, solo_metrics
from simgin.review.review import Review
from simgin.review.rule_metrics import FULL, NAMED_PAIR
from simgin.stats import table
from simgin.value.value import ValueRefused


def review_report(review: Review, command: str) -> Report:
    """The report of a review. command: repeats it."""
    return Report(
        title=title(review),
        lead=_lead(review),
        sentences=sentences.sentences(review),
        pictures=list(pictures.of(review)),
        sheets=[sentences.every(review)],
        facts=list(_facts(review)),
        command=command,
        summary=_summary(review),
        tables=_tables(review),
    )


def _tables(review: Review) -> dict[str, str]:
    """The CSV files by name."""
    frames = {"table.csv": review.found.table, "metrics.csv": review.metrics}
    if review.others:
        frames["differences.csv"] = review.differences
    return {name: table.csv(frame) for name, frame in frames.items()}


def _summary(review: Review) -> str:
    """Title, sentences and the two tables, as Markdown."""
    bullets = [f"* {line}" for line in sentences.sentences(review)]
    sheets = (sentences.metrics(review), sentences.differences(review))
    tables = "\n".join(sheet.markdown() for sheet in sheets if sheet.rows)
    return "\n".join([f"# {title(review)}\n", *bullets, ""]) + tables


def title(review: Review) -> str:
    """What was reviewed, and against what."""
    names = ", ".join(review.others or review.asked.variants)
    return f"{names} against {review.asked.base}" if review.others else f"The game of {names}"


def _lead(review: Review) -> str:
    asked = review.asked
    if asked.alone:
        return f"How the rules play: {', '.join(asked.field)}, {asked.matches:,} matches each, on the same packs."
    size = f"{asked.matches:,} matches for every pair of players"
    return f"How the rules play: {', '.join(asked.field)} and players who differ in when they knock, {size}."


def _facts(review: Review) -> Iterator[tuple[str, str]]:
    """How it was made."""
    yield "Played", describe_size(review.found.record)
    yield from _passes_alone(review) if review.asked.alone else _passes(review)
    told = review.found.record
    yield from (
        (f"Rules of {name}", describe_rules(row)) for name, row in told.identity["variants"].items()
    )
    yield "Random numbers", f"stream {told.identity['stream']}, engine {told.identity['engine']}"
    yield (
        "Beside this page",
        "metrics.csv has every figure, table.csv those of every matchup, manifest.json versions and times.",
    )


def _passes_alone(review: Review) -> Iterator[tuple[str, str]]:
    yield "The naive player", solo_metrics.FIELD[0]
    for variant in review.asked.variants:
        seen = review.deals(variant)
        yield (
            f"The best player of {variant}",
            f"{seen.strategy}; draws and the joker from {len(seen.rows):,} deals of it.",
        )


def _passes(review: Review) -> Iterator[tuple[str, str]]:
    """What else was played over the same games, and what could not be had."""
    yield (
        "Field",
        f"{', '.join(review.asked.field)}: metrics are means over their matches against themselves.",
    )
    yield (
        "Luck",
        f"{review.singles:,} single deals of {NAMED_PAIR[0]} against {NAMED_PAIR[1]}, every pack twice.",
    )
    yield (
        "Points of deals, chances by score",
        f"{review.singles:,} single deals of {FULL} against itself.",
    )
    for variant in review.asked.variants:
        try:
            review.value(variant)
        except ValueRefused as error:
            yield f"No chances by score for {variant}", str(error)

"""The report of a chart: what to do in words, the table, the picture, and its price."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from simgin import plots
from simgin.charts.chart import PRICED, Chart
from simgin.findings.verdict import listed
from simgin.plots.answers import WORDS
from simgin.report.numbers import DASH
from simgin.report.report import Picture, Report
from simgin.report.table import Cell, Column, Table
from simgin.rules import variants
from simgin.stats.quantity import Quantity

WIDE = 5  # columns, and a gain, from which numbers are whole
UNCLEAR = "Too close to call, or clear in one seat only:"
LONG = 3  # turns of a stretch that is told
EARLY = 3  # turn by which knocking has to pay for it to be called an early knock
TONES = {1: "little", -1: "base", 0: "unclear"}
READING = "A dot is too close to call; the other cells hold together at 5 % (Holm)."
UNPRICED = {  # why no strategy plays by it
    "knock": "a match is played at more than one score",
    "upcard": "a player takes more cards in a deal than the first upcard",
    "discard": "a player throws more cards in a deal than the first",
}


def chart_report(chart: Chart, command: str, price: Quantity | None = None) -> Report:
    """Everything that is said about a chart. price: see `simgin.charts.chart.price`."""
    request = chart.request
    told = list(LINES[request.kind](chart))
    if price is not None:
        low, high = price.limits
        told.append(
            f"{request.player} knocking by this chart wins {100 * price.value:.1f} % of matches "
            f"from {request.player} itself ({100 * low:.1f} to {100 * high:.1f})."
        )
    else:
        told.append(f"What playing by this chart costs was not measured: {UNPRICED[request.kind]}.")
    score = f", at {request.score[0]} to {request.score[1]}" if request.score else ""
    title = variants.find(request.variant).title
    return Report(
        request.of.question,
        told,
        rules=[("Rules", f"{title}{score}; {request.player} plays.")],
        folded=[_table(chart)],
        pictures=[
            Picture(
                f"chart_{request.kind}",
                f"Gain of {request.of.gain}",
                "",
                plots.chart(chart.frame, seed=request.seed),
                frame=chart.frame,
                columns=(
                    Column("row", "row"),
                    Column("column", "column"),
                    Column("value", "gain", factor=request.factor),
                ),
            )
        ],
        facts=list(_facts(chart, price)),
        command=command,
    )


def _facts(chart: Chart, price: Quantity | None) -> Iterator[tuple[str, str]]:
    request = chart.request
    yield (
        "How it was made",
        f"{request.deals:,} deals of {request.player} against itself, each branched at one such "
        "question: every answer was played on in the same world.",
    )
    if price is not None:
        yield "Price", f"{PRICED:,} matches on packs that the chart was not made from."
    yield "Seed", str(request.seed)


def _table(chart: Chart) -> Table:
    """The chart as cells."""
    import pandas as pd

    kind = chart.request.of
    values, signs = chart.request.factor * chart.grid("value"), chart.signs
    met: np.ndarray = ~np.isnan(chart.grid("value")).all(axis=1)
    digits = 0 if np.nanmax(np.abs(values)) >= WIDE and len(kind.columns) > WIDE else 1
    cells = [
        {
            "row": name,
            **{
                column: _cell(value, sign, digits)
                for column, value, sign in zip(kind.columns, row, of_row, strict=True)
            },
        }
        for name, row, of_row, is_met in zip(kind.rows, values, signs, met, strict=True)
        if is_met
    ]
    columns = [Column("row", ""), *(Column(column, column) for column in kind.columns)]
    unit = WORDS[chart.request.unit]
    title = f"Gain of {kind.gain}, {unit}, by {kind.row_title} and {kind.column_title}"
    return Table(title, pd.DataFrame(cells), columns, READING)


def _cell(value: float, sign: int, digits: int) -> Cell:
    if np.isnan(value):
        return Cell(DASH)
    text = f"{value:+.{digits}f}"
    return Cell(text if sign else "·", tone=TONES[sign])


# In words


def knock_lines(chart: Chart) -> Iterator[str]:
    """Up to which turn to knock, and from which to play on, by deadwood."""
    met = ~np.isnan(chart.grid("value")).all(axis=1)
    rows = [
        (name, _turns(row)) for name, row in zip(chart.request.of.rows, chart.signs, strict=True)
    ]
    kept = [row for row, is_met in zip(rows, met, strict=True) if is_met]
    for early, group in groupby(kept, lambda row: row[1][0] is not None):
        names, turns = zip(*group, strict=True)
        span = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        waits = [first for *_, first in turns]
        later = None if None in waits else max(waits)
        parts = []
        if early:
            first, last = max(t[0] for t in turns), min(t[1] for t in turns)
            in_turns = f"your first {last} turns" if first == 1 else f"turns {first} to {last}"
            parts.append(f"knock in {in_turns}")
        if later is not None:
            parts.append(f"from turn {later} on play for gin")
        yield f"With {span} deadwood: {'; '.join(parts) or 'too close to call, or it depends'}."


def _turns(signs: Sequence[int]) -> tuple[int | None, int | None, int | None]:
    """First and last turn of an early stretch in which a knock clearly pays, and a turn to wait.

    From that turn on it never clearly pays, and there it clearly costs. None for what is not there.
    """
    pays = np.flatnonzero(np.asarray(signs) == 1)
    start = end = None
    if len(pays) and pays[0] < EARLY:
        start = end = int(pays[0])
        while end + 1 < len(signs) and signs[end + 1] == 1:
            end += 1
        if end + 1 - start < LONG:
            start = end = None
    after = pays[-1] + 1 if len(pays) else 0
    costs = np.flatnonzero(np.asarray(signs[after:]) == -1)
    wait = int(after + costs[0]) + 1 if len(costs) else None
    return (None, None, wait) if start is None or end is None else (start + 1, end + 1, wait)


def upcard_lines(chart: Chart) -> Iterator[str]:
    """Which upcards to take and which to leave."""
    found: dict[str, list[str]] = {}
    for name, signs in zip(chart.request.of.rows, chart.signs, strict=True):
        word = {(1, 1): "Take", (-1, -1): "Leave"}.get(tuple(signs), UNCLEAR)
        found.setdefault(word, []).append(name)
    for word in ("Take", "Leave", UNCLEAR):
        if word in found:
            *most, last = found[word]
            yield f"{word} an upcard that {' or '.join(filter(None, (', '.join(most), last)))}."


def discard_lines(chart: Chart) -> Iterator[str]:
    """What cards with partners cost more than a lone king, and which lone cards do."""
    kind, signs = chart.request.of, chart.signs
    values = -chart.request.factor * chart.grid("value")
    unit = WORDS[chart.request.unit]
    dear = [rank for rank, sign in zip(kind.columns, signs[0], strict=True) if sign < 0]
    cheap = [rank for rank, sign in zip(kind.columns, signs[0], strict=True) if sign > 0]
    if dear:
        yield f"Of cards without a partner {listed(dear)} clearly cost more than a king."
    if cheap:
        yield f"Of cards without a partner {listed(cheap)} clearly cost less than a king."
    for name, row in zip(kind.rows[1:], values[1:], strict=True):
        partners = "one partner" if name == "one" else f"{name} partners"
        ends = f"{np.nanmin(row):.1f} to {np.nanmax(row):.1f}"
        yield f"A card with {partners} costs {ends} {unit} more than a king with none."


LINES = {"knock": knock_lines, "upcard": upcard_lines, "discard": discard_lines}

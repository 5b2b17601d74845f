"""What a sweep answers: where rows go, what breaks even, which value is best.

A best value is chosen on the even batches and judged on the odd ones, so that the choice itself
does not flatter it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from simgin.findings.verdict import listed
from simgin.report.table import Column, Table
from simgin.review.players import FOR_GIN, STRONG
from simgin.review.review import SKILL, WAITING, Key, Review
from simgin.review.scorecard import SAME, UNCLEAR, Measurement, Row, size
from simgin.review.verdicts import label
from simgin.stats.differences import holm
from simgin.stats.quantity import Quantity
from simgin.stats.table import frame_of

TOLD = ("turns_per_match", "gin", "win")  # rows that the verdict follows from end to end
EVEN = 0.5
SURE = 0.05

Figures = Mapping[Key, Measurement]


def words(review: Review, variant: str) -> str:
    """The values of a rule set, as in `undercut bonus 10`."""
    point = request_point(review, variant)
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in point)


def values(review: Review, variant: str) -> str:
    """The values alone: `10`, or `20 / 10` of two parameters; of the base its name."""
    point = request_point(review, variant)
    return " / ".join(value for _, value in point) or label(variant)


def request_point(review: Review, variant: str) -> list[tuple[str, str]]:
    """The parameters of a sweep with their values under a rule set; none for a base beside it."""
    request = review.request
    names = [name for name, _ in request.sweep]
    points = itertools.product(*(values for _, values in request.sweep))
    found = dict(zip(request.swept, points, strict=True)).get(variant, ())
    return list(zip(names, found, strict=False))


def sweep_lines(review: Review) -> Iterator[str]:
    """What a sweep shows, a line each: where rows go from end to end, and what breaks even."""
    first, *_, last = review.request.swept
    for row in review.rows:
        if row.key in TOLD:
            yield from _course(review, row, first, last)
    if review.has_waiting:
        yield _break_even(review) if len(review.request.sweep) == 1 else _break_evens(review)


def _course(review: Review, row: Row, first: str, last: str) -> Iterator[str]:
    """Where a row begins and ends, and how much that is."""
    own, other = (review.figures[variant, row.key, STRONG] for variant in (first, last))
    if not isinstance(own, Quantity) or not isinstance(other, Quantity):
        return
    difference = other - own
    bounds = row.bounds(own, review.played(first, STRONG).matches)
    found = size(difference, bounds)
    way = row.more if difference.value > 0 else row.less
    word = found if found in (SAME, UNCLEAR) else f"{found} {way}"
    ends = f"{row.text(own.value)} at {words(review, first)}, {row.text(other.value)} at "
    yield f"{row.title}: {ends}{words(review, last)}: {word}"


def _break_even(review: Review) -> str:
    """With which values playing for gin wins from knocking at once, and with which it loses."""
    ((name, texts),) = review.request.sweep
    found: dict[str, list[str]] = {}
    for value, variant in zip(texts, review.request.swept, strict=True):
        share = review.figures[variant, WAITING, FOR_GIN.name]
        assert isinstance(share, Quantity)
        low, high = share.limits
        word = "beats it" if low > EVEN else "loses to it" if high < EVEN else UNCLEAR
        found.setdefault(word, []).append(value)
    parts = [f"{word} with {name.replace('_', ' ')} {listed(of)}" for word, of in found.items()]
    return f"Playing for gin against knocking at once: {'; '.join(parts)}"


def _break_evens(review: Review) -> str:
    """From which value of the second parameter playing for gin pays, for each of the first."""
    (first, firsts), (second, seconds) = review.request.sweep
    parts = []
    for place, value in enumerate(firsts):
        row = review.request.swept[place * len(seconds) : (place + 1) * len(seconds)]
        known = [review.figures[variant, WAITING, FOR_GIN.name] for variant in row]
        pays = [
            text
            for text, share in zip(seconds, known, strict=True)
            if isinstance(share, Quantity) and share.limits[0] > EVEN
        ]
        parts.append(f"{listed(pays) if pays else 'none'} with {value}")
    names = f"these values of {second.replace('_', ' ')}, by {first.replace('_', ' ')}"
    return f"Playing for gin beats knocking at once under {names}: {'; '.join(parts)}"


# The best value


def _uneven(number: Quantity) -> Quantity:
    """How far a share is from one half."""
    return number.scaled(1, -EVEN) if number.value >= EVEN else number.scaled(-1, EVEN)


# What is best: a title, the metric, whose figure, and how bad a figure is
AIMS: tuple[tuple[str, str, str, Callable[[Quantity], Quantity]], ...] = (
    ("fewest dead hands", "dead", STRONG, lambda number: number),
    ("fairest seats", "seat", STRONG, _uneven),
    ("knocking at once and playing for gin worth the same", WAITING, FOR_GIN.name, _uneven),
)


def best_values(review: Review) -> Table:
    """The best value for each aim, and those that are not clearly worse."""
    even = replace(review, half=0).figures
    odd = replace(review, half=1).figures
    rows = []
    aims = list(AIMS)
    for kind, _ in review.request.kinds:
        aims.append((f"most skill against: {kind}", SKILL, kind, lambda number: number.scaled(-1)))
    for title, metric, kind, bad in aims:
        known = _badness(review, even, metric, kind, bad)
        finite = {v: number.value for v, number in known.items() if not np.isnan(number.value)}
        if not finite:
            continue
        chosen = min(finite, key=finite.__getitem__)
        others = _not_clearly_worse(_badness(review, odd, metric, kind, bad), chosen)
        near = ", ".join(values(review, variant) for variant in others) or "none"
        if len(others) == len(review.request.swept) - 1:
            near = "all the others"
        rows.append({"aim": title, "best": values(review, chosen), "near": near})
    columns = (Column("aim", "aim"), Column("best", "best"), Column("near", "not clearly worse"))
    note = "Chosen on one half of the packs and judged on the other, at 5 % (Holm)."
    names = " / ".join(name.replace("_", " ") for name, _ in review.request.sweep)
    return Table(f"Best {names}", frame_of(rows, ("aim", "best", "near")), columns, note)


def _badness(
    review: Review, figures: Figures, metric: str, kind: str, bad: Callable[[Quantity], Quantity]
) -> dict[str, Quantity]:
    """How bad a figure is under every rule set that has it."""
    found = {variant: figures.get((variant, metric, kind)) for variant in review.request.swept}
    return {variant: bad(own) for variant, own in found.items() if isinstance(own, Quantity)}


def _not_clearly_worse(known: Mapping[str, Quantity], best: str) -> list[str]:
    """The other rule sets whose figure is not worse than the best's for certain."""
    others = [variant for variant in known if variant != best]
    worse = [known[variant] - known[best] for variant in others]
    adjusted = holm(np.array([own.p if own.value > 0 else 1.0 for own in worse], float))
    return [variant for variant, p in zip(others, adjusted, strict=True) if not p < SURE]

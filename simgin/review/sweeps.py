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
    """Between which values playing for gin and knocking at once are worth the same."""
    ((name, texts),) = review.request.sweep
    shares = [review.figures[variant, WAITING, FOR_GIN.name] for variant in review.request.swept]
    known = [share for share in shares if isinstance(share, Quantity)]
    pays = [value for value, share in zip(texts, known, strict=True) if share.limits[0] > EVEN]
    loses = [value for value, share in zip(texts, known, strict=True) if share.limits[1] < EVEN]
    subject = name.replace("_", " ")
    if not pays or not loses:
        way = "wins" if pays else "does not clearly win"
        return f"Playing for gin {way} from knocking at once with every {subject} tried"
    return (
        f"Playing for gin beats knocking at once with {subject} {listed(pays)}, and loses with "
        f"{listed(loses)}"
    )


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
    import pandas as pd

    even = replace(review, half=0).figures
    odd = replace(review, half=1).figures
    rows = []
    aims = [
        *AIMS,
        *(
            (f"most skill against: {kind}", SKILL, kind, lambda number: number.scaled(-1))
            for kind, _ in review.request.kinds
        ),
    ]
    for title, metric, kind, bad in aims:
        chosen = _best(review, even, metric, kind, bad)
        if chosen is None:
            continue
        others = _not_clearly_worse(review, odd, metric, kind, bad, chosen)
        near = ", ".join(values(review, variant) for variant in others) or "none"
        if len(others) == len(review.request.swept) - 1:
            near = "all the others"
        rows.append({"aim": title, "best": values(review, chosen), "near": near})
    columns = (Column("aim", "aim"), Column("best", "best"), Column("near", "not clearly worse"))
    note = "Chosen on one half of the packs and judged on the other, at 5 % (Holm)."
    names = " / ".join(name.replace("_", " ") for name, _ in review.request.sweep)
    return Table(
        f"Best {names}", pd.DataFrame(rows, columns=["aim", "best", "near"]), columns, note
    )


def _best(
    review: Review, figures: Figures, metric: str, kind: str, bad: Callable[[Quantity], Quantity]
) -> str | None:
    """The rule set with the least of what is bad; None where it cannot be had."""
    known = {}
    for variant in review.request.swept:
        number = figures.get((variant, metric, kind))
        if isinstance(number, Quantity) and not np.isnan(number.value):
            known[variant] = bad(number).value
    return min(known, key=known.__getitem__) if known else None


def _not_clearly_worse(
    review: Review,
    figures: Figures,
    metric: str,
    kind: str,
    bad: Callable[[Quantity], Quantity],
    best: str,
) -> list[str]:
    """The other rule sets whose figure is not worse than the best's for certain."""
    least = figures[best, metric, kind]
    assert isinstance(least, Quantity)
    others, ps = [], []
    for variant in review.request.swept:
        number = figures.get((variant, metric, kind))
        if variant != best and isinstance(number, Quantity):
            worse = bad(number) - bad(least)
            others.append(variant)
            ps.append(worse.p if worse.value > 0 else 1.0)
    adjusted = holm(np.array(ps, float))
    return [variant for variant, p in zip(others, adjusted, strict=True) if not p < SURE]

"""The plots of a review, with the DataFrames that they show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin import plots
from simgin.core import sums
from simgin.report.report import Picture
from simgin.report.table import Column
from simgin.review import course
from simgin.review.review import WAITING, Review
from simgin.review.verdicts import label
from simgin.stats import quantity
from simgin.stats.quantity import Quantity
from simgin.stats.table import Frame, frame_of
from simgin.strategy.cast import STRONG

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_BINS = 30
FAR = 0.995  # proportion of matches within the range of the length plot
SHOWN_BY_KIND = ("turns_per_match", "gin", "win")  # rows of the plot by player type
FIFTHS = 5  # parts of the target in plots of scores


def review_pictures(review: Review) -> Iterator[Picture]:
    """Yield every plot, in the order of the report."""
    seed = review.request.seed
    names = [label(variant) for variant in review.request.variants]
    if review.request.sweep:
        yield from _sweep(review)
        return
    frame = match_length(review)
    figure = plots.match_length(frame, seed=seed, among=names)
    columns = _columns(variant="", median="median turns")
    yield _picture("match_length", "How long does a match take?", figure, frame, columns)
    frame = outcomes_by_kind(review)
    figure = plots.outcomes_by_kind(frame, seed=seed)
    columns = _columns("variant", "players", "metric", value="share")
    yield _picture("outcomes", "How do deals end?", figure, frame, columns)
    frame = kinds(review)
    if len(frame):
        figure = plots.kinds(frame, seed=seed, among=names)
        columns = _columns("title", "variant", "players", value="change")
        question = "Does it hold for every kind of player?"
        yield _picture("kinds", question, figure, frame, columns)
    frame = knock_chart(review)
    if len(frame) and not review.request.alone:
        figure = plots.knock_chart(frame, seed=seed, among=names)
        columns = _columns("variant", "turn", "deadwood", share="share")
        question = "When does the strong player knock?"
        yield _picture("knock_chart", question, figure, frame, columns)
    frame = score_difference(review)
    if len(frame):
        figure = plots.score_difference(frame, seed=seed)
        columns = _columns("variant", "own", "other", value="difference")
        yield _picture("scores", "What is a lead worth?", figure, frame, columns)


def _picture(
    name: str, question: str, figure: Figure, frame: Frame, columns: Sequence[Column]
) -> Picture:
    return Picture(name, question, "", figure, frame=frame, columns=columns)


def _columns(*names: str, **titled: str) -> tuple[Column, ...]:
    """Return columns with their own names as headings, and others with titles."""
    every = {name: name for name in names} | titled
    return tuple(Column(name, title) for name, title in every.items())


def _named(review: Review, variant: str, kind: str = STRONG) -> dict[str, Any]:
    name = review.strategy(variant, kind)
    opponent = "" if review.request.alone else name
    return {"variant": label(variant), "strategy": name, "opponent": opponent}


def _limits(own: Quantity) -> dict[str, Any]:
    low, high = own.limits
    return {"value": own.value, "se": own.se, "low": low, "high": high, "n": own.n}


def match_length(review: Review) -> Frame:
    """Return the distribution of turns per match between strong players, in equal bins."""
    counts = {
        variant: review.played(variant, STRONG).course["length"]
        for variant in review.request.variants
    }
    reach = max(
        int(np.searchsorted(c.sum(axis=0).cumsum(), FAR * c.sum())) for c in counts.values()
    )
    width = max(1, -(-reach // MOST_BINS))
    starts = np.arange(0, reach + 1, width)
    rows = []
    for variant, count in counts.items():
        median = int(np.searchsorted(count.sum(axis=0).cumsum(), count.sum() / 2))
        binned = np.add.reduceat(count[:, : starts[-1] + width], starts, axis=1)
        for start, column in zip(starts, binned.T, strict=True):
            share = quantity.per_case(column, count.sum(axis=1), share=True)
            where = {"turns": start, "width": width, "median": median}
            rows.append({**_named(review, variant), **where, **_share(share)})
    return frame_of(rows)


def _share(own: Quantity) -> dict[str, Any]:
    numbers = _limits(own)
    return {"share": numbers.pop("value"), **numbers}


def outcomes_by_kind(review: Review) -> Frame:
    """Return the proportions of deals by ending, for every player type."""
    rows = []
    ends = {
        "gin": ("gin", "big_gin", "shot"),
        "knock": ("knock", "even"),
        "undercut": ("undercut",),
        "void": tuple(set(sums.KINDS) - {"gin", "big_gin", "shot", "knock", "even", "undercut"}),
    }
    for variant in review.request.variants:
        for kind in review.kinds:
            played = review.played(variant, kind)
            for metric, kinds_of_end in ends.items():
                share = played.per("deals", *kinds_of_end, share=True)
                what = {"players": kind, "metric": metric}
                rows.append({**_named(review, variant, kind), **what, **_limits(share)})
    return frame_of(rows)


def kinds(review: Review) -> Frame:
    """Return the effects on a few rows of the scorecard, for every player type."""
    rows = []
    for row in (row for row in review.rows if row.key in SHOWN_BY_KIND):
        for (variant, key, kind), change in review.changes.items():
            if key == row.key and variant in review.request.variants:
                what = {
                    "players": kind,
                    "metric": row.key,
                    "factor": row.factor,
                    "title": f"{row.title}: change{', percentage points' * bool(row.unit)}",
                }
                numbers = _limits(change.difference) | {"n": review.request.matches}
                rows.append({**_named(review, variant, kind), **what, **numbers})
    return frame_of(rows)


def knock_chart(review: Review) -> Frame:
    """Return the proportions of the strong player's knocks by own turn and deadwood."""
    rows = []
    for variant in review.request.variants:
        knocks = review.played(variant, STRONG).course.get("knocks")
        if knocks is None or not knocks.any():
            continue
        per_batch = knocks.sum(axis=(1, 2))
        for turn, count in np.ndindex(knocks.shape[1:]):
            if turn:
                share = quantity.per_case(knocks[:, turn, count], per_batch, share=True)
                where = {"turn": turn, "deadwood": count}
                rows.append({**_named(review, variant), **where, **_share(share)})
    return frame_of(rows)


def score_difference(review: Review) -> Frame:
    """Return the difference in win probability from the baseline, by fifths of the target."""
    base = review.request.base
    if base is None:
        return frame_of([])
    of_base = _by_score(review, base)
    rows = []
    for variant in review.request.others:
        for place, own in _by_score(review, variant).items():
            if place in of_base:
                own_place, other_place = (100 / FIFTHS * at for at in place)
                where = {"own": own_place, "other": other_place}
                rows.append({**_named(review, variant), **where, **_limits(own - of_base[place])})
    return frame_of(rows)


def _by_score(review: Review, variant: str) -> dict[tuple[int, int], Quantity]:
    """Return the proportion of matches that a side won, by both scores."""
    scores = review.played(variant, STRONG).course.get("scores")
    if scores is None:
        return {}
    size = course.STEPS // FIFTHS
    shape = (len(scores), FIFTHS, size, FIFTHS, size, 2)
    deals, won = np.moveaxis(scores.reshape(shape).sum(axis=(2, 4)), -1, 0)
    return {
        (i, j): quantity.per_case(won[:, i, j], deals[:, i, j], share=True)
        for i in range(FIFTHS)
        for j in range(FIFTHS)
        if i != j and deals[:, i, j].any()  # it is one half at equal scores
    }


# Sweeps


def _sweep(review: Review) -> Iterator[Picture]:
    """Yield curves over one parameter, or a heat map for each row of the scorecard over two."""
    seed = review.request.seed
    frame = sweep_frame(review)
    columns = _columns("title", "variant", value="value")
    if len(review.request.sweep) == 1:
        figure = plots.sweep_curves(frame, seed=seed)
        yield _picture("sweep", "What does each value do?", figure, frame, columns)
        return
    for i, (title, part) in enumerate(frame.groupby("title", sort=False), start=1):
        figure = plots.sweep_map(part, seed=seed)
        yield _picture(f"sweep_{i}", str(title), figure, part, columns)


def sweep_frame(review: Review) -> Frame:
    """Return every row of the scorecard for every value; `even` is the break-even value."""
    (x_name, xs), *second = review.request.sweep
    y_name, ys = second[0] if second else ("", ("",))
    places = dict(zip(review.request.swept, ((x, y) for x in xs for y in ys), strict=True))
    rows = []
    drawn = [row for row in review.rows if row.key != "minutes"]
    titles = {row.key: (row.title, row.factor, np.nan) for row in drawn}
    if review.request.waiting:
        titles[WAITING] = ("Matches that playing for gin wins from knocking at once, %", 100, 50.0)
    for (variant, key, kind), number in review.figures.items():
        if variant not in places or key not in titles or not isinstance(number, Quantity):
            continue
        if kind != STRONG and key != WAITING:
            continue
        title, factor, even = titles[key]
        x, y = places[variant]
        where = {"title": title, "metric": key, "x": _number(x), "y": _number(y), "even": even}
        axes = {"x_name": x_name.replace("_", " "), "y_name": y_name.replace("_", " ")}
        base = {"is_base": variant == review.request.base, "factor": factor}
        rows.append({**_named(review, variant), **where, **axes, **base, **_limits(number)})
    return frame_of(rows)


def _number(text: str) -> float | str:
    return float(text) if text.replace("-", "", 1).isdecimal() else text

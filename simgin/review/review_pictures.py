"""The pictures of a review, each with what there is to see in words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simgin import plots
from simgin.findings.run_pictures import file_word
from simgin.report import figures, numbers
from simgin.report.report import Picture
from simgin.review import review_frames, review_sentences
from simgin.review.review import Review
from simgin.review.review_frames import PICTURES, ReviewPicture

if TYPE_CHECKING:
    import pandas as pd


def review_pictures(review: Review) -> Iterator[Picture]:
    """Every picture, what changes first; those of a single variant are switched with it."""
    if review.request.others:
        yield from _differences(review)
    for picture in PICTURES:
        if not picture.by_variant:
            yield from _together(review, picture)
    for variant in review.request.variants:
        for picture in PICTURES:
            if picture.by_variant and _is_for(review, picture):
                yield from _of_variant(review, variant, picture)


def _differences(review: Review) -> Iterator[Picture]:
    request = review.request
    frame = review_frames.differences(review)
    if not len(frame):
        return
    figure = plots.differences(frame, seed=request.seed, among=request.variants)
    title = f"Difference from {request.base}"
    yield Picture("differences", title, " ".join(review_sentences.review_sentences(review)), figure)


def _is_for(review: Review, picture: ReviewPicture) -> bool:
    """Totals are those of one player, the other pictures of a single variant those of two."""
    return review.request.alone == (picture.frame is review_frames.totals)


def _together(review: Review, picture: ReviewPicture) -> Iterator[Picture]:
    frame = picture.frame(review)
    if len(frame):
        yield _drawn(review, picture, frame, picture.name, picture.title)


def _of_variant(review: Review, variant: str, picture: ReviewPicture) -> Iterator[Picture]:
    frame = picture.frame(review, variant)
    if len(frame):
        name = f"{picture.name}-{file_word(variant)}"
        yield _drawn(review, picture, frame, name, f"{picture.title}: {variant}", variant)


def _drawn(
    review: Review, picture: ReviewPicture, frame: Any, name: str, title: str, variant: str = ""
) -> Picture:
    """A picture in which every variant has its colour of this page, and its words."""
    request = review.request
    figure = figures.drawn(picture.draw, frame, seed=request.seed, among=request.variants)
    return Picture(name, title, _words(review, picture, frame), figure, variant)


def _words(review: Review, picture: ReviewPicture, frame: Any) -> str:
    """What a picture shows, for whoever cannot see it."""
    if not picture.keys:
        return WORDS[picture.name](frame)
    measured = {metric.key for metric in review.request.metrics}
    return review_sentences.metrics_in_words(
        review, [key for key in picture.keys if key in measured]
    )


def _share(row: Mapping[Hashable, Any]) -> str:
    """A share with its interval, in per cent."""
    return numbers.estimate(row["value"], row["low"], row["high"], 100)


def median_total_in_words(frame: pd.DataFrame) -> str:
    """The median total."""
    median = frame["total"][frame["share"].cumsum() >= 0.5].iloc[0]
    return f"Half of the matches add up to {median:g} or less."


def league_in_words(tables: tuple[pd.DataFrame, pd.DataFrame]) -> str:
    """The order of a league."""
    return f"Heat map, best rating first: {', '.join(tables[0]['strategy'])}."


def extremes_in_words(frame: pd.DataFrame) -> str:
    """The least and the greatest value of a picture of many cells."""
    cells = frame.sort_values("value", kind="stable").to_dict("records")
    least = _cell(cells[0])
    greatest = _cell(cells[-1])
    return f"From {least} to {greatest}."


def _cell(cell: Mapping[Hashable, Any]) -> str:
    place = [f"{name} {cell[name]:g}" for name in ("a", "b", "k", "j") if name in cell]
    number = numbers.estimate(cell["value"], cell["low"], cell["high"])
    return f"{number} ({', '.join(place)})"


WORDS: dict[str, Callable[[Any], str]] = {
    "totals": median_total_in_words,
    "league": league_in_words,
    "scores": extremes_in_words,
}

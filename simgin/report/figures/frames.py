"""Frames of pictures: their columns and groups, and what captions say of them."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec

import numpy as np

from simgin.text.messages import shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Frames = ParamSpec("Frames")  # what a picture is drawn from
MOST_PAIRS = 3  # matchups named in full in a caption
MOST_NAMES = 12  # variants or strategies named in one; more are counted
MOST_LETTERS = 150  # of all the strategies named in one


def picture(draw: Callable[Frames, Figure]) -> Callable[Frames, Figure]:
    """Decorator of a function that draws frames: what is no such frame gets a sentence."""

    @functools.wraps(draw)
    def checked(*args: Frames.args, **kwargs: Frames.kwargs) -> Figure:
        frames: Sequence[Any] = args[:1]
        for frame in frames:
            if not hasattr(frame, "columns"):
                raise ValueError(f"plots.{draw.__name__} draws a pandas frame, not {shown(frame)}.")
            if len(frame) == 0:
                raise ValueError(
                    f"plots.{draw.__name__} has nothing to draw: the frame has no rows."
                )
        try:
            return draw(*args, **kwargs)
        except KeyError as error:
            told = str(error.args[0])
            missing = ", ".join(re.findall(r"'(\w+)'", told)[-1:] or [told])
            raise ValueError(
                f"plots.{draw.__name__} draws another frame: this one has no column {missing} "
                f"(help(simgin.plots.{draw.__name__}) lists them)."
            ) from error

    return checked


def drawn(
    draw: Callable[..., Figure], frame: Any, *, seed: int | None, among: Sequence[str]
) -> Figure:
    """A picture in the colours of its page, where its series have colours.

    among: the names of the page, as in `looks`.
    """
    if "among" in inspect.signature(draw).parameters:
        return draw(frame, seed=seed, among=among)
    return draw(frame, seed=seed)


def seed_words(seed: int | None) -> str:
    """The end of a list of facts: `; seed 7`, or nothing if the seed is not known."""
    return "" if seed is None else f"; seed {seed}"


def caption(frame: pd.DataFrame, *, seed: int | None, unit: str, note: str = "") -> str:
    """Variants, strategies, n (in `unit`, such as "deals") and seed of a frame, then `note`.

    Without a seed the frame's deals cannot be named, and the caption does not.
    """
    least = int(frame["n"].min())
    most = int(frame["n"].max())
    size = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    variants = unique(frame["variant"])
    noun = "Variants" if len(variants) > 1 else "Variant"
    told = (
        f"{noun} {', '.join(variants)}"
        if len(variants) <= MOST_NAMES
        else f"{len(variants)} variants"
    )
    facts = [told, _players(frame), f"{size} {unit}"]
    origin = "; ".join(facts) + seed_words(seed) + "."
    return f"{origin} {note}" if note else origin


def _players(frame: pd.DataFrame) -> str:
    """The matchups if they are few, else the strategies."""
    strategies = frame["strategy"].map(str)
    pairs = dict.fromkeys(zip(strategies, frame["opponent"].map(str), strict=True))
    if len(pairs) <= MOST_PAIRS:
        return "; ".join([f"{a} against {b}" if b else a for a, b in pairs])
    names: dict[str, None] = {}
    for pair in pairs:
        names |= dict.fromkeys(pair)
    names.pop("", None)
    told = ", ".join(names)
    is_short = len(names) <= MOST_NAMES and len(told) <= MOST_LETTERS
    return told if is_short else f"{len(names)} players"


def groups(frame: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows for each value of a column, in order of appearance."""
    for name, part in frame.groupby(column, sort=False):
        yield str(name), part


def owner(frame: pd.DataFrame, among: Sequence[str]) -> str:
    """The column whose names have a colour each: variants on a page of variants, else strategies.

    among: the names of the page, as in `looks`.
    """
    return "variant" if set(frame["variant"]) <= set(among) else "strategy"


def unique(names: pd.Series) -> list[str]:
    """Distinct names in order of appearance."""
    return list(dict.fromkeys(map(str, names)))


def columns(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Columns as arrays of floats."""
    return [frame[name].to_numpy(dtype=float) for name in names]


def percent(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Columns of shares, 0 to 1, in per cent."""
    return [100 * shares for shares in columns(frame, *names)]


def widest_half(frame: pd.DataFrame) -> float:
    """Half the width of the widest 95 % interval."""
    halves = (frame["high"] - frame["low"]) / 2
    return float(halves.max())

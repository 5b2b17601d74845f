"""Frames of pictures: their columns and groups, and what captions say of them."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ParamSpec, cast

import numpy as np

from simgin.text.messages import shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Frames = ParamSpec("Frames")  # what a picture is drawn from
MOST_PAIRS = 3  # matchups named in full in a caption
MOST_NAMES = 12  # variants or strategies named in one; more are counted


def picture(draw: Callable[Frames, Figure]) -> Callable[Frames, Figure]:
    """Decorator of a function that draws frames: what is no such frame gets a sentence."""

    @functools.wraps(draw)
    def checked(*args: Frames.args, **kwargs: Frames.kwargs) -> Figure:
        name, frame = draw.__name__, cast("pd.DataFrame", args[0])
        if not hasattr(frame, "columns"):
            raise ValueError(f"plots.{name} draws a pandas frame, not {shown(frame)}.")
        if not len(frame):
            raise ValueError(f"plots.{name} has nothing to draw: the frame has no rows.")
        try:
            return draw(*args, **kwargs)
        except KeyError as error:
            told = str(error.args[0])
            missing = ", ".join(re.findall(r"'(\w+)'", told)[-1:] or [told])
            raise ValueError(
                f"plots.{name} draws another frame: this one has no column {missing} "
                f"(help(simgin.plots.{name}) lists them)."
            ) from error

    return checked


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
    return ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} players"


def groups(frame: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows for each value of a column, in order of appearance."""
    for name, part in frame.groupby(column, sort=False):
        yield str(name), part


def unique(names: pd.Series) -> list[str]:
    """Distinct names in order of appearance."""
    return list(dict.fromkeys(map(str, names)))


def columns(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Columns as arrays of floats."""
    return [frame[name].to_numpy(dtype=float) for name in names]


def percent(frame: pd.DataFrame, *names: str) -> list[np.ndarray]:
    """Columns of shares, 0 to 1, in per cent."""
    return [100 * shares for shares in columns(frame, *names)]


def precision(frame: pd.DataFrame, factor: float = 100, unit: str = "") -> str:
    """How wide the widest 95 % interval is, in a sentence."""
    half = factor * float((frame["high"] - frame["low"]).max()) / 2
    return f"95 % intervals: ± {half:.2g}{unit} or less."

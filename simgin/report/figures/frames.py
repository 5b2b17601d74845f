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


def picture(draw: Callable[Frames, Figure]) -> Callable[Frames, Figure]:
    """Decorator of a function that draws frames: what is no such frame gets a sentence."""

    @functools.wraps(draw)
    def checked(*args: Frames.args, **kwargs: Frames.kwargs) -> Figure:
        _check_frame(draw.__name__, args)
        try:
            return draw(*args, **kwargs)
        except KeyError as error:
            frames = [frame for frame in args if hasattr(frame, "columns")]
            missing = _missing_column(error, frames)
            if not missing:
                raise
            known = ", ".join(map(str, frames[0].columns))
            raise ValueError(
                f"plots.{draw.__name__} needs a column {missing!r}; the frame has {known}. "
                f"help(simgin.plots.{draw.__name__}) says which frame it draws."
            ) from None

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


def _check_frame(name: str, args: Sequence[Any]) -> None:
    """Raise ValueError if the first argument is no frame, or has no rows."""
    for frame in args[:1]:
        if not hasattr(frame, "columns"):
            raise ValueError(f"plots.{name} draws a pandas frame, not {shown(frame)}.")
        if len(frame) == 0:
            raise ValueError(f"plots.{name} has nothing to draw: the frame has no rows.")


def _missing_column(error: KeyError, frames: Sequence[Any]) -> str:
    """The column that pandas did not find; empty if the error is about something else."""
    text = str(error.args[0])
    names = re.findall(r"'(\w+)'", text) or [text]  # of several columns it quotes each
    for name in names:
        if frames and name not in frames[0].columns:
            return str(name)
    return ""


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
    facts = [f"{noun} {', '.join(variants)}", _players(frame), f"{size} {unit}"]
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
    return ", ".join(names)


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

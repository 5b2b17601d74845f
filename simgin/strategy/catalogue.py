"""Strength and speed of the built-in strategies.

The values are in catalogue.toml, which docs/make.py writes from results/reference.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from simgin.strategy.author import Strategy

FILE = Path(__file__).with_name("catalogue.toml")
# Minimum number of deals per second in self-play -> tier
TIERS = {100_000: "fast", 5_000: "thorough", 0: "searching"}
READING = (
    "\nStrength: Elo in a league of `eaai` matches (simple is 0) with its 95 % interval, and the "
    "matches won against simple in per cent; for one player, the deals of solitaire-gin won and "
    "the penalty per deal of solitary-gin. Speed: fast plays at least 100,000 deals a second "
    "against itself, thorough 5,000, searching fewer; slow runs in Python."
)
UNKNOWN = "–"  # noqa: RUF001
WEAKEST = -1e9  # below all ratings


def names() -> tuple[str, ...]:
    """Return the names of the built-in strategies, strongest first, without importing any."""
    return tuple(_figures())


def known(name: str) -> dict[str, Any]:
    """Return the catalogue entry of a strategy; empty if it is not in the catalogue."""
    return dict(_figures().get(name, {}))


def alone(name: str) -> bool:
    """Return True if a strategy is made for solitaire games."""
    return name.startswith("solo-")


def idea(strategy: Strategy) -> str:
    """Return the first sentence of the description, without a leading strategy name."""
    about = " ".join(strategy.about.split())
    sentence = re.split(r"(?<=[.!?])\s", about, maxsplit=1)[0]
    if len(sentence) <= len("A b."):  # an initial such as "A.", not a sentence
        sentence = about
    name = f"{strategy.name}: "
    if sentence.lower().startswith(name):
        sentence = sentence[len(name) :]
    return sentence[:1].upper() + sentence[1:]


def ordered(strategies: Sequence[Strategy]) -> list[Strategy]:
    """Return the strategies, strongest first; those of unknown strength come last, by name."""

    def rank(strategy: Strategy) -> tuple[float, str]:
        return -float(known(strategy.name).get("elo", WEAKEST)), strategy.name

    return sorted(strategies, key=rank)


def strength(name: str) -> str:
    """Return the strength of a strategy as text; a dash if it was never in a league."""
    figures = known(name)
    if "won" not in figures:
        return str(figures.get("result", UNKNOWN))
    return f"{figures['elo']:+d} ± {figures['elo_error']}, {figures['won']} %"


def speed(name: str) -> str:
    """Return the speed tier of a strategy; empty if it was never measured."""
    rate = known(name).get("deals_per_second")
    if rate is None:
        return ""
    return next(tier for least, tier in TIERS.items() if rate >= least)


def best(at_least: int) -> str:
    """Return the strategy with the highest rating among those with a minimum speed.

    Args:
        at_least: Minimum number of deals per second.
    """
    ratings = {
        name: figures["elo"]
        for name, figures in _figures().items()
        if "elo" in figures and figures.get("deals_per_second", 0) >= at_least
    }
    return max(ratings, key=lambda name: ratings[name])


@cache
def _figures() -> dict[str, dict[str, Any]]:
    """Read the catalogue entries by strategy."""
    if not FILE.exists():
        return {}
    return tomllib.loads(FILE.read_text(encoding="utf-8"))

"""What is known of the strategies that come with simgin: how strong they were in the league, how fast they play.

The figures are in catalogue.toml, which docs/make.py writes from results/reference.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simgin.strategy.author import Strategy

FILE = Path(__file__).with_name("catalogue.toml")
TIERS = {
    100_000: "fast",
    5_000: "thorough",
    0: "searching",
}  # at least so many deals a second against itself
READING = """
strength: Elo in the league of `eaai` matches (simple is 0) with its 95 % interval, and matches won against simple in per cent; alone, \
deals of solitaire-gin won and penalty a deal of solitary-gin. speed: fast plays 100,000 deals a second or more against itself, thorough \
5,000, searching fewer; slow runs in Python."""


def known(name: str) -> dict[str, Any]:
    """The figures of a strategy by name; empty for one that is not in the catalogue."""
    return dict(_figures().get(name, {}))


def alone(name: str) -> bool:
    """Whether a strategy is made for games alone."""
    return name.startswith("solo-")


def idea(strategy: Strategy) -> str:
    """The first sentence of what is said about a strategy, without the name that it may begin with."""
    about = " ".join(strategy.about.split())
    first = re.split(r"(?<=[.!?])\s", about, maxsplit=1)[0]
    said = first if len(first) > len("A b.") else about
    if said.lower().startswith(f"{strategy.name}: "):
        said = said[len(strategy.name) + 2 :]
    return said[:1].upper() + said[1:]


def ordered(strategies: Sequence[Strategy]) -> list[Strategy]:
    """Strongest first, then those of unknown strength by name."""
    return sorted(strategies, key=lambda one: (-float(known(one.name).get("elo", -1e9)), one.name))


def strength(name: str) -> str:
    """What a person is told of a strategy's strength; a dash if it never played in a league."""
    figures = known(name)
    if "won" in figures:
        return f"{figures['elo']:+d} ± {figures['elo_error']}, {figures['won']} %"
    return str(figures.get("told", "–"))  # noqa: RUF001


def speed(name: str) -> str:
    """The tier of a strategy's speed; empty if it was never measured."""
    rate = known(name).get("deals_per_second")
    return "" if rate is None else next(tier for least, tier in TIERS.items() if rate >= least)


def best(at_least: int) -> str:
    """The strategy with the best rating of those that play so many deals a second."""
    fast = {
        name: one["elo"]
        for name, one in _figures().items()
        if "elo" in one and one.get("deals_per_second", 0) >= at_least
    }
    return max(fast, key=lambda name: fast[name])


@cache
def _figures() -> dict[str, dict[str, Any]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}

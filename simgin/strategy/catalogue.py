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

CATALOGUE_FILE = Path(__file__).with_name("catalogue.toml")
# Minimum number of deals per second in self-play -> tier
SPEED_TIERS = {100_000: "fast", 5_000: "thorough", 0: "searching"}
CATALOGUE_NOTE = (
    "\nStrength: Elo in a league of `eaai` matches (simple is 0) with its 95 % interval, and the "
    "matches won against simple in per cent; for one player, the deals of solitaire-gin won and "
    "the penalty per deal of solitary-gin. Speed: fast plays at least 100,000 deals a second "
    "against itself, thorough 5,000, searching fewer; slow runs in Python."
)
UNKNOWN_STRENGTH = "–"  # noqa: RUF001
MIN_ELO = -1e9  # below all ratings


def list_by_strength() -> tuple[str, ...]:
    """Return the names of the built-in strategies, strongest first, without importing any."""
    return tuple(_read_catalogue())


def read_entry(name: str) -> dict[str, Any]:
    """Return the catalogue entry of a strategy; empty if it is not in the catalogue."""
    return dict(_read_catalogue().get(name, {}))


def is_solo_strategy(name: str) -> bool:
    """Return True if a strategy is made for solitaire games."""
    return name.startswith("solo-")


def extract_idea(strategy: Strategy) -> str:
    """Return the first sentence of the description, without a leading strategy name."""
    about = " ".join(strategy.about.split())
    sentence = re.split(r"(?<=[.!?])\s", about, maxsplit=1)[0]
    if len(sentence) <= len("A b."):  # an initial such as "A.", not a sentence
        sentence = about
    name = f"{strategy.name}: "
    if sentence.lower().startswith(name):
        sentence = sentence[len(name) :]
    return sentence[:1].upper() + sentence[1:]


def sort_by_strength(strategies: Sequence[Strategy]) -> list[Strategy]:
    """Return the strategies, strongest first; those of unknown strength come last, by name."""

    def rank(strategy: Strategy) -> tuple[float, str]:
        return -float(read_entry(strategy.name).get("elo", MIN_ELO)), strategy.name

    return sorted(strategies, key=rank)


def format_strength(name: str) -> str:
    """Return a strategy's rating or other known result as text, or a dash."""
    entry = read_entry(name)
    if "won" not in entry:
        return str(entry.get("result", UNKNOWN_STRENGTH))
    return f"{entry['elo']:+d} ± {entry['elo_error']}, {entry['won']} %"


def find_speed_tier(name: str) -> str:
    """Return the speed tier of a strategy; empty if it was never measured."""
    rate = read_entry(name).get("deals_per_second")
    if rate is None:
        return ""
    return next(tier for least, tier in SPEED_TIERS.items() if rate >= least)


@cache
def _read_catalogue() -> dict[str, dict[str, Any]]:
    """Read the catalogue entries by strategy."""
    if not CATALOGUE_FILE.exists():
        return {}
    return tomllib.loads(CATALOGUE_FILE.read_text(encoding="utf-8"))

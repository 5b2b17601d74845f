"""Strength and speed of the built-in strategies.

docs/make.py computes the values from results/reference and writes them to catalogue.toml.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from simgin.core.codes import SLOTS
from simgin.strategy.author import Strategy
from simgin.text.messages import capitalize_first

# Pattern of a decorated function in a strategy file, with the slot, the decorator's arguments and
# the function's name
_POLICY_DEFINITION_PATTERN = re.compile(
    rf"^@({'|'.join(SLOTS)})\b(.*?)^def (\w+)", re.MULTILINE | re.DOTALL
)
CATALOGUE_FILE = Path(__file__).with_name("catalogue.toml")
# Speed tiers, with the minimum speed in self-play as a proportion of the speed of `simple`
SPEED_TIER_BY_MIN_SPEED = {0.1: "fast", 0.01: "thorough", 0: "searching"}
CATALOGUE_NOTE = (
    "\nStrength: Elo in a league of `eaai` matches (simple has 0) with its 95 % interval, and the "
    "percentage of matches won against simple. Elo combines the results against all strategies of "
    "the league. Speed in self-play: fast is at least a tenth of the speed of simple, thorough at "
    "least a hundredth, and searching is slower. Slow strategies run in Python."
)
SOLO_CATALOGUE_NOTE = (
    "\nStrength: the percentage of deals won in solitaire-gin, and the penalty per deal in "
    "solitary-gin."
)
UNKNOWN_STRENGTH = "–"  # noqa: RUF001
MIN_ELO = -1e9  # lower than any rating


def list_strategies_by_strength() -> tuple[str, ...]:
    """Return the names of the built-in strategies, strongest first, without loading them."""
    return tuple(_read_catalogue())


def list_policy_names() -> dict[str, list[str]]:
    """Return the sorted names of the built-in policies by slot, without importing the policies."""
    names_by_slot: dict[str, list[str]] = {slot: [] for slot in SLOTS}
    for path in resources.files("simgin_strategies").iterdir():
        source = path.read_text(encoding="utf-8") if path.name.endswith(".py") else ""
        for slot, arguments, function in _POLICY_DEFINITION_PATTERN.findall(source):
            name_match = re.search(r'name="([^"]+)"', arguments)
            names_by_slot[slot].append(name_match[1] if name_match else function.replace("_", "-"))
    return {slot: sorted(policy_names) for slot, policy_names in names_by_slot.items()}


def read_catalogue_entry(name: str) -> dict[str, Any]:
    """Return the catalogue entry of a strategy, or an empty entry if there is none."""
    return dict(_read_catalogue().get(name, {}))


def is_solo_strategy(name: str) -> bool:
    """Return True if a strategy is designed for solitaire games."""
    return name.startswith("solo-")


def extract_first_sentence(strategy: Strategy) -> str:
    """Return the first sentence of a strategy's description, without the strategy's name."""
    about = " ".join(strategy.about.split())
    sentence = re.split(r"(?<=[.!?])\s", about, maxsplit=1)[0]
    if len(sentence) <= len("A b."):  # Skip an initial such as "A.".
        sentence = about
    name_prefix = f"{strategy.name}: "
    if sentence.lower().startswith(name_prefix):
        sentence = sentence[len(name_prefix) :]
    return capitalize_first(sentence)


def sort_by_strength(strategies: Sequence[Strategy]) -> list[Strategy]:
    """Sort strategies by strength, strongest first.

    Strategies of unknown strength come last.
    """

    def sort_key(strategy: Strategy) -> tuple[float, str]:
        return -float(read_catalogue_entry(strategy.name).get("elo", MIN_ELO)), strategy.name

    return sorted(strategies, key=sort_key)


def format_strength(name: str) -> str:
    """Format the strength of a strategy from the catalogue, or return a dash if it is unknown."""
    entry = read_catalogue_entry(name)
    if "won" not in entry:
        return str(entry.get("result", UNKNOWN_STRENGTH))
    return f"{entry['elo']:+d} ± {entry['elo_error']}, {entry['won']} %"


def find_speed_tier(name: str) -> str:
    """Return the speed tier of a strategy, or "" if the speed is unknown."""
    deals_per_second = read_catalogue_entry(name).get("deals_per_second")
    if deals_per_second is None:
        return ""
    speed = deals_per_second / read_catalogue_entry("simple")["deals_per_second"]
    return next(tier for min_speed, tier in SPEED_TIER_BY_MIN_SPEED.items() if speed >= min_speed)


@cache
def _read_catalogue() -> dict[str, dict[str, Any]]:
    """Return the catalogue entries of all built-in strategies, by name."""
    if not CATALOGUE_FILE.exists():
        return {}
    return tomllib.loads(CATALOGUE_FILE.read_text(encoding="utf-8"))

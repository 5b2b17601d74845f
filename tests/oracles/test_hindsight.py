"""The bound of hindsight: ten cards in melds among those seen, and no player beyond it."""

import importlib.util
import random
from itertools import combinations
from pathlib import Path

import pytest

from oracles import twin
from simgin.rules import variants
from simgin.rules.record import build_rules
from support import hands

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("hindsight", ROOT / "benchmarks" / "hindsight.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("text", ["solitaire-gin", "solitary-gin"])
def test_gin_among_twelve_cards_is_gin_of_some_ten(script, text):
    """Against the twin's deadwood of every ten of them."""
    variant = variants.find(text)
    melds = script.melds_of_sizes(build_rules(variant))
    lot = random.Random(text)
    found = set()
    for _ in range(30):
        cards = hands.meld_rich(lot, 12, variant.row["ace_runs"])
        tens = combinations(hands.names(cards), 10)
        has_gin = any(twin.deadwood(list(ten), variant.row) == 0 for ten in tens)
        assert script.holds_gin(cards, *melds) == has_gin, hands.names(cards)
        found.add(has_gin)
    assert found == {True, False}

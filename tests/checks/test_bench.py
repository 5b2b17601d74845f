"""The bench: its hands are what they are called, and its figures are consistent.

The speeds themselves are not tested.
"""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from simgin.checks import bench
from simgin.cli.main import cli
from simgin.core.state import new_state
from simgin.play.deal import watch_deal
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import loader
from simgin.strategy.loader import find


def hands(cards, n=200):
    out = np.zeros(n, np.int64)
    bench._deal(new_state(bench.SEED), cards, out)
    return [int(hand) for hand in out]


def test_dealt_hands_come_from_real_packs():
    gold = find("gold")
    for unit in range(3):
        played = watch_deal(
            Matchup(variants.find("standard"), gold, gold, bench.SEED, "deal"), unit
        )
        assert hands(10)[unit] == sum(1 << int(card) for card in played.state.pack[:10])


@pytest.mark.parametrize("cards", [10, 11])
def test_hands_have_their_number_of_cards(cards):
    assert {hand.bit_count() for hand in hands(cards)} == {cards}


def test_hands_in_play_have_eleven_cards_and_improve():
    own_rules = build_rules(variants.find("standard"))
    held = np.zeros(100 * bench.TURNS, np.int64)
    bench._in_play(new_state(bench.SEED), own_rules, held)
    assert {int(hand).bit_count() for hand in held} == {11}
    turns = held.reshape(100, bench.TURNS)
    first, last = (bench._add_best(turns[:, turn], own_rules, 1) for turn in (0, -1))
    assert last < first / 2


def test_the_roster_is_of_all_two_player_strategies():
    assert {"gold", "marjj", "mc"} < set(bench.roster()) < set(loader.built_in())
    assert not {name for name in bench.roster() if name.startswith("solo")}


@pytest.fixture
def few_strategies(monkeypatch):
    """To compile the whole roster takes a minute."""
    monkeypatch.setattr(bench, "roster", lambda: ["gold", "marjj", "mc"])


@pytest.mark.usefixtures("few_strategies")
def test_the_figures_are_consistent():
    found = bench.figures(0.05, [1, 2])
    assert [one.figure for one in found[:4]] == [
        "calibration, blocks",
        "deadwood, dealt hands",
        "best discard, dealt hands",
        "best discard, hands in play",
    ]
    assert found[0].ratio == 1
    for one in found:
        assert one.per_second > 0 and one.ratio == pytest.approx(
            found[0].per_second / one.per_second
        )
        assert one.threads > 1 or one.speedup == 1
    assert [one.threads for one in found[4:]] == [1, 2] * len(bench.MATCHUPS) + [1] * len(
        bench.roster()
    )
    assert {f"{name}, eaai deals" for name in bench.roster()} < {one.figure for one in found}
    # Mean deadwood of a dealt hand: 56.565, sd 13.795.
    assert found[1].mean == pytest.approx(56.565, abs=4 * 13.795 / bench.HANDS**0.5)


@pytest.mark.usefixtures("few_strategies")
def test_the_command_prints_the_figures(monkeypatch):
    figures = bench.figures(0.01, [1])
    monkeypatch.setattr(bench, "figures", lambda seconds, threads: figures)
    result = CliRunner().invoke(cli, ["bench", "--seconds", "0.01"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert "56.58064 (deadwood, dealt hands)" in " ".join(result.stdout.split())
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    found = json.loads(CliRunner().invoke(cli, ["bench", "--seconds", "0.01", "--json"]).stdout)
    assert list(found) == ["simgin", "stream", "command", "seed", "stopped", "files", "rows"]
    assert found["command"] == "simgin bench --seconds 0.01"

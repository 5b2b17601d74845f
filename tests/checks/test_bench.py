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
from simgin.play.matchup import Matchup
from simgin.play.watch import watch_deal
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import loader


def test_dealt_hands_come_from_real_packs():
    dealt = {cards: np.zeros(200, np.int64) for cards in (10, 11)}
    for cards, hands in dealt.items():
        bench._deal(new_state(bench.SEED), cards, hands)
        assert {int(hand).bit_count() for hand in hands} == {cards}
    gold = loader.find("gold")
    matchup = Matchup(variants.find("standard"), gold, gold, bench.SEED, "deal")
    for unit in range(3):
        pack = watch_deal(matchup, unit).state.pack
        assert dealt[10][unit] == sum(1 << int(card) for card in pack[:10])


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


def test_the_command_prints_figures_that_are_consistent(monkeypatch):
    """Of few strategies: to compile the whole roster takes a minute."""
    monkeypatch.setattr(bench, "roster", lambda: ["gold"])
    monkeypatch.setattr(bench, "MATCHUPS", bench.MATCHUPS[1:2])
    measured = bench.figures(0.01, [1, 2])
    monkeypatch.setattr(bench, "figures", lambda *_: measured)
    words = ["bench", "--seconds", "0.01"]
    printed = CliRunner().invoke(cli, words, env={"COLUMNS": "80"})
    assert printed.exit_code == 0, printed.output
    assert "56.58064 (deadwood, dealt hands)" in " ".join(printed.stdout.split())
    assert all(len(line) <= 80 for line in printed.stdout.splitlines())
    found = json.loads(CliRunner().invoke(cli, [*words, "--json"], prog_name="simgin").stdout)
    assert list(found) == ["simgin", "stream", "command", "seed", "stopped", "files", "rows"]
    assert found["command"] == "simgin bench --seconds 0.01"
    rows = found["rows"]
    assert [(row["figure"], row["threads"]) for row in rows] == [
        ("calibration, blocks", 1),
        ("deadwood, dealt hands", 1),
        ("best discard, dealt hands", 1),
        ("best discard, hands in play", 1),
        ("gold v gold, deals", 1),
        ("gold v gold, deals", 2),
        ("gold, eaai deals", 1),
    ]
    for row in rows:
        ratio = rows[0]["per_second"] / row["per_second"]
        assert row["ratio"] == pytest.approx(ratio) and row["per_second"] > 0
        assert row["threads"] > 1 or row["speedup"] == 1
    # Mean deadwood of a dealt hand: 56.565, sd 13.795
    assert rows[1]["mean"] == pytest.approx(56.565, abs=4 * 13.795 / bench.HANDS**0.5)

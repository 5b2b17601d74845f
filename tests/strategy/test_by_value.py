"""Tests of strategies that are defined in scripts and notebooks."""

import functools
import pickle
import subprocess
import sys

import pytest
from numba import njit

import simgin
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.strategy import Strategy, discard, helper, knock, loader, param
from simgin.strategy.strategy_spec import StrategyError

TURNS, TABLE = 3, {"turns": [3]}
OTHER = Strategy("other")


@helper
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@njit
def turns(n):
    return TURNS + n


@functools.cache
def looked_up(n):
    return TABLE["turns"][n]


@knock(k=param(0, 0, 9))
def early(view, rules, params):
    return view.own_turn <= turns(params[0]) * factorial(view.own_turn - view.own_turn)


@knock
def slow(view, rules, params):
    return view.own_turn <= looked_up(0) and OTHER.name == "other"


def wins(player):
    """Return the number of deals that a player wins against gold."""
    frame = simgin.match(player, "gold", deals="2k", workers=1).frame
    return float(frame[frame["metric"] == "deal_win"]["value"].iloc[0])


@pytest.mark.parametrize("policy", [early, slow], ids=lambda policy: policy.name)
def test_functions_and_constants_are_unchanged(policy, monkeypatch):
    mine = Strategy("mine", knock=policy)
    assert simgin.find_strategy(mine).spec == "mine"
    first, found = wins(mine), simgin.find_strategy("gold+knock=mine")
    monkeypatch.setitem(globals(), "TURNS", 8)
    monkeypatch.setitem(TABLE, "turns", [8])
    assert wins("mine") == first
    assert wins(mine) == wins("mine") != first
    assert wins(found) == first


def test_script_policies_have_parameters_and_can_be_pickled(tmp_path):
    gold = simgin.find_strategy("gold")
    made = Strategy("mine", knock=early), Strategy("mix", discard=gold.discard)
    (tmp_path / "made").write_bytes(pickle.dumps([*map(simgin.find_strategy, made)]))
    code = (
        "import pickle, simgin\nfor mine in pickle.load(open('made', 'rb')):\n"
        "    frame = simgin.match(mine, 'gold', deals='2k', workers=1).frame\n"
        "    print(frame[frame['metric'] == 'deal_win']['value'].iloc[0])\n"
    )
    assert [*map(float, run_script(tmp_path, code).split())] == [*map(wins, made)]
    assert simgin.find_strategy(Strategy("mine", knock=early(k=5))).spec == "mine"
    assert wins(Strategy("mine", knock=early)) != wins("mine:k=5")


def run_script(folder, code):
    """Run a script in its own folder and return its output."""
    (folder / "script.py").write_text(code)
    done = subprocess.run([sys.executable, "script.py"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


SCRIPT = """
print("once")
import simgin
from simgin.strategy import Strategy, knock
{before}
@knock
def early(view, rules, params):
    return view.own_turn <= TURNS
TURNS = 3
{match}
"""
MATCH = "simgin.match(Strategy('mine', knock=early), 'gold', deals='2k', workers=2)"


BARE = SCRIPT.format(before="", match=MATCH)
GUARDED = SCRIPT.format(before="", match=f"if __name__ == '__main__':\n    {MATCH}")


@pytest.mark.parametrize(
    "code",
    [
        BARE,
        pytest.param(GUARDED, marks=pytest.mark.slow),
        f"exec({BARE!r}, {{'__name__': '__main__'}})",
    ],
)
def test_a_script_is_executed_once(code, tmp_path):
    assert run_script(tmp_path, code) == "once\n"


def test_a_name_means_one_strategy():
    mine = Strategy("mine", knock=early)
    with pytest.raises(StrategyError, match="two different strategies have the name 'mine'"):
        simgin.match(mine, Strategy("mine", knock=slow))
    with pytest.raises(StrategyError, match="'gold' is the name of another strategy"):
        simgin.find_strategy(Strategy("gold", knock=early))


def test_objects_that_cannot_be_copied_are_rejected():
    open_file = sys.stdout.buffer

    @knock
    def reads(view, rules, params):
        return open_file.closed

    with pytest.raises(StrategyError, match="'mine' reads an object that cannot be copied"):
        simgin.find_strategy(Strategy("mine", knock=reads))


def test_a_failure_names_the_call_that_replays_it():
    @discard
    def wrong(view, rules, params):
        return view.own_turn - 2

    loader.find_strategy(Strategy("wrong", discard=wrong))
    game = parse_matchup("wrong", "gold", "standard", 1, "match")
    with pytest.raises(kernel.PolicyCallError) as raised:
        kernel.play_batches(game, 0, 2)
    call = "simgin.show('wrong', 'gold', variant='standard', seed=1, unit=0, half=0, deal=0)"
    assert str(raised.value).endswith(call)

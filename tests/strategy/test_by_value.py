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

KNOCK_TURNS, KNOCK_TURNS_TABLE = 3, {"turns": [3]}
OTHER_STRATEGY = Strategy("other")


@helper
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@njit
def add_knock_turns(n):
    return KNOCK_TURNS + n


@functools.cache
def look_up_knock_turns(n):
    return KNOCK_TURNS_TABLE["turns"][n]


@knock(k=param(0, 0, 9))
def knock_early(view, rules, params):
    return view.own_turn <= add_knock_turns(params[0]) * factorial(view.own_turn - view.own_turn)


@knock
def knock_early_in_python(view, rules, params):
    return view.own_turn <= look_up_knock_turns(0) and OTHER_STRATEGY.name == "other"


def compute_win_rate(player):
    """Return the percentage of deals that a player wins against gold."""
    frame = simgin.match(player, "gold", deals="2k", workers=1).frame
    return float(frame[frame["metric"] == "deal_win"]["value"].iloc[0])


@pytest.mark.parametrize(
    "policy", [knock_early, knock_early_in_python], ids=lambda policy: policy.name
)
def test_found_strategy_ignores_later_changes_of_constants(policy, monkeypatch):
    strategy = Strategy("mine", knock=policy)
    assert simgin.find_strategy(strategy).spec == "mine"
    win_rate, copied = compute_win_rate(strategy), simgin.find_strategy("gold+knock=mine")
    monkeypatch.setitem(globals(), "KNOCK_TURNS", 8)
    monkeypatch.setitem(KNOCK_TURNS_TABLE, "turns", [8])
    assert compute_win_rate("mine") == win_rate
    assert compute_win_rate(strategy) == compute_win_rate("mine") != win_rate
    assert compute_win_rate(copied) == win_rate


def test_script_policies_have_parameters_and_can_be_pickled(tmp_path):
    gold = simgin.find_strategy("gold")
    strategies = Strategy("mine", knock=knock_early), Strategy("mix", discard=gold.discard)
    (tmp_path / "made").write_bytes(pickle.dumps([*map(simgin.find_strategy, strategies)]))
    code = (
        "import pickle, simgin\nfor mine in pickle.load(open('made', 'rb')):\n"
        "    frame = simgin.match(mine, 'gold', deals='2k', workers=1).frame\n"
        "    print(frame[frame['metric'] == 'deal_win']['value'].iloc[0])\n"
    )
    assert [*map(float, run_script(tmp_path, code).split())] == [*map(compute_win_rate, strategies)]
    assert simgin.find_strategy(Strategy("mine", knock=knock_early(k=5))).spec == "mine"
    assert compute_win_rate(Strategy("mine", knock=knock_early)) != compute_win_rate("mine:k=5")


def run_script(folder, code):
    """Run a script in its own folder and return its output."""
    (folder / "script.py").write_text(code)
    result = subprocess.run(
        [sys.executable, "script.py"], cwd=folder, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


SCRIPT_TEMPLATE = """
print("once")
import simgin
from simgin.strategy import Strategy, knock
{before}
@knock
def early(view, rules, params):
    return view.own_turn <= KNOCK_TURNS
KNOCK_TURNS = 3
{match}
"""
MATCH_CODE = "simgin.match(Strategy('mine', knock=early), 'gold', deals='2k', workers=2)"


UNGUARDED_SCRIPT = SCRIPT_TEMPLATE.format(before="", match=MATCH_CODE)
GUARDED_SCRIPT = SCRIPT_TEMPLATE.format(
    before="", match=f"if __name__ == '__main__':\n    {MATCH_CODE}"
)


@pytest.mark.parametrize(
    "code",
    [
        UNGUARDED_SCRIPT,
        pytest.param(GUARDED_SCRIPT, marks=pytest.mark.slow),
        f"exec({UNGUARDED_SCRIPT!r}, {{'__name__': '__main__'}})",
    ],
)
def test_script_is_executed_once(code, tmp_path):
    assert run_script(tmp_path, code) == "once\n"


def test_different_strategies_with_the_same_name_are_rejected():
    strategy = Strategy("mine", knock=knock_early)
    with pytest.raises(StrategyError, match="two different strategies have the name 'mine'"):
        simgin.match(strategy, Strategy("mine", knock=knock_early_in_python))
    with pytest.raises(StrategyError, match="'gold' is the name of another strategy"):
        simgin.find_strategy(Strategy("gold", knock=knock_early))


def test_objects_that_cannot_be_copied_are_rejected():
    open_file = sys.stdout.buffer

    @knock
    def read_open_file(view, rules, params):
        return open_file.closed

    with pytest.raises(StrategyError, match="'mine' reads an object that cannot be copied"):
        simgin.find_strategy(Strategy("mine", knock=read_open_file))


def test_error_states_the_call_that_replays_the_deal():
    @discard
    def discard_wrong_card(view, rules, params):
        return view.own_turn - 2

    loader.find_strategy(Strategy("wrong", discard=discard_wrong_card))
    matchup = parse_matchup("wrong", "gold", "standard", 1, "match")
    with pytest.raises(kernel.PolicyCallError) as error:
        kernel.play_batches(matchup, 0, 2)
    call = "simgin.show('wrong', 'gold', variant='standard', seed=1, unit=0, half=0, deal=0)"
    assert str(error.value).endswith(call)

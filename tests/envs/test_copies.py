"""Tests that copies of environments are independent."""

import copy
import os
import pickle
import subprocess
import sys
from itertools import count
from pathlib import Path
from random import Random

import pytest

from simgin.core.state import create_state
from simgin.play.game_table import GameTable
from simgin.play.matchup import parse_matchup
from simgin.rules import variants

pytest.importorskip("pettingzoo")

from support.env_sessions import (
    COPY_FUNCTIONS,
    SESSION_CLASSES,
    compute_steps_checksum,
    start_session,
)

for_each_env_type = pytest.mark.parametrize("env_type", SESSION_CLASSES)


def compare_copies(env_type, copy_method, n_deals, *env_arguments, **options):
    """Play with copies of an environment, and compare each step with an uncopied one."""
    original, reference = (start_session(env_type, *env_arguments, **options) for _ in range(2))
    for i in count():
        if i % 5 == 2:
            duplicate = original.copy_with(copy_method)
            diverging = duplicate.copy_with(copy_method)
            for k in range(6):
                diverging.step(Random(-k - 1))
            if i % 2:
                original = duplicate  # and the previous one is deleted
        assert original.step(Random(i)) == reference.step(Random(i))
        if reference.deals >= n_deals:
            return


@pytest.mark.parametrize("copy_method", COPY_FUNCTIONS)
@for_each_env_type
def test_copy_is_independent_of_its_original(env_type, copy_method):
    compare_copies(env_type, copy_method, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "n_units"), [("deal", 100), ("match", 2)])
@pytest.mark.parametrize("variant", ["standard", "dice", "hollywood", "solitaire-gin", "eaai"])
@for_each_env_type
def test_many_deals_can_be_played_with_copies(env_type, variant, unit, n_units):
    for copy_method in COPY_FUNCTIONS:
        compare_copies(env_type, copy_method, n_units, variant, unit=unit)


CONTINUATION_CODE = """
import pickle, sys
from support.env_sessions import compute_steps_checksum
print(compute_steps_checksum(pickle.load(open(sys.argv[1], "rb"))))
"""


def run_python(code, *arguments, **environment):
    """Run code in a new process that can import the tests; return its output."""
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    result = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_pickles_continue_in_another_process(tmp_path):
    """Pickle environments whose opponent comes from a strategy file."""
    strategy_file = tmp_path / "mine.py"
    strategy_file.write_text(OWN_STRATEGY_CODE)
    sessions = [
        start_session(env_type, "standard", str(strategy_file)) for env_type in SESSION_CLASSES
    ]
    for session in sessions:
        for i in range(20):
            session.step(Random(i))
    pickle_file = tmp_path / "played.pkl"
    pickle_file.write_bytes(pickle.dumps(sessions))
    assert run_python(CONTINUATION_CODE, pickle_file) == compute_steps_checksum(sessions)


OWN_STRATEGY_CODE = '''"""Knocks late."""

from simgin.strategy import Strategy, knock


@knock
def late(view, rules, params):
    """Knock from turn 5 on."""
    return view.own_turn > 4


STRATEGY = Strategy("late", knock=late)
'''


def test_forked_process_has_separate_states():
    state = create_state(7)
    child = os.fork()
    if not child:
        state.unit = 77
        os._exit(0)
    os.waitpid(child, 0)
    assert state.unit == 0


# Tables


@pytest.mark.parametrize(
    "copy_table", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))]
)
@pytest.mark.parametrize("variant", ["standard", "dice", "solitaire-gin"])
def test_copied_table_keeps_its_decisions(variant, copy_table):
    is_solo = variants.find_variant(variant).is_solo
    players = ("solo-greedy", None) if is_solo else ("gold", "simple")
    table, reference = (GameTable(parse_matchup(*players, variant, 3, "match")) for _ in range(2))
    for i in range(40):
        if i % 4 == 1:
            duplicate = copy_table(table)
            play_random_action(duplicate, Random(-1))
            play_random_action(duplicate, Random(-2))
            table = copy_table(table)
        for game_table in (table, reference):
            play_random_action(game_table, Random(i))
        traced, expected = table.get_traced_deal(), reference.get_traced_deal()
        assert traced.turns == expected.turns and traced.hands == expected.hands
        assert [*map(describe_decision, traced.decisions)] == [
            *map(describe_decision, expected.decisions)
        ]


def play_random_action(table, rng):
    if table.decision is None:
        table.close_deal()
        return
    legal = int(table.decision.view.legal)
    actions = [action for action in range(64) if legal >> action & 1]
    table.act(0 if table.decision.slot == "knock" else rng.choice(actions))


def describe_decision(decision):
    """Return slot, action and view of a decision in a form that can be compared."""
    fields = [decision.view[name].tobytes() for name in decision.view.dtype.names]
    return decision.slot, decision.action, fields


# With bounds checks

BOUNDS_CHECK_CODE = """
import numba
from envs.test_copies import compare_copies
from support.env_sessions import SESSION_CLASSES
assert numba.config.BOUNDSCHECK
for env_type in SESSION_CLASSES:
    for variant in ("standard", "dice", "solitaire-gin"):
        compare_copies(env_type, "clone", 100, variant)
print("done")
"""


@pytest.mark.slow
def test_copies_play_without_index_errors():
    assert run_python(BOUNDS_CHECK_CODE, NUMBA_BOUNDSCHECK="1") == "done"

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

from support.env_sessions import COPIES, KINDS, digest_next_steps, start_env

by_kind = pytest.mark.parametrize("kind", KINDS)


def play_next_to_a_copy(kind, how, deals, *words, **options):
    """Play copies in place or in another process, and compare them with a second environment."""
    original, reference = start_env(kind, *words, **options), start_env(kind, *words, **options)
    for i in count():
        if i % 5 == 2:
            copied = original.copied(how)
            branch = copied.copied(how)
            for k in range(6):
                branch.step(Random(-k - 1))
            if i % 2:
                original = copied  # and the previous one is deleted
        assert original.step(Random(i)) == reference.step(Random(i))
        if reference.deals >= deals:
            return


@pytest.mark.parametrize("how", COPIES)
@by_kind
def test_a_copy_and_its_original_do_not_disturb_each_other(kind, how):
    play_next_to_a_copy(kind, how, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "units"), [("deal", 100), ("match", 2)])
@pytest.mark.parametrize("variant", ["standard", "dice", "hollywood", "solitaire-gin", "eaai"])
@by_kind
def test_300_deals_through_copies(kind, variant, unit, units):
    for how in COPIES:
        play_next_to_a_copy(kind, how, units, variant, unit=unit)


CONTINUATION_CODE = """
import pickle, sys
from support.env_sessions import digest_next_steps
print(digest_next_steps(pickle.load(open(sys.argv[1], "rb"))))
"""


def run_python(code, *words, **environment):
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_pickles_continue_in_another_process(tmp_path):
    """Include environments whose opponent is a strategy of the user."""
    mine = tmp_path / "mine.py"
    mine.write_text(OWN_STRATEGY_CODE)
    played = [start_env(kind, "standard", str(mine)) for kind in KINDS]
    for one in played:
        for i in range(20):
            one.step(Random(i))
    file = tmp_path / "played.pkl"
    file.write_bytes(pickle.dumps(played))
    assert run_python(CONTINUATION_CODE, file) == digest_next_steps(played)


OWN_STRATEGY_CODE = '''"""Knocks late."""

from simgin.strategy import Strategy, knock


@knock
def late(view, rules, params):
    """Knock from turn 5 on."""
    return view.own_turn > 4


STRATEGY = Strategy("late", knock=late)
'''


def test_a_forked_process_has_states_of_its_own():
    state = create_state(7)
    child = os.fork()
    if not child:
        state.unit = 77
        os._exit(0)
    os.waitpid(child, 0)
    assert state.unit == 0


# Tables


@pytest.mark.parametrize("by", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
@pytest.mark.parametrize("variant", ["standard", "dice", "solitaire-gin"])
def test_a_table_is_copied_with_all_that_was_asked(variant, by):
    alone = variants.find_variant(variant).is_solo
    players = ("solo-greedy", None) if alone else ("gold", "simple")
    table, reference = (GameTable(parse_matchup(*players, variant, 3, "match")) for _ in range(2))
    for i in range(40):
        if i % 4 == 1:
            copied = by(table)
            act_at_random(copied, Random(-1))
            act_at_random(copied, Random(-2))
            table = by(table)
        for one in (table, reference):
            act_at_random(one, Random(i))
        traced, expected = table.trace(), reference.trace()
        assert traced.turns == expected.turns and traced.hands == expected.hands
        assert [*map(describe_decision, traced.decisions)] == [
            *map(describe_decision, expected.decisions)
        ]


def act_at_random(table, rng):
    if table.decision is None:
        table.close_deal()
        return
    legal = int(table.decision.view.legal)
    actions = [action for action in range(64) if legal >> action & 1]
    table.act(0 if table.decision.slot == "knock" else rng.choice(actions))


def describe_decision(decision):
    fields = [decision.view[name].tobytes() for name in decision.view.dtype.names]
    return decision.slot, decision.action, fields


# With bounds checks

BOUNDS_CHECK_CODE = """
import numba
from envs.test_copies import play_next_to_a_copy
from support.env_sessions import KINDS
assert numba.config.BOUNDSCHECK
for kind in KINDS:
    for variant in ("standard", "dice", "solitaire-gin"):
        play_next_to_a_copy(kind, "clone", 100, variant)
print("done")
"""


@pytest.mark.slow
def test_no_index_is_out_of_bounds():
    assert run_python(BOUNDS_CHECK_CODE, NUMBA_BOUNDSCHECK="1") == "done"

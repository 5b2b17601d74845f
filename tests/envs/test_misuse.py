"""Tests of wrong use of environments: changed arrays, wrong values, wrong order of calls."""

import re
import subprocess
import sys
from itertools import count
from pathlib import Path
from random import Random

import numpy as np
import pytest

from simgin.envs import encoding
from simgin.envs.env_games import EnvError
from simgin.play.traced_deal import trace_deal
from simgin.strategy.strategy_spec import StrategyError
from simgin.text.amounts import AmountError

pytest.importorskip("pettingzoo")

from simgin.envs import gin_rummy
from support.env_sessions import KINDS, start_env

by_kind = pytest.mark.parametrize("kind", KINDS)


def overwrite(handed):
    """Overwrite every array and dictionary in the output of an environment."""
    if isinstance(handed, np.ndarray):
        handed[...] = 7
    elif isinstance(handed, dict):
        for value in handed.values():
            overwrite(value)
        handed["spoiled"] = True
    elif isinstance(handed, list | tuple):
        for value in handed:
            overwrite(value)


def list_spaces(env):
    agents = getattr(env, "possible_agents", None)
    if agents is None:
        return [env.observation_space, env.action_space]
    return [space(agent) for agent in agents for space in (env.observation_space, env.action_space)]


@by_kind
@pytest.mark.parametrize("variant", ["standard", "dice", "solitaire-gin"])
def test_what_a_user_changes_in_place_changes_nothing_later(kind, variant):
    changed, reference = start_env(kind, variant), start_env(kind, variant)
    for i in count():
        overwrite(changed.handed)
        assert changed.step(Random(i)) == reference.step(Random(i))
        if reference.deals >= 2:
            return


@by_kind
def test_environments_share_no_space(kind):
    first, second = (list_spaces(start_env(kind).env) for _ in range(2))
    for space in first:
        space.seed(1)
    kept = [repr(space.sample()) for space in second]
    first, second = (list_spaces(start_env(kind).env) for _ in range(2))
    for own in first:
        assert all(own is not other for other in second)
        for box in getattr(own, "spaces", {}).values():
            box.low[...] = 5
    assert len(kept) == len(second)
    for space in second:
        assert all(box.low.min() < 5 for box in getattr(space, "spaces", {}).values())


# Seeds


@by_kind
@pytest.mark.parametrize("seed", [2**63, 2**64 - 1, np.uint64(2**63 + 5), np.int64(4)])
def test_a_seed_is_any_number_of_64_bits(kind, seed):
    env = start_env(kind).env
    env.reset(seed=seed)
    seats = env.unwrapped._seats
    dealt = trace_deal(seats.matchup, 0)
    assert seats.batch.states[0].unit == 0
    engine = trace_deal(type(seats.matchup)(**{**vars(seats.matchup), "seed": int(seed)}), 0)
    assert seats.batch.states[0].pack[:20].tolist() == engine.state.pack[:20].tolist()
    assert engine.state.pack[:20].tolist() != dealt.state.pack[:20].tolist()


@by_kind
@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", float("nan")])
def test_another_seed_is_rejected(kind, seed):
    with pytest.raises(AmountError, match="is not a valid seed"):
        start_env(kind).env.reset(seed=seed)


# Options


def make_two_games(**options):
    return gin_rummy.vector_env(2, **options)


INVALID_ARGUMENTS = {
    "unit": ["deals", "", None, 1],
    "render_mode": ["human", "", 1],
    "opponent": [None],
}


@pytest.mark.parametrize(
    ("option", "value"), [(o, v) for o, values in INVALID_ARGUMENTS.items() for v in values]
)
def test_an_unknown_option_is_rejected(option, value):
    makers = [gin_rummy.gym_env, make_two_games]
    if option != "opponent":
        makers += [gin_rummy.env, gin_rummy.raw_env]
    for make in makers:
        with pytest.raises(EnvError, match=f"{value!r} is not a"):
            make(**{option: value})


@pytest.mark.parametrize("opponent", ["", "nobody", 5, []])
def test_an_opponent_is_a_strategy(opponent):
    for make in (gin_rummy.gym_env, make_two_games):
        with pytest.raises(StrategyError):
            make(opponent=opponent)


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", None, True, float("nan"), 2**64])
def test_a_vector_has_a_whole_number_of_games(n):
    with pytest.raises(EnvError, match="is not a valid number of games"):
        gin_rummy.vector_env(n)
    assert gin_rummy.vector_env(np.int32(2)).num_envs == 2


# Actions

NO_ACTIONS = [
    1.7,
    "5",
    True,
    False,
    float("nan"),
    -1,
    encoding.N_ACTIONS,
    10**30,
    None,
    [5],
    np.nan,
]
NO_ACTIONS += [np.float64(3), np.bool_(True), np.int64(-1), np.array([5, 6]), {}, b"5"]


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_an_invalid_action_is_rejected_and_changes_nothing(action):
    for kind in ("gym", "pettingzoo"):
        played, reference = start_env(kind), start_env(kind)
        with pytest.raises(EnvError, match=r"is not a valid action.*0 to 129"):
            played.env.step(action)
        assert played.step(Random(1)) == reference.step(Random(1))


@pytest.mark.parametrize("number", [int, np.int64, np.int8, np.uint64, np.array])
def test_any_whole_number_is_an_action(number):
    env = gin_rummy.gym_env()
    seen, _ = env.reset(seed=1)
    again = gin_rummy.gym_env()
    again.reset(seed=1)
    action = int(seen["action_mask"].argmax())
    assert np.array_equal(
        env.step(number(action))[0]["observation"], again.step(action)[0]["observation"]
    )


NO_VECTORS = [0, [0, 0], [[0, 0, 0]], np.zeros((3, 1), int), [0.0, 0.0, 0.0], [True] * 3, None]
NO_VECTORS += [["0"] * 3, [[1], [2, 3], [4]], [10**30, 0, 0], np.array([np.nan] * 3)]


@pytest.mark.parametrize("actions", NO_VECTORS, ids=repr)
def test_invalid_actions_of_a_vector_are_rejected(actions):
    envs = gin_rummy.vector_env(3)
    envs.reset(seed=1)
    with pytest.raises(EnvError, match=r"Pass an array of integers with shape \(3,\)"):
        envs.step(actions)


@pytest.mark.parametrize("wrong", [-1, encoding.N_ACTIONS, 2**40])
def test_an_action_outside_the_space_plays_none_of_a_vector(wrong):
    played, reference = start_env("vector"), start_env("vector")
    actions = played.mask.argmax(axis=1)
    actions[3] = wrong
    with pytest.raises(EnvError, match=f"{wrong} is not a valid action"):
        played.env.step(actions)
    assert played.step(Random(1)) == reference.step(Random(1))


def test_the_action_of_a_game_that_has_ended_is_not_read():
    played = start_env("vector")
    while played.mask.any(axis=1).all():
        played.step(Random(2))
    actions = np.where(played.mask.any(axis=1), played.mask.argmax(axis=1), -1)
    assert (actions < 0).any()
    played.env.step(actions)


# Order


@pytest.mark.parametrize("make", [gin_rummy.gym_env, gin_rummy.raw_env, make_two_games])
def test_before_a_reset_nothing_can_be_done(make):
    env = make(render_mode="ansi")
    for call in (lambda: env.step(52), env.render):
        with pytest.raises(EnvError, match=r"Call reset\(\) first"):
            call()
    if hasattr(env, "observe"):
        with pytest.raises(EnvError, match=r"Call reset\(\) first"):
            env.observe("player_0")
    env.reset(seed=1)
    assert env.render()


def test_after_the_end_there_is_no_step():
    played = start_env("gym")
    while played.mask.any():
        played.step(Random(1))
    with pytest.raises(EnvError, match=r"Call reset\(\) first"):
        played.env.step(52)
    env = gin_rummy.raw_env()
    env.reset(seed=1)
    while env.agents:
        seen, _, ended, _, _ = env.last()
        env.step(None if ended else int(seen["action_mask"].argmax()))
    with pytest.raises(EnvError, match=r"Call reset\(\) first"):
        env.step(52)
    assert not env.observe("player_0")["action_mask"].any()


# The page about environments


def test_the_examples_of_the_page_run():
    page = (Path(__file__).parents[2] / "docs/how-to/environment.md").read_text()
    names = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL)[:2]:
        exec(code.replace("champion", "gold").replace("256", "4"), names)
    assert names["action"] in names["legal_actions"](names["seen"])
    again = names["env"].step(names["action"])
    assert not again[4], "the search returned to its position, and the action is legal"


# Without the libraries

WITHOUT_LIBRARIES_CODE = """
import sys
import simgin.envs, simgin.envs.external_player
for name in ("gymnasium", "pettingzoo"):
    sys.modules[name] = None
    try:
        from simgin.envs import gin_rummy
    except ModuleNotFoundError as error:
        print(error)
    del sys.modules[name]
"""


def test_without_the_libraries_the_error_says_how_to_install_them():
    code = [sys.executable, "-c", WITHOUT_LIBRARIES_CODE]
    output = subprocess.run(code, capture_output=True, text=True, check=True).stdout.splitlines()
    for line, name in zip(output, ("gymnasium", "pettingzoo"), strict=True):
        assert (
            f"require {name}, which is not installed" in line and "pip install 'simgin[rl]'" in line
        )

"""Tests of wrong use of environments: changed arrays, invalid values, wrong order of calls."""

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
from support.env_sessions import SESSION_CLASSES, start_session

for_each_env_type = pytest.mark.parametrize("env_type", SESSION_CLASSES)


def overwrite_arrays(output):
    """Overwrite every array and dictionary in the output of an environment."""
    if isinstance(output, np.ndarray):
        output[...] = 7
    elif isinstance(output, dict):
        for value in output.values():
            overwrite_arrays(value)
        output["spoiled"] = True
    elif isinstance(output, list | tuple):
        for value in output:
            overwrite_arrays(value)


def list_spaces(env):
    """List the observation and action spaces of an environment."""
    agents = getattr(env, "possible_agents", None)
    if agents is None:
        return [env.observation_space, env.action_space]
    return [space(agent) for agent in agents for space in (env.observation_space, env.action_space)]


@for_each_env_type
@pytest.mark.parametrize("variant", ["standard", "dice", "solitaire-gin"])
def test_overwriting_outputs_does_not_change_the_environment(env_type, variant):
    overwritten, reference = start_session(env_type, variant), start_session(env_type, variant)
    for i in count():
        overwrite_arrays(overwritten.last_output)
        assert overwritten.step(Random(i)) == reference.step(Random(i))
        if reference.deals >= 2:
            return


@for_each_env_type
def test_environments_do_not_share_spaces(env_type):
    first, second = (list_spaces(start_session(env_type).env) for _ in range(2))
    for space in first:
        space.seed(1)
    samples = [repr(space.sample()) for space in second]
    first, second = (list_spaces(start_session(env_type).env) for _ in range(2))
    for first_space in first:
        assert all(first_space is not second_space for second_space in second)
        for box in getattr(first_space, "spaces", {}).values():
            box.low[...] = 5
    assert len(samples) == len(second)
    for space in second:
        assert all(box.low.min() < 5 for box in getattr(space, "spaces", {}).values())


# Seeds


@for_each_env_type
@pytest.mark.parametrize("seed", [2**63, 2**64 - 1, np.uint64(2**63 + 5), np.int64(4)])
def test_seed_can_be_any_64_bit_integer(env_type, seed):
    env = start_session(env_type).env
    env.reset(seed=seed)
    games = env.unwrapped._seats
    unseeded = trace_deal(games.matchup, 0)
    assert games.batch.states[0].unit == 0
    engine = trace_deal(type(games.matchup)(**{**vars(games.matchup), "seed": int(seed)}), 0)
    assert games.batch.states[0].pack[:20].tolist() == engine.state.pack[:20].tolist()
    assert engine.state.pack[:20].tolist() != unseeded.state.pack[:20].tolist()


@for_each_env_type
@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", float("nan")])
def test_invalid_seed_is_rejected(env_type, seed):
    with pytest.raises(AmountError, match="is not a valid seed"):
        start_session(env_type).env.reset(seed=seed)


# Options


def make_two_game_env(**options):
    return gin_rummy.vector_env(2, **options)


INVALID_ARGUMENTS = {
    "unit": ["deals", "", None, 1],
    "render_mode": ["human", "", 1],
    "opponent": [None],
}


@pytest.mark.parametrize(
    ("option", "value"),
    [(option, value) for option, values in INVALID_ARGUMENTS.items() for value in values],
)
def test_invalid_option_is_rejected(option, value):
    make_functions = [gin_rummy.gym_env, make_two_game_env]
    if option != "opponent":
        make_functions += [gin_rummy.env, gin_rummy.raw_env]
    for make_env in make_functions:
        with pytest.raises(EnvError, match=f"{value!r} is not a"):
            make_env(**{option: value})


@pytest.mark.parametrize("opponent", ["", "nobody", 5, []])
def test_invalid_opponent_is_rejected(opponent):
    for make_env in (gin_rummy.gym_env, make_two_game_env):
        with pytest.raises(StrategyError):
            make_env(opponent=opponent)


def test_solitaire_game_rejects_an_opponent():
    for make_env in (gin_rummy.gym_env, make_two_game_env):
        with pytest.raises(EnvError, match=r"solitaire-gin is a solitaire.*opponent='gold'"):
            make_env(variant="solitaire-gin", opponent="gold")


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", None, True, float("nan"), 2**64])
def test_invalid_number_of_games_is_rejected(n):
    with pytest.raises(EnvError, match="is not a valid number of games"):
        gin_rummy.vector_env(n)
    assert gin_rummy.vector_env(np.int32(2)).num_envs == 2


# Actions

INVALID_ACTIONS = [
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
INVALID_ACTIONS += [np.float64(3), np.bool_(True), np.int64(-1), np.array([5, 6]), {}, b"5"]


@pytest.mark.parametrize("action", INVALID_ACTIONS, ids=repr)
def test_invalid_action_leaves_the_environment_unchanged(action):
    for env_type in ("gym", "pettingzoo"):
        session, reference = start_session(env_type), start_session(env_type)
        with pytest.raises(EnvError, match=r"is not a valid action.*0 to 129"):
            session.env.step(action)
        assert session.step(Random(1)) == reference.step(Random(1))


@pytest.mark.parametrize("integer_type", [int, np.int64, np.int8, np.uint64, np.array])
def test_action_can_have_any_integer_type(integer_type):
    env = gin_rummy.gym_env()
    observation, _ = env.reset(seed=1)
    reference = gin_rummy.gym_env()
    reference.reset(seed=1)
    action = int(observation["action_mask"].argmax())
    assert np.array_equal(
        env.step(integer_type(action))[0]["observation"], reference.step(action)[0]["observation"]
    )


INVALID_ACTION_VECTORS = [
    0,
    [0, 0],
    [[0, 0, 0]],
    np.zeros((3, 1), int),
    [0.0, 0.0, 0.0],
    [True] * 3,
    None,
]
INVALID_ACTION_VECTORS += [["0"] * 3, [[1], [2, 3], [4]], [10**30, 0, 0], np.array([np.nan] * 3)]


@pytest.mark.parametrize("actions", INVALID_ACTION_VECTORS, ids=repr)
def test_invalid_action_vector_is_rejected(actions):
    envs = gin_rummy.vector_env(3)
    envs.reset(seed=1)
    with pytest.raises(EnvError, match=r"Pass an array of integers with shape \(3,\)"):
        envs.step(actions)


@pytest.mark.parametrize("invalid_action", [-1, encoding.N_ACTIONS, 2**40])
def test_action_outside_the_space_rejects_the_whole_vector(invalid_action):
    session, reference = start_session("vector"), start_session("vector")
    actions = session.mask.argmax(axis=1)
    actions[3] = invalid_action
    with pytest.raises(EnvError, match=f"{invalid_action} is not a valid action"):
        session.env.step(actions)
    assert session.step(Random(1)) == reference.step(Random(1))


def test_action_for_a_finished_game_is_ignored():
    session = start_session("vector")
    while session.mask.any(axis=1).all():
        session.step(Random(2))
    actions = np.where(session.mask.any(axis=1), session.mask.argmax(axis=1), -1)
    assert (actions < 0).any()
    session.env.step(actions)


# Order


@pytest.mark.parametrize("make_env", [gin_rummy.gym_env, gin_rummy.raw_env, make_two_game_env])
def test_environment_must_be_reset_first(make_env):
    env = make_env(render_mode="ansi")
    for method in (lambda: env.step(52), env.render):
        with pytest.raises(EnvError, match=r"Call reset\(\) first"):
            method()
    if hasattr(env, "observe"):
        with pytest.raises(EnvError, match=r"Call reset\(\) first"):
            env.observe("player_0")
    env.reset(seed=1)
    assert env.render()


def test_step_after_the_end_is_rejected():
    session = start_session("gym")
    while session.mask.any():
        session.step(Random(1))
    with pytest.raises(EnvError, match=r"Call reset\(\) first"):
        session.env.step(52)
    env = gin_rummy.raw_env()
    env.reset(seed=1)
    while env.agents:
        observation, _, ended, _, _ = env.last()
        env.step(None if ended else int(observation["action_mask"].argmax()))
    with pytest.raises(EnvError, match=r"Call reset\(\) first"):
        env.step(52)
    assert not env.observe("player_0")["action_mask"].any()


# The page about environments


def test_examples_of_the_environment_page_run():
    page = (Path(__file__).parents[2] / "docs/how-to/environment.md").read_text()
    namespace = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL)[:2]:
        exec(code.replace("champion", "gold").replace("256", "4"), namespace)
    assert namespace["action"] in namespace["legal_actions"](namespace["seen"])
    step = namespace["env"].step(namespace["action"])
    assert not step[4], "the search returned to its position, and the action is legal"


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


def test_error_without_the_libraries_states_how_to_install_them():
    code = [sys.executable, "-c", WITHOUT_LIBRARIES_CODE]
    output = subprocess.run(code, capture_output=True, text=True, check=True).stdout.splitlines()
    for line, name in zip(output, ("gymnasium", "pettingzoo"), strict=True):
        assert (
            f"require {name}, which is not installed" in line and "pip install 'simgin[rl]'" in line
        )

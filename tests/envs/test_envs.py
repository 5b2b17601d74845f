"""Tests of environments: agreement with the engine, and no hidden information."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from simgin.core.codes import SLOTS
from simgin.core.view import VIEW_DTYPE
from simgin.envs import encoding
from simgin.envs.env_games import EnvGames
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from support.command_line import run_simgin
from support.hands import list_cards

convert_card = encoding.convert_card.py_func
OBSERVATION_INDEX_BY_CARD = np.array([*map(convert_card, range(52))])
FAST_VIEW_DTYPE = np.dtype((np.void, VIEW_DTYPE))  # a record looks its fields up more slowly
API_TEST_VARIANTS = ("standard", "oklahoma", "hollywood", "solitaire-gin", "dice")


def pick_legal_action(rng, mask):
    """Choose a random legal action, usually one that continues the deal."""
    actions = np.flatnonzero(mask).tolist()
    if encoding.CONTINUE_DEAL in actions and rng.random() < 0.8:
        return encoding.CONTINUE_DEAL
    return rng.choice(actions)


def encode_expected_observation(view, slot):
    """Return the expected observation, except for the parameters of the rules."""
    view, seat_to_act = view.view(FAST_VIEW_DTYPE), int(view.seat)
    planes = {name: np.zeros(52) for name in encoding.CARD_PLANE_NAMES}
    for name in encoding.CARD_SET_FIELDS:
        planes[name][OBSERVATION_INDEX_BY_CARD[list_cards(int(view[name]))]] = 1
    for name in encoding.SINGLE_CARD_FIELDS:
        planes[name][OBSERVATION_INDEX_BY_CARD[view[name]]] = view[name] >= 0
    for turn, (seat, source, card, discard) in enumerate(
        view["history"][: view["turns"]].tolist(), 1
    ):
        if discard >= 0:
            planes[encoding.TIME_PLANE_NAMES[int(seat != seat_to_act)]][
                OBSERVATION_INDEX_BY_CARD[discard]
            ] = turn / 100
        if seat != seat_to_act and source == 1:
            planes[encoding.TIME_PLANE_NAMES[2]][OBSERVATION_INDEX_BY_CARD[card]] = turn / 100
    flags = (
        view["dealer"] == seat_to_act,
        view["owner"] == seat_to_act,
        view["owner"] == 1 - seat_to_act,
    )
    numbers = np.hstack(
        [view[name] for name in (*encoding.NUMERIC_FIELDS, "own_columns", "other_columns")]
    )
    kinds = np.eye(6)[slot], np.eye(5)[view["phase"]]
    return np.hstack([*planes.values(), *kinds, flags, numbers / 100])


def compare_deals_with_engine(variant, n_deals, opponent):
    """Play deals by legal actions through the environment and compare each with the engine.

    The observations of the first 500 deals are compared too.
    """
    rng = random.Random(variant)
    games = EnvGames(variant, opponent, "deal", 1)
    games.reset(7)
    matchup = replace(games.matchup, seed=7)
    for i in range(n_deals):
        unit, observations = int(games.units[0]) - 1, []
        while not games.ended[0]:
            observations.append(games.observations[0].copy())
            games.step([pick_legal_action(rng, games.masks[0])], restart_ended=False)
        assert games.ended[0] == 1 and not games.masks.any()
        assert np.array_equal(
            games.observations[0], observations[-1]
        )  # the end reveals nothing more
        state = games.batch.states[0]
        engine = trace_deal(matchup, unit, script=state.answers[: state.n_scripted])
        assert not engine.error and engine.state.n_logged == state.n_scripted
        decisions = engine.decisions if i < 500 else []
        decisions = [decision for decision in decisions if opponent is None or decision.seat == 0]
        for decision, observation in zip(decisions, observations, strict=i < 500):
            expected = encode_expected_observation(decision.view, SLOTS.index(decision.slot))
            assert np.allclose(observation[: len(expected)], expected, atol=1e-6)
        for name in ("pack", "kind", "winner", "score", "turns", "dealer"):
            assert state[name].tolist() == engine.state[name].tolist(), name
        points, opponent_points = state.score.tolist()
        if games.matchup.variant.params["die"] == "off":
            is_penalty = games.matchup.variant.params["deal_scoring"] == "penalty"
            assert games.rewards[0] == (-points if is_penalty else points - opponent_points)
        elif engine.state.winner >= 0:
            stake = engine.state.pays if engine.ending == "refused" else engine.state.stake
            assert games.rewards[0] == (stake if engine.state.winner == 0 else -stake)
        games.reset(None)


@pytest.mark.parametrize("n_deals", [4, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", variants.variant_names())
def test_environment_deals_agree_with_the_engine(variant, n_deals):
    compare_deals_with_engine(variant, n_deals, None)
    compare_deals_with_engine(variant, 5 if n_deals > 5 else 2, "simple")


def test_parallel_games_agree_with_single_games():
    parallel = EnvGames("oklahoma", "gold", "match", 5)
    single_games = [EnvGames("oklahoma", "gold", "match", 1) for _ in range(5)]
    parallel.reset(4)
    for unit, single in enumerate(single_games):
        single.reset(4)
        single.units[0] = unit
        single.reset(None)
    rng = random.Random(3)
    for _ in range(100):
        assert np.array_equal(
            parallel.masks, np.concatenate([single.masks for single in single_games])
        )
        observations = np.concatenate([single.observations for single in single_games])
        assert np.array_equal(parallel.observations, observations)
        actions = [pick_legal_action(rng, mask) for mask in parallel.masks]
        parallel.step(actions, restart_ended=False)
        for single, action in zip(single_games, actions, strict=True):
            single.step([action], restart_ended=False)
        assert parallel.rewards.tolist() == [float(single.rewards[0]) for single in single_games]
        if parallel.ended.any():
            break
    parallel.step([0] * 5)  # a finished game restarts with the unit after those of all games
    assert parallel.masks.any(axis=1).all() or parallel.ended.any()


def test_environment_and_engine_actions_are_one_to_one():
    to_engine_action, to_env_action = (
        encoding.to_engine_action.py_func,
        encoding.to_env_action.py_func,
    )
    for slot in range(len(SLOTS)):
        legal = {0: 7, 1: 2**52 - 1, 2: 3, 3: 127, 4: 3, 5: 2**62 - 1}[slot]
        for zero_means_pass in (False, True):
            legal_mask = 3 if zero_means_pass and not slot else legal
            engine_actions = [
                engine_action for engine_action in range(62) if legal_mask >> engine_action & 1
            ]
            actions = [
                to_env_action(slot, engine_action, zero_means_pass)
                for engine_action in engine_actions
            ]
            assert len(set(actions)) == len(actions) and max(actions) < encoding.N_ACTIONS
            assert [
                to_engine_action(slot, action, legal_mask, zero_means_pass) for action in actions
            ] == engine_actions
    assert [convert_card(card) for card in (0, 13, 26, 39)] == [0, 39, 26, 13]


# No hidden information


def record_deal_from_seat_0(variant, pack, n_decisions, choose_action):
    """Play a deal; return the observations of seat 0, the actions of both seats, and the end.

    No player ends the deal. Seat 1 passes, draws from the stock and accepts every offer.
    `choose_action` maps (seat, legal actions) to an action.
    """
    games = EnvGames(variant, None, "deal", 1)
    state = games.batch.states[0]
    state.has_given_cards, state.shuffled, state.joker = 1, 52, 51
    state.pack[:] = pack
    games.reset(1)
    observations, actions_by_seat = [], {0: [], 1: []}
    while not games.ended[0] and len(observations) < n_decisions:
        seat, mask = int(games.acting_seats[0]), games.masks[0]
        if seat == 0:
            observations.append((games.observations.tobytes(), mask.tobytes(), games.render_text()))
        passive_actions = (
            encoding.CONTINUE_DEAL,
            encoding.PASS_TURN,
            encoding.DRAW_CARD,
            encoding.ACCEPT_OFFER,
            encoding.FIRST_OFFER_ACTION,
        )
        passive_actions = [passive for passive in passive_actions if mask[passive]]
        if passive_actions and (seat == 1 or mask[encoding.CONTINUE_DEAL]):
            games.step(passive_actions[0], restart_ended=False)
            continue
        action = choose_action(seat, np.flatnonzero(mask).tolist())
        actions_by_seat[seat].append(action)
        games.step(action, restart_ended=False)
    return observations, actions_by_seat, state


@pytest.mark.parametrize("variant", variants.variant_names())
def test_observations_do_not_depend_on_hidden_cards(variant):
    """Permute the cards that seat 1 never shows and the remaining stock."""
    n_changed = 0
    for n_decisions in (3, 10, 20, 99):
        rng = random.Random(n_decisions)
        pack = rng.sample(range(52), 52)
        observations, actions_by_seat, state = record_deal_from_seat_0(
            variant, pack, n_decisions, lambda _, legal, rng=rng: rng.choice(legal)
        )
        hidden = int(state.hand[1])
        hidden_indices = [
            i for i, card in enumerate(pack) if hidden >> card & 1 or i >= state.dealt
        ]
        permuted_pack, cards = list(pack), [pack[index] for index in hidden_indices]
        rng.shuffle(cards)
        for index, card in zip(hidden_indices, cards, strict=True):
            permuted_pack[index] = card
        recorded_actions = {seat: iter(actions) for seat, actions in actions_by_seat.items()}
        permuted_observations, _, final_state = record_deal_from_seat_0(
            variant,
            permuted_pack,
            n_decisions,
            lambda seat, _, recorded_actions=recorded_actions: next(recorded_actions[seat]),
        )
        assert observations and permuted_observations == observations
        n_changed += (
            int(final_state.hand[1]) != hidden
            or permuted_pack[state.dealt :] != pack[state.dealt :]
        )
    assert n_changed


# The libraries' own checkers


@pytest.mark.parametrize("unit", ["deal", "match"])
@pytest.mark.parametrize("variant", API_TEST_VARIANTS)
@pytest.mark.filterwarnings("ignore:Observation")  # a dict with the mask, as expected
def test_library_checkers_pass(variant, unit):
    pytest.importorskip("pettingzoo")
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, seed_test

    from simgin.envs import gin_rummy

    api_test(gin_rummy.env(variant, unit), num_cycles=200)
    seed_test(lambda: gin_rummy.env(variant, unit), num_cycles=50)
    check_env(gin_rummy.gym_env(variant, unit=unit), skip_render_check=True)


@pytest.mark.parametrize("variant", API_TEST_VARIANTS)
def test_vector_environment_follows_the_gymnasium_api(variant):
    pytest.importorskip("gymnasium")
    from simgin.envs import gin_rummy

    rng = random.Random(variant)
    envs = gin_rummy.vector_env(8, variant)
    observations, _ = envs.reset(seed=5)
    first_array = observations["observation"]  # no step overwrites it
    ended = np.zeros(8, bool)
    for _ in range(200):
        actions = [
            pick_legal_action(rng, mask) if mask.any() else 0
            for mask in observations["action_mask"]
        ]
        was_ended = ended
        observations, rewards, ended, truncated, _ = envs.step(np.array(actions))
        assert envs.observation_space.contains(observations) and not truncated.any()
        assert not rewards[was_ended].any() and not ended[was_ended].any()
        assert (observations["action_mask"].any(axis=1) == ~ended).all()
    repeated, _ = envs.reset(seed=5)
    assert np.array_equal(repeated["observation"], first_array)
    shared = gin_rummy.vector_env(8, variant, copy=False)
    shared_observations, _ = shared.reset(seed=5)
    assert np.array_equal(shared_observations["observation"], first_array)
    observations = shared.step(shared_observations["action_mask"].argmax(axis=1))[0]
    assert observations["observation"] is shared_observations["observation"]
    assert not np.array_equal(observations["observation"], first_array)
    legal = repeated["action_mask"].argmax(axis=1)
    illegal = repeated["action_mask"].argmin(axis=1)
    _, rewards, ended, _, _ = envs.step(np.where(np.arange(8) == 3, illegal, legal))
    assert ended[3] and rewards[3] == encoding.ILLEGAL_ACTION_DEAL_REWARD


# Environments and matches agree


@pytest.mark.parametrize("n_deals", [3, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", variants.variant_names())
def test_environment_asks_for_the_decisions_of_a_match(variant, n_deals):
    """Replay the actions of a strategy in a match and expect the same decisions."""
    games = EnvGames(variant, "simple", "deal", 1)
    games.reset(5)
    is_solo = variants.find_variant(variant).is_solo
    players = ("solo-greedy+knock=random", None) if is_solo else ("gold+knock=random", "simple")
    matchup = parse_matchup(*players, variant, 5, "deal")
    for _ in range(n_deals):
        traced = trace_deal(matchup, int(games.units[0]) - 1)
        for decision in traced.decisions:
            if decision.seat:
                continue
            assert not games.ended[0]
            slot = SLOTS.index(decision.slot)
            expected = encode_expected_observation(decision.view, slot)
            assert np.allclose(games.observations[0, : len(expected)], expected, atol=1e-6)
            zero_means_pass = encoding.is_pass_action_zero.py_func(decision.view, games.batch.rules)
            action = encoding.to_env_action.py_func(slot, decision.action, zero_means_pass)
            games.step([action], restart_ended=False)
        assert games.ended[0]
        for name in ("kind", "winner", "score", "turns"):
            assert games.batch.states[0][name].tolist() == traced.state[name].tolist(), name
        games.reset(None)


EXTERNAL_STRATEGY_CODE = """
from simgin.envs.external_player import make_external_strategy

def act(seen):
    mask = seen["action_mask"]
    return 55 if mask[55] else int(mask.nonzero()[0][{end}])

STRATEGY = make_external_strategy("from-outside", act)
"""


def test_external_policy_plays_the_same_in_a_match(tmp_path):
    """Compare points in a match with those in the environment, deal by deal."""
    file = tmp_path / "outside.py"
    file.write_text(EXTERNAL_STRATEGY_CODE.format(end=-1))
    matchup = parse_matchup(str(file), "simple", "standard", 9, "deal")
    _, records = kernel.play_with_records(matchup, 0, 20)
    games = EnvGames("standard", "simple", "deal", 1)
    games.reset(9)
    points = []
    for unit in range(20):
        played_unit = int(games.units[0]) - 1
        while not games.ended[0]:
            mask = games.masks[0]
            games.step([55 if mask[55] else mask.nonzero()[0][-1]], restart_ended=False)
        points.append((played_unit, float(games.rewards[0])))
        games.reset(None)
        if played_unit >= unit + 19:
            break
    margins = (records["points_a"] - records["points_b"])[::2]
    assert all(margins[unit] == margin for unit, margin in points if unit < 20)
    assert len({unit for unit, _ in points if unit < 20}) > 15


@pytest.mark.slow
def test_external_policy_plays_in_other_processes(tmp_path):
    file = tmp_path / "outside.py"
    file.write_text(EXTERNAL_STRATEGY_CODE.format(end=-1))
    arguments = ("match", file, "simple", "--deals", 1000, "--json")
    local_output, cluster_output = (
        run_simgin(*arguments, *options).stdout for options in ((), ("--scheduler", "local:2"))
    )
    assert json.loads(local_output)["rows"] == json.loads(cluster_output)["rows"] != []


def test_illegal_action_of_an_external_policy_is_reported(tmp_path):
    file = tmp_path / "outside.py"
    file.write_text(
        EXTERNAL_STRATEGY_CODE.format(end=-1).replace("return 55 if mask[55] else", "return 129 or")
    )
    output = run_simgin("match", file, "simple", "--deals", 100, exit_code=2).output
    assert "the take policy 'from-outside' returned 129, but the legal actions are 52, 5" in output
    assert "variant standard, seed 1, unit 0, half 0" in output

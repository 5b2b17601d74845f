"""Tests of environments: the engine's deals, no hidden information, and the libraries' checkers."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from simgin.core.codes import SLOTS
from simgin.core.view import VIEW
from simgin.envs import encoding
from simgin.envs.env_games import EnvGames
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.play.traced_deal import trace_deal
from simgin.rules import variants
from support.command_line import call
from support.hands import members

place_of = encoding.convert_card.py_func
OFFSETS = np.array([*map(place_of, range(52))])
PLAIN_VIEW_DTYPE = np.dtype((np.void, VIEW))  # a record looks its fields up more slowly
CHECKED_VARIANTS = ("standard", "oklahoma", "hollywood", "solitaire-gin", "dice")


def pick_legal_action(rng, mask):
    actions = np.flatnonzero(mask).tolist()
    if encoding.CONTINUE_DEAL in actions and rng.random() < 0.8:
        return encoding.CONTINUE_DEAL
    return rng.choice(actions)


def encode_plainly(view, slot):
    """Return the expected observation, up to the parameters of the rules."""
    view, me = view.view(PLAIN_VIEW_DTYPE), int(view.seat)
    planes = {name: np.zeros(52) for name in encoding.PLANES}
    for name in encoding.CARD_SETS:
        planes[name][OFFSETS[members(int(view[name]))]] = 1
    for name in encoding.SINGLE_CARDS:
        planes[name][OFFSETS[view[name]]] = view[name] >= 0
    for turn, (seat, source, card, thrown) in enumerate(
        view["history"][: view["turns"]].tolist(), 1
    ):
        if thrown >= 0:
            planes[encoding.TIME_PLANES[int(seat != me)]][OFFSETS[thrown]] = turn / 100
        if seat != me and source == 1:
            planes[encoding.TIME_PLANES[2]][OFFSETS[card]] = turn / 100
    flags = view["dealer"] == me, view["owner"] == me, view["owner"] == 1 - me
    numbers = np.hstack(
        [view[name] for name in (*encoding.NUMBER_FIELDS, "own_columns", "other_columns")]
    )
    kinds = np.eye(6)[slot], np.eye(5)[view["phase"]]
    return np.hstack([*planes.values(), *kinds, flags, numbers / 100])


def play_deals(variant, deals, opponent):
    """Play deals by legal actions through the environment, and compare each with the engine.

    The observations of the first 500 deals are compared too.
    """
    rng = random.Random(variant)
    seats = EnvGames(variant, opponent, "deal", 1)
    seats.reset(7)
    matchup = replace(seats.matchup, seed=7)
    for i in range(deals):
        unit, seen = int(seats.units[0]) - 1, []
        while not seats.ended[0]:
            seen.append(seats.observations[0].copy())
            seats.step([pick_legal_action(rng, seats.masks[0])], restart_ended=False)
        assert seats.ended[0] == 1 and not seats.masks.any()
        assert np.array_equal(seats.observations[0], seen[-1])  # the end reveals nothing more
        state = seats.batch.states[0]
        engine = trace_deal(matchup, unit, script=state.answers[: state.n_scripted])
        assert not engine.error and engine.state.n_logged == state.n_scripted
        asked = engine.decisions if i < 500 else []
        asked = [one for one in asked if opponent is None or one.seat == 0]
        for question, observation in zip(asked, seen, strict=i < 500):
            written = encode_plainly(question.view, SLOTS.index(question.slot))
            assert np.allclose(observation[: len(written)], written, atol=1e-6)
        for name in ("pack", "kind", "winner", "score", "turns", "dealer"):
            assert state[name].tolist() == engine.state[name].tolist(), name
        own, other = state.score.tolist()
        if seats.matchup.variant.params["die"] == "off":
            is_penalty = seats.matchup.variant.params["deal_scoring"] == "penalty"
            assert seats.rewards[0] == (-own if is_penalty else own - other)
        elif engine.state.winner >= 0:
            paid = engine.state.pays if engine.kind == "refused" else engine.state.stake
            assert seats.rewards[0] == (paid if engine.state.winner == 0 else -paid)
        seats.reset(None)


@pytest.mark.parametrize("deals", [10, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", variants.variant_names())
def test_deals_are_the_engines(variant, deals):
    play_deals(variant, deals, None)
    play_deals(variant, 5, "simple")


def test_many_games_are_played_as_one_by_one():
    many = EnvGames("oklahoma", "gold", "match", 5)
    alone = [EnvGames("oklahoma", "gold", "match", 1) for _ in range(5)]
    many.reset(4)
    for unit, one in enumerate(alone):
        one.reset(4)
        one.units[0] = unit
        one.reset(None)
    rng = random.Random(3)
    for _ in range(100):
        assert np.array_equal(many.masks, np.concatenate([one.masks for one in alone]))
        seen = np.concatenate([one.observations for one in alone])
        assert np.array_equal(many.observations, seen)
        actions = [pick_legal_action(rng, mask) for mask in many.masks]
        many.step(actions, restart_ended=False)
        for one, action in zip(alone, actions, strict=True):
            one.step([action], restart_ended=False)
        assert many.rewards.tolist() == [float(one.rewards[0]) for one in alone]
        if many.ended.any():
            break
    many.step([0] * 5)  # a finished game restarts with the unit after those of all games
    assert many.masks.any(axis=1).all() or many.ended.any()


def test_actions_and_answers_are_one_to_one():
    answer_of, action_of = encoding.to_engine_action.py_func, encoding.to_env_action.py_func
    for slot in range(len(SLOTS)):
        legal = {0: 7, 1: 2**52 - 1, 2: 3, 3: 127, 4: 3, 5: 2**62 - 1}[slot]
        for passes in (False, True):
            bits = 3 if passes and not slot else legal
            answers = [answer for answer in range(62) if bits >> answer & 1]
            actions = [action_of(slot, answer, passes) for answer in answers]
            assert len(set(actions)) == len(actions) and max(actions) < encoding.N_ACTIONS
            assert [answer_of(slot, one, bits, passes) for one in actions] == answers
    assert [place_of(card) for card in (0, 13, 26, 39)] == [0, 39, 26, 13]


# No hidden information


def record_seat_0(variant, pack, questions, choose):
    """Play a deal; return the observations of seat 0, the actions of both seats, and the end.

    No player ends the deal. Seat 1 passes, draws from the stock and accepts every offer.
    `choose` maps (seat, legal actions) to an action.
    """
    seats = EnvGames(variant, None, "deal", 1)
    state = seats.batch.states[0]
    state.has_given_cards, state.shuffled, state.joker = 1, 52, 51
    state.pack[:] = pack
    seats.reset(1)
    observations, done = [], {0: [], 1: []}
    while not seats.ended[0] and len(observations) < questions:
        seat, mask = int(seats.acting_seats[0]), seats.masks[0]
        if seat == 0:
            observations.append((seats.observations.tobytes(), mask.tobytes(), seats.render_text()))
        quiet = (
            encoding.CONTINUE_DEAL,
            encoding.PASS_TURN,
            encoding.DRAW_CARD,
            encoding.ACCEPT_OFFER,
            encoding.FIRST_OFFER,
        )
        quiet = [one for one in quiet if mask[one]]
        if quiet and (seat == 1 or mask[encoding.CONTINUE_DEAL]):
            seats.step(quiet[0], restart_ended=False)
            continue
        action = choose(seat, np.flatnonzero(mask).tolist())
        done[seat].append(action)
        seats.step(action, restart_ended=False)
    return observations, done, state


@pytest.mark.parametrize("variant", variants.variant_names())
def test_hidden_cards_change_nothing_that_is_seen(variant):
    """Permute the cards that seat 1 never shows and the remaining stock."""
    moved = 0
    for questions in (3, 10, 20, 99):
        rng = random.Random(questions)
        pack = rng.sample(range(52), 52)
        observations, done, state = record_seat_0(
            variant, pack, questions, lambda _, legal, rng=rng: rng.choice(legal)
        )
        hidden = int(state.hand[1])
        places = [i for i, card in enumerate(pack) if hidden >> card & 1 or i >= state.dealt]
        other, cards = list(pack), [pack[place] for place in places]
        rng.shuffle(cards)
        for place, card in zip(places, cards, strict=True):
            other[place] = card
        again = {seat: iter(actions) for seat, actions in done.items()}
        seen, _, after = record_seat_0(
            variant, other, questions, lambda seat, _, again=again: next(again[seat])
        )
        assert observations and seen == observations
        moved += int(after.hand[1]) != hidden or other[state.dealt :] != pack[state.dealt :]
    assert moved


# The libraries' own checkers


@pytest.mark.parametrize("unit", ["deal", "match"])
@pytest.mark.parametrize("variant", CHECKED_VARIANTS)
@pytest.mark.filterwarnings("ignore:Observation")  # a dict with the mask, as expected
def test_checkers_pass(variant, unit):
    pytest.importorskip("pettingzoo")
    from gymnasium.utils.env_checker import check_env
    from pettingzoo.test import api_test, seed_test

    from simgin.envs import gin_rummy

    api_test(gin_rummy.env(variant, unit), num_cycles=200)
    seed_test(lambda: gin_rummy.env(variant, unit), num_cycles=50)
    check_env(gin_rummy.gym_env(variant, unit=unit), skip_render_check=True)


@pytest.mark.parametrize("variant", CHECKED_VARIANTS)
def test_a_vector_environment_keeps_its_promises(variant):
    pytest.importorskip("gymnasium")
    from simgin.envs import gin_rummy

    rng = random.Random(variant)
    envs = gin_rummy.vector_env(8, variant)
    seen, _ = envs.reset(seed=5)
    first = seen["observation"]  # no step overwrites it
    ended = np.zeros(8, bool)
    for _ in range(200):
        actions = [
            pick_legal_action(rng, mask) if mask.any() else 0 for mask in seen["action_mask"]
        ]
        was = ended
        seen, rewards, ended, truncated, _ = envs.step(np.array(actions))
        assert envs.observation_space.contains(seen) and not truncated.any()
        assert not rewards[was].any() and not ended[was].any()
        assert (seen["action_mask"].any(axis=1) == ~ended).all()
    again, _ = envs.reset(seed=5)
    assert np.array_equal(again["observation"], first)
    shared = gin_rummy.vector_env(8, variant, copy=False)
    same, _ = shared.reset(seed=5)
    assert np.array_equal(same["observation"], first)
    seen = shared.step(same["action_mask"].argmax(axis=1))[0]
    assert seen["observation"] is same["observation"]
    assert not np.array_equal(seen["observation"], first)
    legal = again["action_mask"].argmax(axis=1)
    illegal = again["action_mask"].argmin(axis=1)
    _, rewards, ended, _, _ = envs.step(np.where(np.arange(8) == 3, illegal, legal))
    assert ended[3] and rewards[3] == encoding.ILLEGAL_ACTION_DEAL_REWARD


# Environments and matches agree


@pytest.mark.parametrize("deals", [5, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", variants.variant_names())
def test_an_agent_is_asked_what_a_match_asks(variant, deals):
    """Replay the actions of a strategy in a match, and expect the same decisions."""
    seats = EnvGames(variant, "simple", "deal", 1)
    seats.reset(5)
    alone = variants.find_variant(variant).is_solo
    players = ("solo-greedy+knock=random", None) if alone else ("gold+knock=random", "simple")
    matchup = parse_matchup(*players, variant, 5, "deal")
    for _ in range(deals):
        played = trace_deal(matchup, int(seats.units[0]) - 1)
        for question in played.decisions:
            if question.seat:
                continue
            assert not seats.ended[0]
            slot = SLOTS.index(question.slot)
            written = encode_plainly(question.view, slot)
            assert np.allclose(seats.observations[0, : len(written)], written, atol=1e-6)
            passes = encoding.is_zero_pass.py_func(question.view, seats.batch.rules)
            action = encoding.to_env_action.py_func(slot, question.action, passes)
            seats.step([action], restart_ended=False)
        assert seats.ended[0]
        for name in ("kind", "winner", "score", "turns"):
            assert seats.batch.states[0][name].tolist() == played.state[name].tolist(), name
        seats.reset(None)


EXTERNAL = """
from simgin.envs.external_player import make_external_strategy

def act(seen):
    mask = seen["action_mask"]
    return 55 if mask[55] else int(mask.nonzero()[0][{end}])

STRATEGY = make_external_strategy("from-outside", act)
"""


def test_a_policy_from_outside_is_played_like_any_other(tmp_path):
    """Compare decisions in `simgin match` with those in the environment, deal by deal."""
    file = tmp_path / "outside.py"
    file.write_text(EXTERNAL.format(end=-1))
    matchup = parse_matchup(str(file), "simple", "standard", 9, "deal")
    _, records = kernel.play_with_records(matchup, 0, 20)
    seats = EnvGames("standard", "simple", "deal", 1)
    seats.reset(9)
    points = []
    for unit in range(20):
        asked = int(seats.units[0]) - 1
        while not seats.ended[0]:
            mask = seats.masks[0]
            seats.step([55 if mask[55] else mask.nonzero()[0][-1]], restart_ended=False)
        points.append((asked, float(seats.rewards[0])))
        seats.reset(None)
        if asked >= unit + 19:
            break
    margins = (records["points_a"] - records["points_b"])[::2]
    assert all(margins[unit] == won for unit, won in points if unit < 20)
    assert len({unit for unit, _ in points if unit < 20}) > 15


@pytest.mark.slow
def test_a_policy_from_outside_plays_in_other_processes(tmp_path):
    file = tmp_path / "outside.py"
    file.write_text(EXTERNAL.format(end=-1))
    words = ("match", file, "simple", "--deals", 1000, "--json")
    here, there = (call(*words, *more).stdout for more in ((), ("--scheduler", "local:2")))
    assert json.loads(here)["rows"] == json.loads(there)["rows"] != []


def test_an_illegal_action_from_outside_is_named(tmp_path):
    file = tmp_path / "outside.py"
    file.write_text(EXTERNAL.format(end=-1).replace("return 55 if mask[55] else", "return 129 or"))
    output = call("match", file, "simple", "--deals", 100, code=2).output
    assert "the take policy 'from-outside' returned 129, but the legal actions are 52, 5" in output
    assert "variant standard, seed 1, unit 0, half 0" in output

"""Tests of saved states and of sampled hidden cards in environments."""

from collections import Counter
from random import Random

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from simgin.envs import gin_rummy
from simgin.envs.env_games import EnvError
from simgin.text.notation import N_CARDS
from support.env_sessions import any_action


def play_randomly(env):
    """Yield the games of an environment and its observation before each random legal action."""
    env.reset(seed=5)
    games, ended, rng = env.unwrapped._seats, False, Random(1)
    while not ended:
        seen = games.observe_single()
        yield games, seen
        env.step(any_action(rng, seen["action_mask"]))
        ended = bool(games.ended[0])


@pytest.mark.parametrize("variant", ["standard", "eaai", "basic", "solitary-gin"])
@pytest.mark.parametrize("kind", ["gym_env", "env"])
def test_samples_change_only_what_the_player_cannot_see(kind, variant):
    env, rng = getattr(gin_rummy, kind)(variant), np.random.default_rng(1)
    changed = 0
    for games, seen in play_randomly(env):
        state, seat = games.batch.states[0], int(games.acting_seats[0])
        mine, other, known = int(state.hand[seat]), int(state.hand[1 - seat]), state.known[1 - seat]
        env.resample_hidden_cards(rng)
        again = games.observe_single()
        assert all(np.array_equal(again[name], seen[name]) for name in seen)
        sampled = int(state.hand[1 - seat])
        changed += sampled != other
        assert int(state.hand[seat]) == mine and sampled & mine == 0
        assert sampled & int(known) == int(known)
        assert sampled.bit_count() == other.bit_count()
        assert sorted(state.pack.tolist()) == list(range(N_CARDS))
    assert games.ended[0] == 1, "every action was legal"
    assert changed or variant == "solitary-gin"


def test_unseen_cards_are_equally_likely_in_the_hand_of_the_opponent():
    env = gin_rummy.gym_env("standard", opponent="simple")
    env.reset(seed=1)
    state = env._seats.batch.states[0]
    counts = Counter()
    for seed in range(2000):
        env.resample_hidden_cards(seed)
        counts.update(card for card in range(N_CARDS) if int(state.hand[1]) >> card & 1)
    unseen = N_CARDS - 11  # except ten own cards and the upcard
    assert len(counts) == unseen
    expected = 2000 * 10 / unseen
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < 80, "far above the expected value of 31"


def test_samples_of_the_same_seed_are_equal():
    env = gin_rummy.gym_env("standard", opponent="simple")
    env.reset(seed=1)
    packs = []
    for seed in (1, 2, 1):
        twin = env.clone()
        twin.resample_hidden_cards(seed)
        packs.append(twin._seats.batch.states[0].pack.tolist())
    assert packs[0] == packs[2] != packs[1]


@pytest.mark.parametrize("variant", ["dice", "solitaire-gin"])
def test_games_with_a_die_or_a_joker_are_not_sampled(variant):
    env = gin_rummy.gym_env(variant)
    env.reset(seed=1)
    with pytest.raises(EnvError, match="have a die or a joker"):
        env.resample_hidden_cards(1)

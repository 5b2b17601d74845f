"""Tests that resampling in environments changes only hidden cards."""

from collections import Counter
from random import Random

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from simgin.envs import gin_rummy
from simgin.envs.env_games import EnvError
from simgin.text.notation import N_CARDS
from support.env_sessions import choose_random_action


def iter_random_decisions(env):
    """Yield the games of an environment and its observation before each random legal action."""
    env.reset(seed=5)
    games, ended, rng = env.unwrapped._seats, False, Random(1)
    while not ended:
        observation = games.observe_single()
        yield games, observation
        env.step(choose_random_action(rng, observation["action_mask"]))
        ended = bool(games.ended[0])


@pytest.mark.parametrize("variant", ["standard", "eaai", "basic", "solitary-gin"])
@pytest.mark.parametrize("env_type", ["gym_env", "env"])
def test_resampling_changes_only_hidden_cards(env_type, variant):
    env, rng = getattr(gin_rummy, env_type)(variant), np.random.default_rng(1)
    n_changed = 0
    for games, observation in iter_random_decisions(env):
        state, seat = games.batch.states[0], int(games.acting_seats[0])
        hand, opponent_hand, known = (
            int(state.hand[seat]),
            int(state.hand[1 - seat]),
            state.known[1 - seat],
        )
        env.resample_hidden_cards(rng)
        observation_after = games.observe_single()
        assert all(
            np.array_equal(observation_after[name], observation[name]) for name in observation
        )
        sampled = int(state.hand[1 - seat])
        n_changed += sampled != opponent_hand
        assert int(state.hand[seat]) == hand and sampled & hand == 0
        assert sampled & int(known) == int(known)
        assert sampled.bit_count() == opponent_hand.bit_count()
        assert sorted(state.pack.tolist()) == list(range(N_CARDS))
    assert games.ended[0] == 1, "every action was legal"
    assert n_changed or variant == "solitary-gin"


def test_unseen_cards_are_equally_likely_in_the_opponents_hand():
    env = gin_rummy.gym_env("standard", opponent="simple")
    env.reset(seed=1)
    state = env._seats.batch.states[0]
    counts = Counter()
    for seed in range(2000):
        env.resample_hidden_cards(seed)
        counts.update(card for card in range(N_CARDS) if int(state.hand[1]) >> card & 1)
    n_unseen = N_CARDS - 11  # except ten own cards and the upcard
    assert len(counts) == n_unseen
    expected = 2000 * 10 / n_unseen
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < 80, "far above the expected value of 31"


def test_resampling_is_reproducible():
    env = gin_rummy.gym_env("standard", opponent="simple")
    env.reset(seed=1)
    packs = []
    for seed in (1, 2, 1):
        duplicate = env.clone()
        duplicate.resample_hidden_cards(seed)
        packs.append(duplicate._seats.batch.states[0].pack.tolist())
    assert packs[0] == packs[2] != packs[1]


@pytest.mark.parametrize("variant", ["dice", "solitaire-gin"])
def test_resampling_rejects_games_with_a_die_or_a_joker(variant):
    env = gin_rummy.gym_env(variant)
    env.reset(seed=1)
    with pytest.raises(EnvError, match="has a die or a joker"):
        env.resample_hidden_cards(1)

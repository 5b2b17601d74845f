"""Environments of every type, played by random legal actions, and everything they return."""

import copy
import pickle
import zlib
from random import Random

import numpy as np

from simgin.envs import gin_rummy


def restored(env):
    """Return another environment in which the position of an environment was restored twice."""
    state, other = env.clone_state(), copy.deepcopy(env)
    for _ in range(2):
        other.reset(seed=9)
        other.restore_state(state)
    return other


COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "clone": lambda env: env.clone(),
    "state": restored,
}


def all_bytes(told):
    """Convert the output of an environment to a form that can be compared."""
    if isinstance(told, dict):
        return {name: all_bytes(value) for name, value in told.items()}
    return np.asarray(told).tobytes()


def any_action(rng, mask):
    """Return a random legal action that mostly continues when an ending is proposed."""
    actions = np.flatnonzero(mask).tolist()
    return 56 if 56 in actions and rng.random() < 0.8 else rng.choice(actions)


class EnvSession:
    """An environment of one type, its last output, and the legal actions in it."""

    def __init__(self, env):
        self.env, self.deals = env, 0
        self.begin(seed=3)

    def copied(self, how):
        """Return a copy in the same state."""
        other = copy.copy(self)
        other.env = COPIES[how](self.env)
        return other

    def look(self, *handed):
        """Return everything that was returned so far, in its original state."""
        self.handed = handed
        return [*map(all_bytes, handed)]


class Single(EnvSession):
    kind = gin_rummy.gym_env

    def begin(self, **seed):
        seen, info = self.env.reset(**seed)
        self.mask = seen["action_mask"].copy()
        return self.look(seen, info)

    def step(self, rng):
        if not self.mask.any():
            self.deals += 1
            return self.begin()
        told = self.env.step(any_action(rng, self.mask))
        self.mask = told[0]["action_mask"].copy()
        return self.look(*told)


class Vector(Single):
    def kind(*words, **options):
        return gin_rummy.vector_env(5, *words, **options)

    def step(self, rng):
        actions = [any_action(rng, mask) if mask.any() else 0 for mask in self.mask]
        told = self.env.step(np.array(actions))
        self.mask = told[0]["action_mask"].copy()
        self.deals += int(told[2].sum())
        return self.look(*told)


class Turns(EnvSession):
    def kind(variant, opponent, **options):
        return gin_rummy.env(variant, **options)

    def begin(self, **seed):
        self.env.reset(**seed)
        self.look()

    def step(self, rng):
        if not self.env.agents:
            self.deals += 1
            self.begin()
        seen, *told = self.env.last()
        ended, mask = told[1], seen["action_mask"].copy()
        observed = [self.env.observe(agent) for agent in self.env.possible_agents]
        known = self.look(seen, *observed)
        self.env.step(None if ended else any_action(rng, mask))
        return [*known, *map(all_bytes, told), self.env.agent_selection]


KINDS = {"gym": Single, "vector": Vector, "pettingzoo": Turns}


def start_env(kind, variant="standard", opponent="gold", unit="deal"):
    """Return an environment of one type after its reset."""
    played = KINDS[kind]
    return played(played.kind(variant, opponent, unit=unit))


def digest_next_steps(played):
    """Return a checksum of the output of some environments in their next steps."""
    told = [one.step(Random(i)) for one in played for i in range(60)]
    return str(zlib.crc32(repr(told).encode()))

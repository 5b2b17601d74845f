"""Play environments of every type with random legal actions, and record their output."""

import copy
import pickle
import zlib
from random import Random

import numpy as np

from simgin.envs import gin_rummy
from simgin.rules import variants


def copy_by_saved_state(env):
    """Return a copy of an environment, made by saving and restoring its state."""
    state, other = env.clone_state(), copy.deepcopy(env)
    for _ in range(2):
        other.reset(seed=9)
        other.restore_state(state)
    return other


COPY_FUNCTIONS = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "clone": lambda env: env.clone(),
    "state": copy_by_saved_state,
}


def to_comparable(output):
    """Convert the output of an environment to a form that can be compared."""
    if isinstance(output, dict):
        return {name: to_comparable(value) for name, value in output.items()}
    return np.asarray(output).tobytes()


def choose_random_action(rng, legal_mask):
    """Return a random legal action, which usually declines a proposed ending."""
    actions = np.flatnonzero(legal_mask).tolist()
    return 56 if 56 in actions and rng.random() < 0.8 else rng.choice(actions)


class EnvSession:
    """Environment that is played step by step, with its last output and legal actions."""

    def __init__(self, env):
        self.env, self.deals = env, 0
        self.start(seed=3)

    def copy_with(self, copy_method):
        """Return a copy of the session, made with one of COPY_FUNCTIONS."""
        other = copy.copy(self)
        other.env = COPY_FUNCTIONS[copy_method](self.env)
        return other

    def record_output(self, *output):
        """Store the output of the environment, and return it in a comparable form."""
        self.last_output = output
        return [*map(to_comparable, output)]


class GymSession(EnvSession):
    make_env = gin_rummy.gym_env

    def start(self, **seed):
        seen, info = self.env.reset(**seed)
        self.mask = seen["action_mask"].copy()
        return self.record_output(seen, info)

    def step(self, rng):
        if not self.mask.any():
            self.deals += 1
            return self.start()
        output = self.env.step(choose_random_action(rng, self.mask))
        self.mask = output[0]["action_mask"].copy()
        return self.record_output(*output)


class VectorEnvSession(GymSession):
    def make_env(*arguments, **options):
        return gin_rummy.vector_env(5, *arguments, **options)

    def step(self, rng):
        actions = [choose_random_action(rng, mask) if mask.any() else 0 for mask in self.mask]
        output = self.env.step(np.array(actions))
        self.mask = output[0]["action_mask"].copy()
        self.deals += int(output[2].sum())
        return self.record_output(*output)


class PettingZooSession(EnvSession):
    def make_env(variant, opponent, **options):
        return gin_rummy.env(variant, **options)

    def start(self, **seed):
        self.env.reset(**seed)
        self.record_output()

    def step(self, rng):
        if not self.env.agents:
            self.deals += 1
            self.start()
        seen, *output = self.env.last()
        ended, mask = output[1], seen["action_mask"].copy()
        observed = [self.env.observe(agent) for agent in self.env.possible_agents]
        known = self.record_output(seen, *observed)
        self.env.step(None if ended else choose_random_action(rng, mask))
        return [*known, *map(to_comparable, output), self.env.agent_selection]


SESSION_CLASSES = {"gym": GymSession, "vector": VectorEnvSession, "pettingzoo": PettingZooSession}


def start_session(env_type, variant="standard", opponent="gold", unit="deal"):
    """Return a session with an environment of one type, which has been reset."""
    session = SESSION_CLASSES[env_type]
    if variants.find_variant(variant).is_solo:
        opponent = "simple"  # the default, which solitaire games ignore
    return session(session.make_env(variant, opponent, unit=unit))


def compute_steps_checksum(sessions):
    """Return a checksum of the next 60 outputs of each session."""
    output = [one.step(Random(i)) for one in sessions for i in range(60)]
    return str(zlib.crc32(repr(output).encode()))

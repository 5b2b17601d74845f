"""Replacements for the parts of PyTorch and Stable-Baselines3 that a notebook uses."""

import sys
from pathlib import Path
from types import ModuleType

N_STUB_STEPS = 100  # number of steps in each environment


class FirstActionModel:
    """Model that takes the first legal action. Its training only plays."""

    def __init__(self, policy, environments, **settings):
        self.environments = environments

    def learn(self, total_timesteps):
        for env in self.environments:
            observation, _ = env.reset(seed=1)
            for _ in range(N_STUB_STEPS):
                mask = env.get_wrapper_attr("action_masks")()
                action, _ = self.predict(observation, action_masks=mask, deterministic=False)
                observation, _, is_over, _, _ = env.step(int(action))
                if is_over:
                    observation, _ = env.reset()

    def predict(self, observation, action_masks, deterministic):
        assert observation.ndim == 1 and action_masks.dtype == bool
        return action_masks.argmax(), None

    def save(self, path):
        Path(path).write_bytes(b"model")

    @classmethod
    def load(cls, path):
        assert Path(path).read_bytes() == b"model"
        return cls("MlpPolicy", [])


def make_environments(make_env, n_envs, seed, env_kwargs):
    """Return a few of the environments that Stable-Baselines3 would return."""
    return [make_env(**env_kwargs) for _ in range(min(2, n_envs))]


def install_training_stubs(monkeypatch):
    """Make the replacements importable under the names of the libraries."""
    contents_by_module = {
        "torch": {"set_num_threads": lambda n: None},
        "sb3_contrib": {"MaskablePPO": FirstActionModel},
        "stable_baselines3": {},
        "stable_baselines3.common": {},
        "stable_baselines3.common.env_util": {"make_vec_env": make_environments},
    }
    for name, contents in contents_by_module.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)

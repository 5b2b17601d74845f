"""A small network learns Gin Rummy for some minutes, and plays against the ladder.

    pip install -e '.[rl]' stable-baselines3 sb3-contrib
    python benchmarks/learning_agent.py

PPO with legal actions only, as sb3-contrib has it, against `simple`; then `simgin match` measures
it as any strategy. STEPS, DEALS and AGENT (a file) may be set in the environment.
"""

import os
from pathlib import Path

import gymnasium
import pandas as pd
from sb3_contrib import MaskablePPO
from sb3_contrib.common.wrappers import ActionMasker

import simgin
from simgin.envs import gin_rummy

STEPS, DEALS = int(os.environ.get("STEPS", "200000")), int(os.environ.get("DEALS", "400"))
FILE = Path(os.environ.get("AGENT", "results/agent.zip")).absolute()
LADDER = ("random", "rlcard-novice", "simple", "champion")
STRATEGY = '''"""An agent that learned for some minutes against simple."""

from functools import cache

from simgin.envs.outside import strategy_of


@cache
def agent():
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)
    return MaskablePPO.load({file!r}, device="cpu")


def act(seen):
    mask = seen["action_mask"].astype(bool)
    action, _ = agent().predict(seen["observation"], action_masks=mask, deterministic=True)
    return int(action)


STRATEGY = strategy_of("ppo", act)
'''


class Apart(gymnasium.Wrapper):
    """The observation without the mask, which the library asks for; rewards of about 1."""

    def __init__(self):
        super().__init__(gin_rummy.gym_env(opponent="simple"))
        self.observation_space = self.env.observation_space["observation"]

    def reset(self, **options):
        """The first question of a deal."""
        self.seen, info = self.env.reset(**options)
        return self.seen["observation"], info

    def step(self, action):
        """The next question, or the end of the deal."""
        self.seen, reward, ended, cut, info = self.env.step(action)
        return self.seen["observation"], reward / 25, ended, cut, info


def learn():
    """Write the agent."""
    env = ActionMasker(Apart(), lambda apart: apart.seen["action_mask"].astype(bool))
    shape = {"net_arch": [256, 256]}
    agent = MaskablePPO(
        "MlpPolicy", env, seed=1, n_steps=2048, batch_size=256, gamma=0.995, ent_coef=0.01,
        policy_kwargs=shape, device="cpu",
    )  # fmt: skip
    agent.learn(STEPS)
    agent.save(FILE)


def measure():
    """Per cent of deals won, and points a deal, against each of the ladder."""
    strategy = FILE.with_name("ppo.py")
    strategy.write_text(STRATEGY.format(file=str(FILE)))
    rows = []
    for opponent in LADDER:
        table = simgin.match(str(strategy), opponent, deals=DEALS)
        rows.append(table[(table.opponent == opponent) & table.metric.isin(["deal_win", "margin"])])
    found = pd.concat(rows)[["opponent", "metric", "value", "low", "high", "n"]]
    print(found.to_string(index=False))


if not FILE.exists():
    learn()
measure()

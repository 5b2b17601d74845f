# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Training an agent
#
# A small network learns Gin Rummy from nothing, by playing `simple` for some minutes, and is then
# measured like any other strategy. The learning is somebody else's: PPO with action masks from
# Stable-Baselines3, as it is installed: `pip install 'simgin[rl]' sb3-contrib`.

# %%
# %matplotlib inline
from pathlib import Path
from runpy import run_path

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import simgin
from simgin import plots

# %% [markdown]
# ## An environment and a strategy
#
# One file has both. The library wants one array and a method `action_masks`, so the environment
# hands over the observation and keeps the mask; its rewards, points of a deal, are made small. The
# strategy asks the network that was saved, so that every command can play it.

# %%
Path("agent.py").write_text('''
"""A network that learned by playing."""

from functools import cache

from simgin.envs.external_player import make_external_strategy

NETWORK = "agent.zip"


def game(opponent):
    import gymnasium

    from simgin.envs import gin_rummy

    class OneArray(gymnasium.ObservationWrapper):
        def __init__(self, env):
            super().__init__(env)
            self.observation_space = env.observation_space["observation"]

        def observation(self, seen):
            self.mask = seen["action_mask"] == 1
            return seen["observation"]

        def action_masks(self):
            return self.mask

    env = OneArray(gin_rummy.gym_env("standard", opponent=opponent))
    return gymnasium.wrappers.TransformReward(env, lambda points: points / 25)


@cache
def network():
    from sb3_contrib import MaskablePPO

    return MaskablePPO.load(NETWORK)


def act(seen):
    mask = seen["action_mask"] == 1
    action, _ = network().predict(seen["observation"], action_masks=mask, deterministic=True)
    return int(action)


STRATEGY = make_external_strategy("agent", act)
''')

# %% [markdown]
# ## Learning
#
# Sixteen games are played side by side. Two layers of 256 units, four passes over every batch, and
# no discount: a deal is short, and only its end brings points.

# %%
game = run_path("agent.py")["game"]
torch.set_num_threads(1)
games = make_vec_env(game, 16, seed=1, env_kwargs={"opponent": "simple"})
model = MaskablePPO(
    "MlpPolicy",
    games,
    n_steps=256,
    batch_size=512,
    n_epochs=4,
    learning_rate=5e-4,
    gamma=1.0,
    ent_coef=0.01,
    policy_kwargs={"net_arch": [256, 256]},
    seed=1,
)
model.learn(total_timesteps=400_000)
model.save("agent.zip")

# %% [markdown]
# ## How good is it?
#
# The ladder has `random`, the weakest there is, then `rlcard-novice` and `stock-greedy`, which draw
# from the stock and know what to throw, and `simple`, whom the agent has learned from.

# %%
Path("ladder.toml").write_text("""
question = "How far up the ladder is the agent?"
variants = ["standard"]
seed = 7
deals = "400"
matchups = [
    { a = "agent.py", b = "random" },
    { a = "agent.py", b = "rlcard-novice" },
    { a = "agent.py", b = "stock-greedy" },
    { a = "agent.py", b = "simple" },
]
""")
ladder = simgin.run_experiment("ladder.toml").table
plots.win_and_points(ladder, seed=7)

# %%
plots.endings(ladder, seed=7)

# %%
won = ladder[(ladder["metric"] == "deal_win") & (ladder["strategy"] == "agent.py")]
print(won[["opponent", "value", "low", "high", "n"]].to_string(index=False))

# %% [markdown]
# ## What it does wrong
#
# The strongest strategy judges one deal, decision by decision: how many points each answer costs.
# `simgin analyze agent.py simple --deals 1000` does it for a thousand, by kind of mistake.

# %%
deal = simgin.analyze_deal("agent.py", "simple", unit=3, strategy="champion", worlds=4_000)
plots.analysis(deal, seed=1)

# %% [markdown]
# ## How good is that?
#
# Weak: some minutes of learning end far below `simple`, who knocks at once, and `simple` is 300 Elo
# below the strongest. An agent that has met one opponent knows one opponent. More steps, self-play
# and a network that shares what it knows between suits are the next things to try;
# [Learning agents](../docs/how-to/environment.md) has the environments, and a vector of games that
# is ten times as fast as these sixteen.

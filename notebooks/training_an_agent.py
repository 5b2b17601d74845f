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
# In this notebook, you train a small network to play Gin Rummy, and measure the strength of the
# network like the strength of any other strategy. The learning algorithm is PPO with action masks
# from Stable-Baselines3. To install Stable-Baselines3, run `pip install 'simgin[rl]' sb3-contrib`.

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
# The next cell writes a file with the environment and the strategy. Stable-Baselines3 needs one
# array and a method `action_masks`, so the environment returns the observation and stores the mask.
# The environment also scales the rewards, which are points of a deal. The strategy uses the saved
# network.

# %%
Path("agent.py").write_text('''
"""A network that was trained by playing."""

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
# ## Train the network
#
# Training plays sixteen games in parallel. The network has two layers of 256 units, and PPO makes
# four passes over every batch. Rewards are not discounted, because a deal is short and gives points
# only at the end.

# %%
make_game = run_path("agent.py")["game"]
torch.set_num_threads(1)
environments = make_vec_env(make_game, 16, seed=1, env_kwargs={"opponent": "simple"})
model = MaskablePPO(
    "MlpPolicy",
    environments,
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
# ## Measure the agent
#
# The agent plays against `random`, `rlcard-novice`, `stock-greedy` and `simple`, in order of
# increasing strength.

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
ladder_frame = simgin.run("ladder.toml").frame
plots.win_and_points(ladder_frame, seed=7)

# %%
plots.endings(ladder_frame, seed=7)

# %%
win_rates = ladder_frame[
    (ladder_frame["metric"] == "deal_win") & (ladder_frame["strategy"] == "agent.py")
]
print(win_rates[["opponent", "value", "low", "high", "n"]].to_string(index=False))

# %% [markdown]
# ## Find the agent's mistakes
#
# The strongest strategy evaluates one deal, decision by decision, and shows how many points each
# action costs. `simgin analyze agent.py simple --deals 1000` evaluates a thousand deals by type of
# mistake.

# %%
deal_analysis = simgin.analyze_deal("agent.py", "simple", unit=3, strategy="champion", worlds=4_000)
plots.analysis(deal_analysis.frame, seed=1)

# %% [markdown]
# ## Improve the agent
#
# The agent is weak. After a few minutes of training, the agent is far below `simple`, which is 300
# Elo below the strongest strategy. An agent that is trained against one opponent plays well only
# against this opponent. Next, try more steps, self-play, or a network that shares weights between
# suits. For a vector of games that is ten times as fast as the sixteen games in this notebook, see
# [Train learning agents](../docs/how-to/environment.md).

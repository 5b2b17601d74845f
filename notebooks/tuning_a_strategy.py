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
# # Tuning a strategy
#
# A first strategy has numbers that somebody guessed. This notebook searches for better ones, and
# then asks the questions that keep a search from flattering itself: is the gain real, and is it
# worth anything against somebody else? It needs the package cma: `pip install 'simgin[tune]'`.

# %%
# %matplotlib inline
from pathlib import Path

import simgin
from simgin import plots
from simgin.results.sentences import list_sentences

# %% [markdown]
# ## A newcomer's strategy
#
# It knocks at once early in the deal; later it waits for a low count. It takes the card on offer
# if that saves enough. How early is early, how low is low, and how much is enough? The author
# guessed: three turns, 5 points and 2 points. Whoever declares such numbers as parameters, with
# limits, can have them tuned.

# %%
Path("newcomer.py").write_text('''
"""Knock at once early in the deal, later with a low count."""

from simgin.strategy import Strategy, knock, param, take
from simgin.toolkit import deadwood_after_taking, take_if


@take(gain=param(2, 0, 15, "points that the card must save"))
def thrifty(view, rules, params):
    saved = view.count - deadwood_after_taking(view.hand, view.taken_offer, rules)
    return take_if(saved >= params[0], view.legal)


@knock(
    turns=param(3, 0, 20, "own turns in which to knock with any legal count"),
    low=param(5, 0, 10, "highest count to knock with after that"),
)
def early_or_low(view, rules, params):
    return view.own_turn <= params[0] or view.ending_count <= params[1]


STRATEGY = Strategy("newcomer", take=thrifty, knock=early_or_low)
''')

# %% [markdown]
# ## The search
#
# Every generation, a few strategies with other numbers play `simple` and `gold-early`, all of them
# on the same shuffles. The next generation is drawn around those that did best, and has new ones. A
# real search should be longer; the command is `simgin tune newcomer.py --against simple --against
# gold-early -o newcomer.toml`, which takes a minute or two.

# %%
tuned = simgin.tune_strategy(
    "newcomer.py",
    "eaai",
    ["simple", "gold-early"],
    generations=10,
    matches="2k",
    confirmation_matches="20k",
    seed=7,
)
tuned.parameters

# %%
plots.search_history(tuned.history_frame, seed=7)

# %% [markdown]
# ## Is the gain real?
#
# The best of many strategies tried looks better than it is: some of its wins were luck. So what
# counts is a confirmation: the tuned numbers and the guessed ones play the same shuffles, which the
# search never saw.

# %%
print(*tuned.sentences, sep="\n\n")

# %%
tuned.table[["opponent", "default", "tuned", "value", "low", "high", "n"]]

# %% [markdown]
# The last line is the tuned strategy against the newcomer's own. A gain against a pool can be a
# loss there: numbers are fitted to whom they meet.
#
# ## Against somebody new
#
# `tonic-like` was not in the pool. Are the new numbers better against this player, too? Both
# strategies have the same shuffles, so their difference has a small error.

# %%
Path("others.toml").write_text(f"""
question = "Are the tuned numbers better against a player they were not tuned for?"
variants = ["eaai"]
seed = 8
matches = "4k"

[panel]
strategies = ["newcomer.py", "{tuned.strategy.spec}"]
against = "tonic-like"
""")
others = simgin.run_experiment("others.toml")
print(*list_sentences(others), sep="\n\n")

# %%
plots.win_and_points(others.table, seed=8)

# %%
plots.forest_plot(simgin.prepare_forest(others.differences), seed=8)

# %% [markdown]
# ## How not to fool yourself
#
# * **Believe the confirmation**, not the best value that the search has seen.
# * **Do not search again and again until the confirmation pleases you.** That makes it part of the
#   search. If you do, confirm the last one with another `seed`.
# * **Tune against several opponents**, and test against others.
# * **"Nothing was gained" is an answer.** Some numbers do not matter; some were well guessed.
#
# [Tune a strategy](../docs/how-to/tuning.md) has the options, and says how the search works.

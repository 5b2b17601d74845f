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
# The parameters of a first strategy are usually guesses. This notebook searches for better values,
# and then tests whether the gain is real and occurs against another opponent. Tuning requires the
# package cma: `pip install 'simgin[tune]'`.

# %%
# %matplotlib inline
from pathlib import Path

import simgin
from simgin import plots

# %% [markdown]
# ## A first strategy
#
# The strategy knocks immediately in its first turns, and later only with low deadwood. The strategy
# takes a card if the card saves enough points. The author guessed three values: three turns, 5
# points and 2 points. simgin can tune all parameters that are declared with `param`.

# %%
Path("newcomer.py").write_text('''
"""Knock immediately early in the deal, later with low deadwood."""

from simgin.strategy import Strategy, knock, param, take
from simgin.toolkit import deadwood_after_taking, take_if


@take(gain=param(2, 0, 15, "points that the card must save"))
def thrifty(view, rules, params):
    saved = view.count - deadwood_after_taking(view.hand, view.taken_offer, rules)
    return take_if(saved >= params[0], view.legal)


@knock(
    turns=param(3, 0, 20, "own turns in which to knock with any legal deadwood"),
    low=param(5, 0, 10, "maximum deadwood to knock after these turns"),
)
def early_or_low(view, rules, params):
    return view.own_turn <= params[0] or view.ending_count <= params[1]


STRATEGY = Strategy("newcomer", take=thrifty, knock=early_or_low)
''')

# %% [markdown]
# ## Search for better values
#
# In every generation, a few strategies with different values play `simple` and `gold-early` on the
# same shuffles. The next generation is sampled around the best strategies and uses new shuffles.
# For a real search, use more generations. On the command line, run `simgin tune newcomer.py
# --against simple --against gold-early -o newcomer.toml`, which takes a minute or two.

# %%
tuning_result = simgin.tune_strategy(
    "newcomer.py",
    "eaai",
    ["simple", "gold-early"],
    generations=10,
    matches="2k",
    confirmation_matches="20k",
    seed=7,
)
tuning_result.parameters

# %%
plots.search_history(tuning_result.history_frame, seed=7)

# %% [markdown]
# ## Check that the gain is real
#
# The measured result of the best of many strategies is too high, because luck contributed to the
# selection. simgin therefore also compares the tuned and the default values on held-out deals.

# %%
print(tuning_result.summary())

# %%
tuning_result.table[["opponent", "default", "tuned", "value", "low", "high", "n"]]

# %% [markdown]
# The last row shows the result of the tuned strategy against the default. A tuned strategy can win
# more matches against the opponents in the search and still lose to the default, because its
# parameter values are fitted to the opponents.
#
# ## Test another opponent
#
# The search did not use `tonic-like`. The next cells test whether the new values are also better
# against `tonic-like`. Both strategies play the same shuffles, so the difference between their
# results has a small standard error.

# %%
Path("others.toml").write_text(f"""
question = "Are the tuned values better against a new opponent?"
variants = ["eaai"]
seed = 8
matches = "4k"

[panel]
strategies = ["newcomer.py", "{tuning_result.strategy.spec}"]
against = "tonic-like"
""")
new_opponent_results = simgin.run("others.toml")
print(new_opponent_results.summary())

# %%
plots.win_and_points(new_opponent_results.frame, seed=8)

# %%
plots.forest_plot(new_opponent_results.differences, seed=8)

# %% [markdown]
# ## Avoid wrong conclusions
#
# * **Trust the confirmation**, not the best value of the search.
# * **Do not repeat the search until you like the confirmation.** A confirmation that decides when
#   the search ends is part of the search. If you repeat the search, confirm the result with another
#   `seed`.
# * **Tune against several opponents**, and test against other opponents.
# * **"No gain" is a result.** Some parameters do not matter, and some guesses were good.
#
# For all options and the search method, see [Tune a strategy](../docs/how-to/tuning.md).

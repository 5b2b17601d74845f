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
# # What should I throw?
#
# You hold eleven cards and must discard one. `simgin.analyze` draws the cards that you do not see,
# again and again, as likely as the opponent's play makes them. In each of these *worlds* it throws
# every card in turn, and two strategies play the deal on to its end.

# %%
# %matplotlib inline
import simgin
from simgin import plots

# %% [markdown]
# ## A position
#
# Two melds and five unmatched cards: the king just drawn, two fours, a ten and an ace. The pile,
# from the first upcard on, tells who threw and took what; `*` marks the nine of diamonds, which the
# opponent took.

# %%
HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS"
PILE = "QD TS 9D* QH"

costs = simgin.analyze(HAND, PILE, worlds=4_000)
print(costs[["action", "points", "win", "gin", "cost", "low", "high", "worlds", "best"]])

# %% [markdown]
# The best action stands at the top. `cost` is what an action brings less than the best, in points
# per deal; `low` and `high` are limits that hold for all actions together. Where `best` is true in
# more than one row, these actions could not be told apart.

# %%
plots.analysis(costs, seed=1)

# %% [markdown]
# ## What the score changes
#
# At 92 to 60 almost any deal that you win wins the match to 100 points, so winning it at all counts
# for more than winning it by much. With a score, actions are compared by the chance to win the
# match.

# %%
ahead = simgin.analyze(HAND, PILE, score=(92, 60), worlds=4_000)
plots.analysis(ahead, seed=1)

# %% [markdown]
# ## Somebody else's mistakes
#
# `simgin.find` looks through deals. Here `gold` and `champion` play the same cards in the same seat
# against `simple`. These are the first deals in which champion makes at least 40 points more.

# %%
found = simgin.find(
    "gold", "champion", where="differ, gain <= -40", against="simple", deals=2_000, limit=3
)
print(found[["unit", "half", "place", "own", "other", "points", "rival_points"]])

# %% [markdown]
# Was the first of these decisions a mistake, or was it bad luck? One deal cannot tell. Thousands of
# worlds can, with champion to play on after either choice.

# %%
deal = simgin.analyze_deal(
    "gold",
    "simple",
    unit=int(found["unit"][0]),
    half=int(found["half"][0]),
    turn=0,
    strategy="champion",
    worlds=4_000,
)
plots.analysis(deal, seed=1)

# %% [markdown]
# `simgin analyze` and `simgin find` do the same on the command line, and `simgin analyze -o DIR`
# leaves a page with the cards on the table. [What should I do here?](../docs/how-to/positions.md)
# has the options, and says how far to trust the answers.

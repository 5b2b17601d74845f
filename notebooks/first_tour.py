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
# # A first tour
#
# Two players meet, we see who is better and how sure that is, look over their shoulders in one deal, and end with the odds of a game for
# one. Every cell is a call of simgin or of one of its pictures. What a number is: [metrics](../docs/reference/metrics.md).

# %%
# %matplotlib inline
import simgin
from simgin import plots
from simgin.findings import sentences

# %% [markdown]
# ## Two players meet
#
# `simple` knocks as soon as it may. `gold-early` knocks in its first turns and then waits for gin. `"2k"` matches to 100 points, standard
# rules; every pack is played twice, the second time with the players exchanged, so that neither is lucky. The seed names the packs:
# with the same one you get the same numbers as anybody else.

# %%
frame = simgin.match("gold-early", "simple", "standard", matches="2k", seed=7)
frame.head()

# %% [markdown]
# A row is a metric of one of the two, with its standard error, its 95 % limits, and n, the deals or matches that it rests on. Three of
# them answer who wins: matches, deals, and points. They can differ: look at all three.

# %%
frame[
    (frame["strategy"] == "gold-early") & frame["metric"].isin(["match_win", "deal_win", "margin"])
]

# %% [markdown]
# In a sentence:

# %%
print(*sentences.matchups(frame))

# %% [markdown]
# And as a picture. A bar that crosses the line of what is even tells nobody apart; four times as many matches halve it.

# %%
plots.win_and_points(frame, seed=7)

# %% [markdown]
# How did the deals end? Somebody knocks, goes gin, undercuts the knocker, or the stock runs out.

# %%
plots.endings(frame, seed=7)

# %% [markdown]
# ## One deal, card by card
#
# Any deal can be seen again. This is the first deal of the first match of the run above: `unit` counts the pairs of matches, `deal` the
# deals in one, and `half=1` is the same pack with the players exchanged.

# %%
print(simgin.show("gold-early", "simple", "standard", seed=7, unit=0, deal=0))

# %% [markdown]
# ## The odds of a game alone
#
# Solitaire Gin: you against the joker in the deck. How often do you win, and how much of that is skill? Players from weak to strong:

# %%
odds = simgin.odds_of("solitaire-gin", deals="10k")
plots.strength(odds["strength"], seed=1)

# %% [markdown]
# By the draws that you have made: how often you are gin by then, and how often the joker has come first.

# %%
plots.odds(odds["odds"], seed=1)

# %% [markdown]
# The distance from the weakest to the strongest player on the same packs, and how many deals each must play before it shows
# (`own_packs`: with packs of their own, as at a table):

# %%
odds["gap"][["metric", "value", "low", "high", "own_packs", "same_packs"]]

# %% [markdown]
# ## Where to go next
#
# * [comparing_discards.py](comparing_discards.py): you have an idea how to play and want to know whether it is any good.
# * [rule_review.py](rule_review.py): you want to know what a rule does to the game.
# * `simgin strategies` and `simgin variants` list who can play, and what. Names can be composed: `"gold+knock=at:k=5"`,
#   `"standard+undercut_bonus=10"`.
# * The same on the command line, with pages and pictures in a directory: `simgin match`, `simgin odds`, `simgin review`.

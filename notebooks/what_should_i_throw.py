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
# # What should I discard?
#
# You hold eleven cards and must discard one. `simgin.analyze` samples the hidden cards many times
# and takes the opponent's play into account. In each simulation (*world*), simgin tries every
# discard, and two strategies play the deal to its end.

# %%
# %matplotlib inline
import simgin
from simgin import plots

# %% [markdown]
# ## A position
#
# The hand has two melds and five unmatched cards: the king just drawn, two fours, a ten and an ace.
# The pile lists the upcard and all discards, oldest first. `*` marks the nine of diamonds, which
# the opponent took.

# %%
HAND = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS"
PILE = "QD TS 9D* QH"

analysis = simgin.analyze(HAND, PILE, worlds=4_000)
print(analysis)

# %% [markdown]
# The best action is in the first row. The cost of an action is the loss compared with the best
# action, in points per deal. The confidence intervals are simultaneous. `analysis.frame` contains
# the same estimates. If the column `best` is true in several rows, there is no significant
# difference between these actions.

# %%
plots.analysis(analysis.frame, seed=1)

# %% [markdown]
# ## Use the match score
#
# At 92 to 60, almost any won deal also wins the match to 100 points, so winning the deal matters
# more than the number of points. With a score, `analyze` compares actions by the probability of
# winning the match.

# %%
analysis_when_ahead = simgin.analyze(HAND, PILE, score=(92, 60), worlds=4_000)
plots.analysis(analysis_when_ahead.frame, seed=1)

# %% [markdown]
# ## Find mistakes of a strategy
#
# `simgin.find` searches simulated deals. Here, `gold` and `champion` play the same cards in the
# same seat against `simple`. The table lists the first deals in which `champion` scores at least 40
# points more than `gold`.

# %%
found_deals = simgin.find(
    "gold", "champion", where="differ, gain <= -40", against="simple", deals=2_000, limit=3
)
print(found_deals)

# %% [markdown]
# One deal cannot show whether a decision was a mistake or bad luck. The next cell analyses the
# first decision of the first deal in thousands of worlds, in which `champion` plays the rest of the
# deal.

# %%
deal_analysis = simgin.analyze_deal(
    "gold",
    "simple",
    unit=int(found_deals.frame["unit"][0]),
    half=int(found_deals.frame["half"][0]),
    turn=0,
    strategy="champion",
    worlds=4_000,
)
plots.analysis(deal_analysis.frame, seed=1)

# %% [markdown]
# `simgin analyze` and `simgin find` run on the command line, and `simgin analyze -o DIR` writes an
# HTML report. For all options and the accuracy of the results, see [Find the best
# move](../docs/how-to/positions.md).

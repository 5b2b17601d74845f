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
# # Comparing discards
#
# What to throw is most of what there is to decide in gin rummy, and advice is cheap. Here several ways of throwing are put to the test:
# against each other, and one of them, a rule of thumb, against the same player without it. Most of the work is not to fool oneself.

# %%
# %matplotlib inline
from pathlib import Path

import simgin
from simgin import plots
from simgin.findings import sentences

# %% [markdown]
# ## The question first
#
# An experiment is a question with who plays whom, and says beforehand how much is played. The players below take and knock like `gold`,
# and differ in what they throw. Gold throws the dearest card that it has no use for. `high-first` pays up to ten points to be rid of a high
# card; `live-melds` looks for the card that lies in fewest melds still open to the other, and `safe-neighbour` stays near what he threw.
#
# `round_robin` lets everybody meet everybody; `panel` says who is told from whom: each against `simple`, the first is the base.

# %%
Path("discards.toml").write_text("""
question = "What should one throw, when taking and knocking are gold's?"
hypothesis = "The dearest loose card is hard to beat."
variants = ["standard"]
seed = 1
deals = "40k"
round_robin = ["gold", "gold+discard=high-first", "gold+discard=live-melds", "gold+discard=safe-neighbour", "simple"]

[panel]
strategies = ["gold", "gold+discard=high-first", "gold+discard=live-melds", "gold+discard=safe-neighbour"]
against = "simple"
""")
found = simgin.findings_of("discards.toml")

# %% [markdown]
# ## Who beats whom
#
# A number is the share of the deals that the row won from the column, those that nobody won counted half. A league can go round in circles,
# which no rating shows; so look at the table before you believe the order.

# %%
plots.league(found.standings, found.cross, unit="deal", seed=1)

# %%
print(*sentences.of(found), sep="\n\n")

# %% [markdown]
# ## Differences, not levels
#
# To see whether one discard is better than another, do not compare two intervals: the two were played with the same packs, and most of
# what makes either uncertain is the luck of those packs, which cancels. The difference has an error of its own, and it is much smaller.

# %%
plots.differences(simgin.forest(found.differences), seed=1)

# %% [markdown]
# Look at `high-first`: it wins more deals than gold does, and loses points. Which of the two you ask for decides what you find, so decide
# before you look. In a match to 100 it is points that count.
#
# Several comparisons were made, and of twenty that are nothing one comes out with p < 0.05. `p_holm` allows for how many there are.

# %%
found.differences[["strategy", "metric", "difference", "low", "high", "p_holm", "detectable"]]

# %% [markdown]
# ## A rule of thumb
#
# "Throw near what he threw": cards beside the opponent's discards should be of no use to him. Of the rules above this one came out best,
# but it was chosen for that, on these packs. So it is played again, on others: `seed=2`. And with another player, `gold-early`, who waits
# for gin after the first turns: does the rule help that one, too?

# %%
frame = simgin.match(
    "gold-early+discard=safe-neighbour", "gold-early", "standard", deals="60k", seed=2
)
print(*sentences.matchups(frame))

# %%
plots.win_and_points(frame, seed=2)

# %% [markdown]
# ## What could have been found
#
# "No difference" says little unless one knows what would have shown. `detectable` above is the true difference that such a run finds in
# four tries of five: 2.8 standard errors. For the rule of thumb it is, in points a deal and as a share of the deals:

# %%
met = frame[(frame["strategy"] != "gold-early") & frame["metric"].isin(["margin", "deal_win"])]
met.assign(detectable=2.8 * met["se"])[["metric", "value", "low", "high", "detectable", "n"]]

# %% [markdown]
# To see half as much takes four times the deals. If you would rather have it played until it is known well enough, say so; the limits
# then hold although somebody looked while it was played, and are wider for it.

# %%
until = simgin.match("gold-early+discard=safe-neighbour", "gold-early", until=0.15, seed=3)
until[until["metric"] == "margin"][["strategy", "value", "low", "high", "n"]]

# %% [markdown]
# ## How not to fool oneself
#
# * **Ask first.** Write down question, players and size; then play. The file above is that.
# * **Deals won, points and matches** can differ in sign. A player who wins more deals may lose more matches.
# * **Do not choose and report on the same packs.** The best of many looks better than it is: choose with one seed, report with another.
# * **One opponent is not all.** What beats `simple` may lose to `gold-early`. Let several meet.
# * **Do not look until you like it.** Fix the size, or let `until` do the looking.
# * **Count the comparisons**, those that you did not print too.
#
# Questions that were asked in this way, at two million deals each, are in the [findings](../docs/findings.md). To try a discard of your
# own, write it as [a function of what a player sees](../docs/how-to/writing-a-strategy.md), and name its file in place of a strategy.

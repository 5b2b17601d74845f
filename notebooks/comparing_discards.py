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
# This notebook compares several discard rules with each other, tests one rule of thumb with another
# player, and shows how to avoid wrong conclusions.

# %%
# %matplotlib inline
from pathlib import Path

import simgin
from simgin import plots

# %% [markdown]
# ## State the question first
#
# State the question, the players and the number of deals before you play. The following players
# take and knock like `gold`, but discard differently. `gold` discards the highest unmatched card.
# `high-first` accepts up to ten points of deadwood to discard a high card. `live-melds` discards
# the card that fits the fewest possible melds of the opponent. `safe-neighbour` discards near the
# opponent's discards.
#
# With `round_robin`, every strategy plays against every other strategy. In `panel`, each strategy
# plays against `simple`, and the first strategy is the baseline.

# %%
Path("discards.toml").write_text("""
question = "Which discard rule is best for a player that takes and knocks like gold?"
hypothesis = "Discarding the highest unmatched card is hard to beat."
variants = ["standard"]
seed = 1
deals = "40k"
round_robin = [
    "gold",
    "gold+discard=high-first",
    "gold+discard=live-melds",
    "gold+discard=safe-neighbour",
    "simple",
]

[panel]
strategies = [
    "gold",
    "gold+discard=high-first",
    "gold+discard=live-melds",
    "gold+discard=safe-neighbour",
]
against = "simple"
""")
experiment = simgin.run("discards.toml")

# %% [markdown]
# ## Compare all pairs
#
# Each number is the percentage of deals that the row strategy wins against the column strategy. A
# drawn deal counts as half a win. Check the table for cycles, which a ranking cannot show.

# %%
plots.cross_table(experiment.standings, experiment.cross_table, unit="deal", seed=1)

# %%
print(experiment.summary())

# %% [markdown]
# ## Compare differences
#
# To find out whether one discard rule is better than another, do not compare two intervals. simgin
# tests both discard rules on the same shuffles, so most of the luck cancels out in the difference.
# The difference therefore has a much smaller standard error.

# %%
plots.forest_plot(experiment.differences, seed=1)

# %% [markdown]
# `high-first` wins more deals than `gold`, but loses points. The better rule depends on the metric,
# so choose the metric before you see the results. In a match to 100 points, the points decide.
#
# Among twenty comparisons without a real difference, one has p < 0.05 on average. `p_holm` corrects
# for the number of comparisons.

# %%
experiment.differences[["strategy", "metric", "value", "low", "high", "p_holm", "detectable"]]

# %% [markdown]
# ## Test a rule of thumb
#
# The rule "Discard near the opponent's discards" assumes that the opponent cannot use cards near a
# discard. The rule had the best result in the experiment, but the same deals were used to select
# the rule. The next cell therefore tests the rule on new deals (`seed=2`) and with another player,
# `gold-early`, which waits for gin after the first turns.

# %%
match_result = simgin.match(
    "gold-early+discard=safe-neighbour", "gold-early", "standard", deals="60k", seed=2
)
print(match_result.summary())

# %%
plots.win_and_points(match_result.frame, seed=2)

# %% [markdown]
# ## Know what the run can detect
#
# A result of "no difference" is meaningful only if you know which difference the run can detect.
# The column `detectable` contains the true difference that the run detects with 80 % power (2.8
# standard errors). The following table shows the detectable difference for the rule of thumb, in
# points per deal and as a proportion of deals:

# %%
match_frame = match_result.frame
win_rows = match_frame[
    (match_frame["strategy"] != "gold-early") & match_frame["metric"].isin(["margin", "deal_win"])
]
win_rows.assign(detectable=2.8 * win_rows["se"])[
    ["metric", "value", "low", "high", "detectable", "n"]
]

# %% [markdown]
# To detect a difference that is half as large, you need four times as many deals. With `until`,
# simgin plays until the confidence interval is narrow enough. Intervals of runs with `until` are
# wider, because simgin checks the results several times.

# %%
precise_result = simgin.match("gold-early+discard=safe-neighbour", "gold-early", until=0.15, seed=3)
precise_result

# %% [markdown]
# ## Avoid wrong conclusions
#
# * **State the question first.** Write down the question, the players and the number of deals
#   before you play.
# * **Deals won, points and matches** can disagree. A player that wins more deals can lose more
#   matches.
# * **Do not select a rule and report its result on the same deals.** The best of many results is
#   too optimistic. Select the rule with one seed, and report its result with another seed.
# * **Use several opponents.** A strategy that beats `simple` can lose to `gold-early`.
# * **Do not stop when you like the result.** Fix the number of deals, or use `until`.
# * **Count all comparisons**, including those that you did not print.
#
# The [findings](../docs/findings.md) are based on two million deals per question. To test your own
# discard rule, [write a strategy](../docs/how-to/writing-a-strategy.md), and use the name of its
# file in the experiment.

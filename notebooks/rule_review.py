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
# # A rule review
#
# A review shows how a rule change affects the game. Four types of players play every rule set with
# the same shuffles. For the method and the meaning of every row, see [Review a
# rule](../docs/how-to/reviews.md).
#
# This notebook reviews Oklahoma, in which the upcard sets the knock limit, and a smaller undercut
# bonus.

# %%
# %matplotlib inline
import simgin
from simgin import plots
from simgin.review import review_plots

# %% [markdown]
# This notebook plays 1,000 matches per pair of strategies. By default, a review with a baseline
# plays 5,000 to 20,000 matches per pair.

# %%
review = simgin.review_rules(
    ["oklahoma", "standard+undercut_bonus=10"], against="standard", matches="1k"
)

# %% [markdown]
# ## Read the verdicts
#
# The verdicts describe what players would notice. *Much* marks a difference that players notice in
# an evening of five matches. *A little* marks a difference that players notice only in ten
# evenings.

# %%
print(review.summary())

# %%
review

# %% [markdown]
# The table contains all differences from the baseline for every type of player. Some intervals
# exclude zero by chance. `p_holm` corrects the p-values for the number of comparisons.

# %%
review.differences[["variant", "title", "players", "value", "low", "high", "p_holm", "size"]]

# %% [markdown]
# ## Compare types of players
#
# The effect of a rule depends on the type of player. For example, a rule might make matches longer
# for only one type of player.

# %%
plots.effects_by_player_type(review_plots.make_effects_frame(review), seed=1)

# %%
plots.endings_by_player_type(review_plots.make_endings_frame(review), seed=1)

# %% [markdown]
# ## See how the game changes
#
# The next plots show the length of a match, the turns in which the strong player knocks, and the
# value of a lead.

# %%
plots.match_length(review_plots.make_match_length_frame(review), seed=1)

# %%
plots.knocks_by_turn(review_plots.make_knocks_frame(review), seed=1)

# %%
plots.score_difference(review_plots.make_score_difference_frame(review), seed=1)

# %% [markdown]
# * The results apply only to *the strategies in the review*. With `adapt=True`, simgin trains a
#   strong player for every rule set.
# * In a longer match, the better player wins more often. Compare win rates only at equal match
#   length, as in the second scorecard of the report.
# * A run with more matches can detect smaller differences.
#
# Next, run `simgin review oklahoma standard+undercut_bonus=10 --against standard`.

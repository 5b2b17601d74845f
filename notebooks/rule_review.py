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
# You want to change a rule, or choose between two: what will it do to the game? In a review, four
# kinds of player play every rule set with the same shuffles, and the rule sets are compared. How it
# works, and what every row means: [reviews](../docs/how-to/reviews.md).
#
# Here, two changes are compared with the standard rules: Oklahoma, where the upcard sets the knock
# limit, and a smaller undercut bonus.

# %%
# %matplotlib inline
import simgin
from simgin import plots
from simgin.review import review_plots, review_report, verdicts

# %% [markdown]
# A thousand matches per pair of strategies are enough for this notebook. `simgin review` plays
# 20,000 and writes a page.

# %%
review = simgin.review_rules(
    ["oklahoma", "standard+undercut_bonus=10"], against="standard", matches="1k"
)

# %% [markdown]
# ## What changes
#
# In words, by what players would notice: *much* is what an evening of five matches would show, *a
# little* what ten evenings would.

# %%
print(*verdicts.review_verdicts(review), sep="\n")

# %%
review_report.scorecard_table(review).frame

# %% [markdown]
# Every difference, for every kind of player. With this many, some intervals miss zero by chance;
# `p_holm` allows for that.

# %%
review.differences[["variant", "title", "players", "value", "low", "high", "p_holm", "size"]]

# %% [markdown]
# ## For whom
#
# Who plays matters more than the rule: what makes one kind of player go for gin may leave another
# as it was.

# %%
plots.effects_by_player_type(review_plots.effects_frame(review), seed=1)

# %%
plots.endings_by_player_type(review_plots.endings_frame(review), seed=1)

# %% [markdown]
# ## How it plays
#
# How long a match takes, when the strong player knocks, and what a lead is worth.

# %%
plots.match_length(review_plots.match_length_frame(review), seed=1)

# %%
plots.knocks_by_turn(review_plots.knocks_frame(review), seed=1)

# %%
plots.score_difference(review_plots.score_difference_frame(review), seed=1)

# %% [markdown]
# * All of this is about *these strategies*. Players who know the rules better may play otherwise:
#   `adapt=True` learns one for every rule set.
# * A longer match lets the better player win more often, whatever the rules. Compare match wins
#   only at equal length; the page has a scorecard for that.
# * A change that does not show here may show with more matches.
#
# To go further: `simgin review oklahoma standard+undercut_bonus=10 --against standard --adapt`.

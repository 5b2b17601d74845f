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
# In this notebook, you compare two strategies, follow one deal card by card, write your own
# strategy, and compute solitaire odds. For an explanation of every number, see
# [Metrics](../docs/reference/metrics.md).

# %%
# %matplotlib inline
import simgin
from simgin import plots

# %% [markdown]
# ## Compare two strategies
#
# `simple` knocks as soon as it can. `gold-early` knocks in its first turns and then waits for gin.
# The strategies play 2,000 matches to 100 points under the standard rules. simgin plays every
# shuffle twice, with the seats swapped, to reduce the influence of luck. With the same seed, simgin
# always prints the same numbers.

# %%
match_result = simgin.match("gold-early", "simple", "standard", matches="2k", seed=7)
match_result

# %% [markdown]
# The notebook shows the main result, a table and a plot. Three metrics show which strategy is
# better: matches, deals and points. The three metrics can disagree, so look at all of them.
# `print(result)` prints the main result and the table as text:

# %%
print(match_result)

# %% [markdown]
# `match_result.plot()` returns the plot as a matplotlib figure. If an error bar crosses the line
# that marks an even result, there is no significant difference. Four times as many matches halve
# the length of the error bars.

# %%
match_result.plot()

# %% [markdown]
# `match_result.frame` is a DataFrame for your own calculations. Each row contains one metric of one
# strategy, with its standard error, its 95 % confidence interval, and n, the number of deals or
# matches. `match_result.save("results/tour")` writes the HTML report, tables and plots to a
# directory.

# %%
match_frame = match_result.frame
match_frame[
    (match_frame["strategy"] == "gold-early")
    & match_frame["metric"].isin(["match_win", "deal_win", "margin"])
]

# %% [markdown]
# The next plot shows how many deals ended with a knock, gin, an undercut or an exhausted stock.

# %%
plots.endings(match_frame, seed=7)

# %% [markdown]
# ## One deal, card by card
#
# You can replay any deal. The next cell shows the first deal of the first match: `unit` is the
# number of the pair of matches, and `deal` is the number of the deal in the match. `half=1` selects
# the mirrored game, with the seats swapped.

# %%
print(simgin.show("gold-early", "simple", "standard", seed=7, unit=0, deal=0))

# %% [markdown]
# ## Write your own strategy
#
# A strategy is a set of small functions, one for each type of decision. If a function is missing,
# simgin uses the function of `gold`. Change the number 5 or the knock rule, and run both cells
# again. For the data that a function can use, see [Write a
# strategy](../docs/how-to/writing-a-strategy.md).

# %%
from simgin.strategy import Strategy, knock

EARLY_TURNS = 5


@knock
def early(view, rules, params):
    """Knock immediately in the first turns; later, wait for gin."""
    return view.own_turn <= EARLY_TURNS or view.ending_count == 0


MY_STRATEGY = Strategy("mine", knock=early)

# %%
my_result = simgin.match(MY_STRATEGY, "gold", "standard", matches="2k", seed=7)
plots.win_and_points(my_result.frame, seed=7)

# %% [markdown]
# ## Solitaire odds
#
# In Solitaire Gin, you play against a joker in the deck. The plot compares a naive player and a
# strong player, and shows a range for the best possible player:

# %%
odds_frames = simgin.compute_odds("solitaire-gin", deals="10k").frames()
plots.skill(odds_frames["bracket"], seed=1)

# %% [markdown]
# The next plot shows, by number of draws, how often the player has gone gin and how often the joker
# has come first.

# %%
plots.gin_by_draw(odds_frames["odds"], seed=1)

# %% [markdown]
# The last table shows the difference between the weakest and the strongest strategy on the same
# shuffles. The last two columns contain the number of deals required to detect the difference, with
# separate shuffles (`own_packs`) and with the same shuffles (`same_packs`):

# %%
odds_frames["gap"][["metric", "value", "low", "high", "own_packs", "same_packs"]]

# %% [markdown]
# ## Where to go next
#
# * [comparing_discards.py](comparing_discards.py) tests ideas about discards.
# * [rule_review.py](rule_review.py) measures how a rule affects the game.
# * `simgin.strategies()` and `simgin.variants()` list the strategies and the variants. You can
#   combine names, as in `"gold+knock=at:k=5"` and `"standard+undercut_bonus=10"`.
# * `simgin match`, `simgin odds` and `simgin review` run on the command line, and write reports and
#   plots to a directory.

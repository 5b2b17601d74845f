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
# Two strategies meet. You will see which is better and how sure that is, look over their shoulders
# in one deal, write a strategy yourself, and finish with the odds of a one-player game. Every cell
# is one call of simgin or of one of its plots. What each number means:
# [metrics](../docs/reference/metrics.md).

# %%
# %matplotlib inline
import simgin
from simgin import plots
from simgin.results.sentences import describe_matchups

# %% [markdown]
# ## Two strategies meet
#
# `simple` knocks as soon as it can. `gold-early` knocks in its first turns and then waits for gin.
# They play `"2k"` matches to 100 points under standard rules. Every shuffle is played twice, the
# second time with the seats swapped, so that neither is lucky. The seed determines the shuffles:
# the same seed gives everybody the same numbers.

# %%
frame = simgin.match("gold-early", "simple", "standard", matches="2k", seed=7)
frame.head()

# %% [markdown]
# Each row is one metric of one of the two strategies, with its standard error, its 95 % limits and
# n, the number of deals or matches behind it. Three metrics say who wins: matches, deals and
# points. They can disagree, so look at all three.

# %%
frame[
    (frame["strategy"] == "gold-early") & frame["metric"].isin(["match_win", "deal_win", "margin"])
]

# %% [markdown]
# In a sentence:

# %%
print(*describe_matchups(frame))

# %% [markdown]
# And as a picture. A bar that crosses the line of an even result shows no difference. Four times as
# many matches halve its length.

# %%
plots.win_and_points(frame, seed=7)

# %% [markdown]
# How did the deals end? Somebody knocks, goes gin or undercuts the knocker, or the stock runs out.

# %%
plots.endings(frame, seed=7)

# %% [markdown]
# ## One deal, card by card
#
# Any deal can be replayed. This is the first deal of the first match of the run above: `unit`
# numbers the pairs of matches, and `deal` the deals in one match. `half=1` is the mirrored game:
# the same shuffle with the seats swapped.

# %%
print(simgin.show("gold-early", "simple", "standard", seed=7, unit=0, deal=0))

# %% [markdown]
# ## A strategy of your own
#
# A strategy is a set of small functions, one for each kind of decision; what you leave out is
# played by `gold`. Change the 5, or the rule, and run both cells again: constants and functions are
# taken as they are when the match begins. [Write a strategy](../docs/how-to/writing-a-strategy.md)
# says what a function may look at.

# %%
from simgin.strategy import Strategy, knock

TURNS = 5


@knock
def early(view, rules, params):
    """Knock at once in the first turns; later, wait for gin."""
    return view.own_turn <= TURNS or view.ending_count == 0


MINE = Strategy("mine", knock=early)

# %%
own = simgin.match(MINE, "gold", "standard", matches="2k", seed=7)
plots.win_and_points(own, seed=7)

# %% [markdown]
# ## Solitaire odds
#
# In Solitaire Gin you play against a joker in the deck. How often do you win, and how much of that
# is skill? A naive player, a strong one, and how far the best possible may go:

# %%
odds = simgin.compute_odds("solitaire-gin", deals="10k")
plots.skill(odds["bracket"], seed=1)

# %% [markdown]
# By number of draws: how often you have gin by then, and how often the joker has come first.

# %%
plots.gin_by_draw(odds["odds"], seed=1)

# %% [markdown]
# The gap between the weakest and the strongest strategy on the same shuffles, and how many deals
# each must play before it shows (`own_packs`: with shuffles of their own, as at a table):

# %%
odds["gap"][["metric", "value", "low", "high", "own_packs", "same_packs"]]

# %% [markdown]
# ## Where to go next
#
# * [comparing_discards.py](comparing_discards.py): test whether your idea about how to play is any
#   good.
# * [rule_review.py](rule_review.py): find out what a rule does to the game.
# * `simgin strategies` and `simgin variants` list the strategies and the variants. Names can be
#   combined: `"gold+knock=at:k=5"`, `"standard+undercut_bonus=10"`.
# * The command line does the same and writes pages and pictures to a directory: `simgin match`,
#   `simgin odds`, `simgin review`.

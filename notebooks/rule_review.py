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
# You want to change a rule, or choose between two: what will it do to the game? A review lets a field of players play every variant with
# the same packs, and tells the variants apart. What it plays, and what every metric means: [reviews](../docs/how-to/reviews.md).
#
# Here Oklahoma, where the upcard says with how much one may knock, and a smaller bonus for undercutting, against the standard rules.

# %%
# %matplotlib inline
import simgin
from simgin import plots
from simgin.review import frames, sentences

# %% [markdown]
# A thousand matches of every pair of players are enough to read along. `simgin review` plays 20,000, and writes a page.

# %%
review = simgin.review_of(
    ["oklahoma", "standard+undercut_bonus=10"], against="standard", matches="1k"
)

# %% [markdown]
# ## What changes
#
# The greatest change of every theme that is sure after Holm's adjustment, and what could not be told apart.

# %%
print(*sentences.sentences(review), sep="\n\n")

# %% [markdown]
# The same for every metric, and all at once as a picture: where a bar does not touch the line of zero, something has changed. With
# so many metrics some will by chance; the stars of a review's tables, and its sentences, allow for that.

# %%
review.differences[["variant", "title", "difference", "low", "high", "p_holm"]]

# %%
plots.differences(frames.differences(review), seed=1)

# %% [markdown]
# ## How it plays
#
# How deals end, how long they last, and what they are worth.

# %%
plots.endings(frames.endings(review), seed=1)

# %%
plots.turns(frames.turns(review), seed=1)

# %%
plots.points(frames.points(review), seed=1)

# %% [markdown]
# ## When to knock
#
# Players who differ in nothing but the deadwood they knock with: what each makes of all the others. If the curve falls from left to
# right, it pays to wait for gin; if it rises, to knock at once. A rule that makes the curve flat leaves the decision to taste, and one that
# lifts an end makes it for you.

# %%
plots.knock(frames.knock(review), seed=1)

# %%
review.metrics[review.metrics["metric"].isin(["best_k", "patience", "early"])][
    ["variant", "title", "value", "low", "high", "n"]
]

# %% [markdown]
# Each limit against each other, in the standard game: is there one that beats all, or does every one have an answer?

# %%
plots.knock_matrix(frames.knock_matrix(review, review.games[0]), seed=1)

# %% [markdown]
# ## What a score is worth
#
# The chance to win the match at every score, between equal players. In the middle the lead is what counts. From 75 on a single gin wins
# the match, since it brings 25 points and more: whoever gets there has done most of the way.

# %%
plots.scores(frames.scores(review, review.games[0]), seed=1)

# %% [markdown]
# ## Whether to believe it
#
# The estimate as it was played, with a band that holds at every look. If it still wanders when it ends, play more.

# %%
plots.convergence(frames.convergence(review), seed=1)

# %% [markdown]
# * All of it is about *these players*. A rule that clever people would play otherwise is judged by how these do.
# * A longer match lets the better player win more often, whatever the rules: compare shares of matches only at equal length.
# * What is not told apart here may be with more matches: `brief.sentences` says what would have shown.
#
# To go on: `simgin review oklahoma standard+undercut_bonus=10 --against standard -o results/mine`, or with `--deep` for drama, choices and
# the ladder of skill.

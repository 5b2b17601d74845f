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
# You want to change a rule, or choose between two: what will it do to the game? In a review, a
# field of strategies plays every variant with the same packs, and the variants are compared. How it
# works: [reviews](../docs/how-to/reviews.md). What every metric means: [rule
# metrics](../docs/reference/rule-metrics.md).
#
# Here, two changes are compared with the standard rules: Oklahoma, where the upcard sets the knock
# limit, and a smaller undercut bonus.

# %%
# %matplotlib inline
import simgin
from simgin import plots
from simgin.review import review_frames, review_sentences

# %% [markdown]
# A thousand matches per pair of strategies are enough for this notebook. `simgin review` plays
# 20,000 and writes a page.

# %%
review = simgin.review_of(
    ["oklahoma", "standard+undercut_bonus=10"], against="standard", matches="1k"
)

# %% [markdown]
# ## What changes
#
# For every topic: the largest change that is significant after Holm's adjustment, and what shows no
# significant change.

# %%
print(*review_sentences.review_sentences(review), sep="\n\n")

# %% [markdown]
# The same for every metric, and all at once as a picture. Where a bar does not touch the zero line,
# something has changed. With this many metrics, some bars will miss it by chance. The stars in a
# review's tables, and its sentences, allow for that.

# %%
review.differences[["variant", "title", "difference", "low", "high", "p_holm"]]

# %%
plots.differences(review_frames.differences(review), seed=1)

# %% [markdown]
# ## How it plays
#
# How deals end, how long they last, and what they are worth.

# %%
plots.endings(review_frames.endings(review), seed=1)

# %%
plots.turns(review_frames.turns(review), seed=1)

# %%
plots.points(review_frames.points(review), seed=1)

# %% [markdown]
# ## When to knock
#
# Strategies that differ only in the deadwood they knock with: what each scores against all the
# others. If the curve falls from left to right, it pays to wait for gin. If it rises, it pays to
# knock at once. A rule that flattens the curve leaves the decision to taste; one that lifts an end
# makes the decision for you.

# %%
plots.knock(review_frames.knock(review), seed=1)

# %%
review.metrics[review.metrics["metric"].isin(["best_k", "patience", "early"])][
    ["variant", "title", "value", "low", "high", "n"]
]

# %% [markdown]
# ## What a score is worth
#
# The probability of winning the match at every score, between equal players. In the middle, the
# lead is what counts. From 75 points on, a single gin wins the match, since it brings 25 points and
# more. A side that gets there has done most of the work.

# %%
plots.scores(review_frames.scores(review, "standard"), seed=1)

# %% [markdown]
# ## Whether to believe it
#
# * All of this is about *these strategies*. A rule that skilled people would play differently is
#   judged by how these play it.
# * A longer match lets the better player win more often, whatever the rules. Compare match wins
#   only at equal length.
# * A change that does not show here may show with more matches. The sentences above say how large a
#   change would have shown.
#
# To go further: `simgin review oklahoma standard+undercut_bonus=10 --against standard -o
# results/mine`. With `--deep`, it adds comebacks, choices and the ladder of skill.

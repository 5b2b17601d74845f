"""Sampling of the opponent's hand, weighted by the opponent's actions.

Hands are sampled as a whole, not card by card. A hand of ten cards is more likely if it has little
deadwood for the stage of the deal, if the cards that the opponent took fit it, and if the cards
that the opponent declined or discarded do not. The log-likelihood of a hand, up to a constant, is a
weighted sum of features. training/hands.py fits the weights by distinguishing real hands from the
same hands with some cards replaced. There are two sets of weights, for opponents who wait for gin
and for opponents who knock immediately.

Hands are sampled by exchanging cards (Metropolis et al., "Equation of State Calculations by Fast
Computing Machines", 1953): an exchange that raises the likelihood is always accepted, any other
with the ratio of the likelihoods as the probability. The computation uses neither logarithms nor
powers, so that results are identical on all machines.
"""

import numpy as np

from simgin.core.bits import lowest, nth, popcount
from simgin.core.deadwood import deadwood, meldable
from simgin.core.jit import jit
from simgin.core.rng import below
from simgin.core.view import FROM_PILE
from simgin.toolkit.answers import random_word
from simgin.toolkit.beliefs import N_STAGES, stage, upcard_declined
from simgin.toolkit.hand import points
from simgin.toolkit.opponent import touching
from simgin.toolkit.prospects import linked, outs

NUMBERS = (
    ("count", "deadwood, over ten"),
    ("count_squared", "its square, over 500"),
    ("count_0", "no deadwood: gin was not declared"),
    ("count_to_4", "deadwood of at most 4"),
    ("count_to_10", "deadwood of at most 10: no knock was made"),
    ("loose_0", "no card lies outside of all possible melds"),
    ("loose_1", "one card does"),
    ("loose_2", "two cards do, and so on"),
    ("loose_3", ""),
    ("loose_4", ""),
    ("loose_5", ""),
    ("loose_6", ""),
    ("loose_7", ""),
    ("loose_8", ""),
    ("loose_9", ""),
    ("loose_10", ""),
    ("loose_points", "points of the unmatched cards, over ten"),
    ("loose_high", "unmatched cards from 10 to K"),
    ("lone", "unmatched cards without a partner"),
    ("lone_points", "their points, over ten"),
    ("lone_high", "those of them from 10 to K"),
    ("both_ways", "unmatched cards with a partner in rank and one in suit"),
    ("taken_loose", "cards taken face up that are unmatched"),
    ("taken_lone", "those of them without a partner"),
    ("declined_out", "cards declined that would make a new meld"),
    ("declined_fit", "other cards declined that would lie in a meld"),
    ("declined_near", "unmatched cards that touch a card declined"),
    ("thrown_out", "cards thrown that would make a new meld"),
    ("thrown_fit", "other cards thrown that would lie in a meld"),
    ("thrown_near", "unmatched cards that touch a card thrown"),
    ("thrown_near_lone", "those of them without a partner"),
    ("live_outs", "unseen cards that would make a new meld, over five"),
)
SIZE = len(NUMBERS)
NAMES = tuple(name for name, _ in NUMBERS)
LOOSE_0, AFTER_LOOSE, TAKEN, DECLINED, THROWN = (
    NAMES.index(name)
    for name in ("loose_0", "loose_points", "taken_loose", "declined_out", "thrown_out")
)
WAITING = 0  # position of the weights of opponents who wait for gin
HASTY = N_STAGES * SIZE  # position of the weights of opponents who knock immediately
ALL = 2 * HASTY  # number of all weights
TEN_TO_KING = sum(0b1111 << (13 * suit + 9) for suit in range(4))
_SQUARINGS = 10


@jit
def _one(card):
    """Return the mask of a card; 0 for an unknown card (-1)."""
    return 1 << np.int64(card) if card >= 0 else np.int64(0)


@jit
def answered(view):
    """Return the cards that the opponent declined and those that the opponent discarded.

    Only the part of the history that the view remembers is used.
    """
    declined, thrown = np.int64(0), np.int64(0)
    if upcard_declined(view):
        declined = 1 << view.upcard
    for i in range(view.turns):
        if view.history[i, 0] != view.seat:
            if i > 0 and view.history[i, 1] != FROM_PILE:
                declined |= _one(view.history[i - 1, 3])
            thrown |= _one(view.history[i, 3])
    return declined, thrown


@jit
def describe_theirs(f, ten, declined, thrown, view, rules):
    """Write the features of a possible hand of the opponent to `features`.

    `ten` holds the ten cards; `features` is (N_FEATURES,) float64.
    """
    count = deadwood(ten, rules)
    loose = ten & ~meldable(ten, rules)
    f[0] = count * 0.1
    f[1] = count * count * 0.002
    f[2] = count == 0
    f[3] = count <= 4
    f[4] = count <= 10
    for i in range(LOOSE_0, AFTER_LOOSE):
        f[i] = 0.0
    f[LOOSE_0 + popcount(loose)] = 1.0
    by_rank, by_suit = linked(loose)
    lone = loose & ~(by_rank | by_suit)
    f[AFTER_LOOSE] = points(loose, rules) * 0.1
    f[AFTER_LOOSE + 1] = popcount(loose & TEN_TO_KING)
    f[AFTER_LOOSE + 2] = popcount(lone)
    f[AFTER_LOOSE + 3] = points(lone, rules) * 0.1
    f[AFTER_LOOSE + 4] = popcount(lone & TEN_TO_KING)
    f[AFTER_LOOSE + 5] = popcount(by_rank & by_suit)
    f[TAKEN] = popcount(loose & view.known)
    f[TAKEN + 1] = popcount(lone & view.known)
    new = outs(loose, rules)
    fits = outs(ten, rules) & ~new
    f[DECLINED] = popcount(new & declined)
    f[DECLINED + 1] = popcount(fits & declined)
    f[DECLINED + 2] = popcount(loose & touching(declined))
    near = touching(thrown)
    f[THROWN] = popcount(new & thrown)
    f[THROWN + 1] = popcount(fits & thrown)
    f[THROWN + 2] = popcount(loose & near)
    f[THROWN + 3] = popcount(lone & near)
    f[THROWN + 4] = popcount(new & view.unseen) * 0.2


@jit
def set_weights(weights, view, hasty, numbers, first):
    """Write the feature weights for this opponent and stage to `weights`.

    `weights` is (N_FEATURES,) float64.

    `knock_probability` is the probability that the opponent knocks immediately, and interpolates
    between the two sets of weights. These begin at position `offset` of the policy's `params`.
    """
    at = first + SIZE * stage(view.turns - view.own_turn + 1)
    for i in range(SIZE):
        weights[i] = hasty * numbers[at + HASTY + i] + (1 - hasty) * numbers[at + WAITING + i]


@jit
def fitness(ten, f, weights, declined, thrown, view, rules):
    """Return the log-likelihood of ten cards of the opponent, up to a constant."""
    describe_theirs(f, ten, declined, thrown, view, rules)
    total = 0.0
    for i in range(SIZE):
        total += f[i] * weights[i]
    return total


@jit
def _exponential(x):
    """Return the approximate exponential of x <= 0, by multiplications only."""
    y = max(0.0, 1 + x / (1 << _SQUARINGS))
    for _ in range(_SQUARINGS):
        y *= y
    return y


@jit
def some_of(cards, n, noise, stream):
    """Return n of some cards (mask), drawn at random."""
    left, found = cards, np.int64(0)
    size = popcount(cards)
    for _ in range(n):
        one = 1 << nth(left, below(size, random_word(noise, stream)))
        left ^= one
        found |= one
        size -= 1
    return found


@jit
def exchange(hidden, steps, f, weights, declined, thrown, view, rules, noise, stream):
    """Return the opponent's hidden cards after some Metropolis steps.

    Each step tries to exchange one, two or three of the hidden cards with other unseen cards.
    `stream` is as in `next_random_word`.
    """
    fit = fitness(hidden | view.known, f, weights, declined, thrown, view, rules)
    size = popcount(hidden)
    most = min(size, popcount(view.unseen) - size)
    for _ in range(steps):
        lot = random_word(noise, stream)
        n = min(most, 1 + (lot < 0x73333333) + (lot < 0x40000000))
        away = some_of(hidden, n, noise, stream)
        tried = hidden ^ away | some_of(view.unseen & ~hidden, n, noise, stream)
        new = fitness(tried | view.known, f, weights, declined, thrown, view, rules)
        if new >= fit or random_word(noise, stream) < _exponential(new - fit) * 4294967296.0:
            hidden, fit = tried, new
    return hidden


@jit
def shuffle_stock(hidden, view, noise, stream, stock):
    """Write the unseen cards that the opponent does not hold to `stock`, in random order."""
    rest = view.unseen & ~hidden
    n = 0
    while rest:
        stock[n] = lowest(rest)
        rest &= rest - 1
        n += 1
    for i in range(n - 1, 0, -1):
        k = below(i + 1, random_word(noise, stream))
        stock[i], stock[k] = stock[k], stock[i]

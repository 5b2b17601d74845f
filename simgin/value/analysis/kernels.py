"""Compiled drawing of worlds; `simgin.core.jit` finds every file of this name."""

import numpy as np

from simgin.core.bits import popcount
from simgin.core.jit import jit
from simgin.core.rng import below
from simgin.core.solo_position import JOKER_CARD
from simgin.toolkit.answers import random_word
from simgin.toolkit.worlds import (
    SIZE,
    answered,
    exchange,
    set_weights,
    shuffle_stock,
    some_of,
)


@jit
def write_worlds(view, rules, numbers, hasty, steps, seed, first, hands, stocks):
    """Fill hands, int64 (n,), and stocks, int8 (n, cards), with independent worlds of a view.

    numbers: the weights of hands (simgin.toolkit.worlds). hasty: the probability that the opponent
    knocks at once. steps: exchanges for each hand; with none all hands are as likely. World i has
    the random numbers of `seed` and first + i.
    """
    weights, f = np.zeros(SIZE), np.zeros(SIZE)
    set_weights(weights, view, hasty, numbers, 0)
    declined, thrown = answered(view)
    hidden_cards = 10 - popcount(view.known)
    stock = np.zeros(52, np.int64)
    for i in range(len(hands)):
        noise = (seed << 40) ^ (first + i)
        stream = np.zeros(33, np.int64)
        hidden = some_of(view.unseen, hidden_cards, noise, stream)
        hidden = exchange(
            hidden,
            steps,
            f,
            weights,
            declined,
            thrown,
            view,
            rules,
            noise,
            stream,
        )
        shuffle_stock(hidden, view, noise, stream, stock)
        hands[i] = hidden | view.known
        for k in range(stocks.shape[1]):
            stocks[i, k] = stock[k]


@jit
def write_decks(view, has_joker, left, seed, first, decks):
    """Fill decks, int8 (n, cards), with independent orders of what one player does not know.

    The joker is anywhere among the first `left` cards, which are the deck; the others lie
    elsewhere. Deck i has the random numbers of `seed` and first + i.
    """
    deck = np.zeros(53, np.int64)
    n = decks.shape[1]
    for i in range(len(decks)):
        noise = (seed << 40) ^ (first + i)
        stream = np.zeros(33, np.int64)
        shuffle_stock(0, view, noise, stream, deck)
        if has_joker:
            place = below(left, random_word(noise, stream))
            deck[n - 1] = deck[left - 1]
            deck[left - 1] = deck[place]
            deck[place] = JOKER_CARD
        for k in range(n):
            decks[i, k] = deck[k]

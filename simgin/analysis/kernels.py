"""Compiled drawing of worlds, and of tables; `simgin.core.jit` finds every file of this name."""

import numpy as np

from simgin.core.answers import PHASE_BLIND
from simgin.core.bits import popcount
from simgin.core.jit import jit
from simgin.core.rng import below
from simgin.core.solo_position import JOKER_CARD
from simgin.toolkit.answers import random_word
from simgin.toolkit.worlds import SIZE, answered, exchange, set_weights, shuffle_stock, some_of

ROUNDS = 40  # in which the two entries of a standing settle that void deals lead to


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
    blind = view.phase == PHASE_BLIND  # nobody holds a card yet
    hidden_cards = 0 if blind else 10 - popcount(view.known)
    stock = np.zeros(52, np.int64)
    for i in range(len(hands)):
        noise = (seed << 40) ^ (first + i)
        stream = np.zeros(33, np.int64)
        hidden = some_of(view.unseen, hidden_cards, noise, stream)
        hidden = exchange(hidden, steps, f, weights, declined, thrown, view, rules, noise, stream)
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


@jit
def _with_offers(played, paid, dealer, stake, owner, cap, pays_new):
    """What a deal is worth to A before its cards are seen: first the nondealer may offer.

    played: by the number on the die and the owner + 1, if the deal is played out so. paid: by who
    offered and by what a refusal pays.
    """
    worth = played[stake, owner + 1]
    for seat in (dealer, 1 - dealer):
        if owner == 1 - seat:
            continue
        sign = 1 - 2 * seat
        for n in range(stake + 1, cap + 1):
            refused = sign * paid[seat, n if pays_new else stake]
            answered = min(refused, sign * played[n, 2 - seat])
            worth = sign * max(sign * worth, answered)
    return worth


@jit
def fill_deals(table, share, after, cap, pays_new):
    """Fill the chance that A wins a match to won deals: float64 (of A, of B, dealer).

    The ends are there. share: float64 (dealer, winner, won deals at stake 1). after: who deals
    next, by dealer and winner. cap: of the die.
    """
    goal = len(table) - 1
    played = np.zeros((cap + 1, 3))
    paid = np.zeros((2, cap + 1))
    for a in range(goal - 1, -1, -1):
        for b in range(goal - 1, -1, -1):
            for turn in range(2 * ROUNDS):
                dealer = turn & 1
                following = after[dealer]
                for n in range(1, cap + 1):
                    own = min(goal, a + n)
                    other = min(goal, b + n)
                    paid[0, n] = table[own, b, following[0]]
                    paid[1, n] = table[a, other, following[1]]
                    played[n] = _mean_of_deals(table, share[dealer], following, a, b, n)
                table[a, b, dealer] = _with_offers(played, paid, dealer, 1, -1, cap, pays_new)


@jit
def _mean_of_deals(table, share, after, a, b, stake):
    """What a deal leads to on average if it is played out at some number on the die."""
    goal = len(table) - 1
    mean = share[2, 0] * table[a, b, after[2]]
    for deals in range(1, share.shape[1]):
        won = stake * deals
        own = min(goal, a + won)
        other = min(goal, b + won)
        mean += share[0, deals] * table[own, b, after[0]]
        mean += share[1, deals] * table[a, other, after[1]]
    return mean


@jit
def fill_game(table, share, games, after, cap, pays_new):
    """Fill what a game is worth to A in games: float64 (points of A, of B, dealer, die, owner + 1).

    share: float64 (dealer, winner, points). games: what a game counts, by the loser's points.
    after, cap: as above.
    """
    goal = len(table)
    paid = np.zeros((2, cap + 1))
    paid[0] = np.arange(cap + 1)
    paid[1] = -paid[0]
    moved = np.zeros((2, cap + 1, 3))
    for a in range(goal - 1, -1, -1):
        for b in range(goal - 1, -1, -1):
            for dealer in range(2):
                moved[dealer] = 0.0
                for winner in range(2):
                    _add_moves(
                        moved[dealer],
                        table,
                        share[dealer, winner],
                        games,
                        after[dealer, winner],
                        winner,
                        a,
                        b,
                    )
            for turn in range(2 * ROUNDS):
                dealer = turn & 1
                played = moved[dealer].copy()
                for winner in range(3):
                    stays = share[dealer, winner, 0]
                    played += stays * table[a, b, after[dealer, winner]]
                for n in range(1, cap + 1):
                    for owner in range(-1, 2):
                        table[a, b, dealer, n, owner + 1] = _with_offers(
                            played, paid, dealer, n, owner, cap, pays_new
                        )


@jit
def _add_moves(moved, table, share, games, dealer, winner, a, b):
    """Add what deals that bring the winner points lead to, by the number on the die and the owner.

    share: by points. dealer: of the next deal.
    """
    goal = len(table)
    numbers = np.arange(len(moved))
    for points in range(1, len(share)):
        chance = share[points]
        own = a + points * (winner == 0)
        other = b + points * (winner == 1)
        if own >= goal:
            moved += (chance * games[b] * numbers)[:, None]
        elif other >= goal:
            moved -= (chance * games[a] * numbers)[:, None]
        else:
            moved += chance * table[own, other, dealer]

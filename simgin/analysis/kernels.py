"""Compiled sampling of worlds, and tables of deal and game values for games with a die."""

import numpy as np

from simgin.core.answers import PHASE_BLIND
from simgin.core.bits import popcount
from simgin.core.jit import jit
from simgin.core.rng import below
from simgin.core.solo_position import JOKER_CARD
from simgin.toolkit.answers import random_word
from simgin.toolkit.worlds import SIZE, answered, exchange, set_weights, shuffle_stock, some_of

ROUNDS = 40  # iterations for the two entries of a score that drawn deals connect


@jit
def write_worlds(view, rules, numbers, hasty, steps, seed, first, hands, stocks):
    """Fill hands and stocks with independent worlds of a view.

    World i uses the random numbers of `seed` and first + i.

    Args:
        view: View of the player.
        rules: Rules of the variant.
        numbers: Weights of the features of hands (simgin.toolkit.worlds).
        hasty: Probability that the opponent knocks immediately.
        steps: Metropolis steps per hand; with 0 steps all hands are equally likely.
        seed: Seed of the worlds.
        first: Number of the first world.
        hands: int64 (n_worlds,), output: masks of the opponent's cards.
        stocks: int8 (n_worlds, n_cards), output: the stock, next card first.
    """
    weights, f = np.zeros(SIZE), np.zeros(SIZE)
    set_weights(weights, view, hasty, numbers, 0)
    declined, thrown = answered(view)
    blind = view.phase == PHASE_BLIND  # no cards have been dealt yet
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
    """Fill decks with independent orders of the unseen cards of a solitaire game.

    The joker is at random among the first `deck_size` cards. The remaining cards
    are not in the deck. Deck i uses the random numbers of `seed` and first + i.

    Args:
        view: View of the player.
        has_joker: True if the deck contains the joker.
        left: Number of cards in the deck.
        seed: Seed of the worlds.
        first: Number of the first world.
        decks: int8 (n_worlds, n_cards), output.
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
    """Return the value of a deal for A before the cards are seen, with optimal offers of the die.

    Args:
        played: Values if the deal is played, by the number on the die and the owner + 1.
        paid: Values of a refusal, by the seat that offered and by the stake paid.
        dealer: Seat of the dealer; the nondealer may offer first.
        stake: Number on the die.
        owner: Seat that owns the die, or -1.
        cap: Highest number of the die.
        pays_new: True if a refusal pays the number offered.
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
    """Fill the probabilities that A wins a match to a number of won deals.

    Args:
        table: float64 (goal + 1, goal + 1, 2), by won deals of A and B and dealer; the final
            scores are filled in already.
        share: float64 (2, 3, n), probabilities by dealer, winner and won deals at stake 1.
        after: int64 (2, 3), next dealer by dealer and winner.
        cap: Highest number of the die.
        pays_new: True if a refusal pays the number offered.
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
    """Return the expected value of a deal that is played at a stake."""
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
    """Fill the values of a game for A, in games.

    Args:
        table: float64 (goal, goal, 2, cap + 1, 3), by points of A and B, dealer, number on the
            die and owner + 1.
        share: float64 (2, 3, n), probabilities by dealer, winner and points.
        games: int64 (goal,), number of games that a game counts, by the loser's points.
        after: int64 (2, 3), next dealer by dealer and winner.
        cap: Highest number of the die.
        pays_new: True if a refusal pays the number offered.
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
    """Add the values after deals in which one player scores points.

    Args:
        moved: float64 (cap + 1, 3), output, by number on the die and owner + 1.
        table: Values of the game, see `fill_game_table`.
        share: float64 (n,), probabilities by points.
        games: int64 (goal,), number of games that a game counts, by the loser's points.
        dealer: Dealer of the next deal.
        winner: Seat that scores the points.
        a: Points of A before the deal.
        b: Points of B before the deal.
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

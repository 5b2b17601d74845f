"""GA-conv: throws the card with the fewest friends: every held card of its rank, one step and two steps away in its suit counts for it.

The hand is a 4 x 13 matrix and the sum is a convolution over it; deadwood is not looked at, and melds only as friends. The authors found
the weights by a genetic algorithm and did not publish them: the defaults won a small search against Simple here, which equal weights did
by leaving most ties to the dearest card. How to take and when to knock is not recorded: Gold's, except that a card once thrown is never
taken back. Two players who do not look at their deadwood would otherwise hand the same cards to and fro for ever.

Source: M. Nagai, K. Shrivastava, K. Ta, S. Bogaerts, C. Byers, A Highly-Parameterized Ensemble to Play Gin Rummy, EAAI-21, 2021.
"""

from simgin_strategies.knock import at

from simgin.strategy import Strategy, discard, helper, param, take
from simgin.toolkit import count_after, dearest, lane, lowest, of_rank, popcount, take_if


@helper
def _thrown_before(card, view):
    """Whether one has thrown a card oneself in this deal."""
    for i in range(view.turns):
        if view.history[i][0] == view.seat and view.history[i][3] == card:
            return True
    return False


@take
def lower_new(view, rules, params):
    """If it lowers the deadwood and one has not thrown it oneself: no game goes on for ever."""
    card = view.taken_offer
    return take_if(count_after(view.hand, card, rules) < view.count and not _thrown_before(card, view), view.legal)


@helper
def _beside(hand, card, step):
    """How many cards of a hand lie so many steps from a card in its suit: 0, 1 or 2."""
    suit = lane(hand, card // 13) << 2  # two places of margin, so that no step leaves the number
    at = card % 13 + 2
    return (suit >> (at - step) & 1) + (suit >> (at + step) & 1)


@discard(
    w1=param(1.0, -10.0, 10.0, "weight of a held card of the same rank"),
    w2=param(1.0, -10.0, 10.0, "weight of a held card of the suit one rank away"),
    w3=param(1.0, -10.0, 10.0, "weight of one two ranks away"),
)
def conv(view, rules, params):
    """The card with the least weighted number of neighbours in hand; ties: the dearest."""
    best, least = -1, 1e9
    legal = view.legal
    while legal:
        card = lowest(dearest(legal, rules)[0])
        legal &= ~(1 << card)
        friends = params[0] * (popcount(view.hand & of_rank(card % 13)) - 1)
        friends += params[1] * _beside(view.hand, card, 1) + params[2] * _beside(view.hand, card, 2)
        if friends < least:
            best, least = card, friends
    return best


GA_CONV = Strategy("ga-conv", take=lower_new, discard=conv, knock=at)

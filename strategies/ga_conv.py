"""GA-conv: throws the card with the fewest friends: every held card of its rank, one step and two steps away in its suit counts for it.

The hand is a 4 x 13 matrix and the sum is a convolution over it; melds and deadwood are not looked at. The authors found the three weights
by a genetic algorithm and did not publish them: the defaults were chosen here by a small search against Simple. How to take and when to
knock are not recorded: Gold's. Ties go to the dearest card.

Source: M. Nagai, K. Shrivastava, K. Ta, S. Bogaerts, C. Byers, A Highly-Parameterized Ensemble to Play Gin Rummy, EAAI-21, 2021.
"""

from simgin_strategies.knock import at
from simgin_strategies.take import lower

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import dearest, lane, lowest, of_rank, popcount


@helper
def _beside(hand, card, step):
    """How many cards of a hand lie so many steps from a card in its suit: 0, 1 or 2."""
    suit = lane(hand, card // 13) << 2  # two places of margin, so that no step leaves the number
    at = card % 13 + 2
    return (suit >> (at - step) & 1) + (suit >> (at + step) & 1)


@discard(
    w1=param(1.0, -10.0, 10.0, "weight of a held card of the same rank"),
    w2=param(1.0, -10.0, 10.0, "weight of a held card of the suit one rank away"),
    w3=param(0.5, -10.0, 10.0, "weight of one two ranks away"),
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


GA_CONV = Strategy("ga-conv", take=lower, discard=conv, knock=at)

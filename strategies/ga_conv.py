"""GA-conv: discards the card with the fewest friends in hand.

Friends are cards of its rank, or at most two steps away in its suit.

The hand is a 4 x 13 matrix and the friends are a convolution over it; deadwood is not looked at,
and melds only as friends. The authors found the weights by a genetic algorithm and did not publish
them: the defaults won a small search against Simple here, which equal weights did by leaving most
ties to the dearest card. How to take and when to knock is not recorded: Gold's, except that a card
once thrown is never taken back. Two players who do not look at their deadwood would otherwise hand
the same cards to and fro for ever.

Source: M. Nagai, K. Shrivastava, K. Ta, S. Bogaerts, C. Byers, A Highly-Parameterized Ensemble to
Play Gin Rummy, EAAI-21, 2021.
"""

from simgin_strategies.knock import at

from simgin.strategy import Strategy, discard, helper, param, take
from simgin.toolkit import cheapest, lane, lowers, of_rank, popcount, take_if, thrown


@take
def lower_new(view, rules, params):
    """Take what lowers the count, but no card that you threw yourself: no deal goes on for ever."""
    own = thrown(view, view.seat, view.turns)
    return take_if(not own >> view.taken_offer & 1 and lowers(view, rules), view.legal)


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
    """Throw the card with the fewest friends in hand, each with its weight.

    Of several the dearest.
    """
    return cheapest(view, rules, params, view.legal, _friends, 0)


@helper
def _friends(view, rules, params, card, known):
    friends = params[0] * (popcount(view.hand & of_rank(card % 13)) - 1)
    friends += params[1] * _beside(view.hand, card, 1) + params[2] * _beside(view.hand, card, 2)
    return friends


GA_CONV = Strategy("ga-conv", take=lower_new, discard=conv, knock=at)

"""Hitscore: plays like EAAI's Simple, but breaks ties between discards by the number of hits.

A hit is a card that would make a meld if it were drawn. Only unseen cards are counted here. The
authors' program counts every card that is not in the hand, including dead cards. The policy `hits`
uses the opposite order, hits before deadwood, and plays badly. The authors' final player adds a
network over both hands, which is not included here.

Source: Truong and Neller, "A Data-Driven Approach for Gin Rummy Hand Evaluation", EAAI-21;
SGP_hitScore2 in sangttruong/ginrummy, 2020.
"""

from simgin_strategies.knock import knock_with_limit
from simgin_strategies.take import take_for_any_meld

from simgin.strategy import Strategy, discard
from simgin.toolkit import count_outs, pick_random


@discard(name="low-hits", noise=True)
def discard_for_least_deadwood_and_most_hits(view, rules, params):
    """Minimise the deadwood, and break ties by the most hits, then at random."""
    cards = view.best
    best_cards, max_hits = 0, -1
    while cards:
        card = cards & -cards
        cards ^= card
        n = count_outs(view.hand & ~card, view.unseen, rules)
        if n >= max_hits:
            best_cards = (best_cards if n == max_hits else 0) | card
            max_hits = n
    return pick_random(best_cards, view.noise)


HITSCORE = Strategy(
    "hitscore",
    take=take_for_any_meld,
    discard=discard_for_least_deadwood_and_most_hits,
    knock=knock_with_limit,
    ending="same",
)

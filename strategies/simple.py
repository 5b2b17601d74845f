"""Simple: takes any card that makes a meld, keeps the least deadwood, and knocks immediately.

Simple is the baseline of the EAAI-21 challenge. Ties between discards are broken at random, and a
pair {drawn, discarded} is never repeated within a deal. Here, the engine chooses which melds to
show.

Source: SimpleGinRummyPlayer of Neller's framework for the EAAI-21 gin rummy challenge
(tneller/gin-rummy-eaai).
"""

from simgin_strategies.knock import knock_with_limit
from simgin_strategies.take import take_for_any_meld

from simgin.strategy import Strategy, discard, helper
from simgin.toolkit import best_discards, pick_random


@helper
def _find_repeating_discards(view):
    """Return the discards that would repeat the pair {drawn, discarded} of an earlier turn.

    Only a card from the pile can have been in the hand before, so a card from the stock cannot
    repeat a pair.
    """
    cards = 0
    for i in range(view.turns):
        turn = view.history[i]
        if turn[0] == view.seat:
            if turn[2] == view.taken:
                cards |= 1 << int(turn[3])
            elif turn[3] == view.taken:
                cards |= 1 << int(turn[2])
    return cards


@discard(name="simple", noise=True)
def discard_without_repetition(view, rules, params):
    """Minimise deadwood, break ties at random, and never repeat a pair {drawn, discarded}."""
    cards = view.best
    if view.taken >= 0:
        new_discards = view.legal & ~_find_repeating_discards(view)
        if new_discards and new_discards != view.legal:
            cards = best_discards(view.hand, new_discards, rules)[1]
    return pick_random(cards, view.noise)


SIMPLE = Strategy(
    "simple",
    take=take_for_any_meld,
    discard=discard_without_repetition,
    knock=knock_with_limit,
    ending="same",
)

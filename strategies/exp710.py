"""Exp710: takes what melds, parts with its highest unmatched cards, king first, and waits for gin.

Dealt exactly one meld, it keeps its jacks, queens and kings for two turns: it discards a lone card
from eight down to three (no other unmatched card of its rank, or within two ranks in its suit), or
else its highest unmatched card up to a ten. Both times the highest goes first. Its unmatched cards
are those of least deadwood, and the discard comes before the question whether to end the deal; so
where a melding that leaves two low cards is cheaper than gin with a high one, now and then it
breaks up gin.

The file breaks ties of rank by suit and uses the first best melding that its program finds; here
the lowest card number and any best melding. Its guard against repeating a pair of cards is never
armed, so it is left out.

Source: ExperimentalPlayer710 of S. Truong and T. Neller, sangttruong/ginrummy, 2020.
"""

from simgin_strategies.knock import at
from simgin_strategies.take import meld_any

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import best_discard, highest, left_over, lowest, near, of_ranks, popcount

UP_TO_TEN = 0b0001111111111
THREE_TO_EIGHT = 0b0000011111100


@discard(
    name="exp710",
    turns=param(2, 0, 500, "own turns in which a hand dealt with one meld keeps J, Q and K"),
)
def exp710(view, rules, params):
    """Discard the highest unmatched card; dealt one meld, at first a middle one."""
    cards = left_over(view.hand, 0, rules) & view.legal
    if cards == 0:
        return best_discard(view.hand, view.legal, rules)
    low = 0
    early = view.own_turn <= params[0] and _melds(view.hand, rules) < 2
    if early and _melds(_dealt(view), rules) == 1:
        low = _lone(cards) & of_ranks(THREE_TO_EIGHT)
        if low == 0:
            low = cards & of_ranks(UP_TO_TEN)
    return highest(low if low else cards)


@helper
def _melds(hand, rules):
    """How many melds a best melding of up to eleven cards has, at most two."""
    melded = popcount(hand & ~left_over(hand, 0, rules))
    return 2 if melded >= 6 else int(melded > 0)


@helper
def _dealt(view):
    """The ten cards dealt: the hand, with all own turns taken back."""
    hand = view.hand & ~(1 << max(view.taken, view.drawn))
    for i in range(view.turns - 1, -1, -1):
        turn = view.history[i]
        if turn[0] == view.seat:
            hand = (hand | 1 << int(turn[3])) & ~(1 << int(turn[2]))
    return hand


@helper
def _lone(cards):
    """Those of some cards that are near no other of them."""
    lone = 0
    rest = cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if near(card) & cards == 0:
            lone |= 1 << card
    return lone


EXP710 = Strategy("exp710", take=meld_any, discard=exp710, knock=at(k=0), ending="same")

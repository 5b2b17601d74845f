"""Exp710: takes cards for melds, discards its highest unmatched card, and waits for gin.

If it was dealt exactly one meld, it keeps its jacks, queens and kings for two turns. During these
turns, it discards its highest lone card from three to eight. If there is none, it discards its
highest unmatched card from ace to ten. A card is lone if no other unmatched card has the same rank,
or the same suit within two ranks. The best arrangement of melds determines which cards are
unmatched. The strategy chooses its discard before it decides whether to end the deal, so it
sometimes breaks up gin if the eleventh card is high.

The original breaks ties between cards of the same rank by suit. If several arrangements of melds
are equally good, the original uses the first one that it finds. Here, ties go to the lowest card
number, and any best arrangement is used. The original's check against repeating a pair of cards
never takes effect, so it is omitted.

Source: ExperimentalPlayer710 of Truong and Neller, sangttruong/ginrummy, 2020.
"""

from simgin_strategies.knock import knock_with_limit
from simgin_strategies.take import take_for_any_meld

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import (
    best_discard,
    cards_of_ranks,
    highest_card,
    leftover_cards,
    lowest_bit,
    neighbours,
    popcount,
)

RANKS_UP_TO_TEN = 0b0001111111111
RANKS_THREE_TO_EIGHT = 0b0000011111100


@discard(
    name="exp710",
    turns=param(2, 0, 500, "number of turns in which a hand dealt with one meld keeps J, Q and K"),
)
def discard_like_exp710(view, rules, params):
    """Discard the highest unmatched card, or a middle card early on if one meld was dealt."""
    cards = leftover_cards(view.hand, 0, rules) & view.legal
    if cards == 0:
        return best_discard(view.hand, view.legal, rules)
    low = 0
    is_early = view.own_turn <= params[0] and _count_melds(view.hand, rules) < 2
    if is_early and _count_melds(_reconstruct_dealt_hand(view), rules) == 1:
        low = _select_cards_without_neighbours(cards) & cards_of_ranks(RANKS_THREE_TO_EIGHT)
        if low == 0:
            low = cards & cards_of_ranks(RANKS_UP_TO_TEN)
    return highest_card(low if low else cards)


@helper
def _count_melds(hand, rules):
    """Return the number of melds in an optimal melding, counting at most two.

    The number is at most 2.
    """
    melded = popcount(hand & ~leftover_cards(hand, 0, rules))
    return 2 if melded >= 6 else int(melded > 0)


@helper
def _reconstruct_dealt_hand(view):
    """Reconstruct the hand that was dealt by undoing all turns of the player."""
    hand = view.hand & ~(1 << max(view.taken, view.drawn))
    for i in range(view.turns - 1, -1, -1):
        turn = view.history[i]
        if turn[0] == view.seat:
            hand = (hand | 1 << int(turn[3])) & ~(1 << int(turn[2]))
    return hand


@helper
def _select_cards_without_neighbours(cards):
    """Return the cards that are not near any other of the given cards."""
    lone_cards = 0
    untested_cards = cards
    while untested_cards:
        card = lowest_bit(untested_cards)
        untested_cards &= untested_cards - 1
        if neighbours(card) & cards == 0:
            lone_cards |= 1 << card
    return lone_cards


EXP710 = Strategy(
    "exp710",
    take=take_for_any_meld,
    discard=discard_like_exp710,
    knock=knock_with_limit(k=0),
    ending="same",
)

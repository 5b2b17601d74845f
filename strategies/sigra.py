"""SIGRA: keeps the hand nearest to new melds, holds what the opponent may want, waits for gin.

A hand is worth its deadwood, less what the next card may meld of it, less what it keeps from the
opponent ("myopic meld distance"; less is better). The card on offer and the discard are both judged
by it. Where the idea leaves a choice, the repository's code is followed: a card counts once for
each new meld that an unseen card would give it; sets are left out only for a card that the opponent
himself has discarded; and in what is kept from the opponent the card itself counts as one that he
would have to draw, so that `hold` weighs next to nothing (30 would give the idea its full weight).
Possible runs are those of the standard game, ace low, and rainbows are ignored.

Source: Goldman et al., cudy789/gin-rummy-SIGRA, 2021.
"""

import numpy as np
from simgin_strategies.knock import at

from simgin.core.deadwood import runs_in
from simgin.strategy import Strategy, discard, helper, param, take
from simgin.toolkit import (
    deadwood,
    dearest,
    lane,
    left_over,
    lowest,
    meldable,
    near,
    of_rank,
    popcount,
    take_if,
)

REACH = param(0.85, 0.0, 10.0, "weight of the points that the next card may meld")
TEN, ELEVEN, SCRATCH = range(3)  # rows of what is known of the cards
AHEAD, HELD = 0, 1
HOLD = param(1.0, 0.0, 100.0, "weight of the points that are kept from the opponent")


@take(reach=REACH, hold=HOLD)
def mmd(view, rules, params):
    """Take if the best hand with the card is worth more than the mean after drawing (SIGRA)."""
    known = _known(view, rules)
    stay = _worth(view, view.hand, 0, known[TEN], known, rules, params)
    eleven = view.hand | 1 << view.taken_offer
    taken = _best(view, eleven, view.hand, stay, known, rules, params)[1]
    n = popcount(view.unseen)
    drawn = stay * n  # at most: a card drawn can be discarded again
    unseen = view.unseen
    while unseen and taken * n < drawn:
        eleven = view.hand | unseen & -unseen
        unseen &= unseen - 1
        drawn += _best(view, eleven, view.hand, stay, known, rules, params)[1] - stay
    return take_if(taken * n < drawn, view.legal)


@discard(name="mmd", reach=REACH, hold=HOLD)
def throw(view, rules, params):
    """Keep low deadwood, many possible melds and cards that the opponent may want (SIGRA)."""
    return _best(view, view.hand, view.legal, 1e9, _known(view, rules), rules, params)[0]


@helper
def _known(view, rules):
    """What is worked out once for the cards in a view: the numbers of `_fill`, in row TEN.

    Row ELEVEN is for these cards and one more, row SCRATCH is room.
    """
    known = np.zeros((3, 2, 52))
    _fill(view, view.hand, view.hand, known[TEN], known[TEN], rules)
    return known


@helper
def _touched(cards):
    """The cards of the rank and of the suit of one card, a mask: no others form melds with it."""
    if cards == 0:
        return 0
    card = lowest(cards)
    return of_rank(card % 13) | 0x1FFF << (13 * (card // 13))


@helper
def _fill(view, hand, fresh, before, now, rules):
    """Write two numbers for each card of a hand to `now`, float64[2, 52].

    They are its points times its melds ahead and times the opponent's melds through it. For a card
    not in `fresh` they are as `before`.
    """
    for i in range(52):
        now[AHEAD, i] = before[AHEAD, i]
        now[HELD, i] = before[HELD, i]
    chance = 1.0 / max(1, popcount(view.unseen))
    rest = hand & fresh
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        now[AHEAD, card] = _melds_ahead(hand, card, view.unseen, rules)
        if view.known:
            now[HELD, card] = _held_back(view, hand, card, chance, rules)


@helper
def _sum(numbers, cards):
    """Sum of the numbers of some cards."""
    total = 0.0
    while cards:
        total += numbers[lowest(cards)]
        cards &= cards - 1
    return total


@helper
def _best(view, eleven, legal, least, known, rules, params):
    """(discard that leaves the best hand, worth of that hand); smaller is better.

    Ties: the highest card, then the lowest number. Only hands worth less than `least` matter. Ten
    cards have no more chances than the same cards have among the eleven, and a card in no meld
    takes its own chances with it. That bound settles most discards without evaluating the hand.
    """
    n = max(1, popcount(view.unseen))
    in_melds = meldable(eleven, rules)
    new = eleven & ~view.hand
    numbers = known[ELEVEN]
    _fill(view, eleven, _touched(new), known[TEN], numbers, rules)
    chances = numbers[AHEAD]
    all_chances = _sum(chances, eleven)
    loose_chances = _sum(chances, _loose(eleven, rules))
    whole = deadwood(eleven, rules)
    kept = params[1] * _sum(numbers[HELD], eleven) / n if view.known else 0.0
    best = -1
    while legal:
        card = lowest(dearest(legal, rules)[0])
        legal &= ~(1 << card)
        ten = eleven & ~(1 << card)
        if in_melds >> card & 1:
            bound = deadwood(ten, rules) - params[0] * (all_chances - chances[card]) / n - kept
        else:
            bound = (
                whole
                - rules.value[0, card % 13]
                - params[0] * (loose_chances - chances[card]) / n
                - kept
            )
        if bound < least:
            worth = _worth(view, ten, 1 << card, numbers, known, rules, params)
            if worth < least:
                best, least = card, worth
    return best, least


@helper
def _worth(view, hand, gone, before, known, rules, params):
    """Deadwood, less what the next card may meld, less what is kept from the opponent.

    gone: the card, a mask, that the hand lacks of those which `before` has the numbers of; or 0.
    """
    n = max(1, popcount(view.unseen))
    numbers = known[SCRATCH]
    _fill(view, hand, _touched(gone), before, numbers, rules)
    ahead = _sum(numbers[AHEAD], _loose(hand, rules))
    worth = deadwood(hand, rules) - params[0] * ahead / n
    if view.known:
        worth -= params[1] * _sum(numbers[HELD], hand) / n
    return worth


@helper
def _melds_ahead(hand, card, unseen, rules):
    """Points of a card of the hand times its number of melds with one of the unseen cards."""
    if near(card) & hand == 0:
        return 0
    return rules.value[0, card % 13] * (
        _new_sets(hand, card, unseen) + _new_runs(hand, card, unseen)
    )


@helper
def _loose(hand, rules):
    """The cards that one best melding leaves over; of several, one with more runs.

    It leaves over the cards that lie in no run first.
    """
    return left_over(hand, ~runs_in(hand, rules), rules)


@helper
def _new_sets(hand, card, unseen):
    """Number of sets of the card, one unseen card and cards of the hand."""
    rank = of_rank(card % 13)
    held = popcount(hand & rank)
    if held < 2:
        return 0
    return popcount(unseen & rank & ~hand) * (1 if held == 2 else 3)


@helper
def _new_runs(hand, card, unseen):
    """Number of runs of the card, one unseen card and cards of the hand."""
    r = card % 13
    held, free = lane(hand, card // 13), lane(unseen, card // 13)
    low, high = _last(held, r, -1), _last(held, r, 1)
    runs = 0
    if high < 12 and free >> (high + 1) & 1:
        runs += (r - low + 1) * (_last(held, high + 1, 1) - high) - (high == r)
    if low > 0 and free >> (low - 1) & 1:
        runs += (high - r + 1) * (low - _last(held, low - 1, -1)) - (low == r)
    return runs


@helper
def _last(cards, r, step):
    """Last rank of the unbroken sequence from r in steps of 1 or -1; r need not be held."""
    while 0 <= r + step <= 12 and cards >> (r + step) & 1:
        r += step
    return r


@helper
def _held_back(view, hand, card, chance, rules):
    """Points of a card of a hand times the expected number of the opponent's melds through it.

    Only melds with a card that he took count.
    """
    his, free = view.known, view.known | view.unseen & ~hand
    melds = _runs_for_him(lane(his, card // 13), lane(free, card // 13), card % 13, chance)
    if not view.shed >> card & 1:
        melds += _sets_for_him(his & of_rank(card % 13), free & of_rank(card % 13), chance)
    return melds * rules.value[0, card % 13]


@helper
def _sets_for_him(his, free, chance):
    """Expected number of the opponent's sets with one more card, at least one known to be his."""
    known, others = popcount(his), popcount(free & ~his)
    if known == 0:
        return 0.0
    three = known * (known - 1) / 2 + known * others * chance
    return three + chance**others if known + others == 3 else three


@helper
def _runs_for_him(his, free, r, chance):
    """The same for runs through rank r, from the cards of one suit."""
    total = 0.0
    if his == 0:
        return total
    low, down, down_known = r, 1.0, False
    while True:
        high, up, known = r, down, down_known
        while True:
            if high - low >= 2 and known:
                total += up
            high += 1
            if high > 12 or not free >> high & 1:
                break
            if his >> high & 1:
                known = True
            else:
                up *= chance
        low -= 1
        if low < 0 or not free >> low & 1:
            break
        if his >> low & 1:
            down_known = True
        else:
            down *= chance
    return total


SIGRA = Strategy("sigra", take=mmd, discard=throw, knock=at(k=0))

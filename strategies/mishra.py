"""Mishra-uniform: values melds and prospects, and discards what helps the opponent least.

A loose card is worth more the more its pairs, near-runs and open places promise, less the likelier
the opponent holds the missing cards in melds, and more the cheaper it is; within two cards of a
knock, cheapness counts even more. A hand is worth its number of melded cards plus the mean of its
loose cards, plus a bonus if it could knock or is gin. The authors estimated the opponent's hand
with a network; here every unseen card is equally likely. They found what a discard does for him by
sampling 100 of his hands; here that is `gain` times the probability that he can meld it (the melds
through it taken as independent), with `gain` fitted to such samples.

The knock rule holds back a high count if the opponent's deadwood is estimated to be low. The engine
chooses the melding shown.

Source: P. Mishra, A. Aggarwal, Opponent Hand Estimation in Gin Rummy Using Deep Neural Networks and
Heuristic Strategies, EAAI-21; mbhaskar1/Gin-Rummy-Research-Challenge, 2021.
"""

import numpy as np

from simgin.strategy import Strategy, discard, helper, knock, param, take
from simgin.toolkit import (
    PACK,
    chance_held,
    deadwood,
    dearest,
    left_over,
    lowest,
    nth,
    of_rank,
    points,
    popcount,
    take_if,
    value,
)

VALUES = {
    "promise": param(0.8, 0.0, 10.0, "worth of each meld that a loose card could still be in"),
    "partner": param(1.5, 0.0, 10.0, "extra for each card of that meld already held"),
    "hurry": param(2.5, 0.0, 10.0, "factor on cheapness within two cards of a knock"),
    "ace": param(0.2, 0.0, 10.0, "extra for an ace; half of it for a two"),
    "knock": param(10.0, 0.0, 100.0, "worth of a hand that can knock"),
    "gin": param(20.0, 0.0, 100.0, "worth of gin"),
}
PROMISE, PARTNER, HURRY, ACE, KNOCK, GIN = range(6)


@helper
def _pair(card, i):
    """The i-th of six pairs that make a three-card meld with a card.

    i = 0..2: runs with the card last, middle, first; 3..5: sets. Ace low, as in the authors'
    program.
    """
    r, s = card % 13, card // 13
    if i >= 3:
        return of_rank(r) & ~(1 << card | 1 << (13 * ((s + i - 2) % 4) + r))
    low = r + i - 2
    return (7 << (13 * s + low)) & ~(1 << card) if 0 <= low <= 10 else 0


@helper
def _chance_all(cards, view, q):
    """Probability that the opponent holds all of some cards, taken as independent; 0 for none."""
    if cards == 0 or cards & ~(view.unseen | view.known):
        return 0.0
    chance = 1.0
    unseen = cards & view.unseen
    while unseen:
        chance *= q
        unseen &= unseen - 1
    return chance


@helper
def _chance_melds(card, view, q):
    """Probability that the opponent could meld a card, the pairs he needs taken as independent."""
    none = 1.0
    for i in range(6):
        none *= 1 - _chance_all(_pair(card, i), view, q)
    return 1 - none


@helper
def _chances_in_melds(view, q):
    """For every card the probability that the opponent holds it in a meld.

    The sum over its three-card melds.
    """
    table = np.zeros(52)
    cards = view.unseen | view.known
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        for i in range(6):
            table[card] += _chance_all(_pair(card, i), view, q)
        if view.unseen >> card & 1:
            table[card] *= q
    return table


@helper
def _hope(missing, table):
    """Probability that the opponent does not hold the missing cards in melds."""
    held = 0.0
    while missing:
        held += table[lowest(missing)]
        missing &= missing - 1
    return max(0.0, 1 - held)


@helper
def _worth_of_card(card, loose, there, table, hurry, rules, params):
    """Worth of one loose card; there: cards that might still come."""
    worth = hurry * (5 - value(card, rules)) + (
        params[ACE] / (1 + card % 13) if card % 13 < 2 else 0.0
    )
    for i in range(3):
        two = _pair(card, i)
        before = card + i - 3
        if two == 0 or two & ~(loose | there) or (card % 13 + i >= 3 and loose >> before & 1):
            continue
        worth += _hope(two & there, table) * (
            params[PROMISE] + params[PARTNER] * popcount(two & loose)
        )
    rank = of_rank(card % 13)
    may_come, held = popcount(rank & there), popcount(rank & loose)
    if may_come + held >= 3:
        worth += (
            _hope(rank & there, table)
            * may_come
            * (params[PROMISE] + (params[PARTNER] if held > 1 else 0.0))
        )
    return worth


@helper
def _touched(card):
    """The cards whose worth a card changes: those of its rank and of its suit."""
    return of_rank(card % 13) | 0x1FFF << (13 * (card // 13))


@helper
def _each_worth(cards, changed, before, now, loose, there, table, hurry, rules, params):
    """Write the worth of some loose cards to `now`, float64[52].

    It is as `before` for a card with no card of `changed`, a mask, in its rank or suit.
    """
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if changed & _touched(card):
            now[card] = _worth_of_card(card, loose, there, table, hurry, rules, params)
        else:
            now[card] = before[card]


@helper
def _worth(hand, loose, worths, limit, rules, params):
    """Worth of a hand with these loose cards, each of which has its worth in an array."""
    melded = popcount(hand) - popcount(loose)
    if loose == 0:
        return melded + params[GIN]
    total, rest = 0.0, loose
    while rest:
        total += worths[lowest(rest)]
        rest &= rest - 1
    return (
        melded + total / popcount(loose) + (params[KNOCK] if points(loose, rules) <= limit else 0.0)
    )


@helper
def _haste(loose, limit, rules, params):
    """Factor on the cheapness of loose cards: `hurry` within two cards of a knock, else 1."""
    for _ in range(2):
        loose &= ~(1 << lowest(dearest(loose, rules)[0])) if loose else 0
    return params[HURRY] if points(loose, rules) <= limit else 1.0


@helper
def _worth_after(hand, legal, there, table, limit, rules, params, ten, now):
    """Worth of eleven cards after a discard.

    The highest loose card if that allows a knock, else the loose card worth least. ten: what is
    known of ten of the cards, as `_known_worths` gives it; now: scratch space, float64[52].
    """
    loose = left_over(hand, 0, rules)
    if loose & legal == 0:
        return popcount(hand) - 1 + params[GIN]
    thrown = lowest(dearest(loose & legal, rules)[0])
    hurry = _haste(loose, limit, rules, params)
    before, loose_before, there_before, hurry_before = ten
    changed = loose ^ loose_before | there ^ there_before if hurry == hurry_before else PACK
    if points(loose, rules) - value(thrown, rules) > limit:
        _each_worth(loose, changed, before, now, loose, there, table, hurry, rules, params)
        before, changed = now, 0
        thrown = _cheapest(loose & legal, now)
    card = 1 << thrown
    left = loose & ~card
    _each_worth(left, changed | card, before, now, left, there, table, hurry, rules, params)
    return _worth(hand & ~card, left, now, limit, rules, params)


@helper
def _cheapest(cards, worths):
    """The card of least worth; ties: the lowest number."""
    thrown, least = -1, 1e9
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if worths[card] < least:
            thrown, least = card, worths[card]
    return thrown


@helper
def _known_worths(hand, there, table, limit, rules, params):
    """(worths of a hand's loose cards, these cards, the cards that may come, the haste)."""
    worths = np.zeros(52)
    loose = left_over(hand, 0, rules)
    hurry = _haste(loose, limit, rules, params)
    _each_worth(loose, PACK, worths, worths, loose, there, table, hurry, rules, params)
    return worths, loose, there, hurry


@take(**VALUES, tax=param(0.0, -10.0, 10.0, "cost of showing the opponent what is collected"))
def mishra(view, rules, params):
    """Take what melds more cards, or leaves a hand worth at least the mean after drawing."""
    card = view.taken_offer
    eleven = view.hand | 1 << card
    if deadwood(eleven, rules) < view.count + value(card, rules):
        return take_if(True, view.legal)
    table = _chances_in_melds(view, chance_held(view))
    there = view.unseen | view.known
    ten, now = _known_worths(view.hand, there, table, view.limit, rules, params), np.empty(52)
    taken = _worth_after(eleven, view.hand, there, table, view.limit, rules, params, ten, now)
    taken -= params[6]
    if taken < _worth(view.hand, ten[1], ten[0], view.limit, rules, params):
        # A card drawn can always be discarded again, so drawing is worth more.
        return take_if(False, view.legal)
    total, rest = 0.0, view.unseen
    while rest:
        ten_and_one = view.hand | rest & -rest
        there_then = there & ~(rest & -rest)
        total += _worth_after(
            ten_and_one, ten_and_one, there_then, table, view.limit, rules, params, ten, now
        )
        rest &= rest - 1
    return take_if(taken * popcount(view.unseen) >= total, view.legal)


@helper
def _low_opponent(view, opp, rules):
    """Whether the opponent's mean deadwood, over thirty hands he may hold, is at most `opp`."""
    total, state = 0, 1 + view.noise % 2147483646
    for _ in range(30):
        hand, pool = view.known, view.unseen
        while popcount(hand) < 10 and pool:
            # Lehmer's generator, seeded by the question's own noise
            state = state * 48271 % 2147483647
            card = 1 << nth(pool, state * popcount(pool) // 2147483647)
            hand |= card
            pool ^= card
        total += deadwood(hand, rules)
    return total <= 30 * opp


@discard(
    name="mishra",
    noise=True,
    **VALUES,
    share=param(0.77, 0.0, 10.0, "weight of the opponent's gain by the discard"),
    gain=param(1.45, 0.0, 20.0, "his gain by a card that he can meld"),
    own=param(6, 0, 99, "highest deadwood to knock with while he is low"),
    opp=param(18, 0, 99, "estimated mean deadwood up to which he is low"),
)
def mishra_discard(view, rules, params):
    """Discard the card that allows a knock, else by worth kept and help to the opponent."""
    loose = left_over(view.hand, 0, rules)
    options = loose & view.legal
    if options == 0:
        return lowest(view.best)
    first = lowest(dearest(options, rules)[0])
    left = points(loose, rules) - value(first, rules)
    if left <= view.limit and (left <= params[8] or not _low_opponent(view, params[9], rules)):
        return first
    return _best(view, options, rules, params)


@helper
def _best(view, options, rules, params):
    """The discard with the most worth left, less the opponent's gain."""
    q = chance_held(view)
    table = _chances_in_melds(view, q)
    there = view.unseen | view.known
    worths, loose, _, hurry = _known_worths(view.hand, there, table, view.limit, rules, params)
    now = np.empty(52)
    best, most = -1, -1e9
    while options:
        card = lowest(options)
        options &= options - 1
        mask = 1 << card
        left = loose & ~mask
        _each_worth(left, mask, worths, now, left, there, table, hurry, rules, params)
        worth = _worth(view.hand & ~mask, left, now, view.limit, rules, params)
        worth -= params[6] * params[7] * _chance_melds(card, view, q)
        if worth > most:
            best, most = card, worth
    return best


@knock(
    noise=True,
    own=param(6, 0, 99, "highest deadwood to knock with while the opponent is low"),
    opp=param(18, 0, 99, "estimated mean deadwood up to which he is low"),
)
def belief(view, rules, params):
    """Knock at once, but not above `own` while the opponent is estimated at `opp` or less."""
    return (
        view.ending >= 2
        or view.ending_count <= params[0]
        or not _low_opponent(view, params[1], rules)
    )


MISHRA_UNIFORM = Strategy(
    "mishra-uniform", take=mishra, discard=mishra_discard, knock=belief, ending="same"
)

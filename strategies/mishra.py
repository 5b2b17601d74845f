"""Mishra-uniform: values melds and prospects, and discards what helps the opponent least.

An unmatched card is worth more the more its pairs, near-runs and open places promise, less the
likelier the opponent holds the missing cards in melds, and more the cheaper it is; within two cards
of a knock, cheapness counts even more. A hand is worth its number of melded cards plus the mean of
its unmatched cards, plus a bonus if it could knock or is gin. The authors estimated the opponent's
hand with a network; here every unseen card is equally likely. They found what a discard does for
him by sampling 100 of his hands; here that is `gain` times the probability that he can meld it (the
melds through it taken as independent), with `gain` fitted to such samples.

The knock rule holds back a high count if the opponent's deadwood is estimated to be low. The engine
chooses the melding shown.

Source: P. Mishra, A. Aggarwal, Opponent Hand Estimation in Gin Rummy Using Deep Neural Networks and
Heuristic Strategies, EAAI-21; mbhaskar1/Gin-Rummy-Research-Challenge, 2021.
"""

import numpy as np

from simgin.core.cards import LANE
from simgin.strategy import Strategy, discard, helper, knock, param, take
from simgin.toolkit import (
    PACK,
    believe_alike,
    deadwood,
    dearest,
    lane,
    left_over,
    lowest,
    nth,
    of_rank,
    of_ranks,
    points,
    popcount,
    ranks_of,
    take_if,
    value,
)

VALUES = {
    "promise": param(0.8, 0.0, 10.0, "worth of each meld that an unmatched card could still be in"),
    "partner": param(1.5, 0.0, 10.0, "extra for each card of that meld already held"),
    "hurry": param(2.5, 0.0, 10.0, "factor on cheapness within two cards of a knock"),
    "ace": param(0.2, 0.0, 10.0, "extra for an ace; half of it for a two"),
    "knock": param(10.0, 0.0, 100.0, "worth of a hand that can knock"),
    "gin": param(20.0, 0.0, 100.0, "worth of gin"),
}
PROMISE, PARTNER, HURRY, ACE, KNOCK, GIN = range(6)


@helper
def _chances_of_pairs(held):
    """Probabilities that the opponent holds what makes a three-card meld with a card.

    float64[6, 52]: the two cards below it, on either side, and above it in its suit (ace low, as in
    the authors' program); then two others of its rank, without those of the next suit, of the one
    after that, and of the third. held: the probability of each card, taken as independent.
    """
    chances = np.zeros((6, 52))
    for suit in range(4):
        first = 13 * suit
        for card in range(first + 2, first + 13):
            chances[0, card] = held[card - 2] * held[card - 1]
        for card in range(first + 1, first + 12):
            chances[1, card] = held[card - 1] * held[card + 1]
        for card in range(first, first + 11):
            chances[2, card] = held[card + 1] * held[card + 2]
        one, two, three = 13 * ((suit + 1) % 4), 13 * ((suit + 2) % 4), 13 * ((suit + 3) % 4)
        for r in range(13):
            chances[3, first + r] = held[two + r] * held[three + r]
            chances[4, first + r] = held[one + r] * held[three + r]
            chances[5, first + r] = held[one + r] * held[two + r]
    return chances


@helper
def _chance_melds(card, chances):
    """Probability that the opponent could meld a card, the pairs he needs taken as independent."""
    none = 1.0
    for i in range(6):
        none *= 1 - chances[i, card]
    return 1 - none


@helper
def _chances_in_melds(held, chances):
    """For every card the probability that the opponent holds it in a meld, float64[52].

    The sum over its three-card melds; 0 for cards that he cannot have.
    """
    table = np.zeros(52)
    for i in range(6):
        for card in range(52):
            table[card] += chances[i, card]
    for card in range(52):
        table[card] *= held[card]
    return table


@helper
def _worth_of_card(card, loose, there, table, hurry, rules, params):
    """Worth of one unmatched card; there: cards that might still come."""
    r = card % 13
    worth = hurry * (5 - value(card, rules)) + (params[ACE] / (1 + r) if r < 2 else 0.0)
    # The suit from three ranks below the card, as bit 0, to two above it, as bit 5
    held = lane(loose, card // 13) << 3 >> r
    free = held | lane(there, card // 13) << 3 >> r
    if free & 0b000110 == 0b000110 and not held & 0b000001:
        hope = _hope(table[card - 2] + table[card - 1])
        worth += hope * _promise(popcount(held & 0b000110), params)
    if free & 0b010100 == 0b010100 and not held & 0b000010:
        hope = _hope(table[card - 1] + table[card + 1])
        worth += hope * _promise(popcount(held & 0b010100), params)
    if free & 0b110000 == 0b110000 and not held & 0b000100:
        hope = _hope(table[card + 1] + table[card + 2])
        worth += hope * _promise(popcount(held & 0b110000), params)
    rank = of_rank(r)
    may_come, held = popcount(rank & there), popcount(rank & loose)
    if may_come + held >= 3:
        hope = _hope(table[r] + table[13 + r] + table[26 + r] + table[39 + r])
        worth += hope * may_come * _promise(held > 1, params)
    return worth


@helper
def _hope(in_melds):
    """Probability that the opponent holds none of some cards in melds.

    in_melds: the sum of the probabilities that he holds each of them so.
    """
    return max(0.0, 1 - in_melds)


@helper
def _promise(partners, params):
    """Worth of a meld that an unmatched card could still be in, with some partners held already."""
    return params[PROMISE] + params[PARTNER] * partners


@helper
def _touched(cards):
    """The cards whose worth some cards change: those of their ranks and of their suits."""
    touched = of_ranks(ranks_of(cards))
    for suit in range(4):
        if lane(cards, suit):
            touched |= LANE << 13 * suit
    return touched


@helper
def _each_worth(cards, changed, before, now, loose, there, table, hurry, rules, params):
    """Write the worth of some unmatched cards to `now`, float64[52].

    It is as `before` for a card with no card of `changed`, a mask, in its rank or suit.
    """
    changed = _touched(changed)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if changed >> card & 1:
            now[card] = _worth_of_card(card, loose, there, table, hurry, rules, params)
        else:
            now[card] = before[card]


@helper
def _worth(hand, loose, worths, limit, rules, params):
    """Worth of a hand with these unmatched cards, each of which has its worth in an array."""
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
    """Factor on the cheapness of unmatched cards: `hurry` within two cards of a knock, else 1."""
    for _ in range(2):
        loose &= ~(1 << lowest(dearest(loose, rules)[0])) if loose else 0
    return params[HURRY] if points(loose, rules) <= limit else 1.0


@helper
def _worth_after(hand, legal, there, table, limit, rules, params, ten, now):
    """Worth of eleven cards after a discard.

    The highest unmatched card if that allows a knock, else the unmatched card worth least. ten:
    what is known of ten of the cards, as `_known_worths` gives it; now: scratch space, float64[52].
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
    """(worths of a hand's unmatched cards, these cards, the cards that may come, the haste)."""
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
    held = np.empty(52)
    believe_alike(view, held)
    table = _chances_in_melds(held, _chances_of_pairs(held))
    there = view.unseen | view.known
    ten, now = _known_worths(view.hand, there, table, view.limit, rules, params), np.empty(52)
    taken = _worth_after(eleven, view.hand, there, table, view.limit, rules, params, ten, now)
    taken -= params[6]
    if taken < _worth(view.hand, ten[1], ten[0], view.limit, rules, params):
        # A card drawn can always be discarded again, so drawing is worth more.
        return take_if(False, view.legal)
    total, rest = 0.0, view.unseen
    while rest:
        drawn = rest & -rest
        rest ^= drawn
        eleven = view.hand | drawn
        with_him = table[lowest(drawn)]
        table[lowest(drawn)] = 0.0
        total += _worth_after(
            eleven, eleven, there & ~drawn, table, view.limit, rules, params, ten, now
        )
        table[lowest(drawn)] = with_him
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
    held = np.empty(52)
    believe_alike(view, held)
    chances = _chances_of_pairs(held)
    table = _chances_in_melds(held, chances)
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
        worth -= params[6] * params[7] * _chance_melds(card, chances)
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

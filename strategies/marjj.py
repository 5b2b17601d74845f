"""MARJJ: takes only what melds and lowers the count, throws what leaves the best next hands and helps the opponent least, waits for gin.

After the public file v5 of the player reported to have won the gin rummy challenge of EAAI-21. A discard is judged by the deadwood it
leaves, by the mean of the few best counts that one more card would give (a weight that fades from turn to turn), and by its use to the
opponent. `marjj-paper` has the numbers reported from the paper.

The file is followed where it departs from its own idea: two cards on the same side of a discard are no run that it completes, a queen
counts as if no king were to be had, and `one_gone` is added, not taken off, for a card of which all others of the rank are about. Two slips
are not: a card that the opponent took and threw again is no longer his, and a first upcard that he took is not a card one may draw. The
melding shown is the engine's.

Source: A. Ahmed et al., aqibahm/MARJJ, file MARJJ_v5-1.java, 2021; the numbers of the paper are second-hand.
"""

import numpy as np
from simgin_strategies.knock import early
from simgin_strategies.take import meld_best_lower

from simgin.strategy import Strategy, discard, helper, param
from simgin.toolkit import best_discards, deadwood, dearest, lowest, makes_meld, of_rank, pick, popcount, value

WINDOW, WEIGHT, DECAY, BEST, ONE_GONE = range(5)  # places of the parameters
NO_RUN, NEXT_GONE, FAR_GONE, RUN, NEXT, FAR = range(5, 11)
NO_SET, TWO_GONE, SET = range(11, 14)


@discard(
    noise=True,
    window=param(5, 0, 99, "a loose card this much cheaper than the dearest is still looked at"),
    weight=param(18.0, 0.0, 1000.0, "weight of the next hand on the first turn"),
    decay=param(0.9, 0.0, 1.0, "what is left of that weight a turn later"),
    best=param(7, 1, 52, "how many of the best next counts are averaged"),
    one_gone=param(4.0, -100.0, 100.0, "for a card of which no other of the rank is gone"),
    no_run=param(-10.0, -100.0, 100.0, "for a card that the opponent can put in no run"),
    next_gone=param(-5.0, -100.0, 100.0, "else, for each neighbour in the suit that is gone"),
    far_gone=param(-3.0, -100.0, 100.0, "else, for each card two ranks away in the suit that is gone"),
    run=param(20.0, -100.0, 100.0, "for a card that completes a run the opponent is known to hold"),
    next=param(5.0, -100.0, 100.0, "else, for each neighbour known to be his"),
    far=param(3.0, -100.0, 100.0, "else, for each card two ranks away known to be his"),
    no_set=param(-10.0, -100.0, 100.0, "for a card of which at least two others of the rank are gone"),
    two_gone=param(-4.0, -100.0, 100.0, "for a card of which one other of the rank is gone"),
    set=param(20.0, -100.0, 100.0, "for a card of which two others of the rank are known to be his"),
)
def marjj(view, rules, params):
    """Of the dear loose cards the one with least deadwood now, least in the best next hands, and least use to the opponent."""
    rest = _candidates(view, rules, params)
    if rest & (rest - 1) == 0:
        return lowest(rest)
    counts = np.empty(int(params[BEST]))
    melding = _melding(view.hand, view.unseen, rules)
    least, cards = 1e9, 0
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        ten = view.hand & ~(1 << card)
        count = deadwood(ten, rules)
        if count == 0:
            return card
        score = count + params[WEIGHT] * _next(ten, count, view.unseen, melding, counts, rules) * params[DECAY] ** (view.own_turn - 1)
        score += _use(card, view.known, ~(view.unseen | view.known), params)
        if score < least:
            least, cards = score, 0
        if score == least:
            cards |= 1 << card
    return pick(cards, view.noise)


@helper
def _candidates(view, rules, params):
    """The cards that some best melding leaves over, less those much cheaper than the dearest; if there are none, nearly best discards."""
    whole = deadwood(view.hand, rules)
    loose = _loose(view.hand, whole, view.legal, rules)
    if loose:
        return _within(loose, loose, dearest(loose, rules)[1] - params[WINDOW], rules)
    least = best_discards(view.hand, view.legal, rules)[0]
    return _leaving(view.hand, view.legal, least + params[WINDOW], rules)


@helper
def _loose(hand, whole, legal, rules):
    """The legal cards that some best melding of the hand leaves over."""
    cards = 0
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        if deadwood(hand & ~(1 << card), rules) == whole - value(card, rules):
            cards |= 1 << card
    return cards


@helper
def _within(cards, kept, least, rules):
    """Those of some cards that are worth at least so much."""
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if value(card, rules) < least:
            kept ^= 1 << card
    return kept


@helper
def _leaving(hand, legal, most, rules):
    """The legal cards that leave at most so much deadwood."""
    cards = 0
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        if deadwood(hand & ~(1 << card), rules) <= most:
            cards |= 1 << card
    return cards


@helper
def _melding(hand, unseen, rules):
    """The unseen cards that would lie in a meld with cards of the hand: no others make one with part of it."""
    cards = 0
    while unseen:
        card = lowest(unseen)
        unseen &= unseen - 1
        if makes_meld(hand, card, rules):
            cards |= 1 << card
    return cards


@helper
def _next(ten, count, unseen, melding, counts, rules):
    """The mean of the least counts that one of the unseen cards and a discard would leave.

    A card that melds with nothing is either thrown again or kept in place of the card that ten cards can best do without.
    """
    n = 0
    fewer = best_discards(ten, ten, rules)[0]
    for r in range(13):
        plain = popcount(unseen & ~melding & of_rank(r))
        if plain:
            after = min(count, fewer + rules.value[0, r])
            for _ in range(plain):
                n = _insert(counts, n, after)
    unseen &= melding
    while unseen:
        eleven = ten | unseen & -unseen
        unseen &= unseen - 1
        n = _insert(counts, n, best_discards(eleven, eleven, rules)[0])
    total = 0.0
    for i in range(n):
        total += counts[i]
    return total / max(1, n)


@helper
def _insert(counts, n, count):
    """Put a count among the least ones so far, in order; how many they are now."""
    if n < len(counts):
        n += 1
    elif count >= counts[n - 1]:
        return n
    i = n - 1
    while i > 0 and counts[i - 1] > count:
        counts[i] = counts[i - 1]
        i -= 1
    counts[i] = count
    return n


@helper
def _use(card, known, gone, params):
    """What a card is worth to the opponent, by the cards near it that are his and those that he cannot have."""
    s, r = 13 * (card // 13), card % 13
    score = _in_runs(_edges(_around(gone >> s & 0x1FFF, r), r), params[NO_RUN], params[NEXT_GONE], params[FAR_GONE])
    score += _in_runs(_around(known >> s & 0x1FFF, r), params[RUN], params[NEXT], params[FAR])
    rank = of_rank(r) & ~(1 << card)
    others = popcount(gone & rank)
    if others:
        score += params[TWO_GONE] if others == 1 else params[NO_SET]
    if popcount(known & rank) >= 2:
        score += params[SET]
    elif others == 0:
        score += params[ONE_GONE]
    return score


@helper
def _around(lane, r):
    """Which of the cards two below, next below, next above and two above a rank are in a lane, as bits 0, 1, 3 and 4."""
    return (lane << 2 >> r) & 0b11011


@helper
def _edges(around, r):
    """The same with the cards beyond the ace and the king, and above the queen the king too (as the file has it)."""
    below = (0b00011, 0b00001)[r] if r <= 1 else 0
    return around | below | (0b01000 if r >= 11 else 0)


@helper
def _in_runs(around, both, near, far):
    """`both` if a neighbour is among the cards, and on the other side one of two; else the sum of what each is worth."""
    if (around & 0b01000 and around & 0b00011) or (around & 0b00010 and around & 0b11000):
        return both
    return near * popcount(around & 0b01010) + far * popcount(around & 0b10001)


ABOUT = "MARJJ with the numbers reported from the paper: weight 20, decay 0.9, the best six."
MARJJ = Strategy("marjj", take=meld_best_lower, discard=marjj, knock=early(k=3), ending="same")
PAPER = Strategy("marjj-paper", take=meld_best_lower, discard=marjj(weight=20, best=6), knock=early(k=3), ending="same", about=ABOUT)

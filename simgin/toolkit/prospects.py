"""What a hand may become: cards that would meld, deadwood after a draw, pairs that need a third.

Two cards are *partners* if one more could make a three-card meld of them: same rank, or same suit
and at most two ranks apart. Such a card is a *completer* of theirs, and it is *live* while it is
unseen. Both ignore rainbows; `outs` does not.
"""

from simgin.core.bits import lowest, popcount
from simgin.core.cards import LANE, lane, of_rank, ranks_held_twice
from simgin.core.deadwood import best_discards, deadwood, meldable, runs_in
from simgin.core.jit import inlined, jit
from simgin.core.planes import cards_in_sets, one_left, ranks_of, run_outs
from simgin.core.rules import CORNER, HIGH_OR_LOW
from simgin.toolkit.hand import of_ranks


@jit
def outs(hand, rules):
    """The cards outside a hand that would lie in a meld with cards of it."""
    if rules.by_planes[0]:
        return outs_by_planes(hand)
    cards = of_ranks(ranks_held_twice(hand))
    s, h, d, c = lane(hand, 0), lane(hand, 1), lane(hand, 2), lane(hand, 3)
    cards |= (
        _run_outs(s, rules)
        | _run_outs(h, rules) << 13
        | _run_outs(d, rules) << 26
        | _run_outs(c, rules) << 39
    )
    for i in range(rules.n_rainbows):
        missing = rules.rainbows[i] & ~hand
        if missing & (missing - 1) == 0:
            cards |= missing
    return cards & ~hand


@inlined
def outs_by_planes(hand):
    """`outs` under rules with low aces and no rainbows."""
    return (of_ranks(ranks_held_twice(hand)) | run_outs(hand)) & ~hand


@jit
def _run_outs(one, rules):
    """The ranks that would make a run with two cards of a lane."""
    around = one << 13
    if rules.ace_runs == HIGH_OR_LOW:
        around |= (one & 1) << 26
    elif rules.ace_runs == CORNER:
        around |= one | one << 26
    ranks = around << 2 & around << 1 | around << 1 & around >> 1 | around >> 1 & around >> 2
    return ranks >> 13 & 0x1FFF | (ranks >> 26 & 1 if rules.ace_runs == HIGH_OR_LOW else 0)


@jit
def hits(hand, cards, rules):
    """Number of `cards` outside the hand (mask) that would each lie in a meld if added to it."""
    return popcount(outs(hand, rules) & cards)


@jit
def next_counts(ten, cards, rules, counts):
    """Write the least deadwood after drawing each of some cards to `counts`; returns their number.

    ten: ten cards, or eleven, of which a discard then leaves eleven.
    A card that melds with nothing is discarded again, or replaces the card that the ten can best do
    without.
    """
    whole, nine = deadwood(ten, rules), best_discards(ten, ten, rules)[0]
    fit = outs(ten, rules)
    n = 0
    while cards:
        one = cards & -cards
        cards ^= one
        if one & fit:
            counts[n] = best_discards(ten | one, ten | one, rules)[0]
        else:
            counts[n] = min(whole, nine + rules.value[0, lowest(one) % 13])
        n += 1
    return n


@jit
def next_tally(ten, cards, rules, tally):
    """Count in `tally` how many of some cards leave each deadwood when drawn; returns their number.

    As `next_counts`, but faster, for `mean_of_least`. tally: int64, added to, whose last place
    counts everything from there on.
    """
    whole, nine = deadwood(ten, rules), best_discards(ten, ten, rules)[0]
    last = len(tally) - 1
    fit = outs(ten, rules) & cards
    others = cards & ~fit
    for r in range(13):
        count = min(whole, nine + rules.value[0, r], last)
        tally[count] += popcount(others & of_rank(r))
    while fit:
        eleven = ten | fit & -fit
        fit &= fit - 1
        tally[min(best_discards(eleven, eleven, rules)[0], last)] += 1
    return popcount(cards)


@jit
def gin_draws(ten, cards, rules):
    """How many of some cards outside a hand of ten make gin when drawn.

    0 for a hand with more than three cards in no possible meld: one draw cannot mend that.
    """
    loose = ten & ~meldable(ten, rules)
    if popcount(loose) > 3:
        return 0
    if loose == 0 and deadwood(ten, rules) == 0:
        return popcount(cards)
    new = outs(loose, rules) & cards
    return gin_outs(ten, loose, new, outs(ten, rules) & cards & ~new, rules)


@jit
def gin_outs(ten, loose, new, fits, rules):
    """How many of the cards that fit a hand of ten make gin when drawn.

    loose: its cards in no possible meld, at most three, with deadwood. new: cards that make a meld
    with two of these. fits: others that lie in a meld with cards of the hand.
    """
    found, fit = 0, new | fits
    if loose & (loose - 1) and rules.n_rainbows == 0:
        fit &= _akin(loose)  # the card has to meld with at least one of them
        if runs_in(ten, rules) & cards_in_sets(ten) == 0:
            found = popcount(new)  # and no other melds are touched
            fit &= ~new
    while fit:
        found += _goes_gin(ten | fit & -fit, rules)
        fit &= fit - 1
    return found


@inlined
def _goes_gin(eleven, rules):
    """Whether one of eleven cards can be discarded with no deadwood left.

    Where all eleven lie in melds, one of these is longer than it need be.
    """
    if rules.by_planes[0]:
        return one_left(eleven)
    left = eleven & ~meldable(eleven, rules)
    return left & (left - 1) == 0 and best_discards(eleven, eleven, rules)[0] == 0


@jit
def _akin(cards):
    """All cards of the ranks and suits of some cards."""
    found = of_ranks(ranks_of(cards))
    for suit in range(4):
        if lane(cards, suit):
            found |= LANE << 13 * suit
    return found


@jit
def linked(cards):
    """(the cards with a partner in rank, the cards with a partner in suit) among some cards.

    Partners as above, aces low.
    """
    by_rank = of_ranks(ranks_held_twice(cards))
    one = cards & ~of_rank(12)  # with a neighbour above
    two = one & ~of_rank(11)
    above = one << 1 | two << 2
    next_below = cards >> 1 & ~of_rank(12)
    below = next_below | next_below >> 1 & ~of_rank(12)
    return cards & by_rank, cards & (above | below)


@jit
def run_pairs(window):
    """How many runs of three the middle card of five ranks makes with two of some others (bits)."""
    neighbours = window & window >> 1 & 0b01001
    around = window & window >> 2 & 0b00010
    return popcount(neighbours | around)


@jit
def sum_of_least(numbers, n, few):
    """Sum of the `few` least of the first n numbers of an array.

    They are moved to its front, in order.
    """
    kept = 0
    for i in range(n):
        number = numbers[i]
        if kept < few:
            kept += 1
        elif number >= numbers[kept - 1]:
            continue
        k = kept - 1
        while k > 0 and numbers[k - 1] > number:
            numbers[k] = numbers[k - 1]
            k -= 1
        numbers[k] = number
    total = 0
    for i in range(kept):
        total += numbers[i]
    return total


@jit
def mean_of_least(numbers, wanted):
    """Mean of the `wanted` least of some counts, numbers[k] of which are k.

    The last of them may count in part.
    """
    used, total, count = 0, 0, 0
    while count < len(numbers) and used + numbers[count] < wanted:
        used += numbers[count]
        total += numbers[count] * count
        count += 1
    if count == len(numbers):
        return total / wanted
    return (total + (wanted - used) * count) / wanted


@jit
def three_card_melds(card):
    """Number of three-card melds through a card's rank, ace low.

    4 for A and K, 5 for 2 and Q, 6 for the others.
    """
    edge = min(card % 13, 12 - card % 13)
    return 4 + min(edge, 2)


@jit
def three_card_runs(rules):
    """How many of `rules.runs` have three cards.

    They come first: A23 to JQK, then QKA, then KA2.
    """
    return 11 + rules.ace_runs


@jit
def melds_through(card, cards, rules):
    """How many three-card sets and runs a card could make with two of some others (mask).

    Dreyfus calls them dangerous melds.
    """
    same = popcount(of_rank(card % 13) & cards & ~(1 << card))
    own, through, melds = lane(cards, card // 13), 1 << (card % 13), same * (same - 1) // 2
    for i in range(three_card_runs(rules)):
        if rules.runs[i] & through and rules.runs[i] & ~(own | through) == 0:
            melds += 1
    return melds


@jit
def partners(card, rules):
    """The cards that can be partners of a card.

    Its rank, and its suit within two ranks as far as runs go there.
    """
    through, ranks = 1 << (card % 13), 0
    for i in range(three_card_runs(rules)):
        if rules.runs[i] & through:
            ranks |= rules.runs[i]
    return (of_rank(card % 13) | ranks << (13 * (card // 13))) & ~(1 << card)


@jit
def completers(one, other, rules):
    """The cards each of which makes a three-card meld with two others.

    None if the two are not partners.
    """
    if one % 13 == other % 13:
        return of_rank(one % 13) & ~(1 << one) & ~(1 << other)
    if one // 13 != other // 13:
        return 0
    two, ranks = 1 << (one % 13) | 1 << (other % 13), 0
    for i in range(three_card_runs(rules)):
        if two & ~rules.runs[i] == 0:
            ranks |= rules.runs[i] & ~two
    return ranks << (13 * (one // 13))


@jit
def live_completers(card, cards, unseen, rules):
    """Number of live completers of a card with the best of its partners among some cards (mask).

    -1 without a partner.
    """
    best = -1
    others = cards & partners(card, rules)
    while others:
        other = lowest(others)
        others &= others - 1
        best = max(best, popcount(completers(card, other, rules) & unseen))
    return best


@jit
def paired(cards, rules):
    """Those of some cards that have a partner among them."""
    found, rest = 0, cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if cards & partners(card, rules):
            found |= 1 << card
    return found


@jit
def worth_holding(cards, unseen, live, rules):
    """Those of some cards with a partner among them and at least `live` live completers."""
    found = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        others = cards & partners(card, rules)
        while others:
            other = lowest(others)
            others &= others - 1
            if popcount(completers(card, other, rules) & unseen) >= live:
                found |= 1 << card | 1 << other
    return found

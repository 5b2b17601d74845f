"""How a player with eleven cards may end the deal (rules.md 3.3, 3.4, 3.6)."""

from simgin.core.answers import BIG_GIN, KNOCK, NO_ENDING, SHOT
from simgin.core.bits import lowest
from simgin.core.cards import of_rank
from simgin.core.deadwood import deadwood, deadwood_with, dearest
from simgin.core.jit import inlined, jit

NO_COUNT = 1 << 20  # larger than any deadwood


@jit
def knock_limit(upcard, rules):
    """The knock limit of a deal (rules.md 3.4).

    upcard: -1 if there is none, which needs rules that do not set the limit by it.
    """
    if not rules.knock_by_upcard:
        return rules.knock_limit
    r = upcard % 13
    return rules.upcard_ace_limit if r == 0 else min(r + 1, 10)


@jit
def multiplier(upcard, rules):
    """The factor on all points of a deal: `spade_multiplier` if the first upcard is a spade."""
    return rules.spade_multiplier if 0 <= upcard < 13 else 1


@jit
def demanded_by(points):
    """Multiset of the ranks that a shot must leave over at a score; 0 if no shot is possible.

    Coded as by `meldings.rank_multiset`.
    """
    code = 0
    tens, ones = points // 10 % 10, points % 10
    if tens:
        code += 1 << (3 * (tens - 1))
    if ones:
        code += 1 << (3 * (ones - 1))
    return code


@jit
def shot_count(points, rules):
    """Points of the cards that a score demands: what every shot of the deal leaves over."""
    tens, ones = points // 10 % 10, points % 10
    return (rules.value[0, tens - 1] if tens else 0) + (rules.value[0, ones - 1] if ones else 0)


@jit
def is_shot(ten, must, points, rules):
    """Whether some melding of ten cards leaves exactly the cards that the score demands.

    Card `must` (-1: none) has to lie in a meld.
    """
    tens, ones = points // 10 % 10, points % 10
    if tens == 0:
        tens, ones = ones, 0
    if tens == 0:
        return False
    first = ten & of_rank(tens - 1)
    while first:
        a = first & -first
        first ^= a
        second = ten & of_rank(ones - 1) & ~a if ones else a
        while second:
            b = second & -second
            second ^= b
            left = a | b
            if not (must >= 0 and left >> must & 1) and deadwood(ten & ~left, rules) == 0:
                return True
    return False


@jit
def count_declared(ten, must, rules):
    """Least deadwood of ten cards with card `must` (-1: none) in a meld; NO_COUNT if impossible."""
    return deadwood(ten, rules) if must < 0 else deadwood_with(ten, must, rules)


@jit
def legal_discards(eleven, taken, drawn, rules):
    """The cards that may be discarded under `discard_ban` (rules.md 4.3).

    taken: card just taken from the pile; drawn: card just drawn from the stock; -1 for none.
    """
    banned = 0
    if taken >= 0 and rules.discard_ban != 2:
        banned = 1 << taken
    if drawn >= 0 and rules.discard_ban == 1:
        banned |= 1 << drawn
    return eleven & ~banned


@jit
def must_be_melded(taken, rules):
    """The card that `take_to_knock` requires to be melded, or -1."""
    return taken if rules.take_to_knock == 1 else -1


@inlined
def ending_with(ten, left, must, limit, points, rules):
    """(ending, count) for the ten cards kept, whose deadwood is `left`.

    A shot if they make one, else a knock within the limit, else NO_ENDING.
    """
    if rules.shot or must >= 0:
        return _any_ending_with(ten, left, must, limit, points, rules)
    return (KNOCK, left) if left <= limit else (NO_ENDING, left)


@jit
def _any_ending_with(ten, left, must, limit, points, rules):
    """`ending_with` where there is more than the knock with any cards."""
    if must >= 0 and not ten >> must & 1:
        return NO_ENDING, NO_COUNT  # the card that must be melded is discarded
    if rules.shot and is_shot(ten, must, points, rules):
        return SHOT, shot_count(points, rules)
    count = left if must < 0 else deadwood_with(ten, must, rules)
    return (KNOCK, count) if count <= limit else (NO_ENDING, count)


@jit
def discards_that_end(eleven, legal, must, limit, points, rules):
    """Mask of the discards behind which the deal can be ended with a knock or a shot."""
    cards = 0
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        ten = eleven & ~(1 << card)
        ending, _ = ending_with(ten, deadwood(ten, rules), must, limit, points, rules)
        if ending != NO_ENDING:
            cards |= 1 << card
    return cards


@jit
def _cheapest_with(eleven, legal, must, rules):
    """(least count to declare with card `must` melded, mask of the discards that reach it)."""
    best, cards = NO_COUNT, 0
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        count = deadwood_with(eleven & ~(1 << card), must, rules)
        if count <= best:
            cards = (cards if count == best else 0) | 1 << card
            best = count
    return best, cards


@jit
def _shots(eleven, legal, must, points, rules):
    """Mask of the discards that make a shot."""
    cards = 0
    while legal:
        card = lowest(legal)
        legal &= legal - 1
        if is_shot(eleven & ~(1 << card), must, points, rules):
            cards |= 1 << card
    return cards


@inlined
def best_ending(eleven, legal, must, limit, points, least, best, rules):
    """(ending, card, count) of the ending proposed first.

    Big gin, else a shot, else the least deadwood within the limit. Ties go to the discard of the
    highest value, then to the lowest card number. Big gin has no discard: card -1. least, best: as
    of `best_discards`.
    """
    if rules.shot or rules.big_gin or must >= 0:
        return _best_of_all_endings(eleven, legal, must, limit, points, least, best, rules)
    if least > limit:
        return NO_ENDING, -1, NO_COUNT
    return KNOCK, lowest(dearest(best, rules)[0]), least


@jit
def _best_of_all_endings(eleven, legal, must, limit, points, least, best, rules):
    """`best_ending` where there is more than the knock with any cards."""
    if rules.big_gin and deadwood(eleven, rules) == 0:
        return BIG_GIN, -1, 0
    if must >= 0:
        legal &= ~(1 << must)
        least, best = _cheapest_with(eleven, legal, must, rules)
    if rules.shot:
        shots = _shots(eleven, legal, must, points, rules)
        if shots:
            return SHOT, lowest(dearest(shots, rules)[0]), shot_count(points, rules)
    if least > limit:
        return NO_ENDING, -1, NO_COUNT
    return KNOCK, lowest(dearest(best, rules)[0]), least

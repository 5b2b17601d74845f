"""Endings available to a player with eleven cards (rules.md 3.3, 3.4 and 3.6)."""

from simgin.core.bitboard import HUGE_DEADWOOD
from simgin.core.bits import lowest_bit
from simgin.core.cards import cards_of_rank
from simgin.core.codes import ENDING_BIG_GIN, ENDING_KNOCK, ENDING_NONE, ENDING_SHOT
from simgin.core.deadwood import deadwood, deadwood_with_melded, highest_value_cards
from simgin.core.jit import force_inline, jit
from simgin.core.rules_record import DISCARD_BAN_DRAWN, DISCARD_BAN_NONE, TAKE_TO_KNOCK_MELDED


@jit
def compute_knock_limit(upcard, rules):
    """Return the knock limit of a deal, in points of deadwood (rules.md 3.4).

    `upcard` is -1 if there is no upcard, which is valid only if the limit does not depend on the
    upcard.
    """
    if not rules.knock_by_upcard:
        return rules.knock_limit
    upcard_rank = upcard % 13
    return rules.upcard_ace_limit if upcard_rank == 0 else min(upcard_rank + 1, 10)


@jit
def compute_deal_multiplier(upcard, rules):
    """Return the factor by which all points of a deal are multiplied.

    The factor is `spade_multiplier` if the first upcard is a spade, otherwise 1.
    """
    return rules.spade_multiplier if 0 <= upcard < 13 else 1


@jit
def find_shot_ranks(points):
    """Return the ranks that a shot must leave unmatched at a given score, or 0 if there is no shot.

    The multiset of ranks is encoded as in `encode_rank_multiset`.
    """
    code = 0
    tens, ones = points // 10 % 10, points % 10
    if tens:
        code += 1 << (3 * (tens - 1))
    if ones:
        code += 1 << (3 * (ones - 1))
    return code


@jit
def compute_shot_deadwood(points, rules):
    """Return the deadwood of a shot, in points.

    The deadwood of a shot depends only on the player's `points` in the match.
    """
    tens, ones = points // 10 % 10, points % 10
    return (rules.value[0, tens - 1] if tens else 0) + (rules.value[0, ones - 1] if ones else 0)


@jit
def is_shot(ten_cards, required_card, points, rules):
    """Return True if some melding of ten cards leaves exactly the ranks of a shot unmatched.

    `required_card` is a card that must be in a meld, or -1 for none.
    """
    tens, ones = points // 10 % 10, points % 10
    if tens == 0:
        tens, ones = ones, 0
    if tens == 0:
        return False
    first_cards = ten_cards & cards_of_rank(tens - 1)
    while first_cards:
        first_card = first_cards & -first_cards
        first_cards ^= first_card
        second_cards = ten_cards & cards_of_rank(ones - 1) & ~first_card if ones else first_card
        while second_cards:
            second_card = second_cards & -second_cards
            second_cards ^= second_card
            unmatched_cards = first_card | second_card
            if (
                not (required_card >= 0 and unmatched_cards >> required_card & 1)
                and deadwood(ten_cards & ~unmatched_cards, rules) == 0
            ):
                return True
    return False


@jit
def compute_declared_deadwood(ten_cards, required_card, rules):
    """Return the least deadwood of ten cards, in points, if `required_card` must be melded.

    If no card is required, `required_card` is -1. Returns HUGE_DEADWOOD if the card cannot be
    melded.
    """
    return (
        deadwood(ten_cards, rules)
        if required_card < 0
        else deadwood_with_melded(ten_cards, required_card, rules)
    )


@jit
def find_permitted_discards(eleven_cards, taken_card, drawn_card, rules):
    """Return the cards that may be discarded under `discard_ban` (rules.md 4.3).

    `taken_card` is the card just taken from the pile, and `drawn_card` is the card just drawn from
    the stock. If there is no such card, the argument is -1.
    """
    banned = 0
    if taken_card >= 0 and rules.discard_ban != DISCARD_BAN_NONE:
        banned = 1 << taken_card
    if drawn_card >= 0 and rules.discard_ban == DISCARD_BAN_DRAWN:
        banned |= 1 << drawn_card
    return eleven_cards & ~banned


@jit
def find_required_meld_card(taken_card, rules):
    """Return the card that `take_to_knock` requires in a meld, or -1 if there is none."""
    return taken_card if rules.take_to_knock == TAKE_TO_KNOCK_MELDED else -1


@force_inline
def find_ending(ten_cards, deadwood_left, required_card, knock_limit, points, rules):
    """Return the ending that is available with ten cards, and the deadwood to declare.

    A shot has priority over a knock within the limit. If neither ending is possible, the result is
    ENDING_NONE. `deadwood_left` is the least deadwood of the cards.
    """
    if rules.shot or required_card >= 0:
        return _find_ending_general(
            ten_cards, deadwood_left, required_card, knock_limit, points, rules
        )
    return (
        (ENDING_KNOCK, deadwood_left)
        if deadwood_left <= knock_limit
        else (ENDING_NONE, deadwood_left)
    )


@jit
def _find_ending_general(ten_cards, deadwood_left, required_card, knock_limit, points, rules):
    """Find the available ending under rules with shots or with cards that must be melded."""
    if required_card >= 0 and not ten_cards >> required_card & 1:
        return ENDING_NONE, HUGE_DEADWOOD  # A discarded card cannot be melded.
    if rules.shot and is_shot(ten_cards, required_card, points, rules):
        return ENDING_SHOT, compute_shot_deadwood(points, rules)
    deadwood_points = (
        deadwood_left
        if required_card < 0
        else deadwood_with_melded(ten_cards, required_card, rules)
    )
    return (
        (ENDING_KNOCK, deadwood_points)
        if deadwood_points <= knock_limit
        else (ENDING_NONE, deadwood_points)
    )


@jit
def find_ending_discards(eleven_cards, legal, required_card, knock_limit, points, rules):
    """Return the discards after which the player can knock, go gin or make a shot."""
    cards = 0
    while legal:
        card = lowest_bit(legal)
        legal &= legal - 1
        ten_cards = eleven_cards & ~(1 << card)
        ending, _ = find_ending(
            ten_cards, deadwood(ten_cards, rules), required_card, knock_limit, points, rules
        )
        if ending != ENDING_NONE:
            cards |= 1 << card
    return cards


@jit
def _find_least_declared_deadwood(eleven_cards, legal, required_card, rules):
    """Return the least deadwood with `required_card` melded, and the discards that leave it."""
    best, cards = HUGE_DEADWOOD, 0
    while legal:
        card = lowest_bit(legal)
        legal &= legal - 1
        deadwood_points = deadwood_with_melded(eleven_cards & ~(1 << card), required_card, rules)
        if deadwood_points <= best:
            cards = (cards if deadwood_points == best else 0) | 1 << card
            best = deadwood_points
    return best, cards


@jit
def _find_shot_discards(eleven_cards, legal, required_card, points, rules):
    """Return the mask of the discards that make a shot."""
    cards = 0
    while legal:
        card = lowest_bit(legal)
        legal &= legal - 1
        if is_shot(eleven_cards & ~(1 << card), required_card, points, rules):
            cards |= 1 << card
    return cards


@force_inline
def find_best_ending(
    eleven_cards, legal, required_card, limit, points, least_deadwood, best_cards, rules
):
    """Return the best ending available with eleven cards, its discard and its deadwood.

    Big gin has priority, then a shot, then the least deadwood within the limit. Ties are broken by
    the highest card value, then by the lowest card number. Big gin has no discard (-1).
    `least_deadwood` and `best_cards` are the return values of `best_discards`.
    """
    if rules.shot or rules.big_gin or required_card >= 0:
        return _find_best_ending_general(
            eleven_cards, legal, required_card, limit, points, least_deadwood, best_cards, rules
        )
    if least_deadwood > limit:
        return ENDING_NONE, -1, HUGE_DEADWOOD
    return ENDING_KNOCK, lowest_bit(highest_value_cards(best_cards, rules)[0]), least_deadwood


@jit
def _find_best_ending_general(
    eleven_cards, legal, required_card, limit, points, least_deadwood, best_cards, rules
):
    """Find the best ending under rules with endings other than a knock."""
    if rules.big_gin and deadwood(eleven_cards, rules) == 0:
        return ENDING_BIG_GIN, -1, 0
    if required_card >= 0:
        legal &= ~(1 << required_card)
        least_deadwood, best_cards = _find_least_declared_deadwood(
            eleven_cards, legal, required_card, rules
        )
    if rules.shot:
        shots = _find_shot_discards(eleven_cards, legal, required_card, points, rules)
        if shots:
            return (
                ENDING_SHOT,
                lowest_bit(highest_value_cards(shots, rules)[0]),
                compute_shot_deadwood(points, rules),
            )
    if least_deadwood > limit:
        return ENDING_NONE, -1, HUGE_DEADWOOD
    return ENDING_KNOCK, lowest_bit(highest_value_cards(best_cards, rules)[0]), least_deadwood

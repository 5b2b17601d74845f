"""Prospects of a hand, such as outs, deadwood after a draw, and pairs that need a third card.

Two cards are *partners* if a third card could make a meld with them. Partners have the same rank,
or they have the same suit and are at most two ranks apart. The third card is a *completer*, and it
is *live* if it is unseen. The terms *partner* and *completer* ignore rainbows. *Outs* are the cards
that would make a meld if drawn. Outs include cards that complete rainbows.
"""

from simgin.core.bitboard import can_meld_all_but_one, cards_in_sets, find_run_outs, ranks_of
from simgin.core.bits import lowest_bit, popcount
from simgin.core.cards import ALL_RANKS, cards_of_rank, ranks_held_twice, suit_lane
from simgin.core.deadwood import best_discards, cards_in_melds, deadwood, find_run_cards
from simgin.core.jit import force_inline, jit
from simgin.core.rules_record import ACE_HIGH_OR_LOW, ACE_ROUND_CORNER
from simgin.toolkit.hand import cards_of_ranks


@jit
def outs(hand, rules):
    """Return the cards outside a hand that would make a meld with cards in the hand.

    Args:
        hand: Cards as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Count the unseen outs that remain after discarding a card::

            popcount(outs(view.hand & ~card_mask(card), rules) & view.unseen)
    """
    if rules.by_planes[0]:
        return find_outs_bitwise(hand)
    out_cards = cards_of_ranks(ranks_held_twice(hand))
    spades = suit_lane(hand, 0)
    hearts = suit_lane(hand, 1)
    diamonds = suit_lane(hand, 2)
    clubs = suit_lane(hand, 3)
    out_cards |= (
        _find_suit_run_outs(spades, rules)
        | _find_suit_run_outs(hearts, rules) << 13
        | _find_suit_run_outs(diamonds, rules) << 26
        | _find_suit_run_outs(clubs, rules) << 39
    )
    for i in range(rules.n_rainbows):
        missing_cards = rules.rainbows[i] & ~hand
        if missing_cards & (missing_cards - 1) == 0:
            out_cards |= missing_cards
    return out_cards & ~hand


@force_inline
def find_outs_bitwise(hand):
    """Return the outs of a hand, for rules with low aces and without rainbows."""
    return (cards_of_ranks(ranks_held_twice(hand)) | find_run_outs(hand)) & ~hand


@jit
def _find_suit_run_outs(ranks_held, rules):
    """Return the ranks that would make a run together with two cards of the same suit."""
    padded_ranks = ranks_held << 13
    if rules.ace_runs == ACE_HIGH_OR_LOW:
        padded_ranks |= (ranks_held & 1) << 26
    elif rules.ace_runs == ACE_ROUND_CORNER:
        padded_ranks |= ranks_held | ranks_held << 26
    ranks = (
        padded_ranks << 2 & padded_ranks << 1
        | padded_ranks << 1 & padded_ranks >> 1
        | padded_ranks >> 1 & padded_ranks >> 2
    )
    return ranks >> 13 & 0x1FFF | (ranks >> 26 & 1 if rules.ace_runs == ACE_HIGH_OR_LOW else 0)


@jit
def count_outs(hand, cards, rules):
    """Return the number of cards that would make a meld with cards in a hand.

    Args:
        hand: Cards as a 52-bit mask.
        cards: Cards outside the hand, as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Number of cards.

    Example:
        Count the unseen cards that would make a meld::

            count_outs(view.hand, view.unseen, rules)
    """
    return popcount(outs(hand, rules) & cards)


@jit
def deadwood_after_draws(ten_cards, cards, rules, counts):
    """Compute the least deadwood after each possible draw and a discard.

    Args:
        ten_cards: Ten cards as a 52-bit mask, or eleven cards if a discard leaves eleven.
        cards: Possible draws outside the hand, as a 52-bit mask.
        rules: Rules of the variant.
        counts: int64 array, overwritten with the deadwood after each draw, in ascending order of
            the cards.

    Returns:
        Number of cards.

    Example:
        Compute the mean deadwood after the next draw from the stock::

            counts = np.zeros(52, np.int64)
            n = deadwood_after_draws(view.hand, view.unseen, rules, counts)
            counts[:n].mean()
    """
    deadwood_of_ten = deadwood(ten_cards, rules)
    deadwood_of_nine = best_discards(ten_cards, ten_cards, rules)[0]
    hand_outs = outs(ten_cards, rules)
    n_draws = 0
    while cards:
        mask = cards & -cards
        cards ^= mask
        if mask & hand_outs:
            counts[n_draws] = best_discards(ten_cards | mask, ten_cards | mask, rules)[0]
        else:
            counts[n_draws] = min(
                deadwood_of_ten, deadwood_of_nine + rules.value[0, lowest_bit(mask) % 13]
            )
        n_draws += 1
    return n_draws


@jit
def tally_deadwood_after_draws(ten_cards, cards, rules, tally):
    """Count the draws that lead to each amount of deadwood.

    The function is faster than `deadwood_after_draws`. Use the result with `mean_of_smallest`.

    Args:
        ten_cards: Ten cards as a 52-bit mask, or eleven cards if a discard leaves eleven.
        cards: Possible draws outside the hand, as a 52-bit mask.
        rules: Rules of the variant.
        tally: int64 array to which the counts are added. tally[k] is the number of cards that leave
            k points. The last element also counts cards that leave more points.

    Returns:
        Number of cards.

    Example:
        Count the unseen cards that allow a knock after the next draw::

            tally = np.zeros(100, np.int64)
            tally_deadwood_after_draws(view.hand, view.unseen, rules, tally)
            tally[: view.limit + 1].sum()
    """
    deadwood_of_ten = deadwood(ten_cards, rules)
    deadwood_of_nine = best_discards(ten_cards, ten_cards, rules)[0]
    last_index = len(tally) - 1
    hand_outs = outs(ten_cards, rules) & cards
    other_cards = cards & ~hand_outs
    for rank in range(13):
        deadwood_points = min(deadwood_of_ten, deadwood_of_nine + rules.value[0, rank], last_index)
        tally[deadwood_points] += popcount(other_cards & cards_of_rank(rank))
    while hand_outs:
        eleven_cards = ten_cards | hand_outs & -hand_outs
        hand_outs &= hand_outs - 1
        tally[min(best_discards(eleven_cards, eleven_cards, rules)[0], last_index)] += 1
    return popcount(cards)


@jit
def count_gin_draws(ten_cards, cards, rules):
    """Return the number of possible draws that make gin.

    Args:
        ten_cards: Ten cards as a 52-bit mask.
        cards: Possible draws outside the hand, as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Number of cards. If more than three cards in the hand cannot be melded, the number is 0.

    Example:
        Count the unseen cards that make gin after a given discard::

            count_gin_draws(view.hand & ~card_mask(card), view.unseen, rules)
    """
    unmatched = ten_cards & ~cards_in_melds(ten_cards, rules)
    if popcount(unmatched) > 3:
        return 0
    if unmatched == 0 and deadwood(ten_cards, rules) == 0:
        return popcount(cards)
    new_outs = outs(unmatched, rules) & cards
    return count_gin_outs(
        ten_cards, unmatched, new_outs, outs(ten_cards, rules) & cards & ~new_outs, rules
    )


@jit
def count_gin_outs(ten_cards, unmatched, new_melds, other_outs, rules):
    """Return the number of outs that make gin with ten cards.

    `unmatched` contains the cards in the hand that cannot be melded, at most three. `new_melds`
    contains the outs that make a meld with two of these cards. `other_outs` contains the other
    outs.
    """
    n_outs, remaining_outs = 0, new_melds | other_outs
    if unmatched & (unmatched - 1) and rules.n_rainbows == 0:
        remaining_outs &= same_rank_or_suit(
            unmatched
        )  # An out must form a meld with an unmatched card.
        if find_run_cards(ten_cards, rules) & cards_in_sets(ten_cards) == 0:
            n_outs = popcount(new_melds)  # The new melds leave the other melds unchanged.
            remaining_outs &= ~new_melds
    while remaining_outs:
        n_outs += _can_go_gin(ten_cards | remaining_outs & -remaining_outs, rules)
        remaining_outs &= remaining_outs - 1
    return n_outs


@force_inline
def _can_go_gin(eleven_cards, rules):
    """Return True if a discard from eleven cards can leave no deadwood.

    If all eleven cards are in melds, one of the melds has more than three cards. A card can be
    discarded from that meld.
    """
    if rules.by_planes[0]:
        return can_meld_all_but_one(eleven_cards)
    unmatched = eleven_cards & ~cards_in_melds(eleven_cards, rules)
    return (
        unmatched & (unmatched - 1) == 0
        and best_discards(eleven_cards, eleven_cards, rules)[0] == 0
    )


@jit
def same_rank_or_suit(cards):
    """Return all cards that share a rank or a suit with at least one of the given cards."""
    related = cards_of_ranks(ranks_of(cards))
    for suit in range(4):
        if suit_lane(cards, suit):
            related |= ALL_RANKS << 13 * suit
    return related


@jit
def partners_by_rank_and_suit(cards):
    """Return the cards with a partner of the same rank and those with one of the same suit.

    Aces are low.

    Args:
        cards: Cards as a 52-bit mask.

    Returns:
        Two 52-bit masks: the cards with a partner of the same rank among `cards`, and the cards
        with a partner of the same suit.

    Example:
        Select the legal discards without a partner::

            by_rank, by_suit = partners_by_rank_and_suit(view.hand)
            view.legal & ~(by_rank | by_suit)
    """
    by_rank = cards_of_ranks(ranks_held_twice(cards))
    below_king = cards & ~cards_of_rank(12)  # cards that can have a higher neighbour in the suit
    below_queen = below_king & ~cards_of_rank(11)
    touches_below = below_king << 1 | below_queen << 2
    next_below = cards >> 1 & ~cards_of_rank(12)
    touches_above = next_below | next_below >> 1 & ~cards_of_rank(12)
    return cards & by_rank, cards & (touches_below | touches_above)


@jit
def count_run_pairs(window):
    """Return the number of three-card runs that contain the middle rank of a window of five.

    Args:
        window: Five bits, one per rank from two below to two above the middle rank. A bit is 1 if
            the card is available. The middle bit is ignored.

    Returns:
        Number of runs, 0 to 3.

    Example:
        Count the runs that two unseen cards make with the 5 of hearts::

            count_run_pairs(suit_lane(view.unseen, 1) >> 2 & 0b11111)
    """
    neighbours = window & window >> 1 & 0b01001
    both_sides = window & window >> 2 & 0b00010
    return popcount(neighbours | both_sides)


@jit
def sum_of_smallest(numbers, n, n_smallest):
    """Return the sum of the `n_smallest` smallest numbers in an array.

    The smallest numbers are moved to the front of the array, in ascending order.

    Args:
        numbers: One-dimensional array.
        n: Number of elements to use from the front of the array.
        n_smallest: Number of elements to add.

    Returns:
        Sum of the `n_smallest` smallest numbers, or of all n numbers if n is smaller.

    Example:
        Compute the mean of the ten lowest deadwood values after a draw::

            n = deadwood_after_draws(view.hand, view.unseen, rules, counts)
            sum_of_smallest(counts, n, 10) / min(n, 10)
    """
    n_kept = 0
    for i in range(n):
        number = numbers[i]
        if n_kept < n_smallest:
            n_kept += 1
        elif number >= numbers[n_kept - 1]:
            continue
        position = n_kept - 1
        while position > 0 and numbers[position - 1] > number:
            numbers[position] = numbers[position - 1]
            position -= 1
        numbers[position] = number
    total = 0
    for i in range(n_kept):
        total += numbers[i]
    return total


@jit
def mean_of_smallest(histogram, n_values):
    """Return the mean of the `n_values` smallest values in a histogram.

    Args:
        histogram: Array in which element k is the number of values equal to k.
        n_values: Number of values to average. If it is fractional, the largest value has a
            fractional weight.

    Returns:
        Mean of the values, as a float.

    Example:
        Compute the mean of the ten lowest deadwood values after a draw::

            tally = np.zeros(100, np.int64)
            tally_deadwood_after_draws(view.hand, view.unseen, rules, tally)
            mean_of_smallest(tally, 10)
    """
    n_used, total, value = 0, 0, 0
    while value < len(histogram) and n_used + histogram[value] < n_values:
        n_used += histogram[value]
        total += histogram[value] * value
        value += 1
    if value == len(histogram):
        return total / n_values
    return (total + (n_values - n_used) * value) / n_values


@jit
def count_three_card_melds(card):
    """Return the number of three-card melds that contain a card.

    Aces are low.

    Args:
        card: Card, 0 to 51.

    Returns:
        Number of melds, which is 4 for A and K, 5 for 2 and Q, and 6 for the other ranks.

    Example:
        Compare the flexibility of two cards::

            count_three_card_melds(first) > count_three_card_melds(second)
    """
    edge_distance = min(card % 13, 12 - card % 13)
    return 4 + min(edge_distance, 2)


@jit
def count_three_card_runs(rules):
    """Return the number of three-card runs in `rules.runs`.

    The three-card runs are the first runs in the array, from A23 to JQK, followed by QKA and KA2 if
    the rules allow them.

    Args:
        rules: Rules of the variant.

    Returns:
        11, 12 or 13, depending on the rules.

    Example:
        Loop over the three-card runs::

            for i in range(count_three_card_runs(rules)):
                run = rules.runs[i]
    """
    return 11 + rules.ace_runs


@jit
def count_possible_melds(card, cards, rules):
    """Return the number of three-card melds that a card can form with two of the other cards.

    Rainbows are not counted. Dreyfus calls these melds dangerous.

    Args:
        card: Card, 0 to 51.
        cards: Other cards as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Number of melds.

    Example:
        Count the melds that the opponent could make with a discard::

            count_possible_melds(card, view.unseen | view.known, rules)
    """
    n_same_rank = popcount(cards_of_rank(card % 13) & cards & ~(1 << card))
    suit_cards = suit_lane(cards, card // 13)
    rank_bit = 1 << (card % 13)
    n_melds = n_same_rank * (n_same_rank - 1) // 2
    for run_index in range(count_three_card_runs(rules)):
        if (
            rules.runs[run_index] & rank_bit
            and rules.runs[run_index] & ~(suit_cards | rank_bit) == 0
        ):
            n_melds += 1
    return n_melds


@jit
def partners(card, rules):
    """Return the cards that can form a pair or a partial run with a card.

    Partners are cards with the same rank, and cards with the same suit within two ranks if a run
    can contain both cards.

    Args:
        card: Card, 0 to 51.
        rules: Rules of the variant.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Select the cards in the hand that are partners of the card on offer::

            view.hand & partners(view.taken_offer, rules)
    """
    rank_bit, ranks = 1 << (card % 13), 0
    for run_index in range(count_three_card_runs(rules)):
        if rules.runs[run_index] & rank_bit:
            ranks |= rules.runs[run_index]
    return (cards_of_rank(card % 13) | ranks << (13 * (card // 13))) & ~(1 << card)


@jit
def completers(first, second, rules):
    """Return the cards that make a three-card meld with two given cards.

    Args:
        first: First card, 0 to 51.
        second: Second card, 0 to 51.
        rules: Rules of the variant.

    Returns:
        Cards as a 52-bit mask. The mask is 0 if the two cards are not partners.

    Example:
        Count the unseen cards that would complete a pair::

            popcount(completers(first, second, rules) & view.unseen)
    """
    if first % 13 == second % 13:
        return cards_of_rank(first % 13) & ~(1 << first) & ~(1 << second)
    if first // 13 != second // 13:
        return 0
    pair_bits, ranks = 1 << (first % 13) | 1 << (second % 13), 0
    for run_index in range(count_three_card_runs(rules)):
        if pair_bits & ~rules.runs[run_index] == 0:
            ranks |= rules.runs[run_index] & ~pair_bits
    return ranks << (13 * (first // 13))


@jit
def count_live_completers(card, cards, unseen, rules):
    """Return the number of live cards that would complete a meld from a card and its best partner.

    Args:
        card: Card, 0 to 51.
        cards: Possible partners as a 52-bit mask.
        unseen: Cards that are still available, for example `view.unseen`.
        rules: Rules of the variant.

    Returns:
        Number of completers, or -1 if the card has no partner.

    Example:
        Test if a card in the hand can still become part of a meld::

            count_live_completers(card, view.hand, view.unseen, rules) > 0
    """
    max_completers = -1
    partner_cards = cards & partners(card, rules)
    while partner_cards:
        partner = lowest_bit(partner_cards)
        partner_cards &= partner_cards - 1
        max_completers = max(max_completers, popcount(completers(card, partner, rules) & unseen))
    return max_completers


@jit
def cards_with_partner(cards, rules):
    """Select the cards that have a partner among the given cards.

    Args:
        cards: Cards as a 52-bit mask.
        rules: Rules of the variant.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Select the unmatched legal cards without a partner::

            unmatched = unmatched_cards(view.hand, rules)
            view.legal & unmatched & ~cards_with_partner(unmatched, rules)
    """
    paired_cards, remaining_cards = 0, cards
    while remaining_cards:
        card = lowest_bit(remaining_cards)
        remaining_cards &= remaining_cards - 1
        if cards & partners(card, rules):
            paired_cards |= 1 << card
    return paired_cards


@jit
def cards_worth_holding(cards, unseen, min_live, rules):
    """Return the cards of all pairs for which enough live cards would complete a meld.

    Args:
        cards: Cards as a 52-bit mask.
        unseen: Cards that are still available, for example `view.unseen`.
        min_live: Minimum number of live cards that would complete a meld with the pair.
        rules: Rules of the variant.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Select the pairs with at least two live completers::

            keep = cards_worth_holding(view.hand, view.unseen, 2, rules)
    """
    worth_holding = 0
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        partner_cards = cards & partners(card, rules)
        while partner_cards:
            partner = lowest_bit(partner_cards)
            partner_cards &= partner_cards - 1
            if popcount(completers(card, partner, rules) & unseen) >= min_live:
                worth_holding |= 1 << card | 1 << partner
    return worth_holding

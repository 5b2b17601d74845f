"""Reference versions of the policies in docs/reference/strategies/advice.md.

A discard policy adds a penalty to the deadwood after each discard. `view` is the information of the
player.
"""

from ..melds import PACK, RANKS
from .discard import count_melds_through_rank, list_three_card_melds
from .take import take_if

HIGH_RANKS = "TJQK"


def minimize_penalty(compute_penalties):
    """Turn a function that computes penalties of cards into a discard policy."""

    def policy(view, **params):
        return {choose_discard(view, compute_penalties(view, **params))}

    return policy


def choose_discard(view, penalties):
    """Return the legal card with the lowest sum of remaining deadwood and penalty."""

    def compute_cost(card):
        deadwood_left = view.compute_deadwood(view.hand - {card}) + penalties.get(card, 0)
        return deadwood_left, -view.get_card_value(card), PACK.index(card)

    return min(view.legal, key=compute_cost)


def find_unmatched_cards(view):
    """Return the cards that are unmatched in some optimal melding."""
    return view.find_unmatched_cards(view.hand)[-1]


def find_completing_cards(view, card, other_card):
    """Return the cards that form a three-card meld with two given cards."""
    pair = {card, other_card}
    return {
        card for meld in list_three_card_melds(view.meld_params) if pair < meld for card in meld
    } - pair


def find_partners(view, card):
    """Return the unmatched cards that can form a meld with a card."""
    return [
        other
        for other in find_unmatched_cards(view)
        if other != card and find_completing_cards(view, card, other)
    ]


def find_unpaired_cards(view):
    """Return the unmatched cards without a partner."""
    return [card for card in find_unmatched_cards(view) if not find_partners(view, card)]


def find_near_cards(card, max_gap=2):
    """Return the cards of the same rank, or of the same suit and at most `max_gap` ranks away."""
    same_suit = [c for c in PACK if c[1] == card[1] and abs(compute_rank_gap(c, card)) <= max_gap]
    return {*same_suit, *(c for c in PACK if c[0] == card[0])} - {card}


def compute_rank_gap(card, other_card):
    """Return the difference between the ranks of two cards, with low aces."""
    return RANKS.index(card[0]) - RANKS.index(other_card[0])


def count_melds_through_card(view, card, other_cards):
    """Return the number of three-card melds of a card with two of the other cards."""
    return sum(
        card in meld and meld - {card} <= other_cards
        for meld in list_three_card_melds(view.meld_params)
    )


def find_pairable_cards(view, min_outs):
    """Return the unmatched cards of pairs with at least `min_outs` unseen outs."""
    n_outs = {
        card: max(
            (
                len(find_completing_cards(view, card, other) & view.unseen)
                for other in find_partners(view, card)
            ),
            default=-1,
        )
        for card in find_unmatched_cards(view)
    }
    return [card for card in n_outs if n_outs[card] >= min_outs]


def assign_penalty(cards, penalty):
    """Return a dict with the same penalty for all cards."""
    return dict.fromkeys(cards, penalty)


# Discards


@minimize_penalty
def high_first(view, cost):
    """Penalize discards of all cards except unmatched cards without a partner."""
    return assign_penalty(set(view.hand) - set(find_unpaired_cards(view)), cost)


@minimize_penalty
def high_late(view, until, cost):
    """Penalize discards of tens and face cards before turn `until`."""
    return assign_penalty(
        [card for card in view.hand if card[0] in HIGH_RANKS and view.turn < until], cost
    )


@minimize_penalty
def many_high(view, many, hold):
    """Penalize discards from pairs unless many unmatched cards are tens or face cards."""
    paired = set(find_unmatched_cards(view)) - set(find_unpaired_cards(view))
    return assign_penalty(
        paired if sum(card[0] in HIGH_RANKS for card in find_unmatched_cards(view)) < many else [],
        hold,
    )


@minimize_penalty
def triangle(view, until, cost):
    """Before turn `until`, penalize discards from three high cards that form two pairs."""
    high = sorted(
        (card for card in find_unmatched_cards(view) if card[0] in HIGH_RANKS), key=PACK.index
    )
    triangles = []
    for corner in high:
        same_rank = [c for c in high if c[0] == corner[0] and c != corner]
        neighbours = [
            c for c in high if c[1] == corner[1] and abs(compute_rank_gap(c, corner)) == 1
        ]
        if same_rank and neighbours:
            three = [corner, same_rank[0], neighbours[0]]
            triangles.append((-RANKS.index(corner[0]), PACK.index(corner), three))
    return assign_penalty(min(triangles)[2] if triangles and view.turn < until else [], cost)


@minimize_penalty
def keep_low(view, rank, cost):
    """Penalize discards of low unmatched cards."""
    return assign_penalty(
        [card for card in find_unmatched_cards(view) if card[0] in RANKS[:rank]], cost
    )


@minimize_penalty
def keep_low_late(view, rank, turn, taken, cost):
    """Late in the deal, penalize low cards that could be laid off on the opponent's melds."""
    late = view.turn >= turn or len(view.known) >= taken
    low = [card for card in view.hand if late and card[0] in RANKS[:rank]]
    return assign_penalty([card for card in low if find_near_cards(card, 1) & view.known], cost)


@minimize_penalty
def inside_pairs(view, weight, inside):
    """Penalize cards by their number of partners. Pairs with a gap count less."""

    def compute_pair_value(card):
        gaps = [abs(compute_rank_gap(card, other)) for other in find_partners(view, card)]
        return sum(1 if ranks in (0, 1, 12) else inside for ranks in gaps)

    return {card: weight * compute_pair_value(card) for card in find_unmatched_cards(view)}


@minimize_penalty
def dead_pairs_first(view, bonus):
    """Reward discards from pairs that no unseen card can complete."""
    paired = {*find_unmatched_cards(view)} - {*find_unpaired_cards(view)}
    return assign_penalty(paired - {*find_pairable_cards(view, 1)}, -bonus)


@minimize_penalty
def break_pairs(view, live, until, cost):
    """Before turn `until`, penalize discards from pairs with enough unseen outs."""
    return assign_penalty(find_pairable_cards(view, live) if view.turn < until else [], cost)


@minimize_penalty
def middle(view, weight, seven):
    """Penalize unmatched cards of ranks that occur in many melds, and sevens."""
    return {
        card: weight * (count_melds_through_rank(card) - 4) + seven * (card[0] == "7")
        for card in find_unmatched_cards(view)
    }


@minimize_penalty
def safe_neighbour(view, cost, ignore_first):
    """Penalize cards that are not near a card that the opponent discarded or declined."""
    evidence = view.shed - set(view.opponent_discards[:ignore_first])
    return assign_penalty(
        [card for card in view.hand if not find_near_cards(card) & evidence], cost
    )


@minimize_penalty
def bait_shy(view, cost):
    """Penalize cards with the suit or rank of the opponent's last discard."""
    return assign_penalty(
        [
            card
            for card in view.hand
            if view.opponent_discards and {*card} & {*view.opponent_discards[-1]}
        ],
        cost,
    )


@minimize_penalty
def suit_order(view, neighbour, same):
    """Reward cards whose rank equals or is next to that of the opponent's last discard."""
    penalties = {}
    for card in view.hand if view.opponent_discards else []:
        ranks = abs(compute_rank_gap(card, view.opponent_discards[-1]))
        other_suit = card[1] != view.opponent_discards[-1][1]
        penalties[card] = -same if ranks == 0 else -neighbour if ranks == 1 and other_suit else 0
    return penalties


@minimize_penalty
def starve(view, cost):
    """Penalize cards that are near a card that the opponent took."""
    return assign_penalty([card for card in view.hand if find_near_cards(card) & view.known], cost)


def find_cards_opponent_may_want(view, n_early_discards):
    """Return the cards that the opponent holds or could use, judging by early discards."""
    unwanted = {
        c
        for discarded in view.opponent_discards[:n_early_discards]
        for c in {discarded} | find_near_cards(discarded, 1)
    }
    return view.known | view.unseen - unwanted


@minimize_penalty
def live_melds(view, weight, early):
    """Penalize cards by the number of melds that the opponent could form with them."""
    return {
        card: weight
        * count_melds_through_card(view, card, find_cards_opponent_may_want(view, early))
        for card in view.hand
    }


@minimize_penalty
def growing_safety(view, base, turn, count):
    """Penalize cards by the number of the opponent's possible melds, more in later turns."""
    penalty = base + turn * view.turn + count * view.own_deadwood
    return {
        card: penalty * count_melds_through_card(view, card, view.unseen | view.known)
        for card in view.hand
    }


@minimize_penalty
def lay_off_late(view, turn, cost):
    """From a turn on, penalize cards with which the opponent could form a meld."""
    late = view.hand if view.turn >= turn else []
    return assign_penalty(
        [card for card in late if count_melds_through_card(view, card, view.unseen)], cost
    )


@minimize_penalty
def wild(view, turn, cost):
    """From a turn on, penalize cards near which no card has been seen."""
    return assign_penalty(
        [card for card in view.hand if view.turn >= turn and find_near_cards(card) <= view.unseen],
        cost,
    )


@minimize_penalty
def bait(view, e, until, cost):
    """Discard a card near a needed card, so that the opponent may discard the needed card."""
    usual_discard = choose_discard(view, {})
    if view.turn > until or view.noise >= e * 2**53:
        return assign_penalty([usual_discard], -1000)

    def would_complete_meld(discard, drawn_card):
        return any(
            drawn_card in meld for meld in view.find_melds(view.hand - {discard} | {drawn_card})
        )

    max_deadwood = view.compute_deadwood(view.hand - {usual_discard}) + cost
    candidates = [
        card for card in view.legal if view.compute_deadwood(view.hand - {card}) <= max_deadwood
    ]
    baits = [
        card
        for card in candidates
        if any(would_complete_meld(card, drawn) for drawn in find_near_cards(card) & view.unseen)
    ]
    return assign_penalty(baits or [usual_discard], -1000)


@minimize_penalty
def tonic(view, pair, live, until, middle, seven, danger, early):
    """Penalize pairs, middle ranks, sevens, and cards that the opponent could use."""
    held = find_pairable_cards(view, live) if view.turn < until else []

    def compute_penalty(card):
        own_penalty = pair * (card in held) + middle * (count_melds_through_rank(card) - 4)
        opponent_penalty = danger * count_melds_through_card(
            view, card, find_cards_opponent_may_want(view, early)
        )
        return own_penalty + seven * (card[0] == "7") + opponent_penalty

    return {card: compute_penalty(card) for card in view.hand}


# Taking


def compute_deadwood_change(view):
    """Return the change in deadwood if the player takes the offered card and discards."""
    return (
        min(
            view.compute_deadwood(view.hand - {discarded} | {view.offered_card})
            for discarded in view.hand
        )
        - view.own_deadwood
    )


def speculate(view, until, count, partials):
    """Take a card that lowers the deadwood or, early in the deal, forms partial melds."""
    both_ways = sum(
        len(find_completing_cards(view, view.offered_card, other) & view.unseen) >= 2
        for other in find_unmatched_cards(view)
    )
    early = view.turn <= until or view.own_deadwood >= count
    return take_if(view, compute_deadwood_change(view) < 0 or (early and both_ways >= partials))


def upcard(view):
    """Take a card that lowers the deadwood and, as the nondealer, the first upcard."""
    return take_if(
        view, compute_deadwood_change(view) < 0 or (view.phase == 0 and view.seat != view.dealer)
    )


def deny(view, held, cost):
    """Take a card that lowers the deadwood or that the opponent could meld."""
    denied = any(
        len(pair & view.known) >= held for pair in find_opponent_pairs(view, view.offered_card)
    )
    return take_if(
        view,
        compute_deadwood_change(view) < 0 or (compute_deadwood_change(view) <= cost and denied),
    )


def find_opponent_pairs(view, card):
    """Return the pairs that the opponent may hold and that form a meld with a card."""
    held = view.known | view.unseen
    melds = list_three_card_melds(view.meld_params)
    return [meld - {card} for meld in melds if card in meld and meld - {card} <= held]


# Looking ahead


def hazard(view, margin, **values):
    """Return the discards with the least expected cost, apart from rounding errors."""
    deadwood_left = {card: view.compute_deadwood(view.hand - {card}) for card in view.legal}
    candidates = [
        card
        for card in deadwood_left
        if deadwood_left[card] <= min(deadwood_left.values()) + margin
    ]
    costs = {
        card: compute_hazard_cost(view, card, deadwood_left[card], **values) for card in candidates
    }
    return {card for card in candidates if costs[card] <= min(costs.values()) + 1e-9}


def compute_hazard_cost(view, card, deadwood, share, turns, fade, first, slope, opponent):
    """Return the expected final deadwood after a discard, plus the opponent's gain."""
    hand = view.hand - {card}
    # in solitaire games, no opponent holds a card, and the drawn card may be discarded
    is_two_player = view.params["players"] == 2
    p_held = max(0, 10 - len(view.known)) / max(1, len(view.unseen)) if is_two_player else 0
    drawn = sorted(
        min(view.compute_deadwood(hand - {discarded} | {u}) for discarded in hand)
        for u in view.unseen
    )
    drawn = [min(best, deadwood) for best in drawn]
    wanted = max(1.0, share * len(drawn))
    whole = int(wanted)
    part = (wanted - whole) * (drawn[whole] if whole < len(drawn) else 0)
    mean = (sum(drawn[:whole]) + part) / wanted
    expected, alive, gain = 0.0, 1.0, deadwood - mean
    for i in range(turns):
        ends = min(1, max(0, slope * (view.turn + i - first)))
        expected += alive * ends * deadwood
        alive *= 1 - ends
        deadwood, gain = max(0, deadwood - gain), gain * fade
    opponent_gain = sum(
        p_held ** len(pair - view.known) * sum(map(view.get_card_value, pair))
        for pair in find_opponent_pairs(view, card)
    )
    return expected + alive * deadwood + opponent * opponent_gain

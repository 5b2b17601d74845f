"""Force a player to one action at one type of decision, to test the charts.

The parameters of a forced policy precede those of the policy that it replaces.
"""

from dataclasses import replace

import numpy as np
from simgin_strategies.champion import (
    estimate_knock_gain,
    estimate_take_gain,
    find_lowest_cost_discard,
)

from simgin.rules.build import build_rules
from simgin.strategy import PHASE_LAST, discard, helper, knock, take
from simgin.strategy.compiler import make_parameter_vector
from simgin.toolkit import (
    bernoulli,
    highest_value_cards,
    is_gin_or_better,
    lowers_deadwood,
    lowest_bit,
    popcount,
    take_if,
    unmatched_cards,
)

OWN_DECISION = -1  # -1 instead of a probability means that the player decides when to knock
AT_FIRST_UPCARD = 0  # 0 instead of a turn means the first upcard


@helper
def get_forced_knock(view, params):
    """Return the forced action (1 or 0), or -1 if no action is forced.

    params: own turn, action in it, probability of a knock in an earlier turn or OWN_DECISION.
    """
    if view.own_turn == params[0]:
        return int(params[1])
    if view.own_turn < params[0] and params[2] >= 0:
        return int(bernoulli(params[2], view.noise))
    return -1


@knock(noise=True)
def force_gold_knock(view, rules, params):
    forced = -1 if is_gin_or_better(view) else get_forced_knock(view, params)
    return forced == 1 if forced >= 0 else True


@knock(noise=True)
def force_champion_knock(view, rules, params):
    if is_gin_or_better(view) or view.phase == PHASE_LAST:
        return True
    forced = get_forced_knock(view, params)
    return forced == 1 if forced >= 0 else estimate_knock_gain(view, rules, params[3:]) > 0


@helper
def count_partners(card, hand):
    """Return how many cards in a hand could be in a meld with a card, counting at most two."""
    found = 0
    for other in range(52):
        if other != card and hand >> other & 1:
            same_suit = other // 13 == card // 13
            found += other % 13 == card % 13 or (same_suit and abs(other % 13 - card % 13) <= 2)
    return min(found, 2)


@helper
def has_suit_neighbour(card, step, hand):
    """Return True if a hand has the card of the same suit `step` ranks away."""
    rank = card % 13 + step
    return 0 <= rank < 13 and hand >> (card + step) & 1 == 1


@helper
def get_upcard_row(card, hand):
    """Return the row of the upcard chart: 0 for a meld, else 3 minus the partners."""
    of_rank = 0
    for suit in range(4):
        of_rank += hand >> (13 * suit + card % 13) & 1
    below, above = has_suit_neighbour(card, -1, hand), has_suit_neighbour(card, 1, hand)
    run = (
        (below and above)
        or (below and has_suit_neighbour(card, -2, hand))
        or (above and has_suit_neighbour(card, 2, hand))
    )
    return 0 if of_rank >= 2 or run else 3 - count_partners(card, hand)


@helper
def get_forced_take(view, rules, params):
    """Return the forced action, or -1 if no action is forced.

    The parameters are AT_FIRST_UPCARD or an own turn, the action, and the row of the upcard.
    """
    if view.legal & 3 != 3:
        return -1
    if view.phase == 0:
        here = (
            params[0] == AT_FIRST_UPCARD
            and get_upcard_row(view.taken_offer, view.hand) == params[2]
        )
    else:
        here = view.own_turn == params[0] and lowers_deadwood(view, rules)
    return int(params[1]) if here else -1


@take
def force_gold_take(view, rules, params):
    forced = get_forced_take(view, rules, params)
    return forced if forced >= 0 else take_if(lowers_deadwood(view, rules), view.legal)


@take
def force_champion_take(view, rules, params):
    forced = get_forced_take(view, rules, params)
    if forced >= 0:
        return forced
    return take_if(estimate_take_gain(view, rules, params[3:]) > 0, view.legal)


@helper
def get_forced_discard(view, rules, params):
    """Return the n-th lowest unmatched card in one turn, or -1 in other turns.

    The parameters are the own turn and n. If there are fewer cards, return the last one.
    """
    cards = unmatched_cards(view.hand, rules) & view.legal
    if view.own_turn != params[0] or popcount(cards) < 2:
        return -1
    for _ in range(min(int(params[1]), popcount(cards) - 1)):
        cards &= cards - 1
    return lowest_bit(cards)


@discard
def force_gold_discard(view, rules, params):
    forced = get_forced_discard(view, rules, params)
    return forced if forced >= 0 else lowest_bit(highest_value_cards(view.best, rules)[0])


@discard
def force_champion_discard(view, rules, params):
    forced = get_forced_discard(view, rules, params)
    return forced if forced >= 0 else find_lowest_cost_discard(view.legal, view, rules, params[2:])


FORCED_POLICIES = {
    "gold": {"knock": force_gold_knock, "take": force_gold_take, "discard": force_gold_discard},
    "champion": {
        "knock": force_champion_knock,
        "take": force_champion_take,
        "discard": force_champion_discard,
    },
}


def force_policy(matchup, slot, *forced_params):
    """Return the matchup with A's policy in one slot replaced by a forced policy."""
    usual = make_parameter_vector(matchup.a.policy(slot), build_rules(matchup.variant))
    numbers = np.concatenate([forced_params, usual])
    policy = replace(FORCED_POLICIES[matchup.a.spec][slot], weights=numbers)
    return replace(matchup, a=replace(matchup.a, **{slot: policy}))

"""Champion: weighs what a hand can become against what it gives away, by learned weights.

Every discard that leaves little more than the least deadwood has a cost: the sum of 64 named
features of the ten cards kept and of the discard (strategies/_champion.py), each times a learned
weight that depends on the stage of the deal. The discard with the lowest cost is made. Whether to
knock is looked up by turn and deadwood and corrected by the outs. A card on offer is taken if the
same weights show a gain.

There are two sets of weights: one for opponents that knock immediately, one for those that wait for
gin. They are mixed by the probability that the opponent knocks immediately. This probability
depends on the number of deals that the opponent has won in this match, on the points of those
deals, and on the length of the present deal.

training/champion.py learned all weights from rollouts of every option in the same world, under the
rules of the EAAI challenge and again under those of Gin Rush, Tedesco Gin and Gin Dice. Other rules
use the weights of the most similar of them. The die is used as by `dice-player`.

Source: This project. Regressing play-outs of alternative moves from the same position goes back to
G. Tesauro and G. Galperin, "On-line Policy Improvement using Monte-Carlo Search", 1996.
"""

from simgin_strategies._champion import (
    SIZE,
    STAGES,
    discard_costs,
    hand_costs,
    looked_around,
    stage,
)
from simgin_strategies.stake import by_value, by_value_answer

from simgin.core.jit import inlined
from simgin.core.policy import vector_at
from simgin.core.rules import CORNER, GOAL_DEALS
from simgin.strategy import LAST, Strategy, discard, helper, knock, take
from simgin.toolkit import (
    best_discards,
    deadwood,
    gin_or_better,
    in_best_melding,
    linked,
    lowest,
    meldable,
    outs,
    points,
    popcount,
    take_if,
    value,
)
from simgin.toolkit.lanes import real_lanes, whole_lanes

BLENDS = 9  # mixtures, for a probability of 0, 1/8 .. 1 that the opponent knocks immediately
WON, MEANS, TURNS = 5, 16, 16  # shape of the table of that probability
TOO_HIGH = 1e9
# Maximum extra deadwood of a candidate discard
MARGIN, LONE_MARGIN = 6, 10  # the second is for a card without a partner
COUNTS, KNOCK_TURNS, OF_KNOCK = 11, 16, 5
OF_TAKE = 7
# Offsets in the weights of a blend
KNOCKS = STAGES * SIZE
KNOCK_EXTRA = KNOCKS + KNOCK_TURNS * COUNTS
TAKES = KNOCK_EXTRA + STAGES * OF_KNOCK
ALL = TAKES + STAGES * OF_TAKE
KINDS = BLENDS * ALL  # offset of the table of the opponent's probability
EACH = KINDS + WON * MEANS * TURNS
# Offsets of the weights that were learned under each kind of rules
EAAI, RUSH, TEDESCO, DICE, ALL_RULES = (i * EACH for i in range(5))


@helper
def learned_under(rules):
    """Return the offset of the weights that were learned under the most similar rules."""
    if rules.goal == GOAL_DEALS:
        return DICE
    if rules.rush_premium:
        return RUSH
    return TEDESCO if rules.ace_runs == CORNER and rules.knock_by_upcard else EAAI


@helper
def likely_hasty(view, rules, params):
    """Return the probability, 0..8 eighths, that the opponent knocks immediately.

    It depends on the deals that the opponent won in this match, on their mean points, and on the
    length of the present deal.
    """
    won = min(view.other_deals, WON - 1)
    mean = 0
    if won > 0:
        mean = min(MEANS - 1, view.other_points // (3 * view.other_deals))
    turn = min(view.own_turn, TURNS) - 1
    table = learned_under(rules) + KINDS
    return int(params[table + (won * MEANS + mean) * TURNS + turn])


@helper
def blend(view, rules, params):
    """Return the offset of the current blend of weights."""
    return learned_under(rules) + ALL * likely_hasty(view, rules, params)


@inlined
def weights_of(first, view, params):
    """Return the feature weights of this stage in the blend at offset `first`."""
    return vector_at(params.ctypes.data + 8 * (first + SIZE * stage(view.own_turn)), SIZE)


@helper
def weights_in_force(view, rules, params):
    """Return the feature weights of this stage, (N_FEATURES,) float64."""
    return weights_of(blend(view, rules, params), view, params)


@inlined
def priced(legal, view, rules, weights, cards, costs):
    """Write the candidate discards and their costs to lanes; return the number of candidates.

    Candidates are legal discards that leave little more than the least deadwood.
    """
    ranks, tens, loose, counts = whole_lanes(), whole_lanes(), whole_lanes(), whole_lanes()
    melded = meldable(view.hand, rules)
    by_rank, by_suit = linked(view.hand & ~melded)
    linked_or_melded = by_rank | by_suit | melded
    plain = view.best & ~melded  # discarding one of these lowers the deadwood by its value
    whole = view.least + value(lowest(plain), rules) if plain else deadwood(view.hand, rules)
    n = 0
    while legal:
        one, card = legal & -legal, lowest(legal)
        legal ^= one
        ten = view.hand ^ one
        count, left = whole - value(card, rules), ten & ~melded
        most = view.least + (MARGIN if one & linked_or_melded else LONE_MARGIN)
        if one & melded:
            left = ten & ~meldable(ten, rules)
            if points(left, rules) > most:
                continue
            count = deadwood(ten, rules)
        cards[n], ranks[n], tens[n], loose[n], counts[n] = card, card % 13, ten, left, count
        n += count <= most
    around = looked_around(view)
    discard_costs(n, cards, ranks, tens, loose, counts, around, view, rules, weights, costs)
    return n


@helper
def cheapest(legal, view, rules, params):
    """Return the legal discard with the lowest cost."""
    cards, costs = whole_lanes(), real_lanes()
    weights = weights_in_force(view, rules, params)
    best, least = -1, TOO_HIGH
    for i in range(priced(legal, view, rules, weights, cards, costs)):
        if costs[i] < least:
            best, least = cards[i], costs[i]
    return best


@discard(name="champion", weights="champion.npy")
def champion_discard(view, rules, params):
    """Make the discard with the lowest cost."""
    return cheapest(view.legal, view, rules, params)


@helper
def describe_knock(view, rules):
    """Return the N_KNOCK_FEATURES features of a knock, except its turn and deadwood."""
    ten = view.hand
    if view.ending_card >= 0:
        ten &= ~(1 << view.ending_card)
    loose = ten & ~meldable(ten, rules)
    n = popcount(loose)
    new = outs(loose, rules) & view.unseen
    fits = outs(ten, rules) & view.unseen & ~new
    few, many = (popcount(new), 0) if n <= 3 else (0, popcount(new))
    alone = popcount(fits) if n <= 1 else 0
    return 1.0 * few, 1.0 * alone, 1.0 * popcount(view.known), 1.0 * many, 1.0 * (n <= 2)


@helper
def knock_gain(view, rules, params):
    """Return the gain from knocking instead of continuing."""
    x = describe_knock(view, rules)
    first = blend(view, rules, params)
    turn = min(view.own_turn, KNOCK_TURNS) - 1
    gain = params[first + KNOCKS + turn * COUNTS + min(view.ending_count, COUNTS - 1)]
    at = first + KNOCK_EXTRA + OF_KNOCK * stage(view.own_turn)
    for i in range(OF_KNOCK):
        gain += x[i] * params[at + i]
    return gain


@knock(name="champion", weights="champion.npy")
def champion_knock(view, rules, params):
    """Knock with gin or on the last discard, and otherwise by a table and the outs."""
    if gin_or_better(view) or view.phase == LAST:
        return True
    return knock_gain(view, rules, params) > 0


@helper
def describe_take(view, rules, weights):
    """Return the N_TAKE_FEATURES features of taking the card on offer.

    They are all 0 if the card saves no deadwood.

    Args:
        view: What the player can see.
        rules: The rules.
        weights: Feature weights of this stage.
    """
    eleven = view.hand | 1 << view.taken_offer
    after, best = best_discards(eleven, view.hand, rules)
    if after >= view.count:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    tens, loose, counts, costs = whole_lanes(), whole_lanes(), whole_lanes(), real_lanes()
    tens[0], counts[0] = view.hand, view.count  # the present hand, then the hands after taking
    n = 1
    while best:
        tens[n], counts[n] = eleven & ~(best & -best), after
        best &= best - 1
        n += 1
    for i in range(n):
        loose[i] = tens[i] & ~meldable(tens[i], rules)
    hand_costs(n, tens, loose, counts, looked_around(view), view, rules, weights, costs)
    least = TOO_HIGH
    for i in range(1, n):
        least = min(least, costs[i])
    melds = 1.0 * in_best_melding(view.hand, view.taken_offer, rules)
    saved, gin, low = 1.0 * (view.count - after), 1.0 * (after == 0), 1.0 * (after <= 10)
    return 1.0, melds, saved, melds * gin, melds * saved, low, costs[0] - least


@helper
def take_gain(view, rules, params):
    """Return the gain from taking the card on offer; 0 if it saves no deadwood."""
    first = blend(view, rules, params)
    x = describe_take(view, rules, weights_of(first, view, params))
    at = first + TAKES + OF_TAKE * stage(view.own_turn)
    gain = 0.0
    for i in range(OF_TAKE):
        gain += x[i] * params[at + i]
    return gain


@take(name="champion", weights="champion.npy")
def champion_take(view, rules, params):
    """Take a card that lowers the deadwood if the weights show a gain."""
    return take_if(take_gain(view, rules, params) > 0, view.legal)


CHAMPION = Strategy(
    "champion",
    take=champion_take,
    discard=champion_discard,
    knock=champion_knock,
    offer=by_value,
    answer=by_value_answer,
)

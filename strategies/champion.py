"""Champion: weighs what a hand may become against what a discard gives away, by learned weights.

Every discard that leaves little more deadwood than need be has a price: the sum of 64 named numbers
of the ten cards kept and of the card given away (strategies/_champion.py), each times a weight that
depends on the stage of the deal. The cheapest is made. Whether to knock is looked up by turn and
deadwood and set right by the outs, and a card on offer is taken if that gains by the same weights.

There are two sets of weights: one for opponents who knock at once, one for those who wait for gin.
They are mixed by the probability that the opponent is of the first kind, which follows from how
many deals the opponent has won in this match, with how many points, and from how long this deal
lasts.

training/champion.py learned all of it from deals that were played on with each answer in the same
world: under the rules of the EAAI challenge, and again under those of Gin Rush, Tedesco Gin and
Gin Dice. Other rules get the weights of those that are most like them. The die is used as
`dice-player` uses it.

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

BLENDS = 9  # of the two sets of weights: a chance of 0, 1/8 .. 1 that the opponent knocks at once
WON, MEANS, TURNS = 5, 16, 16  # cells of the table of that chance
TOO_HIGH = 1e9
# Only discards are weighed that leave at most so much above the least deadwood
MARGIN, LONE_MARGIN = 6, 10  # the second for a card without a partner
COUNTS, KNOCK_TURNS, OF_KNOCK = 11, 16, 5
OF_TAKE = 7
# Where the numbers of a blend begin
KNOCKS = STAGES * SIZE
KNOCK_EXTRA = KNOCKS + KNOCK_TURNS * COUNTS
TAKES = KNOCK_EXTRA + STAGES * OF_KNOCK
ALL = TAKES + STAGES * OF_TAKE
KINDS = BLENDS * ALL  # where the table of the opponent's kind begins
EACH = KINDS + WON * MEANS * TURNS
# Where the numbers begin that were learned under each kind of rules
EAAI, RUSH, TEDESCO, DICE, ALL_RULES = (i * EACH for i in range(5))


@helper
def learned_under(rules):
    """Where the numbers begin that were learned under rules most like these."""
    if rules.goal == GOAL_DEALS:
        return DICE
    if rules.rush_premium:
        return RUSH
    return TEDESCO if rules.ace_runs == CORNER and rules.knock_by_upcard else EAAI


@helper
def likely_hasty(view, rules, params):
    """The probability that the opponent knocks at once, in steps of one eighth: 0..8.

    It follows from the deals that the opponent won in this match, from their mean points, and from
    how long this deal lasts.
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
    """Where the weights in force begin."""
    return learned_under(rules) + ALL * likely_hasty(view, rules, params)


@inlined
def weights_of(first, view, params):
    """The weights of the numbers of a discard at this stage in the blend that begins at `first`."""
    return vector_at(params.ctypes.data + 8 * (first + SIZE * stage(view.own_turn)), SIZE)


@helper
def weights_in_force(view, rules, params):
    """The weights of the numbers of a discard at this stage: float64 (SIZE,)."""
    return weights_of(blend(view, rules, params), view, params)


@inlined
def priced(legal, view, rules, weights, cards, costs):
    """Write the legal discards that leave little more than need be to lanes, and what they cost.

    Returns their number.
    """
    ranks, tens, loose, counts = whole_lanes(), whole_lanes(), whole_lanes(), whole_lanes()
    melded = meldable(view.hand, rules)
    by_rank, by_suit = linked(view.hand & ~melded)
    linked_or_melded = by_rank | by_suit | melded
    plain = view.best & ~melded  # discarding one of these saves its whole value
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
    """The discard of least cost among the legal ones."""
    cards, costs = whole_lanes(), real_lanes()
    weights = weights_in_force(view, rules, params)
    best, least = -1, TOO_HIGH
    for i in range(priced(legal, view, rules, weights, cards, costs)):
        if costs[i] < least:
            best, least = cards[i], costs[i]
    return best


@discard(name="champion", weights="champion.npy")
def champion_discard(view, rules, params):
    """Make the discard of least cost."""
    return cheapest(view.legal, view, rules, params)


@helper
def describe_knock(view, rules):
    """The numbers of a knock, beside its turn and count: OF_KNOCK of them."""
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
    """What knocking now is worth more than playing on."""
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
    """Knock with gin or the last discard, and otherwise if the table and the outs say so."""
    if gin_or_better(view) or view.phase == LAST:
        return True
    return knock_gain(view, rules, params) > 0


@helper
def describe_take(view, rules, weights):
    """The numbers of taking the card on offer: OF_TAKE of them, all 0 if it saves no deadwood.

    weights: those of a discard in force.
    """
    eleven = view.hand | 1 << view.taken_offer
    after, best = best_discards(eleven, view.hand, rules)
    if after >= view.count:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    tens, loose, counts, costs = whole_lanes(), whole_lanes(), whole_lanes(), real_lanes()
    tens[0], counts[0] = view.hand, view.count  # as it is, then as it may become
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
    """What taking the card on offer is worth more than leaving it; 0 if it saves no deadwood."""
    first = blend(view, rules, params)
    x = describe_take(view, rules, weights_of(first, view, params))
    at = first + TAKES + OF_TAKE * stage(view.own_turn)
    gain = 0.0
    for i in range(OF_TAKE):
        gain += x[i] * params[at + i]
    return gain


@take(name="champion", weights="champion.npy")
def champion_take(view, rules, params):
    """Take what lowers the count, if that gains by the weights."""
    return take_if(take_gain(view, rules, params) > 0, view.legal)


CHAMPION = Strategy(
    "champion",
    take=champion_take,
    discard=champion_discard,
    knock=champion_knock,
    offer=by_value,
    answer=by_value_answer,
)

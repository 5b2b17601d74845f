"""Advice of books and players as sets of acceptable cards and actions.

docs/reference/strategies/advice.md describes the policies. A discard policy adds a penalty to
the deadwood after each discard; `p` is the information of the player.
"""

from ..melds import PACK, RANKS
from .discard import melds_through_rank, three_card_melds
from .take import answer

HIGH = "TJQK"


def by_price(prices):
    """Return the discard policy of a rule that assigns penalties."""

    def policy(p, **values):
        return {thrown(p, prices(p, **values))}

    return policy


def thrown(p, prices):
    """Return the legal card with least deadwood plus penalty, then the highest, then the first."""

    def cost(card):
        left = p.count(p.hand - {card}) + prices.get(card, 0)
        return left, -p.pip(card), PACK.index(card)

    return min(p.legal, key=cost)


def loose(p):
    return p.loose(p.hand)[-1]


def completers(p, one, other):
    both = {one, other}
    return {card for meld in three_card_melds(p.rules) if both < meld for card in meld} - both


def partners(p, card):
    return [other for other in loose(p) if other != card and completers(p, card, other)]


def unpaired(p):
    return [card for card in loose(p) if not partners(p, card)]


def near(card, span=2):
    """Return True for the same rank, or the same suit within `span` ranks (no corner)."""
    beside = [c for c in PACK if c[1] == card[1] and abs(gap(c, card)) <= span]
    return {*beside, *(c for c in PACK if c[0] == card[0])} - {card}


def gap(card, other):
    return RANKS.index(card[0]) - RANKS.index(other[0])


def melds_through(p, card, others):
    return sum(card in meld and meld - {card} <= others for meld in three_card_melds(p.rules))


def worth_holding(p, live):
    best = {
        card: max((len(completers(p, card, o) & p.unseen) for o in partners(p, card)), default=-1)
        for card in loose(p)
    }
    return [card for card in best if best[card] >= live]


def priced(cards, price):
    return dict.fromkeys(cards, price)


# Discards


@by_price
def high_first(p, cost):
    return priced(set(p.hand) - set(unpaired(p)), cost)


@by_price
def high_late(p, until, cost):
    return priced([card for card in p.hand if card[0] in HIGH and p.turn < until], cost)


@by_price
def many_high(p, many, hold):
    paired = set(loose(p)) - set(unpaired(p))
    return priced(paired if sum(card[0] in HIGH for card in loose(p)) < many else [], hold)


@by_price
def triangle(p, until, cost):
    high = sorted((card for card in loose(p) if card[0] in HIGH), key=PACK.index)
    found = []
    for corner in high:
        mates = [c for c in high if c[0] == corner[0] and c != corner]
        beside = [c for c in high if c[1] == corner[1] and abs(gap(c, corner)) == 1]
        if mates and beside:
            three = [corner, mates[0], beside[0]]
            found.append((-RANKS.index(corner[0]), PACK.index(corner), three))
    return priced(min(found)[2] if found and p.turn < until else [], cost)


@by_price
def keep_low(p, rank, cost):
    return priced([card for card in loose(p) if card[0] in RANKS[:rank]], cost)


@by_price
def keep_low_late(p, rank, turn, taken, cost):
    late = p.turn >= turn or len(p.known) >= taken
    low = [card for card in p.hand if late and card[0] in RANKS[:rank]]
    return priced([card for card in low if near(card, 1) & p.known], cost)


@by_price
def inside_pairs(p, weight, inside):
    def worth(card):
        gaps = [abs(gap(card, other)) for other in partners(p, card)]
        return sum(1 if ranks in (0, 1, 12) else inside for ranks in gaps)

    return {card: weight * worth(card) for card in loose(p)}


@by_price
def dead_pairs_first(p, bonus):
    paired = {*loose(p)} - {*unpaired(p)}
    return priced(paired - {*worth_holding(p, 1)}, -bonus)


@by_price
def break_pairs(p, live, until, cost):
    return priced(worth_holding(p, live) if p.turn < until else [], cost)


@by_price
def middle(p, weight, seven):
    return {
        card: weight * (melds_through_rank(card) - 4) + seven * (card[0] == "7")
        for card in loose(p)
    }


@by_price
def safe_neighbour(p, cost, ignore_first):
    evidence = p.shed - set(p.his[:ignore_first])
    return priced([card for card in p.hand if not near(card) & evidence], cost)


@by_price
def bait_shy(p, cost):
    return priced([card for card in p.hand if p.his and {*card} & {*p.his[-1]}], cost)


@by_price
def suit_order(p, neighbour, same):
    prices = {}
    for card in p.hand if p.his else []:
        ranks = abs(gap(card, p.his[-1]))
        other_suit = card[1] != p.his[-1][1]
        prices[card] = -same if ranks == 0 else -neighbour if ranks == 1 and other_suit else 0
    return prices


@by_price
def starve(p, cost):
    return priced([card for card in p.hand if near(card) & p.known], cost)


def open_to_him(p, early):
    unwanted = {c for thrown in p.his[:early] for c in {thrown} | near(thrown, 1)}
    return p.known | p.unseen - unwanted


@by_price
def live_melds(p, weight, early):
    return {card: weight * melds_through(p, card, open_to_him(p, early)) for card in p.hand}


@by_price
def growing_safety(p, base, turn, count):
    price = base + turn * p.turn + count * p.own_count
    return {card: price * melds_through(p, card, p.unseen | p.known) for card in p.hand}


@by_price
def lay_off_late(p, turn, cost):
    late = p.hand if p.turn >= turn else []
    return priced([card for card in late if melds_through(p, card, p.unseen)], cost)


@by_price
def wild(p, turn, cost):
    return priced([card for card in p.hand if p.turn >= turn and near(card) <= p.unseen], cost)


@by_price
def bait(p, e, until, cost):
    plain = thrown(p, {})
    if p.turn > until or p.noise >= e * 2**53:
        return priced([plain], -1000)

    def melds_then(card, u):
        return any(u in meld for meld in p.melds(p.hand - {card} | {u}))

    most = p.count(p.hand - {plain}) + cost
    cheap = [card for card in p.legal if p.count(p.hand - {card}) <= most]
    baits = [card for card in cheap if any(melds_then(card, u) for u in near(card) & p.unseen)]
    return priced(baits or [plain], -1000)


@by_price
def tonic(p, pair, live, until, middle, seven, danger, early):
    held = worth_holding(p, live) if p.turn < until else []

    def price(card):
        mine = pair * (card in held) + middle * (melds_through_rank(card) - 4)
        his = danger * melds_through(p, card, open_to_him(p, early))
        return mine + seven * (card[0] == "7") + his

    return {card: price(card) for card in p.hand}


# Taking


def change(p):
    return min(p.count(p.hand - {out} | {p.offer}) for out in p.hand) - p.own_count


def speculate(p, until, count, partials):
    both_ways = sum(len(completers(p, p.offer, other) & p.unseen) >= 2 for other in loose(p))
    early = p.turn <= until or p.own_count >= count
    return answer(p, change(p) < 0 or (early and both_ways >= partials))


def upcard(p):
    return answer(p, change(p) < 0 or (p.phase == 0 and p.seat != p.dealer))


def deny(p, held, cost):
    denied = any(len(two & p.known) >= held for two in pairs_of_his(p, p.offer))
    return answer(p, change(p) < 0 or (change(p) <= cost and denied))


def pairs_of_his(p, card):
    """Yield the other two cards of each meld of three with a card the opponent may hold."""
    held = p.known | p.unseen
    melds = three_card_melds(p.rules)
    return [meld - {card} for meld in melds if card in meld and meld - {card} <= held]


# Looking ahead


def hazard(p, margin, **values):
    """Return the cards with the least expected cost, equal within 1e-9."""
    left = {card: p.count(p.hand - {card}) for card in p.legal}
    few = [card for card in left if left[card] <= min(left.values()) + margin]
    costs = {card: hazard_cost(p, card, left[card], **values) for card in few}
    return {card for card in few if costs[card] <= min(costs.values()) + 1e-9}


def hazard_cost(p, card, count, share, turns, fade, first, slope, opponent):
    ten = p.hand - {card}
    # in solitaire games, no opponent holds a card, and the drawn card may be discarded
    two = p.row["players"] == 2
    held = max(0, 10 - len(p.known)) / max(1, len(p.unseen)) if two else 0
    drawn = sorted(min(p.count(ten - {out} | {u}) for out in ten) for u in p.unseen)
    drawn = [min(best, count) for best in drawn]
    wanted = max(1.0, share * len(drawn))
    whole = int(wanted)
    part = (wanted - whole) * (drawn[whole] if whole < len(drawn) else 0)
    mean = (sum(drawn[:whole]) + part) / wanted
    expected, alive, gain = 0.0, 1.0, count - mean
    for i in range(turns):
        ends = min(1, max(0, slope * (p.turn + i - first)))
        expected += alive * ends * count
        alive *= 1 - ends
        count, gain = max(0, count - gain), gain * fade
    help_ = sum(
        held ** len(pair - p.known) * sum(map(p.pip, pair)) for pair in pairs_of_his(p, card)
    )
    return expected + alive * count + opponent * help_

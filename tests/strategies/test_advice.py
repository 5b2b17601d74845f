"""Rules of thumb against plain-Python twins, and on positions made from their advisers' words."""

from functools import cache
from types import SimpleNamespace

import pytest

from oracles import twin
from simgin.checks import contract_process
from simgin.core.view import new_view
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import compiler, loader
from simgin.text import notation
from support.shown import with_best

GAMES = (
    "eaai",
    "round-the-corner",
    "tedesco",
    "solitary-gin",
)  # aces low, round the corner and dear; nines for five; one player
VIEWS = 60  # of each game and slot
PACK = (1 << 52) - 1
RANKS, HIGH = "A23456789TJQK", "TJQK"


def policy(slot, text):
    return loader.find(f"gold+{slot}={text}").policy(slot)


def answer(slot, text, view, rules):
    chosen = policy(slot, text)
    if slot == "discard":
        with_best(view, rules)
    return int(compiler.hook(chosen)(view, rules, compiler.vector(chosen)))


# What the twins see: cards as text, nothing shared with the policies.


def names(mask):
    return notation.hand_text(int(mask)).split()


@cache
def three_card_melds(ace_runs):
    """The sets and runs of three cards; rainbows have four."""
    return [
        meld for meld in twin.all_melds({"ace_runs": ace_runs, "rainbow": False}) if len(meld) == 3
    ]


def seen(view, game):
    """A view for the twin."""
    row = variants.find(game).row
    hand = names(view.hand)
    rows = [view.history[i] for i in range(int(view.turns))]
    his = [notation.card_text(int(r[3])) for r in rows if r[0] != view.seat and r[3] >= 0]
    left = (
        {
            card: twin.deadwood([c for c in hand if c != card], row)
            for card in names(view.legal & PACK)
        }
        if len(hand) == 11
        else {}
    )
    return SimpleNamespace(
        row=row,
        hand=hand,
        legal=names(view.legal & PACK),
        unseen=set(names(view.unseen)),
        known=set(names(view.known)),
        shed=set(names(view.shed)),
        turn=int(view.own_turn),
        count=int(view.count),
        his=his,
        noise=int(view.noise),
        value=twin.card_values(row, "stopper"),
        melds=three_card_melds(row["ace_runs"]),
        left=left,
        best=twin.optimal_meldings(hand, row),
    )


def thrown(position, prices):
    """The legal card with least deadwood plus price; ties: the dearest, then the first card."""
    p = position
    return min(
        p.legal,
        key=lambda card: (
            p.left[card] + prices.get(card, 0),
            -p.value[card],
            notation.parse_card(card),
        ),
    )


def loose(p):
    return [
        card
        for card in p.hand
        if any(all(card not in meld for meld in melding) for melding in p.best)
    ]


def completers(p, one, other):
    return {card for meld in p.melds if one in meld and other in meld for card in meld} - {
        one,
        other,
    }


def partners(p, card):
    return [other for other in loose(p) if other != card and completers(p, card, other)]


def unpaired(p):
    return [card for card in loose(p) if not partners(p, card)]


def near(card, span=2):
    """Same rank, or same suit within `span` ranks, without going round the corner."""
    r = RANKS.index(card[0])
    return {
        c
        for c in twin.PACK
        if c != card
        and (c[0] == card[0] or (c[1] == card[1] and abs(RANKS.index(c[0]) - r) <= span))
    }


def melds_through(p, card, others):
    return sum(card in meld and set(meld) - {card} <= set(others) for meld in p.melds)


def in_melds_of_the_line(card):
    edge = min(RANKS.index(card[0]), 12 - RANKS.index(card[0]))
    return 4 if edge == 0 else 5 if edge == 1 else 6


def worth_holding(p, live):
    best = {
        card: max((len(completers(p, card, o) & p.unseen) for o in partners(p, card)), default=-1)
        for card in loose(p)
    }
    return [card for card in best if best[card] >= live]


def priced(cards, price):
    return dict.fromkeys(cards, price)


# The rules


def high_first(p, cost):
    return priced(set(p.hand) - set(unpaired(p)), cost)


def high_late(p, until, cost):
    return priced([card for card in p.hand if card[0] in HIGH and p.turn < until], cost)


def many_high(p, many, hold):
    paired = set(loose(p)) - set(unpaired(p))
    return priced(paired if sum(card[0] in HIGH for card in loose(p)) < many else [], hold)


def triangle(p, until, cost):
    high = sorted((card for card in loose(p) if card[0] in HIGH), key=notation.parse_card)
    found = []
    for corner in high:
        mates = [c for c in high if c[0] == corner[0] and c != corner]
        beside = [
            c
            for c in high
            if c[1] == corner[1] and abs(RANKS.index(c[0]) - RANKS.index(corner[0])) == 1
        ]
        if mates and beside:
            found.append(
                (
                    -RANKS.index(corner[0]),
                    notation.parse_card(corner),
                    [corner, mates[0], beside[0]],
                )
            )
    return priced(min(found)[2] if found and p.turn < until else [], cost)


def keep_low(p, rank, cost):
    return priced([card for card in loose(p) if card[0] in RANKS[:rank]], cost)


def keep_low_late(p, rank, turn, taken, cost):
    late = p.turn >= turn or len(p.known) >= taken
    return priced(
        [card for card in p.hand if late and card[0] in RANKS[:rank] and near(card, 1) & p.known],
        cost,
    )


def inside_pairs(p, weight, inside):
    def worth(card):
        gaps = [abs(RANKS.index(card[0]) - RANKS.index(other[0])) for other in partners(p, card)]
        return sum(1 if gap in (0, 1, 12) else inside for gap in gaps)

    return {card: weight * worth(card) for card in loose(p)}


def dead_pairs_first(p, bonus):
    dead = [
        card
        for card in loose(p)
        if partners(p, card)
        and not any(completers(p, card, o) & p.unseen for o in partners(p, card))
    ]
    return priced(dead, -bonus)


def break_pairs(p, live, until, cost):
    return priced(worth_holding(p, live) if p.turn < until else [], cost)


def middle(p, weight, seven):
    return {
        card: weight * (in_melds_of_the_line(card) - 4) + seven * (card[0] == "7")
        for card in loose(p)
    }


def safe_neighbour(p, cost, ignore_first):
    evidence = p.shed - set(p.his[:ignore_first])
    return priced([card for card in p.hand if not near(card) & evidence], cost)


def bait_shy(p, cost):
    return priced(
        [card for card in p.hand if p.his and (card[0] == p.his[-1][0] or card[1] == p.his[-1][1])],
        cost,
    )


def suit_order(p, neighbour, same):
    prices = {}
    for card in p.hand if p.his else []:
        gap = abs(RANKS.index(card[0]) - RANKS.index(p.his[-1][0]))
        prices[card] = (
            -same if gap == 0 else -neighbour if gap == 1 and card[1] != p.his[-1][1] else 0
        )
    return prices


def starve(p, cost):
    return priced([card for card in p.hand if near(card) & p.known], cost)


def open_to_him(p, early):
    unwanted = {c for thrown in p.his[:early] for c in {thrown} | near(thrown, 1)}
    return p.known | p.unseen - unwanted


def live_melds(p, weight, early):
    return {card: weight * melds_through(p, card, open_to_him(p, early)) for card in p.hand}


def growing_safety(p, base, turn, count):
    price = base + turn * p.turn + count * p.count
    return {card: price * melds_through(p, card, p.unseen | p.known) for card in p.hand}


def lay_off_late(p, turn, cost):
    return priced(
        [card for card in p.hand if p.turn >= turn and melds_through(p, card, p.unseen)], cost
    )


def wild(p, turn, cost):
    return priced([card for card in p.hand if p.turn >= turn and near(card) <= p.unseen], cost)


def bait(p, e, until, cost):
    plain = thrown(p, {})
    if p.turn > until or p.noise >= e * 2**53:
        return priced([plain], -1000)

    def melds_then(card, u):
        return any(
            u in meld for meld in twin.melds_in([*(c for c in p.hand if c != card), u], p.row)
        )

    near_wanted = [
        card for card in p.legal if any(melds_then(card, u) for u in near(card) & p.unseen)
    ]
    baits = [card for card in near_wanted if p.left[card] <= p.left[plain] + cost]
    return priced(baits or [plain], -1000)


def tonic(p, pair, live, until, middle, seven, danger, early):
    held = worth_holding(p, live) if p.turn < until else []
    mine = {
        card: pair * (card in held)
        + middle * (in_melds_of_the_line(card) - 4)
        + seven * (card[0] == "7")
        for card in p.hand
    }
    return {
        card: mine[card] + danger * melds_through(p, card, open_to_him(p, early)) for card in p.hand
    }


DISCARDS = [
    (high_first, {"cost": 10}),
    (high_first, {"cost": 2.5}),
    (high_late, {"until": 4, "cost": 10}),
    (high_late, {"until": 99, "cost": 1.5}),
    (many_high, {"many": 4, "hold": 3}),
    (many_high, {"many": 2, "hold": 5}),
    (triangle, {"until": 6, "cost": 10}),
    (triangle, {"until": 99, "cost": 3.5}),
    (keep_low, {"rank": 2, "cost": 3}),
    (keep_low, {"rank": 6, "cost": 10}),
    (keep_low_late, {"rank": 5, "turn": 8, "taken": 3, "cost": 3}),
    (keep_low_late, {"rank": 13, "turn": 1, "taken": 1, "cost": 9.5}),
    (inside_pairs, {"weight": 1, "inside": 0.5}),
    (inside_pairs, {"weight": 4, "inside": 0.25}),
    (dead_pairs_first, {"bonus": 0.5}),
    (dead_pairs_first, {"bonus": 6}),
    (break_pairs, {"live": 2, "until": 6, "cost": 3}),
    (break_pairs, {"live": 1, "until": 99, "cost": 8}),
    (middle, {"weight": 0.25, "seven": 0.25}),
    (middle, {"weight": 2, "seven": 1.5}),
    (safe_neighbour, {"cost": 1.5, "ignore_first": 0}),
    (safe_neighbour, {"cost": 4.5, "ignore_first": 2}),
    (bait_shy, {"cost": 1.5}),
    (bait_shy, {"cost": 6}),
    (suit_order, {"neighbour": 2, "same": 1}),
    (suit_order, {"neighbour": 6, "same": 4.5}),
    (starve, {"cost": 3}),
    (starve, {"cost": 99}),
    (live_melds, {"weight": 0.5, "early": 4}),
    (live_melds, {"weight": 1.25, "early": 0}),
    (growing_safety, {"base": 0, "turn": 0.0625, "count": 0.015625}),
    (growing_safety, {"base": 0.25, "turn": 0, "count": 0.03125}),
    (lay_off_late, {"turn": 6, "cost": 1.5}),
    (lay_off_late, {"turn": 1, "cost": 6}),
    (wild, {"turn": 5, "cost": 5.5}),
    (wild, {"turn": 1, "cost": 2}),
    (bait, {"e": 1, "until": 4, "cost": 5}),
    (bait, {"e": 0.5, "until": 99, "cost": 2}),
    (
        tonic,
        {"pair": 3, "live": 2, "until": 5, "middle": 0.25, "seven": 0, "danger": 0.125, "early": 4},
    ),
    (
        tonic,
        {
            "pair": 1.5,
            "live": 1,
            "until": 99,
            "middle": 0.5,
            "seven": 1,
            "danger": 0.25,
            "early": 1,
        },
    ),
]


def form(rule, values):
    settings = ",".join(f"{name}={value}" for name, value in values.items())
    return f"{rule.__name__.replace('_', '-')}:{settings}"


@pytest.fixture(scope="module")
def views():
    """Lawful views by (variant, slot)."""
    found = {game: contract_process.positions(variants.find(game), "best") for game in GAMES}
    return {
        (game, slot): list(found[game][slot][:VIEWS])
        for game in GAMES
        for slot in ("take", "discard")
    }


@pytest.fixture(scope="module")
def positions(views):
    """Every view with the rules of its variant and what the twins see in it."""
    records = {game: build_rules(variants.find(game)) for game in GAMES}
    return {
        place: [(view, records[place[0]], seen(view, place[0])) for view in some]
        for place, some in views.items()
    }


@pytest.mark.parametrize(("rule", "values"), DISCARDS, ids=[form(*one) for one in DISCARDS])
def test_discard_policies_agree_with_their_twins(rule, values, positions):
    moved = 0
    for game in GAMES:
        for view, rules, position in positions[game, "discard"]:
            expected = thrown(position, rule(position, **values))
            found = notation.card_text(answer("discard", form(rule, values), view, rules))
            assert found == expected, (game, notation.hand_text(int(view.hand)))
            moved += expected != thrown(position, {})
    assert moved  # the rule says something else than gold somewhere


# Taking


def lower(p, card):
    return (
        min(twin.deadwood([*(c for c in p.hand if c != out), card], p.row) for out in p.hand)
        - p.count
    )


def speculate(p, card, view, until, count, partials):
    both_ways = sum(len(completers(p, card, other) & p.unseen) >= 2 for other in loose(p))
    return lower(p, card) < 0 or ((p.turn <= until or p.count >= count) and both_ways >= partials)


def upcard(p, card, view):
    return lower(p, card) < 0 or (view.phase == 0 and view.seat != view.dealer)


def deny(p, card, view, held, cost):
    his = [
        set(meld) - {card}
        for meld in p.melds
        if card in meld and set(meld) - {card} <= p.known | p.unseen
    ]
    return lower(p, card) < 0 or (
        lower(p, card) <= cost and any(len(two & p.known) >= held for two in his)
    )


TAKES = [
    (speculate, {"until": 3, "count": 50, "partials": 2}),
    (speculate, {"until": 99, "count": 50, "partials": 1}),
    (upcard, {}),
    (deny, {"held": 1, "cost": 3}),
    (deny, {"held": 2, "cost": 99}),
]


@pytest.mark.parametrize(("rule", "values"), TAKES, ids=[form(*one).rstrip(":") for one in TAKES])
def test_take_policies_agree_with_their_twins(rule, values, positions):
    moved = 0
    for game in GAMES:
        for view, rules, position in positions.get((game, "take"), []):
            card = notation.card_text(int(view.taken_offer))
            expected = rule(position, card, view, **values)
            no = 2 if int(view.legal) & 4 else 0
            assert answer("take", form(rule, values).rstrip(":"), view, rules) == (
                1 if expected else no
            )
            moved += expected and lower(position, card) >= 0
    assert moved


# Looking ahead


def hazard_costs(p, share, turns, fade, first, slope, opponent, margin):
    held = (
        max(0, 10 - len(p.known)) / max(1, len(p.unseen)) if p.row["players"] == 2 else 0
    )  # alone nobody holds a card
    least = min(p.left.values())
    return {
        card: hazard_cost(p, card, held, share, turns, fade, first, slope, opponent)
        for card in p.legal
        if p.left[card] <= least + margin
    }


def hazard_cost(p, card, held, share, turns, fade, first, slope, opponent):
    ten = [c for c in p.hand if c != card]
    drawn = sorted(
        min(twin.deadwood([*(c for c in ten if c != out), u], p.row) for out in [*ten[1:], ten[0]])
        for u in p.unseen
    )
    drawn = sorted(min(best, p.left[card]) for best in drawn)  # what was drawn may be thrown again
    wanted = max(1.0, share * len(drawn))
    whole = int(wanted)
    mean = (
        sum(drawn[:whole]) + (wanted - whole) * (drawn[whole] if whole < len(drawn) else 0)
    ) / wanted
    expected, alive, count, gain = 0.0, 1.0, p.left[card], p.left[card] - mean
    for i in range(turns):
        ends = min(1, max(0, slope * (p.turn + i - first)))
        expected += alive * ends * count
        alive *= 1 - ends
        count, gain = max(0, count - gain), gain * fade
    his = [
        set(meld) - {card}
        for meld in p.melds
        if card in meld and set(meld) - {card} <= p.known | p.unseen
    ]
    help_ = sum(held ** len(two - p.known) * sum(p.value[c] for c in two) for two in his)
    return expected + alive * count + opponent * help_


def test_hazard_agrees_with_its_twin(positions):
    """The least expected cost; of cards that cost the same within 1e-9 any is accepted."""
    values = {
        "share": 0.35,
        "turns": 8,
        "fade": 0.2,
        "first": 3,
        "slope": 0.06,
        "opponent": 0.1,
        "margin": 6,
    }
    moved = 0
    for game in GAMES:
        for view, rules, position in positions[game, "discard"][:: VIEWS // 4]:
            costs = hazard_costs(position, **values)
            found = notation.card_text(
                answer(
                    "discard",
                    "hazard:" + ",".join(f"{k}={v}" for k, v in values.items()),
                    view,
                    rules,
                )
            )
            assert costs[found] <= min(costs.values()) + 1e-9
            moved += found != thrown(position, {})
    assert moved


# Positions made from the words of the advice; MELDED are six cards that nobody would break.

MELDED = "2S 3S 4S 6H 7H 8H "
STANDARD = build_rules(variants.find("standard"))


def drawn_up(hand, *, known="", shed="", thrown="", turn=1, **fields):
    """A view in the middle of a deal.

    shed: what the opponent took, discarded or declined; thrown: his discards in this order. All
    other cards are unseen.
    """
    view = new_view()
    view.taken = view.drawn = view.ending_card = -1
    view.seat, view.own_turn, view.hand = 0, turn, notation.hand_mask(notation.parse_cards(hand))
    view.legal = view.hand if len(hand.split()) == 11 else 3
    view.known, view.shed = (
        notation.hand_mask(notation.parse_cards(known)),
        notation.hand_mask(notation.parse_cards(f"{shed} {thrown}")),
    )
    for i, card in enumerate(notation.parse_cards(thrown)):
        view.history[2 * i] = (0, 0, -1, 0)
        view.history[2 * i + 1] = (1, 0, -1, card)
    view.turns = 2 * len(thrown.split())
    view.unseen = PACK & ~int(view.hand | view.known | view.shed)
    for field, value in fields.items():
        view[field] = value
    return view


@pytest.mark.parametrize(
    ("text", "hand", "fields", "expected"),
    [
        # high first: the queen has no partner; without the rule a king goes
        ("low", MELDED + "KS KH QD 9C 5D", {}, "KS"),
        ("high-first", MELDED + "KS KH QD 9C 5D", {}, "QD"),
        ("high-first", MELDED + "KS KH 9C 4H TD", {}, "TD"),
        ("high-first:cost=0.5", MELDED + "KS KH 9C AD 5D", {}, "KS"),
        ("high-first", MELDED + "KS KH 9C AD 5D", {}, "9C"),
        # high late: no ten-point card before turn 4
        ("high-late", MELDED + "KS QH JD 9C 5D", {"turn": 3}, "9C"),
        ("high-late", MELDED + "KS QH JD 9C 5D", {"turn": 4}, "KS"),
        # many high: three, and the pair of kings is held; four, and the high ones go, paired or not
        ("many-high", MELDED + "KS KH QD 9C 5D", {}, "QD"),
        ("many-high", MELDED + "KS KH QD JC 5D", {}, "KS"),
        # triangle: KS KH QS stays together until turn 6
        ("triangle", MELDED + "KS KH QS TC 5D", {"turn": 5}, "TC"),
        ("triangle", MELDED + "KS KH QS TC 5D", {"turn": 6}, "QS"),
        ("triangle", MELDED + "KS KH QD TC 5D", {"turn": 5}, "KS"),  # a pair and a stranger
        # low cards: nothing loose but aces and twos, and a run can spare its end
        ("low", "3S 4S 5S 6S 7D 8D 9D 2C 2H AD AH", {}, "2H"),
        ("keep-low", "3S 4S 5S 6S 7D 8D 9D 2C 2H AD AH", {}, "2H"),
        ("keep-low:cost=3", "3S 4S 5S 6S 7D 8D 9D 2C 2H AD AH", {}, "6S"),
        # the opponent near gin has the five of diamonds: the four of diamonds may be laid off there
        ("keep-low-late", "AS 2S 3S 6H 7H 8H 9C TC JC 4D 4C", {"turn": 7, "known": "5D"}, "4D"),
        ("keep-low-late", "AS 2S 3S 6H 7H 8H 9C TC JC 4D 4C", {"turn": 8, "known": "5D"}, "4C"),
        (
            "keep-low-late",
            "AS 2S 3S 6H 7H 8H 9C TC JC 4D 4C",
            {"turn": 2, "known": "5D KD KH"},
            "4C",
        ),
        # pairs: nine and seven of diamonds are half of what queen and jack of clubs are
        ("inside-pairs:weight=4", MELDED + "QC JC 9D 7D 5C", {}, "9D"),
        ("inside-pairs:weight=4,inside=1", MELDED + "QC JC 9D 7D 5C", {}, "JC"),
        ("inside-pairs:weight=0", MELDED + "QC JC 9D 7D 5C", {}, "JC"),
        # dead pairs: both other kings are gone; nine and queen of diamonds are gone
        ("dead-pairs-first", MELDED + "QS QH KD KC 5D", {"shed": "KS KH"}, "KD"),
        ("dead-pairs-first", MELDED + "QS QH KD KC 5D", {"shed": "KS"}, "QS"),
        ("dead-pairs-first", MELDED + "QS QH TD JD 5C", {"shed": "9D QD"}, "TD"),
        # break pairs: two live queens, one, or too late
        ("break-pairs", MELDED + "QS QH 9C 5D AD", {"turn": 5}, "9C"),
        ("break-pairs", MELDED + "QS QH 9C 5D AD", {"turn": 5, "shed": "QD"}, "QS"),
        ("break-pairs", MELDED + "QS QH 9C 5D AD", {"turn": 6}, "QS"),
        # middle: a jack lies in six melds and a king in four; a seven longest
        ("low", MELDED + "JS KD 5D 9C AC", {}, "JS"),
        ("middle", MELDED + "JS KD 5D 9C AC", {}, "KD"),
        ("middle:weight=0,seven=1.5", "2S 3S 4S TH JH QH KD KC KS 7D 6C", {}, "6C"),
        # safe neighbour: he threw the king of hearts
        ("low", MELDED + "JS KD 5D 9C AC", {"thrown": "KH"}, "JS"),
        ("safe-neighbour", MELDED + "JS KD 5D 9C AC", {"thrown": "KH"}, "KD"),
        ("safe-neighbour", MELDED + "JS KD 5D 9C AC", {"thrown": "AH KH"}, "KD"),
        ("safe-neighbour:ignore_first=2", MELDED + "JS KD 5D 9C AC", {"thrown": "AH KH"}, "JS"),
        ("safe-neighbour:ignore_first=2", MELDED + "JS KD 5D 9C AC", {"thrown": "AH 3H KH"}, "KD"),
        # bait: rank and suit of his last discard, not of those before
        ("bait-shy", MELDED + "JS KD 5D 9C AC", {"thrown": "KH JC"}, "KD"),
        ("bait-shy", MELDED + "JS KD 5D 9C AC", {"thrown": "5S"}, "KD"),
        ("bait-shy", MELDED + "JS KD 5D 9C AC", {"thrown": "JC 3H"}, "JS"),
        # after the six of diamonds: a five or seven of another suit, else another six
        (
            "suit-order:neighbour=3,same=2",
            "2H 3H 4H TS JS QS KC AD 7S 6C 8C",
            {"thrown": "6D"},
            "KC",
        ),
        (
            "suit-order:neighbour=3,same=2",
            "2H 3H 4H TS JS QS KS AD 7C 6C 8S",
            {"thrown": "6D"},
            "7C",
        ),
        (
            "suit-order:neighbour=3,same=2",
            "2H 3H 4H TS JS QS KS AD AC 6C 7D",
            {"thrown": "6D"},
            "6C",
        ),
        # starve: he took the nine of diamonds
        ("low", MELDED + "JD QC 5C AD AC", {"known": "9D"}, "JD"),
        ("starve", MELDED + "JD QC 5C AD AC", {"known": "9D"}, "QC"),
        ("starve:cost=10", MELDED + "JD 5C 4H AD AC", {"known": "9D"}, "5C"),
        # live melds: kings are in four melds and queens in five; an early jack of diamonds ends
        # what is near it
        ("low", MELDED + "QS KD 5D 9C AC", {}, "QS"),
        ("live-melds", MELDED + "QS KD 5D 9C AC", {}, "KD"),
        ("live-melds", MELDED + "QS KD 5D 9C AC", {"thrown": "JD"}, "QS"),
        ("live-melds:early=0", MELDED + "QS KD 5D 9C AC", {"thrown": "JD"}, "KD"),
        # growing safety: a five that nobody can use instead of a queen, as turns and own deadwood
        # rise
        (
            "growing-safety:turn=0.25,count=0",
            MELDED + "QS 5D AC AD AH",
            {"turn": 2, "shed": "5S 5H 5C 4D 6D"},
            "QS",
        ),
        (
            "growing-safety:turn=0.25,count=0",
            MELDED + "QS 5D AC AD AH",
            {"turn": 5, "shed": "5S 5H 5C 4D 6D"},
            "5D",
        ),
        (
            "growing-safety:turn=0,count=0.05",
            MELDED + "QS 5D AC AD AH",
            {"count": 10, "shed": "5S 5H 5C 4D 6D"},
            "QS",
        ),
        (
            "growing-safety:turn=0,count=0.05",
            MELDED + "QS 5D AC AD AH",
            {"count": 30, "shed": "5S 5H 5C 4D 6D"},
            "5D",
        ),
        # lay off late: the king of diamonds can only be added to his kings
        (
            "lay-off-late",
            MELDED + "QS KD 5D 9C AC",
            {"turn": 5, "known": "KH KC", "shed": "KS QD"},
            "QS",
        ),
        (
            "lay-off-late",
            MELDED + "QS KD 5D 9C AC",
            {"turn": 6, "known": "KH KC", "shed": "KS QD"},
            "KD",
        ),
        # wild: nothing near the queen of spades has been seen; five points are worth it from turn 5
        # on, six are not
        ("wild", MELDED + "QS KD 5D 9D AC", {"turn": 4, "shed": "KH"}, "QS"),
        ("wild", MELDED + "QS KD 5D 9D AC", {"turn": 5, "shed": "KH"}, "KD"),
        ("wild", MELDED + "QS AC AD 5D AH", {"turn": 5, "shed": "5C"}, "5D"),
        ("wild", MELDED + "QS AC AD 4D AH", {"turn": 5, "shed": "4C"}, "QS"),
        # bait: two eights are held, and the seven of clubs costs three points to make the eight of
        # clubs look safe
        ("bait", "2S 3S 4S 5C 5D 5H 8H 8D KC JD 7C", {"turn": 4}, "7C"),
        ("bait", "2S 3S 4S 5C 5D 5H 8H 8D KC JD 7C", {"turn": 5}, "JD"),
        ("bait:cost=2", "2S 3S 4S 5C 5D 5H 8H 8D KC JD 7C", {"turn": 4}, "JD"),
        ("bait:e=0.25", "2S 3S 4S 5C 5D 5H 8H 8D KC JD 7C", {"turn": 4, "noise": 2**51}, "JD"),
        # tonic: a live pair early, not late
        ("tonic", MELDED + "QS QH 9C 5D AD", {"turn": 3}, "9C"),
        ("tonic", MELDED + "QS QH 9C 5D AD", {"turn": 4}, "QS"),
        # hazard: of a king and a jack the one that completes nothing of his
        ("hazard", MELDED + "KS JD 9H 5D AC", {"known": "QS JS"}, "JD"),
        ("hazard", MELDED + "KS JD 9H 5D AC", {"known": "QD TD"}, "KS"),
    ],
)
def test_discard_policies_follow_their_advisers_words(text, hand, fields, expected):
    assert (
        notation.card_text(answer("discard", text, drawn_up(hand, **fields), STANDARD)) == expected
    )


FORTY = "KS QH JD TC 9S 8D 7H 5C 3D AH"


@pytest.mark.parametrize(
    ("text", "hand", "offer", "fields", "expected"),
    [
        # two two-way beginnings: with the eight of hearts and with the seven of clubs
        ("lower", "2S 3S 4S 8H 7C AD AH AC 5H 5D", "8C", {"count": 25}, 0),
        ("speculate", "2S 3S 4S 8H 7C AD AH AC 5H 5D", "8C", {"count": 25, "turn": 3}, 1),
        ("speculate", "2S 3S 4S 8H 7C AD AH AC 5H 5D", "8C", {"count": 25, "turn": 4}, 0),
        (
            "speculate",
            "2S 3S 4S 8H 7C AD AH AC 5H 5D",
            "8C",
            {"count": 25, "turn": 3, "shed": "9C"},
            0,
        ),
        ("speculate", FORTY, "QD", {"count": 73, "turn": 9}, 1),
        ("speculate:count=74", FORTY, "QD", {"count": 73, "turn": 9}, 0),
        (
            "upcard",
            "2S 3S 4S 8H 7C AD AH AC 5H 5D",
            "KC",
            {"count": 25, "phase": 0, "dealer": 1},
            1,
        ),
        (
            "upcard",
            "2S 3S 4S 8H 7C AD AH AC 5H 5D",
            "KC",
            {"count": 25, "phase": 0, "dealer": 0},
            0,
        ),
        (
            "upcard",
            "2S 3S 4S 8H 7C AD AH AC 5H 5D",
            "KC",
            {"count": 25, "phase": 1, "dealer": 1},
            0,
        ),
        # he has nine and ten of hearts: the jack costs three points (it comes for the eight), the
        # queen is no use to him
        ("deny", "2S 3S 4S 8D 7C AD AH AC 5H 5D", "JH", {"count": 25, "known": "9H TH"}, 1),
        ("deny:cost=1", "2S 3S 4S 8D 7C AD AH AC 5H 5D", "JH", {"count": 25, "known": "9H TH"}, 0),
        ("deny", "2S 3S 4S 8D 7C AD AH AC 5H 5D", "QH", {"count": 25, "known": "9H TH"}, 0),
        ("deny", "2S 3S 4S 8D 7C AD AH AC 5H 5D", "JH", {"count": 25, "known": "9H"}, 0),
        ("deny:held=1", "2S 3S 4S 8D 7C AD AH AC 5H 5D", "JH", {"count": 25, "known": "9H"}, 1),
        (
            "deny:held=1",
            "2S 3S 4S 8D 7C AD AH AC 5H 5D",
            "JH",
            {"count": 25, "known": "9H", "shed": "TH"},
            0,
        ),
    ],
)
def test_take_policies_follow_their_advisers_words(text, hand, offer, fields, expected):
    view = drawn_up(hand, **{"phase": 1, **fields})
    view.taken_offer = notation.parse_card(offer)
    view.unseen &= ~(1 << int(view.taken_offer))
    assert answer("take", text, view, STANDARD) == expected

"""Hidden cards and rollouts of the Monte Carlo strategy `mc`.

A *world* is one possible arrangement of the hidden cards: the opponent's hand and the order of the
stock. A rollout plays a world to the end of the deal with two greedy hands, as if all cards were
known.
"""

import numpy as np

from simgin.core.layoff import MAX_OPTIONS, lay_off
from simgin.core.meldings import MAX_MELDS, melding_shown
from simgin.core.rules import AT_DRAW, BAN_DRAWN, BAN_NONE, GOAL_POINTS
from simgin.core.scoring import score
from simgin.strategy import KNOCK, choice, flag, helper, param
from simgin.toolkit import (
    below,
    best_discards,
    count_after,
    deadwood,
    dearest,
    lowest,
    nth,
    popcount,
    random_word,
)

# Actions; the first three are those of the slot `take`.
STOCK, TAKE, PASS, THROW, END = 0, 1, 2, 3, 4
EITHER = -1  # the source of a draw is free, instead of STOCK or TAKE
TARGET = 100  # match length of the table of win probabilities

NUMBERS = {
    "n": param(64, 1, 100_000, "sampled worlds per question"),
    "patient": flag(True, "in playouts, this player ends the deal only with gin"),
    "developed": choice(
        "yes",
        "draws",
        "no",
        about="opponent's sampled hand: improved to its expected deadwood, best of several, or any",
    ),
    "value": choice(
        "match",
        "points",
        about="what actions are compared by: probability of winning the match, or points",
    ),
    "gate": param(2.0, 0.0, 10.0, "standard errors by which an action must beat gold's choice"),
    "width": param(4, 1, 11, "number of discards considered, those that leave least deadwood"),
}
N, PATIENT, DEVELOPED, VALUE, GATE, WIDTH, TABLE = range(7)  # indices of `params`
GROWN, DRAWS, ANY = 0, 1, 2  # values of `developed`

# Mean deadwood of a hand that waits for gin, by the length of the discard pile
# (jdh8/gin-rummy-engine).
EXPECTED = (
    (53, 50, 43, 38, 34, 30, 27, 24, 21, 19, 17, 15, 13, 12, 10)
    + (9, 8, 8, 7, 6, 6, 5, 5, 5, 4, 4, 4, 4, 4, 3)
)  # fmt: skip
SWAPS = 64  # attempts to bring a hand to its expected deadwood
FIRST_BATCH = 32  # worlds before the first check for inferior actions; doubled at each check


# Worlds


@helper
def _some_of(pool, k, seed, stream):
    """Return a mask of k random cards of the pool, and move them to its front in random order."""
    cards = 0
    for i in range(k):
        j = i + below(pool.shape[0] - i, random_word(seed, stream))
        pool[i], pool[j] = pool[j], pool[i]
        cards |= 1 << pool[i]
    return cards


@helper
def _grown(hidden, known, aim, pool, seed, stream, rules):
    """Return hidden cards after random swaps that bring the deadwood closer to `aim`."""
    off = abs(deadwood(known | hidden, rules) - aim)
    size = popcount(hidden)
    for _ in range(SWAPS):
        if off == 0 or size == 0:
            break
        word = random_word(seed, stream)
        new = 1 << pool[below(pool.shape[0], word & 0xFFFF0000)]
        if hidden & new:
            continue
        swapped = hidden & ~(1 << nth(hidden, below(size, (word & 0xFFFF) << 16))) | new
        left = abs(deadwood(known | swapped, rules) - aim)
        if left < off:
            hidden, off = swapped, left
    return hidden


@helper
def _hidden_hand(view, rules, developed, pool, stream):
    """Return the opponent's sampled hidden cards.

    They are a random draw, or the best of as many draws as the pile has cards, or that best draw
    improved to the expected deadwood.
    """
    missing = 10 - popcount(view.known)
    pile = popcount(view.pile)
    hidden = _some_of(pool, missing, view.noise, stream)
    if developed == ANY:
        return hidden
    for _ in range(pile - 1):
        other = _some_of(pool, missing, view.noise, stream)
        if deadwood(view.known | other, rules) < deadwood(view.known | hidden, rules):
            hidden = other
    if developed == DRAWS:
        return hidden
    return _grown(hidden, view.known, EXPECTED[min(pile, 29)], pool, view.noise, stream, rules)


@helper
def imagine(view, rules, developed, pool, stream, stock):
    """Sample one world; return the opponent's hand as a mask.

    The stock is written to `stock`, next card first.
    """
    hidden = _hidden_hand(view, rules, developed, pool, stream)
    _some_of(pool, pool.shape[0], view.noise, stream)
    n = 0
    for i in range(pool.shape[0]):
        if not hidden >> pool[i] & 1:
            stock[n] = pool[i]
            n += 1
    return view.known | hidden


# Playouts


@helper
def _scratch():
    """Return scratch arrays for a showdown: three for the melding, two for the lay-offs."""
    one = (1, 3)
    return (
        np.empty(MAX_MELDS, np.int64),
        np.empty(one, np.int64),
        np.empty(one, np.int64),
        np.empty((3, MAX_OPTIONS), np.int64),
        np.empty((2, 16), np.int64),
    )


@helper
def settle(ten, thrown, own, other, left, view, rules, scratch):
    """Return the points of the player that ends the deal minus those of the opponent.

    Args:
        ten: Hand of the player that ends the deal.
        thrown: Mask of the discard.
        own: Deadwood of `ten`.
        other: Hand of the opponent.
        left: Cards left in the stock.
        view: What the player can see.
        rules: The rules.
        scratch: Result of `_make_scratch`.
    """
    found, keys, rows, options, chains = scratch
    count = deadwood(other, rules)
    if rules.layoff and (own > 0 or rules.layoff_on_gin):
        melding_shown(ten, thrown, -1, -1, rules, found, keys, rows)
        count = lay_off(other, rows[0], rules, options, chains)[0]
    _, won, lost, _ = score(KNOCK, own, count, left, view.multiplier, rules)
    return won - lost


@helper
def play_out(me, him, top, mine, source, stock, left, patient, view, rules, scratch):
    """Roll out a deal with two greedy hands of ten; return own points minus the opponent's.

    Args:
        me: Hand of this player.
        him: Hand of the opponent.
        top: Top card of the pile.
        mine: True if it is this player's turn.
        source: Source of the first draw.
        stock: Cards of the stock, next card first.
        left: Number of cards left in the stock.
        patient: True if this player ends the deal only with gin.
        view: What the player can see.
        rules: The rules.
        scratch: Result of `_make_scratch`.
    """
    size = left
    own, his = deadwood(me, rules), deadwood(him, rules)
    while True:
        hand, before, other = (me, own, him) if mine else (him, his, me)
        eleven = hand
        count, cards = 1 << 20, 0
        if source != STOCK:
            eleven = hand | 1 << top
            count, cards = best_discards(
                eleven, eleven if rules.discard_ban == BAN_NONE else hand, rules
            )
        if source != TAKE and count >= before:
            if left == 0:
                return 0
            eleven = hand | 1 << stock[size - left]
            left -= 1
            if rules.stock_end == AT_DRAW and left <= rules.stock_reserve:
                return 0
            count, cards = best_discards(
                eleven, hand if rules.discard_ban == BAN_DRAWN else eleven, rules
            )
        top = lowest(dearest(cards, rules)[0])
        ten = eleven & ~(1 << top)
        if count <= (0 if mine and patient else view.limit):
            points = settle(ten, 1 << top, count, other, left, view, rules, scratch)
            return points if mine else -points
        if left <= rules.stock_reserve:
            return 0
        if mine:
            me, own = ten, count
        else:
            him, his = ten, count
        mine = not mine
        source = EITHER if rules.take_discard else STOCK


@helper
def outcome(action, card, him, stock, patient, view, rules, scratch):
    """Return own points minus the opponent's after an action in a world."""
    if action == END:
        return settle(
            view.hand & ~(1 << card),
            1 << card,
            view.ending_count,
            him,
            view.stock,
            view,
            rules,
            scratch,
        )
    if action == THROW:
        if view.stock <= rules.stock_reserve:
            return 0
        source = EITHER if rules.take_discard else STOCK
        return play_out(
            view.hand & ~(1 << card),
            him,
            card,
            False,
            source,
            stock,
            view.stock,
            patient,
            view,
            rules,
            scratch,
        )
    mine, source = True, action
    # After the dealer's pass, the nondealer draws; after the nondealer's, the dealer may take.
    if action == PASS:
        wanted = view.seat != view.dealer and count_after(him, view.taken_offer, rules) < deadwood(
            him, rules
        )
        mine = view.seat != view.dealer and not wanted
        source = TAKE if wanted else STOCK
    return play_out(
        view.hand,
        him,
        view.taken_offer,
        mine,
        source,
        stock,
        view.stock,
        patient,
        view,
        rules,
        scratch,
    )


@helper
def worth(points, view, params):
    """Return the value of a deal: its points, or the probability of winning the match."""
    if params[VALUE] == 1 or view.goal != GOAL_POINTS:
        return float(points)
    own = max(0, view.own_points + max(points, 0)) * TARGET // view.target
    other = max(0, view.other_points + max(-points, 0)) * TARGET // view.target
    if own >= TARGET:
        return 1.0
    return 0.0 if other >= TARGET else params[TABLE + own * TARGET + other]


# Comparison


@helper
def _surely_better(a, b, n, gate):
    """Return True if a is better than b over n worlds by more than `gate` standard errors."""
    total, squares = 0.0, 0.0
    for i in range(n):
        total += a[i] - b[i]
        squares += (a[i] - b[i]) ** 2
    mean = total / n
    return mean > 0 and mean * mean * n > gate * gate * (squares / n - mean * mean)


@helper
def _play_worlds(
    values, first, last, alive, actions, cards, pool, stream, stock, view, rules, params, scratch
):
    """Fill values[action, world] for worlds first..last-1 and the actions in the mask `alive`."""
    for w in range(first, last):
        him = imagine(view, rules, params[DEVELOPED], pool, stream, stock)
        for i in range(actions.shape[0]):
            if alive >> i & 1:
                points = outcome(
                    actions[i], cards[i], him, stock, params[PATIENT] > 0, view, rules, scratch
                )
                values[i, w] = worth(points, view, params)


@helper
def _members(cards):
    """Return the cards of a mask as an array."""
    out = np.empty(popcount(cards), np.int64)
    for i in range(out.shape[0]):
        out[i] = lowest(cards)
        cards &= cards - 1
    return out


@helper
def best_action(actions, cards, view, rules, params):
    """Return the index of the best of some actions, compared in the same worlds.

    The first action, gold's, is replaced only by a significantly better one.
    """
    n, k, gate = int(params[N]), actions.shape[0], params[GATE]
    values = np.zeros((k, n))
    pool, stream, scratch = _members(view.unseen), np.zeros(33, np.int64), _scratch()
    stock = np.empty(52, np.int64)
    alive, done = (1 << k) - 1, 0
    while done < n and alive > 1:
        last = min(n, max(FIRST_BATCH, 2 * done))
        _play_worlds(
            values,
            done,
            last,
            alive,
            actions,
            cards,
            pool,
            stream,
            stock,
            view,
            rules,
            params,
            scratch,
        )
        done = last
        for i in range(1, k):
            if _surely_better(values[0], values[i], done, gate):
                alive &= ~(1 << i)
    best, most = 0, 0.0
    for i in range(1, k):
        gain = values[i, :done].sum() - values[0, :done].sum()
        if alive >> i & 1 and gain > most and _surely_better(values[i], values[0], done, gate):
            best, most = i, gain
    return best

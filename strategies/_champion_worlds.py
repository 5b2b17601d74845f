"""The worlds of `champion-mc`: hidden cards as the opponent's play makes them likely, played on.

A *world* is one possible arrangement of the cards that a player does not see (simgin.toolkit.worlds
draws them). In each world every action worth trying is done, and two champions play on to the end
of the deal; one of them knocks at once where the opponent is taken to be of that kind. They see
only what players see.
"""

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import MATCH

from simgin.core.policy import as_hook, vector_at
from simgin.core.position import play_on
from simgin.core.rules import GOAL_DEALS, GOAL_POINTS
from simgin.core.state import KNOCK, STATE
from simgin.core.view import VIEW
from simgin.strategy import LAST, helper, param
from simgin.toolkit import gin_or_better, popcount, random_word, take_if
from simgin.toolkit.worlds import ALL as OF_HANDS
from simgin.toolkit.worlds import SIZE as OF_HAND
from simgin.toolkit.worlds import answered, exchange, set_weights, shuffle_stock, some_of

NUMBERS = {
    "n": param(128, 8, 100_000, "worlds a decision at most; more of them make time cheaper"),
    "spread": param(2.5, 0.1, 20.0, "how far champion's prices may be off, in points"),
    "knock_spread": param(7.5, 0.1, 50.0, "how far its gain of a knock may be off"),
}
N, SPREAD, KNOCK_SPREAD = range(3)  # places in `params`
# Where the weights of champion begin, those of the hands, and the probability of winning by scores
CHAMPION = len(NUMBERS)
HANDS = CHAMPION + player.ALL_RULES
VALUES = HANDS + OF_HANDS
TARGET = 100
DEAL = 25.0  # what a won deal is worth where points do not count
FIRST, THIN = 200, 15  # exchanges before the first hand, and between two
LOOKED = 4  # worlds between two looks at which actions are worth more of them
# The standard deviation between two actions in one world, and as how many worlds that counts
DEVIATION, ASSUMED = 33.0, 16
PRICE = 0.024  # points that a turn played on has to promise, times `n`
TURNS, SETTING_UP = 9.0, 1.1  # that a deal is expected to last; what else a world takes, in turns
AHEAD = 32  # worlds that are thought of at first


# How the deal is played on


@helper
def played_take(view, rules, params):
    """Champion's draw."""
    return take_if(player.take_gain(view, rules, params) > 0, view.legal)


@helper
def played_discard(view, rules, params):
    """Champion's discard."""
    return player.cheapest(view.legal, view, rules, params)


@helper
def played_knock(view, rules, params):
    """Champion's knock; who has no weights knocks at once."""
    if len(params) == 0 or gin_or_better(view) or view.phase == LAST:
        return 1
    return np.int64(player.knock_gain(view, rules, params) > 0)


@helper
def no_offer(view, rules, params):
    """Never offer the die."""
    return 0


@helper
def accept(view, rules, params):
    """Accept the die."""
    return 1


@helper
def first_melding(view, rules, params):
    """Show the melding of least deadwood."""
    return 0


@helper
def seat_champions(state, params, seed):
    """Prepare the engine's state for two champions."""
    state.seed = seed
    state.unit = 0
    state.watched = state.given = state.scripted = state.logged = 0
    state.turns = 0
    size = HANDS - CHAMPION
    address = params.ctypes.data + 8 * CHAMPION
    for who in range(2):
        state.same[who] = 0
        state.noisy[who] = 0
        for slot in range(state.lengths.shape[1]):
            state.vectors[who, slot] = address
            state.lengths[who, slot] = size


@helper
def own_numbers(params):
    """The weights of champion among the numbers of champion-mc."""
    return vector_at(params.ctypes.data + 8 * CHAMPION, HANDS - CHAMPION)


@helper
def worth(state, view, params):
    """What the deal that was played on is worth: MATCH times the probability of winning the match.

    Where points do not win the match: the points, or DEAL for a deal won if only deals count.
    """
    seat = view.seat
    if view.goal == GOAL_DEALS:
        won = (state.winner == seat) - (state.winner == 1 - seat)
        return DEAL * state.stake * won
    if view.goal != GOAL_POINTS:
        return float(state.score[seat] - state.score[1 - seat])
    own = max(0, view.own_points + state.score[seat]) * TARGET // view.target
    other = max(0, view.other_points + state.score[1 - seat]) * TARGET // view.target
    if own >= TARGET:
        return MATCH
    return 0.0 if other >= TARGET else MATCH * params[VALUES + own * TARGET + other]


@helper
def play_world(
    states, views, hand, stock, actions, cards, alive, w, values, turns, view, rules, params
):
    """Write what each action that is still in question is worth in world w, and count its turns."""
    take = as_hook(played_take)
    discard = as_hook(played_discard)
    knock = as_hook(played_knock)
    offer = as_hook(no_offer)
    answer = as_hook(accept)
    show = as_hook(first_melding)
    for i in range(len(actions)):
        if alive >> i & 1:
            play_on(
                states[0], rules, view, hand, stock, actions[i], cards[i], views[0], views[1],
                take, discard, knock, offer, answer, show,
                take, discard, knock, offer, answer, show,
            )  # fmt: skip
            values[i, w] = worth(states[0], view, params)
            turns[i] += states[0].turns - view.turns


# Which action is best


@helper
def estimate(values, i, n, before, spread):
    """(what action i gains over the first, the variance of that in one world) after n worlds.

    before: what champion's weights say it gains, right within `spread`.
    """
    total, squares = 0.0, 0.0
    for w in range(n):
        gain = values[i, w] - values[0, w]
        total += gain
        squares += gain * gain
    scatter = squares - total * total / max(n, 1)
    each = (scatter + ASSUMED * DEVIATION * DEVIATION) / (n + ASSUMED)
    return (before / (spread * spread) + total / each) * variance_after(n, each, spread), each


@helper
def variance_after(n, each, spread):
    """The variance of an estimate by champion's weights and n worlds of variance `each`."""
    return 1.0 / (1.0 / (spread * spread) + n / each)


@helper
def is_worth_more(behind, n, each, spread, cost):
    """Whether as many worlds again, or the first, promise to gain more than they cost.

    behind: what an action trails the best by, or the best leads by. cost: of a world, in points.
    The estimate will move by a normal deviate, and if it overtakes, the rest is gained. So what it
    promises is the unit normal loss of `behind`. That is here 0.4 times a fourth power, right
    within 0.007, without exponentials, so that runs repeat to the byte on any machine.
    """
    more = max(n, AHEAD - n)
    fall = variance_after(n, each, spread) - variance_after(n + more, each, spread)
    moves = np.sqrt(fall)
    left = max(0.0, 1.0 - behind / (3.2 * moves))
    square = left * left
    return 0.4 * moves * square * square > cost * more


@helper
def still_in_question(values, turns, alive, n, before, spread, price):
    """(the actions that are worth more worlds, as bits; the best of all) after n worlds.

    turns: played on with each action so far. price: of a turn, in points. The first action is what
    the others are compared with, and is in no question.
    """
    k = len(before)
    gains, each, costs = np.zeros(k), np.zeros(k), np.zeros(k)
    best, left = 0, np.int64(0)
    for i in range(1, k):
        if alive >> i & 1:
            gains[i], each[i] = estimate(values, i, n, before[i], spread)
            lasts = turns[i] / n if n > 0 else TURNS
            costs[i] = price * (lasts + SETTING_UP)
            if gains[i] > gains[best]:
                best = i
    for i in range(1, k):
        if alive >> i & 1 and i != best:
            behind = gains[best] - gains[i]
            left |= np.int64(is_worth_more(behind, n, each[i], spread, costs[i])) << i
    if best > 0 and (left or is_worth_more(gains[best], n, each[best], spread, costs[best])):
        left |= 1 << best
    return left, best


@helper
def best_action(actions, cards, before, spread, view, rules, params):
    """The place of the best of some actions; before: what each gains over the first, by weights."""
    n, k, price = int(params[N]), len(actions), PRICE / params[N]
    values, turns = np.zeros((k, n + LOOKED)), np.zeros(k)
    alive, best = still_in_question(values, turns, (1 << k) - 1, 0, before, spread, price)
    if alive == 0:
        return best
    states, views = np.empty(1, STATE), np.zeros(2, VIEW)
    seat_champions(states[0], params, view.noise)
    f, weights, stream = np.zeros(OF_HAND), np.zeros(OF_HAND), np.zeros(33, np.int64)
    hasty = player.likely_hasty(view, rules, own_numbers(params)) / (player.BLENDS - 1.0)
    set_weights(weights, view, hasty, params, HANDS)
    declined, thrown = answered(view)
    stock, w, steps = np.zeros(52, np.int64), 0, FIRST
    hidden = some_of(view.unseen, 10 - popcount(view.known), view.noise, stream)
    while alive and w < n:
        for _ in range(LOOKED):
            hidden = exchange(
                hidden, steps, f, weights, declined, thrown, view, rules, view.noise, stream
            )
            steps = THIN
            shuffle_stock(hidden, view, view.noise, stream, stock)
            waits = random_word(view.noise, stream) >= hasty * 4294967296.0
            states[0].lengths[1, KNOCK] = HANDS - CHAMPION if waits else 0
            hand, tried = hidden | view.known, alive | 1
            play_world(
                states, views, hand, stock, actions, cards, tried, w, values, turns,
                view, rules, params,
            )  # fmt: skip
            w += 1
        alive, best = still_in_question(values, turns, alive, w, before, spread, price)
    return best

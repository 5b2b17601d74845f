"""Simulation for `champion-mc`: hidden cards weighted by the opponent's play; rollouts.

A *world* is one possible arrangement of the hidden cards (simgin.toolkit.worlds samples them). In
each world, simgin tries every candidate action and rolls out the deal with two champions. The
opponent knocks immediately in worlds in which it is assumed to be such a player. Both see only what
players can see.
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
N, SPREAD, KNOCK_SPREAD = range(3)  # indices of `params`
# Start of the weights of champion, of those of the hands, and of the win probabilities by scores
CHAMPION = len(NUMBERS)
HANDS = CHAMPION + player.ALL_RULES
VALUES = HANDS + OF_HANDS
TARGET = 100
DEAL = 25.0  # value of a won deal if points do not count
FIRST, THIN = 200, 15  # Metropolis steps before the first hand, and between hands
LOOKED = 4  # worlds between checks of which actions need more
# Prior standard deviation of the difference of two actions in a world, and its weight in worlds
DEVIATION, ASSUMED = 33.0, 16
PRICE = 0.024  # minimum expected gain of a rollout turn in points, times `n`
TURNS, SETTING_UP = 9.0, 1.1  # expected turns of a rollout; the overhead of a world, in turns
AHEAD = 32  # worlds that the first check considers


# Rollout policies


@helper
def played_take(view, rules, params):
    """Return champion's draw."""
    return take_if(player.take_gain(view, rules, params) > 0, view.legal)


@helper
def played_discard(view, rules, params):
    """Return champion's discard."""
    return player.cheapest(view.legal, view, rules, params)


@helper
def played_knock(view, rules, params):
    """Return champion's knock decision; a player without weights knocks immediately."""
    if len(params) == 0 or gin_or_better(view) or view.phase == LAST:
        return 1
    return np.int64(player.knock_gain(view, rules, params) > 0)


@helper
def no_offer(view, rules, params):
    """Return 0: never offer the die."""
    return 0


@helper
def accept(view, rules, params):
    """Return 1: accept the die."""
    return 1


@helper
def first_melding(view, rules, params):
    """Return 0: show the melding with the least deadwood."""
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
    """Return the weights of champion from the parameters of champion-mc."""
    return vector_at(params.ctypes.data + 8 * CHAMPION, HANDS - CHAMPION)


@helper
def worth(state, view, params):
    """Return the value of a finished rollout: MATCH_VALUE times the win probability.

    If points do not decide the match, it is the points; if only deals count, DEAL_VALUE per deal
    won.
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
    """Roll out each action in the mask `alive` in world w; write its value and add its turns."""
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


# Comparison of actions


@helper
def estimate(values, i, n, before, spread):
    """Return the estimated gain of action i over the first, and its variance in one world.

    Args:
        values: Values by action and world.
        i: Index of the action.
        n: Number of worlds.
        before: Gain according to champion's weights.
        spread: Standard deviation of the error of that gain.
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
    """Return the variance of an estimate from champion's weights and n worlds."""
    return 1.0 / (1.0 / (spread * spread) + n / each)


@helper
def is_worth_more(behind, n, each, spread, cost):
    """Return True if doubling the number of worlds is expected to gain more than it costs.

    The estimate will move by a normal deviate; if it overtakes the best one, the rest is gained.
    The expected gain is therefore the unit normal loss of `deficit`. It is approximated by 0.4
    times a fourth power, within 0.007, without exponentials, so that results are identical on all
    machines.

    Args:
        behind: Difference from the best action, or for the best its lead.
        n: Number of worlds so far.
        each: Variance in one world.
        spread: Standard deviation of the error of champion's weights.
        cost: Cost of a world, in points.
    """
    more = max(n, AHEAD - n)
    fall = variance_after(n, each, spread) - variance_after(n + more, each, spread)
    moves = np.sqrt(fall)
    left = max(0.0, 1.0 - behind / (3.2 * moves))
    square = left * left
    return 0.4 * moves * square * square > cost * more


@helper
def still_in_question(values, turns, alive, n, before, spread, price):
    """Return the actions that need more worlds, as bits, and the best action so far.

    Args:
        values: Values by action and world.
        turns: Turns of the rollouts of each action so far.
        alive: Actions considered so far, as bits. The first is the reference of all comparisons and
            is never among the results.
        n: Number of worlds so far.
        before: Gains according to champion's weights.
        spread: Standard deviation of the error of these gains.
        price: Cost of a turn, in points.
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
    """Return the index of the best of some actions.

    Args:
        actions: Actions of the engine.
        cards: Their cards.
        before: Gain of each action over the first, according to champion's weights.
        spread: Standard deviation of the error of these gains.
        view: What the player can see.
        rules: The rules.
        params: Parameters of champion-mc.
    """
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

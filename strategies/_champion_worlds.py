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
    "n": param(64, 8, 100_000, "worlds per question at most"),
    "spread": param(1.5, 0.1, 20.0, "how far champion's prices may be off, in points"),
    "knock_spread": param(5.0, 0.1, 50.0, "how far its gain of a knock may be off"),
    "sure": param(2.0, 0.5, 6.0, "standard deviations by which an action must be worse to be left"),
}
N, SPREAD, KNOCK_SPREAD, SURE = range(4)  # places in `params`
# Where the weights of champion begin, those of the hands, and the probability of winning by scores
CHAMPION = len(NUMBERS)
HANDS = CHAMPION + player.ALL_RULES
VALUES = HANDS + OF_HANDS
TARGET = 100
DEAL = 25.0  # what a won deal is worth where points do not count
FIRST, THIN = 200, 15  # exchanges before the first hand, and between two
LOOKED = 8  # worlds between two looks at which actions are clearly worse
LEAST_ERROR = 6.0  # standard deviation assumed at least between two actions in one world


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
def play_world(states, views, hand, stock, actions, cards, alive, w, values, view, rules, params):
    """Write what each action that is still in question is worth in world w."""
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


# Which action is best


@helper
def estimate(values, i, n, before, spread):
    """(what action i gains over the first, the standard deviation of that) after n worlds.

    before: what champion's weights say it gains, right within `spread`.
    """
    total, squares = 0.0, 0.0
    for w in range(n):
        gain = values[i, w] - values[0, w]
        total += gain
        squares += gain * gain
    mean = total / n
    seen = max(squares / n - mean * mean, LEAST_ERROR * LEAST_ERROR) / n
    known = spread * spread
    return (mean * known + before * seen) / (known + seen), np.sqrt(known * seen / (known + seen))


@helper
def best_action(actions, cards, before, spread, view, rules, params):
    """The place of the best of some actions; before: what each gains over the first, by weights."""
    n, k = int(params[N]), len(actions)
    states, views = np.empty(1, STATE), np.zeros(2, VIEW)
    seat_champions(states[0], params, view.noise)
    f, weights, stream = np.zeros(OF_HAND), np.zeros(OF_HAND), np.zeros(33, np.int64)
    hasty = player.likely_hasty(view, rules, own_numbers(params)) / (player.BLENDS - 1.0)
    set_weights(weights, view, hasty, params, HANDS)
    declined, thrown = answered(view)
    values, stock = np.zeros((k, n)), np.zeros(52, np.int64)
    hidden = some_of(view.unseen, 10 - popcount(view.known), view.noise, stream)
    alive, best, steps = (1 << k) - 1, 0, FIRST
    for w in range(n):
        hidden = exchange(
            hidden, steps, f, weights, declined, thrown, view, rules, view.noise, stream
        )
        steps = THIN
        shuffle_stock(hidden, view, view.noise, stream, stock)
        waits = random_word(view.noise, stream) >= hasty * 4294967296.0
        states[0].lengths[1, KNOCK] = HANDS - CHAMPION if waits else 0
        hand = hidden | view.known
        play_world(
            states, views, hand, stock, actions, cards, alive, w, values, view, rules, params
        )
        if w % LOOKED == LOOKED - 1 or w == n - 1:
            alive, best = still_in_question(values, alive, w + 1, before, spread, params[SURE])
            if alive & (alive - 1) == 0:
                break
    return best


@helper
def still_in_question(values, alive, n, before, spread, sure):
    """(the actions that may be best, as bits; the best of them) after n worlds."""
    k = len(before)
    gains, errors = np.zeros(k), np.zeros(k)
    best = 0
    for i in range(1, k):
        if alive >> i & 1:
            gains[i], errors[i] = estimate(values, i, n, before[i], spread)
            if gains[i] > gains[best]:
                best = i
    left = np.int64(1)  # the first is what the others are compared with
    others = 0
    for i in range(1, k):
        if alive >> i & 1 and gains[i] + sure * errors[i] >= gains[best]:
            left |= 1 << i
            others += 1
    if best > 0 and others == 1 and gains[best] > sure * errors[best]:
        left = np.int64(1) << best
    return left, best

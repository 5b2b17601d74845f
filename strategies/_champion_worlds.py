"""Simulation for `champion-mc`, which samples hidden cards and rolls out actions.

A *world* is a possible arrangement of the hidden cards (see simgin.toolkit.hand_sampling). In each
world, simgin rolls out every candidate action with two champions, who see only the cards that they
would see in a real deal. In some worlds, the opponent knocks immediately. The proportion of these
worlds is the probability of such an opponent.
"""

import numpy as np
from simgin_strategies import champion as player
from simgin_strategies._champion import MATCH_VALUE_IN_POINTS

from simgin.core.policy_types import as_policy, get_params_at
from simgin.core.position_rollouts import roll_out_action
from simgin.core.rules_record import GOAL_DEALS, GOAL_POINTS
from simgin.core.state import SLOT_KNOCK, STATE_DTYPE
from simgin.core.view import VIEW_DTYPE
from simgin.strategy import PHASE_LAST, helper, param
from simgin.toolkit import is_gin_or_better, next_random_word, popcount, take_if
from simgin.toolkit.hand_sampling import (
    N_HAND_WEIGHTS,
    N_LIKELIHOOD_FEATURES,
    find_declined_and_discarded,
    interpolate_weights,
    run_metropolis,
    sample_cards,
    shuffle_stock,
)

PARAMETERS = {
    "n": param(128, 8, 100_000, "maximum number of worlds per decision"),
    "spread": param(2.5, 0.1, 20.0, "standard error of champion's costs, in points"),
    "knock_spread": param(7.5, 0.1, 50.0, "standard error of champion's knock gain, in points"),
}
N_WORLDS_INDEX, COST_STANDARD_ERROR_INDEX, KNOCK_STANDARD_ERROR_INDEX = range(
    3
)  # indices of `params`
# Offsets of the weights of champion, of the weights of hands, and of the win probabilities by score
CHAMPION_WEIGHTS_OFFSET = len(PARAMETERS)
HAND_WEIGHTS_OFFSET = CHAMPION_WEIGHTS_OFFSET + player.N_WEIGHTS
WIN_PROBABILITIES_OFFSET = HAND_WEIGHTS_OFFSET + N_HAND_WEIGHTS
WIN_TABLE_TARGET_POINTS = 100
WON_DEAL_VALUE = 25.0  # value of a won deal if points do not count
# Number of Metropolis steps before the first hand and between hands
BURN_IN_STEPS, THINNING_STEPS = 200, 15
WORLDS_PER_CHECK = 4  # number of worlds between checks for actions that need more worlds
# The prior standard deviation of the difference between two actions in a world is PRIOR_GAIN_SD
# points. The prior counts as much as N_PRIOR_WORLDS worlds.
PRIOR_GAIN_SD, N_PRIOR_WORLDS = 33.0, 16
# Another world is played only if the expected gain is at least ROLLOUT_TURN_COST / n points for
# each turn of its rollouts.
ROLLOUT_TURN_COST = 0.024
EXPECTED_ROLLOUT_TURNS = 9.0  # expected number of turns of a rollout
WORLD_SETUP_TURNS = 1.1  # CPU time to set up a world, as a number of turns
N_WORLDS_AT_FIRST_CHECK = 32  # number of worlds assumed in the first check


# Policies for rollouts


@helper
def choose_rollout_take(view, rules, params):
    """Return champion's decision about the card on offer during a rollout."""
    return take_if(player.estimate_take_gain(view, rules, params) > 0, view.legal)


@helper
def choose_rollout_discard(view, rules, params):
    """Return champion's discard during a rollout."""
    return player.find_lowest_cost_discard(view.legal, view, rules, params)


@helper
def choose_rollout_knock(view, rules, params):
    """Return champion's knock decision during a rollout.

    Without weights, the player knocks immediately.
    """
    if len(params) == 0 or is_gin_or_better(view) or view.phase == PHASE_LAST:
        return 1
    return np.int64(player.estimate_knock_gain(view, rules, params) > 0)


@helper
def never_offer_die(view, rules, params):
    """Return 0, because players in rollouts never offer the die."""
    return 0


@helper
def accept_every_offer(view, rules, params):
    """Return 1, because players in rollouts accept every offer of the die."""
    return 1


@helper
def show_first_melding(view, rules, params):
    """Return 0, because players in rollouts show the melding with the least deadwood."""
    return 0


@helper
def prepare_rollout_state(state, params, seed):
    """Prepare the engine's state for a rollout with two champions."""
    state.seed = seed
    state.unit = 0
    state.log_mode = state.has_given_cards = state.n_scripted = state.n_logged = 0
    state.turns = 0
    n_parameters = HAND_WEIGHTS_OFFSET - CHAMPION_WEIGHTS_OFFSET
    address = params.ctypes.data + 8 * CHAMPION_WEIGHTS_OFFSET
    for seat in range(2):
        state.discards_first[seat] = 0
        state.random_slots[seat] = 0
        for slot in range(state.lengths.shape[1]):
            state.vectors[seat, slot] = address
            state.lengths[seat, slot] = n_parameters


@helper
def get_champion_weights(params):
    """Return the weights of champion that the parameters of champion-mc contain."""
    return get_params_at(
        params.ctypes.data + 8 * CHAMPION_WEIGHTS_OFFSET,
        HAND_WEIGHTS_OFFSET - CHAMPION_WEIGHTS_OFFSET,
    )


@helper
def evaluate_rollout(state, view, params):
    """Return the value of a finished rollout, in points.

    The value is MATCH_VALUE_IN_POINTS times the match win probability. If points do not decide the
    match, the value is the number of points. If only won deals count, the value is WON_DEAL_VALUE
    per won deal.
    """
    seat = view.seat
    if view.goal == GOAL_DEALS:
        deal_result = (state.winner == seat) - (state.winner == 1 - seat)
        return WON_DEAL_VALUE * state.stake * deal_result
    if view.goal != GOAL_POINTS:
        return float(state.score[seat] - state.score[1 - seat])
    own_score = max(0, view.own_points + state.score[seat]) * WIN_TABLE_TARGET_POINTS // view.target
    opponent_score = (
        max(0, view.other_points + state.score[1 - seat]) * WIN_TABLE_TARGET_POINTS // view.target
    )
    if own_score >= WIN_TABLE_TARGET_POINTS:
        return MATCH_VALUE_IN_POINTS
    return (
        0.0
        if opponent_score >= WIN_TABLE_TARGET_POINTS
        else MATCH_VALUE_IN_POINTS
        * params[WIN_PROBABILITIES_OFFSET + own_score * WIN_TABLE_TARGET_POINTS + opponent_score]
    )


@helper
def roll_out_world(
    states,
    views,
    hand,
    stock,
    actions,
    cards,
    active_actions,
    world,
    values,
    turns,
    view,
    rules,
    params,
):
    """Roll out each of the active actions in one sampled world.

    The function writes the values of the actions, and adds the turns of the rollouts to `turns`.
    """
    take = as_policy(choose_rollout_take)
    discard = as_policy(choose_rollout_discard)
    knock = as_policy(choose_rollout_knock)
    offer = as_policy(never_offer_die)
    answer_policy = as_policy(accept_every_offer)
    show = as_policy(show_first_melding)
    for i in range(len(actions)):
        if active_actions >> i & 1:
            roll_out_action(
                states[0], rules, view, hand, stock, actions[i], cards[i], views[0], views[1],
                take, discard, knock, offer, answer_policy, show,
                take, discard, knock, offer, answer_policy, show,
            )  # fmt: skip
            values[i, world] = evaluate_rollout(states[0], view, params)
            turns[i] += states[0].turns - view.turns


# Comparison of actions


@helper
def estimate_gain(values, action_index, n_worlds, prior_gain, prior_sd):
    """Return an action's estimated gain over the first action, and its variance per world.

    Args:
        values: Values by action and world.
        action_index: Index of the action.
        n_worlds: Number of worlds.
        prior_gain: Gain according to champion's weights.
        prior_sd: Standard deviation of the error of the prior gain.
    """
    total, squares = 0.0, 0.0
    for world in range(n_worlds):
        gain = values[action_index, world] - values[0, world]
        total += gain
        squares += gain * gain
    sum_of_squares = squares - total * total / max(n_worlds, 1)
    variance = (sum_of_squares + N_PRIOR_WORLDS * PRIOR_GAIN_SD * PRIOR_GAIN_SD) / (
        n_worlds + N_PRIOR_WORLDS
    )
    return (prior_gain / (prior_sd * prior_sd) + total / variance) * compute_posterior_variance(
        n_worlds, variance, prior_sd
    ), variance


@helper
def compute_posterior_variance(n_worlds, world_variance, prior_sd):
    """Return the variance of a gain estimated from both champion's weights and rollouts."""
    return 1.0 / (1.0 / (prior_sd * prior_sd) + n_worlds / world_variance)


@helper
def needs_more_worlds(gap, n_worlds, world_variance, prior_sd, cost):
    """Return True if the expected gain from doubling the number of worlds exceeds the cost.

    The change in the estimate due to the new worlds is assumed to be normally distributed. If the
    action overtakes the best action, the difference is gained. The expected gain is therefore the
    unit normal loss of `gap`. The function approximates this loss to within 0.007 by 0.4 times a
    fourth power. The approximation does not use exponentials, so that results are identical on all
    machines.

    Args:
        gap: Difference from the best action. The gap of the best action is its margin over the
            second-best action.
        n_worlds: Number of worlds so far.
        world_variance: Variance of the difference in one world.
        prior_sd: Standard deviation of the error of champion's weights.
        cost: Cost of a world, in points.
    """
    n_more = max(n_worlds, N_WORLDS_AT_FIRST_CHECK - n_worlds)
    variance_drop = compute_posterior_variance(
        n_worlds, world_variance, prior_sd
    ) - compute_posterior_variance(n_worlds + n_more, world_variance, prior_sd)
    sd_drop = np.sqrt(variance_drop)
    remaining = max(0.0, 1.0 - gap / (3.2 * sd_drop))
    square = remaining * remaining
    return 0.4 * sd_drop * square * square > cost * n_more


@helper
def find_undecided_actions(
    values, turns, active_actions, n_worlds, prior_gains, prior_sd, turn_cost
):
    """Return the mask of actions that need more worlds, and the index of the best action.

    Args:
        values: Values by action and world.
        turns: Number of turns that the rollouts of each action have taken so far.
        active_actions: Actions under consideration, as bits. The first action is the reference of
            all comparisons and never part of the result.
        n_worlds: Number of worlds so far.
        prior_gains: Gains according to champion's weights.
        prior_sd: Standard deviation of the error of these gains.
        turn_cost: Cost of a turn, in points.
    """
    n_moves = len(prior_gains)
    gains, variances, costs = np.zeros(n_moves), np.zeros(n_moves), np.zeros(n_moves)
    best, undecided_actions = 0, np.int64(0)
    for i in range(1, n_moves):
        if active_actions >> i & 1:
            gains[i], variances[i] = estimate_gain(values, i, n_worlds, prior_gains[i], prior_sd)
            mean_turns = turns[i] / n_worlds if n_worlds > 0 else EXPECTED_ROLLOUT_TURNS
            costs[i] = turn_cost * (mean_turns + WORLD_SETUP_TURNS)
            if gains[i] > gains[best]:
                best = i
    for i in range(1, n_moves):
        if active_actions >> i & 1 and i != best:
            gap = gains[best] - gains[i]
            undecided_actions |= (
                np.int64(needs_more_worlds(gap, n_worlds, variances[i], prior_sd, costs[i])) << i
            )
    if best > 0 and (
        undecided_actions
        or needs_more_worlds(gains[best], n_worlds, variances[best], prior_sd, costs[best])
    ):
        undecided_actions |= 1 << best
    return undecided_actions, best


@helper
def find_best_action(actions, cards, prior_gains, prior_sd, view, rules, params):
    """Return the index of the action with the highest estimated value.

    Args:
        actions: Engine actions.
        cards: Card of each action.
        prior_gains: Gain of each action over the first action, according to champion's weights.
        prior_sd: Standard deviation of the error of these gains.
        view: View of the player.
        rules: Rules of the variant.
        params: Parameters of champion-mc.
    """
    n, n_moves, turn_cost = (
        int(params[N_WORLDS_INDEX]),
        len(actions),
        ROLLOUT_TURN_COST / params[N_WORLDS_INDEX],
    )
    values, turns = np.zeros((n_moves, n + WORLDS_PER_CHECK)), np.zeros(n_moves)
    active, best = find_undecided_actions(
        values, turns, (1 << n_moves) - 1, 0, prior_gains, prior_sd, turn_cost
    )
    if active == 0:
        return best
    states, views = np.empty(1, STATE_DTYPE), np.zeros(2, VIEW_DTYPE)
    prepare_rollout_state(states[0], params, view.noise)
    scratch, weights, stream = (
        np.zeros(N_LIKELIHOOD_FEATURES),
        np.zeros(N_LIKELIHOOD_FEATURES),
        np.zeros(33, np.int64),
    )
    knock_probability = player.find_knock_probability_index(
        view, rules, get_champion_weights(params)
    ) / (player.N_WEIGHT_BLENDS - 1.0)
    interpolate_weights(weights, view, knock_probability, params, HAND_WEIGHTS_OFFSET)
    declined, discarded = find_declined_and_discarded(view)
    stock, world, steps = np.zeros(52, np.int64), 0, BURN_IN_STEPS
    hidden = sample_cards(view.unseen, 10 - popcount(view.known), view.noise, stream)
    while active and world < n:
        for _ in range(WORLDS_PER_CHECK):
            hidden = run_metropolis(
                hidden,
                steps,
                scratch,
                weights,
                declined,
                discarded,
                view,
                rules,
                view.noise,
                stream,
            )
            steps = THINNING_STEPS
            shuffle_stock(hidden, view, view.noise, stream, stock)
            is_waiting = next_random_word(view.noise, stream) >= knock_probability * 4294967296.0
            states[0].lengths[1, SLOT_KNOCK] = (
                HAND_WEIGHTS_OFFSET - CHAMPION_WEIGHTS_OFFSET if is_waiting else 0
            )
            hand, candidates = hidden | view.known, active | 1
            roll_out_world(
                states, views, hand, stock, actions, cards, candidates, world, values, turns,
                view, rules, params,
            )  # fmt: skip
            world += 1
        active, best = find_undecided_actions(
            values, turns, active, world, prior_gains, prior_sd, turn_cost
        )
    return best

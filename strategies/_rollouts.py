"""Sampling of hidden cards and rollouts for the Monte Carlo strategy `mc`.

A *world* is a possible arrangement of the hidden cards, which are the opponent's hand and the
stock. A rollout plays a world to the end of the deal with two greedy players.
"""

import numpy as np

from simgin.core.layoff import MAX_LAYOFF_OPTIONS, lay_off
from simgin.core.meldings import MAX_MELDS, find_shown_melding
from simgin.core.rules_record import (
    DISCARD_BAN_DRAWN,
    DISCARD_BAN_NONE,
    GOAL_POINTS,
    STOCK_END_AT_DRAW,
)
from simgin.core.scoring import score_deal
from simgin.strategy import (
    ACTION_PASS,
    ACTION_STOCK,
    ACTION_TAKE,
    ENDING_KNOCK,
    choice,
    flag,
    helper,
    param,
)
from simgin.toolkit import (
    best_discards,
    deadwood,
    deadwood_after_taking,
    highest_value_cards,
    lowest_bit,
    next_random_word,
    nth_bit,
    popcount,
    random_below,
)

ACTION_DISCARD, ACTION_END_DEAL = 3, 4  # actions that are not actions of a take policy
ANY_DRAW_SOURCE = -1  # action with an unspecified draw source
WIN_TABLE_TARGET_POINTS = 100  # target score of the matches in the table of win probabilities

PARAMETERS = {
    "n": param(64, 1, 100_000, "number of sampled worlds per decision"),
    "patient": flag(True, "in rollouts, this player ends the deal only with gin"),
    "developed": choice(
        "yes",
        "draws",
        "no",
        about="sampled hand of the opponent: with expected deadwood, best of several, or random",
    ),
    "value": choice(
        "match", "points", about="value of an action: match win probability, or points"
    ),
    "gate": param(2.0, 0.0, 10.0, "minimum lead over gold's action, in standard errors"),
    "width": param(4, 1, 11, "number of candidate discards, in order of deadwood"),
}
(
    N_WORLDS_INDEX,
    WAITS_FOR_GIN_INDEX,
    HAND_SAMPLING_INDEX,
    VALUE_TYPE_INDEX,
    MIN_LEAD_OVER_GOLD_INDEX,
    N_CANDIDATES_INDEX,
    WIN_PROBABILITIES_OFFSET,
) = range(7)  # indices of `params`
SAMPLING_TO_EXPECTED_DEADWOOD, SAMPLING_BEST_OF_DRAWS, SAMPLING_AT_RANDOM = (
    0,
    1,
    2,
)  # values of `developed`

# Mean deadwood of a player who waits for gin, by number of cards in the discard pile
# (jdh8/gin-rummy-engine)
EXPECTED_DEADWOOD = (
    (53, 50, 43, 38, 34, 30, 27, 24, 21, 19, 17, 15, 13, 12, 10)
    + (9, 8, 8, 7, 6, 6, 5, 5, 5, 4, 4, 4, 4, 4, 3)
)  # fmt: skip
MAX_HAND_SWAPS = 64  # maximum number of swaps to reach the expected deadwood
# Number of worlds before the first check for inferior actions. The number doubles at each check.
N_WORLDS_BEFORE_FIRST_CHECK = 32


# Worlds


@helper
def _draw_cards(pool, n_cards, seed, stream):
    """Move random cards to the front of the array `pool`, and return their mask."""
    cards = 0
    for i in range(n_cards):
        j = i + random_below(pool.shape[0] - i, next_random_word(seed, stream))
        pool[i], pool[j] = pool[j], pool[i]
        cards |= 1 << pool[i]
    return cards


@helper
def _improve_hand(hidden, known, target_deadwood, pool, seed, stream, rules):
    """Swap random hidden cards of a hand to bring its deadwood closer to a target."""
    distance = abs(deadwood(known | hidden, rules) - target_deadwood)
    n_hidden = popcount(hidden)
    for _ in range(MAX_HAND_SWAPS):
        if distance == 0 or n_hidden == 0:
            break
        word = next_random_word(seed, stream)
        new_card = 1 << pool[random_below(pool.shape[0], word & 0xFFFF0000)]
        if hidden & new_card:
            continue
        swapped = (
            hidden & ~(1 << nth_bit(hidden, random_below(n_hidden, (word & 0xFFFF) << 16)))
            | new_card
        )
        new_distance = abs(deadwood(known | swapped, rules) - target_deadwood)
        if new_distance < distance:
            hidden, distance = swapped, new_distance
    return hidden


@helper
def _sample_hidden_cards(view, rules, hand_sampling, pool, stream):
    """Return a random sample of the opponent's hidden cards.

    If `hand_sampling` is SAMPLING_AT_RANDOM, the function draws the cards at random. Otherwise, the
    function draws the cards once for each card in the pile, and keeps the draw with the least
    deadwood. If `hand_sampling` is SAMPLING_TO_EXPECTED_DEADWOOD, the function then swaps cards
    until the deadwood is close to the expected deadwood.
    """
    n_missing = 10 - popcount(view.known)
    pile = popcount(view.pile)
    hidden_cards = _draw_cards(pool, n_missing, view.noise, stream)
    if hand_sampling == SAMPLING_AT_RANDOM:
        return hidden_cards
    for _ in range(pile - 1):
        candidate = _draw_cards(pool, n_missing, view.noise, stream)
        if deadwood(view.known | candidate, rules) < deadwood(view.known | hidden_cards, rules):
            hidden_cards = candidate
    if hand_sampling == SAMPLING_BEST_OF_DRAWS:
        return hidden_cards
    return _improve_hand(
        hidden_cards, view.known, EXPECTED_DEADWOOD[min(pile, 29)], pool, view.noise, stream, rules
    )


@helper
def sample_world(view, rules, hand_sampling, pool, stream, stock):
    """Sample one world, and return the opponent's hand as a mask.

    The stock is written to `stock`, starting with the next card.
    """
    hidden_cards = _sample_hidden_cards(view, rules, hand_sampling, pool, stream)
    _draw_cards(pool, pool.shape[0], view.noise, stream)
    n = 0
    for i in range(pool.shape[0]):
        if not hidden_cards >> pool[i] & 1:
            stock[n] = pool[i]
            n += 1
    return view.known | hidden_cards


# Rollouts


@helper
def _allocate_scratch():
    """Return arrays for temporary results of a showdown: three for meldings, two for lay-offs."""
    row_shape = (1, 3)
    return (
        np.empty(MAX_MELDS, np.int64),
        np.empty(row_shape, np.int64),
        np.empty(row_shape, np.int64),
        np.empty((3, MAX_LAYOFF_OPTIONS), np.int64),
        np.empty((2, 16), np.int64),
    )


@helper
def score_ending(
    ten_cards, discarded, own_deadwood, opponent_hand, stock_left, view, rules, scratch
):
    """Return the points of the player who ends the deal minus the opponent's points.

    Args:
        ten_cards: Hand of the player who ends the deal.
        discarded: Mask of the discard.
        own_deadwood: Deadwood of `ten_cards`.
        opponent_hand: Hand of the opponent.
        stock_left: Number of cards left in the stock.
        view: View of the player.
        rules: Rules of the variant.
        scratch: Result of `_allocate_scratch`.
    """
    meld_buffer, keys, rows, options, chains = scratch
    deadwood_points = deadwood(opponent_hand, rules)
    if rules.layoff and (own_deadwood > 0 or rules.layoff_on_gin):
        find_shown_melding(ten_cards, discarded, -1, -1, rules, meld_buffer, keys, rows)
        deadwood_points = lay_off(opponent_hand, rows[0], rules, options, chains)[0]
    _, own_points, opponent_points, _ = score_deal(
        ENDING_KNOCK, own_deadwood, deadwood_points, stock_left, view.multiplier, rules
    )
    return own_points - opponent_points


@helper
def roll_out(
    own_hand,
    opponent_hand,
    top_card,
    is_own_turn,
    source,
    stock,
    stock_left,
    waits_for_gin,
    view,
    rules,
    scratch,
):
    """Roll out a deal with two greedy players.

    Returns the player's points minus the opponent's points.

    Args:
        own_hand: Hand of the player.
        opponent_hand: Hand of the opponent.
        top_card: Top card of the pile.
        is_own_turn: True if it is the player's turn.
        source: Source of the first draw.
        stock: Cards of the stock in order.
        stock_left: Number of cards left in the stock.
        waits_for_gin: True if the player ends the deal only with gin.
        view: View of the player.
        rules: Rules of the variant.
        scratch: Result of `_allocate_scratch`.
    """
    n_stock = stock_left
    own_deadwood, opponent_deadwood = deadwood(own_hand, rules), deadwood(opponent_hand, rules)
    while True:
        hand, own_deadwood_before, other_deadwood = (
            (own_hand, own_deadwood, opponent_hand)
            if is_own_turn
            else (opponent_hand, opponent_deadwood, own_hand)
        )
        eleven_cards = hand
        least_deadwood, cards = 1 << 20, 0
        if source != ACTION_STOCK:
            eleven_cards = hand | 1 << top_card
            least_deadwood, cards = best_discards(
                eleven_cards, eleven_cards if rules.discard_ban == DISCARD_BAN_NONE else hand, rules
            )
        if source != ACTION_TAKE and least_deadwood >= own_deadwood_before:
            if stock_left == 0:
                return 0
            eleven_cards = hand | 1 << stock[n_stock - stock_left]
            stock_left -= 1
            if rules.stock_end == STOCK_END_AT_DRAW and stock_left <= rules.stock_reserve:
                return 0
            least_deadwood, cards = best_discards(
                eleven_cards,
                hand if rules.discard_ban == DISCARD_BAN_DRAWN else eleven_cards,
                rules,
            )
        top_card = lowest_bit(highest_value_cards(cards, rules)[0])
        ten_cards = eleven_cards & ~(1 << top_card)
        if least_deadwood <= (0 if is_own_turn and waits_for_gin else view.limit):
            points = score_ending(
                ten_cards,
                1 << top_card,
                least_deadwood,
                other_deadwood,
                stock_left,
                view,
                rules,
                scratch,
            )
            return points if is_own_turn else -points
        if stock_left <= rules.stock_reserve:
            return 0
        if is_own_turn:
            own_hand, own_deadwood = ten_cards, least_deadwood
        else:
            opponent_hand, opponent_deadwood = ten_cards, least_deadwood
        is_own_turn = not is_own_turn
        source = ANY_DRAW_SOURCE if rules.take_discard else ACTION_STOCK


@helper
def evaluate_action(action, card, opponent_hand, stock, waits_for_gin, view, rules, scratch):
    """Return the player's points minus the opponent's points after an action in a world."""
    if action == ACTION_END_DEAL:
        return score_ending(
            view.hand & ~(1 << card),
            1 << card,
            view.ending_count,
            opponent_hand,
            view.stock,
            view,
            rules,
            scratch,
        )
    if action == ACTION_DISCARD:
        if view.stock <= rules.stock_reserve:
            return 0
        source = ANY_DRAW_SOURCE if rules.take_discard else ACTION_STOCK
        return roll_out(
            view.hand & ~(1 << card),
            opponent_hand,
            card,
            False,
            source,
            stock,
            view.stock,
            waits_for_gin,
            view,
            rules,
            scratch,
        )
    is_own_turn, source = True, action
    # If the dealer passes, the nondealer draws. If the nondealer passes, the dealer may take the
    # card.
    if action == ACTION_PASS:
        dealer_takes = view.seat != view.dealer and deadwood_after_taking(
            opponent_hand, view.taken_offer, rules
        ) < deadwood(opponent_hand, rules)
        is_own_turn = view.seat != view.dealer and not dealer_takes
        source = ACTION_TAKE if dealer_takes else ACTION_STOCK
    return roll_out(
        view.hand,
        opponent_hand,
        view.taken_offer,
        is_own_turn,
        source,
        stock,
        view.stock,
        waits_for_gin,
        view,
        rules,
        scratch,
    )


@helper
def evaluate_points(points, view, params):
    """Return the value of a deal result: its points or the match win probability."""
    if params[VALUE_TYPE_INDEX] == 1 or view.goal != GOAL_POINTS:
        return float(points)
    own_score = max(0, view.own_points + max(points, 0)) * WIN_TABLE_TARGET_POINTS // view.target
    opponent_score = (
        max(0, view.other_points + max(-points, 0)) * WIN_TABLE_TARGET_POINTS // view.target
    )
    if own_score >= WIN_TABLE_TARGET_POINTS:
        return 1.0
    return (
        0.0
        if opponent_score >= WIN_TABLE_TARGET_POINTS
        else params[WIN_PROBABILITIES_OFFSET + own_score * WIN_TABLE_TARGET_POINTS + opponent_score]
    )


# Comparison of actions


@helper
def _has_significant_lead(values_a, values_b, n_worlds, min_lead):
    """Return True if the mean of `values_a - values_b` exceeds `min_lead` standard errors."""
    total, squares = 0.0, 0.0
    for i in range(n_worlds):
        total += values_a[i] - values_b[i]
        squares += (values_a[i] - values_b[i]) ** 2
    mean = total / n_worlds
    return mean > 0 and mean * mean * n_worlds > min_lead * min_lead * (
        squares / n_worlds - mean * mean
    )


@helper
def _evaluate_worlds(
    values,
    start,
    stop,
    remaining,
    actions,
    cards,
    pool,
    stream,
    stock,
    view,
    rules,
    params,
    scratch,
):
    """Write the values of the remaining actions in a range of worlds to `values`."""
    for world in range(start, stop):
        opponent_hand = sample_world(view, rules, params[HAND_SAMPLING_INDEX], pool, stream, stock)
        for i in range(actions.shape[0]):
            if remaining >> i & 1:
                points = evaluate_action(
                    actions[i],
                    cards[i],
                    opponent_hand,
                    stock,
                    params[WAITS_FOR_GIN_INDEX] > 0,
                    view,
                    rules,
                    scratch,
                )
                values[i, world] = evaluate_points(points, view, params)


@helper
def _convert_mask_to_array(cards):
    """Return the cards of a mask as an array."""
    result = np.empty(popcount(cards), np.int64)
    for i in range(result.shape[0]):
        result[i] = lowest_bit(cards)
        cards &= cards - 1
    return result


@helper
def find_best_action(actions, cards, view, rules, params):
    """Return the index of the action with the best mean result over the worlds.

    All actions are compared in the same worlds.

    The first action, which is gold's action, is returned unless another action is significantly
    better.
    """
    n, k, min_lead = int(params[N_WORLDS_INDEX]), actions.shape[0], params[MIN_LEAD_OVER_GOLD_INDEX]
    values = np.zeros((k, n))
    pool, stream, scratch = (
        _convert_mask_to_array(view.unseen),
        np.zeros(33, np.int64),
        _allocate_scratch(),
    )
    stock = np.empty(52, np.int64)
    remaining, n_done = (1 << k) - 1, 0
    while n_done < n and remaining > 1:
        last = min(n, max(N_WORLDS_BEFORE_FIRST_CHECK, 2 * n_done))
        _evaluate_worlds(
            values,
            n_done,
            last,
            remaining,
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
        n_done = last
        for i in range(1, k):
            if _has_significant_lead(values[0], values[i], n_done, min_lead):
                remaining &= ~(1 << i)
    best_index, best_value = 0, 0.0
    for i in range(1, k):
        gain = values[i, :n_done].sum() - values[0, :n_done].sum()
        if (
            remaining >> i & 1
            and gain > best_value
            and _has_significant_lead(values[i], values[0], n_done, min_lead)
        ):
            best_index, best_value = i, gain
    return best_index

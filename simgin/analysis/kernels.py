"""Compiled functions that sample worlds and compute values of games with a die."""

import numpy as np

from simgin.core.bits import popcount
from simgin.core.codes import PHASE_BLIND
from simgin.core.jit import jit
from simgin.core.rng import random_below
from simgin.core.solo_position_rollouts import JOKER_CARD
from simgin.toolkit.hand_sampling import (
    N_LIKELIHOOD_FEATURES,
    find_declined_and_discarded,
    interpolate_weights,
    run_metropolis,
    sample_cards,
    shuffle_stock,
)
from simgin.toolkit.legal_actions import next_random_word

# Number of iterations per score. The entries for the two dealers depend on each other, so they
# cannot be computed in one step.
VALUE_ITERATIONS_PER_SCORE = 40


@jit
def fill_worlds(
    view, rules, hand_weights, p_immediate_knock, n_steps, seed, first_world, hands, stocks
):
    """Fill arrays with random hands of the opponent and stocks that are consistent with a view.

    World i uses the random stream of `seed` and `first + i`.

    Args:
        view: View of the player.
        rules: Rules of the variant.
        hand_weights: Weights of the hand features (simgin.toolkit.hand_sampling).
        p_immediate_knock: Probability that the opponent knocks immediately.
        n_steps: Metropolis steps per hand. If it is 0, all hands are equally likely.
        seed: Seed of the worlds.
        first_world: Number of the first world.
        hands: Output array of masks of the opponent's cards, int64 (n_worlds,).
        stocks: Output array of stocks in drawing order, int8 (n_worlds, n_cards).
    """
    weights, features = np.zeros(N_LIKELIHOOD_FEATURES), np.zeros(N_LIKELIHOOD_FEATURES)
    interpolate_weights(weights, view, p_immediate_knock, hand_weights, 0)
    declined, discarded = find_declined_and_discarded(view)
    is_blind = view.phase == PHASE_BLIND  # No cards have been dealt yet.
    n_hidden = 0 if is_blind else 10 - popcount(view.known)
    stock = np.zeros(52, np.int64)
    for i in range(len(hands)):
        noise = (seed << 40) ^ (first_world + i)
        stream = np.zeros(33, np.int64)
        hidden = sample_cards(view.unseen, n_hidden, noise, stream)
        hidden = run_metropolis(
            hidden, n_steps, features, weights, declined, discarded, view, rules, noise, stream
        )
        shuffle_stock(hidden, view, noise, stream, stock)
        hands[i] = hidden | view.known
        for k in range(stocks.shape[1]):
            stocks[i, k] = stock[k]


@jit
def fill_decks(view, has_joker, deck_size, seed, first_world, decks):
    """Fill an array with random decks, each of which is a shuffle of the unseen cards.

    The joker is at a random position among the first `deck_size` cards. The remaining cards are not
    in the deck. Deck i uses the random stream of `seed` and `first + i`.

    Args:
        view: View of the player.
        has_joker: True if the deck contains the joker.
        deck_size: Number of cards in the deck.
        seed: Seed of the worlds.
        first_world: Number of the first world.
        decks: Output array of decks, int8 (n_worlds, n_cards).
    """
    deck = np.zeros(53, np.int64)
    n = decks.shape[1]
    for i in range(len(decks)):
        noise = (seed << 40) ^ (first_world + i)
        stream = np.zeros(33, np.int64)
        shuffle_stock(0, view, noise, stream, deck)
        if has_joker:
            position = random_below(deck_size, next_random_word(noise, stream))
            deck[n - 1] = deck[deck_size - 1]
            deck[deck_size - 1] = deck[position]
            deck[position] = JOKER_CARD
        for k in range(n):
            decks[i, k] = deck[k]


@jit
def _compute_value_with_offers(
    play_values, refusal_values, dealer, stake, owner, die_cap, refusal_pays_offer
):
    """Return the value of a deal for A if both players make optimal offers before the deal.

    Args:
        play_values: Values of playing the deal, indexed by the number on the die and by owner + 1.
        refusal_values: Values of a refusal, indexed by the offering seat and the stake paid.
        dealer: Seat of the dealer; the nondealer may make the first offer.
        stake: Number that the die shows.
        owner: Seat that owns the die, or -1 if neither player owns it.
        die_cap: Highest number that the die can show.
        refusal_pays_offer: True if a refusing player pays the offered number.
    """
    value = play_values[stake, owner + 1]
    for seat in (dealer, 1 - dealer):
        if owner == 1 - seat:
            continue
        sign = 1 - 2 * seat
        for n in range(stake + 1, die_cap + 1):
            refusal_value = sign * refusal_values[seat, n if refusal_pays_offer else stake]
            answer_value = min(refusal_value, sign * play_values[n, 2 - seat])
            value = sign * max(sign * value, answer_value)
    return value


@jit
def fill_won_deals_table(table, probabilities, next_dealer, die_cap, refusal_pays_offer):
    """Fill a table with the probabilities that A wins a match to a target number of won deals.

    Args:
        table: float64 (goal + 1, goal + 1, 2), indexed by A's won deals, B's won deals and the
            dealer. The entries for final scores must already be filled in.
        probabilities: float64 (2, 3, n), indexed by dealer, winner and won deals at stake 1.
        next_dealer: Next dealer, int64 (2, 3), indexed by dealer and winner.
        die_cap: Highest number that the die can show.
        refusal_pays_offer: True if a refusing player pays the offered number.
    """
    goal = len(table) - 1
    play_values = np.zeros((die_cap + 1, 3))
    refusal_values = np.zeros((2, die_cap + 1))
    for a in range(goal - 1, -1, -1):
        for b in range(goal - 1, -1, -1):
            for turn in range(2 * VALUE_ITERATIONS_PER_SCORE):
                dealer = turn & 1
                next_dealer_by_winner = next_dealer[dealer]
                for n in range(1, die_cap + 1):
                    next_a = min(goal, a + n)
                    next_b = min(goal, b + n)
                    refusal_values[0, n] = table[next_a, b, next_dealer_by_winner[0]]
                    refusal_values[1, n] = table[a, next_b, next_dealer_by_winner[1]]
                    play_values[n] = _compute_expected_value(
                        table, probabilities[dealer], next_dealer_by_winner, a, b, n
                    )
                table[a, b, dealer] = _compute_value_with_offers(
                    play_values, refusal_values, dealer, 1, -1, die_cap, refusal_pays_offer
                )


@jit
def _compute_expected_value(table, probabilities, next_dealer, deals_a, deals_b, stake):
    """Return A's probability of winning the match if a deal is played at a given stake."""
    goal = len(table) - 1
    mean = probabilities[2, 0] * table[deals_a, deals_b, next_dealer[2]]
    for deals in range(1, probabilities.shape[1]):
        n_won = stake * deals
        next_a = min(goal, deals_a + n_won)
        next_b = min(goal, deals_b + n_won)
        mean += probabilities[0, deals] * table[next_a, deals_b, next_dealer[0]]
        mean += probabilities[1, deals] * table[deals_a, next_b, next_dealer[1]]
    return mean


@jit
def fill_game_table(
    table, probabilities, games_by_points, next_dealer, die_cap, refusal_pays_offer
):
    """Fill a table with the values of a game for A, in net games won.

    Args:
        table: float64 (goal, goal, 2, cap + 1, 3), indexed by A's points, B's points, the dealer,
            the number on the die and owner + 1.
        probabilities: float64 (2, 3, n), indexed by dealer, winner and points.
        games_by_points: Number of games that a won game counts as, int64 (goal,), indexed by the
            loser's points.
        next_dealer: Next dealer, int64 (2, 3), indexed by dealer and winner.
        die_cap: Highest number that the die can show.
        refusal_pays_offer: True if a refusing player pays the offered number.
    """
    goal = len(table)
    refusal_values = np.zeros((2, die_cap + 1))
    refusal_values[0] = np.arange(die_cap + 1)
    refusal_values[1] = -refusal_values[0]
    transition_values = np.zeros((2, die_cap + 1, 3))
    for a in range(goal - 1, -1, -1):
        for b in range(goal - 1, -1, -1):
            for dealer in range(2):
                transition_values[dealer] = 0.0
                for winner in range(2):
                    _add_values_after_deals(
                        transition_values[dealer],
                        table,
                        probabilities[dealer, winner],
                        games_by_points,
                        next_dealer[dealer, winner],
                        winner,
                        a,
                        b,
                    )
            for turn in range(2 * VALUE_ITERATIONS_PER_SCORE):
                dealer = turn & 1
                play_values = transition_values[dealer].copy()
                for winner in range(3):
                    p_no_points = probabilities[dealer, winner, 0]
                    play_values += p_no_points * table[a, b, next_dealer[dealer, winner]]
                for n in range(1, die_cap + 1):
                    for owner in range(-1, 2):
                        table[a, b, dealer, n, owner + 1] = _compute_value_with_offers(
                            play_values,
                            refusal_values,
                            dealer,
                            n,
                            owner,
                            die_cap,
                            refusal_pays_offer,
                        )


@jit
def _add_values_after_deals(
    values, table, probabilities, games_by_points, dealer, winner, points_a, points_b
):
    """Add the expected values after a deal in which one player scores, over all possible points.

    Args:
        values: Output array, float64 (cap + 1, 3), indexed by the number on the die and owner + 1.
        table: Values of the game; see `fill_game_table`.
        probabilities: float64 (n,), indexed by points.
        games_by_points: Number of games that a won game counts as, int64 (goal,), indexed by the
            loser's points.
        dealer: Dealer of the next deal.
        winner: Seat that scores the points.
        points_a: Points of A before the deal.
        points_b: Points of B before the deal.
    """
    goal = len(table)
    stakes = np.arange(len(values))
    for points in range(1, len(probabilities)):
        probability = probabilities[points]
        next_a = points_a + points * (winner == 0)
        next_b = points_b + points * (winner == 1)
        if next_a >= goal:
            values += (probability * games_by_points[points_b] * stakes)[:, None]
        elif next_b >= goal:
            values -= (probability * games_by_points[points_a] * stakes)[:, None]
        else:
            values += probability * table[next_a, next_b, dealer]

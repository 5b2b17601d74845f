"""Hein: weighs deadwood against structure, which is the potential of pairs and partial runs.

The structure of a card measures what the hand would lose without the card. The structure is a sum
over the partners of the card in the hand and over the cards that would complete a meld with both. A
completing card counts 3 if it is in the hand, and 1 - q^4 if it is unseen, where q is the
probability that the opponent holds it. The discard minimises `a` * structure + (1 - `a`) *
remaining deadwood. The authors estimated q with a random forest. Here, all unseen cards are equally
likely by default. With `belief=learned`, q depends on the opponent's actions. The original program
takes and knocks like Simple.

The weight `a` decreases with the square root of the number of turns, so structure matters early and
deadwood late. In the original, `a` becomes negative. Here, the minimum of `a` is `floor`. The
original also counts some dead cards as live, and treats the king of one suit as adjacent to the ace
of the next suit. This strategy does neither.

Like the original, the strategy chooses its discard before it decides whether to end the deal.
Therefore, it sometimes breaks up gin.

Source: Hein, Jiang, Thiyageswaran and Guerzhoy, "Random Forests for Opponent Hand
Estimation in Gin Rummy", EAAI-21; AnthonyHein/GinRummyEAAI-Python, 2021.
"""

from math import sqrt

import numpy as np
from simgin_strategies.knock import knock_with_limit
from simgin_strategies.take import take_for_any_meld

from simgin.strategy import Strategy, choice, discard, helper, param
from simgin.toolkit import (
    cards_of_rank,
    deadwood,
    estimate_holdings,
    estimate_holdings_uniformly,
    lowest_bit,
    pick_random,
    popcount,
)


@helper
def _find_completing_cards(card, partner):
    """Return the cards that make a three-card meld with two given cards.

    The result is 0 if there is no such card. Aces are low, as in the authors' program.
    """
    if card % 13 == partner % 13:
        return cards_of_rank(card % 13) & ~(1 << card | 1 << partner)
    low, high = min(card, partner), max(card, partner)
    if low // 13 != high // 13 or high - low > 2:
        return 0
    if high - low == 2:
        return 1 << (low + 1)
    card_below = 1 << (low - 1) if low % 13 > 0 else 0
    return card_below | (1 << (high + 1) if high % 13 < 12 else 0)


@helper
def _compute_structure_value(card, view, held_probabilities):
    """Return the structure value of a card, which increases with the live cards that make melds.

    Args:
        card: Card in the hand, 0 to 51.
        view: View of the player.
        held_probabilities: Probability that the opponent holds each card, (52,) float64.
    """
    score, n_in_hand = 0.0, 0
    partners = view.hand & ~(1 << card)
    while partners:
        cards = _find_completing_cards(card, lowest_bit(partners))
        partners &= partners - 1
        n_in_hand += popcount(cards & view.hand)
        cards &= view.unseen
        while cards:
            probability = held_probabilities[lowest_bit(cards)]
            score += 1 - probability * probability * probability * probability
            cards &= cards - 1
    return score + 3 * n_in_hand


@helper
def _compute_structure_weight(view, initial_weight, n_fade_turns, min_weight):
    """Return the current weight of hand structure relative to deadwood."""
    return (
        max(min_weight, initial_weight * (1 - sqrt(view.turns / n_fade_turns)))
        if n_fade_turns > 0
        else initial_weight
    )


@discard(
    name="alpha",
    noise=True,
    weights="beliefs.npy",
    a=param(1.0, 0.0, 1.0, "weight of structure at the start of a deal"),
    fade=param(10, 0, 500, "turns of both players until the weight is zero; 0: constant weight"),
    floor=param(0.0, -10.0, 1.0, "minimum weight"),
    belief=choice(
        "uniform",
        "learned",
        about="unseen cards: equally likely, or estimated from the opponent's actions",
    ),
)
def discard_by_deadwood_and_structure(view, rules, params):
    """Minimise the remaining deadwood plus the lost structure, and break ties at random."""
    a = _compute_structure_weight(view, params[0], params[1], params[2])
    held_probabilities = np.empty(52)
    if params[3] == 0:
        estimate_holdings_uniformly(view, held_probabilities)
    else:
        estimate_holdings(view, params, 4, held_probabilities)
    cards, min_cost = 0, 1e9
    legal = view.legal
    while legal:
        card = lowest_bit(legal)
        legal &= legal - 1
        cost = a * _compute_structure_value(card, view, held_probabilities) + (1 - a) * deadwood(
            view.hand & ~(1 << card), rules
        )
        if cost < min_cost + 1e-9:
            cards = (cards if cost > min_cost - 1e-9 else 0) | 1 << card
            min_cost = min(cost, min_cost)
    return pick_random(cards, view.noise)


HEIN = Strategy(
    "hein",
    take=take_for_any_meld,
    discard=discard_by_deadwood_and_structure,
    knock=knock_with_limit,
    ending="same",
)

"""Simple estimates of the opponent's cards and deadwood, and of the danger of discards.

`view.known` contains the cards that the opponent took and still holds. `view.shed` contains the
cards that the opponent discarded or declined. `view.unseen` contains the other cards in the
opponent's hand and the cards in the stock. `simgin.toolkit.beliefs` estimates the probability of
each card from the opponent's actions.
"""

from simgin.core.bitboard import ranks_of
from simgin.core.bits import lowest_bit, popcount
from simgin.core.cards import ALL_CARDS, cards_of_rank
from simgin.core.jit import jit
from simgin.toolkit.hand import cards_of_ranks

# Mean deadwood of the opponent's ten cards after 0, 1, 2, ... turns of the opponent, in deals that
# have not ended. The means are estimated from 3,000 deals of gold-early against itself
# (training/beliefs.py).
MEAN_DEADWOOD_BY_TURN = (
    (56.4, 47.4, 40.5, 35.3, 31.3, 27.6, 22.4, 18.0, 14.5, 11.7)
    + (9.4, 7.6, 6.4, 5.3, 4.6, 3.9, 3.4, 3.0, 2.6, 2.1)
)  # fmt: skip


@jit
def neighbours(card):
    """Return the other cards of the same rank, and the cards within two ranks in the same suit.

    Sequences do not wrap from king to ace.

    Args:
        card: Card, 0 to 51.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Count the unseen cards near a card::

            popcount(neighbours(card) & view.unseen)
    """
    rank = card % 13
    window = (0b11111 << rank >> 2) & 0x1FFF
    return (cards_of_rank(rank) | window << (13 * (card // 13))) & ~(1 << card)


@jit
def neighbours_of_any(cards):
    """Return the cards that are neighbours of at least one of the given cards.

    Args:
        cards: Cards as a 52-bit mask.

    Returns:
        Cards as a 52-bit mask. The mask can include cards from `cards`.

    Example:
        Avoid discards near the cards that the opponent took::

            safe = view.legal & ~neighbours_of_any(view.known)
    """
    neighbour_cards = 0
    while cards:
        neighbour_cards |= neighbours(lowest_bit(cards))
        cards &= cards - 1
    return neighbour_cards


@jit
def touching_cards(cards):
    """Return the given cards, the cards of the same rank and the adjacent cards in the same suit.

     Sequences do not wrap from king to ace.

    Args:
        cards: Cards as a 52-bit mask.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Select the legal cards that touch one of the opponent's discards::

            view.legal & touching_cards(view.shed)
    """
    return (
        cards_of_ranks(ranks_of(cards))
        | (cards << 1 & ~cards_of_rank(0) | cards >> 1 & ~cards_of_rank(12)) & ALL_CARDS
    )


@jit
def first_discards(view, seat, max_discards):
    """Return the first cards that the player at a seat discarded in this deal.

    Args:
        view: View of the player.
        seat: Seat, 0 or 1. The player's seat is `view.seat`, and the opponent's seat is `1 -
            view.seat`.
        max_discards: Maximum number of discards.

    Returns:
        Cards as a 52-bit mask.

    Example:
        Find the opponent's first three discards::

            first_discards(view, 1 - view.seat, 3)
    """
    cards = 0
    for turn in range(view.turns):
        if max_discards <= 0:
            break
        if view.history[turn, 0] == seat and view.history[turn, 3] >= 0:
            cards |= 1 << int(view.history[turn, 3])
            max_discards -= 1
    return cards


@jit
def last_opponent_discard(view):
    """Return the opponent's last discard, or -1 before the first discard.

    Args:
        view: View of the player.

    Returns:
        A card, 0 to 51, or -1.

    Example:
        Find the legal discards with the same rank as the opponent's last discard::

            last = last_opponent_discard(view)
            same = view.legal & cards_of_rank(rank(last)) if last >= 0 else 0
    """
    for turn in range(view.turns - 1, -1, -1):
        if view.history[turn, 0] != view.seat:
            return int(view.history[turn, 3])
    return -1


@jit
def declined_card(view):
    """Return the discard or first upcard that the player declined most recently.

    Args:
        view: View of the player, after drawing.

    Returns:
        A card, 0 to 51, or -1 if the player took the card on offer or there was no card.

    Example:
        Avoid a discard near the card that the player has just declined::

            declined = declined_card(view)
            safe = view.legal & ~neighbours(declined) if declined >= 0 else view.legal
    """
    if view.taken >= 0:
        return -1
    return int(view.history[view.turns - 1, 3]) if view.turns > 0 else view.upcard


@jit
def holding_probability(view):
    """Return the probability that the opponent holds a given unseen card.

    All unseen cards are treated as equally likely. The result is the number of unknown cards in the
    opponent's hand divided by the number of unseen cards.

    Args:
        view: View of the player.

    Returns:
        Probability, 0 to 1. In single-player variants, the probability is 0.

    Example:
        Compute the expected number of queens in the opponent's unknown cards::

            holding_probability(view) * popcount(view.unseen & cards_of_rank(11))
    """
    unseen = popcount(view.unseen)
    if unseen == 0 or view.deck_left >= 0:  # Single-player variants have no opponent.
        return 0.0
    return max(0, 10 - popcount(view.known)) / unseen


@jit
def estimate_holdings_uniformly(view, probabilities):
    """Estimate the probability that the opponent holds each card, ignoring the history.

    All unseen cards are treated as equally likely.

    Args:
        view: View of the player.
        probabilities: (52,) float64, overwritten with the probabilities, which are 1 for
            `view.known` and 0 for other cards that the player has seen.

    Example:
        Compute the probability that the opponent can meld a discard::

            probabilities = np.zeros(52)
            estimate_holdings_uniformly(view, probabilities)
            meld_probability(card, probabilities, rules)
    """
    probability = holding_probability(view)
    for card in range(52):
        probabilities[card] = (
            probability if view.unseen >> card & 1 else 1.0 if view.known >> card & 1 else 0.0
        )


@jit
def discard_danger(card, view, held_weight, unseen_weight, shed_weight):
    """Return a score for how much a discard can help the opponent.

    The score is the sum of the weights of all neighbours of the card (see `neighbours`).
    jdh8/gin-rummy-engine uses the weights 2, 1 and 2.

    Args:
        card: Card to discard, 0 to 51.
        view: View of the player.
        held_weight: Weight of neighbours that the opponent took and still holds.
        unseen_weight: Weight of unseen neighbours.
        shed_weight: Weight to subtract for neighbours that the opponent discarded or declined.

    Returns:
        Weighted sum in the units of the weights.

    Example:
        Compute the danger of a discard with the weights of jdh8::

            discard_danger(card, view, 2, 1, 2)
    """
    near_cards = neighbours(card)
    return (
        held_weight * popcount(near_cards & view.known)
        + unseen_weight * popcount(near_cards & view.unseen)
        - shed_weight * popcount(near_cards & view.shed)
    )


@jit
def expected_deadwood(n_turns):
    """Return the mean deadwood of an opponent after a number of turns.

    The table is based on unfinished deals of `gold-early` against itself.

    Args:
        n_turns: Number of the opponent's turns, or 0 for the dealt hand.

    Returns:
        Deadwood in points.

    Example:
        Knock if the opponent is expected to have at least 10 points more::

            expected_deadwood(view.turns - view.own_turn + 1) >= view.ending_count + 10
    """
    return MEAN_DEADWOOD_BY_TURN[min(n_turns, len(MEAN_DEADWOOD_BY_TURN) - 1)]

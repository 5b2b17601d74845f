"""Probability that the opponent holds each card, given the opponent's actions.

The method follows Francis, Just and Neller, "Opponent Hand Estimation in the Game of Gin Rummy"
(EAAI-21). The initial odds that the opponent holds a card depend on the rank of the card and on the
stage of the deal. Each event multiplies the odds of all cards that are near the card taken,
declined or discarded. training/beliefs.py fits all multipliers jointly to recorded deals and writes
strategies/beliefs.npy. A policy loads this file with `weights="beliefs.npy"` and passes the offset
of the multipliers within its parameters. The computation uses only multiplications, divisions and
tables, so that results are identical on all machines.
"""

from simgin.core.bits import lowest_bit, popcount
from simgin.core.cards import cards_of_rank
from simgin.core.jit import jit
from simgin.core.view import FROM_PILE
from simgin.toolkit.prospects import count_three_card_runs

EVENT_DECLINED, EVENT_TAKEN, EVENT_DISCARDED = 0, 1, 2
STAGE_START_TURNS = (4, 7, 11)  # opponent's turns in which a new stage of the deal starts
N_CARD_RELATIONS = 3  # relations: same rank, adjacent in a suit, and two ranks apart in a suit
N_STAGES = len(STAGE_START_TURNS) + 1
# The multipliers by stage and rank precede the multipliers by type of event, stage and relation.
EVENT_MULTIPLIERS_OFFSET = 13 * N_STAGES
N_MULTIPLIERS = EVENT_MULTIPLIERS_OFFSET + 3 * N_STAGES * N_CARD_RELATIONS
_N_NEWTON_STEPS = 8


@jit
def find_deal_stage(turn):
    """Return the stage of the deal (0 to 3) at a given turn of a player.

    Turns are counted from 1.
    """
    # The sum starts with 0, because in interpreted mode the sum of two NumPy booleans is a boolean.
    return (
        0
        + (turn >= STAGE_START_TURNS[0])
        + (turn >= STAGE_START_TURNS[1])
        + (turn >= STAGE_START_TURNS[2])
    )


@jit
def find_initial_odds_index(view, offset):
    """Return the index in `params` at which the initial odds of the current stage start."""
    return offset + 13 * find_deal_stage(view.turns - view.own_turn + 1)


@jit
def has_opponent_declined_upcard(view):
    """Return True if the opponent has declined the first upcard."""
    has_taken = (
        view.turns > 0 and view.history[0, 0] != view.seat and view.history[0, 1] == FROM_PILE
    )
    return view.upcard >= 0 and view.shed >> view.upcard & 1 and not has_taken


@jit
def find_turn_event(view, turn):
    """Return whether the opponent took or declined a card in a turn, and which card it was.

    The event consists of a type, EVENT_DECLINED or EVENT_TAKEN, and a card. If the opponent had no
    choice, the event is (-1, -1). `turn` is the index of the turn in the history.
    """
    if view.history[turn, 1] == FROM_PILE:
        return EVENT_TAKEN, int(view.history[turn, 2])
    if turn == 0 or view.history[turn, 1] != 0:
        return -1, -1
    return EVENT_DECLINED, int(view.history[turn - 1, 3])


@jit
def find_related_cards(card, cards, relation):
    """Return the cards with a given relation to a card, such as the same rank.

    Relation 0 means the same rank. Relations 1 and 2 mean one and two ranks apart in the same suit.
    """
    if relation == 0:
        return cards & cards_of_rank(card % 13) & ~(1 << card)
    suit = 0x1FFF << (13 * (card // 13))
    return cards & suit & (1 << (card + relation) | 1 << card >> relation)


@jit
def _update_neighbour_odds(card, multiplier_index, view, params, odds):
    """Update the odds of the unseen neighbours of a card after an action of the opponent."""
    for relation in range(N_CARD_RELATIONS):
        cards = find_related_cards(card, view.unseen, relation)
        while cards:
            odds[lowest_bit(cards)] *= params[multiplier_index + relation]
            cards &= cards - 1


@jit
def update_holding_odds(view, params, offset, odds):
    """Update the odds that the opponent holds each unseen card, given the opponent's actions."""
    if has_opponent_declined_upcard(view):
        _update_neighbour_odds(view.upcard, offset + EVENT_MULTIPLIERS_OFFSET, view, params, odds)
    opponent_turn = 0
    for history_index in range(view.turns):
        if view.history[history_index, 0] == view.seat:
            continue
        opponent_turn += 1
        stage_offset = (
            offset + EVENT_MULTIPLIERS_OFFSET + find_deal_stage(opponent_turn) * N_CARD_RELATIONS
        )
        event_type, card = find_turn_event(view, history_index)
        if event_type >= 0:
            _update_neighbour_odds(
                card, stage_offset + event_type * N_STAGES * N_CARD_RELATIONS, view, params, odds
            )
        _update_neighbour_odds(
            int(view.history[history_index, 3]),
            stage_offset + EVENT_DISCARDED * N_STAGES * N_CARD_RELATIONS,
            view,
            params,
            odds,
        )


@jit
def _find_odds_scale(cards, n_held, odds):
    """Return the factor that scales the odds so that the probabilities add up to `n_held`.

    `n_held` must be less than the number of cards. The sum of scale * odds / (1 + scale * odds) is
    concave in the scale, so Newton's method converges from below without overshooting.
    """
    total_odds = 0.0
    remaining_cards = cards
    while remaining_cards:
        total_odds += odds[lowest_bit(remaining_cards)]
        remaining_cards &= remaining_cards - 1
    scale = n_held / total_odds
    for _ in range(_N_NEWTON_STEPS):
        expected, slope = 0.0, 0.0
        remaining_cards = cards
        while remaining_cards:
            card_odds = odds[lowest_bit(remaining_cards)]
            remaining_cards &= remaining_cards - 1
            expected += scale * card_odds / (1 + scale * card_odds)
            slope += card_odds / ((1 + scale * card_odds) * (1 + scale * card_odds))
        scale += (n_held - expected) / slope
    return scale


@jit
def estimate_holdings(view, params, offset, probabilities):
    """Estimate the probability that the opponent holds each card, given the opponent's actions.

    Args:
        view: View of the player.
        params: `params` of the policy, which is declared with `weights="beliefs.npy"`.
        offset: Offset of the multipliers in `params`, which is the number of parameters that the
            policy declares.
        probabilities: (52,) float64, overwritten with the probabilities, which are 1 for
            `view.known` and 0 for other cards that the player has seen.

    Example:
        Compute the probability that the opponent holds the queen of hearts::

            probabilities = np.zeros(52)
            estimate_holdings(view, params, 0, probabilities)
            probabilities[13 * 1 + 11]
    """
    n_held = max(0, 10 - popcount(view.known)) if view.deck_left < 0 else 0
    n_unseen = popcount(view.unseen)
    first_odds_index = find_initial_odds_index(view, offset)
    for card in range(52):
        probabilities[card] = params[first_odds_index + card % 13]
    update_holding_odds(view, params, offset, probabilities)
    scale = _find_odds_scale(view.unseen, n_held, probabilities) if 0 < n_held < n_unseen else 0.0
    for card in range(52):
        mask = 1 << card
        if view.unseen & mask and n_held >= n_unseen:
            probabilities[card] = 1.0
        elif view.unseen & mask and n_held > 0:
            probabilities[card] = scale * probabilities[card] / (1 + scale * probabilities[card])
        else:
            probabilities[card] = 1.0 if view.known & mask else 0.0


@jit
def meld_probability(card, probabilities, rules):
    """Return the probability that the opponent holds two cards that form a meld with a card.

    The function treats the opponent's cards as independent.

    Args:
        card: Card, 0 to 51.
        probabilities: (52,) float64 from `estimate_holdings` or `estimate_holdings_uniformly`.
        rules: Rules of the variant.

    Returns:
        Probability, 0 to 1.

    Example:
        Compute the probability that the opponent can meld a discard::

            probabilities = np.zeros(52)
            estimate_holdings_uniformly(view, probabilities)
            meld_probability(card, probabilities, rules)
    """
    no_meld_probability = 1.0
    rank, first_of_suit = card % 13, card - card % 13
    for first_partner in range(rank, 52, 13):
        for second_partner in range(first_partner + 13, 52, 13):
            if first_partner != card and second_partner != card:
                no_meld_probability *= (
                    1 - probabilities[first_partner] * probabilities[second_partner]
                )
    for i in range(count_three_card_runs(rules)):
        run = rules.runs[i]
        if run >> rank & 1:
            partner_ranks = (run ^ 1 << rank) << first_of_suit
            first_partner = lowest_bit(partner_ranks)
            no_meld_probability *= (
                1
                - probabilities[first_partner]
                * probabilities[lowest_bit(partner_ranks ^ 1 << first_partner)]
            )
    return 1 - no_meld_probability

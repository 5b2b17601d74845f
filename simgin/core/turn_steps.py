"""Steps of a turn that single-player and two-player deals share.

The steps are clearing the table, drawing, discarding, and recording a turn.
"""

from simgin.core.codes import ENDING_NONE, PHASE_UPCARD
from simgin.core.jit import force_inline, jit
from simgin.core.match import reset_die
from simgin.core.query import record_turn
from simgin.core.rules_record import DIE_DEAL
from simgin.core.shuffle import deal_next_card
from simgin.core.view import FROM_PILE, FROM_STOCK


@jit
def clear_deal(state, rules, dealer):
    """Clear the hands and the table before a deal.

    The die is reset if each deal has a separate die (rules.md 8).
    """
    state.dealer = dealer
    state.dealt = 0
    state.stock = 31
    state.pile = 0
    state.top = -1
    state.upcard = -1
    state.limit = -1 if rules.knock_by_upcard else rules.knock_limit
    state.multiplier = 1
    state.turns = 0
    state.phase = PHASE_UPCARD
    state.upcard_to = -1
    if rules.die == DIE_DEAL:
        reset_die(state)
    reset_turn(state)
    for seat in range(2):
        state.hand[seat] = 0
        state.known[seat] = 0
        state.shed[seat] = 0
        state.count[seat] = 0
        state.dealt_deadwood[seat] = 0
        state.own_turns[seat] = 0
        state.draws[seat] = 0
        state.takes[seat] = 0
        state.score[seat] = 0
        state.n_random_numbers[seat] = 0
    state.kind = -1
    state.knocker = -1
    state.winner = -1
    state.knocker_deadwood = 0
    state.defender_deadwood = 0
    state.defender_before = 0
    state.laid_off = 0
    state.discard = -1
    state.offered = 0
    state.pays = 0


@jit
def reset_turn(state):
    """Reset the card drawn, the best discards and the proposed ending after a turn."""
    state.taken = -1
    state.drawn = -1
    state.least = -1
    state.best = 0
    state.ending = ENDING_NONE
    state.ending_card = -1
    state.ending_count = -1


@force_inline
def draw_card(state, rules, seat, source):
    """Draw a card from the stock or the pile, unless the player already holds eleven cards.

    Returns the hand, the card taken from the pile (or -1) and the card drawn from the stock (or
    -1).
    """
    hand = state.hand[seat]
    taken_card, drawn_card = -1, -1
    if source == FROM_STOCK:
        if state.top >= 0 and rules.take_discard:
            # Drawing from the stock implies declining the top discard.
            state.shed[seat] |= 1 << state.top
        drawn_card = deal_next_card(state)
        hand |= 1 << drawn_card
        state.stock -= 1
        state.draws[seat] += 1
    elif source == FROM_PILE:
        taken_card = state.top
        mask = 1 << taken_card
        hand |= mask
        state.pile ^= mask
        state.known[seat] |= mask
        state.takes[seat] += 1
    state.hand[seat] = hand
    state.taken = taken_card
    state.drawn = drawn_card
    return hand, taken_card, drawn_card


@force_inline
def discard_card(state, seat, card):
    """Move a card from a hand to the discard pile."""
    mask = 1 << card
    state.hand[seat] &= ~mask
    state.known[seat] &= ~mask
    state.shed[seat] |= mask
    state.pile |= mask
    state.top = card


@jit
def propose_ending(state, ending, card, deadwood_points):
    """Set the ending that the knock policy can accept or decline."""
    state.ending = ending
    state.ending_card = card
    state.ending_count = deadwood_points


@force_inline
def record_turn_end(state, view, other_view, seat, source, discard):
    """Count the turn, and add it to the histories of both views.

    The other seat's view does not show which card was drawn from the stock.
    """
    turns = state.turns
    card = state.taken if source == FROM_PILE else state.drawn
    record_turn(view, turns, seat, source, card, discard)
    record_turn(other_view, turns, seat, source, card if source == FROM_PILE else -1, discard)
    state.turns = turns + 1
    state.own_turns[seat] += 1

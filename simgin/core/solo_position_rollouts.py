"""Rollouts of a single-player deal from a view, with a sampled deck.

A position is the view of the player at a decision, either with eleven cards before the discard or
with ten cards before the next draw. A world is an order of the deck, including the joker. For two
players, see `simgin.core.position_rollouts`.
"""

from simgin.core.bits import popcount
from simgin.core.codes import ACTION_STOCK, ENDING_KNOCK, PHASE_STOP
from simgin.core.deal_record import write_deal_record
from simgin.core.jit import jit
from simgin.core.position_rollouts import ACTION_DISCARD, PACK_SIZE, fill_seat_view, set_position
from simgin.core.query import clear_history
from simgin.core.solo_deal import (
    CARDS_ABOVE_ABSENT_JOKER,
    PLAYER_SEAT,
    discard_card_solo,
    go_out,
    play_turns_solo,
    score_ending_solo,
)
from simgin.core.view import FROM_DEAL, FROM_STOCK

JOKER_CARD = 52  # code of the joker in a deck


@jit
def _set_deck(state, view, deck):
    """Write the remaining deck of a sampled world, including the joker, to the state."""
    state.stock = len(deck)
    state.above = CARDS_ABOVE_ABSENT_JOKER
    state.dealt = PACK_SIZE - popcount(view.unseen)
    position = state.dealt
    for deck_index in range(len(deck)):
        if deck[deck_index] == JOKER_CARD:
            state.above = deck_index
        else:
            state.pack[position] = deck[deck_index]
            position += 1


@jit
def _play_action(state, rules, view, player_view, action, card):
    """Play one action at the current decision of the position.

    Returns True if the deal continues.
    """
    if action == ACTION_STOCK:
        return True
    if view.phase == PHASE_STOP:
        score_ending_solo(state, rules, ENDING_KNOCK, state.count[PLAYER_SEAT])
        return False
    source = FROM_STOCK if view.drawn >= 0 else FROM_DEAL
    if action == ACTION_DISCARD:
        discard_card_solo(state, rules, player_view, source, card)
        return True
    go_out(state, rules, player_view, source, card)
    return False


def run_world_rollouts_solo(
    state, rules, player_view, views, decks, actions, cards, first_world, records, discard, knock
):
    """Roll out every action of a position in every sampled world.

    Array arguments:
        views: (1,) or (n_worlds,) VIEW_DTYPE, the view at the decision. Views differ between worlds
            if the player does not remember all cards.
        decks: (n_worlds, n_deck) int8, in the order of drawing.
        actions, cards: (n_actions,) int64.
        records: (n_worlds, n_actions) DEAL_RECORD_DTYPE, overwritten with the results of the deals.

    `player_view` becomes the view of the player after the decision. `first_world` is the number of
    the first world, which is the unit in the random streams of the policies.
    """
    for world in range(len(decks)):
        state.unit = first_world + world
        view = views[world % len(views)]
        for action_index in range(len(actions)):
            clear_history(player_view, state.turns)
            set_position(state, rules, view, 0, decks[world])
            _set_deck(state, view, decks[world])
            fill_seat_view(state, rules, view, player_view, PLAYER_SEAT)
            player_view.deck_left = state.stock
            action = actions[action_index]
            if _play_action(state, rules, view, player_view, action, cards[action_index]):
                draw_now = action == ACTION_STOCK
                play_turns_solo(state, rules, player_view, discard, knock, draw_now)
            write_deal_record(state, records[world, action_index], PLAYER_SEAT)

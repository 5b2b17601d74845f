"""Rollouts of a single-player deal from what the player sees, with the deck filled in.

A position is a decision as the player sees it: a view with eleven cards before the discard, or with
ten before the next draw. A world is the order of the deck, including the joker. For two players,
see `simgin.core.position_rollouts`.
"""

from simgin.core.answers import KNOCK, PHASE_STOP, STOCK
from simgin.core.ask import forget
from simgin.core.bits import popcount
from simgin.core.jit import jit
from simgin.core.position import IN_PACK, THROW, set_position, set_view
from simgin.core.record import write_record
from simgin.core.solo import FAR, PLAYER, end_at, end_with, play_draws, throw_card
from simgin.core.view import FROM_DEAL, FROM_STOCK

JOKER_CARD = 52  # code of the joker in a deck


@jit
def _set_deck(state, view, deck):
    """Write the cards of the deck to the end of the pack, and the position of the joker."""
    state.stock = len(deck)
    state.above = FAR
    state.dealt = IN_PACK - popcount(view.unseen)
    place = state.dealt
    for i in range(len(deck)):
        if deck[i] == JOKER_CARD:
            state.above = i
        else:
            state.pack[place] = deck[i]
            place += 1


@jit
def _act(state, rules, view, shown, action, card):
    """Play an action; return True if the deal continues."""
    if action == STOCK:
        return True
    if view.phase == PHASE_STOP:
        end_at(state, rules, KNOCK, state.count[PLAYER])
        return False
    source = FROM_STOCK if view.drawn >= 0 else FROM_DEAL
    if action == THROW:
        throw_card(state, rules, shown, source, card)
        return True
    end_with(state, rules, shown, source, card)
    return False


def play_worlds_alone(
    state, rules, shown, views, decks, actions, cards, first, records, discard, knock
):
    """Roll out every action of a position in every world.

    Array arguments:
        views: (1,) or (n_worlds,) VIEW, the decision. It differs between worlds if the player has
            forgotten something.
        decks: (n_worlds, n_deck) int8, the next card first.
        actions, cards: (n_actions,) int64.
        records: (n_worlds, n_actions) DEAL_RECORD, overwritten with the results of the deals.

    `player_view` receives what the player sees after the decision. `first_world` is the number of
    the first world, used as the unit in the policies' random streams.
    """
    for w in range(len(decks)):
        state.unit = first + w
        view = views[w % len(views)]
        for k in range(len(actions)):
            forget(shown, state.turns)
            set_position(state, rules, view, 0, decks[w])
            _set_deck(state, view, decks[w])
            set_view(state, rules, view, shown, PLAYER)
            shown.deck_left = state.stock
            action = actions[k]
            if _act(state, rules, view, shown, action, cards[k]):
                draws_at_once = action == STOCK
                play_draws(state, rules, shown, discard, knock, draws_at_once)
            write_record(state, records[w, k], PLAYER)

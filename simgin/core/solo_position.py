"""A deal for one player played on from what the player sees, with the deck filled in.

A position is a question as the player sees it: a view with eleven cards before the discard, or with
ten before the next draw. A world is the order of the deck, the joker among its cards. See
`simgin.core.position` for two players.
"""

from simgin.core.answers import KNOCK, PHASE_STOP, STOCK
from simgin.core.ask import forget
from simgin.core.bits import popcount
from simgin.core.jit import jit
from simgin.core.position import IN_PACK, THROW, set_position, set_view
from simgin.core.record import write_record
from simgin.core.solo import FAR, PLAYER, end_at, end_with, play_draws, throw_card
from simgin.core.view import FROM_DEAL, FROM_STOCK

JOKER_CARD = 52  # the joker in a deck


@jit
def _set_deck(state, view, deck):
    """Put the cards of the deck at the end of the pack, and the joker in its place."""
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
    """Do an action; True if the deal goes on."""
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
    """Play every action of a position in every world.

    shown: what the player sees from then on, another view than the question. views: VIEW (1,) or
    (worlds,), the question, which is another in each world where something is forgotten. decks:
    int8 (worlds, cards left), the next one first. actions, cards: int64 (actions,). first: the
    number of the first world, which counts as the unit in the random streams of the policies.
    records: DEAL (worlds, actions), how the deal ended.
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

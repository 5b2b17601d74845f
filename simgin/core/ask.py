"""One question to a policy: what its seat is shown, and whether the answer is legal.

An answer outside `view.legal` raises; there are no forfeits and no repairs.
"""

import numpy as np

from simgin.core import rng
from simgin.core.answers import PHASE_LAST
from simgin.core.cards import PACK
from simgin.core.jit import inlined, jit
from simgin.core.match import target
from simgin.core.policy import vector_at
from simgin.core.rules import GOAL_COLUMNS
from simgin.core.state import KNOCK, TAKE


class IllegalAnswer(Exception):
    """A policy's answer is not in `view.legal`; the state says who answered, where and what."""


@jit
def forget(view, turns):
    """Clear the history of the previous deal, so that nothing beyond `view.turns` can be read.

    In a mirrored pair the previous deal may have been played with the same pack.
    """
    for i in range(turns):
        for k in range(4):
            view.history[i, k] = 0


@jit
def show_deal(state, rules, view, seat):
    """Write to a view what stays the same for a whole deal."""
    other = 1 - seat
    view.upcard = state.upcard
    view.deck_left = -1
    view.dealer = state.dealer
    view.seat = seat
    view.limit = state.limit
    view.multiplier = state.multiplier
    view.own_points = state.points[seat]
    view.other_points = state.points[other]
    view.own_deals = state.deals_won[seat]
    view.other_deals = state.deals_won[other]
    view.own_games = state.games[seat]
    view.other_games = state.games[other]
    view.deal = state.deal
    view.goal = rules.goal
    view.target = target(rules, seat)
    show_die(state, view)
    show_ending(state, view)
    if rules.goal == GOAL_COLUMNS:
        _show_columns(state, rules, view, seat)


@jit
def _show_columns(state, rules, view, seat):
    """Write the standing of a match in columns."""
    view.own_opened = state.opened[seat]
    view.other_opened = state.opened[1 - seat]
    view.closed = 0
    for c in range(rules.columns):
        view.own_columns[c] = state.column_points[seat, c]
        view.other_columns[c] = state.column_points[1 - seat, c]
        if state.column_winner[c] >= 0:
            view.closed |= 1 << c


@jit
def show_die(state, view):
    """Write the number on the die, its owner and the number offered."""
    view.stake = state.stake
    view.owner = state.owner
    view.offered = state.offered


@inlined
def show_turn(state, view, seat):
    """Write what stays the same for a whole turn of a seat."""
    other = 1 - seat
    view.count = state.count[seat]
    view.known = state.known[other]
    view.shed = state.shed[other]
    view.turns = state.turns
    view.turn = state.turns + 1
    view.own_turn = state.own_turns[seat] + 1


@inlined
def show_cards(state, view, seat):
    """Write what changes when a card is drawn."""
    hand = state.hand[seat]
    view.hand = hand
    view.pile = state.pile
    view.unseen = PACK & ~(hand | state.pile | state.known[1 - seat])
    view.stock = state.stock
    view.taken = state.taken
    view.drawn = state.drawn
    view.least = state.least
    view.best = state.best
    view.phase = state.phase


@inlined
def show_ending(state, view):
    """Write the ending proposed; none for most questions."""
    view.ending = state.ending
    view.ending_card = state.ending_card
    view.ending_count = state.ending_count


@inlined
def _noise(state, seat, who):
    """The seat's next random number.

    One call of the generator gives sixteen; the rest wait in the state.
    """
    i = state.noises[seat]
    state.noises[seat] = i + 1
    spare = state.spare[seat]
    if i & 15 == 0:
        domain = rng.NOISE_A + who
        rng.write_blocks(state.seed, state.unit, state.deal, i >> 1, domain, spare)
    block, word = i >> 1 & 7, 2 * (i & 1)
    return rng.uniform(spare[8 * word + block], spare[8 * word + 8 + block])


@inlined
def ask(state, rules, view, seat, slot, legal, hook):
    """Show the seat what it may know, put one question to a policy and check its answer."""
    show_turn(state, view, seat)
    show_cards(state, view, seat)
    show_ending(state, view)
    return ask_shown(state, rules, view, seat, slot, legal, hook)


@inlined
def ask_shown(state, rules, view, seat, slot, legal, hook):
    """`ask` where the view is written already; log the question if the deal is watched.

    The first `state.scripted` answers of a deal are given: policies answer only from there on.
    Where `state.watched` is negative, answers are kept but no views.
    """
    who = seat ^ state.half  # strategy A sits at seat `half`
    view.legal = legal
    view.taken_offer = (
        state.top if slot == TAKE or (slot == KNOCK and state.phase == PHASE_LAST) else -1
    )
    view.noise = _noise(state, seat, who) if state.noisy[who] >> slot & 1 else 0
    state.asked_seat = seat
    state.asked_slot = slot
    state.legal = legal
    if state.watched > 0:
        _log_question(state, view, slot)
    given = state.logged < state.scripted
    if given:
        answer = np.int64(state.answers[state.logged])
    else:
        answer = hook(view, rules, vector_at(state.vectors[who, slot], state.lengths[who, slot]))
    if answer < 0 or answer > 63 or not legal >> answer & 1:
        state.answer = answer
        raise IllegalAnswer
    if given or state.watched:
        state.answers[state.logged] = answer
        state.logged += 1
    return answer


@jit
def _log_question(state, view, slot):
    """Keep a question of a watched deal."""
    state.log[state.logged] = view
    state.slots[state.logged] = slot


@inlined
def remember(view, i, seat, source, card, discard):
    """Write a turn to row i of a view's history."""
    view.history[i, 0] = seat
    view.history[i, 1] = source
    view.history[i, 2] = card
    view.history[i, 3] = discard


@jit
def ask_apart(state, rules, view, seat, slot, legal, hook):
    """`ask` as a call instead of inlined code, for questions asked once a deal or less."""
    return ask(state, rules, view, seat, slot, legal, hook)

"""Policy calls: write what a seat may see to its view, call its policy, check the action.

An action outside `view.legal` raises IllegalAction. The engine neither corrects actions nor ends
the deal because of them.
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
    """Error raised if a policy returns an action that is not in `view.legal`.

    The state holds the seat (`asked_seat`), the slot (`asked_slot`) and the action (`answer`).
    """


@jit
def forget(view, turns):
    """Clear the history of the previous deal, which policies must not see.

    In a mirrored pair, the previous deal may have been played with the same cards.
    """
    for i in range(turns):
        for k in range(4):
            view.history[i, k] = 0


@jit
def show_deal(state, rules, view, seat):
    """Write the fields of a view that are constant during a deal."""
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
    """Write the score of a match in columns (Hollywood scoring)."""
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
    """Write the fields of a view that are constant during a turn of a seat."""
    other = 1 - seat
    view.count = state.count[seat]
    view.known = state.known[other]
    view.shed = state.shed[other]
    view.turns = state.turns
    view.turn = state.turns + 1
    view.own_turn = state.own_turns[seat] + 1


@inlined
def show_cards(state, view, seat):
    """Write the fields of a view that change when a card is drawn."""
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
    """Write the proposed ending, which is empty for most decisions."""
    view.ending = state.ending
    view.ending_card = state.ending_card
    view.ending_count = state.ending_count


@inlined
def _noise(state, seat, who):
    """Return the next random number of a seat; strategy A is number 0, B is number 1.

    One call of the generator yields sixteen numbers. The state stores the unused ones.
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
    """Write a seat's view, call one of its policies and check the action.

    Args:
        state: STATE record of the deal.
        rules: RULES record of the variant.
        view: VIEW record of the seat.
        seat: Seat that decides, 0 or 1.
        slot: Index of the policy in SLOTS.
        legal: Legal actions as bits.
        hook: Compiled policy.

    Returns:
        The action, 0..63.

    Raises:
        IllegalAction: The policy returned an action that is not in `legal`.
    """
    show_turn(state, view, seat)
    show_cards(state, view, seat)
    show_ending(state, view)
    return ask_shown(state, rules, view, seat, slot, legal, hook)


@inlined
def ask_shown(state, rules, view, seat, slot, legal, hook):
    """Call a policy like `query_policy`, but with a view that has already been written.

    If the deal is traced (`state.watched` > 0), the view is added to the log. The first
    `state.scripted` actions of a deal come from `state.answers`; policies are called only after
    these. If `state.watched` is negative, actions are logged without their views.
    """
    who = seat ^ state.half  # strategy A sits at seat `state.half`
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
    """Add the view and the slot of a decision to the log of a traced deal."""
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
    """Call `query_policy` without inlining it, for decisions that occur at most once per deal."""
    return ask(state, rules, view, seat, slot, legal, hook)

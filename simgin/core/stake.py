"""The die of Gin Dice (rules.md 8): offers, answers and refusals.

Offers are made before the cards are seen and in play.
"""

import numpy as np

from simgin.core.answers import PHASE_BLIND
from simgin.core.ask import ask_apart, show_die
from simgin.core.jit import jit
from simgin.core.rules import PAYS_NEW
from simgin.core.scoring import KIND_REFUSED
from simgin.core.state import ANSWER, OFFER, YES_OR_NO

FREE = np.int64(1)


@jit
def refused_blind(state, rules, view1, view2, offer_a, answer_a, offer_b, answer_b):
    """Offers before the cards are seen; True if one is refused.

    The nondealer may offer first (view1); if there is no offer, the dealer may (view2).
    """
    state.phase = PHASE_BLIND
    stake = state.stake
    if refused(
        state, rules, view1, view2, 1 - state.dealer, FREE, offer_a, answer_a, offer_b, answer_b
    ):
        return True
    if state.stake != stake:
        return False  # one offer a deal
    return refused(
        state, rules, view2, view1, state.dealer, FREE, offer_a, answer_a, offer_b, answer_b
    )


@jit
def refused(state, rules, view, other_view, seat, free, offer_a, answer_a, offer_b, answer_b):
    """Ask a seat for an offer, if it may make one, and the other for its answer.

    True if the offer was refused, which ends the deal. free: whether a die without an owner may be
    offered.
    """
    if state.stake >= rules.die_cap or (state.owner != seat if state.owner >= 0 else not free):
        return False
    higher = (1 << (rules.die_cap + 1)) - (1 << (state.stake + 1))
    offered = ask_apart(
        state, rules, view, seat, OFFER, higher | 1, offer_a if seat == state.half else offer_b
    )
    if offered == 0:
        return False
    answer = answer_b if seat == state.half else answer_a
    return turned_down(state, rules, view, other_view, seat, offered, answer)


@jit
def turned_down(state, rules, view, other_view, seat, offered, answer):
    """Put a seat's offer to the other, who owns the policy `answer`; True if it was refused."""
    state.offered = offered
    show_die(state, other_view)
    accepted = ask_apart(state, rules, other_view, 1 - seat, ANSWER, YES_OR_NO, answer)
    if accepted:
        accept(state, view, other_view, seat, offered)
    else:
        refuse(state, rules, seat, offered)
    return not accepted


@jit
def accept(state, view, other_view, seat, offered):
    """Turn the die to what a seat has offered, and give it to the other."""
    state.offered = 0
    state.stake, state.owner = offered, 1 - seat
    show_die(state, view)
    show_die(state, other_view)


@jit
def refuse(state, rules, seat, offered):
    """End the deal, which the seat that made the offer wins."""
    state.offered = 0
    state.pays = offered if rules.die_refusal_pays == PAYS_NEW else state.stake
    state.kind = KIND_REFUSED
    state.winner = seat

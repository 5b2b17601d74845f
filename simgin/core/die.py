"""Doubling die of Gin Dice: offers, acceptance and refusal (rules.md 8).

Players can make offers before they see their cards and during play.
"""

import numpy as np

from simgin.core.codes import PHASE_BLIND
from simgin.core.jit import jit
from simgin.core.query import query_policy_noinline, write_die_fields
from simgin.core.rules_record import REFUSAL_PAYS_NEW
from simgin.core.scoring import RESULT_REFUSED
from simgin.core.state import SLOT_ANSWER, SLOT_OFFER, YES_NO_ACTIONS

MAY_OFFER_UNOWNED_DIE = np.int64(1)


@jit
def query_offers_before_deal(
    state, rules, nondealer_view, dealer_view, offer_a, answer_a, offer_b, answer_b,
):  # fmt: skip
    """Let the players offer the die before they see their cards.

    Returns True if an offer is refused.

    The nondealer may offer first. If the nondealer makes no offer, the dealer may offer.
    """
    state.phase = PHASE_BLIND
    stake = state.stake
    if query_die_offer(
        state, rules, nondealer_view, dealer_view, 1 - state.dealer, MAY_OFFER_UNOWNED_DIE, offer_a,
        answer_a, offer_b, answer_b,
    ):  # fmt: skip
        return True
    if state.stake != stake:
        return False  # Before the cards are seen, only one offer is allowed.
    return query_die_offer(
        state, rules, dealer_view, nondealer_view, state.dealer, MAY_OFFER_UNOWNED_DIE, offer_a,
        answer_a, offer_b, answer_b,
    )  # fmt: skip


@jit
def query_die_offer(
    state, rules, view, other_view, seat, may_offer_unowned_die, offer_a, answer_a, offer_b,
    answer_b,
):  # fmt: skip
    """Let a player offer the die if the rules allow it, and let the opponent accept or refuse.

    A refusal ends the deal. `may_offer_unowned_die` is true if a die without an owner may
    be offered. Returns True if an offer is refused.
    """
    if state.stake >= rules.die_cap or (
        state.owner != seat if state.owner >= 0 else not may_offer_unowned_die
    ):
        return False
    legal = (1 << (rules.die_cap + 1)) - (1 << (state.stake + 1)) | 1
    offer = offer_a if seat == state.half else offer_b
    offered_number = query_policy_noinline(state, rules, view, seat, SLOT_OFFER, legal, offer)
    if offered_number == 0:
        return False
    answer = answer_b if seat == state.half else answer_a
    return offer_die(state, rules, view, other_view, seat, offered_number, answer)


@jit
def offer_die(state, rules, view, other_view, seat, offered_number, answer):
    """Offer a number on the die to the opponent, and apply the response.

    Returns True if that seat refuses.
    """
    state.offered = offered_number
    write_die_fields(state, other_view)
    accepted = query_policy_noinline(
        state, rules, other_view, 1 - seat, SLOT_ANSWER, YES_NO_ACTIONS, answer
    )
    if accepted:
        accept_die(state, view, other_view, seat, offered_number)
    else:
        refuse_die(state, rules, seat, offered_number)
    return not accepted


@jit
def accept_die(state, view, other_view, seat, offered_number):
    """Set the die to the offered number, and make the opponent the owner of the die."""
    state.offered = 0
    state.stake, state.owner = offered_number, 1 - seat
    write_die_fields(state, view)
    write_die_fields(state, other_view)


@jit
def refuse_die(state, rules, seat, offered_number):
    """End the deal after a refusal, as a win for the seat that made the offer."""
    state.offered = 0
    state.pays = offered_number if rules.die_refusal_pays == REFUSAL_PAYS_NEW else state.stake
    state.kind = RESULT_REFUSED
    state.winner = seat

"""Showdown, from the melding that the knocker shows to the points (rules.md 3.5 to 3.7 and 6)."""

from simgin.core.bitboard import HUGE_DEADWOOD
from simgin.core.bits import popcount
from simgin.core.codes import ENDING_BIG_GIN, ENDING_KNOCK, ENDING_SHOT
from simgin.core.deadwood import compute_deadwood_for_role
from simgin.core.endings import find_required_meld_card, find_shot_ranks
from simgin.core.jit import jit
from simgin.core.layoff import lay_off
from simgin.core.meldings import MAX_MELDINGS, find_legal_meldings, find_shown_melding
from simgin.core.query import query_policy_noinline
from simgin.core.rules_record import MELDING_AUTO
from simgin.core.scoring import score_deal
from simgin.core.state import SLOT_SHOW


@jit
def end_deal(state, rules, view, seat, show_a, show_b):
    """End the deal with the proposed ending, and play the showdown.

    The rules or the knocker's policy determine the melding that is shown.
    """
    card = state.ending_card
    discard_mask = 0
    if card >= 0:
        discard_mask = 1 << card
        state.hand[seat] &= ~discard_mask
        # Remove the discard from view.unseen before the policy chooses the melding.
        state.pile |= discard_mask
    state.discard = card
    state.least = -1
    state.best = 0
    required_card = find_required_meld_card(state.taken, rules)
    ranks_left = find_shot_ranks(state.points[seat]) if state.ending == ENDING_SHOT else -1
    if rules.melding == MELDING_AUTO:
        knocker_deadwood = find_shown_melding(
            state.hand[seat],
            discard_mask,
            required_card,
            ranks_left,
            rules,
            state.meld_buffer,
            state.keys,
            state.meldings,
        )
        row = 0
    else:
        max_deadwood = (
            state.limit
            if state.ending == ENDING_KNOCK
            else 0
            if state.ending == ENDING_BIG_GIN
            else HUGE_DEADWOOD
        )
        n_meldings = find_legal_meldings(
            state.hand[seat],
            discard_mask,
            required_card,
            ranks_left,
            max_deadwood,
            rules,
            state.meld_buffer,
            state.keys,
            state.meldings,
            MAX_MELDINGS,
        )
        row = _choose_melding(
            state, rules, view, seat, n_meldings, show_a if seat == state.half else show_b
        )  # Strategy A sits in seat `state.half`.
        knocker_deadwood = state.keys[row, 0]
    for meld_index in range(3):
        state.melds[meld_index] = state.meldings[row, meld_index]
    score_showdown(state, rules, seat, state.ending, knocker_deadwood)


@jit
def _choose_melding(state, rules, view, seat, n_meldings, show):
    """Return the row of the melding that the knocker's policy chooses to show.

    If only one melding is legal, the policy is not called.
    """
    if n_meldings == 1:
        return 0
    for melding_index in range(n_meldings):
        for meld_index in range(3):
            view.meldings[melding_index, meld_index] = state.meldings[melding_index, meld_index]
    legal = (1 << n_meldings) - 1 if n_meldings < MAX_MELDINGS else -1
    row = query_policy_noinline(state, rules, view, seat, SLOT_SHOW, legal, show)
    for melding_index in range(n_meldings):  # Clear the meldings before the next deal.
        for meld_index in range(3):
            view.meldings[melding_index, meld_index] = 0
    return row


@jit
def score_showdown(state, rules, seat, ending, knocker_deadwood):
    """Lay off the defender's cards and score the deal after the knocker has shown a melding.

    `seat` is the seat of the knocker, and `knocker_deadwood` is the knocker's deadwood.
    """
    defender = 1 - seat
    is_gin = ending != ENDING_SHOT and knocker_deadwood == 0
    hand = state.hand[defender]
    state.defender_before = compute_deadwood_for_role(hand, rules, 1)
    defender_deadwood, laid_off = state.defender_before, 0
    if ending != ENDING_SHOT and rules.layoff and (rules.layoff_on_gin or not is_gin):
        defender_deadwood, laid_off = lay_off(hand, state.melds, rules, state.options, state.chains)
    result, knocker_points, defender_points, winner = score_deal(
        ending, knocker_deadwood, defender_deadwood, state.stock, state.multiplier, rules
    )
    state.kind = result
    state.knocker = seat
    state.winner = seat if winner > 0 else defender if winner < 0 else -1
    state.score[seat] = knocker_points
    state.score[defender] = defender_points
    state.knocker_deadwood = knocker_deadwood
    state.defender_deadwood = defender_deadwood
    state.laid_off = popcount(laid_off)

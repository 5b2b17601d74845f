"""The showdown: melding shown, lay-offs and points (rules.md 3.5 to 3.7 and 6)."""

from simgin.core.answers import BIG_GIN, KNOCK, SHOT
from simgin.core.ask import ask_apart
from simgin.core.bits import popcount
from simgin.core.deadwood import deadwood_of
from simgin.core.endings import demanded_by, must_be_melded
from simgin.core.jit import jit
from simgin.core.layoff import lay_off
from simgin.core.meldings import MAX_MELDINGS, NO_MELDING, legal_meldings, melding_shown
from simgin.core.rules import AUTO
from simgin.core.scoring import score
from simgin.core.state import SHOW


@jit
def end_deal(state, rules, view, seat, show_a, show_b):
    """Play the showdown of the proposed ending.

    The rules or the knocker's policy choose the melding that is shown.
    """
    card = state.ending_card
    thrown = 0
    if card >= 0:
        thrown = 1 << card
        state.hand[seat] &= ~thrown
        state.pile |= thrown  # not in view.unseen when the policy chooses the melding
    state.discard = card
    state.least = -1
    state.best = 0
    must = must_be_melded(state.taken, rules)
    demanded = demanded_by(state.points[seat]) if state.ending == SHOT else -1
    if rules.melding == AUTO:
        own = melding_shown(
            state.hand[seat], thrown, must, demanded, rules, state.found, state.keys, state.meldings
        )
        row = 0
    else:
        limit = (
            state.limit if state.ending == KNOCK else 0 if state.ending == BIG_GIN else NO_MELDING
        )
        n = legal_meldings(
            state.hand[seat],
            thrown,
            must,
            demanded,
            limit,
            rules,
            state.found,
            state.keys,
            state.meldings,
            MAX_MELDINGS,
        )
        row = _choose(
            state, rules, view, seat, n, show_a if seat == state.half else show_b
        )  # strategy A sits at seat `state.half`
        own = state.keys[row, 0]
    for k in range(3):
        state.melds[k] = state.meldings[row, k]
    showdown(state, rules, seat, state.ending, own)


@jit
def _choose(state, rules, view, seat, n, show):
    """Return the row of the melding that the policy shows.

    The policy is not called if only one melding is legal.
    """
    if n == 1:
        return 0
    for i in range(n):
        for k in range(3):
            view.meldings[i, k] = state.meldings[i, k]
    row = ask_apart(state, rules, view, seat, SHOW, (1 << n) - 1 if n < MAX_MELDINGS else -1, show)
    for i in range(n):  # not visible in the next deal
        for k in range(3):
            view.meldings[i, k] = 0
    return row


@jit
def showdown(state, rules, seat, ending, own):
    """Compute deadwood and points after the knocker at `seat` has shown `state.melds`.

    `knocker_count` is the knocker's deadwood.
    """
    other = 1 - seat
    gin = ending != SHOT and own == 0
    hand = state.hand[other]
    state.defender_before = deadwood_of(hand, rules, 1)
    count, laid = state.defender_before, 0
    if ending != SHOT and rules.layoff and (rules.layoff_on_gin or not gin):
        count, laid = lay_off(hand, state.melds, rules, state.options, state.chains)
    kind, won, lost, who = score(ending, own, count, state.stock, state.multiplier, rules)
    state.kind = kind
    state.stopper = seat
    state.winner = seat if who > 0 else other if who < 0 else -1
    state.score[seat] = won
    state.score[other] = lost
    state.stopper_count = own
    state.other_count = count
    state.laid_off = popcount(laid)

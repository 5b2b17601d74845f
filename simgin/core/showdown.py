"""The showdown: what the stopper shows, what the defender lays off, and the points (RULES.md 3.5 to 3.7 and 6)."""

from simgin.core.bits import popcount
from simgin.core.deadwood import deadwood_of
from simgin.core.endings import SHOT, demanded_by, must_be_melded
from simgin.core.jit import jit
from simgin.core.layoff import lay_off
from simgin.core.meldings import melding_shown
from simgin.core.scoring import score


@jit
def end_deal(state, rules, seat):
    """The showdown of the proposal in `state.ending` (RULES.md 3.5 to 3.7 and 6)."""
    card = state.ending_card
    thrown = 0
    if card >= 0:
        thrown = 1 << card
        state.hand[seat] &= ~thrown
    state.discard = card
    must = must_be_melded(state.taken, rules)
    demanded = demanded_by(state.points[seat]) if state.ending == SHOT else -1
    own = melding_shown(state.hand[seat], thrown, must, demanded, rules, state.found, state.melds)
    showdown(state, rules, seat, state.ending, own)


@jit
def showdown(state, rules, seat, ending, own):
    """Counts and points once the stopper at `seat` has shown `state.melds`, leaving `own` points."""
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

"""A deal for one player, against the joker or the clock (rules.md 5).

The player sits at seat 0, the joker at seat 1.
"""

from simgin.core import rng
from simgin.core.answers import BIG_GIN, KNOCK, NO_ENDING, PHASE_STOP, PHASE_TURN
from simgin.core.ask import ask, ask_apart, remember, show_deal
from simgin.core.bits import lowest
from simgin.core.deadwood import best_discards, deadwood, dearest
from simgin.core.endings import legal_discards
from simgin.core.jit import inlined, jit, spliced
from simgin.core.meldings import melding_shown
from simgin.core.pack import next_card
from simgin.core.rules import AFTER_DEAL, AGAINST_JOKER, DISCARD_FIRST, LOSE, NO_JOKER, PENALTY
from simgin.core.scoring import KIND_BIG_GIN, KIND_GIN, KIND_JOKER, KIND_LIMIT, KIND_STALLED, score
from simgin.core.state import DISCARD, YES_OR_NO
from simgin.core.state import KNOCK as KNOCK_SLOT
from simgin.core.turn import clear_deal, draw, no_card, propose, throw
from simgin.core.view import FROM_DEAL, FROM_STOCK

PLAYER, JOKER = 0, 1
FAR = 99  # value of `state.above` for a deck without a joker


@jit
def joker_place(seed, unit, deal, rules):
    """Return the joker's position among the 53 cards in dealing order, or -1 without a joker.

    If hands with the joker are redealt, the joker is uniform over the other positions, as if it had
    been shuffled in after the deal (rules.md 5.1).
    """
    if rules.joker == NO_JOKER:
        return -1
    word = rng.words(seed, unit, deal, 0, rng.JOKER)[0]
    if rules.joker != AFTER_DEAL and rules.joker_in_hand == LOSE:
        return rng.below(53, word)
    dealt = _cards_dealt(rules)
    return dealt + rng.below(53 - dealt, word)


@jit
def _cards_dealt(rules):
    """Return the number of cards dealt to the player."""
    return 11 if rules.first_turn == DISCARD_FIRST else 10


@jit
def _deal_hand(state, rules):
    """Deal the hand; a joker among its cards replaces one of them."""
    dealt = _cards_dealt(rules)
    has_joker = 0 <= state.joker < dealt
    hand = 0
    for _ in range(dealt - has_joker):
        hand |= 1 << next_card(state)
    state.hand[PLAYER] = hand
    state.count[PLAYER] = state.dealt_count[PLAYER] = deadwood(hand, rules)
    state.stock = 52 - dealt + (state.joker >= 0)
    state.above = state.joker - dealt if state.joker >= 0 else FAR


@jit
def play_solo(state, rules, view, discard, knock):
    """Play a deal; `state.joker` is the joker's position, and the result is in the state."""
    clear_deal(state, rules, JOKER)
    _deal_hand(state, rules)
    if state.above < 0:
        _joker_drawn(state, rules)
        return
    show_deal(state, rules, view, PLAYER)
    view.deck_left = state.stock
    if rules.first_turn == DISCARD_FIRST and _turn(state, rules, view, FROM_DEAL, discard, knock):
        return
    play_draws(state, rules, view, discard, knock, False)


@spliced
def play_draws(state, rules, view, discard, knock, goes_on):
    """Play a deal from ten cards to its end.

    `draw_now` is true if the player has just decided to draw another card.
    """
    while goes_on or not _stop(state, rules, view, knock):
        goes_on = False
        if _out_of_turns(state, rules):
            return
        if state.above == 0:
            _joker_drawn(state, rules)
            return
        state.above -= 1
        draw(state, rules, PLAYER, FROM_STOCK)
        view.deck_left = state.stock
        if _turn(state, rules, view, FROM_STOCK, discard, knock):
            return


@spliced
def _turn(state, rules, view, source, discard, knock):
    """Play a turn with eleven cards; return True if big gin or gin ends the deal."""
    state.phase = PHASE_TURN
    eleven = state.hand[PLAYER]
    legal = legal_discards(eleven, -1, state.drawn, rules)
    least, best = best_discards(eleven, legal, rules)
    state.least = least
    state.best = best
    big_gin = rules.big_gin and deadwood(eleven, rules) == 0
    if big_gin and _agreed(state, rules, view, BIG_GIN, -1, 0, knock):
        end_with(state, rules, view, source, -1)
        return True
    card = lowest(dearest(best, rules)[0])  # the discard if the player goes gin
    gin = least == 0 and may_stop(state, rules)
    if gin and _agreed(state, rules, view, KNOCK, card, 0, knock):
        end_with(state, rules, view, source, card)
        return True
    card = ask(state, rules, view, PLAYER, DISCARD, legal, discard)
    throw_card(state, rules, view, source, card)
    return False


@inlined
def throw_card(state, rules, view, source, card):
    """Discard a card, which leaves ten."""
    throw(state, PLAYER, card)
    hand = state.hand[PLAYER]
    state.count[PLAYER] = state.least if state.best >> card & 1 else deadwood(hand, rules)
    _close(state, view, source, card)
    no_card(state)


@jit
def end_with(state, rules, view, source, card):
    """End the deal with eleven cards: gin with a discard, or big gin without one (-1)."""
    ending = BIG_GIN if card < 0 else KNOCK
    if card >= 0:
        throw(state, PLAYER, card)
    _close(state, view, source, card)
    end_at(state, rules, ending, 0)


@jit
def may_stop(state, rules):
    """Return True if the player may end the deal, except with big gin (rules.md 5.2)."""
    return state.draws[PLAYER] > 0 or rules.stop_before_draw


@jit
def _close(state, view, source, card):
    """Add the turn to the history."""
    remember(view, state.turns, PLAYER, source, state.drawn, card)
    state.turns += 1
    state.own_turns[PLAYER] += 1


@jit
def _stop(state, rules, view, knock):
    """Offer gin or a knock with ten cards, before a draw; return True if it ends the deal.

    The player decides, unless the rules end the deal (rules.md 5.2).
    """
    if not may_stop(state, rules):
        return False
    count = state.count[PLAYER]
    if rules.deal_scoring == PENALTY:
        if count == 0:
            end_at(state, rules, KNOCK, 0)
        return count == 0
    if count > state.limit:
        return False
    state.phase = PHASE_STOP
    if _agreed(state, rules, view, KNOCK, -1, count, knock):
        end_at(state, rules, KNOCK, count)
        return True
    return False


@jit
def _agreed(state, rules, view, ending, card, count, knock):
    """Propose an ending with its discard (-1: none); return True if the player accepts it.

    Otherwise, the proposal is withdrawn.
    """
    propose(state, ending, card, count)
    if ask_apart(state, rules, view, PLAYER, KNOCK_SLOT, YES_OR_NO, knock):
        return True
    propose(state, NO_ENDING, -1, -1)
    return False


@jit
def _out_of_turns(state, rules):
    """End a deal after the last permitted draw, or if it stalled; return True if it ended."""
    if rules.max_draws >= 0 and state.draws[PLAYER] >= rules.max_draws:
        state.kind = KIND_LIMIT
        state.score[PLAYER] = state.stopper_count = state.count[PLAYER]
        return True
    if state.turns >= rules.max_turns:
        state.kind = KIND_STALLED
        return True
    return False


@jit
def _joker_drawn(state, rules):
    """End the deal with a win of the joker (rules.md 6).

    The joker scores the deal or the player's deadwood. With penalty scoring, the deadwood is the
    player's penalty.
    """
    state.kind = KIND_JOKER
    state.winner = JOKER
    state.stopper_count = state.count[PLAYER]
    if rules.deal_scoring == PENALTY:
        state.score[PLAYER] = state.count[PLAYER]
    else:
        state.score[JOKER] = state.count[PLAYER] if rules.deal_scoring == AGAINST_JOKER else 1


@jit
def end_at(state, rules, ending, count):
    """Score gin, big gin or a knock; `count` is the deadwood of the cards held."""
    state.count[PLAYER] = count
    melding_shown(state.hand[PLAYER], 0, -1, -1, rules, state.found, state.keys, state.meldings)
    for k in range(3):
        state.melds[k] = state.meldings[0, k]
    state.stopper = state.winner = PLAYER
    state.stopper_count = count
    if rules.deal_scoring == AGAINST_JOKER:
        state.other_count = state.above + rules.count_joker
        kind, state.score[PLAYER], state.score[JOKER], who = score(
            ending, count, state.other_count, 0, 1, rules
        )
        state.kind = kind
        state.winner = PLAYER if who > 0 else JOKER if who < 0 else -1
        return
    state.kind = KIND_BIG_GIN if ending == BIG_GIN else KIND_GIN
    state.score[PLAYER] = rules.penalty_gin if rules.deal_scoring == PENALTY else 1

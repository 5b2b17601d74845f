"""Single-player deal against the joker or the clock (rules.md 5).

The player has seat 0, and the joker has seat 1.
"""

from simgin.core import rng
from simgin.core.bits import lowest_bit
from simgin.core.codes import ENDING_BIG_GIN, ENDING_KNOCK, ENDING_NONE, PHASE_STOP, PHASE_TURN
from simgin.core.deadwood import best_discards, deadwood, highest_value_cards
from simgin.core.endings import find_permitted_discards
from simgin.core.jit import force_inline, inline_before_compilation, jit
from simgin.core.meldings import find_shown_melding
from simgin.core.query import query_policy, query_policy_noinline, record_turn, write_deal_fields
from simgin.core.rules_record import (
    FIRST_TURN_DISCARD,
    JOKER_AFTER_DEAL,
    JOKER_IN_HAND_LOSE,
    JOKER_NONE,
    SCORING_AGAINST_JOKER,
    SCORING_PENALTY,
)
from simgin.core.scoring import (
    RESULT_BIG_GIN,
    RESULT_GIN,
    RESULT_JOKER_WON,
    RESULT_LIMIT_REACHED,
    RESULT_STALLED,
    score_deal,
)
from simgin.core.shuffle import deal_next_card
from simgin.core.state import SLOT_DISCARD, YES_NO_ACTIONS
from simgin.core.state import SLOT_KNOCK as KNOCK_SLOT
from simgin.core.turn_steps import clear_deal, discard_card, draw_card, propose_ending, reset_turn
from simgin.core.view import FROM_DEAL, FROM_STOCK

PLAYER_SEAT, JOKER_SEAT = 0, 1
CARDS_ABOVE_ABSENT_JOKER = 99  # value of `state.above` if the deck has no joker


@jit
def choose_joker_position(seed, unit, deal, rules):
    """Return the joker's position among the 53 cards in dealing order, or -1 for no joker.

    If hands with the joker are redealt, the position is uniform over the other positions, as if the
    joker were shuffled into the deck after the deal (rules.md 5.1).
    """
    if rules.joker == JOKER_NONE:
        return -1
    word = rng.generate_random_words(seed, unit, deal, 0, rng.DOMAIN_JOKER)[0]
    if rules.joker != JOKER_AFTER_DEAL and rules.joker_in_hand == JOKER_IN_HAND_LOSE:
        return rng.random_below(53, word)
    n_dealt = _count_cards_dealt(rules)
    return n_dealt + rng.random_below(53 - n_dealt, word)


@jit
def _count_cards_dealt(rules):
    """Return the number of cards dealt to the player."""
    return 11 if rules.first_turn == FIRST_TURN_DISCARD else 10


@jit
def _deal_hand(state, rules):
    """Deal the player's hand.

    A joker in the hand replaces one of the cards.
    """
    n_dealt = _count_cards_dealt(rules)
    has_joker = 0 <= state.joker < n_dealt
    hand = 0
    for _ in range(n_dealt - has_joker):
        hand |= 1 << deal_next_card(state)
    state.hand[PLAYER_SEAT] = hand
    state.count[PLAYER_SEAT] = state.dealt_deadwood[PLAYER_SEAT] = deadwood(hand, rules)
    state.stock = 52 - n_dealt + (state.joker >= 0)
    state.above = state.joker - n_dealt if state.joker >= 0 else CARDS_ABOVE_ABSENT_JOKER


@jit
def play_deal_solo(state, rules, view, discard, knock):
    """Play a deal with the joker at `state.joker`, and write the result to the state."""
    clear_deal(state, rules, JOKER_SEAT)
    _deal_hand(state, rules)
    if state.above < 0:
        _end_deal_with_joker(state, rules)
        return
    write_deal_fields(state, rules, view, PLAYER_SEAT)
    view.deck_left = state.stock
    if rules.first_turn == FIRST_TURN_DISCARD and _play_turn(
        state, rules, view, FROM_DEAL, discard, knock
    ):
        return
    play_turns_solo(state, rules, view, discard, knock, False)


@inline_before_compilation
def play_turns_solo(state, rules, view, discard, knock, draw_now):
    """Play the rest of a deal, starting with ten cards in the hand.

    `draw_now` is true if the player has just decided to draw another card.
    """
    while draw_now or not _offer_ending_before_draw(state, rules, view, knock):
        draw_now = False
        if _end_deal_at_limit(state, rules):
            return
        if state.above == 0:
            _end_deal_with_joker(state, rules)
            return
        state.above -= 1
        draw_card(state, rules, PLAYER_SEAT, FROM_STOCK)
        view.deck_left = state.stock
        if _play_turn(state, rules, view, FROM_STOCK, discard, knock):
            return


@inline_before_compilation
def _play_turn(state, rules, view, source, discard, knock):
    """Play the part of a turn in which the player holds eleven cards.

    Returns True if big gin or gin ends the deal.
    """
    state.phase = PHASE_TURN
    eleven_cards = state.hand[PLAYER_SEAT]
    legal = find_permitted_discards(eleven_cards, -1, state.drawn, rules)
    least_deadwood, best_cards = best_discards(eleven_cards, legal, rules)
    state.least = least_deadwood
    state.best = best_cards
    can_go_big_gin = rules.big_gin and deadwood(eleven_cards, rules) == 0
    if can_go_big_gin and _propose_ending(state, rules, view, ENDING_BIG_GIN, -1, 0, knock):
        go_out(state, rules, view, source, -1)
        return True
    # Discard of a player who goes gin
    card = lowest_bit(highest_value_cards(best_cards, rules)[0])
    can_go_gin = least_deadwood == 0 and can_end_deal(state, rules)
    if can_go_gin and _propose_ending(state, rules, view, ENDING_KNOCK, card, 0, knock):
        go_out(state, rules, view, source, card)
        return True
    card = query_policy(state, rules, view, PLAYER_SEAT, SLOT_DISCARD, legal, discard)
    discard_card_solo(state, rules, view, source, card)
    return False


@force_inline
def discard_card_solo(state, rules, view, source, card):
    """Discard one of the player's eleven cards."""
    discard_card(state, PLAYER_SEAT, card)
    hand = state.hand[PLAYER_SEAT]
    state.count[PLAYER_SEAT] = state.least if state.best >> card & 1 else deadwood(hand, rules)
    _record_turn_end(state, view, source, card)
    reset_turn(state)


@jit
def go_out(state, rules, view, source, card):
    """End a deal with gin after a discard, or with big gin if the discard is -1."""
    ending = ENDING_BIG_GIN if card < 0 else ENDING_KNOCK
    if card >= 0:
        discard_card(state, PLAYER_SEAT, card)
    _record_turn_end(state, view, source, card)
    score_ending_solo(state, rules, ending, 0)


@jit
def can_end_deal(state, rules):
    """Return True if the player may end the deal in a way other than big gin (rules.md 5.2)."""
    return state.draws[PLAYER_SEAT] > 0 or rules.stop_before_draw


@jit
def _record_turn_end(state, view, source, card):
    """Count the turn, and add it to the history of the view."""
    record_turn(view, state.turns, PLAYER_SEAT, source, state.drawn, card)
    state.turns += 1
    state.own_turns[PLAYER_SEAT] += 1


@jit
def _offer_ending_before_draw(state, rules, view, knock):
    """Let the player go gin or knock before drawing a card.

    Returns True if the deal ends.

    The player decides, unless the rules end the deal (rules.md 5.2).
    """
    if not can_end_deal(state, rules):
        return False
    deadwood_points = state.count[PLAYER_SEAT]
    if rules.deal_scoring == SCORING_PENALTY:
        if deadwood_points == 0:
            score_ending_solo(state, rules, ENDING_KNOCK, 0)
        return deadwood_points == 0
    if deadwood_points > state.limit:
        return False
    state.phase = PHASE_STOP
    if _propose_ending(state, rules, view, ENDING_KNOCK, -1, deadwood_points, knock):
        score_ending_solo(state, rules, ENDING_KNOCK, deadwood_points)
        return True
    return False


@jit
def _propose_ending(state, rules, view, ending, card, deadwood_points, knock):
    """Propose an ending to the knock policy; `card` is the discard, or -1 if there is none.

    Returns True if the player accepts.

    If the player declines, the proposal is withdrawn.
    """
    propose_ending(state, ending, card, deadwood_points)
    if query_policy_noinline(state, rules, view, PLAYER_SEAT, KNOCK_SLOT, YES_NO_ACTIONS, knock):
        return True
    propose_ending(state, ENDING_NONE, -1, -1)
    return False


@jit
def _end_deal_at_limit(state, rules):
    """End a deal because the last allowed draw or the last turn has been played.

    Returns True if the deal ended.
    """
    if rules.max_draws >= 0 and state.draws[PLAYER_SEAT] >= rules.max_draws:
        state.kind = RESULT_LIMIT_REACHED
        state.score[PLAYER_SEAT] = state.knocker_deadwood = state.count[PLAYER_SEAT]
        return True
    if state.turns >= rules.max_turns:
        state.kind = RESULT_STALLED
        return True
    return False


@jit
def _end_deal_with_joker(state, rules):
    """End the deal as a win for the joker (rules.md 6).

    Depending on the rules, the joker scores one deal or the player's deadwood, or the deadwood is a
    penalty for the player.
    """
    state.kind = RESULT_JOKER_WON
    state.winner = JOKER_SEAT
    state.knocker_deadwood = state.count[PLAYER_SEAT]
    if rules.deal_scoring == SCORING_PENALTY:
        state.score[PLAYER_SEAT] = state.count[PLAYER_SEAT]
    else:
        state.score[JOKER_SEAT] = (
            state.count[PLAYER_SEAT] if rules.deal_scoring == SCORING_AGAINST_JOKER else 1
        )


@jit
def score_ending_solo(state, rules, ending, deadwood_points):
    """Score a solitaire deal that ended with gin, big gin or a knock.

    `deadwood_points` is the deadwood of the hand.
    """
    state.count[PLAYER_SEAT] = deadwood_points
    find_shown_melding(
        state.hand[PLAYER_SEAT], 0, -1, -1, rules, state.meld_buffer, state.keys, state.meldings
    )
    for meld_index in range(3):
        state.melds[meld_index] = state.meldings[0, meld_index]
    state.knocker = state.winner = PLAYER_SEAT
    state.knocker_deadwood = deadwood_points
    if rules.deal_scoring == SCORING_AGAINST_JOKER:
        state.defender_deadwood = state.above + rules.count_joker
        result, state.score[PLAYER_SEAT], state.score[JOKER_SEAT], winner = score_deal(
            ending, deadwood_points, state.defender_deadwood, 0, 1, rules
        )
        state.kind = result
        state.winner = PLAYER_SEAT if winner > 0 else JOKER_SEAT if winner < 0 else -1
        return
    state.kind = RESULT_BIG_GIN if ending == ENDING_BIG_GIN else RESULT_GIN
    state.score[PLAYER_SEAT] = rules.penalty_gin if rules.deal_scoring == SCORING_PENALTY else 1

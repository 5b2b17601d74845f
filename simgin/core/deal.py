"""One deal for two players, from the shuffle to its result (RULES.md 4).

The engine keeps its own state, shows each seat a view, and asks only questions with more than one legal answer. An answer outside
`view.legal` raises: never a forfeit, never a repair.
"""

from simgin.core.ask import ask, ask_apart, remember, show_deal
from simgin.core.deadwood import deadwood, deadwood_of
from simgin.core.endings import NO_ENDING, best_ending, ending_with, knock_limit, legal_discards, multiplier, must_be_melded
from simgin.core.jit import inlined, jit, spliced
from simgin.core.pack import next_card
from simgin.core.rules import AT_DRAW, DISCARD_FIRST, FREE, OPPONENT_MAY_TAKE, UPCARD_PASS, UPCARD_STOCK_OR_PASS
from simgin.core.scoring import KIND_STALLED, KIND_VOID
from simgin.core.showdown import end_deal
from simgin.core.state import DISCARD, KNOCK, TAKE
from simgin.core.view import FROM_DEAL, FROM_PILE, FROM_STOCK, PHASE_LAST, PHASE_TURN, PHASE_UPCARD


@jit
def start_deal(state, rules, dealer):
    """Deal the hands and the upcard (RULES.md 4.1) and clear everything that belongs to one deal."""
    first = 1 - dealer
    eleven = rules.first_turn == DISCARD_FIRST
    state.dealer = dealer
    state.dealt = 0
    hand0, hand1 = 0, 0
    for _ in range(10):
        hand0 |= 1 << next_card(state)
        hand1 |= 1 << next_card(state)
    if eleven:
        hand0 |= 1 << next_card(state)
    state.hand[first] = hand0
    state.hand[dealer] = hand1
    state.stock = 31
    state.pile = 0
    state.top = -1
    state.upcard = -1
    if not eleven:
        state.top = state.upcard = next_card(state)
        state.pile = 1 << state.top
    state.limit = knock_limit(state.upcard, rules)
    state.multiplier = multiplier(state.upcard, rules)
    state.turns = 0
    state.phase = PHASE_UPCARD
    state.upcard_to = -1 if eleven else 2
    _no_card(state)
    for seat in range(2):
        state.known[seat] = 0
        state.shed[seat] = 0
        state.own_turns[seat] = 0
        state.draws[seat] = 0
        state.takes[seat] = 0
        state.score[seat] = 0
        state.noises[seat] = 0
        state.count[seat] = deadwood(state.hand[seat], rules)
    _no_result(state)


@jit
def _no_card(state):
    """Between turns: nothing drawn, nothing proposed."""
    state.taken = -1
    state.drawn = -1
    state.ending = NO_ENDING
    state.ending_card = -1
    state.ending_count = -1


@jit
def _no_result(state):
    state.kind = -1
    state.stopper = -1
    state.winner = -1
    state.stopper_count = 0
    state.other_count = 0
    state.defender_before = 0
    state.laid_off = 0
    state.discard = -1


@inlined
def _draw(state, rules, seat, source):
    """Take a card into the hand from the stock or the pile; nothing under FROM_DEAL, where eleven were dealt."""
    if source == FROM_STOCK:
        if state.top >= 0 and rules.take_discard:
            state.shed[seat] |= 1 << state.top  # declined
        state.drawn = next_card(state)
        state.stock -= 1
        state.draws[seat] += 1
        state.hand[seat] |= 1 << state.drawn
    elif source == FROM_PILE:
        state.taken = state.top
        state.pile ^= 1 << state.top
        state.known[seat] |= 1 << state.top
        state.hand[seat] |= 1 << state.top
        state.takes[seat] += 1


@inlined
def _throw(state, seat, card):
    """Put a card from a hand on the discard pile."""
    one = 1 << card
    state.hand[seat] &= ~one
    state.known[seat] &= ~one
    state.shed[seat] |= one
    state.pile |= one
    state.top = card


@jit
def _propose(state, ending, card, count):
    """Set the proposal that the knock policy sees."""
    state.ending = ending
    state.ending_card = card
    state.ending_count = count


@spliced
def _play_turn(state, rules, view, other_view, seat, source, discard, knock, show_a, show_b):
    """One turn from the draw to the discard; True if it ended the deal. Asks for the ending first, or the discard (DESIGN.md 4)."""
    state.phase = PHASE_TURN
    _draw(state, rules, seat, source)
    if rules.stock_end == AT_DRAW and source == FROM_STOCK and state.stock <= rules.stock_reserve:
        state.kind = KIND_VOID
        return True
    eleven = state.hand[seat]
    legal = legal_discards(eleven, state.taken, state.drawn, rules)
    must = must_be_melded(state.taken, rules)
    same = state.same[seat ^ state.half]
    if not same or rules.big_gin:
        ending, card, count = best_ending(eleven, legal, must, state.limit, state.points[seat], rules)
        if ending != NO_ENDING and (card < 0 or not same):
            _propose(state, ending, card, count)
            if ask_apart(state, rules, view, seat, KNOCK, 3, knock):
                end_deal(state, rules, view, seat, show_a, show_b)
                _close_turn(state, view, other_view, seat, source, card)
                return True
            _propose(state, NO_ENDING, -1, -1)
    card = ask(state, rules, view, seat, DISCARD, legal, discard)
    ten = eleven & ~(1 << card)
    left = deadwood_of(ten, rules, 0)
    if same:
        ending, count = ending_with(ten, left, must, state.limit, state.points[seat], rules)
        if ending != NO_ENDING:
            _propose(state, ending, card, count)
            if ask_apart(state, rules, view, seat, KNOCK, 3, knock):
                end_deal(state, rules, view, seat, show_a, show_b)
                _close_turn(state, view, other_view, seat, source, card)
                return True
    _throw(state, seat, card)
    state.count[seat] = left
    _close_turn(state, view, other_view, seat, source, card)
    _no_card(state)
    return False


@inlined
def _close_turn(state, view, other_view, seat, source, discard):
    """Count the turn and append it to both histories; a card from the stock is hidden from the other seat."""
    card = state.taken if source == FROM_PILE else state.drawn
    remember(view, state.turns, seat, source, card, discard)
    remember(other_view, state.turns, seat, source, card if source == FROM_PILE else -1, discard)
    state.turns += 1
    state.own_turns[seat] += 1


@jit
def _last_discard(state, rules, view, other_view, seat, knock, show_a, show_b):
    """The 50th-card rule: `seat` may take the last discard to end the deal with it on the spot (RULES.md 4.5)."""
    state.phase = PHASE_LAST
    eleven = state.hand[seat] | 1 << state.top
    legal = legal_discards(eleven, state.top, -1, rules)
    must = must_be_melded(state.top, rules)
    ending, card, count = best_ending(eleven, legal, must, state.limit, state.points[seat], rules)
    if ending == NO_ENDING:
        return
    _propose(state, ending, card, count)
    if ask_apart(state, rules, view, seat, KNOCK, 3, knock):
        _draw(state, rules, seat, FROM_PILE)
        end_deal(state, rules, view, seat, show_a, show_b)
        _close_turn(state, view, other_view, seat, FROM_PILE, card)


@jit
def _opening(state, rules, view1, view2, take1, take2):
    """The first upcard (RULES.md 4.2): (whose turn it is: 0 the nondealer's, 1 the dealer's; where he draws)."""
    first = 1 - state.dealer
    if rules.first_turn == DISCARD_FIRST:
        return 0, FROM_DEAL
    if rules.first_turn == FREE:
        return 0, _first_draw(state, rules, view1, first, take1)
    # Where one may only take or pass, 0 is the pass; where the stock is a choice too, 0 is the stock and 2 the pass.
    choices, declined = (3, 0) if rules.first_turn == UPCARD_PASS else (7, 2)
    answer = ask_apart(state, rules, view1, first, TAKE, choices, take1)
    if answer != declined:
        state.upcard_to = 0 if answer == FROM_PILE else 2
        return 0, answer
    state.shed[first] |= 1 << state.top
    answer = ask_apart(state, rules, view2, state.dealer, TAKE, choices, take2)
    if answer != declined:
        state.upcard_to = 1 if answer == FROM_PILE else 2
        return 1, answer
    state.shed[state.dealer] |= 1 << state.top
    if rules.first_turn == UPCARD_STOCK_OR_PASS:
        return 0, _first_draw(state, rules, view1, first, take1)
    return 0, FROM_STOCK


@jit
def _first_draw(state, rules, view, seat, take):
    """The nondealer draws from either pile while the first upcard still lies there."""
    state.phase = PHASE_TURN
    answer = _where_to_draw(state, rules, view, seat, take)
    if answer == FROM_PILE:
        state.upcard_to = 0
    return answer


@inlined
def _where_to_draw(state, rules, view, seat, take):
    """Stock or discard pile, on an ordinary turn."""
    if not rules.take_discard:
        return FROM_STOCK
    return ask(state, rules, view, seat, TAKE, 3, take)


@jit
def play_deal(state, rules, view1, view2, take1, discard1, knock1, take2, discard2, knock2, show_a, show_b):
    """Play the deal that `start_deal` has dealt, to its result in the state.

    1 is the nondealer, 2 the dealer: view and three hooks. What is asked once a deal or less comes by strategy, A and B.
    """
    show_deal(state, rules, view1, 1 - state.dealer)
    show_deal(state, rules, view2, state.dealer)
    whose, source = _opening(state, rules, view1, view2, take1, take2)
    while True:
        if whose == 0:
            seat, view, other_view, discard, knock, next_take = 1 - state.dealer, view1, view2, discard1, knock1, take2
            next_knock = knock2
        else:
            seat, view, other_view, discard, knock, next_take = state.dealer, view2, view1, discard2, knock2, take1
            next_knock = knock1
        if _play_turn(state, rules, view, other_view, seat, source, discard, knock, show_a, show_b):
            return
        if state.stock <= rules.stock_reserve:
            if rules.stock_end == OPPONENT_MAY_TAKE:
                _last_discard(state, rules, other_view, view, 1 - seat, next_knock, show_a, show_b)
            if state.kind < 0:
                state.kind = KIND_VOID
            return
        if state.turns >= rules.max_turns:
            state.kind = KIND_STALLED
            return
        state.phase = PHASE_TURN
        source = _where_to_draw(state, rules, other_view, 1 - seat, next_take)
        whose = 1 - whose

"""One deal for two players, from the shuffle to its result (RULES.md 4).

The engine keeps its own state, shows each seat a view, and asks only questions with more than one legal answer. An answer outside
`view.legal` raises: never a forfeit, never a repair.
"""

from simgin.core import rng
from simgin.core.bits import popcount
from simgin.core.cards import PACK
from simgin.core.deadwood import deadwood, deadwood_of
from simgin.core.endings import (
    NO_ENDING,
    SHOT,
    best_ending,
    demanded_by,
    ending_with,
    knock_limit,
    legal_discards,
    multiplier,
    must_be_melded,
)
from simgin.core.jit import inlined, jit, spliced
from simgin.core.layoff import lay_off
from simgin.core.meldings import melding_shown
from simgin.core.policy import vector_at
from simgin.core.rules import AT_DRAW, DISCARD_FIRST, FREE, OPPONENT_MAY_TAKE, UPCARD_PASS, UPCARD_STOCK_OR_PASS
from simgin.core.scoring import KIND_STALLED, KIND_VOID, score
from simgin.core.state import DISCARD, KNOCK, TAKE
from simgin.core.view import FROM_DEAL, FROM_PILE, FROM_STOCK, PHASE_LAST, PHASE_TURN, PHASE_UPCARD


class IllegalAnswer(Exception):
    """A policy answered what `view.legal` does not hold; the state says who, where and what."""


# The pack


@jit
def next_card(state):
    """Deal the next card. After the first 24 places the pack is shuffled eight at a time, only as far as the deal goes."""
    i = state.dealt
    if i >= state.shuffled:
        _shuffle(state, 8)
    state.dealt = i + 1
    return int(state.pack[i])


@jit
def _shuffle(state, n):
    """Shuffle n more places from the top (Fisher and Yates), n a multiple of eight, the last four of the pack's 56 wasted."""
    first = state.shuffled
    for k in range(0, n, 8):
        rng.write_words(state.seed, state.unit, state.deal, (first + k) >> 2, rng.PACK, state.words[k >> 3])
    for k in range(min(n, 52 - first)):
        _swap(state.pack, first + k, state.words[k >> 3, k & 7])
    state.shuffled = first + n


@jit
def _swap(pack, i, word):
    j = i + rng.below(52 - i, word)
    a, b = pack[i], pack[j]
    pack[i] = b
    pack[j] = a


@jit
def new_pack(state):
    """A new pack, shuffled as far as every deal needs it; `next_card` shuffles the rest as it goes."""
    for i in range(52):
        state.pack[i] = i
    state.shuffled = 0
    _shuffle(state, 24)


# What a seat sees


@jit
def forget(view, turns):
    """Clear the history of the deal before, so that nothing beyond `view.turns` can be read: it could be the same pack."""
    for i in range(turns):
        for k in range(4):
            view.history[i, k] = 0


@jit
def _deal_view(state, rules, view, seat):
    """Write what stays the same for a whole deal. Once a deal, not once a question: that is worth a twentieth of the run."""
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
    view.goal = rules.goal
    view.target = rules.points_target
    view.stake = 1
    view.owner = -1


@inlined
def _seat_view(state, view, seat):
    """Write what can have changed since a seat was last asked."""
    other = 1 - seat
    hand = state.hand[seat]
    view.hand = hand
    view.count = state.count[seat]
    view.pile = state.pile
    view.known = state.known[other]
    view.shed = state.shed[other]
    view.unseen = PACK & ~(hand | state.pile | state.known[other])
    view.stock = state.stock
    view.turns = state.turns
    view.turn = state.turns + 1
    view.own_turn = state.own_turns[seat] + 1
    view.taken = state.taken
    view.drawn = state.drawn
    view.ending = state.ending
    view.ending_card = state.ending_card
    view.ending_count = state.ending_count
    view.phase = state.phase


@inlined
def _noise(state, seat, who):
    """The seat's next random number. Four come from one call of the generator and wait in the state."""
    i = state.noises[seat]
    state.noises[seat] = i + 1
    if i & 3 == 0:
        rng.write_words(state.seed, state.unit, state.deal, i >> 1, rng.NOISE_A + who, state.spare[seat])
    k = 2 * (i & 3)
    return rng.uniform(state.spare[seat, k], state.spare[seat, k + 1])


@jit
def _ask(state, rules, view, seat, slot, legal, hook):
    """Put one question to a policy and check its answer. A watched deal is logged."""
    who = seat ^ state.half  # strategy A sits at seat `half`
    _seat_view(state, view, seat)
    view.legal = legal
    view.taken_offer = state.top if slot == TAKE or state.phase == PHASE_LAST else -1
    view.noise = _noise(state, seat, who) if state.noisy[who] >> slot & 1 else 0
    state.asked_seat = seat
    state.asked_slot = slot
    state.legal = legal
    if state.watched:
        state.log[state.logged] = view
        state.slots[state.logged] = slot
    answer = hook(view, rules, vector_at(state.vectors[who, slot], state.lengths[who, slot]))
    if answer < 0 or answer > 51 or not legal >> answer & 1:
        state.answer = answer
        raise IllegalAnswer
    if state.watched:
        state.answers[state.logged] = answer
        state.logged += 1
    return answer


@inlined
def _append(view, i, seat, source, card, discard):
    view.history[i, 0] = seat
    view.history[i, 1] = source
    view.history[i, 2] = card
    view.history[i, 3] = discard


# The course of a deal


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


@jit
def _end(state, rules, seat):
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


@spliced
def _play_turn(state, rules, view, other_view, seat, source, discard, knock):
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
            if _ask(state, rules, view, seat, KNOCK, 3, knock):
                _close_turn(state, view, other_view, seat, source, card)
                _end(state, rules, seat)
                return True
            _propose(state, NO_ENDING, -1, -1)
    card = _ask(state, rules, view, seat, DISCARD, legal, discard)
    ten = eleven & ~(1 << card)
    left = deadwood(ten, rules)
    if same:
        ending, count = ending_with(ten, left, must, state.limit, state.points[seat], rules)
        if ending != NO_ENDING:
            _propose(state, ending, card, count)
            if _ask(state, rules, view, seat, KNOCK, 3, knock):
                _close_turn(state, view, other_view, seat, source, card)
                _end(state, rules, seat)
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
    _append(view, state.turns, seat, source, card, discard)
    _append(other_view, state.turns, seat, source, card if source == FROM_PILE else -1, discard)
    state.turns += 1
    state.own_turns[seat] += 1


@jit
def _last_discard(state, rules, view, other_view, seat, knock):
    """The 50th-card rule: `seat` may take the last discard to end the deal with it on the spot (RULES.md 4.5)."""
    state.phase = PHASE_LAST
    eleven = state.hand[seat] | 1 << state.top
    legal = legal_discards(eleven, state.top, -1, rules)
    must = must_be_melded(state.top, rules)
    ending, card, count = best_ending(eleven, legal, must, state.limit, state.points[seat], rules)
    if ending == NO_ENDING:
        return
    _propose(state, ending, card, count)
    if _ask(state, rules, view, seat, KNOCK, 3, knock):
        _draw(state, rules, seat, FROM_PILE)
        _close_turn(state, view, other_view, seat, FROM_PILE, card)
        _end(state, rules, seat)


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
    answer = _ask(state, rules, view1, first, TAKE, choices, take1)
    if answer != declined:
        state.upcard_to = 0 if answer == FROM_PILE else 2
        return 0, answer
    state.shed[first] |= 1 << state.top
    answer = _ask(state, rules, view2, state.dealer, TAKE, choices, take2)
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
    return _ask(state, rules, view, seat, TAKE, 3, take)


@jit
def play_deal(state, rules, view1, view2, take1, discard1, knock1, take2, discard2, knock2):
    """Play the deal that `start_deal` has dealt, to its result in the state.

    1 is the nondealer, 2 the dealer: view and three hooks.
    """
    _deal_view(state, rules, view1, 1 - state.dealer)
    _deal_view(state, rules, view2, state.dealer)
    whose, source = _opening(state, rules, view1, view2, take1, take2)
    while True:
        if whose == 0:
            seat, view, other_view, discard, knock, next_take = 1 - state.dealer, view1, view2, discard1, knock1, take2
            next_knock = knock2
        else:
            seat, view, other_view, discard, knock, next_take = state.dealer, view2, view1, discard2, knock2, take1
            next_knock = knock1
        if _play_turn(state, rules, view, other_view, seat, source, discard, knock):
            return
        if state.stock <= rules.stock_reserve:
            if rules.stock_end == OPPONENT_MAY_TAKE:
                _last_discard(state, rules, other_view, view, 1 - seat, next_knock)
            if state.kind < 0:
                state.kind = KIND_VOID
            return
        if state.turns >= rules.max_turns:
            state.kind = KIND_STALLED
            return
        state.phase = PHASE_TURN
        source = _where_to_draw(state, rules, other_view, 1 - seat, next_take)
        whose = 1 - whose

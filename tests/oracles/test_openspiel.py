"""Compare deals of the engine with OpenSpiel's gin_rummy, an independent engine.

This finds rules that both the engine and the reference implementation misinterpret. (OpenSpiel also
rejects the third card of a chain laid off on one end of a run, which costs nothing, because three
cards are a run.)
"""

import math
import random
from collections import Counter

import pytest

from simgin.core.codes import PHASE_UPCARD
from simgin.core.deadwood import best_discards, deadwood
from simgin.core.layoff import lay_off
from simgin.rules import variants
from support import hands
from worked_examples import engine
from worked_examples.actions import PASS, STOCK, STOP, TAKE, THROW, Action

ROW = "standard+goal=single+undercut_on_tie=no+discard_ban=none+stock_end=opponent_may_take"
# Parameters that OpenSpiel has too, and the outcomes that must have occurred
REQUIRED_OUTCOMES = {
    "": ("knock", "undercut", "laid off"),
    "+knock_limit=4": ("knock", "gin"),
    "+knock_limit=0": ("gin",),
    "+knock_by_upcard=yes": ("knock", "laid off"),
    "+gin_bonus=20+undercut_bonus=10": ("knock", "undercut", "laid off"),
}

# Differences, and the largest proportion of deals with each: about twice the observed one.
# Defect: the deadwood of eleven cards is that of all eleven minus a card, sometimes too high. Own
# rule: a discard that both players take and discard again ends the deal, as do fifty takes.
DIFFERENCES = {"knock hidden": 0.02, "broken off": 0.09}


@pytest.fixture
def openspiel(request):
    """Return the driver; without OpenSpiel, quick tests are skipped and slow ones fail."""
    if not request.node.get_closest_marker("slow"):
        pytest.importorskip("pyspiel", reason="pip install 'simgin[oracle]'")
    from oracles import openspiel

    return openspiel


# The comparison


def compare_deal(rng, oracle, text, pack, seen):
    """Play a random deal in both engines; the nondealer is at seat 0."""
    rules, row = hands.game(text)
    theirs, ours = oracle.Deal(row, pack), engine.Deal(variants.find_variant(text), pack)
    for action in random_actions(rng, oracle, theirs, rules):
        check_options(oracle, theirs, ours, rules, seen)
        ours.apply_action(action)
        theirs.apply_action(action)
    if action.what == STOP:
        check_showdown(oracle, theirs, ours.state, action.seat, rules, seen)
    elif not ours.kind:
        assert theirs.is_over and theirs.returns == [0, 0]
        seen["broken off"] += 1
        return
    margin = int(ours.state.score[0] - ours.state.score[1])
    assert theirs.returns == [margin, -margin]
    assert (ours.kind == "void") == (not any(theirs.state.knocked()))
    seen[ours.kind] += 1


def check_options(oracle, theirs, ours, rules, seen):
    seat, options = theirs.seat, {option.what for option in theirs.legal_actions()}
    if ours.left:  # the engine has played a forced action
        assert options == {ours.left[0].what}
        return
    if theirs.phase == oracle.PHASE.KNOCK:
        return
    view = ours.open.view
    hand = theirs.get_hand(seat)
    assert (ours.seat, int(view.hand)) == (seat, hand)
    assert int(view.stock) == theirs.state.stock_size()
    assert int(view.limit) == theirs.state.knock_card()
    if theirs.phase == oracle.PHASE.DISCARD:
        assert int(view.legal) == hand == theirs.get_legal_discards()
        check_endings(theirs, hand, theirs.get_deadwood(seat), int(view.limit), rules, seen)
    elif theirs.phase == oracle.PHASE.WALL:
        eleven = hand | 1 << theirs.upcard
        check_endings(theirs, eleven, oracle.deadwood(eleven), int(view.limit), rules, seen)
        assert options == {TAKE, PASS} or seen["knock hidden"]
    else:
        assert view.legal == 0b11
        assert options == {PASS if view.phase == PHASE_UPCARD else STOCK, TAKE}
        assert int(view.count) == theirs.get_deadwood(seat)
        assert int(view.taken_offer) == theirs.upcard


def check_endings(theirs, eleven, count, limit, rules, seen):
    """Check the discards that end the deal, unless OpenSpiel's count hides them."""
    tens = {card: deadwood(eleven & ~(1 << card), rules) for card in hands.members(eleven)}
    endings = sum(1 << card for card, left in tens.items() if left <= limit)
    if count != min(tens.values()):  # the deadwood of all eleven cards minus an unmatched card
        of_all = deadwood(eleven, rules)
        values = {card: min(card % 13 + 1, 10) for card in tens}
        assert count in [left for card, left in tens.items() if of_all - left == values[card]]
        assert count > min(tens.values())
        seen["eleven too high"] += 1
        if count > limit and endings:
            seen["knock hidden"] += 1
            endings = 0
    assert theirs.get_knock_discards() == endings


def check_showdown(oracle, theirs, state, stopper, rules, seen):
    """Check that the engine's melds and lay-offs are legal and optimal, with the same counts."""
    hand = theirs.get_hand(1 - stopper)
    assert oracle.deadwood(hand) == state.defender_before
    theirs.show_melds(int(meld) for meld in state.melds if meld)
    assert theirs.get_deadwood(stopper) == state.stopper_count
    assert theirs.find_least_deadwood() == state.other_count
    count, laid = state.other_count, 0
    if state.stopper_count:
        count, laid = lay_off(hand, state.melds, rules, state.options, state.chains)
    assert (count, laid.bit_count()) == (state.other_count, state.laid_off)
    theirs.lay_off(laid)
    assert theirs.get_deadwood(1 - stopper) == state.other_count
    seen["laid off"] += laid.bit_count() > 0


# Random deals


def stacked_pack(rng):
    """Return a deck with two hands full of melds, for many knocks, undercuts and lay-offs."""
    one = hands.meld_rich_hand(rng, 10, "low")
    other = hands.hand_of_melds(rng, 10, "low", one)
    first, second = (rng.sample(hands.members(hand), 10) for hand in (one, other))
    rest = rng.sample(hands.members(hands.PACK & ~(one | other)), 32)
    return [card for two in zip(first, second, strict=True) for card in two] + rest


def random_actions(rng, oracle, deal, rules):
    """Return the actions of a random deal that can end in every way, up to the knock."""
    eager, action = rng.choice((0, 0.3, 1)), None
    while not deal.is_over and (action is None or action.what != STOP):
        if deal.phase == oracle.PHASE.DISCARD:
            action = _choose_closing(rng, deal, rules, eager, taken=action.what == TAKE)
        elif deal.phase == oracle.PHASE.KNOCK:
            action = _propose_ending(deal, rules)
        else:
            action = rng.choice(deal.legal_actions())
        yield action


def _choose_closing(rng, deal, rules, eager, taken):
    """Return any ending, any discard, or a least-deadwood discard, rarely the card just taken."""
    endings, throws = deal.get_knock_discards(), deal.get_legal_discards()
    if endings and rng.random() < eager:
        return Action(deal.seat, STOP, rng.choice(hands.members(endings)))
    if rng.random() > 0.1:
        if taken and rng.random() < 0.9:
            throws &= ~(1 << deal.previous)
        throws = best_discards(deal.get_hand(deal.seat), throws, rules)[1]
    return Action(deal.seat, THROW, rng.choice(hands.members(throws)))


def _propose_ending(deal, rules):
    """Return the ending that the engine proposes: least deadwood, then highest discard."""
    eleven = deal.get_hand(deal.seat)

    def preference(action):
        return deadwood(eleven & ~(1 << action.card), rules), -min(action.card % 13, 9), action.card

    return min(deal.legal_actions(), key=preference)


@pytest.mark.parametrize("parameters", REQUIRED_OUTCOMES)
@pytest.mark.parametrize("deals", [24, pytest.param(300, marks=pytest.mark.slow)])
def test_random_deals_agree_with_openspiel(openspiel, parameters, deals):
    rng, seen = random.Random(f"{ROW + parameters} 2"), Counter()
    for i in range(deals):
        pack = stacked_pack(rng) if i % 2 else rng.sample(range(52), 52)
        found = Counter()
        compare_deal(rng, openspiel, ROW + parameters, pack, found)
        seen.update({*+found})
    rare = ("broken off", "eleven too high") if deals > 24 else ()
    assert all(seen[name] for name in ("void", *REQUIRED_OUTCOMES[parameters], *rare)), seen
    assert all(seen[name] <= math.ceil(most * deals) for name, most in DIFFERENCES.items()), seen

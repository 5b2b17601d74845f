"""Endgames small enough to be played out in every way by the slow twin, against the analysis."""

from itertools import combinations, permutations

import numpy as np
import pytest

from oracles import twin
from simgin.analysis import worlds as drawing
from simgin.analysis.analysis import Effort, analyse
from simgin.analysis.position import Position, positions_in
from simgin.core.position import THROW
from simgin.play.deal import watch_deal
from simgin.play.matchup import parse_matchup
from simgin.text.notation import card_text, cards_in, hand_mask, parse_card
from simgin.toolkit.worlds import ALL
from support.hands import game

VARIANT, SEED = "standard", 21
HELD = 8  # cards of the opponent that the player is told of
PLAYER = '''
from simgin.strategy import Strategy, discard, knock, take
from simgin.toolkit import count_after, lowest, take_if

@take
def lower(view, rules, params):
    return take_if(count_after(view.hand, view.taken_offer, rules) < view.count, view.legal)

@discard
def first_of_the_best(view, rules, params):
    return lowest(view.best)

@knock
def at_once(view, rules, params):
    return 1

STRATEGY = Strategy("plain", take=lower, discard=first_of_the_best, knock=at_once, ending="same")
'''  # fmt: skip


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    path = tmp_path_factory.mktemp("players") / "plain.py"
    path.write_text(PLAYER)
    return str(path)


def late_positions(n):
    """Positions with few cards in the stock, in which most of the opponent's hand is known."""
    matchup = parse_matchup("gin-only", "gin-only", VARIANT, SEED, "deal")
    found = []
    for unit in range(300):
        deal = watch_deal(matchup, unit)
        for position in positions_in(deal) if len(found) < n else ():
            view = position.view
            after_draw = view.taken_offer < 0
            if after_draw and view.stock == 3 and len(position.actions) > 2:
                other = int(deal.state.hand[1 - view.seat])
                if deal.kind in ("void", "gin"):
                    found.append(told(position, deal, other))
                    break
        if len(found) == n:
            return found
    raise AssertionError("too few deals last so long")


def told(position, deal, hand):
    """The position, with cards of the opponent that lie nowhere else told to the player."""
    view = position.view.copy()
    free = cards_in(hand & int(view.unseen | view.known))
    view.known = hand_mask(free[:HELD])
    view.unseen = int(view.unseen | position.view.known) & ~int(view.known)
    return Position(position.variant, view, position.actions, False)


# The twin


def forget(position):
    """The position, with a card that the opponent threw forgotten: not on top, and never taken."""
    view = position.view.copy()
    for turn in range(int(view.turns) - 1):
        seat, _, _, card = map(int, view.history[turn])
        if seat != view.seat and view.pile >> card & 1 and not view.known >> card & 1:
            view.history[turn, 3] = -1
            view.pile = int(view.pile) & ~(1 << card)
            view.shed = int(view.shed) & ~(1 << card)
            view.unseen = int(view.unseen) | 1 << card
            return Position(position.variant, view, position.actions, False)
    raise AssertionError("the opponent threw nothing that still lies there")


def names(mask):
    return [card_text(card) for card in cards_in(int(mask))]


def begun(row, view, hidden, stock, lying):
    """The twin's deal at a view, with the hidden cards as given."""
    deal = twin.Deal(row, twin.PACK, dealer=int(view.dealer))
    seat = int(view.seat)
    deal.hands[seat] = names(view.hand)
    deal.hands[1 - seat] = [*names(view.known), *hidden]
    deal.stock = list(stock)
    deal.pile = [*lying, *names(view.pile)]
    deal.turns = int(view.turns)
    deal._mover, deal._phase = seat, "discard"
    deal._drawn = card_text(int(view.drawn)) if view.drawn >= 0 else None
    deal._taken = card_text(int(view.taken)) if view.taken >= 0 else None
    return deal


def do(deal, action):
    """Carry out an action with eleven cards."""
    if action.kind == THROW:
        deal.act(("throw", card_text(action.card)))
        return
    card = card_text(action.card) if action.card >= 0 else None
    deal.act(next(option for option in deal.options() if option[:2] == ("end", card)))


def in_order(cards):
    return sorted(cards, key=parse_card)


def play_on(row, deal):
    """Play on as `plain` does: take what lowers the count, keep the least, end at once."""
    while deal.result is None:
        hand = deal.hands[deal.to_move]
        options = deal.options()
        if ("stock",) in options:
            offered = deal.pile[-1]
            after = [
                twin.deadwood([*(c for c in hand if c != away), offered], row) for away in hand
            ]
            deal.act(("take",) if min(after) < twin.deadwood(hand, row) else ("stock",))
            continue
        left = {}
        for option in options:
            if option[0] == "throw":
                left[option[1]] = twin.deadwood([c for c in hand if c != option[1]], row)
        card = next(c for c in in_order(left) if left[c] == min(left.values()))
        ends = [option for option in options if option[:2] == ("end", card)]
        deal.act(ends[0] if ends else ("throw", card))
    return deal.result


def exact(position, row):
    """The mean points of every action over all hands and all orders of the other cards."""
    view = position.view
    unseen = names(view.unseen)
    missing = 10 - len(names(view.known))
    totals = np.zeros(len(position.actions))
    worlds = 0
    for hidden in combinations(unseen, missing):
        rest = [card for card in unseen if card not in hidden]
        for cards in permutations(rest):
            worlds += 1
            stock, lying = cards[: int(view.stock)], cards[int(view.stock) :]
            for i, action in enumerate(position.actions):
                deal = begun(row, view, hidden, stock, lying)
                do(deal, action)
                result = deal.result or play_on(row, deal)
                own, other = result.points[view.seat], result.points[1 - view.seat]
                totals[i] += own - other
    return totals / worlds


def test_the_analysis_of_an_endgame_is_exact_within_its_error(player, monkeypatch):
    monkeypatch.setattr(drawing, "_numbers", lambda: np.zeros(ALL))
    row = game(VARIANT)[1]
    decided = 0
    positions = late_positions(6)
    for position in [*positions, *map(forget, positions[:2])]:
        found = analyse(position, player, player, Effort(worlds=2_000))
        points = exact(position, row)
        frame = found.frame()
        for place, (_, line) in zip(found.order, frame.iterrows(), strict=True):
            action = position.text(position.actions[place])
            assert line["action"] == action
            cost = points[found.order[0]] - points[place]
            assert abs(line["points"] - points[place]) <= 4 * line["points_se"] + 1e-9, action
            assert line["low"] - 1e-9 <= cost <= line["high"] + 1e-9, action
        best = points[found.best]
        assert best.max() == pytest.approx(points.max())
        decided += len(found.best) == 1
    assert decided >= 2

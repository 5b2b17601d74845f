"""Views in the words of the policies' twin, and positions of every variant to ask about."""

import random
from functools import cache
from typing import Any

from oracles.twin.roster import Seen
from simgin.play.matchup import parse_matchup
from simgin.play.watch import Question, watch_deal
from simgin.rules import variants
from support import hands

# Random play reaches odd positions, sensible play the positions that policies are made for.
PAIRS = (("random:p=0.3", "gold"), ("gold-early", "simple"), ("gin-only", "gold-early"))
DEALS = 3  # of each pair and variant
# Fields of a view that the twin takes over
SETS = ("hand", "unseen", "known", "shed")
NUMBERS = ("seat", "stock", "own_points", "other_points", "target", "limit")
NUMBERS += ("ending", "ending_count", "phase", "dealer", "noise")


def seen(view: Any, row: dict[str, Any], slot: str) -> Seen:
    """A view of the engine, for the twin of the policies."""
    mask = int(view.legal)
    answers = [answer for answer in range(3) if mask >> answer & 1]
    legal = hands.names(mask) if slot == "discard" else answers
    return Seen(
        row=row,
        legal=frozenset(legal),
        turn=int(view.own_turn),
        turn_of_both=int(view.turn),
        offer=card(view.taken_offer),
        taken=card(view.taken),
        drawn=card(view.drawn),
        own_count=int(view.count),
        history=tuple(
            (int(seat), card(drawn), card(thrown))
            for seat, _, drawn, thrown in view.history[: view.turns]
        ),
        **{name: frozenset(hands.names(int(view[name]))) for name in SETS},
        **{name: int(view[name]) for name in NUMBERS},
    )


def card(number: int) -> str | None:
    """The twin's card for 0..51; None for -1."""
    return hands.names(1 << int(number))[0] if number >= 0 else None


@cache
def questions(slot: str) -> list[tuple[str, Any]]:
    """(variant, view) of a slot from deals of all variants, some of each in any stretch."""
    found = [
        (name, question.view)
        for name in variants.names()
        for question in _asked(name)
        if question.slot == slot
    ]
    random.Random(slot).shuffle(found)
    return found


@cache
def _asked(name: str) -> list[Question]:
    """Every question of some deals of a variant, at any score of the match."""
    variant, lot = variants.find(name), random.Random(name)
    most = variant.row["points_target"] or 100
    asked = []
    for a, b in PAIRS:
        game = parse_matchup(a, b if variant.row["players"] == 2 else None, name, 7, "deal")
        for unit in range(DEALS):
            points = lot.randrange(most), lot.randrange(most)
            half = unit % 2 if game.mirrored else 0
            asked += watch_deal(game, unit, half, points=points).questions
    return asked

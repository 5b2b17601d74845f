"""The deals that were found: what happened in each, and the command that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simgin.core.answers import PHASE_BLIND, PHASE_UPCARD
from simgin.core.sums import KINDS
from simgin.play.deal import Question, watch_deal
from simgin.play.matchup import Matchup
from simgin.play.names import side_names
from simgin.play.replay import decision_text
from simgin.value.search.search import Found
from simgin.value.search.where import number

NOBODY_WON = {
    "void": "nobody ends the deal",
    "stalled": "the deal stalls",
    "joker": "the joker comes up",
    "limit": "the last draw is made",
}
PLACES = {PHASE_BLIND: "before the deal", PHASE_UPCARD: "upcard"}


@dataclass(frozen=True)
class Difference:
    """The first decision that two strategies made otherwise with the same cards."""

    place: str  # as in `turn 5`
    own: str  # what A did, as in `discards KS`
    other: str


def ending_text(record: Any, names: Sequence[str]) -> str:
    """How a deal ended, as in `gold knocks with 8, simple has 25`; names: of the sides."""
    kind = KINDS[record["kind"]]
    turn = f"turn {record['turns']}"
    if kind == "refused":
        refuser = names[1 - record["winner"]]
        return f"{refuser} refuses the die in {turn}"
    knocker = int(record["knocker"])
    if knocker < 0 or kind in NOBODY_WON:
        return f"{NOBODY_WON[kind]} ({turn})"
    who = names[knocker]
    count = int(record["knock_count"])
    verbs = {"gin": "goes gin", "big_gin": "has big gin", "shot": "shoots"}
    ended = f"{who} {verbs.get(kind, f'knocks with {count}')} in {turn}"
    if len(names) == 1:
        return ended
    other = names[1 - knocker]
    left = int(record["defender_count"])
    if kind == "undercut":
        return f"{ended}, {other} undercuts with {left}"
    return f"{ended}, {other} has {left}"


def first_difference(one: Matchup, two: Matchup, unit: int, half: int) -> Difference:
    """Where A of two matchups first decided otherwise, in a deal that came out otherwise."""
    first = watch_deal(one, unit, half)
    second = watch_deal(two, unit, half)
    for own, other in zip(first.questions, second.questions, strict=False):
        if own.answer != other.answer:
            return Difference(_place(own), _decision(own), _decision(other))
    raise AssertionError("deals that came out otherwise have a decision that differs")


def _place(question: Question) -> str:
    """When a question is put, as in `turn 5`."""
    view = question.view
    turn = f"turn {view.turn}"
    return PLACES.get(int(view.phase), turn)


def _decision(question: Question) -> str:
    """A decision in words; of an ending declined only that."""
    if question.slot == "knock" and not question.answer:
        return "plays on"
    return decision_text(question)


def rows(found: Found) -> list[dict[str, Any]]:
    """A row for each deal found: where it stands, what happened, and the command that shows it."""
    request = found.request
    matchup = request.matchup
    names = side_names(matchup)
    described = []
    all_points = number(found.deals, "points")
    all_gains = number(found.deals, "gain")
    for deal, points, gain in zip(found.deals, all_points, all_gains, strict=True):
        record = deal["deal"]
        unit, half, n = (int(record[name]) for name in ("unit", "half", "deal"))
        row: dict[str, Any] = {
            "variant": matchup.variant.text,
            "strategy": matchup.a.text,
            "opponent": matchup.opponent,
            "seed": matchup.seed,
            "unit": unit,
            "half": half,
            "deal": n,
            "ending": KINDS[record["kind"]],
            "turns": int(record["turns"]),
            "points": int(points),
            "happened": ending_text(record, names),
            "command": matchup.replay(unit, half, n),
        }
        if request.rival is not None:
            row |= _compared(matchup, request.rival, deal["other"])
            row["gain"] = int(gain)
        described.append(row)
    return described


def _compared(matchup: Matchup, rival: Matchup, record: Any) -> dict[str, Any]:
    """What the other strategy did in A's place, and what came of it."""
    unit, half = int(record["unit"]), int(record["half"])
    first = first_difference(matchup, rival, unit, half)
    return {
        "place": first.place,
        "own": first.own,
        "other": first.other,
        "rival": rival.a.text,
        "rival_happened": ending_text(record, side_names(rival)),
        "rival_points": int(record["points_a"] - record["points_b"]),
        "rival_command": rival.replay(unit, half, 0),
    }

"""The plan of a review: the matches that its ledger counts, and the passes beside them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from simgin.play.matchup import parse_matchup
from simgin.review import knocking, players
from simgin.review.passes import plan_steps
from simgin.review.players import REFERENCE
from simgin.review.review_request import ReviewRequest
from simgin.rules import variants
from simgin.runs.block import Task
from simgin.runs.plan import Plan

BONUSES = (10, 15, 20, 25)  # undercut bonuses that the break-even bonus is taken from


def plan_review(request: ReviewRequest) -> Plan:
    """Everything that a review plays."""
    # Two variants may share a third with another bonus: every cell is played once
    cells: dict[tuple[str, str, str | None], None] = {}
    for variant in request.variants:
        cells |= dict.fromkeys(_cells(request, variant))
    tasks = [
        Task(parse_matchup(a, b, variant, request.seed, "match"), request.matches)
        for variant, a, b in cells
    ]
    against = f", against {request.base}" if request.base else ""
    names = ", ".join(request.variants)
    return Plan(
        "review",
        tuple(tasks),
        question=f"What do these rules do to the game? {names}{against}",
        steps=plan_steps(request),
    )


def _cells(request: ReviewRequest, variant: str) -> Iterator[tuple[str, str, str | None]]:
    """Variant, A and B of every cell about a variant, in pairs where A and B differ."""
    if request.alone:
        for name in players.solo_field(variant):
            yield variant, name, None
        return
    by_limit = [knocking.player(k) for k in knocking.limits(variants.find(variant).row)]
    for a, b in _pairs(request, by_limit):
        yield variant, a, b
    if request.deep and len(by_limit) > 1:
        for text in with_bonuses(variant).values():
            if text != variant:
                yield text, by_limit[0], by_limit[-1]


def _pairs(request: ReviewRequest, by_limit: Sequence[str]) -> dict[tuple[str, str], None]:
    """A and B of the cells of a variant for two. by_limit: its players that differ in knocking."""
    pairs: dict[tuple[str, str], None] = {}
    for name in request.field:
        pairs[name, name] = None
    pairs |= dict.fromkeys(itertools.combinations(request.players, 2))
    for a, b in itertools.combinations(by_limit, 2):
        if (b, a) not in pairs:
            pairs[a, b] = None
    if request.deep:
        for restriction in players.RESTRICTIONS:
            pairs[players.restricted(restriction), REFERENCE] = None
    return pairs


def with_bonuses(variant: str) -> dict[int, str]:
    """The canonical text of the variant with each of several undercut bonuses."""
    return {bonus: variants.find(f"{variant}+undercut_bonus={bonus}").text for bonus in BONUSES}

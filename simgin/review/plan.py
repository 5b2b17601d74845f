"""The plan of a review: the matches that its ledger counts, and the passes beside them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from simgin.play.matchup import parse_matchup
from simgin.review import knocking, players
from simgin.review.passes import plan_steps
from simgin.review.players import REFERENCE
from simgin.review.request import ReviewRequest
from simgin.rules import variants
from simgin.runs.block import Task
from simgin.runs.plan import Plan

BONUSES = (10, 15, 20, 25)  # undercut bonuses that the break-even bonus is taken from


def plan_review(request: ReviewRequest) -> Plan:
    """Everything that a review plays."""
    # Two variants may share a third with another bonus: every cell is played once
    cells = dict.fromkeys(cell for variant in request.variants for cell in _cells(request, variant))
    tasks = []
    for variant, a, b in cells:
        matchup = parse_matchup(a, b, variant, request.seed, "match")
        tasks.append(Task(matchup, request.matches))
    against = f", against {request.base}" if request.base else ""
    question = f"What do these rules do to the game? {', '.join(request.variants)}{against}"
    return Plan("review", tuple(tasks), question=question, steps=plan_steps(request))


def _cells(request: ReviewRequest, variant: str) -> Iterator[tuple[str, str, str | None]]:
    """Variant, A and B of every cell about a variant, in pairs where A and B differ."""
    if request.alone:
        for name in players.solo_field(variant):
            yield variant, name, None
        return
    ks = [knocking.player(k) for k in knocking.limits(variants.find(variant).row)]
    pairs = dict.fromkeys((name, name) for name in request.field)
    pairs |= dict.fromkeys(itertools.combinations(request.players, 2))
    for a, b in itertools.combinations(ks, 2):
        if (b, a) not in pairs:
            pairs[a, b] = None
    if request.deep:
        for restriction in players.RESTRICTIONS:
            pairs[players.restricted(restriction), REFERENCE] = None
    for a, b in pairs:
        yield variant, a, b
    if request.deep and len(ks) > 1:
        for text in with_bonuses(variant).values():
            if text != variant:
                yield text, ks[0], ks[-1]


def with_bonuses(variant: str) -> dict[int, str]:
    """The canonical text of the variant with each of several undercut bonuses."""
    return {bonus: variants.find(f"{variant}+undercut_bonus={bonus}").text for bonus in BONUSES}

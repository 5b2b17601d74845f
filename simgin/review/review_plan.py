"""The plan of a review: the matches that its ledger counts, and the matches that are followed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import starmap

from simgin.play.matchup import parse_matchup
from simgin.review import course
from simgin.review.players import AT_ONCE, CHAMPION, FOR_GIN
from simgin.review.review_request import ReviewRequest
from simgin.runs.block import Task
from simgin.runs.plan import Plan
from simgin.runs.steps import Step


def plan_review(request: ReviewRequest) -> Plan:
    """Everything that a settled request plays."""
    cells: dict[tuple[str, str, str | None], None] = {}
    for variant in request.played:
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
        steps=tuple(starmap(partial(_step, request), followed(request))),
    )


def _cells(request: ReviewRequest, variant: str) -> Iterator[tuple[str, str, str | None]]:
    """Variant, A and B: every kind against itself, and the strong player against each other."""
    strong = request.player(variant)
    weaker = [kind.strategy for kind in request.kinds]
    if request.alone:
        yield from ((variant, name, None) for name in dict.fromkeys([*weaker, strong]))
        return
    yield variant, strong, strong
    for name in weaker:
        if name != strong:
            yield variant, strong, name
    if variant not in request.variants:  # the same with another target, between strong players
        return
    if variant in request.learned:
        yield variant, strong, CHAMPION
        yield variant, CHAMPION, CHAMPION
    for name in weaker:
        yield variant, name, name
    if {AT_ONCE, FOR_GIN} <= set(request.kinds) and strong not in (
        AT_ONCE.strategy,
        FOR_GIN.strategy,
    ):
        yield variant, FOR_GIN.strategy, AT_ONCE.strategy


def followed(request: ReviewRequest) -> list[tuple[str, str]]:
    """Variant and player of the matches that are followed: the strong one's, and champion's."""
    own = [(variant, request.player(variant)) for variant in request.played]
    return [*own, *((variant, CHAMPION) for variant in request.learned)]


def step_name(variant: str, player: str) -> str:
    """What the ledger knows the followed matches of a player under a variant by."""
    return f"course of {player} {variant}"


def _step(request: ReviewRequest, variant: str, player: str) -> Step:
    other = None if request.alone else player
    matchup = parse_matchup(player, other, variant, request.seed, "match")
    play = partial(course.follow, matchup, request.matches)
    return Step(step_name(variant, player), matchup, request.matches, 1.0, play)

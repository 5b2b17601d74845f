"""Reviews: measurements of every player type under every rule set, and effects.

All values are computed from the ledger: from the batch rows of its matchups and the results of its
steps. Nothing in this module plays matches.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from simgin.findings.findings import Findings, run_plan
from simgin.play.matchup import parse_matchup
from simgin.play.parallel import Progress
from simgin.report.report import Report
from simgin.review import course, review_request, scorecard
from simgin.review.review_request import ReviewRequest, settled
from simgin.review.scorecard import Measurement, Played, Row
from simgin.rules import variants
from simgin.runs.block import Task
from simgin.runs.manifest import engine_digest
from simgin.runs.plan import Plan
from simgin.runs.runner import Step
from simgin.stats import metrics, quantity
from simgin.stats.differences import holm
from simgin.stats.quantity import Quantity
from simgin.stats.table import Frame, frame_of, records
from simgin.strategy.cast import CHAMPION, KNOCKS_IMMEDIATELY, PLAYS_FOR_GIN, STRONG

FIGURE_COLUMNS = (
    *("variant", "strategy", "opponent", "unit", "metric", "value", "se", "low", "high", "n"),
    *("title", "players", "why", "untrained"),
)
DIFFERENCE_COLUMNS = (
    *("variant", "strategy", "opponent", "unit", "metric", "difference", "se", "low", "high", "n"),
    *("title", "players", "base_variant", "p", "p_holm", "size", "untrained"),
)
SKILL, WAITING = "skill", "waiting"  # keys of values of one player against another


@dataclass(frozen=True, eq=False)
class Change:
    """The difference of a value between a variant and the baseline, with its effect size.

    Attributes:
        difference: The difference with its standard error.
        bounds: Bounds of a small and a large effect.
        tenfold: True if it is a percentage that changes by a factor of ten or more.
    """

    difference: Quantity
    bounds: tuple[float, float]
    tenfold: bool = False

    @property
    def size(self) -> str:
        """Effect size: SAME, LITTLE, MUCH or UNCLEAR (`simgin.review.scorecard`)."""
        found = scorecard.size(self.difference, self.bounds)
        return scorecard.MUCH if self.tenfold and found == scorecard.LITTLE else found

    @property
    def sign(self) -> int:
        """1 for more, -1 for less, 0 if inconclusive or equivalent."""
        if self.size in (scorecard.SAME, scorecard.UNCLEAR):
            return 0
        return 1 if self.difference.value > 0 else -1


Key = tuple[str, str, str]  # variant, metric, player type


@dataclass(frozen=True, eq=False)
class Review:
    """A finished review with its open ledger.

    Attributes:
        request: What is reviewed.
        findings: Results of the run.
        half: 0 or 1 to use only the even or odd batches.
    """

    request: ReviewRequest
    findings: Findings
    half: int | None = None

    def __repr__(self) -> str:
        return f"<Review of {', '.join(self.request.variants)}; frames: metrics, differences>"

    @property
    def identity(self) -> Mapping[str, Any]:
        """See `simgin.report.report.Result`."""
        return self.findings.identity

    @property
    def units(self) -> list[int]:
        """See `simgin.report.report.Result`."""
        return self.findings.units

    def frames(self) -> dict[str, Frame]:
        """Return the metrics and their differences from the baseline as DataFrames."""
        return {"metrics": self.metrics, "differences": self.differences}

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of the metrics for JSON."""
        return records(self.metrics)

    def report(self, command: str) -> Report:
        """Return the report of the review."""
        from simgin.review.review_report import review_report

        return review_report(self, command)

    @property
    def _part(self) -> slice:
        return slice(None) if self.half is None else slice(self.half, None, 2)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the scorecard."""
        keys: dict[str, Row] = {}
        for variant in self.request.variants:
            for row in scorecard.rows_of(variants.find(variant).row, self.request.seconds_per_turn):
                keys.setdefault(row.key, row)
        return tuple(keys.values())

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The names of the player types, weakest first."""
        return (*(kind.name for kind in self.request.kinds), STRONG)

    def strategy(self, variant: str, kind: str) -> str:
        """Return the strategy of a player type under a variant."""
        if kind == STRONG:
            return self.request.player(variant)
        return dict(self.request.kinds)[kind]

    def played(self, variant: str, kind: str) -> Played:
        """Return the statistics of a player type against itself or in solitaire games."""
        return self.played_by(variant, self.strategy(variant, kind))

    def played_by(self, variant: str, name: str) -> Played:
        """Return the statistics of a strategy against itself or in solitaire games."""
        rows = self._cells[variant, name, "" if self.request.alone else name]
        return Played(rows, self._courses.get((variant, name), {}))

    @cached_property
    def _cells(self) -> dict[tuple[str, str, str], np.ndarray]:
        """Batch rows of every matchup, by variant, A and B."""
        return {
            (cell.variant, cell.a, cell.b): course.merged(self.findings.rows(i))[self._part]
            for i, cell in enumerate(self.findings.cells)
        }

    @cached_property
    def _courses(self) -> dict[tuple[str, str], Mapping[str, np.ndarray]]:
        """Counts of the matches of strong players, by variant and strategy."""
        ledger, n = self.findings.ledger, self.request.matches
        courses: dict[tuple[str, str], Mapping[str, np.ndarray]] = {}
        for variant, name in followed(self.request):
            counts = ledger.step(step_name(variant, name), n)
            courses[variant, name] = {name: batches[self._part] for name, batches in counts.items()}
        return courses

    def won(self, variant: str, a: str, b: str) -> Quantity:
        """Return the proportion of matches that one strategy wins against another."""
        cells = {(b, c): rows for (of, b, c), rows in self._cells.items() if of == variant}
        return quantity.between(cells, a, b, metrics.BY_NAME["match_win"])

    @cached_property
    def figures(self) -> dict[Key, Measurement]:
        """Every value of every variant, or a string on why it is missing."""
        return dict(itertools.chain.from_iterable(map(self._figures_of, self.request.played)))

    def _figures_of(self, variant: str) -> Iterator[tuple[Key, Measurement]]:
        asked_for = variant in self.request.variants
        for name in self.kinds if asked_for else (STRONG,):
            played = self.played(variant, name)
            for row in self.rows:
                yield (variant, row.key, name), row.measure(played)
        strong = self.request.player(variant)
        # In solitaire games only the naive player counts: others can equal the strong one
        for kind in self.request.kinds[: 1 if self.request.alone else None]:
            yield (variant, SKILL, kind.name), self._skill(variant, strong, kind.strategy)
        if self.request.waiting and asked_for:
            yield (variant, WAITING, PLAYS_FOR_GIN), self.won(variant, *self.request.waiting)

    def _skill(self, variant: str, strong: str, weaker: str) -> Measurement:
        """Return the strong player's win rate against a weaker one; solitaire: their difference."""
        win = metrics.BY_NAME["match_win"]
        if self.request.alone:
            own, less = (self._cells[variant, name, ""] for name in (strong, weaker))
            return quantity.ratio(own, win) - quantity.ratio(less, win)
        if strong == weaker:
            return "one and the same player"
        return self.won(variant, strong, weaker)

    @cached_property
    def changes(self) -> dict[Key, Change]:
        """Every difference from the baseline for which both values exist, also at equal length."""
        base = self.request.base
        changes = {}
        for (variant, metric, kind), own in self.figures.items():
            if base is None or variant == base:
                continue
            of_base = self.figures[base, metric, kind]
            if isinstance(own, Quantity) and isinstance(of_base, Quantity):
                changes[variant, metric, kind] = self.change(own, of_base, metric)
        return changes

    def change(self, own: Quantity, other: Quantity, metric: str) -> Change:
        """Return the effect on a value, with the bounds of the strong player under the baseline."""
        if metric in (SKILL, WAITING):
            return Change(own - other, scorecard.SKILL_BOUNDS)
        base = self.request.base
        assert base is not None
        row = next(row for row in self.rows if row.key == metric)
        strong = self.figures[base, metric, STRONG]
        known = strong if isinstance(strong, Quantity) else other
        bounds = row.bounds(known, self.played(base, STRONG).matches)
        return Change(own - other, bounds, scorecard.is_tenfold(own, other, row))

    def disagree(self, variant: str, metric: str) -> bool:
        """Return True if player types differ significantly in an effect by more than a little."""
        own = [
            change
            for (of, key, _), change in self.changes.items()
            if (of, key) == (variant, metric)
        ]
        return any(
            one.difference.limits[0] - other.difference.limits[1] > 0
            and one.difference.value - other.difference.value > one.bounds[0]
            for one, other in itertools.permutations(own, 2)
        )

    def is_copy(self, variant: str) -> bool:
        """Return True if every match had the same result as under the baseline."""
        own = [one.difference for (of, *_), one in self.changes.items() if of == variant]
        return bool(own) and all(one.value == 0 and one.se == 0 for one in own)

    @cached_property
    def depends_on_training(self) -> frozenset[str]:
        """The metrics of the strong player that change if it is trained for the rules."""
        return frozenset({SKILL, *(row.key for row in self.rows if not row.steady)})

    def is_untrained(self, key: Key) -> bool:
        """Return True if a value would change with a strong player trained for its rules."""
        variant, metric, kind = key
        is_strong = kind == STRONG or metric == SKILL
        untrained = variant in self.request.untrained
        return untrained and is_strong and metric in self.depends_on_training

    # DataFrames

    @cached_property
    def metrics(self) -> Frame:
        """Every value, with METRIC_COLUMNS.

        Proportions are from 0 to 1. `players` is the player type, `n` counts units of `unit`, `why`
        is the reason if a value is missing, and `untrained` is True if the value would change with
        a strong player trained for the rules.
        """
        rows = []
        for (variant, metric, kind), number in self.figures.items():
            untrained = self.is_untrained((variant, metric, kind))
            names = {**self._names(variant, metric, kind), "untrained": untrained}
            if isinstance(number, str):
                rows.append({**names, "n": 0, "why": number})
            else:
                low, high = number.limits
                numbers = {"value": number.value, "se": number.se, "low": low, "high": high}
                rows.append({**names, **numbers, "n": number.n, "why": ""})
        return frame_of(rows, FIGURE_COLUMNS)

    @cached_property
    def differences(self) -> Frame:
        """Every effect, with DIFFERENCE_COLUMNS, adjusted as one family by Holm's method."""
        p_holm = holm(np.array([change.difference.p for change in self.changes.values()], float))
        base = str(self.request.base)
        rows = []
        for ((variant, metric, kind), change), p in zip(self.changes.items(), p_holm, strict=True):
            own = change.difference
            low, high = own.limits
            numbers = {"difference": own.value, "se": own.se, "low": low, "high": high, "n": own.n}
            tests = {"base_variant": base, "p": own.p, "p_holm": p}
            untrained = [self.is_untrained((of, metric, kind)) for of in (variant, base)]
            names = {**self._names(variant, metric, kind), "untrained": any(untrained)}
            rows.append({**names, **numbers, **tests, "size": change.size})
        return frame_of(rows, DIFFERENCE_COLUMNS)

    def _names(self, variant: str, metric: str, kind: str) -> dict[str, str]:
        """Return strategies, metric, title and players of a value."""
        name = self.strategy(variant, kind)
        opponent, players = name, kind
        if metric == SKILL:
            title, name = scorecard.skill_title(self.request.alone), self.request.player(variant)
            players = f"{STRONG} v {kind}"
        elif metric == WAITING:
            opponent = dict(self.request.kinds)[KNOCKS_IMMEDIATELY]
            title, players = "Gin v knock", f"{kind} v {KNOCKS_IMMEDIATELY}"
        else:
            title = next(row.title for row in self.rows if row.key == metric)
        found = {"variant": variant, "strategy": name, "unit": metrics.MATCH, "metric": metric}
        opponent = "" if self.request.alone else opponent
        return {**found, "opponent": opponent, "title": title, "players": players}


def restore_review(entry: Mapping[str, Any], findings: Findings) -> Review:
    """Return the review of a run directory from its manifest, without playing.

    Raises:
        ReviewError: Another version of simgin made the review.
    """
    if findings.record.identity["engine"] != engine_digest() or "kinds" not in entry:
        raise review_request.ReviewError(
            "another version of simgin made this review; make it again with this one, in another "
            "directory."
        )
    return Review(ReviewRequest.from_manifest(entry), findings)


# Plan


def run_review(
    request: ReviewRequest, workers: int | None = None, on_progress: Progress | None = None
) -> Review:
    """Resolve who plays, play everything and return the review, with its ledger in memory."""
    request = settled(request, workers)
    return Review(request, run_plan(plan_review(request), workers, on_progress))


def plan_review(request: ReviewRequest) -> Plan:
    """Return the plan of all matchups and steps of a request whose players are resolved."""
    cells = dict.fromkeys(cell for variant in request.played for cell in _cells(request, variant))
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
        steps=tuple(_step(request, *one) for one in followed(request)),
    )


def _cells(request: ReviewRequest, variant: str) -> Iterator[tuple[str, str, str | None]]:
    """Yield variant, A and B: player types against themselves, and strong against weaker ones.

    Some matchups occur twice.
    """
    strong = request.player(variant)
    weaker = [kind.strategy for kind in request.kinds]
    if request.alone:
        yield from ((variant, name, None) for name in dict.fromkeys([*weaker, strong]))
        return
    for name in (strong, *weaker):
        yield variant, strong, name
    if variant not in request.variants:  # at equal length, strong players only
        return
    if variant in request.learned:
        yield variant, strong, CHAMPION
        yield variant, CHAMPION, CHAMPION
    for name in weaker:
        yield variant, name, name
    if request.waiting and strong not in request.waiting[1:]:
        yield variant, *request.waiting


def followed(request: ReviewRequest) -> list[tuple[str, str]]:
    """Return variant and player of the matches whose course is counted.

    These are the matches of the strong player and, next to an adapted one, those of champion.
    """
    own = [(variant, request.player(variant)) for variant in request.played]
    return [*own, *((variant, CHAMPION) for variant in request.learned)]


def step_name(variant: str, player: str) -> str:
    """Return the name of the step in the ledger for the matches of a player under a variant."""
    return f"course of {player} {variant}"


def _step(request: ReviewRequest, variant: str, player: str) -> Step:
    other = None if request.alone else player
    matchup = parse_matchup(player, other, variant, request.seed, "match")
    play = partial(course.follow, matchup, request.matches)
    return Step(step_name(variant, player), matchup, request.matches, 1.0, play)

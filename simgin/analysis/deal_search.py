"""Search for deals of a matchup that fulfil a query, and for their costliest decisions.

request = FindRequest.read("gold", "simple", "standard", "undercut, lost", deals=1_000_000)
run_find(request).frames()["deals"]  # the first ten
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.analysis.analysis import Analysis, Effort, analyse, played_on
from simgin.analysis.judge import own_positions
from simgin.analysis.position import Position
from simgin.analysis.where import FOUND, Where, number, read_where
from simgin.core.answers import PHASE_BLIND, PHASE_UPCARD
from simgin.core.cell import Unit
from simgin.core.sums import KINDS
from simgin.play.kernel import play_recorded, prepare
from simgin.play.matchup import Matchup, own_names, parse_matchup, side_names
from simgin.play.parallel import Progress, over_units, share
from simgin.play.replay import decision_text
from simgin.play.watch import Question, watch_deal
from simgin.plots.answers import UNITS
from simgin.report.report import Report
from simgin.rules import variants
from simgin.runs.manifest import run_identity
from simgin.stats.estimate import mean_of
from simgin.text.amounts import AmountError, parse_count, parse_seed

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]
DEALS = 100_000
FEW_DEALS = 20  # default if every decision is analysed
LIMIT = 10
MOST_LISTED = 1_000
MOST_ANALYSED = 1_000
BLOCK = 10_000  # pairs per block, a multiple of the batch size
NOBODY_WON = {
    "void": "nobody ends the deal",
    "stalled": "the deal stalls",
    "joker": "the joker comes up",
    "limit": "the last draw is made",
}
PLACES = {PHASE_BLIND: "before the deal", PHASE_UPCARD: "upcard"}
FIRST_WORLDS = 200  # for every decision
NEW_WORLDS = 2000  # for the decisions that seem costliest


class SearchError(ValueError):
    """Error raised if a search is not possible."""


@dataclass(frozen=True)
class FindRequest:
    """Request for a search.

    Attributes:
        matchup: Matchup of the deals.
        rival: Matchup with the compared strategy as A, or None.
        query: Query of the deals.
        n: Number of deals or matches.
        limit: Maximum number of listed deals or decisions.
    """

    matchup: Matchup
    rival: Matchup | None
    where: Where
    n: int
    limit: int

    @classmethod
    def read(
        cls,
        a: str,
        b: str | None,
        variant: str,
        where: str,
        *,
        deals: int | str | None = None,
        matches: int | str | None = None,
        against: str | None = None,
        limit: int = LIMIT,
        seed: int = 1,
    ) -> FindRequest:
        """Parse a request. With `differ`, A and B are compared, each against the opponent.

        Args:
            a: Strategy A.
            b: Strategy B; None in solitaire games.
            variant: Variant spec.
            where: Query of the deals.
            deals: Number of deals.
            matches: Number of matches, instead of deals.
            against: Opponent of both strategies with `differ`; by default B.
            limit: Maximum number of listed deals or decisions.
            seed: Seed of the deals.

        Raises:
            SearchError: If the options contradict each other or are out of range.
            QueryError: If the query is not valid.
        """
        asked = read_where(where)
        if deals is not None and matches is not None:
            raise AmountError("deals and matches are both given; keep one of them.")
        if against is not None and not asked.differ:
            raise SearchError("--against goes with `--where differ`; name the opponent behind A.")
        if asked.differ and matches is not None:
            raise SearchError("differ compares single deals, so count deals, not matches.")
        if not 1 <= limit <= MOST_LISTED:
            raise SearchError(
                f"{limit} deals cannot be listed: write a limit of 1 to {MOST_LISTED}."
            )
        n = parse_count(matches or deals or (FEW_DEALS if asked.is_costly else DEALS))
        number = parse_seed(seed)
        if asked.differ:
            return cls(*_compared(a, b, variant, against, number), asked, n, limit)
        unit: Unit = "deal" if matches is None else "match"
        if unit == "deal":
            variants.warn_of_match_rules(variants.find(variant))
        return cls(parse_matchup(a, b, variant, number, unit), None, asked, n, limit)

    @property
    def title(self) -> str:
        """Names of the players, as in `gold v simple`."""
        names = [self.short(player.text) for player in self.matchup.players]
        if self.rival is None:
            return " v ".join(names)
        both = f"{names[0]} and {self.short(self.rival.a.text)}"
        return both if self.matchup.b is None else f"{both} against {names[1]}"

    def short(self, player: str) -> str:
        """Return the short name of a player."""
        return own_names(self.matchups).get(player, player)

    @property
    def matchups(self) -> list[Matchup]:
        """Matchup of the deals, and the one with the compared strategy."""
        return [self.matchup] if self.rival is None else [self.matchup, self.rival]

    @property
    def is_paired(self) -> bool:
        """True if every deal is mirrored, with the players in swapped seats."""
        return all(matchup.mirrored for matchup in self.matchups)


@dataclass(frozen=True)
class Found:
    """Result of a search.

    Attributes:
        request: The search.
        n_played: Number of deals searched.
        n_matching: Number of deals that fulfil the query.
        deals: FOUND_DEAL (n_deals,), the first `limit` of them.
        listed_rows: Rows of these deals, or of the costliest decisions.
    """

    request: FindRequest
    played: int
    fitting: int
    deals: np.ndarray
    listed: Sequence[Row] = ()

    @property
    def identity(self) -> dict[str, Any]:
        """See `simgin.report.report.Result`."""
        return run_identity(self.request.matchups)

    @property
    def units(self) -> list[int]:
        """See `simgin.report.report.Result`."""
        return [matchup.units(self.request.n) for matchup in self.request.matchups]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the rows as a DataFrame."""
        import pandas as pd

        return {"deals": pd.DataFrame(self.listed)}

    def records(self) -> list[Row]:
        """Return the rows of the deals or decisions.

        Columns:

        * `variant`, `strategy`, `opponent`, `seed`, `unit`, `half`, `deal`: position of the deal.
        * `ending`, `turns`, `points` and `happened`: its result; `command`: replays the deal.
        * With `differ`: `place`, `own` and `other`, the first decision that differs; `rival`,
          `rival_happened`, `rival_points` and `rival_command`; `gain`.
        * With `costly`: `place`, `turn`, `own` and `best`, the decision; `cost`, `low`, `high` and
          `by`; `analyze`, a command.
        """
        return list(self.listed)

    def report(self, command: str) -> Report:
        """Return a report with the number of deals that fulfil the query."""
        request = self.request
        question = f"{request.title}, {request.matchup.variant.text}: {request.where.text}"
        return Report(question, list(_verdict(self)), command=command)


def _compared(
    a: str, b: str | None, variant: str, against: str | None, seed: int
) -> tuple[Matchup, Matchup]:
    """Return the matchups of A and of B against the same opponent, or in a solitaire game."""
    if b is None:
        raise SearchError("differ compares two strategies: name both, as in `gold simple`.")
    opponent: str | None = against or b
    if variants.find(variant).row["players"] == 1:
        if against is not None:
            raise SearchError(f"{variant} is for one player: leave --against out.")
        opponent = None
    one = parse_matchup(a, opponent, variant, seed, "deal")
    two = parse_matchup(b, opponent, variant, seed, "deal")
    if one.a.text == two.a.text:
        raise SearchError(f"{one.a.text} does not differ from itself: name two strategies.")
    return one, two


def search(
    request: FindRequest, workers: int | None = None, progress: Progress | None = None
) -> Found:
    """Play the deals and return the first ones that fulfil the query."""
    where = request.where
    limit = MOST_ANALYSED + 1 if where.is_costly else request.limit
    for matchup in request.matchups:
        prepare(matchup)
    units = (request.n + 1) // 2 if request.is_paired else request.n
    size = request.matchup.batch if request.matchup.unit == "match" else BLOCK

    def sift(first: int, n: int) -> tuple[int, int, np.ndarray]:
        played = _play(request, first, n)
        fitting = played[where.fits(played)]
        return len(played), len(fitting), where.first(fitting, limit)

    played, fitting, kept = zip(*over_units(sift, units, size, workers, progress), strict=True)
    fit = sum(fitting)
    if where.is_costly and fit > MOST_ANALYSED:
        raise SearchError(
            f"{fit:,} deals fit, and costly analyses every decision of {MOST_ANALYSED:,} at "
            "most: ask for fewer with --deals."
        )
    deals = np.concatenate(kept)
    return Found(request, sum(played), fit, where.first(deals, limit))


def _play(request: FindRequest, first: int, n: int) -> np.ndarray:
    """Return the deals of some pairs: FOUND_DEAL (n_deals,)."""
    played = []
    for matchup in request.matchups:
        _, records = play_recorded(matchup, first, n)
        # If only one matchup is mirrored, drop its second games
        played.append(records if request.is_paired else records[records["half"] == 0])
    found = np.zeros(len(played[0]), FOUND)
    found["deal"] = played[0]
    found["other"] = played[-1]
    return found


# Descriptions of deals


def ending_text(record: Any, names: Sequence[str]) -> str:
    """Describe the ending of a deal, as in `gold knocks with 8, simple has 25`.

    Args:
        record: DEAL record.
        names: Names by side.
    """
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


def _first_difference(one: Matchup, two: Matchup, unit: int, half: int) -> Row:
    """Return the first decision that differs between the strategies A of two matchups."""
    first = watch_deal(one, unit, half)
    for own, other in zip(first.questions, watch_deal(two, unit, half).questions, strict=False):
        if own.answer != other.answer:
            place = PLACES.get(int(own.view.phase), f"turn {own.view.turn}")
            return {"place": place, "own": _decision(own), "other": _decision(other)}
    raise AssertionError("deals that came out otherwise have a decision that differs")


def _decision(question: Question) -> str:
    """Describe a decision; a declined ending is `plays on`."""
    if question.slot == "knock" and not question.answer:
        return "plays on"
    return decision_text(question)


def deal_rows(found: Found) -> list[Row]:
    """Return a row for each found deal: its position in the run, its result and a command."""
    request = found.request
    matchup = request.matchup
    names = side_names(matchup)
    described = []
    for deal in found.deals:
        record = deal["deal"]
        unit, half, n = (int(record[name]) for name in ("unit", "half", "deal"))
        row: Row = {
            "variant": matchup.variant.text,
            "strategy": matchup.a.text,
            "opponent": matchup.opponent,
            "seed": matchup.seed,
            "unit": unit,
            "half": half,
            "deal": n,
            "ending": KINDS[record["kind"]],
            "turns": int(record["turns"]),
            "points": int(number(deal, "points")),
            "happened": ending_text(record, names),
            "command": matchup.replay(unit, half, n),
        }
        if request.rival is not None:
            row |= _of_rival(matchup, request.rival, deal["other"])
            row["gain"] = int(number(deal, "gain"))
        described.append(row)
    return described


def _of_rival(matchup: Matchup, rival: Matchup, record: Any) -> Row:
    """Return the columns for the compared strategy: its decision and result."""
    unit, half = int(record["unit"]), int(record["half"])
    return _first_difference(matchup, rival, unit, half) | {
        "rival": rival.a.text,
        "rival_happened": ending_text(record, side_names(rival)),
        "rival_points": int(record["points_a"] - record["points_b"]),
        "rival_command": rival.replay(unit, half, 0),
    }


# Costliest decisions
#
# Every decision is analysed in a few worlds. For the decisions that seem costliest, the chosen
# action and the best one are compared again in new worlds, because the largest of many rough
# estimates is biased upwards and a new estimate is not.


def _costliest(
    found: Found, deals: Sequence[Row], effort: Effort, progress: Progress | None
) -> list[Row]:
    """Return the costliest decisions of A, costliest first, with the rows of their deals.

    A and B play the rollouts. The result has at most as many rows as the limit of the search, and
    no decision without a cost in the new worlds.

    Args:
        found: Result of the search.
        deals: Rows of all found deals.
        effort: Limits of the analyses.
        progress: Called with the progress and its total.
    """
    rough = replace(effort, worlds=FIRST_WORLDS)
    seeming = _seeming(found, rough, share(progress, 0, 2))[: found.request.limit]
    anew = replace(effort, worlds=NEW_WORLDS, seed=effort.seed + 1)
    report = share(progress, 1, 2)
    mistakes = []
    for deal, analysis in seeming:
        mistakes.append(deals[deal] | _mistake(found, deals[deal]["command"], analysis, anew))
        if report is not None:
            report(len(mistakes), len(seeming))
    mistakes.sort(key=lambda mistake: -mistake["cost"])
    return [mistake for mistake in mistakes if mistake["cost"] > 0]


def _seeming(found: Found, effort: Effort, progress: Progress | None) -> list[tuple[int, Analysis]]:
    """Return decisions with a seemingly better action, each after the index of its deal.

    The costliest decision is first.
    """
    matchup = found.request.matchup
    decisions: list[tuple[int, Position]] = []
    for place, record in enumerate(found.deals["deal"]):
        played = watch_deal(matchup, int(record["unit"]), int(record["half"]), int(record["deal"]))
        decisions += [(place, position) for position in own_positions(played)]
    seeming = []
    for done, (deal, position) in enumerate(decisions, start=1):
        analysis = analyse(position, matchup.a.text, matchup.opponent or None, effort)
        if _rough_cost(analysis) > 0:
            seeming.append((deal, analysis))
        if progress is not None:
            progress(done, len(decisions))
    return sorted(seeming, key=lambda pair: -_rough_cost(pair[1]))


def _rough_cost(analysis: Analysis) -> float:
    """Return the estimated cost of a decision, in the worlds that selected the best action."""
    return analysis.cost(analysis.position.was_done_at)[0]


def _mistake(found: Found, command: str, analysis: Analysis, effort: Effort) -> Row:
    """Measure the cost of a decision in new worlds, all of them for both actions."""
    position = analysis.position
    best = position.actions[analysis.order[0]]
    both = replace(position, actions=[best, position.was_done])
    matchup = found.request.matchup
    anew = played_on(both, matchup.a.text, matchup.opponent or None, effort)
    cost = mean_of(anew.worth[:, 0] - anew.worth[:, 1])
    analyze = command.replace("simgin show", "simgin analyze", 1)
    return {
        "place": position.place,
        "turn": position.turn,
        "own": position.text(position.was_done),
        "best": position.text(best),
        "cost": cost.value,
        "low": cost.low,
        "high": cost.high,
        "by": analysis.by,
        "analyze": f"{analyze} --turn {position.turn}",
    }


# The whole search, and its report


def run_find(
    request: FindRequest, workers: int | None = None, on_progress: Progress | None = None
) -> Found:
    """Search for deals or for the costliest decisions."""
    found = search(request, workers, on_progress)
    rows = deal_rows(found)
    if request.where.is_costly:
        effort = Effort(seed=request.matchup.seed, workers=workers)
        rows = _costliest(found, rows, effort, on_progress)
    return replace(found, listed=rows)


def _verdict(found: Found) -> Iterator[str]:
    """Yield sentences with the number of deals, and the introduction of the list."""
    request, rows = found.request, found.listed
    name = request.short(request.matchup.a.text)
    yield f"{found.fitting:,} of {found.played:,} deals fit."
    if not found.fitting:
        return
    if request.where.is_costly and not rows:
        yield "No decision cost anything."
    elif request.where.is_costly:
        unit = UNITS[rows[0]["by"]]
        yield f"The costliest decisions of {name}, in {unit}, with 95 % intervals:"
    else:
        listed = "The first is" if len(rows) == 1 else f"The first {len(rows)} are"
        if found.fitting <= len(rows):
            listed = "Here they are"
        points = "points" if request.rival else f"points of {name}"
        yield f"{listed}, with the {points}:"

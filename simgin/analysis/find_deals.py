"""Search for deals that match a query, and for the costliest decisions in these deals.

request = FindRequest.read("gold", "simple", "standard", "undercut, lost", deals=1_000_000)
run_find(request).frames()["deals"]  # the first ten matching deals
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.analysis.analysis import (
    Analysis,
    AnalysisBudget,
    analyse_position,
    analyse_without_elimination,
)
from simgin.analysis.deal_query import FOUND_DEAL_DTYPE, DealQuery, compute_quantity, parse_query
from simgin.analysis.decision_evaluator import iter_positions_of_a
from simgin.analysis.position import Position
from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.codes import PHASE_BLIND, PHASE_UPCARD
from simgin.core.matchup_key import UnitType
from simgin.play.kernel import compile_matchup, play_with_records
from simgin.play.matchup import Matchup, make_short_names, make_short_player_names, parse_matchup
from simgin.play.parallel import ProgressCallback, make_progress_for_part, map_units
from simgin.play.replay import format_decision
from simgin.play.traced_deal import Decision, trace_deal
from simgin.plots.action_costs import COST_UNITS
from simgin.report.report import Report
from simgin.report.report_table import Column, Table
from simgin.rules import variants
from simgin.runs.result import Result
from simgin.stats.estimate import estimate_mean
from simgin.stats.table import build_output_frame
from simgin.text.amounts import AmountError, parse_count, parse_seed
from simgin.text.messages import SimginError

if TYPE_CHECKING:
    import pandas as pd

DealRow = dict[str, Any]
DEFAULT_DEALS = 100_000
DEFAULT_COSTLY_DEALS = 20  # default number of deals if every decision is analysed
DEFAULT_LISTED_DEALS = 10
MAX_LISTED_DEALS = 1_000
MAX_ANALYSED_DEALS = 1_000
UNITS_PER_BLOCK = 10_000  # number of pairs per block, a multiple of the batch size
DRAWN_DEAL_PHRASES = {
    "void": "dead hand",
    "stalled": "the deal stalls",
    "joker": "the joker is drawn",
    "limit": "the draw limit is reached",
}
PHASE_LABELS = {PHASE_BLIND: "before the deal", PHASE_UPCARD: "upcard"}
SCREENING_WORLDS = 200  # number of worlds per decision in the first analysis
N_MEASUREMENT_WORLDS = 2000  # number of new worlds for each decision that seems costly


class SearchError(SimginError):
    """Error raised if a search for deals is impossible."""


@dataclass(frozen=True)
class FindRequest:
    """Request to search the deals of a matchup.

    Attributes:
        matchup: Matchup of the deals.
        second_matchup: Matchup in which the second of two compared strategies plays as A, or None
            if no strategies are compared.
        query: Query that the deals must fulfil.
        n_deals_or_matches: Number of deals or matches.
        max_listed: Maximum number of listed deals or decisions.
    """

    matchup: Matchup
    second_matchup: Matchup | None
    query: DealQuery
    n_deals_or_matches: int
    max_listed: int

    @classmethod
    def read(
        cls,
        a: str,
        b: str | None,
        variant: str,
        where: str,
        *,
        deals: float | str | None = None,
        matches: float | str | None = None,
        against: str | None = None,
        limit: int = DEFAULT_LISTED_DEALS,
        seed: int = 1,
    ) -> FindRequest:
        """Parse the arguments of a request to search the deals of a matchup.

        If the query contains `differ`, A and B play against the same opponent.

        Args:
            a: Strategy A.
            b: Strategy B, or None in solitaire games.
            variant: Variant spec.
            where: Query that the deals must fulfil.
            deals: Number of deals.
            matches: Number of matches, if matches are played instead of deals.
            against: Opponent of both strategies if the query contains `differ` (default: B).
            limit: Maximum number of listed deals or decisions.
            seed: Seed of the deals.

        Raises:
            SearchError: If the options contradict each other or are out of range.
            QueryError: If the query is not valid.
        """
        query = parse_query(where)
        if deals is not None and matches is not None:
            raise AmountError("`deals` and `matches` cannot be combined. Use only one of them.")
        if against is not None and not query.requires_different_play:
            raise SearchError(
                "--against requires `--where differ`. Without `differ`, specify the opponent as "
                "the second strategy."
            )
        if query.requires_different_play and matches is not None:
            raise SearchError(
                "'differ' compares single deals, not matches. Use `deals` instead of `matches`."
            )
        if not 1 <= limit <= MAX_LISTED_DEALS:
            raise SearchError(
                f"{limit} is not a valid limit. Use a limit from 1 to {MAX_LISTED_DEALS}."
            )
        default_deals = DEFAULT_COSTLY_DEALS if query.selects_costly_decisions else DEFAULT_DEALS
        n_deals_or_matches = parse_count(matches or deals or default_deals)
        parsed_seed = parse_seed(seed)
        if query.requires_different_play:
            return cls(
                *_parse_compared_matchups(a, b, variant, against, parsed_seed),
                query,
                n_deals_or_matches,
                limit,
            )
        unit: UnitType = "deal" if matches is None else "match"
        if unit == "deal":
            variants.warn_about_match_settings(variants.find_variant(variant))
        return cls(
            parse_matchup(a, b, variant, parsed_seed, unit), None, query, n_deals_or_matches, limit
        )

    @property
    def title(self) -> str:
        """Title with the names of the players, as in `gold v simple`."""
        names = [self.get_short_name(player.spec) for player in self.matchup.players]
        if self.second_matchup is None:
            return " v ".join(names)
        opponents = f"{names[0]} and {self.get_short_name(self.second_matchup.a.spec)}"
        return opponents if self.matchup.b is None else f"{opponents} against {names[1]}"

    def get_short_name(self, player: str) -> str:
        """Return the short name of a player."""
        return make_short_names(self.matchups).get(player, player)

    @property
    def matchups(self) -> list[Matchup]:
        """Matchup of the deals and, if two strategies are compared, the second matchup."""
        return (
            [self.matchup] if self.second_matchup is None else [self.matchup, self.second_matchup]
        )

    @property
    def is_mirrored(self) -> bool:
        """True if every deal is played a second time with the seats swapped."""
        return all(matchup.is_mirrored for matchup in self.matchups)


# Columns of the table, and the headings that differ from the column names
LISTED_COLUMNS = "unit half deal points happened place own other best cost".split()
COLUMN_HEADINGS = {
    "happened": "ending",
    "place": "decision",
    "own": "action",
    "other": "action of B",
}


@dataclass(frozen=True, repr=False)
class FoundDeals(Result):
    """Result of a search for deals.

    Attributes:
        request: Request for the search.
        n_searched: Number of deals searched.
        n_matching: Number of deals that fulfil the query.
        deals: First `limit` matching deals, FOUND_DEAL_DTYPE (n_deals,).
        listed_rows: Rows of the listed deals, or of the costliest decisions.
    """

    request: FindRequest
    n_searched: int
    n_matching: int
    deals: np.ndarray
    listed_rows: Sequence[DealRow] = ()

    @property
    def played_matchups(self) -> list[tuple[Matchup, int]]:
        """Matchups of the search, each with the number of deals, matches or mirrored pairs."""
        n_deals_or_matches = self.request.n_deals_or_matches
        return [
            (matchup, matchup.count_units(n_deals_or_matches)) for matchup in self.request.matchups
        ]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the DataFrame of the listed deals or decisions, keyed by its name."""
        return {"deals": build_output_frame("deals", self.listed_rows)}

    def records(self) -> list[DealRow]:
        """Return a row for each of the listed deals or decisions."""
        return list(self.listed_rows)

    def report(self, command: str) -> Report:
        """Return a report that states how many deals match the query."""
        request = self.request
        title = f"{request.title} ({request.matchup.variant.spec}): {request.query.text}"
        frame = self.frame
        names = [name for name in LISTED_COLUMNS if name in frame]
        columns = [Column(name, COLUMN_HEADINGS.get(name, name)) for name in names]
        tables = [Table("Deals", frame, columns)] if columns else []
        sentences = list(_format_result_sentences(self))
        return Report(title, sentences, detail_tables=tables, command=command)


def _parse_compared_matchups(
    a: str, b: str | None, variant: str, against: str | None, seed: int
) -> tuple[Matchup, Matchup]:
    """Return the matchups of A and B in two-player games against the same opponent."""
    if b is None:
        raise SearchError(
            "'differ' compares two strategies. Specify two strategies, as in `gold simple`."
        )
    opponent: str | None = against or b
    if variants.find_variant(variant).is_solo:
        if against is not None:
            raise SearchError(f"{variant} is a solitaire game without an opponent. Omit --against.")
        opponent = None
    matchup_a = parse_matchup(a, opponent, variant, seed, "deal")
    matchup_b = parse_matchup(b, opponent, variant, seed, "deal")
    if matchup_a.a.spec == matchup_b.a.spec:
        raise SearchError(
            f"'differ' cannot compare {matchup_a.a.spec} with itself. Specify two different "
            "strategies."
        )
    return matchup_a, matchup_b


def search_deals(
    request: FindRequest, workers: int | None = None, on_progress: ProgressCallback | None = None
) -> FoundDeals:
    """Play the deals, and return the first deals that match the query."""
    query = request.query
    max_deals = MAX_ANALYSED_DEALS + 1 if query.selects_costly_decisions else request.max_listed
    for matchup in request.matchups:
        compile_matchup(matchup)
    n_total_units = (
        (request.n_deals_or_matches + 1) // 2 if request.is_mirrored else request.n_deals_or_matches
    )
    units_per_call = (
        request.matchup.batch_size if request.matchup.unit == "match" else UNITS_PER_BLOCK
    )

    def search_block(first_unit: int, n_units: int) -> tuple[int, int, np.ndarray]:
        deals = _play_deals(request, first_unit, n_units)
        matching_deals = deals[query.find_matching_deals(deals)]
        return len(deals), len(matching_deals), query.select_first(matching_deals, max_deals)

    n_played, n_matching_by_block, first_deals = zip(
        *map_units(search_block, n_total_units, units_per_call, workers, on_progress), strict=True
    )
    n_matching = sum(n_matching_by_block)
    if query.selects_costly_decisions and n_matching > MAX_ANALYSED_DEALS:
        raise SearchError(
            f"{n_matching:,} deals match, but simgin analyses at most {MAX_ANALYSED_DEALS:,}. "
            "Reduce the number of deals with --deals."
        )
    deals = np.concatenate(first_deals)
    return FoundDeals(request, sum(n_played), n_matching, query.select_first(deals, max_deals))


def _play_deals(request: FindRequest, first_unit: int, n_units: int) -> np.ndarray:
    """Play a block of the requested deals or matches, and return its deals."""
    records_by_matchup = []
    for matchup in request.matchups:
        _, records = play_with_records(matchup, first_unit, n_units)
        # If only one matchup is mirrored, drop its second games.
        records_by_matchup.append(records if request.is_mirrored else records[records["half"] == 0])
    deals = np.zeros(len(records_by_matchup[0]), FOUND_DEAL_DTYPE)
    deals["deal"] = records_by_matchup[0]
    deals["other"] = records_by_matchup[-1]
    return deals


# Descriptions of deals


def describe_ending(record: Any, names: Sequence[str]) -> str:
    """Describe how a deal ended, as in `gold knocks with 8 on turn 5`.

    Args:
        record: DEAL record.
        names: Names of the players by side.
    """
    ending = DEAL_RESULTS[record["kind"]]
    turn = f"turn {record['turns']}"
    if ending == "refused":
        return f"{names[1 - record['winner']]} refuses the die on {turn}"
    knocker = int(record["knocker"])
    if knocker < 0 or ending in DRAWN_DEAL_PHRASES:
        return f"{DRAWN_DEAL_PHRASES[ending]} ({turn})"
    knocker_name = names[knocker]
    knock_count = int(record["knock_count"])
    verbs = {"gin": "goes gin", "big_gin": "has big gin", "shot": "shoots"}
    ending_phrase = f"{knocker_name} {verbs.get(ending, f'knocks with {knock_count}')} on {turn}"
    if len(names) == 1:
        return ending_phrase
    opponent_name = names[1 - knocker]
    opponent_count = int(record["defender_count"])
    if ending == "undercut":
        return f"{ending_phrase}, and {opponent_name} undercuts with {opponent_count}"
    points_text = "1 point" if opponent_count == 1 else f"{opponent_count} points"
    return f"{ending_phrase}, and {opponent_name} has {points_text} of deadwood"


def _find_first_difference(
    matchup: Matchup, second_matchup: Matchup, unit: int, half: int
) -> DealRow:
    """Return the columns for the first decision at which two matchups differ."""
    deal_a = trace_deal(matchup, unit, half)
    deal_b = trace_deal(second_matchup, unit, half)
    for decision, second_decision in zip(deal_a.decisions, deal_b.decisions, strict=False):
        if decision.action != second_decision.action:
            label = PHASE_LABELS.get(int(decision.view.phase), f"turn {decision.view.turn}")
            return {
                "place": label,
                "own": _describe_decision(decision),
                "other": _describe_decision(second_decision),
            }
    raise AssertionError("two deals have the same decisions but different results")


def _describe_decision(decision: Decision) -> str:
    """Return the chosen action, or `plays on` if the player declined to end the deal."""
    if decision.slot == "knock" and not decision.action:
        return "plays on"
    return format_decision(decision)


def build_deal_rows(result: FoundDeals) -> list[DealRow]:
    """Return a row for each matching deal, with its location, its result and a command."""
    request = result.request
    matchup = request.matchup
    names = make_short_player_names(matchup)
    rows = []
    for deal in result.deals:
        record = deal["deal"]
        unit, half, deal_number = (int(record[name]) for name in ("unit", "half", "deal"))
        row: DealRow = {
            "variant": matchup.variant.spec,
            "strategy": matchup.a.spec,
            "opponent": matchup.opponent,
            "seed": matchup.seed,
            "unit": unit,
            "half": half,
            "deal": deal_number,
            "ending": DEAL_RESULTS[record["kind"]],
            "turns": int(record["turns"]),
            "points": int(compute_quantity(deal, "points")),
            "happened": describe_ending(record, names),
            "command": matchup.make_replay_command(unit, half, deal_number),
        }
        if request.second_matchup is not None:
            row |= _build_second_strategy_columns(matchup, request.second_matchup, deal["other"])
            row["gain"] = int(compute_quantity(deal, "gain"))
        rows.append(row)
    return rows


def _build_second_strategy_columns(
    matchup: Matchup, second_matchup: Matchup, record: Any
) -> DealRow:
    """Return the columns that show the decision and the result of the second strategy."""
    unit, half = int(record["unit"]), int(record["half"])
    return _find_first_difference(matchup, second_matchup, unit, half) | {
        "rival": second_matchup.a.spec,
        "rival_happened": describe_ending(record, make_short_player_names(second_matchup)),
        "rival_points": int(record["points_a"] - record["points_b"]),
        "rival_command": second_matchup.make_replay_command(unit, half, 0),
    }


# Costliest decisions
#
# Every decision is first analysed in a few worlds. The largest of many rough estimates is biased
# upwards. Therefore, if a decision seems costly, the chosen action and the best action are compared
# again in new worlds.


def _find_costliest_decisions(
    result: FoundDeals,
    deals: Sequence[DealRow],
    budget: AnalysisBudget,
    on_progress: ProgressCallback | None,
) -> list[DealRow]:
    """Return A's costliest decisions with the rows of their deals, in descending order of cost.

    A and B play the rollouts. The limit in the request applies to the number of rows. Decisions
    that cost nothing in the new worlds are omitted.

    Args:
        result: Result of the search.
        deals: Rows of all matching deals.
        budget: Limits of the analyses.
        on_progress: Function that receives the progress and the total.
    """
    screening_budget = replace(budget, max_worlds=SCREENING_WORLDS)
    candidates = _find_costly_candidates(
        result, screening_budget, make_progress_for_part(on_progress, 0, 2)
    )
    candidates = candidates[: result.request.max_listed]
    measurement_budget = replace(budget, max_worlds=N_MEASUREMENT_WORLDS, seed=budget.seed + 1)
    report_progress = make_progress_for_part(on_progress, 1, 2)
    mistakes = []
    for deal_index, analysis in candidates:
        deal_row = deals[deal_index]
        mistakes.append(
            deal_row | _measure_mistake(result, deal_row["command"], analysis, measurement_budget)
        )
        if report_progress is not None:
            report_progress(len(mistakes), len(candidates))
    mistakes.sort(key=lambda mistake: -mistake["cost"])
    return [mistake for mistake in mistakes if mistake["cost"] > 0]


def _find_costly_candidates(
    result: FoundDeals, budget: AnalysisBudget, on_progress: ProgressCallback | None
) -> list[tuple[int, Analysis]]:
    """Return analyses of the decisions that seem costly, each with the index of its deal.

    The decisions are sorted by estimated cost in descending order.
    """
    matchup = result.request.matchup
    decisions: list[tuple[int, Position]] = []
    for deal_index, record in enumerate(result.deals["deal"]):
        trace = trace_deal(matchup, int(record["unit"]), int(record["half"]), int(record["deal"]))
        decisions += [(deal_index, position) for position in iter_positions_of_a(trace)]
    candidates = []
    for n_done, (index, position) in enumerate(decisions, start=1):
        analysis = analyse_position(position, matchup.a.spec, matchup.opponent or None, budget)
        if _estimate_rough_cost(analysis) > 0:
            candidates.append((index, analysis))
        if on_progress is not None:
            on_progress(n_done, len(decisions))
    return sorted(candidates, key=lambda pair: -_estimate_rough_cost(pair[1]))


def _estimate_rough_cost(analysis: Analysis) -> float:
    """Return a decision's cost in the worlds used to select the best action (biased upwards)."""
    return analysis.estimate_cost(analysis.position.chosen_index)[0]


def _measure_mistake(
    result: FoundDeals, command: str, analysis: Analysis, budget: AnalysisBudget
) -> DealRow:
    """Measure the cost of a decision in new worlds, comparing only the chosen and best action."""
    position = analysis.position
    best_action = position.actions[analysis.ranking[0]]
    reduced_position = replace(position, actions=[best_action, position.chosen_action])
    matchup = result.request.matchup
    new_analysis = analyse_without_elimination(
        reduced_position, matchup.a.spec, matchup.opponent or None, budget
    )
    cost = estimate_mean(new_analysis.values[:, 0] - new_analysis.values[:, 1])
    analyze_command = command.replace("simgin show", "simgin analyze", 1)
    return {
        "place": position.label,
        "turn": position.turn,
        "own": position.format_action(position.chosen_action),
        "best": position.format_action(best_action),
        "cost": cost.value,
        "low": cost.low,
        "high": cost.high,
        "by": analysis.measure,
        "analyze": f"{analyze_command} --turn {position.turn}",
    }


# Complete search and its report


def run_find(
    request: FindRequest, workers: int | None = None, on_progress: ProgressCallback | None = None
) -> FoundDeals:
    """Search for deals that match the query, or for the costliest decisions in these deals."""
    result = search_deals(request, workers, on_progress)
    rows = build_deal_rows(result)
    if request.query.selects_costly_decisions:
        budget = AnalysisBudget(seed=request.matchup.seed, workers=workers)
        rows = _find_costliest_decisions(result, rows, budget, on_progress)
    return replace(result, listed_rows=rows)


def _format_result_sentences(result: FoundDeals) -> Iterator[str]:
    """Yield a sentence with the number of matching deals, and a heading for the list."""
    request, rows = result.request, result.listed_rows
    name = request.get_short_name(request.matchup.a.spec)
    yield f"{result.n_matching:,} of {result.n_searched:,} deals meet the condition."
    if not result.n_matching:
        return
    if request.query.selects_costly_decisions and not rows:
        yield "No decision has a measurable cost."
    elif request.query.selects_costly_decisions:
        unit = COST_UNITS[rows[0]["by"]]
        yield f"Costliest decisions of {name} in {unit}, with 95 % confidence intervals:"
    else:
        subject = "The first deal" if len(rows) == 1 else f"The first {len(rows)} deals"
        if result.n_matching <= len(rows):
            subject = "All matching deals"
        points = "net points" if request.second_matchup else f"net points of {name}"
        yield f"{subject}, with the {points}:"

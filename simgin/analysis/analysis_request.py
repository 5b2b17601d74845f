"""Requests for analyses of a position or a deal, and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from simgin.analysis.analysis import (
    Analysis,
    AnalysisBudget,
    analyse_deal,
    analyse_position,
    analyses_to_frame,
)
from simgin.analysis.analysis_report import build_analysis_report, build_deal_table, render_analyses
from simgin.analysis.deal_file import read_deal_file
from simgin.analysis.position import Position, PositionError
from simgin.analysis.position_parts import Die, parse_score_pair
from simgin.analysis.position_text import parse_position
from simgin.analysis.stake_value import is_score_relevant
from simgin.play.replay import trace_numbered_deal
from simgin.play.traced_deal import TracedDeal
from simgin.report.progress import OnProgress
from simgin.report.report import Report
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs.result import Result
from simgin.strategy.cast import find_strong_player
from simgin.text.messages import quote_text

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

    from simgin.play.matchup import Matchup


@dataclass(frozen=True)
class AnalysisRequest:
    """Request to analyse a position or the decisions of a deal.

    Attributes:
        position_or_deal: Position or deal to analyse.
        budget: Limits of the analysis.
        strategy: Strategy that plays the rest of each deal for the player or for side A, or None to
            use A's strategy.
        opponent: Strategy that plays the rest of each deal for the opponent or for side B.
        turn: Turn of the deal, or None to analyse all turns.
        player_names: Names of the players if the deal was read from a file.
        replaced_names: Names of strategies in the file that simgin replaces.
    """

    position_or_deal: Position | TracedDeal
    budget: AnalysisBudget
    strategy: str | None = None
    opponent: str | None = None
    turn: int | None = None
    player_names: Sequence[str] = ()
    replaced_names: Sequence[str] = ()

    @classmethod
    def read(
        cls,
        cards: str,
        pile: str | None,
        variant: str | Variant,
        budget: AnalysisBudget,
        *,
        score: str | tuple[int, int] | None = None,
        dealer: str | None = None,
        stock: int | None = None,
        die: Die,
        strategy: str | None = None,
        opponent: str | None = None,
    ) -> AnalysisRequest:
        """Parse the arguments of a request to analyse a position (see `simgin.analyze`).

        Raises:
            PositionError: If the position is not possible or if the score cannot be used.
        """
        parsed_variant = variants.find_variant(variant)
        pair = parse_score_pair(score) if isinstance(score, str) else score
        options: dict[str, Any] = {"score": pair, "dealer": dealer, "stock": stock, "die": die}
        position = parse_position(cards, pile or "", parsed_variant, **options)
        if position.is_in_match and not is_score_relevant(parsed_variant):
            raise PositionError(
                "the probability of winning the match cannot be computed from a score in "
                f"{parsed_variant.spec}. Omit the score to rank actions by the result of the deal."
            )
        strongest_strategy = find_strong_player(parsed_variant)
        default_opponent = None if parsed_variant.is_solo else strongest_strategy
        return cls(position, budget, strategy or strongest_strategy, opponent or default_opponent)

    @classmethod
    def read_deal(
        cls,
        a: str,
        b: str | None,
        variant: str,
        budget: AnalysisBudget,
        *,
        unit: int = 0,
        half: int = 0,
        deal: int | None = None,
        **options: Any,
    ) -> AnalysisRequest:
        """Parse the arguments of a request to analyse a deal between strategies.

        The seed of the budget determines the deal.

        Raises:
            ReplayError: If the deal was not played.
        """
        return cls(
            trace_numbered_deal(a, b, variant, budget.seed, unit, half, deal), budget, **options
        )

    @classmethod
    def read_file(cls, path: str, budget: AnalysisBudget, **options: Any) -> AnalysisRequest:
        """Parse the arguments of a request to analyse a deal in a file.

        Raises:
            PositionError: If the file does not contain a deal.
        """
        record = read_deal_file(path)
        return cls(
            record.deal,
            budget,
            player_names=record.player_names,
            replaced_names=record.replaced_names,
            **options,
        )

    @property
    def replacement_messages(self) -> list[str]:
        """Sentences about strategies of a recorded deal that simgin replaces in rollouts."""
        if not isinstance(self.position_or_deal, TracedDeal):
            return []
        players = self.position_or_deal.matchup.players
        choices = (("--as", self.strategy), ("--against", self.opponent))
        return [
            _format_replacement(name, player.spec, option)
            for name, player, (option, choice) in zip(
                self.player_names, players, choices, strict=False
            )
            if choice is None and name in self.replaced_names
        ]


def _format_replacement(name: str, substitute: str, option: str) -> str:
    """Return sentences about a strategy of a deal file that another strategy replaces."""
    quoted_name = quote_text(name)
    start = f"{substitute} continues the deal instead of {quoted_name}"
    if ".py" in name.lower():
        return (
            f"{start}, because simgin does not run Python files that a deal file names. To use "
            f"your file, add {option} FILE."
        )
    return (
        f"{start}, because no strategy with this name is available. To use another strategy, add "
        f"{option} STRATEGY."
    )


@dataclass(frozen=True, repr=False)
class AnalysisResult(Result):
    """Analyses of a position, a turn or a whole deal, by label."""

    request: AnalysisRequest
    analyses: Mapping[str, Analysis]

    def __repr__(self) -> str:
        from simgin.report.terminal import render_text

        return render_text(render_analyses(self.analyses, self.is_whole_deal))

    @property
    def is_whole_deal(self) -> bool:
        """True if the result includes all decisions of a deal."""
        return _requests_whole_deal(self.request) and len(self.analyses) > 1

    @property
    def played_matchups(self) -> list[tuple[Matchup, int]]:
        """Matchups of the analysis, each with the number of sampled worlds."""
        matchups = {analysis.matchup.title: analysis.matchup for analysis in self.analyses.values()}
        worlds = next(iter(self.analyses.values())).n_worlds
        return [(matchup, worlds) for matchup in matchups.values()]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the DataFrame of all decisions and actions, keyed by its name."""
        return {"analysis": analyses_to_frame(self.analyses)}

    @property
    def frame(self) -> pd.DataFrame:
        """DataFrame with one row per action, beginning with the action and its cost."""
        frame = super().frame
        first_columns = ["decision", "action", "cost", "low", "high"][len(self.analyses) == 1 :]
        return frame[[*first_columns, *frame.columns.difference(first_columns, sort=False)]]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of the DataFrame as dictionaries for JSON."""
        table = analyses_to_frame(self.analyses)
        rows: list[Any] = table.astype(object).where(table.notna(), None).to_dict("records")
        return rows

    def report(self, command: str) -> Report:
        """Return the report of the analyses."""
        return build_analysis_report(self.analyses, self.is_whole_deal, command)


def run_analysis(
    request: AnalysisRequest, workers: int | None = None, on_progress: OnProgress | None = None
) -> AnalysisResult:
    """Analyse the position or the deal of a request."""
    budget = replace(request.budget, workers=workers)

    def report_progress(
        n_done: int, total: int, get_analyses: Callable[[], Mapping[str, Analysis]]
    ) -> None:
        if on_progress is not None:
            on_progress(
                n_done,
                total,
                lambda: _build_live_table(get_analyses(), _requests_whole_deal(request)),
            )

    position_or_deal, strategies = request.position_or_deal, (request.strategy, request.opponent)
    if isinstance(position_or_deal, TracedDeal):
        analyses = analyse_deal(
            position_or_deal,
            request.turn,
            *strategies,
            budget,
            report_progress,
            player_names=request.player_names,
        )
        return AnalysisResult(request, analyses)
    title = f"{position_or_deal.variant.spec}: your position"

    def report_analysis_progress(
        n_done: int, total: int, get_analysis: Callable[[], Analysis]
    ) -> None:
        report_progress(n_done, total, lambda: {title: get_analysis()})

    strategy, opponent = strategies
    assert strategy is not None, "a position has a strategy that continues"
    return AnalysisResult(
        request,
        {
            title: analyse_position(
                position_or_deal, strategy, opponent, budget, report_analysis_progress
            )
        },
    )


def _requests_whole_deal(request: AnalysisRequest) -> bool:
    """Return True if a request is for all decisions of a deal."""
    return isinstance(request.position_or_deal, TracedDeal) and request.turn is None


def _build_live_table(analyses: Mapping[str, Analysis], is_whole_deal: bool) -> RenderableType:
    """Return a table of interim results, for a whole deal or for the latest position."""
    from rich.console import Group

    *_, title = analyses
    return (
        build_deal_table(analyses)
        if is_whole_deal
        else Group(*render_analyses({title: analyses[title]}, is_whole_deal))
    )

"""Coach in `simgin play`, which gives hints and evaluates past decisions.

Like `simgin grade`, the coach evaluates single deals, regardless of the score in the match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from simgin.analysis import analysis_report
from simgin.analysis.analysis import Analysis, AnalysisBudget, analyse_position
from simgin.analysis.position import Position, find_decisions
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import TracedDeal
from simgin.strategy.cast import find_strong_player

MAX_COACH_WORLDS, MAX_COACH_SECONDS = 1000, 2.0  # limits per decision
MAX_HINT_ACTIONS = (
    4  # maximum number of actions in a hint, in addition to the best ending of the deal
)
OMITTED_HINT_COLUMNS = ("penalty", "deals", "games", "worlds")
NO_DECISION_MESSAGE = "You have not made a decision in this deal yet."


class Coach:
    """Coach that analyses a human player's decisions in the current deal.

    Args:
        matchup: Matchup of the human player and the opponent.
        seat: Seat of the human player.
    """

    def __init__(self, matchup: Matchup, seat: int = 0) -> None:
        self.matchup = matchup
        self.seat = seat
        # The keys are the actions that precede a decision.
        self._analyses: dict[tuple[int, ...], Analysis] = {}

    def format_hint(self, deal: TracedDeal) -> list[str]:
        """Return lines that compare the best actions in the pending or last decision of a deal."""
        if deal.is_truncated:
            analysis = self.analyse_pending_decision(deal)
        else:
            analysis = self._analyse_last_decision(deal)
        if analysis is None:
            return (
                ["There is only one legal action."] if deal.is_truncated else [NO_DECISION_MESSAGE]
            )
        indices = analysis.ranking[:MAX_HINT_ACTIONS]
        if analysis.best_ending_index is not None and analysis.best_ending_index not in indices:
            indices.append(analysis.best_ending_index)
        other_indices = [index for index in analysis.ranking if index not in indices]
        lines = [
            analysis_report.format_analysis_verdict(analysis, is_final=True),
            *_iter_comparison_lines(analysis, analysis.ranking[1], indices),
        ]
        if other_indices:
            min_cost = min(analysis.estimate_cost(index)[0] for index in other_indices)
            lines.append(
                f"The estimated cost of every other action is at least {min_cost:.1f} "
                f"{analysis.unit}."
            )
        return lines

    def explain_last_decision(self, deal: TracedDeal) -> list[str]:
        """Return lines with the cost of the last decision and a comparison with another action."""
        analysis = self._analyse_last_decision(deal)
        if analysis is None:
            return [NO_DECISION_MESSAGE]
        chosen_index, (best_index, second_best_index, *_) = (
            analysis.position.chosen_index,
            analysis.ranking,
        )
        compared_index = second_best_index if chosen_index == best_index else chosen_index
        return [
            _format_comment(analysis),
            *_iter_comparison_lines(analysis, compared_index, [best_index, compared_index]),
        ]

    def format_comments(self, deal: TracedDeal, first_index: int) -> list[str]:
        """Return a comment on each decision from the policy call `first_index` on."""
        positions = self.list_decisions(deal)
        new_positions = [
            position for position in positions if position.policy_call_index >= first_index
        ]
        return [_format_comment(self.analyse(deal, position)) for position in new_positions]

    def format_deal_summary(self, deal: TracedDeal) -> str:
        """Return a line with the number of mistakes in a finished deal.

        The line omits the total cost. The coach selects mistakes by the costs that it estimates, so
        their sum is too high on average. `simgin grade` measures the costs in new worlds.
        """
        positions = [
            position
            for position in self.list_decisions(deal)
            if _list_previous_actions(deal, position) in self._analyses
        ]
        analyses = [self.analyse(deal, position) for position in positions]
        mistakes = [analysis for analysis in analyses if analysis.is_mistake]
        if not mistakes:
            return "Coach: you made no significant mistake in this deal."
        mistake_noun = "1 mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        return f"Coach: you made {mistake_noun} in this deal."

    def clear_analyses(self) -> None:
        """Delete the analyses of the previous deal."""
        self._analyses = {}

    def list_decisions(self, deal: TracedDeal) -> list[Position]:
        """Return the positions of the human player's decisions in a deal."""
        positions = find_decisions(replace(deal, error="", is_truncated=False))
        return [position for position in positions if position.view.seat == self.seat]

    def analyse_pending_decision(self, deal: TracedDeal) -> Analysis | None:
        """Analyse the pending decision, or return None if only one action is legal."""
        position = next(iter(find_decisions(deal)), None)
        if position is None or position.recorded_action is not None:
            return None
        return self.analyse(deal, position)

    def _analyse_last_decision(self, deal: TracedDeal) -> Analysis | None:
        """Analyse the last decision of the human player, or return None if there is none."""
        positions = self.list_decisions(deal)
        return self.analyse(deal, positions[-1]) if positions else None

    def analyse(self, deal: TracedDeal, position: Position) -> Analysis:
        """Analyse a decision, or return its stored analysis."""
        key = _list_previous_actions(deal, position)
        if key not in self._analyses:
            budget = AnalysisBudget(MAX_COACH_WORLDS, MAX_COACH_SECONDS, self.matchup.seed)
            strongest_strategy = find_strong_player(position.variant)
            opponent = None if position.is_solo else self.matchup.players[1 - self.seat].spec
            self._analyses[key] = analyse_position(position, strongest_strategy, opponent, budget)
        return replace(self._analyses[key], position=position)


def _list_previous_actions(deal: TracedDeal, position: Position) -> tuple[int, ...]:
    """Return the actions before a decision, which identify the decision within the deal."""
    return tuple(deal.state.answers[: position.policy_call_index].tolist())


def _format_comment(analysis: Analysis) -> str:
    """Return the coach's comment on a decision of the player."""
    return f"Coach: {analysis_report.describe_choice(analysis)}"


def _iter_comparison_lines(
    analysis: Analysis, action_index: int, shown_indices: Sequence[int]
) -> Iterator[str]:
    """Yield a sentence and a table that compare the best action with another action.

    Args:
        analysis: Analysis of the decision.
        action_index: Index of the action to compare with the best action.
        shown_indices: Indices of the actions in the table, best first.
    """
    yield analysis_report.format_outcome_comparison(analysis, action_index)
    table = analysis_report.build_action_table(analysis)
    indices = [i for i, name in enumerate(table.headings) if name not in OMITTED_HINT_COLUMNS]
    rows = [[str(row[i]) for i in indices] for row in (table.headings, *table.rows)]
    rows = [rows[0], *(rows[1 + analysis.ranking.index(i)] for i in shown_indices)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        yield "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])]).rstrip()

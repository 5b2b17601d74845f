"""Chart kinds, which define the decisions, actions and cells of charts.

A cell represents a combination of features of an action. Cells are numbered row by row. An action
without a cell, such as not knocking, is the baseline for the other actions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from simgin.learn.champion_weights import compile_feature_writer, propose_knock
from simgin.play.rollouts import PairedRollouts
from simgin.strategy import Policy, discard, take
from simgin.toolkit import makes_meld, neighbours, popcount, unmatched_cards
from simgin.toolkit import rank as rank_of

# Policies and feature functions are compiled together, so they have no types for mypy.
# mypy: disable-error-code="no-untyped-def"

# numbers of columns and rows of a knock chart; the last column means turn 12 or later
N_TURN_COLUMNS, MAX_DEADWOOD = 12, 15
RANK_NAMES = tuple("A23456789TJQK")
PARTNER_ROWS = ("none", "one", "two or more")
UPCARD_ROWS = ("makes a meld", "has two or more partners", "has one partner", "has no partner")
SEAT_COLUMNS = ("nondealer", "dealer")
MAX_COMPARED_DISCARDS = 11

CellFunction = Callable[[PairedRollouts, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ChartKind:
    """Kind of chart, which defines the decisions, the compared actions, the rows and the columns.

    Attributes:
        question: Title of the chart.
        gain_source_phrase: Source of the gain, as a phrase after "Gain from".
        decision_phrase: Phrase that describes the decisions in the chart.
        propose_actions: Policy that returns the actions to try (see `simgin.play.rollouts`).
        rows: Names of the rows.
        columns: Names of the columns.
        row_title: Title of the row names.
        column_title: Title of the column names.
        find_cells: Function that returns the cell of each action, or -1 if the action has no cell,
            (n_decisions, n_actions) int64.
        max_actions: Maximum number of actions per decision.
        uses_first_decision: True to use the first decision of each deal, not a random decision.
        baseline_cell: Baseline cell, or None if the baseline is an action without a cell.
        no_win_rate_reason: Reason why the win rate was not measured, as a phrase after "because".
        default_deals: Default number of deals.
    """

    question: str
    gain_source_phrase: str
    decision_phrase: str
    propose_actions: Policy
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_title: str
    column_title: str
    find_cells: CellFunction
    max_actions: int = 2
    uses_first_decision: bool = True
    baseline_cell: int | None = None
    no_win_rate_reason: str = ""
    default_deals: int = 1_000_000

    @property
    def n_cells(self) -> int:
        """Number of cells in a chart of this kind."""
        return len(self.rows) * len(self.columns)


# Actions to try


@take
def propose_upcard_actions(view, rules, params):
    """Propose taking and leaving the first upcard, as a bit mask."""
    return 3 if view.phase == 0 and view.legal & 3 == 3 else 0


@discard
def propose_first_discards(view, rules, params):
    """Propose all unmatched cards as discards in the player's first turn, as a bit mask."""
    return view.legal & unmatched_cards(view.hand, rules) if view.own_turn == 1 else 0


# Assignment of actions to the cells of a chart


def _find_knock_cells(rollouts: PairedRollouts, _rules: np.ndarray) -> np.ndarray:
    """Return the chart cell of knocking, by deadwood and turn, and -1 for continuing."""
    column = np.minimum(rollouts.views["own_turn"], N_TURN_COLUMNS) - 1
    deadwood = rollouts.views["ending_count"] - 1
    cells = np.where(deadwood < MAX_DEADWOOD, deadwood * N_TURN_COLUMNS + column, -1)
    return np.stack([np.full(len(cells), -1), cells], axis=1)


def _find_upcard_cells(rollouts: PairedRollouts, rules: np.ndarray) -> np.ndarray:
    """Return the chart cell of each upcard action: upcard and seat for taking, -1 for leaving."""
    rows = np.zeros(len(rollouts.views), np.int64)
    compile_feature_writer(write_upcard_rows)(rollouts.views, rules, rows)
    seat = (rollouts.views["dealer"] == rollouts.views["seat"]).astype(np.int64)
    return np.stack([np.full(len(rows), -1), rows * len(SEAT_COLUMNS) + seat], axis=1)


def _find_discard_cells(rollouts: PairedRollouts, _rules: np.ndarray) -> np.ndarray:
    """Return the chart cell of each discard, by number of partners and rank."""
    cells = np.full(rollouts.actions.shape, -1)
    compile_feature_writer(write_partner_cells)(rollouts.views, rollouts.actions, cells)
    return cells


def write_upcard_rows(views, rules, rows):
    """Write the chart row of the first upcard at each decision to `rows`, (n_decisions,) int64.

    A row is an index into `UPCARD_ROWS`.
    """
    for i in range(len(views)):
        view = views[i]
        upcard = view.taken_offer
        if makes_meld(view.hand, upcard, rules):
            rows[i] = 0
        else:
            rows[i] = 3 - min(popcount(neighbours(upcard) & view.hand), 2)


def write_partner_cells(views, actions, cells):
    """Write the chart cell of each discard to `cells`, (n_decisions, n_actions).

    The cell depends on the partners and the rank of the discard.
    """
    for i in range(len(views)):
        for k in range(actions.shape[1]):
            card = actions[i, k]
            if card >= 0:
                n_partners = min(popcount(neighbours(card) & views[i].hand), 2)
                cells[i, k] = n_partners * 13 + rank_of(card)


CHART_KINDS: Mapping[str, ChartKind] = {
    "knock": ChartKind(
        "When should you knock?",
        "knocking instead of continuing",
        "all decisions between knocking and continuing (except with gin)",
        propose_knock,
        tuple(str(count) for count in range(1, MAX_DEADWOOD + 1)),
        (*(str(turn) for turn in range(1, N_TURN_COLUMNS)), f"{N_TURN_COLUMNS}+"),
        "deadwood",
        "own turn",
        _find_knock_cells,
        uses_first_decision=False,
        no_win_rate_reason="the score changes during a match",
    ),
    "upcard": ChartKind(
        "When should you take the first upcard?",
        "taking the upcard instead of leaving it",
        "the first upcard (the dealer decides only if the nondealer leaves it)",
        propose_upcard_actions,
        UPCARD_ROWS,
        SEAT_COLUMNS,
        "upcard",
        "seat",
        _find_upcard_cells,
        no_win_rate_reason="the chart covers only the first upcard",
    ),
    "discard": ChartKind(
        "What should you discard first?",
        "discarding a card instead of a king without partners",
        "the first discards",
        propose_first_discards,
        PARTNER_ROWS,
        RANK_NAMES,
        "partners",
        "card",
        _find_discard_cells,
        max_actions=MAX_COMPARED_DISCARDS,
        baseline_cell=12,
        no_win_rate_reason="the chart covers only the first discard",
        default_deals=200_000,
    ),
}

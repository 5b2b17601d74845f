"""Kinds of charts: the decision, the actions that are tried, and the cells of the chart.

A cell stands for the relevant features of an action. Cells are numbered row by row. An action
without a cell, such as playing on, is the baseline of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from simgin.play.rollout import Branches
from simgin.strategy import Policy, discard, take
from simgin.toolkit import loose, makes_meld, near, popcount
from simgin.toolkit import rank as rank_of
from simgin.tune.decisions import try_knock, writer

# Policies and feature functions are compiled together, so mypy sees them untyped.
# mypy: disable-error-code="no-untyped-def"

TURNS, MOST_DEADWOOD = 12, 15  # columns of a knock chart (the last one: 12 or more), and rows
RANKS = tuple("A23456789TJQK")
PARTNERS = ("none", "one", "two or more")
OFFERS = ("makes a meld", "has two or more partners", "has one partner", "has no partner")
SEATS = ("nondealer", "dealer")
ALL = 11

Cells = Callable[[Branches, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Kind:
    """Kind of chart.

    Attributes:
        question: Title of the chart.
        gain: Phrase for the gain that the chart shows.
        decisions: Phrase for the decisions of a deal that the chart covers.
        choose: Policy that returns the actions to try (`simgin.play.rollout`).
        rows: Names of the rows.
        columns: Names of the columns.
        row_title: Title of the row names.
        column_title: Title of the column names.
        find_cells: Function from rollouts and rules to the cell of each action,
            int64 (n_decisions, n_actions), -1 for none.
        max_actions: Maximum number of actions per decision.
        first_only: True to use the first decision of a deal instead of a random one.
        baseline: Cell that is the baseline, if every action has a cell.
        untested_reason: Reason why no strategy can follow the chart alone; empty if one can.
        default_deals: Default number of deals.
    """

    question: str
    gain: str
    decisions: str
    choose: Policy
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_title: str
    column_title: str
    cells: Cells
    most: int = 2
    first_only: bool = True
    base: int | None = None
    unpriced: str = ""
    deals: int = 1_000_000

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.rows) * len(self.columns)


# Actions to try


@take
def try_upcard(view, rules, params):
    """Try to take and to leave the first upcard."""
    return 3 if view.phase == 0 and view.legal & 3 == 3 else 0


@discard
def try_first(view, rules, params):
    """Try every unmatched card on the first own turn."""
    return view.legal & loose(view.hand, rules) if view.own_turn == 1 else 0


# Cells of the actions


def _of_knock(found: Branches, _rules: np.ndarray) -> np.ndarray:
    turn = np.minimum(found.views["own_turn"], TURNS) - 1
    deadwood = found.views["ending_count"] - 1
    cell = np.where(deadwood < MOST_DEADWOOD, deadwood * TURNS + turn, -1)
    return np.stack([np.full(len(cell), -1), cell], axis=1)


def _of_upcard(found: Branches, rules: np.ndarray) -> np.ndarray:
    rows = np.zeros(len(found.views), np.int64)
    writer(describe_offers)(found.views, rules, rows)
    seat = (found.views["dealer"] == found.views["seat"]).astype(np.int64)
    return np.stack([np.full(len(rows), -1), rows * len(SEATS) + seat], axis=1)


def _of_discard(found: Branches, _rules: np.ndarray) -> np.ndarray:
    cells = np.full(found.answers.shape, -1)
    writer(describe_partners)(found.views, found.answers, cells)
    return cells


def describe_offers(views, rules, out):
    """Write the row of each first upcard, an index of `OFFER_ROWS`, to int64 (n_decisions,)."""
    for i in range(len(views)):
        view = views[i]
        card = view.taken_offer
        if makes_meld(view.hand, card, rules):
            out[i] = 0
        else:
            out[i] = 3 - min(popcount(near(card) & view.hand), 2)


def describe_partners(views, answers, out):
    """Write the cell of each discard, from its partners and rank, to (n_decisions, n_actions)."""
    for i in range(len(views)):
        for k in range(answers.shape[1]):
            card = answers[i, k]
            if card >= 0:
                partners = min(popcount(near(card) & views[i].hand), 2)
                out[i, k] = partners * 13 + rank_of(card)


KINDS: Mapping[str, Kind] = {
    "knock": Kind(
        "When should you knock?",
        "knocking over playing on",
        "every decision to knock without gin",
        try_knock,
        tuple(str(count) for count in range(1, MOST_DEADWOOD + 1)),
        (*(str(turn) for turn in range(1, TURNS)), f"{TURNS}+"),
        "deadwood",
        "own turn",
        _of_knock,
        first_only=False,
        unpriced="a match is played at more than one score",
    ),
    "upcard": Kind(
        "When should you take the first upcard?",
        "taking it over leaving it",
        "the first upcard (the dealer's decision only if the nondealer left it)",
        try_upcard,
        OFFERS,
        SEATS,
        "the upcard",
        "your seat",
        _of_upcard,
        unpriced="a player takes more cards in a deal than the first upcard",
    ),
    "discard": Kind(
        "What should you throw first?",
        "throwing it over throwing a king without a partner",
        "the first discard",
        try_first,
        PARTNERS,
        RANKS,
        "partners",
        "card",
        _of_discard,
        most=ALL,
        base=12,
        unpriced="a player throws more cards in a deal than the first",
        deals=200_000,
    ),
}

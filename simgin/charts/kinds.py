"""The kinds of chart: which question is branched, which answers are tried, and their cells.

A cell says what matters of an answer. Cells are numbered row by row; an answer without a cell, such
as playing on, is what the others are compared with. And what charts of each kind say in words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from simgin.findings.verdict import listed
from simgin.play.rollout import Branches
from simgin.plots.answers import WORDS
from simgin.strategy import Policy, discard, take
from simgin.toolkit import loose, makes_meld, near, popcount
from simgin.toolkit import rank as rank_of
from simgin.tune.decisions import try_knock, wait_often, writer

if TYPE_CHECKING:
    from simgin.charts.chart import Chart

# Policies and what describes them are compiled together, so mypy sees them untyped.
# mypy: disable-error-code="no-untyped-def"

TURNS, MOST_DEADWOOD = 12, 15  # of a knock chart; the last column holds the later turns
RANKS = tuple("A23456789TJQK")
PARTNERS = ("none", "one", "two or more")
OFFERS = ("makes a meld", "has two or more partners", "has one partner", "has no partner")
SEATS = ("nondealer", "dealer")
ALL = 11  # answers of a hand
UNCLEAR = "Too close to call, or clear in one seat only:"
LONG = 3  # turns of a stretch that is told
EARLY = 3  # turn by which knocking has to pay for it to be called an early knock

Cells = Callable[[Branches, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Kind:
    """A kind of chart.

    question, gain: for people, what it answers and what its numbers are. choose: the answers tried,
    as a policy (`simgin.play.rollout`). explore: who decides up to the question. cells: the cell
    of every answer, int64 (questions, answers), -1 for none, from branches and rules. base: the
    cell that the others are compared with, where every answer has one. unpriced: why
    no strategy plays by it. deals: branched by default.
    """

    question: str
    gain: str
    choose: Policy
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    row_title: str
    column_title: str
    cells: Cells
    most: int = 2
    explore: Policy | None = None
    base: int | None = None
    unpriced: str = ""
    deals: int = 1_000_000

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.rows) * len(self.columns)


# What is tried


@take
def try_upcard(view, rules, params):
    """To take and to leave the first upcard."""
    return 3 if view.phase == 0 and view.legal & 3 == 3 else 0


@discard
def try_first(view, rules, params):
    """Every unmatched card, on the first own turn."""
    return view.legal & loose(view.hand, rules) if view.own_turn == 1 else 0


# The cells


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
    """Write the row of OFFERS of every first upcard to out, int64 (questions,)."""
    for i in range(len(views)):
        view = views[i]
        card = view.taken_offer
        if makes_meld(view.hand, card, rules):
            out[i] = 0
        else:
            out[i] = 3 - min(popcount(near(card) & view.hand), 2)


def describe_partners(views, answers, out):
    """Write row of PARTNERS and rank of every discard tried, as a cell, (questions, answers)."""
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
        try_knock,
        tuple(str(count) for count in range(1, MOST_DEADWOOD + 1)),
        (*(str(turn) for turn in range(1, TURNS)), f"{TURNS}+"),
        "deadwood",
        "own turn",
        _of_knock,
        explore=wait_often,
        unpriced="a match is played at more than one score",
    ),
    "upcard": Kind(
        "When should you take the first upcard?",
        "taking it over leaving it",
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


# What they say


def knock_lines(chart: Chart) -> Iterator[str]:
    """Up to which turn to knock, and from which to play on, by deadwood."""
    kept = [(name, _turns(signs)) for name, _, signs in chart.met]
    for early, group in groupby(kept, lambda row: row[1][0] is not None):
        names, turns = zip(*group, strict=True)
        span = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        waits = [first for *_, first in turns]
        later = None if None in waits else max(waits)
        parts = []
        if early:
            first, last = max(t[0] for t in turns), min(t[1] for t in turns)
            in_turns = f"your first {last} turns" if first == 1 else f"turns {first} to {last}"
            parts.append(f"knock in {in_turns}")
        if later is not None:
            parts.append(f"from turn {later} on play for gin")
        yield f"With {span} deadwood: {'; '.join(parts) or 'too close to call, or it depends'}."


def _turns(signs: np.ndarray) -> tuple[int | None, int | None, int | None]:
    """First and last turn of an early stretch in which a knock clearly pays, and a turn to wait.

    From that turn on it never clearly pays, and there it clearly costs. None for what is not there.
    """
    pays = np.flatnonzero(signs == 1)
    start = end = None
    if len(pays) and pays[0] < EARLY:
        start = end = int(pays[0])
        while end + 1 < len(signs) and signs[end + 1] == 1:
            end += 1
        if end + 1 - start < LONG:
            start = end = None
    after = pays[-1] + 1 if len(pays) else 0
    costs = np.flatnonzero(signs[after:] == -1)
    wait = int(after + costs[0]) + 1 if len(costs) else None
    return (None, None, wait) if start is None or end is None else (start + 1, end + 1, wait)


def upcard_lines(chart: Chart) -> Iterator[str]:
    """Which upcards to take and which to leave."""
    found: dict[str, list[str]] = {}
    for name, signs in zip(chart.request.of.rows, chart.signs, strict=True):
        word = {(1, 1): "Take", (-1, -1): "Leave"}.get(tuple(signs), UNCLEAR)
        found.setdefault(word, []).append(name)
    for word in ("Take", "Leave", UNCLEAR):
        if word in found:
            *most, last = found[word]
            yield f"{word} an upcard that {' or '.join(filter(None, (', '.join(most), last)))}."


def discard_lines(chart: Chart) -> Iterator[str]:
    """What cards with partners cost more than a lone king, and which lone cards do."""
    kind, signs = chart.request.of, chart.signs
    values = -chart.request.factor * chart.grid("value")
    half = chart.request.factor * (chart.grid("high") - chart.grid("low")) / 2
    unit = WORDS[chart.request.unit]
    dear = [rank for rank, sign in zip(kind.columns, signs[0], strict=True) if sign < 0]
    cheap = [rank for rank, sign in zip(kind.columns, signs[0], strict=True) if sign > 0]
    if dear:
        yield f"Of cards without a partner {listed(dear)} clearly cost more than a king."
    if cheap:
        yield f"Of cards without a partner {listed(cheap)} clearly cost less than a king."
    for name, row, error in zip(kind.rows[1:], values[1:], half[1:], strict=True):
        partners = "one partner" if name == "one" else f"{name} partners"
        ends = f"{np.nanmin(row):.1f} to {np.nanmax(row):.1f} {unit}"
        known = f"each within ± {np.nanmax(error):.1f}"
        yield f"A card with {partners} costs {ends} more than a king with none ({known})."


LINES = {"knock": knock_lines, "upcard": upcard_lines, "discard": discard_lines}

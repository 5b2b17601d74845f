"""Evaluation of a hand for `simgin hand` and `simgin.hand`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simgin.play.hand_analysis import HandAnalysis, analyze_hand, format_melding, hand_to_json
from simgin.report.report import Report
from simgin.report.report_table import Table, make_table_from_rows
from simgin.rules.variants import Variant
from simgin.runs.result import Result
from simgin.stats.table import make_frame
from simgin.text.notation import format_card, format_hand, parse_card, parse_cards

if TYPE_CHECKING:
    import pandas as pd

MAX_LISTED_MELDINGS = 8  # maximum number of listed meldings with the same deadwood
MAX_KNOCK_LIMIT_BY_UPCARD = 10  # highest knock limit that an upcard can set


class HandResult(Result):
    """Result of evaluating a hand: its deadwood, melds and discards.

    Attributes:
        hand: Analysis of the hand, which contains masks and card numbers.
        deadwood: Least deadwood in points. For eleven cards, it is the deadwood before the discard.
        melds: Melds that leave the least deadwood, such as "5S 6S 7S".
        discards: Deadwood in points after each discard, or an empty dictionary for ten cards.
        best_discards: Discards that leave the least deadwood.
    """

    def __init__(self, hand: HandAnalysis) -> None:
        self.hand = hand
        row = hand_to_json(hand)
        self.deadwood: int = row["deadwood"]
        self.melds: list[str] = row["melding"]
        self.discards: dict[str, int] = row["discards"]
        self.best_discards: list[str] = row["best_discards"]

    @property
    def played_matchups(self) -> list[Any]:
        """Empty list, because the evaluation of a hand plays no matchup."""
        return []

    @property
    def identity(self) -> dict[str, Any]:
        """Entries of `manifest.json` that identify the result, which includes no played deals."""
        variant = self.hand.variant
        return {
            "seed": 0,
            "unit": "deal",
            "matchups": [],
            "variants": {variant.spec: dict(variant.params)},
        }

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return a DataFrame with one row per discard, or a single row for a hand of ten cards."""
        deadwood = self.hand.deadwood_by_discard or {-1: self.deadwood}
        return {
            "hand": make_frame(
                {
                    "discard": format_card(card) if card >= 0 else None,
                    "deadwood": points,
                    "endings": _format_endings(self.hand, card, points),
                }
                for card, points in deadwood.items()
            )
        }

    def records(self) -> list[dict[str, Any]]:
        """Return the analysis of the hand as one JSON object."""
        return [hand_to_json(self.hand)]

    def report(self, command: str) -> Report:
        """Return the report of the hand."""
        return _build_hand_report(self.hand, command)


def evaluate_hand(
    variant: Variant, cards: str, upcard: str | None, score: int | None
) -> HandResult:
    """Evaluate a hand of ten or eleven cards (see `analyze_hand`).

    Raises:
        CardError: If a card is not valid.
        HandError: If the number of cards is wrong, or if `upcard` or `score` is given but the
            variant has no upcard or no shots, respectively.
    """
    first_upcard = None if upcard is None else parse_card(upcard)
    return HandResult(analyze_hand(variant, parse_cards(cards), upcard=first_upcard, score=score))


def _build_hand_report(hand: HandAnalysis, command: str) -> Report:
    """Return a report on a hand's endings, its deadwood and, with eleven cards, every discard."""
    unmatched = format_hand(hand.cards & ~sum(hand.shown_melding))
    other_meldings = [
        format_melding(melding) for melding in hand.best_meldings if melding != hand.shown_melding
    ]
    if len(other_meldings) > MAX_LISTED_MELDINGS:
        other_meldings[MAX_LISTED_MELDINGS:] = [f"{len(other_meldings) - MAX_LISTED_MELDINGS} more"]
    facts = {
        "Deadwood": f"{hand.deadwood} ({unmatched})" if unmatched else str(hand.deadwood),
        "Melds": format_melding(hand.shown_melding)
        + " (of eleven cards)" * bool(hand.deadwood_by_discard),
        "Same deadwood": "; ".join(other_meldings),
        "Knock limit": _format_knock_limit(hand),
        "Shot": _format_shot_ranks(hand),
    }
    return Report(
        f"{format_hand(hand.cards)}, {hand.variant.spec}",
        [_format_advice(hand), *(f"{name}: {text}" for name, text in facts.items() if text)],
        tables=[_build_discard_table(hand)] if hand.deadwood_by_discard else [],
        command=command,
    )


def _format_advice(hand: HandAnalysis) -> str:
    """Return a sentence about the possible endings or, with eleven cards, the best discards."""
    if not hand.deadwood_by_discard:
        endings = _format_endings(hand, -1, hand.deadwood)
        if endings and hand.variant.params["stop_before_draw"] is False:
            endings += " (not before the first draw)"
        return f"{_format_endings_heading(hand).capitalize()}: {endings or 'no'}"
    if any(ending.name == "big gin" for ending in hand.endings):
        return "Big gin: all eleven cards are in melds, so you need not discard"
    best_discards = " or ".join(map(format_card, hand.best_discards))
    min_deadwood = hand.deadwood_by_discard[hand.best_discards[0]]
    return f"Best discard: {best_discards} (remaining deadwood: {min_deadwood})"


def _format_knock_limit(hand: HandAnalysis) -> str:
    """Format the knock limit of a hand."""
    if hand.knock_limit is None:
        return "set by the first upcard, which is not given"
    return str(hand.knock_limit) if hand.knock_limit else "0 (gin only)"


def _format_shot_ranks(hand: HandAnalysis) -> str:
    """Describe the deadwood that a shot must leave, or return "" if the variant has no shots."""
    if not hand.variant.params["shot"]:
        return ""
    if hand.required_shot_ranks is None:
        return "depends on your score (use --score)"
    if not hand.required_shot_ranks:
        return "none at this score"
    ranks = ["A" if rank == 1 else str(rank) for rank in hand.required_shot_ranks]
    return f"must leave {' and '.join(ranks)}"


def _format_endings_heading(hand: HandAnalysis) -> str:
    """Return the column heading for the endings that exist in a variant."""
    params = hand.variant.params
    if params["players"] == 2:
        return "may end"
    return "ends" if params["deal_scoring"] == "penalty" else "may stop"


def _format_endings(hand: HandAnalysis, discard: int, deadwood: int) -> str:
    """Format the possible endings after a discard (-1 for no discard)."""
    endings = [ending.text for ending in hand.endings if ending.discard == discard]
    if hand.knock_limit is None and 0 < deadwood <= MAX_KNOCK_LIMIT_BY_UPCARD:
        endings.append(f"knock if the limit is {deadwood} or more")
    return " or ".join(endings)


def _build_discard_table(hand: HandAnalysis) -> Table:
    """Return a table with the remaining deadwood and the possible endings for each discard."""
    preposition = "after" if hand.variant.is_solo else "with"
    headings = ("discard", "leaves", f"{_format_endings_heading(hand)} {preposition} it")
    note = ""
    if hand.variant.params["take_to_knock"] == "melded":
        note = "\nYou can end the deal only if the card taken from the discard pile is in a meld."
    rows = [
        (format_card(card), str(deadwood), _format_endings(hand, card, deadwood))
        for card, deadwood in hand.deadwood_by_discard.items()
    ]
    return make_table_from_rows("Discards", headings, rows, note)

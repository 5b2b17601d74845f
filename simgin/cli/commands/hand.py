"""`simgin hand`: deadwood, melds and best discards of ten or eleven cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from simgin.cli.options import json_option, variant_option
from simgin.cli.output import Answer, repeated
from simgin.report.table import Table, listed
from simgin.text.notation import card_text, hand_text, parse_card, parse_cards

if TYPE_CHECKING:
    from simgin.play.hand import HandAnalysis
    from simgin.report.report import Report

MAX_LISTED = 8  # other meldings with the same deadwood
HIGHEST_LIMIT = 10  # highest knock limit that an upcard can set


@click.command()
@click.argument("cards", nargs=-1, required=True)
@variant_option
@click.option(
    "--upcard",
    metavar="CARD",
    help="First upcard, where it sets the knock limit (oklahoma, tedesco).",
)
@click.option(
    "--score",
    type=int,
    metavar="N",
    help="Your score before the deal, which a shot must spell (shot).",
)
@json_option
def hand(
    cards: tuple[str, ...], variant: str, upcard: str | None, score: int | None, as_json: bool
) -> None:
    """Evaluate a hand: deadwood, melds, best discards.

    Ten cards: least deadwood, the melds, and whether the hand may knock. Eleven cards: the
    deadwood after each discard.

    A card is a rank (A23456789TJQK, 10 for T) and a suit (S H D C, or its symbol):

    \b
      simgin hand 5S 6S 7S 9H 9D 9C KS QD 2C AH
      simgin hand "5S 6S 7S 9H 9D 9C KS QD 2C AH 8S" -v oklahoma --upcard 4D
    """
    from simgin.play.hand import analyse, row
    from simgin.rules import variants

    evaluated = analyse(
        variants.find(variant),
        parse_cards(" ".join(cards)),
        upcard=None if upcard is None else parse_card(upcard),
        score=score,
    )
    command = repeated(cards=[hand_text(evaluated.cards)], variant=evaluated.variant.text)
    Answer(command, [row(evaluated)]).show(as_json, [*_report(evaluated).screen(), ""])


def _report(hand: HandAnalysis) -> Report:
    """Return the report of a hand: options, deadwood and, of eleven cards, every discard."""
    from simgin.play.hand import melding_text
    from simgin.report.report import Report

    loose = hand_text(hand.cards & ~sum(hand.melding))
    others = [melding_text(melding) for melding in hand.meldings if melding != hand.melding]
    if len(others) > MAX_LISTED:
        others[MAX_LISTED:] = [f"{len(others) - MAX_LISTED} more"]
    facts = {
        "Deadwood": f"{hand.deadwood} ({loose})" if loose else str(hand.deadwood),
        "Melds": melding_text(hand.melding) + " (of all eleven)" * bool(hand.leaves),
        "As good": "; ".join(others),
        "Knock limit": _limit_text(hand),
        "Shot": _shot_text(hand),
    }
    return Report(
        f"{hand_text(hand.cards)}, {hand.variant.text}",
        [_advice(hand), *(f"{name}: {text}" for name, text in facts.items() if text)],
        tables=[_discards(hand)] if hand.leaves else [],
    )


def _advice(hand: HandAnalysis) -> str:
    """Return how ten cards may end the deal, or the best discards of eleven."""
    if not hand.leaves:
        ways = _ways(hand, -1, hand.deadwood)
        if ways and hand.variant.row["stop_before_draw"] is False:
            ways += " (not before the first draw)"
        return f"{_heading(hand).capitalize()}: {ways or 'no'}"
    if any(ending.how == "big gin" for ending in hand.endings):
        return "Big gin: all eleven cards are melded, and no discard is needed"
    best = " or ".join(map(card_text, hand.best))
    return f"Least deadwood: discard {best}, which leaves {hand.leaves[hand.best[0]]}"


def _limit_text(hand: HandAnalysis) -> str:
    if hand.limit is None:
        return "set by the first upcard; give it with --upcard"
    return str(hand.limit) if hand.limit else "0 (gin only)"


def _shot_text(hand: HandAnalysis) -> str:
    """Return the deadwood that a shot must leave, or an empty string if the rules have no shots."""
    if not hand.variant.row["shot"]:
        return ""
    if hand.demanded is None:
        return "depends on your score; give it with --score"
    if not hand.demanded:
        return "none at this score"
    ranks = ["A" if rank == 1 else str(rank) for rank in hand.demanded]
    return f"must leave {' and '.join(ranks)}"


def _heading(hand: HandAnalysis) -> str:
    """Return the column head of endings: to end the deal, or to stop in a solitaire game."""
    params = hand.variant.row
    if params["players"] == 2:
        return "may end"
    return "ends" if params["deal_scoring"] == "penalty" else "may stop"


def _ways(hand: HandAnalysis, discard: int, deadwood: int) -> str:
    """Yield the ways in which the deal may end with a discard, or without one (-1)."""
    ways = [ending.text for ending in hand.endings if ending.discard == discard]
    if hand.limit is None and 0 < deadwood <= HIGHEST_LIMIT:
        ways.append(f"knock if the limit is {deadwood} or more")
    return " or ".join(ways)


def _discards(hand: HandAnalysis) -> Table:
    """Return a row for each of eleven discards: deadwood left, and possible endings."""
    preposition = "with" if hand.variant.row["players"] == 2 else "after"
    headings = ("discard", "leaves", f"{_heading(hand)} {preposition} it")
    note = ""
    if hand.variant.row["take_to_knock"] == "melded":
        note = "\nA card just taken from the discard pile must be in a meld to end the deal."
    rows = [
        (card_text(card), str(left), _ways(hand, card, left)) for card, left in hand.leaves.items()
    ]
    return listed("Discards", headings, rows, note)

"""`simgin hand`: deadwood, melds and best discards of a hand of ten or eleven cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from simgin.cli.options import json_only_option, variant_option
from simgin.cli.output import CommandResult, repeat_command
from simgin.report.report_table import Table, table_from_rows
from simgin.text.notation import format_card, format_hand, parse_card, parse_cards

if TYPE_CHECKING:
    from simgin.play.hand_analysis import HandAnalysis
    from simgin.report.report import Report

MAX_LISTED = 8  # maximum number of listed meldings with the same deadwood
HIGHEST_LIMIT = 10  # highest knock limit that an upcard can set


@click.command("hand")
@click.argument("cards", nargs=-1, required=True)
@variant_option
@click.option(
    "--upcard",
    metavar="CARD",
    help="First upcard, for variants in which it sets the knock limit (oklahoma, tedesco).",
)
@click.option(
    "--score", type=int, metavar="N", help="Your score before the deal, for the variant shot."
)
@json_only_option
def hand_command(
    cards: tuple[str, ...], variant: str, upcard: str | None, score: int | None, as_json: bool
) -> None:
    """Evaluate a hand: deadwood, melds and best discards.

    For ten cards, simgin prints the deadwood, the melds and whether you can knock. For eleven
    cards, it also prints the deadwood after each discard.

    Write a card as a rank (A23456789TJQK, or 10 for T) and a suit (S H D C, or its symbol):

    \b
      simgin hand 5S 6S 7S 9H 9D 9C KS QD 2C AH
      simgin hand "5S 6S 7S 9H 9D 9C KS QD 2C AH 8S" -v oklahoma --upcard 4D
    """
    from simgin.play.hand_analysis import analyze_hand, hand_to_json
    from simgin.rules import variants

    evaluated = analyze_hand(
        variants.find_variant(variant),
        parse_cards(" ".join(cards)),
        upcard=None if upcard is None else parse_card(upcard),
        score=score,
    )
    command = repeat_command(cards=[format_hand(evaluated.cards)], variant=evaluated.variant.spec)
    CommandResult(command, [hand_to_json(evaluated)]).print(
        as_json, [*_report(evaluated).to_renderables(), ""]
    )


def _report(hand: HandAnalysis) -> Report:
    """Return a report on a hand's endings, its deadwood and, with eleven cards, every discard."""
    from simgin.play.hand_analysis import format_melding
    from simgin.report.report import Report

    unmatched = format_hand(hand.cards & ~sum(hand.melding))
    other_meldings = [
        format_melding(melding) for melding in hand.meldings if melding != hand.melding
    ]
    if len(other_meldings) > MAX_LISTED:
        other_meldings[MAX_LISTED:] = [f"{len(other_meldings) - MAX_LISTED} more"]
    facts = {
        "Deadwood": f"{hand.deadwood} ({unmatched})" if unmatched else str(hand.deadwood),
        "Melds": format_melding(hand.melding)
        + " (of eleven cards)" * bool(hand.deadwood_by_discard),
        "Same deadwood": "; ".join(other_meldings),
        "Knock limit": _limit_text(hand),
        "Shot": _shot_text(hand),
    }
    return Report(
        f"{format_hand(hand.cards)}, {hand.variant.spec}",
        [_advice(hand), *(f"{name}: {text}" for name, text in facts.items() if text)],
        tables=[_discards(hand)] if hand.deadwood_by_discard else [],
    )


def _advice(hand: HandAnalysis) -> str:
    """Return the possible endings with ten cards, or the best discards from eleven cards."""
    if not hand.deadwood_by_discard:
        endings = _ending_text(hand, -1, hand.deadwood)
        if endings and hand.variant.params["stop_before_draw"] is False:
            endings += " (not before the first draw)"
        return f"{_heading(hand).capitalize()}: {endings or 'no'}"
    if any(ending.kind == "big gin" for ending in hand.endings):
        return "Big gin: all eleven cards are in melds, so you need not discard"
    best = " or ".join(map(format_card, hand.best_cards))
    least = hand.deadwood_by_discard[hand.best_cards[0]]
    return f"Best discard: {best}, which leaves deadwood {least}"


def _limit_text(hand: HandAnalysis) -> str:
    if hand.knock_limit is None:
        return "set by the first upcard (use --upcard)"
    return str(hand.knock_limit) if hand.knock_limit else "0 (gin only)"


def _shot_text(hand: HandAnalysis) -> str:
    """Return, as text, the deadwood that a shot must leave, or "" if the variant has no shots."""
    if not hand.variant.params["shot"]:
        return ""
    if hand.shot_ranks is None:
        return "depends on your score (use --score)"
    if not hand.shot_ranks:
        return "none at this score"
    ranks = ["A" if rank == 1 else str(rank) for rank in hand.shot_ranks]
    return f"must leave {' and '.join(ranks)}"


def _heading(hand: HandAnalysis) -> str:
    """Return the column heading for the endings that exist in a variant."""
    params = hand.variant.params
    if params["players"] == 2:
        return "may end"
    return "ends" if params["deal_scoring"] == "penalty" else "may stop"


def _ending_text(hand: HandAnalysis, discard: int, deadwood: int) -> str:
    """Return, as text, the possible endings after a discard (-1: no discard)."""
    endings = [ending.text for ending in hand.endings if ending.discard == discard]
    if hand.knock_limit is None and 0 < deadwood <= HIGHEST_LIMIT:
        endings.append(f"knock if the limit is {deadwood} or more")
    return " or ".join(endings)


def _discards(hand: HandAnalysis) -> Table:
    """Return a table with the remaining deadwood and the possible endings for each discard."""
    preposition = "with" if hand.variant.params["players"] == 2 else "after"
    headings = ("discard", "leaves", f"{_heading(hand)} {preposition} it")
    note = ""
    if hand.variant.params["take_to_knock"] == "melded":
        note = "\nA card that you took from the discard pile must be in a meld to end the deal."
    rows = [
        (format_card(card), str(deadwood), _ending_text(hand, card, deadwood))
        for card, deadwood in hand.deadwood_by_discard.items()
    ]
    return table_from_rows("Discards", headings, rows, note)

"""`simgin hand`: deadwood, melds and best discards of a hand of ten or eleven cards."""

from __future__ import annotations

import click

from simgin.cli.options import json_only_option, variant_option
from simgin.cli.output import CommandResult, format_repeat_command


@click.command("hand")
@click.argument("cards", nargs=-1, required=True)
@variant_option
@click.option(
    "--upcard",
    metavar="CARD",
    help="First upcard, which sets the knock limit in oklahoma and tedesco.",
)
@click.option(
    "--score", type=int, metavar="N", help="Your score before the deal, for the rule `shot`."
)
@json_only_option
def hand_command(
    cards: tuple[str, ...], variant: str, upcard: str | None, score: int | None, as_json: bool
) -> None:
    """Evaluate a hand: deadwood, melds and best discards.

    For ten cards, simgin prints the deadwood, the melds and whether you can knock. For eleven
    cards, simgin also prints the deadwood after each discard.

    Write a card as a rank (A23456789TJQK, or 10 for T) and a suit (S H D C, or its symbol):

    \b
      simgin hand 5S 6S 7S 9H 9D 9C KS QD 2C AH
      simgin hand "5S 6S 7S 9H 9D 9C KS QD 2C AH 8S" -v oklahoma --upcard 4D
    """
    from simgin.analysis.hand_result import evaluate_hand
    from simgin.rules import variants
    from simgin.text.notation import format_hand

    result = evaluate_hand(variants.find_variant(variant), " ".join(cards), upcard, score)
    hand = result.hand
    command = format_repeat_command(cards=[format_hand(hand.cards)], variant=hand.variant.spec)
    report = result.report(command)
    CommandResult(command, result.records()).print(as_json, [*report.to_renderables(), ""])

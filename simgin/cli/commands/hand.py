"""`simgin hand`: deadwood, melds and best discards of ten or eleven cards."""

from __future__ import annotations

import click

from simgin.cli.options import json_option, variant_option
from simgin.cli.output import Answer, repeated


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
    from simgin.play.evaluation import analyse, lines, row
    from simgin.rules import variants
    from simgin.text import notation

    evaluated = analyse(
        variants.find(variant),
        notation.parse_cards(" ".join(cards)),
        upcard=None if upcard is None else notation.parse_card(upcard),
        score=score,
    )
    command = repeated(cards=[notation.hand_text(evaluated.cards)], variant=evaluated.variant.text)
    Answer(command, [row(evaluated)]).show(as_json, [*lines(evaluated), ""])

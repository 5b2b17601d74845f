"""`simgin hand`: what ten or eleven cards are worth."""

from __future__ import annotations

import click

from simgin.cli.output import Answer, command_line, json_option


@click.command()
@click.argument("cards", nargs=-1, required=True)
@click.option(
    "-v",
    "--variant",
    default="standard",
    show_default=True,
    help="The game, like oklahoma or standard+knock_limit=5.",
)
@click.option(
    "--upcard",
    metavar="CARD",
    help="The first upcard, where the knock limit hangs on it (oklahoma, tedesco).",
)
@click.option(
    "--score",
    type=int,
    metavar="N",
    help="Your points before the deal, which a shot spells (shot).",
)
@json_option
def hand(
    cards: tuple[str, ...], variant: str, upcard: str | None, score: int | None, as_json: bool
) -> None:
    """Deadwood, meldings and legal endings of ten cards; with eleven, what each discard leaves. For two players or one.

    A card is a rank A23456789TJQK and a suit S H D C:

    \b
      simgin hand 5S 6S 7S 9H 9D 9C KS QD 2C AH
      simgin hand "5S 6S 7S 9H 9D 9C KS QD 2C AH 8S" -v oklahoma --upcard 4D
    """
    from simgin.play import hand as hands
    from simgin.rules import variants
    from simgin.text import notation

    dealt = notation.cards(" ".join(cards))
    said = hands.say(
        variants.find(variant),
        dealt,
        upcard=None if upcard is None else notation.card(upcard),
        score=score,
    )
    more = [
        *(() if upcard is None else ("--upcard", upcard)),
        *(() if score is None else ("--score", score)),
    ]
    command = command_line("hand", notation.show(said.cards), "-v", said.variant.text, *more)
    Answer(command, [hands.row(said)]).give(as_json, [*hands.lines(said), ""])

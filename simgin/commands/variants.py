"""`simgin variants`: what games there are, and what one is made of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from simgin import variants as games
from simgin.commands.answer import Answer, command_line, grid, json_option
from simgin.commands.named import Named
from simgin.played import missing, not_played
from simgin.variants import Parameter, Variant

if TYPE_CHECKING:
    from rich.table import Table

MARK = "*"  # after the name of a game that this version does not play
SECTIONS = {"deal": "The deal", "meld": "Melds and values", "score": "Scoring", "match": "The match", "stake": "The die and stakes"}


@click.command("variants")
@click.argument("name", required=False)
@json_option
def _variants(name: str | None, as_json: bool) -> None:
    """List the games, or show one: what differs from standard, and every rule in words.

    Games are composed with plus signs, and the later part wins:

    \b
      simgin variants oklahoma
      simgin variants oklahoma+rainbow+gin_bonus=20
    """
    if name is None:
        _list(as_json)
    else:
        _show(games.find(name), as_json)


variants = Named(_variants)


def _list(as_json: bool) -> None:
    every = [games.find(name) for name in games.names()]
    rows = [{"name": one.text, "title": one.title, "about": one.about, "played": not missing(one.row)} for one in every]
    Answer(command_line("variants"), rows).give(as_json, _list_parts(every))


def _list_parts(every: list[Variant]) -> Iterator[Any]:
    out = grid("Games", "name", "game")
    out.columns[0].no_wrap = True
    for one in every:
        out.add_row(one.text + (MARK if missing(one.row) else ""), f"{one.title}. {one.about}")
    yield out
    yield ""
    if any(missing(one.row) for one in every):
        yield f"{MARK} not played by this version yet; `simgin variants NAME` says why."
    yield "One with all its rules: simgin variants NAME. Any rule can be changed: standard+gin_bonus=10."


def _show(variant: Variant, as_json: bool) -> None:
    base = games.find("standard")
    rows = [_row(parameter, variant, base) for parameter in games.parameters().values()]
    Answer(command_line("variants", variant.text), rows).give(as_json, _show_parts(variant, base))


def _show_parts(variant: Variant, base: Variant) -> Iterator[Any]:
    yield f"{variant.text}: {variant.title}"
    yield variant.about
    if sentence := not_played(variant.text, variant.row):
        yield sentence
    changed = [name for name, _, _ in games.difference(base, variant)]
    if changed:
        yield _differences(variant, base, changed)
    else:
        yield "\nNothing differs from standard."
    for section, group in groupby(games.parameters().values(), key=lambda parameter: parameter.section):
        yield _section(SECTIONS.get(section, section), list(group), variant)
    yield "\nA dash or brackets: no effect in this game."


def _differences(variant: Variant, base: Variant, changed: list[str]) -> Table:
    out = grid("Differs from standard", "rule", "here", "standard")
    for name in changed:
        parameter = games.parameters()[name]
        out.add_row(name, _text(parameter, variant), _text(parameter, base))
    return out


def _section(title: str, parameters: list[Parameter], variant: Variant) -> Table:
    out = grid(title, "rule", "value", "meaning")
    out.columns[0].no_wrap, out.columns[1].max_width = True, 22
    for parameter in parameters:
        out.add_row(parameter.name, _text(parameter, variant), parameter.words)
    return out


def _text(parameter: Parameter, variant: Variant) -> str:
    """The value of a parameter, in brackets where it has no effect."""
    value = variant.row[parameter.name]
    text = parameter.write(value)
    return text if value is None or parameter.acts(variant.row) else f"({text})"


def _row(parameter: Parameter, variant: Variant, base: Variant) -> dict[str, Any]:
    return {
        "variant": variant.text,
        "parameter": parameter.name,
        "section": parameter.section,
        "value": variant.row[parameter.name],
        "text": parameter.write(variant.row[parameter.name]),
        "acts": parameter.acts(variant.row),
        "standard": parameter.write(base.row[parameter.name]),
        "may_be": parameter.span(),
        "meaning": parameter.words,
    }

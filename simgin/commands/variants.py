"""`simgin variants`: what games there are, and what one is made of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from simgin import variants as games
from simgin.commands.answer import Answer, command_line, grid, json_option
from simgin.commands.named import Named
from simgin.variants import Parameter, Variant, value_text

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
      simgin variants oklahoma+rainbow+knock_limit=5
    """
    if name is None:
        _list(as_json)
    else:
        _show(games.find(name), as_json)


variants = Named(_variants)


def _list(as_json: bool) -> None:
    every = [games.find(name) for name in games.names()]
    rows = [{"name": one.text, "title": one.title, "about": one.about, "played": not _missing(one)} for one in every]
    Answer(command_line("variants"), rows).give(as_json, _list_parts(every))


def _list_parts(every: list[Variant]) -> Iterator[Any]:
    out = grid("Games", "name", "game")
    out.columns[0].no_wrap = True
    for one in every:
        out.add_row(one.text + (MARK if _missing(one) else ""), f"{one.title}. {one.about}")
    yield out
    yield ""
    if any(_missing(one) for one in every):
        yield f"{MARK} not played by this version yet; `simgin variants NAME` says why."
    yield "One with all its rules: simgin variants NAME. Any rule can be changed: standard+gin_bonus=10."


def _show(variant: Variant, as_json: bool) -> None:
    base = games.find("standard")
    rows = [_row(parameter, variant, base) for parameter in games.parameters().values()]
    Answer(command_line("variants", variant.text), rows).give(as_json, _show_parts(variant, base))


def _show_parts(variant: Variant, base: Variant) -> Iterator[Any]:
    yield f"{variant.text}: {variant.title}"
    yield variant.about
    yield from _missing(variant)
    changed = [name for name, _, _ in games.difference(base, variant)]
    if changed:
        yield _differences(variant, base, changed)
    else:
        yield "\nNothing differs from standard."
    for section, group in groupby(games.parameters().values(), key=lambda parameter: parameter.section):
        yield _section(SECTIONS.get(section, section), list(group), variant)
    yield "\nA dash: no effect in this game."


def _differences(variant: Variant, base: Variant, changed: list[str]) -> Table:
    out = grid("Differs from standard", "rule", "here", "standard")
    for name in changed:
        parameter = games.parameters()[name]
        out.add_row(name, parameter.write(variant.row[name]), parameter.write(base.row[name]))
    return out


def _section(title: str, parameters: list[Parameter], variant: Variant) -> Table:
    out = grid(title, "rule", "value", "meaning")
    out.columns[0].no_wrap, out.columns[1].max_width = True, 22
    for parameter in parameters:
        out.add_row(parameter.name, parameter.write(variant.row[parameter.name]), parameter.meaning)
    return out


def _row(parameter: Parameter, variant: Variant, base: Variant) -> dict[str, Any]:
    return {
        "variant": variant.text,
        "parameter": parameter.name,
        "section": parameter.section,
        "value": variant.row[parameter.name],
        "text": parameter.write(variant.row[parameter.name]),
        "standard": value_text(base.row[parameter.name]),
        "may_be": parameter.span(),
        "meaning": parameter.meaning,
    }


def _missing(variant: Variant) -> list[str]:
    """Why this version does not play a variant; nothing if it does."""
    from simgin import rules

    return rules.not_played(variant.row)

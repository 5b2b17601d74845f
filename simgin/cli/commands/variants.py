"""`simgin variants`: what games there are, and what one is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.groups import Named
from simgin.cli.output import Answer, command_line, grid, json_option
from simgin.rules import variants as games
from simgin.rules.variants import Parameter, Variant, VariantError

if TYPE_CHECKING:
    from rich.table import Table

SECTIONS = {
    "deal": "The deal",
    "meld": "Melds and values",
    "score": "Scoring",
    "match": "The match",
    "stake": "The die and stakes",
}


@click.command("variants")
@click.argument("name", required=False)
@json_option
def _variants(name: str | None, as_json: bool) -> None:
    """List the games, or show one: what differs from standard, and every rule in words.

    Games are composed with plus signs, and the later part wins:

    \b
      simgin variants oklahoma
      simgin variants oklahoma+rainbow+gin_bonus=20

    Games of your own are in a TOML file, and have a name wherever a game is asked for:

    \b
      simgin variants mine.toml               those in a file
      simgin variants mine.toml#club          one of them
      simgin match gold -v mine.toml#club

    Subcommands, each with a --help of its own:

    \b
      simgin variants diff A B                where two games differ
      simgin variants new mine.toml           begin a file
      simgin variants check mine.toml         what is wrong with a file
    """
    if name is None:
        _list(command_line("variants"), [games.find(one) for one in games.names()], as_json)
    elif name.endswith(".toml") and "+" not in name:
        _list(command_line("variants", name), _all_of(name), as_json)
    else:
        _show(games.find(name), as_json)


variants = Named(_variants)


@variants.command("diff")
@click.argument("a")
@click.argument("b")
@json_option
def _diff(a: str, b: str, as_json: bool) -> None:
    """Where the games A and B differ, rule by rule.

    \b
      simgin variants diff standard oklahoma
      simgin variants diff oklahoma+rainbow mine.toml#club
    """
    one, other = games.find(a), games.find(b)
    rows = [
        _changed(games.parameters()[name], one, other)
        for name, _, _ in games.difference(one, other)
    ]
    Answer(command_line("variants", "diff", one.text, other.text), rows).give(
        as_json, _diff_parts(one, other)
    )


@variants.command("check")
@click.argument("file", metavar="FILE.toml")
@json_option
@click.pass_context
def _check(ctx: click.Context, file: str, as_json: bool) -> None:
    """Say of every game in a file what is wrong with it, or that it is sound.

    Exit code 0: all are sound; 1: some are not; 2: the file cannot be read.
    """
    rows = [_verdict(text, found) for text, found in games.of_file(file).items()]
    Answer(command_line("variants", "check", file), rows).give(as_json, _check_parts(rows))
    ctx.exit(0 if all(row["ok"] for row in rows) else 1)


@variants.command("new")
@click.argument("file", metavar="FILE.toml")
@click.option(
    "--from",
    "start",
    default="standard",
    show_default=True,
    metavar="GAME",
    help="What to start from, like oklahoma+rainbow.",
)
@json_option
def _new(file: str, start: str, as_json: bool) -> None:
    """Begin a file of games of your own, with every rule in a comment. Nothing is overwritten.

    \b
      simgin variants new mine.toml --from oklahoma+rainbow
    """
    from simgin.rules import template, user_files
    from simgin.text.files import create_file

    if sentence := user_files.path_fault(file):
        raise VariantError([sentence])
    found = games.find(start)
    create_file(Path(file), template.variant_file(file, found))
    begun = games.find(f"{file}#{template.variant_name(file)}")
    row = {"variant": begun.text, "from": found.text}
    answer = Answer(
        command_line("variants", "new", file, "--from", found.text), [row], files=[Path(file)]
    )
    answer.give(as_json, _next_steps(file, begun))


def _list(command: str, every: Sequence[Variant], as_json: bool) -> None:
    rows = [
        {"name": one.text, "title": one.title, "about": one.about, "players": one.row["players"]}
        for one in every
    ]
    Answer(command, rows).give(as_json, _list_parts(every))


def _all_of(file: str) -> list[Variant]:
    """The games of a file; VariantError with everything that is wrong with any of them."""
    found = games.of_file(file)
    sentences = [
        sentence if sentence.startswith(f"{file}: ") else f"{text}: {sentence}"
        for text, error in found.items()
        if isinstance(error, VariantError)
        for sentence in error.sentences
    ]
    if sentences:
        raise VariantError(sentences)
    return [one for one in found.values() if isinstance(one, Variant)]


def _list_parts(every: Sequence[Variant]) -> Iterator[Any]:
    out = grid("Games", "name", "game")
    out.columns[0].no_wrap = True
    for one in every:
        out.add_row(one.text, f"{one.title}. {one.about}")
    yield out
    yield ""
    yield "One with all its rules: simgin variants NAME. Any rule can be changed: standard+gin_bonus=10."
    yield "Games of your own: simgin variants new mine.toml."


def _show(variant: Variant, as_json: bool) -> None:
    base = games.find("standard")
    rows = [_row(parameter, variant, base) for parameter in games.parameters().values()]
    Answer(command_line("variants", variant.text), rows).give(as_json, _show_parts(variant, base))


def _show_parts(variant: Variant, base: Variant) -> Iterator[Any]:
    yield f"{variant.text}: {variant.title}"
    yield variant.about
    changed = [name for name, _, _ in games.difference(base, variant)]
    if changed:
        yield _differences(variant, base, changed)
    else:
        yield "\nNothing differs from standard."
    for section, group in groupby(
        games.parameters().values(), key=lambda parameter: parameter.section
    ):
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


def _diff_parts(one: Variant, other: Variant) -> Iterator[Any]:
    changed = [games.parameters()[name] for name, _, _ in games.difference(one, other)]
    if not changed:
        yield f"{one.text} and {other.text} are the same game."
        return
    out = grid(f"{one.text} (A) and {other.text} (B)", "rule", "A", "B", "meaning")
    out.columns[0].no_wrap = True
    for parameter in changed:
        out.add_row(parameter.name, _text(parameter, one), _text(parameter, other), parameter.words)
    yield out
    if not any(_counts(parameter, one) or _counts(parameter, other) for parameter in changed):
        yield "\nThey are the same game: nothing of this has an effect."
    yield "\nA dash or brackets: no effect in this game."


def _counts(parameter: Parameter, variant: Variant) -> bool:
    return parameter.status != "descriptive" and parameter.acts(variant.row)


def _verdict(text: str, found: Variant | VariantError) -> dict[str, Any]:
    """What `check` says of one game."""
    sentences = found.sentences if isinstance(found, VariantError) else []
    return {"variant": text, "ok": not sentences, "sentences": sentences}


def _check_parts(rows: list[dict[str, Any]]) -> Iterator[Any]:
    from rich.padding import Padding

    for row in rows:
        yield f"{row['variant']}: {'ok' if row['ok'] else 'failed'}"
        yield from (Padding(sentence, (0, 0, 0, 4)) for sentence in row["sentences"])
    yield ""


def _next_steps(file: str, begun: Variant) -> Iterator[str]:
    yield f"{begun.text} is a game now; change its rules in {file}. Then:"
    yield f"  {command_line('variants', 'check', file)}"
    yield f"  {command_line('variants', 'diff', 'standard', begun.text)}"
    yield f"  {command_line('match', 'gold', '-v', begun.text)}"
    yield ""


def _text(parameter: Parameter, variant: Variant) -> str:
    """The value of a parameter, in brackets where it has no effect."""
    value = variant.row[parameter.name]
    text = parameter.write(value)
    return text if value is None or parameter.acts(variant.row) else f"({text})"


def _changed(parameter: Parameter, one: Variant, other: Variant) -> dict[str, Any]:
    a, b = one.row[parameter.name], other.row[parameter.name]
    return {
        "parameter": parameter.name,
        "section": parameter.section,
        "a": a,
        "b": b,
        "text_a": parameter.write(a),
        "text_b": parameter.write(b),
        "acts_a": parameter.acts(one.row),
        "acts_b": parameter.acts(other.row),
        "meaning": parameter.words,
    }


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

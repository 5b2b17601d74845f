"""Completion in the shell: commands, options, strategies and variants, without the engine.

`_SIMGIN_COMPLETE=bash_source simgin` prints what bash needs; zsh_source and fish_source likewise.
click completes what a command declares, but the commands take half a second to load. So each has a
stand-in, made from completion.toml, which docs/make.py writes from the commands themselves.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click
from click.shell_completion import BashComplete, CompletionItem, ZshComplete, add_completion_class

from simgin.cli.groups import NameOrSubcommand
from simgin.text import examples

FILE = Path(__file__).with_name("completion.toml")
STAKE = {"stake": "offer"}  # `+stake=` takes what `+offer=` does
Values = Mapping[str, Mapping[str, list[str]]]  # name -> parameter -> its words, if it has any


@cache
def table() -> dict[str, Any]:
    """The commands with their parameters; strategies, policies, variants and their parameters."""
    text = FILE.read_text(encoding="utf-8")
    return tomllib.loads(text)


# Commands


def stand_in(name: str) -> click.Command:
    """A command that declares what the real one does, and can do nothing but be completed."""
    commands = table()["commands"]
    start = f"{name} "
    inner = [command for command in commands if command.startswith(start)]
    subcommands = [command.removeprefix(start) for command in inner]
    default = _command(name, commands[name], subcommands)
    if not inner:
        return default
    group = NameOrSubcommand(default)
    for subcommand in subcommands:
        about = commands[start + subcommand]
        command = _command(subcommand, about, [])
        group.add_command(command)
    return group


def _command(name: str, about: Mapping[str, Any], subcommands: list[str]) -> click.Command:
    """A command from its part of the table. Its first argument may also be a subcommand."""
    params: list[click.Parameter] = []
    for row in about["parameters"]:
        names = row["names"]
        if names[0].startswith("-"):
            is_flag = row.get("flag", False)
            option = click.Option(names, is_flag=is_flag, help=row["help"])
            _give_values(option, row, [])
            params.append(option)
        else:
            nargs = row.get("nargs", 1)
            argument = click.Argument(names, nargs=nargs, required=False)
            _give_values(argument, row, subcommands)
            params.append(argument)
            subcommands = []
    return click.Command(name, params=params, help=about["help"])


def _give_values(parameter: click.Parameter, row: Mapping[str, Any], others: list[str]) -> None:
    """Have a parameter completed with the values that the table names, or with other words."""
    values = row.get("values", "")
    if values in COMPLETED:
        complete = COMPLETED[values]
        parameter._custom_shell_complete = lambda _context, _parameter, incomplete: [
            *_starting_with(incomplete, others),
            *complete(incomplete),
        ]
    elif values == "file":
        parameter.type = click.Path()
    elif values == "directory":
        parameter.type = click.Path(file_okay=False)
    elif "words" in row:
        words = row["words"]
        parameter.type = click.Choice(words)


def _starting_with(incomplete: str, words: Iterator[str] | list[str]) -> list[CompletionItem]:
    items = []
    for word in words:
        if word.startswith(incomplete):
            items.append(CompletionItem(word))
    return items


# Strategies and variants


def strategies(incomplete: str) -> list[CompletionItem]:
    """Names, files, slots and parameters that continue the text of a strategy."""
    if _is_path(incomplete):
        return [CompletionItem(incomplete, type="file")]
    words = list(_strategy_words(incomplete))
    if "+" not in incomplete:
        words += _files("*.py")
    return _starting_with(incomplete, words)


def _strategy_words(text: str) -> Iterator[str]:
    """What may stand where the last part of a strategy's text stands: `gold+knock=at:k=4`."""
    named = table()["strategies"]
    head, plus, part = text.rpartition("+")
    if not plus:
        yield from _names_with_values(named, part)
        return
    policies = table()["policies"]
    slot, equals, policy = part.partition("=")
    if not equals:
        for known in [*policies, *STAKE]:
            yield f"{head}+{known}="
        return
    in_slot = policies.get(STAKE.get(slot, slot), {})
    for word in _names_with_values({**in_slot, **named}, policy):
        yield f"{head}+{slot}={word}"


def _names_with_values(named: Values, text: str) -> Iterator[str]:
    """Names; after a colon the parameters of one, and after `=` the words of a parameter."""
    name, colon, settings = text.partition(":")
    if not colon:
        yield from named
        return
    parameters = named.get(name, {})
    before, comma, setting = settings.rpartition(",")
    parameter, equals, _ = setting.partition("=")
    for known in parameters:
        start = f"{name}:{before}{comma}{known}="
        if not equals:
            yield start
        elif known == parameter:
            yield from (start + word for word in parameters[known])


def variants(incomplete: str) -> list[CompletionItem]:
    """Names, files and rules that continue the text of a variant: `oklahoma+big_gin=yes`."""
    if _is_path(incomplete):
        return [CompletionItem(incomplete, type="file")]
    head, plus, part = incomplete.rpartition("+")
    rules = table()["rules"]
    rule, equals, _ = part.partition("=")
    words = [*table()["variants"]]
    if plus:
        words += [f"{name}=" for name in rules]
    else:
        words += _files("*.toml")
    if equals:
        values = rules.get(rule, [])
        words = [f"{rule}={value}" for value in values]
    whole = [head + plus + word for word in words]
    return _starting_with(incomplete, whole)


def experiments(incomplete: str) -> list[CompletionItem]:
    """Files, and the names of simgin's own experiments."""
    if _is_path(incomplete):
        return [CompletionItem(incomplete, type="file")]
    words = [*examples.experiments(), *_files("*.toml")]
    return _starting_with(incomplete, words)


def _is_path(text: str) -> bool:
    return text.startswith((".", "~")) or os.sep in text


def _files(pattern: str) -> list[str]:
    """The files of the current directory that match."""
    here = Path()
    names = [path.name for path in here.glob(pattern)]
    return sorted(names)


COMPLETED: dict[str, Callable[[str], list[CompletionItem]]] = {
    "strategy": strategies,
    "variant": variants,
    "experiment": experiments,
}


# bash


class _Bash(BashComplete):
    """bash, which breaks words at `=` and `:` before it asks."""

    # After `knock=` no blank, because a policy follows.
    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)",
        "COMPREPLY+=($value); [[ $value == *= ]] && compopt -o nospace 2>/dev/null",
    )
    _before = ""  # of the word that is completed, what bash takes for other words

    def get_completion_args(self) -> tuple[list[str], str]:
        """The complete words and the one that is completed, put together again."""
        before, last = super().get_completion_args()
        words: list[str] = []
        glued = False
        for word in [*before, last]:
            is_break = bool(word) and not word.strip("=:")
            if words and (is_break or glued):
                words[-1] += word
            else:
                words.append(word)
            glued = is_break
        whole = words.pop()
        self._before = whole if glued else whole.removesuffix(last)
        return words, whole

    def format_completion(self, item: CompletionItem) -> str:
        """A line for bash, with the part of the word that it completes."""
        value = item.value.removeprefix(self._before)
        return f"{item.type},{value}"


add_completion_class(_Bash)


# zsh


class _Zsh(ZshComplete):
    """zsh; after `knock=` no blank, because a policy follows."""

    source_template = ZshComplete.source_template.replace(
        'completions+=("$key")',
        'if [[ $key == *= ]]; then compadd -S "" -U -- "$key"; else completions+=("$key"); fi',
    )


add_completion_class(_Zsh)

"""The table of commands, strategies and variants that shells complete from."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import click

from simgin.cli.completion import FILE
from simgin.cli.main import COMMANDS, cli
from simgin.rules import variants
from simgin.strategy import SLOTS, Param, loader

from .commands import subcommands

# Command -> parameters that name a strategy, or a variant
STRATEGIES = {
    "match": ("a", "b"),
    "show": ("a", "b"),
    "find": ("a", "b", "against"),
    "odds": ("strategies",),
    "tune": ("strategy", "against"),
    "train": ("strategy", "against"),
    "strategies": ("name",),
    "strategies check": ("strategy",),
}
VARIANTS = {
    "match": ("variant",),
    "show": ("variant",),
    "find": ("variant",),
    "hand": ("variant",),
    "odds": ("variants",),
    "tune": ("variant",),
    "train": ("variant",),
    "review": ("variants", "against"),
    "variants": ("name",),
    "variants diff": ("a", "b"),
    "variants new": ("start",),
    "strategies check": ("variant_texts",),
}
TARGET = FILE


def table() -> str:
    """The table as TOML."""
    lines = ["# Written by docs/make.py from the commands, the strategies and the variants.\n"]
    for name, command in _commands():
        lines.append(f"[commands.{_text(name)}]\nhelp = {_text(COMMANDS.get(name, ''))}")
        rows = [f"  {_inline(_row(name, parameter))},\n" for parameter in command.params]
        lines.append(f"parameters = [\n{''.join(rows)}]\n")
    lines.append("[strategies]")
    for name in loader.built_in():
        policies = loader.find(name).policies
        items = [item for policy in policies for item in policy.params.items()]
        lines.append(f"{name} = {_parameters(items)}")
    for slot in SLOTS:
        lines.append(f"\n[policies.{slot}]")
        in_slot = [policy for policy in loader.policies() if policy.slot == slot]
        lines += [f"{policy.name} = {_parameters(policy.params.items())}" for policy in in_slot]
    lines.append("\n[variants]")
    lines += [f"{name} = {_text(variants.find(name).title)}" for name in variants.names()]
    lines.append("\n[rules]")
    for rule in variants.parameters().values():
        words = rule.values().split(", ") if rule.kind in ("bool", "choice") else []
        lines.append(f"{rule.name} = {json.dumps(words)}")
    return "\n".join(lines) + "\n"


def _commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its words: `variants`, `variants diff`."""
    for name, command in subcommands(cli):
        yield name, getattr(command, "default", command)
        if isinstance(command, click.Group):
            for inner, subcommand in subcommands(command):
                yield f"{name} {inner}", subcommand


def _row(command: str, parameter: click.Parameter) -> dict[str, Any]:
    row: dict[str, Any] = {"names": [*parameter.opts, *parameter.secondary_opts]}
    if isinstance(parameter, click.Option):
        row["help"] = (parameter.help or "").split(". ")[0].rstrip(".")
        if parameter.is_flag:
            row["flag"] = True
    if parameter.nargs != 1:
        row["nargs"] = parameter.nargs
    if isinstance(parameter.type, click.Choice):
        row["words"] = list(parameter.type.choices)
    if values := _values(command, parameter):
        row["values"] = values
    return row


def _values(command: str, parameter: click.Parameter) -> str:
    if parameter.name in STRATEGIES.get(command, ()):
        return "strategy"
    if parameter.name in VARIANTS.get(command, ()):
        return "variant"
    if parameter.metavar == "EXPERIMENT":
        return "experiment"
    if isinstance(parameter.type, click.Path):
        return "directory" if parameter.metavar in ("DIR", "[DIR]") else "file"
    return "file" if parameter.name == "file" else ""


def _parameters(items: Iterable[tuple[str, Param]]) -> str:
    """Parameters with their words, of those that are words."""
    found = {}
    for name, param in items:
        found[name] = ["yes", "no"] if param.kind == "bool" else list(param.words)
    return _inline(found)


def _inline(values: dict[str, Any]) -> str:
    """A table of TOML on one line."""
    items = []
    for key, value in values.items():
        items.append(f"{key} = {json.dumps(value, ensure_ascii=False)}")
    return f"{{ {', '.join(items)} }}" if items else "{}"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)

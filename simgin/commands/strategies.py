"""`simgin strategies`: who can play, and what a strategy is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin import loader
from simgin.commands.answer import Answer, command_line, grid, json_option
from simgin.commands.named import Named
from simgin.strategy import SLOTS, Param, Policy, Strategy, written

if TYPE_CHECKING:
    from rich.table import Table

ENDINGS = {
    "best": "the best ending is proposed first, then a discard is chosen",
    "same": "a discard is chosen first, and the deal can end with that card only (EAAI order)",
}


@click.command("strategies")
@click.argument("name", required=False)
@json_option
def _strategies(name: str | None, as_json: bool) -> None:
    """List strategies and policies, or show one: its policies, their parameters, its file.

    A strategy is a policy for each slot: when to take the card on offer, what to discard, when to knock. Any of them can be exchanged:

    \b
      simgin strategies gold-early
      simgin strategies gold+knock=at:k=4+discard=hits
      simgin strategies mine.py
    """
    if name is None:
        _list(as_json)
    else:
        _show(loader.find(name), as_json)


strategies = Named(_strategies)


def _list(as_json: bool) -> None:
    every = [loader.find(name) for name in loader.names()]
    rows: list[dict[str, Any]] = [
        {"kind": "strategy", "name": one.name, "slot": None, "about": _idea(one.about), "parameters": []} for one in every
    ]
    rows += [
        {"kind": "policy", "name": one.name, "slot": one.slot, "about": one.about, "parameters": _parameters(one)}
        for one in loader.policies()
    ]
    Answer(command_line("strategies"), rows).give(as_json, _list_parts(every))


def _list_parts(every: list[Strategy]) -> Iterator[Any]:
    out = grid("Strategies", "name", "idea")
    for one in every:
        out.add_row(one.name, _idea(one.about))
    yield out
    for slot in SLOTS:
        own = [policy for policy in loader.policies() if policy.slot == slot]
        if own:
            yield _policies(slot, own)
    yield "\nOne with its parameters: simgin strategies NAME. Another policy in a slot: gold+knock=at:k=4."


def _policies(slot: str, policies: list[Policy]) -> Table:
    out = grid(f"Policies for +{slot}=", "name", "what it does")
    for policy in policies:
        parameters = ", ".join(f"{name}={written(one, one.default)}" for name, one in policy.params.items())
        out.add_row(policy.name, policy.about + (f" [{parameters}]" if parameters else ""))
    return out


def _show(strategy: Strategy, as_json: bool) -> None:
    own = [policy for slot in SLOTS if (policy := strategy.policy(slot)) is not None]
    digest = loader.digest(strategy)
    rows = [
        {"strategy": strategy.text, "digest": digest, "ending": strategy.ending, "slot": policy.slot, "policy": text}
        | {"about": policy.about, "file": str(policy.source), "parameters": _parameters(policy)}
        for policy, (_, text) in zip(own, loader.described(strategy), strict=True)
    ]
    Answer(command_line("strategies", strategy.text), rows).give(as_json, _show_parts(strategy, own, digest))


def _show_parts(strategy: Strategy, own: list[Policy], digest: str) -> Iterator[Any]:
    yield strategy.text
    yield _paragraphs(strategy.about)
    out = grid("Policies", "slot", "policy", "what it does")
    for policy, (slot, text) in zip(own, loader.described(strategy), strict=True):
        out.add_row(slot, text, policy.about)
    yield out
    if any(policy.params for policy in own):
        yield _parameter_table(own)
    yield f"\nEnding: {strategy.ending}: {ENDINGS[strategy.ending]}."
    yield "Files:  " + "\n        ".join(_near(path) for path in loader.files(strategy))
    yield f"Digest: {digest}"


def _parameter_table(own: list[Policy]) -> Table:
    out = grid("Parameters", "parameter", "value", "may be", "meaning")
    for policy in own:
        for name, one in policy.params.items():
            out.add_row(f"{policy.slot}: {name}", written(one, one.default), _span(one), one.about)
    return out


def _parameters(policy: Policy) -> list[dict[str, Any]]:
    return [
        {"name": name, "kind": one.kind, "value": written(one, one.default), "may_be": _span(one), "about": one.about}
        for name, one in policy.params.items()
    ]


def _span(parameter: Param) -> str:
    """What a parameter may be."""
    if parameter.kind == "choice":
        return ", ".join(parameter.words)
    if parameter.kind == "bool":
        return "yes, no"
    return f"{parameter.low:g}..{parameter.high:g}" + (" (whole)" if parameter.kind == "integer" else "")


def _near(path: Path) -> str:
    """A path, from here if it lies below."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _idea(about: str) -> str:
    """First sentence of a description."""
    first = re.split(r"(?<=[.!?])\s", " ".join(about.split()), maxsplit=1)[0]
    return first if len(first) > len("A b.") else " ".join(about.split())


def _paragraphs(about: str) -> str:
    """A docstring's text with its lines joined."""
    return "\n\n".join(" ".join(part.split()) for part in about.split("\n\n"))

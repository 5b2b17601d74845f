"""`simgin strategies`: who can play, and what a strategy is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.groups import Named
from simgin.cli.output import Answer, command_line, grid, json_option
from simgin.cli.session import explained_wait
from simgin.rules import variants
from simgin.strategy import catalogue, compiler, loader
from simgin.strategy.author import SLOTS, Param, Policy, Strategy, written

if TYPE_CHECKING:
    from rich.table import Table

    from simgin.checks.contract import Finding

ENDINGS = {
    "best": "the best ending is proposed first, then a discard is chosen",
    "same": "a discard is chosen first, and the deal can end with that card only (EAAI order)",
}

TIERS = {
    "slow": "Slow: runs in Python, some hundred times slower than compiled code.",
    "refused": "Refused: cannot be played; `simgin strategies check` says why.",
}


@click.command("strategies")
@click.argument("name", required=False)
@json_option
def _strategies(name: str | None, as_json: bool) -> None:
    """List strategies and policies, or show one: its policies, their parameters, its file.

    `simgin strategies new FILE` writes one to begin with, `simgin strategies check X` puts one to the test.

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


@strategies.command("check")
@click.argument("strategy", metavar="X")
@click.option(
    "-v",
    "--variant",
    "variants_",
    multiple=True,
    metavar="VARIANT",
    help="Only in this game; again for more. Default: all.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=10.0,
    show_default=True,
    help="Time to answer one question.",
)
@json_option
def _check(strategy: str, variants_: tuple[str, ...], seconds: float, as_json: bool) -> int:
    """Put a strategy to the contract test: legal answers, in time, from its view alone, nothing written.

    Positions from random play of every game are put to it in a process of its own with every index checked, several times over; then it
    plays deals. Exits with 1 if a check fails.
    """
    from simgin.checks import contract

    games = [variants.find(text) for text in variants_] or contract.games()
    with explained_wait(
        "checking; this takes some ten seconds, and a minute the first time, when code is compiled once more for it."
    ):
        found = contract.check([strategy], games, seconds)
    unread = next(
        (one.sentence for one in found if one.check == "read" and one.passed is False), None
    )
    if unread:
        raise loader.StrategyError(unread)
    words = [word for game in games for word in ("-v", game.text)] if variants_ else []
    rows = [
        {
            "strategy": one.strategy,
            "check": one.check,
            "passed": one.passed,
            "sentence": one.sentence,
        }
        for one in found
    ]
    Answer(command_line("strategies", "check", strategy, *words), rows).give(
        as_json, _check_parts(found)
    )
    return int(any(one.passed is False for one in found))


def _check_parts(found: list[Finding]) -> Iterator[Any]:
    from simgin.checks.contract import CHECKS

    out = grid(found[0].strategy, "check", "", "what it asks")
    for one in found:
        out.add_row(
            one.check,
            {True: "passed", False: "FAILED", None: "not reached"}[one.passed],
            one.sentence or CHECKS[one.check],
        )
    yield out


@strategies.command("new")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("name", required=False)
def _new(file: Path, name: str | None) -> None:
    """Write a strategy to begin with, in a FILE that does not exist yet. NAME: what it is called; default: as the file."""
    from simgin.strategy import template
    from simgin.text.files import create_file

    create_file(file, template.strategy_file(file, name))
    click.echo(f"Written: {file}")
    click.echo(f"Play it:   {command_line('match', file)}")
    click.echo(f"Test it:   {command_line('strategies', 'check', file)}")
    click.echo(f"Watch it:  {command_line('show', file, 'gold', '--unit', 3)}")


def _list(as_json: bool) -> None:
    every = catalogue.ordered([loader.find(name) for name in loader.names()])
    rows: list[dict[str, Any]] = [
        {
            "kind": "strategy",
            "name": one.name,
            "slot": None,
            "tier": _tier(one),
            "about": catalogue.idea(one),
            "source": one.source,
        }
        | {"parameters": [], **catalogue.known(one.name)}
        for one in every
    ]
    rows += [
        {
            "kind": "policy",
            "name": one.name,
            "slot": one.slot,
            "tier": compiler.tier(one),
            "about": one.about,
            "parameters": _parameters(one),
        }
        for one in loader.policies()
    ]
    Answer(command_line("strategies"), rows).give(as_json, _list_parts(every))


def _list_parts(every: list[Strategy]) -> Iterator[Any]:
    yield from _catalogue(
        "Strategies for two players, strongest first",
        [one for one in every if not catalogue.alone(one.name)],
    )
    yield catalogue.READING
    yield from _catalogue(
        "Strategies for games alone", [one for one in every if catalogue.alone(one.name)]
    )
    for slot in SLOTS:
        own = [policy for policy in loader.policies() if policy.slot == slot]
        if own:
            yield _policies(slot, own)
    yield "\nOne with its parameters: simgin strategies NAME. Another policy in a slot: gold+knock=at:k=4."


def _catalogue(title: str, every: list[Strategy]) -> Iterator[Any]:
    """A heading, and of each strategy a line with its figures, its idea and its source."""
    from rich.padding import Padding
    from rich.text import Text

    yield Text(f"\n{title}", style="bold")
    longest = max(len(one.name) for one in every)
    for one in every:
        figures = ", ".join(filter(None, (catalogue.strength(one.name), _speed(one))))
        yield Text(f"\n{one.name:<{longest}}  {figures}", style="bold")
        yield Padding(Text(catalogue.idea(one)), (0, 0, 0, 2))
        if one.source:
            yield Padding(Text(one.source, style="dim"), (0, 0, 0, 2))


def _speed(strategy: Strategy) -> str:
    """How fast a strategy plays: as measured; of one that was not, whether it runs in Python or cannot be played."""
    tier = _tier(strategy)
    return catalogue.speed(strategy.name) or ("" if tier == "fast" else tier)


def _policies(slot: str, policies: list[Policy]) -> Table:
    out = grid(f"Policies for +{slot}=", "name", "what it does")
    for policy in policies:
        parameters = ", ".join(
            f"{name}={written(one, one.default)}" for name, one in policy.params.items()
        )
        out.add_row(policy.name, policy.about + (f" [{parameters}]" if parameters else ""))
    return out


def _show(strategy: Strategy, as_json: bool) -> None:
    own = [policy for slot in SLOTS if (policy := strategy.policy(slot)) is not None]
    digest = loader.digest(strategy)
    rows = [
        {
            "strategy": strategy.text,
            "digest": digest,
            "ending": strategy.ending,
            "slot": policy.slot,
            "policy": text,
        }
        | {
            "tier": compiler.tier(policy),
            "about": policy.about,
            "file": str(policy.source),
            "parameters": _parameters(policy),
        }
        for policy, (_, text) in zip(own, loader.described(strategy), strict=True)
    ]
    Answer(command_line("strategies", strategy.text), rows).give(
        as_json, _show_parts(strategy, own, digest)
    )


def _show_parts(strategy: Strategy, own: list[Policy], digest: str) -> Iterator[Any]:
    yield strategy.text
    yield _paragraphs(strategy.about)
    if f"Source: {strategy.source}" not in _paragraphs(strategy.about) and strategy.source:
        yield f"Source: {strategy.source}"
    out = grid("Policies", "slot", "policy", "tier", "what it does")
    for policy, (slot, text) in zip(own, loader.described(strategy), strict=True):
        out.add_row(slot, text, compiler.tier(policy), policy.about)
    yield out
    if any(policy.params for policy in own):
        yield _parameter_table(own)
    yield from (
        f"\n{about}"
        for tier, about in TIERS.items()
        if tier in [compiler.tier(policy) for policy in own]
    )
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
        {
            "name": name,
            "kind": one.kind,
            "value": written(one, one.default),
            "may_be": _span(one),
            "about": one.about,
        }
        for name, one in policy.params.items()
    ]


def _span(parameter: Param) -> str:
    """What a parameter may be."""
    if parameter.kind == "choice":
        return ", ".join(parameter.words)
    if parameter.kind == "bool":
        return "yes, no"
    return f"{parameter.low:g}..{parameter.high:g}" + (
        " (whole)" if parameter.kind == "integer" else ""
    )


def _near(path: Path) -> str:
    """A path, from here if it lies below."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _tier(strategy: Strategy) -> str:
    """The slowest tier of a strategy's policies."""
    found = {
        compiler.tier(policy) for slot in SLOTS if (policy := strategy.policy(slot)) is not None
    }
    return next(tier for tier in ("refused", "slow", "fast") if tier in found)


def _paragraphs(about: str) -> str:
    """A docstring's text with its lines joined."""
    return "\n\n".join(" ".join(part.split()) for part in about.split("\n\n"))

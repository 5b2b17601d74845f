"""`simgin strategies`: who can play, and what a strategy is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.groups import NameOrSubcommand
from simgin.cli.options import json_option
from simgin.cli.output import Answer, can_print, command_line, grid
from simgin.rules import variants
from simgin.strategy import catalogue, loader
from simgin.strategy.author import SLOTS, Param, Policy, Strategy
from simgin.strategy.text_form import StrategyError

if TYPE_CHECKING:
    from rich.table import Table

    from simgin.checks.contract import Finding

ENDINGS = {
    "best": "the best way to end the deal is proposed first; a discard is chosen only if declined",
    "same": "a discard is chosen first, and the deal can end with that card only (EAAI order)",
}
TIERS = {
    "slow": "Slow: runs in Python, some hundred times slower than compiled code.",
    "refused": "Refused: cannot be played; `simgin strategies check` says why.",
}
NEXT = (
    "\nOne with its parameters: simgin strategies NAME. To replace a policy: gold+knock=at:k=4.\n"
    "Only names: --short. A part of the list: --players, --slot, --search."
)
NOTHING = "Nothing has this word in its description. All of them: simgin strategies."
SLOWEST_FIRST = ("refused", "slow", "fast")
PASSED = {True: "✓", False: "✗", None: "–"}  # noqa: RUF001
PASSED_IN_ASCII = {True: "ok", False: "FAIL", None: "-"}
CHECKING = "checking; this takes about ten seconds, and a minute the first time, to compile."


_NAMES = options.Named(lambda: [*strategies.commands, *catalogue.names()], ".py")


@click.command("strategies")
@click.argument("name", required=False, type=_NAMES)
@click.option(
    "--players",
    type=click.IntRange(1, 2),
    metavar="1/2",
    help="Only strategies for so many players.",
)
@click.option(
    "--slot",
    type=click.Choice(SLOTS),
    metavar="SLOT",
    help="Only the policies for one slot: take, discard, knock, offer, answer or show.",
)
@click.option("--search", metavar="WORD", help="Only what has this word in its description.")
@click.option("--short", is_flag=True, help="Print only names, one a line.")
@json_option
def _strategies(
    name: str | None,
    players: int | None,
    slot: str | None,
    search: str | None,
    short: bool,
    as_json: bool,
) -> None:
    """List all strategies and policies, or show one with its parameters and files.

    A strategy has one policy per slot: when to take the offered card, what to discard, when to
    knock. Any of them can be replaced:

    \b
      simgin strategies gold-early
      simgin strategies gold+knock=at:k=4+discard=hits
      simgin strategies mine.py

    The list can be narrowed:

    \b
      simgin strategies --short --players 1
      simgin strategies --slot knock
      simgin strategies --search undercut

    Subcommands, each with its own --help:

    \b
      simgin strategies new mine.py           create a file to start from
      simgin strategies check mine.py         test that it plays by the rules
    """
    if name is not None:
        if players or slot or search or short:
            raise click.UsageError("--players, --slot, --search and --short go without a NAME.")
        _show(loader.find(name), as_json)
        return
    if players and slot:
        raise click.UsageError("--players narrows the strategies, --slot the policies: give one.")
    selection = _Selection(players, slot, search)
    if short and not as_json:
        for line in selection.names():
            click.echo(line)
    else:
        _list(selection, as_json)


strategies: NameOrSubcommand = NameOrSubcommand(_strategies)


@strategies.command("check")
@click.argument("strategy", type=options.STRATEGY)
@click.option(
    "-v",
    "--variant",
    "variant_texts",
    type=options.VARIANT,
    multiple=True,
    metavar="VARIANT",
    help="Only in this variant; may be repeated [default: all].",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    metavar="S",
    default=10.0,
    show_default=True,
    help="Time limit for one decision.",
)
@json_option
def _check(strategy: str, variant_texts: tuple[str, ...], seconds: float, as_json: bool) -> int:
    """Test that a strategy plays by the rules: legal answers, in time, from its view alone.

    Puts positions from random play in every variant to its policies, several times over, in a
    separate process that checks every array index; then plays whole deals. After a failure the
    other checks are still made, as far as they can be.

    Exit code: 0 if all checks pass, 1 if any fails.
    """
    from simgin.checks import contract
    from simgin.cli.session import explain_wait

    chosen = [variants.find(text) for text in variant_texts] or contract.all_variants()
    with explain_wait(CHECKING):
        findings = contract.check([strategy], chosen, seconds)
    for finding in findings:
        if finding.check == "read" and finding.passed is False:
            raise StrategyError(finding.sentence)
    words = ["strategies", "check", strategy]
    if variant_texts:
        for variant in chosen:
            words += ["-v", variant.text]
    rows = [asdict(finding) for finding in findings]
    Answer(command_line(*words), rows).show(as_json, _check_parts(findings))
    return int(any(finding.passed is False for finding in findings))


def _check_parts(findings: Sequence[Finding]) -> Iterator[Any]:
    """A line for every check, the sentence below it if it failed, and what was done."""
    from rich.padding import Padding
    from rich.table import Table

    from simgin.checks.contract import CHECKS

    signs = PASSED if can_print("".join(PASSED.values())) else PASSED_IN_ASCII
    yield findings[0].strategy
    out = Table.grid("", "", "", padding=(0, 2, 0, 0))
    for finding in findings:
        out.add_row(signs[finding.passed], finding.check, CHECKS[finding.check])
        if finding.passed is not True:
            out.add_row("", "", finding.sentence)
    yield Padding(out, (0, 0, 1, 2), expand=False)
    yield _check_summary(findings)


def _check_summary(findings: Sequence[Finding]) -> str:
    """How many checks passed and, if all did, what was done."""
    failed = [finding for finding in findings if finding.passed is False]
    if failed:
        return f"{len(failed)} of {len(findings)} checks failed."
    done = []
    for finding in findings:
        if finding.passed and finding.sentence:
            done.append(finding.sentence)
    return f"All checks passed. {' '.join(done)}"


@strategies.command("new")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("name", required=False)
def _new(file: Path, name: str | None) -> None:
    """Create a FILE with a strategy to start from. Never overwrites a file.

    NAME is the name of the strategy [default: the name of the file].
    """
    from simgin.strategy import template
    from simgin.text.files import create_file

    create_file(file, template.strategy_file(file, name))
    play = command_line("match", file)
    test = command_line("strategies", "check", file)
    watch = command_line("show", file, "gold", "--unit", 3)
    click.echo(f"Written: {file}")
    click.echo(f"Play it:   {play}")
    click.echo(f"Test it:   {test}")
    click.echo(f"Watch it:  {watch}")


# The list


@dataclass(frozen=True)
class _Selection:
    """What the list is narrowed to; None does not narrow it."""

    players: int | None = None
    slot: str | None = None
    search: str | None = None  # in any capitals

    def strategies(self) -> list[Strategy]:
        """The strategies, strongest first; none if only a slot's policies are wanted."""
        if self.slot:
            return []
        found = []
        for name in loader.names():
            strategy = loader.find(name)
            if self._is_found(name, strategy.about, strategy.source) and self._seats(name):
                found.append(strategy)
        return catalogue.ordered(found)

    def policies(self) -> list[Policy]:
        """The policies by slot and name; none if strategies for a number of players are wanted."""
        if self.players:
            return []
        found = []
        for policy in loader.policies():
            if self.slot in (None, policy.slot) and self._is_found(policy.name, policy.about):
                found.append(policy)
        return found

    def names(self) -> list[str]:
        """The names of the strategies; of the policies if a slot was named."""
        if self.slot:
            return [policy.name for policy in self.policies()]
        return [strategy.name for strategy in self.strategies()]

    def _seats(self, name: str) -> bool:
        players = 1 if catalogue.alone(name) else 2
        return self.players in (None, players)

    def _is_found(self, *texts: str) -> bool:
        if self.search is None:
            return True
        text = " ".join(texts)
        return self.search.casefold() in text.casefold()


def _list(selection: _Selection, as_json: bool) -> None:
    rows = []
    for strategy in selection.strategies():
        row = _strategy_row(strategy)
        rows.append(row)
    for policy in selection.policies():
        row = _policy_row(policy)
        rows.append(row)
    words: list[object] = ["strategies"]
    for option, value in vars(selection).items():
        if value is not None:
            words += [f"--{option}", value]
    command = command_line(*words)
    parts = _list_parts(selection)
    Answer(command, rows).show(as_json, parts)


def _strategy_row(strategy: Strategy) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": "strategy",
        "name": strategy.name,
        "slot": None,
        "tier": _tier(strategy),
        "about": catalogue.idea(strategy),
        "source": strategy.source,
        "parameters": [],
    }
    return row | catalogue.known(strategy.name)


def _policy_row(policy: Policy) -> dict[str, Any]:
    return {
        "kind": "policy",
        "name": policy.name,
        "slot": policy.slot,
        "tier": _policy_tier(policy),
        "about": policy.about,
        "parameters": _parameter_rows(policy),
    }


def _list_parts(selection: _Selection) -> Iterator[Any]:
    listed = selection.strategies()
    policies = selection.policies()
    solo = [strategy for strategy in listed if catalogue.alone(strategy.name)]
    two_players = [strategy for strategy in listed if strategy not in solo]
    if two_players:
        yield from _catalogue("Two-player strategies, strongest first", two_players)
    if listed:
        yield catalogue.READING
    if solo:
        yield from _catalogue("Solitaire strategies", solo)
    for slot in SLOTS:
        in_slot = [policy for policy in policies if policy.slot == slot]
        if in_slot:
            yield _policy_table(slot, in_slot)
    yield NEXT if listed or policies else NOTHING


def _catalogue(title: str, listed: Sequence[Strategy]) -> Iterator[Any]:
    """A heading, then per strategy its figures, its idea and its source."""
    from rich.padding import Padding
    from rich.text import Text

    yield Text(f"\n{title}", style="bold")
    longest = max(len(strategy.name) for strategy in listed)
    indent = (0, 0, 0, 2)
    for strategy in listed:
        figures = [catalogue.strength(strategy.name), _speed(strategy)]
        facts = ", ".join(figure for figure in figures if figure)
        yield Text(f"\n{strategy.name:<{longest}}  {facts}", style="bold")
        yield Padding(Text(catalogue.idea(strategy)), indent)
        if strategy.source:
            yield Padding(Text(strategy.source, style="dim"), indent)


def _speed(strategy: Strategy) -> str:
    """The measured speed; for a strategy not measured, whether it is slow or refused."""
    measured = catalogue.speed(strategy.name)
    if measured:
        return measured
    tier = _tier(strategy)
    return "" if tier == "fast" else tier


def _policy_table(slot: str, in_slot: Sequence[Policy]) -> Table:
    out = grid(f"Policies for +{slot}=", "name", "what it does")
    for policy in in_slot:
        defaults = []
        for name, param in policy.params.items():
            value = param.text(param.default)
            defaults.append(f"{name}={value}")
        listed = ", ".join(defaults)
        suffix = f" [{listed}]" if defaults else ""
        out.add_row(policy.name, policy.about + suffix)
    return out


# One strategy


def _show(strategy: Strategy, as_json: bool) -> None:
    digest = loader.source_digest(strategy)
    rows = []
    for policy, text in _policies(strategy):
        row: dict[str, Any] = {"strategy": strategy.text, "digest": digest}
        row["ending"] = strategy.ending
        row["slot"] = policy.slot
        row["policy"] = text
        row["tier"] = _policy_tier(policy)
        row["about"] = policy.about
        row["file"] = str(policy.source)
        row["parameters"] = _parameter_rows(policy)
        rows.append(row)
    command = command_line("strategies", strategy.text)
    parts = _show_parts(strategy, digest)
    Answer(command, rows).show(as_json, parts)


def _policies(strategy: Strategy) -> list[tuple[Policy, str]]:
    """The policies of a strategy in the order of the slots, each with its text."""
    policies = []
    for policy, (_, text) in zip(strategy.policies, loader.policy_texts(strategy), strict=True):
        policies.append((policy, text))
    return policies


def _show_parts(strategy: Strategy, digest: str) -> Iterator[Any]:
    about = _paragraphs(strategy.about)
    yield strategy.text
    yield about
    if strategy.source and f"Source: {strategy.source}" not in about:
        yield f"Source: {strategy.source}"
    policies = _policies(strategy)
    out = grid("Policies", "slot", "policy", "speed", "what it does")
    for policy, text in policies:
        out.add_row(policy.slot, text, _policy_tier(policy), policy.about)
    yield out
    if any(policy.params for policy, _ in policies):
        yield _parameter_table([policy for policy, _ in policies])
    tiers = {_policy_tier(policy) for policy, _ in policies}
    for tier, sentence in TIERS.items():
        if tier in tiers:
            yield f"\n{sentence}"
    yield f"\nEnding: {strategy.ending}: {ENDINGS[strategy.ending]}."
    yield "Files:  " + "\n        ".join(_relative(path) for path in loader.source_files(strategy))
    yield f"Digest: {digest}"


def _parameter_table(policies: Sequence[Policy]) -> Table:
    out = grid("Parameters", "parameter", "value", "range", "meaning")
    for policy in policies:
        for name, param in policy.params.items():
            value = param.text(param.default)
            span = _range(param)
            out.add_row(f"{policy.slot}: {name}", value, span, param.about)
    return out


def _parameter_rows(policy: Policy) -> list[dict[str, Any]]:
    rows = []
    for name, param in policy.params.items():
        row = {"name": name, "kind": param.kind}
        row["value"] = param.text(param.default)
        row["may_be"] = _range(param)
        row["about"] = param.about
        rows.append(row)
    return rows


def _range(param: Param) -> str:
    """The values that a parameter may have."""
    if param.kind == "choice":
        return ", ".join(param.words)
    if param.kind == "bool":
        return "yes, no"
    whole = " (whole)" if param.kind == "integer" else ""
    return f"{param.low:g}..{param.high:g}{whole}"


def _relative(path: Path) -> str:
    """A path, relative to the current directory if it lies below it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _tier(strategy: Strategy) -> str:
    """The slowest tier of a strategy's policies."""
    tiers = [_policy_tier(policy) for policy in strategy.policies]
    return min(tiers, key=SLOWEST_FIRST.index)


def _paragraphs(docstring: str) -> str:
    """The text of a docstring with the lines of each paragraph joined."""
    paragraphs = []
    for part in docstring.split("\n\n"):
        words = part.split()
        line = " ".join(words)
        paragraphs.append(line)
    return "\n\n".join(paragraphs)


def _policy_tier(policy: Policy) -> str:
    """Whether a policy is compiled; the compiler is loaded here, since no shell waits for it."""
    from simgin.strategy import compiler

    return compiler.tier(policy)

"""`simgin strategies`: list, details, checks and template of strategies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options, output
from simgin.cli.completion import complete_strategy
from simgin.cli.options import DefaultCommandGroup, json_option
from simgin.cli.output import can_print
from simgin.core.codes import SLOTS
from simgin.play.matchup import make_short_name
from simgin.report.report_table import Table, make_table_from_rows
from simgin.rules import variants
from simgin.strategy import catalogue, loader
from simgin.strategy.author import Param, Policy, Strategy
from simgin.strategy.strategy_spec import StrategyError

if TYPE_CHECKING:
    from simgin.checks.contract import ContractResult

CatalogueRow = Mapping[str, Any]  # JSON row of a strategy or a policy
ENDING_DESCRIPTIONS = {
    "best": "the player first decides on the best way to end the deal, then on a discard",
    "same": "the player first chooses a discard, and can end the deal only with it (EAAI order)",
}
EXECUTION_MODE_NOTES = {
    "slow": "Slow policies run in Python, which is about a hundred times slower.",
    "refused": "Rejected policies cannot be used. To see the reason, run `simgin strategies "
    "check`.",
}
NEXT_STEPS = (
    "\nShow one strategy: simgin strategies NAME. Replace a policy: gold+knock=at:k=4.\n"
    "List only the names: --short. Filter the list: --players, --slot, --search."
)
NO_MATCH_MESSAGE = "No description contains this word. List all strategies: simgin strategies."
# execution modes of policies, slowest first
EXECUTION_MODES = ("refused", "slow", "fast")
RESULT_SYMBOLS = {True: "✓", False: "✗", None: "–"}  # noqa: RUF001
ASCII_RESULT_SYMBOLS = {True: "ok", False: "FAIL", None: "-"}


_NAME_TYPE = options.NameType(
    lambda word: [*strategies_command.commands, *complete_strategy(word)], ".py"
)


@click.command("strategies")
@click.argument("name", required=False, type=_NAME_TYPE)
@click.option(
    "--players",
    type=click.IntRange(1, 2),
    metavar="1/2",
    help="List only solitaire (1) or two-player (2) strategies.",
)
@click.option(
    "-v",
    "--variant",
    "game",  # The name `variant` would take its default from the configuration file.
    type=options.VARIANT_TYPE,
    metavar="VARIANT",
    help="List only strategies that can play this variant.",
)
@click.option(
    "--slot",
    type=click.Choice(SLOTS),
    metavar="SLOT",
    help="List only policies for one slot: take, discard, knock, offer, answer or show.",
)
@click.option(
    "--search", metavar="WORD", help="List only entries whose description contains this word."
)
@click.option("--short", is_flag=True, help="Print only the names, one per line.")
@json_option
def _list_or_show_strategies(
    name: str | None,
    players: int | None,
    game: str | None,
    slot: str | None,
    search: str | None,
    short: bool,
    as_json: bool,
) -> None:
    """List all strategies and policies, or show the parameters and files of one strategy.

    A strategy has one policy for each slot, such as `take`, `discard` or `knock`. You can replace
    any of these policies:

    \b
      simgin strategies gold-early
      simgin strategies gold+knock=at:k=4+discard=hits
      simgin strategies mine.py

    Filter the list by number of players, variant, slot or word:

    \b
      simgin strategies --short --players 1
      simgin strategies -v gin-solitaire
      simgin strategies --slot knock
      simgin strategies --search undercut

    Use the subcommands to write a strategy:

    \b
      simgin strategies new mine.py           create a file to start from
      simgin strategies check mine.py         test that it follows the rules
    """
    if game is not None:
        players = 1 if variants.find_variant(game).is_solo else 2
    if name is not None:
        if players or slot or search or short:
            raise click.UsageError(
                "--players, -v, --slot, --search and --short cannot be used with the name of a "
                f"strategy. Omit {name!r}."
            )
        _print_strategy(loader.find_strategy(name), as_json)
        return
    if players and slot:
        raise click.UsageError(
            "--slot lists policies, so it cannot be combined with --players or -v. Omit --slot, "
            "or omit the other filters."
        )
    matching_strategies = [] if slot else _find_strategies(players, search)
    policies = [] if players else _find_policies(slot, search)
    if short and not as_json:
        for strategy_or_policy in policies if slot else matching_strategies:
            output.print_line(strategy_or_policy.name)
        return
    rows = [*map(_make_strategy_row, matching_strategies), *map(_make_policy_row, policies)]
    output.CommandResult(output.format_repeat_command(short=None), rows).print(
        as_json, _render_catalogue(rows), use_pager=True
    )


strategies_command: DefaultCommandGroup = DefaultCommandGroup(_list_or_show_strategies)


@strategies_command.command("check")
@click.argument("strategy", type=options.STRATEGY_TYPE)
@click.option(
    "-v",
    "--variant",
    "variant_specs",
    type=options.VARIANT_TYPE,
    multiple=True,
    metavar="VARIANT",
    help="Variant to test. Repeat the option to test several variants. [default: all]",
)
@click.option(
    "--seconds",
    type=options.SecondsType(min=0.1),
    metavar="S",
    default=10.0,
    show_default=True,
    help="Time limit per decision.",
)
@json_option
def _check_strategy(
    strategy: str, variant_specs: tuple[str, ...], seconds: float, as_json: bool
) -> int:
    """Test that a strategy follows the rules.

    Actions must be legal, made in time and based only on the view. simgin queries the policies
    several times with positions from random play in every variant, in a separate process that
    checks every array index. It then plays complete deals. The test stops at the first failure.

    The exit code is 0 if all checks pass, and 1 if any check fails.
    """
    from simgin.checks import contract
    from simgin.report import progress

    selected_variants = [
        variants.find_variant(text) for text in variant_specs
    ] or contract.list_default_variants()
    with progress.show_progress("checking") as on_progress:
        results = contract.check_strategies([strategy], selected_variants, seconds, on_progress)
    for result in results:
        if result.check == "read" and result.passed is False:
            raise StrategyError(result.sentence)
    canonical_specs = [variant.spec for variant in selected_variants] if variant_specs else ()
    rows = [asdict(result) for result in results]
    given_seconds = seconds if options.is_on_command_line("seconds") else None
    command = output.format_repeat_command(variant_specs=canonical_specs, seconds=given_seconds)
    output.CommandResult(command, rows).print(as_json, _render_check_results(results))
    return int(any(result.passed is False for result in results))


def _render_check_results(results: Sequence[ContractResult]) -> Iterator[Any]:
    """Yield a line for each check, an error message for each failed check, and a summary."""
    from rich.padding import Padding
    from rich.table import Table as Lines

    from simgin.checks.contract import CONTRACT_CHECKS

    has_symbols = can_print("".join(RESULT_SYMBOLS.values()))
    symbols = RESULT_SYMBOLS if has_symbols else ASCII_RESULT_SYMBOLS
    yield results[0].strategy
    lines = Lines.grid("", "", "", padding=(0, 2, 0, 0))
    for result in results:
        lines.add_row(symbols[result.passed], result.check, CONTRACT_CHECKS[result.check])
        if result.passed is not True:
            lines.add_row("", "", result.sentence)
    yield Padding(lines, (0, 0, 1, 2), expand=False)
    yield _summarise_check_results(results)


def _summarise_check_results(results: Sequence[ContractResult]) -> str:
    """Return the number of failed checks or, if all checks passed, a summary of the tests."""
    failed_results = [result for result in results if result.passed is False]
    if failed_results:
        return f"{len(failed_results)} of {len(results)} checks failed."
    completed_text = " ".join(result.sentence for result in results if result.sentence)
    return f"All checks passed. {completed_text}"


@strategies_command.command("new")
@click.argument("file", type=options.PATH_TYPE)
@click.argument("name", required=False)
def _create_strategy_file(file: Path, name: str | None) -> None:
    """Create FILE with a strategy to start from.

    NAME is the name of the strategy [default: the name of the file]. simgin does not overwrite
    existing files.
    """
    from simgin.strategy import strategy_spec
    from simgin.text.files import create_file

    create_file(file, strategy_spec.render_strategy_file(file, name))
    output.print_line(f"Output:  {file}")
    output.print_line(f"Match:   {output.format_command('match', file)}")
    output.print_line(f"Test:    {output.format_command('strategies', 'check', file)}")
    output.print_line(f"Replay:  {output.format_command('show', file, 'gold', '--unit', 3)}")


# List of strategies and policies


def _find_strategies(players: int | None, search: str | None) -> list[Strategy]:
    """Return the strategies that match a search word and a number of players, strongest first."""
    matching_strategies = []
    for name in loader.list_strategies():
        strategy = loader.find_strategy(name)
        is_found = _contains_word(search, name, strategy.about, strategy.source)
        if is_found and players in (None, 1 if catalogue.is_solo_strategy(name) else 2):
            matching_strategies.append(strategy)
    return catalogue.sort_by_strength(matching_strategies)


def _find_policies(slot: str | None, search: str | None) -> list[Policy]:
    """Return the policies that match a search word and a slot, sorted by slot and name."""
    return [
        policy
        for policy in loader.list_policies()
        if slot in (None, policy.slot) and _contains_word(search, policy.name, policy.about)
    ]


def _contains_word(word: str | None, *texts: str) -> bool:
    return word is None or word.casefold() in " ".join(texts).casefold()


def _make_strategy_row(strategy: Strategy) -> dict[str, Any]:
    """Return the row of a strategy in the list of strategies."""
    execution_modes = [_find_execution_mode(policy) for policy in strategy.policies]
    return {
        "kind": "strategy",
        "name": strategy.name,
        "slot": None,
        "tier": min(execution_modes, key=EXECUTION_MODES.index),
        "about": catalogue.extract_first_sentence(strategy),
        "source": strategy.source,
        "parameters": [],
        **catalogue.read_catalogue_entry(strategy.name),
    }


def _make_policy_row(policy: Policy) -> dict[str, Any]:
    """Return the row of a policy in the list of policies."""
    return {
        "kind": "policy",
        "name": policy.name,
        "slot": policy.slot,
        "tier": _find_execution_mode(policy),
        "about": policy.about,
        "parameters": _make_parameter_rows(policy),
    }


def _render_catalogue(rows: Sequence[CatalogueRow]) -> Iterator[Any]:
    """Yield the lists of strategies, a table of policies for each slot, and a hint."""
    strategy_rows = [row for row in rows if row["kind"] == "strategy"]
    solo_rows = [row for row in strategy_rows if catalogue.is_solo_strategy(row["name"])]
    two_player_rows = [row for row in strategy_rows if row not in solo_rows]
    if two_player_rows:
        yield from _format_catalogue(
            "Two-player strategies in order of Elo, followed by strategies without a rating",
            two_player_rows,
        )
        yield catalogue.CATALOGUE_NOTE
    if solo_rows:
        yield from _format_catalogue("Solitaire strategies", solo_rows)
        yield catalogue.SOLO_CATALOGUE_NOTE
    for slot in SLOTS:
        if slot_rows := [row for row in rows if row["slot"] == slot]:
            yield _make_policy_table(slot, slot_rows)
    yield NEXT_STEPS if rows else NO_MATCH_MESSAGE


def _format_catalogue(title: str, rows: Sequence[CatalogueRow]) -> Iterator[Any]:
    """Yield a heading, followed by the results, idea and source of each strategy."""
    from rich.padding import Padding
    from rich.text import Text

    yield Text(f"\n{title}", style="bold")
    max_name_length = max(len(row["name"]) for row in rows)
    indent = (0, 0, 0, 2)
    for row in rows:
        name = row["name"]
        # speed if it was measured, otherwise the execution mode
        speed = catalogue.find_speed_tier(name) or row["tier"].replace("fast", "")
        facts_text = ", ".join(filter(None, (catalogue.format_strength(name), speed)))
        yield Text(f"\n{name:<{max_name_length}}  {facts_text}", style="bold")
        yield Padding(Text(row["about"]), indent)
        if row["source"]:
            yield Padding(Text(row["source"], style="dim"), indent)


def _make_policy_table(slot: str, slot_rows: Sequence[CatalogueRow]) -> Table:
    """Return a table of the policies for a slot, with their default parameters."""
    rows = []
    for row in slot_rows:
        defaults = ", ".join(f"{param['name']}={param['value']}" for param in row["parameters"])
        rows.append((row["name"], row["about"] + (f" [{defaults}]" if defaults else "")))
    return make_table_from_rows(f"Policies for +{slot}=", ("name", "what it does"), rows)


# Details of one strategy


def _print_strategy(strategy: Strategy, as_json: bool) -> None:
    """Print the policies, parameters, files and digest of a strategy."""
    digest = loader.compute_strategy_digest(strategy)
    policy_texts = dict(loader.format_policies(strategy))
    rows = [
        {
            "strategy": strategy.spec,
            "digest": digest,
            "ending": strategy.ending,
            "slot": policy.slot,
            "policy": policy_texts[policy.slot],
            "tier": _find_execution_mode(policy),
            "about": policy.about,
            "file": str(policy.source_file),
            "parameters": _make_parameter_rows(policy),
        }
        for policy in strategy.policies
    ]
    result = output.CommandResult(output.format_command("strategies", strategy.spec), rows)
    result.print(as_json, _render_strategy(strategy, rows), use_pager=True)


def _render_strategy(strategy: Strategy, rows: Sequence[CatalogueRow]) -> Iterator[Any]:
    """Yield the description of a strategy, and tables of its policies and parameters."""
    description = "\n\n".join([" ".join(part.split()) for part in strategy.about.split("\n\n")])
    name = make_short_name(strategy)
    yield strategy.spec if name == strategy.spec else f"{name} ({strategy.spec})"
    yield description
    if strategy.source and f"Source: {strategy.source}" not in description:
        yield f"Source: {strategy.source}"
    cells = [(row["slot"], row["policy"], row["tier"], row["about"]) for row in rows]
    yield make_table_from_rows("Policies", ("slot", "policy", "speed", "what it does"), cells)
    parameter_cells = [
        (f"{row['slot']}: {param['name']}", param["value"], param["may_be"], param["about"])
        for row in rows
        for param in row["parameters"]
    ]
    if parameter_cells:
        yield make_table_from_rows(
            "Parameters", ("parameter", "value", "range", "meaning"), parameter_cells
        )
    for execution_mode, sentence in EXECUTION_MODE_NOTES.items():
        if execution_mode in [row["tier"] for row in rows]:
            yield f"\n{sentence}"
    yield f"\nEnding: {strategy.ending} ({ENDING_DESCRIPTIONS[strategy.ending]})"
    yield "Files:  " + "\n        ".join(map(_shorten_path, loader.find_source_files(strategy)))
    yield f"Digest: {rows[0]['digest']}"


def _make_parameter_rows(policy: Policy) -> list[dict[str, Any]]:
    """Return one row per parameter of a policy, with its default and its valid values."""
    return [
        {
            "name": name,
            "kind": param.kind,
            "value": param.format(param.default),
            "may_be": _format_allowed_values(param),
            "about": param.about,
        }
        for name, param in policy.params.items()
    ]


def _format_allowed_values(param: Param) -> str:
    """Return the valid values of a parameter as text, such as `0..12 (whole)`."""
    if param.kind == "choice":
        return ", ".join(param.choices)
    if param.kind == "bool":
        return "yes, no"
    suffix = " (whole)" if param.kind == "integer" else ""
    return f"{param.low:g}..{param.high:g}{suffix}"


def _shorten_path(path: Path) -> str:
    """Return a path relative to the working directory, or unchanged if it is outside."""
    folder = Path.cwd()
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)


def _find_execution_mode(policy: Policy) -> str:
    """Return the execution mode of a policy: `fast`, `slow` or `refused`."""
    from simgin.strategy import compiler

    return compiler.get_execution_mode(policy)

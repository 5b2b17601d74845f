"""`simgin odds`: probabilities of winning in two-player and solitaire games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import format_command, format_repeat_command
from simgin.text.files import make_directory_name
from simgin.text.messages import join_words, print_status

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simgin.odds.odds import Odds
    from simgin.report.report import Report

# contents of CSV files that are not part of the report
CSV_DESCRIPTIONS = {
    "odds.csv": "odds by number of draws",
    "left.csv": "odds by number of cards left",
    "joker.csv": "effect of luck",
    "gap.csv": "effect of skill",
}


@click.command("odds")
@click.argument("variants", nargs=-1, metavar="[VARIANT]...", type=options.VARIANT_TYPE)
@options.strategy_option(
    "Strategy to include. Repeat the option to include several strategies, weakest first.",
    "--strategy",
    "strategies",
    metavar="S",
    multiple=True,
)
@options.output_option(
    "Directory for the tables and plots [default: results/odds or results/odds-VARIANT]."
)
@options.style_option
@options.count_option(
    "--deals", "Deals per strategy [default: 40k in solitaire, 400k for two players]."
)
@options.seed_option
@options.workers_option
@options.details_option
@options.json_option
def odds_command(
    variants: tuple[str, ...],
    output: Path | None,
    workers: int | None,
    details: bool,
    as_json: bool,
    **arguments: Any,
) -> None:
    """Compute the probability of winning a deal and a match.

    For solitaire variants, simgin reports the probability of winning a deal, winning the match and
    going gin. CSV files contain the odds of each strategy by number of draws (odds.csv) and by
    number of cards left (left.csv), and separate luck (joker.csv, in games with a joker) from
    skill (gap.csv). For two-player variants, simgin reports the win probability by seat, with each
    strategy playing against itself. For matches to a number of points, simgin also reports the win
    probability by score. Without VARIANT, simgin covers all solitaire variants.

    \b
      simgin odds
      simgin odds solitary-gin --strategy solo-greedy --strategy solo-switch
      simgin odds standard --deals 1M

    simgin caches the result of each strategy. If you repeat an interrupted command, simgin
    continues with the next strategy.
    """
    from simgin.cli import config, session
    from simgin.match_value import outcomes
    from simgin.odds.odds import OddsRequest, run_odds

    name = make_directory_name("-".join(["odds", *variants]))
    configured_output = config.find_configured_output(name)
    command = format_repeat_command(output=output or configured_output)
    session.run_request(
        partial(
            run_odds,
            OddsRequest.read(variants, **arguments),
            workers,
            compile_players=lambda matchup: session.compile_players([matchup]),
        ),
        "odds",
        command,
        lambda result, report: _render_odds(report(), result.seed, details),
        workers=workers,
        output=output or configured_output or Path("results") / name,
        # All requests for the same variants use the same default directory.
        question=command if output else format_command("odds", *variants),
        finished_parts=(
            None if outcomes.get_outcomes_directory() is None else "the cache",
            "players",
        ),
        on_finish=_print_missing_results,
        as_json=as_json,
    )


def _print_missing_results(result: Odds) -> list[Path]:
    """Print the reasons for missing results, and return [] because no files are written."""
    for sentence in result.unavailable_reasons:
        print_status(sentence)
    return []


def _render_odds(report: Report, seed: int, details: bool) -> Iterator[RenderableType]:
    """Yield the verdict and the first table of odds, or all tables if `details` is True."""
    from simgin.odds.odds_report import ODDS_INTERVAL_NOTE

    yield from report.to_renderables(show_details=details)
    yield f"\n{ODDS_INTERVAL_NOTE} Seed {seed}.\n"
    if not details and report.detail_tables:
        yield "Details: --details prints all tables of the report."
    texts = [f"{text} ({name})" for name, text in CSV_DESCRIPTIONS.items() if name in report.files]
    if texts:
        yield f"Further results: {join_words(texts)}."

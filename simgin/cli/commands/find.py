"""`simgin find`: search for deals with certain properties."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from simgin.cli import options
from simgin.cli.output import format_repeat_command, render_with_commands
from simgin.report import numbers

if TYPE_CHECKING:
    from simgin.analysis.find_deals import DealRow, FindRequest, FoundDeals
    from simgin.report.report import Report


@click.command("find")
@click.argument("a", type=options.STRATEGY_TYPE)
@click.argument("b", type=options.STRATEGY_TYPE, required=False)
@options.strategy_option(
    "With `--where differ`, the opponent against which both A and B play [default: B].", "--against"
)
@options.variant_option
@click.option(
    "--where",
    required=True,
    metavar="WHAT",
    help="Conditions (see above), such as `longest` or `undercut, points < -30`.",
)
@options.count_option("--deals", "Number of deals to search [default: 100k, or 20 for `costly`].")
@options.count_option("--matches", "Number of matches to search instead of single deals.")
@options.integer_option("--limit", "Maximum number of deals or decisions to list.", "K", default=10)
@options.seed_option
@options.workers_option
@options.json_option
def find_command(workers: int | None, as_json: bool, **arguments: Any) -> None:
    """Find deals of A against B that meet the given conditions, and print commands to show them.

    Separate the conditions of --where with commas. A deal must meet all conditions.

    \b
      knock, gin, big-gin, shot, undercut, even, void, ...
                        ending of the deal (void: a dead hand)
      won, lost         result for A
      points < -40      comparison (< <= = >= >) of a number: points of A minus
                        those of B, turns, dealt (deadwood of A's first hand),
                        takes (by A) or laid-off
      longest, lowest, highest
                        order: most turns, fewest points or most points first
      differ            deals that end differently if B plays A's cards, with
                        the first decision that differs
      costly            the costliest decisions of A

    \b
      simgin find gold simple --where "undercut, lost" --deals 1M
      simgin find gold champion --where "differ, gain < -40" --against simple
    """
    from simgin.analysis.find_deals import FindRequest, run_find
    from simgin.cli import session

    request = FindRequest.read(**arguments)
    matchup, second_matchup = request.matchup, request.second_matchup
    opponent = matchup.b and matchup.b.spec
    is_deal = matchup.unit == "deal"
    options = {"a": matchup.a.spec, "b": second_matchup.a.spec if second_matchup else opponent}
    options |= {"against": opponent if second_matchup else None, "variant": matchup.variant.spec}
    search_options = {"where": request.query.text, "limit": request.max_listed}
    search_options |= {
        "deals": request.n_deals_or_matches if is_deal else None,
        "matches": None if is_deal else request.n_deals_or_matches,
    }
    session.run_request(
        partial(run_find, request, workers),
        "find",
        format_repeat_command(**options, **search_options),
        _render_found_deals,
        workers=workers,
        as_json=as_json,
    )


def _render_found_deals(result: FoundDeals, report: Callable[[], Report]) -> Iterator[Any]:
    """Yield a summary of the search, followed by the matching deals."""
    yield from report().to_renderables()
    yield ""
    for row in result.listed_rows:
        if "cost" in row:
            yield from _format_costly_decision(row)
        elif "rival" in row:
            yield from _format_comparison(result.request, row)
        else:
            yield from _format_deal(row["points"], row["happened"], row["command"])
    if result.listed_rows:
        yield ""


def _format_deal(points: int, description: str, command: str) -> Iterator[Any]:
    """Yield the points and the description of a deal, and the command that replays it."""
    return render_with_commands(f"{points:+5d}  {description}", command)


def _format_comparison(request: FindRequest, row: DealRow) -> Iterator[Any]:
    """Yield the first decision at which two players differ, and commands that replay both deals."""
    own_text = f"{request.get_short_name(row['strategy'])} {row['own']}"
    rival_text = f"{request.get_short_name(row['rival'])} {row['other']}"
    yield from render_with_commands(f"{row['place']}: {own_text}; {rival_text}")
    yield from _format_deal(row["points"], row["happened"], row["command"])
    yield from _format_deal(row["rival_points"], row["rival_happened"], row["rival_command"])


def _format_costly_decision(row: DealRow) -> Iterator[Any]:
    """Yield the cost of a decision, its chosen and best actions, and commands that replay it."""
    from simgin.analysis.position import format_better_action

    half_width = row["high"] - row["cost"]
    cost_text = numbers.format_number(row["cost"], half_width)
    half_width_text = numbers.format_number(half_width, half_width)
    location, *_ = row["place"].split(",")
    sentence = f"{location}: {row['own']}; best: {format_better_action(row['own'], row['best'])}"
    return render_with_commands(
        f"{cost_text:>5} ± {half_width_text}  {sentence}", row["analyze"], row["command"]
    )

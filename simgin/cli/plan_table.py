"""Plan of a run, printed before the run starts, with matchups, sizes and times."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simgin.cli.output import CommandResult, console, print_line
from simgin.cli.session import compile_players
from simgin.play.parallel import usable_cpus
from simgin.report.report_table import Table, table_from_rows
from simgin.runs import block, ledger
from simgin.runs.block import Task
from simgin.runs.plan import Plan, estimate_deviations, measure_unit_seconds
from simgin.stats import differences
from simgin.stats.estimate import Z95, required_sample_size
from simgin.text.amounts import UNIT_PLURALS, format_duration

MAX_MATCHUP_LINES = 40  # maximum number of listed matchups


def plan_rows(
    plan: Plan,
    output: Path | None,
    workers: int | None,
    *,
    record_deals: bool,
    expected: bool = False,
    power: str | float | None = None,
) -> list[dict[str, Any]]:
    """Return one row per matchup of a plan for --json.

    Args:
        plan: Plan of the run.
        output: Directory of the run, or None.
        workers: Number of threads, by default one per CPU.
        record_deals: True if all deals are recorded.
        expected: True to add `half_width`, the expected half-width of the 95 % intervals, by
            metric.
        power: Difference, as parsed by `amounts.parse_half_width`. If a difference is given, the
            rows contain `needed`, the number of deals or matches that detect this difference with
            80 % power.

    Returns:
        Rows with the players, `n` (number of deals or matches, or its maximum), `units` (number of
        pairs that are missing from the ledger) and `seconds` (estimated from a few pairs).
    """
    threads = workers or usable_cpus()
    units_left = _count_remaining_units(plan, output, record_deals)
    compile_players(plan.matchups)
    table = []
    for task, units in zip(plan.tasks, units_left, strict=True):
        seconds = units * measure_unit_seconds(task.matchup) / threads
        row = {
            "variant": task.matchup.variant.spec,
            "strategy": task.matchup.a.spec,
            "opponent": task.matchup.opponent,
            "unit": plan.unit,
            "n": task.n,
            "units": units,
            "seconds": plan.seconds or float(f"{seconds:.3g}"),
        }
        if expected:
            row |= _precision(task, power)
        table.append(row)
    return table


def _precision(task: Task, power: str | float | None) -> dict[str, Any]:
    """Return the expected half-width of a matchup and, if `power` is given, the required size."""
    rate, points = by_metric = estimate_deviations(task.matchup)
    half_widths = {name: Z95 * sd / math.sqrt(task.units) for name, sd in by_metric.items()}
    precision: dict[str, Any] = {
        "half_width": {name: float(f"{x:.3g}") for name, x in half_widths.items()}
    }
    if power is not None:
        deviation = by_metric[rate if isinstance(power, str) else points]
        units = required_sample_size(differences.parse_margin(power), deviation)
        precision["needed"] = units * (2 if task.matchup.is_mirrored else 1)
    return precision


def print_dry_run(
    plan: Plan,
    command: str,
    output: Path | None,
    workers: int | None,
    *,
    record_deals: bool,
    as_json: bool,
    power: str | float | None = None,
) -> None:
    """Print a plan together with the expected time and precision.

    Args:
        plan: Plan of the run.
        command: Command that repeats the output.
        output: Directory of the run, or None.
        workers: Number of threads.
        record_deals: True if all deals are recorded.
        as_json: True to print one JSON object instead.
        power: Difference to detect, as in `plan_rows`.
    """
    rows = plan_rows(plan, output, workers, record_deals=record_deals, expected=True, power=power)
    if as_json:
        CommandResult(command, rows, plan.seed, stopped="dry run").print(True, ())
        return
    print_plan(plan, rows, output, with_matchups=True)
    if power is not None:
        print_line(_required_size_sentence(rows[0], power))


def print_plan(
    plan: Plan,
    plan_rows: Sequence[Mapping[str, Any]],
    output: Path | None,
    *,
    with_matchups: bool = False,
) -> None:
    """Print the question, the hypothesis, the expected time and the output directory of a plan.

    Args:
        plan: Plan of the run.
        plan_rows: Rows of the plan.
        output: Directory of the run, or None.
        with_matchups: True to print a line for every matchup.
    """
    out = console()
    out.print(plan.question or plan.title)
    if plan.hypothesis:
        out.print(f"Hypothesis: {plan.hypothesis}")
    if with_matchups:
        out.print(_table(plan, plan_rows[:MAX_MATCHUP_LINES]))
        if len(plan_rows) > MAX_MATCHUP_LINES:
            out.print(f"... and {len(plan_rows) - MAX_MATCHUP_LINES} more matchups")
    units = sum(row["units"] for row in plan_rows)
    seconds = sum(row["seconds"] for row in plan_rows)
    destination = f" Output: {output}." if output else ""
    out.print(f"{_total_sentence(plan, units, seconds)}{destination}")


def _table(plan: Plan, plan_rows: Sequence[Mapping[str, Any]]) -> Table:
    rows = []
    for task, row in zip(plan.tasks, plan_rows, strict=False):
        rate, points = row["half_width"].values()
        names = (row["variant"], row["strategy"], row["opponent"])
        limit_prefix = "" if plan.seconds is not None else _format_limit_prefix(plan)
        time = f"{limit_prefix}{format_duration(row['seconds'])}"
        size = _format_size(plan, task, row["units"])
        rows.append((*names, size, f"{100 * rate:.2g}", f"{points:.2g}", time))
    return table_from_rows("Plan", ("variant", "A", "B", "size", "± %", "± pts", "time"), rows)


def _required_size_sentence(plan_row: Mapping[str, Any], power: str | float) -> str:
    """Return a sentence that states the sample size needed to detect a difference."""
    size = f"{power} of wins" if isinstance(power, str) else f"{power:g} points per deal"
    return (
        f"To detect a difference of {size} with 80 % power, play "
        f"{plan_row['needed']:,} {UNIT_PLURALS[plan_row['unit']]}."
    )


def _count_remaining_units(plan: Plan, run_directory: Path | None, record_deals: bool) -> list[int]:
    """Return, for each task, the number of units that are missing from the ledger."""
    if run_directory is None or not (run_directory / ledger.LEDGER_FILE).is_file():
        return [block.remaining_units(task, ()) for task in plan.tasks]
    with ledger.open_existing_ledger(run_directory / ledger.LEDGER_FILE) as run_ledger:
        run_ledger.check_identity(plan.identity)
        return block.remaining_units_by_task(plan.tasks, run_ledger, with_deals=record_deals)


def _format_size(plan: Plan, task: Task, units_left: int) -> str:
    """Return the size, such as `200,000 deals`, with the percentage that has been played."""
    unit = UNIT_PLURALS[plan.unit]
    if plan.seconds is not None:
        return f"{unit} for {plan.seconds:g} s"
    units = task.units
    size = f"{_format_limit_prefix(plan)}{task.n:,} {unit}"
    if units_left == units:
        return size
    return f"{size} ({100 * (units - units_left) // units} % done)"


def _format_limit_prefix(plan: Plan) -> str:
    return "up to " if plan.stopping_rules else ""


def _total_sentence(plan: Plan, units_left: int, seconds: float) -> str:
    """Return a sentence that states the matchups, the time and the stopping rule of a plan."""
    matchups = _format_matchups(plan)
    if units_left == 0:
        return f"{matchups}, already complete."
    if plan.seconds is not None:
        seconds = plan.seconds * len(plan.tasks)
    # Starting simgin and drawing plots take longer than a very short run.
    time = format_duration(seconds) if seconds >= 1 else "a few seconds"
    if plan.stopping_rules:
        return f"{matchups}. Maximum time: {time}. Stopping rule: {plan.stopping_text}."
    if seconds >= 1 and plan.seconds is None:
        time = f"about {time}"
    return f"{matchups}. Estimated time: {time}."


def _format_matchups(plan: Plan) -> str:
    """Return the number and the size of the matchups: `30 matchups, 200 matches each`."""
    number = len(plan.tasks)
    words, suffix = ("1 matchup", "") if number == 1 else (f"{number} matchups", " each")
    sizes = {task.n for task in plan.tasks}
    if plan.seconds is not None or len(sizes) > 1:
        return words
    return f"{words}, {_format_limit_prefix(plan)}{sizes.pop():,} {UNIT_PLURALS[plan.unit]}{suffix}"

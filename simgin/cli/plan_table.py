"""Plan of a run with matchups, sizes and times, which is printed before the run starts."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simgin.cli.output import CommandResult, make_console, print_line
from simgin.cli.session import compile_players
from simgin.play.parallel import count_usable_cpus
from simgin.report.report_table import Table, make_table_from_rows
from simgin.runs import block, ledger
from simgin.runs.block import Task
from simgin.runs.plan import Plan, estimate_standard_deviations, measure_unit_seconds
from simgin.stats import differences
from simgin.stats.estimate import Z95, compute_required_sample_size
from simgin.stats.metrics import METRICS_BY_NAME, select_headline_metrics
from simgin.text.amounts import UNIT_PLURALS, format_duration

MAX_MATCHUP_LINES = 40  # maximum number of matchups that are listed


def make_plan_rows(
    plan: Plan,
    output: Path | None,
    workers: int | None,
    *,
    record_deals: bool,
    with_precision: bool = False,
    target_difference: str | float | None = None,
) -> list[dict[str, Any]]:
    """Return the rows of a plan for `--json`, one per matchup.

    Args:
        plan: Plan of the run.
        output: Directory of the run, or None.
        workers: Number of threads. By default, one thread per core is used.
        record_deals: True to record all deals.
        with_precision: True to add `half_width`, the expected half-width of the 95 % intervals, by
            metric.
        target_difference: Difference returned by `amounts.parse_half_width`, or None. If it is
            given, the rows contain `needed`, the number of deals or matches needed to detect this
            difference with 80 % power.

    Returns:
        Rows with the players, `n` (number of deals or matches, or its maximum), `units` (number of
        pairs that are missing from the ledger) and `seconds` (estimated from a few pairs).
    """
    n_threads = workers or count_usable_cpus()
    remaining_units = _count_remaining_units(plan, output, record_deals)
    compile_players(plan.matchups)
    rows = []
    for task, units in zip(plan.tasks, remaining_units, strict=True):
        seconds = units * measure_unit_seconds(task.matchup) / n_threads
        row = {
            "variant": task.matchup.variant.spec,
            "strategy": task.matchup.a.spec,
            "opponent": task.matchup.opponent,
            "unit": plan.unit,
            "n": task.n_games,
            "units": units,
            "seconds": plan.seconds or float(f"{seconds:.3g}"),
        }
        if with_precision:
            row |= _estimate_precision(task, target_difference)
        rows.append(row)
    return rows


def _estimate_precision(task: Task, target_difference: str | float | None) -> dict[str, Any]:
    """Estimate the half-widths and, for a target difference, the required sample size."""
    rate_metric, points_metric = sd_by_metric = estimate_standard_deviations(task.matchup)
    half_widths = {name: Z95 * sd / math.sqrt(task.units) for name, sd in sd_by_metric.items()}
    precision: dict[str, Any] = {
        "half_width": {name: float(f"{x:.3g}") for name, x in half_widths.items()}
    }
    if target_difference is not None:
        metric_sd = sd_by_metric[
            rate_metric if isinstance(target_difference, str) else points_metric
        ]
        required_units = compute_required_sample_size(
            differences.parse_margin(target_difference), metric_sd
        )
        precision["needed"] = required_units * (2 if task.matchup.is_mirrored else 1)
    return precision


def print_dry_run(
    plan: Plan,
    command: str,
    output: Path | None,
    workers: int | None,
    *,
    record_deals: bool,
    as_json: bool,
    target_difference: str | float | None = None,
) -> None:
    """Print a plan with its expected time and precision.

    Args:
        plan: Plan of the run.
        command: Command that repeats the output.
        output: Directory of the run, or None.
        workers: Number of threads.
        record_deals: True to record all deals.
        as_json: True to print only one JSON object.
        target_difference: Difference to detect, as in `make_plan_rows`.
    """
    rows = make_plan_rows(
        plan,
        output,
        workers,
        record_deals=record_deals,
        with_precision=True,
        target_difference=target_difference,
    )
    if as_json:
        CommandResult(command, rows, plan.seed, stop_reason="dry run").print(True, ())
        return
    print_plan(plan, rows, output, with_matchups=True)
    if target_difference is not None:
        print_line(_format_required_size(rows[0], target_difference))


def print_plan(
    plan: Plan,
    plan_rows: Sequence[Mapping[str, Any]],
    output: Path | None,
    *,
    with_matchups: bool = False,
) -> None:
    """Print the question, hypothesis, expected time and output directory of a plan.

    Args:
        plan: Plan of the run.
        plan_rows: Rows returned by `make_plan_rows`.
        output: Directory of the run, or None.
        with_matchups: True to print a line for every matchup.
    """
    console = make_console()
    console.print(plan.question or plan.title)
    if plan.hypothesis:
        console.print(f"Hypothesis: {plan.hypothesis}")
    if with_matchups:
        console.print(_make_matchup_table(plan, plan_rows[:MAX_MATCHUP_LINES]))
        if len(plan_rows) > MAX_MATCHUP_LINES:
            console.print(f"... and {len(plan_rows) - MAX_MATCHUP_LINES} more matchups")
    n_units = sum(row["units"] for row in plan_rows)
    seconds = sum(row["seconds"] for row in plan_rows)
    output_text = f" Output: {output}." if output else ""
    console.print(f"{_summarise_plan(plan, n_units, seconds)}{output_text}")


def _make_matchup_table(plan: Plan, plan_rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return the table of matchups, with their sizes, expected precision and times."""
    rows = []
    for task, row in zip(plan.tasks, plan_rows, strict=False):
        rate_half_width, points_half_width = row["half_width"].values()
        matchup_names = (row["variant"], row["strategy"], row["opponent"])
        name_cells = [plan.display_names.get(name, name) for name in matchup_names]
        limit_prefix = "" if plan.seconds is not None else _format_limit_prefix(plan)
        time_text = f"{limit_prefix}{format_duration(row['seconds'])}"
        size_text = _format_size(plan, task, row["units"])
        rows.append(
            (
                *name_cells,
                size_text,
                f"{100 * rate_half_width:.2g}",
                f"{points_half_width:.2g}",
                time_text,
            )
        )
    n_players = 2 if plan.matchups[0].opponent else 1
    rate_metric, _ = select_headline_metrics(plan.unit, n_players)
    rate_heading = f"± {METRICS_BY_NAME[rate_metric].title}"
    headings = ("variant", "A", "B", "size", rate_heading, "± points/deal", "time")
    note = "± is the expected half-width of the 95 % confidence interval."
    return make_table_from_rows("Plan", headings, rows, note)


def _format_required_size(plan_row: Mapping[str, Any], target_difference: str | float) -> str:
    """Return a sentence that states the sample size needed to detect a difference."""
    unit_name = UNIT_PLURALS[plan_row["unit"]]
    has_opponent = bool(plan_row["opponent"])
    if isinstance(target_difference, str):
        percent = 100 * differences.parse_margin(target_difference)
        points_noun = "percentage point" if percent == 1 else "percentage points"
        difference_texts = (
            f"a difference of {percent:g} {points_noun} in {unit_name} won",
            f"that A wins {50 + percent:g} % of {unit_name} instead of 50 %",
        )
    else:
        difference_texts = (
            f"a difference of {target_difference:g} points per deal",
            f"that A scores {target_difference:g} points per deal more than B",
        )
    size_text = f"{plan_row['needed']:,} {unit_name}"
    return f"To detect with 80 % power {difference_texts[has_opponent]}, play {size_text}."


def _count_remaining_units(plan: Plan, run_directory: Path | None, record_deals: bool) -> list[int]:
    """Return the number of units of each task that the ledger does not contain."""
    if run_directory is None or not (run_directory / ledger.LEDGER_FILE).is_file():
        return [block.count_remaining_units(task, ()) for task in plan.tasks]
    with ledger.open_existing_ledger(run_directory / ledger.LEDGER_FILE) as run_ledger:
        run_ledger.check_identity(plan.identity)
        return block.count_remaining_units_by_task(plan.tasks, run_ledger, with_deals=record_deals)


def _format_size(plan: Plan, task: Task, remaining_units: int) -> str:
    """Return the sample size, such as `200,000 deals`, and the percentage already played."""
    unit_plural = UNIT_PLURALS[plan.unit]
    if plan.seconds is not None:
        return f"{unit_plural} for {plan.seconds:g} s"
    n_units = task.units
    size_text = f"{_format_limit_prefix(plan)}{task.n_games:,} {unit_plural}"
    if remaining_units == n_units:
        return size_text
    return f"{size_text} ({100 * (n_units - remaining_units) // n_units} % done)"


def _format_limit_prefix(plan: Plan) -> str:
    """Return "up to " if the run can stop early, otherwise ""."""
    return "up to " if plan.stopping_rules else ""


def _summarise_plan(plan: Plan, remaining_units: int, seconds: float) -> str:
    """Return a sentence about the matchups, the expected time and the stopping rule of a plan."""
    matchups_text = _format_matchups(plan)
    if remaining_units == 0:
        return f"{matchups_text}, already complete."
    if plan.seconds is not None:
        seconds = plan.seconds * len(plan.tasks)
    # For a very short run, starting simgin and drawing plots take longer than playing.
    time_text = format_duration(seconds) if seconds >= 1 else "a few seconds"
    if plan.stopping_rules:
        return f"{matchups_text}. Maximum time: {time_text}. Stopping rule: {plan.stopping_text}."
    if seconds >= 1 and plan.seconds is None:
        time_text = f"about {time_text}"
    return f"{matchups_text}. Estimated time: {time_text}."


def _format_matchups(plan: Plan) -> str:
    """Return the number of matchups and their size, such as `30 matchups, 200 matches each`."""
    n_matchups = len(plan.tasks)
    text, suffix = ("1 matchup", "") if n_matchups == 1 else (f"{n_matchups} matchups", " each")
    sizes = {task.n_games for task in plan.tasks}
    if plan.seconds is not None or len(sizes) > 1:
        return text
    return f"{text}, {_format_limit_prefix(plan)}{sizes.pop():,} {UNIT_PLURALS[plan.unit]}{suffix}"

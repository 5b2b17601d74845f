"""`simgin bench`: speed of this machine, and changes since an earlier measurement."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.options import FILE_PATH_TYPE, SecondsType, json_option
from simgin.cli.output import CommandResult, format_repeat_command
from simgin.report.report_table import make_table_from_rows
from simgin.text.files import check_writable, write_file
from simgin.text.messages import print_status

if TYPE_CHECKING:
    from simgin.checks.bench import SpeedChange

N_KERNEL_MEASUREMENTS = 11  # number of measurements without strategies or matchups
SPEED_NOTE = """
The ratio is the time per unit, divided by the time for a block of the calibration kernel (four \
Philox words) on one thread. To compare machines, use ratios instead of seconds. Matchups of two \
different players are played in mirrored pairs. Each value is the best of {repetitions} \
repetitions. Speeds on one thread are based on CPU time. Long runs are faster than these \
measurements, because simgin specialises their kernels."""
PROPORTIONS_NOTE = """\
The parts were measured separately on the same deals. The part "turns" includes all other work, \
such as dealing, views and showdowns."""
C_COMPARISON_NOTE = """\
The C program benchmarks/full.c plays the same deals as the first matchup. The generic kernel \
takes {generic:.2f} times as long, and a specialised kernel takes {specialized:.2f} times as \
long."""
CHANGE_NOTE = """
The columns "now" and "before" show ratios to the calibration kernel. The last column shows \
"before" divided by "now"."""


@click.command("bench")
@click.option(
    "--seconds",
    type=SecondsType(min=0.01, max=600),
    metavar="S",
    default=1.0,
    show_default=True,
    help="Time per measurement.",
)
@click.option(
    "--save",
    type=FILE_PATH_TYPE,
    metavar="FILE",
    help="Also write the measurements to FILE in JSON format.",
)
@click.option(
    "--against",
    type=click.Path(exists=True, path_type=Path),
    metavar="BEFORE",
    help="Compare with a file written by --save, or with another installation.",
)
@json_option
def bench_command(seconds: float, save: Path | None, against: Path | None, as_json: bool) -> None:
    """Measure the speed of this machine.

    simgin measures how fast it evaluates fixed hands, and how long each part of a deal takes.
    simgin also measures the speed of every strategy, and of several matchups on one thread and on
    all threads.

    BEFORE is a file written by --save, or the path of another installation (its `simgin` program or
    its virtual environment). If BEFORE is an installation, simgin measures both installations
    alternately.
    """
    from simgin.checks.bench import SEED, read_measurements

    if save is not None:
        check_writable(save, b'"command": "simgin bench')
        if save.exists():  # Only files with measurements can be overwritten.
            read_measurements(save)
    old_rounds, new_rounds = _measure_rounds(seconds, against)
    rows: list[Any] = list(new_rounds[0])
    renderables = _render_measurements(new_rounds[0])
    if against is not None:
        from simgin.checks.bench import compare_speeds, list_uncompared_tasks

        if uncompared_tasks := list_uncompared_tasks(old_rounds, new_rounds):
            print_status(
                "warning: these measurements are not compared, because one side lacks them: "
                f"{'; '.join(uncompared_tasks)}."
            )
        changes = compare_speeds(old_rounds, new_rounds)
        rows = [asdict(change) for change in changes]
        renderables = _render_changes(changes, len(new_rounds))
    result = CommandResult(format_repeat_command(), rows, SEED)
    result.print(as_json, renderables)
    if save is not None:
        json_text = json.dumps({"command": result.command, "rows": new_rounds[0]}, indent=1)
        write_file(save, f"{json_text}\n".encode())
        print_status(f"wrote {save}.")


def _measure_rounds(seconds: float, against: Path | None) -> tuple[Sequence[Any], Sequence[Any]]:
    """Measure the current speed, and return the measurements before and now, in rounds."""
    if against is None:
        return [], [_measure_current_speed(seconds)]
    from simgin.checks import bench

    if installation := bench.find_installation(against):
        return bench.measure_alternately(installation, seconds, print_status)
    return bench.read_measurements(against), [_measure_current_speed(seconds)]


def _measure_current_speed(seconds: float) -> list[dict[str, Any]]:
    """Measure the speed of this installation, and return one row per measurement."""
    from simgin.checks.bench import (
        BENCH_MATCHUPS,
        choose_thread_counts,
        list_two_player_strategies,
        measure_speeds,
    )

    threads = choose_thread_counts()
    n_measurements = (
        N_KERNEL_MEASUREMENTS
        + len(threads) * len(BENCH_MATCHUPS)
        + len(list_two_player_strategies())
    )
    print_status(f"measuring for about {seconds * n_measurements:.0f} s, plus compilation.")
    return [asdict(measurement) for measurement in measure_speeds(seconds, threads)]


def _render_measurements(rows: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    """Yield a table of the measurements, and notes that explain the ratios."""
    from simgin.checks.bench import (
        BENCH_MATCHUPS,
        N_HANDS,
        REPETITIONS_PER_TASK,
        compare_with_c,
        compute_time_proportions,
    )

    headings = ("measurement", "threads", "per second", "ns each", "ratio", "speed-up")
    cells = [
        (
            row["figure"],
            str(row["threads"]),
            f"{row['per_second']:,.0f}",
            _format_significant_digits(1e9 / row["per_second"]),
            _format_significant_digits(row["ratio"]),
            f"{row['speedup']:.2f}" if row["threads"] > 1 else "",
        )
        for row in rows
    ]
    yield make_table_from_rows("Speed", headings, cells)
    means = [f"{row['mean']:.5f} ({row['figure']})" for row in rows if row["mean"] is not None]
    yield f"\nMean deadwood of the {N_HANDS:,} fixed hands: {', '.join(means)}."
    proportions_text = ", ".join(
        f"{part_name} {100 * proportion:.0f} %"
        for part_name, proportion in compute_time_proportions(rows).items()
    )
    yield f"Time per part of {BENCH_MATCHUPS[0][0]}: {proportions_text}. {PROPORTIONS_NOTE}"
    if ratios := compare_with_c(rows):
        yield C_COMPARISON_NOTE.format(generic=ratios[0], specialized=ratios[1])
    yield SPEED_NOTE.format(repetitions=REPETITIONS_PER_TASK).strip()


def _render_changes(changes: Sequence[SpeedChange], n_rounds: int) -> Iterator[Any]:
    """Yield a table that compares the current and earlier speeds, and a note about the ratios."""
    cells = []
    for change in changes:
        factor_text = f"{change.faster:.2f}"
        if change.low is not None:
            factor_text += f" ({change.low:.2f} to {change.high:.2f})"
        speed_texts = map(_format_significant_digits, (change.now, change.before))
        cells.append((change.figure, str(change.threads), *speed_texts, factor_text))
    headings = ("measurement", "threads", "now", "before", "times as fast")
    yield make_table_from_rows("Changes", headings, cells)
    if n_rounds == 1:
        yield f"{CHANGE_NOTE} Differences of up to 10 % can be due to the machine."
    else:
        yield f"{CHANGE_NOTE} Ratios are medians of {n_rounds} rounds, with minimum and maximum."


def _format_significant_digits(number: float) -> str:
    """Format a number with at least three significant digits and without an exponent."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"

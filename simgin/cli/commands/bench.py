"""`simgin bench`: how fast this machine plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.options import json_option
from simgin.cli.output import Answer, command_line, grid, note

if TYPE_CHECKING:
    from simgin.checks.bench import Figure

KERNELS = 4  # figures besides matchups and strategies
READING = """
ratio: time of one unit, in blocks of the calibration kernel (four Philox words) on one thread of \
the same run. Compare ratios between machines, not seconds. Different players play mirrored pairs. \
Best of {repetitions} repetitions."""


@click.command()
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.01, max=600),
    metavar="S",
    default=1.0,
    show_default=True,
    help="Time to spend on each figure.",
)
@json_option
def bench(seconds: float, as_json: bool) -> None:
    """Measure the speed of this machine.

    Times the deadwood and the best discard of fixed hands, the deals of several matchups on one
    thread and on all, and every strategy.
    """
    from simgin.checks.bench import MATCHUPS, SEED, figures, roster, thread_counts

    threads = thread_counts()
    count = KERNELS + len(threads) * len(MATCHUPS) + len(roster())
    note(f"measuring for about {seconds * count:.0f} s, plus the time to compile.")
    measured = figures(seconds, threads)
    rows = [asdict(figure) for figure in measured]
    command = command_line("bench", "--seconds", f"{seconds:g}")
    Answer(command, rows, SEED).show(as_json, _parts(measured))


def _parts(figures: list[Figure]) -> Iterator[Any]:
    from simgin.checks.bench import HANDS, REPETITIONS

    out = grid("Speed", "figure", "threads", "per second", "ns each", "ratio", "speed-up")
    for column in out.columns[1:]:
        column.justify = "right"
    means = []
    for figure in figures:
        out.add_row(
            figure.figure,
            str(figure.threads),
            f"{figure.per_second:,.0f}",
            _digits(1e9 / figure.per_second),
            _digits(figure.ratio),
            f"{figure.speedup:.2f}" if figure.threads > 1 else "",
        )
        if figure.mean is not None:
            means.append(f"{figure.mean:.5f} ({figure.figure})")
    yield out
    yield f"\nMean deadwood of the {HANDS:,} fixed hands: {', '.join(means)}."
    yield READING.format(repetitions=REPETITIONS).strip()


def _digits(number: float) -> str:
    """At least three digits, and no powers of ten."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"

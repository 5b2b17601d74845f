"""`simgin bench`: how fast this machine plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from simgin.cli.output import Answer, command_line, grid, json_option, note

if TYPE_CHECKING:
    from simgin.checks.bench import Figure

READING = """
ratio: time of one, in blocks of the calibration kernel (four Philox words) on one thread of the same run. Ratios can be compared between \
machines, seconds cannot. Mirrored pairs where the players differ. Best of {repetitions} repetitions."""


@click.command()
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.01, max=600),
    default=1.0,
    show_default=True,
    help="Time to spend on each figure.",
)
@json_option
def bench(seconds: float, as_json: bool) -> None:
    """Measure deadwood and best discards of a fixed set of hands, deals of some matchups on one thread and on all, and every strategy."""
    from simgin.checks import bench as speeds

    threads = speeds.thread_counts()
    count = 4 + len(threads) * len(speeds.MATCHUPS) + len(speeds.roster())
    note(f"measuring for about {seconds * count:.0f} s, after compiling.")
    figures = speeds.figures(seconds, threads)
    rows = [asdict(figure) for figure in figures]
    Answer(command_line("bench", "--seconds", f"{seconds:g}"), rows, speeds.SEED).give(
        as_json, _parts(figures)
    )


def _parts(figures: list[Figure]) -> Iterator[Any]:
    from simgin.checks.bench import HANDS, REPETITIONS

    out = grid("Speed", "figure", "threads", "per second", "ns each", "ratio", "speed-up")
    for column in out.columns[1:]:
        column.justify = "right"
    for one in figures:
        speedup = f"{one.speedup:.2f}" if one.threads > 1 else ""
        out.add_row(
            one.figure,
            str(one.threads),
            f"{one.per_second:,.0f}",
            _digits(1e9 / one.per_second),
            _digits(one.ratio),
            speedup,
        )
    yield out
    means = ", ".join(f"{one.mean:.5f} ({one.figure})" for one in figures if one.mean is not None)
    yield f"\nMean deadwood of the fixed {HANDS:,} hands: {means}."
    yield READING.format(repetitions=REPETITIONS).strip()


def _digits(number: float) -> str:
    """Three digits at least, and no powers of ten."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"

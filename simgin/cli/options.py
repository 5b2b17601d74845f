"""Options that several commands share, and the readers of their values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from simgin.text import amounts

T = TypeVar("T")

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else to stdout."
)
details_option = click.option(
    "--details", is_flag=True, help="Print all tables, and how much the results can show."
)
variant_option = click.option(
    "-v",
    "--variant",
    default="standard",
    show_default=True,
    help="Variant, such as oklahoma or standard+knock_limit=5.",
)


def _check_seed(_context: click.Context, _option: click.Parameter, seed: int | None) -> int | None:
    return _read(amounts.parse_seed, seed)


def _check_workers(_context: click.Context, _option: click.Parameter, n: int | None) -> int | None:
    return _read(amounts.parse_workers, n)


seed_option = click.option(
    "--seed",
    type=int,
    callback=_check_seed,
    metavar="N",
    default=1,
    show_default=True,
    help="Seed of the shuffles.",
)
unit_option = click.option(
    "--unit",
    type=int,
    default=0,
    show_default=True,
    metavar="I",
    help="Number of the deal, pair of deals or pair of matches in the run, from 0.",
)
half_option = click.option(
    "--half",
    type=int,
    default=0,
    show_default=True,
    metavar="0/1",
    help="Half of a mirrored pair; 1 swaps the players.",
)
deal_option = click.option(
    "--deal",
    type=int,
    metavar="J",
    help="Deal number J of a match, from 0, as in `simgin match --matches`.",
)
workers_option = click.option(
    "--workers",
    type=int,
    callback=_check_workers,
    metavar="N",
    help="Number of threads [default: all processors]. Does not affect results.",
)
scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Play on a dask cluster (tcp://host:8786) or in processes here (local:4).",
)
record_option = click.option(
    "--record", is_flag=True, help="Also write every deal to deals.parquet in DIR."
)


def output_option(help_text: str, *, required: bool = False) -> Callable[[Any], Any]:
    """`-o DIR`, the directory for results."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        metavar="DIR",
        required=required,
        help=help_text,
    )


def read_count(_context: click.Context, _option: click.Parameter, text: str | None) -> int | None:
    """Callback: the number of deals or matches in a text such as 100000, 200k, 2M or 1e6."""
    return _read(amounts.parse_count, text)


def read_until(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> str | float | None:
    """Callback of --until: the half-width of an interval."""
    return _read(amounts.parse_half_width, text)


def read_sprt(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> tuple[float, float] | None:
    """Callback of --sprt: two Elo differences."""
    return _read(amounts.parse_elo_bounds, text)


def read_seconds(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> float | None:
    """Callback of --for: a time in seconds."""
    return _read(amounts.parse_seconds, text)


def _read(reader: Callable[[Any], T], given: object) -> T | None:
    if given is None:
        return None
    try:
        return reader(given)
    except amounts.AmountError as error:
        raise click.BadParameter(str(error)) from None


def stopping_words(
    until: str | float | None, sprt: tuple[float, float] | None, seconds: float | None
) -> list[object]:
    """The options that stop a run early, as words of a command line."""
    words: list[object] = []
    if until is not None:
        words += ["--until", until]
    if sprt is not None:
        words += ["--sprt", "{:g},{:g}".format(*sprt)]
    if seconds is not None:
        words += ["--for", f"{seconds:g}s"]
    return words

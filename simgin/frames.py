"""Matchups and experiments played to the end, as tidy pandas frames: what the command line and Python callers share."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simgin import experiment, runner, table
from simgin.counts import CountError, count
from simgin.experiment import Cell
from simgin.matchup import seated

if TYPE_CHECKING:
    import pandas as pd


def match(
    a: str,
    b: str | None = None,
    variant: str = "standard",
    *,
    deals: int | str | None = None,
    matches: int | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """Tidy rows (`simgin.table.COLUMNS`) of A against B (two players: `simple` if none is named): 100,000 deals unless told otherwise.

    The frame depends on everything but `workers`. Raises ValueError with a sentence for a text that names nothing, a variant that
    this version does not play, and a policy that answers illegally.
    """
    return play([cell(a, b, variant, deals=deals, matches=matches, seed=seed)], workers)


def run(path: str | Path, *, seed: int | None = None, workers: int | None = None) -> pd.DataFrame:
    """Tidy rows of every matchup of an experiment file; `seed` stands in for the file's own. Writes nothing."""
    return play(experiment.cells(seeded(experiment.read(path), seed)), workers)


def play(cells: Sequence[Cell], workers: int | None = None, progress: runner.Progress | None = None) -> pd.DataFrame:
    """Tidy rows of all cells, played one after another."""
    import pandas as pd

    played = runner.run_cells(cells, workers, progress)
    frames = [
        table.tidy(one.variant.text, one.a.text, one.opponent, one.unit, runner.total(rows))
        for one, rows in zip((cell.matchup for cell in cells), played, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def cell(a: str, b: str | None, variant: str, *, deals: int | str | None = None, matches: int | str | None = None, seed: int = 1) -> Cell:
    """One matchup from text forms and counts."""
    if deals is not None and matches is not None:
        raise CountError("deals and matches are both given; keep one of them.")
    n = count(experiment.DEFAULT_DEALS if deals is None else deals) if matches is None else count(matches)
    return Cell(seated(a, b, variant, _seed(seed), "deal" if matches is None else "match"), n)


def seeded(one: experiment.Experiment, seed: int | None) -> experiment.Experiment:
    """The experiment with another seed, if one is given."""
    return one if seed is None else dataclasses.replace(one, seed=_seed(seed))


def _seed(number: int) -> int:
    if not 0 <= number < experiment.SEEDS:
        raise CountError(f"{number} is no seed: the seed must lie between 0 and 2^64 - 1.")
    return number

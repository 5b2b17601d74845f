"""Compute the error rates of all two-player strategies for results/reference.

    python benchmarks/error_rates.py -o results/reference/error-rates

Every strategy plays the same deals against champion under the rules of eaai, and champion evaluates
its decisions (simgin.analysis.error_rates). The work is divided into pieces, which several
processes evaluate at the same time. Finished pieces are in DIR/parts, so that the same command
resumes. With --for, no piece is started after this number of seconds, and the results contain the
deals evaluated by then. The script writes rates.csv with the error rates, and costliest.csv with
the costliest decisions of each strategy and the commands that analyse them.
"""

import argparse
import multiprocessing
import pickle
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from simgin.analysis import rates
from simgin.strategy import catalogue, loader

VARIANT = "eaai"
PIECE = 20  # units per piece: pairs of deals, or deals for champion itself
NOT_THERE = "dice-player"  # plays like gold in variants without a die
COSTLIEST = 3
SLOW = ("champion-mc", "mc", "random")  # started first


@dataclass(frozen=True)
class Piece:
    """Some units of a strategy; piece 0 also measures the lead of the evaluator."""

    strategy: str
    number: int
    deals: int  # of the strategy, in all its pieces
    folder: Path

    @property
    def path(self) -> Path:
        """Path of the result."""
        return self.folder / "parts" / f"{self.strategy}-{self.number}.pkl"

    @property
    def trial(self) -> rates.Trial:
        """Task of evaluating all deals of the strategy."""
        return rates.Trial.read(
            self.strategy, None, VARIANT, None, self.deals, rates.WORLDS, seed=1
        )


def carry_out(piece: Piece) -> Piece:
    """Evaluate the units of a piece and save the result."""
    trial = piece.trial
    first = PIECE * piece.number
    n = min(PIECE, trial.matchup.units(trial.deals) - first)
    found = rates.judge_units(trial, first, n, workers=1)
    lead = None if piece.number else rates.measured_lead(trial, workers=1)
    unfinished = piece.path.with_suffix(".tmp")
    unfinished.write_bytes(pickle.dumps((found, lead)))
    unfinished.rename(piece.path)
    return piece


def pieces(folder: Path, deals: int) -> list[Piece]:
    """Return all pieces of work, sorted by number."""
    names = [name for name in loader.built_in() if not catalogue.alone(name)]
    names.remove(NOT_THERE)
    names.sort(key=lambda name: name not in SLOW)
    listed = []
    for number in range(-(-deals // PIECE)):
        for name in names:
            piece = Piece(name, number, deals, folder)
            matchup = piece.trial.matchup
            if PIECE * number < matchup.units(deals):
                listed.append(piece)
    return listed


def judge_all(todo: list[Piece], workers: int, seconds: float) -> None:
    """Evaluate pieces in parallel; start none after `seconds`."""
    end = time.monotonic() + seconds
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawning) as pool:
        for number, _ in enumerate(_in_time(pool, todo, workers, end), start=1):
            print(f"{number} of {len(todo)} pieces", flush=True)


def _in_time(
    pool: ProcessPoolExecutor, todo: list[Piece], workers: int, end: float
) -> Iterator[Piece]:
    """Yield the finished pieces; at most as many are submitted as there are processes."""
    from concurrent.futures import FIRST_COMPLETED, wait

    left = iter(todo)
    running: set[Any] = set()
    while True:
        while len(running) < workers and time.monotonic() < end:
            piece = next(left, None)
            if piece is None:
                break
            running.add(pool.submit(carry_out, piece))
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield future.result()


def joined(found: list[Piece]) -> rates.ErrorRates:
    """Return the error rates of a strategy from its consecutive pieces."""
    judged = []
    lead = None
    for piece in found:
        units, measured = pickle.loads(piece.path.read_bytes())
        judged += units
        lead = lead or measured
    assert lead is not None
    trial = replace(found[0].trial, deals=found[0].trial.matchup.cell.results(len(judged)))
    return rates.ErrorRates(trial, judged, lead)


def tables(found: list[Piece]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the error rates of a strategy and its costliest decisions."""
    result = joined(found)
    lead = result.lead
    frame = result.frame().assign(lead=lead.value, lead_se=lead.se)
    rows = []
    for judged, gap in result.costliest(COSTLIEST):
        row = {"strategy": found[0].strategy, "place": judged.place, "done": judged.done}
        row |= {"best": judged.best, "points": gap.value, "se": gap.se}
        rows.append(row | {"command": result.command(judged)})
    return frame, pd.DataFrame(rows)


def write_tables(folder: Path, listed: list[Piece], workers: int) -> None:
    """Write the tables of all finished pieces."""
    there: dict[str, list[Piece]] = {}
    for piece in listed:
        own = there.setdefault(piece.strategy, [])
        if piece.path.exists() and len(own) == piece.number:
            own.append(piece)
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawning) as pool:
        found = list(pool.map(tables, filter(None, there.values())))
    for name, frames in zip(("rates", "costliest"), zip(*found, strict=True), strict=True):
        frame = pd.concat(frames, ignore_index=True)
        frame.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g")


def main() -> None:
    """Parse the command line, evaluate the pieces and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--for", dest="seconds", type=float, default=float("inf"))
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    args = parser.parse_args()
    (args.output / "parts").mkdir(parents=True, exist_ok=True)
    listed = pieces(args.output, args.deals)
    todo = [piece for piece in listed if not piece.path.exists()]
    started = time.monotonic()
    if todo:  # compile the engine once, so that not every process does
        rates.judge_units(todo[-1].trial, 0, 1, workers=1)
    judge_all(todo, args.workers, args.seconds - (time.monotonic() - started))
    write_tables(args.output, listed, args.workers)
    print(f"Written: {args.output / 'rates.csv'}")


if __name__ == "__main__":
    main()

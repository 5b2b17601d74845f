"""Compute the error rates of all two-player strategies for results/reference.

    python benchmarks/error_rates.py -o results/reference/error-rates

Every strategy plays the same deals against champion under the rules of eaai, and champion evaluates
its decisions (simgin.analysis.error_rates). The work is divided into chunks, which several
processes evaluate at the same time. Finished chunks are in DIR/parts, so that the same command
resumes. If --for is given, no chunk is started after this number of seconds, and the results
contain only the deals that were evaluated. The script writes rates.csv with the error rates, and
costliest.csv with the costliest decisions of each strategy and the commands that analyse them.
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

from simgin.analysis import error_rates
from simgin.strategy import catalogue, loader

VARIANT = "eaai"
# Number of units per chunk. A unit is a pair of deals, or a deal if `champion` plays itself.
UNITS_PER_CHUNK = 20
# dice-player plays like gold in variants without a die. champion-eaai resembles champion.
EXCLUDED_STRATEGIES = ("dice-player", "champion-eaai")
N_COSTLIEST_DECISIONS = 3
SLOW_STRATEGIES = ("champion-mc", "mc", "random")  # strategies to evaluate first


@dataclass(frozen=True)
class EvaluationChunk:
    """Consecutive units of a strategy, which one process evaluates."""

    strategy: str
    index: int
    n_deals: int  # number of deals in all chunks of the strategy
    folder: Path

    @property
    def path(self) -> Path:
        """Path of the file that stores the result of the chunk."""
        return self.folder / "parts" / f"{self.strategy}-{self.index}.pkl"

    @property
    def rating_task(self) -> error_rates.EvaluationTask:
        """Task that evaluates all deals of the strategy."""
        return error_rates.EvaluationTask.read(
            self.strategy,
            None,
            VARIANT,
            None,
            self.n_deals,
            error_rates.DEFAULT_EVALUATION_WORLDS,
            seed=1,
        )


def evaluate_chunk(chunk: EvaluationChunk) -> EvaluationChunk:
    """Evaluate the units of a chunk, and save the result."""
    rating_task = chunk.rating_task
    first_unit = UNITS_PER_CHUNK * chunk.index
    n_units = min(
        UNITS_PER_CHUNK, rating_task.matchup.count_units(rating_task.n_deals) - first_unit
    )
    evaluated_units = error_rates.evaluate_units(rating_task, first_unit, n_units, workers=1)
    lead = None if chunk.index else error_rates.estimate_evaluator_lead(rating_task, workers=1)
    temporary_path = chunk.path.with_suffix(".tmp")
    temporary_path.write_bytes(pickle.dumps((evaluated_units, lead)))
    temporary_path.rename(chunk.path)
    return chunk


def list_chunks(folder: Path, n_deals: int) -> list[EvaluationChunk]:
    """Return the chunks of all strategies, sorted by index."""
    names = [
        name
        for name in loader.list_built_in_strategies()
        if not catalogue.is_solo_strategy(name) and name not in EXCLUDED_STRATEGIES
    ]
    names.sort(key=lambda name: name not in SLOW_STRATEGIES)
    chunks = []
    for index in range(-(-n_deals // UNITS_PER_CHUNK)):
        for name in names:
            chunk = EvaluationChunk(name, index, n_deals, folder)
            matchup = chunk.rating_task.matchup
            if UNITS_PER_CHUNK * index < matchup.count_units(n_deals):
                chunks.append(chunk)
    return chunks


def evaluate_chunks(
    unfinished_chunks: list[EvaluationChunk], workers: int, max_seconds: float
) -> None:
    """Evaluate chunks in parallel, and start no chunk after `max_seconds` seconds."""
    deadline = time.monotonic() + max_seconds
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        for n_finished, _ in enumerate(
            _iter_finished_chunks(pool, unfinished_chunks, workers, deadline), start=1
        ):
            print(f"{n_finished} of {len(unfinished_chunks)} chunks", flush=True)


def _iter_finished_chunks(
    pool: ProcessPoolExecutor,
    unfinished_chunks: list[EvaluationChunk],
    workers: int,
    deadline: float,
) -> Iterator[EvaluationChunk]:
    """Submit chunks, at most one per process at a time, and yield the finished chunks."""
    from concurrent.futures import FIRST_COMPLETED, wait

    remaining = iter(unfinished_chunks)
    running: set[Any] = set()
    while True:
        while len(running) < workers and time.monotonic() < deadline:
            chunk = next(remaining, None)
            if chunk is None:
                break
            running.add(pool.submit(evaluate_chunk, chunk))
        if not running:
            return
        finished_futures, running = wait(running, return_when=FIRST_COMPLETED)
        for future in finished_futures:
            yield future.result()


def merge_chunks(chunks: list[EvaluationChunk]) -> error_rates.ErrorRates:
    """Return the error rates of a strategy, computed from consecutive chunks."""
    evaluated_units = []
    lead = None
    for chunk in chunks:
        units, gains = pickle.loads(chunk.path.read_bytes())
        evaluated_units += units
        lead = lead or gains
    assert lead is not None
    rating_task = replace(
        chunks[0].rating_task,
        n_deals=chunks[0].rating_task.matchup.key.count_games(len(evaluated_units)),
    )
    return error_rates.ErrorRates(rating_task, evaluated_units, lead)


def build_tables(chunks: list[EvaluationChunk]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return tables of the error rates and of the costliest decisions of a strategy."""
    result = merge_chunks(chunks)
    lead = result.evaluator_lead
    frame = result.frame.assign(lead=lead.value, lead_se=lead.se)
    rows = []
    for decision, loss in result.find_costliest(N_COSTLIEST_DECISIONS):
        row = {
            "strategy": chunks[0].strategy,
            "place": decision.position_label,
            "done": decision.chosen_action,
        }
        row |= {"best": decision.best_action, "points": loss.value, "se": loss.se}
        rows.append(row | {"command": result.format_command(decision)})
    return frame, pd.DataFrame(rows)


def write_tables(folder: Path, chunks: list[EvaluationChunk], workers: int) -> None:
    """Write the tables of all chunks that have been evaluated."""
    chunks_by_strategy: dict[str, list[EvaluationChunk]] = {}
    for chunk in chunks:
        finished_chunks = chunks_by_strategy.setdefault(chunk.strategy, [])
        if chunk.path.exists() and len(finished_chunks) == chunk.index:
            finished_chunks.append(chunk)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        tables = list(pool.map(build_tables, filter(None, chunks_by_strategy.values())))
    for table_name, frames in zip(("rates", "costliest"), zip(*tables, strict=True), strict=True):
        frame = pd.concat(frames, ignore_index=True)
        frame.to_csv(folder / f"{table_name}.csv", index=False, float_format="%.6g")


def main() -> None:
    """Run the command-line interface."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR")
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--for", dest="seconds", type=float, default=float("inf"))
    parser.add_argument("--workers", type=int, default=multiprocessing.cpu_count())
    args = parser.parse_args()
    (args.output / "parts").mkdir(parents=True, exist_ok=True)
    chunks = list_chunks(args.output, args.deals)
    unfinished_chunks = [chunk for chunk in chunks if not chunk.path.exists()]
    start_time = time.monotonic()
    if unfinished_chunks:  # Compile the engine once, instead of once per process.
        error_rates.evaluate_units(unfinished_chunks[-1].rating_task, 0, 1, workers=1)
    evaluate_chunks(unfinished_chunks, args.workers, args.seconds - (time.monotonic() - start_time))
    write_tables(args.output, chunks, args.workers)
    print(f"Output: {args.output / 'rates.csv'}")


if __name__ == "__main__":
    main()

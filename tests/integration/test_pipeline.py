"""Calibration of a whole run with toy deals; band and seed as in stats/test_coverage.py."""

from collections import deque
from dataclasses import replace

import numpy as np
import pytest

from simgin.findings import run_record
from simgin.findings.findings import Findings
from simgin.runs import experiment, ledger, plan, runner
from simgin.runs.block import Done
from simgin.runs.ledger import pack
from simgin.stats import metrics
from support import toy_deals as toy

SEED = 2
BAND = (0.943, 0.957)
BATCHES = 10
# Two strategies on the same packs
BAGS = [toy.units(np.random.default_rng([SEED, 9]), 100, win=win) for win in (0.5, 0.53)]
TOLD = ("deal_win", "margin", "points", "turns", "take_rate", "first_player_win", "undercut")
COMPARED = ("deal_win", "margin")


class Toys:
    """A team that plays toys; a batch is drawn from its own address, the same for every cell."""

    workers, room = 2, 4

    def __init__(self, bags, number):
        self._bags, self._number, self._todo = bags, number, deque()

    def put(self, block):
        self._todo.append(block)

    def get(self, timeout=None):
        block = self._todo.pop()  # last in, first out: the order must not matter
        rows = [
            toy.rows(self._rng(block.first + i), self._bags[block.cell], (), n)
            for i, n in enumerate(block.sizes)
        ]
        return Done(block, "toy", 0.01, pack(np.array(rows)))

    def cancel(self):
        return len(self._todo)

    def close(self):
        pass

    def _rng(self, batch):
        return np.random.default_rng([SEED, self._number, batch])


def plan_of_two_cells(tmp_path, **ends):
    """A plan of two cells on the same packs; the second is compared with the first."""
    file = tmp_path / "toy.toml"
    file.write_text(
        'question = "?"\ndeals = 20_000\n'
        '[panel]\nstrategies = ["gold", "stubborn"]\nagainst = "simple"\n'
    )
    return replace(plan.plan_experiment(experiment.read(file)), **ends)


def carried_out(what, bags, number):
    with ledger.opened(None, {}) as run_ledger:
        played = runner.run(what.tasks, run_ledger, Toys(bags, number), rules=what.rules)
        found = Findings(run_record.record_plan(what, played), run_ledger)
        return found.table, found.differences


def coverage(tmp_path, experiments):
    """Coverage by metric, of the table's rows for side A in both cells and of the differences."""
    what, held = plan_of_two_cells(tmp_path), []
    told = [metrics.BY_NAME[name] for name in TOLD]
    truth = {one.name: [toy.truth(bag, one.own, one.scale) for bag in BAGS] for one in told}
    for number in range(experiments):
        table, differences = carried_out(what, BAGS, number)
        row = {}
        for i, strategy in enumerate(("gold", "stubborn")):
            rows = table[table["strategy"] == strategy].set_index("metric")
            low, high = rows["low"].to_dict(), rows["high"].to_dict()
            for name in TOLD:
                row[f"{strategy} {name}"] = low[name] <= truth[name][i] <= high[name]
        limits = differences[["metric", "low", "high"]].itertuples(index=False)
        for name, low, high in limits:
            row[f"difference {name}"] = low <= truth[name][1] - truth[name][0] <= high
        held.append(row)
    assert set(held[0]) >= {f"difference {name}" for name in COMPARED}
    return {name: np.mean([row[name] for row in held]) for name in held[0]}


def test_intervals_of_a_few_experiments_hold_the_truth(tmp_path):
    """60 experiments with 16 intervals each: a false alarm once in a few hundred runs."""
    found = coverage(tmp_path, 60)
    assert min(found.values()) >= 0.85 and 0.92 < np.mean(list(found.values())) < 0.98, found


@pytest.mark.slow
def test_every_interval_of_a_run_holds_the_truth_in_95_of_100_experiments(tmp_path):
    found = coverage(tmp_path, 10_000)
    assert all(BAND[0] <= share <= BAND[1] for share in found.values()), found

"""Tests that the schedule yields every missing unit exactly once, in order."""

import time
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from simgin.play.kernel import play_batches
from simgin.play.matchup import parse_matchup
from simgin.runs import block as blocks
from simgin.runs.block import Schedule, Task
from simgin.runs.plan import measure_unit_seconds

BLOCK_SECONDS = st.sampled_from([0.0, 1e-3, 0.1, 1.0, 1e6])  # seconds that blocks take


def toy_task(batch, n):
    """Return a task of n units in batches of `batch`."""
    return Task(SimpleNamespace(batch_size=batch, count_units=lambda n: n), n)


def make_ledger(*finished):
    """Return a ledger that contains only these finished (batch, units) of every matchup."""
    return SimpleNamespace(finished_batches=lambda i, size, with_deals=False: set(finished[i]))


def finished_units(cell, finished):
    """Return the finished units: those of complete batches and of the last, shorter batch."""
    size, n = cell.matchup.batch_size, cell.n
    found = set()
    for number, many in finished:
        inside = range(number * size, number * size + many)
        if inside.stop <= n and (many == size or inside.stop == n):
            found |= set(inside)
    return found


@st.composite
def tasks_and_finished(draw):
    """Draw a task and batches of earlier runs: complete, shortened, or after its end."""
    size = draw(st.integers(1, 7))
    n = draw(st.integers(1, 60))
    batches = st.tuples(st.integers(0, 70 // size), st.integers(1, size))
    whole = draw(st.sets(st.integers(0, 70 // size)))
    return toy_task(size, n), {(number, size) for number in whole} | draw(
        st.sets(batches, max_size=6)
    )


@given(st.lists(tasks_and_finished(), min_size=1, max_size=4), st.integers(1, 5), st.data())
def test_every_missing_unit_is_handed_out_once_and_in_order(several, team, data):
    """Blocks return in any order after any time, which changes only block sizes."""
    cells, finished = zip(*several, strict=True)
    todo = Schedule(cells, make_ledger(*finished), team)
    every = [set(range(cell.n)) for cell in cells]
    there = [finished_units(cell, done) for cell, done in several]
    assert todo.units == sum(map(len, every)) and todo.finished_units == sum(map(len, there))
    handed, out = [], []
    while (block := todo.next_block()) is not None:
        handed.append(block)
        out.append(block)
        while out and data.draw(st.booleans()):
            todo.record_time(
                out.pop(data.draw(st.integers(0, len(out) - 1))), data.draw(BLOCK_SECONDS)
            )
    for block in out:
        todo.record_time(block, 1.0)
    units = []
    for block in handed:
        inside = range(block.first_unit, block.first_unit + block.units)
        units += [(block.matchup_index, unit) for unit in inside]
    assert units == [(i, unit) for i in range(len(cells)) for unit in sorted(every[i] - there[i])]
    assert todo.finished_units == todo.units and todo.next_block() is None
    for block in handed:
        size = cells[block.matchup_index].matchup.batch_size
        assert block.first_unit == block.first_batch * size and sum(block.sizes) == block.units
        # Only the last batch of a cell is shorter
        assert (
            block.units % size == 0
            or block.first_unit + block.units == cells[block.matchup_index].n
        )


def list_all_blocks(todo):
    found = []
    while (block := todo.next_block()) is not None:
        found.append((block.matchup_index, block.first_batch, block.units))
    return found


def test_blocks_take_half_a_second_and_shrink_at_the_end():
    todo = Schedule([toy_task(10, 100_000)], make_ledger(set()), 2)
    sizes = []
    while (block := todo.next_block()) is not None:
        todo.record_time(block, block.units * 1e-3)
        sizes.append(block.units)
    assert sizes[:4] == [10, 80, 500, 500] and max(sizes) == 500
    assert sizes[-5:] == [10] * 5 and sizes == [*sizes[:3], *sorted(sizes[3:], reverse=True)]


def test_any_cell_can_be_closed():
    cells = [toy_task(10, 50), toy_task(10, 20), toy_task(10, 20)]
    todo = Schedule(cells, make_ledger(set(), set(), set()), 1)
    assert todo.next_block().matchup_index == 0
    todo.close_matchup(0)
    todo.close_matchup(1)
    assert [cell for cell, *_ in list_all_blocks(todo)] == [2, 2]


def test_the_time_of_a_cell_starts_with_its_first_block(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(blocks.time, "monotonic", lambda: now[0])
    cells = [toy_task(10, 1000), toy_task(10, 1000)]
    todo = Schedule(cells, make_ledger(set(), set()), 1, time_limit=5.0)
    for later, cell in ((60, 0), (4.9, 0), (0.1, 1), (4.9, 1)):
        now[0] += later
        assert todo.next_block().matchup_index == cell
    now[0] += 60
    assert todo.next_block() is None


def test_the_estimated_time_is_that_of_a_processor():
    """Use the CPU time of the process, because the kernel runs in a thread; median of five."""
    matchup = parse_matchup("gold", "simple", "standard", 1, "match")
    estimates = sorted(measure_unit_seconds(matchup) for _ in range(5))
    started = time.process_time()
    play_batches(matchup, 0, 5000)
    taken = (time.process_time() - started) / 5000
    assert taken / 3 < estimates[2] < 3 * taken

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


def make_toy_task(batch_size, n_units):
    """Return a task of `n_units` units in batches of `batch_size`."""
    return Task(
        SimpleNamespace(batch_size=batch_size, count_units=lambda n_units: n_units), n_units
    )


def make_toy_ledger(*finished_batches):
    """Return a toy ledger with the finished batches, (index, units), of each matchup."""
    return SimpleNamespace(
        find_finished_batches=lambda i, size, with_deals=False: set(finished_batches[i])
    )


def list_finished_units(task, finished_batches):
    """Return the units in complete batches, including a shorter batch at the task's end."""
    size, n = task.matchup.batch_size, task.n_games
    units = set()
    for number, n_units in finished_batches:
        batch_units = range(number * size, number * size + n_units)
        if batch_units.stop <= n and (n_units == size or batch_units.stop == n):
            units |= set(batch_units)
    return units


@st.composite
def draw_task_with_batches(draw):
    """Draw a task and finished batches, which can be incomplete or beyond the task's end."""
    size = draw(st.integers(1, 7))
    n = draw(st.integers(1, 60))
    batches = st.tuples(st.integers(0, 70 // size), st.integers(1, size))
    complete = draw(st.sets(st.integers(0, 70 // size)))
    return make_toy_task(size, n), {(number, size) for number in complete} | draw(
        st.sets(batches, max_size=6)
    )


@given(st.lists(draw_task_with_batches(), min_size=1, max_size=4), st.integers(1, 5), st.data())
def test_every_missing_unit_is_scheduled_once_and_in_order(tasks_with_finished, n_workers, data):
    """Finish blocks in any order after any time, which changes only the sizes of later blocks."""
    tasks, finished = zip(*tasks_with_finished, strict=True)
    schedule = Schedule(tasks, make_toy_ledger(*finished), n_workers)
    all_units = [set(range(task.n_games)) for task in tasks]
    finished_units = [list_finished_units(task, batches) for task, batches in tasks_with_finished]
    assert schedule.units == sum(map(len, all_units)) and schedule.finished_units == sum(
        map(len, finished_units)
    )
    scheduled, running = [], []
    while (block := schedule.next_block()) is not None:
        scheduled.append(block)
        running.append(block)
        while running and data.draw(st.booleans()):
            schedule.record_time(
                running.pop(data.draw(st.integers(0, len(running) - 1))), data.draw(BLOCK_SECONDS)
            )
    for block in running:
        schedule.record_time(block, 1.0)
    units = []
    for block in scheduled:
        inside = range(block.first_unit, block.first_unit + block.units)
        units += [(block.matchup_index, unit) for unit in inside]
    assert units == [
        (i, unit) for i in range(len(tasks)) for unit in sorted(all_units[i] - finished_units[i])
    ]
    assert schedule.finished_units == schedule.units and schedule.next_block() is None
    for block in scheduled:
        size = tasks[block.matchup_index].matchup.batch_size
        assert block.first_unit == block.first_batch * size and sum(block.sizes) == block.units
        # Only the last batch of a matchup is shorter
        assert (
            block.units % size == 0
            or block.first_unit + block.units == tasks[block.matchup_index].n_games
        )


def list_all_blocks(schedule):
    positions = []
    while (block := schedule.next_block()) is not None:
        positions.append((block.matchup_index, block.first_batch, block.units))
    return positions


def test_blocks_take_half_a_second_and_shrink_at_the_end():
    schedule = Schedule([make_toy_task(10, 100_000)], make_toy_ledger(set()), 2)
    sizes = []
    while (block := schedule.next_block()) is not None:
        schedule.record_time(block, block.units * 1e-3)
        sizes.append(block.units)
    assert sizes[:4] == [10, 80, 500, 500] and max(sizes) == 500
    assert sizes[-5:] == [10] * 5 and sizes == [*sizes[:3], *sorted(sizes[3:], reverse=True)]


def test_closed_matchup_has_no_more_blocks():
    tasks = [make_toy_task(10, 50), make_toy_task(10, 20), make_toy_task(10, 20)]
    schedule = Schedule(tasks, make_toy_ledger(set(), set(), set()), 1)
    assert schedule.next_block().matchup_index == 0
    schedule.close_matchup(0)
    schedule.close_matchup(1)
    assert [matchup_index for matchup_index, *_ in list_all_blocks(schedule)] == [2, 2]


def test_time_limit_of_a_matchup_starts_with_its_first_block(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(blocks.time, "monotonic", lambda: now[0])
    tasks = [make_toy_task(10, 1000), make_toy_task(10, 1000)]
    schedule = Schedule(tasks, make_toy_ledger(set(), set()), 1, time_limit=5.0)
    for seconds, matchup_index in ((60, 0), (4.9, 0), (0.1, 1), (4.9, 1)):
        now[0] += seconds
        assert schedule.next_block().matchup_index == matchup_index
    now[0] += 60
    assert schedule.next_block() is None


def test_estimated_unit_time_is_cpu_time():
    """Compare the median of five estimates with the CPU time of the process."""
    matchup = parse_matchup("gold", "simple", "standard", 1, "match")
    estimates = sorted(measure_unit_seconds(matchup) for _ in range(5))
    started = time.process_time()
    play_batches(matchup, 0, 5000)
    seconds = (time.process_time() - started) / 5000
    assert seconds / 3 < estimates[2] < 3 * seconds

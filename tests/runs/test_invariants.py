"""Tests that valid batch rows satisfy the invariants and corrupt rows rarely do."""

import numpy as np
import pytest

from simgin.core import batch_columns
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.results import run_info
from simgin.rules import variants
from simgin.runs import block, ledger, runner
from simgin.runs.block import InvariantError, Task
from simgin.runs.ledger import open_ledger, pack_rows
from simgin.runs.runner import SerialPool, ThreadPool
from simgin.runs.stopping import StopResult
from support import variant_lists as games

COLUMN_NAMES = [
    "units",
    *(
        f"{what} of {fact}"
        for what in ("sum", "square", "product")
        for fact in batch_columns.STATISTIC_NAMES
    ),
    *(f"turns {i}" for i in range(batch_columns.N_TURNS_BINS)),
    *(f"count {i}" for i in range(batch_columns.N_DEADWOOD_BINS)),
    *(f"pair {i}" for i in range(batch_columns.N_WIN_RATE_BINS)),
    *("deal squares", "match squares", "dealt deadwood"),
]
UNITS_PER_BATCH = {"deal": 25, "match": 3}
STRATEGY_PAIRS = (("gold", "simple"), ("random", "random"), ("gold-early", "stray"))
SOLO_PLAYERS = (("gold", None), ("random", None))


def play_small_batches(matchup, units):
    """Play two batches of `units` and a shorter one; return their sizes and rows."""
    sizes = [units, units, units // 2 + 1]
    return sizes, np.concatenate(
        [kernel.play_batches(matchup, k * matchup.batch_size, n) for k, n in enumerate(sizes)]
    )


def make_matchup(a, b, variant, unit, seed=11):
    return Matchup(
        variants.find_variant(variant),
        games.find_test_strategy(a),
        b and games.find_test_strategy(b),
        seed,
        unit,
    )


# Rows of the engine


@pytest.mark.parametrize("unit", UNITS_PER_BATCH)
@pytest.mark.parametrize(
    "variant", [*games.TWO_PLAYER_VARIANTS, *games.ONE_PLAYER_VARIANTS, *games.UNUSUAL_VARIANTS]
)
def test_engine_rows_satisfy_the_invariants(variant, unit):
    for a, b in SOLO_PLAYERS if variant in games.ONE_PLAYER_VARIANTS else STRATEGY_PAIRS:
        matchup = make_matchup(a, b, variant, unit)
        block.check_rows(matchup, *play_small_batches(matchup, UNITS_PER_BATCH[unit]))


# Corrupt rows


@pytest.fixture(
    scope="module",
    params=[
        ("gold", "simple", "standard", "deal"),
        ("gold", "gold", "standard", "deal"),
        ("gold", "simple", "standard", "match"),
        ("gold", None, "gin-solitaire", "deal"),
    ],
)
def valid_batch(request):
    """Play one full batch of a matchup; return the matchup and the row."""
    a, b, variant, unit = request.param
    matchup = make_matchup(a, b, variant, unit)
    rows = kernel.play_batches(matchup, 0, matchup.batch_size)
    block.check_rows(matchup, [matchup.batch_size], rows)
    return matchup, rows[0]


def is_accepted(matchup, row):
    """Return True if a row satisfies the invariants."""
    try:
        block.check_rows(matchup, [matchup.batch_size], row[None])
    except InvariantError as error:
        assert str(error).endswith(".")
        return False
    return True


def list_undetected_columns(matchup, valid_row, change):
    """List the columns in which a change is not detected."""
    names = []
    for i, name in zip(range(batch_columns.N_COLUMNS), COLUMN_NAMES, strict=True):
        row = valid_row.copy()
        row[i] = change(int(row[i]))
        if row[i] != valid_row[i] and is_accepted(matchup, row):
            names.append(name)
    return names


UNCHECKED_COLUMNS = {"deal squares", "match squares", "dealt deadwood"}


@pytest.mark.parametrize("change", [1, -1])
def test_change_by_one_is_detected_in_most_columns(valid_batch, change):
    """Allow some undetected changes, in products and in three sums."""
    matchup, valid_row = valid_batch
    undetected = list_undetected_columns(matchup, valid_row, lambda n: n + change)
    assert (
        set(undetected)
        <= {name for name in COLUMN_NAMES if name.startswith("product")} | UNCHECKED_COLUMNS
    )
    results = "deals" if matchup.unit == "deal" else "matches"
    for fact, i in zip(
        batch_columns.STATISTIC_NAMES, batch_columns.DENOMINATOR_INDICES, strict=True
    ):
        assert f"product of {fact}" not in undetected or batch_columns.STATISTIC_NAMES[i] != results
    assert len(undetected) <= (0.12 if matchup.unit == "deal" else 0.22) * batch_columns.N_COLUMNS


def test_changed_high_bit_of_a_square_is_detected(valid_batch):
    """Set the high bit in the square of every statistic that cannot be negative."""
    for fact in {*batch_columns.STATISTIC_NAMES} - {
        *block.SIGNED_STATISTICS,
        *block.SOLO_SIGNED_STATISTICS,
    }:
        row = valid_batch[1].copy()
        row[batch_columns.SQUARES_START + batch_columns.STATISTIC_INDEX[fact]] ^= 1 << 40
        assert not is_accepted(valid_batch[0], row), fact


def test_wrong_number_of_units_is_detected(valid_batch):
    matchup, row = valid_batch
    n = matchup.batch_size
    message = rf"requested and played units differ: {n} and {2 * n} in a batch of {n} units"
    with pytest.raises(InvariantError, match=message):
        block.check_rows(matchup, [n], 2 * row[None])
    shorter_batch = kernel.play_batches(matchup, 0, n - 1)
    block.check_rows(matchup, [n - 1], shorter_batch)
    longer_row = row + shorter_batch[0]
    longer_row[batch_columns.UNITS_COLUMN] = n
    with pytest.raises(
        InvariantError, match=f"numbers of {matchup.unit} results and of units differ"
    ):
        block.check_rows(matchup, [n], longer_row[None])


def test_block_of_the_wrong_shape_is_detected(valid_batch):
    matchup, row = valid_batch
    for units, rows in (
        ([matchup.batch_size] * 2, row[None]),
        ([matchup.batch_size], row[None, :-1]),
    ):
        with pytest.raises(InvariantError, match="must have the shape"):
            block.check_rows(matchup, units, rows)


# Reaction to a corrupt row


def falsify_rows(monkeypatch, first_bad_unit):
    """Make the engine report an additional deal in all batches after a unit."""
    play_batches = kernel.play_batches

    def play_with_extra_deal(matchup, first, units):
        rows = play_batches(matchup, first, units)
        rows[:, batch_columns.SUMS_START] += first + units > first_bad_unit
        return rows

    monkeypatch.setattr(kernel, "play_batches", play_with_extra_deal)


@pytest.mark.parametrize(
    ("pool", "worker"), [(SerialPool(), "here"), (ThreadPool(2), r"thread \d")]
)
def test_invalid_block_is_dropped_and_earlier_blocks_are_kept(monkeypatch, pool, worker):
    falsify_rows(monkeypatch, 7500)
    matchup = parse_matchup("gold", "simple", "standard", 1, "deal")
    message = (
        rf"^gold v simple \(standard\), block starting at unit \d+000, played by {worker}: "
        r"numbers of deal results and of units differ: \d+ and \d+ in a batch of .* "
        r"The block was discarded\. Run `simgin doctor`"
    )
    with open_ledger(None, {}) as ledger:
        with pytest.raises(InvariantError, match=message):
            runner.run_tasks([Task(matchup, 40_000)], ledger, pool)
        kept = {batch for batch, _ in ledger.find_finished_batches(0, 1000)}
        assert 0 in kept and not any(batch >= 7 for batch in kept)
        rows = ledger.read_rows(0, 1000 * len(kept), 1000)
        block.check_rows(matchup, [1000] * len(kept), rows)


# An unusual batch is played again and must be reproduced


N_BATCHES = 6


@pytest.fixture(scope="module")
def played_matchup():
    """Return a matchup and the rows of its batches."""
    matchup = parse_matchup("gold", "simple", "eaai", 3, "deal")
    return matchup, kernel.play_batches(matchup, 0, N_BATCHES * matchup.batch_size)


def check_homogeneity(played_matchup, rows):
    """Test the homogeneity of rows, half of them from each of two workers."""
    matchup, _ = played_matchup
    with ledger.open_ledger(None, {}) as run_ledger:
        run_ledger.add_block(0, 0, [matchup.batch_size] * 3, pack_rows(rows[:3]), "thread 1")
        run_ledger.add_block(0, 3, [matchup.batch_size] * 3, pack_rows(rows[3:]), "thread 2")
        return run_info.check_homogeneity(
            [matchup], [StopResult(N_BATCHES * matchup.batch_size)], run_ledger
        )


def test_homogeneity_is_tested_over_batches_and_workers(played_matchup, monkeypatch):
    (result,) = check_homogeneity(played_matchup, played_matchup[1])
    assert result["metric"] == "deal_win" and "played_again" not in result
    assert result["batches"]["df"] == N_BATCHES - 1 and result["workers"]["df"] == 1
    assert result["workers"]["names"] == ["thread 1", "thread 2"]
    text = run_info.describe_homogeneity([result], "batches", "workers")
    assert text.startswith("Homogeneity of win rates (chi-square test): p = ")
    assert " over batches, p = " in text and " over workers. " in text
    text_without_workers = run_info.describe_homogeneity([result], "batches")
    assert "workers" not in text_without_workers, "a page must not depend on who played"
    unlikely_result, undefined_result = (
        {**result, "batches": {**result["batches"], "p": p}} for p in (0.0123, None)
    )
    text = run_info.describe_homogeneity([result, unlikely_result], "batches")
    assert "(smallest p-value of 2 chi-square tests): p = 0.012 over batches." in text
    assert run_info.describe_homogeneity([undefined_result], "batches") == ""
    monkeypatch.setattr(run_info, "MAX_P_VALUE_FOR_REPLAY", 2.0)
    (result,) = check_homogeneity(played_matchup, played_matchup[1])
    assert 0 <= result["played_again"] < N_BATCHES
    text = run_info.describe_homogeneity([result], "batches")
    assert "1 unusual batch was played again, with the same result." in text


def test_batch_that_is_not_reproduced_is_an_error(played_matchup):
    rows = np.array(played_matchup[1])
    rows[4, batch_columns.SUMS_START + batch_columns.STATISTIC_INDEX["a_deal_win"]] += 400
    message = r"gold v simple \(eaai\): batch 4 gave a different result when it was played"
    with pytest.raises(block.InvariantError, match=message) as raised:
        check_homogeneity(played_matchup, rows)
    text = str(raised.value)
    # A strategy that reads a changed file is more likely than a machine that computes wrongly.
    assert 0 < text.find("such as a data file") < text.find("simgin doctor")

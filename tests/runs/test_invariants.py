"""Tests that rows of the engine pass the invariants and corrupt rows almost never do."""

import numpy as np
import pytest

from simgin.core import batch_columns
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.results import run_info as health
from simgin.rules import variants
from simgin.runs import block, ledger, runner
from simgin.runs.block import InvariantError, Task
from simgin.runs.ledger import open_ledger, pack_rows
from simgin.runs.runner import SerialPool, ThreadPool
from simgin.runs.stopping import StopResult
from support import variant_lists as games

NAMES = [
    "units",
    *(
        f"{what} of {fact}"
        for what in ("sum", "square", "product")
        for fact in batch_columns.FACT_NAMES
    ),
    *(f"turns {i}" for i in range(batch_columns.TURNS_BINS)),
    *(f"count {i}" for i in range(batch_columns.DEADWOOD_BINS)),
    *(f"pair {i}" for i in range(batch_columns.PAIR_BINS)),
    *("deal squares", "match squares", "dealt deadwood"),
]
UNITS = {"deal": 25, "match": 3}
PAIRS = (("gold", "simple"), ("random", "random"), ("gold-early", "stray"))
SOLO_PLAYERS = (("gold", None), ("random", None))


def batches(one, units):
    """Play a block of three small batches: two of `units` each and a shorter one."""
    sizes = [units, units, units // 2 + 1]
    return sizes, np.concatenate(
        [kernel.play_batches(one, k * one.batch_size, n) for k, n in enumerate(sizes)]
    )


def pair(a, b, variant, unit, seed=11):
    return Matchup(
        variants.find_variant(variant), games.strategy(a), b and games.strategy(b), seed, unit
    )


# Rows of the engine


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("variant", [*games.TWO_PLAYER, *games.ONE_PLAYER, *games.UNUSUAL])
def test_every_row_the_engine_plays_passes(variant, unit):
    for a, b in SOLO_PLAYERS if variant in games.ONE_PLAYER else PAIRS:
        cell = pair(a, b, variant, unit)
        block.check_rows(cell, *batches(cell, UNITS[unit]))


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
    """Play one full batch of a matchup."""
    a, b, variant, unit = request.param
    cell = pair(a, b, variant, unit)
    found = kernel.play_batches(cell, 0, cell.batch_size)
    block.check_rows(cell, [cell.batch_size], found)
    return cell, found[0]


def is_accepted(one, row):
    try:
        block.check_rows(one, [one.batch_size], row[None])
    except InvariantError as error:
        assert str(error).endswith(".")
        return False
    return True


def undetected_columns(one, found, change):
    """List the columns in which a change is not detected."""
    names = []
    for i, name in zip(range(batch_columns.N_COLUMNS), NAMES, strict=True):
        row = found.copy()
        row[i] = change(int(row[i]))
        if row[i] != found[i] and is_accepted(one, row):
            names.append(name)
    return names


UNCHECKED_COLUMNS = {"deal squares", "match squares", "dealt deadwood"}


@pytest.mark.parametrize("by", [1, -1])
def test_one_too_many_is_noticed_in_most_columns(valid_batch, by):
    """Some errors in products with a variable denominator, and in three sums, are missed."""
    one, found = valid_batch
    unseen = undetected_columns(one, found, lambda n: n + by)
    assert set(unseen) <= {name for name in NAMES if name.startswith("product")} | UNCHECKED_COLUMNS
    results = "deals" if one.unit == "deal" else "matches"
    for fact, i in zip(batch_columns.FACT_NAMES, batch_columns.DENOMINATOR_INDEX, strict=True):
        assert f"product of {fact}" not in unseen or batch_columns.FACT_NAMES[i] != results
    assert len(unseen) <= (0.12 if one.unit == "deal" else 0.22) * batch_columns.N_COLUMNS


def test_a_high_bit_of_a_square_is_noticed(valid_batch):
    """Values that can be negative are an exception."""
    for fact in {*batch_columns.FACT_NAMES} - {*block.SIGNED_FACTS, *block.SOLO_SIGNED_FACTS}:
        row = valid_batch[1].copy()
        row[batch_columns.COL_SQUARE + batch_columns.FACT_INDEX[fact]] ^= 1 << 40
        assert not is_accepted(valid_batch[0], row), fact


def test_units_doubled_left_out_or_of_another_batch_are_noticed(valid_batch):
    one, found = valid_batch
    n = one.batch_size
    told = rf"requested and played units differ: {n} and {2 * n} in a batch of {n} units"
    with pytest.raises(InvariantError, match=told):
        block.check_rows(one, [n], 2 * found[None])
    fewer = kernel.play_batches(one, 0, n - 1)
    block.check_rows(one, [n - 1], fewer)
    more = found + fewer[0]
    more[batch_columns.COL_UNITS] = n
    with pytest.raises(InvariantError, match=f"numbers of {one.unit} results and of units differ"):
        block.check_rows(one, [n], more[None])


def test_a_block_of_another_shape_is_noticed(valid_batch):
    one, found = valid_batch
    for units, play_false_rows in (
        ([one.batch_size] * 2, found[None]),
        ([one.batch_size], found[None, :-1]),
    ):
        with pytest.raises(InvariantError, match="must have the shape"):
            block.check_rows(one, units, play_false_rows)


# Reaction to a corrupt row


def falsify_rows(monkeypatch, from_unit):
    """Make the engine report an additional deal from some unit on."""
    play = kernel.play_batches

    def play_false_rows(one, first, units):
        found = play(one, first, units)
        found[:, batch_columns.COL_SUM] += first + units > from_unit
        return found

    monkeypatch.setattr(kernel, "play_batches", play_false_rows)


@pytest.mark.parametrize(("team", "who"), [(SerialPool(), "here"), (ThreadPool(2), r"thread \d")])
def test_a_bad_block_is_dropped_and_earlier_blocks_are_kept(monkeypatch, team, who):
    falsify_rows(monkeypatch, 7500)
    matchup = parse_matchup("gold", "simple", "standard", 1, "deal")
    told = (
        rf"^gold v simple \(standard\), block starting at unit \d+000, played by {who}: numbers of "
        rf"deal results "
        r"and of units differ: \d+ and \d+ in a batch of .* The block was discarded\. "
        r"Run `simgin doctor`"
    )
    with open_ledger(None, {}) as ledger:
        with pytest.raises(InvariantError, match=told):
            runner.run_tasks([Task(matchup, 40_000)], ledger, team)
        kept = {batch for batch, _ in ledger.finished_batches(0, 1000)}
        assert 0 in kept and not any(batch >= 7 for batch in kept)
        rows = ledger.rows(0, 1000 * len(kept), 1000)
        block.check_rows(matchup, [1000] * len(kept), rows)


# An unusual batch is played again and must be reproduced


BATCHES = 6


@pytest.fixture(scope="module")
def game():
    matchup = parse_matchup("gold", "simple", "eaai", 3, "deal")
    return matchup, kernel.play_batches(matchup, 0, BATCHES * matchup.batch_size)


def found(game, rows):
    one, _ = game
    with ledger.open_ledger(None, {}) as run_ledger:
        run_ledger.add_block(0, 0, [one.batch_size] * 3, pack_rows(rows[:3]), "thread 1")
        run_ledger.add_block(0, 3, [one.batch_size] * 3, pack_rows(rows[3:]), "thread 2")
        return health.check_homogeneity([one], [StopResult(BATCHES * one.batch_size)], run_ledger)


def test_a_sound_run_is_described_by_two_chi_squares(game, monkeypatch):
    (told,) = found(game, game[1])
    assert told["metric"] == "deal_win" and "played_again" not in told
    assert told["batches"]["df"] == BATCHES - 1 and told["workers"]["df"] == 1
    assert told["workers"]["names"] == ["thread 1", "thread 2"]
    said = health.describe_homogeneity([told], "batches", "workers")
    assert said.startswith("Homogeneity of win rates (chi-square test): p = ")
    assert " over batches, p = " in said and " over workers. " in said
    alone = health.describe_homogeneity([told], "batches")
    assert "workers" not in alone, "a page must not depend on who played"
    other, none = ({**told, "batches": {**told["batches"], "p": p}} for p in (0.0123, None))
    said = health.describe_homogeneity([told, other], "batches")
    assert "(smallest p-value of 2 chi-square tests): p = 0.012 over batches." in said
    assert health.describe_homogeneity([none], "batches") == ""
    monkeypatch.setattr(health, "MAX_P_VALUE_FOR_REPLAY", 2.0)
    (told,) = found(game, game[1])
    assert 0 <= told["played_again"] < BATCHES
    said = health.describe_homogeneity([told], "batches")
    assert "1 unusual batch was played again, with the same result." in said


def test_a_batch_that_does_not_repeat_is_an_error(game):
    rows = np.array(game[1])
    rows[4, batch_columns.COL_SUM + batch_columns.FACT_INDEX["a_deal_win"]] += 400
    told = r"gold v simple \(eaai\): batch 4 gave a different result when it was played"
    with pytest.raises(block.InvariantError, match=told):
        found(game, rows)

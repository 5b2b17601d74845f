"""The checks on batch rows: what the engine plays passes, and damaged rows almost never do."""

import re

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from simgin.cli.main import cli
from simgin.core import sums
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.rules import variants
from simgin.runs import invariants, runner
from simgin.runs.block import Task
from simgin.runs.invariants import IdentityError
from simgin.runs.ledger import opened
from simgin.runs.threads import SerialTeam, Threads
from simgin.strategy import loader
from support import variant_lists as games

NAMES = [
    "units",
    *(f"{what} of {fact}" for what in ("sum", "square", "product") for fact in sums.FACTS),
    *(f"turns {i}" for i in range(sums.TURNS_BINS)),
    *(f"count {i}" for i in range(sums.COUNT_BINS)),
    *(f"pair {i}" for i in range(sums.PAIR_BINS)),
    *("deal squares", "match squares", "dealt deadwood"),
]
UNITS = {"deal": 25, "match": 3}
PAIRS = (("gold", "simple"), ("random", "random"), ("gold-early", "stray"))
ALONE = (("gold", None), ("random", None))


def test_every_column_has_a_name():
    assert len(NAMES) == sums.COLUMNS


def batches(one, units):
    """A block of three small batches of a real matchup: two of `units` each and a shorter one."""
    parts = [
        kernel.play(one, k * one.batch, n) for k, n in enumerate((units, units, units // 2 + 1))
    ]
    return [units, units, units // 2 + 1], np.concatenate(parts)


def pair(a, b, variant, unit, seed=11):
    return Matchup(variants.find(variant), games.strategy(a), b and games.strategy(b), seed, unit)


# What the engine plays


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("variant", [*games.TWO_PLAYER, *games.ONE_PLAYER, *games.UNUSUAL])
def test_every_row_the_engine_plays_passes(variant, unit):
    for a, b in ALONE if variant in games.ONE_PLAYER else PAIRS:
        cell = pair(a, b, variant, unit)
        invariants.check(cell, *batches(cell, UNITS[unit]))


RIVALS = [
    name
    for name in loader.names()
    if not name.startswith(("mc", "marjj", "mishra", "sigra", "hein"))
]


@settings(max_examples=60)
@given(
    st.sampled_from(games.TWO_PLAYER),
    st.sampled_from(RIVALS),
    st.sampled_from(RIVALS),
    st.sampled_from(list(UNITS)),
    st.data(),
)
def test_every_row_passes_for_any_strategies_and_options(variant, a, b, unit, data):
    """Any two strategies in any variant with one to three options set anywhere in their range."""
    options = data.draw(
        st.lists(
            st.sampled_from(list(variants.parameters().values())),
            min_size=1,
            max_size=3,
            unique_by=lambda p: p.name,
        )
    )
    changes = [
        f"{p.name}={written(data.draw(st.sampled_from(games.possible(p))))}"
        for p in options
        if p.kind in ("bool", "choice", "int") and p.name not in games.FOR_ONE
    ]
    try:
        cell = parse_matchup(
            a, b, "+".join([variant, *changes]), data.draw(st.integers(0, 2**64 - 1)), unit
        )
    except ValueError:  # options that do not go together
        return
    invariants.check(cell, *batches(cell, 2 if unit == "match" else 12))


def written(value):
    return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value


# What was damaged


@pytest.fixture(
    scope="module",
    params=[
        ("gold", "simple", "standard", "deal"),
        ("gold", "gold", "standard", "deal"),
        ("gold", "simple", "standard", "match"),
        ("gold", None, "gin-solitaire", "deal"),
    ],
)
def sound(request):
    """A matchup and one full batch of it."""
    a, b, variant, unit = request.param
    cell = pair(a, b, variant, unit)
    found = kernel.play(cell, 0, cell.batch)
    invariants.check(cell, [cell.batch], found)
    return cell, found[0]


def passes(one, row):
    try:
        invariants.check(one, [one.batch], row[None])
    except IdentityError as error:
        assert str(error).endswith(".")
        return False
    return True


def unnoticed_columns(one, found, change):
    """The columns in which a change goes unnoticed."""

    def changed(i):
        row = found.copy()
        row[i] = change(int(row[i]))
        return row

    return [
        NAMES[i]
        for i in range(sums.COLUMNS)
        if change(int(found[i])) != found[i] and passes(one, changed(i))
    ]


@pytest.mark.parametrize("by", [1, -1])
def test_one_too_many_is_noticed_in_most_columns(sound, by):
    """The exceptions are products and three plain sums.

    Products with a denominator that varies (showdowns, draws, points by kind; in matches, deals)
    are only bounded. The squares of single results only have to be as large as those of pairs, and
    dealt deadwood may be anything.
    """
    one, found = sound
    unseen = unnoticed_columns(one, found, lambda n: n + by)
    assert set(unseen) <= {name for name in NAMES if name.startswith("product")} | {
        "deal squares",
        "match squares",
        "dealt deadwood",
    }
    results = "deals" if one.unit == "deal" else "matches"
    assert not any(
        f"product of {fact}" in unseen
        for fact, d in zip(sums.FACTS, sums.DENOMINATOR, strict=True)
        if sums.FACTS[d] == results
    )
    assert len(unseen) <= (0.07 if one.unit == "deal" else 0.16) * sums.COLUMNS


def test_two_too_many_are_noticed_in_most_columns(sound):
    """An even change escapes the parity checks, but only where a number just has bounds."""
    assert len(unnoticed_columns(*sound, lambda n: n + 2)) <= 0.4 * sums.COLUMNS


def test_a_flipped_high_bit_or_a_missing_number_is_noticed(sound):
    """Only squares of values that may be negative have no upper bound."""
    one, found = sound
    signed = {*invariants.SIGNED, *(invariants.PENALTIES if one.b is None else ())}
    unbounded = {f"square of {fact}" for fact in signed} | {
        "deal squares",
        "match squares",
        "dealt deadwood",
    }
    for bit in np.random.default_rng(21).integers(24, 63, 6).tolist():
        assert set(unnoticed_columns(one, found, lambda n, bit=bit: n ^ 1 << bit)) <= unbounded
    assert len(unnoticed_columns(one, found, lambda n: 0)) <= 0.16 * sums.COLUMNS


def test_swapped_columns_are_noticed(sound):
    """Two random columns of different content, in nine of ten cases."""
    one, found = sound
    rng = np.random.default_rng(22)
    swaps = [
        pair
        for pair in rng.integers(0, sums.COLUMNS, (1500, 2)).tolist()
        if found[pair[0]] != found[pair[1]]
    ]

    def swapped(i, j):
        row = found.copy()
        row[[i, j]] = row[[j, i]]
        return row

    seen = sum(not passes(one, swapped(*swap)) for swap in swaps)
    assert len(swaps) > 500 and seen / len(swaps) > 0.9


def test_units_doubled_left_out_or_of_another_batch_are_noticed(sound):
    one, found = sound
    n = one.batch
    with pytest.raises(
        IdentityError, match=rf"units asked for and played: {n} and {2 * n} in a batch of {n} units"
    ):
        invariants.check(one, [n], 2 * found[None])
    fewer = kernel.play(one, 0, n - 1)
    with pytest.raises(IdentityError, match=f"units asked for and played: {n} and {n - 1}"):
        invariants.check(one, [n], fewer)
    invariants.check(one, [n - 1], fewer)
    more = found + fewer[0]
    more[sums.UNITS] = n
    with pytest.raises(IdentityError, match=f"{one.unit} results of all units"):
        invariants.check(one, [n], more[None])


def test_a_block_of_another_shape_is_noticed(sound):
    one, found = sound
    for units, wrong in (
        ([one.batch] * 2, found[None]),
        ([one.batch], found[None, :-1]),
        ([], found[None]),
    ):
        with pytest.raises(IdentityError, match="came back as an array of shape"):
            invariants.check(one, units, wrong)


def test_one_bad_row_among_many_is_noticed(sound):
    one, found = sound
    many = np.stack([found] * 9)
    invariants.check(one, [one.batch] * 9, many)
    many[5, sums.SUM] += 1
    with pytest.raises(IdentityError):
        invariants.check(one, [one.batch] * 9, many)


# What becomes of it


def lying(monkeypatch, from_unit):
    """Make the engine report one deal too many from some unit on."""
    play = kernel.play

    def wrong(one, first, units):
        found = play(one, first, units)
        found[:, sums.SUM] += first + units > from_unit
        return found

    monkeypatch.setattr(kernel, "play", wrong)


@pytest.mark.parametrize("team", [SerialTeam, lambda: Threads(2)])
def test_a_bad_block_is_dropped_and_earlier_blocks_are_kept(monkeypatch, team):
    lying(monkeypatch, 7500)
    with opened(None, {}) as ledger:
        with pytest.raises(IdentityError) as error:
            runner.run(
                [Task(parse_matchup("gold", "simple", "standard", 1, "deal"), 40_000)],
                ledger,
                team(),
            )
        kept = {batch for batch, _ in ledger.finished(0, 1000)}
        assert 0 in kept and not any(batch >= 7 for batch in kept)
        invariants.check(
            parse_matchup("gold", "simple", "standard", 1, "deal"),
            [1000] * len(kept),
            ledger.rows(0, 1000 * len(kept), 1000),
        )
    who = "here" if team is SerialTeam else r"thread \d"
    assert error.match(
        rf"^gold v simple \(standard\), units from \d+000 on, played by {who}: deal "
        rf"results of all units: \d+ and \d+ in a batch of"
    )
    assert str(error.value).endswith(
        "Nothing of this block was kept. Run `simgin doctor`; if it happens again, "
        "please report it."
    )


def test_a_bad_block_ends_the_command_with_a_sentence(monkeypatch, tmp_path):
    lying(monkeypatch, 0)
    found = CliRunner().invoke(
        cli, ["match", "gold", "--deals", "5000", "-o", str(tmp_path / "out")], prog_name="simgin"
    )
    assert (found.exit_code, found.stdout) == (2, "")
    assert re.match(
        r"simgin: gold v simple \(standard\), units from \d+ on, played by thread ", found.stderr
    )
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["ledger.sqlite"]

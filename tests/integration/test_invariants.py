"""Tests for any variant, strategies and seed: swapped sides, blocks, and idle parameters."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simgin.core import batch_columns
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.rules import variants
from simgin.rules.parameters import rule_parameters
from support.variant_lists import TWO_PLAYER, UNUSUAL, possible_values, strategy

MARGINS = ("a_margin", "a_match_margin", "a_settlement")  # A's lead over B
WITHOUT_NOISE = ("gold", "gin-only", "gold-early", "gold-at")
WITHOUT_NOISE += ("gold+take=never", "gold+discard=loose-high")
a_row = st.sampled_from(tuple(dict.fromkeys((*UNUSUAL, *TWO_PLAYER))))
a_strategy = st.sampled_from(WITHOUT_NOISE)
a_seed, a_unit = st.integers(0, 2**64 - 1), st.sampled_from(("deal", "match"))


def read_fact(row, name, start=batch_columns.COL_SUM):
    return int(row[start + batch_columns.FACT_INDEX[name]])


@settings(max_examples=40)
@given(a_row, a_strategy, a_strategy, a_seed, a_unit)
def test_swapping_the_strategies_swaps_the_sides(row, a, b, seed, unit):
    """Compare every sum with that of the other side; margins change their sign."""
    assume(a != b)
    n = 20 if unit == "match" else 150
    one, other = (
        kernel.play_batches(parse_matchup(*pair, row, seed, unit), 0, n)[0]
        for pair in ((a, b), (b, a))
    )
    for start in (batch_columns.COL_SUM, batch_columns.COL_SQUARE, batch_columns.COL_CROSS):
        for name in batch_columns.FACT_NAMES:
            sign = -1 if name in MARGINS and start != batch_columns.COL_SQUARE else 1
            theirs = sign * read_fact(other, swap_sides(name), start)
            assert read_fact(one, name, start) == theirs, name
    pairs = slice(batch_columns.COL_PAIR_HISTOGRAM, batch_columns.COL_DEAL_SQUARE)
    other[pairs] = other[pairs][::-1]
    assert (
        one[batch_columns.COL_TURNS_HISTOGRAM :] == other[batch_columns.COL_TURNS_HISTOGRAM :]
    ).all()


def swap_sides(name):
    """Return the name of the same fact with A and B swapped."""
    if name in MARGINS or name[:2] not in ("a_", "b_"):
        return name
    return ("b_" if name[0] == "a" else "a_") + name[2:]


PAIRS = (("stray", "shooter-same"), ("gold", "simple"))
ROWS = (*TWO_PLAYER, *UNUSUAL)


def play_rows(text, pair=PAIRS[0], unit="deal", n=60):
    """Return the batch rows of n deals, or of a third as many matches, as bytes."""
    game = Matchup(variants.find_variant(text), *map(strategy, pair), 12, unit)
    return kernel.play_batches(game, 0, n // 3 if unit == "match" else n).tobytes()


def write_spec(settings):
    return "".join(
        f"+{name}={rule_parameters()[name].to_text(value)}" for name, value in settings.items()
    )


def list_idle_parameters(row):
    """Return every parameter without effect in a row, and the other values it could have there."""
    found = {}
    for name, parameter in rule_parameters().items():
        if parameter.status == "descriptive" or not parameter.has_effect(row):
            others = [value for value in other_values(parameter) if value != row[name]]
            found[name] = [value for value in others if not variants.validate({**row, name: value})]
    return {name: values for name, values in found.items() if values}


def other_values(parameter):
    others = {"table": [[[200, 2]]], "pair": [[60, 40]]}
    return others.get(parameter.kind) or possible_values(parameter)


@pytest.mark.parametrize("text", ROWS)
def test_idle_parameters_change_nothing_together(text):
    """Set each parameter to its first, then to its last alternative value."""
    row = variants.find_variant(text).params
    others = list_idle_parameters(row)
    assert len(others) >= 20
    for end in (0, -1):
        changed = text + write_spec({name: values[end] for name, values in others.items()})
        assert play_rows(changed, unit="match") == play_rows(text, unit="match")

"""For any variant, strategies and seed: exchanged sides, blocks, and parameters without effect."""

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


def fact(row, name, start=batch_columns.COL_SUM):
    return int(row[start + batch_columns.FACT_INDEX[name]])


@settings(max_examples=40)
@given(a_row, a_strategy, a_strategy, a_seed, a_unit)
def test_exchanging_the_strategies_exchanges_the_sides(row, a, b, seed, unit):
    """Every sum of one side is the other's, and every margin changes its sign."""
    assume(a != b)
    n = 20 if unit == "match" else 150
    one, other = (
        kernel.play_batches(parse_matchup(*pair, row, seed, unit), 0, n)[0]
        for pair in ((a, b), (b, a))
    )
    for start in (batch_columns.COL_SUM, batch_columns.COL_SQUARE, batch_columns.COL_CROSS):
        for name in batch_columns.FACT_NAMES:
            sign = -1 if name in MARGINS and start != batch_columns.COL_SQUARE else 1
            theirs = sign * fact(other, seen_by_the_other(name), start)
            assert fact(one, name, start) == theirs, name
    pairs = slice(batch_columns.COL_PAIR_HISTOGRAM, batch_columns.COL_DEAL_SQUARE)
    other[pairs] = other[pairs][::-1]
    assert (
        one[batch_columns.COL_TURNS_HISTOGRAM :] == other[batch_columns.COL_TURNS_HISTOGRAM :]
    ).all()


def seen_by_the_other(name):
    """The name of the same fact with A and B exchanged."""
    if name in MARGINS or name[:2] not in ("a_", "b_"):
        return name
    return ("b_" if name[0] == "a" else "a_") + name[2:]


PAIRS = (("stray", "shooter-same"), ("gold", "simple"))
ROWS = (*TWO_PLAYER, *UNUSUAL)


def rows_of(text, pair=PAIRS[0], unit="deal", n=60):
    """The batch rows of n deals, or of a third as many matches, as bytes."""
    game = Matchup(variants.find_variant(text), *map(strategy, pair), 12, unit)
    return kernel.play_batches(game, 0, n // 3 if unit == "match" else n).tobytes()


def written(settings):
    return "".join(
        f"+{name}={rule_parameters()[name].to_text(value)}" for name, value in settings.items()
    )


def idle(row):
    """Every parameter without effect in a row, and the other values it could have there."""
    found = {}
    for name, parameter in rule_parameters().items():
        if parameter.status == "descriptive" or not parameter.has_effect(row):
            others = [value for value in alternatives(parameter) if value != row[name]]
            found[name] = [value for value in others if not variants.validate({**row, name: value})]
    return {name: values for name, values in found.items() if values}


def alternatives(parameter):
    others = {"table": [[[200, 2]]], "pair": [[60, 40]]}
    return others.get(parameter.kind) or possible_values(parameter)


@pytest.mark.parametrize("text", ROWS)
def test_idle_parameters_change_nothing_together(text):
    """Each with its first and then its last other value."""
    row = variants.find_variant(text).params
    others = idle(row)
    assert len(others) >= 20
    for end in (0, -1):
        changed = text + written({name: values[end] for name, values in others.items()})
        assert rows_of(changed, unit="match") == rows_of(text, unit="match")

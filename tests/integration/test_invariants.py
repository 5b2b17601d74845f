"""Tests of results after swapping the strategies or changing parameters without effect."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from simgin.core import batch_columns
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.rules import variants
from simgin.rules.parameters import load_rule_parameters
from support.variant_lists import (
    TWO_PLAYER_VARIANTS,
    UNUSUAL_VARIANTS,
    find_test_strategy,
    list_parameter_values,
)

MARGIN_STATISTICS = ("a_margin", "a_match_margin", "a_settlement")  # A's lead over B
DETERMINISTIC_STRATEGIES = ("gold", "gin-only", "gold-early", "gold-at")
DETERMINISTIC_STRATEGIES += ("gold+take=never", "gold+discard=loose-high")
variant_specs = st.sampled_from(tuple(dict.fromkeys((*UNUSUAL_VARIANTS, *TWO_PLAYER_VARIANTS))))
strategy_specs = st.sampled_from(DETERMINISTIC_STRATEGIES)
seeds, unit_names = st.integers(0, 2**64 - 1), st.sampled_from(("deal", "match"))


def read_statistic(row, name, start_column=batch_columns.SUMS_START):
    """Read the sum, the square or the product of a statistic, selected by the start column."""
    return int(row[start_column + batch_columns.STATISTIC_INDEX[name]])


@settings(max_examples=40)
@given(variant_specs, strategy_specs, strategy_specs, seeds, unit_names)
def test_swapping_the_strategies_swaps_their_results(variant, a, b, seed, unit):
    """Expect each statistic of A to become that of B, and margins to change their sign."""
    assume(a != b)
    n = 20 if unit == "match" else 150
    batch, swapped_batch = (
        kernel.play_batches(parse_matchup(*pair, variant, seed, unit), 0, n)[0]
        for pair in ((a, b), (b, a))
    )
    for start in (
        batch_columns.SUMS_START,
        batch_columns.SQUARES_START,
        batch_columns.PRODUCTS_START,
    ):
        for name in batch_columns.STATISTIC_NAMES:
            sign = -1 if name in MARGIN_STATISTICS and start != batch_columns.SQUARES_START else 1
            expected = sign * read_statistic(swapped_batch, swap_side_prefix(name), start)
            assert read_statistic(batch, name, start) == expected, name
    pairs = slice(batch_columns.WIN_RATE_HISTOGRAM_START, batch_columns.SQUARED_DEAL_MARGIN_COLUMN)
    swapped_batch[pairs] = swapped_batch[pairs][::-1]
    assert (
        batch[batch_columns.TURNS_HISTOGRAM_START :]
        == swapped_batch[batch_columns.TURNS_HISTOGRAM_START :]
    ).all()


def swap_side_prefix(name):
    """Return the name of the same statistic with A and B swapped."""
    if name in MARGIN_STATISTICS or name[:2] not in ("a_", "b_"):
        return name
    return ("b_" if name[0] == "a" else "a_") + name[2:]


VARIANTS = (*TWO_PLAYER_VARIANTS, *UNUSUAL_VARIANTS)


def play_matches(variant_spec):
    """Play 20 matches of a variant, and return their batch rows as bytes."""
    players = find_test_strategy("stray"), find_test_strategy("shooter-same")
    matchup = Matchup(variants.find_variant(variant_spec), *players, 12, "match")
    return kernel.play_batches(matchup, 0, 20).tobytes()


def format_rule_changes(settings):
    return "".join(
        f"+{name}={load_rule_parameters()[name].to_text(value)}" for name, value in settings.items()
    )


def list_idle_parameters(params):
    """Return each parameter without effect, with its other valid values."""
    idle_values = {}
    for name, parameter in load_rule_parameters().items():
        if parameter.status == "descriptive" or not parameter.has_effect(params):
            other_values = [
                value for value in list_possible_values(parameter) if value != params[name]
            ]
            idle_values[name] = [
                value
                for value in other_values
                if not variants.validate_params({**params, name: value})
            ]
    return {name: values for name, values in idle_values.items() if values}


def list_possible_values(parameter):
    special_values = {"table": [[[200, 2]]], "pair": [[60, 40]]}
    return special_values.get(parameter.value_type) or list_parameter_values(parameter)


@pytest.mark.parametrize("variant_spec", VARIANTS)
def test_idle_parameters_do_not_change_the_results(variant_spec):
    """Set every idle parameter to one other value, and then to another."""
    params = variants.find_variant(variant_spec).params
    idle_values = list_idle_parameters(params)
    assert len(idle_values) >= 20
    for index in (0, -1):
        changed = variant_spec + format_rule_changes(
            {name: values[index] for name, values in idle_values.items()}
        )
        assert play_matches(changed) == play_matches(variant_spec)

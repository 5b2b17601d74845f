"""A parameter without effect changes no sum, byte for byte (rules.md 14, exact claims).

No code asks for the name of a variant, and a parameter with an effect shows it.
"""

import pytest

from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.rules.parameters import parameters
from support.variant_lists import TWO_PLAYER, UNUSUAL, deals_of, possible, strategy

PAIRS = (("stray", "shooter-same"), ("gold", "simple"))
ROWS = (*TWO_PLAYER, *UNUSUAL)
STANDARD = variants.find("standard")


def sums(text, pair=PAIRS[0], unit="deal", n=60):
    """The batch rows of n deals, or of a third as many matches, as bytes."""
    game = Matchup(variants.find(text), *map(strategy, pair), 12, unit)
    return kernel.play(game, 0, n // 3 if unit == "match" else n).tobytes()


def written(settings):
    return "".join(f"+{name}={parameters()[name].write(value)}" for name, value in settings.items())


def differences(name):
    """What a variant changes in standard, and to what."""
    return {
        parameter: value
        for parameter, _, value in variants.difference(STANDARD, variants.find(name))
    }


@pytest.mark.parametrize("name", [name for name in TWO_PLAYER if differences(name)])
def test_a_variant_with_a_difference_reset_is_standard_with_the_others(name):
    """It also plays like it."""
    for parameter in differences(name):
        others = {other: value for other, value in differences(name).items() if other != parameter}
        row = {**STANDARD.row, **others}
        if variants.validate(row):
            assert parameter == "goal" and row["die"] != "off"  # the die depends on the goal
            continue
        less = name + written({parameter: parameters()[parameter].default})
        more = "standard" + written(others)
        assert variants.find(less).row == variants.find(more).row == row
        for unit in ("deal", "match"):
            assert sums(less, unit=unit) == sums(more, unit=unit)


def idle(row):
    """Every parameter without effect in a row, and the other values it could have there."""
    found = {}
    for name, parameter in parameters().items():
        if parameter.status == "descriptive" or not parameter.acts(row):
            others = [value for value in alternatives(parameter) if value != row[name]]
            found[name] = [value for value in others if not variants.validate({**row, name: value})]
    return {name: values for name, values in found.items() if values}


def alternatives(parameter):
    others = {"table": [[[200, 2]]], "pair": [[60, 40]]}
    return others.get(parameter.kind) or possible(parameter)


@pytest.mark.parametrize("text", ROWS)
def test_idle_parameters_change_nothing_together(text):
    """Each with its first and then its last other value."""
    row = variants.find(text).row
    others = idle(row)
    assert len(others) >= 20
    for end in (0, -1):
        changed = text + written({name: values[end] for name, values in others.items()})
        assert sums(changed, unit="match") == sums(text, unit="match")


OF_MATCHES = [
    name for name, parameter in parameters().items() if parameter.section in ("match", "stake")
]


@pytest.mark.parametrize(
    "name", [name for name in OF_MATCHES if name != "first_dealer"]
)  # who deals decides who begins with which hand
def test_match_parameters_do_not_change_single_deals(name):
    """Next dealer, target, scores.

    A single deal without a shot knows nothing of them, and no strategy here looks at them.
    """
    for value in alternatives(parameters()[name]):
        row = {**STANDARD.row, name: value}
        if (
            not variants.validate(row)
            and row == variants.find(deals_of("standard" + written({name: value}))).row
        ):
            for pair in PAIRS[name == "start_points" :]:  # a shooter looks at his points
                assert sums("standard" + written({name: value}), pair) == sums("standard", pair), (
                    value
                )

"""What this version plays: one sentence a game, values as people write them, and nothing for settings without effect."""

import subprocess
import sys

import pytest

from simgin import played, rules, variants

STANDARD = variants.find("standard").row


@pytest.mark.parametrize("name", ["standard", "eaai", "oklahoma", "shot", "rainbow", "rush", "straight", "tedesco"])
def test_played(name):
    row = variants.find(name).row
    assert played.missing(row) == [] and played.not_played(name, row) == ""


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("hollywood", "goal = columns is missing."),
        ("dice", "goal = deals and die = deal are missing."),
        (
            "standard+box_bonus=5+game_bonus=100+die=off+shutout=double_all",
            "game_bonus = 100, box_bonus = 5 and shutout = double_all are missing.",
        ),
    ],
)
def test_not_played(name, sentence):
    variant = variants.find(name)
    said = played.not_played(name, variant.row)
    assert said == f"{name} is not played by this version of simgin yet: {sentence}"
    with pytest.raises(variants.VariantError) as error:
        rules.build(variant)
    assert error.value.sentences == [played.not_played(variant.text, variant.row)]


@pytest.mark.parametrize("value", [None, 20, "double_all"])
def test_settings_without_effect_do_not_count(value):
    name = "shutout" if isinstance(value, str) else "game_bonus"
    assert played.missing({**STANDARD, "goal": "single", name: value}) == []
    rules.of_row({**STANDARD, "goal": "single", name: value})


def test_what_is_played_are_values_of_the_parameters():
    for name, values in played.PLAYED.items():
        assert all(variants.parameters()[name].fault(value) == "" for value in values)


def test_the_import_is_light():
    code = "import sys, simgin.commands.variants; assert not {'numba', 'numpy', 'pandas', 'rich'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

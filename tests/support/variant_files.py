"""Write variant files for tests, and return the messages with which simgin rejects a variant."""

from pathlib import Path

import pytest

from simgin.rules.variants import VariantError, find_variant

CLUB_VARIANT_TOML = """
[variants.club]
title = "Club rules"
about = "Oklahoma with a bigger bonus."
source = "Thursdays"
base = "oklahoma+rainbow"
[variants.club.changes]
gin_bonus = 30
big_gin = true
start_points = [0, 10]
"""
DEN_VARIANT_TOML = """
[variants.den]
title = "Den rules"
about = "Games in won games."
[variants.den.changes]
goal = "games"
game_table = [[30, 4], [120, 1]]
points_target = "121"
shutout = "-"
layoff = "no"
"""


def write_variant_file(toml, name="mine.toml"):
    """Write a file below the working directory and return its name."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(toml if isinstance(toml, bytes) else toml.encode())
    return name


def get_variant_errors(spec):
    """Return the messages with which simgin rejects a variant."""
    with pytest.raises(VariantError) as error:
        find_variant(spec)
    assert str(error.value) == "\n".join(error.value.messages)
    return error.value.messages

"""Tests that every built-in strategy plays the same on a CPU without extensions."""

import json
import os
import subprocess
import sys

import pytest

from simgin.strategy import loader

CODE = """
import hashlib, json
from simgin.play import kernel
from simgin.play.matchup import parse_matchup
from simgin.rules import variants
from simgin.strategy import loader
digests = {}
for name in loader.list_built_in():
    for variant in ("standard", "solitary-gin"):
        opponent = None if variant == "solitary-gin" else "simple"
        try:
            matchup = parse_matchup(name, opponent, variant, 5, "deal")
            rows = kernel.play_batches(matchup, 0, 40)
        except ValueError as error:
            digests[f"{name} {variant}"] = str(error)
            continue
        digests[f"{name} {variant}"] = hashlib.sha256(rows.tobytes()).hexdigest()
print(json.dumps(digests))
"""
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def compute_digests(**variables):
    """Return the digest of some deals of every strategy, played in a separate process."""
    found = subprocess.run(
        [sys.executable, "-c", CODE],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **variables},
    )
    return json.loads(found.stdout)


@pytest.mark.slow
def test_every_strategy_plays_the_same_on_a_generic_processor(tmp_path):
    ours = compute_digests()
    generic = compute_digests(**GENERIC, SIMGIN_CACHE_DIR=str(tmp_path))
    assert ours == generic
    names = {key.partition(" ")[0] for key in ours}
    assert names == set(loader.list_built_in())
    played = [value for value in ours.values() if len(value) == 64]
    assert len(played) >= len(names) and len(set(played)) > len(names) / 2

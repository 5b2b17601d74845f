"""Tests that every built-in strategy plays the same on a CPU without extensions."""

import sys

import pytest

from simgin.strategy import loader
from support.deal_digests import compute_digests

GENERIC_CPU_ENVIRONMENT = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


@pytest.mark.slow
def test_every_strategy_plays_the_same_on_a_generic_cpu(tmp_path):
    native = compute_digests(sys.executable)
    generic = compute_digests(
        sys.executable, **GENERIC_CPU_ENVIRONMENT, SIMGIN_CACHE_DIR=str(tmp_path)
    )
    assert native == generic
    names = {key.partition(" ")[0] for key in native}
    assert names == set(loader.list_built_in_strategies())
    played = [value for value in native.values() if len(value) == 64]
    assert len(played) >= len(names) and len(set(played)) > len(names) / 2

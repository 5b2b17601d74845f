"""Policies with a source of chance or time of their own are refused: no deal could be repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from simgin.strategy import compiler, loader
from simgin.strategy.chance import find_source

BODY = """
import math
import os
import random
import time
from datetime import datetime
from random import random as chance
from numpy.random import rand
import numpy as np
import numpy.random as npr

from simgin.strategy import Strategy, take

GENERATOR = np.random.default_rng(1)

def helper():
    return {helper}

@take
def mine(view, rules, params):
    {statement}
    return int({expression} > 0.5)

STRATEGY = Strategy("mine", take=mine)
"""


def _write(folder: Path, **parts: str) -> Path:
    path = folder / "mine.py"
    parts = {"helper": "1.0", "statement": "pass", "expression": "1.0", **parts}
    path.write_text(BODY.format(**parts))
    return path


@pytest.mark.parametrize(
    ("expression", "source"),
    [
        ("random.random()", "random.random"),
        ("chance()", "chance"),
        ("rand()", "rand"),
        ("np.random.random()", "np.random.random"),
        ("npr.random()", "npr.random"),
        ("GENERATOR.random()", "GENERATOR.random"),
        ("time.time()", "time.time"),
        ("datetime.now().second", "datetime.now"),
        ("len(os.urandom(1))", "os.urandom"),
    ],
)
@pytest.mark.parametrize("place", ["expression", "helper"])
def test_a_policy_with_chance_of_its_own_is_refused(
    tmp_path: Path, expression: str, source: str, place: str
) -> None:
    parts = {place: expression}
    if place == "helper":
        parts["expression"] = "helper()"
    policy = loader.find(str(_write(tmp_path, **parts))).take
    with pytest.raises(compiler.PolicyError) as refused:
        compiler.hook(policy)
    assert f"uses {source}, " in str(refused.value) and "view.noise" in str(refused.value)


@pytest.mark.parametrize("statement", ["import random", "from time import time", "import os.path"])
def test_an_import_inside_a_policy_counts(tmp_path: Path, statement: str) -> None:
    policy = loader.find(str(_write(tmp_path, statement=statement))).take
    assert find_source(policy.function) in ("random", "time", "os.path")


@pytest.mark.parametrize("expression", ["math.sqrt(2)", "np.abs(-1.0)", "helper()", "view.noise"])
def test_other_modules_and_the_noise_of_the_view_are_fine(tmp_path: Path, expression: str) -> None:
    policy = loader.find(str(_write(tmp_path, expression=expression))).take
    assert find_source(policy.function) == ""


def test_no_shipped_policy_has_chance_of_its_own() -> None:
    sources = {policy.name: find_source(policy.function) for policy in loader.policies()}
    assert set(sources.values()) == {""}, sources

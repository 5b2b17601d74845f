"""Tests of the weights files of policies."""

import os

import numpy as np
import pytest

from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader
from simgin.strategy.compiler import PolicyError
from simgin.strategy.strategy_spec import StrategyError

STRATEGY_CODE = """
from simgin.strategy import Strategy, knock
@knock(weights="w.npy")
def mine(view, rules, params):
    return 1
MINE = Strategy("mine", knock=mine)
"""


@pytest.fixture
def weighted_policy(tmp_path):
    """Write a strategy file and load its knock policy, which has a weights file."""
    (tmp_path / "mine.py").write_text(STRATEGY_CODE)
    return loader.find_strategy(str(tmp_path / "mine.py")).knock


@pytest.mark.parametrize(
    "array",
    [
        np.array([1 + 2j]),
        np.array(["2020-01-01"], "M8[D]"),
        np.array([5], "m8[s]"),
        np.array(["1.5"]),
        np.array([b"1.5"]),
        np.array([1, np.nan]),
        np.zeros(2, "i4,f8"),
    ],
    ids=lambda array: str(array.dtype),
)
def test_weights_that_are_not_real_numbers_are_rejected(weighted_policy, array):
    np.save(weighted_policy.weights, array)
    message = r"in mine\.py cannot use the weights in .*w\.npy: the file is not an array of real"
    with pytest.raises(PolicyError, match=message):
        compiler.make_parameter_vector(weighted_policy)


@pytest.mark.parametrize(
    "corruption", [b"", b"x", b"PK\3\4", b"\x93NUMPY\1\0", None, "cut", "folder"]
)
def test_corrupt_weights_file_is_rejected(weighted_policy, corruption):
    np.save(weighted_policy.weights, np.arange(50.0))
    valid_content = weighted_policy.weights.read_bytes()
    weighted_policy.weights.unlink()
    if corruption == "folder":
        weighted_policy.weights.mkdir()
    elif corruption is not None:
        weighted_policy.weights.write_bytes(
            valid_content[:-9] if corruption == "cut" else corruption
        )
    with pytest.raises(PolicyError, match=r"\.$"):
        compiler.make_parameter_vector(weighted_policy)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8"])
def test_weights_of_any_real_type_are_read(weighted_policy, dtype):
    np.save(weighted_policy.weights, np.array([[0, 1]], dtype))
    assert compiler.make_parameter_vector(weighted_policy).tolist() == [0, 1]


def test_nan_as_initial_weight_is_rejected(tmp_path):
    start = 'weights="w.npy", describe=print, start={"deadwood": float("nan")}'
    code = STRATEGY_CODE.replace('weights="w.npy"', start).replace("knock", "discard")
    (tmp_path / "mine.py").write_text(code)
    with pytest.raises(
        ValueError, match="the initial weight of 'deadwood' must be a number, not NaN"
    ):
        loader.find_strategy(str(tmp_path / "mine.py"))


RULES_WEIGHTS_CODE = STRATEGY_CODE.replace(
    '@knock(weights="w.npy")',
    "def scale(weights, factors, rules):\n"
    "    return weights * factors[0] if rules.gin_bonus == 50 else weights\n\n\n"
    '@knock(weights="w.npy", rules_weights="f.npy", for_rules=scale)',
)


def test_weights_can_depend_on_the_rules(tmp_path):
    (tmp_path / "mine.py").write_text(RULES_WEIGHTS_CODE)
    for name, weights in (("w", [1.0, 2.0]), ("f", [3.0])):
        np.save(tmp_path / f"{name}.npy", weights)
    strategy = loader.find_strategy(str(tmp_path / "mine.py"))
    vectors = []
    for name in ("standard", "standard+gin_bonus=50"):
        rules = build_rules(variants.find_variant(name))
        vectors.append(compiler.make_parameter_vector(strategy.knock, rules).tolist())
    assert vectors == [[1, 2], [3, 6]]
    assert compiler.make_parameter_vector(strategy.knock).tolist() == [1, 2]
    assert {"w.npy", "f.npy"} <= {path.name for path in loader.find_source_files(strategy)}


def test_changed_weights_file_is_adapted_again(tmp_path):
    (tmp_path / "mine.py").write_text(RULES_WEIGHTS_CODE)
    rules = build_rules(variants.find_variant("standard+gin_bonus=50"))
    strategy = loader.find_strategy(str(tmp_path / "mine.py"))
    vectors = []
    for i, (weights, factor) in enumerate((([1.0, 2.0], 3.0), ([1.0, 2.0], 4.0), ([5.0], 4.0))):
        for name, array in (("w", weights), ("f", [factor])):
            np.save(tmp_path / f"{name}.npy", array)
            os.utime(tmp_path / f"{name}.npy", (i, i))
        vectors += [compiler.make_parameter_vector(strategy.knock, rules) for _ in range(2)]
    assert [vector.tolist() for vector in vectors] == [[3, 6]] * 2 + [[4, 8]] * 2 + [[20]] * 2
    assert not any(vector.flags.writeable for vector in vectors)


def test_function_for_the_rules_requires_a_weights_file(tmp_path):
    (tmp_path / "mine.py").write_text(RULES_WEIGHTS_CODE.replace('rules_weights="f.npy", ', ""))
    with pytest.raises(StrategyError, match="can only be used together"):
        loader.find_strategy(str(tmp_path / "mine.py"))

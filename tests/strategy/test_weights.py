"""The numbers of a policy that lie in a file: real ones, none of them NaN."""

import numpy as np
import pytest

from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader
from simgin.strategy.compiler import PolicyError
from simgin.strategy.strategy_spec import StrategyError

MINE = """
from simgin.strategy import Strategy, knock
@knock(weights="w.npy")
def mine(view, rules, params):
    return 1
MINE = Strategy("mine", knock=mine)
"""


@pytest.fixture
def policy(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
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
def test_an_invalid_real_number_is_rejected(policy, array):
    np.save(policy.weights, array)
    told = r"in mine\.py cannot use the weights in .*w\.npy: the file is not an array of real"
    with pytest.raises(PolicyError, match=told):
        compiler.make_parameter_vector(policy)


@pytest.mark.parametrize("damage", [b"", b"x", b"PK\3\4", b"\x93NUMPY\1\0", None, "cut", "folder"])
def test_an_invalid_file_is_rejected(policy, damage):
    np.save(policy.weights, np.arange(50.0))
    whole = policy.weights.read_bytes()
    policy.weights.unlink()
    if damage == "folder":
        policy.weights.mkdir()
    elif damage is not None:
        policy.weights.write_bytes(whole[:-9] if damage == "cut" else damage)
    with pytest.raises(PolicyError, match=r"\.$"):
        compiler.make_parameter_vector(policy)


@pytest.mark.parametrize("kind", ["?", "i1", "u8", "f2", "f4", "f8"])
def test_real_numbers_of_any_kind_are_read(policy, kind):
    np.save(policy.weights, np.array([[0, 1]], kind))
    assert compiler.make_parameter_vector(policy).tolist() == [0, 1]


def test_nothing_is_trained_from_nan(tmp_path):
    start = 'weights="w.npy", describe=print, start={"deadwood": float("nan")}'
    text = MINE.replace('weights="w.npy"', start).replace("knock", "discard")
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(
        ValueError, match="the initial weight of 'deadwood' must be a number, not NaN"
    ):
        loader.find_strategy(str(tmp_path / "mine.py"))


BY_RULES = MINE.replace(
    '@knock(weights="w.npy")',
    "def scale(weights, factors, rules):\n"
    "    return weights * factors[0] if rules.gin_bonus == 50 else weights\n\n\n"
    '@knock(weights="w.npy", rules_weights="f.npy", for_rules=scale)',
)


def test_weights_can_depend_on_the_rules(tmp_path):
    """Other weights do not depend on them."""
    (tmp_path / "mine.py").write_text(BY_RULES)
    for name, numbers in (("w", [1.0, 2.0]), ("f", [3.0])):
        np.save(tmp_path / f"{name}.npy", numbers)
    mine = loader.find_strategy(str(tmp_path / "mine.py"))
    found = []
    for name in ("standard", "standard+gin_bonus=50"):
        rules = build_rules(variants.find_variant(name))
        found.append(compiler.make_parameter_vector(mine.knock, rules).tolist())
    assert found == [[1, 2], [3, 6]]
    assert compiler.make_parameter_vector(mine.knock).tolist() == [1, 2]
    assert {"w.npy", "f.npy"} <= {path.name for path in loader.find_source_files(mine)}


def test_a_function_for_the_rules_needs_its_file(tmp_path):
    (tmp_path / "mine.py").write_text(BY_RULES.replace('rules_weights="f.npy", ', ""))
    with pytest.raises(StrategyError, match="can only be used together"):
        loader.find_strategy(str(tmp_path / "mine.py"))

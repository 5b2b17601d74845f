"""Tests of names, files and specs of strategies."""

import sys

import numpy as np
import pytest

from simgin.strategy import compiler, loader, strategy_spec
from simgin.strategy.loader import find_strategy
from simgin.strategy.strategy_spec import StrategyError
from simgin.text.files import NewFileError, create_file

CARD_SLOTS = ("take", "discard", "knock")
IMPORTS_CODE = "from simgin.strategy import *\nfrom simgin.toolkit import *\n"


def write_strategy(folder, body, name="mine.py"):
    path = folder / name
    path.write_text(IMPORTS_CODE + body)
    return str(path)


@pytest.mark.parametrize(
    ("spec", "canonical"),
    [
        ("gold", "gold"),
        ("gold-early:k=7", "gold-early:k=7"),
        ("simple+knock=at:k=4", "simple+knock=at:k=4"),
        ("simple+knock=at:k=10", "simple"),
        ("simple+knock=gold-at", "simple+knock=at:k=4"),
        ("gold+discard=low:tie=random", "gold+discard=low:tie=random"),
        ("gold:k=3+knock=early", "gold+knock=early"),
        ("gold+knock=schedule:late=2,early=9", "gold+knock=schedule:early=9,late=2"),
        ("random:p=0.25,p_end=1", "random:p=0.25,p_end=1"),
    ],
)
def test_strategy_has_a_canonical_spec(spec, canonical):
    assert find_strategy(spec).spec == canonical
    assert find_strategy(canonical).spec == canonical


def test_strategy_file_can_be_named_by_path(tmp_path):
    body = "@discard\ndef low(view, rules, params):\n    return lowest_bit(view.legal)\n"
    path = write_strategy(tmp_path, body + "S = Strategy('mine', discard=low)\n")
    strategy = find_strategy(path)
    names = strategy.spec, strategy.policy("take").name, strategy.policy("knock").name
    assert names == (path, "lower", "at")
    assert find_strategy(f"{path}#mine").policy("discard") == strategy.policy("discard")
    assert find_strategy(f"gold+discard={path}#low").spec == f"gold+discard={path}#low"
    assert find_strategy(find_strategy(f"gold+discard={path}").spec).policy("discard").name == "low"


@pytest.mark.parametrize("spec", ["{}", "{}#mine", "gold+knock={}#quick"])
def test_canonical_spec_does_not_depend_on_the_spelling_of_a_path(tmp_path, monkeypatch, spec):
    monkeypatch.chdir(tmp_path)
    body = "@knock\ndef quick(view, rules, params):\n    return True\n"
    write_strategy(tmp_path, body + "S = Strategy('mine', knock=quick)\n")
    paths = ("mine.py", "./mine.py", ".//mine.py")
    assert len({find_strategy(spec.format(path)).spec for path in paths}) == 1


SHARED_PARAMETER_CODE = """n = param(64, 1, 999)
@take(n=n)
def both(view, rules, params):
    return 0
@discard(n=n)
def both_too(view, rules, params):
    return lowest_bit(view.legal)
S = Strategy('mine', take=both, discard=both_too)
"""


def test_parameter_shared_by_policies_is_set_once(tmp_path):
    path = write_strategy(tmp_path, SHARED_PARAMETER_CODE)
    strategy = find_strategy(f"{path}:n=8")
    assert strategy.spec == f"{path}:n=8"
    assert [strategy.policy(slot).params["n"].default for slot in ("take", "discard")] == [8, 8]
    for take in ("never", f"{path}#both", f"{path}#both:n=9"):
        spec = f"{path}:n=8+take={take}"
        for slot in ("take", "discard"):
            assert find_strategy(find_strategy(spec).spec).policy(slot) == find_strategy(
                spec
            ).policy(slot)
    path = write_strategy(
        tmp_path,
        SHARED_PARAMETER_CODE.replace("@discard(n=n)", "@discard(n=param(3, 1, 999))"),
        "b.py",
    )
    message = r"different parameters 'n'. Specify the slot: \+take=both:n=... or \+discard="
    with pytest.raises(StrategyError, match=message):
        find_strategy(f"{path}:n=8")


def test_file_of_values_can_be_combined_with_other_values(tmp_path):
    file = tmp_path / "values.toml"
    file.write_text("[knock]\nk = 3\n")
    for spec, canonical in (
        ("random:p=0.25+knock=at", "random:p=0.25+knock=at:k=3"),
        ("gold+discard=low:tie=random", "gold:k=3+discard=low:tie=random"),
        # The strategy's k applies to a policy that the spec replaces.
        ("gold:k=7+knock=early", "gold+knock=early:k=3"),
    ):
        assert find_strategy(f"{spec}@{file}").spec == canonical
    with pytest.raises(StrategyError, match=r"parameter k is given twice: k=7 in .* and k=3 in"):
        find_strategy(f"gold:k=7@{file}")


def test_files_of_the_same_name_are_separate_strategies(tmp_path):
    for folder in ("0", "1"):
        (tmp_path / folder).mkdir()
        body = f"@discard\ndef mine(view, rules, params):\n    return {folder}\n"
        path = write_strategy(tmp_path / folder, body + "S = Strategy('mine', discard=mine)\n")
        assert find_strategy(path).discard.function(None, None, None) == int(folder)


def test_weights_are_appended_to_the_parameters(tmp_path):
    np.save(tmp_path / "w.npy", np.arange(4.0).reshape(2, 2))
    body = "@knock(weights='w.npy', k=param(3, 0, 9))\n"
    body += "def f(view, rules, params):\n    return params[0] > params[4]\n"
    strategy = find_strategy(write_strategy(tmp_path, body + "S = Strategy('mine', knock=f)\n"))
    vector = compiler.make_parameter_vector(strategy.policy("knock"))
    assert vector.tolist() == [3, 0, 1, 2, 3] and not vector.flags.writeable
    assert tmp_path / "w.npy" in loader.find_source_files(strategy)


def test_built_in_names_are_unique_and_documented():
    names = loader.list_strategies()
    assert len(set(names)) == len(names)
    for policy in loader.list_policies():
        assert policy.about, f"{policy.slot} policy {policy.name} has no docstring"
    for name in names:
        assert find_strategy(name).about, f"{name} does not say where it comes from"


def test_missing_helper_module_is_explained(tmp_path):
    (tmp_path / "helpers.py").write_text("limit = 3\n")
    path = write_strategy(tmp_path, "from helpers import limit\n")
    with pytest.raises(StrategyError) as error:
        find_strategy(path)
    assert "(line 3): ModuleNotFoundError: No module named 'helpers'. simgin does not" in str(
        error.value
    )
    assert str(error.value).endswith(
        "Move the code of helpers into mine.py, or install helpers with pip."
    )
    path = write_strategy(tmp_path, "import nowhere_to_be_found\n", "b.py")
    with pytest.raises(StrategyError, match=r"No module named 'nowhere_to_be_found'\.$"):
        find_strategy(path)


HELPER_MODULE_CODE = """from simgin.strategy import helper
from simgin.toolkit import lowest_bit
@helper
def choose(legal):
    return lowest_bit(legal)
"""
IMPORTING_CODE = """import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
from planted_helpers import choose
@discard
def low(view, rules, params):
    return choose(view.legal)
S = Strategy('mine', discard=low)
"""


def test_helper_module_on_the_search_path_is_part_of_the_digest(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", sys.path[:])
    (tmp_path / "planted_helpers.py").write_text(HELPER_MODULE_CODE)
    strategy = find_strategy(write_strategy(tmp_path, IMPORTING_CODE))
    assert tmp_path / "planted_helpers.py" in loader.find_source_files(strategy)


# `simgin strategies new`; checks/test_contract.py plays what it writes


def test_new_strategy_is_named_after_its_file_by_default(tmp_path):
    for file, name, expected in (("My idea 2.py", None, "my-idea-2"), ("_.py", "tidy", "tidy")):
        path = tmp_path / file
        create_file(path, strategy_spec.render_strategy_file(path, name))
        strategy = loader.find_strategy(str(path))
        assert strategy.name == expected
        assert {compiler.get_execution_mode(strategy.policy(slot)) for slot in CARD_SLOTS} == {
            "fast"
        }
    with pytest.raises(
        NewFileError,
        match=r"'My Idea' is not a valid strategy name.* Specify the name after the file name",
    ):
        strategy_spec.render_strategy_file(tmp_path / "mine.py", "My Idea")


def test_file_with_another_extension_is_rejected(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("gold")
    with pytest.raises(StrategyError, match=r"not a strategy file, .* does not end in \.py\."):
        find_strategy(str(file))

"""Tests that compiled policies are cached until a dependency changes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import int8, njit

from simgin.core import jit
from simgin.strategy import loader
from simgin.strategy.by_value import compute_fingerprint
from simgin.strategy.dependencies import find_nondeterminism

requires_compilation = pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")

STRATEGY_CODE = """
import os
from typing import NamedTuple
import numpy as np
import constants, sibling
from simgin.strategy import Strategy, discard, helper, param
from sibling import SHIFT, shifted
K = 3
TABLE = np.array([10, 20])
DATA = np.load("data.npy")
NUMBERS = (100, (200, 300))
SET = int(os.environ.get("SET", 50000))
class Costs(NamedTuple):
    low: int
    high: int
COSTS = Costs(2, 3)
@helper
def helped(x):
    return x + K
@discard(k=param(1000, 0, 10**9), weights="more.npy")
def mine(view, rules, params):
    own = helped(TABLE[1]) + NUMBERS[1][0] + SET + DATA[0]
    theirs = SHIFT + sibling.DEEP + shifted(1) + sibling.tripled(view.own_turn)
    return own + theirs + constants.FARTHER - 5 + COSTS.high - 3 + int(params[0] + params[1])
STRATEGY = Strategy("mine", discard=mine)
"""
IMPORTED_MODULE_CODE = """
from numba import njit
SHIFT, DEEP, FAR = 1, 2, 4
@njit
def shifted(x):
    return x + FAR
@njit
def tripled(x):
    return 3 * x
"""
RUN_POLICY_CODE = """
from simgin.core.view import create_view
from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.strategy import compiler, loader
policy = loader.find_strategy("mine.py").discard
hook = compiler.compile_policy(policy)
view = create_view()
view.own_turn = 7
rules = build_rules(variants.find_variant("standard"))
vector = compiler.make_parameter_vector(policy)
print(hook(view, rules, vector), sum(hook.stats.cache_hits.values()))
"""
EXPECTED_ACTION = (20 + 3) + 200 + 50000 + 0 + 1 + 2 + (1 + 4) + 3 * 7 + 1000 + 9


@pytest.fixture
def module_folder(tmp_path, monkeypatch):
    """Write a strategy file and the files that it reads."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("mine.py").write_text(STRATEGY_CODE)
    Path("sibling.py").write_text(IMPORTED_MODULE_CODE)
    Path("constants.py").write_text("FARTHER = 5")
    np.save("more.npy", np.array([9.0]))
    np.save("data.npy", np.array([0, 0]))
    return tmp_path


def run_policy(folder, **environment):
    """Run the policy in a new process, and return its action and the number of cache hits."""
    env = {**os.environ, "SIMGIN_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", RUN_POLICY_CODE]
    result = subprocess.run(
        command, env=env | environment, capture_output=True, text=True, check=True
    )
    action, hits = map(int, result.stdout.split())
    return action, hits


def load_policy(name):
    """Load the policy of a file again, with the modules next to it."""
    for module in ("constants", "sibling", "first_of_two", "second_of_two"):
        sys.modules.pop(module, None)
    loader._load_file.cache_clear()
    return loader.find_strategy(name).discard


@requires_compilation
def test_policy_is_compiled_again_only_after_a_change(module_folder):
    assert run_policy(module_folder, PYTHONDONTWRITEBYTECODE="") == (EXPECTED_ACTION, 0)
    assert run_policy(module_folder, PYTHONHASHSEED="7") == (
        EXPECTED_ACTION,
        1,
    )  # sibling is loaded from bytecode
    shutil.rmtree("__pycache__")
    Path("sibling.py").write_text(IMPORTED_MODULE_CODE.replace("1, 2, 4", "1, 2, 9"))
    assert run_policy(module_folder) == (EXPECTED_ACTION + 5, 0)
    Path("sibling.py").write_text(IMPORTED_MODULE_CODE)
    np.save("more.npy", np.array([13.0]))  # the parameters of a policy are not part of its code
    assert run_policy(module_folder) == (EXPECTED_ACTION + 4, 1)


@requires_compilation
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("mine.py", "K = 3", "K = 5"),
        ("mine.py", "return x + K", "return x + K + 1"),
        ("mine.py", "TABLE = np.array([10, 20])", "TABLE = np.array([10, 26])"),
        ("mine.py", "(200, 300)", "(207, 300)"),
        ("mine.py", "Costs(2, 3)", "Costs(2, 4)"),
        ("mine.py", "import os\n", "import os # a file may change how it is compiled\n"),
        ("sibling.py", "SHIFT, DEEP, FAR = 1, 2, 4", "SHIFT, DEEP, FAR = 1, 2, 9"),
        ("constants.py", "FARTHER = 5", "FARTHER = 6"),
        ("sibling.py", "return 3 * x", "return 4 * x"),
    ],
)
def test_change_of_a_dependency_changes_the_fingerprint(module_folder, name, old, new):
    before = compute_fingerprint(load_policy("mine.py").function)
    code = Path(name).read_text()
    assert old in code and len(before) == 16
    assert compute_fingerprint(load_policy("mine.py").function) == before
    Path(name).write_text(code.replace(old, new))
    for file in module_folder.glob("__pycache__/*"):
        file.unlink()
    assert compute_fingerprint(load_policy("mine.py").function) != before


@requires_compilation
def test_values_outside_the_code_are_dependencies(module_folder, monkeypatch):
    """Change constants from the environment and from a data file."""
    fingerprints = {"", compute_fingerprint(load_policy("mine.py").function)}
    monkeypatch.setenv("SET", "50006")
    fingerprints.add(compute_fingerprint(load_policy("mine.py").function))
    np.save("data.npy", np.array([1, 0]))
    assert len(fingerprints | {compute_fingerprint(load_policy("mine.py").function)}) == 4


@requires_compilation
def test_change_of_a_constant_changes_a_built_in_fingerprint(monkeypatch):
    from simgin_strategies import _champion

    policy, other_policy = (
        loader.find_strategy("champion").discard,
        loader.find_strategy("gold").discard,
    )
    before = compute_fingerprint(policy.function), compute_fingerprint(other_policy.function)
    monkeypatch.setattr(_champion, "FEATURES", _champion.FEATURES._replace(deadwood=12))
    assert compute_fingerprint(policy.function) not in ("", before[0])
    assert compute_fingerprint(other_policy.function) == before[1]
    assert Path(_champion.__file__) in loader.find_source_files(loader.find_strategy("champion"))


def test_built_in_policies_are_deterministic_and_cacheable():
    for policy in loader.list_policies():
        assert find_nondeterminism(policy.function) == "", policy.name
        assert jit.is_interpreted() or compute_fingerprint(policy.function), policy.name


def double(x):
    return 2 * x


@requires_compilation
def test_least_recently_used_policies_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "get_cache_directory", lambda: tmp_path)
    for i in range(jit.MAX_CACHED_POLICIES + 5):
        folder = tmp_path / jit.POLICY_FOLDER / f"{i:016x}"
        folder.mkdir(parents=True)
        (folder / jit.CACHE_TAG_FILE).write_text(jit.CACHE_TAG_CONTENT)
        os.utime(folder, (i, i))
    jit.compile_function(double, "int64(int64)", policy_digest="f" * 16)
    new_folder = tmp_path / jit.POLICY_FOLDER / ("f" * 16)
    remaining = {path.name for path in (tmp_path / jit.POLICY_FOLDER).iterdir()}
    newest, oldest = f"{jit.MAX_CACHED_POLICIES:016x}", f"{0:016x}"
    assert {new_folder.name, newest} < remaining and oldest not in remaining


IMPORTS_CODE = "from simgin.strategy import *\nimport numpy as np\nfrom math import sqrt\n"


def write_policy(prelude, expression):
    """Write and load a discard policy that returns an expression."""
    body = f"@discard\ndef one(view, rules, params):\n    return int({expression})\n"
    Path("one.py").write_text(
        IMPORTS_CODE + prelude + body + 'STRATEGY = Strategy("one", discard=one)\n'
    )
    return load_policy("one.py")


@requires_compilation
@pytest.mark.parametrize(
    ("prelude", "expression"),
    [("X = (n for n in [])\n", "next(X)"), ("import ctypes\nX = ctypes.CDLL(None).abs\n", "X(3)")],
)
def test_policies_with_unpicklable_values_are_not_cached(module_folder, prelude, expression):
    assert compute_fingerprint(write_policy(prelude, expression).function) == ""


@requires_compilation
@pytest.mark.parametrize(
    ("prelude", "expression"),
    [
        ("", "np.sqrt(view.hand) + sqrt(4) + np.int64(3) + abs(ACTION_TAKE) + len(params)"),
        ("from simgin import toolkit\n", "toolkit.popcount(view.hand)"),
        ("@helper\ndef f(n):\n    return 1 if n < 2 else n * f(n - 1)\n", "f(3)"),
        ("import first_of_two\n", "first_of_two.second_of_two.first_of_two.X"),
    ],
)
def test_policies_with_picklable_values_are_cached(module_folder, prelude, expression):
    Path("first_of_two.py").write_text("import second_of_two\nX = 1\n")
    Path("second_of_two.py").write_text("import first_of_two\nX = 2\n")
    assert len(compute_fingerprint(write_policy(prelude, expression).function)) == 16


SAME_NAMES_CODE = """
def made(n):
    @discard(name=f"made-{n}")
    def inner(view, rules, params):
        return n
    return inner
A = Strategy("a", discard=made(1))
C = Strategy("c", discard=discard(name="c")(lambda view, rules, params: 3))
@discard(name="d")
def twice(view, rules, params):
    return 4
D = Strategy("d", discard=twice)
@discard(name="e")
def twice(view, rules, params):
    return 5
"""


def test_functions_with_the_same_name_are_not_cached(module_folder):
    Path("nameless.py").write_text(IMPORTS_CODE + SAME_NAMES_CODE)
    for name in "acd":
        assert compute_fingerprint(load_policy(f"nameless.py#{name}").function) == ""


@requires_compilation
def test_fingerprints_distinguish_types_and_compiler_options(module_folder):
    function = write_policy("def same(n):\n    return n\nX = 1\n", "X(3)").function
    helper_function = function.__globals__["same"]
    fingerprints = set()
    values = (
        *(1, 1.0, True, np.int8(1), (1,), np.array([1]), np.array([1.0]), np.array([[1]])),
        *(
            njit(helper_function),
            njit(fastmath=True)(helper_function),
            njit("int64(int64)")(helper_function),
        ),
        *(njit("int64(int8)")(helper_function), njit(locals={"n": int8})(helper_function)),
    )
    for value in values:
        function.__globals__["X"] = value
        fingerprints.add(compute_fingerprint(function))
    assert len(fingerprints) == len(values) and "" not in fingerprints


@requires_compilation
def test_policies_are_not_cached_if_numba_was_extended(module_folder):
    """Register an extension, because numba does not record which extensions code uses."""
    extended = "from numba.extending import overload\n@overload(len)\ndef more(x): return None\n"
    Path("sibling.py").write_text(extended + IMPORTED_MODULE_CODE)
    code = "from simgin.strategy import by_value, loader\n"
    code += "policy = loader.find_strategy('mine.py').discard\n"
    code += "print(repr(by_value.compute_fingerprint(policy.function)))"
    command, env = [sys.executable, "-c", code], {**os.environ, "PYTHONPATH": "."}
    result = subprocess.run(command, capture_output=True, text=True, env=env)
    assert result.stdout == "''\n", result.stderr


# Random numbers and time

NONDETERMINISTIC_CODE_TEMPLATE = """
import math, os, random, time
from datetime import datetime
from random import random as chance
from simgin.strategy import Strategy, discard
import numpy as np
import numpy.random as npr
GENERATOR = np.random.default_rng(1)
def helper():
    return {}
@discard
def mine(view, rules, params):
    {}
    return int({} > 0.5)
STRATEGY = Strategy("mine", discard=mine)
"""


@pytest.mark.parametrize("in_helper", [False, True])
@pytest.mark.parametrize(
    ("expression", "source"),
    [
        ("random.random()", "random"),
        ("chance()", "chance"),
        ("npr.random()", "npr"),
        ("GENERATOR.random()", "GENERATOR"),
        ("time.time()", "time"),
        ("datetime.now().second", "datetime"),
        ("len(os.urandom(1))", "os"),
        ("hash('x')", "hash"),
        ("math.sqrt(2)", ""),
    ],
)
def test_random_numbers_and_times_are_detected(module_folder, expression, source, in_helper):
    parts = (expression, "pass", "helper()") if in_helper else ("1.0", "pass", expression)
    Path("mine.py").write_text(NONDETERMINISTIC_CODE_TEMPLATE.format(*parts))
    assert find_nondeterminism(load_policy("mine.py").function) == source


@pytest.mark.parametrize("statement", ["from time import time", "import os.path"])
def test_import_inside_a_policy_is_detected(module_folder, statement):
    Path("mine.py").write_text(NONDETERMINISTIC_CODE_TEMPLATE.format("1.0", statement, "1.0"))
    assert find_nondeterminism(load_policy("mine.py").function) in ("time", "os.path")

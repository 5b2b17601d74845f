"""Tests that compiled policies are cached until something that they read changes."""

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

compiled_only = pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")

MINE = """
import os
import numpy as np
import constants, sibling
from simgin.strategy import Strategy, discard, helper, param
from sibling import SHIFT, shifted
K = 3
TABLE = np.array([10, 20])
DATA = np.load("data.npy")
NUMBERS = (100, (200, 300))
SET = int(os.environ.get("SET", 50000))
@helper
def helped(x):
    return x + K
@discard(k=param(1000, 0, 10**9), weights="more.npy")
def mine(view, rules, params):
    own = helped(TABLE[1]) + NUMBERS[1][0] + SET + DATA[0]
    theirs = SHIFT + sibling.DEEP + shifted(1) + sibling.tripled(view.own_turn)
    return own + theirs + constants.FARTHER - 5 + int(params[0] + params[1])
STRATEGY = Strategy("mine", discard=mine)
"""
SIBLING = """
from numba import njit
SHIFT, DEEP, FAR = 1, 2, 4
@njit
def shifted(x):
    return x + FAR
@njit
def tripled(x):
    return 3 * x
"""
ASK = """
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
EXPECTED = (20 + 3) + 200 + 50000 + 0 + 1 + 2 + (1 + 4) + 3 * 7 + 1000 + 9


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("mine.py").write_text(MINE)
    Path("sibling.py").write_text(SIBLING)
    Path("constants.py").write_text("FARTHER = 5")
    np.save("more.npy", np.array([9.0]))
    np.save("data.npy", np.array([0, 0]))
    return tmp_path


def run_policy(place, **environment):
    """Return the action in a new process, and the number of functions loaded from the cache."""
    env = {**os.environ, "SIMGIN_CACHE_DIR": str(place / "cache"), "PYTHONPATH": str(place)}
    words = [sys.executable, "-c", ASK]
    done = subprocess.run(words, env=env | environment, capture_output=True, text=True, check=True)
    answer, hits = map(int, done.stdout.split())
    return answer, hits


def load_policy(name):
    """Load the policy of a file again, with the modules next to it."""
    for module in ("constants", "sibling", "first_of_two", "second_of_two"):
        sys.modules.pop(module, None)
    loader._load_file.cache_clear()
    return loader.find_strategy(name).discard


@compiled_only
def test_a_function_is_compiled_once_and_again_after_a_change(place):
    assert run_policy(place, PYTHONDONTWRITEBYTECODE="") == (EXPECTED, 0)
    assert run_policy(place, PYTHONHASHSEED="7") == (EXPECTED, 1)  # sibling is loaded from bytecode
    shutil.rmtree("__pycache__")
    Path("sibling.py").write_text(SIBLING.replace("1, 2, 4", "1, 2, 9"))
    assert run_policy(place) == (EXPECTED + 5, 0)
    Path("sibling.py").write_text(SIBLING)
    np.save("more.npy", np.array([13.0]))  # the parameters of a policy are not part of its code
    assert run_policy(place) == (EXPECTED + 4, 1)


@compiled_only
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("mine.py", "K = 3", "K = 5"),
        ("mine.py", "return x + K", "return x + K + 1"),
        ("mine.py", "TABLE = np.array([10, 20])", "TABLE = np.array([10, 26])"),
        ("mine.py", "(200, 300)", "(207, 300)"),
        ("mine.py", "import os\n", "import os # a file may change how it is compiled\n"),
        ("sibling.py", "SHIFT, DEEP, FAR = 1, 2, 4", "SHIFT, DEEP, FAR = 1, 2, 9"),
        ("constants.py", "FARTHER = 5", "FARTHER = 6"),
        ("sibling.py", "return 3 * x", "return 4 * x"),
    ],
)
def test_a_change_of_anything_that_it_reads_is_another_fingerprint(place, name, old, new):
    before = compute_fingerprint(load_policy("mine.py").function)
    text = Path(name).read_text()
    assert old in text and len(before) == 16
    assert compute_fingerprint(load_policy("mine.py").function) == before
    Path(name).write_text(text.replace(old, new))
    for file in place.glob("__pycache__/*"):
        file.unlink()
    assert compute_fingerprint(load_policy("mine.py").function) != before


@compiled_only
def test_values_outside_the_code_are_dependencies(place, monkeypatch):
    """Detect changes of constants from the environment and from a data file."""
    found = {"", compute_fingerprint(load_policy("mine.py").function)}
    monkeypatch.setenv("SET", "50006")
    found.add(compute_fingerprint(load_policy("mine.py").function))
    np.save("data.npy", np.array([1, 0]))
    assert len(found | {compute_fingerprint(load_policy("mine.py").function)}) == 4


@compiled_only
def test_a_built_in_policy_is_compiled_again_if_a_helper_or_a_constant_of_it_changes(monkeypatch):
    from simgin_strategies import _champion

    policy, other = loader.find_strategy("champion").discard, loader.find_strategy("gold").discard
    before = compute_fingerprint(policy.function), compute_fingerprint(other.function)
    monkeypatch.setattr(_champion, "DEADWOOD_INDEX", _champion.DEADWOOD_INDEX + 1)
    assert compute_fingerprint(policy.function) not in ("", before[0])
    assert compute_fingerprint(other.function) == before[1]
    assert Path(_champion.__file__) in loader.find_source_files(loader.find_strategy("champion"))


def test_every_built_in_policy_can_be_cached_and_uses_no_other_random_numbers():
    for policy in loader.list_policies():
        assert find_nondeterminism(policy.function) == "", policy.name
        assert jit.is_interpreted() or compute_fingerprint(policy.function), policy.name


def doubled(x):
    return 2 * x


@compiled_only
def test_policies_used_longest_ago_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "get_cache_directory", lambda: tmp_path)
    for i in range(jit.MAX_CACHED_POLICIES + 5):
        old = tmp_path / jit.POLICY_FOLDER / f"{i:016x}"
        old.mkdir(parents=True)
        (old / jit.CACHE_TAG_FILE).write_text(jit.CACHE_TAG_CONTENT)
        os.utime(old, (i, i))
    jit.compile_function(doubled, "int64(int64)", key="f" * 16)
    new = tmp_path / jit.POLICY_FOLDER / ("f" * 16)
    left = {path.name for path in (tmp_path / jit.POLICY_FOLDER).iterdir()}
    newest, oldest = f"{jit.MAX_CACHED_POLICIES:016x}", f"{0:016x}"
    assert {new.name, newest} < left and oldest not in left


HEAD = "from simgin.strategy import *\nimport numpy as np\nfrom math import sqrt\n"


def one(before, expression):
    body = f"@discard\ndef one(view, rules, params):\n    return int({expression})\n"
    Path("one.py").write_text(HEAD + before + body + 'STRATEGY = Strategy("one", discard=one)\n')
    return load_policy("one.py")


@compiled_only
@pytest.mark.parametrize(
    ("before", "expression"),
    [("X = (n for n in [])\n", "next(X)"), ("import ctypes\nX = ctypes.CDLL(None).abs\n", "X(3)")],
)
def test_unclear_dependencies_are_not_cached(place, before, expression):
    assert compute_fingerprint(one(before, expression).function) == ""


@compiled_only
@pytest.mark.parametrize(
    ("before", "expression"),
    [
        ("", "np.sqrt(view.hand) + sqrt(4) + np.int64(3) + abs(ACTION_TAKE) + len(params)"),
        ("from simgin import toolkit\n", "toolkit.popcount(view.hand)"),
        ("@helper\ndef f(n):\n    return 1 if n < 2 else n * f(n - 1)\n", "f(3)"),
        ("import first_of_two\n", "first_of_two.second_of_two.first_of_two.X"),
    ],
)
def test_values_that_a_version_fixes_are_cached(place, before, expression):
    Path("first_of_two.py").write_text("import second_of_two\nX = 1\n")
    Path("second_of_two.py").write_text("import first_of_two\nX = 2\n")
    assert len(compute_fingerprint(one(before, expression).function)) == 16


NAMELESS = """
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


def test_functions_with_the_same_name_are_not_cached(place):
    """Two policies that were compiled in separate processes have different names."""
    Path("nameless.py").write_text(HEAD + NAMELESS)
    for name in "acd":
        assert compute_fingerprint(load_policy(f"nameless.py#{name}").function) == ""


@compiled_only
def test_types_of_constants_and_options_of_helpers_are_distinguished(place):
    function = one("def same(n):\n    return n\nX = 1\n", "X(3)").function
    same = function.__globals__["same"]
    digests = set()
    values = (
        *(1, 1.0, True, np.int8(1), (1,), np.array([1]), np.array([1.0]), np.array([[1]])),
        *(njit(same), njit(fastmath=True)(same), njit("int64(int64)")(same)),
        *(njit("int64(int8)")(same), njit(locals={"n": int8})(same)),
    )
    for value in values:
        function.__globals__["X"] = value
        digests.add(compute_fingerprint(function))
    assert len(digests) == len(values) and "" not in digests


@compiled_only
def test_nothing_is_cached_if_numba_was_extended(place):
    """The compiled code may not contain the name of the module."""
    extended = "from numba.extending import overload\n@overload(len)\ndef more(x): return None\n"
    Path("sibling.py").write_text(extended + SIBLING)
    code = "from simgin.strategy import by_value, loader\n"
    code += "policy = loader.find_strategy('mine.py').discard\n"
    code += "print(repr(by_value.compute_fingerprint(policy.function)))"
    words, env = [sys.executable, "-c", code], {**os.environ, "PYTHONPATH": "."}
    done = subprocess.run(words, capture_output=True, text=True, env=env)
    assert done.stdout == "''\n", done.stderr


# Random numbers and time

CHANCE = """
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
def test_random_numbers_and_times_are_detected(place, expression, source, in_helper):
    parts = (expression, "pass", "helper()") if in_helper else ("1.0", "pass", expression)
    Path("mine.py").write_text(CHANCE.format(*parts))
    assert find_nondeterminism(load_policy("mine.py").function) == source


@pytest.mark.parametrize("statement", ["from time import time", "import os.path"])
def test_an_import_inside_a_policy_is_a_dependency(place, statement):
    Path("mine.py").write_text(CHANCE.format("1.0", statement, "1.0"))
    assert find_nondeterminism(load_policy("mine.py").function) in ("time", "os.path")

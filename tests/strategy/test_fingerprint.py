"""Compiled functions of authors are kept on disk, and never played after what they read changed."""

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import int8, njit
from simgin.strategy.fingerprint import fingerprint

from simgin.core import jit
from simgin.strategy import loader

pytestmark = pytest.mark.skipif(jit.interpreted(), reason="nothing is compiled")

MINE = """
import os
import numpy as np
import sibling
from simgin.strategy import Strategy, discard, helper, param
from sibling import SHIFT, shifted
K = 3
TABLE = np.array([10, 20])
NUMBERS = (100, (200, 300))
SET = int(os.environ["SET"])
@helper
def helped(x):
    return x + K
@discard(k=param(1000, 0, 10**9), weights="more.npy")
def mine(view, rules, params):
    own = helped(TABLE[1]) + NUMBERS[1][0] + SET
    theirs = SHIFT + sibling.DEEP + shifted(1) + sibling.tripled(view.own_turn)
    return own + theirs + int(params[0] + params[1])
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
import sys
from simgin.core.view import new_view
from simgin.rules import variants
from simgin.rules.record import build_rules
from simgin.strategy import compiler, loader
policy = loader.find(sys.argv[1]).discard
hook = compiler.hook(policy)
view = new_view()
view.own_turn = 7
rules = build_rules(variants.find("standard"))
print(hook(view, rules, compiler.vector(policy)), sum(hook.stats.cache_hits.values()))
"""
EXPECTED = (20 + 3) + 200 + 50000 + 1 + 2 + (1 + 4) + 3 * 7 + 1000 + 9


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "sibling.py").write_text(SIBLING)
    write_weight(tmp_path, 9.0)
    return tmp_path


def write_weight(place: Path, weight: float) -> None:
    np.save(place / "more.npy", np.array([weight]))


def start(place: Path, **environment: str) -> "subprocess.Popen[str]":
    env = {
        **os.environ,
        "SIMGIN_CACHE_DIR": str(place / "cache"),
        "PYTHONPATH": str(place),
        "SET": "50000",
        **environment,
    }
    return subprocess.Popen(
        [sys.executable, "-c", ASK, place / "mine.py"], env=env, stdout=subprocess.PIPE, text=True
    )


def ask(place: Path, **environment: str) -> tuple[int, int]:
    """The answer in a new process, and how many hooks it read from disk."""
    asked = start(place, **environment)
    text = asked.communicate()[0]
    answer, hits = map(int, text.split())
    return answer, hits


def kept_files(place: Path) -> list[Path]:
    return [path for path in (place / "cache").rglob(f"{jit.AUTHORS}/**/*.nb?") if path.is_file()]


def test_a_function_is_compiled_once(place: Path) -> None:
    assert ask(place) == (EXPECTED, 0)
    assert ask(place, PYTHONHASHSEED="7") == (EXPECTED, 1)


CHANGES = [
    ("mine.py", "K = 3", "K = 5", 2),
    ("mine.py", "return x + K", "return x + K + 1", 1),
    ("mine.py", "TABLE = np.array([10, 20])", "TABLE = np.array([10, 26])", 6),
    ("mine.py", "(200, 300)", "(207, 300)", 7),
    ("mine.py", "own + theirs", "1 + own + theirs", 1),
    ("sibling.py", "SHIFT, DEEP, FAR = 1, 2, 4", "SHIFT, DEEP, FAR = 9, 2, 4", 8),
    ("sibling.py", "SHIFT, DEEP, FAR = 1, 2, 4", "SHIFT, DEEP, FAR = 1, 9, 4", 7),
    ("sibling.py", "SHIFT, DEEP, FAR = 1, 2, 4", "SHIFT, DEEP, FAR = 1, 2, 9", 5),
    ("sibling.py", "return 3 * x", "return 4 * x", 7),
    ("mine.py", "param(1000,", "param(1001,", 1),
]


def test_a_change_of_anything_that_it_reads_gives_new_results(place: Path) -> None:
    ask(place)
    for name, old, new, more in CHANGES:
        text = (place / name).read_text()
        assert old in text
        (place / name).write_text(text.replace(old, new))
        assert ask(place)[0] == EXPECTED + more, new
        (place / name).write_text(text)
    assert ask(place) == (EXPECTED, 1)


def test_what_lies_outside_of_the_code_counts_too(place: Path) -> None:
    """A constant from the environment, and the weights, which are no part of the code."""
    ask(place)
    assert ask(place, SET="50006") == (EXPECTED + 6, 0)
    write_weight(place, 13.0)
    assert ask(place) == (EXPECTED + 4, 1)


def test_damaged_and_foreign_files_are_replaced(place: Path) -> None:
    ask(place)
    for content in (b"", b"no pickle at all", pickle.dumps(["another program's"])):
        files = kept_files(place)
        assert len(files) == 2
        for path in files:
            path.write_bytes(content)
        assert ask(place) == (EXPECTED, 0)
        assert ask(place) == (EXPECTED, 1)
    for path in kept_files(place):
        path.write_bytes(path.read_bytes()[:-20])
    assert ask(place) == (EXPECTED, 0)
    assert ask(place) == (EXPECTED, 1)


def test_several_processes_may_write_at_once(place: Path) -> None:
    together = [start(place) for _ in range(3)]
    answers = [asked.communicate()[0].split()[0] for asked in together]
    assert answers == [str(EXPECTED)] * 3
    assert ask(place) == (EXPECTED, 1)


def test_where_nothing_can_be_written_it_is_compiled_at_every_start(place: Path) -> None:
    (place / "cache").write_text("no directory")
    assert ask(place) == (EXPECTED, 0)
    assert ask(place) == (EXPECTED, 0)


def test_functions_used_longest_ago_are_removed(place: Path) -> None:
    ask(place)
    (kept,) = (place / "cache").rglob(f"{jit.AUTHORS}/*")
    for i in range(jit.KEPT_FUNCTIONS + 5):
        old = kept.parent / f"{i:016x}"
        shutil.copytree(kept, old)
        os.utime(old, (i, i))
    ask(place, SET="1")
    left = {path.name for path in kept.parent.iterdir()}
    newest, oldest = f"{jit.KEPT_FUNCTIONS:016x}", f"{0:016x}"
    assert kept.name in left and newest in left and oldest not in left


HEAD = "from simgin.strategy import *\nimport numpy as np\nfrom math import sqrt\n"


def digest(place: Path, before: str, expression: str) -> str:
    file = place / "one.py"
    body = f"@discard\ndef one(view, rules, params):\n    return int({expression})\n"
    file.write_text(HEAD + before + body + 'STRATEGY = Strategy("one", discard=one)\n')
    policy = loader.find(str(file)).discard
    assert policy is not None
    return fingerprint(policy.function)


@pytest.mark.parametrize(
    ("before", "expression"),
    [
        ("X = [1, 2]\n", "X[0]"),
        ("X = {1: 2}\n", "X[1]"),
        ("class X: a = 3\n", "X.a"),
        ("from numba import float64\n", "float64(3)"),
        ("X = (1, [2])\n", "X[0]"),
        ("X = np.array([1, None])\n", "X[0]"),
        ("def f(n):\n    return n\n", "f(3)"),
    ],
)
def test_what_cannot_be_told_is_not_kept(tmp_path: Path, before: str, expression: str) -> None:
    assert digest(tmp_path, before, expression) == ""


@pytest.mark.parametrize(
    ("before", "expression"),
    [
        ("", "np.sqrt(view.hand) + sqrt(4) + np.int64(3) + abs(TAKE) + len(params)"),
        ("from simgin import toolkit\n", "toolkit.popcount(view.hand)"),
        ("from simgin.toolkit import *\n", "lowest(view.legal)"),
        ("X = np.float64(3)\n", "X"),
        ("@helper\ndef f(n):\n    return 1 if n < 2 else n * f(n - 1)\n", "f(3)"),
    ],
)
def test_what_is_fixed_by_a_version_is_kept(tmp_path: Path, before: str, expression: str) -> None:
    first = digest(tmp_path, before, expression)
    assert len(first) == 16
    assert digest(tmp_path, before, expression) == first
    assert (
        digest(tmp_path, before + "# A comment, since a file may change the compiler\n", "3")
        != first
    )


NAMELESS = """
def made(n):
    @discard(name=f"made-{n}")
    def inner(view, rules, params):
        return n
    return inner
A = Strategy("a", discard=made(1))
B = Strategy("b", discard=made(2))
C = Strategy("c", discard=discard(name="c")(lambda view, rules, params: 3))
@discard(name="d")
def twice(view, rules, params):
    return 4
D = Strategy("d", discard=twice)
@discard(name="e")
def twice(view, rules, params):
    return 5
E = Strategy("e", discard=twice)
"""


def test_functions_of_one_name_are_not_kept(tmp_path: Path) -> None:
    """Compiled in processes of their own, they would have one name in a process that reads both."""
    file = tmp_path / "nameless.py"
    file.write_text(HEAD + NAMELESS)
    for name in "abcde":
        policy = loader.find(f"{file}#{name}").discard
        assert policy is not None and fingerprint(policy.function) == ""


def test_how_a_helper_is_compiled_counts_wherever_it_was_said(tmp_path: Path) -> None:
    digest(tmp_path, "def same(n):\n    return n\nX = 1\n", "X(3)")
    policy = loader.find(str(tmp_path / "one.py")).discard
    assert policy is not None

    same = policy.function.__globals__["same"]
    digests = set()
    for decorated in (
        njit(same),
        njit(fastmath=True)(same),
        njit("int64(int64)")(same),
        njit("int64(int8)")(same),
        njit(locals={"n": int8})(same),
    ):
        policy.function.__globals__["X"] = decorated
        digests.add(fingerprint(policy.function))
        decorated(3) if decorated._can_compile else None
        digests.add(fingerprint(policy.function))
    assert len(digests) == 5 and "" not in digests


@pytest.mark.parametrize(
    "extension",
    [
        "@overload(len)\ndef more(x):\n    return None\n",
        "@overload_method(types.Array, 'more')\ndef more(x):\n    return None\n",
        "@overload_attribute(types.Array, 'more')\ndef more(x):\n    return None\n",
    ],
)
def test_nothing_is_kept_once_someone_has_extended_numba(place: Path, extension: str) -> None:
    """The module that does it may be named nowhere in what is compiled."""
    head = "from numba import types\nfrom numba.extending import *\n"
    (place / "sibling.py").write_text(head + extension + SIBLING)
    assert ask(place) == (EXPECTED, 0)
    assert ask(place) == (EXPECTED, 0)


def test_types_of_equal_constants_are_told_apart(tmp_path: Path) -> None:
    digest(tmp_path, "X = 1\n", "0 if X else 1")
    policy = loader.find(str(tmp_path / "one.py")).discard
    assert policy is not None
    values = (1, 1.0, True, np.int8(1), (1,), np.array([1]), np.array([1.0]), np.array([[1]]))
    digests = set()
    for value in values:
        policy.function.__globals__["X"] = value
        digests.add(fingerprint(policy.function))
    assert len(digests) == len(values) and "" not in digests


def test_modules_that_import_each_other_are_searched_once(place: Path, monkeypatch) -> None:
    monkeypatch.syspath_prepend(place)
    (place / "first_of_two.py").write_text("import second_of_two\nX = 1\n")
    (place / "second_of_two.py").write_text("import first_of_two\nX = 2\n")
    before = "import first_of_two, second_of_two\n"
    expression = "first_of_two.second_of_two.first_of_two.X"
    assert len(digest(place, before, expression)) == 16

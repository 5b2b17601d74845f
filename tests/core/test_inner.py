"""Inner functions: not executable until Python calls them, and the same in every order."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import int64
from numba.core.itanium_mangler import mangle
from numba.core.types import FunctionType

from simgin.core import jit
from simgin.core.inner import InnerLibrary
from simgin.core.policy import HOOK_ARGUMENTS, HOOK_TYPE

pytestmark = pytest.mark.skipif(jit.interpreted(), reason="nothing is compiled")

SQUARES = np.arange(10) ** 2


def new_functions():
    """A chain of three compiled functions with a constant array, an exception and recursion."""

    @jit.compiled
    def square(i):
        if i > 9:
            raise ValueError("no square that large")
        return SQUARES[i]

    @jit.compiled
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @jit.compiled
    def both(i):
        return square(i) + factorial(i)

    return square, factorial, both


@pytest.fixture(autouse=True)
def uncached(monkeypatch):
    """Functions of this file are compiled anew in every test."""
    monkeypatch.setattr(jit, "cache_directory", lambda: None)


def libraries(function):
    return [result.library for result in function.overloads.values()]


def test_inner_functions_are_not_executable_until_python_calls_them():
    square, factorial, both = new_functions()
    assert both(5) == 25 + 120
    assert all(isinstance(library, InnerLibrary) for library in libraries(square))
    assert not any(isinstance(library, InnerLibrary) for library in libraries(both))
    assert [square(i) for i in range(10)] == list(SQUARES)
    assert factorial(6) == 720
    assert not any(isinstance(library, InnerLibrary) for library in libraries(square))
    assert both(5) == 145 and both(0) == 1


def test_functions_that_python_called_first_are_part_of_others():
    square, factorial, both = new_functions()
    assert (square(3), factorial(3), both(3)) == (9, 6, 15)


def test_several_callers_share_an_inner_function():
    square, _, both = new_functions()

    @jit.compiled
    def twice(i):
        return 2 * square(i) + both(i)

    assert twice(4) == 32 + 16 + 24 and both(4) == 40 and square(4) == 16


def test_errors_of_inner_functions_keep_their_message():
    square, _, both = new_functions()
    for function in (both, square, both):
        with pytest.raises(ValueError, match="no square that large"):
            function(10)


def test_other_types_are_compiled_when_they_come():
    @jit.compiled
    def half(x):
        return x / 2

    @jit.compiled
    def halves(x):
        return half(x) + half(1.0)

    assert halves(3) == 2.0
    assert (half(5), half(5.0), half(np.int32(5))) == (2.5, 2.5, 2.5)


MODULE = """
import numpy as np
from simgin.core.jit import jit
from simgin.toolkit import count_after
from simgin.rules import variants
from simgin.rules.record import build_rules
RULES = build_rules(variants.find("standard"))
TABLE = np.arange(100) * 7
@jit
def looked_up(i):
    if i > 99:
        raise IndexError("beyond the table")
    return TABLE[i]
@jit
def ask(hand, i, rules):
    return count_after(hand, 51, rules) + looked_up(i)
"""
ASK = MODULE + "print(ask((1 << 10) - 1, 3, RULES), looked_up._cache_hits)\n"
CALL = MODULE + "print(looked_up(3), count_after((1 << 10) - 1, 51, RULES))\n"
FAIL = MODULE + "ask(1023, 100, RULES)\n"
OTHER = MODULE + (
    "from numba.core.registry import CPUDispatcher\n"
    "from simgin.core.jit import compiled\n"
    "def other(hand, rules):\n"
    "    return count_after(hand, 51, rules) + looked_up(5)\n"
    "print(compiled(other, keep=False)(1023, RULES))\n"
    "print(sum(count_after._cache_hits.values()), sum(count_after._cache_misses.values()))\n"
)


def run(place: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run a file of this code in a process with its own cache."""
    file = place / "asking.py"
    if not file.exists() or file.read_text() != code:
        file.write_text(code)
    env = {**os.environ, "SIMGIN_CACHE_DIR": str(place / "cache")}
    return subprocess.run(
        [sys.executable, file], env=env, capture_output=True, text=True, check=False
    )


def test_what_is_on_disk_does_the_same_in_every_order(tmp_path):
    """Compiled, loaded whole, called from Python, and as bitcode inside another function."""
    first = run(tmp_path, ASK).stdout.split()[0]
    assert run(tmp_path, ASK).stdout.split()[0] == first
    seven, count = map(int, run(tmp_path, CALL).stdout.split())
    assert seven == 21 and count + seven == int(first)
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    run(fresh, CALL)
    assert run(fresh, ASK).stdout.split()[0] == first
    answer, hits, misses = run(tmp_path, OTHER).stdout.split()
    assert (int(answer), int(hits), int(misses)) == (count + 35, 1, 0)
    failed = run(tmp_path, FAIL)
    assert failed.returncode == 1 and failed.stderr.endswith("IndexError: beyond the table\n")


def test_a_damaged_inner_function_is_compiled_again(tmp_path):
    first = run(tmp_path, ASK).stdout.split()[0]
    for path in (tmp_path / "cache").rglob("*count_after*.nbc"):
        path.write_bytes(path.read_bytes()[:100])
    answer, hits, _ = run(tmp_path, OTHER).stdout.split()
    assert int(answer) == int(first) - 21 + 35 and int(hits) == 0


def test_loading_prepares_no_compiler(tmp_path):
    """numba's preparations take a third of a second; code that is there needs none of them."""
    code = CALL + "import sys\nprint('numba.np.arraymath' in sys.modules)\n"
    assert run(tmp_path, code).stdout.endswith("True\n")
    assert run(tmp_path, code).stdout.endswith("False\n")


def test_numba_is_found_as_it_was_by_others(tmp_path):
    """Matrices are multiplied with scipy, which is loaded only then."""
    code = (
        "import sys\nimport numpy as np\nfrom simgin.core.jit import compiled\n"
        "@compiled\ndef twice(x):\n    return 2 * x\n"
        "@compiled\ndef product(a, b):\n    return np.dot(a, b) + np.convolve(a, b)[1]\n"
        "print(twice(4), 'scipy.linalg' in sys.modules)\n"
        "print(product(np.arange(3.0), np.ones(3)), 'scipy.linalg' in sys.modules)\n"
    )
    assert run(tmp_path, code).stdout == "8 False\n4.0 True\n"


def test_names_of_functions_that_take_functions_are_short():
    """numba would spell all fields of all records out in them."""
    types_of_hooks = [HOOK_TYPE] * 12
    other = FunctionType(int64(*HOOK_ARGUMENTS[:2]))
    name = mangle("play", types_of_hooks)
    assert len(name) < 500
    assert name != mangle("play", [other, *types_of_hooks[1:]])


@pytest.mark.parametrize("distinct", [False, True])
def test_llvm_learns_which_arguments_never_overlap(distinct):
    """The results are the same; two arrays more are marked."""

    def copy(a, b):
        b[0] = a[0]
        return a[0]

    copied = jit.compiled(copy, int64(int64[::1], int64[::1]), distinct=distinct)
    (code,) = copied.inspect_llvm().values()
    definitions = [line for line in code.splitlines() if line.startswith("define")]
    (head,) = [line for line in definitions if "%excinfo" in line and "%arg.a.4" in line]
    pointers = head.split("ptr ")
    data = [words for words in pointers if "%arg.a.4" in words or "%arg.b.4" in words]
    assert ["noalias" in words for words in data] == [distinct, distinct]
    assert copied(np.array([7]), np.zeros(1, np.int64)) == 7

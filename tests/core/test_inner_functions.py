"""Tests of inner functions, which become executable only when Python calls them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import int64
from numba.core.typing.typeof import typeof_impl

from simgin import toolkit
from simgin.core import jit
from simgin.core.numba_cache import InnerLibrary
from simgin.core.state import create_state
from simgin.rules.build import build_rules
from simgin.rules.variants import find_variant

pytestmark = pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")

SQUARES = np.arange(10) ** 2


def compile_functions():
    """Return two functions and a caller of both, with a constant array and with recursion."""

    @jit.compile_function
    def square(i):
        if i > 9:
            raise ValueError("no square that large")
        return SQUARES[i]

    @jit.compile_function
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @jit.compile_function
    def add_square_and_factorial(i):
        return square(i) + factorial(i)

    return square, factorial, add_square_and_factorial


@pytest.fixture(autouse=True)
def disable_cache(monkeypatch):
    """Compile the functions of this file in every test."""
    monkeypatch.setattr(jit, "get_cache_directory", lambda: None)


def get_libraries(function):
    return [result.library for result in function.overloads.values()]


def test_inner_functions_are_not_linked_as_symbols():
    """Check a recursive function, which LLVM does not inline."""
    _, factorial, add_square_and_factorial = compile_functions()
    assert add_square_and_factorial(5) == 25 + 120
    (library,) = get_libraries(add_square_and_factorial)
    (inner,) = factorial.overloads.values()
    name = inner.fndesc.llvm_func_name
    assert name in str(library._final_module)
    assert name.encode() not in library._get_compiled_object()


def test_inner_functions_become_executable_when_python_calls_them():
    square, factorial, add_square_and_factorial = compile_functions()
    assert add_square_and_factorial(5) == 25 + 120
    assert all(isinstance(library, InnerLibrary) for library in get_libraries(square))
    assert not any(
        isinstance(library, InnerLibrary) for library in get_libraries(add_square_and_factorial)
    )
    assert [square(i) for i in range(10)] == list(SQUARES)
    assert factorial(6) == 720
    assert not any(isinstance(library, InnerLibrary) for library in get_libraries(square))
    assert add_square_and_factorial(5) == 145 and add_square_and_factorial(0) == 1


def test_new_argument_types_are_compiled_on_demand():
    @jit.compile_function
    def halve(x):
        return x / 2

    @jit.compile_function
    def halve_repeatedly(x):
        return halve(x) + halve(1.0)

    assert halve_repeatedly(3) == 2.0
    assert (halve(5), halve(5.0), halve(np.int32(5))) == (2.5, 2.5, 2.5)


MODULE_CODE = """
import numpy as np
from simgin.core.jit import jit
TABLE = np.arange(100) * 7
@jit
def looked_up(i):
    if i > 99:
        raise IndexError("beyond the table")
    return TABLE[i]
@jit
def twice(x):
    return 2 * x
@jit
def ask(x, i):
    return twice(x) + looked_up(i)
"""
CALL_OUTER_CODE = "print(ask(30, 3))\n"
CALL_INNER_CODE = "print(looked_up(3), twice(30))\n"
FAILING_CODE = "ask(30, 100)\n"
RECOMPILE_CODE = """
from simgin.core.jit import compile_function
def other(x):
    return twice(x) + looked_up(5)
print(compile_function(other, use_cache=False)(30))
print(sum(twice._cache_hits.values()), sum(twice._cache_misses.values()))
"""
NUMPY_SUPPORT_CODE = "import sys\nprint('numba.np.arraymath' in sys.modules)\n"


def run_with_module(directory: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code that imports a module of compiled functions, with a cache next to it."""
    module_file = directory / "pieces.py"
    if not module_file.exists():
        module_file.write_text(MODULE_CODE)
    return subprocess.run(
        [sys.executable, "-c", f"from pieces import *\n{code}"],
        cwd=directory,
        env={**os.environ, "SIMGIN_CACHE_DIR": str(directory / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "type_names"),
    [
        ((1023, find_variant("standard")), "int, Variant"),
        ((1023, 3), "int, int"),
        ((None, build_rules(find_variant("standard"))), "NoneType, record"),
        (("AS 2S", build_rules(find_variant("standard"))), "str"),
        (([0, 1], build_rules(find_variant("standard"))), "list"),
    ],
)
def test_toolkit_functions_reject_wrong_argument_types(arguments, type_names):
    with pytest.raises(
        TypeError, match=rf"deadwood\(\) does not accept .* {type_names}[.,]"
    ) as error:
        toolkit.deadwood(*arguments)
    assert "\n" not in str(error.value)


def test_cached_code_gives_the_results_of_new_code(tmp_path):
    """Compile, load, call from Python, link as bitcode, and recover from corrupt files."""
    assert run_with_module(tmp_path, CALL_OUTER_CODE + NUMPY_SUPPORT_CODE).stdout == "81\nTrue\n"
    assert run_with_module(tmp_path, CALL_OUTER_CODE + NUMPY_SUPPORT_CODE).stdout == "81\nFalse\n"
    assert run_with_module(tmp_path, RECOMPILE_CODE).stdout == "95\n1 0\n"
    failed = run_with_module(tmp_path, CALL_INNER_CODE + FAILING_CODE)
    assert failed.stdout == "21 60\n" and failed.returncode == 1
    assert failed.stderr.endswith("IndexError: beyond the table\n")
    for path in (tmp_path / "cache").rglob("*.nb?"):
        path.write_bytes(path.read_bytes()[:100])
    assert run_with_module(tmp_path, RECOMPILE_CODE).stdout == "95\n0 1\n"


def test_numba_is_unchanged_for_other_packages(tmp_path):
    """Multiply matrices with scipy, which is imported only when it is needed."""
    code = (
        "import sys\nfrom simgin.core.jit import compile_function\n"
        "def product(a, b):\n    return np.dot(a, b) + a.sum()\n"
        "print(twice(4), 'scipy.linalg' in sys.modules)\n"
        "product = compile_function(product, use_cache=False)\n"
        "print(product(np.arange(3.0), np.ones(3)), 'scipy.linalg' in sys.modules)\n"
    )
    assert run_with_module(tmp_path, code).stdout == "8 False\n6.0 True\n"


def test_constant_arguments_do_not_create_specialisations():
    """Expect one version, although numba would compile one for each constant."""

    @jit.compile_function
    def power(x, n):
        return x**n

    @jit.compile_function
    def sum_powers(x):
        return power(x, 2) + power(x, 3) + power(2, x)

    assert sum_powers(3) == 9 + 27 + 8
    assert list(power.overloads) == [(int64, int64)]


def test_argument_classes_are_registered_in_numba():
    """Check that numba finds the classes without a search, which is not safe in threads."""
    classes = {type(create_state(0)), jit.LazyDispatcher, np.ndarray, int, bool}
    assert classes <= set(typeof_impl.registry)

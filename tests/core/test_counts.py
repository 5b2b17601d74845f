"""Tests of functions without reference counts: no array is lost or freed early."""

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from simgin.core import jit

pytestmark = pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")


@pytest.fixture(autouse=True)
def disable_cache(monkeypatch):
    """Compile the functions of this file in every test."""
    monkeypatch.setattr(jit, "get_cache_directory", lambda: None)


def counts_references(function):
    """Return True if the code of a compiled function counts references."""
    return any("@NRT_incref" in code for code in function.inspect_llvm().values())


@pytest.fixture
def allocation_statistics():
    """Let numba count the arrays that it allocates and frees."""
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


def count_live_arrays():
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free


def make_functions():
    """Return functions that only use arrays, one that creates arrays, and some that pass arrays."""

    @jit.compile_function
    def write_element(numbers, i, x):
        numbers[i] = x

    @jit.compile_function
    def add_up(pair, n):
        first, second = pair
        total = 0.0
        for i in range(n):
            total += first[i] * second[i]
        return total

    @jit.compile_function
    def make_array(n):
        return np.ones(n)

    @jit.compile_function
    def return_argument(numbers):
        return numbers

    @jit.compile_function
    def copy_elements(numbers, others):
        numbers[1:] = others[:-1]

    @jit.compile_function
    def double_array(numbers):
        return (numbers * 2).sum()

    return write_element, add_up, make_array, return_argument, copy_elements, double_array


def test_functions_that_only_use_arrays_have_no_counts():
    write_element, add_up, *_ = make_functions()
    numbers = np.arange(5.0)
    write_element(numbers, 2, 7.0)
    assert add_up((numbers, numbers), 5) == 0 + 1 + 49 + 9 + 16
    assert not counts_references(write_element) and not counts_references(add_up)


def test_arrays_are_freed_once_and_not_too_early(allocation_statistics):
    write_element, add_up, make_array, return_argument, copy_elements, double_array = (
        make_functions()
    )

    @jit.compile_function
    def allocate_in_loop(n):
        total = 0.0
        for i in range(n):
            numbers = make_array(n)
            write_element(numbers, i, 3.0)
            others = return_argument(numbers)
            copy_elements(numbers, others)  # they overlap, so that the source is copied first
            pair = others, make_array(n)
            numbers = make_array(2 * n)  # replaces an array that `others` still refers to
            total += add_up(pair, n) + double_array(numbers) + numbers[-1]
        return total

    allocate_in_loop(3)
    before = count_live_arrays()
    n = 50
    assert allocate_in_loop(n) == allocate_in_loop.py_func(n)
    assert count_live_arrays() == before


def test_arrays_from_python_keep_their_count():
    write_element, add_up, _, return_argument, *_ = make_functions()
    numbers = np.arange(4.0)
    for _ in range(100):
        write_element(return_argument(numbers), 0, 1.0)
        add_up((return_argument(numbers), numbers), 4)
    assert list(numbers) == [1, 1, 2, 3]
    del write_element, add_up
    again = return_argument(numbers)
    del numbers
    assert list(again) == [1, 1, 2, 3]

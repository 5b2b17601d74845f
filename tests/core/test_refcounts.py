"""Tests that compiled functions without reference counts free arrays exactly once."""

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from simgin.core import jit

pytestmark = pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")


@pytest.fixture(autouse=True)
def disable_cache(monkeypatch):
    """Compile the functions of this file in every test."""
    monkeypatch.setattr(jit, "get_cache_directory", lambda: None)


def has_reference_counts(function):
    """Return True if the code of a compiled function counts references."""
    return any("@NRT_incref" in code for code in function.inspect_llvm().values())


@pytest.fixture
def enable_allocation_statistics():
    """Enable numba's statistics on allocated and freed arrays."""
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


def count_live_arrays():
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free


def compile_functions():
    """Return compiled functions that use, create, return, copy and combine arrays."""

    @jit.compile_function
    def write_element(numbers, i, x):
        numbers[i] = x

    @jit.compile_function
    def sum_products(pair, n):
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
    def copy_shifted(numbers, others):
        numbers[1:] = others[:-1]

    @jit.compile_function
    def sum_doubled(numbers):
        return (numbers * 2).sum()

    return write_element, sum_products, make_array, return_argument, copy_shifted, sum_doubled


def test_functions_that_only_use_arrays_count_no_references():
    write_element, sum_products, *_ = compile_functions()
    numbers = np.arange(5.0)
    write_element(numbers, 2, 7.0)
    assert sum_products((numbers, numbers), 5) == 0 + 1 + 49 + 9 + 16
    assert not has_reference_counts(write_element) and not has_reference_counts(sum_products)


def test_arrays_are_freed_exactly_once(enable_allocation_statistics):
    write_element, sum_products, make_array, return_argument, copy_shifted, sum_doubled = (
        compile_functions()
    )

    @jit.compile_function
    def allocate_in_loop(n):
        total = 0.0
        for i in range(n):
            numbers = make_array(n)
            write_element(numbers, i, 3.0)
            others = return_argument(numbers)
            copy_shifted(numbers, others)  # they overlap, so that the source is copied first
            pair = others, make_array(n)
            numbers = make_array(2 * n)  # replaces an array that `others` still refers to
            total += sum_products(pair, n) + sum_doubled(numbers) + numbers[-1]
        return total

    allocate_in_loop(3)
    before = count_live_arrays()
    n = 50
    assert allocate_in_loop(n) == allocate_in_loop.py_func(n)
    assert count_live_arrays() == before


def test_arrays_from_python_keep_their_reference_count():
    write_element, sum_products, _, return_argument, *_ = compile_functions()
    numbers = np.arange(4.0)
    for _ in range(100):
        write_element(return_argument(numbers), 0, 1.0)
        sum_products((return_argument(numbers), numbers), 4)
    assert list(numbers) == [1, 1, 2, 3]
    del write_element, sum_products
    returned = return_argument(numbers)
    del numbers
    assert list(returned) == [1, 1, 2, 3]

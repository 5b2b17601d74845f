"""Mark some cases of a parametrised test as slow."""

import pytest


def mark_slow_except(fast_cases, cases):
    """Return the cases of a test, in which all except the fast cases are marked as slow.

    A case is a tuple of arguments or a single argument.
    """
    fast_cases = [*fast_cases]
    assert all(case in cases for case in fast_cases)
    return [
        case
        if case in fast_cases
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases
    ]

"""Compile functions of tests, and cache them on disk."""

from simgin.core.jit import compile_function
from simgin.strategy.by_value import compute_fingerprint


def compile_cached(function):
    """Compile a function, and cache it until the function or one that it calls changes.

    `simgin.core.jit.jit` would load outdated code after a change of a test or a strategy.
    """
    fingerprint = compute_fingerprint(function)
    return compile_function(function, use_cache=bool(fingerprint), policy_digest=fingerprint)

"""Compilation of policies to functions that the engine can call.

A function is rejected if numba would silently convert its return value. A function that numba
cannot compile runs in Python (see `simgin.strategy.python_tier`) unless it would also fail in
Python.
"""

import io
import pickle
from bdb import BdbQuit
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal
from warnings import catch_warnings

import numpy as np
from numba import types
from numba.core.errors import NumbaWarning

from simgin.core import jit
from simgin.core.policy_types import POLICY_SIGNATURE
from simgin.strategy import by_value, python_tier
from simgin.strategy.author import Policy
from simgin.strategy.dependencies import is_built_in
from simgin.strategy.lint import describe_compile_error, describe_unknown_field, find_policy_error
from simgin.strategy.strategy_spec import StrategyError
from simgin.text import shell
from simgin.text.files import read_bytes
from simgin.text.messages import describe_error, ensure_printable_error, print_status

# Descriptions of invalid return types
_INVALID_RETURN_TYPE_NAMES = {
    types.Float: "a float",
    types.NoneType: "nothing",
    types.Optional: "nothing on some paths",
    types.UnicodeType: "a string",
    types.StringLiteral: "a string",
}
# Weights that were adapted to rules, with the arrays from which they were computed
_ADAPTED_WEIGHTS: dict[tuple[Any, ...], tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
MAX_ADAPTED_WEIGHTS = 64
NUMERIC_DTYPE_KINDS = "biuf"  # NumPy dtype kinds without complex numbers, dates and strings


class PolicyError(StrategyError):
    """Exception for a policy that the engine cannot call.

    The message contains the policy, the file and the reason.
    """


def make_parameter_vector(policy: Policy, rules: Any = None) -> np.ndarray:
    """Return the read-only parameter vector of a policy.

    The vector contains the parameters in declared order, followed by the weights.

    Args:
        policy: Policy with its parameters.
        rules: Rules record to which the policy adapts its weights, if it can. By default, the
            policy uses the weights in the file.

    Raises:
        PolicyError: If the weights file cannot be read.
    """
    values = np.array([param.default for param in policy.params.values()], np.float64)
    if policy.weights is not None:
        weights = _load_weights(policy)
        if rules is not None and policy.for_rules is not None:
            weights = _adapt_weights(policy, weights, rules)
        values = np.concatenate([values, weights.ravel()])
    values.flags.writeable = False
    return values


def _load_weights(policy: Policy) -> np.ndarray:
    """Return the weights of a policy, adapted to the rules of the game.

    If the file cannot be read, the function raises PolicyError.
    """
    if not isinstance(policy.weights, Path):
        return np.asarray(policy.weights, np.float64)
    if policy.is_untrained:
        _report_initial_weights(policy.source_file, policy.weights)
        return np.array([*policy.start.values()], np.float64)
    return _read_policy_weights(policy, policy.weights, len(policy.start))


def _load_rules_weights(policy: Policy) -> np.ndarray:
    """Return the weights from which a policy's `for_rules` function adapts to other rules."""
    assert policy.rules_weights is not None, "a policy with for_rules has a file"
    return _read_policy_weights(policy, policy.rules_weights, 0)


def _adapt_weights(policy: Policy, weights: np.ndarray, rules: Any) -> np.ndarray:
    """Return the weights of a policy, adapted to other rules.

    An analysis requests the weights again for every position, and adapting them takes 1 ms, so the
    function caches results for weights in files.
    """
    assert policy.for_rules is not None
    rules_weights = _load_rules_weights(policy)
    if not isinstance(policy.weights, Path) or policy.is_untrained:
        return policy.for_rules(weights, rules_weights, rules)
    # The cache holds the arrays, so no other array can have the same identity.
    key = policy.for_rules, id(weights), id(rules_weights), rules.tobytes()
    entry = _ADAPTED_WEIGHTS.get(key)
    if entry is None:
        entry = policy.for_rules(weights, rules_weights, rules), weights, rules_weights
        if len(_ADAPTED_WEIGHTS) >= MAX_ADAPTED_WEIGHTS:
            _ADAPTED_WEIGHTS.clear()
        _ADAPTED_WEIGHTS[key] = entry
    return entry[0]


def _read_policy_weights(policy: Policy, file: Path, required_size: int) -> np.ndarray:
    """Read a policy's weights file, and check the number of weights."""
    try:
        weights = _read_weights(file, file.stat().st_mtime_ns)
    except OSError as error:
        reason = error.strerror
    # numpy can raise any exception for a corrupt file, such as MemoryError for a huge shape.
    except Exception:
        reason = "the file is not an array of real numbers without NaN, saved by numpy.save"
    else:
        if weights.size == (required_size or weights.size):
            return weights
        reason = (
            f"the file contains {weights.size} weights, but `start` has {required_size}. Train "
            "the weights again with `simgin train`"
        )
    raise PolicyError(f"{_describe_policy(policy)} cannot use the weights in {file}: {reason}.")


@lru_cache(maxsize=64)
def _report_initial_weights(source_file: Path, weights_file: Path) -> None:
    """Report, once per process, that a strategy is untrained and uses its initial weights."""
    command = shell.join_command(["simgin", "train", source_file.name, "-o", weights_file.name])
    print_status(
        f"{source_file.name} uses its initial weights, because {weights_file.name} does not exist. "
        f"To train the weights, run `{command}`."
    )


@lru_cache(maxsize=64)
def _read_weights(path: Path, _modification_time: int) -> np.ndarray:
    """Return the weights in a file as an array, cached until the file is modified."""
    weights = np.load(io.BytesIO(read_bytes(path)), allow_pickle=False)
    if weights.dtype.kind not in NUMERIC_DTYPE_KINDS or np.isnan(weights).any():
        raise ValueError("the file does not contain an array of numbers")
    return np.asarray(weights, np.float64)


def compile_policy(policy: Policy) -> Any:
    """Return the compiled function of a policy, with the signature that the engine requires.

    Raises:
        PolicyError: If the policy cannot be played.
    """
    if policy.function not in _COMPILED_POLICIES:
        try:
            if not is_built_in(policy.function):  # Tests check the built-in policies.
                check_source(policy)
            _COMPILED_POLICIES[policy.function] = _compile_uncached(policy)
        except StrategyError:
            raise
        except Exception as error:  # An author's object can raise any exception.
            raise PolicyError(
                f"{_describe_policy(policy)} uses an object that cannot be read "
                f"({describe_error(ensure_printable_error(error))}). Remove this object."
            ) from None
    return _COMPILED_POLICIES[policy.function]


def get_execution_mode(policy: Policy) -> Literal["fast", "slow", "refused"]:
    """Return "fast" if a policy is compiled, "slow" if it runs in Python, or "refused".

    The function does not compile built-in policies, which are always fast.
    """
    if is_built_in(policy.function):
        return "fast"
    try:
        compile_policy(policy)
    except StrategyError:
        return "refused"
    return "slow" if policy.function in _INTERPRETATION_REASONS else "fast"


def find_interpretation_reason(policy: Policy) -> str:
    """Return the reason why a policy runs in Python, or "" if it is compiled."""
    return _INTERPRETATION_REASONS.get(policy.function, "")


def is_stateful(policy: Policy) -> bool:
    """Return True if an interpreted policy has changed a value that it also reads."""
    policy_copy, original_pickle = _POLICY_COPIES.get(policy.function, (None, b""))
    return policy_copy is not None and _pickle_function(policy, policy_copy) != original_pickle


# Compiled functions. A function is compiled once per process, for all values of its parameters.
_COMPILED_POLICIES: dict[Any, Any] = {}
_INTERPRETATION_REASONS: dict[Any, str] = {}  # reasons why policies run in Python
_POLICY_COPIES: dict[Any, tuple[Any, bytes]] = {}  # policies that run in Python, and their pickles


def _compile_uncached(policy: Policy) -> Any:
    """Compile a policy, or load its machine code from the disk cache.

    If numba cannot compile the policy, the function returns a Python version.
    """
    if jit.is_interpreted():
        return _wrap_in_python(policy)
    fingerprint = by_value.compute_fingerprint(policy.function)
    compile_with_signature = partial(
        jit.compile_function,
        policy.function,
        use_cache=bool(fingerprint),
        policy_digest=fingerprint,
        no_alias=True,
    )
    try:
        with catch_warnings(action="ignore", category=NumbaWarning):
            if is_built_in(policy.function):  # Tests check the return types.
                return compile_with_signature(POLICY_SIGNATURE)
            # With a complete signature, numba would convert any return type.
            untyped_version = compile_with_signature(POLICY_SIGNATURE.args)
            (signature,) = untyped_version.nopython_signatures
            if signature.return_type == POLICY_SIGNATURE.return_type:
                return untyped_version
            _check_return_type(policy, signature.return_type)
            return compile_with_signature(POLICY_SIGNATURE)
    except PolicyError:
        raise
    except Exception as error:  # numba raises exceptions of many types.
        return _fall_back_to_python(policy, error)


def _check_return_type(policy: Policy, return_type: Any) -> None:
    """Raise PolicyError if numba would silently convert a policy's return value to an integer."""
    if not isinstance(return_type, types.Integer | types.Boolean):
        type_name = _INVALID_RETURN_TYPE_NAMES.get(type(return_type), f"a {return_type}")
        raise PolicyError(
            f"{_describe_policy(policy)} returns {type_name}, but an action must be an integer or "
            "a Boolean. Return int(...) on every path."
        )


def _fall_back_to_python(policy: Policy, error: Exception) -> Any:
    """Report that numba cannot compile a policy, and return a wrapper that runs it in Python.

    Raises:
        PolicyError: If the policy would also fail in plain Python.
    """
    if isinstance(error, KeyError) and (message := describe_unknown_field(str(error.args[0]))):
        raise PolicyError(f"{_describe_policy(policy)} {message}") from None
    if "modify readonly array" in str(error):
        raise PolicyError(
            f"{_describe_policy(policy)} modifies its parameters or a module-level array. Modify "
            "a copy instead."
        ) from None
    reason = describe_compile_error(policy, error)
    _INTERPRETATION_REASONS[policy.function] = reason
    print_status(
        f"{_describe_policy(policy)} runs in Python, hundreds of times slower than compiled code, "
        f"because {reason}"
    )
    # The copy includes all objects that the policy reads, so that later changes have no effect.
    policy_copy = pickle.loads(_pickle_function(policy, policy.function))
    _POLICY_COPIES[policy.function] = policy_copy, _pickle_function(policy, policy_copy)
    return python_tier.wrap_python_policy(policy_copy)


def _pickle_function(policy: Policy, function: Any) -> bytes:
    """Pickle the function of a policy and all objects that the function reads."""
    return by_value.pickle_by_value(_describe_policy(policy), function, [function])


def _wrap_in_python(policy: Policy) -> Any:
    """Wrap a policy in a Python function that rejects invalid return values."""

    def call_policy(view: Any, rules: Any, params: Any) -> int:
        try:
            return python_tier.convert_action_to_int(policy.function(view, rules, params))
        except BdbQuit:
            raise KeyboardInterrupt from None

    return call_policy


def check_source(policy: Policy) -> None:
    """Raise PolicyError if a policy would fail, or would behave differently after compilation."""
    if message := find_policy_error(policy):
        raise PolicyError(f"{_describe_policy(policy)} {message}")


def _describe_policy(policy: Policy) -> str:
    """Return the name and location of a policy for error messages."""
    return f"the {policy.slot} policy {policy.name!r} in {policy.location}"

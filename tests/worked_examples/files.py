"""Files of worked examples, and their comparison with a subject (engine or reference)."""

from dataclasses import dataclass, field
from typing import Any

from simgin.text.files import parse_json, read_text
from simgin.text.messages import format_value, suggest_spelling
from worked_examples.kinds import KINDS, find_differences
from worked_examples.schema import Example, ExampleError, NotSupportedError

EXAMPLE_KEYS = {"id", "kind", "variant", "note", "why", "input", "expect"}
OUTCOMES = PASSED, FAILED, NOT_SUPPORTED = "passed", "failed", "not supported"
READ_ERRORS = (AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclass(frozen=True)
class ExampleResult:
    """The comparison of one example with the engine or the reference implementation."""

    example: Example
    outcome: str
    differences: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # key: (expected, got)
    reason: str = ""  # why the example is not supported


def read_examples(path, kind=None):
    """Read the examples of a file, or those of one kind. Raise ExampleError if one is invalid."""
    if kind is not None:
        _check_kind(kind)
    try:
        content = parse_json(read_text(path))
    except OSError as error:
        raise ExampleError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise ExampleError(f"{path} is not JSON: {error}.") from None
    vectors = content.get("vectors") if isinstance(content, dict) else content
    if not isinstance(vectors, list):
        raise ExampleError(f"{path} has no list of vectors.")
    chosen = [one for one in map(parse_example, vectors) if kind in (None, one.kind)]
    if not chosen:
        raise ExampleError(f"{path} has no vectors{f' of kind {kind}' if kind else ''}.")
    return chosen


def _check_kind(kind, prefix=""):
    if kind not in KINDS:
        raise ExampleError(
            f"{prefix}there is no kind {format_value(kind)}{suggest_spelling(kind, KINDS)}"
        )


def parse_example(vector):
    """Return the example described by a JSON object. Raise ExampleError if it is invalid."""
    if not isinstance(vector, dict):
        raise ExampleError(f"a vector is an object, not {format_value(str(vector))}.")
    name, given, expect = vector.get("id"), vector.get("input"), vector.get("expect")
    _check_kind(str(vector.get("kind")), f"{name}: ")
    if unknown := vector.keys() - EXAMPLE_KEYS:
        raise ExampleError(f"{name}: a vector has no key {format_value(min(unknown))}.")
    single_key = KINDS[vector["kind"]].single_key
    if single_key and type(expect) is int:
        expect = {single_key: expect}
    if not isinstance(given, dict) or not isinstance(expect, dict):
        raise ExampleError(f"{name}: input and expect must be objects.")
    return Example(str(name), vector["kind"], str(vector.get("variant", "standard")), given, expect)


def run_examples(examples, subject):
    """Run all examples. Raise ExampleError with the errors of all invalid examples."""
    results, messages = [], []
    for example in examples:
        try:
            results.append(run_example(example, subject))
        except ExampleError as error:
            messages.append(str(error))
    if messages:
        raise ExampleError("\n".join(messages))
    return results


def run_example(example, subject):
    """Run one example. Raise ExampleError if it is invalid."""
    try:
        differences = find_differences(example, subject)
    except NotSupportedError as reason:
        return ExampleResult(example, NOT_SUPPORTED, reason=str(reason))
    except ExampleError:
        raise
    except READ_ERRORS as error:
        raise example.make_error(
            f"kind {example.kind} cannot be read from this: {error!r}."
        ) from error
    return ExampleResult(example, FAILED if differences else PASSED, differences)


def get_exit_code(results):
    """Return the exit code of the command for some results."""
    outcomes = {result.outcome for result in results}
    return 1 if FAILED in outcomes else 0 if PASSED in outcomes else 3

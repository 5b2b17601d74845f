"""Read files of worked examples, and run the examples on the engine or the reference."""

from dataclasses import dataclass, field
from typing import Any

from simgin.text.files import parse_json, read_text
from simgin.text.messages import format_value, suggest_spelling
from worked_examples.kinds import EXAMPLE_KINDS, find_differences
from worked_examples.schema import Example, ExampleError, NotSupportedError

EXAMPLE_KEYS = {"id", "kind", "variant", "note", "why", "input", "expect"}
OUTCOMES = PASSED, FAILED, NOT_SUPPORTED = "passed", "failed", "not supported"
READ_ERRORS = (AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclass(frozen=True)
class ExampleResult:
    """Comparison of one example with the engine or the reference implementation."""

    example: Example
    outcome: str
    differences: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # key: (expected, got)
    reason: str = ""  # why the example is not supported


def read_examples(path, kind=None):
    """Read the examples of a file, or only of one kind. Raise ExampleError if one is invalid."""
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
    """Raise ExampleError if there is no such kind of example."""
    if kind not in EXAMPLE_KINDS:
        raise ExampleError(
            f"{prefix}there is no kind {format_value(kind)}{suggest_spelling(kind, EXAMPLE_KINDS)}"
        )


def parse_example(json_example):
    """Return the example in a JSON object. Raise ExampleError if it is invalid."""
    if not isinstance(json_example, dict):
        raise ExampleError(f"a vector is an object, not {format_value(str(json_example))}.")
    name, given, expect = (
        json_example.get("id"),
        json_example.get("input"),
        json_example.get("expect"),
    )
    _check_kind(str(json_example.get("kind")), f"{name}: ")
    if unknown := json_example.keys() - EXAMPLE_KEYS:
        raise ExampleError(f"{name}: a vector has no key {format_value(min(unknown))}.")
    single_key = EXAMPLE_KINDS[json_example["kind"]].single_key
    if single_key and type(expect) is int:
        expect = {single_key: expect}
    if not isinstance(given, dict) or not isinstance(expect, dict):
        raise ExampleError(f"{name}: input and expect must be objects.")
    return Example(
        str(name), json_example["kind"], str(json_example.get("variant", "standard")), given, expect
    )


def run_examples(examples, implementation):
    """Run all examples. If some are invalid, raise ExampleError with all messages."""
    results, messages = [], []
    for example in examples:
        try:
            results.append(run_example(example, implementation))
        except ExampleError as error:
            messages.append(str(error))
    if messages:
        raise ExampleError("\n".join(messages))
    return results


def run_example(example, implementation):
    """Compare an example with an implementation. Raise ExampleError if it is invalid."""
    try:
        differences = find_differences(example, implementation)
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

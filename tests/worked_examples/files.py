"""Files of worked examples, and their comparison with a subject (engine or reference)."""

from dataclasses import dataclass, field
from typing import Any

from simgin.text.files import parse_json, read_text
from simgin.text.messages import did_you_mean, format_value
from worked_examples.kinds import KINDS, compare
from worked_examples.schema import Example, ExampleError, NotSupported

VECTOR_KEYS = {"id", "kind", "variant", "note", "why", "input", "expect"}
OUTCOMES = PASSED, FAILED, NOT_SUPPORTED = "passed", "failed", "not supported"
UNREADABLE = (AttributeError, IndexError, KeyError, TypeError, ValueError)


@dataclass(frozen=True)
class Verdict:
    """Result of an example: its differences as (expected, got), or why it is unsupported."""

    example: Example
    outcome: str
    differences: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    reason: str = ""


def read(path, kind=None):
    """Read the examples of a file, of one kind if named. Raise ExampleError if it is invalid."""
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
    chosen = [one for one in map(example, vectors) if kind in (None, one.kind)]
    if not chosen:
        raise ExampleError(f"{path} has no vectors{f' of kind {kind}' if kind else ''}.")
    return chosen


def _check_kind(kind, place=""):
    if kind not in KINDS:
        raise ExampleError(
            f"{place}there is no kind {format_value(kind)}{did_you_mean(kind, KINDS)}"
        )


def example(vector):
    if not isinstance(vector, dict):
        raise ExampleError(f"a vector is an object, not {format_value(str(vector))}.")
    name, given, expect = vector.get("id"), vector.get("input"), vector.get("expect")
    _check_kind(str(vector.get("kind")), f"{name}: ")
    if unknown := vector.keys() - VECTOR_KEYS:
        raise ExampleError(f"{name}: a vector has no key {format_value(min(unknown))}.")
    bare = KINDS[vector["kind"]].bare
    if bare and type(expect) is int:
        expect = {bare: expect}
    if not isinstance(given, dict) or not isinstance(expect, dict):
        raise ExampleError(f"{name}: input and expect must be objects.")
    return Example(str(name), vector["kind"], str(vector.get("variant", "standard")), given, expect)


def run(examples, subject):
    """Return a verdict on every example. Raise ExampleError with all invalid examples."""
    verdicts, sentences = [], []
    for one in examples:
        try:
            verdicts.append(verdict(one, subject))
        except ExampleError as error:
            sentences.append(str(error))
    if sentences:
        raise ExampleError("\n".join(sentences))
    return verdicts


def verdict(example, subject):
    """Return the result of one example. Raise ExampleError if it is invalid."""
    try:
        differences = compare(example, subject)
    except NotSupported as reason:
        return Verdict(example, NOT_SUPPORTED, reason=str(reason))
    except ExampleError:
        raise
    except UNREADABLE as error:
        raise example.error(f"kind {example.kind} cannot be read from this: {error!r}.") from error
    return Verdict(example, FAILED if differences else PASSED, differences)


def exit_code(verdicts):
    outcomes = {verdict.outcome for verdict in verdicts}
    return 1 if FAILED in outcomes else 0 if PASSED in outcomes else 3

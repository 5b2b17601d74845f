"""Files of worked examples: read, and compared with a subject (the engine or the twin)."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simgin.text.files import read_text
from simgin.text.messages import did_you_mean, shown
from worked_examples.kinds import KINDS, compare
from worked_examples.schema import Example, ExampleError, NotSupported

VECTOR_KEYS = {"id", "kind", "variant", "note", "why", "input", "expect"}
OUTCOMES = PASSED, FAILED, NOT_SUPPORTED = "passed", "failed", "not supported"


class ConformError(ValueError):
    """A file that cannot be run; one sentence per line, each with its id and key."""


@dataclass(frozen=True)
class Verdict:
    """The result of one example.

    differences: key -> (expected, got) of a failure. reason: why it is not supported.
    """

    example: Example
    outcome: str
    differences: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    reason: str = ""


def read(path, kind=None):
    """The examples of a file, of one kind if named; ConformError with everything that is wrong."""
    vectors = _vectors(Path(path))
    _check_kind(kind)
    numbered = [(vector, number) for number, vector in enumerate(vectors, start=1)]
    examples, sentences = _each(lambda one: example(*one), numbered)
    ids = Counter(one.id for one in examples)
    twice = [name for name, n in ids.items() if n > 1]
    sentences += [f"{path}: the id {shown(name)} is given more than once." for name in twice]
    if sentences:
        raise ConformError("\n".join(sentences))
    chosen = [one for one in examples if kind in (None, one.kind)]
    if not chosen:
        raise ConformError(f"{path} has no vectors{f' of kind {kind}' if kind else ''}.")
    return chosen


def run(examples, subject):
    """A verdict on every example, in order; ConformError with all that cannot be read.

    subject: the module `engine` or `rules_twin`.
    """
    verdicts, sentences = _each(lambda one: verdict(one, subject), examples)
    if sentences:
        raise ConformError("\n".join(sentences))
    return verdicts


def _each(function, arguments):
    """What a function makes of each argument, and the sentences about those that are wrong."""
    made, sentences = [], []
    for argument in arguments:
        try:
            made.append(function(argument))
        except (ConformError, ExampleError) as error:
            sentences.append(str(error))
    return made, sentences


def verdict(example, subject):
    """The result of one example; ExampleError where it cannot be read."""
    try:
        differences = compare(example, subject)
    except NotSupported as reason:
        return Verdict(example, NOT_SUPPORTED, reason=str(reason))
    return Verdict(example, FAILED if differences else PASSED, differences)


def exit_code(verdicts):
    """0 if some pass and none fail, 1 if any fails, 3 if none is supported."""
    outcomes = {verdict.outcome for verdict in verdicts}
    return 1 if FAILED in outcomes else 0 if PASSED in outcomes else 3


def _vectors(path):
    """The vectors in a file: an object with a list `vectors`, or that list itself."""
    try:
        content = json.loads(read_text(path))
        json.dumps(content, ensure_ascii=False).encode()
    except OSError as error:
        raise ConformError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ConformError(f"{path} is not text in UTF-8, and so no JSON.") from None
    except UnicodeEncodeError:
        raise ConformError(f"{path} holds half a character, which cannot be printed.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise ConformError(f"{path} is not JSON: {error}.") from None
    vectors = content.get("vectors") if isinstance(content, dict) else content
    if not isinstance(vectors, list):
        raise ConformError(
            f"{path} has no list of vectors: it must be an object with the key vectors, like "
            "rules_vectors.json."
        )
    return vectors


def _check_kind(kind, place=""):
    if kind is not None and kind not in KINDS:
        near = did_you_mean(kind, KINDS)
        near = f"; the kinds are {', '.join(KINDS)}." if near == "." else near
        raise ConformError(f"{place}there is no kind {shown(kind)}{near}")


def example(vector, number=1):
    """The example in one vector, its parts checked; number: of the vector in its file."""
    if not isinstance(vector, dict):
        raise ConformError(f"vector {number}: a vector is an object, not {shown(str(vector))}.")
    name = vector.get("id")
    if not isinstance(name, str | int) or not str(name).strip():
        given = shown(str(name))
        raise ConformError(f"vector {number}: id must be a text of its own, not {given}.")
    _check_kind(str(vector.get("kind")), f"{name}: ")
    if unknown := vector.keys() - VECTOR_KEYS:
        near = did_you_mean(min(unknown), ["input", "expect", "variant"])
        raise ConformError(f"{name}: a vector has no key {shown(min(unknown))}{near}")
    given, expect = vector.get("input"), vector.get("expect")
    bare = KINDS[vector["kind"]].bare
    if bare and type(expect) is int:
        expect = {bare: expect}
    for key, value in (("input", given), ("expect", expect)):
        if not isinstance(value, dict):
            raise ConformError(f"{name}: {key} must be an object, not {shown(str(value))}.")
    return Example(str(name), vector["kind"], str(vector.get("variant", "standard")), given, expect)

"""Files of worked examples: read, compared with a subject (the engine or the twin), counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
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


def read(path: str | Path, kind: str | None = None) -> list[Example]:
    """The examples of a file, of one kind if named; ConformError with everything that is wrong."""
    vectors = _vectors(Path(path))
    _check_kind(kind)
    examples, sentences = [], []
    for number, vector in enumerate(vectors, start=1):
        try:
            examples.append(example(vector, number))
        except ConformError as error:
            sentences.append(str(error))
    ids = Counter(example.id for example in examples)
    twice = [name for name, n in ids.items() if n > 1]
    sentences += [f"{path}: the id {shown(name)} is given more than once." for name in twice]
    if sentences:
        raise ConformError("\n".join(sentences))
    chosen = [example for example in examples if kind in (None, example.kind)]
    if not chosen:
        raise ConformError(f"{path} has no vectors{f' of kind {kind}' if kind else ''}.")
    return chosen


def run(examples: Iterable[Example], subject: Any) -> list[Verdict]:
    """A verdict on every example, in order; ConformError with all that cannot be read.

    subject: the module `engine` or `rules_twin`.
    """
    verdicts, sentences = [], []
    for example in examples:
        try:
            verdicts.append(verdict(example, subject))
        except ExampleError as error:
            sentences.append(str(error))
    if sentences:
        raise ConformError("\n".join(sentences))
    return verdicts


def exit_code(verdicts: list[Verdict]) -> int:
    """0 if some pass and none fail, 1 if any fails, 3 if none is supported."""
    outcomes = {verdict.outcome for verdict in verdicts}
    if FAILED in outcomes:
        return 1
    return 0 if PASSED in outcomes else 3


def table(verdicts: list[Verdict]) -> list[tuple[str, list[int]]]:
    """(kind, [passed, failed, not supported]) in the order of the file, then of all together."""
    rows: dict[str, list[int]] = {}
    for verdict in verdicts:
        rows.setdefault(verdict.example.kind, [0, 0, 0])
    rows["all"] = [0, 0, 0]
    for verdict in verdicts:
        column = OUTCOMES.index(verdict.outcome)
        rows[verdict.example.kind][column] += 1
        rows["all"][column] += 1
    return list(rows.items())


def failures(verdicts: list[Verdict]) -> list[str]:
    """Lines on every example that failed: what was expected, and what the subject says."""
    lines = []
    for verdict in verdicts:
        if verdict.outcome != FAILED:
            continue
        example = verdict.example
        lines.append(f"{example.id} failed: {example.kind}, {example.variant}")
        for key, (expected, got) in verdict.differences.items():
            lines.append(f"  {key}")
            lines.append(f"    expected {_text(expected)}")
            lines.append(f"    got      {_text(got)}")
    return lines


def reasons(verdicts: list[Verdict]) -> list[tuple[str, int]]:
    """Why examples are not supported, with the number of examples for each reason."""
    counts = Counter[str]()
    for verdict in verdicts:
        if verdict.outcome == NOT_SUPPORTED:
            counts[f"{verdict.example.kind}: {verdict.reason}"] += 1
    return list(counts.items())


def verdict(example: Example, subject: Any) -> Verdict:
    """The result of one example; ExampleError where it cannot be read."""
    try:
        differences = compare(example, subject)
    except NotSupported as reason:
        return Verdict(example, NOT_SUPPORTED, reason=str(reason))
    return Verdict(example, FAILED if differences else PASSED, differences)


def _vectors(path: Path) -> list[Any]:
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


def _check_kind(kind: str | None) -> None:
    if kind is None or kind in KINDS:
        return
    near = did_you_mean(kind, KINDS)
    if near == ".":
        near = f"; the kinds are {', '.join(KINDS)}."
    raise ConformError(f"there is no kind {shown(kind)}{near}")


def example(vector: Any, number: int = 1) -> Example:
    """The example in one vector, its parts checked; number: of the vector in its file."""
    if not isinstance(vector, dict):
        raise ConformError(f"vector {number}: a vector is an object, not {shown(str(vector))}.")
    name = vector.get("id")
    if not isinstance(name, str | int) or not str(name).strip():
        raise ConformError(
            f"vector {number}: id must be a text of its own, not {shown(str(name))}."
        )
    try:
        _check_kind(str(vector.get("kind")))
    except ConformError as error:
        raise ConformError(f"{name}: {error}") from None
    unknown = vector.keys() - VECTOR_KEYS
    if unknown:
        key = min(unknown)
        near = did_you_mean(key, ["input", "expect", "variant"])
        raise ConformError(f"{name}: a vector has no key {shown(key)}{near}")
    given = vector.get("input")
    expect = vector.get("expect")
    bare = KINDS[vector["kind"]].bare
    if bare and type(expect) is int:
        expect = {bare: expect}
    for key, value in (("input", given), ("expect", expect)):
        if not isinstance(value, dict):
            raise ConformError(f"{name}: {key} must be an object, not {shown(str(value))}.")
    variant = str(vector.get("variant", "standard"))
    return Example(str(name), vector["kind"], variant, given, expect)  # type: ignore[arg-type]


def _text(value: Any) -> str:
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else json.dumps(value)

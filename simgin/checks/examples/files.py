"""Worked examples in a file, run through the engine: read, compared, counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simgin.checks.examples.kinds import KINDS, compare
from simgin.checks.examples.schema import Example, ExampleError, NotSupported
from simgin.text.messages import did_you_mean, shown

OUTCOMES = PASSED, FAILED, NOT_SUPPORTED = "passed", "failed", "not supported"


class ConformError(ValueError):
    """A file that cannot be run; the message has a sentence a line, each with the id and key it is about."""


@dataclass(frozen=True)
class Verdict:
    """What became of one example: its differences (key -> expected, got) if it failed, the reason if it is not supported."""

    example: Example
    outcome: str
    differences: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    reason: str = ""


def read(path: str | Path, kind: str | None = None) -> list[Example]:
    """The examples of a file, those of one kind if it is named. ConformError with a sentence for everything that is wrong."""
    vectors = _vectors(Path(path))
    _check_kind(kind)
    examples, sentences = [], []
    for number, vector in enumerate(vectors, start=1):
        try:
            examples.append(_example(vector, number))
        except ConformError as error:
            sentences.append(str(error))
    twice = [name for name, n in Counter(one.id for one in examples).items() if n > 1]
    sentences += [f"{path}: the id {shown(name)} is given more than once." for name in twice]
    if sentences:
        raise ConformError("\n".join(sentences))
    chosen = [one for one in examples if kind in (None, one.kind)]
    if not chosen:
        raise ConformError(f"{path} has no vectors{f' of kind {kind}' if kind else ''}.")
    return chosen


def run(examples: Iterable[Example]) -> list[Verdict]:
    """A verdict on every example, in order. ConformError for those that cannot be read, all of them at once."""
    verdicts, sentences = [], []
    for one in examples:
        try:
            verdicts.append(_verdict(one))
        except ExampleError as error:
            sentences.append(str(error))
    if sentences:
        raise ConformError("\n".join(sentences))
    return verdicts


def exit_code(verdicts: list[Verdict]) -> int:
    """0 if none failed and one at least passed, 1 if one failed, 3 if nothing was supported."""
    outcomes = {verdict.outcome for verdict in verdicts}
    return 1 if FAILED in outcomes else 0 if PASSED in outcomes else 3


def table(verdicts: list[Verdict]) -> list[tuple[str, list[int]]]:
    """(kind, [passed, failed, not supported]) of every kind met, in the order of the file, and of all together."""
    rows = {verdict.example.kind: [0, 0, 0] for verdict in verdicts} | {"all": [0, 0, 0]}
    for verdict in verdicts:
        for kind in (verdict.example.kind, "all"):
            rows[kind][OUTCOMES.index(verdict.outcome)] += 1
    return list(rows.items())


def failures(verdicts: list[Verdict]) -> list[str]:
    """A paragraph for every example that failed: what was expected and what the engine says."""
    lines = []
    for verdict in verdicts:
        if verdict.outcome == FAILED:
            one = verdict.example
            lines.append(f"{one.id} failed: {one.kind}, {one.variant}")
            for key, (expected, got) in verdict.differences.items():
                lines += [
                    f"  {key}",
                    f"    expected {_said(expected)}",
                    f"    got      {_said(got)}",
                ]
    return lines


def reasons(verdicts: list[Verdict]) -> list[tuple[str, int]]:
    """Why examples are not supported, and how many for each reason."""
    return list(
        Counter(
            f"{v.example.kind}: {v.reason}" for v in verdicts if v.outcome == NOT_SUPPORTED
        ).items()
    )


def rows(verdicts: list[Verdict]) -> list[dict[str, Any]]:
    """One object an example, for `--json`."""
    return [
        {
            "id": verdict.example.id,
            "kind": verdict.example.kind,
            "outcome": verdict.outcome.replace(" ", "_"),
            "differences": {
                key: {"expected": expected, "got": got}
                for key, (expected, got) in verdict.differences.items()
            },
            "reason": verdict.reason,
        }
        for verdict in verdicts
    ]


def _verdict(one: Example) -> Verdict:
    try:
        differences = compare(one)
    except NotSupported as reason:
        return Verdict(one, NOT_SUPPORTED, reason=str(reason))
    return Verdict(one, FAILED if differences else PASSED, differences)


def _vectors(path: Path) -> list[Any]:
    """The list of vectors in a file, which is an object with a list `vectors`, or that list itself."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConformError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ConformError(f"{path} is not text in UTF-8, and so no JSON.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise ConformError(f"{path} is not JSON: {error}.") from None
    vectors = content.get("vectors") if isinstance(content, dict) else content
    if not isinstance(vectors, list):
        raise ConformError(
            f"{path} has no list of vectors: it must be an object with the key vectors, like rules_vectors.json."
        )
    return vectors


def _check_kind(kind: str | None) -> None:
    if kind is not None and kind not in KINDS:
        near = did_you_mean(kind, KINDS)
        raise ConformError(
            f"there is no kind {shown(kind)}{near if near != '.' else '; the kinds are ' + ', '.join(KINDS) + '.'}"
        )


def _example(vector: Any, number: int) -> Example:
    """One vector with its parts where they belong."""
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
    if unknown := vector.keys() - {"id", "kind", "variant", "note", "why", "input", "expect"}:
        raise ConformError(
            f"{name}: a vector has no key {shown(min(unknown))}{did_you_mean(min(unknown), ['input', 'expect', 'variant'])}"
        )
    given, expect, bare = vector.get("input"), vector.get("expect"), KINDS[vector["kind"]].bare
    if bare and type(expect) is int:
        expect = {bare: expect}
    for key, value in (("input", given), ("expect", expect)):
        if not isinstance(value, dict):
            raise ConformError(f"{name}: {key} must be an object, not {shown(str(value))}.")
    return Example(str(name), vector["kind"], str(vector.get("variant", "standard")), given, expect)  # type: ignore[arg-type]


def _said(value: Any) -> str:
    return "nothing" if value is None else value if isinstance(value, str) else json.dumps(value)

"""The contract test of strategies: does one answer legally, in time, from its view alone, and leave what it is shown as it was?

Positions come from random play of every variant. They are put to the policies in processes of their own (see simgin.checks.contract_process), because a
compiled policy that hangs can only be killed: first with every index checked, each position several times over, in several orders and
places; then, where nothing was found, again in a process without those checks, which also plays whole deals.
"""

from __future__ import annotations

import json
import os
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from simgin.checks.contract_process import COMPILE_SECONDS, FIRST, PLAYERS, SECOND, SEED, key
from simgin.core.answers import SLOTS
from simgin.core.view import VIEW
from simgin.play.deal import NoSuchDeal, WatchedDeal, watch_deal
from simgin.play.matchup import Matchup
from simgin.rules.variants import Variant, find, names
from simgin.strategy import Strategy, loader

CHECKS = {
    "read": "the file can be read and has a strategy",
    "compiles": "every policy compiles, or runs in Python",
    "legal": "every answer is legal",
    "raises": "raises nothing",
    "bounds": "reads nothing out of bounds",
    "writes": "leaves view, rules and parameters as they were",
    "same": "the same view gets the same answer, in any order and process",
    "history": "reads no row of the history beyond view.turns",
    "time": "answers in time",
    "plays": "finishes deals of every variant",
}
SECONDS = 10.0  # within which a question is to be answered
QUESTIONS, AT_LEAST = (
    600,
    100,
)  # of each slot, shared by the variants; and at least so many of each variant
DEALT = 60  # deals in which questions are sought, at least: those of the die are rare
EARLIER = 4  # positions come from so many first deals of a match


@dataclass(frozen=True)
class Finding:
    """What became of one check. passed is None where it was not come to; the sentence says how it failed, or what was done."""

    strategy: str
    check: str
    passed: bool | None
    sentence: str = ""


@dataclass
class _Record:
    """What is known of one strategy while it is being checked."""

    failed: dict[str, str] = field(default_factory=dict)  # check -> its first failure
    passed: set[str] = field(default_factory=set)
    about: dict[str, str] = field(default_factory=dict)  # check -> what was done
    answers: dict[str, list[int]] = field(default_factory=dict)
    finished: set[str] = field(default_factory=set)

    def note(self, said: dict[str, Any]) -> None:
        """Take down one line of a process."""
        if "failed" in said:
            self.failed.setdefault(said["failed"], said["sentence"])
        if "passed" in said:
            self.passed.add(said["passed"])
        if "about" in said:
            self.about[said["about"]] = said["sentence"]
        if "answers" in said:
            self.answers[said["key"]] = said["answers"]
        if "finished" in said:
            self.finished.add(said["finished"])

    def findings(self, strategy: str) -> list[Finding]:
        return [
            Finding(
                strategy,
                check,
                self._passed(check),
                self.failed.get(check) or self.about.get(check, ""),
            )
            for check in CHECKS
        ]

    def _passed(self, check: str) -> bool | None:
        if check in self.failed:
            return False
        whole = not self.failed and (
            SECOND in self.finished
            or (FIRST in self.finished and check not in ("same", "time", "plays"))
        )
        return True if whole or check in self.passed else None


def all_variants() -> list[Variant]:
    """What a strategy is to play unless told otherwise: every row, and one of the games in which the stopper chooses what he shows."""
    return [*map(find, names()), find("standard+melding=choice")]


def check(
    strategies: Sequence[str], variants: Sequence[Variant], seconds: float = SECONDS
) -> list[Finding]:
    """Every check of some strategies, given by name or file, in the order of CHECKS. Raises nothing for what they do."""
    records = {text: _Record() for text in strategies}
    with tempfile.TemporaryDirectory(prefix="simgin-check-") as folder:
        file = Path(folder) / "positions.npz"
        views: dict[str, Any] = {**positions(variants)}
        np.savez(file, **views)
        job = {
            "positions": str(file),
            "variants": [variant.text for variant in variants],
            "seconds": seconds,
        }
        _stage(FIRST, job, records, list(strategies))
        _stage(
            SECOND, job, records, [text for text, record in records.items() if not record.failed]
        )
    return [finding for text, record in records.items() for finding in record.findings(text)]


# The positions


def positions(variants: Sequence[Variant]) -> dict[str, np.ndarray]:
    """Views from random play, as bytes, uint8 (questions, size of a view), by `ending variant slot`."""
    wanted = max(AT_LEAST, QUESTIONS // len(variants))
    found = {}
    for variant in variants:
        for ending in ("best", "same"):
            for slot, views in _seen(variant, ending, wanted).items():
                found[key(ending, variant.text, slot)] = np.frombuffer(
                    b"".join(views), np.uint8
                ).reshape(-1, VIEW.itemsize)
    return found


def _seen(variant: Variant, ending: str, wanted: int) -> dict[str, list[bytes]]:
    """The views of each slot in the deals of matches whose scores begin by lot, until there are enough or too many were played."""
    lot = random.Random(SEED)
    players = [Strategy(**{**vars(loader.find(text)), "ending": ending}) for text in PLAYERS]
    views: dict[str, list[bytes]] = {slot: [] for slot in SLOTS}
    for unit in range(max(DEALT, wanted // 5)):
        points = (lot.randrange(_target(variant)), lot.randrange(_target(variant)))
        a, b = players if unit % 2 else players[::-1]
        game = Matchup(variant, a, b if variant.row["players"] == 2 else None, SEED, "match")
        for question in _deal_of(game, unit, points).questions:
            views[question.slot].append(question.view.tobytes())
        if all(len(one) >= wanted for one in views.values()):
            break
    return {slot: one[:wanted] for slot, one in views.items()}


def _deal_of(game: Matchup, unit: int, points: tuple[int, int]) -> WatchedDeal:
    """One of the first deals of a match; the very first where the match was over before."""
    try:
        return watch_deal(game, unit, deal=unit % EARLIER, points=points)
    except NoSuchDeal:
        return watch_deal(game, unit, points=points)


def _target(variant: Variant) -> int:
    target = variant.row["points_target"]
    return target if isinstance(target, int) else 100


# This process: it starts the others, listens, and ends them


def _stage(stage: str, job: dict[str, Any], records: dict[str, _Record], left: list[str]) -> None:
    """Have a process ask every strategy; a new one goes on where a process had to be ended, or ended by itself."""
    while left:
        answers = {text: records[text].answers for text in left}
        with tempfile.TemporaryFile("w+") as errors, _child(stage, errors) as child:
            assert child.stdin is not None
            with child.stdin:
                child.stdin.write(
                    json.dumps({**job, "stage": stage, "strategies": left, "answers": answers})
                )
            try:
                left = _listen(child, errors, records, left)
            finally:
                child.kill()


def _child(stage: str, errors: IO[str]) -> subprocess.Popen[str]:
    """A process with its own hash seed, so that what hangs on the order of a set shows; the first one checks every index."""
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_BOUNDSCHECK"}
    env |= (
        {"PYTHONHASHSEED": "1", "NUMBA_BOUNDSCHECK": "1"}
        if stage == FIRST
        else {"PYTHONHASHSEED": "2"}
    )
    command = [sys.executable, "-m", "simgin.checks.contract_process"]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=env
    )


def _listen(
    child: subprocess.Popen[str], errors: IO[str], records: dict[str, _Record], left: list[str]
) -> list[str]:
    """Take down what a process reports, until it ends or falls silent for too long. The strategies still to be checked."""
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(child, lines), daemon=True).start()
    doing: dict[str, Any] = {"doing": "starting", "seconds": COMPILE_SECONDS}
    until, slot = time.monotonic() + COMPILE_SECONDS, ""
    while left:
        record = records[left[0]]
        try:
            line = lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            record.failed["time"] = (
                f"{doing['doing']} took longer than {doing['seconds']:g} s{slot}."
            )
            return left[1:]
        if line is None:
            record.failed["raises"] = (
                f"{doing['doing']} ended the process, with {_code(child.wait())}{_last_line(errors)}."
            )
            return left[1:]
        said = json.loads(line)
        if "asking" in said:
            slot = f", asked for a {said['asking']}"
            continue
        if "doing" in said:
            doing, slot = said, ""
        until = time.monotonic() + doing["seconds"]
        record.note(said)
        left = left["finished" in said :]
    return left


def _read(child: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]) -> None:
    assert child.stdout is not None
    for line in child.stdout:
        lines.put(line)
    lines.put(None)


def _code(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _last_line(errors: IO[str]) -> str:
    """The end of a sentence: what a process said last."""
    errors.seek(0)
    lines = errors.read().split("\n")
    return f" ({lines[-2]})" if len(lines) > 1 else ""

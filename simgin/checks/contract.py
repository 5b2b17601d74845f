"""The contract test of strategies: legal answers, in time, from the view alone, nothing written.

Positions come from random play of every variant. They are put to the policies in separate
processes (see simgin.checks.contract_process), because a compiled policy that hangs can only be
killed. The first process checks every array index and asks each position several times, in several
orders and places in memory; the second repeats this without index checks and plays whole deals. A
failure does not end the test: only a policy that hangs or ends its process is asked no more.
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
from typing import IO, Any

import numpy as np

from simgin.checks.contract_process import (
    COMPILE_SECONDS,
    FIRST,
    PLAYERS,
    SECOND,
    SEED,
    key,
    positions_file,
)
from simgin.core.answers import SLOTS
from simgin.core.view import VIEW
from simgin.play.deal import NoSuchDeal, WatchedDeal, watch_deal
from simgin.play.kernel import SOLO_SLOTS
from simgin.play.matchup import Matchup
from simgin.rules.variants import Variant, find, names
from simgin.strategy import Strategy, loader
from simgin.strategy.text_form import STAKE_SLOTS

CHECKS = {
    "read": "the file can be read and has a strategy",
    "compiles": "every policy compiles, or runs in Python",
    "legal": "every answer is legal",
    "raises": "raises no exception",
    "bounds": "reads nothing out of bounds",
    "writes": "leaves view, rules and parameters unchanged",
    "same": "gives the same view the same answer, in any order and process",
    "history": "reads no row of the history beyond view.turns",
    "time": "answers in time",
    "plays": "finishes deals of every variant",
}
SECONDS = 10.0  # time limit of one answer
# Questions for each slot, shared by the variants, and the fewest for each variant
QUESTIONS, AT_LEAST = 600, 100
DEALS_TRIED = 60  # deals in which questions are sought, at least: those of the die are rare
FIRST_DEALS = 4  # positions come from this many first deals of a match
ENDINGS = ("best", "same")
NOT_MADE = "not tested, because of the failure above."


@dataclass(frozen=True)
class Finding:
    """The result of one check of one strategy.

    passed: None if the check was not made. sentence: how it failed, what was done, or why not.
    """

    strategy: str
    check: str
    passed: bool | None
    sentence: str = ""


@dataclass
class _Record:
    """What is known about one strategy while it is being checked, by check."""

    failed: dict[str, str] = field(default_factory=dict)  # first failure
    passed: set[str] = field(default_factory=set)
    about: dict[str, str] = field(default_factory=dict)  # what was done
    answers: dict[str, list[int | None]] = field(default_factory=dict)  # by key of the positions
    given_up: list[str] = field(default_factory=list)  # slots that hung or ended a process

    def note(self, event: dict[str, Any]) -> None:
        """Record one event that a process reported."""
        if "failed" in event:
            self.failed.setdefault(event["failed"], event["sentence"])
        if "passed" in event:
            self.passed.update(event["passed"])
        if "about" in event:
            self.about[event["about"]] = event["sentence"]
        if "answers" in event:
            self.answers[event["key"]] = event["answers"]

    def known(self) -> dict[str, Any]:
        """What another process should know."""
        return {"answers": self.answers, "given_up": self.given_up, "failed": bool(self.failed)}

    @property
    def asked(self) -> bool:
        """Whether the first process came to its end."""
        return "legal" in self.passed

    def findings(self, strategy: str) -> list[Finding]:
        """The result of every check, in the order of CHECKS."""
        results = []
        for check in CHECKS:
            passed = self._passed(check)
            sentence = self.failed.get(check) or self.about.get(check, "")
            if passed is None:
                sentence = NOT_MADE
            results.append(Finding(strategy, check, passed, sentence))
        return results

    def _passed(self, check: str) -> bool | None:
        if check in self.failed:
            return False
        return True if check in self.passed else None


def all_variants() -> list[Variant]:
    """The variants a strategy is checked in by default.

    All that come with simgin, and one in which the knocker chooses the melds to show.
    """
    return [*map(find, names()), find("standard+melding=choice")]


def check(
    strategies: Sequence[str], variants: Sequence[Variant], seconds: float = SECONDS
) -> list[Finding]:
    """Every check of some strategies (names or files), in the order of CHECKS.

    seconds: time limit of one answer. Raises nothing, whatever a strategy does.
    """
    records = {text: _Record() for text in strategies}
    with tempfile.TemporaryDirectory(prefix="simgin-check-") as folder:
        variant_texts = [variant.text for variant in variants]
        job = {"folder": folder, "variants": variant_texts, "seconds": seconds}
        _run_stage(FIRST, job, records, list(strategies))
        asked = [text for text, record in records.items() if record.asked]
        _run_stage(SECOND, job, records, asked)
    findings = []
    for text, record in records.items():
        findings += record.findings(text)
    return findings


# Positions


def positions(
    variants: Sequence[Variant], endings: Sequence[str] = ENDINGS
) -> dict[str, np.ndarray]:
    """Views from random play by `ending variant slot`, as bytes: uint8 (questions, view size)."""
    wanted = max(AT_LEAST, QUESTIONS // len(variants))
    by_key = {}
    for variant in variants:
        for ending in endings:
            for slot, views in _views(variant, ending, wanted).items():
                table = np.frombuffer(b"".join(views), np.uint8)
                by_key[key(ending, variant.text, slot)] = table.reshape(-1, VIEW.itemsize)
    return by_key


def _make_positions(job: dict[str, Any], ending: str) -> None:
    """Write the positions of a job for strategies with one ending, unless they are there."""
    file = positions_file(job, ending)
    if not file.exists():
        texts = job["variants"]
        variants = [find(text) for text in texts]
        views: dict[str, Any] = dict(positions(variants, [ending]))
        np.savez(file, **views)


def _views(variant: Variant, ending: str, wanted: int) -> dict[str, list[bytes]]:
    """At most `wanted` views of each slot, from matches that start at random scores."""
    lot = random.Random(SEED)
    target = _target(variant)
    players = [_with_ending(text, ending) for text in PLAYERS]
    views: dict[str, list[bytes]] = {slot: [] for slot in SLOTS}
    asked_slots = _asked_slots(variant)
    asked = [views[slot] for slot in asked_slots]
    for unit in range(max(DEALS_TRIED, wanted // 5)):
        points = lot.randrange(target), lot.randrange(target)
        a, b = players if unit % 2 else reversed(players)
        is_alone = variant.row["players"] == 1
        opponent = None if is_alone else b
        matchup = Matchup(variant, a, opponent, SEED, "match")
        watched = _watch(matchup, unit, points)
        state = watched.state
        for i in range(state.logged):
            slot = SLOTS[state.slots[i]]
            view = state.log[i].tobytes()
            views[slot].append(view)
        if min(map(len, asked)) >= wanted:
            break
    return {slot: of_slot[:wanted] for slot, of_slot in views.items()}


def _asked_slots(variant: Variant) -> list[str]:
    """The slots that a variant may ask."""
    if variant.row["players"] == 1:
        return list(SOLO_SLOTS)
    slots = ["take", "discard", "knock"]
    if variant.row["die"] != "off":
        slots += STAKE_SLOTS
    if variant.row["melding"] == "choice":
        slots.append("show")
    return slots


def _with_ending(text: str, ending: str) -> Strategy:
    fields = vars(loader.find(text))
    return Strategy(**{**fields, "ending": ending})


def _watch(matchup: Matchup, unit: int, points: tuple[int, int]) -> WatchedDeal:
    """One of the first deals of a match; the very first if the match is over before it."""
    try:
        return watch_deal(matchup, unit, deal=unit % FIRST_DEALS, points=points)
    except NoSuchDeal:
        return watch_deal(matchup, unit, points=points)


def _target(variant: Variant) -> int:
    target = variant.row["points_target"]
    return target if isinstance(target, int) else 100


# Processes: this one starts the others, listens, and ends them


def _run_stage(
    stage: str, job: dict[str, Any], records: dict[str, _Record], left: list[str]
) -> None:
    """Have a process check every strategy; where one is ended or dies, a new one continues.

    It does so without the policy that was being asked.
    """
    while left:
        request = {**job, "stage": stage, "strategies": left}
        request["known"] = {text: records[text].known() for text in left}
        with tempfile.TemporaryFile("w+") as errors, _start(stage, errors) as child:
            assert child.stdin is not None
            print(json.dumps(request), file=child.stdin, flush=True)
            try:
                left = _listen(child, errors, records, left, job)
            finally:
                child.kill()


def _start(stage: str, errors: IO[str]) -> subprocess.Popen[str]:
    """A process with a hash seed of its own, so that dependence on the order of a set shows.

    The first stage checks every array index.
    """
    environment = dict(os.environ)
    environment.pop("NUMBA_BOUNDSCHECK", None)
    environment["PYTHONHASHSEED"] = "1" if stage == FIRST else "2"
    if stage == FIRST:
        environment["NUMBA_BOUNDSCHECK"] = "1"
    return subprocess.Popen(
        [sys.executable, "-m", "simgin.checks.contract_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env=environment,
    )


def _listen(
    child: subprocess.Popen[str],
    errors: IO[str],
    records: dict[str, _Record],
    left: list[str],
    job: dict[str, Any],
) -> list[str]:
    """Record what a process reports until it ends or is silent for too long.

    Returns the strategies still to be checked.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(child, lines), daemon=True).start()
    doing, limit, slot, within = "starting", COMPILE_SECONDS, "", ""
    deadline = time.monotonic() + limit
    while left:
        record = records[left[0]]
        try:
            line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            record.failed.setdefault("time", f"{doing} took longer than {limit:g} s{within}.")
            return _without(slot, record, left)
        if line is None:
            code = f"{_exit_code(child.wait())}{_last_line(errors)}"
            record.failed.setdefault("raises", f"{doing} ended the process, with {code}.")
            return _without(slot, record, left)
        event = json.loads(line)
        if "asking" in event:
            within = f", asked for a {event['asking']}"
            continue
        if "ending" in event:
            _make_positions(job, event["ending"])
            print(file=child.stdin, flush=True)
        if "doing" in event:
            doing = event["doing"]
            limit = event["seconds"]
            slot, within = event.get("slot", ""), ""
        deadline = time.monotonic() + limit
        record.note(event)
        if "finished" in event:
            left = left[1:]
    return left


def _without(slot: str, record: _Record, left: list[str]) -> list[str]:
    """What is left to be checked after the policy of a slot ended a process; "" for none."""
    if not slot:
        return left[1:]
    record.given_up.append(slot)
    return left


def _read(child: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]) -> None:
    assert child.stdout is not None
    for line in child.stdout:
        lines.put(line)
    lines.put(None)


def _exit_code(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _last_line(errors: IO[str]) -> str:
    """The last line that a process wrote to stderr, in brackets, to end a sentence."""
    errors.seek(0)
    text = errors.read()
    lines = text.splitlines()
    if not lines:
        return ""
    return f" ({lines[-1]})"

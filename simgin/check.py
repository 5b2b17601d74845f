"""The contract test of strategies: does one answer legally, in time, from its view alone, and leave what it is shown as it was?

Positions come from random play of every variant. They are put to the policies in processes of their own, because a compiled policy that
hangs can only be killed: first with every index checked, each position several times over, in several orders and places; then, where
nothing was found, again in a process without those checks, which also plays whole deals. The processes report in lines of JSON.
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

from simgin import hooks, loader, matchup, rules, single, slow
from simgin.core.state import SLOTS, new_state
from simgin.core.view import MAX_TURNS, VIEW, new_view
from simgin.matchup import Matchup
from simgin.strategy import Policy, Strategy
from simgin.variants import Variant, find, names

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
COMPILE_SECONDS = 300.0
DEAL = 6  # a whole deal may take so many times as long
QUESTIONS, AT_LEAST = 600, 100  # of each slot, shared by the variants; and at least so many of each variant
BEAT = 0.3
SLOW = 1.0  # seconds after which a slow policy is asked no further positions of a variant
DEALS = 200  # played of each variant
SEED = 1
PLAYERS = "random:p_end=0.1", "gold+knock=random:p_end=0.2+stake=random+show=random"  # between them they come to all sorts of positions
DEALT = 60  # deals in which questions are sought, at least: those of the die are rare
EARLIER = 4  # positions come from so many first deals of a match
_FIRST, _SECOND = "questions", "deals"  # the two processes


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
        return [Finding(strategy, check, self._passed(check), self.failed.get(check) or self.about.get(check, "")) for check in CHECKS]

    def _passed(self, check: str) -> bool | None:
        if check in self.failed:
            return False
        whole = not self.failed and (_SECOND in self.finished or (_FIRST in self.finished and check not in ("same", "time", "plays")))
        return True if whole or check in self.passed else None


def games() -> list[Variant]:
    """What a strategy is to play unless told otherwise: every row, and one of the games in which the stopper chooses what he shows."""
    return [*map(find, names()), find("standard+melding=choice")]


def check(strategies: Sequence[str], variants: Sequence[Variant], seconds: float = SECONDS) -> list[Finding]:
    """Every check of some strategies, given by name or file, in the order of CHECKS. Raises nothing for what they do."""
    records = {text: _Record() for text in strategies}
    with tempfile.TemporaryDirectory(prefix="simgin-check-") as folder:
        file = Path(folder) / "positions.npz"
        views: dict[str, Any] = {**positions(variants)}
        np.savez(file, **views)
        job = {"positions": str(file), "variants": [variant.text for variant in variants], "seconds": seconds}
        _stage(_FIRST, job, records, list(strategies))
        _stage(_SECOND, job, records, [text for text, record in records.items() if not record.failed])
    return [finding for text, record in records.items() for finding in record.findings(text)]


# The positions


def positions(variants: Sequence[Variant]) -> dict[str, np.ndarray]:
    """Views from random play, as bytes, uint8 (questions, size of a view), by `ending variant slot`."""
    wanted = max(AT_LEAST, QUESTIONS // len(variants))
    found = {}
    for variant in variants:
        for ending in ("best", "same"):
            for slot, views in _seen(variant, ending, wanted).items():
                found[_key(ending, variant.text, slot)] = np.frombuffer(b"".join(views), np.uint8).reshape(-1, VIEW.itemsize)
    return found


def _key(ending: str, variant: str, slot: str) -> str:
    return f"{ending} {variant} {slot}".replace("/", "|")  # it names a file in an archive


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


def _deal_of(game: Matchup, unit: int, points: tuple[int, int]) -> single.Single:
    """One of the first deals of a match; the very first where the match was over before."""
    try:
        return single.play(game, unit, deal=unit % EARLIER, points=points)
    except single.NoSuchDeal:
        return single.play(game, unit, points=points)


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
                child.stdin.write(json.dumps({**job, "stage": stage, "strategies": left, "answers": answers}))
            try:
                left = _listen(child, errors, records, left)
            finally:
                child.kill()


def _child(stage: str, errors: IO[str]) -> subprocess.Popen[str]:
    """A process with its own hash seed, so that what hangs on the order of a set shows; the first one checks every index."""
    env = {name: value for name, value in os.environ.items() if name != "NUMBA_BOUNDSCHECK"}
    env |= {"PYTHONHASHSEED": "1", "NUMBA_BOUNDSCHECK": "1"} if stage == _FIRST else {"PYTHONHASHSEED": "2"}
    command = [sys.executable, "-m", "simgin.check"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=env)


def _listen(child: subprocess.Popen[str], errors: IO[str], records: dict[str, _Record], left: list[str]) -> list[str]:
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
            record.failed["time"] = f"{doing['doing']} took longer than {doing['seconds']:g} s{slot}."
            return left[1:]
        if line is None:
            record.failed["raises"] = f"{doing['doing']} ended the process, with {_code(child.wait())}{_last_line(errors)}."
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


# The other processes


class _Fault(Exception):
    """A check that failed: its name, and what goes on from `the take policy 'mine' in mine.py `."""


class _Report:
    """Lines of JSON to the process that listens, and a beat from time to time while questions are being answered."""

    def __init__(self) -> None:
        self._out, self._lock = os.dup(1), threading.Lock()
        os.dup2(2, 1)  # what strategies print is no report
        self.answered = 0
        self.state: Any = None  # of the deal being played
        threading.Thread(target=self._beat, daemon=True).start()

    def tell(self, **event: Any) -> None:
        line = json.dumps(event).encode() + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._out, line) :]

    def _beat(self) -> None:
        before = 0
        while True:
            time.sleep(BEAT)
            if self.answered != before:
                before = self.answered
                self.tell(beat=before)
            elif self.state is not None:
                self.tell(asking=SLOTS[self.state.asked_slot])


def main() -> None:
    """Do the job that stands on stdin and report on stdout."""
    job, report = json.loads(sys.stdin.read()), _Report()
    stage = {_FIRST: _questions, _SECOND: _deals}[job["stage"]]
    with np.load(job["positions"]) as views:
        for text in job["strategies"]:
            if (strategy := _read_strategy(text, job, report)) is not None:
                stage(strategy, _compiled(strategy, report), job, views, report)
            report.tell(finished=job["stage"])


def _read_strategy(text: str, job: dict[str, Any], report: _Report) -> Strategy | None:
    report.tell(doing=f"reading {text}", seconds=job["seconds"])
    try:
        strategy = loader.find(text)
    except loader.StrategyError as error:
        report.tell(failed="read", sentence=str(error))
        return None
    report.tell(passed="read")
    return strategy


def _compiled(strategy: Strategy, report: _Report) -> list[Policy]:
    """The policies of a strategy that can be asked."""
    report.tell(doing=f"compiling {strategy.text}", seconds=COMPILE_SECONDS)
    policies, tiers = [], []
    for policy in filter(None, map(strategy.policy, SLOTS)):
        try:
            hooks.vector(policy)
            hooks.hook(policy)
        except hooks.PolicyError as error:
            report.tell(failed="compiles", sentence=str(error))
            continue
        policies.append(policy)
        why = hooks.slow_because(policy)
        tiers.append(f"{policy.slot} runs in Python ({why.rstrip('.')})" if why else f"{policy.slot} is compiled")
    report.tell(about="compiles", sentence=f"{', '.join(tiers)}.")
    report.tell(passed="compiles")
    return policies


def _questions(strategy: Strategy, policies: list[Policy], job: dict[str, Any], views: Any, report: _Report) -> None:
    """Put every position to every policy: as the engine would, again in another order and place, and with a history that goes on."""
    asked = 0
    for policy in policies:
        for text in job["variants"]:
            key = _key(strategy.ending, text, policy.slot)
            try:
                answers = _asked_thrice(_asker(policy, text, job, report), views[key])
            except _Fault as fault:
                report.tell(failed=fault.args[0], sentence=f"{_about(policy, text)} {fault.args[1]}.")
                break
            asked += len(answers)
            report.tell(answers=answers, key=key)
    report.tell(about="same", sentence=f"{asked:,} positions from {_variants(job)}.")


def _deals(strategy: Strategy, policies: list[Policy], job: dict[str, Any], views: Any, report: _Report) -> None:
    """Put the same positions to the policies in this process, backwards, and play deals of every variant."""
    for policy in policies:
        for text in job["variants"]:
            key = _key(strategy.ending, text, policy.slot)
            try:
                _asked_again(_asker(policy, text, job, report), views[key], job["answers"][strategy.text][key])
            except _Fault as fault:
                report.tell(failed=fault.args[0], sentence=f"{_about(policy, text)} {fault.args[1]}.")
                return
    played = 0
    for text in job["variants"]:
        report.tell(doing=f"compiling {strategy.text}", seconds=COMPILE_SECONDS)
        variant = find(text)
        other = loader.find(PLAYERS[0]) if variant.row["players"] == 2 else None
        game = Matchup(variant, strategy, other, SEED, "deal")
        matchup.prepare(game)
        try:
            played += _played(game, job, report)
        except (matchup.IllegalAnswer, matchup.Tampered) as error:
            report.tell(failed="plays", sentence=str(error))
            return
    report.tell(about="plays", sentence=f"{played:,} deals of {_variants(job)}.")


def _variants(job: dict[str, Any]) -> str:
    return " and ".join(job["variants"]) if len(job["variants"]) < 3 else f"{len(job['variants'])} variants"


def _about(policy: Policy, variant: str) -> str:
    return f"under {variant} the {policy.slot} policy {policy.name!r} in {policy.source.name}"


def _asker(policy: Policy, variant: str, job: dict[str, Any], report: _Report) -> _Asker:
    report.tell(doing=_about(policy, variant), seconds=job["seconds"])
    return _Asker(policy, find(variant), report)


class _Asker:
    """Puts questions to one policy under one variant, and sees to it that it answers legally and writes nothing."""

    def __init__(self, policy: Policy, variant: Variant, report: _Report) -> None:
        self.policy, self.variant, self.report = policy, variant, report
        self.hook, self.vector, self.rules = hooks.hook(policy), hooks.vector(policy), rules.build(variant)
        self._before = self.rules.tobytes()

    def again(self) -> _Asker:
        """One with rules and parameters in another place."""
        return _Asker(self.policy, self.variant, self.report)

    def ask(self, view: Any) -> int:
        """The answer; _Fault if there is none that is legal, or if the policy wrote into the view."""
        before = view.tobytes()
        try:
            with slow.unwrapped():
                answer = int(self.hook(view, self.rules, self.vector))
        except BaseException as error:
            raise _Fault(_kind(error), matchup.raising(error)) from None
        if view.tobytes() != before:
            raise _Fault("writes", f"writes into view.{_changed(view, before)}, which it may only read")
        legal = int(view.legal)
        if not (0 <= answer <= 63 and legal >> answer & 1):
            raise _Fault("legal", matchup.illegal(self.policy.slot, answer, legal))
        self.report.answered += 1
        return answer

    def close(self) -> None:
        """_Fault if the policy has written into the rules."""
        if self.rules.tobytes() != self._before:
            raise _Fault("writes", f"writes into rules.{_changed(self.rules, self._before)}, which it may only read")


def _kind(error: BaseException) -> str:
    if isinstance(error, IndexError):
        return "bounds"
    if isinstance(error, slow.NoAnswer):
        return "legal"
    return "writes" if isinstance(error, ValueError) and "read-only" in str(error) else "raises"


def _changed(record: Any, before: bytes) -> str:
    """The first field of a record that is no longer as it was."""
    old = np.frombuffer(before, record.dtype)[0]
    return next((name for name in record.dtype.names if record[name].tobytes() != old[name].tobytes()), "padding")


def _asked_thrice(asker: _Asker, positions: np.ndarray) -> list[int]:
    """The answers to some positions; _Fault if one changes with the place, the order, or what lies beyond the history."""
    answers = _asked_in_place(asker, positions)
    asker.close()
    _asked_again(asker.again(), positions, answers)
    for i, answer in enumerate(answers):
        view = _elsewhere(positions[i], i, asker.policy)
        view.history[view.turns :] = np.random.default_rng(i).integers(-1, 52, (MAX_TURNS - int(view.turns), 4))
        try:
            again = asker.ask(view)
        except _Fault as fault:
            raise _Fault("history", f"reads the history beyond view.turns: with other bytes there it {fault.args[1]}") from None
        if again != answer:
            raise _Fault("history", f"reads the history beyond view.turns: with other bytes there it answers {again}, not {answer}")
    return answers


def _asked_in_place(asker: _Asker, positions: np.ndarray) -> list[int]:
    """Every view in one place, as in the engine; of a slow policy as many as there is time for."""
    place, answers, started = np.zeros(1, VIEW), [], time.monotonic()
    for i, position in enumerate(positions):
        place[0] = _elsewhere(position, i, asker.policy)
        answers.append(asker.ask(place[0]))
        if time.monotonic() - started > SLOW:
            break
    return answers


def _asked_again(asker: _Asker, positions: np.ndarray, answers: Sequence[int]) -> None:
    """The same questions backwards, each in a place of its own."""
    for i in reversed(range(len(answers))):
        if (again := asker.ask(_elsewhere(positions[i], i, asker.policy))) != answers[i]:
            raise _Fault("same", f"answers {answers[i]} and, asked again, {again}: it depends on more than view, rules and params")
    asker.close()


def _elsewhere(position: np.ndarray, i: int, policy: Policy) -> Any:
    """A view among random bytes, with the noise of question i."""
    lot = np.random.default_rng(i)
    room = lot.integers(0, 256, VIEW.itemsize + 256, np.uint8)
    start = 8 * (1 + i % 16) - room.ctypes.data % 8
    room[start : start + VIEW.itemsize] = position
    view = room[start : start + VIEW.itemsize].view(VIEW)[0]
    view.noise = int(lot.integers(2**53)) if policy.noise else 0
    return view


def _played(game: Matchup, job: dict[str, Any], report: _Report) -> int:
    """Deals played to their end, alone or against a random player, DEALS unless that takes too long."""
    started, pair = time.monotonic(), len(game.players)
    for unit in range(DEALS // pair):
        report.state = new_state(SEED)
        words = f"{' '.join(one.text for one in game.players)} -v {game.variant.text} --seed {SEED} --unit {unit}"
        report.tell(doing=f"a deal of {game.variant.text} (simgin show {words})", seconds=DEAL * job["seconds"])
        _play_unit(game, unit, report.state)
        if time.monotonic() - started > DEAL * SLOW:
            break
    report.state = None
    return pair * (unit + 1)


def _play_unit(game: Matchup, unit: int, state: Any) -> None:
    try:
        matchup.run(game, state, rules.build(game.variant), (new_view(), new_view()), unit, 1)
    except matchup.Tampered:
        raise
    except Exception as error:
        raise matchup.IllegalAnswer(matchup.failure(game, state, error)) from None


if __name__ == "__main__":
    main()

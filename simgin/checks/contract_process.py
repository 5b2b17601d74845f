"""The processes of the contract test: each reads a job, puts positions to policies, or plays deals, and reports in lines of JSON.

Run as `python -m simgin.checks.contract_process` by simgin.checks.contract, which listens, and ends a process that falls silent.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from simgin.core.answers import SLOTS
from simgin.core.state import new_state
from simgin.core.view import MAX_TURNS, VIEW, new_view
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant, find
from simgin.strategy import Policy, Strategy, compiler, interpret, loader
from simgin.strategy.text_form import StrategyError

FIRST, SECOND = "questions", "deals"  # the two processes
COMPILE_SECONDS = 300.0
DEAL = 6  # a whole deal may take so many times as long as a question
BEAT = 0.3
SLOW = 1.0  # seconds after which a slow policy is asked no further positions of a variant
DEALS = 200  # played of each variant
SEED = 1
PLAYERS = (
    "random:p_end=0.1",
    "gold+knock=random:p_end=0.2+stake=random+show=random",
)  # between them they come to all sorts of positions


def key(ending: str, variant: str, slot: str) -> str:
    """The name of the positions of a slot."""
    return f"{ending} {variant} {slot}".replace("/", "|")  # it names a file in an archive


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
    stage = {FIRST: _questions, SECOND: _deals}[job["stage"]]
    with np.load(job["positions"]) as views:
        for text in job["strategies"]:
            if (strategy := _read_strategy(text, job, report)) is not None:
                own = {
                    **job,
                    "answers": job["answers"].get(text, {}),
                }  # kept under the name that was asked for
                stage(strategy, _compiled(strategy, report), own, views, report)
            report.tell(finished=job["stage"])


def _read_strategy(text: str, job: dict[str, Any], report: _Report) -> Strategy | None:
    report.tell(doing=f"reading {text}", seconds=job["seconds"])
    try:
        strategy = loader.find(text)
    except StrategyError as error:
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
            compiler.vector(policy)
            compiler.hook(policy)
        except compiler.PolicyError as error:
            report.tell(failed="compiles", sentence=str(error))
            continue
        policies.append(policy)
        why = compiler.slow_because(policy)
        tiers.append(
            f"{policy.slot} runs in Python ({why.rstrip('.')})"
            if why
            else f"{policy.slot} is compiled"
        )
    report.tell(about="compiles", sentence=f"{', '.join(tiers)}.")
    report.tell(passed="compiles")
    return policies


def _questions(
    strategy: Strategy, policies: list[Policy], job: dict[str, Any], views: Any, report: _Report
) -> None:
    """Put every position to every policy: as the engine would, again in another order and place, and with a history that goes on."""
    asked = 0
    for policy in policies:
        for text in job["variants"]:
            place = key(strategy.ending, text, policy.slot)
            try:
                answers = _asked_thrice(_asker(policy, text, job, report), views[place])
            except _Fault as fault:
                report.tell(
                    failed=fault.args[0], sentence=f"{_about(policy, text)} {fault.args[1]}."
                )
                break
            asked += len(answers)
            report.tell(answers=answers, key=place)
    report.tell(about="same", sentence=f"{asked:,} positions from {_variants(job)}.")


def _deals(
    strategy: Strategy, policies: list[Policy], job: dict[str, Any], views: Any, report: _Report
) -> None:
    """Put the same positions to the policies in this process, backwards, and play deals of every variant."""
    for policy in policies:
        for text in job["variants"]:
            place = key(strategy.ending, text, policy.slot)
            try:
                _asked_again(_asker(policy, text, job, report), views[place], job["answers"][place])
            except _Fault as fault:
                report.tell(
                    failed=fault.args[0], sentence=f"{_about(policy, text)} {fault.args[1]}."
                )
                return
    played = 0
    for text in job["variants"]:
        report.tell(doing=f"compiling {strategy.text}", seconds=COMPILE_SECONDS)
        variant = find(text)
        other = loader.find(PLAYERS[0]) if variant.row["players"] == 2 else None
        game = Matchup(variant, strategy, other, SEED, "deal")
        kernel.prepare(game)
        try:
            played += _played(game, job, report)
        except (kernel.PolicyFailure, kernel.RulesModified) as error:
            report.tell(failed="plays", sentence=str(error))
            return
    report.tell(about="plays", sentence=f"{played:,} deals of {_variants(job)}.")


def _variants(job: dict[str, Any]) -> str:
    return (
        " and ".join(job["variants"])
        if len(job["variants"]) < 3
        else f"{len(job['variants'])} variants"
    )


def _about(policy: Policy, variant: str) -> str:
    return f"under {variant} the {policy.slot} policy {policy.name!r} in {policy.source.name}"


def _asker(policy: Policy, variant: str, job: dict[str, Any], report: _Report) -> _Asker:
    report.tell(doing=_about(policy, variant), seconds=job["seconds"])
    return _Asker(policy, find(variant), report)


class _Asker:
    """Puts questions to one policy under one variant, and sees to it that it answers legally and writes nothing."""

    def __init__(self, policy: Policy, variant: Variant, report: _Report) -> None:
        self.policy, self.variant, self.report = policy, variant, report
        self.hook, self.vector, self.rules = (
            compiler.hook(policy),
            compiler.vector(policy),
            build_rules(variant),
        )
        self._before = self.rules.tobytes()

    def again(self) -> _Asker:
        """One with rules and parameters in another place."""
        return _Asker(self.policy, self.variant, self.report)

    def ask(self, view: Any) -> int:
        """The answer; _Fault if there is none that is legal, or if the policy wrote into the view."""
        before = view.tobytes()
        try:
            with interpret.unwrapped():
                answer = int(self.hook(view, self.rules, self.vector))
        except BaseException as error:
            raise _Fault(_kind(error), kernel.describe_exception(error)) from None
        if view.tobytes() != before:
            raise _Fault(
                "writes", f"writes into view.{_changed(view, before)}, which it may only read"
            )
        legal = int(view.legal)
        if not (0 <= answer <= 63 and legal >> answer & 1):
            raise _Fault("legal", kernel.describe_answer(self.policy.slot, answer, legal))
        self.report.answered += 1
        return answer

    def close(self) -> None:
        """_Fault if the policy has written into the rules."""
        if self.rules.tobytes() != self._before:
            raise _Fault(
                "writes",
                f"writes into rules.{_changed(self.rules, self._before)}, which it may only read",
            )


def _kind(error: BaseException) -> str:
    if isinstance(error, IndexError):
        return "bounds"
    if isinstance(error, interpret.NoAnswer):
        return "legal"
    return "writes" if isinstance(error, ValueError) and "read-only" in str(error) else "raises"


def _changed(record: Any, before: bytes) -> str:
    """The first field of a record that is no longer as it was."""
    old = np.frombuffer(before, record.dtype)[0]
    return next(
        (name for name in record.dtype.names if record[name].tobytes() != old[name].tobytes()),
        "padding",
    )


def _asked_thrice(asker: _Asker, positions: np.ndarray) -> list[int]:
    """The answers to some positions; _Fault if one changes with the place, the order, or what lies beyond the history."""
    answers = _asked_in_place(asker, positions)
    asker.close()
    _asked_again(asker.again(), positions, answers)
    for i, answer in enumerate(answers):
        view = _elsewhere(positions[i], i, asker.policy)
        view.history[view.turns :] = np.random.default_rng(i).integers(
            -1, 52, (MAX_TURNS - int(view.turns), 4)
        )
        try:
            again = asker.ask(view)
        except _Fault as fault:
            raise _Fault(
                "history",
                f"reads the history beyond view.turns: with other bytes there it {fault.args[1]}",
            ) from None
        if again != answer:
            raise _Fault(
                "history",
                f"reads the history beyond view.turns: with other bytes there it answers {again}, not {answer}",
            )
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
            raise _Fault(
                "same",
                f"answers {answers[i]} and, asked again, {again}: it depends on more than view, rules and params",
            )
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
        report.tell(
            doing=f"a deal of {game.variant.text} (simgin show {words})",
            seconds=DEAL * job["seconds"],
        )
        _play_unit(game, unit, report.state)
        if time.monotonic() - started > DEAL * SLOW:
            break
    report.state = None
    return pair * (unit + 1)


def _play_unit(game: Matchup, unit: int, state: Any) -> None:
    try:
        kernel.run(game, state, build_rules(game.variant), (new_view(), new_view()), unit, 1)
    except kernel.RulesModified:
        raise
    except Exception as error:
        raise kernel.PolicyFailure(kernel.describe_failure(game, state, error)) from None


if __name__ == "__main__":
    main()

"""A process of the contract test: puts positions to policies, or plays deals, and reports.

`python -m simgin.checks.contract_process` reads a job from stdin and reports in lines of JSON.
simgin.checks.contract starts it, listens, and ends it if it falls silent.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simgin.checks.gins import Gins
from simgin.core.answers import SLOTS
from simgin.core.state import new_state
from simgin.core.view import MAX_TURNS, VIEW, new_view
from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant, find
from simgin.strategy import Policy, Strategy, compiler, interpret, loader
from simgin.strategy.text_form import StrategyError

FIRST, SECOND = "questions", "deals"  # the two stages, a process each
COMPILE_SECONDS = 300.0
DEAL_FACTOR = 6  # a whole deal may take this many times the limit of one answer
BEAT = 0.3  # seconds between signs of life
PATIENCE = 1.0  # seconds; after that a slow policy gets no more positions of a variant
DEALS, DEALS_AT_LEAST = 200, 60  # shared by the variants, and the fewest for each
SEED = 1
# Between them these players reach all sorts of positions
PLAYERS = ("random:p_end=0.1", "gold+knock=random:p_end=0.2+stake=random+show=random")
OF_QUESTIONS = ("legal", "raises", "bounds", "writes", "history")  # checks of the first stage
HIGHEST_ANSWER = 63  # legal answers are the bits of one int64
FEW_VARIANTS = 2  # named in a report; more are counted


def key(ending: str, variant: str, slot: str) -> str:
    """The name of the positions of a slot."""
    return f"{ending} {variant} {slot}".replace("/", "|")  # it names a file in an archive


def positions_file(job: dict[str, Any], ending: str) -> Path:
    """Where the positions of a job lie, for strategies with that ending."""
    return Path(job["folder"]) / f"{ending}.npz"


class _Fault(Exception):
    """A failed check: its name, and a sentence without its subject, the policy."""

    def __init__(self, check: str, predicate: str) -> None:
        super().__init__(check, predicate)
        self.check, self.predicate = check, predicate


class _Report:
    """Lines of JSON to the listening process, with a sign of life while questions are answered."""

    def __init__(self) -> None:
        self._out = os.dup(1)
        self._lock = threading.Lock()
        os.dup2(2, 1)  # what strategies print must not mix with the report
        self.answered = 0
        self.state: Any = None  # of the deal being played
        threading.Thread(target=self._beat, daemon=True).start()

    def send(self, **event: Any) -> None:
        line = json.dumps(event).encode() + b"\n"
        with self._lock:
            while line:
                written = os.write(self._out, line)
                line = line[written:]

    def fail(self, check: str, sentence: str) -> None:
        self.send(failed=check, sentence=sentence)

    def _beat(self) -> None:
        before = 0
        while True:
            time.sleep(BEAT)
            if self.answered != before:
                before = self.answered
                self.send(beat=before)
            elif self.state is not None:
                self.send(asking=SLOTS[self.state.asked_slot])


def main() -> None:
    """Do the job on stdin and report on stdout."""
    job = json.loads(sys.stdin.readline())
    loader.names()  # what comes with simgin is not part of the time that a file takes
    report = _Report()
    run_stage = _ask_questions if job["stage"] == FIRST else _play_deals
    for text in job["strategies"]:
        strategy = _read_strategy(text, job, report)
        if strategy is not None:
            report.send(ending=strategy.ending)  # positions are made while the policies compile
            policies = _compile(strategy, report)
            views = _await_positions(job, strategy.ending)
            known = job["known"][text]
            run_stage(strategy, policies, {**job, **known}, views, report)
        report.send(finished=job["stage"])


def _await_positions(job: dict[str, Any], ending: str) -> Any:
    """The positions for strategies with that ending, which the listening process makes."""
    sys.stdin.readline()
    file = positions_file(job, ending)
    with np.load(file) as views:
        return dict(views)


def _read_strategy(text: str, job: dict[str, Any], report: _Report) -> Strategy | None:
    report.send(doing=f"reading {text}", seconds=job["seconds"])
    try:
        strategy = loader.find(text)
    except StrategyError as error:
        report.fail("read", str(error))
        return None
    report.send(passed=["read"])
    return strategy


def _compile(strategy: Strategy, report: _Report) -> list[Policy]:
    """The policies of a strategy that compile or run in Python."""
    report.send(doing=f"compiling {strategy.text}", seconds=COMPILE_SECONDS)
    policies, notes = [], []
    for policy in _policies(strategy):
        try:
            compiler.vector(policy)
            compiler.hook(policy)
        except compiler.PolicyError as error:
            report.fail("compiles", str(error))
            continue
        policies.append(policy)
        reason = compiler.slow_because(policy).rstrip(".")
        if reason:
            notes.append(f"{policy.slot} runs in Python ({reason})")
    tiers = ", ".join(notes) or "Every policy is compiled"
    report.send(about="compiles", sentence=f"{tiers}.")
    report.send(passed=["compiles"])
    return policies


def _policies(strategy: Strategy) -> list[Policy]:
    policies = [strategy.policy(slot) for slot in SLOTS]
    return [policy for policy in policies if policy is not None]


# The two stages


def _ask_questions(
    strategy: Strategy, policies: list[Policy], job: dict[str, Any], views: Any, report: _Report
) -> None:
    """Put every position to every policy three times.

    As the engine would, in another order and place, and with other bytes beyond the history.
    """
    asked = 0
    for policy, variant in _to_be_asked(policies, job):
        place = key(strategy.ending, variant, policy.slot)
        try:
            answers = _ask_three_times(_asker(policy, variant, job, report), views[place])
        except _Fault as fault:
            _report_fault(fault, policy, variant, report)
            continue
        asked += len(answers)
        report.send(answers=answers, key=place)
    report.send(about="same", sentence=f"{asked:,} positions from {_variants(job)}.")
    report.send(passed=OF_QUESTIONS)


def _to_be_asked(policies: list[Policy], job: dict[str, Any]) -> Iterator[tuple[Policy, str]]:
    """Every policy with every variant, without those that ended a process before."""
    for policy in policies:
        for variant in job["variants"]:
            if policy.slot not in job["given_up"]:
                yield policy, variant


def _play_deals(
    strategy: Strategy, policies: list[Policy], job: dict[str, Any], views: Any, report: _Report
) -> None:
    """Put the positions to the policies again in this process; if nothing failed, play deals."""
    failed = job["failed"]
    for policy, variant in _to_be_asked(policies, job):
        place = key(strategy.ending, variant, policy.slot)
        asker = _asker(policy, variant, job, report)
        try:
            _ask_again(asker, views[place], job["answers"].get(place, []))
        except _Fault as fault:
            _report_fault(fault, policy, variant, report)
            failed = True
    report.send(passed=["same", "time"])
    if not failed:
        _play_all(strategy, job, report)


def _play_all(strategy: Strategy, job: dict[str, Any], report: _Report) -> None:
    """Play deals of every variant."""
    played = 0
    gins = Gins()
    for variant in job["variants"]:
        matchup = _matchup(strategy, find(variant), report)
        try:
            played += _play(matchup, job, report, gins)
        except (kernel.PolicyFailure, kernel.RulesModified) as error:
            report.fail("plays", str(error))
            return
    deals = f"{played:,} deals of {_variants(job)}."
    report.send(about="plays", sentence=f"{deals} {gins.sentence()}".rstrip())
    report.send(passed=["plays"])


def _report_fault(fault: _Fault, policy: Policy, variant: str, report: _Report) -> None:
    report.fail(fault.check, f"{_subject(policy, variant)} {fault.predicate}.")


def _variants(job: dict[str, Any]) -> str:
    variants = job["variants"]
    return " and ".join(variants) if len(variants) <= FEW_VARIANTS else f"{len(variants)} variants"


def _subject(policy: Policy, variant: str) -> str:
    file = policy.source.name
    return f"the {policy.slot} policy {policy.name!r} of {file} in {variant}"


def _asker(policy: Policy, variant: str, job: dict[str, Any], report: _Report) -> _Asker:
    report.send(doing=_subject(policy, variant), slot=policy.slot, seconds=job["seconds"])
    return _Asker(policy, find(variant), report)


# Questions


class _Asker:
    """Puts questions to one policy in one variant: answers must be legal, nothing written."""

    def __init__(self, policy: Policy, variant: Variant, report: _Report) -> None:
        self.policy = policy
        self.variant = variant
        self.report = report
        self.hook = compiler.hook(policy)
        self.vector = compiler.vector(policy)
        self.rules = build_rules(variant)
        self._before = self.rules.tobytes()

    def elsewhere(self) -> _Asker:
        """The same asker with rules and parameters at another place in memory."""
        return _Asker(self.policy, self.variant, self.report)

    def ask(self, view: Any) -> int:
        """The answer; _Fault if it is not legal, or if the policy wrote into the view."""
        before = view.tobytes()
        try:
            with interpret.unwrapped():
                answer = int(self.hook(view, self.rules, self.vector))
        except BaseException as error:
            raise _Fault(_failed_check(error), kernel.describe_exception(error)) from None
        if view.tobytes() != before:
            raise _written("view", view, before)
        legal = int(view.legal)
        if not (0 <= answer <= HIGHEST_ANSWER and legal >> answer & 1):
            raise _Fault("legal", kernel.describe_answer(self.policy.slot, answer, legal))
        self.report.answered += 1
        return answer

    def check_rules(self) -> None:
        """_Fault if the policy has written into the rules."""
        if self.rules.tobytes() != self._before:
            raise _written("rules", self.rules, self._before)


def _failed_check(error: BaseException) -> str:
    """The check that an exception of a policy fails."""
    if isinstance(error, IndexError):
        return "bounds"
    if isinstance(error, interpret.NoAnswer):
        return "legal"
    read_only = isinstance(error, ValueError) and "read-only" in str(error)
    return "writes" if read_only else "raises"


def _written(name: str, record: Any, before: bytes) -> _Fault:
    """The fault of a policy that wrote into a record; names the first field that changed."""
    old = np.frombuffer(before, record.dtype)[0]
    changed = "padding"
    for field in record.dtype.names:
        if record[field].tobytes() != old[field].tobytes():
            changed = field
            break
    return _Fault("writes", f"writes into {name}.{changed}, which it may only read")


def _ask_three_times(asker: _Asker, positions: np.ndarray) -> list[int | None]:
    """Answers to positions; None where one is at fault, which is reported.

    _Fault if an answer depends on place, order, or bytes beyond the history.
    """
    answers = _ask_in_place(asker, positions)
    asker.check_rules()
    _ask_again(asker.elsewhere(), positions, answers)
    for i, answer in enumerate(answers):
        if answer is None:
            continue
        view = _view(positions[i], i, asker.policy)
        unused = MAX_TURNS - int(view.turns)
        lot = np.random.default_rng(i)
        view.history[view.turns :] = lot.integers(-1, 52, (unused, 4))
        try:
            again = asker.ask(view)
        except _Fault as fault:
            raise _reads_beyond(f"it {fault.predicate}") from None
        if again != answer:
            raise _reads_beyond(f"it answers {again}, not {answer}")
    return answers


def _reads_beyond(effect: str) -> _Fault:
    sentence = f"reads the history beyond view.turns: with other bytes there {effect}"
    return _Fault("history", sentence)


def _ask_in_place(asker: _Asker, positions: np.ndarray) -> list[int | None]:
    """Every view at the same place, as in the engine; fewer of them to a slow policy.

    A fault is reported, and the answer is then None.
    """
    place = np.zeros(1, VIEW)
    answers: list[int | None] = []
    started = time.monotonic()
    for i, position in enumerate(positions):
        place[0] = _view(position, i, asker.policy)
        try:
            answers.append(asker.ask(place[0]))
        except _Fault as fault:
            _report_fault(fault, asker.policy, asker.variant.text, asker.report)
            answers.append(None)
        if time.monotonic() - started > PATIENCE:
            break
    return answers


def _ask_again(asker: _Asker, positions: np.ndarray, answers: Sequence[int | None]) -> None:
    """The same questions backwards, each at a place of its own; without those at fault."""
    for i in reversed(range(len(answers))):
        if answers[i] is None:
            continue
        again = asker.ask(_view(positions[i], i, asker.policy))
        if again != answers[i]:
            raise _Fault(
                "same",
                f"answers {answers[i]} and, asked again, {again}: it depends on more than view, "
                "rules and params",
            )
    asker.check_rules()


def _view(position: np.ndarray, i: int, policy: Policy) -> Any:
    """A view among random bytes, with the noise of question i."""
    lot = np.random.default_rng(i)
    room = lot.integers(0, 256, VIEW.itemsize + 256, np.uint8)
    start = 8 * (1 + i % 16) - room.ctypes.data % 8
    inside = slice(start, start + VIEW.itemsize)
    room[inside] = position
    view = room[inside].view(VIEW)[0]
    view.noise = int(lot.integers(2**53)) if policy.noise else 0
    return view


# Deals


def _matchup(strategy: Strategy, variant: Variant, report: _Report) -> Matchup:
    """The strategy against a random player, or alone, compiled."""
    report.send(doing=f"compiling {strategy.text}", seconds=COMPILE_SECONDS)
    opponent = loader.find(PLAYERS[0]) if variant.row["players"] == 2 else None
    matchup = Matchup(variant, strategy, opponent, SEED, "deal")
    kernel.prepare(matchup)
    return matchup


def _play(matchup: Matchup, job: dict[str, Any], report: _Report, gins: Gins) -> int:
    """Play a variant's deals, or fewer if that takes too long; how many. Adds the gins."""
    started = time.monotonic()
    per_unit = len(matchup.players)
    deals = max(DEALS_AT_LEAST, DEALS // len(job["variants"]))
    names = " ".join(player.text for player in matchup.players)
    variant = matchup.variant.text
    limit = DEAL_FACTOR * job["seconds"]
    for unit in range(deals // per_unit):
        report.state = new_state(SEED)
        replay = f"simgin show {names} -v {variant} --seed {SEED} --unit {unit}"
        report.send(doing=f"a deal of {variant} ({replay})", seconds=limit)
        for half in range(per_unit):
            _play_half(matchup, unit, half, report.state, gins)
        if time.monotonic() - started > DEAL_FACTOR * PATIENCE:
            break
    report.state = None
    return per_unit * (unit + 1)


def _play_half(matchup: Matchup, unit: int, half: int, state: Any, gins: Gins) -> None:
    """Watch the deal of one half of a unit, in which the strategy sits at seat `half`."""
    rules = build_rules(matchup.variant)
    views = (new_view(), new_view())
    state.watch_half = half
    try:
        kernel.run(matchup, state, rules, views, unit, 1)
    except kernel.RulesModified:
        raise
    except Exception as error:
        raise kernel.PolicyFailure(kernel.describe_failure(matchup, state, error)) from None
    gins.add_deal(state, rules, half)


if __name__ == "__main__":
    main()

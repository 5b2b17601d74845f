"""The process of the contract test: puts positions to policies, plays deals, and reports.

`python -P -m simgin.checks.contract_process JOB` reports in lines of JSON. simgin.checks.contract
starts it, listens, and ends it if it falls silent. Positions come from random play of every
variant; each is asked several times, in several orders and places in memory.
"""

import json
import os
import random
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import simgin.text.settings  # noqa: F401  before numba
from simgin.core.answers import SLOTS
from simgin.core.state import new_state
from simgin.core.view import MAX_TURNS, VIEW, new_view
from simgin.play import kernel
from simgin.play.kernel import SOLO_SLOTS
from simgin.play.matchup import Matchup
from simgin.play.watch import NoSuchDeal, WatchedDeal, watch_deal
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant, find
from simgin.strategy import Policy, Strategy, compiler, interpret, loader
from simgin.strategy.text_form import STAKE_SLOTS, StrategyError

COMPILE_SECONDS = 300.0
# Questions for each slot, shared by the variants, and the fewest for each variant
QUESTIONS, AT_LEAST = 600, 100
DEALS_TRIED = 60  # deals in which questions are sought, at least: those of the die are rare
FIRST_DEALS = 4  # positions come from this many first deals of a match
DEALS, DEALS_AT_LEAST = 200, 60  # shared by the variants, and the fewest for each
DEAL_FACTOR = 6  # a whole deal may take this many times the limit of one answer
BEAT = 0.3  # seconds between signs of life
PATIENCE = 1.0  # seconds; after that a slow policy gets no more positions of a variant
SEED = 1
# Between them these players reach all sorts of positions
PLAYERS = ("random:p_end=0.1", "gold+knock=random:p_end=0.2+stake=random+show=random")
OF_QUESTIONS = ["same", "legal", "raises", "bounds", "writes", "history", "time"]
HIGHEST_ANSWER = 63  # legal answers are the bits of one int64
FEW_VARIANTS = 2  # named in a report; more are counted


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
                line = line[os.write(self._out, line) :]

    def begin(self, doing: str, seconds: float) -> None:
        """Say what is being done, and how long it may be silent."""
        self.send(doing=doing, seconds=seconds)

    def pass_(self, checks: Sequence[str], sentence: str = "") -> None:
        """Say that checks passed, and what was done."""
        self.send(passed=checks, sentence=sentence)

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
    """Test the strategies of a job one after the other."""
    strategies, variant_texts, seconds = json.loads(sys.argv[1])
    loader.names()  # what comes with simgin is not part of the time that a file takes
    report = _Report()
    for text in strategies:
        try:
            _test(text, [find(variant) for variant in variant_texts], seconds, report)
        except _Fault as fault:
            report.state = None
            report.send(failed=fault.check, sentence=fault.predicate)
        else:
            report.send(finished=text)


def _test(text: str, variants: Sequence[Variant], seconds: float, report: _Report) -> None:
    """All checks of a strategy; raises the first fault as a sentence."""
    report.begin(f"reading {text}", seconds)
    try:
        strategy = loader.find(text)
    except StrategyError as error:
        raise _Fault("read", str(error)) from None
    report.pass_(["read"])
    report.begin(f"compiling {strategy.text}", COMPILE_SECONDS)
    report.pass_(["compiles"], _compile(strategy))
    asked = 0
    for variant in variants:
        report.begin(f"looking for positions of {variant.text}", COMPILE_SECONDS)
        found = positions(variant, strategy.ending, max(AT_LEAST, QUESTIONS // len(variants)))
        for policy in strategy.policies:
            subject = f"the {policy.slot} policy {policy.name!r} of {policy.home} in "
            subject += variant.text
            report.begin(subject, seconds)
            try:
                asked += _ask_all(_Asker(policy, variant, report), found[policy.slot])
            except _Fault as fault:
                raise _Fault(fault.check, f"{subject} {fault.predicate}.") from None
    names = [variant.text for variant in variants]
    where = " and ".join(names) if len(names) <= FEW_VARIANTS else f"{len(names)} variants"
    report.pass_(OF_QUESTIONS, f"{asked:,} positions from {where}.")
    played = 0
    for variant in variants:
        deals = max(DEALS_AT_LEAST, DEALS // len(variants))
        played += _play(_matchup(strategy, variant, report), deals, DEAL_FACTOR * seconds, report)
    report.pass_(["plays"], f"{played:,} deals of {where}.")


def _compile(strategy: Strategy) -> str:
    """Compile the policies of a strategy; says which of them run in Python."""
    notes = []
    for policy in strategy.policies:
        try:
            compiler.vector(policy)
            compiler.hook(policy)
        except StrategyError as error:
            raise _Fault("compiles", str(error)) from None
        if reason := compiler.slow_because(policy).rstrip("."):
            notes.append(f"{policy.slot} runs in Python ({reason})")
    return f"{', '.join(notes) or 'Every policy is compiled'}."


# Positions


@cache
def positions(variant: Variant, ending: str, wanted: int = AT_LEAST) -> dict[str, np.ndarray]:
    """At most `wanted` views of each slot from random play, an array of VIEW each.

    They come from matches that start at random scores, of players with this order of discard and
    ending.
    """
    lot = random.Random(SEED)
    target = variant.row["points_target"]
    highest = target if isinstance(target, int) else 100
    players = [replace(loader.find(text), ending=ending) for text in PLAYERS]
    views: dict[str, list[Any]] = {slot: [] for slot in SLOTS}
    asked = [views[slot] for slot in _asked_slots(variant)]
    for unit in range(max(DEALS_TRIED, wanted // 5)):
        points = lot.randrange(highest), lot.randrange(highest)
        a, b = players if unit % 2 else reversed(players)
        opponent = None if variant.row["players"] == 1 else b
        state = _watch(Matchup(variant, a, opponent, SEED, "match"), unit, points).state
        for i in range(state.logged):
            views[SLOTS[state.slots[i]]].append(state.log[i].copy())
        if min(map(len, asked)) >= wanted:
            break
    return {slot: np.array(of_slot[:wanted], VIEW) for slot, of_slot in views.items()}


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


def _watch(matchup: Matchup, unit: int, points: tuple[int, int]) -> WatchedDeal:
    """One of the first deals of a match; the very first if the match is over before it."""
    try:
        return watch_deal(matchup, unit, deal=unit % FIRST_DEALS, points=points)
    except NoSuchDeal:
        return watch_deal(matchup, unit, points=points)


# Questions


class _Asker:
    """Puts questions to one policy in one variant: answers must be legal, nothing written."""

    def __init__(self, policy: Policy, variant: Variant, report: _Report) -> None:
        self.policy = policy
        self.report = report
        self._hook = compiler.hook(policy)
        self._variant = variant
        self.move()

    def move(self) -> None:
        """Put rules and parameters to another place in memory."""
        self._vector = compiler.vector(self.policy)
        self._rules = build_rules(self._variant)
        self._before = self._rules.tobytes()

    def ask(self, view: Any) -> int:
        """The answer; _Fault if it is not legal, or if the policy wrote into view or rules."""
        before = view.tobytes()
        try:
            with interpret.unwrapped():
                answer = int(self._hook(view, self._rules, self._vector))
        except BaseException as error:
            raise _Fault(_failed_check(error), kernel.describe_exception(error)) from None
        _check_unchanged("view", view, before)
        _check_unchanged("rules", self._rules, self._before)
        legal = int(view.legal)
        if not (0 <= answer <= HIGHEST_ANSWER and legal >> answer & 1):
            raise _Fault("legal", kernel.describe_answer(self.policy.slot, answer, legal))
        self.report.answered += 1
        return answer


def _failed_check(error: BaseException) -> str:
    """The check that an exception of a policy fails."""
    if isinstance(error, IndexError):
        return "bounds"
    if isinstance(error, interpret.NoAnswer):
        return "legal"
    read_only = isinstance(error, ValueError) and "read-only" in str(error)
    return "writes" if read_only else "raises"


def _check_unchanged(name: str, record: Any, before: bytes) -> None:
    """_Fault if a policy wrote into a record; names the first field that changed."""
    if record.tobytes() == before:
        return
    old = np.frombuffer(before, record.dtype)[0]
    changed = [
        field for field in record.dtype.names if record[field].tobytes() != old[field].tobytes()
    ]
    field = changed[0] if changed else "padding"
    raise _Fault("writes", f"writes into {name}.{field}, which it may only read")


def _ask_all(asker: _Asker, found: np.ndarray) -> int:
    """Put positions to a policy three times, fewer of them to a slow one; how many.

    First at one place, as in the engine; then backwards, each at a place of its own; then with
    other bytes beyond the history. _Fault if an answer is wrong, or depends on any of these.
    """
    place = np.zeros(1, VIEW)
    answers: list[int] = []
    started = time.monotonic()
    for i, position in enumerate(found):
        place[0] = _view(position, i, asker.policy)
        answers.append(asker.ask(place[0]))
        if time.monotonic() - started > PATIENCE:
            break
    asker.move()
    for i in reversed(range(len(answers))):
        again = asker.ask(_view(found[i], i, asker.policy))
        if again != answers[i]:
            raise _Fault(
                "same",
                f"answers {answers[i]} and, asked again, {again}: it depends on more than view, "
                "rules and params",
            )
    for i, answer in enumerate(answers):
        view = _view(found[i], i, asker.policy)
        lot = np.random.default_rng(i)
        view.history[view.turns :] = lot.integers(-1, 52, (MAX_TURNS - int(view.turns), 4))
        try:
            again = asker.ask(view)
        except _Fault as fault:
            raise _reads_beyond(f"it {fault.predicate}") from None
        if again != answer:
            raise _reads_beyond(f"it answers {again}, not {answer}")
    return len(answers)


def _reads_beyond(effect: str) -> _Fault:
    sentence = f"reads the history beyond view.turns: with other bytes there {effect}"
    return _Fault("history", sentence)


def _view(position: Any, i: int, policy: Policy) -> Any:
    """A view among random bytes, with the noise of question i."""
    lot = np.random.default_rng(i)
    room = lot.integers(0, 256, VIEW.itemsize + 256, np.uint8)
    start = 8 * (1 + i % 16) - room.ctypes.data % 8
    view = room[start : start + VIEW.itemsize].view(VIEW)
    view[0] = position
    view[0].noise = int(lot.integers(2**53)) if policy.noise else 0
    return view[0]


# Deals


def _matchup(strategy: Strategy, variant: Variant, report: _Report) -> Matchup:
    """The strategy against a random player, or alone, compiled."""
    report.begin(f"compiling {strategy.text}", COMPILE_SECONDS)
    opponent = loader.find(PLAYERS[0]) if variant.row["players"] == 2 else None
    matchup = Matchup(variant, strategy, opponent, SEED, "deal")
    kernel.prepare(matchup)
    return matchup


def _play(matchup: Matchup, deals: int, limit: float, report: _Report) -> int:
    """Play so many deals, or fewer if that takes too long; how many.

    limit: seconds for one deal.
    """
    started = time.monotonic()
    per_unit = len(matchup.players)
    variant = matchup.variant.text
    rules = build_rules(matchup.variant)
    for unit in range(deals // per_unit):
        replay = matchup.replay(unit, 0, 0)
        report.begin(f"a deal of {variant} ({replay})", limit)
        report.state = new_state(SEED)
        try:
            kernel.run(matchup, report.state, rules, (new_view(), new_view()), unit, 1)
        except kernel.RulesModified as error:
            raise _Fault("plays", str(error)) from None
        except Exception as error:
            sentence = kernel.describe_failure(matchup, report.state, error)
            raise _Fault("plays", sentence) from None
        if time.monotonic() - started > DEAL_FACTOR * PATIENCE:
            break
    report.state = None
    return per_unit * (unit + 1)


if __name__ == "__main__":
    main()

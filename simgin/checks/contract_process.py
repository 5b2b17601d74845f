"""Process of the contract test: query policies, play deals, and report the results.

`python -P -m simgin.checks.contract_process JOB` reports in lines of JSON. simgin.checks.contract
starts the process, reads the reports, and ends it if it stops reporting. Positions come from random
play in every variant. Each is queried several times, in different orders and memory locations.
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
# Positions per slot in all variants, and the minimum per variant
QUESTIONS, AT_LEAST = 600, 100
DEALS_TRIED = 60  # minimum number of deals to find positions, because those of the die are rare
FIRST_DEALS = 4  # number of first deals of a match from which positions are taken
DEALS, DEALS_AT_LEAST = 200, 60  # deals in all variants, and the minimum per variant
DEAL_FACTOR = 6  # time limit of a deal, as a multiple of that of an action
BEAT = 0.3  # seconds between heartbeats
PATIENCE = 1.0  # seconds after which a slow policy is queried for no more positions of a variant
SEED = 1
# Players that together reach a wide range of positions
PLAYERS = ("random:p_end=0.1", "gold+knock=random:p_end=0.2+stake=random+show=random")
OF_QUESTIONS = ["same", "legal", "raises", "bounds", "writes", "history", "time"]
HIGHEST_ANSWER = 63  # legal actions are the bits of one int64
FEW_VARIANTS = 2  # variants that a report names; more are counted


class _Fault(Exception):
    """Failed check, with a predicate whose subject is the policy."""

    def __init__(self, check: str, predicate: str) -> None:
        super().__init__(check, predicate)
        self.check, self.predicate = check, predicate


class _Report:
    """Lines of JSON for the parent process, including a heartbeat while decisions are made."""

    def __init__(self) -> None:
        self._out = os.dup(1)
        self._lock = threading.Lock()
        os.dup2(2, 1)  # the output of strategies must not mix with the report
        self.answered = 0
        self.state: Any = None  # of the deal being played
        threading.Thread(target=self._beat, daemon=True).start()

    def send(self, **event: Any) -> None:
        line = json.dumps(event).encode() + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._out, line) :]

    def begin(self, doing: str, seconds: float) -> None:
        """Report the current activity and its time limit in seconds."""
        self.send(doing=doing, seconds=seconds)

    def pass_(self, checks: Sequence[str], sentence: str = "") -> None:
        """Report passed checks and describe the completed test."""
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
    loader.names()  # loads the built-in strategies, whose time does not count for a file
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
    """Run all checks of a strategy, or raise an error for the first failure."""
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
    """Compile the policies of a strategy and describe those that run in Python."""
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
    """Return views for every slot from random play, at most `wanted` per slot.

    The views come from matches that start at random scores, between players with this order of
    discard and ending.

    Args:
        variant: Variant to play.
        ending: Ending of the strategy under test.
        wanted: Maximum number of views per slot.

    Returns:
        `(n_views,)` arrays of VIEW by slot.
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
    """Return the slots that have decisions in a variant."""
    if variant.row["players"] == 1:
        return list(SOLO_SLOTS)
    slots = ["take", "discard", "knock"]
    if variant.row["die"] != "off":
        slots += STAKE_SLOTS
    if variant.row["melding"] == "choice":
        slots.append("show")
    return slots


def _watch(matchup: Matchup, unit: int, points: tuple[int, int]) -> WatchedDeal:
    """Trace one of the first deals of a match, or the first if the match ends before it."""
    try:
        return watch_deal(matchup, unit, deal=unit % FIRST_DEALS, points=points)
    except NoSuchDeal:
        return watch_deal(matchup, unit, points=points)


# Decisions


class _Asker:
    """Queries of one policy in one variant, with checks of every action."""

    def __init__(self, policy: Policy, variant: Variant, report: _Report) -> None:
        self.policy = policy
        self.report = report
        self._hook = compiler.hook(policy)
        self._variant = variant
        self.move()

    def move(self) -> None:
        """Copy rules and parameters to other memory locations."""
        self._vector = compiler.vector(self.policy)
        self._rules = build_rules(self._variant)
        self._before = self._rules.tobytes()

    def ask(self, view: Any) -> int:
        """Return the action of the policy for a view.

        Raises:
            _CheckError: If the action is illegal, or if the policy changed the view or the rules.
        """
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
    """Return the check that an exception of a policy fails."""
    if isinstance(error, IndexError):
        return "bounds"
    if isinstance(error, interpret.NoAnswer):
        return "legal"
    read_only = isinstance(error, ValueError) and "read-only" in str(error)
    return "writes" if read_only else "raises"


def _check_unchanged(name: str, record: Any, before: bytes) -> None:
    """Raise _CheckError, with the first changed field, if a policy changed a record."""
    if record.tobytes() == before:
        return
    old = np.frombuffer(before, record.dtype)[0]
    changed = [
        field for field in record.dtype.names if record[field].tobytes() != old[field].tobytes()
    ]
    field = changed[0] if changed else "padding"
    raise _Fault("writes", f"writes into {name}.{field}, which it may only read")


def _ask_all(asker: _Asker, found: np.ndarray) -> int:
    """Query a policy three times for every position and return the number of positions.

    The first query uses a fixed memory location, as the engine does. The second goes through the
    positions in reverse order, each at its own location. The third has random data after the end of
    the history. Slow policies are queried for fewer positions.

    Raises:
        _CheckError: If an action is illegal or depends on any of these changes.
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
    """Return a copy of a view surrounded by random bytes, with the random number of index i."""
    lot = np.random.default_rng(i)
    room = lot.integers(0, 256, VIEW.itemsize + 256, np.uint8)
    start = 8 * (1 + i % 16) - room.ctypes.data % 8
    view = room[start : start + VIEW.itemsize].view(VIEW)
    view[0] = position
    view[0].noise = int(lot.integers(2**53)) if policy.noise else 0
    return view[0]


# Deals


def _matchup(strategy: Strategy, variant: Variant, report: _Report) -> Matchup:
    """Return the compiled matchup of a strategy, against a random player in two-player games."""
    report.begin(f"compiling {strategy.text}", COMPILE_SECONDS)
    opponent = loader.find(PLAYERS[0]) if variant.row["players"] == 2 else None
    matchup = Matchup(variant, strategy, opponent, SEED, "deal")
    kernel.prepare(matchup)
    return matchup


def _play(matchup: Matchup, deals: int, limit: float, report: _Report) -> int:
    """Play deals until their number or the playing time is reached, and return their number.

    Args:
        matchup: Matchup to play.
        deals: Maximum number of deals.
        limit: Time limit of one deal in seconds.
        report: Report to the parent process.
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

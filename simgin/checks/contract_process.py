"""Child process of the contract test, which queries policies and plays deals.

`python -P -m simgin.checks.contract_process JOB` writes reports as lines of JSON.
simgin.checks.contract starts the process, reads its reports, and ends the process if no reports
arrive. Positions come from random play in every variant. Each position is queried several times, in
different orders and at different memory locations.
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
from simgin.core.codes import SLOTS
from simgin.core.state import create_state
from simgin.core.view import MAX_TURNS, VIEW_DTYPE, create_view
from simgin.play import kernel
from simgin.play.kernel import SOLO_SLOTS
from simgin.play.matchup import Matchup
from simgin.play.traced_deal import DealNotFoundError, TracedDeal, trace_deal
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant, find_variant
from simgin.strategy import Policy, Strategy, compiler, loader, python_tier
from simgin.strategy.strategy_spec import STAKE_SLOTS, StrategyError

COMPILE_TIMEOUT = 300.0
# total number of positions per slot, and minimum number per variant
POSITIONS_PER_SLOT, MIN_POSITIONS = 600, 100
# Minimum number of deals that are searched for positions, because offers of the die are rare
MIN_SEARCHED_DEALS = 60
SAMPLED_DEALS_PER_MATCH = 4  # positions come from the first deals of a match
# total number of deals, and minimum number per variant
N_CONTRACT_DEALS, MIN_CONTRACT_DEALS = (200, 60)
DEAL_TIMEOUT_FACTOR = 6  # time limit of a deal, as a multiple of the time limit of an action
HEARTBEAT_SECONDS = 0.3  # time between heartbeats, in seconds
# CPU time per variant after which the remaining positions are skipped, in seconds
MAX_POSITION_SECONDS = 1.0
SEED = 1
# players that reach many different positions
EXPLORING_PLAYERS = ("random:p_end=0.1", "gold+knock=random:p_end=0.2+stake=random+show=random")
DECISION_CHECKS = ["same", "legal", "raises", "bounds", "writes", "history", "time"]
MAX_ACTION = 63  # number of bits in an int64, which stores legal actions
MAX_NAMED_VARIANTS = 2  # maximum number of variants that a report names


class _CheckError(Exception):
    """Exception for a failed check, whose message completes the sentence "The policy ..."."""

    def __init__(self, check: str, fault_description: str) -> None:
        super().__init__(check, fault_description)
        self.check, self.fault_description = check, fault_description


class _Reporter:
    """Reporter that sends reports and heartbeats to the parent process."""

    def __init__(self) -> None:
        self._file_descriptor = os.dup(1)
        self._lock = threading.Lock()
        os.dup2(2, 1)  # separates the output of strategies from the reports
        self.n_actions = 0
        self.state: Any = None  # state of the current deal
        threading.Thread(target=self._send_heartbeats, daemon=True).start()

    def send(self, **event: Any) -> None:
        """Write an event to the parent process as a line of JSON."""
        line = json.dumps(event).encode() + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._file_descriptor, line) :]

    def report_start(self, activity: str, seconds: float) -> None:
        """Report that an activity has started, with its time limit in seconds."""
        self.send(doing=activity, seconds=seconds)

    def report_passed(self, checks: Sequence[str], sentence: str = "") -> None:
        """Report the checks that passed, with a description of the completed test."""
        self.send(passed=checks, sentence=sentence)

    def _send_heartbeats(self) -> None:
        """Send heartbeats while strategies act, and name the policy that is being queried."""
        last_count = 0
        while True:
            time.sleep(HEARTBEAT_SECONDS)
            if self.n_actions != last_count:
                last_count = self.n_actions
                self.send(beat=last_count)
            elif self.state is not None:
                self.send(asking=SLOTS[self.state.query_slot])


def main() -> None:
    """Test the strategies given on the command line one after another."""
    strategies, variant_texts, seconds = json.loads(sys.argv[1])
    loader.list_strategies()  # The built-in strategies are loaded outside the time limit.
    reporter = _Reporter()
    for spec in strategies:
        try:
            _test_strategy(spec, list(map(find_variant, variant_texts)), seconds, reporter)
        except _CheckError as error:
            reporter.state = None
            reporter.send(failed=error.check, sentence=error.fault_description)
        else:
            reporter.send(finished=spec)


def _test_strategy(
    spec: str, variants: Sequence[Variant], seconds: float, reporter: _Reporter
) -> None:
    """Run all checks of a strategy, and raise an error at the first failure."""
    reporter.report_start(f"reading {spec}", seconds)
    try:
        strategy = loader.find_strategy(spec)
    except StrategyError as error:
        raise _CheckError("read", str(error)) from None
    reporter.report_passed(["read"], f"The strategy is named {strategy.name}.")
    reporter.report_start(f"compiling {strategy.spec}", COMPILE_TIMEOUT)
    reporter.report_passed(["compiles"], _compile_policies(strategy))
    n_positions = 0
    n_steps = 2 * len(variants)
    for step, variant in enumerate(variants):
        reporter.send(done=step, total=n_steps)
        reporter.report_start(f"the search for positions of {variant.spec}", COMPILE_TIMEOUT)
        max_views = max(MIN_POSITIONS, POSITIONS_PER_SLOT // len(variants))
        positions_by_slot = find_positions(variant, strategy.ending, max_views)
        for policy in strategy.policies:
            subject = f"the {policy.slot} policy {policy.name!r} of {policy.location} in "
            subject += variant.spec
            reporter.report_start(subject, seconds)
            try:
                tester = _PolicyTester(policy, variant, reporter)
                n_positions += _query_positions(tester, positions_by_slot[policy.slot])
            except _CheckError as check_error:
                raise _CheckError(
                    check_error.check, f"{subject} {check_error.fault_description}."
                ) from None
    variants_text = " and ".join(variant.spec for variant in variants)
    if len(variants) > MAX_NAMED_VARIANTS:
        variants_text = f"{len(variants)} variants"
    reporter.report_passed(DECISION_CHECKS, f"{n_positions:,} positions from {variants_text}.")
    n_deals = 0
    for step, variant in enumerate(variants, start=len(variants)):
        reporter.send(done=step, total=n_steps)
        max_deals = max(MIN_CONTRACT_DEALS, N_CONTRACT_DEALS // len(variants))
        matchup = _prepare_matchup(strategy, variant, reporter)
        n_deals += _play_deals(matchup, max_deals, DEAL_TIMEOUT_FACTOR * seconds, reporter)
    reporter.report_passed(["plays"], f"{n_deals:,} deals of {variants_text}.")


def _compile_policies(strategy: Strategy) -> str:
    """Compile the policies of a strategy, and describe the policies that run in Python."""
    notes = []
    for policy in strategy.policies:
        try:
            compiler.make_parameter_vector(policy)
            compiler.compile_policy(policy)
        except StrategyError as error:
            raise _CheckError("compiles", str(error)) from None
        if reason := compiler.find_interpretation_reason(policy).rstrip("."):
            notes.append(f"{policy.slot} runs in Python ({reason})")
    return f"{', '.join(notes) or 'Every policy is compiled'}."


# Positions


@cache
def find_positions(
    variant: Variant, ending: str, max_views: int = MIN_POSITIONS
) -> dict[str, np.ndarray]:
    """Return views for every slot from random play, with at most `max_views` views per slot.

    The views come from matches with random starting scores. The players choose the ending before or
    after the discard, as the tested strategy does.

    Args:
        variant: Variant to play.
        ending: Order in which the tested strategy chooses the discard and the ending.
        max_views: Maximum number of views per slot.

    Returns:
        VIEW_DTYPE arrays by slot, each of shape (n_views,).
    """
    rng = random.Random(SEED)
    target = variant.params["points_target"]
    max_points = target if isinstance(target, int) else 100
    players = [replace(loader.find_strategy(spec), ending=ending) for spec in EXPLORING_PLAYERS]
    views: dict[str, list[Any]] = {slot: [] for slot in SLOTS}
    views_with_decisions = [views[slot] for slot in _find_used_slots(variant)]
    for unit in range(max(MIN_SEARCHED_DEALS, max_views // 5)):
        points = rng.randrange(max_points), rng.randrange(max_points)
        strategy_a, strategy_b = players if unit % 2 else reversed(players)
        opponent = None if variant.is_solo else strategy_b
        state = _trace_deal(
            Matchup(variant, strategy_a, opponent, SEED, "match"), unit, points
        ).state
        for decision_index in range(state.n_logged):
            views[SLOTS[state.slots[decision_index]]].append(state.log[decision_index].copy())
        if min(map(len, views_with_decisions)) >= max_views:
            break
    return {
        slot: np.array(slot_views[:max_views], VIEW_DTYPE) for slot, slot_views in views.items()
    }


def _find_used_slots(variant: Variant) -> list[str]:
    """Return the policy slots in which decisions can occur under a variant."""
    if variant.is_solo:
        return list(SOLO_SLOTS)
    slots = ["take", "discard", "knock"]
    if variant.params["die"] != "off":
        slots += STAKE_SLOTS
    if variant.params["melding"] == "choice":
        slots.append("show")
    return slots


def _trace_deal(matchup: Matchup, unit: int, start_points: tuple[int, int]) -> TracedDeal:
    """Trace one of the first deals of a match, or the first one if the match is too short."""
    try:
        return trace_deal(matchup, unit, deal=unit % SAMPLED_DEALS_PER_MATCH, points=start_points)
    except DealNotFoundError:
        return trace_deal(matchup, unit, points=start_points)


# Decisions


class _PolicyTester:
    """Tester that queries a policy under one variant and checks every action."""

    def __init__(self, policy: Policy, variant: Variant, reporter: _Reporter) -> None:
        self.policy = policy
        self.reporter = reporter
        self._function = compiler.compile_policy(policy)
        self._variant = variant
        self.relocate_arguments()

    def relocate_arguments(self) -> None:
        """Copy the rules and the parameters to new memory locations."""
        self._rules = build_rules(self._variant)
        self._params = compiler.make_parameter_vector(self.policy, self._rules)
        self._rules_bytes = self._rules.tobytes()

    def query(self, view: Any) -> int:
        """Return the action that the policy chooses for a view.

        Raises:
            _CheckError: If the action is illegal, or if the policy changes the view or the rules.
        """
        view_bytes = view.tobytes()
        try:
            with python_tier.reraise_policy_errors():
                action = int(self._function(view, self._rules, self._params))
        except BaseException as error:
            check, description = _classify_exception(error), kernel.describe_exception(error)
            raise _CheckError(check, description) from None
        _check_unchanged("view", view, view_bytes)
        _check_unchanged("rules", self._rules, self._rules_bytes)
        legal_actions = int(view.legal)
        if not (0 <= action <= MAX_ACTION and legal_actions >> action & 1):
            problem = kernel.describe_illegal_action(self.policy.slot, action, legal_actions)
            raise _CheckError("legal", problem)
        self.reporter.n_actions += 1
        return action


def _classify_exception(error: BaseException) -> str:
    """Return the name of the check that fails if a policy raises a given exception."""
    if isinstance(error, IndexError):
        return "bounds"
    if isinstance(error, python_tier.InvalidActionError):
        return "legal"
    read_only = isinstance(error, ValueError) and "read-only" in str(error)
    return "writes" if read_only else "raises"


def _check_unchanged(name: str, record: Any, old_record: bytes) -> None:
    """Raise _CheckError if a policy changed a field of a record."""
    if record.tobytes() == old_record:
        return
    old_values = np.frombuffer(old_record, record.dtype)[0]
    names = record.dtype.names
    changed_names = (name for name in names if record[name].tobytes() != old_values[name].tobytes())
    field = next(changed_names, "padding")
    raise _CheckError("writes", f"changes {name}.{field}, which is read-only")


def _query_positions(tester: _PolicyTester, positions: np.ndarray) -> int:
    """Query a policy three times in every position, and return the number of positions.

    The first query uses a fixed memory location, as the engine does. The second query uses the
    reverse order and a different location for every position. In the third query, the unused rows
    of the history contain random data. If a policy is slow, fewer positions are queried.

    Raises:
        _CheckError: If an action is illegal or depends on the memory location, the order of queries
            or the random data.
    """
    location = np.zeros(1, VIEW_DTYPE)
    actions: list[int] = []
    start_time = time.process_time()
    for index, position in enumerate(positions):
        location[0] = _relocate_view(position, index, tester.policy)
        actions.append(tester.query(location[0]))
        if time.process_time() - start_time > MAX_POSITION_SECONDS:
            break
    tester.relocate_arguments()
    for index in reversed(range(len(actions))):
        repeated_action = tester.query(_relocate_view(positions[index], index, tester.policy))
        if repeated_action != actions[index]:
            raise _CheckError(
                "same",
                f"returns {actions[index]} and then {repeated_action} for the same view, although "
                "an action must depend only on `view`, `rules` and `params`",
            )
    for index, action in enumerate(actions):
        view = _relocate_view(positions[index], index, tester.policy)
        rng = np.random.default_rng(index)
        view.history[view.turns :] = rng.integers(-1, 52, (MAX_TURNS - int(view.turns), 4))
        try:
            repeated_action = tester.query(view)
        except _CheckError as error:
            raise _make_history_error(f"the policy {error.fault_description}") from None
        if repeated_action != action:
            raise _make_history_error(f"the policy returns {repeated_action} instead of {action}")
    return len(actions)


def _make_history_error(effect: str) -> _CheckError:
    """Return the error for a policy that reads unused rows of the history."""
    sentence = f"reads the history beyond view.turns, because with other data {effect}"
    return _CheckError("history", sentence)


def _relocate_view(position: Any, seed: int, policy: Policy) -> Any:
    """Return a copy of a view at a new memory address, surrounded by random bytes."""
    rng = np.random.default_rng(seed)
    buffer = rng.integers(0, 256, VIEW_DTYPE.itemsize + 256, np.uint8)
    start = 8 * (1 + seed % 16) - buffer.ctypes.data % 8
    view = buffer[start : start + VIEW_DTYPE.itemsize].view(VIEW_DTYPE)
    view[0] = position
    view[0].noise = int(rng.integers(2**53)) if policy.noise else 0
    return view[0]


# Deals


def _prepare_matchup(strategy: Strategy, variant: Variant, reporter: _Reporter) -> Matchup:
    """Return a compiled matchup against a random player, or a compiled solitaire game."""
    reporter.report_start(f"compiling {strategy.spec}", COMPILE_TIMEOUT)
    opponent = None if variant.is_solo else loader.find_strategy(EXPLORING_PLAYERS[0])
    matchup = Matchup(variant, strategy, opponent, SEED, "deal")
    kernel.compile_matchup(matchup)
    return matchup


def _play_deals(matchup: Matchup, max_deals: int, max_seconds: float, reporter: _Reporter) -> int:
    """Play deals until `max_deals` or a time limit is reached, and return the number of deals.

    Args:
        matchup: Matchup to play.
        max_deals: Maximum number of deals.
        max_seconds: Time limit of one deal in seconds.
        reporter: Reporter that sends reports to the parent process.
    """
    start_time = time.process_time()
    deals_per_unit = len(matchup.players)
    variant_spec = matchup.variant.spec
    rules = build_rules(matchup.variant)
    for unit in range(max_deals // deals_per_unit):
        replay_command = matchup.make_replay_command(unit, 0, 0)
        reporter.report_start(f"a deal of {variant_spec} ({replay_command})", max_seconds)
        reporter.state = create_state(SEED)
        try:
            kernel.run_units(
                matchup, reporter.state, rules, (create_view(), create_view()), unit, 1
            )
        except kernel.RulesModifiedError as error:
            raise _CheckError("plays", str(error)) from None
        except Exception as error:
            sentence = kernel.describe_failure(matchup, reporter.state, error)
            raise _CheckError("plays", sentence) from None
        if time.process_time() - start_time > DEAL_TIMEOUT_FACTOR * MAX_POSITION_SECONDS:
            break
    reporter.state = None
    return deals_per_unit * (unit + 1)


if __name__ == "__main__":
    main()

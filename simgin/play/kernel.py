"""Compiled loop that plays a matchup, and error messages for policies that fail in it."""

from collections.abc import Sequence
from concurrent.futures import Future
from functools import cache
from typing import Any

import numpy as np
from numba import boolean, int64, types, void

from simgin.core import ask, jit, sums
from simgin.core.answers import SLOTS
from simgin.core.batch import play_solo_units, play_units
from simgin.core.policy import HOOK_TYPE, RECORDS_TYPE, RULES_TYPE, STATE_TYPE, VIEW_TYPE
from simgin.core.record import DEAL
from simgin.core.state import new_state
from simgin.core.view import new_view
from simgin.play import overdue
from simgin.play.matchup import Matchup
from simgin.play.parallel import interruptible
from simgin.rules.build import build_rules
from simgin.strategy import Policy, Strategy, compiler, interpret
from simgin.strategy.text_form import StrategyError
from simgin.text import notation
from simgin.text.messages import described

SOLO_SLOTS = ("discard", "knock")  # the policies that a single player needs
NO_RECORDS = np.zeros(0, DEAL)
MOST_LISTED = 7  # legal actions listed one by one in a message


class PolicyFailure(ValueError):
    """Error for a policy that returned an illegal action or raised an exception."""


class RulesModified(ValueError):
    """Error for a policy that wrote to the rules or its parameters, which are read-only."""


# Compiling


@cache
def compiled_loop(function: Any, players: int, *between: Any, distinct: bool = True) -> Any:
    """Compile a loop of the engine over deals.

    Args:
        function: Loop to compile.
        players: 1 or 2.
        between: See `loop_signature`.
        distinct: See `core.jit.compiled`.
    """
    return jit.compiled(function, loop_type(players, *between), distinct=distinct, trusted=True)


def loop_type(players: int, *between: Any) -> Any:
    """Return the numba signature of a loop over deals.

    Args:
        players: 1 or 2.
        between: Types of the arguments between the views and the policies.
    """
    views = [VIEW_TYPE] * players
    hooks = [HOOK_TYPE] * (len(SOLO_SLOTS) if players == 1 else 2 * len(SLOTS))
    return void(STATE_TYPE, RULES_TYPE, *views, *between, *hooks)


def compiled_kernel(players: int) -> Any:
    """Compile the loop for one or two players; see `simgin.core.batch_kernel`."""
    function = play_solo_units if players == 1 else play_units
    return compiled_loop(function, players, *_units(players))


def signature(players: int) -> Any:
    """Return the numba signature of the loop for one or two players."""
    return loop_type(players, *_units(players))


def _units(players: int) -> list[Any]:
    """Return the types of rows, records, unit numbers and, for two players, the mirror flag."""
    mirrored = [boolean] * (players - 1)
    return [types.Array(int64, 2, "C"), RECORDS_TYPE, int64, int64, int64, boolean, *mirrored]


def compiled_hooks(matchup: Matchup) -> list[Any]:
    """Return the compiled policies of A in the order of the slots, then those of B.

    In solitaire games, these are only the policies that a single player needs.
    """
    slots = SOLO_SLOTS if matchup.b is None else SLOTS
    hooks: list[Any] = []
    for strategy in matchup.players:
        hooks += map(compiler.hook, _policies(strategy, slots))
    return hooks


def _policies(strategy: Strategy, slots: Sequence[str] = SLOTS) -> list[Policy]:
    policies = []
    for slot in slots:
        policy = strategy.policy(slot)
        assert policy is not None, f"{strategy.text} has an empty slot: the loader fills them"
        policies.append(policy)
    return policies


def prepare(matchup: Matchup) -> None:
    """Compile everything that a matchup needs, so that errors come before the first deal."""
    build_rules(matchup.variant)
    compiled_hooks(matchup)
    compiled_kernel(len(matchup.players))


# Playing


def seat_players(state: Any, matchup: Matchup) -> list[np.ndarray]:
    """Write the strategies to the engine's state.

    Returns:
        Parameter vectors of the policies. The state holds only their addresses, so the caller must
        keep them alive while the state is in use.
    """
    vectors = []
    for player, strategy in enumerate(matchup.players):
        policies = _policies(strategy)
        own = [compiler.vector(policy) for policy in policies]
        state.same[player] = strategy.ending == "same"
        state.noisy[player] |= sum(policy.noise << slot for slot, policy in enumerate(policies))
        state.vectors[player] = [vector.ctypes.data for vector in own]
        state.lengths[player] = [len(vector) for vector in own]
        vectors += own
    return vectors


def run(
    matchup: Matchup,
    state: Any,
    rules: Any,
    views: tuple[Any, Any],
    first_unit: int,
    n_units: int,
    records: np.ndarray = NO_RECORDS,
) -> np.ndarray:
    """Play units with the caller's state, rules and views.

    Args:
        matchup: Matchup to play.
        state: Engine state.
        rules: Rules record.
        views: Views of both seats.
        first_unit: Number of the first unit.
        n_units: Number of units.
        records: Records that the deals are written to; empty for none.

    Returns:
        Batch rows, (n_batches, batch_columns.N_COLUMNS) int64.

    Raises:
        RulesModified: A policy wrote to the rules or its parameters.
        Exception: Any exception of a policy, unchanged.
    """
    vectors = seat_players(state, matchup)
    before = _contents(rules, vectors)
    batches = -(-n_units // matchup.batch)
    rows = np.zeros((batches, sums.COLUMNS), np.int64)
    arguments = [state, rules, *views[: len(matchup.players)]]
    arguments += [rows, records, first_unit, n_units, matchup.batch, matchup.unit == "match"]
    if matchup.b is not None:
        arguments.append(matchup.mirrored)

    call_kernel(matchup, state, compiled_kernel(len(matchup.players)), arguments)
    if _contents(rules, vectors) != before:
        suspects = " or ".join([strategy.text for strategy in matchup.players])
        raise RulesModified(
            f"{suspects} wrote into the rules or its parameters; a policy may only read them."
        )
    return rows


def call_kernel(matchup: Matchup, state: Any, kernel: Any, arguments: list[Any]) -> None:
    """Call a compiled kernel with its arguments, followed by the policies of a matchup.

    Exceptions of policies are passed on unchanged.
    """
    hooks = compiled_hooks(matchup)
    future: Future[None] = Future()

    def call() -> None:
        with interpret.unwrapped():
            kernel(*arguments, *hooks)

    with overdue.watching(matchup, state, future.set_exception):
        interruptible(call, future)


def run_kernel(matchup: Matchup, state: Any, kernel: Any, arguments: list[Any]) -> None:
    """Call a compiled kernel as `call_kernel` does, with an error message for failures.

    Raises:
        PolicyFailure: A policy failed. The message names the policy and the cause.
    """
    try:
        call_kernel(matchup, state, kernel, arguments)
    except Exception as error:
        raise PolicyFailure(describe_failure(matchup, state, error)) from error


def _contents(rules: Any, vectors: list[np.ndarray]) -> list[bytes]:
    """Return the bytes that policies must not change: the rules and the parameters."""
    return [rules.tobytes(), *(vector.tobytes() for vector in vectors)]


def play(matchup: Matchup, first_unit: int, n_units: int) -> np.ndarray:
    """Play units and return their batch rows.

    The function releases the interpreter lock while it plays. Every call has its own state, views,
    rules and parameters, so that calls can run in parallel.

    Args:
        matchup: Matchup to play.
        first_unit: Number of the first unit, a multiple of `matchup.batch`.
        n_units: Number of units.

    Returns:
        Batch rows, (n_batches, batch_columns.N_COLUMNS) int64.

    Raises:
        PolicyFailure: A policy failed. The message has the command that replays the deal.
        RulesModified: A policy wrote to the rules or its parameters.
    """
    rows, _ = _play(matchup, first_unit, n_units, NO_RECORDS)
    return rows


def play_recorded(matchup: Matchup, first_unit: int, n_units: int) -> tuple[np.ndarray, np.ndarray]:
    """Play units as `play_batches` does, with a record of every deal.

    Returns:
        (batch rows, records), the records in order of play, (n_deals,) DEAL_RECORD.
    """
    most = n_units * (2 if matchup.mirrored else 1)
    if matchup.unit == "match":
        most *= int(build_rules(matchup.variant).max_deals)
    # Memory pages that are never written take no space.
    records = np.empty(most, DEAL)
    rows, recorded = _play(matchup, first_unit, n_units, records)
    return rows, records[:recorded].copy()


def _play(
    matchup: Matchup, first_unit: int, n_units: int, records: np.ndarray
) -> tuple[np.ndarray, int]:
    """Play units and return (batch rows, number of records written)."""
    state = new_state(matchup.seed)
    rules = build_rules(matchup.variant)
    views = new_views()
    try:
        rows = run(matchup, state, rules, views, first_unit, n_units, records)
    except (RulesModified, StrategyError):
        raise
    except Exception as error:
        failure = describe_failure(matchup, state, error)
        raise PolicyFailure(failure) from (None if isinstance(error, ask.IllegalAnswer) else error)
    _check_memory(matchup, rows, first_unit, n_units)
    return rows, int(state.recorded)


def _check_memory(matchup: Matchup, rows: np.ndarray, first_unit: int, n_units: int) -> None:
    """Raise PolicyFailure if state kept by a Python policy changes its actions."""
    suspects = [one.text for one in matchup.players if any(map(compiler.remembers, one.policies))]
    if not suspects:
        return
    state, rules, units = new_state(matchup.seed), build_rules(matchup.variant), matchup.batch
    again = run(matchup, state, rules, new_views(), first_unit, min(n_units, units))
    if not np.array_equal(again[0], rows[0]):
        names = " or ".join(dict.fromkeys(suspects))
        raise PolicyFailure(
            f"{names} played the same deals otherwise when asked again, so that results would "
            "depend on the number of workers: an answer follows from view, rules and params "
            "alone. `simgin strategies check` names the policy."
        )


def new_views() -> tuple[Any, Any]:
    """Return empty views of the two seats."""
    return new_view(), new_view()


# Error messages


def describe_failure(matchup: Matchup, state: Any, error: Exception) -> str:
    """Return an error message for a failed policy, with the command that replays the deal."""
    strategy = matchup.players[int(state.asked_seat != state.half)]
    slot = SLOTS[state.asked_slot]
    policy = strategy.policy(slot)
    assert policy is not None
    if isinstance(error, ask.IllegalAnswer):
        fault = describe_answer(slot, int(state.answer), int(state.legal))
    else:
        fault = describe_exception(error)
    half = f", half {state.half}" if matchup.b is not None else ""
    place = f"seed {matchup.seed}, unit {state.unit}{half}, deal {state.deal}"
    replay = matchup.replay(int(state.unit), int(state.half), int(state.deal))
    return (
        f"{strategy.text}: the {slot} policy {policy.name!r} {fault} "
        f"(variant {matchup.variant.text}, {place}). "
        f"Replay the deal with: {replay}"
    )


def describe_exception(error: BaseException) -> str:
    """Describe an exception of a policy, to continue `the take policy 'mine' `."""
    if isinstance(error, interpret.NoAnswer | interpret.Ended):
        return str(error).rstrip(".")
    return f"raised {described(error)}"


def describe_answer(slot: str, answer: int, legal: int) -> str:
    """Describe an illegal action of a policy, to continue `the take policy 'mine' `.

    Args:
        slot: Slot of the policy.
        answer: Return value of the policy.
        legal: Legal actions, as bits.
    """
    if slot == "discard":
        discards = notation.hand_text(legal)
        if answer >= notation.CARDS and not answer & ~legal:
            cards = notation.hand_text(answer)
            return (
                f"answered a set of cards ({cards}) where one card is asked, such as "
                f"lowest(cards); the legal discards are {discards}"
            )
        card = notation.card_text(answer) if 0 <= answer < notation.CARDS else str(answer)
        return f"discarded {card}, which is not among the legal discards {discards}"
    answers = [bit for bit in range(64) if legal >> bit & 1]
    choices = " or ".join(map(str, answers))
    if len(answers) > MOST_LISTED:
        choices = f"{answers[0]}..{answers[-1]}"
    return f"answered {answer}, but only {choices} is legal"

"""The compiled loop that plays a matchup, and the report of a policy that failed in it."""

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
MOST_LISTED = 7  # legal answers that a message lists one by one


class PolicyFailure(ValueError):
    """A policy failed in play: it gave an illegal answer, or raised an exception."""


class RulesModified(ValueError):
    """A policy wrote into the rules or its parameters, which it may only read."""


# Compiling


@cache
def compiled_loop(function: Any, players: int, *between: Any, distinct: bool = True) -> Any:
    """A loop of the engine over deals of one player or two, compiled; between: see `loop_type`."""
    return jit.compiled(function, loop_type(players, *between), distinct=distinct, trusted=True)


def loop_type(players: int, *between: Any) -> Any:
    """The numba signature of a loop; between: its arguments between the views and the policies."""
    views = [VIEW_TYPE] * players
    hooks = [HOOK_TYPE] * (len(SOLO_SLOTS) if players == 1 else 2 * len(SLOTS))
    return void(STATE_TYPE, RULES_TYPE, *views, *between, *hooks)


def compiled_kernel(players: int) -> Any:
    """The compiled loop for one or two players; see `simgin.core.batch`."""
    function = play_solo_units if players == 1 else play_units
    return compiled_loop(function, players, *_units(players))


def signature(players: int) -> Any:
    """The numba signature of the loop for one or two players."""
    return loop_type(players, *_units(players))


def _units(players: int) -> list[Any]:
    """The types of rows, records and units, and whether they are mirrored."""
    mirrored = [boolean] * (players - 1)
    return [types.Array(int64, 2, "C"), RECORDS_TYPE, int64, int64, int64, boolean, *mirrored]


def compiled_hooks(matchup: Matchup) -> list[Any]:
    """The compiled policies of A in the order of the slots, then those of B.

    For one player, only the policies that a single player needs.
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
    """Enter the two strategies in the engine's state.

    Returns the vectors of their parameters: the state holds only their addresses, so the caller
    must keep them alive while the state is played.
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
    """Play units with the caller's state, rules and views; returns the batch rows.

    Exceptions of policies come out unchanged. Raises RulesModified if a policy wrote into the
    rules or its parameters.
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
    """Call a compiled kernel with the policies of a matchup behind its other arguments.

    Exceptions of policies come out unchanged.
    """
    hooks = compiled_hooks(matchup)
    future: Future[None] = Future()

    def call() -> None:
        with interpret.unwrapped():
            kernel(*arguments, *hooks)

    with overdue.watching(matchup, state, future.set_exception):
        interruptible(call, future)


def run_kernel(matchup: Matchup, state: Any, kernel: Any, arguments: list[Any]) -> None:
    """`call_kernel`; raises PolicyFailure, which says which policy failed and how."""
    try:
        call_kernel(matchup, state, kernel, arguments)
    except Exception as error:
        raise PolicyFailure(describe_failure(matchup, state, error)) from error


def _contents(rules: Any, vectors: list[np.ndarray]) -> list[bytes]:
    """The bytes that policies may only read: the rules and the parameters."""
    return [rules.tobytes(), *(vector.tobytes() for vector in vectors)]


def play(matchup: Matchup, first_unit: int, n_units: int) -> np.ndarray:
    """Batch rows of units first_unit .. first_unit + n_units - 1: int64 (batches, sums.COLUMNS).

    first_unit is a multiple of `matchup.batch`. Releases the interpreter lock while playing, and
    every call has its own state, views, rules and parameters, so calls can run side by side.
    Raises PolicyError with the command that replays the deal, and RulesModified.
    """
    rows, _ = _play(matchup, first_unit, n_units, NO_RECORDS)
    return rows


def play_recorded(matchup: Matchup, first_unit: int, n_units: int) -> tuple[np.ndarray, np.ndarray]:
    """Batch rows as of `play`, and a record for every deal in order: core.record.DEAL (deals,)."""
    most = n_units * (2 if matchup.mirrored else 1)
    if matchup.unit == "match":
        most *= int(build_rules(matchup.variant).max_deals)
    # Pages of memory that are never touched cost nothing.
    records = np.empty(most, DEAL)
    rows, recorded = _play(matchup, first_unit, n_units, records)
    return rows, records[:recorded].copy()


def _play(
    matchup: Matchup, first_unit: int, n_units: int, records: np.ndarray
) -> tuple[np.ndarray, int]:
    """Batch rows, and how many rows of `records` were written."""
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
    """Raise PolicyFailure if what a policy in Python remembers changes its answers."""
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
    """Empty views of the two seats."""
    return new_view(), new_view()


# Reporting failures


def describe_failure(matchup: Matchup, state: Any, error: Exception) -> str:
    """Which policy failed, how and where, with the command that replays the deal."""
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
    """What a policy did that raised; continues `the take policy 'mine' `."""
    if isinstance(error, interpret.NoAnswer | interpret.Ended):
        return str(error).rstrip(".")
    return f"raised {described(error)}"


def describe_answer(slot: str, answer: int, legal: int) -> str:
    """What a policy did whose answer is not among the bits of `legal`; continues as above."""
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

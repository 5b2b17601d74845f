"""Calls of the compiled code that plays a matchup, and error messages for failed policies."""

from collections.abc import Sequence
from concurrent.futures import Future
from functools import cache
from typing import Any

import numpy as np
from numba import boolean, int64, types, void

from simgin.core import batch_columns, jit, query
from simgin.core.batch_kernel import play_units, play_units_solo
from simgin.core.codes import SLOTS
from simgin.core.deal_record import DEAL_RECORD_DTYPE
from simgin.core.policy_types import POLICY_TYPE, RECORDS_TYPE, RULES_TYPE, STATE_TYPE, VIEW_TYPE
from simgin.core.state import create_state
from simgin.core.view import create_view
from simgin.play import watchdog
from simgin.play.matchup import Matchup
from simgin.play.parallel import call_interruptibly
from simgin.play.specialized_kernel import find_kernel
from simgin.rules.build import build_rules
from simgin.strategy import Policy, Strategy, compiler, python_tier
from simgin.strategy.strategy_spec import StrategyError
from simgin.text import notation
from simgin.text.messages import SimginError, describe_error

SOLO_SLOTS = ("discard", "knock")  # policies that are used in solitaire games
EMPTY_RECORDS = np.zeros(0, DEAL_RECORD_DTYPE)
MAX_LISTED_ACTIONS = 7  # maximum number of legal actions that a message lists individually


class PolicyCallError(SimginError):
    """Error raised if a policy returns an illegal action or raises an exception."""


class RulesModifiedError(SimginError):
    """Error raised if a policy changes the rules or its parameters, which are read-only."""


# Compiling


@cache
def compile_deal_loop(
    function: Any, n_players: int, *extra_types: Any, no_alias: bool = True
) -> Any:
    """Compile a function of the engine that plays many deals in a loop.

    Args:
        function: Function to compile.
        n_players: Number of players, 1 or 2.
        extra_types: Types of the arguments that come between the views and the policies in the
            signature.
        no_alias: True if the arguments never overlap in memory (see `core.jit.compile_function`).
    """
    return jit.compile_function(
        function,
        make_deal_loop_signature(n_players, *extra_types),
        no_alias=no_alias,
        is_engine_code=True,
    )


def make_deal_loop_signature(n_players: int, *extra_types: Any) -> Any:
    """Return the numba signature of a function that plays many deals in a loop.

    Args:
        n_players: Number of players, 1 or 2.
        extra_types: Types of the arguments that come between the views and the policies in the
            signature.
    """
    views = [VIEW_TYPE] * n_players
    policy_types = [POLICY_TYPE] * (len(SOLO_SLOTS) if n_players == 1 else 2 * len(SLOTS))
    return void(STATE_TYPE, RULES_TYPE, *views, *extra_types, *policy_types)


def compile_batch_kernel(n_players: int) -> Any:
    """Compile the function that plays batches of deals (see `simgin.core.batch_kernel`)."""
    function = play_units_solo if n_players == 1 else play_units
    return compile_deal_loop(function, n_players, *_make_batch_argument_types(n_players))


def make_batch_kernel_signature(n_players: int) -> Any:
    """Return the numba signature of the function that plays batches of deals."""
    return make_deal_loop_signature(n_players, *_make_batch_argument_types(n_players))


def _make_batch_argument_types(n_players: int) -> list[Any]:
    """Return the numba types of the batch kernel's arguments between the views and the policies.

    In two-player games, the type of the mirror flag follows.
    """
    mirror_flags = [boolean] * (n_players - 1)
    return [types.Array(int64, 2, "C"), RECORDS_TYPE, int64, int64, int64, boolean, *mirror_flags]


def compile_policies(matchup: Matchup) -> list[Any]:
    """Return the compiled policies of A, followed by those of B, in slot order.

    In solitaire games, the result contains only the policies in SOLO_SLOTS.
    """
    slots = SOLO_SLOTS if matchup.b is None else SLOTS
    functions: list[Any] = []
    for strategy in matchup.players:
        functions += map(compiler.compile_policy, _select_policies(strategy, slots))
    return functions


def _select_policies(strategy: Strategy, slots: Sequence[str] = SLOTS) -> list[Policy]:
    """Return the policies of a strategy in the given slots."""
    policies = []
    for slot in slots:
        policy = strategy.policy(slot)
        assert policy is not None, (
            f"{strategy.spec} has an empty slot. Use the strategy loader, which fills empty slots."
        )
        policies.append(policy)
    return policies


def compile_matchup(matchup: Matchup) -> None:
    """Compile all code that a matchup needs, so that errors appear before the first deal."""
    build_rules(matchup.variant)
    compile_policies(matchup)
    compile_batch_kernel(len(matchup.players))


# Playing


def set_strategies(state: Any, matchup: Matchup) -> list[np.ndarray]:
    """Write the strategies of a matchup to the engine state.

    Returns:
        Parameter vectors of the policies. The state contains only their addresses, so the caller
        must keep the vectors alive while the state is in use.
    """
    rules = build_rules(matchup.variant)
    vectors = []
    for player, strategy in enumerate(matchup.players):
        policies = _select_policies(strategy)
        player_vectors = [compiler.make_parameter_vector(policy, rules) for policy in policies]
        state.discards_first[player] = strategy.ending == "same"
        state.random_slots[player] |= sum(
            policy.noise << slot for slot, policy in enumerate(policies)
        )
        state.vectors[player] = [vector.ctypes.data for vector in player_vectors]
        state.lengths[player] = [len(vector) for vector in player_vectors]
        vectors += player_vectors
    return vectors


def run_units(
    matchup: Matchup,
    state: Any,
    rules: Any,
    views: tuple[Any, Any],
    first_unit: int,
    n_units: int,
    records: np.ndarray = EMPTY_RECORDS,
) -> np.ndarray:
    """Play consecutive deals or matches with the given state, rules and views.

    Args:
        matchup: Matchup to play.
        state: Engine state.
        rules: Rules record.
        views: Views of both seats.
        first_unit: Number of the first unit.
        n_units: Number of units.
        records: Array for the records of the deals. An empty array disables recording.

    Returns:
        Batch rows, (n_batches, batch_columns.N_COLUMNS) int64.

    Raises:
        RulesModifiedError: If a policy changed the rules or its parameters.
        Exception: If a policy raises an exception, which propagates unchanged.
    """
    vectors = set_strategies(state, matchup)
    bytes_before = _snapshot_policy_inputs(rules, vectors)
    n_batches = -(-n_units // matchup.batch_size)
    rows = np.zeros((n_batches, batch_columns.N_COLUMNS), np.int64)
    arguments = [state, rules, *views[: len(matchup.players)]]
    arguments += [rows, records, first_unit, n_units, matchup.batch_size, matchup.unit == "match"]
    if matchup.b is not None:
        arguments.append(matchup.is_mirrored)

    policies = tuple(compile_policies(matchup))
    kernel = find_kernel(compile_batch_kernel(len(matchup.players)), policies, rules.tobytes())
    call_kernel(matchup, state, kernel, arguments)
    if _snapshot_policy_inputs(rules, vectors) != bytes_before:
        specs_text = " or ".join([strategy.spec for strategy in matchup.players])
        raise RulesModifiedError(
            f"{specs_text} modified the rules or the strategy parameters. Policies must not modify "
            "their arguments."
        )
    return rows


def call_kernel(matchup: Matchup, state: Any, kernel: Any, arguments: list[Any]) -> None:
    """Call a compiled kernel with its arguments and the policies of a matchup.

    Exceptions raised by policies propagate unchanged.
    """
    policies = compile_policies(matchup)
    loop = getattr(kernel, "entry_point", kernel)  # An interpreted loop has no entry point.
    future: Future[None] = Future()

    def run_kernel() -> None:
        with python_tier.reraise_policy_errors():
            loop(*arguments, *policies)

    with watchdog.watch_policies(matchup, state, future.set_exception):
        call_interruptibly(run_kernel, future)


def call_kernel_wrapping_errors(
    matchup: Matchup, state: Any, kernel: Any, arguments: list[Any]
) -> None:
    """Call a compiled kernel, and raise PolicyCallError with an error message if a policy fails.

    Raises:
        PolicyCallError: If a policy fails. The message contains the policy and the cause.
    """
    try:
        call_kernel(matchup, state, kernel, arguments)
    except Exception as error:
        raise PolicyCallError(describe_failure(matchup, state, error)) from error


def _snapshot_policy_inputs(rules: Any, vectors: list[np.ndarray]) -> list[bytes]:
    """Return copies of the rules and parameters, to detect whether a policy modifies them."""
    return [rules.tobytes(), *(vector.tobytes() for vector in vectors)]


def play_batches(matchup: Matchup, first_unit: int, n_units: int) -> np.ndarray:
    """Play consecutive deals or matches, and return one row of sums for each batch.

    The function releases the interpreter lock while it plays. Every call uses separate states,
    views, rules and parameters, so that calls can run in parallel.

    Args:
        matchup: Matchup to play.
        first_unit: Number of the first unit, a multiple of `matchup.batch_size`.
        n_units: Number of units.

    Returns:
        Batch rows, (n_batches, batch_columns.N_COLUMNS) int64.

    Raises:
        PolicyCallError: If a policy fails. The message contains the command that replays the deal.
        RulesModifiedError: If a policy changed the rules or its parameters.
    """
    rows, _ = _play_and_record(matchup, first_unit, n_units, EMPTY_RECORDS)
    return rows


def play_with_records(
    matchup: Matchup, first_unit: int, n_units: int
) -> tuple[np.ndarray, np.ndarray]:
    """Play consecutive deals or matches, and return batch sums and a record of every deal.

    Returns:
        Batch rows, and the records of the deals in the order of play, (n_deals,) DEAL_RECORD_DTYPE.
    """
    max_records = n_units * (2 if matchup.is_mirrored else 1)
    if matchup.unit == "match":
        max_records *= int(build_rules(matchup.variant).max_deals)
    # Memory pages that are never written use no physical memory.
    records = np.empty(max_records, DEAL_RECORD_DTYPE)
    rows, n_records = _play_and_record(matchup, first_unit, n_units, records)
    return rows, records[:n_records].copy()


def _play_and_record(
    matchup: Matchup, first_unit: int, n_units: int, records: np.ndarray
) -> tuple[np.ndarray, int]:
    """Play deals or matches, fill `records`, and return the batch rows and the record count."""
    state = create_state(matchup.seed)
    rules = build_rules(matchup.variant)
    views = create_views()
    try:
        rows = run_units(matchup, state, rules, views, first_unit, n_units, records)
    except (RulesModifiedError, StrategyError):
        raise
    except Exception as error:
        failure = describe_failure(matchup, state, error)
        raise PolicyCallError(failure) from (
            None if isinstance(error, query.IllegalActionError) else error
        )
    _check_determinism(matchup, rows, first_unit, n_units)
    return rows, int(state.n_recorded)


def _check_determinism(matchup: Matchup, rows: np.ndarray, first_unit: int, n_units: int) -> None:
    """Raise PolicyCallError if a Python policy acts differently when deals are repeated."""
    python_strategies = [
        player.spec for player in matchup.players if any(map(compiler.is_stateful, player.policies))
    ]
    if not python_strategies:
        return
    state, rules, n_batch_units = (
        create_state(matchup.seed),
        build_rules(matchup.variant),
        matchup.batch_size,
    )
    repeated_rows = run_units(
        matchup, state, rules, create_views(), first_unit, min(n_units, n_batch_units)
    )
    if not np.array_equal(repeated_rows[0], rows[0]):
        names = " or ".join(dict.fromkeys(python_strategies))
        raise PolicyCallError(
            f"{names} chose different actions when the same deals were repeated. An action must "
            "depend only on `view`, `rules` and `params`. To find the policy, run `simgin "
            "strategies check`."
        )


def create_views() -> tuple[Any, Any]:
    """Return empty views of the two seats."""
    return create_view(), create_view()


# Error messages


def describe_failure(matchup: Matchup, state: Any, error: Exception) -> str:
    """Return the error message for a failed policy, with a command that replays the deal."""
    strategy = matchup.players[int(state.query_seat != state.half)]
    slot = SLOTS[state.query_slot]
    policy = strategy.policy(slot)
    assert policy is not None
    if isinstance(error, query.IllegalActionError):
        failure = describe_illegal_action(slot, int(state.answer), int(state.legal))
    else:
        failure = describe_exception(error)
    half_text = f", half {state.half}" if matchup.b is not None else ""
    address = f"seed {matchup.seed}, unit {state.unit}{half_text}, deal {state.deal}"
    replay = matchup.make_replay_command(int(state.unit), int(state.half), int(state.deal))
    return (
        f"{strategy.spec}: the {slot} policy {policy.name!r} {failure} (variant "
        f"{matchup.variant.spec}, {address}). Replay the deal with: {replay}"
    )


def describe_exception(error: BaseException) -> str:
    """Return a verb phrase that describes the exception of a policy, such as "raised KeyError"."""
    if isinstance(error, python_tier.InvalidActionError | python_tier.PolicyExitError):
        return str(error).rstrip(".")
    return f"raised {describe_error(error)}"


def describe_illegal_action(slot: str, action: int, legal_bits: int) -> str:
    """Return a verb phrase that describes an illegal action of a policy.

    Args:
        slot: Slot of the policy.
        action: Return value of the policy.
        legal_bits: Legal actions, as bits.
    """
    if slot == "discard":
        discards = notation.format_hand(legal_bits)
        if action >= notation.N_CARDS and not action & ~legal_bits:
            cards = notation.format_hand(action)
            return (
                f"returned a set of cards ({cards}) instead of one card, such as "
                f"lowest(cards). The legal discards are {discards}"
            )
        card = notation.format_card(action) if 0 <= action < notation.N_CARDS else str(action)
        return f"discarded {card}, but the legal discards are {discards}"
    legal_actions = [bit for bit in range(64) if legal_bits >> bit & 1]
    action_texts = " or ".join(map(str, legal_actions))
    if len(legal_actions) > MAX_LISTED_ACTIONS:
        action_texts = f"{legal_actions[0]}..{legal_actions[-1]}"
    return f"returned {action}, but only {action_texts} is legal"

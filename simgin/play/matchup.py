"""Two strategies (or one, alone) under one variant and one seed: plays any range of units, and tells what went wrong if a policy failed."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numba import boolean, int64, types, void

from simgin.core import jit, sums
from simgin.core.ask import IllegalAnswer as _Illegal
from simgin.core.batch import play_solo_units, play_units
from simgin.core.cell import Cell
from simgin.core.policy import HOOK_TYPE, RECORDS_TYPE, RULES_TYPE, STATE_TYPE, VIEW_TYPE
from simgin.core.record import DEAL
from simgin.core.state import SLOTS, new_state
from simgin.core.view import new_view
from simgin.rules import record, variants
from simgin.rules.variants import Variant
from simgin.strategy import Policy, Strategy, compiler, interpret, loader


class IllegalAnswer(ValueError):
    """A policy failed in play: an answer that was not legal, or an exception of its own."""


class SeatError(ValueError):
    """More strategies than a game has seats."""


class Tampered(ValueError):
    """A policy wrote into what it may only read."""


@dataclass(frozen=True)
class Matchup:
    """One cell of an experiment: who plays whom, at what, and with which packs. Games for one player have no B."""

    variant: Variant
    a: Strategy
    b: Strategy | None
    seed: int
    unit: Literal["deal", "match"]

    @property
    def players(self) -> tuple[Strategy, ...]:
        """The strategies that play."""
        return (self.a,) if self.b is None else (self.a, self.b)

    @property
    def opponent(self) -> str:
        """The text of B, empty where there is none."""
        return "" if self.b is None else self.b.text

    @property
    def cell(self) -> Cell:
        """What is played, in texts."""
        return Cell(self.variant.text, self.a.text, self.opponent, self.seed, self.unit)

    @property
    def title(self) -> str:
        """Who plays, for people."""
        return self.cell.title

    @property
    def mirrored(self) -> bool:
        """Whether a unit is a pair: every pack played twice with the strategies exchanged."""
        return self.cell.mirrored

    @property
    def batch(self) -> int:
        """Units in a batch row."""
        return self.cell.batch

    def units(self, n: int) -> int:
        """Units that n deals or matches take; an odd number of mirrored ones is rounded up."""
        return self.cell.units(n)


def seated(
    a: str, b: str | None, variant: str, seed: int, unit: Literal["deal", "match"]
) -> Matchup:
    """A matchup from text forms: `simple` is the opponent where a game for two names none. SeatError where one is named for one."""
    game = variants.find(variant)
    alone = game.row["players"] == 1
    if alone and b is not None:
        raise SeatError(f"{game.text} is for one player: name one strategy, not {a} and {b}.")
    return Matchup(game, loader.find(a), None if alone else loader.find(b or "simple"), seed, unit)


@cache
def kernel(players: int) -> Any:
    """The kernel for one or two players, compiled for the one type of hook on first use."""
    return jit.compiled(play_solo_units if players == 1 else play_units, signature(players))


def signature(players: int) -> Any:
    """What the kernel takes: see `simgin.core.batch`."""
    head = (STATE_TYPE, RULES_TYPE, VIEW_TYPE)
    output = (types.Array(int64, 2, "C"), RECORDS_TYPE)
    sizes = (int64, int64, int64, boolean)
    if players == 1:
        return void(*head, *output, *sizes, *[HOOK_TYPE] * len(SOLO_SLOTS))
    return void(*head, VIEW_TYPE, *output, *sizes, boolean, *[HOOK_TYPE] * (2 * len(SLOTS)))


SOLO_SLOTS = ("discard", "knock")  # what a single player is asked


def _policies(strategy: Strategy, slots: Sequence[str] = SLOTS) -> list[Policy]:
    policies = [strategy.policy(slot) for slot in slots]
    assert None not in policies, f"{strategy.text} has an empty slot: the loader fills them"
    return [policy for policy in policies if policy is not None]


def compiled_hooks(matchup: Matchup) -> list[Any]:
    """The hooks of A in the order of the slots, then those of B; of a single player those that he is asked."""
    slots = SOLO_SLOTS if matchup.b is None else SLOTS
    return [
        compiler.hook(policy)
        for strategy in matchup.players
        for policy in _policies(strategy, slots)
    ]


def seat(state: Any, matchup: Matchup) -> list[np.ndarray]:
    """Tell the state of the two strategies. The parameter vectors returned must be kept alive while it is played."""
    kept = []
    for who, strategy in enumerate(matchup.players):
        state.same[who] = strategy.ending == "same"
        for slot, policy in enumerate(_policies(strategy)):
            vector = compiler.vector(policy)
            state.noisy[who] |= policy.noise << slot
            state.vectors[who, slot], state.lengths[who, slot] = vector.ctypes.data, len(vector)
            kept.append(vector)
    return kept


def prepare(matchup: Matchup) -> None:
    """Compile all that a matchup needs, so that errors come before the first deal."""
    record.build(matchup.variant)
    compiled_hooks(matchup)
    kernel(len(matchup.players))


NO_RECORDS = np.zeros(0, DEAL)


def run(
    matchup: Matchup,
    state: Any,
    own_rules: Any,
    views: tuple[Any, Any],
    first_unit: int,
    n_units: int,
    records: np.ndarray = NO_RECORDS,
) -> np.ndarray:
    """Batch rows of some units, played with a state, rules and views of the caller's. Whatever a policy raises comes out as it is."""
    vectors = seat(state, matchup)
    before = [own_rules.tobytes(), *(vector.tobytes() for vector in vectors)]
    rows = np.zeros((-(-n_units // matchup.batch), sums.COLUMNS), np.int64)
    sizes = (first_unit, n_units, matchup.batch, matchup.unit == "match")
    with interpret.unwrapped():
        if matchup.b is None:
            kernel(1)(state, own_rules, views[0], rows, records, *sizes, *compiled_hooks(matchup))
        else:
            kernel(2)(
                state,
                own_rules,
                *views,
                rows,
                records,
                *sizes,
                matchup.mirrored,
                *compiled_hooks(matchup),
            )
    if [own_rules.tobytes(), *(vector.tobytes() for vector in vectors)] != before:
        who = " or ".join(strategy.text for strategy in matchup.players)
        raise Tampered(
            f"{who} wrote into the rules or its parameters; a policy may only read them."
        )
    return rows


def play(matchup: Matchup, first_unit: int, n_units: int) -> np.ndarray:
    """Batch rows (batches, sums.COLUMNS) of int64 for units first_unit .. first_unit + n_units - 1.

    first_unit is a multiple of `matchup.batch`. Releases the interpreter lock while playing. Every call has state, views, rules and
    parameters of its own, so calls can run side by side. Raises IllegalAnswer with the command that replays the deal.
    """
    return _play(matchup, first_unit, n_units, NO_RECORDS)[0]


def play_recorded(matchup: Matchup, first_unit: int, n_units: int) -> tuple[np.ndarray, np.ndarray]:
    """As `play`, and a row for every deal in the order of play: `core.record.DEAL` (deals,)."""
    own_rules = record.build(matchup.variant)
    most = (
        n_units
        * (2 if matchup.mirrored else 1)
        * (int(own_rules.max_deals) if matchup.unit == "match" else 1)
    )
    rows, state, records = _play(
        matchup, first_unit, n_units, np.empty(most, DEAL)
    )  # pages never touched cost nothing
    return rows, records[: state.recorded].copy()


def _play(
    matchup: Matchup, first_unit: int, n_units: int, records: np.ndarray
) -> tuple[np.ndarray, Any, np.ndarray]:
    state = new_state(matchup.seed)
    try:
        rows = run(
            matchup,
            state,
            record.build(matchup.variant),
            (new_view(), new_view()),
            first_unit,
            n_units,
            records,
        )
    except Tampered:
        raise
    except Exception as error:
        raise IllegalAnswer(failure(matchup, state, error)) from (
            None if isinstance(error, _Illegal) else error
        )
    return rows, state, records


def failure(matchup: Matchup, state: Any, error: Exception) -> str:
    """Who failed, where, and the command that shows it."""
    strategy = matchup.players[int(state.asked_seat != state.half)]
    slot = SLOTS[state.asked_slot]
    policy = strategy.policy(slot)
    assert policy is not None
    words = [
        "simgin",
        "show",
        *(one.text for one in matchup.players),
        "-v",
        matchup.variant.text,
        "--seed",
        str(matchup.seed),
    ]
    words += [
        "--unit",
        str(state.unit),
        *(["--half", str(state.half)] if matchup.b is not None else []),
    ]
    half = f"half {state.half}, " if matchup.b is not None else ""
    words += ["--deal", str(state.deal)] if matchup.unit == "match" else []
    return (
        f"{strategy.text}: the {slot} policy {policy.name!r} {_fault(state, slot, error)} "
        f"(variant {matchup.variant.text}, seed {matchup.seed}, unit {state.unit}, {half}deal {state.deal}). "
        f"Replay it with: {shlex.join(words)}"
    )


def _fault(state: Any, slot: str, error: Exception) -> str:
    return (
        illegal(slot, int(state.answer), int(state.legal))
        if isinstance(error, _Illegal)
        else raising(error)
    )


def raising(error: BaseException) -> str:
    """What a policy did that raised: goes on from `the take policy 'mine' `."""
    if isinstance(error, interpret.NoAnswer):
        return str(error).rstrip(".")
    return f"raised {type(error).__name__}: {error}".rstrip(": ")


def illegal(slot: str, answer: int, legal: int) -> str:
    """What a policy did that gave an answer outside `legal` (bits): goes on from `the take policy 'mine' `."""
    from simgin.text.notation import show, text

    if slot != "discard":
        rows = [str(i) for i in range(64) if legal >> i & 1]
        choices = " or ".join(rows) if len(rows) < 8 else f"{rows[0]}..{rows[-1]}"
        return f"answered {answer} where only {choices} is legal"
    said = text(answer) if 0 <= answer < 52 else str(answer)
    return f"threw {said}, which is not among the legal discards {show(legal)}"

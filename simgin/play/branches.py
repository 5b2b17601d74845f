"""Deals branched at one question: what each of several answers leads to, in the same world."""

from dataclasses import dataclass

import numpy as np
from numba import from_dtype, int64, types

from simgin.core.answers import SLOTS
from simgin.core.branch import play_branches, play_branches_alone
from simgin.core.policy import HOOK_TYPE, VIEW_TYPE
from simgin.core.record import DEAL
from simgin.core.state import new_state
from simgin.core.view import VIEW
from simgin.play.kernel import SOLO_SLOTS, compiled_loop, new_views, run_kernel, seat_players
from simgin.play.matchup import Matchup
from simgin.rules.build import build_rules
from simgin.strategy import Policy, compiler

BRANCHED = ("take", "discard", "knock")  # slots
LEVEL = np.zeros(4, np.int64)  # the standing before the first deal of a match


@dataclass(frozen=True)
class Branches:
    """Questions of strategy A, and how the deal went on after each answer tried."""

    views: np.ndarray  # VIEW (questions,): what A saw
    answers: np.ndarray  # int64 (questions, answers): from the left, then -1
    records: np.ndarray  # simgin.core.record.DEAL (questions, answers): how each branch ended
    standings: np.ndarray  # int64 (questions, 4): points of A and B, deals won by A and B

    @property
    def tried(self) -> np.ndarray:
        """Which entries of `answers` and `records` are there: bool (questions, answers)."""
        return self.answers >= 0


def branch_deals(
    matchup: Matchup,
    choose: Policy,
    first_unit: int,
    units: int,
    most: int,
    standings: np.ndarray | None = None,
    explore: Policy | None = None,
) -> Branches:
    """Play deals of a matchup, and branch each at one question of A that is drawn by lot.

    choose: a policy of the slot to branch whose answer is the set of answers worth trying, as
    bits; it gets the numbers of A's policy in that slot. most: answers tried at most, the lowest
    first. standings: the match before each deal (see `Branches`), by default a new match.
    explore: what A answers that slot with up to the question, with the same numbers; by default
    A's own policy.
    Deals with fewer than two answers worth trying are left out. Raises PolicyFailure, and
    ValueError for slots that cannot be branched: those of the die and the melding, and for one
    player `take`.
    """
    players = len(matchup.players)
    branched = SOLO_SLOTS if players == 1 else BRANCHED
    if choose.slot not in branched:
        listed = ", ".join(branched)
        raise ValueError(f"the slot {choose.slot} cannot be branched; these can: {listed}.")
    state = new_state(matchup.seed)
    rules = build_rules(matchup.variant)
    if standings is None:
        standings = np.tile(LEVEL, (units, 1))
    views = np.zeros(units, VIEW)
    answers = np.full((units, most), -1, np.int64)
    records = np.zeros((units, most), DEAL)
    vectors = seat_players(state, matchup)
    slot = SLOTS.index(choose.slot)
    before = explore or matchup.a.policy(choose.slot)
    assert before is not None, f"{matchup.a.text} has an empty slot: the loader fills them"
    state.noisy[0] |= before.noise << slot
    table = types.Array(int64, 2, "C")
    between = (int64, int64, table, int64, HOOK_TYPE, HOOK_TYPE)
    function = play_branches_alone if players == 1 else play_branches
    found = (types.Array(VIEW_TYPE, 1, "C"), table, types.Array(from_dtype(DEAL), 2, "C"))
    kernel = compiled_loop(function, players, *between, *found)
    arguments = [state, rules, *new_views()[:players], first_unit, units, standings]
    arguments += [slot, compiler.hook(choose), compiler.hook(before), views, answers, records]
    run_kernel(matchup, state, kernel, arguments)
    del vectors  # the state held their addresses
    kept = answers[:, 1] >= 0
    return Branches(views[kept], answers[kept], records[kept], standings[kept])

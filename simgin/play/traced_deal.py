"""Traced deals, in which every decision of a policy is recorded.

`simgin show` and the tests use traced deals.

Traced deals are played by the same engine as the deals of a run.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from simgin.core import batch_columns
from simgin.core.codes import SLOTS
from simgin.core.rules_record import FIRST_TURN_DISCARD
from simgin.core.state import create_state
from simgin.play.kernel import create_views, describe_failure, run_units
from simgin.play.matchup import Matchup
from simgin.rules.build import build_rules
from simgin.text.messages import SimginError
from simgin.text.notation import cards_to_mask

DECLINABLE_SLOTS = ("knock", "offer")  # slots in which action 0 means to decline


class DealNotFoundError(SimginError):
    """Error raised if a match ended before the requested deal."""


@dataclass(frozen=True)
class Decision:
    """Decision in a traced deal: the policy, its view and the chosen action.

    Attributes:
        seat: Seat of the player, 0 or 1.
        slot: Slot of the policy.
        view: View of the player.
        action: Integer code of the action, or None if the action was illegal or the policy failed.
    """

    seat: int
    slot: str
    view: np.record
    action: int | None


@dataclass(frozen=True)
class TracedDeal:
    """Finished or aborted deal with a record of every decision.

    Attributes:
        matchup: Matchup of the deal.
        state: Engine state after the deal (see `core.state`).
        views: Last view of each seat.
        error: Error message if a policy failed, otherwise "".
        exception: Exception of the policy or the engine if a policy failed, otherwise None.
        hands: Dealt hand of each seat.
        is_truncated: True if only the beginning of the deal is known (see `truncate_deal`).
    """

    matchup: Matchup
    state: np.record
    views: tuple[np.record, np.record]
    error: str
    exception: Exception | None
    hands: tuple[int, int]
    is_truncated: bool = False

    @cached_property
    def decisions(self) -> list[Decision]:
        """All decisions of the deal in order.

        After an error, the last decision has no legal action.
        """
        # Copying the whole log once is faster than copying each view.
        views = self.state["log"][: self.n_decisions].copy()
        return [self._make_decision(index, view) for index, view in enumerate(views)]

    @property
    def n_decisions(self) -> int:
        """Number of decisions, including a last decision at which the policy failed."""
        return int(self.state.n_logged) + bool(self.error)

    def get_decision(self, index: int) -> Decision:
        """Return the decision at an index."""
        return self._make_decision(index, self.state["log"][index].copy())

    def _make_decision(self, index: int, view: np.record) -> Decision:
        """Return the decision at an index, given a copy of its view."""
        state = self.state
        action_code = int(state["answers"][index]) if index < state["n_logged"] else None
        return Decision(int(view["seat"]), SLOTS[state["slots"][index]], view, action_code)

    @property
    def ending(self) -> str:
        """Name of the ending of the deal, or "" if an error ended the deal."""
        return batch_columns.DEAL_RESULTS[self.state.kind] if self.state.kind >= 0 else ""

    @property
    def turns(self) -> list[tuple[int, int, int, int]]:
        """Turns of the deal, each as (seat, source, card drawn or taken, card discarded or -1).

        If a card is hidden from one seat, it is read from the history of the other seat.
        """
        views = self.views[: len(self.matchup.players)]
        histories = [view.history[: self.state.turns] for view in views]
        turns = []
        for rows in zip(*histories, strict=True):
            seat, source, _, discard = map(int, rows[0])
            turns.append((seat, source, max(int(row[2]) for row in rows), discard))
        return turns


def trace_deal(
    matchup: Matchup,
    unit: int = 0,
    half: int = 0,
    deal: int = 0,
    *,
    pack: Sequence[int] | None = None,
    joker: int = -1,
    dealer: int = 0,
    points: tuple[int, int] | None = None,
    script: Sequence[int] = (),
) -> TracedDeal:
    """Play a numbered deal or a deal with given cards, and record every decision.

    If a policy fails, the trace ends at that decision and has an error message.

    Args:
        matchup: Matchup to play.
        unit: Number of the unit.
        half: Mirrored game of the unit, 0 or 1.
        deal: Number of the deal in a match.
        pack: 52 cards in dealing order.
        joker: Position of the joker among the 53 cards of a solitaire game, or -1 for none.
        dealer: Seat of the dealer for a given pack.
        points: Scores of the seats before the deal. The default is `start_points`.
        script: First actions of the deal, which replace the actions of the players.

    Raises:
        DealNotFoundError: If the match ended before the deal.
    """
    state = create_state(matchup.seed)
    rules = build_rules(matchup.variant)
    if points is not None:
        rules.start_points[:] = points
    state.log_half = half
    state.log_deal = deal
    if pack is not None:
        # Do not shuffle the given pack.
        state.pack[:] = pack
        state.has_given_cards = 1
        state.shuffled = len(pack)
        state.dealer = dealer
        state.joker = joker
    state.answers[: len(script)] = script
    state.n_scripted = len(script)
    views = create_views()
    error_text = ""
    exception = None
    try:
        run_units(matchup, state, rules, views, unit, 1)
    except Exception as error:
        error_text = describe_failure(matchup, state, error)
        exception = error
    if not error_text and not state.log_mode:
        raise DealNotFoundError(
            f"in unit {unit}, half {half}, the match ended with deal {state.deal}, so it has no "
            f"deal {deal}. Use a smaller deal number."
        )
    return TracedDeal(
        matchup=matchup,
        state=state,
        views=views,
        error=error_text,
        exception=exception,
        hands=find_dealt_hands(state, rules, is_solo=matchup.b is None),
    )


@dataclass(frozen=True)
class ScriptedAction:
    """Action that a player is forced to take at a given decision, as an integer code."""

    seat: int
    slot: str
    action: int


def trace_to_decision(
    matchup: Matchup,
    script: list[ScriptedAction],
    is_target: Callable[[Decision], bool],
    unit: int = 0,
    **deal: Any,
) -> tuple[TracedDeal, int] | None:
    """Play a deal with scripted first actions, and find the decision that follows them.

    After the script, the strategies decide. Endings and offers that are not in the script are
    declined. Scripted refusals without a matching decision are removed. The script is modified in
    place.

    Args:
        matchup: Matchup to play.
        script: Scripted actions. The list is modified in place.
        is_target: Function that returns True for the target decision.
        unit: Number of the unit.
        **deal: Keyword arguments of `trace_deal`. `pack` is required, because otherwise the script
            would apply to both mirrored games.

    Returns:
        Traced deal, and index of the decision after the script. The index is None if the deal ends
        before that decision.
    """
    while True:
        trace = trace_deal(matchup, unit, script=[decision.action for decision in script], **deal)
        seats = trace.state.log["seat"][: trace.n_decisions].tolist()
        slots = [SLOTS[slot] for slot in trace.state.slots[: trace.n_decisions].tolist()]
        position = 0
        for decision, seat, slot in zip(script, seats, slots, strict=False):
            if (decision.seat, decision.slot) != (seat, slot):
                break
            position += 1
        if position == trace.n_decisions:
            return None
        if position == len(script) and is_target(trace.get_decision(position)):
            return trace, position
        if (
            position < len(script)
            and script[position].action == 0
            and script[position].slot in DECLINABLE_SLOTS
        ):
            del script[position]
        elif slots[position] in DECLINABLE_SLOTS:
            script.insert(position, ScriptedAction(seats[position], slots[position], 0))
        else:
            return None


def truncate_deal(deal: TracedDeal, n_actions: int, has_open_decision: bool) -> TracedDeal:
    """Return a traced deal that contains only the first actions.

    Args:
        deal: Traced deal. The state is modified in place.
        n_actions: Number of actions to keep.
        has_open_decision: True to keep the next decision, too, but without its action.
    """
    deal.state.n_logged = n_actions
    deal.state.kind = -1
    error_text = "The rest of this deal is unknown." if has_open_decision else ""
    return replace(deal, error=error_text, is_truncated=True)


def find_dealt_hands(state: Any, rules: Any, is_solo: bool) -> tuple[int, int]:
    """Return the hands that were dealt, by seat.

    Cards are dealt one at a time, starting with the nondealer.

    In solitaire games, the second hand is empty, and a joker in the hand replaces a card.
    """
    eleven_cards = rules.first_turn == FIRST_TURN_DISCARD
    if is_solo:
        hand_size = 11 if eleven_cards else 10
        return cards_to_mask(state.pack[: hand_size - (0 <= state.joker < hand_size)]), 0
    nondealer_hand = cards_to_mask(state.pack[0:20:2])
    dealer_hand = cards_to_mask(state.pack[1:20:2])
    if eleven_cards:
        nondealer_hand |= 1 << int(state.pack[20])
    return (nondealer_hand, dealer_hand) if state.dealer == 1 else (dealer_hand, nondealer_hand)

"""Positions in recorded deals, each with a view of the player and the legal actions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Any

from simgin.core import codes
from simgin.core.deadwood import compute_deadwood_for_role, deadwood
from simgin.core.endings import find_ending, find_required_meld_card
from simgin.core.position_rollouts import (
    ACTION_ACCEPT,
    ACTION_DISCARD,
    ACTION_END_DEAL,
    ACTION_LEAVE_DISCARD,
    ACTION_OFFER,
    ACTION_REFUSE,
)
from simgin.core.rules_record import FIRST_TURN_UPCARD_PASS, KNOCKER
from simgin.play.hand_analysis import choose_shown_melding, format_melded_hand
from simgin.play.pile import UNKNOWN_CARD_MARK, UNKNOWN_CARDS_MARKS, format_pile, format_pile_label
from simgin.play.rollouts import Action, list_die_actions, list_legal_actions
from simgin.play.table_text import describe_die
from simgin.play.traced_deal import Decision, TracedDeal
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.text.messages import SimginError
from simgin.text.notation import format_card, format_hand

DRAW_WORDS = {
    codes.ACTION_STOCK: "draw",
    codes.ACTION_TAKE: "take",
    codes.ACTION_PASS: "pass",
    ACTION_LEAVE_DISCARD: "leave",
}
# All policy calls for a hand of eleven cards or for the last discard belong to one decision.
DECISION_STEP_BY_SLOT = {
    "take": "draw",
    "discard": "end",
    "knock": "end",
    "offer": "offer",
    "answer": "answer",
}
DIE_WORDS = {ACTION_ACCEPT: "accept", ACTION_REFUSE: "refuse"}
DIE_ACTIONS = (ACTION_OFFER, ACTION_ACCEPT, ACTION_REFUSE)
# Four or more forgotten cards are printed as an ellipsis.
FORGOTTEN_CARDS_PATTERN = re.compile(r"\?( \?){3,}")


class PositionError(SimginError):
    """Error raised if a position is impossible or cannot be analysed."""


@dataclass(frozen=True)
class Position:
    """Position in which a player makes a decision, with the player's view and legal actions.

    Attributes:
        variant: Variant of the deal.
        view: Information available to the player, as a view record.
        actions: Legal actions.
        recorded_action: Action that the player chose, if the position is from a recorded deal.
        policy_call_index: Index of the decision's first policy call in the deal, or -1.
        is_in_match: True if the user entered a score, so actions are ranked by the probability of
            winning the match. Like `simgin grade`, an analysis ranks the actions of a recorded deal
            by points.
    """

    variant: Variant
    view: Any
    actions: list[Action]
    recorded_action: Action | None = None
    policy_call_index: int = -1
    is_in_match: bool = False

    @property
    def turn(self) -> int:
        """Turn number, as shown by `simgin show`, or 0 for a decision before the first turn.

        A decision to stop after a discard belongs to the turn of the discard. A decision to stop
        before the first draw belongs to turn 0.
        """
        if self.view.phase in (codes.PHASE_UPCARD, codes.PHASE_BLIND):
            return 0
        turn = int(self.view.turn)
        return turn - 1 if self.view.phase == codes.PHASE_STOP else turn

    @property
    def chosen_action(self) -> Action:
        """Action that the player chose in a recorded deal."""
        assert self.recorded_action is not None, "the position does not come from a recorded deal"
        return self.recorded_action

    @property
    def chosen_index(self) -> int:
        """Index of the chosen action."""
        return self.actions.index(self.chosen_action)

    @property
    def is_about_die(self) -> bool:
        """True if the player decides whether to offer, accept or refuse the die."""
        return self.actions[0].type in DIE_ACTIONS

    @property
    def label(self) -> str:
        """Label of the decision, as in `turn 5, draw`."""
        phase = self.view.phase
        turn = f"turn {self.turn}" if self.turn else "upcard"
        if self.is_about_die:
            step = "answer" if self.view.offered else "offer"
            return f"blind, {step}" if phase == codes.PHASE_BLIND else f"{turn}, {step}"
        if phase == codes.PHASE_STOP:
            return f"{turn}, stop" if self.turn else "before the first draw"
        if self.turn == 0:
            return turn
        if phase == codes.PHASE_LAST:
            return "last discard"
        return f"{turn}, draw" if self.view.taken_offer >= 0 else f"{turn}, discard"

    def format_action(self, action: Action) -> str:
        """Format an action, as in `discard KS` or `knock (discard KS)`."""
        if action.type in DIE_WORDS:
            return f"{DIE_WORDS[action.type]} {self.view.offered}"
        if action.type == ACTION_OFFER:
            return f"offer {action.card}" if action.card else "leave the die"
        if action.type in DRAW_WORDS:
            offered_card = int(self.view.taken_offer)
            card = f" {format_card(offered_card)}" if action.type == codes.ACTION_TAKE else ""
            return DRAW_WORDS[action.type] + card
        if action.type == ACTION_DISCARD:
            return f"discard {format_card(action.card)}"
        if self.view.phase == codes.PHASE_STOP:
            return "knock" if self.view.count else "gin"
        if action.card < 0:
            return "big gin"
        return f"{self._format_ending_word(action.card)} (discard {format_card(action.card)})"

    def _format_ending_word(self, card: int) -> str:
        """Return the word for ending the deal with a discard: `knock`, `gin` or `shoot`."""
        view = self.view
        rules = build_rules(self.variant)
        is_last = view.phase == codes.PHASE_LAST
        taken_card = int(view.taken_offer if is_last else view.taken)
        eleven_cards = int(view.hand) | (1 << taken_card if is_last else 0)
        ten_cards = eleven_cards & ~(1 << card)
        deadwood_left = deadwood(ten_cards, rules)
        required_card = int(find_required_meld_card(taken_card, rules))
        points = int(view.own_points)
        ending, deadwood_points = find_ending(
            ten_cards, deadwood_left, required_card, int(view.limit), points, rules
        )
        return "shoot" if ending == codes.ENDING_SHOT else "knock" if deadwood_points else "gin"

    # Description of the player's view

    def describe(self) -> Iterator[str]:
        """Yield lines that describe the hand, the opponent's known cards and the score."""
        view = self.view
        dealer = "you are the dealer" if view.dealer == view.seat else "the opponent is the dealer"
        if view.phase == codes.PHASE_BLIND:
            yield f"You have not seen your cards. {describe_die(view)}"
            yield f"The score is {self._score_text}, and {dealer}."
            return
        hand, rules = int(view.hand), build_rules(self.variant)
        _, melds = choose_shown_melding(hand, rules)
        deadwood_points = int(compute_deadwood_for_role(hand, rules, KNOCKER))
        melded_hand = format_melded_hand(melds, hand)
        yield f"You hold {melded_hand}, deadwood {deadwood_points}.{self._new_card_text}"
        pile_text = " ".join(self.pile_cards) or "none"
        pile_text = FORGOTTEN_CARDS_PATTERN.sub(UNKNOWN_CARDS_MARKS[0], pile_text)
        yield f"{format_pile_label(self.is_solo)}  {pile_text}"
        if n_unknown := sum(word.startswith(UNKNOWN_CARD_MARK) for word in self.pile_cards):
            cards = "1 unknown card" if n_unknown == 1 else f"{n_unknown} unknown cards"
            yield f"The pile contains {cards}, which simgin samples."
        if self.is_solo:
            yield self._deck_text
            return
        if known_cards := format_hand(int(view.known)):
            yield f"The opponent holds {known_cards}, taken from the pile."
        if self.variant.params["die"] != "off":
            yield describe_die(view)
        cards = "1 card" if view.stock == 1 else f"{view.stock} cards"
        score_and_limit = f"score {self._score_text}, knock limit {view.limit}"
        yield f"Stock of {cards}, {dealer}, {score_and_limit}."

    @property
    def is_solo(self) -> bool:
        """True if the variant is a solitaire game."""
        return self.variant.is_solo

    @property
    def pile_cards(self) -> list[str]:
        """Cards of the pile in the format of `--pile`, oldest first, with taken cards marked."""
        return format_pile(self.view, build_rules(self.variant), self.is_solo)

    @property
    def _score_text(self) -> str:
        """Text that states the match score before the deal."""
        view = self.view
        if self.variant.goal.score_unit == "deals":
            return (
                f"{view.own_deals}-{view.other_deals} (the first to win {view.target} deals wins)"
            )
        return f"{view.own_points}-{view.other_points}"

    @property
    def _deck_text(self) -> str:
        """Line about the state of a solitaire game: cards in the deck, knock limit and turn."""
        view, params = self.view, self.variant.params
        cards = "1 card" if view.deck_left == 1 else f"{view.deck_left} cards"
        joker = " including the joker" if params["joker"] != "none" else ""
        knock = f", knock limit {view.limit}" if view.limit else ""
        turn_text = (
            f", turn {view.turn} of {params['max_draws']}"
            if params["max_draws"] is not None
            else ""
        )
        return f"Deck of {cards}{joker}{knock}{turn_text}."

    @property
    def _new_card_text(self) -> str:
        """Sentence about the card that the player has taken or drawn, or can take."""
        view = self.view
        if view.taken >= 0:
            return f" You just took {format_card(int(view.taken))}."
        if view.drawn >= 0:
            return f" You just drew {format_card(int(view.drawn))}."
        if view.taken_offer >= 0:
            return f" You can take {format_card(int(view.taken_offer))}."
        return ""


def format_better_action(chosen_action: str, best_action: str) -> str:
    """Format the best action for a comparison with the chosen action.

    If the player ended the deal and a discard is better, return `play on and discard ...`.
    """
    is_continuing = best_action.startswith("discard") and not chosen_action.startswith("discard")
    return f"play on and {best_action}" if is_continuing else best_action


def find_decisions(deal: TracedDeal, turn: int | None = None) -> list[Position]:
    """Return the decisions of a deal or of a single turn, in the order of play.

    If the deal is truncated and no turn is given, return only the last decision.

    Args:
        deal: Recorded deal.
        turn: Turn number, as shown by `simgin show`, 0 for decisions before the first turn, or None
            for all turns.

    Raises:
        PositionError: If the turn contains no decision.
    """
    positions = list(_iter_positions(deal))
    if turn is None or not positions:
        return positions[-1:] if deal.is_truncated else positions
    turn_positions = [position for position in positions if position.turn == turn]
    if not turn_positions:
        turns = [position.turn for position in positions]
        first_event = "before the first draw" if deal.matchup.b is None else "the first upcard"
        raise PositionError(
            f"the deal contains no decision in turn {turn}. Choose a turn from {min(turns)} to "
            f"{max(turns)} (0 is {first_event})."
        )
    return turn_positions


def _iter_positions(deal: TracedDeal) -> Iterator[Position]:
    """Yield the position of each draw, each die decision and each hand of eleven cards."""
    variant = deal.matchup.variant
    rules = build_rules(variant)
    policy_call_indices = [
        index
        for index, decision in enumerate(deal.decisions)
        if decision.slot in DECISION_STEP_BY_SLOT
    ]
    for _, group in groupby(
        policy_call_indices, key=lambda index: make_decision_key(deal.decisions[index])
    ):
        indices = list(group)
        policy_calls = [deal.decisions[index] for index in indices]
        view = policy_calls[0].view
        is_about_die = policy_calls[0].slot in ("offer", "answer")
        actions = list_die_actions(view, rules) if is_about_die else list_legal_actions(view, rules)
        chosen_action = _read_chosen_action(policy_calls, rules)
        is_pending = deal.is_truncated and chosen_action is None
        if len(actions) > 1 and (is_pending or chosen_action in actions):
            yield Position(variant, view, actions, chosen_action, indices[0])


def make_decision_key(decision: Decision) -> tuple[int, int, int, str]:
    """Return a key that all policy calls of one decision share.

    A discard and the choice to end the deal after it form one decision. Every other policy call is
    a separate decision.
    """
    view = decision.view
    step = DECISION_STEP_BY_SLOT.get(decision.slot, decision.slot)
    return int(view.turns), int(view.phase), decision.seat, step


def find_chosen_action(deal: TracedDeal, policy_call_index: int) -> Action | None:
    """Return the action of the decision that begins at a policy call, or None if it is unknown."""
    decision_key = make_decision_key(deal.get_decision(policy_call_index))
    calls = (deal.get_decision(index) for index in range(policy_call_index, deal.n_decisions))
    decision_calls = takewhile(
        lambda policy_call: make_decision_key(policy_call) == decision_key, calls
    )
    return _read_chosen_action(list(decision_calls), build_rules(deal.matchup.variant))


def _read_chosen_action(policy_calls: list[Decision], rules: Any) -> Action | None:
    """Combine the policy calls of a decision into one action, or return None if it is unknown."""
    for call in policy_calls:
        view = call.view
        if call.action is None:
            return None
        if call.slot == "take":
            passes = view.phase == codes.PHASE_UPCARD and rules.first_turn == FIRST_TURN_UPCARD_PASS
            return Action(codes.ACTION_PASS if passes and call.action == 0 else call.action)
        if call.slot == "offer":
            return Action(ACTION_OFFER, call.action)
        if call.slot == "answer":
            return Action(ACTION_ACCEPT if call.action else ACTION_REFUSE)
        if call.slot == "discard":
            discard = call.action
        elif call.action:
            return Action(ACTION_END_DEAL, int(view.ending_card))
        elif view.phase == codes.PHASE_LAST:
            return Action(ACTION_LEAVE_DISCARD)
        elif view.phase == codes.PHASE_STOP:
            return Action(codes.ACTION_STOCK)
    return Action(ACTION_DISCARD, discard)

"""Positions: decisions in recorded deals, with the player's view and the legal actions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Any

from simgin.core import answers
from simgin.core.deadwood import deadwood, deadwood_of
from simgin.core.endings import ending_with, must_be_melded
from simgin.core.position import ACCEPT, END, LEAVE, OFFER, REFUSE, THROW
from simgin.core.rules import STOPPER, UPCARD_PASS
from simgin.play.hand import cards_text, shown_melding
from simgin.play.pile import FORGOTTEN, SOME, pile_label, pile_words
from simgin.play.rollout import Action, die_actions, legal_actions
from simgin.play.watch import Question, WatchedDeal
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.text.notation import card_text, hand_text

DRAWN = {answers.STOCK: "draw", answers.TAKE: "take", answers.PASS: "pass", LEAVE: "leave"}
# All queries with eleven cards, or about the last discard, belong to one decision
STEPS = {"take": "draw", "discard": "end", "knock": "end", "offer": "offer", "answer": "answer"}
ANSWERS = {ACCEPT: "accept", REFUSE: "refuse"}
ABOUT_DIE = (OFFER, ACCEPT, REFUSE)
MANY = re.compile(r"\?( \?){3,}")  # four or more forgotten cards, printed as one


class PositionError(ValueError):
    """Error raised if a position does not exist or cannot be analysed."""


@dataclass(frozen=True)
class Position:
    """Decision of a player.

    Attributes:
        variant: Variant of the deal.
        view: VIEW record, the information of the player.
        actions: Legal actions.
        in_match: True if the score counts, so that the goal is to win the match.
        chosen: Action that the player chose, if the position is from a recorded deal.
        query_index: Number of the first policy query of the decision in that deal, or -1.
    """

    variant: Variant
    view: Any
    actions: list[Action]
    in_match: bool
    done: Action | None = None
    number: int = -1

    @property
    def turn(self) -> int:
        """Number of the turn as `simgin show` counts; 0 for the first upcard and before it.

        A decision to stop after a discard belongs to the turn of the discard, and before the first
        draw to turn 0.
        """
        if self.view.phase in (answers.PHASE_UPCARD, answers.PHASE_BLIND):
            return 0
        turn = int(self.view.turn)
        return turn - 1 if self.view.phase == answers.PHASE_STOP else turn

    @property
    def was_done(self) -> Action:
        """Chosen action of a decision in a recorded deal."""
        assert self.done is not None, "the positions of a deal say what was done"
        return self.done

    @property
    def was_done_at(self) -> int:
        """Index of the chosen action."""
        return self.actions.index(self.was_done)

    @property
    def is_about_die(self) -> bool:
        """True if the decision is to offer the die or to answer an offer."""
        return self.actions[0].kind in ABOUT_DIE

    @property
    def place(self) -> str:
        """Label of the decision, such as `turn 5, draw`."""
        phase = self.view.phase
        turn = f"turn {self.turn}" if self.turn else "upcard"
        if self.is_about_die:
            step = "answer" if self.view.offered else "offer"
            return f"blind, {step}" if phase == answers.PHASE_BLIND else f"{turn}, {step}"
        if phase == answers.PHASE_STOP:
            return f"{turn}, stop" if self.turn else "before the first draw"
        if self.turn == 0:
            return turn
        if phase == answers.PHASE_LAST:
            return "last discard"
        return f"{turn}, draw" if self.view.taken_offer >= 0 else f"{turn}, discard"

    def text(self, action: Action) -> str:
        """Format an action, such as `discard KS`, or `knock, KS` with the discarded card."""
        if action.kind in ANSWERS:
            return f"{ANSWERS[action.kind]} {self.view.offered}"
        if action.kind == OFFER:
            return f"offer {action.card}" if action.card else "leave the die"
        if action.kind in DRAWN:
            offered = int(self.view.taken_offer)
            card = f" {card_text(offered)}" if action.kind == answers.TAKE else ""
            return DRAWN[action.kind] + card
        if action.kind == THROW:
            return f"discard {card_text(action.card)}"
        if self.view.phase == answers.PHASE_STOP:
            return "knock" if self.view.count else "gin"
        if action.card < 0:
            return "big gin"
        return f"{self._ending(action.card)}, {card_text(action.card)}"

    def _ending(self, card: int) -> str:
        """Return the word for ending the deal with a discard: `knock`, `gin` or `shoot`."""
        view = self.view
        rules = build_rules(self.variant)
        is_last = view.phase == answers.PHASE_LAST
        taken = int(view.taken_offer if is_last else view.taken)
        eleven = int(view.hand) | (1 << taken if is_last else 0)
        ten = eleven & ~(1 << card)
        left = deadwood(ten, rules)
        must = int(must_be_melded(taken, rules))
        points = int(view.own_points)
        ending, count = ending_with(ten, left, must, int(view.limit), points, rules)
        return "shoot" if ending == answers.SHOT else "knock" if count else "gin"

    # Description of the view

    def lines(self) -> Iterator[str]:
        """Yield lines with the hand, the information about the opponent, and the score."""
        view = self.view
        dealer = "you deal" if view.dealer == view.seat else "the opponent deals"
        if view.phase == answers.PHASE_BLIND:
            yield f"The cards are not seen yet; the {self.die}"
            yield f"{self._score}, {dealer}"
            return
        hand, rules = int(view.hand), build_rules(self.variant)
        _, melds = shown_melding(hand, rules)
        count = int(deadwood_of(hand, rules, STOPPER))
        yield f"You hold {cards_text(melds, hand)}, deadwood {count}{self._arrived}"
        text = " ".join(self.pile) or "none"
        yield f"{pile_label(self.is_alone)}  {MANY.sub(SOME[0], text)}"
        if missing := sum(word.startswith(FORGOTTEN) for word in self.pile):
            cards = "1 card" if missing == 1 else f"{missing} cards"
            yield f"{cards} forgotten, and drawn with the others that you do not see"
        if self.is_alone:
            yield self._deck
            return
        if known := hand_text(int(view.known)):
            yield f"The opponent took and holds {known}"
        if self.variant.row["die"] != "off":
            yield f"The {self.die}"
        yield f"{view.stock} cards in the stock, {dealer}, {self._score}, knock limit {view.limit}"

    @property
    def is_alone(self) -> bool:
        """True if the game is a solitaire game."""
        return self.variant.row["players"] == 1

    @property
    def die(self) -> str:
        """Text about the number on the die, its owner, and the offer."""
        view = self.view
        owner = "you own" if view.owner == view.seat else "the opponent owns"
        if view.owner < 0:
            owner = "nobody owns"
        shown = f"die shows {view.stake}, {owner} it"
        return f"{shown}, the opponent offers {view.offered}" if view.offered else shown

    @property
    def pile(self) -> list[str]:
        """Cards of the pile, oldest first, as `--pile` reads them; taken cards have a mark."""
        return pile_words(self.view, build_rules(self.variant), self.is_alone)

    @property
    def _score(self) -> str:
        """Text about the score of the match before the deal."""
        view = self.view
        if self.variant.goal.score == "deals":
            return f"{view.own_deals}-{view.other_deals} of {view.target} won deals"
        return f"score {view.own_points}-{view.other_points}"

    @property
    def _deck(self) -> str:
        """Text about the cards and turns that are left in a solitaire game."""
        view, row = self.view, self.variant.row
        cards = "1 card" if view.deck_left == 1 else f"{view.deck_left} cards"
        joker = ", the joker among them" if row["joker"] != "none" else ""
        knock = f", knock limit {view.limit}" if view.limit else ""
        turns = f", turn {view.turn} of {row['max_draws']}" if row["max_draws"] is not None else ""
        return f"{cards} left in the deck{joker}{knock}{turns}"

    @property
    def _arrived(self) -> str:
        """Text about the card that was taken, drawn or offered."""
        view = self.view
        if view.taken >= 0:
            return f", just took {card_text(int(view.taken))}"
        if view.drawn >= 0:
            return f", just drew {card_text(int(view.drawn))}"
        if view.taken_offer >= 0:
            return f", {card_text(int(view.taken_offer))} is offered"
        return ""


def better(done: str, best: str) -> str:
    """Format the best action for display next to the chosen one.

    If the player ended the deal and a discard is better, the text is `play on, discarding ...`.
    """
    plays_on = best.startswith("discard") and not done.startswith("discard")
    return best.replace("discard", "play on, discarding") if plays_on else best


def positions_in(deal: WatchedDeal, turn: int | None = None) -> list[Position]:
    """Return the decisions of a deal in the order of play, or those of one turn.

    If the deal is truncated, the result is only the last decision, unless a turn is named.

    Args:
        deal: Recorded deal.
        turn: Number of the turn as `simgin show` counts, 0 for decisions before the first turn.

    Raises:
        PositionError: If there is no decision in the turn.
    """
    found = list(_decisions(deal))
    if turn is None or not found:
        return found[-1:] if deal.is_cut else found
    of_turn = [position for position in found if position.turn == turn]
    if not of_turn:
        turns = [position.turn for position in found]
        before = "before the first draw" if deal.matchup.b is None else "the first upcard"
        raise PositionError(
            f"nothing was decided in turn {turn}; the deal has turns {min(turns)} to {max(turns)} "
            f"(0 is {before})."
        )
    return of_turn


def _decisions(deal: WatchedDeal) -> Iterator[Position]:
    """Yield a decision for each draw, offer and answer, and one for each hand of eleven cards."""
    variant = deal.matchup.variant
    rules = build_rules(variant)
    in_match = deal.matchup.unit == "match"
    asked = [number for number, each in enumerate(deal.questions) if each.slot in STEPS]
    for _, group in groupby(asked, key=lambda number: step_of(deal.questions[number])):
        numbers = list(group)
        questions = [deal.questions[number] for number in numbers]
        view = questions[0].view
        is_about_die = questions[0].slot in ("offer", "answer")
        actions = die_actions(view, rules) if is_about_die else legal_actions(view, rules)
        done = _done(questions, rules)
        is_open = deal.is_cut and done is None
        if len(actions) > 1 and (is_open or done in actions):
            yield Position(variant, view, actions, in_match, done, numbers[0])


def step_of(question: Question) -> tuple[int, int, int, str]:
    """Return the key of the decision to which a policy query belongs.

    A discard and the endings that go with it are one decision. All other queries are decisions
    of their own.
    """
    view = question.view
    return int(view.turns), int(view.phase), question.seat, STEPS.get(question.slot, question.slot)


def done_at(deal: WatchedDeal, number: int) -> Action | None:
    """Return the action chosen in the decision that begins with a query; None if unknown."""
    step = step_of(deal.question(number))
    asked = (deal.question(each) for each in range(number, deal.asked))
    same = takewhile(lambda question: step_of(question) == step, asked)
    return _done(list(same), build_rules(deal.matchup.variant))


def _done(questions: list[Question], rules: Any) -> Action | None:
    """Return the action of the player; None if the policy failed or the action is unknown."""
    for question in questions:
        view = question.view
        if question.answer is None:
            return None
        if question.slot == "take":
            passes = view.phase == answers.PHASE_UPCARD and rules.first_turn == UPCARD_PASS
            return Action(answers.PASS if passes and question.answer == 0 else question.answer)
        if question.slot == "offer":
            return Action(OFFER, question.answer)
        if question.slot == "answer":
            return Action(ACCEPT if question.answer else REFUSE)
        if question.slot == "discard":
            thrown = question.answer
        elif question.answer:
            return Action(END, int(view.ending_card))
        elif view.phase == answers.PHASE_LAST:
            return Action(LEAVE)
        elif view.phase == answers.PHASE_STOP:
            return Action(answers.STOCK)
    return Action(THROW, thrown)

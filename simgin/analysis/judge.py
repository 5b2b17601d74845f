"""Evaluation of decisions: the loss compared with the best action, given the actual hidden cards.

The best action is chosen in sampled worlds. Its gain compared with the chosen action is then
measured with the actual hidden hand and a reshuffled stock. Measuring the gain in the worlds that
selected the action would be biased upwards.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from simgin.analysis.analysis import gains
from simgin.analysis.hidden_cards import Drawing
from simgin.analysis.position import Position, done_at, positions_in, step_of
from simgin.core.answers import PHASE_BLIND, PHASE_LAST, PHASE_UPCARD, TAKE
from simgin.core.cards import PACK
from simgin.core.deadwood import deadwood
from simgin.core.position import ACCEPT, END, REFUSE
from simgin.play.kernel import PolicyFailure
from simgin.play.matchup import Matchup
from simgin.play.rollout import Action, Worlds, play_in
from simgin.play.watch import Decision, Question, WatchedDeal, lead_to
from simgin.rules.build import build_rules
from simgin.stats.estimate import Estimate, mean_of
from simgin.text.notation import cards_in

FIRST_LOOK = 25  # worlds before the first comparison; each later one doubles their number
CONFIRMING = 400  # new worlds that must confirm a mistake before it is measured
CLEARLY = 1.0  # standard errors by which an action must beat the evaluator's own action
SHUFFLES = 100  # reshuffles of the stock with the actual hidden hand
STREAMS = 2**39  # possible first numbers of the worlds of a position
# Mistakes by kind of decision
MISTAKES = {
    "upcard": ("took the card", "left the card"),
    "draw": ("took the card", "left the card"),
    "discard": (
        "kept more deadwood",
        "kept as much deadwood",
        "kept less deadwood",
        "ended with another card",
    ),
    "knock": ("ended the deal", "played on"),
    "die": ("offered too much", "offered too little", "accepted", "refused"),
}


@dataclass(frozen=True, slots=True)
class Judged:
    """Decision and its loss.

    Attributes:
        unit: Number of the pair, or of the deal.
        half: Mirrored game of the pair, 0 or 1.
        turn: Number of the turn.
        label: Label of the position.
        kind: Kind of decision, a key of `MISTAKES`.
        mistake: One of the mistakes of this kind; empty if the best action was chosen.
        chosen: Chosen action.
        best: Best action.
        cost: Gain of the best action compared with the chosen one, in the measure of the variant.
        evaluator_cost: The same gain for the evaluator's action.
        selection_lead: Lower bound of the gain of the best action, in the worlds that selected it.
        se: Standard error of the cost, if it was measured (`DecisionEvaluator.measure`).
    """

    unit: int
    half: int
    turn: int
    place: str
    kind: str
    mistake: str
    done: str
    best: str
    cost: float
    usual_cost: float
    seeming: float
    error: float = 0.0


class Judge:
    """Evaluator of the decisions of players who meet one opponent.

    The evaluator is a strategy that also plays all rollouts.

    Args:
        matchup: Evaluator against the opponent, or in a solitaire game; its seed is that of the
            worlds.
        worlds: Maximum number of worlds to find the best action; with 0, the evaluator's action
            is the best.
        first_look: Number of worlds before actions that are not ahead are dropped.
        clearly: Standard errors by which an action must beat the evaluator's action.
    """

    def __init__(
        self, matchup: Matchup, worlds: int, first_look: int = FIRST_LOOK, clearly: float = CLEARLY
    ) -> None:
        self.matchup = matchup
        self.worlds = worlds
        self.first_look = first_look
        self.clearly = clearly

    def judged(self, deal: WatchedDeal) -> list[Judged]:
        """Evaluate all decisions of strategy A in a deal, in the order of play."""
        found: list[Judged] = []
        for position, usual in usual_actions(self.matchup, deal):
            address = (self.matchup.seed, deal.state.unit, deal.state.half, len(found))
            lots = np.random.default_rng(np.array(address, np.uint64))
            found.append(self._judged(deal, position, usual, lots))
        return found

    def measured(self, deal: WatchedDeal, worlds: int) -> list[Judged]:
        """Evaluate the same decisions, with their costs measured in new worlds.

        A cost is then the mean gain of the best action over all possible hidden cards, not the gain
        with the actual hidden cards. An action without a gain in `CONFIRMATION_WORLDS` worlds does
        not count as a mistake.
        """
        pairs = zip(self.judged(deal), own_positions(deal), strict=True)
        return [self._measured(judged, position, worlds) for judged, position in pairs]

    def _measured(self, judged: Judged, position: Position, worlds: int) -> Judged:
        if judged.mistake and self.lead(position, judged.best, CONFIRMING).mean() > 0:
            cost = mean_of(self.lead(position, judged.best, worlds))
            missed = 1.0 - self._found_again(cost)
            # Weight the mistake for those that were missed (Horvitz and Thompson 1952)
            error = sqrt(cost.se**2 + missed * cost.value**2)
            return replace(judged, cost=cost.value, error=error)
        kind = kind_of(position, position.was_done)
        return replace(judged, kind=kind, mistake="", best=judged.done, cost=0.0)

    def _found_again(self, cost: Estimate) -> float:
        """Return the probability that new worlds would find and confirm the mistake again."""
        if not cost.se:
            return 1.0
        sought = [worlds for worlds in (self.worlds, CONFIRMING) if worlds]
        in_errors = [cost.value / cost.se * sqrt(worlds / cost.n) for worlds in sought]
        return prod(NormalDist().cdf(lead) for lead in in_errors)

    def lead(self, position: Position, best: str, worlds: int) -> np.ndarray:
        """Return the gains of an action compared with the chosen one, in new worlds.

        Args:
            position: Decision in a recorded deal.
            best: Formatted action.
            worlds: Number of worlds.

        Returns:
            float64 (n_worlds,).
        """
        named = {position.text(action): action for action in position.actions}
        view = position.view
        address = (self.matchup.seed, view.hand, view.turns, worlds)
        first = int(np.random.default_rng(np.array(address, np.uint64)).integers(STREAMS))
        worth = self._drawn(position, [named[best], position.was_done], worlds, first)
        return np.asarray(worth[:, 0] - worth[:, 1])

    def _judged(
        self, deal: WatchedDeal, position: Position, usual: Action, lots: np.random.Generator
    ) -> Judged:
        done = position.was_done
        lots.random()  # unused; keeps the worlds of each seed as they were in earlier versions
        best, seeming = self._best(position, usual, lots)
        worth = self._worth(deal, position, [done, best, usual], lots)
        kind = kind_of(position, best)
        return Judged(
            unit=int(deal.state.unit),
            half=int(deal.state.half),
            turn=position.turn,
            place=position.place,
            kind=kind,
            mistake="" if best == done else mistake_of(position, kind, best),
            done=position.text(done),
            best=position.text(best),
            cost=worth[best] - worth[done],
            usual_cost=worth[usual] - worth[done],
            seeming=seeming,
        )

    def _best(
        self, position: Position, usual: Action, lots: np.random.Generator
    ) -> tuple[Action, float]:
        """Return the evaluator's action, unless another one is significantly better, and its lead.

        The lead is the lower bound of the gain compared with the chosen action. Actions that are
        not ahead of the evaluator's action at a check are dropped.
        """
        actions = position.actions
        own = actions.index(usual)
        done = actions.index(position.was_done)
        worth = np.empty((0, len(actions)))
        tried = np.ones(len(actions), bool)
        ahead = tried
        first = int(lots.integers(STREAMS))
        while len(worth) < self.worlds and ahead.any():
            n = min(max(self.first_look, len(worth)), self.worlds - len(worth))
            places = np.flatnonzero(tried)
            chosen = [actions[place] for place in places]
            more = np.full((n, len(actions)), np.nan)
            more[:, places] = self._drawn(position, chosen, n, first + len(worth))
            worth = np.concatenate([worth, more])
            means = worth.mean(axis=0)
            ahead = means > means[own]
            tried = ahead.copy()
            tried[[own, done]] = True
        if not len(worth):
            return usual, 0.0
        lead = _least_lead(worth, own, self.clearly)
        best = int(lead.argmax()) if lead.max() > 0 else own
        return actions[best], float(_least_lead(worth, done, CLEARLY)[best])

    def _drawn(
        self, position: Position, actions: list[Action], worlds: int, first: int
    ) -> np.ndarray:
        """Return the gains of actions in sampled worlds: float64 (n_worlds, n_actions)."""
        drawn = Drawing(self.matchup, position.view).worlds(worlds, first)
        return self._gains(position, actions, drawn, first)

    def _worth(
        self,
        deal: WatchedDeal,
        position: Position,
        wanted: Sequence[Action],
        lots: np.random.Generator,
    ) -> dict[Action, float]:
        """Return the mean gains of actions with the actual hidden hand and a reshuffled stock."""
        actions = list(dict.fromkeys(wanted))
        if len(actions) == 1:
            return {actions[0]: 0.0}  # only differences matter
        if self.matchup.b is None or position.view.phase == PHASE_BLIND:
            worth = self._drawn(position, actions, SHUFFLES, int(lots.integers(STREAMS)))
        else:
            worlds = _reshuffled(deal, position.view, lots)
            worth = self._gains(position, actions, worlds, int(lots.integers(STREAMS)))
        return dict(zip(actions, worth.mean(axis=0).tolist(), strict=True))

    def _gains(
        self, position: Position, actions: list[Action], worlds: Worlds, first: int
    ) -> np.ndarray:
        """Return the gains of the player in given worlds: float64 (n_worlds, n_actions)."""
        return gains(play_in(self.matchup, position.view, actions, worlds, first), position.variant)


def usual_actions(matchup: Matchup, deal: WatchedDeal) -> Iterator[tuple[Position, Action]]:
    """Yield the decisions of strategy A in a deal, each with the evaluator's action."""
    state = deal.state
    if state.half:  # swap the strategies, because a deal from a given pack is not mirrored
        assert matchup.b is not None, "one player has one half"
        matchup = replace(matchup, a=matchup.b, b=matchup.a)
    table = {"dealer": int(state.dealer), "joker": int(state.joker)}
    done: list[Decision] = []  # all decisions so far, including declined endings
    known = 0
    for position in own_positions(deal):
        step = step_of(deal.questions[position.number])
        for question in deal.questions[known : position.number]:
            assert question.answer is not None, "only the last question of a deal has no answer"
            done.append(Decision(question.seat, question.slot, question.answer))
        known = position.number

        def is_there(asked: Question, step: tuple[int, int, int, str] = step) -> bool:
            return step_of(asked) == step

        led = lead_to(matchup, done, is_there, int(state.unit), pack=state.pack, **table)
        assert led is not None, "the deal went there"
        played, number = led
        action = done_at(played, number)
        if action is None:
            raise PolicyFailure(played.fault) from played.raised
        yield position, action


def own_positions(deal: WatchedDeal) -> Iterator[Position]:
    """Yield the decisions of strategy A in a deal, in the order of play."""
    for position in positions_in(deal):
        if position.view.seat == deal.state.half:
            yield position


def _least_lead(worth: np.ndarray, base: int, errors: float) -> np.ndarray:
    """Return the lower bound of each action's lead over another one; -inf if unknown.

    Args:
        worth: float64 (n_worlds, n_actions), NaN if an action was not tried.
        base: Index of the action to compare with.
        errors: Number of standard errors below the mean.
    """
    leads = worth - worth[:, base, None]
    error = leads.std(axis=0) / sqrt(len(worth))
    least = leads.mean(axis=0) - errors * error
    return np.where(np.isnan(least), -np.inf, least)


def _reshuffled(deal: WatchedDeal, view: Any, lots: np.random.Generator) -> Worlds:
    """Return worlds with the actual hidden hand and a reshuffled stock."""
    hidden = _hidden_hand(deal, view)
    left = PACK & ~(int(view.hand) | int(view.pile) | hidden)
    rows = np.tile(np.array(cards_in(left), np.int8), (SHUFFLES, 1))
    return Worlds(np.full(SHUFFLES, hidden), lots.permuted(rows, axis=1))


def _hidden_hand(deal: WatchedDeal, view: Any) -> int:
    """Return the mask of the cards that the opponent holds at a decision."""
    opponent = 1 - int(view.seat)
    hand = deal.hands[opponent]
    for seat, _, card, thrown in deal.turns[: int(view.turns)]:
        if seat == opponent:
            hand = (hand | (1 << card if card >= 0 else 0)) & ~(1 << thrown)
    return hand


def kind_of(position: Position, best: Action) -> str:
    """Return the kind of a decision: die, upcard, draw, discard, or knock (or play on)."""
    if position.is_about_die:
        return "die"
    view = position.view
    if view.phase == PHASE_UPCARD:
        return "upcard"
    if view.taken_offer >= 0 and view.phase != PHASE_LAST:
        return "draw"
    return "discard" if position.was_done.kind == best.kind else "knock"


def mistake_of(position: Position, kind: str, best: Action) -> str:
    """Return the mistake, a value of `MISTAKES`, of a decision that was not the best."""
    done = position.was_done
    if done.kind in (ACCEPT, REFUSE):
        return "accepted" if done.kind == ACCEPT else "refused"
    if kind == "die":  # card is the number offered, 0 for no offer
        return "offered too much" if done.card > best.card else "offered too little"
    if kind in ("upcard", "draw"):
        return "took the card" if done.kind == TAKE else "left the card"
    if kind == "knock":
        return "ended the deal" if done.kind == END else "played on"
    if done.kind == END:
        return "ended with another card"
    more = _left(position, done) - _left(position, best)
    how_much = "more" if more > 0 else "less" if more else "as much"
    return f"kept {how_much} deadwood"


def _left(position: Position, action: Action) -> int:
    """Return the deadwood after a discard."""
    ten = int(position.view.hand) & ~(1 << action.card)
    return int(deadwood(ten, build_rules(position.variant)))

"""What decisions gave up: what was done against the best that was found, in the cards as they lay.

Which action is best is found in drawn worlds. What it brings more than what was done is measured
with the hidden hand as it was, and the stock shuffled anew: had the same worlds chosen the action
and measured it, its luck in being chosen would count as worth.
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

FIRST_LOOK = 25  # worlds before the first look at who is ahead; each look doubles them
CONFIRMING = 400  # worlds in which a mistake has to be one again before it is measured
CLEARLY = 1.0  # standard errors by which an action must beat the judge's own, unless confirmed
SHUFFLES = 100  # of the stock below the hidden hand as it was
STREAMS = 2**39  # places where the random numbers of a position may begin
# What was done in place of the best, by what was to be decided
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
    """A decision, and what it gave up.

    kind: a key of MISTAKES. mistake: one of its words; empty if the best was done. cost and
    usual_cost: what the best, and what the judge does, would have brought more, in what the variant
    counts by. seeming: the least that the best brings more in the worlds that chose it. error: the
    standard error of the cost, if it was measured in worlds (`Judge.measured`).
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
    """Judges the decisions of those who meet one opponent; from each on it plays itself.

    matchup: the judge against the opponent, or alone; its seed is that of the worlds. worlds: how
    many are drawn at most to find the best action; with none it is what the judge does. first_look:
    how many before actions that are not ahead are left out. clearly: standard errors by which an
    action must beat the judge's own.
    """

    def __init__(
        self, matchup: Matchup, worlds: int, first_look: int = FIRST_LOOK, clearly: float = CLEARLY
    ) -> None:
        self.matchup = matchup
        self.worlds = worlds
        self.first_look = first_look
        self.clearly = clearly

    def judged(self, deal: WatchedDeal) -> list[Judged]:
        """All decisions of strategy A in a deal against the opponent, in the order of play."""
        found: list[Judged] = []
        for position, usual in usual_actions(self.matchup, deal):
            address = (self.matchup.seed, deal.state.unit, deal.state.half, len(found))
            lots = np.random.default_rng(np.array(address, np.uint64))
            found.append(self._judged(deal, position, usual, lots))
        return found

    def measured(self, deal: WatchedDeal, worlds: int) -> list[Judged]:
        """The same decisions, their costs measured in worlds that had no part in finding them.

        A cost is what the best brings more on average over all that the player could not see, not
        in the cards as they lay. What does not bring more in CONFIRMING worlds is no mistake.
        """
        pairs = zip(self.judged(deal), own_positions(deal), strict=True)
        return [self._measured(judged, position, worlds) for judged, position in pairs]

    def _measured(self, judged: Judged, position: Position, worlds: int) -> Judged:
        if judged.mistake and self.lead(position, judged.best, CONFIRMING).mean() > 0:
            cost = mean_of(self.lead(position, judged.best, worlds))
            missed = 1.0 - self._found_again(cost)
            # Of all that is found or missed, by what was found (Horvitz and Thompson 1952)
            error = sqrt(cost.se**2 + missed * cost.value**2)
            return replace(judged, cost=cost.value, error=error)
        kind = kind_of(position, position.was_done)
        return replace(judged, kind=kind, mistake="", best=judged.done, cost=0.0)

    def _found_again(self, cost: Estimate) -> float:
        """The chance that a mistake is found and confirmed in other worlds, too."""
        if not cost.se:
            return 1.0
        sought = [worlds for worlds in (self.worlds, CONFIRMING) if worlds]
        in_errors = [cost.value / cost.se * sqrt(worlds / cost.n) for worlds in sought]
        return prod(NormalDist().cdf(lead) for lead in in_errors)

    def lead(self, position: Position, best: str, worlds: int) -> np.ndarray:
        """What an action brings more than what was done, in other worlds: float64 (worlds,).

        best: the action in words.
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
        lots.random()  # seeds keep their worlds, which begin behind a number not used any more
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
        """What the judge does, unless another action is clearly better in drawn worlds.

        With it the least that it brings more than what was done. Actions that are not ahead of the
        judge's at a look are left out.
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
        """What actions bring in drawn worlds: float64 (worlds, actions)."""
        drawn = Drawing(self.matchup, position.view).worlds(worlds, first)
        return self._gains(position, actions, drawn, first)

    def _worth(
        self,
        deal: WatchedDeal,
        position: Position,
        wanted: Sequence[Action],
        lots: np.random.Generator,
    ) -> dict[Action, float]:
        """What actions bring above the hidden hand, on average over the orders of the stock."""
        actions = list(dict.fromkeys(wanted))
        if len(actions) == 1:
            return {actions[0]: 0.0}  # there is nothing to compare it with
        if self.matchup.b is None or position.view.phase == PHASE_BLIND:
            worth = self._drawn(position, actions, SHUFFLES, int(lots.integers(STREAMS)))
        else:
            worlds = _reshuffled(deal, position.view, lots)
            worth = self._gains(position, actions, worlds, int(lots.integers(STREAMS)))
        return dict(zip(actions, worth.mean(axis=0).tolist(), strict=True))

    def _gains(
        self, position: Position, actions: list[Action], worlds: Worlds, first: int
    ) -> np.ndarray:
        """What the player gains, in what the variant counts by: float64 (worlds, actions)."""
        return gains(play_in(self.matchup, position.view, actions, worlds, first), position.variant)


def usual_actions(matchup: Matchup, deal: WatchedDeal) -> Iterator[tuple[Position, Action]]:
    """The decisions of strategy A in a deal, each with what A of a matchup does behind the same."""
    state = deal.state
    if state.half:  # by seat: a deal from a given pack is played once
        assert matchup.b is not None, "one player has one half"
        matchup = replace(matchup, a=matchup.b, b=matchup.a)
    table = {"dealer": int(state.dealer), "joker": int(state.joker)}
    done: list[Decision] = []  # as far as it goes, with the endings that were declined
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
    """The decisions of strategy A in a deal, in the order of play."""
    for position in positions_in(deal):
        if position.view.seat == deal.state.half:
            yield position


def _least_lead(worth: np.ndarray, base: int, errors: float) -> np.ndarray:
    """How much each action leads another, so many standard errors below; -inf if unknown.

    worth: float64 (worlds, actions), NaN where an action was not tried.
    """
    leads = worth - worth[:, base, None]
    error = leads.std(axis=0) / sqrt(len(worth))
    least = leads.mean(axis=0) - errors * error
    return np.where(np.isnan(least), -np.inf, least)


def _reshuffled(deal: WatchedDeal, view: Any, lots: np.random.Generator) -> Worlds:
    """Worlds with the hidden hand as it was, and the stock shuffled anew."""
    hidden = _hidden_hand(deal, view)
    left = PACK & ~(int(view.hand) | int(view.pile) | hidden)
    rows = np.tile(np.array(cards_in(left), np.int8), (SHUFFLES, 1))
    return Worlds(np.full(SHUFFLES, hidden), lots.permuted(rows, axis=1))


def _hidden_hand(deal: WatchedDeal, view: Any) -> int:
    """The cards that the opponent holds at a question."""
    opponent = 1 - int(view.seat)
    hand = deal.hands[opponent]
    for seat, _, card, thrown in deal.turns[: int(view.turns)]:
        if seat == opponent:
            hand = (hand | (1 << card if card >= 0 else 0)) & ~(1 << thrown)
    return hand


def kind_of(position: Position, best: Action) -> str:
    """What had to be decided: the die, upcard, draw, discard or knock (or play on)."""
    if position.is_about_die:
        return "die"
    view = position.view
    if view.phase == PHASE_UPCARD:
        return "upcard"
    if view.taken_offer >= 0 and view.phase != PHASE_LAST:
        return "draw"
    return "discard" if position.was_done.kind == best.kind else "knock"


def mistake_of(position: Position, kind: str, best: Action) -> str:
    """What was done in place of the best, in a few words."""
    done = position.was_done
    if done.kind in (ACCEPT, REFUSE):
        return "accepted" if done.kind == ACCEPT else "refused"
    if kind == "die":  # an offer of no more than it shows is none
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
    """The deadwood left after a discard."""
    ten = int(position.view.hand) & ~(1 << action.card)
    return int(deadwood(ten, build_rules(position.variant)))

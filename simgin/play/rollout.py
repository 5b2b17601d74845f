"""Positions played on in worlds: what each action leads to, with the hidden cards filled in."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import from_dtype, int8, int64, types

from simgin.core.answers import NO_ENDING, PASS, PHASE_LAST, PHASE_STOP, PHASE_UPCARD, STOCK, TAKE
from simgin.core.bits import lowest
from simgin.core.deadwood import best_discards, deadwood, dearest
from simgin.core.endings import ending_with, legal_discards, must_be_melded
from simgin.core.offers import ask_offers
from simgin.core.policy import VIEW_TYPE
from simgin.core.position import ACCEPT, END, LEAVE, OFFER, REFUSE, THROW, play_worlds
from simgin.core.record import DEAL
from simgin.core.rules import UPCARD_PASS
from simgin.core.solo_position import play_worlds_alone
from simgin.core.state import new_state
from simgin.core.view import VIEW
from simgin.play.kernel import compiled_loop, new_views, run_kernel, seat_players
from simgin.play.matchup import Matchup
from simgin.rules.build import build_rules
from simgin.text import notation


class Action(NamedTuple):
    """What a player may do: STOCK, TAKE or PASS; THROW or END with a card; LEAVE.

    END without a card (-1) is big gin, and for one player with ten cards the knock or gin. With the
    die it is OFFER with a number in place of the card, 0 to leave the die; ACCEPT or REFUSE.
    """

    kind: int
    card: int = -1


@dataclass(frozen=True)
class Worlds:
    """The hidden cards of a position, filled in some number of times."""

    hands: np.ndarray  # int64 (worlds,): the opponent's cards; none for one player
    # int8 (worlds, cards): the stock, the next card first; for one player the joker is among them,
    # and before the cards are dealt it is the whole pack
    stocks: np.ndarray
    # core.view.VIEW (worlds,): the position, where each world fills in what the player forgot
    views: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.hands)

    def views_of(self, view: Any) -> np.ndarray:
        """The question in every world: VIEW (worlds,), or (1,) where it is `view` in all."""
        return np.array([view], VIEW) if self.views is None else self.views

    def some(self, places: np.ndarray) -> "Worlds":
        """Some of the worlds."""
        views = None if self.views is None else self.views[places]
        return Worlds(self.hands[places], self.stocks[places], views)

    def put(self, place: int, other: "Worlds") -> None:
        """Put the first of other worlds in place of one."""
        self.hands[place] = other.hands[0]
        self.stocks[place] = other.stocks[0]
        if self.views is not None and other.views is not None:
            self.views[place] = other.views[0]


def legal_actions(view: Any, rules: Any) -> list[Action]:
    """Everything the player may do at a question of the slots take, discard or knock.

    Discards come in the order of their numbers, then the endings.
    """
    if view.deck_left >= 0:
        return _alone(view, rules)
    if view.phase == PHASE_LAST:
        return [Action(LEAVE), *_endings(view, int(view.hand) | 1 << int(view.taken_offer), rules)]
    if view.taken_offer >= 0:
        return [Action(kind) for kind in _draws(view, rules)]
    eleven = int(view.hand)
    legal = int(legal_discards(eleven, int(view.taken), int(view.drawn), rules))
    thrown = [Action(THROW, card) for card in notation.cards_in(legal)]
    return thrown + _endings(view, eleven, rules)


def die_actions(view: Any, rules: Any) -> list[Action]:
    """Everything the player may do at a question of the slots offer or answer."""
    if view.offered:
        return [Action(ACCEPT), Action(REFUSE)]
    numbers = range(int(view.stake) + 1, int(rules.die_cap) + 1)
    return [Action(OFFER, number) for number in (0, *numbers)]


def _alone(view: Any, rules: Any) -> list[Action]:
    """What a single player may do; one gin stands for all, since they score alike."""
    if view.phase == PHASE_STOP:
        return [Action(STOCK), Action(END)]
    eleven = int(view.hand)
    drawn = int(view.drawn)
    legal = int(legal_discards(eleven, -1, drawn, rules))
    least, best = best_discards(eleven, legal, rules)
    may_stop = drawn >= 0 or rules.stop_before_draw
    endings = []
    if least == 0 and may_stop:
        legal &= ~int(best)
        dear, _ = dearest(best, rules)
        endings.append(Action(END, int(lowest(dear))))
    if rules.big_gin and deadwood(eleven, rules) == 0:
        endings.append(Action(END))
    return [Action(THROW, card) for card in notation.cards_in(legal)] + endings


def _draws(view: Any, rules: Any) -> list[int]:
    if view.phase != PHASE_UPCARD:
        return [STOCK, TAKE]
    return [PASS, TAKE] if rules.first_turn == UPCARD_PASS else [STOCK, TAKE, PASS]


def _endings(view: Any, eleven: int, rules: Any) -> list[Action]:
    """The ways to end the deal with eleven cards."""
    taken = int(view.taken_offer if view.phase == PHASE_LAST else view.taken)
    legal = int(legal_discards(eleven, taken, int(view.drawn), rules))
    must = int(must_be_melded(taken, rules))
    limit = int(view.limit)
    points = int(view.own_points)
    found = []
    for card in notation.cards_in(legal):
        ten = eleven & ~(1 << card)
        ending, _ = ending_with(ten, deadwood(ten, rules), must, limit, points, rules)
        if ending != NO_ENDING:
            found.append(Action(END, card))
    if rules.big_gin and deadwood(eleven, rules) == 0:
        found.append(Action(END))
    return found


NUMBERS = types.Array(int64, 1, "C")
STOCKS = types.Array(int8, 2, "C")
VIEWS = types.Array(VIEW_TYPE, 1, "C")
RECORDS = types.Array(from_dtype(DEAL), 2, "C")


def compiled_kernel(players: int) -> Any:
    """The compiled loop; see `simgin.core.position` and `simgin.core.solo_position`."""
    rest = (STOCKS, NUMBERS, NUMBERS, int64, RECORDS)
    if players == 1:
        return compiled_loop(play_worlds_alone, 1, VIEWS, *rest, distinct=False)
    return compiled_loop(play_worlds, 2, VIEWS, NUMBERS, *rest, distinct=False)


def play_in(
    matchup: Matchup, view: Any, actions: list[Action], worlds: Worlds, first: int = 0
) -> np.ndarray:
    """How the deal ends after each action in each world: core.record.DEAL (worlds, actions).

    A is the player of the view, and B the opponent, from the position on. first: the number of the
    first world, which is the unit of the random streams of policies that use chance.
    """
    records = np.zeros((len(worlds), len(actions)), DEAL)
    kinds, cards = np.array(actions, np.int64).reshape(-1, 2).T.copy()
    players = len(matchup.players)
    hidden = [worlds.hands, worlds.stocks] if players == 2 else [worlds.stocks]
    arguments = [worlds.views_of(view), *hidden, kinds, cards, first, records]
    _run(matchup, compiled_kernel(players), arguments)
    return records


def offers_in(matchup: Matchup, view: Any, worlds: Worlds, first: int = 0) -> np.ndarray:
    """What B offers in each world of a question that answers an offer: int64 (worlds,), 0: nothing.

    A is the player of the view. first: as of `play_in`.
    """
    offers = np.zeros(len(worlds), np.int64)
    kernel = compiled_loop(ask_offers, 2, VIEWS, NUMBERS, STOCKS, int64, NUMBERS, distinct=False)
    _run(matchup, kernel, [worlds.views_of(view), worlds.hands, worlds.stocks, first, offers])
    return offers


def _run(matchup: Matchup, kernel: Any, arguments: list[Any]) -> None:
    """Call a kernel with a state and views of its own before its arguments."""
    state = new_state(matchup.seed)
    vectors = seat_players(state, matchup)
    views = new_views()[: len(matchup.players)]
    run_kernel(matchup, state, kernel, [state, build_rules(matchup.variant), *views, *arguments])
    del vectors  # the state held their addresses

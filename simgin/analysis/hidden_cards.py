"""Worlds: the hidden cards of a position, drawn as likely as the opponent's play makes them."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from simgin.analysis.kernels import write_decks, write_worlds
from simgin.core.answers import PHASE_BLIND
from simgin.core.rules import DISCARD_FIRST, FREE, NO_JOKER
from simgin.core.view import FROM_PILE, FROM_STOCK, VIEW
from simgin.play.matchup import Matchup
from simgin.play.rollout import Worlds, offers_in
from simgin.rules.build import build_rules
from simgin.strategy import Strategy, loader
from simgin.text.notation import CARDS

STEPS = 200  # exchanges of cards for each hand, as champion-mc makes before its first
# Weights that tell hands apart which differ in a few cards are a little too weak for whole hands:
# found by benchmarks/likely_hands.py on other deals than those it reports
SHARPER = 1.15
KNOCKS_AT_ONCE = "at"  # the policy for the slot knock that ends a deal as soon as it may
# What an offer of the die tells
PROBED = 500  # worlds in which the opponent is asked first
RARE = 0.01  # share of them below which offers are not looked for
TRIES = 1_000  # draws of a world at most; so many fail with a probability of e**-10
APART = 2**20  # between the numbers of two draws of a world


def draw_worlds(
    view: Any, rules: Any, n: int, seed: int, first: int = 0, hasty: float = 0.0
) -> Worlds:
    """n worlds of a view, from number `first` on, each drawn apart from the others.

    hasty: the probability that the opponent is one who knocks at once. Until the opponent has
    played a turn, all hands are as likely. Forgotten cards of the pile are drawn last, from what is
    neither held nor in the stock. The same seed and numbers give the same worlds.
    """
    lying, taken = forgotten(view, rules)
    own_seed = np.uint64(seed).astype(np.int64)
    left = int(max(view.stock, view.deck_left))  # what lies behind is forgotten
    cards = CARDS if view.phase == PHASE_BLIND else left + len(lying)
    stocks = np.empty((n, cards), np.int8)
    hands = np.zeros(n, np.int64)
    if view.deck_left >= 0:  # every order of the cards left is as likely, the joker among them
        write_decks(view, rules.joker != NO_JOKER, left, own_seed, first, stocks)
    else:
        steps = STEPS if view.turns >= view.own_turn else 0  # has the opponent played?
        write_worlds(view, rules, _numbers(), hasty, steps, own_seed, first, hands, stocks)
    if not (lying or taken):
        return Worlds(hands, stocks)
    views = remembered(view, rules, hands, stocks[:, left:], first)
    return Worlds(hands, np.ascontiguousarray(stocks[:, :left]), views)


def hastiness(opponent: Strategy | None) -> float:
    """The probability that a strategy knocks at once: 1 for the policy that does so, else 0."""
    if opponent is None:
        return 0.0
    policy = opponent.policy("knock")
    return float(policy is not None and policy.name == KNOCKS_AT_ONCE)


@cache
def _numbers() -> np.ndarray:
    """The weights of hands, which lie beside the strategies, float64."""
    policy = loader.find("champion").policy("discard")
    assert policy is not None
    return np.asarray(SHARPER * np.load(policy.source.with_name("hands.npy")))


@dataclass(frozen=True)
class Drawing:
    """Worlds of a view, for A against B; of an offer to be answered those in which B makes it."""

    matchup: Matchup
    view: Any

    @property
    def has_offer(self) -> bool:
        """Whether an offer is to be answered that may tell something."""
        return bool(self.view.offered) and self.view.phase != PHASE_BLIND

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """What counts as the offer made; none if it tells nothing.

        A number that B would hardly offer counts as any that B offers.
        """
        offered = int(self.view.offered)
        if self._share((offered,)) >= RARE:
            return (offered,)
        every = tuple(range(1, int(self._rules.die_cap) + 1))
        return every if self._share(every) >= RARE else ()

    @property
    def share(self) -> float:
        """The share of worlds in which B makes the offer."""
        return self._share(self.numbers)

    def worlds(self, n: int, first: int) -> Worlds:
        """n worlds from number `first` on, each drawn apart from the others."""
        worlds = self._drawn(n, first)
        if not self.has_offer or not self.numbers:
            return worlds
        left = np.arange(n)
        for attempt in range(1, TRIES):
            start = first + attempt * APART
            offered = offers_in(self.matchup, self.view, worlds.some(left), start)
            left = left[~np.isin(offered, self.numbers)]
            if not len(left):
                break
            for place in left:
                worlds.put(int(place), self._drawn(1, start + int(place)))
        return worlds

    @cached_property
    def _rules(self) -> Any:
        return build_rules(self.matchup.variant)

    @cached_property
    def _probe(self) -> np.ndarray:
        """What B would offer in some worlds that are used for nothing else."""
        first = APART - PROBED
        return offers_in(self.matchup, self.view, self._drawn(PROBED, first), first)

    def _share(self, numbers: tuple[int, ...]) -> float:
        """How often B offers one of some numbers."""
        return float(np.isin(self._probe, numbers).mean())

    def _drawn(self, n: int, first: int) -> Worlds:
        """Worlds drawn by the play of the cards alone."""
        hasty = hastiness(self.matchup.b)
        return draw_worlds(self.view, self._rules, n, self.matchup.seed, first, hasty)


# Cards of the pile that the player has forgotten: in each world other unseen cards lie there. A
# view has -1 for them: as the first upcard, and in the history as cards thrown.


def forgotten(view: Any, rules: Any) -> tuple[list[int], list[int]]:
    """The places of the cards that are forgotten: of those left in the pile, and of those taken.

    Place 0 is that of the first upcard, place n of the discard of turn n. A card that was taken is
    among those that the opponent holds.
    """
    alone = view.deck_left >= 0
    turns_up = not alone and rules.first_turn != DISCARD_FIRST
    end = view.turns + alone  # of two players, one sees the card on top
    lying: list[int] = []
    taken: list[int] = []
    for place in range(not turns_up, end):
        if (view.history[place - 1, 3] if place else view.upcard) < 0:
            places = taken if view.history[place, 1] == FROM_PILE else lying
            places.append(place)
    return lying, taken


def remembered(
    view: Any, rules: Any, hands: np.ndarray, cards: np.ndarray, first: int
) -> np.ndarray:
    """A view with the forgotten cards filled in, as each world has them: VIEW (worlds,).

    hands: what the opponent holds, int64 (worlds,). cards: those that lie in the pile, (worlds,
    forgotten) in the order of `forgotten`. first: the number of the first world; numbers tell which
    cards of a hand were taken.
    """
    lying, taken = forgotten(view, rules)
    views = np.repeat(np.array([view], VIEW), len(hands))
    for place, column in zip(lying, cards.T, strict=True):
        masks = _lay(views, place, column)
        views["pile"] |= masks
        if _is_shed(view, rules, place):
            views["shed"] |= masks
    for place in taken:
        column = _one_of_each(hands & ~views["known"], first)
        views["known"] |= _lay(views, place, column)
        views["history"][:, place, 2] = column
    views["unseen"] &= ~(views["pile"] | views["known"])
    return views


def _lay(views: np.ndarray, place: int, column: np.ndarray) -> np.ndarray:
    """Write a card for each world to a place of the pile; the cards as masks."""
    if place == 0:
        views["upcard"] = column
    else:
        views["history"][:, place - 1, 3] = column
    masks: np.ndarray = np.left_shift(1, column, dtype=np.int64)
    return masks


def _one_of_each(hands: np.ndarray, first: int) -> np.ndarray:
    """A card of each hand, now this one and now that: int64 (hands,)."""
    held = hands[:, np.newaxis] >> np.arange(CARDS) & 1
    wanted = (first + np.arange(len(hands))) % held.sum(axis=1)
    reached = held.cumsum(axis=1) > wanted[:, np.newaxis]
    return np.asarray(reached.argmax(axis=1))


def _is_shed(view: Any, rules: Any, place: int) -> bool:
    """Whether the opponent threw or declined the card in a place."""
    if place == 0 and rules.first_turn != FREE:
        return True  # both players have passed it
    if place and view.history[place - 1, 0] != view.seat:
        return True
    seat, source = view.history[place, :2]
    is_drawn = source == FROM_STOCK and rules.take_discard
    return bool(is_drawn and seat != view.seat)

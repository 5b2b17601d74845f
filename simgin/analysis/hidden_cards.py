"""Sampling of worlds: the hidden cards of a position, weighted by the opponent's play."""

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

STEPS = 200  # Metropolis steps per hand, as many as champion-mc runs before its first world
# The weights were trained on hands that differ in a few cards and are slightly too small for whole
# hands. Estimated by benchmarks/likely_hands.py, on deals held out from its report.
SHARPER = 1.15
KNOCKS_AT_ONCE = "at"  # name of the knock policy that ends a deal as soon as possible
# Conditioning on an offer of the die
PROBED = 500  # worlds that estimate the probability of the offer
RARE = 0.01  # probability of an offer below which worlds are not conditioned on it
TRIES = 1_000  # samples per world; all fail with a probability of e**-10 at most
APART = 2**20  # difference between the numbers of two samples of a world


def draw_worlds(
    view: Any, rules: Any, n: int, seed: int, first: int = 0, hasty: float = 0.0
) -> Worlds:
    """Sample n independent worlds of a view.

    Until the opponent has played a turn, all hands are equally likely. Forgotten cards of the pile
    are sampled last, from the cards that are neither held nor in the stock. The same seed and
    numbers give the same worlds.

    Args:
        view: View of the player.
        rules: Rules of the variant.
        n: Number of worlds.
        seed: Seed of the worlds.
        first: Number of the first world.
        hasty: Probability that the opponent knocks immediately.
    """
    lying, taken = forgotten(view, rules)
    own_seed = np.uint64(seed).astype(np.int64)
    left = int(max(view.stock, view.deck_left))  # the cards after these are forgotten ones
    cards = CARDS if view.phase == PHASE_BLIND else left + len(lying)
    stocks = np.empty((n, cards), np.int8)
    hands = np.zeros(n, np.int64)
    if view.deck_left >= 0:  # solitaire: all orders of the deck and its joker are equally likely
        write_decks(view, rules.joker != NO_JOKER, left, own_seed, first, stocks)
    else:
        steps = STEPS if view.turns >= view.own_turn else 0  # has the opponent played?
        write_worlds(view, rules, _numbers(), hasty, steps, own_seed, first, hands, stocks)
    if not (lying or taken):
        return Worlds(hands, stocks)
    views = remembered(view, rules, hands, stocks[:, left:], first)
    return Worlds(hands, np.ascontiguousarray(stocks[:, :left]), views)


def hastiness(opponent: Strategy | None) -> float:
    """Return 1 if a strategy has the policy that knocks immediately, otherwise 0."""
    if opponent is None:
        return 0.0
    policy = opponent.policy("knock")
    return float(policy is not None and policy.name == KNOCKS_AT_ONCE)


@cache
def _numbers() -> np.ndarray:
    """Return the float64 weights of the features of hands, stored next to the strategies."""
    policy = loader.find("champion").policy("discard")
    assert policy is not None
    return np.asarray(SHARPER * np.load(policy.source.with_name("hands.npy")))


@dataclass(frozen=True)
class Drawing:
    """Sampler of the worlds of a view, for A against B.

    If the player must answer an offer of the die, B makes this offer in all sampled worlds.
    """

    matchup: Matchup
    view: Any

    @property
    def has_offer(self) -> bool:
        """True if the player must answer an offer that may be informative."""
        return bool(self.view.offered) and self.view.phase != PHASE_BLIND

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Offers that match the one made; empty if the offer is not informative.

        If B makes this offer too rarely, all offers of B match.
        """
        offered = int(self.view.offered)
        if self._share((offered,)) >= RARE:
            return (offered,)
        every = tuple(range(1, int(self._rules.die_cap) + 1))
        return every if self._share(every) >= RARE else ()

    @property
    def share(self) -> float:
        """Proportion of worlds in which B makes the offer."""
        return self._share(self.numbers)

    def worlds(self, n: int, first: int) -> Worlds:
        """Sample n independent worlds, starting with number `first`."""
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
        """Offers of B in worlds that are used only for this estimate."""
        first = APART - PROBED
        return offers_in(self.matchup, self.view, self._drawn(PROBED, first), first)

    def _share(self, numbers: tuple[int, ...]) -> float:
        """Return the proportion of worlds in which B makes one of the offers."""
        return float(np.isin(self._probe, numbers).mean())

    def _drawn(self, n: int, first: int) -> Worlds:
        """Sample worlds without conditioning on the offer."""
        hasty = hastiness(self.matchup.b)
        return draw_worlds(self.view, self._rules, n, self.matchup.seed, first, hasty)


# Forgotten cards of the pile are other unseen cards in each world. In a view they are -1, as the
# first upcard and as discards in the history.


def forgotten(view: Any, rules: Any) -> tuple[list[int], list[int]]:
    """Return the positions of the forgotten cards that are still in the pile, and of those taken.

    Position 0 is the first upcard, position n the discard of turn n. The opponent holds the cards
    that were taken.
    """
    alone = view.deck_left >= 0
    turns_up = not alone and rules.first_turn != DISCARD_FIRST
    end = view.turns + alone  # with two players, the top card is visible
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
    """Return copies of a view with the forgotten cards filled in from each world.

    Args:
        view: View of the player.
        rules: Rules of the variant.
        hands: int64 (n_worlds,), masks of the opponent's cards.
        cards: (n_worlds, n_forgotten), cards in the pile, in the order of `find_forgotten_cards`.
        first: Number of the first world; it determines which cards of a hand were taken.

    Returns:
        VIEW (n_worlds,).
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
    """Write one card per world to a position of the pile, and return the cards as masks."""
    if place == 0:
        views["upcard"] = column
    else:
        views["history"][:, place - 1, 3] = column
    masks: np.ndarray = np.left_shift(1, column, dtype=np.int64)
    return masks


def _one_of_each(hands: np.ndarray, first: int) -> np.ndarray:
    """Return one card of each hand, varying with the number of the world: int64 (n_hands,)."""
    held = hands[:, np.newaxis] >> np.arange(CARDS) & 1
    wanted = (first + np.arange(len(hands))) % held.sum(axis=1)
    reached = held.cumsum(axis=1) > wanted[:, np.newaxis]
    return np.asarray(reached.argmax(axis=1))


def _is_shed(view: Any, rules: Any, place: int) -> bool:
    """Return True if the opponent discarded or declined the card at a position of the pile."""
    if place == 0 and rules.first_turn != FREE:
        return True  # both players declined the first upcard
    if place and view.history[place - 1, 0] != view.seat:
        return True
    seat, source = view.history[place, :2]
    is_drawn = source == FROM_STOCK and rules.take_discard
    return bool(is_drawn and seat != view.seat)

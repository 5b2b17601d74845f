"""Translate OpenSpiel's gin_rummy to the cards, actions and shuffles of simgin.

Its player 0 always starts and is the nondealer at seat 0. Cards are dealt when needed.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pyspiel

from support.hands import members
from worked_examples.actions import PASS, STOCK, STOP, TAKE, THROW, Action

SPIEL = pyspiel.gin_rummy
PHASE = SPIEL.Phase
KNOCK = SPIEL.KNOCK_ACTION
DRAWS = {SPIEL.DRAW_UPCARD_ACTION: TAKE, SPIEL.DRAW_STOCK_ACTION: STOCK, SPIEL.PASS_ACTION: PASS}
ACTIONS = {what: action for action, what in DRAWS.items()}
UTILS = SPIEL.GinRummyUtils(13, 4, 10)


def card(number: int) -> int:
    """Convert a card to or from OpenSpiel, whose suit order is s c d h instead of S H D C."""
    suit, rank = divmod(number, 13)
    return 13 * (-suit % 4) + rank


def mask(cards: Iterable[int]) -> int:
    return sum(1 << card(number) for number in cards)


def to_openspiel_cards(hand: int) -> list[int]:
    return [card(number) for number in members(hand)]


def deadwood(hand: int) -> int:
    """Return the least deadwood, or OpenSpiel's value of it after a discard for eleven cards."""
    return UTILS.min_deadwood(to_openspiel_cards(hand))


def split_meld(meld: int) -> Iterator[int]:
    """Split a meld into melds of at most five cards, the only ones that OpenSpiel knows."""
    cards = members(meld)
    while len(cards) > 5:
        yield sum(1 << number for number in cards[:3])
        cards = cards[3:]
    yield sum(1 << number for number in cards)


def meld_action(meld: int) -> int:
    return SPIEL.MELD_ACTION_BASE + UTILS.meld_to_int(to_openspiel_cards(meld))


@cache
def make_initial_state(limit: int, oklahoma: bool, gin_bonus: int, undercut_bonus: int) -> Any:
    """Return OpenSpiel's initial state, which is faster to copy than to create."""
    parameters = {"knock_card": limit, "oklahoma": oklahoma}
    parameters |= {"gin_bonus": gin_bonus, "undercut_bonus": undercut_bonus}
    return pyspiel.load_game("gin_rummy", parameters).new_initial_state()


class Deal:
    """A deal of OpenSpiel, action by action, including the showdown."""

    def __init__(self, row: dict[str, Any], pack: list[int]) -> None:
        """Start a deal with the rules of a row and 52 cards in dealing order, nondealer first."""
        limit = 10 if row["knock_by_upcard"] else row["knock_limit"]
        bonuses = row["gin_bonus"], row["undercut_bonus"]
        self.state = make_initial_state(limit, row["knock_by_upcard"], *bonuses).clone()
        self._pack = map(card, (*pack[0:20:2], *pack[1:20:2], *pack[20:52]))
        self._deal()

    # State

    @property
    def phase(self) -> Any:
        return self.state.current_phase()

    @property
    def over(self) -> bool:
        return self.state.is_terminal()

    @property
    def seat(self) -> int:
        return self.state.current_player()

    @property
    def returns(self) -> list[int]:
        return [int(points) for points in self.state.returns()]

    def hand(self, seat: int) -> int:
        return mask(self.state.hands()[seat])

    def count(self, seat: int) -> int:
        return self.state.deadwood()[seat]

    @property
    def upcard(self) -> int:
        """Return the top of the discard pile if it can be taken."""
        return card(self.state.upcard())

    @property
    def previous(self) -> int:
        """Return OpenSpiel's `previous upcard`, last taken from the pile or left there."""
        return card(self.state.prev_upcard())

    def throws(self) -> int:
        if self.phase != PHASE.DISCARD:
            return 0
        return mask(number for number in self.state.legal_actions() if number < 52)

    def endings(self) -> int:
        """Return the discards that allow a knock, from eleven cards or ten and the last discard."""
        if KNOCK not in self.state.legal_actions():
            return 0
        return mask(self.state.child(KNOCK).legal_actions())

    def options(self) -> list[Action]:
        """Return the legal actions up to the knock; at the wall, `take` is half an action."""
        if self.phase == PHASE.DISCARD:
            return self._each(THROW, self.throws()) + self._each(STOP, self.endings())
        legal = self.state.legal_actions()
        if self.phase == PHASE.KNOCK:
            return self._each(STOP, mask(legal))
        return [Action(self.seat, TAKE if number == KNOCK else DRAWS[number]) for number in legal]

    def _each(self, what: int, hand: int) -> list[Action]:
        return [Action(self.seat, what, number) for number in members(hand)]

    # Playing it

    def act(self, action: Action) -> None:
        if (self.phase, action.what) in ((PHASE.DISCARD, STOP), (PHASE.WALL, TAKE)):
            self.apply(KNOCK)
        if action.card >= 0:
            self.apply(card(action.card))
        elif self.phase != PHASE.KNOCK:
            self.apply(ACTIONS[action.what])
        self._deal()

    def apply(self, action: int) -> None:
        self.state.apply_action_with_legality_check(action)

    def _deal(self) -> None:
        while self.state.is_chance_node():
            self.apply(next(self._pack))

    # The showdown

    def show(self, melds: Iterable[int]) -> None:
        for meld in melds:
            for piece in split_meld(meld):
                self.apply(meld_action(piece))
        self.apply(SPIEL.PASS_ACTION)

    def lay_off(self, cards: int) -> None:
        """Lay off the defender's cards in a legal order, then lay OpenSpiel's best melds."""
        left = to_openspiel_cards(cards)
        while left:
            fits = [one for one in left if one in self.state.legal_actions()]
            assert fits, "no order of these lay-offs is allowed"
            self.apply(fits[0])
            left.remove(fits[0])
        if not self.state.finished_layoffs():
            self.apply(SPIEL.PASS_ACTION)
        for meld in UTILS.best_meld_group(self.state.hands()[self.seat]):
            self.apply(meld_action(mask(meld)))
        self.apply(SPIEL.PASS_ACTION)

    def least_count(self) -> int:
        """Return the defender's least deadwood over all lay-offs and melds of OpenSpiel."""
        seat = self.seat
        return min(end.deadwood()[seat] for end in _ends(self.state, set()))


def _ends(state: Any, seen: set[tuple[bool, int]]) -> Iterator[Any]:
    """Return every final state; the order of lay-offs is irrelevant."""
    if state.is_terminal():
        yield state
        return
    at = state.finished_layoffs(), mask(state.hands()[state.current_player()])
    if at not in seen:
        seen.add(at)
        for action in state.legal_actions():
            yield from _ends(state.child(action), seen)

"""Translate cards, actions and shuffles between OpenSpiel's gin_rummy and simgin.

Its player 0 always starts and is the nondealer at seat 0. Cards are dealt when needed.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pyspiel

from support.hands import list_cards
from worked_examples.actions import PASS, STOCK, STOP, TAKE, THROW, Action

GIN_RUMMY = pyspiel.gin_rummy
DealPhase = GIN_RUMMY.Phase
KNOCK_ACTION = GIN_RUMMY.KNOCK_ACTION
KIND_BY_DRAW_ACTION = {
    GIN_RUMMY.DRAW_UPCARD_ACTION: TAKE,
    GIN_RUMMY.DRAW_STOCK_ACTION: STOCK,
    GIN_RUMMY.PASS_ACTION: PASS,
}
DRAW_ACTION_BY_KIND = {kind: action for action, kind in KIND_BY_DRAW_ACTION.items()}
MELD_SOLVER = GIN_RUMMY.GinRummyUtils(13, 4, 10)


def convert_card(card: int) -> int:
    """Convert a card number between simgin and OpenSpiel, which order the suits differently."""
    suit, rank = divmod(card, 13)
    return 13 * (-suit % 4) + rank


def to_simgin_mask(openspiel_cards: Iterable[int]) -> int:
    """Return simgin's mask of a hand from OpenSpiel's card numbers."""
    return sum(1 << convert_card(number) for number in openspiel_cards)


def to_openspiel_cards(hand: int) -> list[int]:
    return [convert_card(number) for number in list_cards(hand)]


def compute_deadwood(hand: int) -> int:
    """Return OpenSpiel's deadwood of a hand, after the best discard from eleven cards."""
    return MELD_SOLVER.min_deadwood(to_openspiel_cards(hand))


def split_meld(meld: int) -> Iterator[int]:
    """Split a meld into melds of three to five cards, because OpenSpiel has no longer melds."""
    cards = list_cards(meld)
    while len(cards) > 5:
        yield sum(1 << number for number in cards[:3])
        cards = cards[3:]
    yield sum(1 << number for number in cards)


def get_meld_action(meld: int) -> int:
    return GIN_RUMMY.MELD_ACTION_BASE + MELD_SOLVER.meld_to_int(to_openspiel_cards(meld))


@cache
def make_initial_state(
    knock_limit: int, knock_by_upcard: bool, gin_bonus: int, undercut_bonus: int
) -> Any:
    """Return OpenSpiel's state before a deal with these rules (cached)."""
    parameters = {"knock_card": knock_limit, "oklahoma": knock_by_upcard}
    parameters |= {"gin_bonus": gin_bonus, "undercut_bonus": undercut_bonus}
    return pyspiel.load_game("gin_rummy", parameters).new_initial_state()


class OpenSpielDeal:
    """Deal in OpenSpiel that is played action by action, including the showdown."""

    def __init__(self, params: dict[str, Any], pack: list[int]) -> None:
        """Start a deal with rule parameters and 52 cards in dealing order, nondealer first."""
        limit = 10 if params["knock_by_upcard"] else params["knock_limit"]
        bonuses = params["gin_bonus"], params["undercut_bonus"]
        self.state = make_initial_state(limit, params["knock_by_upcard"], *bonuses).clone()
        self._pack = map(convert_card, (*pack[0:20:2], *pack[1:20:2], *pack[20:52]))
        self._deal_cards()

    # State

    @property
    def phase(self) -> Any:
        return self.state.current_phase()

    @property
    def is_over(self) -> bool:
        return self.state.is_terminal()

    @property
    def seat_to_move(self) -> int:
        return self.state.current_player()

    @property
    def payoffs(self) -> list[int]:
        return [int(points) for points in self.state.returns()]

    def get_hand(self, seat: int) -> int:
        return to_simgin_mask(self.state.hands()[seat])

    def get_deadwood(self, seat: int) -> int:
        return self.state.deadwood()[seat]

    @property
    def upcard(self) -> int:
        """Top card of the discard pile if it can be taken."""
        return convert_card(self.state.upcard())

    @property
    def previous_upcard(self) -> int:
        """Card that was last taken from the discard pile or declined."""
        return convert_card(self.state.prev_upcard())

    def get_legal_discards(self) -> int:
        if self.phase != DealPhase.DISCARD:
            return 0
        return to_simgin_mask(number for number in self.state.legal_actions() if number < 52)

    def get_knock_discards(self) -> int:
        """Return the mask of discards with which the player can knock."""
        if KNOCK_ACTION not in self.state.legal_actions():
            return 0
        return to_simgin_mask(self.state.child(KNOCK_ACTION).legal_actions())

    def legal_actions(self) -> list[Action]:
        """Return the legal actions before the showdown."""
        if self.phase == DealPhase.DISCARD:
            return self._make_actions(THROW, self.get_legal_discards()) + self._make_actions(
                STOP, self.get_knock_discards()
            )
        legal = self.state.legal_actions()
        if self.phase == DealPhase.KNOCK:
            return self._make_actions(STOP, to_simgin_mask(legal))
        return [
            Action(
                self.seat_to_move, TAKE if number == KNOCK_ACTION else KIND_BY_DRAW_ACTION[number]
            )
            for number in legal
        ]

    def _make_actions(self, action_kind: int, cards: int) -> list[Action]:
        return [Action(self.seat_to_move, action_kind, number) for number in list_cards(cards)]

    # Playing it

    def apply_action(self, action: Action) -> None:
        if (self.phase, action.kind) in ((DealPhase.DISCARD, STOP), (DealPhase.WALL, TAKE)):
            self.apply_openspiel_action(KNOCK_ACTION)
        if action.card >= 0:
            self.apply_openspiel_action(convert_card(action.card))
        elif self.phase != DealPhase.KNOCK:
            self.apply_openspiel_action(DRAW_ACTION_BY_KIND[action.kind])
        self._deal_cards()

    def apply_openspiel_action(self, action: int) -> None:
        self.state.apply_action_with_legality_check(action)

    def _deal_cards(self) -> None:
        while self.state.is_chance_node():
            self.apply_openspiel_action(next(self._pack))

    # The showdown

    def show_melds(self, melds: Iterable[int]) -> None:
        for meld in melds:
            for piece in split_meld(meld):
                self.apply_openspiel_action(get_meld_action(piece))
        self.apply_openspiel_action(GIN_RUMMY.PASS_ACTION)

    def lay_off(self, cards: int) -> None:
        """Lay off the defender's cards, then show the melds that OpenSpiel considers best."""
        remaining = to_openspiel_cards(cards)
        while remaining:
            legal = [card for card in remaining if card in self.state.legal_actions()]
            assert legal, "no order of these lay-offs is allowed"
            self.apply_openspiel_action(legal[0])
            remaining.remove(legal[0])
        if not self.state.finished_layoffs():
            self.apply_openspiel_action(GIN_RUMMY.PASS_ACTION)
        for meld in MELD_SOLVER.best_meld_group(self.state.hands()[self.seat_to_move]):
            self.apply_openspiel_action(get_meld_action(to_simgin_mask(meld)))
        self.apply_openspiel_action(GIN_RUMMY.PASS_ACTION)

    def find_least_deadwood(self) -> int:
        """Return the defender's least deadwood over all legal lay-offs and melds."""
        seat = self.seat_to_move
        return min(end.deadwood()[seat] for end in _iter_final_states(self.state, set()))


def _iter_final_states(state: Any, visited: set[tuple[bool, int]]) -> Iterator[Any]:
    """Yield every final state of a showdown, with lay-offs in one order only."""
    if state.is_terminal():
        yield state
        return
    position = state.finished_layoffs(), to_simgin_mask(state.hands()[state.current_player()])
    if position not in visited:
        visited.add(position)
        for action in state.legal_actions():
            yield from _iter_final_states(state.child(action), visited)

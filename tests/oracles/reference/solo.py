"""Play a solitaire deal action by action, and score it (rules.md 5 and 6)."""

from collections.abc import Iterable

from .deal import DealResult
from .melds import compute_deadwood, find_permitted_meldings, find_shown_melding
from .points import Score, score_deal

JOKER = "X"
PLAYER_SEAT = 0  # the other side, 1, is the joker or empty


def _count_dealt_cards(params: dict) -> int:
    return 11 if params["first_turn"] == "discard_first" else 10


class SoloDeal:
    """Solitaire deal that is played action by action.

    The actions are ("stock",), ("throw", card) and ("end", None, ending). `deck[0]` is the top of
    the deck. If a joker in the hand means a new deal, the result is `redeal`.

    Args:
        params: Rule parameters.
        pack: The 52 cards.
        joker_position: Number of cards above the joker, in the pack with before_deal, in the deck
            with after_deal. None without a joker.
    """

    def __init__(
        self, params: dict, pack: Iterable[str], joker_position: int | None = None
    ) -> None:
        self.params = params
        self.result: DealResult | None = None
        self.discards: list[str] = []
        self.turns = self.draws = 0
        self._drawn_card: str | None = None
        self._deal_cards(list(pack), joker_position)
        self._initial_deck_size = len(self.deck)
        if JOKER in self.hands[PLAYER_SEAT]:
            self._resolve_joker_in_hand()
        elif len(self.hands[PLAYER_SEAT]) == 10:
            self._apply_automatic_ending()

    def _deal_cards(self, pack: list[str], joker_position: int | None) -> None:
        """Deal the hand, and put the joker in the pack before or after the deal."""
        if self.params["joker"] == "before_deal":
            pack.insert(joker_position, JOKER)
        number = _count_dealt_cards(self.params)
        self.hands, self.deck = [pack[:number]], pack[number:]
        if self.params["joker"] == "after_deal":
            self.deck.insert(joker_position, JOKER)

    def _resolve_joker_in_hand(self) -> None:
        """End a deal with the joker in the hand: deal again, or lose (rules.md 5.1)."""
        if self.params["joker_in_hand"] == "redeal":
            self._record_result(DealResult("redeal"))
        else:
            self.hands[PLAYER_SEAT].remove(JOKER)
            self._lose_to_joker()

    # --- decisions ---

    @property
    def seat_to_move(self) -> int | None:
        return PLAYER_SEAT if self.result is None else None

    def legal_actions(self) -> set[tuple]:
        """Return the legal actions of the player (rules.md 9.1), or an empty set."""
        if self.result is not None:
            return set()
        return (
            self._list_draw_actions()
            if len(self.hands[PLAYER_SEAT]) == 10
            else self._list_discard_actions()
        )

    def _list_draw_actions(self) -> set[tuple]:
        """Return the actions with ten cards: draw and, if legal, end the deal (rules.md 5.2)."""
        ending = "gin" if self._compute_deadwood() == 0 else "knock"
        if (
            self.params["deal_scoring"] != "penalty"
            and self._compute_deadwood() <= self.params["knock_limit"]
            and self._can_stop()
        ):
            return {("stock",), ("end", None, ending)}
        return {("stock",)}

    def _can_stop(self) -> bool:
        return self.draws > 0 or self.params["stop_before_draw"]

    def _list_discard_actions(self) -> set[tuple]:
        """Return the actions with eleven cards: discards and big gin (rules.md 4.3, 5.2)."""
        banned = self._drawn_card if self.params["discard_ban"] == "drawn" else None
        actions: set[tuple] = {
            ("throw", card) for card in self.hands[PLAYER_SEAT] if card != banned
        }
        if self.params["big_gin"] and find_permitted_meldings(
            self.hands[PLAYER_SEAT], self.params, required_ranks=()
        ):
            actions.add(("end", None, "big_gin"))
        return actions

    def _compute_deadwood(self) -> int:
        return compute_deadwood(self.hands[PLAYER_SEAT], self.params)

    # --- actions ---

    def apply_action(self, action: tuple) -> None:
        """Apply a legal action. Raise ValueError if it is not legal."""
        if action not in self.legal_actions():
            raise ValueError(f"{action!r} is not legal")
        if action[0] == "stock":
            self._draw_card()
        elif action[0] == "throw":
            self._discard_card(action[1])
        else:
            self._end_deal(action[2])

    def _draw_card(self) -> None:
        if self.turns >= self.params["max_turns"]:
            self._record_result(DealResult("stalled"))  # rules.md 11: no further turn begins
        elif self.deck[0] == JOKER:
            self._lose_to_joker()
        else:
            self._drawn_card = self.deck.pop(0)
            self.hands[PLAYER_SEAT].append(self._drawn_card)
            self.draws += 1

    def _discard_card(self, card: str) -> None:
        self.hands[PLAYER_SEAT].remove(card)
        self.discards.append(card)
        if self.params["discard_view"] == "bottom":
            self.deck.append(card)  # literal, to check that it never comes back (rules.md 5.1)
        self.turns += 1
        self._apply_automatic_ending()

    def _apply_automatic_ending(self) -> None:
        """In games with penalties, end the deal at gin or after the last draw."""
        if self.params["deal_scoring"] != "penalty":
            return
        last = self.draws == self.params["max_draws"]
        if self._compute_deadwood() == 0 and (last or self._can_stop()):
            self._end_deal("gin")
        elif last:
            count = self._compute_deadwood()
            self._record_result(DealResult("limit", None, None, [count, 0], knocker_deadwood=count))

    def _end_deal(self, ending: str) -> None:
        hand = self.hands[PLAYER_SEAT]
        if ending == "big_gin":
            self.turns += 1  # it replaces the discard
        score, cards_above_joker = self._score_ending(ending), self._count_cards_above_joker()
        winner = {"knocker": PLAYER_SEAT, "defender": 1 - PLAYER_SEAT, None: None}[score.winner]
        melds = find_shown_melding(hand, None, self.params, limit=self._compute_deadwood()) or []
        points = [score.knocker_points, score.defender_points]
        result = DealResult(score.outcome, PLAYER_SEAT, winner, points, knocker_melds=melds)
        result.knocker_deadwood = self._compute_deadwood()
        result.defender_deadwood = cards_above_joker
        self._record_result(result)

    def _count_cards_above_joker(self) -> int | None:
        """Return the number of cards above the joker (N in rules.md 6), or None if unused."""
        if self.params["deal_scoring"] != "joker":
            return None
        return self.deck.index(JOKER) + (1 if self.params["count_joker"] else 0)

    def _score_ending(self, ending: str) -> Score:
        if self.params["deal_scoring"] == "joker":
            return score_deal(
                self.params, ending, self._compute_deadwood(), self._count_cards_above_joker()
            )
        won = 1 if self.params["deal_scoring"] == "winloss" else self.params["penalty_gin"]
        return Score(ending, "knocker", won, 0)

    def _lose_to_joker(self) -> None:
        """Score a deal that the player loses because the joker appears (rules.md 6)."""
        count = self._compute_deadwood()
        points = {"joker": [0, count], "winloss": [0, 1], "penalty": [count, 0]}
        scored = points[self.params["deal_scoring"]]
        self._record_result(
            DealResult("joker", None, 1 - PLAYER_SEAT, scored, knocker_deadwood=count)
        )

    def _record_result(self, result: DealResult) -> None:
        """Record the result and the counts of the deal."""
        # The stock is m of rules.md 5.1, without joker and discards.
        result.stock_left, result.turns = self._initial_deck_size - self.draws, self.turns
        result.draws, result.knock_limit = [self.draws, 0], self.params["knock_limit"]
        self.result = result

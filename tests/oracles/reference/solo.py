"""A one-player deal, action by action (rules.md 5), and its points (rules.md 6)."""

from collections.abc import Iterable

from .deal import Result
from .melds import deadwood, permitted, shown
from .points import Score, deal_points

JOKER = "X"
PLAYER = 0  # the other side, 1, is the joker or empty


def _dealt(row: dict) -> int:
    return 11 if row["first_turn"] == "discard_first" else 10


class SoloDeal:
    """A deal played with ("stock",), ("throw", card) and ("end", None, how).

    pack: the 52 cards. joker_place: the number of cards above the joker, in the pack with
    before_deal, in the deck with after_deal; None in a variant without a joker. `deck[0]` is the
    top of the deck. A joker in the hand that means a new deal is the result `redeal`.
    """

    def __init__(self, row: dict, pack: Iterable[str], joker_place: int | None = None) -> None:
        self.row = row
        self.result: Result | None = None
        self.discards: list[str] = []
        self.turns = self.draws = 0
        self._drawn: str | None = None
        self._deal_cards(list(pack), joker_place)
        self._dealt_deck = len(self.deck)
        if JOKER in self.hands[PLAYER]:
            self._joker_in_hand()
        elif len(self.hands[PLAYER]) == 10:
            self._hold_ten()

    def _deal_cards(self, pack: list[str], joker_place: int | None) -> None:
        """Deal with the joker in the pack, or shuffle it in afterwards (rules.md 5.1)."""
        if self.row["joker"] == "before_deal":
            pack.insert(joker_place, JOKER)
        number = _dealt(self.row)
        self.hands, self.deck = [pack[:number]], pack[number:]
        if self.row["joker"] == "after_deal":
            self.deck.insert(joker_place, JOKER)

    def _joker_in_hand(self) -> None:
        """Deal again, or `joker` with the deadwood of the nine other cards (rules.md 5.1)."""
        if self.row["joker_in_hand"] == "redeal":
            self._finish(Result("redeal"))
        else:
            self.hands[PLAYER].remove(JOKER)
            self._lost_to_the_joker()

    # --- decisions ---

    @property
    def to_move(self) -> int | None:
        return PLAYER if self.result is None else None

    def options(self) -> set[tuple]:
        """Return the legal actions (rules.md 9.1); the empty set after the deal."""
        if self.result is not None:
            return set()
        return self._stop_options() if len(self.hands[PLAYER]) == 10 else self._discard_options()

    def _stop_options(self) -> set[tuple]:
        """End the deal or draw; with penalties there is no stop decision (rules.md 5.2)."""
        how = "gin" if self._count() == 0 else "knock"
        if (
            self.row["deal_scoring"] != "penalty"
            and self._count() <= self.row["knock_limit"]
            and self._may_stop()
        ):
            return {("stock",), ("end", None, how)}
        return {("stock",)}

    def _may_stop(self) -> bool:
        return self.draws > 0 or self.row["stop_before_draw"]

    def _discard_options(self) -> set[tuple]:
        """Discard any card except a banned one, or declare big gin (rules.md 4.3, 5.2)."""
        banned = self._drawn if self.row["discard_ban"] == "drawn" else None
        options: set[tuple] = {("throw", card) for card in self.hands[PLAYER] if card != banned}
        if self.row["big_gin"] and permitted(self.hands[PLAYER], self.row, demanded=()):
            options.add(("end", None, "big_gin"))
        return options

    def _count(self) -> int:
        return deadwood(self.hands[PLAYER], self.row)

    # --- actions ---

    def act(self, action: tuple) -> None:
        """Carry out an action of `options`, or raise ValueError."""
        if action not in self.options():
            raise ValueError(f"{action!r} is not legal")
        if action[0] == "stock":
            self._draw()
        elif action[0] == "throw":
            self._throw(action[1])
        else:
            self._end(action[2])

    def _draw(self) -> None:
        if self.turns >= self.row["max_turns"]:
            self._finish(Result("stalled"))  # rules.md 11, max_turns: no further turn begins
        elif self.deck[0] == JOKER:
            self._lost_to_the_joker()
        else:
            self._drawn = self.deck.pop(0)
            self.hands[PLAYER].append(self._drawn)
            self.draws += 1

    def _throw(self, card: str) -> None:
        self.hands[PLAYER].remove(card)
        self.discards.append(card)
        if self.row["discard_view"] == "bottom":
            self.deck.append(card)  # literal, to check that it never comes back (rules.md 5.1)
        self.turns += 1
        self._hold_ten()

    def _hold_ten(self) -> None:
        """End the deal at gin or after the last turn in games with penalties (rules.md 5.2)."""
        if self.row["deal_scoring"] != "penalty":
            return
        last = self.draws == self.row["max_draws"]
        if self._count() == 0 and (last or self._may_stop()):
            self._end("gin")
        elif last:
            count = self._count()
            self._finish(Result("limit", None, None, [count, 0], stopper_count=count))

    def _end(self, how: str) -> None:
        hand = self.hands[PLAYER]
        if how == "big_gin":
            self.turns += 1  # it replaces the discard
        score, above = self._score(how), self._above()
        winner = {"stopper": PLAYER, "other": 1 - PLAYER, None: None}[score.winner]
        melds = shown(hand, None, self.row, limit=self._count()) or []
        counts = {"stopper_count": self._count(), "other_count": above}
        self._finish(
            Result(score.kind, PLAYER, winner, [score.stopper, score.other], melds=melds, **counts)
        )

    def _above(self) -> int | None:
        """Return the number of cards above the joker; count_joker adds it (N in rules.md 6)."""
        if self.row["deal_scoring"] != "joker":
            return None
        return self.deck.index(JOKER) + (1 if self.row["count_joker"] else 0)

    def _score(self, how: str) -> Score:
        if self.row["deal_scoring"] == "joker":
            return deal_points(self.row, how, self._count(), self._above())
        won = 1 if self.row["deal_scoring"] == "winloss" else self.row["penalty_gin"]
        return Score(how, "stopper", won, 0)

    def _lost_to_the_joker(self) -> None:
        """Score a deal lost to the joker (rules.md 6); penalties are the player's."""
        count = self._count()
        points = {"joker": [0, count], "winloss": [0, 1], "penalty": [count, 0]}
        scored = points[self.row["deal_scoring"]]
        self._finish(Result("joker", None, 1 - PLAYER, scored, stopper_count=count))

    def _finish(self, result: Result) -> None:
        """Record the result (rules.md 6); the deck is m of 5.1, without joker and discards."""
        result.stock_left, result.turns = self._dealt_deck - self.draws, self.turns
        result.draws, result.limit = [self.draws, 0], self.row["knock_limit"]
        self.result = result

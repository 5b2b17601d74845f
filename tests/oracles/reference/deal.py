"""A two-player deal, action by action, and its showdown (rules.md 3.5, 3.7, 4, 6 and 8)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .die import Die
from .endings import Ending, knock_limit, legal_endings, shot_ranks
from .layoff import defender_count
from .melds import card_values, deadwood, in_text_order, left_over, showable, texts
from .points import deal_points, multiplier


@dataclass
class Showdown:
    kind: str  # knock, gin, big_gin, shot, undercut, even
    winner: str | None  # "stopper" (the knocker), "other" or None
    stopper_points: int
    other_points: int
    stopper_count: int  # K
    other_count: int  # Q
    other_before: int  # the defender's own deadwood before any lay-off
    melds: list[list[str]]  # as shown by the knocker
    laid_off: list[list[str]]  # laid off by the defender on each meld shown, in one optimal way


def meldings(
    row: dict,
    how: str,
    kept: Iterable[str],
    discard: str | None,
    *,
    limit: int,
    taken: str | None = None,
    own_points: int = 0,
) -> list[list[list[str]]]:
    """Return the meldings that the knocker may show with the ending, in the order of rules.md 3.5.

    With melding = auto, the first is shown. With melding = choice, a hand that could be gin may
    show a melding with more deadwood within the limit, as a knock.
    """
    if how == "shot":
        return showable(kept, discard, row, demanded=shot_ranks(own_points), taken=taken)
    if how == "big_gin":
        return showable(kept, None, row, demanded=[], taken=taken)
    only_gin = how == "gin" and row["melding"] == "auto"
    return showable(kept, discard, row, limit=0 if only_gin else limit, taken=taken)


def showdown(
    row: dict,
    how: str,
    kept: Iterable[str],
    discard: str | None,
    defender: Iterable[str],
    *,
    limit: int,
    taken: str | None = None,
    own_points: int = 0,
    stock_left: int = 0,
    factor: int = 1,
    chosen: Iterable[Iterable[str]] | None = None,
) -> Showdown:
    """Show, lay off, count and score (rules.md 3.5, 3.7, 6).

    kept: the stopper's ten cards, eleven for big gin. chosen: the melding picked under
    melding = choice; without one the first of `meldings` is shown.
    """
    kept, defender = list(kept), list(defender)
    legal = meldings(row, how, kept, discard, limit=limit, taken=taken, own_points=own_points)
    if not legal:
        raise ValueError(f"no melding of {' '.join(kept)} permits the ending {how!r}")
    melds = legal[0] if chosen is None else in_text_order(chosen)
    if melds not in (legal[:1] if row["melding"] == "auto" else legal):
        raise ValueError(f"{texts(melds)} may not be shown with the ending {how!r}")
    values = card_values(row)
    own = sum(values[card] for card in left_over(kept, melds))
    if how in ("knock", "gin"):
        how = "gin" if own == 0 else "knock"  # rules.md 3.3, regardless of the announcement
    before = deadwood(defender, row, "defender")
    other, laid_off = before, [[] for _ in melds]
    # rules.md 3.7: lay-offs after a knock, with layoff_on_gin after gin and big gin too, never
    # after a shot.
    if row["layoff"] and (how == "knock" or (row["layoff_on_gin"] and how in ("gin", "big_gin"))):
        way = defender_count(melds, defender, row)
        other, laid_off = way.count, way.laid_off
    score = deal_points(row, how, own, other, stock_left, factor)
    return Showdown(
        score.kind, score.winner, score.stopper, score.other, own, other, before, melds, laid_off
    )


@dataclass
class Result:
    # Knock, gin, big_gin, shot, undercut, even, joker, limit, refused, void, stalled; redeal: not a
    # deal at all
    kind: str
    stopper: int | None = None
    winner: int | None = None
    points: list[int] = field(default_factory=lambda: [0, 0])
    stopper_count: int | None = None
    other_count: int | None = None
    other_before: int | None = None
    melds: list[list[str]] = field(default_factory=list)
    laid_off: list[list[str]] = field(default_factory=list)
    stock_left: int = 0
    turns: int = 0
    draws: list[int] = field(default_factory=lambda: [0, 0])
    takes: list[int] = field(default_factory=lambda: [0, 0])
    upcard: str | None = None
    limit: int = 0
    multiplier: int = 1
    stake: int = 1  # on the die; of a refused deal the number that it pays (rules.md 8.2)
    owner: int | None = None


class Deal:
    """Two-player deal; `stock[0]` and `pile[-1]` are the top cards, `die` is by default new."""

    def __init__(
        self,
        row: dict,
        pack: Iterable[str],
        dealer: int,
        points: tuple[int, int] = (0, 0),
        die: Die | None = None,
    ) -> None:
        self.row, self.dealer, self.points = row, dealer, tuple(points)
        self.result: Result | None = None
        self.turns, self.draws, self.takes = 0, [0, 0], [0, 0]
        self._deal_cards(list(pack))
        self.limit = knock_limit(row, self.upcard)
        self.multiplier = multiplier(row, self.upcard)
        self._mover = 1 - dealer
        self._passes = 0
        self._upcard_dead = False  # after two passes the upcard may be out of reach, rules.md 4.2
        self._drawn: str | None = None  # drawn from the stock on this turn
        self._taken: str | None = None  # taken from the discard pile on this turn
        # Discard and ending, while the player chooses the melding
        self._ending: tuple[str | None, str] | None = None
        self._legal: list[list[list[str]]] = []  # meldings that may be shown with it, rules.md 3.5
        # upcard, draw, discard; last: the 50th-card question; last_end: the last discard
        # was taken and the deal must be ended; show: the deal is ended and a melding is picked;
        # offer and answer, of the die
        self._phase = "offer"
        self.die = die or Die(row)
        self._blind = [1 - dealer, dealer]  # blind offers that are still open (8.1)
        self._seen = False
        self._after_offer = ""
        self._next_blind_offer()

    def _deal_cards(self, pack: list[str]) -> None:
        """Deal singly, nondealer first; then the upcard, then the stock (rules.md 2 and 4.1)."""
        self.hands: list[list[str]] = [[], []]
        self.hands[1 - self.dealer] = pack[0:20:2]
        self.hands[self.dealer] = pack[1:20:2]
        self.stock = pack[21:]
        self.upcard: str | None = pack[20]
        self.pile = [pack[20]]
        # rules.md 4.2: the 21st card goes to the nondealer, and there is no upcard
        if self.row["first_turn"] == "discard_first":
            self.hands[1 - self.dealer].append(pack[20])
            self.upcard, self.pile = None, []

    # --- decisions ---

    @property
    def to_move(self) -> int | None:
        return None if self.result is not None else self._mover

    def options(self) -> set[tuple]:
        """Return the legal actions of the seat to move (rules.md 9.1); empty after the deal."""
        if self.result is not None:
            return set()
        if self._phase == "offer":
            numbers = self.die.numbers(self._mover, self._seen)
            return {("no offer",), *(("offer", number) for number in numbers)}
        if self._phase == "answer":
            return {("accept",), ("refuse",)}
        if self._phase == "upcard":
            return self._upcard_options()
        if self._phase == "draw":
            return self._draw_options()
        if self._phase == "last":
            return self._last_options()
        if self._phase == "show":
            return {("show", tuple(texts(melding))) for melding in self._legal}
        endings = {("end", ending.card, ending.how) for ending in self._endings()}
        if self._phase == "last_end":
            return endings  # rules.md 4.5: the card was taken to end the deal on the spot
        banned = self._ban(self._taken, self._drawn)
        return endings | {("throw", card) for card in self.hands[self._mover] if card != banned}

    def _upcard_options(self) -> set[tuple]:
        """Take or pass; in the three-choice openings also the stock (rules.md 4.2)."""
        choices = self.row["first_turn"] != "upcard_pass"
        return {("take",), ("pass",)} | ({("stock",)} if choices else set())

    def _draw_options(self) -> set[tuple]:
        options = {("stock",)}
        if self.row["take_discard"] and self.pile and not self._upcard_dead:
            options.add(("take",))
        return options

    def _last_options(self) -> set[tuple]:
        """Take the last discard to end the deal, or pass (rules.md 4.5, opponent_may_take)."""
        card = self.pile[-1]
        hand = [*self.hands[self._mover], card]
        conditions = self._conditions(taken=card, drawn=None)
        possible = legal_endings(hand, self.row, self.limit, **conditions)
        return {("pass",), ("take",)} if possible else {("pass",)}

    @property
    def meldings(self) -> list[list[list[str]]]:
        """Return the meldings to show (in the order of rules.md 3.5), if `show` is the decision."""
        return self._legal if self._phase == "show" and self.result is None else []

    def _endings(self) -> list[Ending]:
        conditions = self._conditions(self._taken, self._drawn)
        return legal_endings(self.hands[self._mover], self.row, self.limit, **conditions)

    def _conditions(self, taken: str | None, drawn: str | None) -> dict:
        points = self.points[self._mover]
        return {"taken": taken, "banned": self._ban(taken, drawn), "own_points": points}

    def _ban(self, taken: str | None, drawn: str | None) -> str | None:
        """Return the card that may not be discarded on this turn (rules.md 4.3, discard_ban)."""
        if self.row["discard_ban"] == "none":
            return None
        if self.row["discard_ban"] == "drawn" and drawn is not None:
            return drawn
        return taken

    # --- actions ---

    def act(self, action: tuple) -> None:
        """Carry out an action of `options`, or raise ValueError."""
        if action not in self.options():
            raise ValueError(f"{action!r} is not legal for seat {self._mover} now")
        if action[0] == "show":
            self._show([text.split() for text in action[1]])
        elif action[0] in ("pass", "stock", "take", "throw", "end"):
            getattr(self, f"_{action[0]}")(*action[1:])
        else:
            self._die(*action)

    def _next_blind_offer(self) -> None:
        """Ask for blind offers: nondealer, then dealer; then the first turn (rules.md 8.1)."""
        while self._blind:
            self._mover = self._blind.pop(0)
            if self.die.numbers(self._mover, seen=False):
                return
        self._seen = True
        self._mover = 1 - self.dealer  # rules.md 1: the nondealer moves first
        openings = {"free": "draw", "discard_first": "discard"}
        self._begin(openings.get(self.row["first_turn"], "upcard"))

    def _begin(self, phase: str) -> None:
        """Begin a turn, after an offer if the seat on turn may make one (rules.md 8.3, 8.4)."""
        self._after_offer = phase
        self._phase = "offer" if self.die.numbers(self._mover, self._seen) else phase

    def _die(self, action: str, number: int = 0) -> None:
        """Carry out an action of the die: offer, no offer, accept or refuse (rules.md 8)."""
        if action == "offer":
            self.die.offered = self._mover, number
            self._phase, self._mover = "answer", 1 - self._mover
        elif action == "refuse":
            offerer, stake = self.die.refuse()
            self._finish(Result("refused", winner=offerer, stake=stake))
        else:
            if action == "accept":
                self.die.accept()
                self._mover, self._blind = 1 - self._mover, []  # there is no other decision
            self._go_on()

    def _go_on(self) -> None:
        if self._seen:
            self._phase = self._after_offer
        else:
            self._phase = "offer"
            self._next_blind_offer()

    def _pass(self) -> None:
        if self._phase == "last":
            self._finish(Result("void"))
            return
        self._passes += 1
        self._mover = 1 - self._mover
        if self._passes == 1:
            self._begin("upcard")
        else:  # rules.md 4.2: the nondealer must draw; in one opening the upcard can still be taken
            self._phase = "draw"  # rules.md 8.3: no offer, the turn began with the upcard
            self._upcard_dead = self.row["first_turn"] != "upcard_stock_or_pass"

    def _stock(self) -> None:
        self._drawn = self.stock.pop(0)
        self.hands[self._mover].append(self._drawn)
        self.draws[self._mover] += 1
        self._upcard_dead = False
        self._phase = "discard"
        if self.row["stock_end"] == "at_draw" and self._exhausted():
            self._finish(Result("void"))  # rules.md 4.5: void at the moment of the draw

    def _take(self) -> None:
        self._taken = self.pile.pop()
        self.hands[self._mover].append(self._taken)
        self.takes[self._mover] += 1
        self._phase = "last_end" if self._phase == "last" else "discard"

    def _throw(self, card: str) -> None:
        self._lay_down(card)
        if self.row["stock_end"] in ("after_discard", "opponent_may_take") and self._exhausted():
            if self.row["stock_end"] == "after_discard":
                self._finish(Result("void"))  # rules.md 4.5
            else:
                self._next_turn("last")
        elif self.turns >= self.row["max_turns"]:
            self._finish(Result("stalled"))  # rules.md 4.5, 4.6: tested after the stock
        else:
            self._next_turn("draw")

    def _lay_down(self, card: str | None) -> None:
        """Discard the card that ends a turn; None for big gin."""
        if card is not None:
            self.hands[self._mover].remove(card)
            self.pile.append(card)
        self.turns += 1

    def _next_turn(self, phase: str) -> None:
        self._drawn = self._taken = None
        self._mover = 1 - self._mover
        if phase == "last":
            self._phase = phase  # rules.md 8.3: not a turn
        else:
            self._begin(phase)

    def _exhausted(self) -> bool:
        return len(self.stock) <= self.row["stock_reserve"]

    def _end(self, card: str | None, how: str) -> None:
        """End the deal; with a choice of meldings showing is a separate decision (rules.md 9.1)."""
        self._ending = card, how
        if self.row["melding"] == "choice":
            kept = [other for other in self.hands[self._mover] if other != card]
            points = self.points[self._mover]
            self._legal = meldings(
                self.row, how, kept, card, limit=self.limit, taken=self._taken, own_points=points
            )
        if len(self._legal) > 1:
            self._phase = "show"
        else:
            self._show(None)

    def _show(self, melding: list[list[str]] | None) -> None:
        """Show the melds and score; None is the only or the automatic melding."""
        assert self._ending is not None
        seat, (card, how) = self._mover, self._ending
        self._lay_down(card)
        told = {"limit": self.limit, "taken": self._taken, "own_points": self.points[seat]}
        told |= {"stock_left": len(self.stock), "factor": self.multiplier, "chosen": melding}
        end = showdown(self.row, how, self.hands[seat], card, self.hands[1 - seat], **told)
        points = [0, 0]
        points[seat], points[1 - seat] = end.stopper_points, end.other_points
        winner = {"stopper": seat, "other": 1 - seat, None: None}[end.winner]
        counts = end.stopper_count, end.other_count, end.other_before
        self._finish(Result(end.kind, seat, winner, points, *counts, end.melds, end.laid_off))

    def _finish(self, result: Result) -> None:
        result.stock_left, result.turns = len(self.stock), self.turns
        result.draws, result.takes = list(self.draws), list(self.takes)
        result.upcard, result.limit, result.multiplier = self.upcard, self.limit, self.multiplier
        result.owner = self.die.owner
        if result.kind != "refused":
            result.stake = self.die.stake
        self.result = result

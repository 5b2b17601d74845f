"""Replays a deal of the engine through the twin: at every question both must see the same, at the end both must have the same result.

The twin knows the rules; what is written here is the engine's contract (DESIGN.md 4): which questions it asks, in which order, which
ending it proposes, and what a view holds. Everything is formed from the twin's public history, nothing read back from the engine.
"""

from dataclasses import dataclass, field
from typing import Any

import hands
import twin

from simgin.core.view import FIELDS

UPCARD, TURN, LAST = 0, 1, 2  # view.phase
STOCK, PILE, DEALT = 0, 1, 2  # source in the history
MOST_SHOWN = 64  # rows of view.meldings
ENDINGS = {"knock": 1, "gin": 1, "shot": 2, "big_gin": 3}
GOALS = ("single", "points")


class Deal(twin.Deal):
    """The twin, which finds the endings of one moment only once."""

    _at: Any = None
    _found: Any = None

    def _endings(self):
        now = (self.turns, self._mover, self._taken, self._drawn)
        if self._at != now:
            self._at, self._found = now, super()._endings()
        return self._found


@dataclass
class Seat:
    """What all may know of a seat, and how often it was on turn."""

    known: int = 0
    shed: int = 0
    count: int = 0
    turns: int = 0


@dataclass
class Match:
    """The score before the deal, by seat."""

    points: tuple[int, int] = (0, 0)
    won: tuple[int, int] = (0, 0)
    deals: int = 0


@dataclass
class Replay:
    """One deal on its way through the twin. `played` is a `simgin.single.Single`."""

    played: Any
    row: dict[str, Any]
    match: Match = field(default_factory=Match)
    asked: int = 0

    def __post_init__(self):
        state = self.played.state
        pack = hands.names_in_order(state.pack[:52])
        self.deal = Deal(self.row, pack, int(state.dealer), self.match.points)
        self.seats = (Seat(), Seat())
        self.history: list[tuple[int, int, int, int]] = []
        self.phase = UPCARD if self.deal._phase == "upcard" else TURN
        self.first_card = number(self.deal.upcard)
        self.upcard_to = -1 if self.deal.upcard is None else 2
        for seat in range(2):
            self.seats[seat].count = self._count(seat)
        strategies = self.played.matchup.a, self.played.matchup.b
        half = int(state.half)
        self.same = [strategies[seat ^ half].ending == "same" for seat in range(2)]

    # Playing it

    def run(self):
        """Replay to the end; the twin's result."""
        while self.deal.result is None:
            kinds = {option[0] for option in self.deal.options()}
            if self.deal._phase == "last":
                self._last(kinds)
            elif kinds & {"take", "stock", "pass"}:
                self._draw(kinds)
            else:
                self._turn()
        assert self.asked == len(self.played.questions)
        self._same_result(self.deal.result)
        return self.deal.result

    def _ask(self, slot, legal, **fields):
        """The engine's next question must be this one; its answer."""
        assert self.asked < len(self.played.questions), (slot, "was not asked")
        question = self.played.questions[self.asked]
        self.asked += 1
        seat = self.deal.to_move
        assert (question.seat, question.slot) == (seat, slot), self.asked
        want = {**self._view(seat), "legal": legal, **fields}
        got = {name: int(question.view[name]) for name, _ in FIELDS if name != "noise"}
        assert got == want, (slot, {name: (got[name], want[name]) for name in want if got[name] != want[name]})
        self._same_history(question.view, seat)
        if slot == "show":
            same_meldings(question.view.meldings.tolist(), self.deal.meldings[:MOST_SHOWN])
        return question.answer

    def _draw(self, kinds):
        """Upcard or ordinary draw: asked unless only the stock is left."""
        answers = {0: "stock", 1: "take", 2: "pass"} if "stock" in kinds else {0: "pass", 1: "take"}
        choices = {answer: kind for answer, kind in answers.items() if kind in kinds}
        seat = self.deal.to_move
        action = "stock"
        if len(choices) > 1:
            action = choices[self._ask("take", sum(1 << answer for answer in choices), taken_offer=number(self.deal.pile[-1]))]
        if action != "take" and "take" in kinds:
            self.seats[seat].shed |= self._top()  # declined
        if action == "take":
            self._taken_by(seat)
        self.deal.act((action,))
        if self.deal._phase in ("discard", "draw") or action != "pass":
            self.phase = TURN

    def _taken_by(self, seat):
        self.seats[seat].known |= self._top()
        if len(self.deal.pile) == 1 and self.deal.pile[0] == self.deal.upcard and not self.history:
            self.upcard_to = int(seat == self.deal.dealer)

    def _turn(self):
        """Eleven cards: the proposal first, or the discard first, as the strategy's `ending` says."""
        seat = self.deal.to_move
        endings = self.deal._endings()
        throws = {option[1] for option in self.deal.options() if option[0] == "throw"}
        first = self._proposal(endings, seat)
        if first is not None and (not self.same[seat] or first.how == "big_gin") and self._ends(first):
            return
        card = hands.names(1 << self._ask("discard", hands.mask(throws)))[0]
        if self.same[seat]:
            own = [ending for ending in endings if ending.card == card]
            second = self._proposal(own, seat)
            if second is not None and self._ends(second):
                return
        self._close(seat, card)
        self.deal.act(("throw", card))
        self.seats[seat].count = self._count(seat)

    def _last(self, kinds):
        """The 50th-card rule: asked as a knock, with ten cards in hand, if the last discard allows an ending."""
        seat = self.deal.to_move
        self.phase = LAST
        if "take" not in kinds:
            self.deal.act(("pass",))
            return
        card = self.deal.pile[-1]
        conditions = self.deal._conditions(taken=card, drawn=None)
        endings = twin.legal_endings([*self.deal.hands[seat], card], self.row, self.deal.limit, **conditions)
        best = self._proposal(endings, seat)
        if not self._asked_to_end(best, taken_offer=number(card)):
            self.deal.act(("pass",))
            return
        self._taken_by(seat)
        self.deal.act(("take",))
        self._end(best)

    def _ends(self, ending):
        """Ask about a proposal and carry it out if the answer is yes."""
        if not self._asked_to_end(ending):
            return False
        self._end(ending)
        return True

    def _asked_to_end(self, ending, **fields):
        return self._ask("knock", 0b11, **proposed(ending), **fields) == 1

    def _end(self, ending):
        """End the deal; where there is a choice of meldings, show the one answered."""
        seat = self.deal.to_move
        self.deal.act(("end", ending.card, ending.how))
        if self.deal.result is None:
            rows = self.deal.meldings[:MOST_SHOWN]
            kept = [card for card in self.deal.hands[seat] if card != ending.card]
            thrown = [*self.deal.pile, *([] if ending.card is None else [ending.card])]  # the discard lies on the pile by now
            cards = {"hand": hands.mask(kept), "pile": hands.mask(thrown)}
            answer = self._ask("show", signed((1 << len(rows)) - 1), **cards, **proposed(ending))
            self.deal.act(("show", tuple(twin.texts(rows[answer]))))
        self._close(seat, ending.card)

    def _proposal(self, endings, seat):
        """Big gin, else a shot, else least deadwood; ties to the dearest discard, then the lowest card number (DESIGN.md 4)."""
        worth = twin.card_values(self.row)

        def preference(ending):
            return -ENDINGS[ending.how], ending.count, -worth.get(ending.card, 0), number(ending.card)

        return min(endings, key=preference, default=None)

    def _close(self, seat, card):
        """Book a turn that ends with a discard (None: big gin)."""
        deal = self.deal
        source = PILE if deal._taken else STOCK if deal._drawn else DEALT
        self.history.append((seat, source, number(deal._taken or deal._drawn), number(card)))
        self.seats[seat].turns += 1
        if card is not None:
            self.seats[seat].known &= ~hands.mask([card])
            self.seats[seat].shed |= hands.mask([card])

    # What both must have

    def _view(self, seat):
        """What a view must say (DESIGN.md 4, RULES.md 9.2), but for the question itself."""
        deal, other, row = self.deal, self.seats[1 - seat], self.row
        hand, pile = hands.mask(deal.hands[seat]), hands.mask(deal.pile)
        own = self.seats[seat]
        return {
            "hand": hand,
            "count": own.count,
            "upcard": self.first_card,
            "pile": pile,
            "known": other.known,
            "shed": other.shed,
            "unseen": hands.PACK & ~(hand | pile | other.known),
            "stock": len(deal.stock),
            "deck_left": -1,
            "turn": len(self.history) + 1,
            "own_turn": own.turns + 1,
            "turns": len(self.history),
            "dealer": deal.dealer,
            "seat": seat,
            "limit": deal.limit,
            "multiplier": deal.multiplier,
            "own_points": self.match.points[seat],
            "other_points": self.match.points[1 - seat],
            "own_deals": self.match.won[seat],
            "other_deals": self.match.won[1 - seat],
            "own_games": 0,
            "other_games": 0,
            "own_opened": 0,
            "other_opened": 0,
            "closed": 0,
            "deal": self.match.deals,
            "goal": GOALS.index(row["goal"]),
            "target": row["points_target"],
            "stake": 1,
            "owner": -1,
            "offered": 0,
            "taken": number(deal._taken),
            "taken_offer": -1,
            "drawn": number(deal._drawn),
            "ending": 0,
            "ending_card": -1,
            "ending_count": -1,
            "phase": self.phase,
        }

    def _same_history(self, view, seat):
        """The turns so far, the other seat's stock cards hidden, and nothing behind them."""
        n = len(self.history)
        seen = [(s, source, -1 if s != seat and source != PILE else card, thrown) for s, source, card, thrown in self.history]
        assert [tuple(line) for line in view.history[:n].tolist()] == seen
        assert not view.history[n:].any()

    def _same_result(self, want):
        state = self.played.state
        assert self.played.kind == want.kind
        seats = [-1 if seat is None else seat for seat in (want.stopper, want.winner)]
        assert [int(state.stopper), int(state.winner)] == seats
        assert state.score.tolist() == want.points
        assert (int(state.turns), int(state.stock)) == (want.turns, want.stock_left)
        assert (state.draws.tolist(), state.takes.tolist()) == (want.draws, want.takes)
        assert (int(state.upcard), int(state.limit), int(state.multiplier)) == (number(want.upcard), want.limit, want.multiplier)
        assert int(state.upcard_to) == self.upcard_to
        assert self.played.turns == self.history
        for seat in range(2):
            assert int(state.hand[seat]) == hands.mask(self.deal.hands[seat])
        if want.stopper is not None:
            counts = [int(state.stopper_count), int(state.other_count), int(state.defender_before)]
            assert counts == [want.stopper_count, want.other_count, want.other_before]
            assert sorted(int(meld) for meld in state.melds if meld) == sorted(hands.mask(meld) for meld in want.melds)
            assert (int(state.laid_off) > 0) <= any(want.laid_off) and int(state.laid_off) <= sum(map(len, want.laid_off))

    def _count(self, seat):
        return twin.deadwood(self.deal.hands[seat], self.row)

    def _top(self):
        return hands.mask([self.deal.pile[-1]])


def number(card):
    """A card of the twin's as 0..51, or -1 for none."""
    return -1 if card is None else hands.mask([card]).bit_length() - 1


def proposed(ending):
    """What a view says of an ending of the twin's."""
    return {"ending": ENDINGS[ending.how], "ending_card": number(ending.card), "ending_count": ending.count}


def signed(bits):
    """A mask of 64 bits as the int64 it is kept in."""
    return bits - (1 << 64) if bits >> 63 else bits


def same_meldings(got, want):
    """The rows of a view must be the twin's meldings in their order, three masks to a row, and nothing behind them."""
    rows = [sorted(hands.mask(meld) for meld in melding) for melding in want]
    assert [sorted(mask for mask in row if mask) for row in got[: len(rows)]] == rows
    assert not any(map(any, got[len(rows) :]))


def replayed(played, row, match=None):
    """The twin's result of a deal that the engine played, after comparing every step."""
    assert not played.fault
    return Replay(played, row, match or Match()).run()

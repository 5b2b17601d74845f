"""Replay of a deal with the reference implementation: every view, decision and the result.

The reference implements the rules. This module adds the contract of
docs/how-to/writing-a-strategy.md: the decisions, their order, and the contents of views.
"""

from dataclasses import dataclass, field
from typing import Any

from oracles import reference
from simgin.core.view import VIEW_FIELDS
from support import hands

UPCARD, TURN, LAST, STOP, BLIND = 0, 1, 2, 3, 4  # view.phase
STOCK, PILE, DEALT = 0, 1, 2  # source in the history
MAX_MELDINGS = 64  # rows of view.meldings
ENDINGS = {"knock": 1, "gin": 1, "shot": 2, "big_gin": 3}
GOALS = ("single", "points", "columns", "games", "race", "twofold", "deals", "total")
COMPARED = [name for name, _ in VIEW_FIELDS if name != "noise"]
TALLIED = ("race", "twofold", "deals")  # goals in which a won deal can count more than once


def replay_deal(played, match=None):
    """Return the reference's result of a traced deal, after comparing every step."""
    assert not played.error
    match = match or match_before(played)
    return (ForOne if match.params["players"] == 1 else ForTwo)(played, match).run()


def match_before(played, **changes):
    """Return the reference's match that begins with this deal, with changed rules."""
    row = {**played.matchup.variant.params, **changes}
    return reference.Match(row, None if row["players"] == 1 else int(played.state.dealer))


class Deal(reference.Deal):
    """A reference deal with cached endings."""

    _at: Any = None
    _found: Any = None

    def _list_endings(self):
        now = (self.turns, self._active_seat, self._taken_card, self._drawn_card)
        if self._at != now:
            self._at, self._found = now, super()._list_endings()
        return self._found


@dataclass
class Seat:
    """Return the public information about a seat, and its number of turns."""

    known: int = 0
    shed: int = 0
    deadwood: int = 0
    turns: int = 0


@dataclass
class Replay:
    played: Any
    match: reference.Match
    asked: int = 0
    history: list[tuple[int, int, int, int]] = field(default_factory=list)
    seats: tuple[Seat, Seat] = field(default_factory=lambda: (Seat(), Seat()))

    def __post_init__(self):
        self.params, self.state = self.match.params, self.played.state
        self.deal = self._dealt(hands.names_in_order(self.state.pack[:52]))

    def run(self):
        """Replay the deal to its end and return the reference's result."""
        while self.deal.result is None:
            self._step({option[0] for option in self.deal.legal_actions()})
        assert self.asked == len(self.played.decisions)
        self._same_result(self.deal.result)
        return self.deal.result

    def _ask(self, slot, legal, **fields):
        """Check that this is the engine's next decision and return it."""
        assert self.asked < len(self.played.decisions), (slot, "was not asked")
        question = self.played.decisions[self.asked]
        self.asked += 1
        seat = self.deal.seat_to_move
        assert (question.seat, question.slot) == (seat, slot), self.asked
        want = {**self._view(seat), **self._best(slot, seat), "legal": legal, **fields}
        got = dict(zip(COMPARED, question.view[COMPARED].item(), strict=True))
        assert got.keys() == want.keys()
        different = {name: (got[name], want[name]) for name in got if got[name] != want[name]}
        assert not different, (slot, different)
        self._same_history(question.view, seat)
        check_columns(question.view, self.match.goal, seat)
        return question

    def _view(self, seat):
        """Return the expected view (rules.md 9.2) without the decision itself."""
        return {
            "turn": len(self.history) + 1,
            "own_turn": self.seats[seat].turns + 1,
            "turns": len(self.history),
            "seat": seat,
            "count": self.seats[seat].deadwood,
            "taken_offer": -1,
            "ending": 0,
            "ending_card": -1,
            "ending_count": -1,
            "offered": 0,
            **score_fields(self.match, seat),
        }

    def _best(self, slot, seat):
        """Return the least deadwood after a discard and the discards that leave it."""
        held = self.deal.hands[seat]
        if slot not in ("discard", "knock") or len(held) < 11:
            return {"least": -1, "best": 0}
        throws = [option[1] for option in self.deal.legal_actions() if option[0] == "throw"]
        left = {card: reference.compute_deadwood({*held} - {card}, self.params) for card in throws}
        least = min(left.values())
        return {"least": least, "best": hands.mask(card for card in left if left[card] == least)}

    def _same_history(self, view, seat):
        """Check the turns so far, with the other seat's stock cards hidden."""
        n = len(self.history)
        seen = [
            (s, source, -1 if s != seat and source != PILE else card, thrown)
            for s, source, card, thrown in self.history
        ]
        assert [tuple(line) for line in view.history[:n].tolist()] == seen
        assert not view.history[n:].any()

    def _same_result(self, want):
        state = self.state
        assert self.played.kind == want.kind
        seats = [-1 if seat is None else seat for seat in (want.knocker, want.winner)]
        assert [int(state.knocker), int(state.winner)] == seats
        assert state.score.tolist() == want.points
        assert int(state.turns) == want.turns
        assert (state.draws.tolist(), state.takes.tolist()) == (want.draws, want.takes)
        assert self.played.turns == self.history
        if want.knocker is not None:
            counts = [
                int(state.knocker_deadwood),
                int(state.defender_deadwood),
                int(state.defender_before),
            ]
            assert counts == [
                want.knocker_deadwood,
                want.defender_deadwood or 0,
                want.deadwood_before_layoff or 0,
            ]
            shown = sorted(int(meld) for meld in state.melds if meld)
            assert shown == sorted(map(hands.mask, want.melds))
            laid_off = sum(map(len, want.laid_off))  # The engine lays off as few cards as possible.
            assert int(state.laid_off) <= laid_off

    def _count(self, seat):
        return reference.compute_deadwood(self.deal.hands[seat], self.params)

    def _close(self, seat, source, drawn, thrown):
        """Record a turn; big gin has no discard."""
        self.history.append((seat, source, card_number(drawn), card_number(thrown)))
        self.seats[seat].turns += 1


class ForTwo(Replay):
    """A two-player deal, with the die."""

    def _dealt(self, pack):
        match, state = self.match, self.state
        assert int(state.dealer) == match.dealer
        deal = Deal(self.params, pack, match.dealer, tuple(match.points), match.get_next_die())
        self.phase = UPCARD if self.params["first_turn"].startswith("upcard") else TURN
        self.first_card = card_number(deal.upcard)
        self.upcard_to = -1 if deal.upcard is None else 2
        for seat in range(2):
            self.seats[seat].deadwood = reference.compute_deadwood(deal.hands[seat], self.params)
        strategies = self.played.matchup.a, self.played.matchup.b
        self.same = [strategies[seat ^ int(state.half)].ending == "same" for seat in range(2)]
        return deal

    # Playing it

    def _step(self, kinds):
        if "no offer" in kinds:
            self._offer()
        elif "accept" in kinds:
            accepted = self._ask("answer", 0b11, offered=self.deal.die.pending_offer[1]).action
            self.deal.apply_action(("accept" if accepted else "refuse",))
        elif self.deal._phase == "last":
            self._last(kinds)
        elif kinds & {"take", "stock", "pass"}:
            self._draw(kinds)
        else:
            self._turn()

    def _offer(self):
        numbers = {option[1] for option in self.deal.legal_actions() if option[0] == "offer"}
        offered = self._ask("offer", sum(1 << n for n in {0, *numbers})).action
        self.deal.apply_action(("offer", offered) if offered else ("no offer",))

    def _draw(self, kinds):
        """Choose upcard or stock; there is no decision if only the stock is left."""
        answers = {0: "stock", 1: "take", 2: "pass"} if "stock" in kinds else {0: "pass", 1: "take"}
        choices = {answer: kind for answer, kind in answers.items() if kind in kinds}
        seat = self.deal.seat_to_move
        action = "stock"
        if len(choices) > 1:
            legal, offered = sum(1 << answer for answer in choices), card_number(self.deal.pile[-1])
            action = choices[self._ask("take", legal, taken_offer=offered).action]
        if action != "take" and "take" in kinds:
            self.seats[seat].shed |= self._top()  # declined
        if action == "take":
            self._taken_by(seat)
        self.deal.apply_action((action,))
        if self.deal._phase in ("discard", "draw") or action != "pass":
            self.phase = TURN

    def _taken_by(self, seat):
        self.seats[seat].known |= self._top()
        if len(self.deal.pile) == 1 and self.deal.pile[0] == self.deal.upcard and not self.history:
            self.upcard_to = int(seat == self.deal.dealer)

    def _turn(self):
        """Decide with eleven cards: ending or discard first, as the strategy's `ending` states."""
        seat = self.deal.seat_to_move
        endings = self.deal._list_endings()
        throws = {option[1] for option in self.deal.legal_actions() if option[0] == "throw"}
        first = self._proposal(endings, seat)
        at_once = first is not None and (not self.same[seat] or first.kind == "big_gin")
        if at_once and self._ends(first):
            return
        card = hands.names(1 << self._ask("discard", hands.mask(throws)).action)[0]
        if self.same[seat]:
            second = self._proposal([ending for ending in endings if ending.discard == card], seat)
            if second is not None and self._ends(second):
                return
        self._thrown(seat, card)
        self.deal.apply_action(("throw", card))
        self.seats[seat].deadwood = self._count(seat)

    def _last(self, kinds):
        """Apply the 50th-card rule: offer a knock if the last discard ends the deal."""
        seat = self.deal.seat_to_move
        self.phase = LAST
        if "take" not in kinds:
            self.deal.apply_action(("pass",))
            return
        card = self.deal.pile[-1]
        conditions = self.deal._get_ending_conditions(taken=card, drawn=None)
        eleven = [*self.deal.hands[seat], card]
        endings = reference.list_legal_endings(eleven, self.params, self.deal.limit, **conditions)
        best = self._proposal(endings, seat)
        if not self._asked_to_end(best, taken_offer=card_number(card)):
            self.deal.apply_action(("pass",))
            return
        self._taken_by(seat)
        self.deal.apply_action(("take",))
        self._end(best)

    def _ends(self, ending):
        """Offer an ending and apply it if the player accepts."""
        if not self._asked_to_end(ending):
            return False
        self._end(ending)
        return True

    def _asked_to_end(self, ending, **fields):
        return self._ask("knock", 0b11, **ending_fields(ending), **fields).action == 1

    def _end(self, ending):
        """End the deal, and show the chosen melding if there is a choice."""
        seat = self.deal.seat_to_move
        self.deal.apply_action(("end", ending.discard, ending.kind))
        if self.deal.result is None:
            rows = self.deal.meldings_to_show[:MAX_MELDINGS]
            thrown = {ending.discard} - {None}  # The discard is now on the pile.
            kept, pile = {*self.deal.hands[seat]} - thrown, thrown.union(self.deal.pile)
            cards = {"hand": hands.mask(kept), "pile": hands.mask(pile)}
            question = self._ask(
                "show", to_int64((1 << len(rows)) - 1), **cards, **ending_fields(ending)
            )
            check_meldings(question.view.meldings.tolist(), rows)
            self.deal.apply_action(("show", tuple(reference.format_melds(rows[question.action]))))
        self._thrown(seat, ending.discard)

    def _proposal(self, endings, seat):
        """Return big gin, a shot, or the ending with least deadwood; ties: highest value first."""
        worth = reference.get_card_values(self.params)

        def preference(ending):
            dearness = -worth.get(ending.discard, 0), card_number(ending.discard)
            return -ENDINGS[ending.kind], ending.deadwood, *dearness

        return min(endings, key=preference, default=None)

    def _thrown(self, seat, card):
        deal = self.deal
        source = PILE if deal._taken_card else STOCK if deal._drawn_card else DEALT
        self._close(seat, source, deal._taken_card or deal._drawn_card, card)
        if card is not None:
            self.seats[seat].known &= ~hands.mask([card])
            self.seats[seat].shed |= hands.mask([card])

    # State that both engines must share

    def _view(self, seat):
        deal, other = self.deal, self.seats[1 - seat]
        hand, pile = hands.mask(deal.hands[seat]), hands.mask(deal.pile)
        seen = {
            "hand": hand,
            "upcard": self.first_card,
            "pile": pile,
            "known": other.known,
            "shed": other.shed,
            "unseen": hands.PACK & ~(hand | pile | other.known),
            "stock": len(deal.stock),
            "deck_left": -1,
            "dealer": deal.dealer,
            "limit": deal.limit,
            "multiplier": deal.multiplier,
            "stake": deal.die.stake,
            "owner": -1 if deal.die.owner is None else deal.die.owner,
            "taken": card_number(deal._taken_card),
            "drawn": card_number(deal._drawn_card),
            "phase": self.phase,
        }
        return {**super()._view(seat), **seen, **({} if deal._cards_seen else self._nothing_seen())}

    def _nothing_seen(self):
        """Return the fields of a view that differ before the cards are seen (rules.md 8.1)."""
        limit = -1 if self.params["knock_by_upcard"] else self.params["knock_limit"]
        cards = {"hand": 0, "count": 0, "upcard": -1, "pile": 0, "unseen": hands.PACK}
        return {**cards, "limit": limit, "multiplier": 1, "phase": BLIND}

    def _same_result(self, want):
        super()._same_result(want)
        state, die = self.state, self.deal.die
        assert int(state.stock) == want.stock_left
        owner = -1 if want.owner is None else want.owner
        assert (int(state.stake), int(state.owner)) == (die.stake, owner)
        if want.kind == "refused":
            assert int(state.pays) == want.stake
        if not self.deal._cards_seen:  # The offer was refused before the deal.
            assert (int(state.upcard), int(state.upcard_to)) == (-1, -1)
            return
        got = int(state.upcard), int(state.limit), int(state.multiplier)
        assert got == (card_number(want.upcard), want.limit, want.multiplier)
        assert int(state.upcard_to) == self.upcard_to
        for seat in range(2):
            assert int(state.hand[seat]) == hands.mask(self.deal.hands[seat])

    def _top(self):
        return hands.mask([self.deal.pile[-1]])


class ForOne(Replay):
    """A solitaire deal: the player is at seat 0, and the joker is the dealer at seat 1."""

    def _dealt(self, pack):
        place = int(self.state.joker)  # position among the 53 cards in dealing order
        rest = place - (11 if self.params["first_turn"] == "discard_first" else 10)
        places = {"none": None, "before_deal": place, "after_deal": rest}
        deal = reference.SoloDeal(self.params, pack, places[self.params["joker"]])
        assert (place == -1) == (self.params["joker"] == "none")
        self.seats[0].deadwood = reference.compute_deadwood(
            set(deal.hands[0]) - {reference.JOKER}, self.params
        )
        return deal

    # Playing it

    def _step(self, kinds):
        if "throw" in kinds:
            self._turn(kinds)
        elif "end" in kinds and self._asked_to_end("knock", self.seats[0].deadwood, phase=STOP):
            how = next(option[2] for option in self.deal.legal_actions() if option[0] == "end")
            self.deal.apply_action(("end", None, how))
        else:
            self.deal.apply_action(("stock",))

    def _turn(self, kinds):
        """Decide with eleven cards: big gin, gin with a discard, or a discard."""
        if "end" in kinds and self._asked_to_end("big_gin", 0):
            self._closed(None)
            self.deal.apply_action(("end", None, "big_gin"))
            return
        throws = {option[1] for option in self.deal.legal_actions() if option[0] == "throw"}
        card = self._gin_discard(throws)
        if card is not None and self._asked_to_end("gin", 0, ending_card=card_number(card)):
            self._closed(card)
            self.deal.apply_action(("throw", card))
            if self.deal.result is None:  # with penalties, gin always ends the deal
                self.deal.apply_action(("end", None, "gin"))
            return
        card = hands.names(1 << self._ask("discard", hands.mask(throws)).action)[0]
        self._closed(card)
        self.deal.apply_action(("throw", card))
        self.seats[0].deadwood = self._count(0)

    def _gin_discard(self, throws):
        """Return the highest discard that leaves gin, the first if several are equal, or None."""
        if not self.deal.draws and not self.params["stop_before_draw"]:
            return None
        worth = reference.get_card_values(self.params)
        held = self.deal.hands[0]
        gins = [
            card
            for card in throws
            if reference.compute_deadwood({*held} - {card}, self.params) == 0
        ]
        return min(gins, key=lambda card: (-worth[card], card_number(card)), default=None)

    def _asked_to_end(self, how, count, **fields):
        question = self._ask("knock", 0b11, ending=ENDINGS[how], ending_count=count, **fields)
        return question.action == 1

    def _closed(self, card):
        self._close(0, STOCK if self.deal._drawn_card else DEALT, self.deal._drawn_card, card)

    # State that both engines must share

    def _view(self, seat):
        deal = self.deal
        hand, pile = hands.mask(deal.hands[0]), hands.mask(deal.discards)
        left = 52 - len({*deal.hands[0], *deal.discards}) + (self.params["joker"] != "none")
        seen = {
            "hand": hand,
            "upcard": -1,
            "pile": pile,
            "known": 0,
            "shed": 0,
            "unseen": hands.PACK & ~(hand | pile),
            "stock": left,
            "deck_left": left,
            "dealer": 1,
            "limit": self.params["knock_limit"],
            "multiplier": 1,
            "stake": 1,
            "owner": -1,
            "taken": -1,
            "drawn": card_number(deal._drawn_card) if len(deal.hands[0]) == 11 else -1,
            "phase": TURN,
        }
        return {**super()._view(seat), **seen}

    def _same_result(self, want):
        super()._same_result(want)
        state = self.state
        assert (int(state.stock), int(state.limit)) == (want.stock_left, want.limit)
        assert (int(state.upcard), int(state.upcard_to), int(state.multiplier)) == (-1, -1, 1)
        assert int(state.hand[0]) == hands.mask(self.deal.hands[0])
        if want.knocker_deadwood is not None:
            assert int(state.knocker_deadwood) == want.knocker_deadwood


def score_fields(match, seat):
    """Return the expected score fields of a view before the deal (rules.md 7)."""
    goal, row, other = match.goal, match.params, 1 - seat
    deals = goal.deal_tally if row["goal"] in TALLIED else goal.deals_won
    games, opened = getattr(goal, "games", [0, 0]), getattr(goal, "opened", [0, 0])
    closed = [winner is not None for winner in getattr(goal, "closed_by", [])]
    return {
        "own_points": goal.points[seat],
        "other_points": goal.points[other],
        "own_deals": deals[seat],
        "other_deals": deals[other],
        "own_games": games[seat],
        "other_games": games[other],
        "own_opened": opened[seat],
        "other_opened": opened[other],
        "closed": sum(1 << column for column, over in enumerate(closed) if over),
        "deal": match.n_deals,
        "goal": GOALS.index(row["goal"]),
        "target": -1
        if row[target_parameter(row, seat)] is None
        else row[target_parameter(row, seat)],
    }


def target_parameter(row, seat):
    """Return the parameter with the target of a seat."""
    if row["goal"] == "race":
        return "points_target" if seat == row["race_points_seat"] else "deals_target"
    targets = {"deals": "deals_target", "games": "games_target", "total": "total_goal"}
    return targets.get(row["goal"], "points_target")


def check_columns(view, goal, seat):
    columns = getattr(goal, "columns", [])
    for name, side in (("own_columns", seat), ("other_columns", 1 - seat)):
        want = [column[side] for column in columns]
        assert view[name].tolist() == want + [0] * (len(view[name]) - len(want)), name


def card_number(card):
    """Return a card of the reference as 0..51, or -1 for None."""
    return -1 if card is None else hands.mask([card]).bit_length() - 1


def ending_fields(ending):
    """Return the fields of a view for an ending of the reference."""
    return {
        "ending": ENDINGS[ending.kind],
        "ending_card": card_number(ending.discard),
        "ending_count": ending.deadwood,
    }


def to_int64(bits):
    """Return a mask of 64 bits as int64."""
    return bits - (1 << 64) if bits >> 63 else bits


def check_meldings(got, want):
    """Check that a view has exactly the reference's meldings in order, three masks per row."""
    rows = [sorted(hands.mask(meld) for meld in melding) for melding in want]
    assert [sorted(mask for mask in row if mask) for row in got[: len(rows)]] == rows
    assert not any(map(any, got[len(rows) :]))

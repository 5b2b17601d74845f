"""Replay a deal with the reference implementation, and compare views, decisions and result.

The reference implements the rules. This module adds the contract of
docs/how-to/writing-a-strategy.md: the decisions, their order, and the contents of views.
"""

from dataclasses import dataclass, field
from typing import Any

from oracles import reference
from simgin.core.view import VIEW_FIELDS
from support import hands

PHASE_UPCARD, PHASE_TURN, PHASE_LAST, PHASE_STOP, PHASE_BLIND = 0, 1, 2, 3, 4  # view.phase
FROM_STOCK, FROM_PILE, FROM_DEAL = 0, 1, 2  # source in the history
MAX_VIEW_MELDINGS = 64  # rows of view.meldings
ENDING_CODES = {"knock": 1, "gin": 1, "shot": 2, "big_gin": 3}
GOAL_NAMES = ("single", "points", "columns", "games", "race", "twofold", "deals", "total")
COMPARED_VIEW_FIELDS = [name for name, _ in VIEW_FIELDS if name != "noise"]
WEIGHTED_DEAL_GOALS = (
    "race",
    "twofold",
    "deals",
)  # goals in which a won deal can count more than once


def replay_deal(traced_deal, match=None):
    """Replay a traced deal with the reference, compare every step, and return the result."""
    assert not traced_deal.error
    match = match or start_match(traced_deal)
    return (SoloReplay if match.params["players"] == 1 else TwoPlayerReplay)(
        traced_deal, match
    ).run()


def start_match(traced_deal, **changed_params):
    """Return the match of the reference that begins with this deal."""
    row = {**traced_deal.matchup.variant.params, **changed_params}
    return reference.Match(row, None if row["players"] == 1 else int(traced_deal.state.dealer))


class CachedDeal(reference.Deal):
    """Deal of the reference implementation with cached endings."""

    _cache_key: Any = None
    _cached_endings: Any = None

    def _list_endings(self):
        now = (self.turns, self._active_seat, self._taken_card, self._drawn_card)
        if self._cache_key != now:
            self._cache_key, self._cached_endings = now, super()._list_endings()
        return self._cached_endings


@dataclass
class SeatRecord:
    """Public information about a seat, and its number of turns."""

    known_cards: int = 0
    shed_cards: int = 0
    deadwood: int = 0
    turns: int = 0


@dataclass
class Replay:
    """Replay of a deal. Subclasses define the order of the decisions."""

    traced_deal: Any
    match: reference.Match
    n_decisions: int = 0
    history: list[tuple[int, int, int, int]] = field(default_factory=list)
    seat_records: tuple[SeatRecord, SeatRecord] = field(
        default_factory=lambda: (SeatRecord(), SeatRecord())
    )

    def __post_init__(self):
        self.params, self.state = self.match.params, self.traced_deal.state
        self.deal = self._start_deal(hands.format_cards(self.state.pack[:52]))

    def run(self):
        """Replay the deal to its end and return the reference's result."""
        while self.deal.result is None:
            self._play_step({option[0] for option in self.deal.legal_actions()})
        assert self.n_decisions == len(self.traced_deal.decisions)
        self._check_result(self.deal.result)
        return self.deal.result

    def _check_decision(self, slot, legal, **expected_fields):
        """Compare the next decision of the engine with the expectation, and return it."""
        assert self.n_decisions < len(self.traced_deal.decisions), (slot, "was not asked")
        decision = self.traced_deal.decisions[self.n_decisions]
        self.n_decisions += 1
        seat = self.deal.seat_to_move
        assert (decision.seat, decision.slot) == (seat, slot), self.n_decisions
        expected = {
            **self._make_expected_view(seat),
            **self._find_best_discards(slot, seat),
            "legal": legal,
            **expected_fields,
        }
        got = dict(
            zip(COMPARED_VIEW_FIELDS, decision.view[COMPARED_VIEW_FIELDS].item(), strict=True)
        )
        assert got.keys() == expected.keys()
        different = {
            name: (got[name], expected[name]) for name in got if got[name] != expected[name]
        }
        assert not different, (slot, different)
        self._check_history(decision.view, seat)
        check_columns(decision.view, self.match.goal, seat)
        return decision

    def _make_expected_view(self, seat):
        """Return the expected view (rules.md 9.2) without the decision itself."""
        return {
            "turn": len(self.history) + 1,
            "own_turn": self.seat_records[seat].turns + 1,
            "turns": len(self.history),
            "seat": seat,
            "count": self.seat_records[seat].deadwood,
            "taken_offer": -1,
            "ending": 0,
            "ending_card": -1,
            "ending_count": -1,
            "offered": 0,
            **make_score_fields(self.match, seat),
        }

    def _find_best_discards(self, slot, seat):
        """Return the least deadwood after a discard, and the mask of the best discards."""
        held = self.deal.hands[seat]
        if slot not in ("discard", "knock") or len(held) < 11:
            return {"least": -1, "best": 0}
        throws = [option[1] for option in self.deal.legal_actions() if option[0] == "throw"]
        left = {card: reference.compute_deadwood({*held} - {card}, self.params) for card in throws}
        least = min(left.values())
        return {"least": least, "best": hands.to_mask(card for card in left if left[card] == least)}

    def _check_history(self, view, seat):
        """Check the turns in a view, which hides the cards that the opponent drew."""
        n = len(self.history)
        seen = [
            (s, source, -1 if s != seat and source != FROM_PILE else card, thrown)
            for s, source, card, thrown in self.history
        ]
        assert [tuple(line) for line in view.history[:n].tolist()] == seen
        assert not view.history[n:].any()

    def _check_result(self, expected):
        state = self.state
        assert self.traced_deal.ending == expected.outcome
        seats = [-1 if seat is None else seat for seat in (expected.knocker, expected.winner)]
        assert [int(state.knocker), int(state.winner)] == seats
        assert state.score.tolist() == expected.points
        assert int(state.turns) == expected.turns
        assert (state.draws.tolist(), state.takes.tolist()) == (expected.draws, expected.takes)
        assert self.traced_deal.turns == self.history
        if expected.knocker is not None:
            counts = [
                int(state.knocker_deadwood),
                int(state.defender_deadwood),
                int(state.defender_before),
            ]
            assert counts == [
                expected.knocker_deadwood,
                expected.defender_deadwood or 0,
                expected.deadwood_before_layoff or 0,
            ]
            shown = sorted(int(meld) for meld in state.melds if meld)
            assert shown == sorted(map(hands.to_mask, expected.knocker_melds))
            laid_off = sum(
                map(len, expected.laid_off)
            )  # The engine lays off as few cards as possible.
            assert int(state.laid_off) <= laid_off

    def _compute_deadwood(self, seat):
        return reference.compute_deadwood(self.deal.hands[seat], self.params)

    def _record_turn(self, seat, source, drawn_card, discard):
        """Add a turn to the history. Big gin has no discard."""
        self.history.append((seat, source, to_card_number(drawn_card), to_card_number(discard)))
        self.seat_records[seat].turns += 1


class TwoPlayerReplay(Replay):
    """Replay of a two-player deal with the die."""

    def _start_deal(self, pack):
        match, state = self.match, self.state
        assert int(state.dealer) == match.dealer
        deal = CachedDeal(
            self.params, pack, match.dealer, tuple(match.points), match.get_next_die()
        )
        self.phase = PHASE_UPCARD if self.params["first_turn"].startswith("upcard") else PHASE_TURN
        self.first_card = to_card_number(deal.upcard)
        self.upcard_to = -1 if deal.upcard is None else 2
        for seat in range(2):
            self.seat_records[seat].deadwood = reference.compute_deadwood(
                deal.hands[seat], self.params
            )
        strategies = self.traced_deal.matchup.a, self.traced_deal.matchup.b
        self.same = [strategies[seat ^ int(state.half)].ending == "same" for seat in range(2)]
        return deal

    # Playing it

    def _play_step(self, action_kinds):
        if "no offer" in action_kinds:
            self._play_offer()
        elif "accept" in action_kinds:
            accepted = self._check_decision(
                "answer", 0b11, offered=self.deal.die.pending_offer[1]
            ).action
            self.deal.apply_action(("accept" if accepted else "refuse",))
        elif self.deal._phase == "last":
            self._offer_last_discard(action_kinds)
        elif action_kinds & {"take", "stock", "pass"}:
            self._play_draw(action_kinds)
        else:
            self._play_turn()

    def _play_offer(self):
        numbers = {option[1] for option in self.deal.legal_actions() if option[0] == "offer"}
        offered = self._check_decision("offer", sum(1 << n for n in {0, *numbers})).action
        self.deal.apply_action(("offer", offered) if offered else ("no offer",))

    def _play_draw(self, action_kinds):
        """Replay the choice between upcard and stock, unless only the stock is legal."""
        answers = (
            {0: "stock", 1: "take", 2: "pass"}
            if "stock" in action_kinds
            else {0: "pass", 1: "take"}
        )
        choices = {answer: kind for answer, kind in answers.items() if kind in action_kinds}
        seat = self.deal.seat_to_move
        action = "stock"
        if len(choices) > 1:
            legal, offered = (
                sum(1 << answer for answer in choices),
                to_card_number(self.deal.pile[-1]),
            )
            action = choices[self._check_decision("take", legal, taken_offer=offered).action]
        if action != "take" and "take" in action_kinds:
            self.seat_records[seat].shed_cards |= self._get_top_card_mask()  # declined
        if action == "take":
            self._record_take(seat)
        self.deal.apply_action((action,))
        if self.deal._phase in ("discard", "draw") or action != "pass":
            self.phase = PHASE_TURN

    def _record_take(self, seat):
        """Add the taken card to the cards that the opponent knows."""
        self.seat_records[seat].known_cards |= self._get_top_card_mask()
        if len(self.deal.pile) == 1 and self.deal.pile[0] == self.deal.upcard and not self.history:
            self.upcard_to = int(seat == self.deal.dealer)

    def _play_turn(self):
        """Replay the decisions with eleven cards: whether to end the deal, and what to discard."""
        seat = self.deal.seat_to_move
        endings = self.deal._list_endings()
        throws = {option[1] for option in self.deal.legal_actions() if option[0] == "throw"}
        first = self._choose_proposed_ending(endings)
        at_once = first is not None and (not self.same[seat] or first.kind == "big_gin")
        if at_once and self._try_ending(first):
            return
        card = hands.list_card_names(
            1 << self._check_decision("discard", hands.to_mask(throws)).action
        )[0]
        if self.same[seat]:
            second = self._choose_proposed_ending(
                [ending for ending in endings if ending.discard == card]
            )
            if second is not None and self._try_ending(second):
                return
        self._record_discard(seat, card)
        self.deal.apply_action(("throw", card))
        self.seat_records[seat].deadwood = self._compute_deadwood(seat)

    def _offer_last_discard(self, action_kinds):
        """Replay the 50th-card rule: the player may take the last discard to end the deal."""
        seat = self.deal.seat_to_move
        self.phase = PHASE_LAST
        if "take" not in action_kinds:
            self.deal.apply_action(("pass",))
            return
        card = self.deal.pile[-1]
        conditions = self.deal._get_ending_conditions(taken_card=card, drawn_card=None)
        eleven = [*self.deal.hands[seat], card]
        endings = reference.list_legal_endings(
            eleven, self.params, self.deal.knock_limit, **conditions
        )
        best = self._choose_proposed_ending(endings)
        if not self._is_ending_accepted(best, taken_offer=to_card_number(card)):
            self.deal.apply_action(("pass",))
            return
        self._record_take(seat)
        self.deal.apply_action(("take",))
        self._end_deal(best)

    def _try_ending(self, ending):
        """Propose an ending, and apply it if the player accepts."""
        if not self._is_ending_accepted(ending):
            return False
        self._end_deal(ending)
        return True

    def _is_ending_accepted(self, ending, **expected_fields):
        """Check the view of a knock decision, and return True if the player ends the deal."""
        return (
            self._check_decision(
                "knock", 0b11, **make_ending_fields(ending), **expected_fields
            ).action
            == 1
        )

    def _end_deal(self, ending):
        """End the deal, and show the chosen melding if there is a choice."""
        seat = self.deal.seat_to_move
        self.deal.apply_action(("end", ending.discard, ending.kind))
        if self.deal.result is None:
            rows = self.deal.meldings_to_show[:MAX_VIEW_MELDINGS]
            thrown = {ending.discard} - {None}  # The discard is now on the pile.
            kept, pile = {*self.deal.hands[seat]} - thrown, thrown.union(self.deal.pile)
            cards = {"hand": hands.to_mask(kept), "pile": hands.to_mask(pile)}
            decision = self._check_decision(
                "show", to_int64((1 << len(rows)) - 1), **cards, **make_ending_fields(ending)
            )
            check_meldings(decision.view.meldings.tolist(), rows)
            self.deal.apply_action(("show", tuple(reference.format_melds(rows[decision.action]))))
        self._record_discard(seat, ending.discard)

    def _choose_proposed_ending(self, endings):
        """Return the ending that the engine must propose, or None without endings."""
        worth = reference.get_card_values(self.params)

        def sort_key(ending):
            dearness = -worth.get(ending.discard, 0), to_card_number(ending.discard)
            return -ENDING_CODES[ending.kind], ending.deadwood, *dearness

        return min(endings, key=sort_key, default=None)

    def _record_discard(self, seat, card):
        deal = self.deal
        source = FROM_PILE if deal._taken_card else FROM_STOCK if deal._drawn_card else FROM_DEAL
        self._record_turn(seat, source, deal._taken_card or deal._drawn_card, card)
        if card is not None:
            self.seat_records[seat].known_cards &= ~hands.to_mask([card])
            self.seat_records[seat].shed_cards |= hands.to_mask([card])

    # State that both engines must share

    def _make_expected_view(self, seat):
        deal, other = self.deal, self.seat_records[1 - seat]
        hand, pile = hands.to_mask(deal.hands[seat]), hands.to_mask(deal.pile)
        seen = {
            "hand": hand,
            "upcard": self.first_card,
            "pile": pile,
            "known": other.known_cards,
            "shed": other.shed_cards,
            "unseen": hands.ALL_CARDS_MASK & ~(hand | pile | other.known_cards),
            "stock": len(deal.stock),
            "deck_left": -1,
            "dealer": deal.dealer,
            "limit": deal.knock_limit,
            "multiplier": deal.multiplier,
            "stake": deal.die.stake,
            "owner": -1 if deal.die.owner is None else deal.die.owner,
            "taken": to_card_number(deal._taken_card),
            "drawn": to_card_number(deal._drawn_card),
            "phase": self.phase,
        }
        return {
            **super()._make_expected_view(seat),
            **seen,
            **({} if deal._cards_seen else self._make_unseen_fields()),
        }

    def _make_unseen_fields(self):
        """Return the expected fields of a view before the cards are seen (rules.md 8.1)."""
        limit = -1 if self.params["knock_by_upcard"] else self.params["knock_limit"]
        cards = {"hand": 0, "count": 0, "upcard": -1, "pile": 0, "unseen": hands.ALL_CARDS_MASK}
        return {**cards, "limit": limit, "multiplier": 1, "phase": PHASE_BLIND}

    def _check_result(self, expected):
        super()._check_result(expected)
        state, die = self.state, self.deal.die
        assert int(state.stock) == expected.stock_left
        owner = -1 if expected.die_owner is None else expected.die_owner
        assert (int(state.stake), int(state.owner)) == (die.stake, owner)
        if expected.outcome == "refused":
            assert int(state.pays) == expected.stake
        if not self.deal._cards_seen:  # The offer was refused before the deal.
            assert (int(state.upcard), int(state.upcard_to)) == (-1, -1)
            return
        got = int(state.upcard), int(state.limit), int(state.multiplier)
        assert got == (to_card_number(expected.upcard), expected.knock_limit, expected.multiplier)
        assert int(state.upcard_to) == self.upcard_to
        for seat in range(2):
            assert int(state.hand[seat]) == hands.to_mask(self.deal.hands[seat])

    def _get_top_card_mask(self):
        return hands.to_mask([self.deal.pile[-1]])


class SoloReplay(Replay):
    """Replay of a solitaire deal, with the player at seat 0 and the joker at seat 1."""

    def _start_deal(self, pack):
        place = int(self.state.joker)  # position among the 53 cards in dealing order
        rest = place - (11 if self.params["first_turn"] == "discard_first" else 10)
        places = {"none": None, "before_deal": place, "after_deal": rest}
        deal = reference.SoloDeal(self.params, pack, places[self.params["joker"]])
        assert (place == -1) == (self.params["joker"] == "none")
        self.seat_records[0].deadwood = reference.compute_deadwood(
            set(deal.hands[0]) - {reference.JOKER}, self.params
        )
        return deal

    # Playing it

    def _play_step(self, action_kinds):
        if "throw" in action_kinds:
            self._play_turn(action_kinds)
        elif "end" in action_kinds and self._is_ending_accepted(
            "knock", self.seat_records[0].deadwood, phase=PHASE_STOP
        ):
            how = next(option[2] for option in self.deal.legal_actions() if option[0] == "end")
            self.deal.apply_action(("end", None, how))
        else:
            self.deal.apply_action(("stock",))

    def _play_turn(self, action_kinds):
        """Replay the decisions with eleven cards: big gin, gin with a discard, or a discard."""
        if "end" in action_kinds and self._is_ending_accepted("big_gin", 0):
            self._record_solo_turn(None)
            self.deal.apply_action(("end", None, "big_gin"))
            return
        throws = {option[1] for option in self.deal.legal_actions() if option[0] == "throw"}
        card = self._find_gin_discard(throws)
        if card is not None and self._is_ending_accepted(
            "gin", 0, ending_card=to_card_number(card)
        ):
            self._record_solo_turn(card)
            self.deal.apply_action(("throw", card))
            if self.deal.result is None:  # with penalties, gin always ends the deal
                self.deal.apply_action(("end", None, "gin"))
            return
        card = hands.list_card_names(
            1 << self._check_decision("discard", hands.to_mask(throws)).action
        )[0]
        self._record_solo_turn(card)
        self.deal.apply_action(("throw", card))
        self.seat_records[0].deadwood = self._compute_deadwood(0)

    def _find_gin_discard(self, discards):
        """Return the highest discard that leaves gin, or None."""
        if not self.deal.draws and not self.params["stop_before_draw"]:
            return None
        worth = reference.get_card_values(self.params)
        held = self.deal.hands[0]
        gins = [
            card
            for card in discards
            if reference.compute_deadwood({*held} - {card}, self.params) == 0
        ]
        return min(gins, key=lambda card: (-worth[card], to_card_number(card)), default=None)

    def _is_ending_accepted(self, ending, deadwood, **expected_fields):
        """Check the view of a knock decision, and return True if the player ends the deal."""
        decision = self._check_decision(
            "knock", 0b11, ending=ENDING_CODES[ending], ending_count=deadwood, **expected_fields
        )
        return decision.action == 1

    def _record_solo_turn(self, card):
        """Add a turn with the drawn card and this discard to the history."""
        self._record_turn(
            0, FROM_STOCK if self.deal._drawn_card else FROM_DEAL, self.deal._drawn_card, card
        )

    # State that both engines must share

    def _make_expected_view(self, seat):
        deal = self.deal
        hand, pile = hands.to_mask(deal.hands[0]), hands.to_mask(deal.discards)
        left = 52 - len({*deal.hands[0], *deal.discards}) + (self.params["joker"] != "none")
        seen = {
            "hand": hand,
            "upcard": -1,
            "pile": pile,
            "known": 0,
            "shed": 0,
            "unseen": hands.ALL_CARDS_MASK & ~(hand | pile),
            "stock": left,
            "deck_left": left,
            "dealer": 1,
            "limit": self.params["knock_limit"],
            "multiplier": 1,
            "stake": 1,
            "owner": -1,
            "taken": -1,
            "drawn": to_card_number(deal._drawn_card) if len(deal.hands[0]) == 11 else -1,
            "phase": PHASE_TURN,
        }
        return {**super()._make_expected_view(seat), **seen}

    def _check_result(self, expected):
        super()._check_result(expected)
        state = self.state
        assert (int(state.stock), int(state.limit)) == (expected.stock_left, expected.knock_limit)
        assert (int(state.upcard), int(state.upcard_to), int(state.multiplier)) == (-1, -1, 1)
        assert int(state.hand[0]) == hands.to_mask(self.deal.hands[0])
        if expected.knocker_deadwood is not None:
            assert int(state.knocker_deadwood) == expected.knocker_deadwood


def make_score_fields(match, seat):
    """Return the expected score fields of a view (rules.md 7)."""
    goal, row, other = match.goal, match.params, 1 - seat
    deals = goal.deal_tally if row["goal"] in WEIGHTED_DEAL_GOALS else goal.deals_won
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
        "goal": GOAL_NAMES.index(row["goal"]),
        "target": -1
        if row[get_target_parameter(row, seat)] is None
        else row[get_target_parameter(row, seat)],
    }


def get_target_parameter(params, seat):
    """Return the name of the rule parameter with the target of a seat."""
    if params["goal"] == "race":
        return "points_target" if seat == params["race_points_seat"] else "deals_target"
    targets = {"deals": "deals_target", "games": "games_target", "total": "total_goal"}
    return targets.get(params["goal"], "points_target")


def check_columns(view, goal, seat):
    """Check the points of the Hollywood columns in a view."""
    columns = getattr(goal, "columns", [])
    for name, side in (("own_columns", seat), ("other_columns", 1 - seat)):
        expected = [column[side] for column in columns]
        assert view[name].tolist() == expected + [0] * (len(view[name]) - len(expected)), name


def to_card_number(card):
    """Convert a card of the reference to 0..51, or None to -1."""
    return -1 if card is None else hands.to_mask([card]).bit_length() - 1


def make_ending_fields(ending):
    """Return the fields of a view in which this ending is proposed."""
    return {
        "ending": ENDING_CODES[ending.kind],
        "ending_card": to_card_number(ending.discard),
        "ending_count": ending.deadwood,
    }


def to_int64(mask):
    """Convert a mask of 64 bits to a signed integer."""
    return mask - (1 << 64) if mask >> 63 else mask


def check_meldings(actual, expected):
    """Check that a view lists exactly the legal meldings in order."""
    rows = [sorted(hands.to_mask(meld) for meld in melding) for melding in expected]
    assert [sorted(mask for mask in row if mask) for row in actual[: len(rows)]] == rows
    assert not any(map(any, actual[len(rows) :]))

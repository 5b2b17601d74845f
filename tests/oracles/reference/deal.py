"""Play a two-player deal action by action, and score its showdown (rules.md 3, 4, 6 and 8)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from .die import Die
from .endings import Ending, get_knock_limit, get_shot_ranks, list_legal_endings
from .layoff import find_best_layoff
from .melds import (
    compute_deadwood,
    find_unmatched_cards,
    format_melds,
    get_card_values,
    sort_melds,
    sort_permitted_meldings,
)
from .points import get_multiplier, score_deal


@dataclass
class Showdown:
    """Melds, lay-offs, deadwood and points at the end of a deal."""

    outcome: str  # knock, gin, big_gin, shot, undercut, even
    winner: str | None  # "knocker", "defender" or None
    knocker_points: int
    defender_points: int
    knocker_deadwood: int  # K
    defender_deadwood: int  # Q
    deadwood_before_layoff: int  # the defender's own deadwood before any lay-off
    knocker_melds: list[list[str]]  # as shown by the knocker
    laid_off: list[list[str]]  # laid off by the defender on each meld shown, in one optimal way


def list_legal_meldings(
    params: dict,
    ending: str,
    hand: Iterable[str],
    discard: str | None,
    *,
    limit: int,
    taken_card: str | None = None,
    own_points: int = 0,
) -> list[list[list[str]]]:
    """Return the meldings with which the knocker may end the deal, best first (rules.md 3.5).

    With melding = auto, the knocker shows the first. With melding = choice, a hand that could be
    gin may show a melding with more deadwood within the limit, as a knock.
    """
    if ending == "shot":
        return sort_permitted_meldings(
            hand, discard, params, required_ranks=get_shot_ranks(own_points), taken_card=taken_card
        )
    if ending == "big_gin":
        return sort_permitted_meldings(hand, None, params, required_ranks=[], taken_card=taken_card)
    only_gin = ending == "gin" and params["melding"] == "auto"
    return sort_permitted_meldings(
        hand, discard, params, limit=0 if only_gin else limit, taken_card=taken_card
    )


def score_showdown(
    params: dict,
    ending: str,
    hand: Iterable[str],
    discard: str | None,
    defender_hand: Iterable[str],
    *,
    limit: int,
    taken_card: str | None = None,
    own_points: int = 0,
    stock_left: int = 0,
    multiplier: int = 1,
    chosen_melding: Iterable[Iterable[str]] | None = None,
) -> Showdown:
    """Show the melds, lay off cards and score the deal (rules.md 3.5, 3.7, 6).

    Args:
        params: Rule parameters.
        ending: knock, gin, big_gin or shot.
        hand: The knocker's ten cards after the discard, or eleven for big gin.
        discard: Discard that ended the deal, or None for big gin.
        defender_hand: Ten cards of the defender.
        limit: Knock limit of the deal.
        taken_card: Card that the knocker took from the discard pile on this turn.
        own_points: Points of the knocker before the deal, for a shot.
        stock_left: Number of cards left in the stock.
        multiplier: Multiplier of the points.
        chosen_melding: Melding that the knocker chose with melding = choice. By default, the first
            legal melding.
    """
    hand, defender_hand = list(hand), list(defender_hand)
    legal = list_legal_meldings(
        params, ending, hand, discard, limit=limit, taken_card=taken_card, own_points=own_points
    )
    if not legal:
        raise ValueError(f"no melding of {' '.join(hand)} permits the ending {ending!r}")
    melds = legal[0] if chosen_melding is None else sort_melds(chosen_melding)
    if melds not in (legal[:1] if params["melding"] == "auto" else legal):
        raise ValueError(f"{format_melds(melds)} may not be shown with the ending {ending!r}")
    values = get_card_values(params)
    knocker_deadwood = sum(values[card] for card in find_unmatched_cards(hand, melds))
    if ending in ("knock", "gin"):
        ending = (
            "gin" if knocker_deadwood == 0 else "knock"
        )  # rules.md 3.3, regardless of the announcement
    deadwood_before_layoff = compute_deadwood(defender_hand, params, "defender")
    defender_deadwood, laid_off = deadwood_before_layoff, [[] for _ in melds]
    # rules.md 3.7: lay-offs after a knock, with layoff_on_gin after gin and big gin too, never
    # after a shot.
    if params["layoff"] and (
        ending == "knock" or (params["layoff_on_gin"] and ending in ("gin", "big_gin"))
    ):
        best_layoff = find_best_layoff(melds, defender_hand, params)
        defender_deadwood, laid_off = best_layoff.deadwood, best_layoff.laid_off
    score = score_deal(params, ending, knocker_deadwood, defender_deadwood, stock_left, multiplier)
    return Showdown(
        score.outcome,
        score.winner,
        score.knocker_points,
        score.defender_points,
        knocker_deadwood,
        defender_deadwood,
        deadwood_before_layoff,
        melds,
        laid_off,
    )


@dataclass
class DealResult:
    """Result of a deal: the outcome, the points, and what happened in the deal."""

    # Knock, gin, big_gin, shot, undercut, even, joker, limit, refused, void, stalled; redeal: the
    # cards are dealt again
    outcome: str
    knocker: int | None = None
    winner: int | None = None
    points: list[int] = field(default_factory=lambda: [0, 0])
    knocker_deadwood: int | None = None
    defender_deadwood: int | None = None
    deadwood_before_layoff: int | None = None
    knocker_melds: list[list[str]] = field(default_factory=list)
    laid_off: list[list[str]] = field(default_factory=list)
    stock_left: int = 0
    turns: int = 0
    draws: list[int] = field(default_factory=lambda: [0, 0])
    takes: list[int] = field(default_factory=lambda: [0, 0])
    upcard: str | None = None
    knock_limit: int = 0
    multiplier: int = 1
    stake: int = 1  # on the die; of a refused deal the number that it pays (rules.md 8.2)
    die_owner: int | None = None


class Deal:
    """Two-player deal that is played action by action.

    The top cards are `stock[0]` and `pile[-1]`. By default, the die is new.
    """

    def __init__(
        self,
        params: dict,
        pack: Iterable[str],
        dealer: int,
        points: tuple[int, int] = (0, 0),
        die: Die | None = None,
    ) -> None:
        self.params, self.dealer, self.points = params, dealer, tuple(points)
        self.result: DealResult | None = None
        self.turns, self.draws, self.takes = 0, [0, 0], [0, 0]
        self._deal_cards(list(pack))
        self.knock_limit = get_knock_limit(params, self.upcard)
        self.multiplier = get_multiplier(params, self.upcard)
        self._active_seat = 1 - dealer
        self._n_passes = 0
        self._is_upcard_dead = (
            False  # after two passes the upcard may be out of reach, rules.md 4.2
        )
        self._drawn_card: str | None = None  # drawn from the stock on this turn
        self._taken_card: str | None = None  # taken from the discard pile on this turn
        # Discard and ending, while the player chooses the melding
        self._chosen_ending: tuple[str | None, str] | None = None
        self._legal_meldings: list[
            list[list[str]]
        ] = []  # meldings that may be shown with it, rules.md 3.5
        # upcard, draw, discard; last: the 50th-card question; last_end: the last discard
        # was taken and the deal must be ended; show: the deal is ended and a melding is picked;
        # offer and answer, of the die
        self._phase = "offer"
        self.die = die or Die(params)
        self._blind_offer_seats = [1 - dealer, dealer]  # blind offers that are still open (8.1)
        self._cards_seen = False
        self._phase_after_offer = ""
        self._start_next_blind_offer()

    def _deal_cards(self, pack: list[str]) -> None:
        """Deal the hands card by card, then the upcard and the stock (rules.md 2 and 4.1)."""
        self.hands: list[list[str]] = [[], []]
        self.hands[1 - self.dealer] = pack[0:20:2]
        self.hands[self.dealer] = pack[1:20:2]
        self.stock = pack[21:]
        self.upcard: str | None = pack[20]
        self.pile = [pack[20]]
        # rules.md 4.2: the 21st card goes to the nondealer, and there is no upcard
        if self.params["first_turn"] == "discard_first":
            self.hands[1 - self.dealer].append(pack[20])
            self.upcard, self.pile = None, []

    # --- decisions ---

    @property
    def seat_to_move(self) -> int | None:
        return None if self.result is not None else self._active_seat

    def legal_actions(self) -> set[tuple]:
        """Return the legal actions of the seat to move (rules.md 9.1), or an empty set."""
        if self.result is not None:
            return set()
        if self._phase == "offer":
            offers = self.die.list_offers(self._active_seat, self._cards_seen)
            return {("no offer",), *(("offer", offer) for offer in offers)}
        if self._phase == "answer":
            return {("accept",), ("refuse",)}
        if self._phase == "upcard":
            return self._list_upcard_actions()
        if self._phase == "draw":
            return self._list_draw_actions()
        if self._phase == "last":
            return self._list_last_discard_actions()
        if self._phase == "show":
            return {("show", tuple(format_melds(melding))) for melding in self._legal_meldings}
        endings = {("end", ending.discard, ending.kind) for ending in self._list_endings()}
        if self._phase == "last_end":
            return endings  # rules.md 4.5: the card was taken to end the deal on the spot
        banned = self._get_banned_card(self._taken_card, self._drawn_card)
        return endings | {
            ("throw", card) for card in self.hands[self._active_seat] if card != banned
        }

    def _list_upcard_actions(self) -> set[tuple]:
        """Return the actions at the first upcard: take, pass and, under some rules, stock."""
        may_draw = self.params["first_turn"] != "upcard_pass"
        return {("take",), ("pass",)} | ({("stock",)} if may_draw else set())

    def _list_draw_actions(self) -> set[tuple]:
        actions = {("stock",)}
        if self.params["take_discard"] and self.pile and not self._is_upcard_dead:
            actions.add(("take",))
        return actions

    def _list_last_discard_actions(self) -> set[tuple]:
        """Return pass, and take if the last discard allows an ending (rules.md 4.5)."""
        card = self.pile[-1]
        hand = [*self.hands[self._active_seat], card]
        conditions = self._get_ending_conditions(taken_card=card, drawn_card=None)
        possible = list_legal_endings(hand, self.params, self.knock_limit, **conditions)
        return {("pass",), ("take",)} if possible else {("pass",)}

    @property
    def meldings_to_show(self) -> list[list[list[str]]]:
        """Meldings that the player may show now, best first (rules.md 3.5), or an empty list."""
        return self._legal_meldings if self._phase == "show" and self.result is None else []

    def _list_endings(self) -> list[Ending]:
        conditions = self._get_ending_conditions(self._taken_card, self._drawn_card)
        return list_legal_endings(
            self.hands[self._active_seat], self.params, self.knock_limit, **conditions
        )

    def _get_ending_conditions(self, taken_card: str | None, drawn_card: str | None) -> dict:
        """Return the arguments of `list_legal_endings` for a turn with these cards."""
        points = self.points[self._active_seat]
        banned_card = self._get_banned_card(taken_card, drawn_card)
        return {"taken_card": taken_card, "banned_card": banned_card, "own_points": points}

    def _get_banned_card(self, taken_card: str | None, drawn_card: str | None) -> str | None:
        """Return the card that may not be discarded on this turn (rules.md 4.3, discard_ban)."""
        if self.params["discard_ban"] == "none":
            return None
        if self.params["discard_ban"] == "drawn" and drawn_card is not None:
            return drawn_card
        return taken_card

    # --- actions ---

    def apply_action(self, action: tuple) -> None:
        """Apply a legal action. Raise ValueError if it is not legal."""
        if action not in self.legal_actions():
            raise ValueError(f"{action!r} is not legal for seat {self._active_seat} now")
        if action[0] == "show":
            self._show_melding([text.split() for text in action[1]])
        elif action[0] == "pass":
            self._pass()
        elif action[0] == "stock":
            self._draw_from_stock()
        elif action[0] == "take":
            self._take_from_pile()
        elif action[0] == "throw":
            self._discard_and_end_turn(action[1])
        elif action[0] == "end":
            self._end_deal(*action[1:])
        else:
            self._apply_die_action(*action)

    def _start_next_blind_offer(self) -> None:
        """Ask the nondealer, then the dealer, for a blind offer, or begin the first turn."""
        while self._blind_offer_seats:
            self._active_seat = self._blind_offer_seats.pop(0)
            if self.die.list_offers(self._active_seat, are_cards_seen=False):
                return
        self._cards_seen = True
        self._active_seat = 1 - self.dealer  # rules.md 1: the nondealer moves first
        openings = {"free": "draw", "discard_first": "discard"}
        self._begin_turn(openings.get(self.params["first_turn"], "upcard"))

    def _begin_turn(self, phase: str) -> None:
        """Begin a turn, with an offer first if the player may make one (rules.md 8.3, 8.4)."""
        self._phase_after_offer = phase
        self._phase = (
            "offer" if self.die.list_offers(self._active_seat, self._cards_seen) else phase
        )

    def _apply_die_action(self, action: str, stake: int = 0) -> None:
        """Apply an action of the die: offer, no offer, accept or refuse (rules.md 8)."""
        if action == "offer":
            self.die.pending_offer = self._active_seat, stake
            self._phase, self._active_seat = "answer", 1 - self._active_seat
        elif action == "refuse":
            winner, won_stake = self.die.refuse()
            self._record_result(DealResult("refused", winner=winner, stake=won_stake))
        else:
            if action == "accept":
                self.die.accept()
                self._active_seat = 1 - self._active_seat
                self._blind_offer_seats = []  # there is no other decision
            self._continue_after_offer()

    def _continue_after_offer(self) -> None:
        """Continue the turn, or make the next blind offer."""
        if self._cards_seen:
            self._phase = self._phase_after_offer
        else:
            self._phase = "offer"
            self._start_next_blind_offer()

    def _pass(self) -> None:
        """Pass the upcard or, after the last discard, end the deal without a winner."""
        if self._phase == "last":
            self._record_result(DealResult("void"))
            return
        self._n_passes += 1
        self._active_seat = 1 - self._active_seat
        if self._n_passes == 1:
            self._begin_turn("upcard")
        else:  # rules.md 4.2: the nondealer must draw; in one opening the upcard can still be taken
            self._phase = "draw"  # rules.md 8.3: no offer, the turn began with the upcard
            self._is_upcard_dead = self.params["first_turn"] != "upcard_stock_or_pass"

    def _draw_from_stock(self) -> None:
        self._drawn_card = self.stock.pop(0)
        self.hands[self._active_seat].append(self._drawn_card)
        self.draws[self._active_seat] += 1
        self._is_upcard_dead = False
        self._phase = "discard"
        if self.params["stock_end"] == "at_draw" and self._is_stock_exhausted():
            self._record_result(DealResult("void"))  # rules.md 4.5: void at the moment of the draw

    def _take_from_pile(self) -> None:
        self._taken_card = self.pile.pop()
        self.hands[self._active_seat].append(self._taken_card)
        self.takes[self._active_seat] += 1
        self._phase = "last_end" if self._phase == "last" else "discard"

    def _discard_and_end_turn(self, card: str) -> None:
        """Discard a card, and begin the next turn unless the deal is over."""
        self._discard_card(card)
        if (
            self.params["stock_end"] in ("after_discard", "opponent_may_take")
            and self._is_stock_exhausted()
        ):
            if self.params["stock_end"] == "after_discard":
                self._record_result(DealResult("void"))  # rules.md 4.5
            else:
                self._start_next_turn("last")
        elif self.turns >= self.params["max_turns"]:
            self._record_result(DealResult("stalled"))  # rules.md 4.5, 4.6: tested after the stock
        else:
            self._start_next_turn("draw")

    def _discard_card(self, card: str | None) -> None:
        """Discard a card (none for big gin), and count the turn."""
        if card is not None:
            self.hands[self._active_seat].remove(card)
            self.pile.append(card)
        self.turns += 1

    def _start_next_turn(self, phase: str) -> None:
        self._drawn_card = self._taken_card = None
        self._active_seat = 1 - self._active_seat
        if phase == "last":
            self._phase = phase  # rules.md 8.3: not a turn
        else:
            self._begin_turn(phase)

    def _is_stock_exhausted(self) -> bool:
        return len(self.stock) <= self.params["stock_reserve"]

    def _end_deal(self, discard: str | None, ending: str) -> None:
        """End the deal, or let the player choose among several meldings (rules.md 9.1)."""
        self._chosen_ending = discard, ending
        if self.params["melding"] == "choice":
            hand = [other for other in self.hands[self._active_seat] if other != discard]
            points = self.points[self._active_seat]
            self._legal_meldings = list_legal_meldings(
                self.params,
                ending,
                hand,
                discard,
                limit=self.knock_limit,
                taken_card=self._taken_card,
                own_points=points,
            )
        if len(self._legal_meldings) > 1:
            self._phase = "show"
        else:
            self._show_melding(None)

    def _show_melding(self, melding: list[list[str]] | None) -> None:
        """Show a melding (by default the first legal one), and score the deal."""
        assert self._chosen_ending is not None
        seat, (card, ending) = self._active_seat, self._chosen_ending
        self._discard_card(card)
        conditions = {
            "limit": self.knock_limit,
            "taken_card": self._taken_card,
            "own_points": self.points[seat],
        }
        conditions |= {
            "stock_left": len(self.stock),
            "multiplier": self.multiplier,
            "chosen_melding": melding,
        }
        showdown = score_showdown(
            self.params, ending, self.hands[seat], card, self.hands[1 - seat], **conditions
        )
        points = [0, 0]
        points[seat], points[1 - seat] = showdown.knocker_points, showdown.defender_points
        winner = {"knocker": seat, "defender": 1 - seat, None: None}[showdown.winner]
        deadwood = (
            showdown.knocker_deadwood,
            showdown.defender_deadwood,
            showdown.deadwood_before_layoff,
        )
        cards = showdown.knocker_melds, showdown.laid_off
        self._record_result(DealResult(showdown.outcome, seat, winner, points, *deadwood, *cards))

    def _record_result(self, result: DealResult) -> None:
        """Record the result with the counts, the rules and the stake of the deal."""
        result.stock_left, result.turns = len(self.stock), self.turns
        result.draws, result.takes = list(self.draws), list(self.takes)
        result.upcard, result.knock_limit = self.upcard, self.knock_limit
        result.multiplier, result.die_owner = self.multiplier, self.die.owner
        if result.outcome != "refused":
            result.stake = self.die.stake
        self.result = result

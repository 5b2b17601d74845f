"""Reconstruction of a two-player deal from a player's cards and the discard pile."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from simgin.analysis import position_parts
from simgin.analysis.position import PositionError
from simgin.core.codes import ACTION_PASS, ACTION_STOCK, ACTION_TAKE
from simgin.core.endings import compute_deal_multiplier, compute_knock_limit
from simgin.core.rules_record import (
    FIRST_TURN_DISCARD,
    FIRST_TURN_FREE,
    FIRST_TURN_UPCARD_PASS,
    FIRST_TURN_UPCARD_STOCK_OR_PASS,
    STOCK_END_OPPONENT_MAY_TAKE,
)
from simgin.play.traced_deal import ScriptedAction
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.text.notation import format_card


class DealReconstruction:
    """Reconstruction of the past decisions in a two-player deal from the visible cards."""

    def __init__(
        self,
        cards: list[int],
        pile: Sequence[position_parts.PileCard],
        variant: Variant,
        dealer: int | None,
        die: position_parts.Die,
    ) -> None:
        self.cards = cards
        self.pile = pile
        self.variant = variant
        self.rules = build_rules(variant)
        self.has_upcard = bool(self.rules.first_turn != FIRST_TURN_DISCARD)
        # Top card of the pile before every turn up to the turn of the decision
        self.top_cards: Sequence[position_parts.PileCard | None] = (
            pile if self.has_upcard else [None, *pile]
        )
        self.discards = [card.card for card in pile[self.has_upcard :]]
        self.die = die
        # Players take turns to discard. A player can offer the die only at the start of a turn.
        self.first_seat = (len(self.discards) + die.active_seat) % 2
        self.dealer = 1 - self.first_seat if dealer is None else dealer

    def find_seat_of_turn(self, turn: int) -> int:
        """Return the seat of the player who takes a turn (the first turn is 0)."""
        return (self.first_seat + turn) % 2

    def find_card_source(self, turn: int) -> str:
        """Return the source of the card received in a turn: pile, stock or deal."""
        top_card = self.top_cards[turn]
        if top_card is None:
            return "deal"
        return "pile" if top_card.is_taken else "stock"

    @cached_property
    def started_turns(self) -> list[int]:
        """Numbers of the turns that have begun, including an unfinished turn."""
        has_unfinished_turn = (
            len(self.cards) == 11 and bool(self.top_cards) and not self.die.is_die_decision
        )
        return list(range(len(self.discards) + has_unfinished_turn))

    @property
    def stock_size(self) -> int:
        """Number of cards that remain in the stock."""
        return position_parts.INITIAL_STOCK_SIZE - sum(
            self.find_card_source(turn) == "stock" for turn in self.started_turns
        )

    @property
    def can_take_last_discard(self) -> bool:
        """True if the player can take the last discard (50th-card rule)."""
        may_take = (
            self.rules.stock_end == STOCK_END_OPPONENT_MAY_TAKE and not self.die.is_die_decision
        )
        return bool(
            may_take and self.stock_size == self.rules.stock_reserve and len(self.cards) == 10
        )

    @property
    def current_slots(self) -> Collection[str]:
        """Policy slots, such as `take`, that apply to the current decision."""
        if self.die.is_die_decision:
            return {self.die.slot}
        if len(self.cards) == 11:
            return {"discard", "knock"}
        return {"knock"} if self.can_take_last_discard else {"take"}

    # Deal

    def make_pack(self, unseen_cards: list[int]) -> list[int]:
        """Return a pack in dealing order that leads to the position.

        Args:
            unseen_cards: Cards whose locations are unknown.
        """
        hidden_cards = list(unseen_cards)
        cards_by_seat = [
            self._list_received_cards(position_parts.PLAYER_SEAT, hidden_cards),
            self._list_received_cards(position_parts.OPPONENT_SEAT, hidden_cards),
        ]
        pack = []
        for _ in range(10):
            for seat in (1 - self.dealer, self.dealer):
                pack.append(cards_by_seat[seat].pop(0))
        pack.append(self.pile[0].card if self.has_upcard else cards_by_seat[1 - self.dealer].pop(0))
        for turn in self.started_turns:
            if self.find_card_source(turn) == "stock":
                pack.append(cards_by_seat[self.find_seat_of_turn(turn)].pop(0))
        return pack + hidden_cards

    def _list_received_cards(self, seat: int, hidden_cards: list[int]) -> list[int]:
        """Return the cards that a player received: discards in order of play, then the hand.

        Unknown cards of the opponent are removed from `hidden_cards`.
        """
        received_cards = []
        taken_cards = set()
        n_received = 10 + (not self.has_upcard and seat != self.dealer)
        for turn in self.started_turns:
            if self.find_seat_of_turn(turn) != seat:
                continue
            top_card = self.top_cards[turn]
            if top_card is not None and top_card.is_taken:
                taken_cards.add(top_card.card)
            n_received += self.find_card_source(turn) == "stock"
            for card in self.discards[turn : turn + 1]:
                if card in taken_cards:
                    taken_cards.remove(card)
                else:
                    received_cards.append(card)
        if seat == position_parts.PLAYER_SEAT:
            return received_cards + [card for card in self.cards if card not in taken_cards]
        n_hidden = n_received - len(received_cards)
        if n_hidden < 0:
            raise PositionError(
                "the opponent cannot hold more than ten cards from this pile. Check the cards "
                "marked with *."
            )
        received_cards += hidden_cards[:n_hidden]
        del hidden_cards[:n_hidden]
        return received_cards

    def iter_decisions(self) -> Iterator[ScriptedAction]:
        """Yield the decisions of both players before the current decision."""
        yield from self._iter_opening_decisions()
        for turn in self.started_turns:
            if turn and self.rules.take_discard:
                yield ScriptedAction(
                    self.find_seat_of_turn(turn), "take", int(self.find_card_source(turn) == "pile")
                )
            for card in self.discards[turn : turn + 1]:
                yield ScriptedAction(self.find_seat_of_turn(turn), "discard", card)

    def _iter_opening_decisions(self) -> Iterator[ScriptedAction]:
        """Yield the past decisions about the first upcard.

        If the nondealer may draw from the stock immediately, the pile does not show whether the
        dealer was offered the upcard. The function assumes that the nondealer passed first, as most
        players do.
        """
        first_turn = self.rules.first_turn
        nondealer = 1 - self.dealer
        if first_turn == FIRST_TURN_DISCARD:
            return
        if first_turn == FIRST_TURN_FREE:
            if self.started_turns:
                yield ScriptedAction(nondealer, "take", int(self.pile[0].is_taken))
            return
        refusal = ScriptedAction(
            nondealer, "take", ACTION_STOCK if first_turn == FIRST_TURN_UPCARD_PASS else ACTION_PASS
        )
        if self.first_seat == self.dealer:
            yield refusal
            if self.started_turns:
                yield ScriptedAction(self.dealer, "take", int(self.pile[0].is_taken))
        elif self.started_turns and self.pile[0].is_taken:
            yield ScriptedAction(nondealer, "take", ACTION_TAKE)
        elif self.started_turns:
            yield refusal
            yield replace(refusal, seat=self.dealer)
            if first_turn == FIRST_TURN_UPCARD_STOCK_OR_PASS:
                yield ScriptedAction(nondealer, "take", ACTION_STOCK)

    # Errors

    def find_errors(self) -> Iterator[str]:
        """Yield error messages if the position is impossible or requires no decision."""
        yield from position_parts.find_hand_size_errors(self.cards)
        if self.has_upcard and not self.pile:
            yield "the pile is missing. Add it from the first upcard on, for example --pile QD."
        yield from self._find_pile_errors()
        yield from self._find_location_errors()
        has_ten_cards = len(self.cards) == 10
        first_turn = self.rules.first_turn
        drew_from_stock_first = (
            first_turn == FIRST_TURN_UPCARD_PASS
            and bool(self.started_turns)
            and not self.pile[0].is_taken
        )
        if self.dealer == self.first_seat and (
            first_turn in (FIRST_TURN_DISCARD, FIRST_TURN_FREE) or drew_from_stock_first
        ):
            is_player_first = self.first_seat == position_parts.PLAYER_SEAT
            player, deals = ("you", "other") if is_player_first else ("the opponent", "me")
            yield f"this pile shows that {player} played first. Use the dealer {deals}."
        stock_reserve = int(self.rules.stock_reserve)
        if self.stock_size < stock_reserve or (
            has_ten_cards and not self.can_take_last_discard and self.stock_size == stock_reserve
        ):
            n_left = max(0, self.stock_size)
            yield f"the deal is over, because the stock has {n_left} cards. Use a shorter pile."

    def _find_pile_errors(self) -> Iterator[str]:
        """Yield error messages if the hand contradicts the pile or a required card is unknown."""
        top_card = self.top_cards[-1]
        if top_card is not None and top_card.is_taken and len(self.cards) == 10:
            name = format_card(top_card.card)
            yield f"a hand that has just taken {name} has eleven cards, not ten. Add the card."
        if self.die.is_die_decision and len(self.cards) != 10 and top_card is not None:
            yield "the die is offered before the draw. Enter the ten cards held at that time."
        if top_card is None and len(self.cards) == 10 and not self.die.offered_stake:
            yield f"in {self.variant.spec}, the first player has eleven cards. Enter all of them."
        if self.has_upcard and self.pile[0].card < 0 and self._depends_on_upcard:
            reason = "the first upcard sets the knock limit or the value of points"
            yield f"in {self.variant.spec}, {reason}. Write this card first in the pile."
        for turn, card in enumerate(self.top_cards):
            is_unknown = card is not None and card.is_taken and card.card < 0
            if is_unknown and self.find_seat_of_turn(turn) == position_parts.PLAYER_SEAT:
                yield f"you took card {turn + 1} of this pile, so it must be known. Replace the ?."

    @property
    def _depends_on_upcard(self) -> bool:
        """True if the first upcard determines the knock limit or the point multiplier."""
        rules = self.rules
        deal_terms = {
            (compute_knock_limit(card, rules), compute_deal_multiplier(card, rules))
            for card in range(position_parts.PACK_SIZE)
        }
        return len(deal_terms) > 1

    def _find_location_errors(self) -> Iterator[str]:
        """Yield an error message for every card that occurs in two locations."""
        locations: dict[int, int] = {}  # `IN_PILE`, or the seat of the player who took the card
        for turn, top_card in enumerate(self.top_cards):
            if top_card is None or top_card.card < 0:
                continue
            discarder = self.find_seat_of_turn(turn - 1) if turn else position_parts.NO_SEAT
            if locations.get(top_card.card) == position_parts.IN_PILE:
                yield f"{format_card(top_card.card)} is in the pile twice. Remove one copy."
            if locations.get(top_card.card, discarder) != discarder:
                yield (
                    f"{format_card(top_card.card)} was taken by one player but discarded by the "
                    "other. Check the pile."
                )
            locations[top_card.card] = (
                self.find_seat_of_turn(turn) if top_card.is_taken else position_parts.IN_PILE
            )
        for card in self.cards:
            if locations.get(card, position_parts.PLAYER_SEAT) != position_parts.PLAYER_SEAT:
                location = (
                    "the pile"
                    if locations[card] == position_parts.IN_PILE
                    else "the opponent's hand"
                )
                yield (
                    f"{format_card(card)} cannot be both in your hand and in {location}. Check "
                    "your entries."
                )
        for card, seat in locations.items():
            if seat == position_parts.PLAYER_SEAT and card not in self.cards:
                yield (
                    f"{format_card(card)}, which you took from the pile, is missing. Add it to "
                    "your hand."
                )
        last_card = self.cards[-1]
        has_drawn = (
            len(self.started_turns) > len(self.discards) and self.find_card_source(-1) == "stock"
        )
        if has_drawn and last_card in locations:
            yield (
                f"{format_card(last_card)} was taken earlier, so it cannot be the card that you "
                "just drew. Enter the drawn card at the end of the hand."
            )

"""A position as a player has it: the own cards, the pile as it grew, the score, who deals.

The pile tells everything else. Players discard in turn, so it says who threw what, what each took
and declined, and how many cards are left in the stock.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from simgin.core.answers import PHASE_LAST, PHASE_TURN, PHASE_UPCARD
from simgin.core.cards import PACK
from simgin.core.deadwood import deadwood
from simgin.core.endings import knock_limit, multiplier
from simgin.core.match import target
from simgin.core.rules import DISCARD_FIRST, FREE, OPPONENT_MAY_TAKE, UPCARD_PASS
from simgin.core.view import FROM_DEAL, FROM_PILE, FROM_STOCK, new_view
from simgin.play.worlds import die_actions, legal_actions
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.text.notation import card_text, cards_in, hand_mask, parse_cards
from simgin.value.analysis.described_alone import read_alone
from simgin.value.analysis.die import (
    CARDS_IN_STOCK,
    ME,
    OTHER,
    SEATS,
    Die,
    read_blind,
    write_standing,
)
from simgin.value.analysis.pile import Laid, read_pile
from simgin.value.analysis.position import Position, PositionError

BLIND = "blind"  # in place of the cards: they are not seen yet
NO_DIE = Die()
NOTHING = Laid(-1)  # on top of the pile where no card is turned up


def read_score(text: str) -> tuple[int, int]:
    """Own points and the opponent's, from a text like `30-45`; PositionError for another."""
    own, dash, other = text.partition("-")
    if not (dash and own.strip().isdecimal() and other.strip().isdecimal()):
        raise PositionError(
            f"{text!r} is not a score: write your points and the opponent's, like 30-45."
        )
    return int(own), int(other)


def read_position(
    cards: str,
    pile: str,
    variant: Variant,
    *,
    score: tuple[int, int] | None = None,
    dealer: str | None = None,
    stock: int | None = None,
    die: Die = NO_DIE,
) -> Position:
    """The position of a player with these cards, ten or eleven; of eleven the last was drawn.

    For a single player, pile is the own discards, and there is neither score nor dealer. Else pile:
    see `read_pile`, from the first upcard on; a mark after the last card says that the player
    has just taken it. score: own points and the opponent's, or won deals where they are the score;
    given, the match is what is to be won. dealer: `me` or `other`; by default as the pile has it.
    stock: the cards left to draw from, where the pile does not tell. die: as it lies, and whether
    the decision is about it; that comes before the draw, or with BLIND in place of the cards.
    Raises PositionError and CardError for a position that cannot come about.
    """
    laid = read_pile(pile)
    if variant.row["players"] == 1:
        if score is not None or dealer is not None:
            raise PositionError(
                f"{variant.text} is for one player: leave out the score and the dealer."
            )
        die.check(variant, blind=False)
        return read_alone(parse_cards(cards), laid, variant, stock)
    if dealer is not None and dealer not in SEATS:
        raise PositionError(f"{dealer!r} is no dealer: write me or other.")
    seat = None if dealer is None else SEATS[dealer]
    _check_score(score, variant)
    if cards.strip() == BLIND:
        if pile or stock is not None:
            raise PositionError("before the cards are seen there is no pile: leave it out.")
        return read_blind(die, variant, score, dealer)
    held = parse_cards(cards)
    if laid.gap == len(laid.laid) or (laid.laid and laid.laid[-1].card < 0):
        raise PositionError("the card on top of the pile lies open: write it last.")
    remembered = _Described(held, laid.laid, variant, seat, die)
    whole = laid.whole(remembered.stock, stock)
    described = _Described(held, whole, variant, seat, die)
    described.check()
    view = described.view(score or (0, 0))
    find_actions = die_actions if die.is_asked else legal_actions
    actions = find_actions(view, described.rules)
    return Position(variant, view, actions, score is not None)


def _check_score(score: tuple[int, int] | None, variant: Variant) -> None:
    """Refuse a score at which the match is over."""
    if score is None or not variant.goal.score:
        return
    most = int(target(build_rules(variant), ME))
    if max(score) >= most:
        raise PositionError(f"the match is over at {score[0]}-{score[1]}: it is played to {most}.")


class _Described:
    """Own cards and the pile, and what follows from them."""

    def __init__(
        self, cards: list[int], pile: Sequence[Laid], variant: Variant, dealer: int | None, die: Die
    ) -> None:
        self.cards = cards
        self.pile = pile
        self.variant = variant
        self.rules = build_rules(variant)
        self.has_upcard = self.rules.first_turn != DISCARD_FIRST
        self._dealer = dealer
        self.die = die

    @cached_property
    def thrown(self) -> Sequence[Laid]:
        """The discards, without the first upcard."""
        return self.pile[1:] if self.has_upcard else self.pile

    @property
    def turns(self) -> int:
        """Turns completed."""
        return len(self.thrown)

    @property
    def first(self) -> int:
        """Who made the first turn: players discard in turn, and who offers the die is on turn."""
        return (self.turns + self.die.offerer) % 2

    def thrower(self, turn: int) -> int:
        """Who discarded in a turn, from 0."""
        return (self.first + turn) % 2

    @property
    def upcard(self) -> int:
        """The first upcard, or -1."""
        return self.pile[0].card if self.has_upcard else -1

    @property
    def before(self) -> Sequence[Laid]:
        """What lay on top before each turn, the player's own last."""
        return self.pile if self.has_upcard else [NOTHING, *self.pile]

    @property
    def taken(self) -> int:
        """The card that the player has just taken, or -1."""
        top = self.before[-1] if self.before else NOTHING
        return top.card if top.taken else -1

    @property
    def drawn(self) -> int:
        """The card that the player has just drawn from the stock, or -1."""
        is_drawn = len(self.cards) == 11 and self.taken < 0 and not self._dealt_eleven
        return self.cards[-1] if is_drawn else -1

    @property
    def _dealt_eleven(self) -> bool:
        """Whether the first player, who is dealt eleven cards, has not played yet."""
        return not self.has_upcard and self.turns == 0

    @property
    def is_asked_first(self) -> bool:
        """Whether the first upcard lies there still, and whose turn it is has ten cards."""
        return self.turns == 0 and len(self.cards) == 10 and self.has_upcard

    @property
    def dealer(self) -> int:
        """Who deals: by default the opponent of who made the first turn."""
        return 1 - self.first if self._dealer is None else self._dealer

    @property
    def stock(self) -> int:
        """Cards in the stock."""
        draws = [source for source in self.sources if source == FROM_STOCK]
        return CARDS_IN_STOCK - len(draws) - (self.drawn >= 0)

    @cached_property
    def sources(self) -> list[int]:
        """Where the card of each completed turn came from."""
        sources = []
        for top in self.before[:-1]:
            stock = FROM_DEAL if top is NOTHING else FROM_STOCK
            sources.append(int(FROM_PILE if top.taken else stock))
        return sources

    def taken_by(self, seat: int) -> int:
        """The cards that a player took face up and still holds, as a mask."""
        held = 0
        for turn, laid in enumerate(self.thrown):
            if self.thrower(turn) == seat:
                top = self.before[turn]
                held |= top.mask * top.taken
                held &= ~laid.mask
        return held

    # What cannot be

    def check(self) -> None:
        """Raise PositionError for what cannot come about."""
        self._check_variant()
        self.die.check(self.variant, blind=False)
        self._check_number()
        self._check_remembered()
        self._check_pile()
        self._check_dealer()
        self._check_hand()
        self._check_stock()

    def _check_variant(self) -> None:
        name = self.variant.text
        if self.variant.goal.other is not None:
            raise PositionError(
                f"in {name} cards and pile do not tell the position: name a deal of two strategies."
            )

    def _check_number(self) -> None:
        n = len(self.cards)
        if n not in (10, 11):
            given = "1 card was" if n == 1 else f"{n} cards were"
            raise PositionError(f"{given} given; a hand has ten cards, or eleven before a discard.")
        if self.has_upcard and not self.pile:
            raise PositionError("give the pile, from the first upcard on: --pile QD, for example.")
        if n == 10 and self.taken >= 0:
            raise PositionError(
                f"{card_text(self.taken)} was just taken, so the hand has eleven cards; "
                "only ten are given."
            )
        if self.die.is_asked and n == 11 and not self._dealt_eleven:
            raise PositionError("the die is offered before the draw: give the ten cards held then.")
        on_turn = not self.die.offered
        if not self.has_upcard and not self.pile and n == 10 and on_turn:
            raise PositionError(
                f"in {self.variant.text} the first player is dealt eleven cards; ten are given."
            )

    def _check_remembered(self) -> None:
        """What sets the terms, and what the player took, cannot be forgotten."""
        if self.has_upcard and self.upcard < 0 and self._sets_terms():
            raise PositionError(
                f"in {self.variant.text} the first upcard sets the knock limit or what points "
                "count: write it first."
            )
        by_other = 0
        for turn, top in enumerate(self.before):
            if top is NOTHING or top.card >= 0 or not top.taken:
                continue
            if self.thrower(turn) == ME:
                raise PositionError(
                    f"by this pile you took the card forgotten in place {turn + 1}: write which."
                )
            by_other += 1
        if by_other > 10 - self.taken_by(OTHER).bit_count():
            raise PositionError("by this pile the opponent took more than ten cards and kept them.")

    def _sets_terms(self) -> bool:
        """Whether the first upcard sets the knock limit or a factor on points."""
        rules = self.rules
        terms = {(knock_limit(card, rules), multiplier(card, rules)) for card in cards_in(PACK)}
        return len(terms) > 1

    def _check_pile(self) -> None:
        """No card lies in the pile twice, and nobody throws what another player took."""
        lying = 0
        held = [0, 0]
        for turn, laid in enumerate(self.before):
            one = laid.mask
            if lying & one:
                raise PositionError(f"{card_text(laid.card)} lies in the pile twice.")
            if turn:
                thrower = self.thrower(turn - 1)
                if held[1 - thrower] & one:
                    raise PositionError(
                        f"{card_text(laid.card)} was taken by one player and thrown by the other."
                    )
                held[thrower] &= ~one
            if laid.taken:
                held[self.thrower(turn)] |= one
            else:
                lying |= one

    def _check_dealer(self) -> None:
        """The nondealer made the first turn, unless the dealer took the upcard."""
        if self._dealer is None or self.dealer != self.first:
            return
        first_turn = self.rules.first_turn
        may_be_dealer = self.is_asked_first or (self.pile[:1] and self.pile[0].taken)
        if first_turn in (DISCARD_FIRST, FREE) or not (may_be_dealer or first_turn != UPCARD_PASS):
            who = "you" if self.first == ME else "the opponent"
            deals = "deals" if self.first == ME else "deal"
            other = "the opponent" if self.first == ME else "you"
            raise PositionError(
                f"the nondealer plays first, and by the pile that was {who}: {other} {deals}."
            )

    def _check_hand(self) -> None:
        """The own cards lie nowhere else, and hold what the player took."""
        hand = hand_mask(self.cards)
        for where, cards in (
            ("lies in the pile", self.lying),
            ("was taken by the opponent", self.taken_by(OTHER)),
        ):
            if hand & cards:
                both = next(card for card in self.cards if cards >> card & 1)
                raise PositionError(f"{card_text(both)} is among your cards, but {where}.")
        own = self.taken_by(ME) | (1 << self.taken if self.taken >= 0 else 0)
        if own & ~hand:
            lost = (own & ~hand).bit_length() - 1
            raise PositionError(
                f"{card_text(lost)} was taken by you and not thrown, but is not among your cards."
            )
        if self.drawn >= 0 and own >> self.drawn & 1:
            raise PositionError(
                f"{card_text(self.drawn)} was taken before, so it is not the card just drawn: "
                "of eleven cards write the one just drawn last."
            )

    @cached_property
    def lying(self) -> int:
        """The cards that lie in the pile, as a mask."""
        mask = 0
        for laid in self.pile:
            if not laid.taken:
                mask |= laid.mask
        return mask

    def _check_stock(self) -> None:
        reserve = int(self.rules.stock_reserve)
        drawing = len(self.cards) == 10 and not self._is_last
        if self.stock < reserve or (drawing and self.stock == reserve):
            raise PositionError(
                f"the deal is over: by this pile {max(0, self.stock)} cards are left in the stock."
            )
        leaves_choice = self.rules.take_discard or self._is_last or self.die.is_asked
        if len(self.cards) == 10 and not leaves_choice:
            raise PositionError(
                f"in {self.variant.text} discards cannot be taken, so ten cards leave no choice."
            )

    @property
    def _is_last(self) -> bool:
        """Whether the last discard is offered (50th-card rule)."""
        may_take = self.rules.stock_end == OPPONENT_MAY_TAKE and not self.die.is_asked
        return bool(may_take and self.stock == self.rules.stock_reserve and len(self.cards) == 10)

    # The view

    def view(self, score: tuple[int, int]) -> Any:
        """What the player sees."""
        rules = self.rules
        view = new_view()
        hand = hand_mask(self.cards)
        arrived = max(self.taken, self.drawn)
        held = hand & ~(1 << arrived) if arrived >= 0 else hand
        view.hand = hand
        view.count = deadwood(held, rules)
        view.upcard = self.upcard
        view.pile = self.lying
        view.known = self.taken_by(OTHER)
        view.shed = self._shed()
        view.unseen = PACK & ~(hand | self.lying | view.known)
        view.stock = self.stock
        view.deck_left = -1
        view.turns = self.turns
        view.turn = self.turns + 1
        view.own_turn = 1 + sum(self.thrower(turn) == ME for turn in range(self.turns))
        view.dealer = self.dealer
        view.seat = ME
        view.limit = knock_limit(self.upcard, rules)
        view.multiplier = multiplier(self.upcard, rules)
        write_standing(view, self.variant, score)
        self.die.write(view)
        view.taken = self.taken
        view.drawn = self.drawn
        is_draw = len(self.cards) == 10 and not self.die.is_asked
        view.taken_offer = self.before[-1].card if is_draw else -1
        view.phase = self._phase()
        self._write_history(view)
        return view

    def _phase(self) -> int:
        if self._is_last:
            return PHASE_LAST
        asked = self.is_asked_first and self.rules.first_turn != FREE
        return PHASE_UPCARD if asked else PHASE_TURN

    def _write_history(self, view: Any) -> None:
        for turn, laid in enumerate(self.thrown):
            top = self.before[turn]
            card = top.card if top.taken else -1
            view.history[turn] = self.thrower(turn), self.sources[turn], card, laid.card

    def _shed(self) -> int:
        """The cards that the opponent threw or declined, as a mask."""
        shed = 0
        for turn, laid in enumerate(self.thrown):
            top = self.before[turn]
            if self.thrower(turn) == OTHER:
                shed |= laid.mask
                declined = self.sources[turn] == FROM_STOCK and self.rules.take_discard
                shed |= top.mask * declined
        if self._has_passed():
            shed |= self.pile[0].mask
        return shed

    def _has_passed(self) -> bool:
        """Whether the opponent passed the first upcard.

        Where the nondealer may draw from the stock at once, the pile does not tell whether the
        dealer was asked; most players pass first.
        """
        if self.rules.first_turn in (DISCARD_FIRST, FREE):
            return False
        if self.is_asked_first:
            return self.dealer == ME and self.die.offerer == ME
        if self.dealer == self.first:  # the nondealer passed, and the dealer took or drew
            return self.dealer == ME
        return not self.pile[0].taken

"""A position as a player has it: the own cards, the pile as it grew, the score, who deals.

The pile tells everything else. Players discard in turn, so it says who threw what, what each took
and declined, and how many cards are left in the stock. A pack that fits it is dealt, the engine is
led to the question by what each player did, and shows there what the player sees. What the player
has not written is taken out again: the cards forgotten and when cards of the own hand were drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from simgin.analysis.position import Position, PositionError
from simgin.core.answers import PASS, STOCK, TAKE
from simgin.core.cards import PACK
from simgin.core.deadwood import deadwood
from simgin.core.endings import knock_limit, multiplier
from simgin.core.match import target
from simgin.core.rules import (
    DISCARD_FIRST,
    FREE,
    NO_JOKER,
    OPPONENT_MAY_TAKE,
    PENALTY,
    UPCARD_PASS,
    UPCARD_STOCK_OR_PASS,
)
from simgin.core.view import FROM_STOCK
from simgin.play.deal import Decision, lead_to
from simgin.play.matchup import parse_matchup
from simgin.play.rollout import die_actions, legal_actions
from simgin.rules.record import build_rules
from simgin.rules.variants import Variant
from simgin.text.notation import card_text, cards_in, hand_mask, parse_card, parse_cards

BLIND = "blind"  # in place of the cards: they are not seen yet
TAKEN = "*"  # after a card of the pile that was taken from it
FORGOTTEN = "?"  # in place of a card that is not remembered
SOME = ("..", "...", "\N{HORIZONTAL ELLIPSIS}")  # in place of any number of them
ME, OTHER, NOBODY = 0, 1, -1  # seats
SEATS = {"me": ME, "other": OTHER}
OWNERS = {**SEATS, "nobody": NOBODY}
CARDS = 52
IN_STOCK = 31  # after the deal
PLAYER, ALONE = "simple", "solo-greedy"  # who would play on from the question; nobody looks


# The pile


@dataclass(frozen=True)
class Laid:
    """A card laid on the pile (-1: forgotten), and whether the next player took it from there."""

    card: int
    taken: bool = False


@dataclass(frozen=True)
class Pile:
    """Cards in the order in which they were laid, and where some were left out."""

    laid: Sequence[Laid]
    gap: int | None = None  # the place of the cards left out

    def whole(self, left: int, stock: int | None, reserve: str = "stock") -> list[Laid]:
        """The cards with as many forgotten ones in the gap as the stock tells.

        left: cards in the stock if none was left out; stock: those that there are, None if
        nobody says. reserve: what the stock is called. Raises PositionError if they do not agree.
        """
        laid = list(self.laid)
        if self.gap is None:
            if stock not in (None, left):
                raise PositionError(
                    f"by this pile {left} cards are left in the {reserve}, not {stock}: write .. "
                    "in it for the cards that you have forgotten."
                )
            return laid
        if stock is None:
            raise PositionError(
                f"with .. in the pile say how many cards are left in the {reserve}, as in "
                "--stock 20, or write a ? for each card that you have forgotten."
            )
        if not 0 <= stock <= left:
            raise PositionError(
                f"by this pile 0 to {left} cards are left in the {reserve}, not {stock}."
            )
        laid[self.gap : self.gap] = [Laid(-1)] * (left - stock)
        return laid


def read_pile(text: str) -> Pile:
    """The pile that a text tells: `QD KS 9C* TH`; CardError or PositionError for another text."""
    laid = []
    gap = None
    for word in text.replace(",", " ").split():
        if word not in SOME:
            name = word.removesuffix(TAKEN)
            card = -1 if name == FORGOTTEN else parse_card(name)
            laid.append(Laid(card, word.endswith(TAKEN)))
        elif gap is not None:
            raise PositionError("write .. once in the pile, and a ? for each other forgotten card.")
        else:
            gap = len(laid)
    return Pile(laid, gap)


def read_score(text: str) -> tuple[int, int]:
    """Own points and the opponent's, from a text like `30-45`; PositionError for another."""
    own, dash, other = text.partition("-")
    if not (dash and own.strip().isdecimal() and other.strip().isdecimal()):
        raise PositionError(
            f"{text!r} is not a score: write your points and the opponent's, like 30-45."
        )
    return int(own), int(other)


# The die


@dataclass(frozen=True)
class Die:
    """The die in a position.

    stake: its number. owner: me, other or nobody. offer: whether to decide about an offer of one's
    own. offered: the number that the opponent offers, to be accepted or refused; 0 for none.
    """

    stake: int = 1
    owner: str = "nobody"
    offer: bool = False
    offered: int = 0

    @property
    def is_asked(self) -> bool:
        """Whether the decision is about the die."""
        return self.offer or self.offered > 0

    @property
    def mover(self) -> int:
        """Whose turn it is: who offers, if the decision is about the die."""
        return OTHER if self.offered else ME

    def check(self, variant: Variant, blind: bool) -> None:
        """Raise PositionError for a die that cannot be so; blind: before the cards are seen."""
        if reason := self._wrong(variant, blind):
            raise PositionError(reason)

    def _wrong(self, variant: Variant, blind: bool) -> str:
        """What is wrong with the die, as a sentence."""
        name = variant.text
        if variant.row["die"] == "off":
            plain = self == NO_DIE
            return "" if plain else f"{name} has no die: leave out its stake, its owner and offers."
        rules = build_rules(variant)
        cap = int(rules.die_cap)
        if self.owner not in OWNERS:
            return f"{self.owner!r} owns no die: write me, other or nobody."
        if not 1 <= self.stake <= cap:
            return f"the die shows 1 to {cap}, not {self.stake}."
        if self.stake == 1 and self.owner != "nobody":
            return "a die that shows 1 belongs to nobody: it goes to whoever accepts an offer."
        if self.stake > 1 and self.owner == "nobody":
            shows = f"a die that shows {self.stake}"
            return f"{shows} belongs to whoever accepted it: name its owner."
        if self.offer and self.offered:
            return "either you offer the die or the opponent does: decide about one."
        if blind and not self.is_asked:
            return "before the cards are seen only the die is decided about: say what is offered."
        if blind and variant.row["die"] == "deal" and self.stake > 1:
            return f"in {name} the die shows 1 when a deal begins."
        if not self.is_asked:
            return ""
        if self.stake == cap:
            return f"the die shows {cap}, and cannot be raised."
        if OWNERS[self.owner] not in (NOBODY, self.mover):
            whose = "you own" if self.owner == "me" else "the opponent owns"
            return f"{whose} the die, so nobody else may offer it."
        if self.offered and not self.stake < self.offered <= cap:
            return (
                f"{self.offered} cannot be offered: the die shows {self.stake}, and an offer is "
                f"more than that, up to {cap}."
            )
        if self.owner == "nobody" and not blind and not rules.die_centre_in_play:
            return f"in {name} a die that nobody owns is offered only before the cards are seen."
        return ""

    def turned(self) -> Iterator[Decision]:
        """How the die came to lie so: it was offered before the cards were seen, and accepted."""
        if self.stake > 1:
            owner = OWNERS[self.owner]
            yield Decision(1 - owner, "offer", self.stake)
            yield Decision(owner, "answer", 1)

    def asked(self) -> Iterator[Decision]:
        """What the opponent has offered just now."""
        if self.offered:
            yield Decision(OTHER, "offer", self.offered)

    @property
    def slot(self) -> str:
        """The question about the die."""
        return "answer" if self.offered else "offer"


NO_DIE = Die()


# Positions


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
    if dealer is not None and dealer not in SEATS:
        raise PositionError(f"{dealer!r} is no dealer: write me or other.")
    seat = None if dealer is None else SEATS[dealer]
    if variant.row["players"] == 1:
        if score is not None or dealer is not None:
            raise PositionError(
                f"{variant.text} is for one player: leave out the score and the dealer."
            )
        die.check(variant, blind=False)
        view = _alone(parse_cards(cards), read_pile(pile), variant, stock)
    elif cards.strip() == BLIND:
        if pile or stock is not None:
            raise PositionError("before the cards are seen there is no pile: leave it out.")
        view = _blind(die, variant, seat)
    else:
        view = _of_two(parse_cards(cards), read_pile(pile), variant, seat, stock, die)
    if score is not None:
        _enter_score(view, score, variant)
    find_actions = die_actions if die.is_asked else legal_actions
    return Position(variant, view, find_actions(view, build_rules(variant)), score is not None)


def _enter_score(view: Any, score: tuple[int, int], variant: Variant) -> None:
    """Write the match before the deal to a view."""
    if variant.goal.score and max(score) >= target(build_rules(variant), ME):
        most = int(target(build_rules(variant), ME))
        raise PositionError(f"the match is over at {score[0]}-{score[1]}: it is played to {most}.")
    kind = "deals" if variant.goal.score == "deals" else "points"
    view[f"own_{kind}"], view[f"other_{kind}"] = score


def _blind(die: Die, variant: Variant, dealer: int | None) -> Any:
    """What a player knows who has not looked at the cards yet."""
    die.check(variant, blind=True)
    dealt_by = 1 - die.mover if dealer is None else dealer
    view = _view(variant, range(CARDS), list(die.asked()), {die.slot}, 0, dealt_by)
    view.stake, view.owner = die.stake, OWNERS[die.owner]  # as an earlier deal has left it
    return view


def _view(
    variant: Variant,
    pack: Sequence[int],
    decisions: Sequence[Decision],
    slots: Collection[str],
    hand: int,
    dealer: int = 0,
    joker: int = -1,
) -> Any:
    """What the player sees at a question of some slots, with this hand, behind these decisions."""
    alone = variant.row["players"] == 1
    own, other = (ALONE, None) if alone else (PLAYER, PLAYER)
    led = lead_to(
        parse_matchup(own, other, variant.text, 1, "deal"),
        decisions,
        lambda asked: asked.seat == ME and asked.slot in slots and asked.view.hand == hand,
        pack=pack,
        dealer=dealer,
        joker=joker,
        points=(0, 0),
    )
    if led is None:
        raise PositionError(f"no deal of {variant.text} leads to these cards and this pile.")
    played, place = led
    return played.questions[place].view


def _with_stand_ins(laid: Sequence[Laid], cards: Sequence[int]) -> tuple[list[Laid], list[int]]:
    """The pile with other cards in place of those forgotten; and the cards that lie nowhere yet."""
    free = cards_in(PACK & ~hand_mask([*cards, *{card.card for card in laid if card.card >= 0}]))
    forgotten = sum(card.card < 0 for card in laid)
    stand_ins = iter(free[:forgotten])
    whole = [replace(card, card=next(stand_ins)) if card.card < 0 else card for card in laid]
    return whole, free[forgotten:]


def _forget(view: Any, laid: Sequence[Laid], whole: Sequence[Laid]) -> Any:
    """The view without the cards that stood in for others, and without when cards were drawn."""
    stand_ins = [card.card for card, told in zip(whole, laid, strict=True) if told.card < 0]
    cards = hand_mask(stand_ins)
    for name in ("pile", "known", "shed"):
        view[name] &= ~cards
    view.unseen |= cards
    if view.upcard in stand_ins:
        view.upcard = -1
    for row in view.history[: view.turns]:
        if row[1] == FROM_STOCK or row[2] in stand_ins:
            row[2] = -1
        if row[3] in stand_ins:
            row[3] = -1
    return view


def _check_number(cards: Sequence[int]) -> None:
    n = len(cards)
    if n not in (10, 11):
        given = "1 card was" if n == 1 else f"{n} cards were"
        raise PositionError(f"{given} given; a hand has ten cards, or eleven before a discard.")


# Of one player


def _alone(cards: Sequence[int], pile: Pile, variant: Variant, stock: int | None) -> Any:
    """What a single player sees with these cards; pile: the discards."""
    rules = build_rules(variant)
    has_joker = rules.joker != NO_JOKER
    left = CARDS + has_joker - len(cards) - len(pile.laid)
    if left < 0:
        raise PositionError("more cards are given than the pack has.")
    laid = pile.whole(left, stock, "deck")
    _check_thrown(cards, laid, variant)
    whole, free = _with_stand_ins(laid, cards)
    thrown = [card.card for card in whole]
    size = 11 if rules.first_turn == DISCARD_FIRST else 10
    draws = len(thrown) + len(cards) - size
    _check_draws(cards, draws, variant)
    slots = ("discard", "knock") if len(cards) == 11 else ("knock",)
    decisions = [Decision(ME, "discard", card) for card in thrown]
    joker = CARDS if has_joker else -1
    pack = [*thrown, *cards, *free]  # what was thrown first was there first
    view = _view(variant, pack, decisions, slots, hand_mask(cards), joker=joker)
    return _forget(view, laid, whole)


def _check_thrown(cards: Sequence[int], laid: Sequence[Laid], variant: Variant) -> None:
    """Ten or eleven cards, and each of them and of the discards once."""
    if any(card.taken for card in laid):
        raise PositionError(f"in {variant.text} discards cannot be taken: leave out the *.")
    thrown = [card.card for card in laid if card.card >= 0]
    for card in thrown:
        if card in cards:
            raise PositionError(f"{card_text(card)} is among your cards, but was thrown.")
        if thrown.count(card) > 1:
            raise PositionError(f"{card_text(card)} was thrown twice.")
    _check_number(cards)


def _check_draws(cards: Sequence[int], draws: int, variant: Variant) -> None:
    """Refuse more draws than there are, and ten cards with which there is nothing to decide."""
    rules = build_rules(variant)
    if draws < 0:
        raise PositionError(
            f"in {variant.text} eleven cards are dealt and one is thrown before the first draw: "
            "give the discard as well, as in --pile KC."
        )
    if 0 <= rules.max_draws < draws:
        raise PositionError(
            f"the deal is over: it ends after {rules.max_draws} draws, and these cards need "
            f"{draws}."
        )
    if len(cards) == 11:
        return
    count = int(deadwood(hand_mask(cards), rules))
    if rules.deal_scoring == PENALTY:
        raise PositionError(
            "with ten cards nothing is decided here: gin ends the deal by itself. Give eleven, the "
            "card just drawn last."
        )
    if count > rules.knock_limit:
        limit = f"{rules.knock_limit} or less" if rules.knock_limit else "gin"
        raise PositionError(
            f"with ten cards and a deadwood of {count} you have to draw: only {limit} ends "
            "the deal. Give eleven cards, the one just drawn last."
        )
    if draws == 0 and not rules.stop_before_draw:
        raise PositionError("before the first draw the deal cannot be ended.")


# Of two players


def _of_two(
    cards: list[int], pile: Pile, variant: Variant, dealer: int | None, stock: int | None, die: Die
) -> Any:
    """What a player of two sees with these cards; dealer: a seat, None as the pile has it."""
    if variant.goal.other is not None:
        raise PositionError(
            f"in {variant.text} cards and pile do not tell the position: name a deal of two "
            "strategies."
        )
    die.check(variant, blind=False)
    if pile.gap == len(pile.laid) or (pile.laid and pile.laid[-1].card < 0):
        raise PositionError("the card on top of the pile lies open: write it last.")
    remembered = _Told(cards, pile.laid, variant, dealer, die)
    laid = pile.whole(remembered.stock, stock)
    _Told(cards, laid, variant, dealer, die).check()
    whole, free = _with_stand_ins(laid, cards)
    told = _Told(cards, whole, variant, dealer, die)
    told.check_cards()
    decisions = [*die.turned(), *told.decisions(), *die.asked()]
    hand = hand_mask(cards)
    view = _view(variant, told.pack(free), decisions, told.slots, hand, told.dealer)
    return _forget(view, laid, whole)


class _Told:
    """Own cards and the pile, and what follows from them."""

    def __init__(
        self, cards: list[int], laid: Sequence[Laid], variant: Variant, dealer: int | None, die: Die
    ) -> None:
        self.cards = cards
        self.laid = laid
        self.variant = variant
        self.rules = build_rules(variant)
        self.has_upcard = bool(self.rules.first_turn != DISCARD_FIRST)
        # What lay on top before each turn, that of the question last
        self.before: Sequence[Laid | None] = laid if self.has_upcard else [None, *laid]
        self.thrown = [card.card for card in laid[self.has_upcard :]]
        self.die = die
        # Players discard in turn, and who offers the die is on turn
        self.first = (len(self.thrown) + die.mover) % 2
        self.dealer = 1 - self.first if dealer is None else dealer

    def mover(self, turn: int) -> int:
        """Whose turn it was, from 0."""
        return (self.first + turn) % 2

    def source(self, turn: int) -> str:
        """Where the card of a turn came from: pile, stock or deal."""
        top = self.before[turn]
        if top is None:
            return "deal"
        return "pile" if top.taken else "stock"

    @cached_property
    def begun(self) -> list[int]:
        """The turns in which a card has come to the hand: all, but for the last with ten cards."""
        is_open = len(self.cards) == 11 and bool(self.before) and not self.die.is_asked
        return list(range(len(self.thrown) + is_open))

    @property
    def stock(self) -> int:
        """Cards in the stock."""
        return IN_STOCK - sum(self.source(turn) == "stock" for turn in self.begun)

    @property
    def is_last(self) -> bool:
        """Whether the last discard is offered (50th-card rule)."""
        may_take = self.rules.stock_end == OPPONENT_MAY_TAKE and not self.die.is_asked
        return bool(may_take and self.stock == self.rules.stock_reserve and len(self.cards) == 10)

    @property
    def slots(self) -> Collection[str]:
        """The slots of the question."""
        if self.die.is_asked:
            return {self.die.slot}
        if len(self.cards) == 11:
            return {"discard", "knock"}
        return {"knock"} if self.is_last else {"take"}

    # The deal

    def pack(self, free: list[int]) -> list[int]:
        """The pack in dealing order; free: cards of which nothing is told.

        Of a player's cards those that were thrown first have been there first.
        """
        hidden = list(free)
        came = [self._came(ME, hidden), self._came(OTHER, hidden)]
        pack = []
        for _ in range(10):
            for seat in (1 - self.dealer, self.dealer):
                pack.append(came[seat].pop(0))
        pack.append(self.laid[0].card if self.has_upcard else came[1 - self.dealer].pop(0))
        for turn in self.begun:
            if self.source(turn) == "stock":
                pack.append(came[self.mover(turn)].pop(0))
        return pack + hidden

    def _came(self, seat: int, hidden: list[int]) -> list[int]:
        """The cards that a player was dealt or drew, in the order in which they were thrown.

        The opponent holds some of those that are hidden.
        """
        came = []
        taken = set()
        size = 10 + (not self.has_upcard and seat != self.dealer)
        for turn in self.begun:
            if self.mover(turn) != seat:
                continue
            top = self.before[turn]
            if top is not None and top.taken:
                taken.add(top.card)
            size += self.source(turn) == "stock"
            for card in self.thrown[turn : turn + 1]:
                if card in taken:
                    taken.remove(card)
                else:
                    came.append(card)
        if seat == ME:
            return came + [card for card in self.cards if card not in taken]
        left = size - len(came)
        if left < 0:
            raise PositionError("by this pile the opponent took more than ten cards and kept them.")
        came += hidden[:left]
        del hidden[:left]
        return came

    def decisions(self) -> Iterator[Decision]:
        """What the players did up to the question."""
        yield from self._opening()
        for turn in self.begun:
            if turn and self.rules.take_discard:
                yield Decision(self.mover(turn), "take", int(self.source(turn) == "pile"))
            for card in self.thrown[turn : turn + 1]:
                yield Decision(self.mover(turn), "discard", card)

    def _opening(self) -> Iterator[Decision]:
        """What the players did about the first upcard.

        Where the nondealer may draw from the stock at once, the pile does not tell whether the
        dealer was asked; most players pass first.
        """
        first_turn = self.rules.first_turn
        nondealer = 1 - self.dealer
        if first_turn == DISCARD_FIRST:
            return
        if first_turn == FREE:
            if self.begun:
                yield Decision(nondealer, "take", int(self.laid[0].taken))
            return
        declined = Decision(nondealer, "take", STOCK if first_turn == UPCARD_PASS else PASS)
        if self.first == self.dealer:
            yield declined
            if self.begun:
                yield Decision(self.dealer, "take", int(self.laid[0].taken))
        elif self.begun and self.laid[0].taken:
            yield Decision(nondealer, "take", TAKE)
        elif self.begun:
            yield declined
            yield replace(declined, seat=self.dealer)
            if first_turn == UPCARD_STOCK_OR_PASS:
                yield Decision(nondealer, "take", STOCK)

    # What cannot be

    def check(self) -> None:
        """Raise PositionError for what cannot come about."""
        self._check_pile()
        self._check_dealer()
        self._check_stock()

    def _check_pile(self) -> None:
        """As many cards as the pile says, and what sets the terms or was taken is remembered."""
        name = self.variant.text
        eleven = len(self.cards) == 11
        _check_number(self.cards)
        if self.has_upcard and not self.laid:
            raise PositionError("give the pile, from the first upcard on: --pile QD, for example.")
        top = self.before[-1]
        if top is not None and top.taken and not eleven:
            raise PositionError(
                f"{card_text(top.card)} was just taken, so the hand has eleven cards; only ten are "
                "given."
            )
        if self.die.is_asked and eleven and top is not None:
            raise PositionError("the die is offered before the draw: give the ten cards held then.")
        if top is None and not eleven and not self.die.offered:
            raise PositionError(f"in {name} the first player is dealt eleven cards; ten are given.")
        if self.has_upcard and self.laid[0].card < 0 and _sets_terms(self.rules):
            raise PositionError(
                f"in {name} the first upcard sets the knock limit or what points count: write it "
                "first."
            )
        for turn, card in enumerate(self.before):
            if card is not None and card.taken and card.card < 0 and self.mover(turn) == ME:
                raise PositionError(
                    f"by this pile you took the card forgotten in place {turn + 1}: write which."
                )

    def _check_dealer(self) -> None:
        """The nondealer made the first turn, unless the dealer took the upcard."""
        if self.dealer != self.first:
            return
        first_turn = self.rules.first_turn
        upcard_draws = first_turn == UPCARD_PASS and bool(self.begun) and not self.laid[0].taken
        if first_turn in (DISCARD_FIRST, FREE) or upcard_draws:
            mine = self.first == ME
            who, deals = ("you", "the opponent deals") if mine else ("the opponent", "you deal")
            raise PositionError(
                f"the nondealer plays first, and by the pile that was {who}: {deals}."
            )

    def _check_stock(self) -> None:
        reserve = int(self.rules.stock_reserve)
        ten = len(self.cards) == 10
        if self.stock < reserve or (ten and not self.is_last and self.stock == reserve):
            raise PositionError(
                f"the deal is over: by this pile {max(0, self.stock)} cards are left in the stock."
            )
        if ten and not (self.rules.take_discard or self.is_last or self.die.is_asked):
            raise PositionError(
                f"in {self.variant.text} discards cannot be taken, so ten cards leave no choice."
            )

    def check_cards(self) -> None:
        """Raise PositionError for a card in two places."""
        where: dict[int, str] = {}  # pile, or the seat of the player who took it
        for turn, top in enumerate(self.before):
            if top is None:
                continue
            name = card_text(top.card)
            thrower = str(self.mover(turn - 1)) if turn else ""
            if where.get(top.card) == "pile":
                raise PositionError(f"{name} lies in the pile twice.")
            if where.get(top.card, thrower) != thrower:
                raise PositionError(f"{name} was taken by one player and thrown by the other.")
            where[top.card] = str(self.mover(turn)) if top.taken else "pile"
        for card in self.cards:
            if where.get(card, str(ME)) != str(ME):
                how = "lies in the pile" if where[card] == "pile" else "was taken by the opponent"
                raise PositionError(f"{card_text(card)} is among your cards, but {how}.")
        for card, place in where.items():
            if place == str(ME) and card not in self.cards:
                raise PositionError(
                    f"{card_text(card)} was taken by you and not thrown, but is not among your "
                    "cards."
                )
        last = self.cards[-1]
        if self.begun[len(self.thrown) :] and self.source(-1) == "stock" and last in where:
            raise PositionError(
                f"{card_text(last)} was taken before, so it is not the card just drawn: of eleven "
                "cards write the one just drawn last."
            )


def _sets_terms(rules: Any) -> bool:
    """Whether the first upcard sets the knock limit or a factor on points."""
    terms = {(knock_limit(card, rules), multiplier(card, rules)) for card in cards_in(PACK)}
    return len(terms) > 1

"""Positions as a user writes them: the hand, the pile in order, the score and the dealer.

The pile determines the rest. Players discard in turn, so it shows who discarded, took and declined
each card, and how many cards are in the stock. simgin deals a pack that fits the pile, replays the
decisions of both players, and reads the view at the decision. It then removes what the user has
not specified: forgotten cards, and the turns in which cards of the hand were drawn.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
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
from simgin.core.view import FROM_STOCK, MAX_TURNS
from simgin.play.matchup import parse_matchup
from simgin.play.pile import FORGOTTEN, SOME, TAKEN
from simgin.play.rollout import die_actions, legal_actions
from simgin.play.watch import Decision, lead_to
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.text.messages import quoted, shown
from simgin.text.notation import (
    card_text,
    cards_in,
    hand_mask,
    parse_card,
    parse_cards,
    split_cards,
)

BLIND = "blind"  # instead of the cards, before the player sees them
ME, OTHER, NOBODY, PILE = 0, 1, -1, 2  # seats, and other locations of a card
SEATS = {"me": ME, "other": OTHER}
OWNERS = {**SEATS, "nobody": NOBODY}
CARDS = 52
IN_STOCK = 31  # after the deal
MOST_POINTS = 10**9
SCORE = re.compile(r"(\d{1,9})\s*-\s*(\d{1,9})", re.ASCII)
PLAYER, ALONE = "simple", "solo-greedy"  # strategies of the replay, with no effect on the view


# Parsing


@dataclass(frozen=True)
class Laid:
    """Card of the pile.

    Attributes:
        card: The card, or -1 if it is forgotten.
        is_taken: True if the next player took the card.
    """

    card: int
    taken: bool = False


def read_pile(text: str) -> tuple[list[Laid], int | None]:
    """Parse a pile such as `QD KS ? 9C* .. TH`.

    Returns:
        The cards, and the index of `..`, the gap for omitted cards, or None.

    Raises:
        CardError: If a card is not valid.
        PositionError: If the pile has two gaps or too many cards.
    """
    laid = []
    gap = None
    for word in split_cards(text):
        if word not in SOME:
            name = word.removesuffix(TAKEN)
            card = -1 if name == FORGOTTEN else parse_card(name)
            laid.append(Laid(card, word.endswith(TAKEN)))
        elif gap is not None:
            raise PositionError("write .. once in the pile, and a ? for each other forgotten card.")
        else:
            gap = len(laid)
    if len(laid) > MAX_TURNS:
        raise PositionError(f"{len(laid):,} cards are more than a deal lays on the pile.")
    return laid, gap


def _whole(
    laid: list[Laid], gap: int | None, left: int, stock: int | None, reserve: str = "stock"
) -> list[Laid]:
    """Return the pile with the gap filled with forgotten cards.

    Args:
        laid: Cards of the pile.
        gap: Index of the gap, or None.
        left: Number of cards in the stock if no card was omitted.
        stock: Number of cards in the stock as the user states it, or None.
        reserve: Word for the stock in error messages.
    """
    if gap is None and stock not in (None, left):
        raise PositionError(
            f"by this pile {left} cards are left in the {reserve}, not {stock}: write .. "
            "in it for the cards that you have forgotten."
        )
    if gap is None:
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
    return [*laid[:gap], *[Laid(-1)] * (left - stock), *laid[gap:]]


def read_score(text: str) -> tuple[int, int]:
    """Parse a score like `30-45` into the player's points and the opponent's.

    Raises:
        PositionError: If the text is not a score.
    """
    score = SCORE.fullmatch(text.strip())
    if score is None:
        raise PositionError(
            f"{quoted(text, 40)} is not a score: write your points and the opponent's, like 30-45."
        )
    return int(score[1]), int(score[2])


@dataclass(frozen=True)
class Die:
    """Die in a position.

    Attributes:
        stake: Number on the die.
        owner: `me`, `other` or `nobody`.
        is_offering: True if the decision is whether to offer the die.
        offered: Number that the opponent offers, to be accepted or refused; 0 for no offer.
    """

    stake: int = 1
    owner: str = "nobody"
    offer: bool = False
    offered: int = 0

    @property
    def is_asked(self) -> bool:
        """True if the decision is about the die."""
        return self.offer or self.offered > 0

    @property
    def mover(self) -> int:
        """Seat whose turn it is; if the decision is about the die, the seat that offers it."""
        return OTHER if self.offered else ME

    def wrong(self, variant: Variant, blind: bool = False) -> Iterator[str]:
        """Yield an error message for each impossible property of the die.

        Args:
            variant: Variant of the deal.
            blind: True if the player has not seen the cards.
        """
        name = variant.text
        if variant.row["die"] == "off":
            if self != NO_DIE:
                yield f"{name} has no die: leave out its stake, its owner and offers."
            if blind:
                yield f"{name} has no die to decide about: give your cards."
            return
        rules = build_rules(variant)
        cap = int(rules.die_cap)
        if self.owner not in OWNERS:
            yield f"{self.owner!r} owns no die: write me, other or nobody."
        if not 1 <= self.stake <= cap:
            yield f"the die shows 1 to {cap}, not {self.stake}."
        if (self.stake == 1) != (self.owner == "nobody"):
            yield "a die that shows 1 belongs to nobody, else to who accepted it: name its owner."
        if self.offer and self.offered:
            yield "either you offer the die or the opponent does: decide about one."
        if blind and not self.is_asked:
            yield "before the cards are seen only the die is decided about: say what is offered."
        if blind and variant.row["die"] == "deal" and self.stake > 1:
            yield f"in {name} the die shows 1 when a deal begins."
        if not self.is_asked:
            return
        if self.stake == cap:
            yield f"the die shows {cap}, and cannot be raised."
        if OWNERS[self.owner] not in (NOBODY, self.mover):
            whose = "you own" if self.owner == "me" else "the opponent owns"
            yield f"{whose} the die, so nobody else may offer it."
        if self.offered and not self.stake < self.offered <= cap:
            shows = f"the die shows {self.stake}, and an offer is more than that, up to {cap}."
            yield f"{self.offered} cannot be offered: {shows}"
        if self.owner == "nobody" and not blind and not rules.die_centre_in_play:
            yield f"in {name} a die that nobody owns is offered only before the cards are seen."

    def turned(self) -> Iterator[Decision]:
        """Yield the decisions that raised the die: an accepted offer before the cards were seen."""
        if self.stake > 1:
            owner = OWNERS[self.owner]
            yield Decision(1 - owner, "offer", self.stake)
            yield Decision(owner, "answer", 1)

    def asked(self) -> Iterator[Decision]:
        """Yield the current offer of the opponent, if there is one."""
        if self.offered:
            yield Decision(OTHER, "offer", self.offered)

    @property
    def slot(self) -> str:
        """Slot of the decision about the die."""
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
    """Return the position of a player.

    Args:
        cards: Ten or eleven cards of the player; of eleven, the last one was drawn. `blind` if the
            player has not seen the cards.
        pile: Discard pile from the first upcard on, see `parse_pile`. A mark after the last card
            means that the player has just taken it. If the pile is empty and the player has
            eleven cards, it is unknown. In solitaire games, the pile contains the player's own
            discards.
        variant: Variant of the deal.
        score: Points of the player and the opponent, or won deals if these are the score. If
            given, the goal is to win the match.
        dealer: `me` or `other`; by default as determined by the pile.
        stock: Number of cards in the stock, if the pile has a gap.
        die: State of the die, and whether the decision is about it. Such a decision comes before
            the draw.

    Raises:
        PositionError: If the position is impossible.
        CardError: If a card is not valid.
    """
    if dealer is not None and dealer not in SEATS:
        raise PositionError(f"{dealer!r} is no dealer: write me or other.")
    seat = None if dealer is None else SEATS[dealer]
    if variant.row["players"] == 1:
        if score is not None or dealer is not None:
            raise PositionError(
                f"{variant.text} is for one player: leave out the score and the dealer."
            )
        _refuse(die.wrong(variant))
        view = _alone(parse_cards(cards), pile, variant, stock)
    elif cards.strip() == BLIND:
        if pile or stock is not None:
            raise PositionError("before the cards are seen there is no pile: leave it out.")
        view = _blind(die, variant, seat)
    else:
        view = _of_two(parse_cards(cards), pile, variant, seat, stock, die)
    if score is not None:
        _enter_score(view, score, variant)
    find_actions = die_actions if die.is_asked else legal_actions
    return Position(variant, view, find_actions(view, build_rules(variant)), score is not None)


def _refuse(reasons: Iterator[str]) -> None:
    """Raise PositionError for the first error message, if there is one."""
    for reason in reasons:
        raise PositionError(reason)


def _enter_score(view: Any, score: tuple[int, int], variant: Variant) -> None:
    """Write the match before the deal to a view."""
    is_pair = isinstance(score, tuple | list) and len(score) == 2
    if not is_pair or not all(isinstance(won, int) and 0 <= won < MOST_POINTS for won in score):
        raise PositionError(
            f"{shown(score)} is not a score: give your points and the opponent's, as in (30, 45)."
        )
    if variant.goal.score and max(score) >= target(build_rules(variant), ME):
        most = int(target(build_rules(variant), ME))
        raise PositionError(f"the match is over at {score[0]}-{score[1]}: it is played to {most}.")
    kind = "deals" if variant.goal.score == "deals" else "points"
    view[f"own_{kind}"], view[f"other_{kind}"] = score


def _blind(die: Die, variant: Variant, dealer: int | None) -> Any:
    """Return the view of a player who has not seen the cards."""
    _refuse(die.wrong(variant, blind=True))
    dealt_by = 1 - die.mover if dealer is None else dealer
    view = _view(variant, range(CARDS), die.asked(), {die.slot}, 0, dealer=dealt_by)
    assert view is not None, "every deal begins with the die"
    view.stake, view.owner = die.stake, OWNERS[die.owner]  # left by an earlier deal
    return view


def _view(
    variant: Variant,
    pack: Sequence[int],
    decisions: Iterable[Decision],
    slots: Collection[str],
    hand: int,
    **table: int,
) -> Any:
    """Return the view at the first matching query after some decisions; None if there is none.

    Args:
        variant: Variant of the deal.
        pack: Cards in dealing order.
        decisions: Decisions of both players, in order.
        slots: Accepted slots of the query.
        hand: Mask of the player's cards at the query.
        **table: Dealer and position of the joker.
    """
    own, other = (ALONE, None) if variant.row["players"] == 1 else (PLAYER, PLAYER)
    led = lead_to(
        parse_matchup(own, other, variant, 1, "deal"),
        list(decisions),
        lambda asked: asked.seat == ME and asked.slot in slots and asked.view.hand == hand,
        pack=pack,
        points=(0, 0),
        **table,
    )
    return None if led is None else led[0].question(led[1]).view


def _with_stand_ins(
    laid: Sequence[Laid], cards: Sequence[int], shift: int = 0
) -> tuple[list[Laid], list[int]]:
    """Return the pile with placeholder cards for forgotten ones, and the remaining free cards."""
    remembered = {card.card for card in laid if card.card >= 0}
    free = cards_in(PACK & ~hand_mask([*cards, *remembered]))
    if sum(card.card < 0 for card in laid) > len(free):
        raise PositionError("more cards are given than the pack has.")
    free = free[shift:] + free[:shift]
    return [replace(card, card=free.pop(0)) if card.card < 0 else card for card in laid], free


def _forget(view: Any, laid: Sequence[Laid], whole: Sequence[Laid]) -> Any:
    """Remove placeholder cards from the view, and the turns in which cards were drawn."""
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


def _wrong_number(cards: Sequence[int]) -> Iterator[str]:
    n = len(cards)
    if n not in (10, 11):
        given = "1 card was" if n == 1 else f"{n} cards were"
        yield f"{given} given; a hand has ten cards, or eleven before a discard."


# Solitaire games


def _alone(cards: list[int], pile: str, variant: Variant, stock: int | None) -> Any:
    """Return the view of a solitaire player with these cards and discards."""
    has_joker = bool(build_rules(variant).joker != NO_JOKER)
    told, gap = read_pile(pile)
    left = CARDS + has_joker - len(cards) - len(told)
    if left < 0:
        raise PositionError("more cards are given than the pack has.")
    laid = _whole(told, gap, left, stock, "deck")
    _refuse(_wrong_alone(cards, [card.card for card in laid], variant))
    _refuse(
        f"in {variant.text} discards cannot be taken: leave out the *."
        for card in laid
        if card.taken
    )
    slots = ("discard", "knock") if len(cards) == 11 else ("knock",)
    joker = CARDS if has_joker else -1
    for shift in range(10):  # try other orders if a gin ended the replayed deal too early
        whole, free = _with_stand_ins(laid, cards, shift)
        thrown = [card.card for card in whole]
        # Deal the discards in their order first, and the card that was drawn last at the end
        pack = [*thrown, *cards[shift:10], *cards[:shift], *cards[10:], *free]
        decisions = [Decision(ME, "discard", card) for card in thrown]
        view = _view(variant, pack, decisions, slots, hand_mask(cards), joker=joker)
        if view is not None:
            return _forget(view, laid, whole)
    raise PositionError(f"no deal of {variant.text} leads to these cards and discards.")


def _wrong_alone(cards: Sequence[int], thrown: Sequence[int], variant: Variant) -> Iterator[str]:
    """Yield an error message if a solitaire position is impossible or requires no decision."""
    rules = build_rules(variant)
    for card in thrown:
        if card in cards:
            yield f"{card_text(card)} is among your cards, but was thrown."
        if card >= 0 and thrown.count(card) > 1:
            yield f"{card_text(card)} was thrown twice."
    yield from _wrong_number(cards)
    draws = len(thrown) + len(cards) - (11 if rules.first_turn == DISCARD_FIRST else 10)
    if draws < 0:
        yield (
            f"in {variant.text} eleven cards are dealt and one is thrown before the first draw: "
            "give the discard as well, as in --pile KC."
        )
    if len(cards) == 11:
        return
    if rules.deal_scoring == PENALTY:
        yield (
            "with ten cards nothing is decided here: gin ends the deal by itself. Give eleven, the "
            "card just drawn last."
        )
    count = int(deadwood(hand_mask(cards), rules))
    if count > rules.knock_limit:
        limit = f"{rules.knock_limit} or less" if rules.knock_limit else "gin"
        yield (
            f"with ten cards and a deadwood of {count} you have to draw: only {limit} ends "
            "the deal. Give eleven cards, the one just drawn last."
        )


# Two-player games


def _of_two(
    cards: list[int], pile: str, variant: Variant, dealer: int | None, stock: int | None, die: Die
) -> Any:
    """Return the view of a player in a two-player game.

    Args:
        cards: Cards of the player.
        pile: Discard pile as the user writes it.
        variant: Variant of the deal.
        dealer: Seat of the dealer; None to infer it from the pile.
        stock: Number of cards in the stock, or None.
        die: State of the die.
    """
    name = variant.text
    if variant.goal.other is not None:
        how = "name a deal of two strategies"
        raise PositionError(f"in {name} cards and pile do not tell the position: {how}.")
    _refuse(die.wrong(variant))
    remembered, gap = read_pile(pile)
    if not pile.strip() and len(cards) == 11:  # unknown pile: as few cards as the stock allows
        if stock is not None:
            gap = 0
        elif build_rules(variant).first_turn != DISCARD_FIRST:
            remembered = [Laid(-1)]
    elif gap == len(remembered) or (remembered and remembered[-1].card < 0):
        raise PositionError("the card on top of the pile lies open: write it last.")
    laid = _whole(remembered, gap, _Told(cards, remembered, variant, dealer, die).stock, stock)
    _refuse(_Told(cards, laid, variant, dealer, die).wrong())
    whole, free = _with_stand_ins(laid, cards)
    told = _Told(cards, whole, variant, dealer, die)
    decisions = [*die.turned(), *told.decisions(), *die.asked()]
    pack = told.pack(free)
    view = _view(variant, pack, decisions, told.slots, hand_mask(cards), dealer=told.dealer)
    if view is None:
        raise PositionError(f"no deal of {name} leads to these cards and this pile.")
    return _forget(view, laid, whole)


class _Told:
    """Cards and pile of a two-player position, and the deal that they determine."""

    def __init__(
        self, cards: list[int], laid: Sequence[Laid], variant: Variant, dealer: int | None, die: Die
    ) -> None:
        self.cards = cards
        self.laid = laid
        self.variant = variant
        self.rules = build_rules(variant)
        self.has_upcard = bool(self.rules.first_turn != DISCARD_FIRST)
        # Top card of the pile before each turn, including the turn of the decision
        self.before: Sequence[Laid | None] = laid if self.has_upcard else [None, *laid]
        self.thrown = [card.card for card in laid[self.has_upcard :]]
        self.die = die
        # Players discard in turn, and a player may offer the die only in their own turn
        self.first = (len(self.thrown) + die.mover) % 2
        self.dealer = 1 - self.first if dealer is None else dealer

    def mover(self, turn: int) -> int:
        """Return the seat of a turn, counted from 0."""
        return (self.first + turn) % 2

    def source(self, turn: int) -> str:
        """Return the source of the card of a turn: pile, stock or deal."""
        top = self.before[turn]
        if top is None:
            return "deal"
        return "pile" if top.taken else "stock"

    @cached_property
    def begun(self) -> list[int]:
        """Turns in which a player has received a card: all except the last one with ten cards."""
        is_open = len(self.cards) == 11 and bool(self.before) and not self.die.is_asked
        return list(range(len(self.thrown) + is_open))

    @property
    def stock(self) -> int:
        """Number of cards in the stock."""
        return IN_STOCK - sum(self.source(turn) == "stock" for turn in self.begun)

    @property
    def is_last(self) -> bool:
        """True if the last discard is offered (50th-card rule)."""
        may_take = self.rules.stock_end == OPPONENT_MAY_TAKE and not self.die.is_asked
        return bool(may_take and self.stock == self.rules.stock_reserve and len(self.cards) == 10)

    @property
    def slots(self) -> Collection[str]:
        """Slots of the query."""
        if self.die.is_asked:
            return {self.die.slot}
        if len(self.cards) == 11:
            return {"discard", "knock"}
        return {"knock"} if self.is_last else {"take"}

    # Deal

    def pack(self, free: list[int]) -> list[int]:
        """Return the pack in dealing order.

        Of a player's cards, those that were discarded first are dealt first.

        Args:
            free: Cards with unknown locations.
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
        """Return the cards that a player received, in the order of their discards.

        Unknown cards of the opponent are removed from `hidden`.
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
        """Yield the decisions of both players before the query."""
        yield from self._opening()
        for turn in self.begun:
            if turn and self.rules.take_discard:
                yield Decision(self.mover(turn), "take", int(self.source(turn) == "pile"))
            for card in self.thrown[turn : turn + 1]:
                yield Decision(self.mover(turn), "discard", card)

    def _opening(self) -> Iterator[Decision]:
        """Yield the decisions about the first upcard.

        If the nondealer may draw from the stock immediately, the pile does not show whether the
        dealer had a decision. Most players pass first, so this is assumed.
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

    # Errors

    def wrong(self) -> Iterator[str]:
        """Yield an error message if the position is impossible or requires no decision."""
        yield from _wrong_number(self.cards)
        if self.has_upcard and not self.laid:
            yield "give the pile, from the first upcard on: --pile QD, for example."
        yield from self._wrong_pile()
        yield from self._wrong_places()
        ten = len(self.cards) == 10
        first_turn = self.rules.first_turn
        drew_first = first_turn == UPCARD_PASS and bool(self.begun) and not self.laid[0].taken
        if self.dealer == self.first and (first_turn in (DISCARD_FIRST, FREE) or drew_first):
            mine = self.first == ME
            who, deals = ("you", "the opponent deals") if mine else ("the opponent", "you deal")
            yield f"the nondealer plays first, and by the pile that was {who}: {deals}."
        reserve = int(self.rules.stock_reserve)
        if self.stock < reserve or (ten and not self.is_last and self.stock == reserve):
            left = max(0, self.stock)
            yield f"the deal is over: by this pile {left} cards are left in the stock."

    def _wrong_pile(self) -> Iterator[str]:
        """Yield errors of the number of cards, and of forgotten cards that must be known."""
        top = self.before[-1]
        if top is not None and top.taken and len(self.cards) == 10:
            taken = f"{card_text(top.card)} was just taken, so the hand has eleven cards"
            yield f"{taken}; only ten are given."
        if self.die.is_asked and len(self.cards) != 10 and top is not None:
            yield "the die is offered before the draw: give the ten cards held then."
        if top is None and len(self.cards) == 10 and not self.die.offered:
            yield f"in {self.variant.text} the first player is dealt eleven cards; ten are given."
        if self.has_upcard and self.laid[0].card < 0 and self._depends_on_upcard:
            sets = "the first upcard sets the knock limit or what points count"
            yield f"in {self.variant.text} {sets}: write it first."
        for turn, card in enumerate(self.before):
            if card is not None and card.taken and card.card < 0 and self.mover(turn) == ME:
                yield f"by this pile you took the card forgotten in place {turn + 1}: write which."

    @property
    def _depends_on_upcard(self) -> bool:
        """True if the first upcard sets the knock limit or the multiplier of points."""
        rules = self.rules
        terms = {(knock_limit(card, rules), multiplier(card, rules)) for card in range(CARDS)}
        return len(terms) > 1

    def _wrong_places(self) -> Iterator[str]:
        """Yield errors of cards that would be in two locations."""
        place: dict[int, int] = {}  # IN_PILE, or the seat of the player who took the card
        for turn, top in enumerate(self.before):
            if top is None or top.card < 0:
                continue
            thrower = self.mover(turn - 1) if turn else NOBODY
            if place.get(top.card) == PILE:
                yield f"{card_text(top.card)} lies in the pile twice."
            if place.get(top.card, thrower) != thrower:
                yield f"{card_text(top.card)} was taken by one player and thrown by the other."
            place[top.card] = self.mover(turn) if top.taken else PILE
        for card in self.cards:
            if place.get(card, ME) != ME:
                how = "lies in the pile" if place[card] == PILE else "was taken by the opponent"
                yield f"{card_text(card)} is among your cards, but {how}."
        for card, seat in place.items():
            if seat == ME and card not in self.cards:
                lost = "was taken by you and not thrown, but is not among your cards"
                yield f"{card_text(card)} {lost}."
        last = self.cards[-1]
        if len(self.begun) > len(self.thrown) and self.source(-1) == "stock" and last in place:
            yield (
                f"{card_text(last)} was taken before, so it is not the card just drawn: of eleven "
                "cards write the one just drawn last."
            )

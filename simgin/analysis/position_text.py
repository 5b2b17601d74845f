"""Parsing of positions: the hand, the pile in order, the score and the dealer.

The pile determines the other facts. Players discard in turn, so the pile shows who discarded, took
and declined each card, and how many cards are in the stock. simgin deals a pack that fits the pile,
replays the decisions of both players, and reads the view at the decision. It then removes what the
user has not specified: forgotten cards, and the turns in which cards of the hand were drawn.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from simgin.analysis.position import Position, PositionError
from simgin.core.cards import ALL_CARDS
from simgin.core.codes import ACTION_PASS, ACTION_STOCK, ACTION_TAKE
from simgin.core.deadwood import deadwood
from simgin.core.endings import deal_multiplier, knock_limit
from simgin.core.match import match_target
from simgin.core.rules_record import (
    FIRST_TURN_DISCARD,
    FIRST_TURN_FREE,
    FIRST_TURN_UPCARD_PASS,
    FIRST_TURN_UPCARD_STOCK_OR_PASS,
    JOKER_NONE,
    SCORING_PENALTY,
    STOCK_END_OPPONENT_MAY_TAKE,
)
from simgin.core.view import FROM_STOCK, MAX_TURNS
from simgin.play.matchup import parse_matchup
from simgin.play.pile import ELLIPSES, TAKEN_MARK, UNKNOWN_CARD_MARK
from simgin.play.rollouts import die_actions, legal_actions
from simgin.play.traced_deal import ScriptedAction, trace_to_decision
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.text.messages import format_value, quote_text
from simgin.text.notation import (
    cards_to_mask,
    format_card,
    mask_to_cards,
    parse_card,
    parse_cards,
    split_cards,
)

BLIND_WORD = "blind"  # instead of the cards, before the player sees them
PLAYER_SEAT, OPPONENT_SEAT, NO_SEAT, IN_PILE = 0, 1, -1, 2  # seats, and locations of a card
SEAT_WORDS = {"me": PLAYER_SEAT, "other": OPPONENT_SEAT}
OWNER_WORDS = {**SEAT_WORDS, "nobody": NO_SEAT}
PACK_SIZE = 52
INITIAL_STOCK = 31  # after the deal
MAX_POINTS = 10**9
SCORE_PATTERN = re.compile(r"(\d{1,9})\s*-\s*(\d{1,9})", re.ASCII)
# Strategies of the replay, which have no effect on the view
DUMMY_PLAYER, DUMMY_PLAYER_SOLO = ("simple", "solo-greedy")


# Parsing


@dataclass(frozen=True)
class PileCard:
    """Card of the pile.

    Attributes:
        card: The card, or -1 if it is forgotten.
        is_taken: True if the next player took the card.
    """

    card: int
    is_taken: bool = False


def parse_pile(text: str) -> tuple[list[PileCard], int | None]:
    """Parse a pile such as `QD KS ? 9C* .. TH`.

    Returns:
        The cards, and the index of `..`, the gap for omitted cards, or None.

    Raises:
        CardError: If a card is not valid.
        PositionError: If the pile has two gaps or too many cards.
    """
    pile = []
    gap = None
    for word in split_cards(text):
        if word not in ELLIPSES:
            name = word.removesuffix(TAKEN_MARK)
            card = -1 if name == UNKNOWN_CARD_MARK else parse_card(name)
            pile.append(PileCard(card, word.endswith(TAKEN_MARK)))
        elif gap is not None:
            raise PositionError(
                "the pile contains .. twice. Use .. once, and ? for every other forgotten card."
            )
        else:
            gap = len(pile)
    if len(pile) > MAX_TURNS:
        raise PositionError(
            f"the pile has {len(pile):,} cards. It can have at most {MAX_TURNS} cards."
        )
    return pile, gap


def _fill_gap(
    pile: list[PileCard],
    gap: int | None,
    max_stock: int,
    stock: int | None,
    stock_word: str = "stock",
) -> list[PileCard]:
    """Return the pile with the gap filled with forgotten cards.

    Args:
        pile: Cards of the pile.
        gap: Index of the gap, or None.
        max_stock: Number of cards in the stock if no card was omitted.
        stock: Number of cards in the stock that the user has entered, or None.
        stock_word: Word for the stock in error messages.
    """
    if gap is None and stock not in (None, max_stock):
        raise PositionError(
            f"this pile leaves {max_stock} cards in the {stock_word}, not {stock}. Add .. to the "
            "pile if you have forgotten cards."
        )
    if gap is None:
        return pile
    if stock is None:
        raise PositionError(
            f"a pile with .. does not determine the number of cards in the {stock_word}. Add, for "
            "example, --stock 20, or write ? for each forgotten card."
        )
    if not 0 <= stock <= max_stock:
        raise PositionError(
            f"this pile cannot leave {stock} cards in the {stock_word}. Use 0 to {max_stock}."
        )
    return [*pile[:gap], *[PileCard(-1)] * (max_stock - stock), *pile[gap:]]


def parse_score_pair(text: str) -> tuple[int, int]:
    """Parse a score like `30-45` into the player's points and the opponent's.

    Raises:
        PositionError: If the text is not a score.
    """
    score = SCORE_PATTERN.fullmatch(text.strip())
    if score is None:
        raise PositionError(
            f"{quote_text(text, 40)} is not a valid score. Write your points and the opponent's "
            "points, such as 30-45."
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
    is_offering: bool = False
    offered: int = 0

    @property
    def is_decision(self) -> bool:
        """True if the decision is about the die."""
        return self.is_offering or self.offered > 0

    @property
    def mover(self) -> int:
        """Seat whose turn it is; if the decision is about the die, the seat that offers it."""
        return OPPONENT_SEAT if self.offered else PLAYER_SEAT

    def find_errors(self, variant: Variant, is_blind: bool = False) -> Iterator[str]:
        """Yield an error message for each impossible property of the die.

        Args:
            variant: Variant of the deal.
            is_blind: True if the player has not seen the cards.
        """
        name = variant.spec
        if variant.params["die"] == "off":
            if self != NO_DIE:
                yield f"{name} is played without a die. Omit the stake, the owner and offers."
            if is_blind:
                yield f"blind requires a die, but {name} is played without one. Enter your cards."
            return
        rules = build_rules(variant)
        cap = int(rules.die_cap)
        if self.owner not in OWNER_WORDS:
            yield f"{self.owner!r} is not a valid owner of the die. Use me, other or nobody."
        if not 1 <= self.stake <= cap:
            yield f"{self.stake} is not a valid stake. Use a number from 1 to {cap}."
        if (self.stake == 1) != (self.owner == "nobody"):
            yield (
                f"a die that shows {self.stake} cannot belong to {self.owner}. Use the owner "
                "nobody for a die that shows 1, otherwise me or other."
            )
        if self.is_offering and self.offered:
            yield "your offer and the opponent's offer cannot be combined. Use only one of them."
        if is_blind and not self.is_decision:
            yield "a blind position needs a decision about the die. Add an offer."
        if is_blind and variant.params["die"] == "deal" and self.stake > 1:
            yield f"in {name}, the die shows 1 at the start of a deal. Omit the stake."
        if not self.is_decision:
            return
        if self.stake == cap:
            yield f"a die that shows {cap} cannot be raised. Use a lower stake."
        if OWNER_WORDS[self.owner] not in (NO_SEAT, self.mover):
            whose = "you own" if self.owner == "me" else "the opponent owns"
            yield f"{whose} the die, and only its owner can offer it. Change the owner."
        if self.offered and not self.stake < self.offered <= cap:
            yield f"{self.offered} cannot be offered. Use a number from {self.stake + 1} to {cap}."
        if self.owner == "nobody" and not is_blind and not rules.die_centre_in_play:
            yield f"in {name}, a die without an owner can only be offered blind. Name an owner."

    def past_decisions(self) -> Iterator[ScriptedAction]:
        """Yield the decisions that raised the die: an offer before the deal and its acceptance."""
        if self.stake > 1:
            owner = OWNER_WORDS[self.owner]
            yield ScriptedAction(1 - owner, "offer", self.stake)
            yield ScriptedAction(owner, "answer", 1)

    def pending_offer(self) -> Iterator[ScriptedAction]:
        """Yield the current offer of the opponent, if there is one."""
        if self.offered:
            yield ScriptedAction(OPPONENT_SEAT, "offer", self.offered)

    @property
    def slot(self) -> str:
        """Slot of the decision about the die."""
        return "answer" if self.offered else "offer"


NO_DIE = Die()


# Positions


def parse_position(
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
        cards: Ten or eleven cards of the player, or `blind` if the player has not seen them. With
            eleven cards, the last one is the card just drawn.
        pile: Discard pile from the first upcard on, see `parse_pile`. A mark after the last card
            means that the player has just taken it. If the pile is empty and the player has
            eleven cards, it is unknown. In solitaire games, the pile contains the player's own
            discards.
        variant: Variant of the deal.
        score: Points of the player and the opponent, or won deals if these are the score. If
            given, the goal is to win the match.
        dealer: `me` or `other`; by default, the pile determines the dealer.
        stock: Number of cards in the stock, if the pile has a gap.
        die: State of the die, and whether the decision is about it. A decision about the die
            comes before the draw.

    Raises:
        PositionError: If the position is impossible.
        CardError: If a card is not valid.
    """
    if dealer is not None and dealer not in SEAT_WORDS:
        raise PositionError(f"{dealer!r} is not a valid dealer. Use me or other.")
    seat = None if dealer is None else SEAT_WORDS[dealer]
    if variant.params["players"] == 1:
        if score is not None or dealer is not None:
            raise PositionError(
                f"{variant.spec} is a solitaire game. Omit the score and the dealer."
            )
        _raise_first(die.find_errors(variant))
        view = _make_solo_view(parse_cards(cards), pile, variant, stock)
    elif cards.strip() == BLIND_WORD:
        if pile or stock is not None:
            raise PositionError("a blind position cannot have a pile. Omit the pile and the stock.")
        view = _make_blind_view(die, variant, seat)
    else:
        view = _make_view(parse_cards(cards), pile, variant, seat, stock, die)
    if score is not None:
        _write_score(view, score, variant)
    find_actions = die_actions if die.is_decision else legal_actions
    return Position(variant, view, find_actions(view, build_rules(variant)), score is not None)


def _raise_first(errors: Iterator[str]) -> None:
    """Raise PositionError for the first error message, if there is one."""
    for reason in errors:
        raise PositionError(reason)


def _write_score(view: Any, score: tuple[int, int], variant: Variant) -> None:
    """Write the match score before the deal to a view."""
    is_pair = isinstance(score, tuple | list) and len(score) == 2
    if not is_pair or not all(isinstance(won, int) and 0 <= won < MAX_POINTS for won in score):
        raise PositionError(
            f"{format_value(score)} is not a valid score. Use your points and the opponent's "
            "points, such as (30, 45)."
        )
    if variant.goal.score and max(score) >= match_target(build_rules(variant), PLAYER_SEAT):
        goal = int(match_target(build_rules(variant), PLAYER_SEAT))
        raise PositionError(
            f"a match to {goal} is over at {score[0]}-{score[1]}. Use scores below {goal}."
        )
    kind = "deals" if variant.goal.score == "deals" else "points"
    view[f"own_{kind}"], view[f"other_{kind}"] = score


def _make_blind_view(die: Die, variant: Variant, dealer: int | None) -> Any:
    """Return the view of a player who has not seen the cards."""
    _raise_first(die.find_errors(variant, is_blind=True))
    dealt_by = 1 - die.mover if dealer is None else dealer
    view = _replay_view(
        variant, range(PACK_SIZE), die.pending_offer(), {die.slot}, 0, dealer=dealt_by
    )
    assert view is not None, "every deal begins with the die"
    view.stake, view.owner = die.stake, OWNER_WORDS[die.owner]  # left by an earlier deal
    return view


def _replay_view(
    variant: Variant,
    pack: Sequence[int],
    decisions: Iterable[ScriptedAction],
    slots: Collection[str],
    hand: int,
    **deal_options: int,
) -> Any:
    """Return the view at the first matching query after some decisions, or None.

    Args:
        variant: Variant of the deal.
        pack: Cards in dealing order.
        decisions: Decisions of both players, in order.
        slots: Accepted slots of the query.
        hand: Mask of the player's cards at the query.
        **deal_options: Dealer and position of the joker.
    """
    strategy, opponent = (
        (DUMMY_PLAYER_SOLO, None)
        if variant.params["players"] == 1
        else (DUMMY_PLAYER, DUMMY_PLAYER)
    )
    led = trace_to_decision(
        parse_matchup(strategy, opponent, variant, 1, "deal"),
        list(decisions),
        lambda asked: asked.seat == PLAYER_SEAT and asked.slot in slots and asked.view.hand == hand,
        pack=pack,
        points=(0, 0),
        **deal_options,
    )
    return None if led is None else led[0].decision(led[1]).view


def _add_placeholders(
    pile: Sequence[PileCard], cards: Sequence[int], shift: int = 0
) -> tuple[list[PileCard], list[int]]:
    """Return the pile with placeholder cards for forgotten ones, and the remaining free cards."""
    remembered = {card.card for card in pile if card.card >= 0}
    free = mask_to_cards(ALL_CARDS & ~cards_to_mask([*cards, *remembered]))
    if sum(card.card < 0 for card in pile) > len(free):
        raise PositionError("the position has more cards than the pack. Remove some of them.")
    free = free[shift:] + free[:shift]
    return [replace(card, card=free.pop(0)) if card.card < 0 else card for card in pile], free


def _remove_placeholders(view: Any, pile: Sequence[PileCard], full_pile: Sequence[PileCard]) -> Any:
    """Remove placeholder cards from the view, and the turns in which cards were drawn."""
    stand_ins = [card.card for card, told in zip(full_pile, pile, strict=True) if told.card < 0]
    cards = cards_to_mask(stand_ins)
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


def _hand_size_errors(cards: Sequence[int]) -> Iterator[str]:
    n = len(cards)
    if n not in (10, 11):
        cards_text = "1 card" if n == 1 else f"{n} cards"
        yield f"a hand cannot have {cards_text}. Enter ten cards, or eleven before a discard."


# Solitaire games


def _make_solo_view(cards: list[int], pile: str, variant: Variant, stock: int | None) -> Any:
    """Return the view of a solitaire player with these cards and discards."""
    has_joker = bool(build_rules(variant).joker != JOKER_NONE)
    written_pile, gap = parse_pile(pile)
    max_stock = PACK_SIZE + has_joker - len(cards) - len(written_pile)
    if max_stock < 0:
        raise PositionError("the position has more cards than the pack. Remove some of them.")
    known_pile = _fill_gap(written_pile, gap, max_stock, stock, "deck")
    _raise_first(_solo_errors(cards, [card.card for card in known_pile], variant))
    _raise_first(
        f"discards cannot be taken in {variant.spec}. Omit the * marks."
        for card in known_pile
        if card.is_taken
    )
    slots = ("discard", "knock") if len(cards) == 11 else ("knock",)
    joker = PACK_SIZE if has_joker else -1
    for shift in range(10):  # try other orders if gin ended the replayed deal too early
        full_pile, free = _add_placeholders(known_pile, cards, shift)
        discards = [card.card for card in full_pile]
        # Deal the discards in their order first, and the card that was drawn last at the end
        pack = [*discards, *cards[shift:10], *cards[:shift], *cards[10:], *free]
        decisions = [ScriptedAction(PLAYER_SEAT, "discard", card) for card in discards]
        view = _replay_view(variant, pack, decisions, slots, cards_to_mask(cards), joker=joker)
        if view is not None:
            return _remove_placeholders(view, known_pile, full_pile)
    raise PositionError(
        f"no deal of {variant.spec} leads to these cards and discards. Check both of them."
    )


def _solo_errors(cards: Sequence[int], discards: Sequence[int], variant: Variant) -> Iterator[str]:
    """Yield an error message if a solitaire position is impossible or requires no decision."""
    rules = build_rules(variant)
    for card in discards:
        if card in cards:
            yield f"{format_card(card)} cannot be both in your hand and discarded. Remove one."
        if card >= 0 and discards.count(card) > 1:
            yield f"{format_card(card)} cannot be discarded twice. Remove one."
    yield from _hand_size_errors(cards)
    draws = len(discards) + len(cards) - (11 if rules.first_turn == FIRST_TURN_DISCARD else 10)
    if draws < 0:
        yield (
            f"in {variant.spec}, players discard one of eleven cards before the first draw. Add "
            "the discard, for example --pile KC."
        )
    if len(cards) == 11:
        return
    if rules.deal_scoring == SCORING_PENALTY:
        yield (
            "with ten cards, there is no decision because gin ends the deal automatically. Enter "
            "eleven cards, with the card just drawn last."
        )
    count = int(deadwood(cards_to_mask(cards), rules))
    if count > rules.knock_limit:
        limit = f"{rules.knock_limit} or less" if rules.knock_limit else "gin"
        yield (
            f"ten cards with deadwood {count} cannot end the deal, which needs {limit}. Enter "
            "eleven cards, with the card just drawn last."
        )


# Two-player games


def _make_view(
    cards: list[int], pile: str, variant: Variant, dealer: int | None, stock: int | None, die: Die
) -> Any:
    """Return the view of a player in a two-player game.

    Args:
        cards: Cards of the player.
        pile: Discard pile as the user has written it.
        variant: Variant of the deal.
        dealer: Seat of the dealer; None to infer it from the pile.
        stock: Number of cards in the stock, or None.
        die: State of the die.
    """
    name = variant.spec
    if variant.goal.other is not None:
        advice = "Analyse a deal of two strategies instead."
        raise PositionError(f"cards and pile do not determine a position in {name}. {advice}")
    _raise_first(die.find_errors(variant))
    remembered, gap = parse_pile(pile)
    if not pile.strip() and len(cards) == 11:  # for an unknown pile, as few cards as possible
        if stock is not None:
            gap = 0
        elif build_rules(variant).first_turn != FIRST_TURN_DISCARD:
            remembered = [PileCard(-1)]
    elif gap == len(remembered) or (remembered and remembered[-1].card < 0):
        raise PositionError("the top card of the pile must be known. Write it last.")
    known_pile = _fill_gap(
        remembered, gap, _DealReconstruction(cards, remembered, variant, dealer, die).stock, stock
    )
    _raise_first(_DealReconstruction(cards, known_pile, variant, dealer, die).find_errors())
    full_pile, free = _add_placeholders(known_pile, cards)
    reconstruction = _DealReconstruction(cards, full_pile, variant, dealer, die)
    decisions = [*die.past_decisions(), *reconstruction.decisions(), *die.pending_offer()]
    pack = reconstruction.make_pack(free)
    view = _replay_view(
        variant,
        pack,
        decisions,
        reconstruction.slots,
        cards_to_mask(cards),
        dealer=reconstruction.dealer,
    )
    if view is None:
        raise PositionError(
            f"no deal of {name} leads to these cards and this pile. Check both of them."
        )
    return _remove_placeholders(view, known_pile, full_pile)


class _DealReconstruction:
    """Cards and pile of a two-player position, and the deal that they determine."""

    def __init__(
        self,
        cards: list[int],
        pile: Sequence[PileCard],
        variant: Variant,
        dealer: int | None,
        die: Die,
    ) -> None:
        self.cards = cards
        self.pile = pile
        self.variant = variant
        self.rules = build_rules(variant)
        self.has_upcard = bool(self.rules.first_turn != FIRST_TURN_DISCARD)
        # Top card of the pile before each turn, including the turn of the decision
        self.top_cards: Sequence[PileCard | None] = pile if self.has_upcard else [None, *pile]
        self.discards = [card.card for card in pile[self.has_upcard :]]
        self.die = die
        # Players discard in turn, and a player may offer the die only in their own turn
        self.first_seat = (len(self.discards) + die.mover) % 2
        self.dealer = 1 - self.first_seat if dealer is None else dealer

    def seat_of_turn(self, turn: int) -> int:
        """Return the seat of a turn, counted from 0."""
        return (self.first_seat + turn) % 2

    def card_source(self, turn: int) -> str:
        """Return the source of the card of a turn: pile, stock or deal."""
        top = self.top_cards[turn]
        if top is None:
            return "deal"
        return "pile" if top.is_taken else "stock"

    @cached_property
    def started_turns(self) -> list[int]:
        """Turns in which a player has received a card: with ten cards, all except the last one."""
        is_open = len(self.cards) == 11 and bool(self.top_cards) and not self.die.is_decision
        return list(range(len(self.discards) + is_open))

    @property
    def stock(self) -> int:
        """Number of cards in the stock."""
        return INITIAL_STOCK - sum(self.card_source(turn) == "stock" for turn in self.started_turns)

    @property
    def is_last(self) -> bool:
        """True if the last discard is offered (50th-card rule)."""
        may_take = self.rules.stock_end == STOCK_END_OPPONENT_MAY_TAKE and not self.die.is_decision
        return bool(may_take and self.stock == self.rules.stock_reserve and len(self.cards) == 10)

    @property
    def slots(self) -> Collection[str]:
        """Slots of the query."""
        if self.die.is_decision:
            return {self.die.slot}
        if len(self.cards) == 11:
            return {"discard", "knock"}
        return {"knock"} if self.is_last else {"take"}

    # Deal

    def make_pack(self, free: list[int]) -> list[int]:
        """Return the pack in dealing order, with the cards that were discarded first dealt first.

        Args:
            free: Cards with unknown locations.
        """
        hidden = list(free)
        came = [
            self._received_cards(PLAYER_SEAT, hidden),
            self._received_cards(OPPONENT_SEAT, hidden),
        ]
        pack = []
        for _ in range(10):
            for seat in (1 - self.dealer, self.dealer):
                pack.append(came[seat].pop(0))
        pack.append(self.pile[0].card if self.has_upcard else came[1 - self.dealer].pop(0))
        for turn in self.started_turns:
            if self.card_source(turn) == "stock":
                pack.append(came[self.seat_of_turn(turn)].pop(0))
        return pack + hidden

    def _received_cards(self, seat: int, hidden: list[int]) -> list[int]:
        """Return the cards that a player received, in the order of their discards.

        Unknown cards of the opponent are removed from `hidden`.
        """
        came = []
        taken = set()
        size = 10 + (not self.has_upcard and seat != self.dealer)
        for turn in self.started_turns:
            if self.seat_of_turn(turn) != seat:
                continue
            top = self.top_cards[turn]
            if top is not None and top.is_taken:
                taken.add(top.card)
            size += self.card_source(turn) == "stock"
            for card in self.discards[turn : turn + 1]:
                if card in taken:
                    taken.remove(card)
                else:
                    came.append(card)
        if seat == PLAYER_SEAT:
            return came + [card for card in self.cards if card not in taken]
        n_hidden = size - len(came)
        if n_hidden < 0:
            raise PositionError(
                "the opponent cannot hold more than ten cards of this pile. Check the * marks."
            )
        came += hidden[:n_hidden]
        del hidden[:n_hidden]
        return came

    def decisions(self) -> Iterator[ScriptedAction]:
        """Yield the decisions of both players before the query."""
        yield from self._opening_decisions()
        for turn in self.started_turns:
            if turn and self.rules.take_discard:
                yield ScriptedAction(
                    self.seat_of_turn(turn), "take", int(self.card_source(turn) == "pile")
                )
            for card in self.discards[turn : turn + 1]:
                yield ScriptedAction(self.seat_of_turn(turn), "discard", card)

    def _opening_decisions(self) -> Iterator[ScriptedAction]:
        """Yield the decisions about the first upcard.

        If the nondealer may draw from the stock immediately, the pile does not show whether the
        dealer had a decision. Most players pass first, so simgin assumes a pass.
        """
        first_turn = self.rules.first_turn
        nondealer = 1 - self.dealer
        if first_turn == FIRST_TURN_DISCARD:
            return
        if first_turn == FIRST_TURN_FREE:
            if self.started_turns:
                yield ScriptedAction(nondealer, "take", int(self.pile[0].is_taken))
            return
        declined = ScriptedAction(
            nondealer, "take", ACTION_STOCK if first_turn == FIRST_TURN_UPCARD_PASS else ACTION_PASS
        )
        if self.first_seat == self.dealer:
            yield declined
            if self.started_turns:
                yield ScriptedAction(self.dealer, "take", int(self.pile[0].is_taken))
        elif self.started_turns and self.pile[0].is_taken:
            yield ScriptedAction(nondealer, "take", ACTION_TAKE)
        elif self.started_turns:
            yield declined
            yield replace(declined, seat=self.dealer)
            if first_turn == FIRST_TURN_UPCARD_STOCK_OR_PASS:
                yield ScriptedAction(nondealer, "take", ACTION_STOCK)

    # Errors

    def find_errors(self) -> Iterator[str]:
        """Yield an error message if the position is impossible or requires no decision."""
        yield from _hand_size_errors(self.cards)
        if self.has_upcard and not self.pile:
            yield "the pile is missing. Add it from the first upcard on, for example --pile QD."
        yield from self._pile_errors()
        yield from self._location_errors()
        ten = len(self.cards) == 10
        first_turn = self.rules.first_turn
        drew_first = (
            first_turn == FIRST_TURN_UPCARD_PASS
            and bool(self.started_turns)
            and not self.pile[0].is_taken
        )
        if self.dealer == self.first_seat and (
            first_turn in (FIRST_TURN_DISCARD, FIRST_TURN_FREE) or drew_first
        ):
            mine = self.first_seat == PLAYER_SEAT
            player, deals = ("you", "other") if mine else ("the opponent", "me")
            yield f"this pile shows that {player} played first. Use the dealer {deals}."
        reserve = int(self.rules.stock_reserve)
        if self.stock < reserve or (ten and not self.is_last and self.stock == reserve):
            n_left = max(0, self.stock)
            yield f"the deal is over, because the stock has {n_left} cards. Use a shorter pile."

    def _pile_errors(self) -> Iterator[str]:
        """Yield errors in the number of cards, and for forgotten cards that must be known."""
        top = self.top_cards[-1]
        if top is not None and top.is_taken and len(self.cards) == 10:
            name = format_card(top.card)
            yield f"a hand that has just taken {name} has eleven cards, not ten. Add the card."
        if self.die.is_decision and len(self.cards) != 10 and top is not None:
            yield "the die is offered before the draw. Enter the ten cards held at that time."
        if top is None and len(self.cards) == 10 and not self.die.offered:
            yield f"in {self.variant.spec}, the first player has eleven cards. Enter all of them."
        if self.has_upcard and self.pile[0].card < 0 and self._upcard_sets_terms:
            sets = "the first upcard sets the knock limit or the value of points"
            yield f"in {self.variant.spec}, {sets}. Write this card first in the pile."
        for turn, card in enumerate(self.top_cards):
            if (
                card is not None
                and card.is_taken
                and card.card < 0
                and self.seat_of_turn(turn) == PLAYER_SEAT
            ):
                yield f"you took card {turn + 1} of this pile, so it must be known. Replace the ?."

    @property
    def _upcard_sets_terms(self) -> bool:
        """True if the first upcard sets the knock limit or the multiplier of points."""
        rules = self.rules
        terms = {
            (knock_limit(card, rules), deal_multiplier(card, rules)) for card in range(PACK_SIZE)
        }
        return len(terms) > 1

    def _location_errors(self) -> Iterator[str]:
        """Yield errors for cards that would be in two locations."""
        locations: dict[int, int] = {}  # IN_PILE, or the seat of the player who took the card
        for turn, top in enumerate(self.top_cards):
            if top is None or top.card < 0:
                continue
            thrower = self.seat_of_turn(turn - 1) if turn else NO_SEAT
            if locations.get(top.card) == IN_PILE:
                yield f"{format_card(top.card)} is in the pile twice. Remove one."
            if locations.get(top.card, thrower) != thrower:
                yield (
                    f"{format_card(top.card)} was taken by one player and discarded by the "
                    "opponent. Check the pile."
                )
            locations[top.card] = self.seat_of_turn(turn) if top.is_taken else IN_PILE
        for card in self.cards:
            if locations.get(card, PLAYER_SEAT) != PLAYER_SEAT:
                place = "the pile" if locations[card] == IN_PILE else "the opponent's hand"
                yield f"{format_card(card)} cannot be both in your hand and in {place}. Remove one."
        for card, seat in locations.items():
            if seat == PLAYER_SEAT and card not in self.cards:
                yield f"{format_card(card)}, which you took from the pile, is missing. Add it."
        last = self.cards[-1]
        if (
            len(self.started_turns) > len(self.discards)
            and self.card_source(-1) == "stock"
            and last in locations
        ):
            yield (
                f"{format_card(last)} was taken before, so you did not just draw it. Write the "
                "card just drawn last."
            )

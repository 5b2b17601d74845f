"""Parts of a position that users enter: the discard pile, the score and the die."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from simgin.analysis.position import PositionError
from simgin.core.view import MAX_TURNS
from simgin.play.pile import TAKEN_MARK, UNKNOWN_CARD_MARK, UNKNOWN_CARDS_MARKS
from simgin.play.traced_deal import ScriptedAction
from simgin.rules.build import build_rules
from simgin.rules.variants import Variant
from simgin.text.messages import join_words, quote_text
from simgin.text.notation import parse_card, split_cards

PLAYER_SEAT, OPPONENT_SEAT, NO_SEAT, IN_PILE = 0, 1, -1, 2  # seats and locations of a card
SEAT_WORDS = {"me": PLAYER_SEAT, "other": OPPONENT_SEAT}
NO_OWNER = "nobody"
OWNER_WORDS = {**SEAT_WORDS, NO_OWNER: NO_SEAT}
PACK_SIZE = 52
INITIAL_STOCK_SIZE = 31  # number of cards in the stock after the deal
# Advice for a pile that the shell has split into cards of the hand
QUOTE_PILE_ADVICE = " On the command line, enclose the pile in quotation marks."
SCORE_PATTERN = re.compile(r"(\d{1,9})\s*-\s*(\d{1,9})", re.ASCII)


@dataclass(frozen=True)
class PileCard:
    """Card in the discard pile.

    Attributes:
        card: The card, or -1 if it is forgotten.
        is_taken: True if the opponent took the card.
    """

    card: int
    is_taken: bool = False


def parse_pile(text: str) -> tuple[list[PileCard], int | None]:
    """Parse a pile such as `QD KS ? 9C* .. TH`.

    Returns:
        Cards of the pile, and the index of `..` (the gap for omitted cards) or None.

    Raises:
        CardError: If a card is not valid.
        PositionError: If the pile has two gaps or too many cards.
    """
    pile = []
    gap_index = None
    for word in split_cards(text):
        if word not in UNKNOWN_CARDS_MARKS:
            name = word.removesuffix(TAKEN_MARK)
            card = -1 if name == UNKNOWN_CARD_MARK else parse_card(name)
            pile.append(PileCard(card, word.endswith(TAKEN_MARK)))
        elif gap_index is not None:
            raise PositionError(
                "the pile contains `..` twice. Use `..` only once, and `?` for each "
                "additional card that you have forgotten."
            )
        else:
            gap_index = len(pile)
    if len(pile) > MAX_TURNS:
        raise PositionError(f"the pile has {len(pile):,} cards. Enter at most {MAX_TURNS} cards.")
    return pile, gap_index


def fill_pile_gap(
    pile: list[PileCard],
    gap_index: int | None,
    max_stock_size: int,
    stock_size: int | None,
    stock_word: str = "stock",
) -> list[PileCard]:
    """Replace `..` in a pile with as many forgotten cards as the stock size implies.

    Args:
        pile: Cards of the pile.
        gap_index: Index of the gap, or None if the pile has no gap.
        max_stock_size: Number of cards that the stock would contain if no card was omitted.
        stock_size: Number of cards in the stock as entered by the user, or None.
        stock_word: Word that error messages use for the stock.
    """
    if gap_index is None and stock_size not in (None, max_stock_size):
        raise PositionError(
            f"this pile leaves {max_stock_size} cards in the {stock_word}, not {stock_size}. "
            "If you do not remember the whole pile, write `..` for the missing cards."
        )
    if gap_index is None:
        return pile
    if stock_size is None:
        raise PositionError(
            f"a pile with `..` does not determine the number of cards in the {stock_word}. Add, "
            "for example, --stock 20, or write `?` for each forgotten card."
        )
    if not 0 <= stock_size <= max_stock_size:
        raise PositionError(
            f"this pile cannot leave {stock_size} cards in the {stock_word}. Use a number from 0 "
            f"to {max_stock_size}."
        )
    return [*pile[:gap_index], *[PileCard(-1)] * (max_stock_size - stock_size), *pile[gap_index:]]


def parse_score_pair(text: str) -> tuple[int, int]:
    """Parse a score such as `30-45` as the player's points and the opponent's points.

    Raises:
        PositionError: If the text is not a valid score.
    """
    score = SCORE_PATTERN.fullmatch(text.strip())
    if score is None:
        raise PositionError(
            f"{quote_text(text, 40)} is not a valid score. Enter your points and the opponent's "
            "points in the form 30-45."
        )
    return int(score[1]), int(score[2])


@dataclass(frozen=True)
class Die:
    """State of the die in a position.

    Attributes:
        stake: Number on the die.
        owner: `me`, `other` or `nobody`.
        is_offering: True if the decision is whether to offer the die.
        offered_stake: Number that the opponent offers, or 0 if there is no offer.
    """

    stake: int = 1
    owner: str = NO_OWNER
    is_offering: bool = False
    offered_stake: int = 0

    @property
    def is_die_decision(self) -> bool:
        """True if the next decision is about the die, and not about cards."""
        return self.is_offering or self.offered_stake > 0

    @property
    def active_seat(self) -> int:
        """Seat of the player to move, or of the player who offers the die."""
        return OPPONENT_SEAT if self.offered_stake else PLAYER_SEAT

    def find_errors(self, variant: Variant, is_blind: bool = False) -> Iterator[str]:
        """Yield an error message for each invalid property of the die.

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
        die_cap = int(rules.die_cap)
        if self.owner not in OWNER_WORDS:
            owners = join_words(list(OWNER_WORDS), "or")
            yield f"{self.owner!r} is not a valid owner of the die. Use {owners}."
        if not 1 <= self.stake <= die_cap:
            yield f"{self.stake} is not a valid stake. Use a number from 1 to {die_cap}."
        if (self.stake == 1) != (self.owner == NO_OWNER):
            yield (
                f"a die that shows {self.stake} cannot belong to {self.owner}. Use the owner "
                f"{NO_OWNER} for a die that shows 1, otherwise me or other."
            )
        if self.is_offering and self.offered_stake:
            yield "your offer and the opponent's offer cannot be combined. Use only one of them."
        if is_blind and not self.is_die_decision:
            yield "a blind position requires a decision about the die. Add an offer."
        if is_blind and variant.params["die"] == "deal" and self.stake > 1:
            yield f"in {name}, the die shows 1 at the start of a deal. Omit the stake."
        if not self.is_die_decision:
            return
        if self.stake == die_cap:
            yield f"a die that shows {die_cap} cannot be raised. Use a lower stake."
        if OWNER_WORDS[self.owner] not in (NO_SEAT, self.active_seat):
            owner_text = "you own" if self.owner == "me" else "the opponent owns"
            yield f"{owner_text} the die, and only its owner can offer it. Change the owner."
        if self.offered_stake and not self.stake < self.offered_stake <= die_cap:
            yield (
                f"{self.offered_stake} cannot be offered. "
                f"Use a number from {self.stake + 1} to {die_cap}."
            )
        if self.owner == NO_OWNER and not is_blind and not rules.die_centre_in_play:
            yield f"in {name}, a die without an owner can only be offered blind. Specify an owner."

    def iter_past_decisions(self) -> Iterator[ScriptedAction]:
        """Yield the past decisions that set the stake: an offer and its acceptance."""
        if self.stake > 1:
            owner = OWNER_WORDS[self.owner]
            yield ScriptedAction(1 - owner, "offer", self.stake)
            yield ScriptedAction(owner, "answer", 1)

    def iter_pending_offer(self) -> Iterator[ScriptedAction]:
        """Yield the opponent's die offer if the player must respond to it."""
        if self.offered_stake:
            yield ScriptedAction(OPPONENT_SEAT, "offer", self.offered_stake)

    @property
    def slot(self) -> str:
        """Policy slot of a decision about the die: `answer` or `offer`."""
        return "answer" if self.offered_stake else "offer"


NO_DIE = Die()


def find_hand_size_errors(cards: Sequence[int]) -> Iterator[str]:
    """Yield an error message unless the hand has ten or eleven cards."""
    n_cards = len(cards)
    if n_cards not in (10, 11):
        cards_text = "1 card" if n_cards == 1 else f"{n_cards} cards"
        hint = QUOTE_PILE_ADVICE * (n_cards > 11)
        yield f"a hand cannot have {cards_text}. Enter ten cards, or eleven before a discard.{hint}"

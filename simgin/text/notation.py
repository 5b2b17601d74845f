"""Cards as text: rank then suit, as in `5S`; ranks A23456789TJQK, suits S H D C (rules.md 1).

Read, but not written: small letters, 10 for T, and the symbols of the suits.

A card is the integer 13 * suit + rank, 0..51; a hand is an integer with bit `card` set for each of
its cards.
"""

import re
from collections.abc import Iterable

from simgin.text.messages import quoted

RANKS = "A23456789TJQK"
SUITS = "SHDC"
CARDS = 52
# The symbols of the suits, and the mark that asks for their coloured form
SYMBOLS = str.maketrans("♠♥♦♣♤♡♢♧", "SHDC" * 2, "\N{VARIATION SELECTOR-16}")
_TEN = re.compile(r"10(?=[SHDC])", re.IGNORECASE)
MOST_SENTENCES = 12  # that a message about many wrong cards lists


class CardError(ValueError):
    """A text that is not a card or a hand; the message is a sentence with the remedy."""


def parse_card(text: str) -> int:
    """The card 0..51 that a text like `5S`, `10s` or `5♠` names; CardError for any other text."""
    token = text.strip()
    plain = _plain(token)
    letters = plain.upper() if plain.isascii() else ""
    if len(letters) == 2:
        rank = letters[0]
        suit = letters[1]
        if rank in RANKS and suit in SUITS:
            first_of_suit = len(RANKS) * SUITS.index(suit)
            return first_of_suit + RANKS.index(rank)
    raise CardError(
        f"{quoted(token, 24)} is not a card: write a rank ({RANKS}) and a suit ({SUITS}), like 5S."
    )


def card_text(card: int) -> str:
    """The text of a card 0..51, like `5S`; CardError for any other number."""
    if not 0 <= card < CARDS:
        raise CardError(f"{card} is not a card: cards are 0..51, 13 * suit + rank.")
    suit, rank = divmod(card, len(RANKS))
    return RANKS[rank] + SUITS[suit]


def parse_cards(text: str, count: int | None = None) -> list[int]:
    """The cards 0..51 of a hand in the order written: `5S 6S 7S`, `5♠,6♠,7♠` or `5s6s7s`.

    Raises CardError for what is not a card, for cards given twice, and for another number of
    cards than `count`.
    """
    cards = []
    sentences = []
    for token in _tokens(text):
        try:
            cards.append(parse_card(token))
        except CardError as error:
            sentences.append(str(error))
    if not sentences:
        sentences = _repeated(cards) + _miscounted(len(cards), count)
    if sentences:
        unique = list(dict.fromkeys(sentences))
        message = " ".join(_shortened(unique))
        raise CardError(message)
    return cards


def hand_mask(cards: Iterable[int]) -> int:
    """The hand, as a mask, that holds some cards 0..51; CardError for any other number."""
    mask = 0
    for card in cards:
        card_text(card)
        mask |= 1 << int(card)
    return mask


def cards_in(mask: int) -> list[int]:
    """The cards 0..51 of a hand, suit by suit and rank by rank; CardError for any other number."""
    hand = int(mask)
    if not 0 <= hand < 1 << CARDS:
        raise CardError(f"{hand} is not a hand: a hand is a mask of {CARDS} bits, one per card.")
    return [card for card in range(CARDS) if hand >> card & 1]


def hand_text(mask: int) -> str:
    """A hand as text, suit by suit: `5S 6S 7S KH`."""
    return " ".join(card_text(card) for card in cards_in(mask))


def _plain(text: str) -> str:
    """A text with letters for the symbols of suits, and T for 10."""
    return _TEN.sub("T", text.translate(SYMBOLS))


def _tokens(text: str) -> list[str]:
    """What should be cards: text cut at blanks and commas, then into pairs of letters."""
    tokens = []
    for word in _plain(text).replace(",", " ").split():
        if len(word) <= 3:
            tokens.append(word)
            continue
        for i in range(0, len(word), 2):
            tokens.append(word[i : i + 2])
    return tokens


def _shortened(sentences: list[str]) -> list[str]:
    """At most MOST_SENTENCES sentences, then the number of the others."""
    others = len(sentences) - MOST_SENTENCES
    if others <= 0:
        return sentences
    verb = "is not a card" if others == 1 else "are not cards"
    return [*sentences[:MOST_SENTENCES], f"{others} more {verb} either."]


def _repeated(cards: list[int]) -> list[str]:
    """A sentence about the cards that are given more than once, if any are."""
    repeated = sorted({card for card in cards if cards.count(card) > 1})
    if not repeated:
        return []
    names = " and ".join(map(card_text, repeated))
    verb = "is" if len(repeated) == 1 else "are"
    return [f"{names} {verb} given more than once: a pack has each card once."]


def _miscounted(given: int, count: int | None) -> list[str]:
    """A sentence if the number of cards is not `count`."""
    if count is None or given == count:
        return []
    verb = "was" if given == 1 else "were"
    noun = "card" if count == 1 else "cards"
    return [f"{count} {noun} expected, {given or 'none'} {verb} given."]

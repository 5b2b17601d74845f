"""Card notation: rank, then suit, as in `5S` (ranks A23456789TJQK, suits S H D C).

See docs/reference/rules.md 1. Input may also use lower-case letters, 10 for T, suit symbols, and
the punctuation of lists: spaces, commas, semicolons, bars, brackets and quotation marks.

A card is the integer 13 * suit + rank, 0..51. A hand is a mask: an integer with bit `card` set for
each of its cards.
"""

import re
from collections import Counter
from collections.abc import Iterable

from simgin.text.messages import quoted

RANKS = "A23456789TJQK"
SUITS = "SHDC"
CARDS = 52
# Suit symbols, and the variation selector that requests an emoji
SYMBOLS = str.maketrans("♠♥♦♣♤♡♢♧", "SHDC" * 2, "\N{VARIATION SELECTOR-16}")
_TEN = re.compile(r"10(?=[SHDC])|(?<=\b[SHDC])10\b", re.IGNORECASE)
_BETWEEN = str.maketrans(dict.fromkeys(",;|[](){}'\"`", " "))
MOST_NAMED = 12  # invalid cards listed in an error message


class CardError(ValueError):
    """Error for a string that is not a card or hand; the message states the fix."""


def parse_card(text: str) -> int:
    """Return the card 0..51 that a string such as `5S`, `10s` or `5♠` names.

    Raises:
        CardError: If the string is not a card.
    """
    tokens = _tokens(text)
    card = _card(tokens[0]) if len(tokens) == 1 else None
    if card is None:
        raise CardError(_refusal([text.strip()]))
    return card


def _card(token: str) -> int | None:
    """Return the card that a token names; None if it is not a card."""
    plain = _plain(token)
    letters = plain.upper() if plain.isascii() else ""
    if len(letters) != 2:
        return None
    rank = letters[0]
    suit = letters[1]
    if rank not in RANKS or suit not in SUITS:
        return None
    first_of_suit = len(RANKS) * SUITS.index(suit)
    return first_of_suit + RANKS.index(rank)


def _refusal(tokens: list[str]) -> str:
    """Return the error message for tokens that are not cards."""
    names = [quoted(token, 24) for token in tokens[:MOST_NAMED]]
    others = len(tokens) - len(names)
    if others:
        names.append(f"{others} more")
    *before, last = names
    listed = ", ".join(before)
    subject = f"{listed} and {last} are not cards" if before else f"{last} is not a card"
    sentence = f"{subject}: write a rank ({RANKS}) and a suit ({SUITS}), like 5S."
    for token in tokens:
        plain = _plain(token)
        turned = _card(plain[1:] + plain[:1])
        if turned is not None:
            return f"{sentence} The rank comes first: {card_text(turned)}."
    return sentence


def card_text(card: int) -> str:
    """Return the notation of a card 0..51, such as `5S`.

    Raises:
        CardError: If the number is not a card.
    """
    if not 0 <= card < CARDS:
        raise CardError(f"{card} is not a card: cards are 0..51, 13 * suit + rank.")
    suit, rank = divmod(card, len(RANKS))
    return RANKS[rank] + SUITS[suit]


def parse_cards(text: str) -> list[int]:
    """Return the cards 0..51 of a string in order.

    Args:
        text: A list of cards such as `5S 6S | 7S`, `['5S', '6S']` or `5♠6♠7♠`.

    Raises:
        CardError: If part of the string is not a card, or a card occurs twice.
    """
    tokens = _tokens(text)
    cards = {token: _card(token) for token in tokens}
    if wrong := [token for token, card in cards.items() if card is None]:
        raise CardError(_refusal(wrong))
    found = [card for token in tokens if (card := cards[token]) is not None]
    if repeated := sorted(card for card, times in Counter(found).items() if times > 1):
        names = " and ".join(map(card_text, repeated))
        verb = "is" if len(repeated) == 1 else "are"
        raise CardError(f"{names} {verb} given more than once: a pack has each card once.")
    return found


def are_cards(text: str) -> bool:
    """Return True if a string consists of two or more cards and nothing else."""
    tokens = _tokens(text)
    return len(tokens) > 1 and None not in map(_card, tokens)


def split_cards(text: str) -> list[str]:
    """Split a string at the separators of card lists: `['QD', '9D*']` becomes QD and 9D*."""
    return text.translate(_BETWEEN).split()


def hand_mask(cards: Iterable[int]) -> int:
    """Return the mask of a hand with the given cards 0..51.

    Raises:
        CardError: If a number is not a card.
    """
    mask = 0
    for card in cards:
        card_text(card)
        mask |= 1 << int(card)
    return mask


def cards_in(mask: int) -> list[int]:
    """Return the cards 0..51 of a hand in ascending order.

    Raises:
        CardError: If the number is not a mask of 52 bits.
    """
    hand = int(mask)
    if not 0 <= hand < 1 << CARDS:
        raise CardError(f"{hand} is not a hand: a hand is a mask of {CARDS} bits, one per card.")
    return [card for card in range(CARDS) if hand >> card & 1]


def hand_text(mask: int) -> str:
    """Return the notation of a hand in ascending order, such as `5S 6S 7S KH`."""
    return " ".join(card_text(card) for card in cards_in(mask))


def _plain(text: str) -> str:
    """Return a string with letters instead of suit symbols, and T instead of 10."""
    return _TEN.sub("T", text.translate(SYMBOLS))


def _tokens(text: str) -> list[str]:
    """Split a string into tokens that should be cards.

    Words that begin with a card are split into pairs of characters; other words remain whole.
    """
    tokens = []
    for word in split_cards(_plain(text)):
        if len(word) <= 3 or _card(word[:2]) is None:
            tokens.append(word)
            continue
        for i in range(0, len(word), 2):
            tokens.append(word[i : i + 2])
    return tokens

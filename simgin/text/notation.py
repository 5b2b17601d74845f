"""Card notation: a rank followed by a suit, as in `5S` (ranks A23456789TJQK, suits S H D C).

See docs/reference/rules.md, section 1. Input can also contain lower-case letters, 10 for T, suit
symbols, and separators (spaces, commas, semicolons, bars, brackets and quotation marks).

A card is the integer 13 * suit + rank, 0..51. A hand is a mask: an integer with bit `card` set for
each of its cards.
"""

import re
from collections import Counter
from collections.abc import Iterable

from simgin.text.messages import SimginError, join_words, quote_text

RANK_LETTERS = "A23456789TJQK"
SUIT_LETTERS = "SHDC"
N_CARDS = 52
# Suit symbols, and the variation selectors that request text or an emoji
SUIT_SYMBOL_TRANSLATION = str.maketrans(
    "♠♥♦♣♤♡♢♧", "SHDC" * 2, "\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}"
)
_TEN_PATTERN = re.compile(r"10(?=[SHDC])|(?<=\b[SHDC])10\b", re.IGNORECASE)
_SEPARATOR_TRANSLATION = str.maketrans(dict.fromkeys(",;|[](){}'\"`", " "))
MAX_LISTED_CARDS = 12  # maximum number of invalid cards listed in an error message


class CardError(SimginError):
    """Exception for an invalid card or hand, with a message that suggests a fix."""


def parse_card(text: str) -> int:
    """Return the card number (0 to 51) for a string such as `5S`, `10s` or `5♠`.

    Raises:
        CardError: If the string is not a card.
    """
    tokens = _split_tokens(text)
    card = _parse_token(tokens[0]) if len(tokens) == 1 else None
    if card is None:
        raise CardError(_describe_invalid_cards([text.strip()]))
    return card


def _parse_token(token: str) -> int | None:
    """Return the number of the card that a token represents, or None if it is not a card."""
    stripped_token = _normalise_notation(token)
    letters = stripped_token.upper() if stripped_token.isascii() else ""
    if len(letters) != 2 or letters[0] not in RANK_LETTERS or letters[1] not in SUIT_LETTERS:
        return None
    return len(RANK_LETTERS) * SUIT_LETTERS.index(letters[1]) + RANK_LETTERS.index(letters[0])


def _describe_invalid_cards(tokens: list[str]) -> str:
    """Return an error message that lists the tokens that are not cards."""
    names = [quote_text(token, 24) for token in tokens[:MAX_LISTED_CARDS]]
    n_others = len(tokens) - len(names)
    if n_others:
        names.append(f"{n_others} more")
    subject = f"{join_words(names)} {'are not cards' if len(names) > 1 else 'is not a card'}"
    sentence = f"{subject}. Use a rank ({RANK_LETTERS}) and a suit ({SUIT_LETTERS}), such as 5S."
    for token in tokens:
        stripped_token = _normalise_notation(token)
        reversed_card = _parse_token(stripped_token[1:] + stripped_token[:1])
        if reversed_card is not None:
            return f"{sentence} The rank comes first, as in {format_card(reversed_card)}."
    return sentence


def format_card(card: int) -> str:
    """Return the notation of a card number (0 to 51), such as `5S`.

    Raises:
        CardError: If the number is not a card.
    """
    if not 0 <= card < N_CARDS:
        raise CardError(
            f"{card} is not a valid card. Use an integer from 0 to 51 (13 * suit + rank)."
        )
    suit, rank = divmod(card, len(RANK_LETTERS))
    return RANK_LETTERS[rank] + SUIT_LETTERS[suit]


def parse_cards(text: str) -> list[int]:
    """Parse a list of cards, and return their numbers (0 to 51) in the same order.

    Args:
        text: A list of cards such as `5S 6S | 7S`, `['5S', '6S']` or `5♠6♠7♠`.

    Raises:
        CardError: If part of the string is not a card, or if a card occurs twice.
    """
    tokens = _split_tokens(text)
    cards_by_token = {token: _parse_token(token) for token in tokens}
    if invalid_tokens := [token for token, card in cards_by_token.items() if card is None]:
        raise CardError(_describe_invalid_cards(invalid_tokens))
    parsed_cards = [card for token in tokens if (card := cards_by_token[token]) is not None]
    if repeated_cards := sorted(card for card, count in Counter(parsed_cards).items() if count > 1):
        names = " and ".join(map(format_card, repeated_cards))
        verb = "is" if len(repeated_cards) == 1 else "are"
        raise CardError(f"{names} {verb} entered more than once. Enter each card only once.")
    return parsed_cards


def is_card_list(text: str) -> bool:
    """Return True if a string consists of two or more cards and nothing else."""
    tokens = _split_tokens(text)
    return len(tokens) > 1 and None not in map(_parse_token, tokens)


def split_cards(text: str) -> list[str]:
    """Split a list of cards at its separators: `['QD', '9D*']` becomes QD and 9D*."""
    return text.translate(_SEPARATOR_TRANSLATION).split()


def cards_to_mask(cards: Iterable[int]) -> int:
    """Return the bit mask of a hand that consists of the numbered cards.

    Raises:
        CardError: If a number is not a card.
    """
    mask = 0
    for card in cards:
        format_card(card)
        mask |= 1 << int(card)
    return mask


def mask_to_cards(mask: int) -> list[int]:
    """Return the card numbers in a bit mask, in ascending order.

    Raises:
        CardError: If the number is not a mask of 52 bits.
    """
    hand = int(mask)
    if not 0 <= hand < 1 << N_CARDS:
        raise CardError(f"{hand} is not a valid hand. Use a mask of {N_CARDS} bits, one per card.")
    return [card for card in range(N_CARDS) if hand >> card & 1]


def format_hand(mask: int) -> str:
    """Return the notation of a hand in ascending order, such as `5S 6S 7S KH`."""
    return " ".join(format_card(card) for card in mask_to_cards(mask))


def _normalise_notation(text: str) -> str:
    """Replace suit symbols with letters, and 10 with T."""
    return _TEN_PATTERN.sub("T", text.translate(SUIT_SYMBOL_TRANSLATION))


def _split_tokens(text: str) -> list[str]:
    """Split a string into tokens that should each be a card.

    Words that start with a card are split into tokens of two characters. Other words are not split.
    """
    tokens = []
    for word in split_cards(_normalise_notation(text)):
        if len(word) <= 3 or _parse_token(word[:2]) is None:
            tokens.append(word)
        else:
            tokens += [word[i : i + 2] for i in range(0, len(word), 2)]
    return tokens

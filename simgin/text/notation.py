"""Cards as people write them: rank then suit, `5S`; ranks A23456789TJQK, suits S H D C (rules.md 1).

A card is the integer 13 * suit + rank, 0..51; a hand is an integer with bit `card` set for each of its cards.
"""

from collections.abc import Iterable

from simgin.text.messages import quoted

RANKS = "A23456789TJQK"
SUITS = "SHDC"
CARDS = 52

_WORDS = (
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
)


class CardError(ValueError):
    """Text that is no card or no hand; the message is a sentence that names what is wrong and what would be right."""


def parse_card(text: str) -> int:
    """The card 0..51 that a text like `5S` (or `5s`) names; CardError for any other text."""
    token = text.strip()
    place = token.upper() if token.isascii() else ""
    if len(place) == 2 and place[0] in RANKS and place[1] in SUITS:
        return len(RANKS) * SUITS.index(place[1]) + RANKS.index(place[0])
    hint = "; a ten is T" if token.startswith("10") else ""
    raise CardError(
        f"{quoted(token, 24)} is no card: a card is a rank {RANKS} and a suit {SUITS}, like 5S{hint}."
    )


def card_text(card: int) -> str:
    """The canonical text of a card 0..51, like `5S`; CardError for any other number."""
    if not 0 <= card < CARDS:
        raise CardError(f"{card} is no card number: cards are 0..51, 13 * suit + rank.")
    suit, rank = divmod(card, len(RANKS))
    return RANKS[rank] + SUITS[suit]


def parse_cards(text: str, count: int | None = None) -> list[int]:
    """The cards 0..51 of a hand in the order written: `5S 6S 7S`, `5S,6S,7S` or `5S6S7S`.

    CardError names every text that is no card, every card given twice, and, where `count` is given, a wrong number.
    """
    found, sentences = [], []
    for token in _tokens(text):
        try:
            found.append(parse_card(token))
        except CardError as error:
            sentences.append(str(error))
    if not sentences:
        sentences = _repeated(found) + _miscounted(len(found), count)
    sentences = _few(list(dict.fromkeys(sentences)))
    if sentences:
        raise CardError(" ".join(sentences))
    return found


def hand_mask(cards: Iterable[int]) -> int:
    """The hand (bit `card` set for each card) that holds some cards 0..51."""
    hand = 0
    for one in cards:
        card_text(one)  # refuses what is no card
        hand |= 1 << int(one)
    return hand


def cards_in(mask: int) -> list[int]:
    """The cards 0..51 of a hand, suit by suit and rank by rank; CardError for a number that is no hand."""
    hand = int(mask)
    if not 0 <= hand < 1 << CARDS:
        raise CardError(f"{hand} is no hand: a hand is a mask of {CARDS} bits, one for each card.")
    return [one for one in range(CARDS) if hand >> one & 1]


def hand_text(mask: int) -> str:
    """A hand as text, suit by suit: `5S 6S 7S KH`."""
    return " ".join(card_text(one) for one in cards_in(mask))


def _tokens(text: str) -> list[str]:
    """A hand's text cut into what should be cards: at blanks and commas, then every two letters."""
    tokens = []
    for chunk in text.replace(",", " ").split():
        tokens += [chunk[i : i + 2] for i in range(0, len(chunk), 2)] if len(chunk) > 3 else [chunk]
    return tokens


def _few(sentences: list[str], most: int = 12) -> list[str]:
    """Sentences, if they are not too many to be read; else the first of them and how many more there are."""
    rest = len(sentences) - most
    return (
        sentences
        if rest <= 0
        else [*sentences[:most], f"{rest} more {'is' if rest == 1 else 'are'} no card, either."]
    )


def _repeated(cards: list[int]) -> list[str]:
    """A sentence for the cards that are given more than once, if any."""
    twice = sorted({one for one in cards if cards.count(one) > 1})
    if not twice:
        return []
    named = " and ".join(card_text(one) for one in twice)
    return [
        f"{named} {'is' if len(twice) == 1 else 'are'} given more than once: a pack has every card once."
    ]


def _miscounted(given: int, count: int | None) -> list[str]:
    """A sentence if another number of cards than `count` was given."""
    if count is None or given == count:
        return []
    wanted = _WORDS[count] if count < len(_WORDS) else str(count)
    asked = f"a hand of {wanted} card{'' if count == 1 else 's'} was asked for"
    return [f"{asked}, {given or 'none'} {'was' if given == 1 else 'were'} given."]

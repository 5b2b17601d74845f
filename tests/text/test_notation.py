"""Cards and hands as text: what is written is read back, and every other text is refused."""

import pytest

from simgin.text import notation
from simgin.text.notation import CardError


def test_the_pack_is_numbered_suit_by_suit_ace_to_king():
    shown = " ".join(map(notation.card_text, (0, 1, 9, 12, 13, 26, 39, 51)))
    assert shown == "AS 2S TS KS AH AD AC KC"


@pytest.mark.parametrize("card", range(52))
def test_a_card_is_read_in_either_case_with_letters_or_symbols_and_a_ten_in_figures(card):
    text = rank, suit = notation.card_text(card)
    rank = "10" if rank == "T" else rank
    place = "SHDC".index(suit)
    symbols = "\u2660\u2665\u2666\u2663"[place], "\u2664\u2661\u2662\u2667"[place] + "\ufe0f"
    forms = [text, f" {text} ", *(rank + sign for sign in (suit, *symbols))]
    for form in forms:
        assert notation.parse_card(form) == notation.parse_card(form.lower()) == card


FORMS = (
    "9S 10S JS",
    "9s,ts,js",
    "9S, 10S, JS",
    "9S10SJS",
    "9\u2660,10\u2660,J\u2660",
    " 9sTS ,JS\n",
)


@pytest.mark.parametrize("text", FORMS)
def test_the_cards_of_a_hand_may_be_separated_by_spaces_commas_or_nothing(text):
    assert notation.parse_cards(text) == [8, 9, 10]


@pytest.mark.parametrize("text", ["1S", "10", "110S", "", "5S6S", "A\u017f"])  # a long s
def test_a_bad_card_is_refused_by_name(text):
    with pytest.raises(CardError) as error:
        notation.parse_card(text)
    remedy = "write a rank (A23456789TJQK) and a suit (SHDC), like 5S."
    assert str(error.value) == f"'{text}' is not a card: {remedy}"


def test_every_bad_card_of_a_hand_is_listed():
    """In one sentence, and a word that is no cards stays whole."""
    for text, sentence in {
        "1S 5S6S7": "'1S' and '7' are not cards: write a rank",
        "9S ten of spades": "'ten', 'of' and 'spades' are not cards: write a rank",
        " ".join(f"x{i}" for i in range(14)): "'x11' and 2 more are not cards: write a rank",
    }.items():
        with pytest.raises(CardError) as error:
            notation.parse_cards(text)
        assert sentence in str(error.value) and str(error.value).count("write") == 1


@pytest.mark.parametrize(
    ("text", "count", "sentence"),
    [
        *((text, None, r"like 5S. The rank comes first: TS.$") for text in ("S10", "st", "ST")),
        ("5S 6S 5s", None, r"^5S is given more than once: a pack has each"),
        ("5S 6S 5S 6S 6S", None, r"^5S and 6S are given more than once"),
        ("AS 2S 3S", 2, r"^2 cards expected, 3 were given.$"),
        ("", 52, r"^52 cards expected, none were given.$"),
    ],
)
def test_cards_in_another_order_repeated_or_of_another_number_are_refused(text, count, sentence):
    with pytest.raises(CardError, match=sentence):
        notation.parse_cards(text, count)
    assert len(notation.parse_cards("AS 2S 3S", 3)) == 3


@pytest.mark.parametrize("number", [-1, 52])
def test_numbers_out_of_range_are_refused(number):
    with pytest.raises(CardError, match=r"is not a card: cards are 0..51"):
        notation.card_text(number)
    with pytest.raises(CardError, match=r"is not a card"):
        notation.hand_mask([number])
    with pytest.raises(CardError, match=r"is not a hand: a hand is a mask of 52 bits"):
        notation.hand_text(-1 if number < 0 else 1 << number)

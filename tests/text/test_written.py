"""Cards, hands and amounts as people write them: what is right is read, the rest is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simgin.text import amounts, notation
from simgin.text.amounts import AmountError
from simgin.text.notation import CardError
from support.hostile import cpu_limit


def test_the_pack_is_numbered_suit_by_suit_ace_to_king():
    shown = " ".join(map(notation.format_card, (0, 1, 9, 12, 13, 26, 39, 51)))
    assert shown == "AS 2S TS KS AH AD AC KC"


@pytest.mark.parametrize("card", range(52))
def test_a_card_is_read_in_either_case_with_letters_or_symbols_and_a_ten_in_numbers(card):
    text = rank, suit = notation.format_card(card)
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
    "9S TS | JS",
    "[9S, TS, JS]",
    "['9S', '10S', 'JS']",
    '("9s"; "ts"; "js")',
)


@pytest.mark.parametrize("text", FORMS)
def test_the_cards_of_a_hand_may_be_separated_by_what_lists_put_between_or_nothing(text):
    assert notation.parse_cards(text) == [8, 9, 10]
    assert notation.is_card_list(text) and not notation.is_card_list(f"{text} gold")


def test_a_single_card_can_be_in_a_list_but_is_not_a_hand():
    assert notation.parse_card("['10\u2660']") == 9
    assert not notation.is_card_list("9S") and not notation.is_card_list("")


@pytest.mark.parametrize("text", ["5S " * 100_000, " ".join(f"x{i}" for i in range(100_000))])
def test_a_long_string_of_cards_is_rejected_quickly(text):
    with cpu_limit(5), pytest.raises(CardError) as error:
        notation.parse_cards(text)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("text", ["1S", "10", "110S", "", "5S6S", "A\u017f"])  # a long s
def test_a_bad_card_is_rejected_by_name(text):
    with pytest.raises(CardError) as error:
        notation.parse_card(text)
    remedy = "Use a rank (A23456789TJQK) and a suit (SHDC), such as 5S."
    assert str(error.value) == f"'{text}' is not a card. {remedy}"


def test_every_bad_card_of_a_hand_is_listed():
    """In one sentence, and a word that is no cards stays whole."""
    for text, sentence in {
        "1S 5S6S7": "'1S' and '7' are not cards. Use a rank",
        "9S ten of spades": "'ten', 'of' and 'spades' are not cards. Use a rank",
        " ".join(f"x{i}" for i in range(14)): "'x11' and 2 more are not cards. Use a rank",
    }.items():
        with pytest.raises(CardError) as error:
            notation.parse_cards(text)
        assert sentence in str(error.value) and str(error.value).count("Use") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        *((text, r"such as 5S. The rank comes first, as in TS.$") for text in ("S10", "st", "ST")),
        ("5S 6S 5s", r"^5S is entered more than once. Enter each"),
        ("5S 6S 5S 6S 6S", r"^5S and 6S are entered more than once"),
    ],
)
def test_cards_in_another_order_or_repeated_are_rejected(text, sentence):
    with pytest.raises(CardError, match=sentence):
        notation.parse_cards(text)


@pytest.mark.parametrize("number", [-1, 52])
def test_numbers_out_of_range_are_rejected(number):
    with pytest.raises(CardError, match=r"is not a valid card. Use an integer from 0 to 51"):
        notation.format_card(number)
    with pytest.raises(CardError, match=r"is not a valid card"):
        notation.cards_to_mask([number])
    with pytest.raises(CardError, match=r"is not a valid hand\. Use a mask of 52 bits"):
        notation.format_hand(-1 if number < 0 else 1 << number)


# Amounts: counts, half-widths, times and Elo bounds


COUNTS = {"100_000": 100_000, "200k": 200_000, "2M": 2_000_000, "1.5M": 1_500_000}
COUNTS |= {" 1e6 ": 10**6, "1E+6": 10**6, 1e6: 10**6, "0.5k": 500, "1e12": 10**12}
HALF_WIDTHS = {"0.1%": "0.1%", " 2.50 % ": "2.5%", ".25%": "0.25%", 0.05: 0.05, "5e-2": 0.05}
SECONDS = {30: 30.0, "30s": 30.0, "5m": 300.0, "2h": 7200.0, "1.5H": 5400.0, " 90 s ": 90.0}
BOUNDS = dict.fromkeys([(0, 10), "0,10", " 0 , 1e1 "], (0.0, 10.0))


@pytest.mark.parametrize(
    ("call", "forms"),
    [
        (amounts.parse_count, COUNTS),
        (amounts.parse_half_width, HALF_WIDTHS | {1000: 1000.0}),
        (amounts.parse_seconds, SECONDS | {"1000h": 3_600_000.0}),
        (amounts.parse_elo_bounds, BOUNDS),
    ],
)
def test_an_amount_can_be_written_in_several_forms(call, forms):
    for text, expected in forms.items():
        assert call(text) == expected and type(call(text)) is type(expected), text


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("not a valid count", ["many", "", "2MM", "1,000", "0x10", "nan", float("inf"), True, [1]]),
        ("Use 5M for millions", ["5m"]),
        ("less than 1", [0, -5, "-1k"]),
        ("not a whole number", [1.5, "0.0001k"]),
        ("exceeds the maximum", ["2e12", "1e99"]),
    ],
)
def test_a_bad_count_is_rejected_with_a_suggestion(word, texts):
    for text in texts:
        with pytest.raises(AmountError, match=rf"{word}.*1e.*\.$"):
            amounts.parse_count(text)


NONSENSE = ["", "many", "nan", "inf", "-1", -1, 0, "0", "0s", "0%", True, None, [], [1], {}]
NONSENSE += [float("nan"), float("inf"), 10**400, 1 << 20_000]
NO_HALF_WIDTH = ["50%", "100%", "0.1 %%", "1e-3%", "-1%", 1000.5, "٣%"]
NO_TIME = ["1d", "1h30m", "5 min", "-5s", "1001h", 1e9, "1e3s", "٣s"]
NO_BOUNDS = [(10, 0), (5, 5), (-801, 0), (0, 801), (0, 5, 10), (0, True), (0, "x"), "0;10", "5"]


@pytest.mark.parametrize(
    ("call", "texts"),
    [
        (amounts.parse_half_width, NO_HALF_WIDTH),
        (amounts.parse_seconds, NO_TIME),
        (amounts.parse_elo_bounds, [*NO_BOUNDS, (0, float("nan"))]),
    ],
)
def test_a_bad_amount_is_rejected_with_a_suggestion(call, texts):
    for text in NONSENSE + texts:
        with pytest.raises(AmountError, match=r"\. Use .*\.$") as error:
            call(text)
        assert len(str(error.value)) < 200


@given(st.floats(1e-6, 1000))
def test_a_number_is_read_as_itself(number):
    assert amounts.parse_half_width(number) == amounts.parse_half_width(repr(number)) == number
    assert amounts.parse_seconds(number) == number
    assert amounts.parse_elo_bounds((0, min(number, 800))) == (0, min(number, 800))


@given(st.integers(1, 49_999))
def test_a_percentage_keeps_its_digits(thousandths):
    found = amounts.parse_half_width(f"{thousandths / 1000}%")
    assert float(found.removesuffix("%")) == thousandths / 1000

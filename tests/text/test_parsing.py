"""Tests of the notation for cards, hands and amounts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simgin.text import amounts, notation
from simgin.text.amounts import AmountError
from simgin.text.notation import CardError
from support.hostile import cpu_limit


def test_cards_are_numbered_by_suit_from_ace_to_king():
    names = " ".join(map(notation.format_card, (0, 1, 9, 12, 13, 26, 39, 51)))
    assert names == "AS 2S TS KS AH AD AC KC"


@pytest.mark.parametrize("card", range(52))
def test_card_can_be_written_in_several_forms(card):
    name = rank, suit = notation.format_card(card)
    rank = "10" if rank == "T" else rank
    suit_index = "SHDC".index(suit)
    symbols = (
        "\u2660\u2665\u2666\u2663"[suit_index],
        "\u2660\u2665\u2666\u2663"[suit_index] + "\ufe0e",
        "\u2664\u2661\u2662\u2667"[suit_index] + "\ufe0f",
    )
    forms = [name, f" {name} ", *(rank + suit_sign for suit_sign in (suit, *symbols))]
    for form in forms:
        assert notation.parse_card(form) == notation.parse_card(form.lower()) == card


HAND_FORMS = (
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


@pytest.mark.parametrize("text", HAND_FORMS)
def test_cards_of_a_hand_can_be_separated_in_several_ways(text):
    assert notation.parse_cards(text) == [8, 9, 10]
    assert notation.is_card_list(text) and not notation.is_card_list(f"{text} gold")


def test_single_card_is_not_a_hand():
    assert notation.parse_card("['10\u2660']") == 9
    assert not notation.is_card_list("9S") and not notation.is_card_list("")


@pytest.mark.parametrize("text", ["5S " * 100_000, " ".join(f"x{i}" for i in range(100_000))])
def test_long_string_of_cards_is_rejected_quickly(text):
    with cpu_limit(5), pytest.raises(CardError) as error:
        notation.parse_cards(text)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize("text", ["1S", "10", "110S", "", "5S6S", "A\u017f"])  # a long s
def test_invalid_card_is_rejected_by_name(text):
    with pytest.raises(CardError) as error:
        notation.parse_card(text)
    hint = "Use a rank (A23456789TJQK) and a suit (SHDC), such as 5S."
    assert str(error.value) == f"'{text}' is not a card. {hint}"


def test_every_invalid_card_of_a_hand_is_listed():
    """Expect one sentence, in which words that contain no card are not split."""
    for text, message in {
        "1S 5S6S7": "'1S' and '7' are not cards. Use a rank",
        "9S ten of spades": "'ten', 'of' and 'spades' are not cards. Use a rank",
        " ".join(f"x{i}" for i in range(14)): "'x11' and 2 more are not cards. Use a rank",
    }.items():
        with pytest.raises(CardError) as error:
            notation.parse_cards(text)
        assert message in str(error.value) and str(error.value).count("Use") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, r"such as 5S. The rank comes first, as in TS.$") for text in ("S10", "st", "ST")),
        ("5S 6S 5s", r"^5S is entered more than once. Enter each"),
        ("5S 6S 5S 6S 6S", r"^5S and 6S are entered more than once"),
    ],
)
def test_reversed_or_repeated_cards_are_rejected(text, message):
    with pytest.raises(CardError, match=message):
        notation.parse_cards(text)


@pytest.mark.parametrize("number", [-1, 52])
def test_card_numbers_out_of_range_are_rejected(number):
    with pytest.raises(CardError, match=r"is not a valid card. Use an integer from 0 to 51"):
        notation.format_card(number)
    with pytest.raises(CardError, match=r"is not a valid card"):
        notation.cards_to_mask([number])
    with pytest.raises(CardError, match=r"is not a valid hand\. Use a mask of 52 bits"):
        notation.format_hand(-1 if number < 0 else 1 << number)


# Amounts: counts, half-widths, times and Elo bounds


COUNT_BY_TEXT = {
    "100_000": 100_000,
    "1,000": 1000,
    "2,500,000": 2_500_000,
    "200k": 200_000,
    "2M": 2_000_000,
    "1.5M": 1_500_000,
}
COUNT_BY_TEXT |= {" 1e6 ": 10**6, "1E+6": 10**6, 1e6: 10**6, "0.5k": 500, "1e12": 10**12}
HALF_WIDTH_BY_TEXT = {"0.1%": "0.1%", " 2.50 % ": "2.5%", ".25%": "0.25%", 0.05: 0.05, "5e-2": 0.05}
SECONDS_BY_TEXT = {30: 30.0, "30s": 30.0, "5m": 300.0, "2h": 7200.0, "1.5H": 5400.0, " 90 s ": 90.0}
ELO_BOUNDS_BY_TEXT = dict.fromkeys([(0, 10), "0,10", " 0 , 1e1 "], (0.0, 10.0))


@pytest.mark.parametrize(
    ("parse", "value_by_text"),
    [
        (amounts.parse_count, COUNT_BY_TEXT),
        (amounts.parse_half_width, HALF_WIDTH_BY_TEXT | {1000: 1000.0}),
        (amounts.parse_seconds, SECONDS_BY_TEXT | {"1000h": 3_600_000.0}),
        (amounts.parse_elo_bounds, ELO_BOUNDS_BY_TEXT),
    ],
)
def test_amount_can_be_written_in_several_forms(parse, value_by_text):
    for text, expected in value_by_text.items():
        assert parse(text) == expected and type(parse(text)) is type(expected), text


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        (
            "not a valid count",
            ["many", "", "2MM", "1,00", "1,0000", "2.000", "0x10", "nan", float("inf"), True, [1]],
        ),
        ("Use 5M for millions", ["5m"]),
        ("less than 1", [0, -5, "-1k"]),
        ("not a whole number", [1.5, "0.0001k"]),
        ("exceeds the maximum", ["2e12", "1e99"]),
    ],
)
def test_invalid_count_is_rejected_with_a_suggestion(message, texts):
    for text in texts:
        with pytest.raises(AmountError, match=rf"{message}.*1e.*\.$"):
            amounts.parse_count(text)


INVALID_AMOUNTS = ["", "many", "nan", "inf", "-1", -1, 0, "0", "0s", "0%", True, None, [], [1], {}]
INVALID_AMOUNTS += [float("nan"), float("inf"), 10**400, 1 << 20_000]
INVALID_HALF_WIDTHS = ["50%", "100%", "0.1 %%", "1e-3%", "-1%", 1000.5, "٣%"]
INVALID_TIMES = ["1d", "1h30m", "5 min", "-5s", "1001h", 1e9, "1e3s", "٣s"]
INVALID_BOUNDS = [
    (10, 0),
    (5, 5),
    (-801, 0),
    (0, 801),
    (0, 5, 10),
    (0, True),
    (0, "x"),
    "0;10",
    "5",
]


@pytest.mark.parametrize(
    ("parse", "texts"),
    [
        (amounts.parse_half_width, INVALID_HALF_WIDTHS),
        (amounts.parse_seconds, INVALID_TIMES),
        (amounts.parse_elo_bounds, [*INVALID_BOUNDS, (0, float("nan"))]),
    ],
)
def test_invalid_amount_is_rejected_with_a_suggestion(parse, texts):
    for text in INVALID_AMOUNTS + texts:
        with pytest.raises(AmountError, match=r"\. Use .*\.$") as error:
            parse(text)
        assert len(str(error.value)) < 200


@given(st.floats(1e-6, 1000))
def test_numbers_are_parsed_unchanged(number):
    assert amounts.parse_half_width(number) == amounts.parse_half_width(repr(number)) == number
    assert amounts.parse_seconds(number) == number
    assert amounts.parse_elo_bounds((0, min(number, 800))) == (0, min(number, 800))


@given(st.integers(1, 49_999))
def test_percentage_keeps_its_digits(thousandths):
    half_width = amounts.parse_half_width(f"{thousandths / 1000}%")
    assert float(half_width.removesuffix("%")) == thousandths / 1000

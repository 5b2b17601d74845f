"""Amounts as people write them: counts, half-widths, times and Elo bounds; the rest is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simgin.text.amounts import (
    AmountError,
    parse_count,
    parse_elo_bounds,
    parse_half_width,
    parse_seconds,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (100000, 100_000),
        ("100_000", 100_000),
        ("200k", 200_000),
        ("2M", 2_000_000),
        ("1.5M", 1_500_000),
        (" 1e6 ", 1_000_000),
        ("1E+6", 1_000_000),
        (1e6, 1_000_000),
        ("0.5k", 500),
        (1, 1),
        ("1e12", 10**12),
    ],
)
def test_a_count_can_be_written_in_several_forms(text, expected):
    assert parse_count(text) == expected
    assert type(parse_count(text)) is int


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("many", "not a count"),
        ("", "not a count"),
        ("2MM", "not a count"),
        ("5m", "write 5M for millions"),
        ("1,000", "not a count"),
        ("0x10", "not a count"),
        ("nan", "not a count"),
        (float("inf"), "not a count"),
        (True, "not a count"),
        ([1], "not a count"),
        (0, "too few"),
        (-5, "too few"),
        ("-1k", "too few"),
        (1.5, "not a whole number"),
        ("0.0001k", "not a whole number"),
        ("2e12", "too many"),
        ("1e99", "too many"),
    ],
)
def test_a_bad_count_is_refused_with_a_remedy(text, word):
    with pytest.raises(AmountError) as error:
        parse_count(text)
    assert word in str(error.value)
    assert str(error.value).endswith(".")
    assert "1e" in str(error.value)


@given(st.integers(1, 10**12))
def test_a_whole_number_is_read_as_itself(number):
    assert parse_count(number) == parse_count(str(number)) == parse_count(f"{number:_}") == number


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.1%", "0.1%"),
        (" 2.50 % ", "2.5%"),
        (".25%", "0.25%"),
        (0.05, 0.05),
        ("0.05", 0.05),
        ("5e-2", 0.05),
        (1, 1.0),
        (1000, 1000.0),
    ],
)
def test_a_half_width_is_a_number_or_a_percentage(text, expected):
    assert parse_half_width(text) == expected
    assert type(parse_half_width(text)) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (30, 30),
        ("30", 30),
        ("30s", 30),
        ("5m", 300),
        ("2h", 7200),
        ("1.5H", 5400),
        (" 90 s ", 90),
        (0.5, 0.5),
        ("1000h", 3_600_000),
    ],
)
def test_a_time_is_read_in_seconds(text, expected):
    assert parse_seconds(text) == expected
    assert type(parse_seconds(text)) is float


@pytest.mark.parametrize("bounds", [(0, 10), [0, 10.0], "0,10", " 0 , 1e1 "])
def test_elo_bounds_are_a_pair_or_a_text(bounds):
    assert parse_elo_bounds(bounds) == (0.0, 10.0)


NONSENSE = [
    "",
    "many",
    "nan",
    "inf",
    "-1",
    -1,
    0,
    "0",
    "0s",
    "0%",
    True,
    None,
    [],
    [1],
    {},
    float("nan"),
    float("inf"),
    10**400,
    1 << 20_000,
]


NO_HALF_WIDTH = ["50%", "100%", "0.1 %%", "1e-3%", "-1%", 1000.5, "٣%"]
NO_TIME = ["1d", "1h30m", "5 min", "-5s", "1001h", 1e9, "1e3s", "٣s"]
NO_BOUNDS = [
    (10, 0),
    (5, 5),
    (5, -5),
    (-801, 0),
    (0, 801),
    (0, 5, 10),
    (0, True),
    (0, "x"),
    "0;10",
    "5",
    (0, float("nan")),
]


@pytest.mark.parametrize(
    ("call", "texts"),
    [(parse_half_width, NO_HALF_WIDTH), (parse_seconds, NO_TIME), (parse_elo_bounds, NO_BOUNDS)],
)
def test_a_bad_amount_is_refused_with_a_remedy(call, texts):
    for text in NONSENSE + texts:
        with pytest.raises(AmountError) as error:
            call(text)
        assert (
            "; write " in str(error.value)
            and str(error.value).endswith(".")
            and len(str(error.value)) < 200
        )


@given(st.floats(1e-6, 1000))
def test_a_number_is_read_as_itself(number):
    assert parse_half_width(number) == parse_half_width(repr(number)) == number
    assert parse_seconds(number) == number
    assert parse_elo_bounds((0, min(number, 800))) == (0, min(number, 800))


@given(st.integers(1, 49_999))
def test_a_percentage_keeps_its_digits(thousandths):
    assert float(parse_half_width(f"{thousandths / 1000}%").removesuffix("%")) == thousandths / 1000

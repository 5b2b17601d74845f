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

COUNTS = {"100_000": 100_000, "200k": 200_000, "2M": 2_000_000, "1.5M": 1_500_000}
COUNTS |= {" 1e6 ": 10**6, "1E+6": 10**6, 1e6: 10**6, "0.5k": 500, "1e12": 10**12}
HALF_WIDTHS = {"0.1%": "0.1%", " 2.50 % ": "2.5%", ".25%": "0.25%", 0.05: 0.05, "5e-2": 0.05}
SECONDS = {30: 30.0, "30s": 30.0, "5m": 300.0, "2h": 7200.0, "1.5H": 5400.0, " 90 s ": 90.0}
BOUNDS = dict.fromkeys([(0, 10), "0,10", " 0 , 1e1 "], (0.0, 10.0))


@pytest.mark.parametrize(
    ("call", "forms"),
    [
        (parse_count, COUNTS),
        (parse_half_width, HALF_WIDTHS | {1000: 1000.0}),
        (parse_seconds, SECONDS | {"1000h": 3_600_000.0}),
        (parse_elo_bounds, BOUNDS),
    ],
)
def test_an_amount_can_be_written_in_several_forms(call, forms):
    for text, expected in forms.items():
        assert call(text) == expected and type(call(text)) is type(expected), text


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("not a count", ["many", "", "2MM", "1,000", "0x10", "nan", float("inf"), True, [1]]),
        ("write 5M for millions", ["5m"]),
        ("too few", [0, -5, "-1k"]),
        ("not a whole number", [1.5, "0.0001k"]),
        ("too many", ["2e12", "1e99"]),
    ],
)
def test_a_bad_count_is_refused_with_a_remedy(word, texts):
    for text in texts:
        with pytest.raises(AmountError, match=rf"{word}.*1e.*\.$"):
            parse_count(text)


NONSENSE = ["", "many", "nan", "inf", "-1", -1, 0, "0", "0s", "0%", True, None, [], [1], {}]
NONSENSE += [float("nan"), float("inf"), 10**400, 1 << 20_000]
NO_HALF_WIDTH = ["50%", "100%", "0.1 %%", "1e-3%", "-1%", 1000.5, "٣%"]
NO_TIME = ["1d", "1h30m", "5 min", "-5s", "1001h", 1e9, "1e3s", "٣s"]
NO_BOUNDS = [(10, 0), (5, 5), (-801, 0), (0, 801), (0, 5, 10), (0, True), (0, "x"), "0;10", "5"]


@pytest.mark.parametrize(
    ("call", "texts"),
    [
        (parse_half_width, NO_HALF_WIDTH),
        (parse_seconds, NO_TIME),
        (parse_elo_bounds, [*NO_BOUNDS, (0, float("nan"))]),
    ],
)
def test_a_bad_amount_is_refused_with_a_remedy(call, texts):
    for text in NONSENSE + texts:
        with pytest.raises(AmountError, match=r"; write .*\.$") as error:
            call(text)
        assert len(str(error.value)) < 200


@given(st.floats(1e-6, 1000))
def test_a_number_is_read_as_itself(number):
    assert parse_half_width(number) == parse_half_width(repr(number)) == number
    assert parse_seconds(number) == number
    assert parse_elo_bounds((0, min(number, 800))) == (0, min(number, 800))


@given(st.integers(1, 49_999))
def test_a_percentage_keeps_its_digits(thousandths):
    assert float(parse_half_width(f"{thousandths / 1000}%").removesuffix("%")) == thousandths / 1000

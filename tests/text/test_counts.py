"""Counts as people write them, and the sentences for what is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simgin.text.amounts import CountError, count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (100000, 100_000),
        ("100_000", 100_000),
        ("200k", 200_000),
        ("2M", 2_000_000),
        ("2m", 2_000_000),
        ("1.5M", 1_500_000),
        (" 1e6 ", 1_000_000),
        ("1E+6", 1_000_000),
        (1e6, 1_000_000),
        ("0.5k", 500),
        (1, 1),
        ("1e12", 10**12),
    ],
)
def test_forms(text, expected):
    assert count(text) == expected
    assert type(count(text)) is int


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("many", "not a count"),
        ("", "not a count"),
        ("2MM", "not a count"),
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
def test_nonsense_is_a_sentence_with_a_remedy(text, word):
    with pytest.raises(CountError) as error:
        count(text)
    assert word in str(error.value)
    assert str(error.value).endswith(".")
    assert "1e" in str(error.value)


@given(st.integers(1, 10**12))
def test_whole_numbers_are_themselves(number):
    assert count(number) == count(str(number)) == count(f"{number:_}") == number

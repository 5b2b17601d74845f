"""Parsers for amounts: counts (200k), half-widths (0.1%), Elo bounds and times (30s)."""

import math
import operator
import re
from collections.abc import Sequence
from decimal import Decimal

from simgin.text.messages import SimginError, format_value, quote_text, shorten_middle

UNIT_PLURALS = {"deal": "deals", "match": "matches"}  # units of play and their plural forms

# Maximum count. Up to this count, random numbers do not repeat.
MAX_COUNT = 10**12
# maximum half-width in points per deal, which exceeds the score of any deal
MAX_HALF_WIDTH = 1000.0
MAX_ELO_DIFFERENCE = 800.0  # Elo difference for a win rate of 99 %
MAX_SECONDS = 1000 * 3600.0
MAX_WORKERS = 1024
MAX_AMOUNT_LENGTH = 60  # maximum number of characters of an amount in an error message
N_SEEDS = 2**64

_COUNT_SUFFIX_FACTORS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_COUNT_PATTERN = re.compile(
    r"([+-]?(?:\d{1,3}(?:,\d{3})+|\d[\d_]*)(?:\.\d+)?(?:e[+-]?\d{1,2})?)\s*([kmg]?)", re.IGNORECASE
)
_POINT_SEPARATOR_PATTERN = re.compile(r"\d{1,3}\.000", re.ASCII)
_SECONDS_PER_UNIT = {"s": 1, "m": 60, "h": 3600}
_NUMBER_PATTERN = r"\d+(?:\.\d*)?|\.\d+"
_PERCENT_PATTERN = re.compile(rf"({_NUMBER_PATTERN})\s*%", re.ASCII)
_TIME_PATTERN = re.compile(rf"({_NUMBER_PATTERN})\s*([smh])", re.ASCII | re.IGNORECASE)


class AmountError(SimginError):
    """Exception for an invalid amount, with a message that suggests a fix."""


def parse_count(count: int | float | str) -> int:
    """Parse a number of deals or matches, such as 512, 5,000, 12.4k or 2M.

    Args:
        count: A whole number from 1 to 10^12, or a string such as "200k", "2M" or "1e6".

    Raises:
        AmountError: If the count is invalid.
    """
    number = _parse_decimal(count)
    short_count = shorten_middle(str(count), MAX_AMOUNT_LENGTH)
    if number != number.to_integral_value():
        raise AmountError(
            f"{short_count} is not a whole number. Use a count such as 100000, 200k, 2M or 1e6."
        )
    if number < 1:
        raise AmountError(
            f"{short_count} is less than 1. Use a count such as 100000, 200k, 2M or 1e6."
        )
    if number > MAX_COUNT:
        raise AmountError(f"{short_count} exceeds the maximum. Use a count up to 1e12.")
    return int(number)


def _parse_decimal(count: int | float | str) -> Decimal:
    """Parse a count with an optional suffix, without rounding it to an integer."""
    # Converting a very long integer to a string raises ValueError.
    if isinstance(count, int) and abs(count) > MAX_COUNT:
        raise AmountError(
            f"{format_value(count)} is not a valid count. Use a count from 1 to 1e12."
        )
    match = None if isinstance(count, bool) else _COUNT_PATTERN.fullmatch(str(count).strip())
    if match is not None and match[2] == "m":
        raise AmountError(
            f"{shorten_middle(str(count), MAX_AMOUNT_LENGTH)} is not a valid count because m means "
            f"minutes. Use {shorten_middle(match[1], MAX_AMOUNT_LENGTH)}M for "
            "millions, or a count such as 1e6."
        )
    if match is None or _POINT_SEPARATOR_PATTERN.fullmatch(match[0]):
        shown_count = quote_text(count) if isinstance(count, str) else format_value(count)
        raise AmountError(
            f"{shown_count} is not a valid count. Use a count such as 100000, 200k, 2M or 1e6."
        )
    digits, suffix = match.groups()
    return Decimal(digits.replace("_", "").replace(",", "")) * _COUNT_SUFFIX_FACTORS[suffix.lower()]


def format_count(count: int) -> str:
    """Format a count with up to three significant digits, such as 512, 12.4k, 100k or 2M."""
    scaled_count, suffix = float(count), ""
    for next_suffix in ("k", "M", "G"):
        if scaled_count < 999.5:
            break
        scaled_count /= 1000
        suffix = next_suffix
    return f"{scaled_count:.3g}{suffix}"


def format_count_range(counts: Sequence[int]) -> str:
    """Format counts as `2,000` if all are equal, otherwise as a range such as `2,000 to 2,400`."""
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def format_duration(seconds: float) -> str:
    """Format a duration, such as `under 1 s`, `40 s`, `3 min` or `2 h 5 min`."""
    if seconds < 1:
        return "under 1 s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def parse_seed(number: object) -> int:
    """Convert an integer of any type, such as a NumPy integer, to a valid seed (0 to 2^64 - 1).

    Raises:
        AmountError: If the seed is not an integer in this range.
    """
    try:
        seed = operator.index(number)  # type: ignore[arg-type]
    except TypeError:
        raise AmountError(
            f"{format_value(number)} is not a valid seed. Use a whole number, such as 1."
        ) from None
    if not 0 <= seed < N_SEEDS:
        raise AmountError(
            f"{format_value(seed)} is not a valid seed. Use a number between 0 and 2^64 - 1."
        )
    return seed


def parse_workers(number: int | str) -> int:
    """Convert a number of threads or processes to an integer from 1 to 1024.

    Raises:
        AmountError: If the number is not valid.
    """
    digits = str(number)[:9]
    if not digits.isdecimal() or not 1 <= int(digits) <= MAX_WORKERS:
        raise AmountError(
            f"{format_value(number)} is not a valid number of workers. Use 1 to {MAX_WORKERS}."
        )
    return int(digits)


def parse_half_width(width: float | str) -> str | float:
    """Parse the half-width of a 95 % confidence interval.

    Args:
        width: Half-width in percentage points for a win rate (such as "0.1%", between 0 and 50), or
            in points per deal (such as 0.05, above 0 and up to 1000).

    Returns:
        String such as "0.1%" for a win rate, or float for points per deal.

    Raises:
        AmountError: If the half-width is invalid.
    """
    percentage = _PERCENT_PATTERN.fullmatch(width.strip()) if isinstance(width, str) else None
    if percentage is None:
        points = _parse_finite_number(width)
        if points is None or not 0 < points <= MAX_HALF_WIDTH:
            raise AmountError(
                f"{format_value(width)} is not a valid half-width. Use a percentage of wins such "
                "as 0.1%, or points per deal such as 0.05."
            )
        return points
    percent = float(percentage[1])
    if not 0 < percent < 50:
        raise AmountError(
            f"{format_value(width)} is not a valid half-width. Use a percentage between 0% and 50%"
            ", such as 0.1%."
        )
    return f"{percent:.15g}%"


def parse_elo_bounds(bounds: Sequence[float] | str) -> tuple[float, float]:
    """Parse the Elo differences under the two hypotheses of a sequential test.

    Args:
        bounds: A string such as "0,10" or a list or tuple of two numbers, with
            -800 <= elo0 < elo1 <= 800.

    Raises:
        AmountError: If the bounds are invalid.
    """
    parts = bounds.split(",") if isinstance(bounds, str) else bounds
    elo_values = (
        [_parse_finite_number(part) for part in parts] if isinstance(parts, list | tuple) else []
    )
    if len(elo_values) != 2 or elo_values[0] is None or elo_values[1] is None:
        raise AmountError(
            f"{format_value(bounds)} is not a valid pair of Elo differences. Use two numbers, such "
            "as 0,10."
        )
    low, high = elo_values[0], elo_values[1]
    if not -MAX_ELO_DIFFERENCE <= low < high <= MAX_ELO_DIFFERENCE:
        raise AmountError(
            f"{format_value(bounds)} is not a valid pair of Elo differences. Use two numbers "
            f"between -{MAX_ELO_DIFFERENCE:g} and {MAX_ELO_DIFFERENCE:g}, the lower one first."
        )
    return low, high


def parse_seconds(time: float | str) -> float:
    """Convert a duration of up to 1000 hours, such as 30, "30s", "5m" or "2h", to seconds.

    Raises:
        AmountError: If the duration is invalid.
    """
    match = _TIME_PATTERN.fullmatch(time.strip()) if isinstance(time, str) else None
    seconds = (
        float(match[1]) * _SECONDS_PER_UNIT[match[2].lower()]
        if match
        else _parse_finite_number(time)
    )
    if seconds is None or not 0 < seconds <= MAX_SECONDS:
        raise AmountError(
            f"{format_value(time)} is not a valid duration. Use a duration such as 30s, 5m or 2h"
            ", up to 1000h."
        )
    return seconds


def _parse_finite_number(value: object) -> float | None:
    """Convert a number or a numeric string to a finite float, or return None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None

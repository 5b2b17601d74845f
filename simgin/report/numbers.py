"""Numbers as people read them: as many digits as their error allows, with their 95 % interval."""

import math

DASH = "–"  # noqa: RUF001  printed where too little was played for an estimate
ERROR_DIGITS = 2  # significant digits of an error; the value gets as many decimals
# An interval whose arms differ by more than this share of its width shows both ends
LOPSIDED = 0.05
MOST_DECIMALS = 12


def number(value: float, error: float) -> str:
    """`value` rounded to the second significant digit of `error`; exactly zero is `0`."""
    if value == 0:
        return "0"
    decimals = _decimals(error)
    rounded = round(value, decimals) + 0.0  # the sum turns minus zero into zero
    return f"{rounded:.{decimals}f}"


def estimate(value: float, low: float, high: float, factor: float = 1) -> str:
    """`50.12 ± 0.14`, or `0.0012 (0.0003 to 0.0044)` where lopsided, or a dash where undefined.

    What is known exactly has no error: `50`.

    All three are multiplied by `factor` first (100 for per cent).
    """
    if math.isnan(value + low + high):
        return DASH
    value *= factor
    low *= factor
    high *= factor
    half = (high - low) / 2
    if half == 0:
        return f"{value + 0.0:g}"
    skew = abs((high - value) - (value - low))
    value_text = number(value, half)
    if skew > LOPSIDED * 2 * half:
        low_text = number(low, half)
        high_text = number(high, half)
        return f"{value_text} ({low_text} to {high_text})"
    return f"{value_text} ± {number(half, half)}"


def _decimals(error: float) -> int:
    if error <= 0:
        return 2
    return max(0, min(MOST_DECIMALS, ERROR_DIGITS - 1 - math.floor(math.log10(error))))

"""Formatting of numbers and confidence intervals, rounded according to their error."""

import math

EN_DASH = "–"  # noqa: RUF001  printed for undefined estimates
# `50.12 ± 0.14`, or `0.0012 (0.0003 to 0.0044)` if the interval is asymmetric. If the interval has
# no width, the result is a number such as `50`. If any argument is NaN, the result is an en dash.
SIGNIFICANT_ERROR_DIGITS = 2
# Maximum asymmetry of an interval, relative to its width. If the asymmetry is larger, both bounds
# are printed.
MAX_INTERVAL_ASYMMETRY = 0.05
MAX_DECIMALS = 12
MIN_PRINTED_P_VALUE = 0.001  # smallest p-value that is printed


def format_number(value: float, error: float) -> str:
    """Format a value with two significant digits of its error, and an exact 0 as "0"."""
    if value == 0:
        return "0"
    decimals = _count_decimals(error)
    # Adding 0.0 replaces -0.0 with 0.0. NumPy rounds ties differently from Python.
    rounded_value = round(float(value), decimals) + 0.0
    return f"{rounded_value:.{decimals}f}"


def format_p_value(p_value: float) -> str:
    """Format a p-value with three decimals, as `< 0.001` if it is smaller, or as a dash for NaN."""
    if math.isnan(p_value):
        return EN_DASH
    return "< 0.001" if p_value < MIN_PRINTED_P_VALUE else f"{p_value:.3f}"


def format_estimate(value: float, low: float, high: float, factor: float = 1) -> str:
    """Format an estimate with the half-width of its 95 % confidence interval.

    Args:
        value: Point estimate.
        low: Lower confidence bound.
        high: Upper confidence bound.
        factor: Factor for all three numbers, which is 100 for percentages.

    Returns:
        `50.12 ± 0.14`; `0.0012 (0.0003 to 0.0044)` if the interval is asymmetric; `50` if the
        interval has no width; an en dash if any number is NaN.
    """
    if math.isnan(value + low + high):
        return EN_DASH
    value, low, high = (factor * number for number in (value, low, high))
    half_width = (high - low) / 2
    if half_width == 0:
        return f"{value + 0.0:g}"
    asymmetry = abs((high - value) - (value - low))
    value_text = format_number(value, half_width)
    if asymmetry > MAX_INTERVAL_ASYMMETRY * 2 * half_width:
        low_text = format_number(low, half_width)
        high_text = format_number(high, half_width)
        return f"{value_text} ({low_text} to {high_text})"
    return f"{value_text} ± {format_number(half_width, half_width)}"


def _count_decimals(error: float) -> int:
    """Return the number of decimals that are necessary to show two digits of an error."""
    if error <= 0:
        return 2
    return max(0, min(MAX_DECIMALS, SIGNIFICANT_ERROR_DIGITS - 1 - math.floor(math.log10(error))))

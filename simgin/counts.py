"""Counts as people write them: 100000, 100_000, 200k, 2M, 1.5M, 1e6."""

from __future__ import annotations

import re
from decimal import Decimal

_SUFFIX = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_FORM = re.compile(r"([+-]?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d{1,2})?)\s*([kmg]?)", re.IGNORECASE)
MOST = 10**12  # more than any run could play; beyond 2**48 units the random numbers would repeat


class CountError(ValueError):
    """A count that cannot be read; the message is a sentence with the remedy."""


def count(text: int | float | str) -> int:
    """The whole number of deals or matches that `text` means, 1 to 10^12. Raises CountError with a sentence otherwise."""
    amount = _amount(text)
    if amount != amount.to_integral_value():
        raise CountError(f"{text} is not a whole number; write a count such as 100000, 200k, 2M or 1e6.")
    if amount < 1:
        raise CountError(f"{text} is too few; write a count of at least 1, such as 100000, 200k, 2M or 1e6.")
    if amount > MOST:
        raise CountError(f"{text} is too many; write a count of at most 1e12.")
    return int(amount)


def _amount(text: int | float | str) -> Decimal:
    match = None if isinstance(text, bool) else _FORM.fullmatch(str(text).strip())
    if match is None:
        raise CountError(f"{str(text)!r} is not a count; write one such as 100000, 200k, 2M or 1e6.")
    digits, suffix = match.groups()
    return Decimal(digits.replace("_", "")) * _SUFFIX[suffix.lower()]

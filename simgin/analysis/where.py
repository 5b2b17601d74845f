"""Queries of deals as a user writes them: `undercut, lost` or `points < -40`.

A query consists of conditions separated by commas, all of which a deal must fulfil. At most one
of the conditions is an order.
"""

import operator
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core.record import DEAL
from simgin.core.sums import KINDS
from simgin.text.messages import did_you_mean, quoted

# A deal, and the same deal played by the other of two compared strategies
FOUND = np.dtype([("deal", DEAL), ("other", DEAL)])

ENDINGS = {kind.replace("_", "-"): kind for kind in KINDS}
SIDES = {"won": 0, "lost": 1}  # side of the winner
DIFFER = "differ"
COSTLY = "costly"
ORDERS = {"longest": ("turns", -1), "lowest": ("points", 1), "highest": ("points", -1)}
NUMBERS = {
    "points": "points of A less those of B",
    "turns": "turns of both",
    "dealt": "deadwood of A as dealt",
    "takes": "upcards and discards that A took",
    "laid-off": "cards laid off",
    "gain": "with differ: points of A less those of B in the same place",
}
FIELDS = {"dealt": "dealt_a", "takes": "takes_a", "laid-off": "laid_off"}
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
_COMPARISON = re.compile(r"(\S+?)\s*(<=|>=|<|>|=)\s*([+-]?\d{1,9})", re.ASCII)
PLAIN = (*ENDINGS, *SIDES, DIFFER, *ORDERS, COSTLY)  # conditions without a comparison
WORDS = (*PLAIN, *NUMBERS)


class WhereError(ValueError):
    """Error raised if a query of deals is not valid."""


Comparison = tuple[str, str, int]  # quantity, operator and bound, such as `points < -40`


@dataclass(frozen=True)
class Where:
    """Query of deals.

    Attributes:
        text: The query as a string.
        endings: Indices of the accepted deal endings in `sums.KINDS`; empty for all.
        winner: Side that won, or None.
        comparisons: Quantity, operator and bound of each comparison.
        differ: True if the two compared strategies must have different results.
        order: Key of `ORDERS`, or `COSTLY_WORD`; empty for the order of play.
    """

    text: str
    endings: tuple[int, ...]
    side: int | None
    comparisons: tuple[Comparison, ...]
    differ: bool
    order: str

    @property
    def is_costly(self) -> bool:
        """True if the query is for decisions instead of deals."""
        return self.order == COSTLY

    def fits(self, found: np.ndarray) -> np.ndarray:
        """Return a mask of the deals that fulfil the query: bool (n_deals,)."""
        deal = found["deal"]
        fits = np.ones(len(found), bool)
        if self.endings:
            fits &= np.isin(deal["kind"], self.endings)
        if self.side is not None:
            fits &= deal["winner"] == self.side
        if self.differ:
            fits &= deal != found["other"]
        for name, sign, bound in self.comparisons:
            fits &= COMPARISONS[sign](number(found, name), bound)
        return fits

    def first(self, found: np.ndarray, limit: int) -> np.ndarray:
        """Return the first deals in the order of the query; ties stay in the order of play."""
        if self.order not in ORDERS:
            return found[:limit]
        name, sign = ORDERS[self.order]
        return np.asarray(found[np.argsort(sign * number(found, name), kind="stable")[:limit]])


def number(found: np.ndarray, name: str) -> np.ndarray:
    """Return a quantity of each deal: int64 (n_deals,).

    Args:
        found: FOUND_DEAL (n_deals,).
        name: Key of `DEAL_QUANTITIES`.
    """
    deal = found["deal"]
    if name == "points":
        return _points(deal)
    if name == "gain":
        return np.asarray(_points(deal) - _points(found["other"]))
    return np.asarray(deal[FIELDS.get(name, name)])


def _points(records: np.ndarray) -> np.ndarray:
    return np.asarray(records["points_a"] - records["points_b"])


def read_where(text: str) -> Where:
    """Parse a query.

    Raises:
        QueryError: If the query is not valid or contradicts itself.
    """
    parts = [part.strip() for part in text.lower().split(",")]
    comparisons = [_read_comparison(part) for part in parts if part not in PLAIN]
    differ = DIFFER in parts
    side = _only(parts, SIDES)
    order = _only(parts, [*ORDERS, COSTLY])
    endings = [KINDS.index(ENDINGS[part]) for part in parts if part in ENDINGS]
    if "gain" in [name for name, _, _ in comparisons] and not differ:
        raise WhereError("gain compares two strategies: write `differ, gain < -20`.")
    if differ and order == COSTLY:
        raise WhereError("differ and costly are two searches: ask for one of them.")
    return Where(
        ", ".join(parts), tuple(endings), SIDES.get(side), tuple(comparisons), differ, order
    )


def _only(parts: Sequence[str], words: Collection[str]) -> str:
    """Return the condition that is one of these words; empty if there is none."""
    word, *others = [part for part in parts if part in words] or [""]
    if others:
        raise WhereError(f"{word} and {others[0]} do not go together: keep one of them.")
    return word


def _read_comparison(part: str) -> Comparison:
    match = _COMPARISON.fullmatch(part)
    if match is None and part in NUMBERS:
        raise WhereError(f"{part} is a number: compare it, as in `{part} > 20`.")
    if match is None:
        raise WhereError(
            f"{quoted(part)} is nothing to look for{did_you_mean(part, WORDS)} Parts stand "
            f"between commas: {', '.join(WORDS)}; numbers as in `points < -40`."
        )
    name, sign, bound = match.groups()
    if name not in NUMBERS:
        raise WhereError(
            f"{quoted(name)} is no number of a deal{did_you_mean(name, NUMBERS)} "
            f"These are: {', '.join(NUMBERS)}."
        )
    return name, sign, int(bound)

"""Queries that select deals, such as `undercut, lost` or `points < -40`.

A query consists of conditions separated by commas. A deal must fulfil all conditions. At most one
condition specifies an order.
"""

import operator
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.deal_record import DEAL_RECORD_DTYPE
from simgin.text.messages import SimginError, quote_text, suggest_spelling

# If two strategies are compared, `other` is the same deal played by the second strategy.
FOUND_DEAL_DTYPE = np.dtype([("deal", DEAL_RECORD_DTYPE), ("other", DEAL_RECORD_DTYPE)])

ENDING_KEYWORDS = {kind.replace("_", "-"): kind for kind in DEAL_RESULTS}
WINNER_KEYWORDS = {"won": 0, "lost": 1}  # side of the winner
DIFFER_KEYWORD = "differ"
COSTLY_KEYWORD = "costly"
ORDER_KEYWORDS = {"longest": ("turns", -1), "lowest": ("points", 1), "highest": ("points", -1)}
DEAL_QUANTITIES = {
    "points": "points of A minus points of B",
    "turns": "turns of both players",
    "dealt": "deadwood of A's dealt hand",
    "takes": "upcards and discards that A took",
    "laid-off": "cards laid off",
    "gain": "with `differ`: net points of A minus net points of B, with the same cards",
}
QUANTITY_FIELDS = {"dealt": "dealt_a", "takes": "takes_a", "laid-off": "laid_off"}
COMPARISON_OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}
_COMPARISON_PATTERN = re.compile(r"(\S+?)\s*(<=|>=|<|>|=)\s*([+-]?\d{1,9})", re.ASCII)
# Conditions without a comparison
STANDALONE_KEYWORDS = (
    *ENDING_KEYWORDS,
    *WINNER_KEYWORDS,
    DIFFER_KEYWORD,
    *ORDER_KEYWORDS,
    COSTLY_KEYWORD,
)
QUERY_KEYWORDS = (*STANDALONE_KEYWORDS, *DEAL_QUANTITIES)


class QueryError(SimginError):
    """Error raised if a deal query is not valid."""


Comparison = tuple[str, str, int]  # quantity, operator and bound, such as `points < -40`


@dataclass(frozen=True)
class DealQuery:
    """Query with conditions for deals and the order of the results.

    Attributes:
        text: Query as a string.
        endings: Indices of the accepted deal endings in `DEAL_RESULTS`. If the list is empty, all
            endings are accepted.
        winner: Side that must win, or None.
        comparisons: Comparisons, each with a quantity, an operator and a bound.
        requires_different_play: True if the two compared strategies must have different results.
        order: Key of `ORDER_KEYWORDS`, or `COSTLY_KEYWORD`, or an empty string to keep the order of
            play.
    """

    text: str
    endings: tuple[int, ...]
    winner: int | None
    comparisons: tuple[Comparison, ...]
    requires_different_play: bool
    order: str

    @property
    def selects_costly_decisions(self) -> bool:
        """True if the query selects costly decisions instead of deals."""
        return self.order == COSTLY_KEYWORD

    def find_matching_deals(self, deals: np.ndarray) -> np.ndarray:
        """Return a mask of the deals that meet the conditions of the query, (n_deals,) bool."""
        records = deals["deal"]
        is_matching = np.ones(len(deals), bool)
        if self.endings:
            is_matching &= np.isin(records["kind"], self.endings)
        if self.winner is not None:
            is_matching &= records["winner"] == self.winner
        if self.requires_different_play:
            is_matching &= records != deals["other"]
        for name, operator_name, bound in self.comparisons:
            is_matching &= COMPARISON_OPERATORS[operator_name](compute_quantity(deals, name), bound)
        return is_matching

    def select_first(self, deals: np.ndarray, limit: int) -> np.ndarray:
        """Return the first `limit` deals in the order that the query specifies.

        Tied deals stay in the order of play.
        """
        if self.order not in ORDER_KEYWORDS:
            return deals[:limit]
        name, sign = ORDER_KEYWORDS[self.order]
        order = np.argsort(sign * compute_quantity(deals, name), kind="stable")
        return np.asarray(deals[order[:limit]])


def compute_quantity(deals: np.ndarray, name: str) -> np.ndarray:
    """Return the value of a quantity, such as `points`, for each deal, (n_deals,) int64.

    Args:
        deals: Deals that the search has played, FOUND_DEAL_DTYPE (n_deals,).
        name: Key of `DEAL_QUANTITIES`.
    """
    records = deals["deal"]
    if name == "points":
        return _compute_net_points(records)
    if name == "gain":
        return np.asarray(_compute_net_points(records) - _compute_net_points(deals["other"]))
    return np.asarray(records[QUANTITY_FIELDS.get(name, name)])


def _compute_net_points(records: np.ndarray) -> np.ndarray:
    """Return A's net points in each deal."""
    return np.asarray(records["points_a"] - records["points_b"])


def parse_query(text: str) -> DealQuery:
    """Parse a query such as `undercut, lost`.

    Raises:
        QueryError: If the query is not valid or contradicts itself.
    """
    conditions = [condition.strip() for condition in text.lower().split(",")]
    comparisons = [
        _parse_comparison(condition)
        for condition in conditions
        if condition not in STANDALONE_KEYWORDS
    ]
    requires_difference = DIFFER_KEYWORD in conditions
    winner_keyword = _find_exclusive_keyword(conditions, WINNER_KEYWORDS)
    order = _find_exclusive_keyword(conditions, [*ORDER_KEYWORDS, COSTLY_KEYWORD])
    endings = [
        DEAL_RESULTS.index(ENDING_KEYWORDS[condition])
        for condition in conditions
        if condition in ENDING_KEYWORDS
    ]
    if "gain" in [name for name, _, _ in comparisons] and not requires_difference:
        raise QueryError("'gain' requires 'differ'. Use, for example, `differ, gain < -20`.")
    if requires_difference and order == COSTLY_KEYWORD:
        raise QueryError("'differ' and 'costly' cannot be combined. Use only one of them.")
    return DealQuery(
        ", ".join(conditions),
        tuple(endings),
        WINNER_KEYWORDS.get(winner_keyword),
        tuple(comparisons),
        requires_difference,
        order,
    )


def _find_exclusive_keyword(conditions: Sequence[str], keywords: Collection[str]) -> str:
    """Return the only keyword of a group among query conditions, or "" if there is none."""
    keyword, *other_keywords = [word for word in conditions if word in keywords] or [""]
    if other_keywords:
        raise QueryError(
            f"'{keyword}' and '{other_keywords[0]}' cannot be combined. Use only one of them."
        )
    return keyword


def _parse_comparison(condition: str) -> Comparison:
    """Parse a comparison such as `points < -40`."""
    match = _COMPARISON_PATTERN.fullmatch(condition)
    if match is None and condition in DEAL_QUANTITIES:
        raise QueryError(
            f"'{condition}' requires a comparison. Use, for example, `{condition} > 20`."
        )
    if match is None:
        raise QueryError(
            f"{quote_text(condition)} is not a valid condition"
            f"{suggest_spelling(condition, QUERY_KEYWORDS)} Use {', '.join(QUERY_KEYWORDS)}, or a "
            "comparison such as `points < -40`."
        )
    name, symbol, bound = match.groups()
    if name not in DEAL_QUANTITIES:
        raise QueryError(
            f"{quote_text(name)} is not a valid quantity{suggest_spelling(name, DEAL_QUANTITIES)} "
            f"Use one of {', '.join(DEAL_QUANTITIES)}."
        )
    return name, symbol, int(bound)

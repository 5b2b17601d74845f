"""Definitions of the metrics of a matchup, in table order.

A metric is the ratio of two recorded quantities (`simgin.core.batch_columns`). metrics.toml defines
the numerator, and `DENOMINATOR_INDICES` defines the denominator. A metric is always computed from
the perspective of one strategy. If that strategy is A, the numerator is `numerator_a`, otherwise
`numerator_b`.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from simgin.core.batch_columns import DENOMINATOR_INDICES, STATISTIC_INDEX, STATISTIC_NAMES

DEAL, MATCH = "deal", "match"
# names of the recorded quantities that count deals and matches
UNIT_COUNT_STATISTICS = {DEAL: "deals", MATCH: "matches"}
# Numbers of players for which a metric exists
ONE_OR_TWO_PLAYERS, TWO_PLAYERS, ONE_PLAYER = (1, 2), (2,), (1,)
# prefixes of the quantities that are recorded for each side
OPPOSITE_PREFIX = {"a_": "b_", "b_": "a_"}


@dataclass(frozen=True)
class Metric:
    """Definition of a metric: name, title, meaning, numerator and scale.

    Attributes:
        name: Name of the metric.
        title: Column heading, which ends with % for a proportion.
        meaning: Definition of the metric with unit and range.
        numerator: Recorded quantity from the perspective of A.  The default is the name of the
            metric.
        scale: Divisor of the numerator, for quantities that are counted in halves.
        heading: Name of the column in summary.csv. The default is the name of the metric, with the
            suffix `_pct` for a proportion.
        player_counts: Numbers of players for which the metric is defined.
    """

    name: str
    title: str
    meaning: str
    numerator: str = ""
    scale: int = 1
    heading: str = ""
    player_counts: tuple[int, ...] = ONE_OR_TWO_PLAYERS

    @property
    def numerator_a(self) -> str:
        """Name of the numerator from the perspective of strategy A."""
        return self.numerator or self.name

    @property
    def numerator_b(self) -> str:
        """Name of the numerator from the perspective of strategy B.

        If a quantity is not recorded for each side, the numerator is the same for A and B.
        """
        prefix, name = self.numerator_a[:2], self.numerator_a[2:]
        opposite_name = OPPOSITE_PREFIX.get(prefix, prefix) + name
        return opposite_name if opposite_name in STATISTIC_INDEX else self.numerator_a

    @property
    def is_zero_sum(self) -> bool:
        """True if the value for B is the negative of the value for A."""
        return self.numerator_a == self.numerator_b and self.numerator_a.startswith("a_")

    @property
    def denominator(self) -> str:
        """Name of the recorded quantity by which the numerator is divided."""
        return STATISTIC_NAMES[DENOMINATOR_INDICES[self.find_numerator_index()]]

    @property
    def unit(self) -> str:
        """Unit of the metric, "deal" or "match".

        Quantities that are recorded per match are in the last columns.
        """
        return MATCH if STATISTIC_INDEX[self.denominator] >= STATISTIC_INDEX["matches"] else DEAL

    @property
    def has_positive_denominators(self) -> bool:
        """True if the denominator of the metric is positive in every deal or match."""
        return self.denominator in ("deals", "matches")

    @property
    def is_proportion(self) -> bool:
        """True if the metric is a proportion from 0 to 1."""
        return self.title.endswith("%")

    @property
    def summary_column(self) -> str:
        """Name of the column of the metric in summary.csv."""
        return self.heading or (f"{self.name}_pct" if self.is_proportion else self.name)

    @property
    def display_factor(self) -> int:
        """Factor by which a value is multiplied for display."""
        return 100 if self.is_proportion else 1

    def find_numerator_index(self, as_b: bool = False) -> int:
        """Return the index of the numerator's statistic from the perspective of A or B."""
        return STATISTIC_INDEX[self.numerator_b if as_b else self.numerator_a]

    def get_sign(self, as_b: bool = False) -> int:
        """Return -1 for a zero-sum metric from the perspective of B, otherwise 1."""
        return -1 if as_b and self.is_zero_sum else 1


def format_deal_ending(ending: str) -> str:
    """Return the display name of a deal ending, such as `big gin`.

    A void deal is a `dead hand`.
    """
    return "dead hand" if ending == "void" else ending.replace("_", " ")


def _read_metrics() -> tuple[Metric, ...]:
    """Read the metrics from metrics.toml."""
    text = Path(__file__).with_name("metrics.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    for table in tables.values():
        table["player_counts"] = tuple(table.pop("players", ONE_OR_TWO_PLAYERS))
    return tuple(Metric(name, **table) for name, table in tables.items())


METRICS = _read_metrics()

# Metrics in the tables of a matchup, in table order. Each value contains the numbers of players for
# which the metric is shown even if its event never occurred. The first six metrics describe who
# wins.
TABLE_METRICS = {
    "deal_win": ONE_OR_TWO_PLAYERS,
    "margin": TWO_PLAYERS,
    "score": ONE_PLAYER,
    "match_win": ONE_OR_TWO_PLAYERS,
    "goal_met": ONE_PLAYER,
    "settlement": TWO_PLAYERS,
    "gin": ONE_OR_TWO_PLAYERS,
    "big_gin": (),
    "shot": (),
    "knock": TWO_PLAYERS,
    "undercut": TWO_PLAYERS,
    "even": (),
    "void": TWO_PLAYERS,
    "refused": (),
    "joker": (),
    "limit": (),
    "stalled": (),
    "turns": ONE_OR_TWO_PLAYERS,
}
WIN_METRICS = tuple(TABLE_METRICS)[:6]
METRICS_BY_NAME = {metric.name: metric for metric in METRICS}


def select_metrics(unit: str, n_players: int = 2) -> tuple[Metric, ...]:
    """Return the metrics per deal or per match for a number of players, in table order."""
    return tuple(
        metric for metric in METRICS if metric.unit == unit and n_players in metric.player_counts
    )


def select_headline_metrics(unit: str, n_players: int) -> tuple[str, str]:
    """Return the two metrics that show which strategy wins: a proportion and a metric in points."""
    if n_players == 1:
        return ("win", "score") if unit == DEAL else ("match_win", "score")
    return ("deal_win", "margin") if unit == DEAL else ("match_win", "margin")

"""The metrics of a matchup, in the order of tables.

metrics.toml defines them. A metric is the ratio of two facts of `simgin.core.batch_columns`: the
TOML file names the numerator, and `DENOMINATOR` gives the denominator. A metric has the perspective
of one strategy: `numerator_a` is the numerator if that strategy is A, `numerator_b` if it is B.
docs/blocks/facts.py documents the facts.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from simgin.core import sums

DEAL, MATCH = "deal", "match"
COUNTS = {DEAL: "deals", MATCH: "matches"}  # fact that counts the deals or matches
BOTH, TWO, ONE = (1, 2), (2,), (1,)  # numbers of players
EXCHANGED = {"a_": "b_", "b_": "a_"}  # prefixes of the facts of one side


@dataclass(frozen=True)
class Metric:
    """Definition of a metric.

    Attributes:
        name: Name of the metric.
        title: Column head; ends with % for a proportion.
        meaning: One sentence with unit and range.
        numerator: Fact from the perspective of A, if it differs from the name.
        better: "higher" or "lower" if the strategy aims for that.
        scale: Number of parts of one in which the numerator counts.
        heading: Column in summary.csv, if it is not the name (with the suffix _pct for a
            proportion).
        players: Numbers of players of the matchups that have the metric.
    """

    name: str
    title: str
    meaning: str
    numerator: str = ""
    better: str = ""
    scale: int = 1
    heading: str = ""
    players: tuple[int, ...] = BOTH

    @property
    def own(self) -> str:
        """The numerator if the strategy is A."""
        return self.numerator or self.name

    @property
    def other(self) -> str:
        """The numerator if the strategy is B; the same as for A if the fact has no side."""
        exchanged = EXCHANGED.get(self.own[:2], self.own[:2]) + self.own[2:]
        return exchanged if exchanged in sums.FACT else self.own

    @property
    def zero_sum(self) -> bool:
        """True if the value of B is the negative of that of A."""
        return self.own == self.other and self.own.startswith("a_")

    @property
    def denominator(self) -> str:
        """The fact by which the numerator of A is divided."""
        return sums.FACTS[sums.DENOMINATOR[self.fact()]]

    @property
    def unit(self) -> str:
        """The unit of the metric, "deal" or "match". Facts of matches come last."""
        is_of_matches = sums.FACT[self.denominator] >= sums.FACT["matches"]
        return MATCH if is_of_matches else DEAL

    @property
    def always(self) -> bool:
        """True if the denominator is positive in every unit, however short the run."""
        return self.denominator in ("deals", "matches")

    @property
    def share(self) -> bool:
        """True if the metric is a proportion in 0..1."""
        return self.title.endswith("%")

    @property
    def key(self) -> str:
        """The column name in summary.csv."""
        return self.heading or (f"{self.name}_pct" if self.share else self.name)

    @property
    def factor(self) -> int:
        """The factor by which values are multiplied for display."""
        return 100 if self.share else 1

    def fact(self, as_b: bool = False) -> int:
        """Return the index of the numerator from the perspective of A or B."""
        return sums.FACT[self.other if as_b else self.own]

    def sign(self, as_b: bool = False) -> int:
        """Return -1 for the perspective of B of a zero-sum metric, otherwise 1."""
        return -1 if as_b and self.zero_sum else 1


def kind_words(kind: str) -> str:
    """Return the usual name of a deal ending: `big gin`, and `dead hand` for void."""
    return "dead hand" if kind == "void" else kind.replace("_", " ")


def _read() -> tuple[Metric, ...]:
    """Read the metrics from metrics.toml."""
    text = Path(__file__).with_name("metrics.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    for table in tables.values():
        table["players"] = tuple(table.get("players", BOTH))
    return tuple(Metric(name, **table) for name, table in tables.items())


METRICS = _read()

# Metrics in tables of a matchup, in order, with the numbers of players for which they are shown
# even if the event never happened. The first six describe who wins.
SHOWN = {
    "deal_win": BOTH,
    "margin": TWO,
    "score": ONE,
    "match_win": BOTH,
    "goal_met": ONE,
    "settlement": TWO,
    "gin": BOTH,
    "big_gin": (),
    "shot": (),
    "knock": TWO,
    "undercut": TWO,
    "even": (),
    "void": TWO,
    "refused": (),
    "joker": (),
    "limit": (),
    "stalled": (),
    "turns": BOTH,
}
WINS = tuple(SHOWN)[:6]
BY_NAME = {metric.name: metric for metric in METRICS}


def unit_metrics(unit: str, players: int = 2) -> tuple[Metric, ...]:
    """Return the metrics per deal or per match for a number of players, in table order."""
    return tuple(metric for metric in METRICS if metric.unit == unit and players in metric.players)


def headline(unit: str, players: int) -> tuple[str, str]:
    """Return the two metrics that describe who wins: a proportion, then points."""
    if players == 1:
        return ("win", "score") if unit == DEAL else ("match_win", "score")
    return ("deal_win", "margin") if unit == DEAL else ("match_win", "margin")

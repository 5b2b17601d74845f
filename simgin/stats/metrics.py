"""The metrics of a matchup, one record each, in the order in which tables show them.

They are data in metrics.toml. A metric is a ratio of two facts of `simgin.core.sums`: its numerator
is named there, its denominator in the facts. It is seen from the side of one strategy: `own` is the
numerator where that strategy is A, `other` where it is B. docs/blocks/facts.py says what the facts
count.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from simgin.core import sums

DEAL, MATCH = "deal", "match"
COUNTS = {DEAL: "deals", MATCH: "matches"}  # the fact that counts what was played
BOTH, TWO, ONE = (1, 2), (2,), (1,)  # numbers of players
EXCHANGED = {"a_": "b_", "b_": "a_"}  # how facts of the sides begin


@dataclass(frozen=True)
class Metric:
    """What a metric is called, what it means, and where its numbers come from.

    title: the heading of its column, with % at its end where it is a share. meaning: one sentence
    with unit and range. numerator: the fact seen by A, if not of its name. better: "higher" or
    "lower" where the strategy wants it so. scale: the numerator counts in this many parts of one.
    heading: in summary.csv, if it is not the name, with _pct behind that of a share.
    """

    name: str
    title: str
    meaning: str
    numerator: str = ""
    better: str = ""
    scale: int = 1
    heading: str = ""
    players: tuple[int, ...] = BOTH  # the matchups that have it

    @property
    def own(self) -> str:
        """The numerator where the strategy is A."""
        return self.numerator or self.name

    @property
    def other(self) -> str:
        """The numerator where the strategy is B: A's where both sides have one."""
        exchanged = EXCHANGED.get(self.own[:2], self.own[:2]) + self.own[2:]
        return exchanged if exchanged in sums.FACT else self.own

    @property
    def zero_sum(self) -> bool:
        """Whether B sees the negative of what A sees."""
        return self.own == self.other and self.own.startswith("a_")

    @property
    def denominator(self) -> str:
        """The fact that the numerator seen by A is divided by."""
        return sums.FACTS[sums.DENOMINATOR[self.fact()]]

    @property
    def unit(self) -> str:
        """What it is per: "deal" or "match", whose facts come last."""
        is_of_matches = sums.FACT[self.denominator] >= sums.FACT["matches"]
        return MATCH if is_of_matches else DEAL

    @property
    def always(self) -> bool:
        """Whether every unit has some of the denominator, however short the run."""
        return self.denominator in ("deals", "matches")

    @property
    def share(self) -> bool:
        """Whether it lies in 0..1."""
        return self.title.endswith("%")

    @property
    def key(self) -> str:
        """Its name in summary.csv."""
        return self.heading or (f"{self.name}_pct" if self.share else self.name)

    @property
    def factor(self) -> int:
        """What values are multiplied by before they are shown."""
        return 100 if self.share else 1

    def fact(self, as_b: bool = False) -> int:
        """The number of the fact that is the numerator, seen by A or by B."""
        return sums.FACT[self.other if as_b else self.own]

    def sign(self, as_b: bool = False) -> int:
        """-1 where B sees the negative of what A sees."""
        return -1 if as_b and self.zero_sum else 1


def kind_words(kind: str) -> str:
    """How a deal ended, as players say it: `big gin`, and `dead hand` for void."""
    return "dead hand" if kind == "void" else kind.replace("_", " ")


def _read() -> tuple[Metric, ...]:
    text = Path(__file__).with_name("metrics.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text)
    for table in tables.values():
        table["players"] = tuple(table.get("players", BOTH))
    return tuple(Metric(name, **table) for name, table in tables.items())


METRICS = _read()

# What tables show of a matchup, in their order: the numbers of players for whom it is shown even
# where it never happened. The first are those that say who wins.
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
    """The metrics per deal, or those per match, of matchups of so many players, in table order."""
    return tuple(metric for metric in METRICS if metric.unit == unit and players in metric.players)


def headline(unit: str, players: int) -> tuple[str, str]:
    """The two metrics that say who wins: a share first, then points."""
    if players == 1:
        return ("win", "score") if unit == DEAL else ("match_win", "score")
    return ("deal_win", "margin") if unit == DEAL else ("match_win", "margin")

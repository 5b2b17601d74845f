"""The metrics of a matchup, one record each, in the order in which tables show them.

A metric is a ratio of two facts of `simgin.core.sums`: its numerator is named here, its denominator
there. It is seen from the side of one strategy: `own` is the numerator where that strategy is A,
`other` where it is B. docs/blocks/facts.py says what the facts count.
"""

from collections.abc import Iterator
from dataclasses import dataclass

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
    """

    name: str
    title: str
    meaning: str
    numerator: str = ""
    better: str = ""
    scale: int = 1
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
        name = self.name.replace("won_", "a_won_").replace("lost_", "b_won_")
        return KEYS.get(self.name, f"{name}_pct" if self.share else name)

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


_KIND_MEANINGS = {
    "knock": "Share of deals (0 to 1) won by the knocker with deadwood left, whoever knocked.",
    "gin": "Share of deals (0 to 1) ended by gin, whoever went gin.",
    "big_gin": "Share of deals (0 to 1) ended by big gin, whoever had it.",
    "shot": "Share of deals (0 to 1) ended by a Gin Shot, whoever made it.",
    "undercut": (
        "Share of deals (0 to 1) in which the defender, or the joker, undercut the knocker, "
        "whoever knocked."
    ),
    "even": "Share of deals (0 to 1) ended by a knock in which nobody scored.",
    "void": "Share of deals (0 to 1) that ran out of stock and count for nobody.",
    "stalled": (
        "Share of deals (0 to 1) stopped by the guard against endless play; they count for nobody."
    ),
    "joker": "Share of deals (0 to 1) ended by the joker.",
    "limit": "Share of deals (0 to 1) ended by the last permitted draw.",
    "refused": "Share of deals (0 to 1) ended because a stake was refused, whoever refused it.",
}

# What a side can win by, as titles and as meanings have it
_WAYS = {
    "knock": ("knock", "by knocking"),
    "gin": ("gin", "by gin"),
    "big_gin": ("big gin", "by big gin"),
    "shot": ("shot", "by a Gin Shot"),
    "undercut": ("undercut", "by undercutting"),
    "refused": ("refusal", "because its offer of the die was refused"),
}


def kind_words(kind: str) -> str:
    """How a deal ended, as players say it: `big gin`, and `dead hand` for void."""
    return "dead hand" if kind == "void" else kind.replace("_", " ")


def _kind_title(kind: str) -> str:
    """`ended by gin %`, of what a side can win by; else `dead hand %`, `joker %`."""
    if kind not in _WAYS:
        return f"{kind_words(kind)} %"
    way, _ = _WAYS[kind]
    return f"ended by {way} %"


def _by_kind() -> Iterator[Metric]:
    """How often deals end in each way, and how often each side wins so."""
    for kind in sums.KINDS:
        yield Metric(kind, _kind_title(kind), _KIND_MEANINGS[kind])
    for kind in sums.WON_KINDS:
        way, won = _WAYS[kind]
        meaning = f"Share of deals (0 to 1) that the strategy won {won}."
        yield Metric(f"won_{kind}", f"won by {way} %", meaning, f"a_won_{kind}", "higher")
    for kind in sums.WON_KINDS:
        way, won = _WAYS[kind]
        meaning = f"Share of deals (0 to 1) that the opponent won {won}."
        title = f"lost to {way} %"
        yield Metric(f"lost_{kind}", title, meaning, f"b_won_{kind}", "lower", players=TWO)


def _points_by_kind() -> Iterator[Metric]:
    for kind in sums.SCORED_KINDS:
        way, won = _WAYS[kind]
        meaning = f"Points of the winner, per deal won {won} by either side (0 and up)."
        yield Metric(f"points_{kind}", f"points/{way}", meaning)


_RESULTS = (
    Metric(
        "deal_win",
        "deals won %",
        "Share of all deals (0 to 1) that the strategy won; deals that nobody won count as not "
        "won.",
        "a_deal_win",
        "higher",
    ),
    Metric(
        "deal_loss",
        "deals lost %",
        "Share of all deals (0 to 1) that the opponent, or the joker, won; deals that nobody won "
        "count as not won.",
        "b_deal_win",
        "lower",
    ),
    Metric(
        "points",
        "points scored/deal",
        "Points that the strategy scored, per deal (0 and up; where penalties are counted, the "
        "penalty).",
        "a_points",
    ),
    Metric(
        "points_against",
        "points conceded/deal",
        "Points that the opponent, or the joker, scored, per deal (0 and up; where penalties are "
        "counted, the penalty).",
        "b_points",
    ),
    Metric(
        "margin",
        "points/deal",
        "Points of the strategy minus points of the opponent, or of the joker, per deal (any "
        "sign).",
        "a_margin",
        "higher",
    ),
    Metric(
        "points_scored",
        "points/decided deal",
        "Points of whoever scored, per decided deal (0 and up).",
    ),
)

_SOLO = (
    Metric(
        "win",
        "deals won %",
        "Share of deals (0 to 1) that the player won.",
        "a_deal_win",
        "higher",
        players=ONE,
    ),
    Metric(
        "score",
        "score/deal",
        "Points of the player minus those of the joker, per deal (any sign); where penalties are "
        "counted, the penalty.",
        "a_margin",
        players=ONE,
    ),
)

_PLAY = (
    Metric("turns", "turns", "Turns, those of both players together, per deal (0 to 500)."),
    Metric(
        "take_rate",
        "takes %",
        "Share (0 to 1) of the strategy's draws that took the upcard instead of a card of the "
        "stock.",
        "a_takes",
        players=TWO,
    ),
    Metric(
        "first_player_win",
        "won by nondealer %",
        "Share of decided deals (0 to 1) won by the nondealer; in matches of unequal players it "
        "shows who deals more often, too: take it from single deals.",
        players=TWO,
    ),
    Metric(
        "upcard_first",
        "upcard to nondealer %",
        "Share of deals (0 to 1) whose upcard the nondealer took.",
        players=TWO,
    ),
    Metric(
        "upcard_second",
        "upcard to dealer %",
        "Share of deals (0 to 1) whose upcard the dealer took.",
        players=TWO,
    ),
    Metric(
        "upcard_none",
        "upcard declined %",
        "Share of deals (0 to 1) whose upcard neither player took.",
        players=TWO,
    ),
)

_SHOWDOWNS = (
    Metric(
        "knock_count",
        "knocker's deadwood",
        "Knocker's deadwood, per knock (gin not counted; 0 and up).",
    ),
    Metric(
        "defender_count",
        "defender's deadwood",
        "Defender's deadwood after laying off, or the joker's count, per knock (0 and up).",
    ),
    Metric(
        "defender_before",
        "defender's deadwood before lay-offs",
        "Defender's deadwood before laying off, per knock (0 and up).",
        players=TWO,
    ),
    Metric("laid_off", "cards laid off/knock", "Cards laid off, per knock (0 to 10).", players=TWO),
    Metric(
        "laid_off_any",
        "knocks with a lay-off %",
        "Share of knocks (0 to 1) on which a card was laid off.",
        players=TWO,
    ),
    Metric(
        "tie", "equal deadwood %", "Share of knocks (0 to 1) with equal deadwood on both sides."
    ),
)

_MATCHES = (
    Metric(
        "match_win",
        "matches won %",
        "Share of matches (0 to 1) that the strategy won, a drawn or unfinished one counted as "
        "half.",
        "a_match_win",
        "higher",
        scale=2,
    ),
    Metric("match_drawn", "matches drawn %", "Share of matches (0 to 1) that were drawn."),
    Metric(
        "unfinished", "unfinished %", "Share of matches (0 to 1) broken off by the engine's guard."
    ),
    Metric(
        "deals_per_match",
        "deals/match",
        "Deals per match, those that count for nobody included.",
        "deals",
    ),
    Metric(
        "match_margin",
        "match margin",
        "Final score of the strategy minus the other side's, per match (any sign): points, or "
        "games or deals if those are the goal.",
        "a_match_margin",
        "higher",
    ),
    Metric(
        "settlement",
        "settlement",
        "Settlement in favour of the strategy with its bonuses, per match to points or in columns "
        "that was not broken off (any sign).",
        "a_settlement",
        "higher",
    ),
    Metric("winner_score", "winner's score", "Final score of the winner, per decided match."),
    Metric("loser_score", "loser's score", "Final score of the loser, per decided match."),
    Metric(
        "loser_zero",
        "loser at 0 %",
        "Share of decided matches (0 to 1) in which the loser's score was 0.",
    ),
    Metric(
        "goal_met",
        "goal met %",
        "Share of matches of penalties (0 to 1) whose total met the goal.",
        better="higher",
        players=ONE,
    ),
)

METRICS: tuple[Metric, ...] = (
    *_by_kind(),
    *_RESULTS,
    *_points_by_kind(),
    *_SOLO,
    *_PLAY,
    *_SHOWDOWNS,
    *_MATCHES,
)

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
# Their names in summary.csv, where they are not the metric's; shares end in _pct
KEYS = {
    "deal_win": "deals_won_pct",
    "margin": "points_per_deal",
    "score": "score_per_deal",
    "match_win": "matches_won_pct",
}

BY_NAME = {metric.name: metric for metric in METRICS}


def unit_metrics(unit: str, players: int = 2) -> tuple[Metric, ...]:
    """The metrics per deal, or those per match, of matchups of so many players, in table order."""
    return tuple(metric for metric in METRICS if metric.unit == unit and players in metric.players)


def headline(unit: str, players: int) -> tuple[str, str]:
    """The two metrics that say who wins: a share first, then points."""
    if players == 1:
        return ("win", "score") if unit == DEAL else ("match_win", "score")
    return ("deal_win", "margin") if unit == DEAL else ("match_win", "margin")

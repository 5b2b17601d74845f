"""The metrics of a matchup, one record each, in the order in which tables show them.

A metric is a ratio of two facts of `simgin.core.sums`: its numerator is named here, its denominator
there. It is seen from the side of one strategy: `own` is the numerator where that strategy is A,
`other` where it is B. docs/blocks/facts.py says what the facts count.
"""

from __future__ import annotations

from dataclasses import dataclass

from simgin.core import sums

DEAL, MATCH = "deal", "match"
COUNTS = {DEAL: "deals", MATCH: "matches"}  # the fact that counts what was played
BOTH, TWO, ONE = (1, 2), (2,), (1,)  # numbers of players


@dataclass(frozen=True)
class Metric:
    """What a metric is called, what it means, and where its numbers come from.

    title: the heading of its column, with % where its values are shown in per cent. meaning: one
    sentence with unit and range. better: "higher" or "lower" where the strategy wants it so. share:
    it lies in 0..1. scale: the numerator counts in this many parts of one. zero_sum: B sees the
    negative of what A sees.
    """

    name: str
    unit: str  # "deal" or "match"
    title: str
    own: str
    other: str
    share: bool
    meaning: str
    better: str = ""
    scale: int = 1
    zero_sum: bool = False
    players: tuple[int, ...] = BOTH  # the matchups that have it

    @property
    def denominator(self) -> str:
        """The fact that the numerator seen by A is divided by."""
        return sums.FACTS[sums.DENOMINATOR[sums.FACT[self.own]]]

    @property
    def always(self) -> bool:
        """Whether every unit has some of the denominator, however short the run."""
        return self.denominator in ("deals", "matches")

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
    "knock": "knock",
    "gin": "gin",
    "big_gin": "big gin",
    "shot": "shot",
    "undercut": "undercut",
    "refused": "refusal",
}
_WON_BY = {
    "knock": "by knocking",
    "gin": "by gin",
    "big_gin": "by big gin",
    "shot": "by a Gin Shot",
    "undercut": "by undercutting",
    "refused": "because its offer of the die was refused",
}


def _either(
    name: str,
    unit: str,
    title: str,
    share: bool,
    meaning: str,
    *,
    fact: str = "",
    better: str = "",
    players: tuple[int, ...] = BOTH,
) -> Metric:
    """A metric that reads the same from either side; fact: its numerator, if not of its name."""
    own = fact or name
    return Metric(name, unit, title, own, own, share, meaning, better, players=players)


def _kinds() -> list[Metric]:
    return [
        _either(kind, DEAL, _kind_title(kind), True, _KIND_MEANINGS[kind]) for kind in sums.KINDS
    ]


def _kind_title(kind: str) -> str:
    """`ended by gin %`, of what a side can win by; else `void %`."""
    if kind in _WAYS:
        return f"ended by {_WAYS[kind]} %"
    return f"{kind} %"


def _won_kinds() -> list[Metric]:
    return [
        Metric(
            name=f"won_{kind}",
            unit=DEAL,
            title=f"won by {_WAYS[kind]} %",
            own=f"a_won_{kind}",
            other=f"b_won_{kind}",
            share=True,
            meaning=f"Share of deals (0 to 1) that the strategy won {_WON_BY[kind]}.",
            better="higher",
        )
        for kind in sums.WON_KINDS
    ]


def _lost_kinds() -> list[Metric]:
    return [
        Metric(
            name=f"lost_{kind}",
            unit=DEAL,
            title=f"lost to {_WAYS[kind]} %",
            own=f"b_won_{kind}",
            other=f"a_won_{kind}",
            share=True,
            meaning=f"Share of deals (0 to 1) that the opponent won {_WON_BY[kind]}.",
            better="lower",
            players=TWO,
        )
        for kind in sums.WON_KINDS
    ]


_RESULTS = (
    Metric(
        name="deal_win",
        unit=DEAL,
        title="deals won %",
        own="a_deal_win",
        other="b_deal_win",
        share=True,
        meaning=(
            "Share of all deals (0 to 1) that the strategy won; "
            "deals that nobody won count as not won."
        ),
        better="higher",
    ),
    Metric(
        name="deal_loss",
        unit=DEAL,
        title="deals lost %",
        own="b_deal_win",
        other="a_deal_win",
        share=True,
        meaning=(
            "Share of all deals (0 to 1) that the opponent, or the joker, won; "
            "deals that nobody won count as not won."
        ),
        better="lower",
    ),
    Metric(
        name="points",
        unit=DEAL,
        title="points scored/deal",
        own="a_points",
        other="b_points",
        share=False,
        meaning=(
            "Points that the strategy scored, per deal "
            "(0 and up; where penalties are counted, the penalty)."
        ),
    ),
    Metric(
        name="points_against",
        unit=DEAL,
        title="points conceded/deal",
        own="b_points",
        other="a_points",
        share=False,
        meaning=(
            "Points that the opponent, or the joker, scored, per deal "
            "(0 and up; where penalties are counted, the penalty)."
        ),
    ),
    Metric(
        name="margin",
        unit=DEAL,
        title="points/deal",
        own="a_margin",
        other="a_margin",
        share=False,
        meaning=(
            "Points of the strategy minus points of the opponent, or of the joker, "
            "per deal (any sign)."
        ),
        better="higher",
        zero_sum=True,
    ),
    _either(
        "points_scored",
        DEAL,
        "points/decided deal",
        False,
        "Points of whoever scored, per decided deal (0 and up).",
    ),
)


def _points_by_kind() -> list[Metric]:
    return [
        _either(
            f"points_{kind}",
            DEAL,
            f"points/{_WAYS[kind]}",
            False,
            f"Points of the winner, per deal won {_WON_BY[kind]} by either side (0 and up).",
        )
        for kind in sums.SCORED_KINDS
    ]


_SOLO = (
    _either(
        "win",
        DEAL,
        "deals won %",
        True,
        "Share of deals (0 to 1) that the player won.",
        fact="a_deal_win",
        better="higher",
        players=ONE,
    ),
    _either(
        "score",
        DEAL,
        "score/deal",
        False,
        "Points of the player minus those of the joker, per deal (any sign); "
        "where penalties are counted, the penalty.",
        fact="a_margin",
        players=ONE,
    ),
)

_PLAY = (
    _either(
        "turns", DEAL, "turns", False, "Turns, those of both players together, per deal (0 to 500)."
    ),
    Metric(
        name="take_rate",
        unit=DEAL,
        title="takes %",
        own="a_takes",
        other="b_takes",
        share=True,
        meaning=(
            "Share (0 to 1) of the strategy's draws that took the upcard "
            "instead of a card of the stock."
        ),
        players=TWO,
    ),
    _either(
        "first_player_win",
        DEAL,
        "won by nondealer %",
        True,
        "Share of decided deals (0 to 1) won by the nondealer; in matches of unequal players it "
        "shows who deals more often, too: take it from single deals.",
        players=TWO,
    ),
    _either(
        "upcard_first",
        DEAL,
        "upcard to nondealer %",
        True,
        "Share of deals (0 to 1) whose upcard the nondealer took.",
        players=TWO,
    ),
    _either(
        "upcard_second",
        DEAL,
        "upcard to dealer %",
        True,
        "Share of deals (0 to 1) whose upcard the dealer took.",
        players=TWO,
    ),
    _either(
        "upcard_none",
        DEAL,
        "upcard declined %",
        True,
        "Share of deals (0 to 1) whose upcard neither player took.",
        players=TWO,
    ),
)

_SHOWDOWNS = (
    _either(
        "knock_count",
        DEAL,
        "knocker's deadwood",
        False,
        "Knocker's deadwood, per knock (gin not counted; 0 and up).",
    ),
    _either(
        "defender_count",
        DEAL,
        "defender's deadwood",
        False,
        "Defender's deadwood after laying off, or the joker's count, per knock (0 and up).",
    ),
    _either(
        "defender_before",
        DEAL,
        "defender's deadwood before lay-offs",
        False,
        "Defender's deadwood before laying off, per knock (0 and up).",
        players=TWO,
    ),
    _either(
        "laid_off",
        DEAL,
        "cards laid off/knock",
        False,
        "Cards laid off, per knock (0 to 10).",
        players=TWO,
    ),
    _either(
        "laid_off_any",
        DEAL,
        "knocks with a lay-off %",
        True,
        "Share of knocks (0 to 1) on which a card was laid off.",
        players=TWO,
    ),
    _either(
        "tie",
        DEAL,
        "equal deadwood %",
        True,
        "Share of knocks (0 to 1) with equal deadwood on both sides.",
    ),
)

_MATCHES = (
    Metric(
        name="match_win",
        unit=MATCH,
        title="matches won %",
        own="a_match_win",
        other="b_match_win",
        share=True,
        meaning=(
            "Share of matches (0 to 1) that the strategy won, "
            "a drawn or unfinished one counted as half."
        ),
        better="higher",
        scale=2,
    ),
    _either(
        "match_drawn", MATCH, "matches drawn %", True, "Share of matches (0 to 1) that were drawn."
    ),
    _either(
        "unfinished",
        MATCH,
        "unfinished %",
        True,
        "Share of matches (0 to 1) broken off by the engine's guard.",
    ),
    _either(
        "deals_per_match",
        MATCH,
        "deals/match",
        False,
        "Deals per match, those that count for nobody included.",
        fact="deals",
    ),
    Metric(
        name="match_margin",
        unit=MATCH,
        title="match margin",
        own="a_match_margin",
        other="a_match_margin",
        share=False,
        meaning=(
            "Final score of the strategy minus the other side's, per match (any sign): "
            "points, or games or deals if those are the goal."
        ),
        better="higher",
        zero_sum=True,
    ),
    Metric(
        name="settlement",
        unit=MATCH,
        title="settlement",
        own="a_settlement",
        other="a_settlement",
        share=False,
        meaning=(
            "Settlement in favour of the strategy with its bonuses, "
            "per match to points or in columns that was not broken off (any sign)."
        ),
        better="higher",
        zero_sum=True,
    ),
    _either(
        "winner_score",
        MATCH,
        "winner's score",
        False,
        "Final score of the winner, per decided match.",
    ),
    _either(
        "loser_score", MATCH, "loser's score", False, "Final score of the loser, per decided match."
    ),
    _either(
        "loser_zero",
        MATCH,
        "loser at 0 %",
        True,
        "Share of decided matches (0 to 1) in which the loser's score was 0.",
    ),
    _either(
        "goal_met",
        MATCH,
        "goal met %",
        True,
        "Share of matches of penalties (0 to 1) whose total met the goal.",
        better="higher",
        players=ONE,
    ),
)

METRICS: tuple[Metric, ...] = (
    *_kinds(),
    *_won_kinds(),
    *_lost_kinds(),
    *_RESULTS,
    *_points_by_kind(),
    *_SOLO,
    *_PLAY,
    *_SHOWDOWNS,
    *_MATCHES,
)

BY_NAME = {metric.name: metric for metric in METRICS}


def unit_metrics(unit: str, players: int = 2) -> tuple[Metric, ...]:
    """The metrics per deal, or those per match, of matchups of so many players, in table order."""
    return tuple(metric for metric in METRICS if metric.unit == unit and players in metric.players)


def headline(unit: str, players: int) -> tuple[str, str]:
    """The two metrics that say who wins: a share first, then points."""
    if players == 1:
        return ("win", "score") if unit == DEAL else ("match_win", "score")
    return ("deal_win", "margin") if unit == DEAL else ("match_win", "margin")

"""The metrics of a matchup, one record each, in the order in which tables show them.

A metric is a ratio of two facts of `simgin.core.sums`: its numerator is named here, its denominator there. Every metric is
told from the side of one strategy; `own` is the fact when that strategy is A and `other` the fact when it is B.
"""

from __future__ import annotations

from dataclasses import dataclass

from simgin.core import sums

DEAL, MATCH = "deal", "match"


@dataclass(frozen=True)
class Metric:
    """One column of meaning: where its numbers come from, and one sentence that says what they are."""

    name: str
    unit: str  # "deal" or "match"
    own: str  # the numerator seen by strategy A
    other: str  # the numerator seen by strategy B
    share: bool  # lies in 0..1
    meaning: str
    scale: int = 1  # the numerator counts in this many parts of one
    zero_sum: bool = False  # seen by B it is the negative of what A sees
    players: tuple[int, ...] = (1, 2)  # the games that have it

    @property
    def denominator(self) -> str:
        """The fact that the numerator seen by A is divided by."""
        return sums.FACTS[sums.DENOMINATOR[sums.FACT[self.own]]]

    @property
    def always(self) -> bool:
        """Whether every unit has some of the denominator, however short the run."""
        return self.denominator in ("deals", "matches")


_KIND_MEANINGS = {
    "knock": "Share of deals (0 to 1) won by the knocker with deadwood left.",
    "gin": "Share of deals (0 to 1) ended by gin.",
    "big_gin": "Share of deals (0 to 1) ended by big gin.",
    "shot": "Share of deals (0 to 1) ended by a Gin Shot.",
    "undercut": "Share of deals (0 to 1) in which the defender, or the joker, undercut the knocker.",
    "even": "Share of deals (0 to 1) ended by a knock in which nobody scored.",
    "void": "Share of deals (0 to 1) that ran out of stock and count for nobody.",
    "stalled": "Share of deals (0 to 1) stopped by the guard against endless play; they count for nobody.",
    "joker": "Share of deals (0 to 1) ended by the joker.",
    "limit": "Share of deals (0 to 1) ended by the last permitted draw.",
    "refused": "Share of deals (0 to 1) ended because a stake was refused.",
}

_WON_WORDS = {
    "knock": "by knocking",
    "gin": "by gin",
    "big_gin": "by big gin",
    "shot": "by a Gin Shot",
}
_WON_WORDS |= {
    "undercut": "by undercutting",
    "refused": "because the opponent refused an offer of the die",
}


TWO, ONE = (2,), (1,)


def _both(
    name: str, unit: str, fact: str, share: bool, meaning: str, players: tuple[int, ...] = (1, 2)
) -> Metric:
    """A metric that reads the same from either side."""
    return Metric(name, unit, fact, fact, share, meaning, players=players)


def _kinds() -> list[Metric]:
    return [_both(kind, DEAL, kind, True, _KIND_MEANINGS[kind]) for kind in sums.KINDS]


def _won_kinds() -> list[Metric]:
    sentence = "Share of deals (0 to 1) that the strategy won {}."
    return [
        Metric(
            f"won_{kind}",
            DEAL,
            f"a_won_{kind}",
            f"b_won_{kind}",
            True,
            sentence.format(_WON_WORDS[kind]),
        )
        for kind in sums.WON_KINDS
    ]


def _results() -> list[Metric]:
    won = "Share of all deals (0 to 1) that the {} won; deals that nobody won count as not won."
    points = "Points that the {}, per deal (0 and up; where penalties are counted, the penalty)."
    return [
        Metric("deal_win", DEAL, "a_deal_win", "b_deal_win", True, won.format("strategy")),
        Metric(
            "deal_loss",
            DEAL,
            "b_deal_win",
            "a_deal_win",
            True,
            won.format("opponent, or the joker,"),
        ),
        Metric("points", DEAL, "a_points", "b_points", False, points.format("strategy scored")),
        Metric(
            "points_against",
            DEAL,
            "b_points",
            "a_points",
            False,
            points.format("opponent, or the joker, scored"),
        ),
        Metric(
            "margin",
            DEAL,
            "a_margin",
            "a_margin",
            False,
            "Points of the strategy minus points of the opponent, or of the joker, per deal (any sign).",
            zero_sum=True,
        ),
        _both(
            "points_scored",
            DEAL,
            "points_scored",
            False,
            "Points of whoever scored, per decided deal (0 and up).",
        ),
    ]


def _points_by_kind() -> list[Metric]:
    sentence = "Points of the winner, per deal won {} by either side (0 and up)."
    return [
        _both(f"points_{kind}", DEAL, f"points_{kind}", False, sentence.format(_WON_WORDS[kind]))
        for kind in sums.SCORED_KINDS
    ]


def _alone() -> list[Metric]:
    """What a single player asks of a deal."""
    score = "Points of the player minus those of the joker, per deal (any sign); where penalties are counted, the penalty."
    return [
        _both("win", DEAL, "a_deal_win", True, "Share of deals (0 to 1) that the player won.", ONE),
        _both("score", DEAL, "a_margin", False, score, ONE),
    ]


def _play() -> list[Metric]:
    takes = "Share (0 to 1) of the strategy's draws that took the upcard instead of a card of the stock."
    upcard = "Share of deals (0 to 1) whose upcard {} took."
    return [
        _both(
            "turns",
            DEAL,
            "turns",
            False,
            "Turns, those of both players together, per deal (0 to 500).",
        ),
        Metric("take_rate", DEAL, "a_takes", "b_takes", True, takes, players=TWO),
        _both(
            "first_player_win",
            DEAL,
            "first_player_win",
            True,
            "Share of decided deals (0 to 1) won by the nondealer.",
            TWO,
        ),
        _both("upcard_first", DEAL, "upcard_first", True, upcard.format("the nondealer"), TWO),
        _both("upcard_second", DEAL, "upcard_second", True, upcard.format("the dealer"), TWO),
        _both("upcard_none", DEAL, "upcard_none", True, upcard.format("neither player"), TWO),
    ]


def _showdowns() -> list[Metric]:
    before = "Defender's deadwood before laying off, per knock (0 and up)."
    after = "Defender's deadwood after laying off, or the joker's count, per knock (0 and up)."
    return [
        _both(
            "knock_count",
            DEAL,
            "knock_count",
            False,
            "Knocker's deadwood, per knock (gin not counted; 0 and up).",
        ),
        _both("defender_count", DEAL, "defender_count", False, after),
        _both("defender_before", DEAL, "defender_before", False, before, TWO),
        _both("laid_off", DEAL, "laid_off", False, "Cards laid off, per knock (0 to 10).", TWO),
        _both(
            "laid_off_any",
            DEAL,
            "laid_off_any",
            True,
            "Share of knocks (0 to 1) on which a card was laid off.",
            TWO,
        ),
        _both(
            "tie", DEAL, "tie", True, "Share of knocks (0 to 1) with equal deadwood on both sides."
        ),
    ]


def _matches() -> list[Metric]:
    won = "Share of matches (0 to 1) that the strategy won, a drawn or unfinished one counted as half."
    margin = "Final score of the strategy minus the other side's, per match (any sign): points, or games or deals if those are the goal."
    paid = "Settlement in favour of the strategy with its bonuses, per match to points or in columns that was not broken off (any sign)."
    zero = "Share of decided matches (0 to 1) in which the loser's score was 0."
    return [
        Metric("match_win", MATCH, "a_match_win", "b_match_win", True, won, scale=2),
        _both(
            "match_drawn", MATCH, "match_drawn", True, "Share of matches (0 to 1) that were drawn."
        ),
        _both(
            "unfinished",
            MATCH,
            "unfinished",
            True,
            "Share of matches (0 to 1) broken off by the engine's guard.",
        ),
        _both(
            "deals_per_match",
            MATCH,
            "deals",
            False,
            "Deals per match, those that count for nobody included.",
        ),
        Metric(
            "match_margin", MATCH, "a_match_margin", "a_match_margin", False, margin, zero_sum=True
        ),
        Metric("settlement", MATCH, "a_settlement", "a_settlement", False, paid, zero_sum=True),
        _both(
            "winner_score",
            MATCH,
            "winner_score",
            False,
            "Final score of the winner, per decided match.",
        ),
        _both(
            "loser_score",
            MATCH,
            "loser_score",
            False,
            "Final score of the loser, per decided match.",
        ),
        _both("loser_zero", MATCH, "loser_zero", True, zero),
        _both(
            "goal_met",
            MATCH,
            "goal_met",
            True,
            "Share of matches of penalties (0 to 1) whose total met the goal.",
            ONE,
        ),
    ]


METRICS: tuple[Metric, ...] = (
    *_kinds(),
    *_won_kinds(),
    *_results(),
    *_points_by_kind(),
    *_alone(),
    *_play(),
    *_showdowns(),
    *_matches(),
)

BY_NAME = {metric.name: metric for metric in METRICS}


def of_unit(unit: str, players: int = 2) -> tuple[Metric, ...]:
    """The metrics per deal, or those per match, of the games for so many players, in table order."""
    return tuple(metric for metric in METRICS if metric.unit == unit and players in metric.players)

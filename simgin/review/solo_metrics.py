"""Rule metrics of variants for one player: a naive and a strong player on the same packs.

docs/reference/rule-metrics.md#one-player is made of these records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from simgin.review.players import SOLO_FIELD, best_solo
from simgin.review.rule_metrics import (
    DEALS_PER_MATCH,
    TURNS_PER_DEAL,
    Below,
    Measure,
    RuleMetric,
    from_pass,
)
from simgin.review.variant_matches import VariantMatches
from simgin.stats import metrics, quantity
from simgin.stats.quantity import Quantity

NAIVE = SOLO_FIELD[0]


def _player(matches: VariantMatches, player: str, metric: str) -> Quantity:
    return quantity.ratio(matches.cells[player, ""], metrics.BY_NAME[metric])


def _best(metric: str) -> Callable[[VariantMatches], Quantity]:
    """A metric of the best player."""
    return lambda matches: _player(matches, best_solo(matches.variant), metric)


def _gap(metric: str) -> Callable[[VariantMatches], Quantity]:
    """What the best player makes more than the naive one."""
    return lambda matches: _best(metric)(matches) - _player(matches, NAIVE, metric)


def _unless(scorings: tuple[str, ...], reason: str, measure: Measure) -> Measure:
    """A measure of variants whose deals are not scored so."""
    return lambda matches: (
        reason if matches.params["deal_scoring"] in scorings else measure(matches)
    )


def _where_won(measure: Measure) -> Measure:
    """A measure of variants whose deals can be won."""
    return _unless(("penalty",), "deals are not won: penalties are counted", measure)


def _where_scored(measure: Measure) -> Measure:
    """A measure of variants whose deals are worth points."""
    return _unless(("penalty", "winloss"), "deals are not worth points", measure)


def _where_penalized(measure: Measure) -> Measure:
    """A measure of variants whose deals cost points."""
    return _unless(("joker", "winloss"), "deals cost nothing", measure)


def _where_matched(measure: Measure) -> Measure:
    """A measure of variants whose matches are more than a deal."""
    return lambda matches: "a match is one deal" if matches.goal.one_deal else measure(matches)


def _ending(kind: str, title: str, state: str = "", does: tuple[str, str] = ("", "")) -> RuleMetric:
    """How often a deal of the best player ends in one way; without a state in tables alone."""
    return RuleMetric(
        "endings",
        kind,
        title=title,
        unit="% of deals",
        meaning=metrics.BY_NAME[kind].meaning,
        measure=_best(kind),
        state=state,
        does=does,
        amount="{value} % of deals",
        notable=0.01,
    )


_ENDINGS = (
    _ending(
        "gin",
        "gin",
        "the best player goes gin in {value} % of deals",
        ("makes gin more common", "makes gin less common"),
    ),
    _ending(
        "joker",
        "deals ended by the joker",
        "the joker ends {value} % of deals",
        ("lets the joker end more deals", "lets the joker end fewer deals"),
    ),
    _ending("knock", "winning knocks"),
    _ending("undercut", "undercuts"),
    _ending(
        "limit",
        "deals out of turns",
        "{value} % of deals run out of turns",
        ("lets more deals run out of turns", "lets fewer deals run out of turns"),
    ),
)

_WINS = (
    RuleMetric(
        "deal",
        "win",
        title="deals won",
        unit="%",
        meaning=metrics.BY_NAME["win"].meaning,
        measure=_where_won(_best("win")),
        state="the best player wins {value} % of deals",
        does=("makes deals easier to win", "makes deals harder to win"),
        amount="{value} % of deals won by the best player",
        notable=0.01,
    ),
    RuleMetric(
        "skill",
        "win_gap",
        title="best over naive player, deals won",
        unit="percentage points",
        meaning="Share of deals that the best player wins, less that of the naive one, on the "
        "same packs.",
        measure=_where_won(_gap("win")),
        state="the best player wins {value} percentage points more deals than the naive one",
        does=("rewards skill more", "rewards skill less"),
        amount="a lead of {value} percentage points over the naive player",
        below=Below(
            "the best player wins {value} percentage points fewer deals than the naive one",
            "a deficit of {value} percentage points against the naive player",
        ),
        notable=0.01,
    ),
    RuleMetric(
        "match",
        "match_win",
        title="matches won",
        unit="%",
        meaning=metrics.BY_NAME["match_win"].meaning,
        measure=_where_matched(_best("match_win")),
        state="the best player wins {value} % of matches",
        does=("makes matches easier to win", "makes matches harder to win"),
        amount="{value} % of matches won by the best player",
        notable=0.01,
    ),
)

_SCORES = (
    RuleMetric(
        "score",
        "score",
        title="score per deal",
        meaning=metrics.BY_NAME["score"].meaning,
        measure=_where_scored(_best("score")),
        state="a deal gains the best player {value} points",
        does=("makes deals worth more", "makes deals worth less"),
        amount="a gain of {value} points for the best player",
        below=Below(
            "a deal costs the best player {value} points",
            "a loss of {value} points for the best player",
        ),
        notable=0.5,
    ),
    RuleMetric(
        "score",
        "score_gap",
        title="best over naive player, score",
        unit="points per deal",
        meaning="Score of a deal of the best player less that of the naive one, on the same packs.",
        measure=_where_scored(_gap("score")),
    ),
    RuleMetric(
        "score",
        "penalty",
        title="penalty per deal",
        meaning="Points that a deal costs the best player; a dash where penalties are not counted.",
        measure=_where_penalized(_best("score")),
        state="a deal costs the best player {value} points",
        does=("makes deals cost more", "makes deals cost less"),
        amount="{value} points for the best player",
        notable=0.5,
    ),
    RuleMetric(
        "score",
        "penalty_gap",
        title="naive over best player, penalty",
        unit="points per deal",
        meaning="Penalty of a deal of the naive player less that of the best one, on the same "
        "packs.",
        measure=_where_penalized(lambda matches: _gap("score")(matches).scaled(-1)),
        state="a deal costs the naive player {value} more points than the best one",
        does=("rewards skill more", "rewards skill less"),
        amount="a saving of {value} points against the naive player",
        below=Below(
            "a deal costs the naive player {value} fewer points than the best one",
            "an excess of {value} points over the naive player",
        ),
        notable=0.5,
    ),
)

_LENGTH = (
    replace(TURNS_PER_DEAL, measure=_best("turns")),
    RuleMetric(
        "length",
        "gin_draw",
        title="draw of gin",
        meaning="The draw on which the best player goes gin: the mean of the deals that end so.",
        measure=from_pass("gin_draw"),
        state="gin takes {value} draws",
        does=("delays gin", "brings gin sooner"),
        amount="{value} draws",
        notable=0.5,
    ),
    replace(DEALS_PER_MATCH, theme="length", measure=_where_matched(_best("deals_per_match"))),
)

_LUCK = RuleMetric(
    "luck",
    "joker_share",
    title="decided by the joker's place",
    unit="% of variance",
    meaning="Share of the variance of winning a deal that the joker's place decides, as in "
    "`simgin odds`.",
    measure=from_pass("joker_share"),
    state="the joker's place decides {value} % of the variance of winning",
    does=("leaves more to the joker", "leaves less to the joker"),
    amount="its place decides {value} % of the variance of winning",
    notable=0.03,
)

SOLO_METRICS: tuple[RuleMetric, ...] = (*_WINS, *_ENDINGS, *_SCORES, *_LENGTH, _LUCK)

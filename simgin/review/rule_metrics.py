"""Rule metrics: the properties of a variant that a review measures, a record each, in table order.

A metric is measured on the matches of a variant: the mean of the field's players against themselves
unless its meaning says otherwise. What a variant cannot have gets a reason instead of a number.
docs/reference/rule-metrics.md is made of these records.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simgin.core import sums
from simgin.review import players, skill
from simgin.review.leads import COMEBACKS, LEAD_CHANGES
from simgin.review.players import LUCK_PAIR, REFERENCE
from simgin.review.variant_matches import TURNS, Measurement, VariantMatches
from simgin.stats import metrics, quantity, ratings
from simgin.stats.estimate import POWER_80
from simgin.stats.quantity import Quantity
from simgin.stats.round_robin.results import Pairings

EVEN = 0.5  # what two who play alike win against each other, pair by pair
TINY = 1e-9  # what a share may be off by arithmetic
FEWEST_PLAYERS = 3  # of a field whose ratings have a spread
MATCHES = sums.SUM + sums.FACT["matches"]  # the column of batch rows that counts matches
ONLY_GIN = "only gin ends a deal"
ONLY_DEEP = "with --deep"

Measure = Callable[[VariantMatches], Measurement]


class Below(NamedTuple):
    """How sentences put a metric where its number is negative; {value} is its size."""

    state: str
    amount: str


@dataclass(frozen=True)
class RuleMetric:
    """One property of a variant.

    theme: of each theme only the greatest change gets a sentence. key: its name in metrics.csv.
    title, unit: its name for people. meaning: its definition. measure: computes it. notable: the
    least difference from the base that deserves a sentence. deep: whether it takes --deep.

    Sentences put it so, with {value} for its number. state: a clause about one variant; empty: it
    is in the tables alone. does: what a variant does whose number is higher than the base's, and
    one whose number is lower. amount: the number with what it counts. below: of a metric that may
    have either sign, so that no sentence says it with a word and a minus.
    """

    theme: str
    key: str
    title: str
    meaning: str
    measure: Measure
    unit: str = ""
    state: str = ""
    does: tuple[str, str] = ("", "")
    amount: str = ""
    below: Below | None = None
    notable: float = np.inf
    deep: bool = False

    @property
    def heading(self) -> str:
        """The title with its unit."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    @property
    def column_title(self) -> str:
        """The title in frames and files, where values in per cent are shares from 0 to 1."""
        if not self.in_points:
            return self.heading
        unit = self.unit.replace("percentage points", "%").replace("%", "share")
        return f"{self.title} ({unit})"

    @property
    def in_points(self) -> bool:
        """Whether differences are in percentage points: of percentages, and of those points."""
        return self.unit.startswith(("%", "percentage"))

    @property
    def factor(self) -> int:
        """What values are multiplied by before they are shown."""
        return 100 if self.in_points else 1


def measurement(metric: RuleMetric, matches: VariantMatches, *, deep: bool) -> Measurement:
    """The number of a metric under a variant, or why there is none."""
    if metric.deep and not deep:
        return ONLY_DEEP
    return metric.measure(matches)


def from_pass(key: str) -> Measure:
    """What a pass over the variant measured."""
    return lambda matches: matches.measured.get(key, "not measured here")


def _of_field(metric: str) -> Measure:
    return lambda matches: matches.field_mean(metric)


# Length


def _turns_quantile(percent: int, name: str, meaning: str) -> RuleMetric:
    """The turns that so many per cent of deals take at most.

    Its limits are where the limits of that share cross it (Woodruff 1952).
    """
    longer = 1 - percent / 100 + TINY

    def measure(matches: VariantMatches) -> Measurement:
        survival = matches.survival([(name, name) for name in matches.field])
        shares = np.array([(share.value, *share.limits) for share in survival])
        value, low, high = map(float, np.argmax(shares <= longer, axis=0))
        return Quantity.with_span(value, (low, high), survival[0].n)

    return RuleMetric("length", f"turns_{percent}", f"turns per deal, {name}", meaning, measure)


def _turns_deviation(matches: VariantMatches) -> Measurement:
    turns = np.arange(sums.TURNS_BINS)

    def deviation(total: np.ndarray) -> float:
        counts = total[TURNS]
        deals = counts.sum()
        mean = counts @ turns / deals
        return float(np.sqrt(counts @ (turns - mean) ** 2 / deals))

    return matches.field_mean_of(deviation)


TURNS_PER_DEAL = RuleMetric(
    "length",
    "turns",
    title="turns per deal",
    meaning=metrics.BY_NAME["turns"].meaning,
    measure=_of_field("turns"),
    state="a deal takes {value} turns",
    does=("makes deals longer", "makes deals shorter"),
    amount="{value} turns",
    notable=0.5,
)
DEALS_PER_MATCH = RuleMetric(
    "match",
    "deals_per_match",
    title="deals per match",
    meaning=metrics.BY_NAME["deals_per_match"].meaning,
    measure=_of_field("deals_per_match"),
    state="a match takes {value} deals",
    does=("makes matches longer", "makes matches shorter"),
    amount="{value} deals",
    notable=0.5,
)
_LENGTH = (
    TURNS_PER_DEAL,
    _turns_quantile(
        10,
        "10th percentile",
        "The turns that a tenth of the deals take at most. Its limits are where those of the share "
        "cross one tenth (Woodruff).",
    ),
    _turns_quantile(
        50, "median", "The turns that half of the deals take at most, with limits of the same kind."
    ),
    _turns_quantile(
        90,
        "90th percentile",
        "The turns that nine deals in ten take at most, with limits of the same kind.",
    ),
    RuleMetric(
        "length",
        "turns_sd",
        title="turns per deal, standard deviation",
        meaning="Standard deviation of the turns of a deal.",
        measure=_turns_deviation,
    ),
    DEALS_PER_MATCH,
)

# Endings


def _ending(kind: str, title: str, state: str, notable: float = 0.01) -> RuleMetric:
    """The share of deals that end in one way; `title` goes on with `more common`."""
    return RuleMetric(
        "endings",
        kind,
        title=title,
        unit="% of deals",
        meaning=metrics.BY_NAME[kind].meaning,
        measure=_of_field(kind),
        state=f"{{value}} % of deals {state}",
        does=(f"makes {title} more common", f"makes {title} less common"),
        amount="{value} % of deals",
        notable=notable,
    )


_ENDINGS = (
    RuleMetric(
        "endings",
        "completion",
        title="decided deals",
        unit="% of deals",
        meaning="Share of deals that somebody wins: all but void, stalled and even ones.",
        measure=lambda matches: matches.field_mean("deal_win") + matches.field_mean("deal_loss"),
    ),
    _ending("void", "void deals", "run out of stock and count for nobody"),
    _ending("stalled", "stalled deals", "never end and are broken off"),
    _ending("even", "even knocks", "end in a knock without a score"),
    _ending("gin", "gin", "end in gin", 0.05),
    _ending("big_gin", "big gin", "end in big gin"),
    _ending("shot", "shots", "end in a shot"),
    _ending("knock", "winning knocks", "are won by the knocker", 0.05),
    _ending("undercut", "undercuts", "end in an undercut"),
    _ending("refused", "refused stakes", "end because a stake was refused"),
)

# Points and seats


def _points_deviation(matches: VariantMatches) -> Measurement:
    decided = sums.SUM + sums.FACT["decided"]
    scored = sums.SUM + sums.FACT["points_scored"]

    def deviation(total: np.ndarray) -> float:
        deals = total[decided]
        if not deals:
            return np.nan
        mean = total[scored] / deals
        return float(np.sqrt(total[sums.DEAL_SQUARE] / deals - mean**2))

    return matches.field_mean_of(deviation)


def _final_margin(matches: VariantMatches) -> Measurement:
    if matches.goal.score != "points":
        return "matches are not played to points"
    target = float(str(matches.params["points_target"]))
    margin = matches.field_mean("winner_score") - matches.field_mean("loser_score")
    return margin.scaled(1 / target)


def _shut_out(matches: VariantMatches) -> Measurement:
    if not matches.goal.score:
        return "there is no single score to be shut out of"
    return matches.field_mean("loser_zero")


_POINTS = (
    RuleMetric(
        "points",
        "points",
        title="points per deal",
        meaning="Points scored by either side, per decided deal.",
        measure=_of_field("points_scored"),
        state="a deal is worth {value} points",
        does=("makes deals worth more", "makes deals worth less"),
        amount="{value} points",
        notable=0.5,
    ),
    RuleMetric(
        "points",
        "points_sd",
        title="points per deal, standard deviation",
        meaning="Standard deviation of the points of a decided deal.",
        measure=_points_deviation,
    ),
    RuleMetric(
        "seats",
        "seat",
        title="nondealer's advantage",
        unit="percentage points",
        meaning="Share of decided deals won by the nondealer, who has the first turn, less one "
        "half.",
        measure=lambda matches: matches.field_mean("first_player_win").scaled(1, -0.5),
        state="the nondealer's share of wins is {value} percentage points above one half",
        does=("favours the nondealer more", "favours the nondealer less"),
        amount="an advantage of {value} percentage points",
        below=Below(
            "the nondealer's share of wins is {value} percentage points below one half",
            "a disadvantage of {value} percentage points",
        ),
        notable=0.005,
    ),
    RuleMetric(
        "score",
        "final",
        title="final margin",
        unit="% of target",
        meaning="Final score of the winner less that of the loser, over the points to play to; in "
        "matches to points.",
        measure=_final_margin,
        state="a match ends with a margin of {value} % of its target",
        does=("makes matches more one-sided", "makes matches closer"),
        amount="a final margin of {value} % of the target",
        notable=0.02,
    ),
    RuleMetric(
        "score",
        "shut_out",
        title="shut-outs",
        unit="% of matches",
        meaning="Share of decided matches whose loser has nothing; in matches to points or to won "
        "deals.",
        measure=_shut_out,
        state="{value} % of matches end in a shut-out",
        does=("makes shut-outs more common", "makes shut-outs less common"),
        amount="{value} % of matches",
        notable=0.01,
    ),
)

# Knocking


def _where_knocks(measure: Measure) -> Measure:
    """A measure of variants with more than one knock limit."""
    return lambda matches: measure(matches) if len(matches.knock_limits) > 1 else ONLY_GIN


def _best_limit(matches: VariantMatches) -> Measurement:
    # Who waits scores more points, who knocks wins more deals: what the match is played for counts
    matrix = matches.knock_matrix("margin" if matches.goal.score == "points" else "match_win")
    chosen, best = matrix.best()
    return Quantity.with_span(chosen, (best[0], best[-1]), matrix.mean(chosen).n)


def _waiting(key: str, plan: str, meaning: str, measure: Measure) -> RuleMetric:
    """What a way to wait for gin gains or costs against another way to play."""
    return RuleMetric(
        "waiting",
        key,
        title=plan,
        unit="points per deal",
        meaning=f"Points per deal of {meaning} A dash where only gin ends a deal.",
        measure=_where_knocks(measure),
        state=f"{plan} gains {{value}} points per deal",
        does=(f"makes {plan} pay more", f"makes {plan} pay less"),
        amount="a gain of {value} points per deal",
        below=Below(f"{plan} costs {{value}} points per deal", "a loss of {value} points per deal"),
        notable=0.3,
    )


_KNOCKING = (
    RuleMetric(
        "limit",
        "best_k",
        title="best knock threshold",
        unit="deadwood",
        meaning="The knock limit k with which `gold` does best against all the others, in points, "
        "or in matches where those are not won by points; in brackets the least and the greatest "
        "k that are not significantly worse. Chosen on the even batches and judged on the odd "
        "ones, with Holm's adjustment. A dash where only gin ends a deal.",
        measure=_where_knocks(_best_limit),
        state="the best knock threshold is a deadwood of {value}",
        does=("raises the best knock threshold", "lowers the best knock threshold"),
        amount="a deadwood of {value}",
        notable=1,
    ),
    _waiting(
        "patience",
        "waiting for gin",
        "`gold` that waits for gin against `gold` that knocks as soon as it may, M(0, 10).",
        lambda matches: matches.knock_matrix().patience(),
    ),
    _waiting(
        "early",
        "waiting for gin after turn five",
        "`gold-early`, which knocks in its first five turns and then waits for gin, against "
        "`gold`.",
        lambda matches: matches.between("margin", "gold-early", "gold"),
    ),
    RuleMetric(
        "waiting",
        "break_even",
        title="break-even undercut bonus",
        unit="points",
        meaning="The undercut bonus at which waiting for gin and knocking at once are worth the "
        "same: the root of the least-squares line through M(0, 10) at bonuses of 10, 15, 20 and "
        "25. A dash where only gin ends a deal.",
        measure=from_pass("break_even"),
        state="waiting for gin pays from an undercut bonus of {value} points",
        does=(
            "raises the undercut bonus at which waiting pays",
            "lowers the undercut bonus at which waiting pays",
        ),
        amount="{value} points",
        notable=2,
        deep=True,
    ),
)

# Skill


def _ratings_spread(matches: VariantMatches) -> Measurement:
    if len(matches.field) < FEWEST_PLAYERS:
        return "too few players"
    league = matches.league(matches.field)
    spreads = np.std(ratings.leave_batches_out(league), axis=1, ddof=1)
    return quantity.from_left_out(float(spreads[0]), spreads[1:], _matches_played(league))


def _matches_needed(matches: VariantMatches) -> Measurement:
    """Matches, in pairs, that separate the luck pair at 5 % in four runs of five.

    2 (2.8 sd / lead)^2, sd being that of a pair's share.
    """
    _, rows = matches.pairing(*LUCK_PAIR)
    variance = _share_variance(rows)
    lead = matches.between("match_win", *LUCK_PAIR).scaled(1, -EVEN)
    low, high = lead.limits
    if not low * high > 0:
        return f"no difference between {LUCK_PAIR[0]} and {LUCK_PAIR[1]} was found here"
    near, far = sorted((abs(low), abs(high)))
    value, least, most = (
        float(np.ceil(2 * variance * (POWER_80 / size) ** 2)) for size in (lead.value, far, near)
    )
    return Quantity.with_span(value, (least, most), lead.n)


def _share_variance(rows: np.ndarray) -> float:
    """The variance of what a player wins of a pair of matches, from batch rows."""
    scores = np.linspace(0, 1, sums.PAIR_BINS)
    first = sums.PAIR_HISTOGRAM
    counts = rows[:, first : first + sums.PAIR_BINS].sum(axis=0)
    played = counts.sum()
    mean = counts @ scores / played
    return float(counts @ (scores - mean) ** 2 / (played - 1))


def _chain(matches: VariantMatches) -> Measurement:
    league = matches.league(matches.players)
    chain = skill.chain(ratings.cross_table(league))
    return Quantity.with_span(chain.steps, (chain.steps, chain.most), _matches_played(league))


def _matches_played(league: Pairings) -> int:
    played = 0
    for rows in league.values():
        played += int(rows[:, MATCHES].sum())
    return played


def _elo_lead(a: str, b: str) -> Measure:
    return lambda matches: skill.elo(matches.between("match_win", a, b))


_SKILL = (
    RuleMetric(
        "skill",
        "elo_spread",
        title="spread of ratings",
        unit="Elo",
        meaning="Standard deviation (n - 1) of the ratings fitted to the matches that the field's "
        "players won against each other.",
        measure=_ratings_spread,
        state="the field's ratings have a standard deviation of {value} Elo",
        does=("separates the players more", "separates the players less"),
        amount="a standard deviation of {value} Elo",
        notable=10,
    ),
    RuleMetric(
        "skill",
        "verdict",
        title="matches to separate gold-early from gold",
        meaning="Matches, in mirrored pairs, that separate `gold-early` from `gold` at 5 % in four "
        "runs of five: 2 (2.8 sd / lead)², sd being that of a pair's share; its limits are those "
        "of the lead. A dash where no difference was found.",
        measure=_matches_needed,
    ),
    RuleMetric(
        "skill",
        "marjj",
        title="marjj's lead over simple",
        unit="Elo",
        meaning="What `marjj` wins of the matches against `simple`, as a difference in Elo: "
        "400 log10(s / (1 - s)).",
        measure=_elo_lead("marjj", "simple"),
        state="marjj leads simple by {value} Elo",
        does=("favours marjj more against simple", "favours marjj less against simple"),
        amount="a lead of {value} Elo",
        below=Below("marjj trails simple by {value} Elo", "a deficit of {value} Elo"),
        notable=10,
        deep=True,
    ),
    RuleMetric(
        "skill",
        "chain",
        title="skill chain",
        unit="steps of 60 %",
        meaning="Steps of the longest chain of players of whom each wins 60 % of the matches "
        "against the next, by the lower limit of that share; the greater number in brackets "
        "counts by the upper limits.",
        measure=_chain,
        state="the skill chain has a length of {value}",
        does=("lengthens the skill chain", "shortens the skill chain"),
        amount="a length of {value}",
        notable=1,
        deep=True,
    ),
)

# Restricted play (Jaffe and others, AIIDE 2012)


def _restricted(restriction: str, does: str, element: str) -> RuleMetric:
    """What the reference player wins without one element of the game.

    Near one half the element hardly matters.
    """
    weak = players.restricted(restriction)

    def measure(matches: VariantMatches) -> Measurement:
        won = matches.between("match_win", weak, REFERENCE)
        if won.se == 0 and won.value == EVEN:
            return "it changes nothing here"
        return won

    return RuleMetric(
        "elements",
        restriction,
        title=f"{REFERENCE} that {does}",
        unit="% of matches",
        meaning=f"Share of matches that `{REFERENCE}` that {does} (`{restriction}`) wins against "
        f"`{REFERENCE}`.",
        measure=measure,
        state=f"{REFERENCE} that {does} wins {{value}} % of matches against plain {REFERENCE}",
        does=(f"makes {element} matter less", f"makes {element} matter more"),
        amount=f"without it {REFERENCE} wins {{value}} % of matches",
        notable=0.02,
        deep=True,
    )


_RESTRICTED = (
    _restricted("take=never", "never takes a discard", "taking discards"),
    _restricted("knock=at:k=0", "never knocks", "knocking"),
    _restricted("knock=at", "knocks at once", "waiting for gin"),
    _restricted("discard=uniform", "discards at random", "the choice of discards"),
)

# The course of a match and its decisions, of the reference player against itself


_COURSE = (
    RuleMetric(
        "course",
        COMEBACKS,
        title="comebacks from behind at half way",
        unit="% of matches",
        meaning="Of the matches that somebody won after a side first had half of the target and "
        "more than the other, those that the other won; in matches to points or to won deals.",
        measure=from_pass(COMEBACKS),
        state="whoever is behind at half way wins {value} % of matches",
        does=("makes comebacks more common", "makes comebacks less common"),
        amount="{value} % of matches are won from behind at half way",
        notable=0.03,
        deep=True,
    ),
    RuleMetric(
        "course",
        LEAD_CHANGES,
        title="lead changes per match",
        meaning="How often the higher score passes to the other side in a match, the result "
        "included; at equal scores nobody takes the lead. In matches to points or to won deals.",
        measure=from_pass(LEAD_CHANGES),
        state="the lead changes {value} times in a match",
        does=("makes the lead change more often", "makes the lead change less often"),
        amount="{value} times in a match",
        notable=0.1,
        deep=True,
    ),
)

_CHOICE = RuleMetric(
    "choice",
    "real_decision_factor",
    title="turns with a real choice",
    unit="%",
    meaning="Share of turns with more than one action that differs, leaving out discards that "
    "another beats in both deadwood and danger.",
    measure=from_pass("real_decision_factor"),
    state="{value} % of turns leave a real choice",
    does=("leaves more to decide", "leaves less to decide"),
    amount="a real choice in {value} % of turns",
    notable=0.02,
    deep=True,
)

_LUCK = RuleMetric(
    "luck",
    "luck",
    title="luck share of a deal",
    unit="%",
    meaning="1 - rho of the points of a deal of `gold-early` against `gold`, every pack played "
    "twice: the share of the variance of a result that belongs to the cards.",
    measure=from_pass("luck"),
    state="luck accounts for {value} % of the variance of a deal's points",
    does=("leaves more to luck", "leaves less to luck"),
    amount="luck accounts for {value} % of the variance of a deal's points",
    notable=0.03,
)

RULE_METRICS: tuple[RuleMetric, ...] = (
    *_LENGTH,
    *_ENDINGS,
    *_POINTS,
    *_KNOCKING,
    *_SKILL,
    *_RESTRICTED,
    *_COURSE,
    _CHOICE,
    _LUCK,
)

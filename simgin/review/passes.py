"""Passes: what a review plays over every variant beside the cells of its ledger.

Each is a step of the run (`simgin.runs.steps`): it is played once, and its results are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from simgin.odds import sample, solo_odds
from simgin.play.matchup import Matchup, parse_matchup
from simgin.review import players
from simgin.review.extras import Extras, to_arrays
from simgin.review.leads import measure_leads
from simgin.review.players import LUCK_PAIR, REFERENCE
from simgin.review.review_request import ReviewRequest
from simgin.review.variant_matches import Measurement
from simgin.runs import runner
from simgin.runs.steps import Arrays, Step
from simgin.stats import mirroring
from simgin.stats.estimate import Z95
from simgin.stats.quantity import Quantity
from simgin.value import outcomes, turns, value
from simgin.value.value import ValueRefused

if TYPE_CHECKING:
    import pandas as pd

    from simgin.play.parallel import Progress

# Time of a unit in units as cells play them, about: hands are played twice and looked at
TURN_BY_TURN = 12.0

NO_GIN = "nobody went gin"
NO_JOKER = "no joker decides here"


@dataclass(frozen=True)
class Pass:
    """A measurement of every variant on deals or matches of its own.

    name: a word. cost: the time of a unit, in units as cells play them. matchup: who plays, by
    variant. size: deals or matches. measure: plays so many of a matchup, with so many workers.
    """

    name: str
    cost: float
    matchup: Callable[[ReviewRequest, str], Matchup]
    size: Callable[[ReviewRequest], int]
    measure: Callable[[Matchup, int, int | None, Progress | None], Extras]

    def step_name(self, variant: str) -> str:
        """What the ledger knows the pass over a variant by."""
        return f"{self.name} {variant}"

    def step(self, request: ReviewRequest, variant: str) -> Step:
        """The pass over a variant, to be played."""
        matchup = self.matchup(request, variant)
        n = self.size(request)

        def play(workers: int | None, progress: Progress | None) -> Arrays:
            return to_arrays(self.measure(matchup, n, workers, progress))

        return Step(self.step_name(variant), matchup, n, self.cost, play)


def plan_steps(request: ReviewRequest) -> tuple[Step, ...]:
    """The passes over every variant of a request, to be played."""
    return tuple(
        own.step(request, variant) for variant in request.variants for own in passes(request)
    )


def passes(request: ReviewRequest) -> tuple[Pass, ...]:
    """The passes over every variant of a request."""
    if request.alone:
        return (SOLO_DEALS,)
    if request.deep:
        return (LUCK, VALUE, CHOICES, COURSE)
    return (LUCK, VALUE, HANDS)


def _luck_pair(request: ReviewRequest, variant: str) -> Matchup:
    return parse_matchup(*LUCK_PAIR, variant, request.seed, "deal")


def _reference_deals(request: ReviewRequest, variant: str) -> Matchup:
    return parse_matchup(REFERENCE, REFERENCE, variant, request.seed, "deal")


def _reference_matches(request: ReviewRequest, variant: str) -> Matchup:
    return parse_matchup(REFERENCE, REFERENCE, variant, request.seed, "match")


def _best_alone(request: ReviewRequest, variant: str) -> Matchup:
    return parse_matchup(players.best_solo(variant), None, variant, request.seed, "deal")


def _luck(matchup: Matchup, n: int, workers: int | None, progress: Progress | None) -> Extras:
    """The luck share of single deals."""
    luck = mirroring.luck(runner.run_matchup(matchup, n, workers), "deal")
    if luck.se > 0:
        return Extras({"luck": luck})
    return Extras({"luck": f"{matchup.a.text} and {matchup.opponent} play alike here"})


def _value(matchup: Matchup, n: int, workers: int | None, progress: Progress | None) -> Extras:
    """Points of decided deals, and the win probability at every score.

    Frame `outcomes`: points, and deals in each group of outcomes. Frame `scores`, where V goes by
    points alone: a, b (points of both sides), dealer, value, low, high, n. Note `value`: why there
    is no V.
    """
    import pandas as pd

    counted = outcomes.count_outcomes(matchup, n, workers, progress)
    decided = counted.column("winner") >= 0
    deals = counted.counts[:, decided]
    points = counted.column("points")[decided]
    frames = {"outcomes": pd.DataFrame(deals.T).add_prefix("group_").assign(points=points)}
    variant = matchup.variant.text
    name = matchup.a.text
    try:
        known = value.compute(
            variant, name, name, deals=n, seed=matchup.seed, seat=0, workers=workers
        )
    except ValueRefused as error:
        return Extras(frames=frames, notes={"value": str(error)})
    if known.board.fields == (("score",), ("score",)):
        frames["scores"] = _scores(known.table()).assign(n=n)
    return Extras(frames=frames)


def _scores(table: pd.DataFrame) -> pd.DataFrame:
    half = Z95 * table["se"]
    low = (table["value"] - half).clip(0, 1)
    high = (table["value"] + half).clip(0, 1)
    frame = table[["score_a", "score_b", "dealer", "value"]].assign(low=low, high=high)
    return frame.rename(columns={"score_a": "a", "score_b": "b"})


def _hands(matchup: Matchup, n: int, workers: int | None, progress: Progress | None) -> Extras:
    """Deadwood by turn, in a frame `deadwood`."""
    return Extras(frames={"deadwood": turns.deadwood(turns.play(matchup, n, workers, progress))})


def _choices(matchup: Matchup, n: int, workers: int | None, progress: Progress | None) -> Extras:
    """Deadwood by turn, and how often there was something to decide."""
    played = turns.play(matchup, n, workers, progress)
    share = turns.share_with_choice(played)
    choice = Quantity.with_error(share.value, share.se, len(played.rows))
    return Extras({"real_decision_factor": choice}, {"deadwood": turns.deadwood(played)})


def _course(matchup: Matchup, n: int, workers: int | None, progress: Progress | None) -> Extras:
    """How the lead of matches goes by their score."""
    return Extras(measure_leads(matchup, n, workers, progress))


def _alone(matchup: Matchup, n: int, workers: int | None, progress: Progress | None) -> Extras:
    """On which draw the best player goes gin, and how much the joker's place decides.

    Frames `odds` and `totals`.
    """
    variant = matchup.variant.text
    player = matchup.a.text
    seed = matchup.seed
    deals = sample.play_alone(player, variant, n, seed=seed, workers=workers, progress=progress)
    measured: dict[str, Measurement] = {"gin_draw": NO_GIN, "joker_share": NO_JOKER}
    draws = solo_odds.gin_draws(deals).to_dict("records")
    if draws:
        measured["gin_draw"] = _from_limits(draws[0])
    for row in solo_odds.jokers_share(deals).to_dict("records"):
        if row["metric"] == "win":
            measured["joker_share"] = _from_limits(row)
    return Extras(measured, {"odds": solo_odds.by_draws(deals), "totals": solo_odds.totals(deals)})


def _from_limits(row: Mapping[Hashable, Any]) -> Quantity:
    """A row with 95 % limits as a quantity."""
    half = (row["high"] - row["low"]) / 2
    return Quantity.with_error(row["value"], half / Z95, int(row["n"]))


LUCK = Pass("luck", 1.0, _luck_pair, attrgetter("singles"), _luck)
VALUE = Pass("value", 1.0, _reference_deals, attrgetter("singles"), _value)
HANDS = Pass("hands", TURN_BY_TURN, _reference_deals, attrgetter("hands"), _hands)
CHOICES = Pass("choices", TURN_BY_TURN, _reference_deals, attrgetter("hands"), _choices)
COURSE = Pass("course", 1.0, _reference_matches, attrgetter("matches"), _course)
SOLO_DEALS = Pass("solo", 1.0, _best_alone, attrgetter("singles"), _alone)

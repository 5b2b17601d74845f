"""What each action in a position is worth, over worlds in which the deal is played on.

found = analyse(position, "champion", "champion", Effort(worlds=10_000))
found.frame()  # a row for each action, the best first
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from simgin.analysis.equity import Equity, find_equity, net_points
from simgin.analysis.hidden_cards import Drawing
from simgin.analysis.position import Position, PositionError, positions_in
from simgin.core.sums import KINDS
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup, side_names
from simgin.play.parallel import SHARES, over_units
from simgin.play.rollout import play_in
from simgin.play.watch import WatchedDeal
from simgin.plots.answers import UNITS
from simgin.rules.variants import Variant
from simgin.stats.estimate import ALPHA, LOOK_FROM, sequence_width
from simgin.stats.table import frame_of

if TYPE_CHECKING:
    import pandas as pd

WORLDS = 10_000
STRONGEST = {1: "solo-champion", 2: "champion"}  # by the number of players
MOST_WORLDS = 1_000_000  # they are kept in memory
BLOCK = 50  # worlds of one call of the engine
CHUNK = 400  # worlds between two looks at the clock
GINS = (KINDS.index("gin"), KINDS.index("big_gin"))
UNDERCUT = KINDS.index("undercut")

# How a deal went for the player: net points, or less the penalty; per cent of winning the match
# (NaN where there is no V); with a die the net won deals or games (else NaN); whether the player
# won the deal, went gin, and was undercut
MEASURES = ("points", "match", "deals", "games", "win", "gin", "undercut")
OUTCOME = np.dtype([(name, np.float64) for name in MEASURES])
POINTS_REACH = 100.0  # points, or per cent of matches: how far two actions may lie apart at least
# How far two actions may lie apart in one world at least, where it is not POINTS_REACH: both ways,
# at six on the die, and for a game that counts four
REACHES = {"deals": 12.0, "games": 48.0}


# Which of several actions is best: what is clearly worse is left out early, at a stated error
#
# All actions are tried in the same worlds, so what counts are differences world by world. Their
# confidence sequences (simgin.stats.estimate) hold at every number of worlds and for all pairs of
# actions at once, with probability 1 - ALPHA: so the best action is left out with probability ALPHA
# at most, however often one looks, and every interval printed holds whichever action turns out to
# be the best.


@dataclass(frozen=True)
class Gaps:
    """How much worse each action is than the best of those that are still tried."""

    best: int
    means: np.ndarray  # float64 (actions,): the difference from the best, usually negative
    halves: np.ndarray  # float64 (actions,): half-widths of the intervals; 0 for the best


def next_look(played: int, most: int) -> int:
    """The number of worlds after which to look again: each look doubles it, up to `most`."""
    return min(most, max(LOOK_FROM, 2 * played))


def compare(worth: np.ndarray, most: int, least_reach: float = POINTS_REACH) -> Gaps:
    """Each action against the best; worth: float64 (worlds, actions), NaN where one was left out.

    most: the number of worlds that was planned, fixed beforehand. least_reach: how far two actions
    may lie apart in one world, at least.
    """
    tried = ~np.isnan(worth)
    means = np.where(tried[-1], worth.mean(axis=0), -np.inf)
    best = int(means.argmax())
    gaps = worth - worth[:, best, None]
    worlds = tried.sum(axis=0)
    gap = np.nanmean(gaps, axis=0)
    apart = np.nanmax(worth, axis=1) - np.nanmin(worth, axis=1)
    reach = max(least_reach, float(apart.max()))
    # One more world is counted in which the gap is as wide as it may be: what is rare is not seen
    # in a few hundred worlds, and the error must not shrink to nothing without it.
    variances = np.nanvar(gaps, axis=0) + reach**2 / worlds
    alpha = ALPHA / max(1, len(worlds) * (len(worlds) - 1) / 2)
    # Tightest halfway between the first look and the last
    tightest = sqrt(LOOK_FROM * max(LOOK_FROM, most))
    widths = [sequence_width(int(n), tightest, alpha) for n in worlds]
    errors = np.sqrt(variances / worlds)
    halves = np.array(widths) * errors
    halves[best] = 0.0
    return Gaps(best, gap, halves)


def still_tried(worth: np.ndarray, most: int, least_reach: float = POINTS_REACH) -> np.ndarray:
    """Which actions may be the best yet: bool (actions,); see `compare`."""
    alive = np.asarray(~np.isnan(worth[-1]))
    if len(worth) < LOOK_FROM:
        return alive
    gaps = compare(worth, most, least_reach)
    may_be_best = gaps.means + gaps.halves >= 0
    return np.asarray(alive & may_be_best)


# The analysis of a position


@dataclass(frozen=True)
class Effort:
    """How long to look: up to so many worlds and seconds, with so many threads."""

    worlds: int = WORLDS
    seconds: float | None = None
    seed: int = 1
    workers: int | None = None


@dataclass(frozen=True)
class Analysis:
    """What the actions of a position were worth.

    outcomes: OUTCOME (worlds, actions), NaN from where an action was left out. most: the number of
    worlds planned.
    """

    position: Position
    matchup: Matchup
    outcomes: np.ndarray
    most: int

    @property
    def by(self) -> str:
        """What actions are compared by: match, deals, games, win or points (see MEASURES)."""
        if self.position.in_match and self.has_match:
            return "match"
        return counted_by(self.position.variant)

    @property
    def has_match(self) -> bool:
        """Whether the chance to win the match is known."""
        return not np.isnan(self.outcomes["match"]).all()

    @property
    def worth(self) -> np.ndarray:
        """What actions are compared by: float64 (worlds, actions), NaN where not tried.

        Points, per cent of matches, or per cent of deals.
        """
        factor = 100 if self.by == "win" else 1
        return np.asarray(factor * self.outcomes[self.by])

    @property
    def drawing(self) -> Drawing:
        """How the worlds were drawn."""
        return Drawing(self.matchup, self.position.view)

    @property
    def unit(self) -> str:
        """What a cost is counted in."""
        return UNITS[self.by]

    @property
    def reach(self) -> float:
        """How far two actions may lie apart in one world, at least."""
        return REACHES.get(self.by, POINTS_REACH)

    @property
    def worlds(self) -> int:
        """The worlds in which the best action was tried."""
        return len(self.outcomes)

    @cached_property
    def gaps(self) -> Gaps:
        """Each action against the best."""
        return compare(self.worth, self.most, self.reach)

    @cached_property
    def best(self) -> list[int]:
        """The places of the actions that may be best, the best first: one if it is known."""
        tried = still_tried(self.worth, self.most, self.reach)
        return [place for place in self.order if tried[place]]

    @cached_property
    def order(self) -> list[int]:
        """The places of the actions, the best first."""
        ranked = np.argsort(-self.gaps.means, kind="stable")
        return [int(place) for place in ranked]

    def cost(self, place: int) -> tuple[float, float, float]:
        """What an action costs against the best: (mean, low, high), at least 0 at the ends.

        An action that was left out was clearly worse than another, so its cost cannot be negative,
        nor can that of any action be by the best's own definition.
        """
        mean = -float(self.gaps.means[place])
        half = float(self.gaps.halves[place])
        low = mean - half
        if place not in self.best:
            low = max(0.0, low)
        return mean, low, mean + half

    def frame(self) -> pd.DataFrame:
        """A row for each action, the best first.

        variant; strategy and opponent: who played on. Means per world with their standard errors:
        points, match, deals, games and the shares 0..1 win, gin and undercut. cost, low, high:
        against the best, in the unit of `by`. worlds; best: whether it may be the best; done:
        whether the player did it.
        """
        return frame_of(self.rows())

    def rows(self) -> list[dict[str, object]]:
        """The rows of `frame`."""
        return [self._row(place) for place in self.order]

    def _row(self, place: int) -> dict[str, object]:
        action = self.position.actions[place]
        tried = ~np.isnan(self.worth[:, place])
        outcomes = self.outcomes[tried, place]
        row: dict[str, object] = {
            "variant": self.position.variant.text,
            "strategy": self.matchup.a.text,
            "opponent": self.matchup.opponent,
            "action": self.position.text(action),
        }
        for name in MEASURES:
            row[name] = float(outcomes[name].mean())
            row[f"{name}_se"] = _error(outcomes[name])
        cost, low, high = self.cost(place)
        return row | {
            "by": self.by,
            "cost": cost,
            "low": low,
            "high": high,
            "worlds": len(outcomes),
            "best": place in self.best,
            "done": action == self.position.done,
        }


def _error(values: np.ndarray) -> float:
    """The standard error of a mean; exactly 0 where all values are alike."""
    if np.all(values == values[0]):
        return 0.0
    return float(values.std()) / sqrt(len(values))


def outcomes_of(records: np.ndarray, variant: Variant, equity: Equity | None) -> np.ndarray:
    """How deals went for side A: OUTCOME, of the shape of the records."""
    found = np.empty(records.shape, OUTCOME)
    is_own = records["knocker"] == 0
    kind = records["kind"]
    found["points"] = net_points(variant, records)
    found["match"] = found["deals"] = found["games"] = np.nan
    if equity is not None:
        equity.write(found, records)
    found["win"] = records["winner"] == 0
    found["gin"] = is_own & np.isin(kind, GINS)
    found["undercut"] = is_own & (kind == UNDERCUT)
    return found


def gains(records: np.ndarray, variant: Variant) -> np.ndarray:
    """What side A gained in deals, in what the variant counts by: float64, the records' shape."""
    by = counted_by(variant)
    equity = find_equity(variant) if by in REACHES else None
    factor = 100 if by == "win" else 1
    return np.asarray(factor * outcomes_of(records, variant, equity)[by])


def counted_by(variant: Variant) -> str:
    """What a deal counts in, whoever leads the match: deals, games, win or points."""
    row = variant.row
    if row["die"] != "off":
        return "deals" if row["die"] == "deal" else "games"
    return "win" if row["deal_scoring"] == "winloss" else "points"


Watch = Callable[[int, int, Callable[[], Analysis]], None]  # worlds played, planned, the result


def unwatched(done: int, every: int, so_far: Callable[[], object]) -> None:
    """Let nobody look on."""


def strongest(variant: Variant) -> str:
    """Who plays on from a position that no strategy has played."""
    return STRONGEST[int(str(variant.row["players"]))]


def analyse(
    position: Position, own: str, other: str | None, effort: Effort, watch: Watch = unwatched
) -> Analysis:
    """Play every action of a position in the same worlds, and on with two strategies, or one.

    own, other: who plays on for the player and for the opponent, None if there is none. Stops when
    the best action is known, and after the worlds or seconds of the effort. watch: called with the
    worlds played, those planned, and what tells the result so far. Raises PositionError for more
    worlds than MOST_WORLDS.
    """
    if effort.worlds > MOST_WORLDS:
        raise PositionError(
            f"{effort.worlds:,} worlds are too many to keep; name at most {MOST_WORLDS:,}."
        )
    trial = _Trial(position, own, other, effort)
    seconds = np.inf if effort.seconds is None else effort.seconds
    end = time.monotonic() + seconds
    look = next_look(0, effort.worlds)
    while trial.played < effort.worlds and trial.alive.sum() > 1:
        trial.play(min(CHUNK, look - trial.played))
        if trial.played == look:
            found = trial.analysis()
            trial.alive = still_tried(found.worth, effort.worlds, found.reach)  # what is not worse
            look = next_look(look, effort.worlds)
        watch(trial.played, effort.worlds, trial.analysis)
        if time.monotonic() > end:
            break
    return trial.analysis()


def played_on(position: Position, own: str, other: str | None, effort: Effort) -> Analysis:
    """Every action of a position in all worlds of the effort: none is left out."""
    trial = _Trial(position, own, other, effort)
    trial.play(effort.worlds)
    return trial.analysis()


class _Trial:
    """The worlds played so far."""

    def __init__(self, position: Position, own: str, other: str | None, effort: Effort) -> None:
        variant = position.variant
        self.position = position
        self.matchup = parse_matchup(own, other, variant.text, effort.seed, "deal")
        kernel.prepare(self.matchup)
        self.effort = effort
        self.equity = find_equity(variant, effort.workers)
        self.drawing = Drawing(self.matchup, position.view)
        self.alive = np.ones(len(position.actions), bool)
        self.played = 0
        self._chunks: list[np.ndarray] = []

    def play(self, n: int) -> None:
        """Play the actions that are still tried in n more worlds."""
        first = self.played
        view = self.position.view
        places = np.flatnonzero(self.alive)
        actions = [self.position.actions[place] for place in places]

        def part(start: int, size: int) -> np.ndarray:
            number = first + start
            worlds = self.drawing.worlds(size, number)
            return play_in(self.matchup, view, actions, worlds, number)

        records = np.concatenate(over_units(part, n, BLOCK, self.effort.workers))
        chunk = np.full((n, len(self.alive)), np.nan, OUTCOME)
        chunk[:, places] = outcomes_of(records, self.position.variant, self.equity)
        self._chunks.append(chunk)
        self.played += n

    def analysis(self) -> Analysis:
        """What is known so far."""
        outcomes = np.concatenate(self._chunks)
        return Analysis(self.position, self.matchup, outcomes, self.effort.worlds)


# The decisions of a deal, each with what its actions were worth

WatchDeal = Callable[[int, int, Callable[[], Mapping[str, Analysis]]], None]


def analyse_deal(
    deal: WatchedDeal,
    turn: int | None,
    own: str | None,
    other: str | None,
    effort: Effort,
    watch: WatchDeal = unwatched,
    names: Sequence[str] = (),
) -> dict[str, Analysis]:
    """The decisions of a deal, or of one turn, by place and player, as in `turn 5, draw, gold`.

    Those of a single player are named by place alone. names: of who really played, by seat.
    own, other: who plays on for A and for B, by default they themselves. watch: called
    with what is done, what there is to do, and the analyses so far.
    """
    players = [player.text for player in deal.matchup.players]
    names = names if len(set(names)) == len(players) else side_names(deal.matchup)
    alone = len(players) == 1
    positions = positions_in(deal, turn)
    if not positions:
        raise PositionError("nothing is decided in this deal, as far as it is known.")
    opponent = other if alone else other or players[-1]
    on = [own or players[0], opponent]
    found: dict[str, Analysis] = {}
    every = SHARES * len(positions)
    for position in positions:
        player = int(position.view.seat != deal.state.half)
        title = position.place if alone else f"{position.place}, {names[player]}"

        def see(played: int, most: int, so_far: Callable[[], Analysis], title: str = title) -> None:
            before = found.copy()
            done = SHARES * len(before) + SHARES * played // most
            watch(done, every, lambda: {**before, title: so_far()})

        found[title] = analyse(position, on[player] or players[0], on[1 - player], effort, see)
        watch(SHARES * len(found), every, found.copy)
    return found


def frame(found: Mapping[str, Analysis]) -> pd.DataFrame:
    """The rows of all analyses (`Analysis.frame`), behind the decision and its turn."""
    rows = []
    for decision, analysis in found.items():
        place = {"decision": decision, "turn": analysis.position.turn}
        rows += [place | row for row in analysis.rows()]
    return frame_of(rows)

"""Values of the legal actions in a position, estimated by rollouts.

Each action is played to the end of the deal in the same sampled worlds, that is, with the same
assignments of the hidden cards:

    analysis = analyse_position(position, "champion", "champion", Budget(worlds=10_000))
    analysis.frame()  # one row per action, best action first
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

WORLDS = 10_000  # default number of worlds per position
MOST_WORLDS = 1_000_000  # limited because all outcomes stay in memory
BLOCK = 50  # worlds per engine call
CHUNK = 400  # worlds between two checks of the time limit
GINS = (KINDS.index("gin"), KINDS.index("big_gin"))
UNDERCUT = KINDS.index("undercut")

# Outcome of a deal for the player: net points, or minus the penalty; probability of winning the
# match in % (NaN if it is unknown); net won deals or net won games in games with a die (otherwise
# NaN); and 1 if the player won the deal, went gin or was undercut.
MEASURES = ("points", "match", "deals", "games", "win", "gin", "undercut")
OUTCOME = np.dtype([(name, np.float64) for name in MEASURES])
# Smallest assumed range of the difference of two actions in one world, in points or % of matches
POINTS_REACH = 100.0
# The same for other measures: one deal either way with the die at 6, or one game that counts 4
REACHES = {"deals": 12.0, "games": 48.0}


# Selection of the best action with early elimination of worse ones
#
# All actions are played in the same worlds, so the comparison uses the differences world by world.
# The confidence sequences of these differences (simgin.stats.estimate) are valid at every number of
# worlds and simultaneously for all pairs of actions, with probability 1 - ALPHA. Therefore the best
# action is eliminated with probability ALPHA at most, regardless of the number of checks, and the
# printed intervals are valid no matter which action turns out to be the best.


@dataclass(frozen=True)
class Gaps:
    """Differences between each action and the best of the active actions.

    Attributes:
        best: Index of the best action.
        means: float64 (n_actions,), mean differences from the best action, usually negative.
        half_widths: float64 (n_actions,), half-widths of their intervals; 0 for the best action.
    """

    best: int
    means: np.ndarray
    halves: np.ndarray


def next_look(played: int, most: int) -> int:
    """Return the number of worlds at the next check: twice `n_played`, at most `max_worlds`."""
    return min(most, max(LOOK_FROM, 2 * played))


def compare(worth: np.ndarray, most: int, least_reach: float = POINTS_REACH) -> Gaps:
    """Compare each action with the best one.

    Args:
        worth: float64 (n_worlds, n_actions), action values; NaN after an action was eliminated.
        most: Maximum number of worlds, which must be fixed in advance.
        least_reach: Smallest assumed range of the difference of two actions in one world.
    """
    tried = ~np.isnan(worth)
    means = np.where(tried[-1], worth.mean(axis=0), -np.inf)
    best = int(means.argmax())
    gaps = worth - worth[:, best, None]
    worlds = tried.sum(axis=0)
    gap = np.nanmean(gaps, axis=0)
    apart = np.nanmax(worth, axis=1) - np.nanmin(worth, axis=1)
    reach = max(least_reach, float(apart.max()))
    # Count one more world with the widest possible gap. A few hundred worlds may contain no rare
    # event, and the estimated error must not vanish because of that.
    variances = np.nanvar(gaps, axis=0) + reach**2 / worlds
    alpha = ALPHA / max(1, len(worlds) * (len(worlds) - 1) / 2)
    # Tightest at the geometric mean of the first and last checkpoint
    tightest = sqrt(LOOK_FROM * max(LOOK_FROM, most))
    widths = [sequence_width(int(n), tightest, alpha) for n in worlds]
    errors = np.sqrt(variances / worlds)
    halves = np.array(widths) * errors
    halves[best] = 0.0
    return Gaps(best, gap, halves)


def still_tried(worth: np.ndarray, most: int, least_reach: float = POINTS_REACH) -> np.ndarray:
    """Return a mask of the actions that may still be the best: bool (n_actions,).

    Args:
        worth: float64 (n_worlds, n_actions), action values; NaN after an action was eliminated.
        most: Maximum number of worlds, which must be fixed in advance.
        least_reach: Smallest assumed range of the difference of two actions in one world.
    """
    alive = np.asarray(~np.isnan(worth[-1]))
    if len(worth) < LOOK_FROM:
        return alive
    gaps = compare(worth, most, least_reach)
    may_be_best = gaps.means + gaps.halves >= 0
    return np.asarray(alive & may_be_best)


# The analysis of a position


@dataclass(frozen=True)
class Effort:
    """Limits of an analysis: number of worlds, seconds and worker threads.

    Attributes:
        worlds: Maximum number of worlds per position.
        seconds: Time limit per position, or None.
        seed: Seed of the sampled worlds.
        workers: Number of worker threads; None for all cores.
    """

    worlds: int = WORLDS
    seconds: float | None = None
    seed: int = 1
    workers: int | None = None


@dataclass(frozen=True)
class Analysis:
    """Outcomes of the actions in a position.

    Attributes:
        position: The analysed decision.
        matchup: Strategies that play the rollouts.
        outcomes: OUTCOME (n_worlds, n_actions); NaN after an action was eliminated.
        max_worlds: Maximum number of worlds.
    """

    position: Position
    matchup: Matchup
    outcomes: np.ndarray
    most: int

    @property
    def by(self) -> str:
        """Measure by which actions are compared: match, deals, games, win or points."""
        if self.position.in_match and self.has_match:
            return "match"
        return counted_by(self.position.variant)

    @property
    def has_match(self) -> bool:
        """True if the probability of winning the match is known."""
        return not np.isnan(self.outcomes["match"]).all()

    @property
    def worth(self) -> np.ndarray:
        """Values of the actions, float64 (n_worlds, n_actions); NaN if not tried.

        The values are points, % of matches or % of deals, depending on the measure.
        """
        factor = 100 if self.by == "win" else 1
        return np.asarray(factor * self.outcomes[self.by])

    @property
    def drawing(self) -> Drawing:
        """Sampler of the worlds."""
        return Drawing(self.matchup, self.position.view)

    @property
    def unit(self) -> str:
        """Unit of the costs."""
        return UNITS[self.by]

    @property
    def reach(self) -> float:
        """Smallest assumed range of the difference of two actions in one world."""
        return REACHES.get(self.by, POINTS_REACH)

    @property
    def worlds(self) -> int:
        """Number of worlds in which the best action was played."""
        return len(self.outcomes)

    @cached_property
    def gaps(self) -> Gaps:
        """Differences between each action and the best one."""
        return compare(self.worth, self.most, self.reach)

    @cached_property
    def best(self) -> list[int]:
        """Indices of the actions that may be the best, best first."""
        tried = still_tried(self.worth, self.most, self.reach)
        return [place for place in self.order if tried[place]]

    @cached_property
    def order(self) -> list[int]:
        """Indices of the actions, best first."""
        ranked = np.argsort(-self.gaps.means, kind="stable")
        return [int(place) for place in ranked]

    def cost(self, place: int) -> tuple[float, float, float]:
        """Estimate the cost of an action: its difference from the best, with a 95 % interval.

        Args:
            place: Index of the action.

        Returns:
            Mean, lower and upper bound. The lower bound is at least 0 for an eliminated action,
            because such an action is significantly worse than another one.
        """
        mean = -float(self.gaps.means[place])
        half = float(self.gaps.halves[place])
        low = mean - half
        if place not in self.best:
            low = max(0.0, low)
        return mean, low, mean + half

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per action, best action first.

        Columns:

        * `variant`; `strategy` and `opponent`, which play the rollouts; `action`.
        * `points`, `match`, `deals`, `games`, and the proportions `win`, `gin` and `undercut`:
          means per world, each with its standard error (`points_se` and so on).
        * `by`: measure by which actions are compared; `cost`, `low`, `high`: cost compared with
          the best action, in the unit of this measure.
        * `worlds`: number of worlds; `best`: True if the action may be the best; `done`: True if
          the player chose the action.
        """
        return frame_of(self.rows())

    def rows(self) -> list[dict[str, object]]:
        """Return the rows of `frame` as dictionaries."""
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
    """Return the standard error of a mean; exactly 0 if all values are equal."""
    if np.all(values == values[0]):
        return 0.0
    return float(values.std()) / sqrt(len(values))


def outcomes_of(records: np.ndarray, variant: Variant, equity: Equity | None) -> np.ndarray:
    """Compute the outcomes of deals for side A.

    Args:
        records: DEAL array of any shape.
        variant: Variant of the deals.
        equity: Values of deal results in the match or game, or None.

    Returns:
        OUTCOME array of the same shape.
    """
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
    """Compute the gain of side A in deals, in the measure of the variant.

    Args:
        records: DEAL array of any shape.
        variant: Variant of the deals.

    Returns:
        float64 array of the same shape.
    """
    by = counted_by(variant)
    equity = find_equity(variant) if by in REACHES else None
    factor = 100 if by == "win" else 1
    return np.asarray(factor * outcomes_of(records, variant, equity)[by])


def counted_by(variant: Variant) -> str:
    """Return the measure of a single deal: deals, games, win or points."""
    row = variant.row
    if row["die"] != "off":
        return "deals" if row["die"] == "deal" else "games"
    return "win" if row["deal_scoring"] == "winloss" else "points"


# Called with the number of worlds played, the maximum, and a function that returns the result
Watch = Callable[[int, int, Callable[[], Analysis]], None]


def unwatched(done: int, every: int, so_far: Callable[[], object]) -> None:
    """Ignore progress."""


def analyse(
    position: Position, own: str, other: str | None, effort: Effort, watch: Watch = unwatched
) -> Analysis:
    """Estimate the values of all actions in a position by rollouts in the same worlds.

    The analysis stops when the best action is known, or at the limits of the budget.

    Args:
        position: Decision to analyse.
        own: Strategy that continues for the player.
        other: Strategy that continues for the opponent; None in solitaire games.
        effort: Limits of the analysis.
        watch: Called with the number of worlds played, the maximum, and a function that returns
            the result so far.

    Raises:
        PositionError: If the budget exceeds `MAX_WORLDS`.
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
            trial.alive = still_tried(found.worth, effort.worlds, found.reach)
            look = next_look(look, effort.worlds)
        watch(trial.played, effort.worlds, trial.analysis)
        if time.monotonic() > end:
            break
    return trial.analysis()


def played_on(position: Position, own: str, other: str | None, effort: Effort) -> Analysis:
    """Estimate the values of all actions in all worlds of the budget, without elimination.

    Args:
        position: Decision to analyse.
        own: Strategy that continues for the player.
        other: Strategy that continues for the opponent; None in solitaire games.
        effort: Limits of the analysis, of which `seconds` has no effect.
    """
    trial = _Trial(position, own, other, effort)
    trial.play(effort.worlds)
    return trial.analysis()


class _Trial:
    """Rollouts of the actions of one position, which grow world by world."""

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
        """Play the active actions in n more worlds."""
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
        """Return the result so far."""
        outcomes = np.concatenate(self._chunks)
        return Analysis(self.position, self.matchup, outcomes, self.effort.worlds)


# Analysis of all decisions in a deal

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
    """Analyse the decisions of a deal, or of one turn.

    Args:
        deal: Recorded deal.
        turn: Turn to analyse; None for all turns.
        own: Strategy that continues for side A; by default the strategy that played A.
        other: Strategy that continues for side B; by default the strategy that played B.
        effort: Limits of each analysis.
        watch: Called with the progress, its total, and a function that returns the analyses so
            far.
        names: Names of the players by side; by default those of the strategies.

    Returns:
        Analyses by label and player, such as `turn 5, draw, gold`; in solitaire games by label.
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
    """Combine analyses in one DataFrame, with the columns `decision` and `turn` first."""
    rows = []
    for decision, analysis in found.items():
        place = {"decision": decision, "turn": analysis.position.turn}
        rows += [place | row for row in analysis.rows()]
    return frame_of(rows)

"""The metrics of a rule set, one record each, in the order in which a review tells them (METRICS 7).

A trait is told of a game that was played: means over the field's matches against themselves unless its meaning says otherwise. What a game
cannot have, or was not played for, is a reason instead of a number.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from simgin.core import sums
from simgin.review import knocking, skill
from simgin.review.knocking import Matrix
from simgin.rules.goals import goal_of
from simgin.rules.parameters import Params
from simgin.stats import metrics, quantity, ratings
from simgin.stats.estimate import POWER_80
from simgin.stats.quantity import Quantity
from simgin.stats.ratings import Pairings

FIELD = ("gold", "gold-early", "simple", "gin-only")
FULL = "gold-early"  # the player that restricted ones are measured against
RESTRICTED = {  # what it is given instead, in canonical texts: cells are found by them
    "take=never": "never takes",
    "knock=at:k=0": "never knocks",
    "knock=at": "knocks at once",
    "discard=uniform": "throws blindly",
}
NAMED_PAIR = ("gold-early", "gold")  # what luck is quoted for
EVEN = 0.5  # what two who play alike win of each other, pair by pair
TINY = 1e-9  # what a share may be off by arithmetic
FEWEST_PLAYERS = 3  # of a field with a spread
DEALS, MATCHES = (sums.SUM + sums.FACT[name] for name in ("deals", "matches"))
BY_GIN_ALONE = "only gin ends a deal"


Told = Quantity | str  # or the reason why there is no number


@dataclass(frozen=True, eq=False)
class Game:
    """A rule set and the matches that were played by it.

    cells: by the texts of A and B the batch rows, int64 (batches, sums.COLUMNS); all of one seed. field: who stands for its players.
    players: who met each other, the field and others. extra: traits from other passes over the same game, by key.
    """

    variant: str
    row: Params
    field: tuple[str, ...]
    players: tuple[str, ...]
    cells: Mapping[tuple[str, str], np.ndarray]
    extra: Mapping[str, Told]

    @property
    def alone(self) -> bool:
        """Whether it is a game for one."""
        return self.row["players"] == 1

    def own(self, metric: str) -> Quantity:
        """The mean of a metric over the field's players, each against itself."""
        return quantity.mean(
            [quantity.ratio(self.cells[name, name], metrics.BY_NAME[metric]) for name in self.field]
        )

    def derived(self, of: Callable[[np.ndarray], float]) -> Quantity:
        """The mean over the field of any function of a cell's sum of batch rows."""
        rows = [self.cells[name, name] for name in self.field]
        return quantity.mean(
            [quantity.jackknife(one, of, int(one[:, DEALS].sum())) for one in rows]
        )

    def lasting(self, pairs: Sequence[tuple[str, str]]) -> list[Quantity]:
        """The share of deals that last more than 0, 1, 2, ... turns, as a mean over some cells."""
        parts = []
        for pair in pairs:
            counts = self.cells[pair][
                :, sums.TURNS_HISTOGRAM : sums.TURNS_HISTOGRAM + sums.TURNS_BINS
            ]
            longer = counts[:, ::-1].cumsum(axis=1)[:, ::-1] - counts
            parts.append(quantity.shares(longer, self.cells[pair][:, DEALS]))
        return [quantity.mean(part) for part in zip(*parts, strict=True)]

    @property
    def alike(self) -> list[tuple[str, ...]]:
        """Players whose matches against themselves, or alone, came out the same to the last deal: the rules leave no difference."""
        groups: dict[bytes, list[str]] = {}
        for (name, other), rows in self.cells.items():
            if other in ("", name):
                groups.setdefault(rows.tobytes(), []).append(name)
        return [tuple(names) for names in groups.values() if len(names) > 1]

    def pairing(self, a: str, b: str) -> tuple[tuple[str, str], np.ndarray]:
        """Two different strategies as their cell names them, and its batch rows."""
        pair = (a, b) if (a, b) in self.cells else (b, a)
        return pair, self.cells[pair]

    def between(self, metric: str, a: str, b: str) -> Quantity:
        """A metric of a against b."""
        pair, rows = self.pairing(a, b)
        return quantity.ratio(rows, metrics.BY_NAME[metric], as_b=pair[0] != a)

    def matrix(self, metric: str = "margin") -> Matrix:
        """Everyone who knocks otherwise against everyone else."""
        ks = knocking.limits(self.row)
        rows = {
            (k, j): self.cells.get((knocking.player(k), knocking.player(j)))
            for k, j in itertools.permutations(ks, 2)
        }
        return Matrix(ks, {pair: cell for pair, cell in rows.items() if cell is not None}, metric)

    def league(self, names: Sequence[str]) -> Pairings:
        """The pairings of some players, each with each."""
        return dict(self.pairing(a, b) for a, b in itertools.combinations(names, 2))


@dataclass(frozen=True)
class Trait:
    """One property of a rule set.

    theme: what it is about; of one theme only the greatest change gets a sentence. title: what people call it, with its unit.
    said: a sentence about it, with {value} in it, if it deserves one. notable: the least difference that is worth it. factor: what
    values are multiplied by before they are shown.
    """

    theme: str
    key: str
    title: str
    said: str
    notable: float
    of: Callable[[Game], Told]
    factor: int = 1
    deep: bool = False


def _of_field(metric: str) -> Callable[[Game], Told]:
    return lambda game: game.own(metric)


def _kind(kind: str, words: str, notable: float = 0.01) -> Trait:
    return Trait(
        "endings",
        kind,
        f"{kind.replace('_', ' ')} %",
        f"{{value}} % of deals {words}",
        notable,
        _of_field(kind),
        100,
    )


def _spread_of_turns(game: Game) -> Told:
    turns = np.arange(sums.TURNS_BINS)

    def sd(total: np.ndarray) -> float:
        counts = total[sums.TURNS_HISTOGRAM : sums.TURNS_HISTOGRAM + sums.TURNS_BINS]
        mean = counts @ turns / counts.sum()
        return float(np.sqrt(counts @ (turns - mean) ** 2 / counts.sum()))

    return game.derived(sd)


def _turns_at(q: float) -> Callable[[Game], Told]:
    """The turns that a share q of deals take at most, with the limits at which the limits of that share cross q (Woodruff 1952)."""

    def found(game: Game) -> Told:
        lasting = game.lasting([(name, name) for name in game.field])
        ends = np.array([(own.value, *own.limits) for own in lasting])
        value, low, high = (float(np.argmax(column <= 1 - q + TINY)) for column in ends.T)
        return Quantity.with_span(value, (low, high), lasting[0].n)

    return found


def _spread_of_points(game: Game) -> Told:
    def sd(total: np.ndarray) -> float:
        decided, points = (
            total[sums.SUM + sums.FACT[name]] for name in ("decided", "points_scored")
        )
        return (
            float(np.sqrt(total[sums.DEAL_SQUARE] / decided - (points / decided) ** 2))
            if decided
            else np.nan
        )

    return game.derived(sd)


def _seat(game: Game) -> Told:
    return game.own("first_player_win").scaled(1, -0.5)


def _completion(game: Game) -> Told:
    return game.own("deal_win") + game.own("deal_loss")


def _final_lead(game: Game) -> Told:
    if goal_of(game.row).score != "points":
        return "matches are not to points"
    target = float(str(game.row["points_target"]))
    return (game.own("winner_score") - game.own("loser_score")).scaled(1 / target)


def _shut_out(game: Game) -> Told:
    return (
        game.own("loser_zero") if goal_of(game.row).score else "no single score to be shut out of"
    )


def _best_limit(game: Game) -> Told:
    if len(knocking.limits(game.row)) < 2:
        return BY_GIN_ALONE
    matrix = game.matrix(
        "margin" if goal_of(game.row).score == "points" else "match_win"
    )  # who waits gets points, who knocks gets deals
    best, alike = matrix.best()
    return Quantity.with_span(best, (alike[0], alike[-1]), matrix.mean(best).n)


def _patience(game: Game) -> Told:
    return game.matrix().patience() if len(knocking.limits(game.row)) > 1 else BY_GIN_ALONE


def _early(game: Game) -> Told:
    if len(knocking.limits(game.row)) < 2:
        return BY_GIN_ALONE
    return game.between("margin", "gold-early", "gold")


def _verdict(game: Game) -> Told:
    """Matches, in pairs, that tell the named pair apart at 5 % in four runs of five: 2 (2.8 sd / lead)^2, sd that of a pair (METRICS 3)."""
    _, rows = game.pairing(*NAMED_PAIR)
    counts = rows[:, sums.PAIR_HISTOGRAM : sums.PAIR_HISTOGRAM + sums.PAIR_BINS].sum(axis=0)
    scores = np.arange(sums.PAIR_BINS) / (sums.PAIR_BINS - 1)
    mean = counts @ scores / counts.sum()
    variance = float(counts @ (scores - mean) ** 2 / (counts.sum() - 1))
    lead = game.between("match_win", *NAMED_PAIR).scaled(1, -0.5)
    near, far = sorted(abs(end) for end in lead.limits)
    if not lead.limits[0] * lead.limits[1] > 0:
        return f"{NAMED_PAIR[0]} and {NAMED_PAIR[1]} cannot be told apart here"
    needed = [
        float(np.ceil(2 * POWER_80**2 * variance / size**2)) for size in (lead.value, far, near)
    ]
    return Quantity.with_span(needed[0], (needed[1], needed[2]), lead.n)


def _spread_of_ratings(game: Game) -> Told:
    met = game.league(game.field)
    if len(game.field) < FEWEST_PLAYERS:
        return "too few players"
    spreads = np.std(ratings.leave_batches_out(met), axis=1, ddof=1)
    return quantity.from_left_out(float(spreads[0]), spreads[1:], _matches(met))


def _chain(game: Game) -> Told:
    met = game.league(game.players)
    found = skill.chain(ratings.cross_table(met))
    return Quantity.with_span(found.steps, (found.steps, found.most), _matches(met))


def _matches(met: Pairings) -> int:
    return sum(int(rows[:, MATCHES].sum()) for rows in met.values())


def _lead(a: str, b: str) -> Callable[[Game], Told]:
    """Elo of one player over another."""
    return lambda game: skill.elo(game.between("match_win", a, b))


def _restricted(slot: str, words: str) -> Trait:
    """What a player makes of itself without one element of the game (METRICS 7.3): near one half where the element is an ornament."""

    def won(game: Game) -> Told:
        found = game.between("match_win", f"{FULL}+{slot}", FULL)
        return "it changes nothing here" if found.se == 0 and found.value == EVEN else found

    said = f"{FULL} that {words} wins {{value}} % of matches against itself"
    return Trait("elements", slot, f"who {words}, matches won %", said, 0.02, won, 100, deep=True)


def _extra(key: str) -> Callable[[Game], Told]:
    return lambda game: game.extra.get(key, "not to be had here")


def _course(key: str, title: str, said: str, notable: float, factor: int = 100) -> Trait:
    """How matches go, of gold-early against itself (`simgin.value.drama`)."""
    return Trait("course", key, title, said, notable, _extra(key), factor, deep=True)


def _choice(key: str, title: str, said: str, notable: float, factor: int = 1) -> Trait:
    """What there is to decide, for gold-early against itself (`simgin.value.turns`)."""
    return Trait("choice", key, title, said, notable, _extra(key), factor, deep=True)


_GAINS = "gains {value} points a deal on knocking at once"
_BONUS = "from an undercut bonus of {value}"
_CARDS = "of a deal's points lies in the cards"

TRAITS: tuple[Trait, ...] = (
    Trait(
        "length", "turns", "turns per deal", "a deal takes {value} turns", 0.5, _of_field("turns")
    ),
    Trait("length", "turns_10", "turns of the shortest tenth", "", 1, _turns_at(0.1)),
    Trait("length", "turns_50", "turns of half the deals", "", 1, _turns_at(0.5)),
    Trait("length", "turns_90", "turns of nine deals in ten", "", 1, _turns_at(0.9)),
    Trait("length", "turns_sd", "turns per deal, sd", "", 1, _spread_of_turns),
    Trait(
        "match",
        "deals_per_match",
        "deals per match",
        "a match takes {value} deals",
        0.5,
        _of_field("deals_per_match"),
    ),
    Trait("endings", "completion", "deals somebody wins %", "", 0.01, _completion, 100),
    _kind("void", "run out of cards and count for nobody"),
    _kind("stalled", "never end and are broken off"),
    _kind("even", "end with nobody scoring"),
    _kind("gin", "end by gin", 0.05),
    _kind("big_gin", "end by big gin"),
    _kind("shot", "end by a shot"),
    _kind("knock", "are won by the knocker", 0.05),
    _kind("undercut", "are undercut"),
    _kind("refused", "end because a stake was refused"),
    Trait(
        "points",
        "points",
        "points per deal",
        "a deal is worth {value} points",
        0.5,
        _of_field("points_scored"),
    ),
    Trait("points", "points_sd", "points per deal, sd", "", 1, _spread_of_points),
    Trait(
        "seats",
        "seat",
        "nondealer's lead %",
        "the nondealer wins {value} % of deals beyond half",
        0.005,
        _seat,
        100,
    ),
    Trait(
        "score",
        "final",
        "final lead, % of target",
        "a match ends with a lead of {value} % of its target",
        0.02,
        _final_lead,
        100,
    ),
    Trait(
        "score",
        "shut_out",
        "shut-outs %",
        "the loser of {value} % of matches has nothing",
        0.01,
        _shut_out,
        100,
    ),
    Trait(
        "limit", "best_k", "best knock limit", "gold's best knock limit is {value}", 1, _best_limit
    ),
    Trait(
        "waiting",
        "patience",
        "waiting v knocking, points",
        f"waiting for gin {_GAINS}",
        0.3,
        _patience,
    ),
    Trait(
        "waiting",
        "early",
        "early knocks v all, points",
        f"knocking early or waiting {_GAINS}",
        0.3,
        _early,
    ),
    Trait(
        "waiting",
        "break_even",
        "undercut bonus to wait at",
        f"waiting pays {_BONUS}",
        2,
        _extra("break_even"),
        deep=True,
    ),
    Trait(
        "skill",
        "elo_spread",
        "spread of ratings, Elo",
        "the field's ratings spread by {value} Elo (sd)",
        10,
        _spread_of_ratings,
    ),
    Trait("skill", "verdict", "matches to tell early from gold", "", 1, _verdict),
    Trait(
        "skill",
        "marjj",
        "marjj over simple, Elo",
        "marjj is {value} Elo ahead of simple",
        10,
        _lead("marjj", "simple"),
        deep=True,
    ),
    Trait(
        "skill",
        "chain",
        "skill chain, steps of 60 %",
        "the skill chain has {value} steps",
        1,
        _chain,
        deep=True,
    ),
    *(_restricted(slot, words) for slot, words in RESTRICTED.items()),
    _course(
        "drama",
        "winner's mean lag %",
        "the winner is {value} % of the chances behind on average",
        0.01,
    ),
    _course(
        "drama_max",
        "winner's worst lag %",
        "the winner is {value} % of the chances behind at worst",
        0.02,
    ),
    _course("drama_browne", "drama (Browne) %", "", 0.02),
    _course(
        "lead_changes", "lead changes, % of turns", "the lead changes in {value} % of turns", 0.01
    ),
    _course(
        "decisiveness_threshold",
        "decisiveness threshold %",
        "losers were {value} % sure to win at most",
        0.02,
    ),
    _course(
        "decisiveness_moves",
        "undecided part of a match %",
        "{value} % of a match is played before it is decided",
        0.02,
    ),
    _course(
        "certainty_point",
        "deals until 90 % sure",
        "somebody is 90 % sure to win after {value} deals",
        0.5,
        1,
    ),
    _course(
        "catch_up",
        "comebacks from 30 behind %",
        "who is 30 behind at half way wins {value} % of matches",
        0.03,
    ),
    _course("uncertainty", "uncertainty %", "", 0.02),
    _course("stability", "variance of the chance to win", "", 0.005, 1),
    _course("killer_move", "largest jump of a match %", "", 0.02),
    _course("permanence", "gains that last %", "", 0.02),
    _course("snowball", "correlation of deals in a row", "", 0.05, 1),
    _choice("decision_factor", "turns with a choice %", "", 0.02, 100),
    _choice("actions", "choices per turn", "", 0.5),
    _choice(
        "real_decision_factor",
        "turns with a real choice %",
        "{value} % of turns leave a real choice",
        0.02,
        100,
    ),
    _choice("real_actions", "real choices per turn", "", 0.2),
    Trait(
        "luck",
        "luck",
        "luck share of a deal %",
        f"{{value}} % of the variance {_CARDS}",
        0.03,
        _extra("luck"),
        100,
    ),
)

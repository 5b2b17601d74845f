"""The metrics of a game for one, told of a weak and of a strong player on the same packs (METRICS 7.4)."""

from __future__ import annotations

from collections.abc import Callable

from simgin.odds import solo
from simgin.odds.sample import Deals
from simgin.review.rule_metrics import Game, Told, Trait
from simgin.rules import variants
from simgin.rules.goals import goal_of
from simgin.stats import metrics, quantity
from simgin.stats.estimate import Z95
from simgin.stats.quantity import Quantity

FIELD = (
    solo.NAIVE,
    "solo-greedy",
    "solo-lookahead",
)  # who plays every game, weakest first; the best of a game comes last
PENALTIES = "deals are not won: penalties are counted"


def best(variant: str) -> str:
    """The strongest player of a game that is known."""
    return solo.ladder(variants.find(variant))[-1]


def field(variant: str) -> tuple[str, ...]:
    """Who plays a game, weakest first."""
    return (*(name for name in FIELD if name != best(variant)), best(variant))


def extras(seen: Deals) -> dict[str, Told]:
    """What single deals of the best player tell: on which draw gin is gone, and how much of winning the joker's place decides."""
    draws = solo.gin_draws(seen).to_dict("records")
    joker = [row for row in solo.jokers_share(seen).to_dict("records") if row["metric"] == "win"]
    found: dict[str, Told] = {"gin_draw": "nobody went gin", "joker_share": "no joker decides here"}
    for key, row in (("gin_draw", draws[:1]), ("joker_share", joker)):
        for one in row:
            found[key] = Quantity.with_error(
                one["value"], (one["high"] - one["low"]) / 2 / Z95, int(one["n"])
            )
    return found


def _of_best(metric: str) -> Callable[[Game], Told]:
    return lambda game: _alone(game, best(game.variant), metric)


def _alone(game: Game, name: str, metric: str) -> Quantity:
    return quantity.ratio(game.cells[name, ""], metrics.BY_NAME[metric])


def _winning(of: Callable[[Game], Quantity]) -> Callable[[Game], Told]:
    """Of games whose deals can be won."""
    return lambda game: PENALTIES if game.row["deal_scoring"] == "penalty" else of(game)


def _gap(metric: str) -> Callable[[Game], Quantity]:
    """What the best player makes more than the naive one."""
    return lambda game: _alone(game, best(game.variant), metric) - _alone(game, FIELD[0], metric)


def _in_points(of: Callable[[Game], Quantity]) -> Callable[[Game], Told]:
    """Of games whose deals are worth points."""
    return lambda game: (
        of(game)
        if game.row["deal_scoring"] not in ("penalty", "winloss")
        else "deals are not worth points"
    )


def _in_penalties(of: Callable[[Game], Quantity]) -> Callable[[Game], Told]:
    """Of games whose deals cost points."""
    return lambda game: of(game) if game.row["deal_scoring"] == "penalty" else "deals cost nothing"


def _of_matches(metric: str) -> Callable[[Game], Told]:
    return lambda game: (
        _alone(game, best(game.variant), metric)
        if not goal_of(game.row).one_deal
        else "a match is one deal"
    )


def _extra(key: str) -> Callable[[Game], Told]:
    return lambda game: game.extra[key]


def _deals_won(game: Game) -> Quantity:
    return _alone(game, best(game.variant), "win")


def _score(game: Game) -> Quantity:
    return _alone(game, best(game.variant), "score")


def _saved(game: Game) -> Quantity:
    return _gap("score")(game).scaled(-1)


_win_gap = _winning(_gap("win"))
_BEST = "the best player"
TRAITS: tuple[Trait, ...] = (
    Trait(
        "deal",
        "win",
        "deals won %",
        f"{_BEST} wins {{value}} % of deals",
        0.01,
        _winning(_deals_won),
        100,
    ),
    Trait(
        "skill",
        "win_gap",
        "best over naive, deals %",
        f"{_BEST} wins {{value}} % more than the naive",
        0.01,
        _win_gap,
        100,
    ),
    Trait(
        "match",
        "match_win",
        "matches won %",
        "the best player wins {value} % of matches",
        0.01,
        _of_matches("match_win"),
        100,
    ),
    Trait(
        "endings",
        "gin",
        "gin %",
        "the best player goes gin in {value} % of deals",
        0.01,
        _of_best("gin"),
        100,
    ),
    Trait(
        "endings",
        "joker",
        "joker %",
        "the joker ends {value} % of deals",
        0.01,
        _of_best("joker"),
        100,
    ),
    Trait("endings", "knock", "knock %", "", 0.01, _of_best("knock"), 100),
    Trait("endings", "undercut", "undercut %", "", 0.01, _of_best("undercut"), 100),
    Trait(
        "endings",
        "limit",
        "limit %",
        "{value} % of deals run out of turns",
        0.01,
        _of_best("limit"),
        100,
    ),
    Trait(
        "score",
        "score",
        "score per deal",
        "a deal is worth {value} points to the best player",
        0.5,
        _in_points(_score),
    ),
    Trait("score", "score_gap", "best over naive, score", "", 0.5, _in_points(_gap("score"))),
    Trait(
        "score",
        "penalty",
        "penalty per deal",
        "a deal costs the best player {value} points",
        0.5,
        _in_penalties(_score),
    ),
    Trait(
        "score",
        "penalty_gap",
        "naive over best, penalty",
        "a deal costs the naive {value} points more",
        0.5,
        _in_penalties(_saved),
    ),
    Trait(
        "length", "turns", "turns per deal", "a deal takes {value} turns", 0.5, _of_best("turns")
    ),
    Trait(
        "length",
        "gin_draw",
        "draw on which gin is gone",
        "gin is gone on draw {value}",
        0.5,
        _extra("gin_draw"),
    ),
    Trait(
        "length",
        "deals_per_match",
        "deals per match",
        "a match takes {value} deals",
        0.5,
        _of_matches("deals_per_match"),
    ),
    Trait(
        "luck",
        "joker_share",
        "decided by the joker %",
        "the joker decides {value} % of winning",
        0.03,
        _extra("joker_share"),
        100,
    ),
)

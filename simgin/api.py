"""What commands compute, for Python callers: tidy pandas frames, reviews and odds.

Ledgers are kept in memory, and nothing is written. Each function of `simgin.plots` draws the frame
of its name (docs/reference/plots.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simgin.findings.findings import Findings, as_drawn, run_plan
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs import ledger
from simgin.runs.plan import plan_file, plan_matchup
from simgin.strategy import loader
from simgin.strategy.author import Strategy
from simgin.strategy.text_form import StrategyError
from simgin.text import amounts

if TYPE_CHECKING:
    import pandas as pd

    from simgin.analysis.analysis import Effort
    from simgin.play.watch import WatchedDeal
    from simgin.review.review import Review
    from simgin.tune.search import Tuned

Player = str | Path | Strategy  # a name, a file or the object
Game = str | Variant

ODDS_DEALS = 40_000  # per player, as in `simgin odds`


def match(
    a: Player,
    b: Player | None = None,
    variant: Game = "standard",
    *,
    deals: int | str | None = None,
    matches: int | str | None = None,
    until: float | str | None = None,
    sprt: Sequence[float] | str | None = None,
    seconds: float | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """Tidy rows (`simgin.stats.table.TABLE_COLUMNS`) of A against B, 100,000 deals by default.

    a, b: names, files or Strategy objects. In a two-player variant B is `simple` by default. until
    ("0.1%" of wins, or 0.05 points) and sprt (two Elo differences) stop a run before deals or
    matches are played; intervals are then those of a confidence sequence. seconds (10, "10s", "5m")
    is the playing time, as `--for` on the command line and `for` in an experiment file. The frame
    does not depend on `workers`, and on the clock only with seconds. Raises ValueError for a name
    that does not exist, a variant that cannot be played, and a policy that answers illegally.
    """
    own, other = _texts(a, b)
    plan = plan_matchup(
        own,
        other,
        variants.find(variant).text,
        deals=deals,
        matches=matches,
        until=None if until is None else amounts.parse_half_width(until),
        sprt=None if sprt is None else amounts.parse_elo_bounds(sprt),
        seconds=None if seconds is None else amounts.parse_seconds(seconds),
        seed=seed,
    )
    return run_plan(plan, workers).table


def run(path: str | Path, *, seed: int | None = None, workers: int | None = None) -> pd.DataFrame:
    """Tidy rows of every matchup of an experiment; `seed` replaces the one in its file.

    path: a file, or the name of an experiment that comes with simgin, such as demo.
    """
    return findings_of(path, seed=seed, workers=workers).table


def findings_of(
    path: str | Path, *, seed: int | None = None, workers: int | None = None
) -> Findings:
    """All results of an experiment as frames.

    They are table, differences, effects, ratings, standings, cross, pairing and adjusted.
    """
    return run_plan(plan_file(path, seed), workers)


def review_of(
    rules: Game | Sequence[Game],
    against: Game | None = None,
    *,
    players: Sequence[Player] = (),
    goals: Sequence[str] = (),
    sweep: Sequence[str] = (),
    adapt: bool = False,
    matches: int | str | None = None,
    deep: bool = False,
    seed: int = 1,
    workers: int | None = None,
) -> Review:
    """What a change of the rules does, for every kind of player, as `simgin review` measures it.

    rules: a variant or several. Plays 20,000 matches per pair of players by default (5,000 in a
    solitaire variant). The frames are `metrics` and `differences`. Raises ReviewError for variants
    that cannot be compared.
    """
    from simgin.review.review import run_review
    from simgin.review.review_request import ReviewRequest

    games = [rules] if isinstance(rules, str | Variant) else rules
    request = ReviewRequest.read(
        [variants.find(game).text for game in games],
        None if against is None else variants.find(against).text,
        players=_texts(*players),
        goals=goals,
        sweep=sweep,
        adapt=adapt,
        deep=deep,
        matches=matches,
        seed=amounts.parse_seed(seed),
    )
    return run_review(request, workers)


def odds_of(
    variant: Game,
    *strategies: Player,
    deals: int | str = ODDS_DEALS,
    seed: int = 1,
    workers: int | None = None,
) -> dict[str, pd.DataFrame]:
    """The frames of `simgin odds` by name.

    A solitaire variant has strength, bracket, odds, left, gin, totals, gap and joker; a two-player
    variant has seats and scores. strategies: weakest first, by default the usual ladder. deals:
    of each.
    """
    from simgin.odds.odds import OddsRequest, run_odds

    request = OddsRequest.read(
        [variants.find(variant).text],
        _texts(*strategies),
        deals=amounts.parse_count(deals),
        seed=amounts.parse_seed(seed),
        complete=False,
    )
    return run_odds(request, workers).frames()


def tuned(
    strategy: Player,
    variant: Game = "standard",
    against: Player | Sequence[Player] = "simple",
    *,
    parameters: str | None = None,
    objective: str = "matches",
    generations: int = 20,
    matches: int | str = 4_000,
    confirmed: int | str = 40_000,
    seed: int = 1,
    workers: int | None = None,
) -> Tuned:
    """What a search for better numbers of a strategy finds, as `simgin tune` makes it.

    against: an opponent or several. parameters: those to move, such as "k,share" or "k=0..12", by
    default all numbers. objective: matches, points or worst. The frames are `parameters`, `table`
    (the confirmation), `path` (for `simgin.plots.search`) and `candidates`; `strategy` is the tuned
    one. Raises TuneError for a strategy without numbers, and without the package cma.
    """
    from simgin.tune.search import run_tune
    from simgin.tune.tune_request import TuneRequest

    opponents = [against] if isinstance(against, str | Path | Strategy) else against
    own, *pool = _texts(strategy, *opponents)
    request = TuneRequest.read(
        own,
        variants.find(variant).text,
        pool,
        parameters,
        objective=objective,
        generations=generations,
        matches=matches,
        confirmed=confirmed,
        seed=seed,
    )
    with ledger.opened(None, request.identity) as memory:
        return run_tune(request, workers, run_ledger=memory)


def show(
    a: Player,
    b: Player | None = None,
    variant: Game = "standard",
    *,
    seed: int = 1,
    unit: int = 0,
    half: int = 0,
    deal: int | None = None,
) -> str:
    """One deal in words, with every decision and the showdown.

    A single deal, or number `deal` (from 0) of the match of a unit; half 1 swaps the players.
    Raises ReplayError or NoSuchDeal for a deal that was not played.
    """
    from simgin.play.replay import make_replay

    own, other = _texts(a, b)
    return "\n".join(make_replay(_find_deal(own, other, variant, seed, unit, half, deal)).lines())


def analyze(
    cards: str,
    pile: str = "",
    variant: Game = "standard",
    *,
    score: tuple[int, int] | None = None,
    dealer: str | None = None,
    stock: int | None = None,
    stake: int = 1,
    owner: str = "nobody",
    offer: bool = False,
    offered: int = 0,
    own: Player | None = None,
    other: Player | None = None,
    worlds: int | str = 10_000,
    seconds: float | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """What each action in a position of yours is worth, a row each, the best first.

    cards: ten, or eleven with the one just drawn last; `blind` before they are seen. pile: from the
    first upcard on, with * after each card that was taken, ? for one that you have forgotten, and
    .. for as many as stock, the number of cards left to draw from, tells. score: your points and
    the opponent's (won deals where they count); then the match counts. dealer: me or other, by
    default as the pile has it. stake: the number on the die; owner: me, other or nobody. offer:
    decide about an offer of yours; offered: about this one of the opponent's. For one player pile
    is the own discards, and there is neither score nor dealer. own, other: who plays on, by default
    the strongest. The columns are those of `simgin.analysis.analysis.Analysis.frame`. Raises
    ValueError for a position that cannot come about.
    """
    from simgin.analysis.analysis import analyse
    from simgin.analysis.written import Die, read_position
    from simgin.strategy.cast import strong_player

    game = variants.find(variant)
    die = Die(stake, owner, offer, offered)
    position = read_position(cards, pile, game, score=score, dealer=dealer, stock=stock, die=die)
    best = strong_player(game)
    opponent = best if game.row["players"] == 2 else None
    effort = _effort(worlds, seconds, seed, workers)
    mine, theirs = _texts(own, other)
    return analyse(position, mine or best, theirs or opponent, effort).frame()


def analyze_deal(
    a: Player,
    b: Player | None = None,
    variant: Game = "standard",
    *,
    seed: int = 1,
    unit: int = 0,
    half: int = 0,
    deal: int | None = None,
    turn: int | None = None,
    own: Player | None = None,
    other: Player | None = None,
    worlds: int | str = 10_000,
    seconds: float | str | None = None,
    workers: int | None = None,
) -> pd.DataFrame:
    """What each action was worth in every decision of a deal, or of one turn, and what was done.

    The deal is named as for `show`. own, other: who plays on for A and for B, by default they do.
    Columns as of `analyze`, behind decision and turn. Raises ValueError for a deal or turn
    that was not played.
    """
    from simgin.analysis.analysis import analyse_deal, frame

    first, second, mine, theirs = _texts(a, b, own, other)
    played = _find_deal(first, second, variant, seed, unit, half, deal)
    effort = _effort(worlds, seconds, seed, workers)
    return frame(analyse_deal(played, turn, mine, theirs, effort))


def error_rates(
    a: Player,
    b: Player | None = None,
    variant: Game = "standard",
    *,
    deals: int | str = 1_000,
    judge: Player | None = None,
    worlds: int | str = 200,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """What A gives up a deal against B, or alone: a row for each kind of decision and mistake.

    What A did is compared with what the judge does, or with what was clearly better in so many
    worlds; from there the judge plays on. B and the judge are by default the strongest. The columns
    are those of `simgin.analysis.rates.ErrorRates.frame`. Raises ValueError for fewer than
    100 deals.
    """
    from simgin.analysis import rates

    own, other, judging = _texts(a, b, judge)
    trial = rates.Trial.read(
        own,
        other,
        variants.find(variant).text,
        judging,
        amounts.parse_count(deals),
        amounts.parse_count(worlds),
        amounts.parse_seed(seed),
    )
    return rates.run_error_rates(trial, workers).frame()


def find(
    a: Player,
    b: Player | None = None,
    variant: Game = "standard",
    *,
    where: str,
    deals: int | str | None = None,
    matches: int | str | None = None,
    against: Player | None = None,
    limit: int = 10,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """Deals worth looking at, a row each, as `simgin find` lists them.

    where: what to look for, such as "undercut, lost", "points < -40, longest", "differ" or
    "costly". deals or matches: how many to look through. against: with differ, who plays against a
    and b in turn, by default b. The columns are those of
    `simgin.analysis.deal_search.Found.records`; the frame is empty if no deal fits. Raises
    ValueError for what cannot be looked for.
    """
    from simgin.analysis.deal_search import FindRequest, run_find

    own, other, third = _texts(a, b, against)
    request = FindRequest.read(
        own,
        other,
        variants.find(variant).text,
        where,
        deals=deals,
        matches=matches,
        against=third,
        limit=limit,
        seed=seed,
    )
    return run_find(request, workers).frames()["deals"]


def _effort(
    worlds: int | str, seconds: float | str | None, seed: int, workers: int | None
) -> Effort:
    from simgin.analysis.analysis import Effort

    limit = None if seconds is None else amounts.parse_seconds(seconds)
    return Effort(amounts.parse_count(worlds), limit, amounts.parse_seed(seed), workers)


def forest(differences: pd.DataFrame) -> pd.DataFrame:
    """Differences of findings as `simgin.plots.differences` draws them.

    Adds a title, scales shares to per cent and drops undefined rows. Raises ValueError for another
    frame.
    """
    return as_drawn(differences)


def _find_deal(
    a: str, b: str | None, game: Game, seed: int, unit: int, half: int, deal: int | None
) -> WatchedDeal:
    from simgin.play.replay import find_deal

    return find_deal(a, b, variants.find(game).text, amounts.parse_seed(seed), unit, half, deal)


def _texts(*players: Player | None) -> list[Any]:
    """The texts of the strategies of one call; a text or a path is itself, None is None."""
    texts: list[str | None] = []
    found: dict[str, Strategy] = {}
    for player in players:
        if not isinstance(player, Strategy):
            texts.append(None if player is None else str(player))
            continue
        one = loader.find(player)
        if not loader.are_alike(found.setdefault(one.text, one), one):
            raise StrategyError(
                f"two different strategies are called {one.text!r}; give one another name."
            )
        texts.append(one.text)
    return texts

"""Python interface to the commands, which returns DataFrames, reviews and odds.

Ledgers are kept in memory, and nothing is written. Each function of `simgin.plots` draws the
DataFrame of its name (docs/reference/plots.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simgin.results.run_results import RunResults, format_differences, run_plan
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.runs.plan import plan_experiment, plan_matchup
from simgin.strategy import loader
from simgin.strategy.author import Strategy
from simgin.strategy.strategy_spec import StrategyError
from simgin.text import amounts

if TYPE_CHECKING:
    import pandas as pd

    from simgin.analysis.analysis import Budget
    from simgin.learn.cma_search import TuningResult
    from simgin.review.review import Review

Player = str | Path | Strategy  # name, file or object
Game = str | Variant  # spec or object

ODDS_DEALS = 40_000  # deals per player, as in `simgin odds`


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
    """Play one matchup and return its metrics.

    Args:
        a: Strategy A: a name, a file or a Strategy object.
        b: Strategy B, by default `simple` in two-player variants.
        variant: Variant.
        deals: Number of deals, such as 200_000 or "200k". The default is 100,000.
        matches: Number of whole matches instead of deals.
        until: Half-width at which to stop: "0.1%" of wins or 0.05 points.
        sprt: Two Elo differences, between which a sequential test decides.
        seconds: Playing time, such as 10, "10s" or "5m".
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        Rows with the columns `simgin.stats.table.TABLE_COLUMNS`. With `until` or `sprt`, intervals
        are those of a confidence sequence.

    Raises:
        ValueError: If a name was not found, the variant cannot be played, or a policy acts
            illegally.

    Example:
        Play 200,000 deals::

            frame = simgin.match("gold", "simple", "eaai", deals="200k", seed=7)
    """
    own, other = _names(a, b)
    plan = plan_matchup(
        own,
        other,
        variants.find_variant(variant).spec,
        deals=deals,
        matches=matches,
        until=None if until is None else amounts.parse_half_width(until),
        sprt=None if sprt is None else amounts.parse_elo_bounds(sprt),
        seconds=None if seconds is None else amounts.parse_seconds(seconds),
        seed=seed,
    )
    return run_plan(plan, workers).table


def run(path: str | Path, *, seed: int | None = None, workers: int | None = None) -> pd.DataFrame:
    """Run an experiment and return its metrics.

    Args:
        path: Experiment file, or the name of an experiment in simgin.
        seed: Seed instead of the one in the file.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        Rows of every matchup with the columns `simgin.stats.table.TABLE_COLUMNS`.

    Example:
        Run the experiment `demo`::

            frame = simgin.run("demo")
    """
    return run_experiment(path, seed=seed, workers=workers).table


def run_experiment(
    path: str | Path, *, seed: int | None = None, workers: int | None = None
) -> RunResults:
    """Run an experiment and return all of its results.

    Args:
        path: Experiment file, or the name of an experiment in simgin.
        seed: Seed instead of the one in the file.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        Results with the DataFrames `table`, `differences`, `effects`, `league_estimates`,
        `cross_table`, `cyclic_triads`, `pairing_estimates` and `control_variates`; for plots also
        `ratings` and `standings`.

    Example:
        Plot the differences of an experiment::

            found = simgin.run_experiment("demo")
            simgin.plots.forest_plot(simgin.prepare_forest(found.differences))
    """
    return run_plan(plan_experiment(path, seed), workers)


def review_rules(
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
    """Measure what a rule change does for every player type, as `simgin review` does.

    Args:
        rules: One variant or several.
        against: Variant that they are compared with.
        players: Strategies instead of the usual player types, weakest first.
        goals: Design goals, such as "gin 40..50 %".
        sweep: One or two parameters with values, such as "undercut_bonus=0,10,25".
        adapt: True to train a strong player for every rule set.
        matches: Matches per pair of players. The default is 20,000, or 5,000 in solitaire variants.
        deep: True for 100 times as many matches.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        Review with the DataFrames `metrics` and `differences`.

    Raises:
        ReviewError: If the variants cannot be compared.

    Example:
        Compare Oklahoma with the standard rules::

            review = simgin.review_rules(["oklahoma"], against="standard")
            review.differences
    """
    from simgin.review.review import run_review
    from simgin.review.review_request import ReviewRequest

    games = [rules] if isinstance(rules, str | Variant) else rules
    request = ReviewRequest.read(
        [variants.find_variant(game).spec for game in games],
        None if against is None else variants.find_variant(against).spec,
        players=_names(*players),
        goals=goals,
        sweep=sweep,
        adapt=adapt,
        deep=deep,
        matches=matches,
        seed=amounts.parse_seed(seed),
    )
    return run_review(request, workers)


def compute_odds(
    variant: Game,
    *strategies: Player,
    deals: int | str = ODDS_DEALS,
    seed: int = 1,
    workers: int | None = None,
) -> dict[str, pd.DataFrame]:
    """Compute the tables of `simgin odds`.

    Args:
        variant: Variant.
        *strategies: Players, weakest first, by default the usual ones.
        deals: Number of deals per player.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        DataFrames by name: strength, bracket, odds, left, gin, totals, gap and joker for a
        solitaire variant, seats and scores for a two-player variant.

    Example:
        Plot luck and skill in a solitaire variant::

            frames = simgin.compute_odds("solitaire-gin")
            simgin.plots.skill(frames["bracket"])
    """
    from simgin.odds.odds import OddsRequest, run_odds

    request = OddsRequest.read(
        [variants.find_variant(variant).spec],
        _names(*strategies),
        deals=amounts.parse_count(deals),
        seed=amounts.parse_seed(seed),
        complete=False,
    )
    return run_odds(request, workers).frames()


def tune_strategy(
    strategy: Player,
    variant: Game = "standard",
    against: Player | Sequence[Player] = "simple",
    *,
    parameters: str | None = None,
    objective: str = "matches",
    generations: int = 20,
    matches: int | str = 4_000,
    confirmation_matches: int | str = 40_000,
    seed: int = 1,
    workers: int | None = None,
) -> TuningResult:
    """Search for better parameters of a strategy, as `simgin tune` does.

    Args:
        strategy: Strategy with numeric parameters.
        variant: Two-player variant.
        against: One opponent or several.
        parameters: Parameters to tune, such as "k,share" or "k=0..12", by default all.
        objective: "matches", "points" or "worst".
        generations: Number of generations.
        matches: Matches of each candidate against each opponent.
        confirmation_matches: Matches per opponent that confirm the result.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        Result with the DataFrames `parameters`, `table` (the confirmation), `history_frame` (for
        `simgin.plots.search_history`) and `candidates`, and the tuned `strategy`.

    Raises:
        TuneError: If the strategy has no numeric parameters, or the package cma is missing.

    Example:
        Tune a strategy against two opponents::

            simgin.tune_strategy("mine.py", against=["simple", "gold-early"]).table
    """
    from simgin.learn.cma_search import run_tune
    from simgin.learn.tune_request import TuneRequest

    opponents = [against] if isinstance(against, str | Path | Strategy) else against
    own, *pool = _names(strategy, *opponents)
    request = TuneRequest.read(
        own,
        variants.find_variant(variant).spec,
        pool,
        parameters,
        objective=objective,
        generations=generations,
        matches=matches,
        confirmation_matches=confirmation_matches,
        seed=seed,
    )
    return run_tune(request, workers)


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
    """Return the text of one deal with every decision and the showdown.

    Args:
        a: Strategy A.
        b: Strategy B.
        variant: Variant.
        seed: Seed of the deals.
        unit: Number of the deal, or of the pair of deals or matches, from 0.
        half: 0, or 1 for the mirrored game with the seats swapped.
        deal: Number of the deal in its match, from 0; None for a single deal.

    Raises:
        ReplayError: If the numbers are out of range.
        DealNotFoundError: If the match ended before the deal.

    Example:
        Print a deal::

            print(simgin.show("gold", "simple", "eaai", seed=7, unit=3))
    """
    from simgin.play.replay import make_replay, trace_named_deal

    game = variants.find_variant(variant).spec
    first, second = _names(a, b)
    played = trace_named_deal(first, second, game, amounts.parse_seed(seed), unit, half, deal)
    return "\n".join(make_replay(played).lines())


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
    strategy: Player | None = None,
    opponent: Player | None = None,
    worlds: int | str = 10_000,
    seconds: float | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> pd.DataFrame:
    """Evaluate each action in a position of your own.

    Args:
        cards: Ten cards, or eleven with the drawn card last; "blind" before you see your cards.
        pile: Discard pile from the first upcard on, with * after each card that was taken, ? for a
            card that you have forgotten, and .. for any number of them if `stock` is given. In
            solitaire variants, your own discards.
        variant: Variant.
        score: Your points and the opponent's, or won deals in variants that count these. With a
            score, actions are evaluated by the probability of winning the match.
        dealer: "me" or "other", by default as the pile implies.
        stock: Number of cards in the stock.
        stake: Number on the die.
        owner: Owner of the die: "me", "other" or "nobody".
        offer: True to decide about offering the die.
        offered: Number that the opponent offers; 0 for no offer.
        strategy: Strategy that plays on for you, by default the strongest.
        opponent: Strategy that plays on for the opponent, by default the strongest.
        worlds: Maximum number of sampled hidden states.
        seconds: Time limit.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        One row per action, best first, with the columns of
        `simgin.analysis.analysis.Analysis.frame`.

    Raises:
        ValueError: If the position is not possible.

    Example:
        Find the best discard::

            simgin.analyze("7H 7D 7C 8C 9C TC 4H TD AC 4C KS", pile="QD TS 9D* QH")
    """
    from simgin.analysis.analysis_request import AnalysisRequest, run_analysis
    from simgin.analysis.position_parts import Die

    player, rival = _names(strategy, opponent)
    request = AnalysisRequest.read(
        cards,
        pile,
        variant,
        _read_budget(worlds, seconds, seed, workers),
        score=score,
        dealer=dealer,
        stock=stock,
        die=Die(stake, owner, offer, offered),
        strategy=player,
        opponent=rival,
    )
    (analysis,) = run_analysis(request, workers).analyses.values()
    return analysis.frame()


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
    strategy: Player | None = None,
    opponent: Player | None = None,
    worlds: int | str = 10_000,
    seconds: float | str | None = None,
    workers: int | None = None,
) -> pd.DataFrame:
    """Evaluate each action in every decision of a deal, or of one turn.

    Args:
        a: Strategy A.
        b: Strategy B.
        variant: Variant.
        seed: Seed of the deals.
        unit: Number of the deal, or of the pair of deals or matches, from 0.
        half: 0, or 1 for the mirrored game with the seats swapped.
        deal: Number of the deal in its match, from 0; None for a single deal.
        turn: Number of the turn, 0 for the first upcard; None for all turns.
        strategy: Strategy that plays on for A, by default A.
        opponent: Strategy that plays on for B, by default B.
        worlds: Maximum number of sampled hidden states.
        seconds: Time limit of each decision.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        Rows as of `analyze`, with the decision, its turn and the action that was taken.

    Raises:
        ValueError: If the deal or turn was not played.

    Example:
        Evaluate the decisions of one turn::

            simgin.analyze_deal("gold", "simple", unit=3, turn=5)
    """
    from simgin.analysis.analysis_request import AnalysisRequest, run_analysis

    first, second, player, rival = _names(a, b, strategy, opponent)
    request = AnalysisRequest.read_deal(
        first,
        second,
        variants.find_variant(variant).spec,
        _read_budget(worlds, seconds, seed, workers),
        unit=unit,
        half=half,
        deal=deal,
        turn=turn,
        strategy=player,
        opponent=rival,
    )
    return run_analysis(request, workers).frames()["analysis"]


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
    """Measure the points per deal that the decisions of a strategy lose.

    The actions of A are compared with those of the judge, and with any action that is significantly
    better in the sampled hidden states.

    Args:
        a: Strategy A.
        b: Strategy B, by default the strongest.
        variant: Variant.
        deals: Number of deals, at least 100.
        judge: Strategy that evaluates and plays on, by default the strongest.
        worlds: Maximum number of sampled hidden states per decision.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        One row for each type of decision and mistake, with the columns of
        `simgin.analysis.error_rates.ErrorRates.frame`.

    Raises:
        ValueError: If there are too few deals.

    Example:
        Measure the error rate of a strategy::

            simgin.error_rates("gold", deals=1000)
    """
    from simgin.analysis import error_rates

    own, other, judging = _names(a, b, judge)
    trial = error_rates.RatingTask.read(
        own,
        other,
        variants.find_variant(variant).spec,
        judging,
        amounts.parse_count(deals),
        amounts.parse_count(worlds),
        amounts.parse_seed(seed),
    )
    return error_rates.run_error_rates(trial, workers).frame()


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
    """Find deals that fulfil a query, as `simgin find` does.

    Args:
        a: Strategy A.
        b: Strategy B.
        variant: Variant.
        where: Query, such as "undercut, lost", "points < -40, longest", "differ" or "costly".
        deals: Number of deals to search.
        matches: Number of whole matches to search instead.
        against: With "differ", the opponent of both strategies, by default B.
        limit: Maximum number of rows.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        One row per deal, with the columns of `simgin.analysis.find_deals.Found.records`; empty if
        no deal fits.

    Raises:
        ValueError: If the query is not valid.

    Example:
        Find lost deals with an undercut::

            simgin.find("gold", "simple", where="undercut, lost")
    """
    from simgin.analysis.find_deals import FindRequest, run_find

    own, other, third = _names(a, b, against)
    request = FindRequest.read(
        own,
        other,
        variants.find_variant(variant).spec,
        where,
        deals=deals,
        matches=matches,
        against=third,
        limit=limit,
        seed=seed,
    )
    return run_find(request, workers).frames()["deals"]


def _read_budget(
    worlds: int | str, seconds: float | str | None, seed: int, workers: int | None
) -> Budget:
    from simgin.analysis.analysis import Budget

    limit = None if seconds is None else amounts.parse_seconds(seconds)
    return Budget(amounts.parse_count(worlds), limit, amounts.parse_seed(seed), workers)


def prepare_forest(differences: pd.DataFrame) -> pd.DataFrame:
    """Prepare differences of an experiment for the forest plot `simgin.plots.forest_plot`.

    Args:
        differences: Differences of `run_experiment`.

    Returns:
        The differences with titles, in percentage points or points, without undefined rows.

    Raises:
        ValueError: If the DataFrame has other columns.
    """
    return format_differences(differences)


def _names(*players: Player | None) -> list[Any]:
    """Return the names of strategies. A name or path stays as it is, and so does None."""
    names: list[str | None] = []
    found: dict[str, Strategy] = {}
    for player in players:
        if not isinstance(player, Strategy):
            names.append(None if player is None else str(player))
            continue
        strategy = loader.find_strategy(player)
        if not loader.is_same_strategy(found.setdefault(strategy.spec, strategy), strategy):
            raise StrategyError(
                f"two different strategies are called {strategy.spec!r}; give one another name."
            )
        names.append(strategy.spec)
    return names

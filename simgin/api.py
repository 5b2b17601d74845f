"""Python functions that do the same as the commands and return DataFrames.

Ledgers are kept in memory, and no files are written. docs/reference/plots.md lists the functions of
`simgin.plots` that draw the DataFrames.
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

ODDS_DEALS = 40_000  # default number of deals per player, as for `simgin odds`


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
        deals: Number of deals, such as 200_000 or "200k" (default: 100,000).
        matches: Number of matches to play instead of single deals.
        until: Half-width of the interval at which to stop: "0.1%" of wins or 0.05 points.
        sprt: Two Elo differences for a sequential test.
        seconds: Time limit for the simulation, such as 10, "10s" or "5m".
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        DataFrame with the columns `simgin.stats.table.TABLE_COLUMNS`. With `until` or `sprt`, the
        intervals are confidence sequences.

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
        path: Experiment file, or the name of an example experiment.
        seed: Seed that replaces the seed in the file.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        DataFrame with rows for every matchup and the columns `simgin.stats.table.TABLE_COLUMNS`.

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
        path: Experiment file, or the name of an example experiment.
        seed: Seed that replaces the seed in the file.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        Results with the DataFrames `table`, `differences`, `effects`, `league_estimates`,
        `cross_table`, `cyclic_triads`, `pairing_estimates` and `control_variates`. The DataFrames
        `ratings` and `standings` are used for plots.

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
    """Measure the effects of rule changes for every player type, as `simgin review` does.

    Args:
        rules: One or more variants.
        against: Baseline variant for the comparison.
        players: Strategies to use instead of the default player types, weakest first.
        goals: Design goals, such as "gin 40..50 %".
        sweep: One or two parameters with values, such as "undercut_bonus=0,10,25".
        adapt: True to train a strong player for each rule set.
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
    """Compute the probability of winning a deal and a match, as `simgin odds` does.

    Args:
        variant: Variant.
        *strategies: Players, weakest first, by default those of `simgin odds`.
        deals: Number of deals per player.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        DataFrames by name. Solitaire variants have strength, bracket, odds, left, gin, totals, gap
        and joker. Two-player variants have seats and scores.

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
        against: One or more opponents.
        parameters: Parameters to tune, such as "k,share" or "k=0..12", by default all.
        objective: "matches", "points" or "worst".
        generations: Number of generations.
        matches: Matches of each candidate against each opponent.
        confirmation_matches: Matches per opponent that confirm the result.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        Result with the tuned `strategy` and the DataFrames `parameters`, `table` (the validation),
        `history_frame` (for `simgin.plots.search_history`) and `candidates`.

    Raises:
        TuneError: If the strategy has no numeric parameters or the package cma is missing.

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
    """Return the replay of one deal as text, with every decision and the showdown.

    Args:
        a: Strategy A.
        b: Strategy B.
        variant: Variant.
        seed: Seed of the deals.
        unit: Index of the deal, pair of deals or pair of matches, from 0.
        half: Game of a mirrored pair: 0, or 1 for swapped seats.
        deal: Index of the deal in its match, from 0; None for a single deal.

    Raises:
        ReplayError: If an index is out of range.
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
    """Evaluate each legal action in a position.

    Args:
        cards: Ten cards, or eleven cards with the drawn card last. Use "blind" for a decision
            before you see your cards.
        pile: Discard pile, oldest card first, with * after each card that was taken. Use ? for a
            forgotten card and .. for any number of them if `stock` is given. In solitaire variants,
            list your own discards.
        variant: Variant.
        score: Match score, your points (or won deals) first. With a score, actions are ranked by
            the probability of winning the match.
        dealer: "me" or "other", by default inferred from the pile.
        stock: Number of cards in the stock.
        stake: Number shown on the die.
        owner: Owner of the die: "me", "other" or "nobody".
        offer: True to evaluate offering the die.
        offered: Number offered by the opponent; 0 for no offer.
        strategy: Strategy that finishes the deals for you, by default the strongest.
        opponent: Strategy that finishes the deals for the opponent, by default the strongest.
        worlds: Maximum number of sampled hidden states.
        seconds: Time limit.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        DataFrame with a row per action, best action first, and the columns of
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
    """Evaluate each legal action in all decisions of a deal or of one turn.

    Args:
        a: Strategy A.
        b: Strategy B.
        variant: Variant.
        seed: Seed of the deals.
        unit: Index of the deal, pair of deals or pair of matches, from 0.
        half: Game of a mirrored pair: 0, or 1 for swapped seats.
        deal: Index of the deal in its match, from 0; None for a single deal.
        turn: Number of the turn, 0 for the first upcard; None for all turns.
        strategy: Strategy that finishes the deals for A, by default A.
        opponent: Strategy that finishes the deals for B, by default B.
        worlds: Maximum number of sampled hidden states.
        seconds: Time limit per decision.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        DataFrame with the columns of `analyze`, the decision, its turn and the chosen action.

    Raises:
        ValueError: If the deal or the turn was not played.

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
    """Measure how many points per deal a strategy loses by its mistakes.

    The actions of A are compared with those of the judge and with all actions that are
    significantly better in the sampled hidden states.

    Args:
        a: Strategy A.
        b: Strategy B, by default the strongest.
        variant: Variant.
        deals: Number of deals, at least 100.
        judge: Strategy that evaluates the decisions, by default the strongest.
        worlds: Maximum number of sampled hidden states per decision.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        DataFrame with a row for each type of decision and mistake, and the columns of
        `simgin.analysis.error_rates.ErrorRates.frame`.

    Raises:
        ValueError: If the number of deals is too small.

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
    """Find deals that meet conditions, as `simgin find` does.

    Args:
        a: Strategy A.
        b: Strategy B.
        variant: Variant.
        where: Conditions, such as "undercut, lost", "points < -40, longest", "differ" or "costly".
        deals: Number of deals to search.
        matches: Number of matches to search instead of single deals.
        against: Common opponent of A and B for the condition "differ", by default B.
        limit: Maximum number of rows.
        seed: Seed of the deals.
        workers: Number of threads, by default one per CPU. The results do not depend on it.

    Returns:
        DataFrame with a row per deal and the columns of `simgin.analysis.find_deals.Found.records`;
        empty if no deal meets the conditions.

    Raises:
        ValueError: If a condition is not valid.

    Example:
        Find lost deals that ended with an undercut::

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
        The defined differences with titles, in points or percentage points.

    Raises:
        ValueError: If the DataFrame does not contain differences.
    """
    return format_differences(differences)


def _names(*players: Player | None) -> list[Any]:
    """Return the names of strategies; names, paths and None are not changed."""
    names: list[str | None] = []
    found: dict[str, Strategy] = {}
    for player in players:
        if not isinstance(player, Strategy):
            names.append(None if player is None else str(player))
            continue
        strategy = loader.find_strategy(player)
        if not loader.is_same_strategy(found.setdefault(strategy.spec, strategy), strategy):
            raise StrategyError(
                f"two different strategies have the name {strategy.spec!r}. Rename one of them."
            )
        names.append(strategy.spec)
    return names

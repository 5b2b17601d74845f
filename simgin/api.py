"""Python functions that correspond to the commands of simgin.

Most functions return a `simgin.runs.result.Result`. A Python prompt shows a result as a sentence
and a table, and a notebook also shows a plot. Ledgers are stored in memory, and files are written
only if you call `save` or specify `output`. The number of threads (`workers`) does not affect the
results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simgin.report import progress
from simgin.results.run_results import RunResults, run_plan, run_saved_plan
from simgin.rules.variants import find_variant, variant_names
from simgin.runs.plan import Plan, drop_opponent, plan_experiment, plan_league, plan_match
from simgin.runs.python_call import (
    ResultT,
    StrategyLike,
    VariantLike,
    check_arguments,
    convert_arguments,
    record_call,
)
from simgin.stats.table import make_frame
from simgin.strategy import catalogue, loader
from simgin.text import amounts

if TYPE_CHECKING:
    import pandas as pd

    from simgin.analysis.analysis import AnalysisBudget
    from simgin.analysis.analysis_request import AnalysisResult
    from simgin.analysis.error_rates import ErrorRates
    from simgin.analysis.find_deals import FoundDeals
    from simgin.analysis.grades import Grade
    from simgin.analysis.hand_result import HandResult
    from simgin.charts.chart import Chart
    from simgin.learn.adapt import AdaptedChampion
    from simgin.learn.cma_search import TuningResult
    from simgin.learn.discard_weights import TrainingResult
    from simgin.odds.odds import Odds
    from simgin.review.review import Review

DEFAULT_ODDS_DEALS = 40_000  # default number of deals per player, as in `simgin odds`


def _run_request(
    title: str, run_function: Callable[..., ResultT], request: object, workers: int | None
) -> ResultT:
    """Run a request, with a progress display in IPython."""
    workers = None if workers is None else amounts.parse_workers(workers)
    with progress.show_progress_in_ipython(title) as on_progress:
        return run_function(request, workers, on_progress)


def _run_plan(plan: Plan, workers: int | None, output: str | Path | None) -> RunResults:
    """Run a plan, and save its ledger if an output directory is given."""
    if output is None:
        return _run_request(plan.label, run_plan, plan, workers)

    def run_in_directory(plan: Plan, *arguments: Any) -> RunResults:
        return run_saved_plan(plan, output, *arguments)

    return _run_request(plan.label, run_in_directory, plan, workers)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    """Convert None, one value or several values to a tuple."""
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


@record_call
def match(
    a: StrategyLike | Sequence[StrategyLike],
    b: StrategyLike | None = None,
    variant: VariantLike = "standard",
    *,
    against: StrategyLike | None = None,
    base: StrategyLike | None = None,
    labels: Mapping[str, str] | None = None,
    deals: float | str | None = None,
    matches: float | str | None = None,
    until: float | str | None = None,
    sprt: Sequence[float] | str | None = None,
    seconds: float | str | None = None,
    seed: int = 1,
    workers: int | None = None,
    output: str | Path | None = None,
) -> RunResults:
    """Play one matchup, or several strategies against a common opponent.

    Args:
        a: Strategy A, given as a name, a path or a Strategy object, or a list of strategies if
            `against` is given.
        b: Strategy B, by default `simple` in two-player variants.
        variant: Variant, as a spec or an object.
        against: Common opponent of several strategies.
        base: Baseline for the differences, by default the first strategy.
        labels: Dictionary that maps specs or names of strategies and variants to names for reports
            and plots.
        deals: Number of deals, such as 200_000 or "200k" (default: 100,000).
        matches: Number of matches to play instead of single deals.
        until: Half-width of the interval at which the run stops: "0.1%" (wins) or 0.05 (points).
        sprt: Hypotheses of a sequential test, as two Elo differences.
        seconds: Time limit for the simulation, such as 10, "10s" or "5m".
        seed: Seed of the deals.
        workers: Number of threads (default: one per CPU).
        output: Directory for the results. Repeat an interrupted call to resume the run.

    Returns:
        Results with a DataFrame `frame`, which has the columns `simgin.stats.table.TABLE_COLUMNS`.
        With `until` or `sprt`, the intervals form a confidence sequence.

    Raises:
        ValueError: If a name was not found, the variant cannot be played, or a policy chooses an
            illegal action.

    Example:
        Play 200,000 deals::

            result = simgin.match("gold", "simple", "eaai", deals="200k", seed=7)
            print(result)
            result.frame
    """
    arguments = convert_arguments(locals())
    players = [*_as_tuple(arguments.pop("a")), *_as_tuple(arguments.pop("b"))]
    strategies = drop_opponent(players, arguments["against"])
    return _run_plan(plan_match(strategies, **arguments), workers, output)


@record_call
def league(
    strategies: Sequence[StrategyLike],
    variant: VariantLike = "standard",
    *,
    labels: Mapping[str, str] | None = None,
    deals: float | str | None = None,
    matches: float | str | None = None,
    until: float | str | None = None,
    sprt: Sequence[float] | str | None = None,
    seconds: float | str | None = None,
    seed: int = 1,
    workers: int | None = None,
    output: str | Path | None = None,
) -> RunResults:
    """Play several strategies against each other, as `simgin league` does.

    Args:
        strategies: Three or more strategies.
        variant: Variant, as a spec or an object.
        labels: Dictionary that maps specs or names of strategies and variants to names for reports
            and plots.
        deals: Number of single deals to play per pair instead of matches.
        matches: Number of matches per pair (default: 5,000).
        until: Half-width of the interval at which the run stops: "0.1%" (wins) or 0.05 (points).
        sprt: Hypotheses of a sequential test of each pair, as two Elo differences.
        seconds: Time limit per pair, such as 10, "10s" or "5m".
        seed: Seed of the deals.
        workers: Number of threads (default: one per CPU).
        output: Directory for the results. Repeat an interrupted call to resume the run.

    Returns:
        Results with DataFrames such as `standings` and `cross_table`.

    Raises:
        ValueError: If there are fewer than three different strategies.

    Example:
        Rank three strategies::

            simgin.league(["gold", "simple", "stubborn"], matches="2k").standings
    """
    return _run_plan(plan_league(**convert_arguments(locals())), workers, output)


@record_call
def run(
    path: str | Path,
    *,
    seed: int | None = None,
    workers: int | None = None,
    output: str | Path | None = None,
) -> RunResults:
    """Run an experiment from an experiment file.

    Args:
        path: Experiment file, or the name of an example experiment.
        seed: Seed that replaces the seed in the file.
        workers: Number of threads (default: one per CPU).
        output: Directory for the results. Repeat an interrupted call to resume the run.

    Returns:
        Results with the DataFrames `table`, `differences`, `effects`, `league_estimates`,
        `cross_table`, `cyclic_triads`, `pairing_estimates` and `control_variates`. The DataFrames
        `ratings` and `standings` are used for plots.

    Example:
        Plot the differences of an experiment::

            results = simgin.run("demo")
            simgin.plots.forest_plot(results.differences)
    """
    return _run_plan(plan_experiment(path, seed), workers, output)


@record_call
def review_rules(
    rules: VariantLike | Sequence[VariantLike],
    against: VariantLike | None = None,
    *,
    players: Sequence[StrategyLike] = (),
    goals: str | Sequence[str] = (),
    sweep: str | Sequence[str] = (),
    targets: str = "",
    adapt: bool = False,
    matches: float | str | None = None,
    deep: bool = False,
    seconds_per_turn: float = 8.0,
    title: str = "",
    note: str = "",
    seed: int = 1,
    workers: int | None = None,
    output: str | Path | None = None,
) -> Review:
    """Measure the effects of rule changes for every player type, as `simgin review` does.

    Args:
        rules: One or more variants.
        against: Baseline variant for the comparison.
        players: Strategies that replace the default player types, weakest first.
        goals: Design goals, such as "gin 40..50 %".
        sweep: One or two parameters with values, such as "undercut_bonus=0,10,25".
        targets: Additional match targets to review, in points, such as "150,250".
        adapt: True to train a strong player for each rule set.
        matches: Matches per pair of players. By default, a review with a baseline plays 5,000
            matches, and up to 20,000 if an effect size is uncertain. Other reviews play 20,000
            matches, or 5,000 in solitaire variants. The minimum is 1,000.
        deep: True to play 100 times as many matches.
        seconds_per_turn: Duration of a turn in seconds, which converts turns to minutes.
        title: Title of the report.
        note: Note shown in the report.
        seed: Seed of the deals.
        workers: Number of threads (default: one per CPU).
        output: Directory for the results. Repeat an interrupted call to resume the review.

    Returns:
        Review with the DataFrames `metrics` and `differences`.

    Raises:
        ReviewError: If the variants cannot be compared.

    Example:
        Compare Oklahoma with the standard rules::

            review = simgin.review_rules(["oklahoma"], against="standard")
            review.differences
    """
    arguments = convert_arguments(locals())
    from simgin.review.review import run_review
    from simgin.review.review_request import ReviewRequest

    arguments |= {name: _as_tuple(arguments[name]) for name in ("goals", "sweep")}
    request = ReviewRequest.read(_as_tuple(arguments.pop("rules")), **arguments)
    return _run_request("review", partial(run_review, output=output), request, workers)


@record_call
def compute_odds(
    variant: VariantLike,
    *strategies: StrategyLike,
    deals: float | str = DEFAULT_ODDS_DEALS,
    seed: int = 1,
    workers: int | None = None,
    output: str | Path | None = None,
) -> Odds:
    """Compute the probability of winning a deal and a match, as `simgin odds` does.

    Args:
        variant: Variant, as a spec or an object.
        *strategies: Players, weakest first (default: the players that `simgin odds` uses).
        deals: Number of deals per player.
        seed: Seed of the deals.
        workers: Number of threads (default: one per CPU).
        output: Directory for the results.

    Returns:
        Odds with the method `frames()`, which returns a dict of DataFrames. For a solitaire
        variant, the keys are strength, bracket, odds, left, gin, totals, gap and joker. For a
        two-player variant, the keys are seats and scores.

    Example:
        Plot luck and skill in a solitaire variant::

            odds = simgin.compute_odds("solitaire-gin")
            simgin.plots.skill(odds.frames()["bracket"])
    """
    arguments = convert_arguments(locals())
    from simgin.odds.odds import OddsRequest, run_odds

    request = OddsRequest.read([arguments.pop("variant")], include_details=False, **arguments)
    return _run_request("odds", run_odds, request, workers)


@record_call
def compute_chart(
    kind: str = "knock",
    variant: VariantLike = "standard",
    *,
    strategy: StrategyLike | None = None,
    score: str | None = None,
    deals: float | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> Chart:
    """Compute a chart of the best decisions, as `simgin chart` does.

    Args:
        kind: "knock", "upcard" or "discard".
        variant: Two-player variant.
        strategy: Strategy that plays against itself, by default the strongest strategy.
        score: Score such as "60-80", which starts with your points.
        deals: Number of deals. The default is 1,000,000, or 200,000 for discards.
        seed: Seed of the deals.
        workers: Number of threads (default: one per CPU).

    Returns:
        Chart with a DataFrame `frame`, which has one row per cell.

    Raises:
        ChartError: If charts do not support the kind, the variant or the score.

    Example:
        Find out which upcards to take::

            simgin.compute_chart("upcard", "oklahoma")
    """
    arguments = convert_arguments(locals())
    from simgin.charts.chart import ChartRequest, run_chart

    request = ChartRequest.read(player=arguments.pop("strategy"), **arguments)
    return _run_request(f"{kind} chart", run_chart, request, workers)


@record_call
def grade(
    *files: str | Path,
    player: str | None = None,
    judge: StrategyLike | None = None,
    opponent: StrategyLike | None = None,
    worlds: float | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> Grade:
    """Measure the cost of a player's mistakes in recorded deals, as `simgin grade` does.

    Args:
        *files: Files of recorded deals, one deal per file.
        player: Name or seat of the player, by default the first player named in the files.
        judge: Strategy that evaluates the decisions, by default the strongest strategy.
        opponent: Strategy that plays the rest of each deal for the opponent.
        worlds: Maximum number of sampled hidden states per decision.
        seed: Seed of the hidden states.
        workers: Number of threads (default: one per CPU).

    Returns:
        Grade with a DataFrame `frame`, which has one row for each type of decision and each type of
        mistake.

    Raises:
        PositionError: If a file cannot be read or does not contain a deal, or if the variants or
            players differ between files.

    Example:
        Grade a deal that you saved with `simgin play --save`::

            simgin.grade("mine-1.json")
    """
    arguments = convert_arguments(locals())
    from simgin.analysis.grades import GradeRequest, run_grade

    return _run_request("grade", run_grade, GradeRequest.read(**arguments), workers)


@record_call
def tune_strategy(
    strategy: StrategyLike,
    variant: VariantLike = "standard",
    against: StrategyLike | Sequence[StrategyLike] = "simple",
    *,
    parameters: str | None = None,
    objective: str = "matches",
    generations: int = 20,
    matches: float | str = 4_000,
    confirmation_matches: float | str = 40_000,
    seed: int = 1,
    workers: int | None = None,
) -> TuningResult:
    """Search for better parameters of a strategy, as `simgin tune` does.

    Args:
        strategy: Strategy with numeric parameters.
        variant: Two-player variant.
        against: One or more opponents.
        parameters: Parameters to tune, such as "k,share" or "k=0..12" (default: all parameters).
        objective: "matches", "points" or "worst".
        generations: Number of generations.
        matches: Number of matches of each candidate against each opponent.
        confirmation_matches: Number of validation matches per opponent.
        seed: Seed of the deals.
        workers: Number of threads (default: one per CPU).

    Returns:
        Result with the tuned strategy (`strategy`) and the DataFrames `parameters`, `table` (the
        validation), `history_frame` (for `simgin.plots.search_history`) and `candidates`.

    Raises:
        TuneError: If the strategy has no numeric parameters or the package cma is missing.

    Example:
        Tune a strategy against two opponents::

            simgin.tune_strategy("mine.py", against=["simple", "gold-early"]).table
    """
    arguments = convert_arguments(locals())
    from simgin.learn.cma_search import run_tune
    from simgin.learn.tune_request import TuneRequest

    request = TuneRequest.read(against=_as_tuple(arguments.pop("against")), **arguments)
    return _run_request(f"tuning {request.strategy.name}", run_tune, request, workers)


@record_call
def train(
    strategy: StrategyLike,
    variant: VariantLike = "standard",
    against: StrategyLike | Sequence[StrategyLike] = (),
    *,
    rounds: int | None = None,
    deals: float | str | None = None,
    confirmation_matches: float | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> TrainingResult | AdaptedChampion:
    """Train the weights of a strategy and validate the gain, as `simgin train` does.

    Args:
        strategy: `champion`, or a strategy with a trainable discard policy.
        variant: Two-player variant.
        against: Opponents, by default `simple`. `champion` does not accept opponents.
        rounds: Number of training rounds (default: 8, or 12 for `champion`).
        deals: Training deals per round and opponent (default: 20,000, or 40,000 in total for
            champion).
        confirmation_matches: Validation matches per opponent (default: 40,000, or 10,000 for
            champion).
        seed: Seed of the deals.
        workers: Number of threads (default: one per CPU).

    Returns:
        Result with the DataFrame `table` of the validation.

    Raises:
        TuneError: If the strategy cannot be trained.

    Example:
        Train `champion` for another variant::

            simgin.train("champion", "straight").table
    """
    arguments = convert_arguments(locals())
    from simgin.learn import adapt
    from simgin.learn import discard_weights as discards
    from simgin.strategy.cast import CHAMPION_STRATEGY

    opponents = _as_tuple(arguments.pop("against"))
    given = {name: value for name, value in arguments.items() if value is not None}
    is_champion = given["strategy"] == CHAMPION_STRATEGY
    read_request = (adapt.AdaptRequest if is_champion else discards.DiscardTrainingRequest).read
    run_function: Any = adapt.run_adaptation if is_champion else discards.run_training
    result: TrainingResult | AdaptedChampion = _run_request(
        "training", run_function, read_request(against=opponents, **given), workers
    )
    return result


@check_arguments
def show(
    a: StrategyLike,
    b: StrategyLike | None = None,
    variant: VariantLike = "standard",
    *,
    seed: int = 1,
    unit: int = 0,
    half: int = 0,
    deal: int | None = None,
) -> str:
    """Return the replay of one deal as a string, with every decision and the showdown.

    Args:
        a: Strategy A.
        b: Strategy B.
        variant: Variant, as a spec or an object.
        seed: Seed of the deals.
        unit: Index of the deal, pair of deals or pair of matches.
        half: Index of the game in its mirrored pair: 0, or 1 for the game with the seats swapped.
        deal: Index of the deal in the match, or None for a single deal.

    Raises:
        ReplayError: If an index is out of range.
        DealNotFoundError: If the match ended before the deal.

    Example:
        Print a deal::

            print(simgin.show("gold", "simple", "eaai", seed=7, unit=3))
    """
    arguments = convert_arguments(locals())
    from simgin.play.replay import make_replay, trace_numbered_deal

    return "\n".join(make_replay(trace_numbered_deal(**arguments)).iter_lines())


@record_call
def hand(
    cards: str | Sequence[str],
    variant: VariantLike = "standard",
    upcard: str | None = None,
    *,
    score: int | None = None,
) -> HandResult:
    """Return the deadwood, the melds and the best discards of a hand, as `simgin hand` does.

    Args:
        cards: Ten or eleven cards, such as "5S 6S 7S" or a list of strings.
        variant: Variant, as a spec or an object.
        upcard: First upcard, for variants in which the upcard sets the knock limit.
        score: Your points before the deal, for variants with shots.

    Returns:
        Result with the attributes `deadwood`, `melds`, `discards` and `best_discards`, and with a
        DataFrame `frame`, which has one row per discard. For eleven cards, `deadwood` is the
        deadwood before the discard.

    Raises:
        ValueError: If the hand is not possible.

    Example:
        Compute the deadwood and the melds of a hand::

            result = simgin.hand("5S 6S 7S 9H 9D 9C KS QD 2C AH")
            result.deadwood, result.melds
    """
    arguments = convert_arguments(locals())
    from simgin.analysis.hand_result import evaluate_hand

    return evaluate_hand(find_variant(arguments.pop("variant")), **arguments)


@record_call
def analyze(
    cards: str | Sequence[str],
    pile: str | Sequence[str] = "",
    variant: VariantLike = "standard",
    *,
    score: str | tuple[int, int] | None = None,
    dealer: str | None = None,
    stock: int | None = None,
    stake: int = 1,
    owner: str = "nobody",
    offer: bool = False,
    offered: int = 0,
    strategy: StrategyLike | None = None,
    opponent: StrategyLike | None = None,
    worlds: float | str = 10_000,
    seconds: float | str | None = None,
    seed: int = 1,
    workers: int | None = None,
) -> AnalysisResult:
    """Evaluate each legal action in a position by simulation.

    Args:
        cards: Ten cards, or eleven cards with the drawn card last, as a string or as a list of
            strings. "blind" means that you have not seen your cards.
        pile: Discard pile, oldest card first, with * after each card that was taken. Use ? for a
            forgotten card and, if `stock` is given, .. for any number of forgotten cards. In
            solitaire variants, list your own discards.
        variant: Variant, as a spec or an object.
        score: Match score, such as "30-45" or (30, 45): your points (or won deals) first, then the
            opponent's. With a score, actions are ranked by the probability of winning the match.
            Omit the score in hollywood, pro and twofold, in which simgin cannot compute this
            probability from the score.
        dealer: "me" or "other", by default inferred from the pile.
        stock: Number of cards in the stock.
        stake: Number that the die shows.
        owner: Owner of the die: "me", "other" or "nobody".
        offer: True to evaluate whether to offer the die.
        offered: Number offered by the opponent, or 0 if there is no offer.
        strategy: Strategy that plays the rest of each deal for you, by default the
            strongest strategy.
        opponent: Strategy that plays the rest of each deal for the opponent, by default the
            strongest strategy.
        worlds: Maximum number of sampled hidden states.
        seconds: Time limit in seconds.
        seed: Seed of the hidden states.
        workers: Number of threads (default: one per CPU).

    Returns:
        Result with a DataFrame `frame`, which has one row per action, best action first.

    Raises:
        ValueError: If the position is not possible.

    Example:
        Find the best discard::

            simgin.analyze("7H 7D 7C 8C 9C TC 4H TD AC 4C KS", pile="QD TS 9D* QH")
    """
    arguments = convert_arguments(locals())
    from simgin.analysis.analysis_request import AnalysisRequest, run_analysis
    from simgin.analysis.position_parts import Die

    budget = _extract_budget(arguments, workers)
    die = Die(*map(arguments.pop, ("stake", "owner", "offer", "offered")))
    request = AnalysisRequest.read(budget=budget, die=die, **arguments)
    return _run_request("analysis", run_analysis, request, workers)


@record_call
def analyze_deal(
    a: StrategyLike,
    b: StrategyLike | None = None,
    variant: VariantLike = "standard",
    *,
    seed: int = 1,
    unit: int = 0,
    half: int = 0,
    deal: int | None = None,
    turn: int | None = None,
    strategy: StrategyLike | None = None,
    opponent: StrategyLike | None = None,
    worlds: float | str = 10_000,
    seconds: float | str | None = None,
    workers: int | None = None,
) -> AnalysisResult:
    """Evaluate every legal action at all decisions of a deal, or at the decisions of one turn.

    Args:
        a: Strategy A.
        b: Strategy B.
        variant: Variant, as a spec or an object.
        seed: Seed of the deals.
        unit: Index of the deal, pair of deals or pair of matches.
        half: Index of the game in its mirrored pair: 0, or 1 for the game with the seats swapped.
        deal: Index of the deal in the match, or None for a single deal.
        turn: Number of the turn (0 for the first upcard), or None for all turns.
        strategy: Strategy that plays the rest of each deal for side A, by default strategy A.
        opponent: Strategy that plays the rest of each deal for side B, by default strategy B.
        worlds: Maximum number of sampled hidden states.
        seconds: Time limit per decision in seconds.
        workers: Number of threads (default: one per CPU).

    Returns:
        Result with a DataFrame `frame`, which has one row per decision and action.

    Raises:
        ValueError: If the deal or the turn was not played.

    Example:
        Evaluate the decisions of one turn::

            simgin.analyze_deal("gold", "simple", unit=3, turn=5)
    """
    arguments = convert_arguments(locals())
    from simgin.analysis.analysis_request import AnalysisRequest, run_analysis

    budget = _extract_budget(arguments, workers)
    request = AnalysisRequest.read_deal(budget=budget, **arguments)
    return _run_request("analysis", run_analysis, request, workers)


@record_call
def error_rates(
    a: StrategyLike,
    b: StrategyLike | None = None,
    variant: VariantLike = "standard",
    *,
    deals: float | str = 1_000,
    judge: StrategyLike | None = None,
    worlds: float | str = 200,
    seed: int = 1,
    workers: int | None = None,
) -> ErrorRates:
    """Measure how many points per deal a strategy loses through mistakes.

    The actions of A are compared with the actions of the judge, and with all actions that are
    significantly better in the sampled hidden states.

    Args:
        a: Strategy A.
        b: Strategy B, by default the strongest strategy.
        variant: Variant, as a spec or an object.
        deals: Number of deals, at least 100.
        judge: Strategy that evaluates the decisions, by default the strongest strategy.
        worlds: Maximum number of sampled hidden states per decision.
        seed: Seed of the deals.
        workers: Number of threads (default: one per CPU).

    Returns:
        Result with a DataFrame `frame`, which has one row for each type of decision and each type
        of mistake.

    Raises:
        ValueError: If the number of deals is too small.

    Example:
        Measure the error rate of a strategy::

            simgin.error_rates("gold", deals=1000)
    """
    arguments = convert_arguments(locals())
    from simgin.analysis.error_rates import EvaluationTask, estimate_error_rates

    return _run_request(
        "error rates", estimate_error_rates, EvaluationTask.read(**arguments), workers
    )


@record_call
def find(
    a: StrategyLike,
    b: StrategyLike | None = None,
    variant: VariantLike = "standard",
    *,
    where: str,
    deals: float | str | None = None,
    matches: float | str | None = None,
    against: StrategyLike | None = None,
    limit: int = 10,
    seed: int = 1,
    workers: int | None = None,
) -> FoundDeals:
    """Find deals that meet given conditions, as `simgin find` does.

    Args:
        a: Strategy A.
        b: Strategy B.
        variant: Variant, as a spec or an object.
        where: Conditions, such as "undercut, lost", "points < -40, longest", "differ" or "costly".
        deals: Number of deals to search.
        matches: Number of matches to search instead of single deals.
        against: Common opponent of A and B for the condition "differ", by default B.
        limit: Maximum number of rows.
        seed: Seed of the deals.
        workers: Number of threads (default: one per CPU).

    Returns:
        Result with a DataFrame `frame`, which has one row per matching deal.

    Raises:
        ValueError: If a condition is not valid.

    Example:
        Find lost deals that ended with an undercut::

            simgin.find("gold", "simple", where="undercut, lost")
    """
    arguments = convert_arguments(locals())
    from simgin.analysis.find_deals import FindRequest, run_find

    return _run_request("search", run_find, FindRequest.read(**arguments), workers)


def _extract_budget(arguments: dict[str, Any], workers: int | None) -> AnalysisBudget:
    """Remove the budget of an analysis from its arguments, and return it."""
    from simgin.analysis.analysis import AnalysisBudget

    worlds, seconds, seed = map(arguments.pop, ("worlds", "seconds", "seed"))
    return AnalysisBudget(worlds, seconds, seed, workers)


def strategies() -> pd.DataFrame:
    """List the built-in strategies by Elo rating, and then the strategies without a rating.

    Returns:
        DataFrame with one row per strategy. The columns contain the number of players, the
        description and, if measured, the Elo rating and the speed.

    Example:
        List the solitaire strategies::

            simgin.strategies().query("players == 1")
    """
    names = loader.list_strategies()
    rows = []
    for strategy in catalogue.sort_by_strength([loader.find_strategy(name) for name in names]):
        n_players = 1 if catalogue.is_solo_strategy(strategy.name) else 2
        description = catalogue.extract_first_sentence(strategy)
        row = {"strategy": strategy.name, "players": n_players, "about": description}
        rows.append(row | catalogue.read_catalogue_entry(strategy.name))
    return make_frame(rows)


def variants() -> pd.DataFrame:
    """List the built-in variants.

    Returns:
        DataFrame with one row per variant. The columns contain the number of players, the title
        and the description.

    Example:
        List the solitaire variants::

            simgin.variants().query("players == 1")
    """
    all_variants = map(find_variant, variant_names())
    return make_frame(
        {"variant": variant.spec, "players": variant.params["players"], "title": variant.title}
        | {"about": variant.about}
        for variant in all_variants
    )

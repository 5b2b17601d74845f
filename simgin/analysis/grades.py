"""Grades of players: points lost through decisions in recorded deals, and a luck-adjusted result.

Each mistake is found, confirmed and measured in three separate sets of worlds. The report shows the
total cost, the costs by kind of decision, and the costliest decisions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from simgin.analysis import error_rates
from simgin.analysis.analysis import is_mistake
from simgin.analysis.deal_file import RecordedDeal, read_deal_file
from simgin.analysis.decision_evaluator import (
    CONFIRMATION_WORLDS,
    DecisionEvaluator,
    EvaluatedDecision,
)
from simgin.analysis.foreign_logs import ENGINE_NOTES
from simgin.analysis.position import PositionError
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import map_units
from simgin.play.traced_deal import TracedDeal
from simgin.report import numbers
from simgin.report.progress import OnProgress
from simgin.report.report import Report
from simgin.report.report_table import Table, make_table_from_rows
from simgin.stats.estimate import (
    MIN_UNITS_FOR_ESTIMATE,
    Estimate,
    estimate_mean,
    make_estimate_with_t_interval,
    make_undefined_estimate,
)
from simgin.stats.variance import estimate_mean_with_control_variate
from simgin.strategy.cast import PLAYER_TYPE_TABLES, find_strong_player
from simgin.strategy.strategy_spec import with_policies
from simgin.text import shell
from simgin.text.messages import join_words, quote_text

# Points lost per deal, and half-width of the 95 % confidence interval
STRATEGY_ERROR_RATES = {
    name: (points, half_width)
    for name, (points, half_width) in PLAYER_TYPE_TABLES["points_lost"].items()
}
MIN_MEANINGFUL_DEALS = 100  # number of deals below which the result depends mostly on luck
# Number of worlds before the first comparison. With fewer worlds, different seeds would often lead
# to different lists of mistakes.
WORLDS_BEFORE_FIRST_COMPARISON = 100
MIN_MEASUREMENT_WORLDS = 1000  # minimum number of worlds to measure a mistake
HUMAN_NAME = "you"
# Maximum number of strategies named for comparison. A longer list would not be informative.
MAX_SIMILAR_STRATEGIES = 3
STRATEGY_COMPARISON_NOTE = (
    "The built-in strategies played hundreds of deals of `eaai` against champion, and champion "
    "evaluated their decisions. Error rates differ slightly under other rules and against other "
    "opponents."
)


@dataclass(frozen=True)
class GradeRequest:
    """Request to grade a player's decisions in recorded deals.

    Attributes:
        task: Player and evaluator.
        graded_deals: Recorded deals, as returned by `make_graded_deal`.
        files: Paths of the deal files.
        engine: Engine that logged the deals, or an empty string for simgin.
    """

    task: error_rates.EvaluationTask
    graded_deals: Sequence[TracedDeal]
    files: Sequence[str]
    engine: str = ""

    @classmethod
    def read(
        cls,
        files: Sequence[str],
        player: str | None = None,
        judge: str | None = None,
        opponent: str | None = None,
        worlds: int | None = None,
        seed: int = 1,
    ) -> GradeRequest:
        """Parse the arguments of a request to grade the deals in one or more files.

        Args:
            files: Paths of the files, each of which contains one deal.
            player: Name or seat of the player (default: the first player named in the files).
            judge: Strategy of the evaluator (default: the strongest strategy).
            opponent: Strategy that plays the rest of each deal for the opponent. The default is the
                opponent in the files if it is available and the same in all files, otherwise the
                strongest strategy.
            worlds: Maximum number of worlds per decision.
            seed: Seed of the sampled hidden states.

        Raises:
            PositionError: If there is no file, if a file does not contain a deal, or if variants or
                players differ between files.
        """
        if not files:
            raise PositionError(
                "no file was specified. Specify at least one file with a recorded deal."
            )
        records = [read_deal_file(file) for file in files]
        variant_specs = list(dict.fromkeys(record.deal.matchup.variant.spec for record in records))
        if len(variant_specs) > 1:
            raise PositionError(
                f"the files contain deals of several variants ({', '.join(variant_specs)}). Grade "
                "each variant separately."
            )
        seats = [(record, _find_seat(record, player)) for record in records]
        names = list(dict.fromkeys(record.player_names[seat] for record, seat in seats))
        if len(names) > 1 and player is None:
            player_list = " and ".join(quote_text(name, 40) for name in names)
            raise PositionError(
                f"the files contain deals played by {player_list}. Choose one player with --player."
            )
        deals = [make_graded_deal(record.deal, seat) for record, seat in seats]
        opponent_names = {
            deal.matchup.players[1 - deal.state.half].spec for deal in deals if deal.matchup.b
        }
        strategy = find_strong_player(deals[0].matchup.variant)
        opponent_name = opponent or (
            opponent_names.pop()
            if len(opponent_names) == 1
            else strategy
            if opponent_names
            else None
        )
        name = names[0] if len(names) == 1 else f"seat {player}"
        evaluator = parse_matchup(judge or strategy, opponent_name, variant_specs[0], seed, "deal")
        task = make_grading_task(name, evaluator, len(deals), worlds)
        return cls(task, deals, files, records[0].engine)


@dataclass(frozen=True, repr=False)
class Grade(error_rates.ErrorRates):
    """Grade of a player: the error rates in recorded deals.

    With fewer than `MIN_UNITS_FOR_ESTIMATE` deals, standard errors include only the measurement
    error. With more deals, they also include the variation between deals.

    Attributes:
        decisions: Evaluated decisions by deal, with the deal's index as `unit`.
        graded_deals: Recorded deals, as returned by `make_graded_deal`.
        files: Paths of the deals, if they were read from files.
        opponent_decisions: Evaluated decisions of the opponent, by deal.
        evaluator_gain: Gain per deal of the evaluator against the rollout opponent.
        engine: Engine that logged the deals, or an empty string for simgin.
    """

    graded_deals: Sequence[TracedDeal]
    files: Sequence[str]
    opponent_decisions: list[list[EvaluatedDecision]]
    evaluator_gain: Estimate
    engine: str = ""

    def report(self, command: str) -> Report:
        """Return the report on the player's grade."""
        return build_grade_report(self, command)

    @cached_property
    def _records(self) -> list[error_rates.ErrorRateRow]:
        return build_grade_rows(self)

    @property
    def deals_per_unit(self) -> int:
        """Number of deals per unit, which is always 1."""
        return 1

    @property
    def has_enough_deals(self) -> bool:
        """True if there are enough deals to estimate the error rate of the player."""
        return self.n_deals >= MIN_UNITS_FOR_ESTIMATE

    def estimate_mean_cost(self, costs: np.ndarray) -> Estimate:
        """Estimate the mean cost per deal, with an unknown standard error for a single deal."""
        return estimate_mean(costs) if len(costs) > 1 else Estimate(float(costs[0]), np.nan, 1)

    def estimate_rate(self, kind: str = "", mistake: str = "") -> Estimate:
        """Estimate the points lost per deal, in total or for one kind of decision or mistake."""
        if self.has_enough_deals:
            return super().estimate_rate(kind, mistake)
        pairs = [
            (decision.cost, decision.cost_se)
            for decision in chain(*self.decisions)
            if error_rates.matches_kind(decision, kind, mistake)
        ]
        costs, errors = np.array(pairs).reshape(-1, 2).T
        error = float(np.sqrt(errors @ errors)) / self.n_deals
        return make_estimate_with_t_interval(
            float(costs.sum()) / self.n_deals, error, self.n_deals, np.inf
        )

    def compute_mistake_frequency(self, kind: str = "", mistake: str = "") -> float:
        """Return the number of significant mistakes per deal, optionally of one kind."""
        costs = self.find_costliest(len(self.find_mistakes()))
        n_mistakes = sum(
            is_mistake(cost.low) and error_rates.matches_kind(decision, kind, mistake)
            for decision, cost in costs
        )
        return n_mistakes / self.n_deals

    def find_costliest(self, n_decisions: int) -> list[tuple[EvaluatedDecision, Estimate]]:
        """Return the costliest decisions and their costs in descending order."""
        mistakes = sorted(self.find_mistakes(), key=lambda decision: decision.cost, reverse=True)
        worlds = count_measurement_worlds(self.task)
        return [
            (
                decision,
                make_estimate_with_t_interval(decision.cost, decision.cost_se, worlds, worlds),
            )
            for decision in mistakes[:n_decisions]
        ]

    def find_deal(self, decision: EvaluatedDecision) -> TracedDeal:
        """Return the deal in which a decision was made."""
        return self.graded_deals[decision.unit_number]

    def format_command(self, decision: EvaluatedDecision) -> str:
        """Return the command that analyses a decision."""
        players = [player.spec for player in self.task.evaluator.players]
        players_by_seat = players[::-1] if decision.mirrored_game else players
        command_words = [
            "simgin",
            "analyze",
            self.files[decision.unit_number],
            "--turn",
            str(decision.turn),
        ]
        for option, player in zip(("--as", "--against"), players_by_seat, strict=False):
            command_words += [option, player]
        return shell.join_command(command_words)

    @property
    def is_comparable(self) -> bool:
        """True if the loss can be compared with the error rates of built-in strategies."""
        return self.unit == "points" and self.task.matchup.b is not None

    @cached_property
    def net_scores(self) -> dict[str, Estimate]:
        """Net points and luck-adjusted net points per deal, or no values if points are unknown.

        By the performance difference lemma (Kakade and Langford 2002), the mean of the points won
        is the opponent's loss, minus the player's loss, plus the evaluator's gain. With enough
        deals, the difference between the two sides of this equation is a control variate for the
        points. Only complete deals are included.
        """
        finished_indices = [index for index, deal in enumerate(self.graded_deals) if deal.ending]
        if not finished_indices or not self.is_comparable:
            return {}
        pairs = [self._compute_points_and_loss(index) for index in finished_indices]
        points_won, losses = np.array(pairs, np.float64).T
        gain = self.evaluator_gain
        if len(pairs) >= MIN_UNITS_FOR_ESTIMATE:
            luck_adjusted = estimate_mean_with_control_variate(
                points_won, points_won - losses, gain
            )
        else:
            skill = self.estimate_mean_cost(losses + gain.value)
            error = float(np.hypot(skill.se, gain.se))
            luck_adjusted = make_estimate_with_t_interval(skill.value, error, skill.n, skill.n)
        return {"won": self.estimate_mean_cost(points_won), "less_luck": luck_adjusted}

    def _compute_points_and_loss(self, index: int) -> tuple[float, float]:
        """Return the points won in a deal, and the opponent's loss minus the player's loss."""
        seat, score = int(self.graded_deals[index].state.half), self.graded_deals[index].state.score
        losses = [
            sum(decision.evaluator_action_gain for decision in side[index])
            for side in (self.opponent_decisions, self.decisions)
        ]
        return float(score[seat] - score[1 - seat]), losses[0] - losses[1]


def make_graded_deal(deal: TracedDeal, seat: int) -> TracedDeal:
    """Return a copy of a recorded deal for grading the player in `seat`."""
    state = deal.state.copy()
    state.half = seat
    return replace(deal, state=state, error="", is_truncated=False)


def run_grade(
    request: GradeRequest, workers: int | None = None, on_progress: OnProgress | None = None
) -> Grade:
    """Grade a player in the requested deals (see `grade_deals`)."""
    result = grade_deals(request.task, request.graded_deals, request.files, workers, on_progress)
    return replace(result, engine=request.engine)


def grade_deals(
    task: error_rates.EvaluationTask,
    graded_deals: Sequence[TracedDeal],
    files: Sequence[str] = (),
    workers: int | None = None,
    on_progress: OnProgress | None = None,
) -> Grade:
    """Grade a player by evaluating all decisions of the player and the opponent.

    The opponent's decisions are required for the luck-adjusted result.

    The result does not depend on the number of workers.

    Args:
        task: Player and evaluator.
        graded_deals: Recorded deals, as returned by `make_graded_deal`.
        files: Paths of the deals, if they were read from files.
        workers: Number of worker threads.
        on_progress: Function that receives the progress, the total, and a function that returns the
            current result as a string.

    Raises:
        PolicyCallError: If a policy fails.
        PositionError: If the deals contain no decision.
    """
    kernel.compile_matchup(task.evaluator)
    evaluator = DecisionEvaluator(
        task.evaluator, task.n_worlds, WORLDS_BEFORE_FIRST_COMPARISON, min_lead=0.0
    )
    a, b = task.evaluator.a, task.evaluator.b
    opponent_matchup = None if b is None else replace(task.evaluator, a=b, b=a)
    measurement_worlds = count_measurement_worlds(task)
    costs: list[float] = []

    def evaluate_deal(index: int, _n: int) -> list[list[EvaluatedDecision]]:
        deal = graded_deals[index]
        measured = evaluator.measure_costs(deal, measurement_worlds)
        costs.append(sum(decision.cost for decision in measured))
        decisions = [replace(decision, unit_number=index) for decision in measured]
        if opponent_matchup is None:
            return [decisions, []]
        opponent_deal = make_graded_deal(deal, 1 - int(deal.state.half))
        return [decisions, DecisionEvaluator(opponent_matchup, 0).evaluate(opponent_deal)]

    report = error_rates.make_loss_reporter(task.matchup, costs, on_progress)
    pairs = map_units(evaluate_deal, len(graded_deals), 1, workers, report)
    if not any(has_decisions for has_decisions, _ in pairs):
        raise PositionError(
            "the known parts of these deals contain no decision to grade. Use other deals."
        )
    player_decisions, opponent_decisions = ([*side] for side in zip(*pairs, strict=True))
    evaluator_gain = make_undefined_estimate(0)
    if b is not None:
        n_units = max(MIN_MEANINGFUL_DEALS, len(graded_deals))
        gains = error_rates.compute_mean_gains(task.evaluator, n_units, workers)
        evaluator_gain = estimate_mean(gains)
    return Grade(
        task,
        player_decisions,
        make_undefined_estimate(0),
        graded_deals,
        files,
        opponent_decisions,
        evaluator_gain,
    )


def count_measurement_worlds(task: error_rates.EvaluationTask) -> int:
    """Return the number of worlds in which the cost of a mistake is measured."""
    return max(MIN_MEASUREMENT_WORLDS, task.n_worlds)


def make_grading_task(
    name: str, evaluator: Matchup, deals: int, worlds: int | None = None
) -> error_rates.EvaluationTask:
    """Return the task of evaluating a player's decisions in recorded deals.

    simgin never calls the policies of the player, because it reads the decisions from the deals.
    """
    player = with_policies(evaluator.a, {}, name)
    n_worlds = error_rates.DEFAULT_EVALUATION_WORLDS if worlds is None else worlds
    return error_rates.EvaluationTask(replace(evaluator, a=player), evaluator, deals, n_worlds)


def _find_seat(deal: RecordedDeal, player: str | None) -> int:
    """Return the seat of the graded player in a deal."""
    if player is None:
        return deal.seat_of_a
    if player in deal.player_names:
        return deal.player_names.index(player)
    if player in map(str, range(len(deal.player_names))):
        return int(player)
    player_list = " or ".join(quote_text(name, 40) for name in deal.player_names)
    raise PositionError(
        f"{quote_text(player, 40)} is not a player in {quote_text(deal.path)}. "
        f"Choose {player_list}."
    )


# Report


def build_grade_report(grade: Grade, command: str = "") -> Report:
    """Build the report on a player's grade."""
    engine, task = grade.engine, grade.task
    player = task.matchup.a.spec
    deals = "1 deal" if grade.n_deals == 1 else f"{grade.n_deals:,} deals"
    title = "Your grade" if player == HUMAN_NAME else f"Grade of {player}"
    evaluator = task.evaluator.a.spec
    note = (
        f"The action that {evaluator} chooses counts as the best action, unless another action is "
        f"better both in {task.n_worlds} worlds and in {CONFIRMATION_WORLDS} further worlds. To "
        f"measure losses, {evaluator} plays to the end of the deal in "
        f"{count_measurement_worlds(task):,} new worlds. A mistake is a decision with a cost that "
        "is significantly above 0. The loss also includes smaller costs. ± marks 95 % confidence "
        "intervals."
        f"{error_rates.format_few_worlds_warning(task.n_worlds)}"
    )
    table = replace(error_rates.build_rates_table(grade, evaluator), note=note)
    comparison_table = (
        [build_strategy_comparison(grade)] if grade.is_comparable and grade.has_enough_deals else []
    )
    costliest_rows = error_rates.describe_costliest(grade.records())
    costliest = make_table_from_rows("Costliest decisions", ("decision", "command"), costliest_rows)
    return Report(
        question=f"{title} in {deals} ({engine or task.matchup.variant.spec})",
        verdict=[*iter_grade_sentences(grade), *_iter_opponent_sentences(grade)]
        + ([ENGINE_NOTES[engine]] if engine else []),
        tables=[table, *comparison_table, costliest],
        command=command,
    )


def build_grade_rows(grade: Grade) -> list[error_rates.ErrorRateRow]:
    """Return rows of error rates, followed by rows of net and luck-adjusted points."""
    rows = error_rates.build_rates_rows(grade)
    columns = {name: rows[0][name] for name in ("variant", "strategy", "opponent", "unit")}
    for metric, estimate in grade.net_scores.items():
        values = grade.make_loss_columns(estimate)
        rows.append({**columns, "metric": metric, **values, "n": int(estimate.n)})
    # Only NaN differs from itself. It is replaced with None.
    return [
        {name: None if value != value else value for name, value in row.items()} for row in rows
    ]


def iter_grade_sentences(result: Grade) -> Iterator[str]:
    """Yield sentences about a player's loss and net score."""
    player = result.task.matchup.a.spec
    player = "You" if player == HUMAN_NAME else player
    format_sentences = _format_rate_sentences if result.has_enough_deals else _format_deal_sentences
    yield from format_sentences(result, player)


def _format_rate_sentences(grade: Grade, player: str) -> Iterator[str]:
    """Yield sentences about a player with enough deals to estimate an error rate."""
    comparison = _format_similar_strategies(grade.total_loss) if grade.is_comparable else ""
    cost = f"{_format_estimate(grade.total_loss)} {grade.unit_per_deal}"
    yield f"{player} lost {cost} through mistakes{comparison}."
    if grade.net_scores:
        points_per_deal, luck_adjusted = map(_format_estimate, grade.net_scores.values())
        yield (
            f"Net score: {points_per_deal} points per deal. Luck-adjusted net score, based on the "
            f"mistakes of both players: {luck_adjusted} points per deal."
        )
    if grade.n_deals < MIN_MEANINGFUL_DEALS:
        yield f"With only {grade.n_deals} deals, the net score depends mostly on luck."


def _format_deal_sentences(grade: Grade, player: str) -> Iterator[str]:
    """Yield sentences about a player with too few deals to estimate an error rate."""
    is_single_deal = grade.n_deals == 1
    deals = "this deal" if is_single_deal else f"these {grade.n_deals} deals"
    if grade.compute_mistake_frequency():
        unit = grade.unit if is_single_deal else grade.unit_per_deal
        loss = _format_estimate(grade.total_loss)
        yield f"{player} lost {loss} {unit} through mistakes in {deals}."
    else:
        yield f"{player} made no significant mistake in {deals}."
    if grade.net_scores:
        per_deal_text = "" if is_single_deal else " per deal"
        yield f"Net score: {grade.net_scores['won'].value:.1f} points{per_deal_text}."
    subject_and_verb = "you play" if player == "You" else f"{player} plays"
    yield (
        f"± is the measurement error for {deals}. To find out how well {subject_and_verb}, grade "
        f"at least {MIN_UNITS_FOR_ESTIMATE} deals."
    )


def _iter_opponent_sentences(grade: Grade) -> Iterator[str]:
    """Yield a sentence with the number of deals against each opponent, if there are several."""
    if not grade.task.matchup.b:
        return
    deals_by_opponent = Counter(
        deal.matchup.players[1 - deal.state.half].spec for deal in grade.graded_deals
    )
    if len(deals_by_opponent) > 1:
        opponents = [f"{name} ({count})" for name, count in deals_by_opponent.most_common()]
        yield (
            f"The deals were played against {len(opponents)} opponents: {join_words(opponents)}. "
            f"In the simulated deals, {grade.task.matchup.opponent} replaces all opponents."
        )


def _format_estimate(estimate: Estimate) -> str:
    """Format an estimate with its confidence interval."""
    return numbers.format_estimate(estimate.value, estimate.low, estimate.high)


def _format_similar_strategies(total_loss: Estimate) -> str:
    """Return a phrase with strategies of similar error rate, or "" if there are too many."""
    rates = {name: points for name, (points, _) in STRATEGY_ERROR_RATES.items()}
    names = [name for name, points in rates.items() if total_loss.low <= points <= total_loss.high]
    names = names or [min(rates, key=lambda name: abs(rates[name] - total_loss.value))]
    if len(names) > MAX_SIMILAR_STRATEGIES:
        return ""
    return ", about as much as " + " or ".join(f"{name} ({rates[name]:g})" for name in names)


def build_strategy_comparison(grade: Grade) -> Table:
    """Return a table of the error rates of the player and of built-in strategies."""
    rows = [
        (points, name, f"{points} ± {half_width}")
        for name, (points, half_width) in STRATEGY_ERROR_RATES.items()
    ]
    total_loss = grade.total_loss
    rows.append((total_loss.value, f"> {grade.task.matchup.a.spec}", _format_estimate(total_loss)))
    cells = [row[1:] for row in sorted(rows)]
    headings = ("player", "points lost per deal")
    return make_table_from_rows("Comparison", headings, cells, STRATEGY_COMPARISON_NOTE)

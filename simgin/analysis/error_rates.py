"""Error rates of a strategy: the points lost per deal, by type of decision.

Every decision of the strategy is evaluated (simgin.analysis.decision_evaluator). By the performance
difference lemma (Kakade and Langford 2002), the gains of the evaluator's actions sum to the
evaluator's lead over the strategy against the same opponent. To estimate this lead precisely, many
deals are played without evaluating their decisions. The lead is a control variate for the error
rates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.analysis.analysis import compute_gains, is_mistake, select_measure
from simgin.analysis.decision_evaluator import (
    MISTAKES_BY_DECISION_KIND,
    DecisionEvaluator,
    EvaluatedDecision,
    iter_positions_of_a,
)
from simgin.analysis.position import PositionError, format_better_action
from simgin.play import kernel
from simgin.play.matchup import Matchup, make_short_names, parse_matchup
from simgin.play.parallel import ProgressCallback, map_units
from simgin.play.traced_deal import TracedDeal, trace_deal
from simgin.plots.action_costs import COST_UNITS
from simgin.report import numbers
from simgin.report.report import Report
from simgin.report.report_table import Column, Table
from simgin.rules import variants
from simgin.runs.result import Result
from simgin.stats.estimate import Estimate, estimate_mean
from simgin.stats.table import build_output_frame
from simgin.stats.variance import estimate_mean_with_control_variate
from simgin.strategy.cast import find_strong_player
from simgin.text import shell

if TYPE_CHECKING:
    import pandas as pd

    from simgin.report.progress import OnProgress

DEFAULT_EVALUATION_WORLDS = 200
MIN_RELIABLE_WORLDS = 100  # With only 20 worlds, estimated error rates are two points too low.
# minimum number of deals for reliable intervals, and maximum number of deals
MIN_DEALS, MAX_DEALS = 100, 100_000
EXTRA_DEALS_PER_EVALUATED_DEAL = 25  # for estimating the mean gain
PAIRS_PER_ENGINE_CALL = 1000  # number of pairs per engine call
ALL_DECISIONS_KIND = "all"
# The first estimates of the costliest decisions are biased upwards. Therefore,
# MAX_RECHECKED_DECISIONS decisions are measured again in new worlds.
MAX_RECHECKED_DECISIONS, RECHECK_WORLDS = 20, 1000
N_COSTLIEST_DECISIONS = 5  # number of decisions listed in the report
DECISION_TITLES = {
    "upcard": "first upcard",
    "draw": "discard pile or stock",
    "discard": "discard",
    "knock": "end or continue the deal",
    "die": "die",
    "all": "all decisions",
}

ErrorRateRow = dict[str, Any]


@dataclass(frozen=True)
class EvaluationTask:
    """Matchup whose decisions are evaluated, with the evaluator and the sample sizes.

    Attributes:
        matchup: Matchup of A, the evaluated strategy, against B.
        evaluator: Matchup of the evaluator against B, or of the evaluator alone in a solitaire
            game.
        n_deals: Number of deals.
        n_worlds: Maximum number of worlds per decision.
    """

    matchup: Matchup
    evaluator: Matchup
    n_deals: int
    n_worlds: int = DEFAULT_EVALUATION_WORLDS

    @classmethod
    def read(
        cls,
        a: str,
        b: str | None,
        variant: str,
        judge: str | None,
        deals: int,
        worlds: int | None = None,
        seed: int = 1,
    ) -> EvaluationTask:
        """Parse the arguments of a request to estimate error rates.

        By default, the strongest strategy is used both as the evaluator and as the opponent.

        Raises:
            PositionError: If the number of deals is out of range.
        """
        parsed_variant = variants.find_variant(variant)
        strongest_strategy = find_strong_player(parsed_variant)
        if not parsed_variant.is_solo:
            b = b or strongest_strategy
        if not MIN_DEALS <= deals <= MAX_DEALS:
            raise PositionError(
                f"an error rate cannot be estimated from {deals:,} deals. Use {MIN_DEALS} to "
                f"{MAX_DEALS:,} deals."
            )
        matchup = parse_matchup(a, b, parsed_variant.spec, seed, "deal")
        evaluator = parse_matchup(judge or strongest_strategy, b, parsed_variant.spec, seed, "deal")
        n_worlds = DEFAULT_EVALUATION_WORLDS if worlds is None else worlds
        return cls(matchup, evaluator, deals, n_worlds)


@dataclass(frozen=True, repr=False)
class ErrorRates(Result):
    """Error rates of a strategy, with the evaluated decisions and their costs.

    All values use the measure of the variant: points or the percentage of deals won. In games with
    a die, the measure is the number of deals or games won.

    Attributes:
        task: Specification of the evaluated deals.
        decisions: Evaluated decisions of each pair, or of each deal.
        evaluator_lead: Gain per deal of the evaluator against B, minus the gain of A against B.
    """

    task: EvaluationTask
    decisions: list[list[EvaluatedDecision]]
    evaluator_lead: Estimate

    @property
    def played_matchups(self) -> list[tuple[Matchup, int]]:
        """Matchup of the evaluator, with the number of evaluated deals or mirrored pairs."""
        return [(self.task.evaluator, len(self.decisions))]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the error rates as a DataFrame."""
        return {"rates": self.frame}

    def records(self) -> list[ErrorRateRow]:
        """Return rows of error rates, followed by rows of the costliest decisions."""
        return self._records

    def report(self, command: str) -> Report:
        """Return the report of the error rates."""
        return build_rates_report(self, command)

    @cached_property
    def _records(self) -> list[ErrorRateRow]:
        return build_rates_rows(self)

    @property
    def unit(self) -> str:
        """Unit in which costs are measured."""
        return COST_UNITS[select_measure(self.task.matchup.variant)]

    @property
    def n_deals(self) -> int:
        """Number of deals in which decisions were evaluated."""
        return len(self.decisions) * self.deals_per_unit

    @property
    def unit_per_deal(self) -> str:
        """Unit in which costs per deal are measured."""
        return self.unit if self.unit.startswith("%") else f"{self.unit} per deal"

    @cached_property
    def total_loss(self) -> Estimate:
        """Total loss in points per deal."""
        return self.estimate_rate()

    @cached_property
    def gains_per_unit(self) -> np.ndarray:
        """Gain per deal from the evaluator's actions, in each deal or mirrored pair, (n_units,)."""
        return self.compute_sums_per_deal(lambda decision: decision.evaluator_action_gain)

    def estimate_rate(self, kind: str = "", mistake: str = "") -> Estimate:
        """Estimate the points lost per deal, in total or for one kind of decision or mistake.

        Args:
            kind: Kind of decision, a key of `MISTAKES_BY_DECISION_KIND`, or an empty string for all
                kinds.
            mistake: Type of mistake, a value of `MISTAKES_BY_DECISION_KIND`, or an empty string for
                all mistakes.
        """

        def get_cost(decision: EvaluatedDecision) -> float:
            return decision.cost if matches_kind(decision, kind, mistake) else 0.0

        return self.estimate_mean_cost(self.compute_sums_per_deal(get_cost))

    def estimate_mean_cost(self, costs: np.ndarray) -> Estimate:
        """Estimate the mean cost per deal, with a control variate that reduces the error."""
        return estimate_mean_with_control_variate(costs, self.gains_per_unit, self.evaluator_lead)

    def compute_mistake_frequency(self, kind: str = "", mistake: str = "") -> float:
        """Return the number of mistakes per deal, optionally of one kind."""
        return len(self.find_mistakes(kind, mistake)) / self.n_deals

    def find_mistakes(self, kind: str = "", mistake: str = "") -> list[EvaluatedDecision]:
        """Return the mistakes, optionally of one kind of decision or one type of mistake."""
        return [
            decision
            for decision in chain(*self.decisions)
            if decision.mistake and matches_kind(decision, kind, mistake)
        ]

    def find_costliest(self, n_decisions: int) -> list[tuple[EvaluatedDecision, Estimate]]:
        """Return the costliest decisions in descending order of their costs in new worlds."""
        mistakes = sorted(
            self.find_mistakes(), key=lambda decision: decision.best_gain_lower_bound, reverse=True
        )
        evaluator = DecisionEvaluator(self.task.evaluator, 0)
        costs = [
            (
                decision,
                estimate_mean(
                    evaluator.sample_gains_over_chosen(
                        position, decision.best_action, RECHECK_WORLDS
                    )
                ),
            )
            for decision in mistakes[:MAX_RECHECKED_DECISIONS]
            for position in iter_positions_of_a(self.find_deal(decision))
            if position.label == decision.position_label
        ]
        costs.sort(key=lambda pair: pair[1].value, reverse=True)
        return costs[:n_decisions]

    def find_deal(self, decision: EvaluatedDecision) -> TracedDeal:
        """Return the deal in which a decision was made."""
        return trace_deal(self.task.matchup, decision.unit_number, decision.mirrored_game)

    def format_command(self, decision: EvaluatedDecision) -> str:
        """Return the command that analyses a decision."""
        replay_command = self.task.matchup.make_replay_command(
            decision.unit_number, decision.mirrored_game, 0
        )
        evaluator = shell.quote_word(self.task.evaluator.a.spec)
        analyze_command = replay_command.replace("show", "analyze", 1)
        return f"{analyze_command} --turn {decision.turn} --as {evaluator}"

    @property
    def frame(self) -> pd.DataFrame:
        """DataFrame with a row per kind of decision, a row per type of mistake, and the total."""
        rows = []
        for kind, mistakes in MISTAKES_BY_DECISION_KIND.items():
            for mistake in ("", *mistakes):
                if self.find_mistakes(kind, mistake):
                    rows.append(self._build_row(kind, mistake))
        rows.append(self._build_row(ALL_DECISIONS_KIND, ""))
        return build_output_frame("rates", rows)

    def _build_row(self, kind: str, mistake: str) -> dict[str, object]:
        """Return the row with the loss from one kind of decision or mistake, or the total loss."""
        kind_name = "" if kind == ALL_DECISIONS_KIND else kind
        rate = self.estimate_rate(kind_name, mistake)
        return {
            "variant": self.task.matchup.variant.spec,
            "strategy": self.task.matchup.a.spec,
            "opponent": self.task.matchup.opponent,
            "unit": "deal",
            "metric": "given_up",
            **self.make_loss_columns(rate),
            "n": self.n_deals,
            "kind": kind,
            "mistake": mistake,
            "judge": self.task.evaluator.a.spec,
            "per_deal": self.compute_mistake_frequency(kind_name, mistake),
            "points": rate.value,
            "counted": self.unit,
            "deals": self.n_deals,
            "worlds": self.task.n_worlds,
        }

    @property
    def display_factor(self) -> int:
        """Factor by which values are multiplied for display: 100 for a proportion, otherwise 1."""
        return 100 if self.unit.startswith("%") else 1

    def make_loss_columns(self, rate: Estimate) -> dict[str, float]:
        """Return the columns of a loss: value, standard error and confidence bounds."""
        names = ("value", "se", "low", "high")
        return {name: getattr(rate, name) / self.display_factor for name in names}

    def compute_sums_per_deal(self, get_value: Callable[[EvaluatedDecision], float]) -> np.ndarray:
        """Return the sum of a value over each unit's decisions, divided by the deals per unit."""
        sums = [sum(get_value(decision) for decision in unit) for unit in self.decisions]
        return np.array(sums, np.float64) / self.deals_per_unit

    @property
    def deals_per_unit(self) -> int:
        """Number of deals per unit: 2 for a mirrored pair, otherwise 1."""
        return 2 if self.task.matchup.is_mirrored else 1


def matches_kind(decision: EvaluatedDecision, kind: str, mistake: str) -> bool:
    """Return True if a decision matches a kind and a type of mistake ("" matches all)."""
    return kind in ("", decision.decision_kind) and mistake in ("", decision.mistake)


def estimate_error_rates(
    task: EvaluationTask, workers: int | None = None, on_progress: OnProgress | None = None
) -> ErrorRates:
    """Estimate the error rates of strategy A by evaluating all of its decisions.

    The result does not depend on the number of workers.

    Raises:
        PolicyCallError: If a policy fails.
    """
    kernel.compile_matchup(task.matchup)
    kernel.compile_matchup(task.evaluator)
    n_units = task.matchup.count_units(task.n_deals)
    evaluator_lead = estimate_evaluator_lead(task, workers)
    return ErrorRates(task, evaluate_units(task, 0, n_units, workers, on_progress), evaluator_lead)


def evaluate_units(
    task: EvaluationTask,
    first_unit: int,
    n_units: int,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
) -> list[list[EvaluatedDecision]]:
    """Evaluate the decisions of strategy A in consecutive mirrored pairs or deals.

    Args:
        task: Specification of the evaluated deals.
        first_unit: Number of the first pair.
        n_units: Number of pairs.
        workers: Number of worker threads.
        on_progress: Function that receives the progress, the total, and a function that returns the
            current result as a string.

    Returns:
        Evaluated decisions of each pair.
    """
    evaluator, matchup = DecisionEvaluator(task.evaluator, task.n_worlds), task.matchup
    costs: list[float] = []  # costs of the decisions in each deal

    def evaluate_unit(unit_offset: int, _n: int) -> list[EvaluatedDecision]:
        decisions = []
        for half in range(2 if matchup.is_mirrored else 1):
            deal = trace_deal(matchup, first_unit + unit_offset, half)
            if deal.error:
                raise kernel.PolicyCallError(deal.error) from deal.exception
            evaluated_decisions = evaluator.evaluate(deal)
            costs.append(sum(decision.cost for decision in evaluated_decisions))
            decisions += evaluated_decisions
        return decisions

    report = make_loss_reporter(matchup, costs, on_progress)
    return map_units(evaluate_unit, n_units, 1, workers, report)


def make_loss_reporter(
    matchup: Matchup, costs: Sequence[float], on_progress: OnProgress | None
) -> ProgressCallback | None:
    """Return a progress callback that also reports the mean loss per deal so far."""
    if on_progress is None:
        return None
    phrase = format_loss_phrase(matchup)
    return lambda done, total: on_progress(done, total, lambda: f"{np.mean(costs):.1f} {phrase}")


def format_loss_phrase(matchup: Matchup) -> str:
    """Return the name of the loss with its unit, such as `points lost per deal`."""
    unit = COST_UNITS[select_measure(matchup.variant)]
    return f"{unit} lost through mistakes" if unit.startswith("%") else f"{unit} lost per deal"


def estimate_evaluator_lead(task: EvaluationTask, workers: int | None = None) -> Estimate:
    """Estimate the evaluator's lead over A per deal from separate deals."""
    n_units = task.matchup.count_units(task.n_deals)
    gains = compute_mean_gains(task.evaluator, n_units, workers)
    return estimate_mean(gains - compute_mean_gains(task.matchup, n_units, workers))


def compute_mean_gains(matchup: Matchup, n_units: int, workers: int | None = None) -> np.ndarray:
    """Play extra deals, and return A's mean gain per deal in each deal or mirrored pair."""
    if matchup.b is not None and not matchup.is_mirrored:
        return np.zeros(EXTRA_DEALS_PER_EVALUATED_DEAL * n_units)
    n_batches = -(-n_units // matchup.batch_size)
    first_unit = n_batches * matchup.batch_size  # Start after the evaluated deals.

    def play_units(unit_offset: int, n_block_units: int) -> np.ndarray:
        _, records = kernel.play_with_records(matchup, first_unit + unit_offset, n_block_units)
        return np.asarray(
            compute_gains(records, matchup.variant).reshape(n_block_units, -1).mean(axis=1)
        )

    return np.concatenate(
        map_units(
            play_units, EXTRA_DEALS_PER_EVALUATED_DEAL * n_units, PAIRS_PER_ENGINE_CALL, workers
        )
    )


# Report


def build_rates_report(rates: ErrorRates, command: str = "") -> Report:
    """Build the report of error rates, including the evaluator's lead."""
    matchup = rates.task.matchup
    strategy, opponent, evaluator = _make_short_names(rates)
    opponent_phrase = f" against {opponent}" if matchup.b else ""
    sentences = [f"{evaluator} evaluated the decisions in {rates.n_deals:,} deals."]
    if strategy != evaluator:
        lead = numbers.format_estimate(
            rates.evaluator_lead.value, rates.evaluator_lead.low, rates.evaluator_lead.high
        )
        lead_text = f"{lead} {rates.unit_per_deal}"
        sentences.append(f"{evaluator} gains {lead_text} more than {strategy}{opponent_phrase}.")
    return Report(
        question=f"Error rate of {strategy}{opponent_phrase} ({matchup.variant.spec})",
        verdict=sentences,
        tables=[build_rates_table(rates, evaluator)],
        command=command,
    )


def _make_short_names(rates: ErrorRates) -> tuple[str, str, str]:
    """Return the short names of the strategy, the opponent and the evaluator."""
    task = rates.task
    names_by_spec = make_short_names([task.matchup, task.evaluator])
    players = (*task.matchup.players, task.evaluator.a)
    names = [names_by_spec.get(player.spec, player.spec) for player in players]
    return names[0], names[-2], names[-1]


def build_rates_table(rates: ErrorRates, evaluator_name: str) -> Table:
    """Return a table with a row for each type of decision, followed by rows for its mistakes."""
    frame = rates.frame
    kinds = zip(frame["kind"], frame["mistake"], strict=True)
    frame["decision"] = [
        f"  {mistake}" if mistake else DECISION_TITLES[kind] for kind, mistake in kinds
    ]
    note = (
        f"The action that {evaluator_name} chooses counts as the best action, unless another "
        f"action is significantly better in {rates.task.n_worlds} worlds. ± marks 95 % confidence "
        f"intervals.{format_few_worlds_warning(rates.task.n_worlds)}"
    )
    columns = (
        Column("decision", "decision"),
        Column("per_deal", "mistakes per deal", digits=2),
        Column("value", format_loss_phrase(rates.task.matchup), factor=rates.display_factor),
    )
    return Table("Loss by type of decision", frame, columns, note)


def format_few_worlds_warning(n_worlds: int) -> str:
    """Return a warning if the number of worlds is too small to find better actions, or ""."""
    if n_worlds >= MIN_RELIABLE_WORLDS:
        return ""
    return (
        f" With fewer than {MIN_RELIABLE_WORLDS} worlds, simgin overlooks some better "
        "actions and underestimates the loss."
    )


def build_rates_rows(rates: ErrorRates) -> list[ErrorRateRow]:
    """Return rows of error rates, followed by a row for each of the costliest decisions."""
    rows: list[Any] = rates.frame.to_dict("records")
    columns = {name: rows[0][name] for name in ("variant", "strategy", "opponent", "unit")}
    costliest_rows = [
        {
            **columns,
            "metric": "cost",
            **rates.make_loss_columns(cost),
            "n": int(cost.n),
            "decision": decision.position_label,
            "kind": decision.decision_kind,
            "mistake": decision.mistake,
            "done": decision.chosen_action,
            "best": decision.best_action,
            "points": cost.value,
            "counted": rates.unit,
            "command": rates.format_command(decision),
        }
        for decision, cost in rates.find_costliest(N_COSTLIEST_DECISIONS)
    ]
    return rows + costliest_rows


def describe_costliest(rows: Sequence[ErrorRateRow]) -> Iterator[tuple[str, str]]:
    """Yield descriptions of the costliest decisions, each with the command that analyses it."""
    for row in rows:
        if row["metric"] == "cost" and is_mistake(row["low"]):
            factor = 100 if row["counted"].startswith("%") else 1
            cost = numbers.format_estimate(row["value"], row["low"], row["high"], factor)
            chosen_action, best = row["done"], format_better_action(row["done"], row["best"])
            label, *_ = row["decision"].split(",")
            text = f"{cost:>8} {row['counted']}: {label}. Chosen: {chosen_action}. Better: {best}"
            yield text, row["command"]

"""Error rates: points that a strategy loses per deal, by kind of decision.

Every decision of the strategy is evaluated (simgin.analysis.decision_evaluator). By the performance
difference lemma (Kakade and Langford 2002), the gains of the evaluator's actions sum to the
evaluator's lead over the strategy against the same opponent. This lead is estimated precisely from
deals without evaluation, and serves as a control variate of the error rates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.analysis.analysis import counted_by, gains
from simgin.analysis.judge import MISTAKES, Judge, Judged, own_positions
from simgin.analysis.position import PositionError, better
from simgin.play import kernel
from simgin.play.matchup import Matchup, own_names, parse_matchup
from simgin.play.parallel import over_units
from simgin.play.watch import WatchedDeal, watch_deal
from simgin.plots.answers import UNITS
from simgin.report import numbers
from simgin.report.report import Report
from simgin.report.table import Column, Table
from simgin.rules import variants
from simgin.runs.manifest import run_identity
from simgin.stats.estimate import Estimate, mean_of
from simgin.stats.table import frame_of
from simgin.stats.variance import anchored_mean
from simgin.strategy.cast import strong_player
from simgin.text import shell

if TYPE_CHECKING:
    import pandas as pd

    from simgin.report.progress import OnProgress

WORLDS = 200
ENOUGH_WORLDS = 100  # with only 20 worlds, error rates are two points too low
FEWEST_DEALS, MOST_DEALS = 100, 100_000  # intervals are not reliable with fewer deals
PLAIN = 25  # deals without evaluation per evaluated deal
CALL_UNITS = 1000  # pairs per engine call
ALL = "all"
# Decisions that seem costliest, and new worlds for each, because the first estimates are biased
CANDIDATES, NEW_WORLDS = 20, 1000
COSTLIEST = 5  # decisions listed in the report
KINDS = {
    "upcard": "first upcard",
    "draw": "discard pile or stock",
    "discard": "what to discard",
    "knock": "end the deal or play on",
    "die": "the die",
    "all": "all",
}

Row = dict[str, Any]


@dataclass(frozen=True)
class Trial:
    """Deals to evaluate.

    Attributes:
        matchup: A, the evaluated strategy, against B.
        evaluator: The evaluator against B, or in a solitaire game.
        n_deals: Number of deals.
        n_worlds: Maximum number of worlds per decision.
    """

    matchup: Matchup
    judge: Matchup
    deals: int
    worlds: int = WORLDS

    @classmethod
    def read(
        cls,
        a: str,
        b: str | None,
        variant: str,
        judge: str | None,
        deals: int,
        worlds: int = WORLDS,
        seed: int = 1,
    ) -> Trial:
        """Parse a task. The evaluator and B are the strongest strategies by default.

        Raises:
            PositionError: If there are too few deals or too many.
        """
        game = variants.find(variant)
        best = strong_player(game)
        if game.row["players"] == 2:
            b = b or best
        if not FEWEST_DEALS <= deals <= MOST_DEALS:
            raise PositionError(
                f"name {FEWEST_DEALS} to {MOST_DEALS:,} deals, not {deals:,}: with fewer no "
                "interval can be trusted."
            )
        matchup = parse_matchup(a, b, game.text, seed, "deal")
        return cls(matchup, parse_matchup(judge or best, b, game.text, seed, "deal"), deals, worlds)


@dataclass(frozen=True)
class ErrorRates:
    """Evaluated decisions of a strategy and their costs.

    All values are in the measure of the variant: points, % of deals won, or won deals or games in
    games with a die.

    Attributes:
        task: The evaluated deals.
        decisions: Evaluated decisions by pair, or by deal.
        lead: Gain per deal of the evaluator minus that of A, against B.
    """

    trial: Trial
    judged: list[list[Judged]]
    lead: Estimate

    @property
    def identity(self) -> dict[str, Any]:
        """See `simgin.report.report.Result`."""
        return run_identity([self.trial.judge])

    @property
    def units(self) -> list[int]:
        """See `simgin.report.report.Result`."""
        return [len(self.judged)]

    def frames(self) -> dict[str, pd.DataFrame]:
        """Return the error rates as a DataFrame."""
        return {"rates": self.frame()}

    def records(self) -> list[Row]:
        """Return the rows of the error rates and of the costliest decisions."""
        return self._records

    def report(self, command: str) -> Report:
        """Return the report of the error rates."""
        return rates_report(self, command)

    @cached_property
    def _records(self) -> list[Row]:
        return rates_rows(self)

    @property
    def unit(self) -> str:
        """Unit of the costs."""
        return UNITS[counted_by(self.trial.matchup.variant)]

    @property
    def deals(self) -> int:
        """Number of evaluated deals."""
        return len(self.judged) * self.halves

    @property
    def unit_of_a_deal(self) -> str:
        """Unit of the costs per deal."""
        return self.unit if self.unit.startswith("%") else f"{self.unit} a deal"

    @cached_property
    def total(self) -> Estimate:
        """Points lost per deal."""
        return self.rate()

    @cached_property
    def usual(self) -> np.ndarray:
        """Gains of the evaluator's actions in points per deal, float64 (n_units,)."""
        return self.by_unit(lambda judged: judged.usual_cost)

    def rate(self, kind: str = "", mistake: str = "") -> Estimate:
        """Return the points lost per deal: in total, by kind of decision, or by mistake.

        Args:
            kind: Kind of decision, a key of `MISTAKES`; empty for all.
            mistake: One of the mistakes of this kind; empty for all.
        """

        def cost(judged: Judged) -> float:
            return judged.cost if belongs(judged, kind, mistake) else 0.0

        return self.mean(self.by_unit(cost))

    def mean(self, by_unit: np.ndarray) -> Estimate:
        """Return the mean of costs per unit, with the evaluator's lead as a control variate."""
        return anchored_mean(by_unit, self.usual, self.lead)

    def frequency(self, kind: str = "", mistake: str = "") -> float:
        """Return the number of mistakes per deal."""
        found = [judged for unit in self.judged for judged in unit if judged.mistake]
        return sum(belongs(judged, kind, mistake) for judged in found) / self.deals

    def costliest(self, n: int) -> list[tuple[Judged, Estimate]]:
        """Return the costliest decisions, costliest first, each with its cost in new worlds."""
        wrong = [judged for unit in self.judged for judged in unit if judged.mistake]
        wrong.sort(key=lambda judged: judged.seeming, reverse=True)
        judge = Judge(self.trial.judge, 0)
        found = []
        for judged in wrong[:CANDIDATES]:
            for position in own_positions(self.deal(judged)):
                if position.place == judged.place:
                    found.append((judged, mean_of(judge.lead(position, judged.best, NEW_WORLDS))))
        found.sort(key=lambda pair: pair[1].value, reverse=True)
        return found[:n]

    def deal(self, judged: Judged) -> WatchedDeal:
        """Return the deal of a decision."""
        return watch_deal(self.trial.matchup, judged.unit, judged.half)

    def command(self, judged: Judged) -> str:
        """Return the command that analyses a decision."""
        show = self.trial.matchup.replay(judged.unit, judged.half, 0)
        judge = shell.quote(self.trial.judge.a.text)
        return f"{show.replace('show', 'analyze', 1)} --turn {judged.turn} --as {judge}"

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per kind of decision, per mistake, and in total.

        The rows are tidy. In a row for all mistakes of a kind, `mistake` is empty. Columns:

        * `value`: loss per deal, in points or as a proportion of deals won (see `counted`).
        * `per_deal`: number of mistakes per deal.
        * `points`: the value as displayed, in points or %.
        """
        rows = []
        for kind, mistakes in MISTAKES.items():
            for mistake in ("", *mistakes):
                if self.frequency(kind, mistake):
                    rows.append(self._row(kind, mistake))
        rows.append(self._row(ALL, ""))
        return frame_of(rows)

    def _row(self, kind: str, mistake: str) -> dict[str, object]:
        named = "" if kind == ALL else kind
        rate = self.rate(named, mistake)
        return {
            "variant": self.trial.matchup.variant.text,
            "strategy": self.trial.matchup.a.text,
            "opponent": self.trial.matchup.opponent,
            "unit": "deal",
            "metric": "given_up",
            **self.tidy(rate),
            "n": self.deals,
            "kind": kind,
            "mistake": mistake,
            "judge": self.trial.judge.a.text,
            "per_deal": self.frequency(named, mistake),
            "points": rate.value,
            "counted": self.unit,
            "deals": self.deals,
            "worlds": self.trial.worlds,
        }

    @property
    def factor(self) -> int:
        """Factor from a tidy value to the displayed one: 100 for a proportion, otherwise 1."""
        return 100 if self.unit.startswith("%") else 1

    def tidy(self, rate: Estimate) -> dict[str, float]:
        """Return value, standard error and bounds of a loss as columns of a tidy row."""
        names = ("value", "se", "low", "high")
        return {name: getattr(rate, name) / self.factor for name in names}

    def by_unit(self, number: Callable[[Judged], float]) -> np.ndarray:
        """Sum a function over the decisions of each unit, per deal: float64 (n_units,)."""
        sums = [sum(number(judged) for judged in unit) for unit in self.judged]
        return np.array(sums, np.float64) / self.halves

    @property
    def halves(self) -> int:
        """Number of deals per unit of analysis: 2 for a mirrored pair, otherwise 1."""
        return 2 if self.trial.matchup.mirrored else 1


def belongs(judged: Judged, kind: str, mistake: str) -> bool:
    """Return True if a decision has this kind and this mistake; an empty name matches all."""
    return kind in ("", judged.kind) and mistake in ("", judged.mistake)


def run_error_rates(
    trial: Trial, workers: int | None = None, on_progress: OnProgress | None = None
) -> ErrorRates:
    """Evaluate every decision of strategy A in a number of deals.

    The result does not depend on the number of workers.

    Raises:
        PolicyFailure: If a policy fails.
    """
    kernel.prepare(trial.matchup)
    kernel.prepare(trial.judge)
    units = trial.matchup.units(trial.deals)
    lead = measured_lead(trial, workers)
    return ErrorRates(trial, judge_units(trial, 0, units, workers, on_progress), lead)


def judge_units(
    trial: Trial,
    first: int,
    units: int,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
) -> list[list[Judged]]:
    """Evaluate the decisions of strategy A in consecutive pairs or deals.

    Args:
        trial: The evaluated deals.
        first: Number of the first pair.
        units: Number of pairs.
        workers: Number of worker threads.
        on_progress: Called with the progress, its total, and a function that returns the result so
            far as a string.

    Returns:
        Evaluated decisions by pair.
    """
    judge, matchup = Judge(trial.judge, trial.worlds), trial.matchup
    costs: list[float] = []  # by deal

    def judge_unit(start: int, _n: int) -> list[Judged]:
        found = []
        for half in range(2 if matchup.mirrored else 1):
            deal = watch_deal(matchup, first + start, half)
            if deal.fault:
                raise kernel.PolicyFailure(deal.fault) from deal.raised
            judged = judge.judged(deal)
            costs.append(sum(decision.cost for decision in judged))
            found += judged
        return found

    def report(done: int, every: int) -> None:
        if on_progress is not None:
            on_progress(done, every, lambda: f"{np.mean(costs):.1f} {given_up(matchup)}")

    return over_units(judge_unit, units, 1, workers, report)


def given_up(matchup: Matchup) -> str:
    """Return a phrase for the quantity that error rates measure."""
    unit = UNITS[counted_by(matchup.variant)]
    return f"{unit} given up" if unit.startswith("%") else f"{unit} given up a deal"


def measured_lead(trial: Trial, workers: int | None = None) -> Estimate:
    """Estimate the evaluator's gain per deal minus that of A, from deals without evaluation."""
    units = trial.matchup.units(trial.deals)
    own = gained(trial.judge, units, workers)
    return mean_of(own - gained(trial.matchup, units, workers))


def gained(matchup: Matchup, units: int, workers: int | None = None) -> np.ndarray:
    """Return the gains of A per deal: float64 (LEAD_FACTOR * units,); 0 between equal players."""
    if matchup.b is not None and not matchup.mirrored:
        return np.zeros(PLAIN * units)
    batches = -(-units // matchup.batch)
    first = batches * matchup.batch  # after the evaluated deals

    def play(start: int, n: int) -> np.ndarray:
        _, records = kernel.play_recorded(matchup, first + start, n)
        return np.asarray(gains(records, matchup.variant).reshape(n, -1).mean(axis=1))

    return np.concatenate(over_units(play, PLAIN * units, CALL_UNITS, workers))


# Report


def rates_report(rates: ErrorRates, command: str = "") -> Report:
    """Build the report of error rates, with the evaluator's own lead."""
    matchup = rates.trial.matchup
    strategy, opponent, judge = _short_names(rates)
    against = f" against {opponent}" if matchup.b else ""
    said = [f"{rates.deals:,} deals, judged by {judge}."]
    if strategy != judge:
        lead = numbers.estimate(rates.lead.value, rates.lead.low, rates.lead.high)
        how_much = f"{lead} {rates.unit_of_a_deal}"
        said.append(f"{judge} itself is better than {strategy}{against} by {how_much}.")
    return Report(
        question=f"Error rate of {strategy}{against}, {matchup.variant.text}",
        verdict=said,
        tables=[rates_table(rates, judge)],
        command=command,
    )


def _short_names(rates: ErrorRates) -> tuple[str, str, str]:
    """Return the short names of strategy, opponent and evaluator."""
    trial = rates.trial
    short = own_names([trial.matchup, trial.judge])
    players = (*trial.matchup.players, trial.judge.a)
    names = [short.get(player.text, player.text) for player in players]
    return names[0], names[-2], names[-1]


def rates_table(rates: ErrorRates, judge: str) -> Table:
    """Return a table with a row for each kind of decision, followed by its mistakes."""
    frame = rates.frame()
    kinds = zip(frame["kind"], frame["mistake"], strict=True)
    frame["decision"] = [f"  {mistake}" if mistake else KINDS[kind] for kind, mistake in kinds]
    note = (
        f"The best is what {judge} does, or what was clearly better in {rates.trial.worlds} "
        "worlds; then it plays on. ± are 95 % intervals."
        f"{missed(rates.trial.worlds)}"
    )
    columns = (
        Column("decision", "decision"),
        Column("per_deal", "not the best, a deal", digits=2),
        Column("value", given_up(rates.trial.matchup), factor=rates.factor),
    )
    return Table("What was given up, by what was to be decided", frame, columns, note)


def missed(worlds: int) -> str:
    """Return a warning if there are too few worlds to find better actions, otherwise nothing."""
    if worlds >= ENOUGH_WORLDS:
        return ""
    return (
        f" With fewer than {ENOUGH_WORLDS} worlds better actions are missed, and what is given up "
        "comes out too low."
    )


def rates_rows(rates: ErrorRates) -> list[Row]:
    """Return the rows of the DataFrame, and a row for each of the costliest decisions."""
    found: list[Any] = rates.frame().to_dict("records")
    who = {name: found[0][name] for name in ("variant", "strategy", "opponent", "unit")}
    costliest = [
        {
            **who,
            "metric": "cost",
            **rates.tidy(lead),
            "n": int(lead.n),
            "decision": judged.place,
            "kind": judged.kind,
            "mistake": judged.mistake,
            "done": judged.done,
            "best": judged.best,
            "points": lead.value,
            "counted": rates.unit,
            "command": rates.command(judged),
        }
        for judged, lead in rates.costliest(COSTLIEST)
    ]
    return found + costliest


def costliest_in_words(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield a description and a command for each costliest decision in the rows of a report."""
    for row in rows:
        if row["metric"] == "cost" and row["value"] > 0:
            factor = 100 if row["counted"].startswith("%") else 1
            cost = numbers.estimate(row["value"], row["low"], row["high"], factor)
            done, best = row["done"], better(row["done"], row["best"])
            told = f"{cost:>8} {row['counted']}: {row['decision']}: {done}, better {best}"
            yield told, row["command"]

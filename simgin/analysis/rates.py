"""Error rates: the points that a strategy gives up a deal, by what it had to decide.

Every decision of its deals against an opponent is judged (simgin.analysis.judge). What the
judge does in its place is worth, in all, what the judge scores more against the same opponent: so
says the performance difference lemma. That is known well from plain deals, and sets the rates
right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simgin.analysis.analysis import counted_by, gains, strongest
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
from simgin.stats.estimate import Estimate, mean_of
from simgin.stats.table import frame_of
from simgin.stats.variance import anchored_mean
from simgin.text import shell

if TYPE_CHECKING:
    import pandas as pd

WORLDS = 200
ENOUGH_WORLDS = 100  # with 20 a rate is two points lower than with these or more
FEWEST_DEALS, MOST_DEALS = 100, 100_000  # with fewer no interval can be trusted
PLAIN = 25  # deals played and not judged, for each that is judged
CALL_UNITS = 1000  # of one call of the engine
ALL = "all"
# Decisions that seem costliest, and the worlds in which they are looked at again: the one that
# came first may owe it to its worlds
CANDIDATES, NEW_WORLDS = 20, 1000
COSTLIEST = 5  # decisions that are named
KINDS = {
    "upcard": "first upcard",
    "draw": "discard pile or stock",
    "discard": "what to discard",
    "knock": "end the deal or play on",
    "die": "the die",
    "all": "all",
}

Row = dict[str, Any]
Progress = Callable[[int, int, Callable[[], str]], None]


@dataclass(frozen=True)
class Trial:
    """What is to be judged: deals of A against B, by a judge in so many worlds a decision."""

    matchup: Matchup
    judge: Matchup  # the judge against B, or alone
    deals: int
    worlds: int = WORLDS


@dataclass(frozen=True)
class ErrorRates:
    """The decisions of a strategy, and what they gave up.

    judged: by unit. lead: what the judge gains more than A against B, a deal. All of it is in what
    the variant counts by: points, per cent of deals won, or by the die won deals or games.
    """

    trial: Trial
    judged: list[list[Judged]]
    lead: Estimate

    @property
    def unit(self) -> str:
        """What is given up."""
        return UNITS[counted_by(self.trial.matchup.variant)]

    @property
    def deals(self) -> int:
        """The deals that were judged."""
        return len(self.judged) * self.halves

    @property
    def unit_of_a_deal(self) -> str:
        """What is given up in a deal."""
        return self.unit if self.unit.startswith("%") else f"{self.unit} a deal"

    @cached_property
    def total(self) -> Estimate:
        """The points given up a deal."""
        return self.rate()

    @cached_property
    def usual(self) -> np.ndarray:
        """What the judge's own actions would have brought more: points a deal, by unit."""
        return self.by_unit(lambda judged: judged.usual_cost)

    def rate(self, kind: str = "", mistake: str = "") -> Estimate:
        """The points given up a deal, all or by decisions of a kind and mistakes of a kind."""

        def cost(judged: Judged) -> float:
            return judged.cost if belongs(judged, kind, mistake) else 0.0

        return self.mean(self.by_unit(cost))

    def mean(self, by_unit: np.ndarray) -> Estimate:
        """The mean of what was given up in units, set right by what the judge gains."""
        return anchored_mean(by_unit, self.usual, self.lead)

    def frequency(self, kind: str = "", mistake: str = "") -> float:
        """How often a deal something else was found better."""
        found = [judged for unit in self.judged for judged in unit if judged.mistake]
        return sum(belongs(judged, kind, mistake) for judged in found) / self.deals

    def costliest(self, n: int) -> list[tuple[Judged, Estimate]]:
        """The costliest decisions that were found, the costliest first, with what they gave up.

        That is the mean over worlds that had no part in finding them.
        """
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
        """The deal of a decision."""
        return watch_deal(self.trial.matchup, judged.unit, judged.half)

    def command(self, judged: Judged) -> str:
        """The command that analyses a decision."""
        show = self.trial.matchup.replay(judged.unit, judged.half, 0)
        judge = shell.quote(self.trial.judge.a.text)
        return f"{show.replace('show', 'analyze', 1)} --turn {judged.turn} --as {judge}"

    def frame(self) -> pd.DataFrame:
        """A row for each kind of decision (mistake: empty), each mistake of it, and all together.

        Tidy rows: value is what is given up a deal, in points or as a share of deals won from 0
        to 1 (`counted` says which). per_deal: how often a deal something else was found better.
        points: the value as it is shown, in points or per cent.
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
        """What a tidy value is multiplied by to be shown: 100 for a share, in per cent."""
        return 100 if self.unit.startswith("%") else 1

    def tidy(self, rate: Estimate) -> dict[str, float]:
        """Value, error and limits of what is given up as tidy rows have them."""
        names = ("value", "se", "low", "high")
        return {name: getattr(rate, name) / self.factor for name in names}

    def by_unit(self, number: Callable[[Judged], float]) -> np.ndarray:
        """The sum of a number over the decisions of each unit, a deal."""
        sums = [sum(number(judged) for judged in unit) for unit in self.judged]
        return np.array(sums, np.float64) / self.halves

    @property
    def halves(self) -> int:
        """The deals of a unit."""
        return 2 if self.trial.matchup.mirrored else 1


def belongs(judged: Judged, kind: str, mistake: str) -> bool:
    """Return True if a decision is of this kind and this mistake; an empty name matches all."""
    return kind in ("", judged.kind) and mistake in ("", judged.mistake)


def read_trial(
    a: str, b: str | None, variant: str, judge: str | None, deals: int, worlds: int, seed: int
) -> Trial:
    """What is to be judged, from text forms; the judge and B are by default the strongest.

    Raises PositionError for too few deals or too many, and what the loaders raise.
    """
    game = variants.find(variant)
    best = strongest(game)
    if game.row["players"] == 2:
        b = b or best
    if not FEWEST_DEALS <= deals <= MOST_DEALS:
        raise PositionError(
            f"name {FEWEST_DEALS} to {MOST_DEALS:,} deals, not {deals:,}: with fewer no interval "
            "can be trusted."
        )
    matchup = parse_matchup(a, b, game.text, seed, "deal")
    return Trial(matchup, parse_matchup(judge or best, b, game.text, seed, "deal"), deals, worlds)


def error_rates(
    trial: Trial, workers: int | None = None, progress: Progress | None = None
) -> ErrorRates:
    """Judge every decision of strategy A in some deals.

    Does not depend on workers. Raises PolicyFailure.
    """
    kernel.prepare(trial.matchup)
    kernel.prepare(trial.judge)
    units = trial.matchup.units(trial.deals)
    lead = measured_lead(trial, workers)
    return ErrorRates(trial, judge_units(trial, 0, units, workers, progress), lead)


def judge_units(
    trial: Trial,
    first: int,
    units: int,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[list[Judged]]:
    """The decisions of strategy A in each of some units."""
    judge, matchup = Judge(trial.judge, trial.worlds), trial.matchup
    costs: list[float] = []  # of deals so far

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
        if progress is not None:
            progress(done, every, lambda: f"{np.mean(costs):.1f} {given_up(matchup)}")

    return over_units(judge_unit, units, 1, workers, report)


def given_up(matchup: Matchup) -> str:
    """What error rates count, in words."""
    unit = UNITS[counted_by(matchup.variant)]
    return f"{unit} given up" if unit.startswith("%") else f"{unit} given up a deal"


def measured_lead(trial: Trial, workers: int | None = None) -> Estimate:
    """What the judge gains more than A against B, a deal, from other deals than those judged."""
    units = trial.matchup.units(trial.deals)
    own = gained(trial.judge, units, workers)
    return mean_of(own - gained(trial.matchup, units, workers))


def gained(matchup: Matchup, units: int, workers: int | None = None) -> np.ndarray:
    """What A gains a deal: float64 (PLAIN * units,). Equal players gain nothing."""
    if matchup.b is not None and not matchup.mirrored:
        return np.zeros(PLAIN * units)
    batches = -(-units // matchup.batch)
    first = batches * matchup.batch  # behind the deals that are judged

    def play(start: int, n: int) -> np.ndarray:
        _, records = kernel.play_recorded(matchup, first + start, n)
        return np.asarray(gains(records, matchup.variant).reshape(n, -1).mean(axis=1))

    return np.concatenate(over_units(play, PLAIN * units, CALL_UNITS, workers))


# What error rates say


def rates_report(rates: ErrorRates, command: str = "") -> Report:
    """What was given up, and what the judge itself gains."""
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
    """Strategy, opponent and judge, as files call them."""
    trial = rates.trial
    short = own_names([trial.matchup, trial.judge])
    players = (*trial.matchup.players, trial.judge.a)
    names = [short.get(player.text, player.text) for player in players]
    return names[0], names[-2], names[-1]


def rates_table(rates: ErrorRates, judge: str) -> Table:
    """A row for each kind of decision, and under it for each kind of mistake."""
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
    """A warning where so few worlds miss better actions, else nothing."""
    if worlds >= ENOUGH_WORLDS:
        return ""
    return (
        f" With fewer than {ENOUGH_WORLDS} worlds better actions are missed, and what is given up "
        "comes out too low."
    )


def rates_rows(rates: ErrorRates) -> list[Row]:
    """The rows of the frame, and one for each of the costliest decisions, with its command."""
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
    """Of some rows of `rates_rows` the costliest decisions, each with its command."""
    for row in rows:
        if row["metric"] == "cost" and row["value"] > 0:
            factor = 100 if row["counted"].startswith("%") else 1
            cost = numbers.estimate(row["value"], row["low"], row["high"], factor)
            done, best = row["done"], better(row["done"], row["best"])
            told = f"{cost:>8} {row['counted']}: {row['decision']}: {done}, better {best}"
            yield told, row["command"]

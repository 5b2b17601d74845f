"""Grades: points that a player lost in recorded deals, and a luck-adjusted result.

A mistake is found in some worlds, confirmed in others, and measured in further ones. The report has
the total of these costs, the costs by kind of decision, and the costliest decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from simgin.analysis import rates
from simgin.analysis.deal_file import Told, read_file
from simgin.analysis.game_logs import NOTES
from simgin.analysis.judge import CONFIRMING, Judge, Judged
from simgin.analysis.position import PositionError
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import over_units
from simgin.play.watch import WatchedDeal
from simgin.report import numbers
from simgin.report.progress import OnProgress
from simgin.report.report import Report
from simgin.report.table import Table, listed
from simgin.stats.estimate import ENOUGH_UNITS, Estimate, around, mean_of, undefined
from simgin.stats.variance import anchored_mean
from simgin.strategy.cast import CAST, strong_player
from simgin.strategy.text_form import exchange
from simgin.text import shell
from simgin.text.messages import quoted

# Points lost per deal, and the half-width of the 95 % interval
LADDER: dict[str, tuple[float, float]] = {
    name: (points, half) for name, (points, half) in CAST["points_lost"].items()
}
FEW = 100  # with fewer deals, the result is mostly luck
LOOK = 100  # worlds before the first comparison; with fewer, mistakes depend on the seed
LEAST_WORLDS = 1000  # for the measurement of a mistake
YOU = "you"
MANY = 3  # strategies with a similar rate; with more, the comparison is not informative
OF_LADDER = (
    "Of the roster: against champion, judged by champion, in hundreds of deals of eaai. Other "
    "rules and opponents move these rates somewhat."
)


@dataclass(frozen=True)
class GradeRequest:
    """Request for a grade.

    Attributes:
        task: Player and evaluator.
        deals_played: Deals as returned by `with_player_at`.
        files: Paths of the deals.
        engine: Engine that logged the deals, if it was not simgin.
    """

    trial: rates.Trial
    played: Sequence[WatchedDeal]
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
        """Read a request from files of recorded deals.

        Args:
            files: Paths, one deal per file.
            player: Name or seat of the player; by default the first player of the files.
            judge: Strategy of the evaluator; by default the strongest.
            opponent: Strategy that continues for the opponent; by default the opponent of all files
                if it is available, otherwise the strongest.
            worlds: Maximum number of worlds per decision.
            seed: Seed of the worlds.

        Raises:
            PositionError: If a file does not contain a deal, or if the variants or players differ.
        """
        told = [read_file(file) for file in files]
        variants = list(dict.fromkeys(one.deal.matchup.variant.text for one in told))
        if len(variants) > 1:
            raise PositionError(f"the files are of {' and '.join(variants)}: grade each apart.")
        seats = [_seat(one, player) for one in told]
        names = list(dict.fromkeys(one.names[seat] for one, seat in zip(told, seats, strict=True)))
        if len(names) > 1 and player is None:
            known = " and ".join(quoted(name, 40) for name in names)
            raise PositionError(f"the files are of {known}: name one by --player.")
        deals = [seen_from(one.deal, seat) for one, seat in zip(told, seats, strict=True)]
        across = {one.matchup.players[1 - one.state.half].text for one in deals if one.matchup.b}
        best = strong_player(deals[0].matchup.variant)
        other = opponent or (across.pop() if len(across) == 1 else best if across else None)
        name = names[0] if len(names) == 1 else f"seat {player}"
        judging = parse_matchup(judge or best, other, variants[0], seed, "deal")
        trial = trial_of(name, judging, len(deals), rates.WORLDS if worlds is None else worlds)
        return cls(trial, deals, files, told[0].engine)


@dataclass(frozen=True)
class Grade(rates.ErrorRates):
    """Error rates of a player in recorded deals.

    With fewer than `ENOUGH_UNITS` deals, standard errors are those of the measurement and do not
    cover other deals of the player. With more deals, they are standard errors of a mean over deals.

    Attributes:
        judged: Evaluated decisions by deal, with the index of the deal as `unit`.
        deals_played: Deals as returned by `with_player_at`.
        files: Paths of the deals, if they were read from files.
        opponent_decisions: Evaluated decisions of the opponent by deal.
        evaluator_gain: Gain per deal of the evaluator against the opponent in the rollouts.
        engine: Engine that logged the deals, if it was not simgin.
    """

    played: Sequence[WatchedDeal]
    files: Sequence[str]
    others: list[list[Judged]]
    level: Estimate
    engine: str = ""

    def report(self, command: str) -> Report:
        """Return the report of the grade."""
        return grade_report(self, command)

    @cached_property
    def _records(self) -> list[rates.Row]:
        return grade_rows(self)

    @property
    def halves(self) -> int:
        """One deal per unit of analysis."""
        return 1

    @property
    def is_rate(self) -> bool:
        """True if there are enough deals to estimate the player's error rate."""
        return self.deals >= ENOUGH_UNITS

    def mean(self, by_unit: np.ndarray) -> Estimate:
        """Return the mean over deals; with one deal, the standard error is unknown."""
        return mean_of(by_unit) if len(by_unit) > 1 else Estimate(float(by_unit[0]), np.nan, 1)

    def rate(self, kind: str = "", mistake: str = "") -> Estimate:
        """Return the points lost per deal, with the standard error described in the class."""
        own = [one for one in chain(*self.judged) if rates.belongs(one, kind, mistake)]
        if self.is_rate:
            return super().rate(kind, mistake)
        costs, errors = np.array([(one.cost, one.error) for one in own]).reshape(-1, 2).T
        error = float(np.sqrt(errors @ errors)) / self.deals
        return around(float(costs.sum()) / self.deals, error, self.deals, np.inf)

    def costliest(self, n: int) -> list[tuple[Judged, Estimate]]:
        """Return the costliest decisions with their costs, costliest first."""
        wrong = sorted(chain(*self.judged), key=lambda one: one.cost, reverse=True)
        worlds = measured_in(self.trial)
        return [
            (one, around(one.cost, one.error, worlds, worlds)) for one in wrong[:n] if one.mistake
        ]

    def deal(self, judged: Judged) -> WatchedDeal:
        """Return the deal of a decision."""
        return self.played[judged.unit]

    def command(self, judged: Judged) -> str:
        """Return the command that analyses a decision."""
        players = [player.text for player in self.trial.judge.players]
        by_seat = players[::-1] if judged.half else players
        words = ["simgin", "analyze", self.files[judged.unit], "--turn", str(judged.turn)]
        for option, player in zip(("--as", "--against"), by_seat, strict=False):
            words += [option, player]
        return shell.join(words)

    @property
    def has_ladder(self) -> bool:
        """True if the error rates of the built-in strategies are comparable."""
        return self.unit == "points" and self.trial.matchup.b is not None

    @cached_property
    def result(self) -> dict[str, Estimate]:
        """Points won per deal, and the luck-adjusted points; empty if they are unknown.

        By the performance difference lemma (Kakade and Langford 2002), the points won have the same
        mean as the opponent's loss minus the player's loss plus the evaluator's gain in place of
        the player. With enough deals, the difference between the two is a control variate for the
        points. Only complete deals count.
        """
        ended = [place for place, deal in enumerate(self.played) if deal.kind]
        if not ended or not self.has_ladder:
            return {}
        won, given = np.array([self._won_and_given(place) for place in ended], np.float64).T
        if len(ended) >= ENOUGH_UNITS:
            return {"won": self.mean(won), "less_luck": anchored_mean(won, won - given, self.level)}
        skill = self.mean(given + self.level.value)
        error = float(np.hypot(skill.se, self.level.se))
        less_luck = around(skill.value, error, skill.n, skill.n)
        return {"won": self.mean(won), "less_luck": less_luck}

    def _won_and_given(self, place: int) -> tuple[float, float]:
        """Return the points won in a deal, and the opponent's loss minus the player's loss."""
        seat, score = int(self.played[place].state.half), self.played[place].state.score
        given = [sum(one.usual_cost for one in side[place]) for side in (self.others, self.judged)]
        return float(score[seat] - score[1 - seat]), given[0] - given[1]


def seen_from(deal: WatchedDeal, seat: int) -> WatchedDeal:
    """Return the known part of a deal, with side A at a seat."""
    state = deal.state.copy()
    state.half = seat
    return replace(deal, state=state, fault="", is_cut=False)


def run_grade(
    request: GradeRequest, workers: int | None = None, on_progress: OnProgress | None = None
) -> Grade:
    """Evaluate every decision of the deals. See `grade_deals`."""
    found = grade(request.trial, request.played, request.files, workers, on_progress)
    return replace(found, engine=request.engine)


def grade(
    trial: rates.Trial,
    played: Sequence[WatchedDeal],
    files: Sequence[str] = (),
    workers: int | None = None,
    progress: OnProgress | None = None,
) -> Grade:
    """Evaluate every decision of a player, and of the opponent for the luck-adjusted result.

    The result does not depend on the number of workers.

    Args:
        trial: Player and evaluator.
        played: Deals as returned by `with_player_at`.
        files: Paths of the deals, if they were read from files.
        workers: Number of worker threads.
        progress: Called with the progress, its total, and a function that returns the result so
            far as a string.

    Raises:
        PolicyFailure: If a policy fails.
        PositionError: If the deals contain no decision.
    """
    kernel.prepare(trial.judge)
    own = Judge(trial.judge, trial.worlds, LOOK, clearly=0.0)
    b = trial.judge.b
    other = b and Judge(replace(trial.judge, a=b, b=trial.judge.a), 0)
    costs: list[float] = []

    def judge_deal(place: int, _n: int) -> tuple[list[Judged], list[Judged]]:
        deal = played[place]
        found = [replace(one, unit=place) for one in own.measured(deal, measured_in(trial))]
        costs.append(sum(one.cost for one in found))
        across = other.judged(seen_from(deal, 1 - int(deal.state.half))) if other else []
        return found, across

    def report(done: int, every: int) -> None:
        if progress is not None:
            progress(done, every, lambda: f"{np.mean(costs):.1f} {rates.given_up(trial.matchup)}")

    pairs = over_units(judge_deal, len(played), 1, workers, report)
    if not any(found for found, _ in pairs):
        raise PositionError("nothing is decided in these deals, as far as they are known.")
    mine, theirs = ([*side] for side in zip(*pairs, strict=True))
    level = (
        mean_of(rates.gained(trial.judge, max(FEW, len(played)), workers)) if b else undefined(0)
    )
    return Grade(trial, mine, undefined(0), played, files, theirs, level)


def measured_in(trial: rates.Trial) -> int:
    """Return the number of worlds for the measurement of a mistake."""
    return max(LEAST_WORLDS, trial.worlds)


def trial_of(name: str, judging: Matchup, deals: int, worlds: int = rates.WORLDS) -> rates.Trial:
    """Return the task for a player whose policies are never called."""
    player = exchange(judging.a, {}, name)
    return rates.Trial(replace(judging, a=player), judging, deals, worlds)


def _seat(told: Told, player: str | None) -> int:
    """Return the seat of the player."""
    if player is None:
        return told.first
    if player in told.names:
        return told.names.index(player)
    if player in map(str, range(len(told.names))):
        return int(player)
    known = " and ".join(quoted(name, 40) for name in told.names)
    raise PositionError(f"{quoted(player, 40)} is no player of {quoted(told.path)}: there {known}.")


# Report


def grade_report(grade: Grade, command: str = "") -> Report:
    """Build the report of a grade."""
    engine = grade.engine
    trial = grade.trial
    who = trial.matchup.a.text
    deals = "1 deal" if grade.deals == 1 else f"{grade.deals:,} deals"
    game = f" of {engine}" if engine else f", {trial.matchup.variant.text}"
    judge = trial.judge.a.text
    note = (
        f"The best is what {judge} does, or what was better in {trial.worlds} worlds and in "
        f"{CONFIRMING} others. What it brings more is measured in {measured_in(trial):,} further "
        f"worlds, in all of which {judge} plays on. ± are 95 % intervals."
        f"{rates.missed(trial.worlds)}"
    )
    table = replace(rates.rates_table(grade, judge), note=note)
    ladder = [ladder_table(grade)] if grade.has_ladder and grade.is_rate else []
    costliest = listed(
        "Costliest decisions", ("decision", "command"), rates.costliest_in_words(grade.records())
    )
    return Report(
        question=f"What {who} gave up in {deals}{game}",
        verdict=[*verdict(grade), *([NOTES[engine]] if engine else [])],
        tables=[table, *ladder, costliest],
        command=command,
    )


def grade_rows(grade: Grade) -> list[rates.Row]:
    """Return the rows of the error rates, and of points won with and without luck adjustment."""
    rows = rates.rates_rows(grade)
    who = {name: rows[0][name] for name in ("variant", "strategy", "opponent", "unit")}
    for metric, found in grade.result.items():
        rows.append({**who, "metric": metric, **grade.tidy(found), "n": int(found.n)})
    return [
        {name: None if value != value else value for name, value in row.items()}  # NaN
        for row in rows
    ]


def verdict(grade: Grade) -> Iterator[str]:
    """Yield sentences about the loss and the result, also used after a match against the user."""
    who = grade.trial.matchup.a.text
    who = "You" if who == YOU else who
    yield from _of_many(grade, who) if grade.is_rate else _of_few(grade, who)


def _of_many(grade: Grade, who: str) -> Iterator[str]:
    """Yield sentences for enough deals: the error rate, and the result with and without luck."""
    like = _like(grade.total) if grade.has_ladder else ""
    yield f"{who} gave up {_text(grade.total)} {grade.unit_of_a_deal}{like}."
    if grade.result:
        won, less_luck = map(_text, grade.result.values())
        yield (
            f"Result: {won} points a deal. Less luck, by what either player gave up: {less_luck}."
        )
    if grade.deals < FEW:
        yield f"{grade.deals} deals say little: the cards make most of it."


def _of_few(grade: Grade, who: str) -> Iterator[str]:
    """Yield sentences for few deals: the loss in these deals."""
    is_one = grade.deals == 1
    deals = "this deal" if is_one else f"these {grade.deals} deals"
    if grade.total.se:
        unit = grade.unit if is_one else grade.unit_of_a_deal
        yield f"{who} gave up {_text(grade.total)} {unit} in {deals}."
    else:
        yield f"{who} made no mistake that was found in {deals}."
    if grade.result:
        yield f"Result: {grade.result['won'].value:.1f} points{'' if is_one else ' a deal'}."
    plays = "you play" if who == "You" else f"{who} plays"
    number = "One deal" if is_one else f"{grade.deals} deals"
    yield (
        f"± is the error of measurement in {deals}. {number} cannot show how well {plays}: that "
        f"takes {ENOUGH_UNITS} or more."
    )


def _text(found: Estimate) -> str:
    return numbers.estimate(found.value, found.low, found.high)


def _like(total: Estimate) -> str:
    """Return the strategies with about the same error rate; empty if there are too many."""
    away = {name: abs(points - total.value) for name, (points, _) in LADDER.items()}
    like = [name for name, (points, _) in LADDER.items() if total.low <= points <= total.high]
    like = like or [min(away, key=away.__getitem__)]
    if len(like) > MANY:
        return ""
    return ", about as much as " + " or ".join(f"{name} ({LADDER[name][0]:g})" for name in like)


def ladder_table(grade: Grade) -> Table:
    """Return the table of the error rates of built-in strategies and of the player."""
    rows = [(points, name, f"{points} ± {half}") for name, (points, half) in LADDER.items()]
    rows.append((grade.total.value, f"> {grade.trial.matchup.a.text}", _text(grade.total)))
    told = [row[1:] for row in sorted(rows)]
    return listed("Ladder", ("player", "points given up a deal"), told, OF_LADDER)

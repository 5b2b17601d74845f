"""Grades: what a player gave up in deals that were really played, and the result less luck.

The judge stands where it stands for the error rates of a strategy (simgin.analysis.rates), but
nobody can play on as the player did: the mean of some deals is all that there is.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from simgin.analysis import rates
from simgin.analysis.analysis import strongest
from simgin.analysis.deal_file import Told
from simgin.analysis.game_logs import NOTES
from simgin.analysis.judge import Judge, Judged
from simgin.analysis.position import PositionError
from simgin.play import kernel
from simgin.play.matchup import Matchup, parse_matchup
from simgin.play.parallel import over_units
from simgin.play.watch import WatchedDeal
from simgin.report import numbers
from simgin.report.report import Report
from simgin.report.table import Table, listed
from simgin.stats.estimate import ENOUGH_UNITS, Estimate, around, mean_of, undefined
from simgin.stats.variance import anchored_mean
from simgin.strategy.text_form import exchange
from simgin.text.messages import quoted

# Points that players give up a deal against champion, judged by it under eaai, and the half-width
# of the 95 % interval (results/reference/error-rates)
LADDER = {
    "champion-mc": (4.0, 1.6),
    "champion": (7.8, 3.4),
    "simple": (10.9, 1.7),
    "gold": (12.2, 1.7),
    "rlcard-novice": (29.9, 1.8),
    "random": (92.1, 3.8),
}
FEW = 100  # deals, with fewer of which the cards make most of it
YOU = "you"
MANY = 3  # of the ladder: with more the deals do not tell whose rate it is
OF_LADDER = (
    "Of the roster: against champion, judged by champion, in hundreds of deals of eaai. Other "
    "rules and opponents move these rates somewhat."
)


@dataclass(frozen=True)
class Grade(rates.ErrorRates):
    """What a player gave up in some deals.

    judged: by deal, with its number as the unit. played: the deals, as `seen_from` the player's
    seat. files: of the deals, if they come from some. others: the decisions of the opponent. level:
    what the judge gains against the opponent that plays on, a deal.
    """

    played: Sequence[WatchedDeal]
    files: Sequence[str]
    others: list[list[Judged]]
    level: Estimate

    @property
    def halves(self) -> int:
        """Each deal stands for itself."""
        return 1

    def mean(self, by_unit: np.ndarray) -> Estimate:
        """The mean; of one deal no error is known."""
        return mean_of(by_unit) if len(by_unit) > 1 else Estimate(float(by_unit[0]), np.nan, 1)

    def deal(self, judged: Judged) -> WatchedDeal:
        """The deal of a decision."""
        return self.played[judged.unit]

    def command(self, judged: Judged) -> str:
        """The command that analyses a decision."""
        players = [player.text for player in self.trial.judge.players]
        by_seat = players[::-1] if judged.half else players
        words = ["simgin", "analyze", self.files[judged.unit], "--turn", str(judged.turn)]
        for option, player in zip(("--as", "--against"), by_seat, strict=False):
            words += [option, player]
        return shlex.join(words)

    @property
    def has_ladder(self) -> bool:
        """Whether the rates of the roster can be compared."""
        return self.unit == "points" and self.trial.matchup.b is not None

    @cached_property
    def result(self) -> dict[str, Estimate]:
        """Points won a deal, and the same less luck; empty where neither is known.

        What the opponent gave up less what the player did, and what the judge gains in the player's
        place, has the mean of the points won: so says the performance difference lemma (Kakade and
        Langford 2002). Of enough deals the difference, which is luck, sets the points right. All
        are of the deals that were played to their end.
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
        """The points won in a deal, and what the opponent gave up more than the player."""
        seat, score = int(self.played[place].state.half), self.played[place].state.score
        given = [sum(one.usual_cost for one in side[place]) for side in (self.others, self.judged)]
        return float(score[seat] - score[1 - seat]), given[0] - given[1]


def seen_from(deal: WatchedDeal, seat: int) -> WatchedDeal:
    """The deal as far as it is known, with A at a seat."""
    state = deal.state.copy()
    state.half = seat
    return replace(deal, state=state, fault="", is_cut=False)


def grade(
    trial: rates.Trial,
    played: Sequence[WatchedDeal],
    files: Sequence[str] = (),
    workers: int | None = None,
    progress: rates.Progress | None = None,
) -> Grade:
    """Judge every decision of the player in some deals, and of the opponent for the result.

    Does not depend on workers. Raises PolicyFailure, and PositionError if nothing was decided.
    """
    kernel.prepare(trial.judge)
    own = Judge(trial.judge, trial.worlds)
    b = trial.judge.b
    other = b and Judge(replace(trial.judge, a=b, b=trial.judge.a), 0)
    costs: list[float] = []

    def judge_deal(place: int, _n: int) -> tuple[list[Judged], list[Judged]]:
        deal = played[place]
        found = [replace(one, unit=place) for one in own.judged(deal)]
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


def read_trial(
    told: Sequence[Told],
    player: str | None,
    judge: str | None,
    opponent: str | None,
    worlds: int | None,
    seed: int,
) -> tuple[rates.Trial, list[WatchedDeal]]:
    """What is to be judged in the deals of some files, and the deals.

    player: a name or a seat, by default the first player of the files. judge: by default the
    strongest. opponent: who plays on for the opponent, by default who played if it is the same in
    all files and is there, or the strongest. Raises PositionError for files of different rules or
    players, and what the loaders raise.
    """
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
    best = strongest(deals[0].matchup.variant)
    other = opponent or (across.pop() if len(across) == 1 else best if across else None)
    name = names[0] if len(names) == 1 else f"seat {player}"
    judging = parse_matchup(judge or best, other, variants[0], seed, "deal")
    return trial_of(name, judging, len(deals), rates.WORLDS if worlds is None else worlds), deals


def trial_of(name: str, judging: Matchup, deals: int, worlds: int = rates.WORLDS) -> rates.Trial:
    """The judgement of somebody of that name, who has policies only to be called by it."""
    player = exchange(judging.a, {}, name)
    return rates.Trial(replace(judging, a=player), judging, deals, worlds)


def _seat(told: Told, player: str | None) -> int:
    """Where the player sits."""
    if player is None:
        return told.first
    if player in told.names:
        return told.names.index(player)
    if player.isdecimal() and int(player) < len(told.names):
        return int(player)
    known = " and ".join(quoted(name, 40) for name in told.names)
    raise PositionError(f"{quoted(player, 40)} is no player of {quoted(told.path)}: there {known}.")


# What a grade says


def grade_report(
    grade: Grade, rows: Sequence[rates.Row] = (), engine: str = "", command: str = ""
) -> Report:
    """The report of a grade. rows: of `grade_rows`. engine: another, whose logs were read."""
    trial = grade.trial
    who = trial.matchup.a.text
    deals = "1 deal" if grade.deals == 1 else f"{grade.deals:,} deals"
    game = f" of {engine}" if engine else f", {trial.matchup.variant.text}"
    table = rates.rates_table(grade, trial.judge.a.text)
    costliest = listed(
        "Costliest decisions", ("decision", "command"), rates.costliest_in_words(rows)
    )
    return Report(
        question=f"What {who} gave up in {deals}{game}",
        verdict=[*verdict(grade), *([NOTES[engine]] if engine else [])],
        tables=[table, *([ladder_table(grade)] if grade.has_ladder else []), costliest],
        command=command,
    )


def grade_rows(grade: Grade) -> list[rates.Row]:
    """The rows of error rates, and one each for the points won, and less luck."""
    rows = rates.rates_rows(grade)
    who = {name: rows[0][name] for name in ("variant", "strategy", "opponent", "unit")}
    for metric, found in grade.result.items():
        rows.append({**who, "metric": metric, **grade.tidy(found), "n": int(found.n)})
    return [
        {name: None if value != value else value for name, value in row.items()}  # NaN
        for row in rows
    ]


def verdict(grade: Grade) -> Iterator[str]:
    """What was given up, in words; the same at the end of a match that was played here."""
    who = grade.trial.matchup.a.text
    who = "You" if who == YOU else who
    total = grade.total
    like = _like(total) if grade.has_ladder else ""
    lucky = "; as the cards lay, that was more than the best would have brought"
    gave = f"{who} gave up {_text(total)} {grade.unit_of_a_deal}"
    yield f"{gave}{like}{lucky if total.value < 0 else ''}."
    if grade.result:
        won, less_luck = map(_text, grade.result.values())
        yield (
            f"Result: {won} points a deal. Less luck, by what either player gave up: {less_luck}."
        )
    if grade.deals == 1:
        yield "One deal says next to nothing, and no error of it is known."
    elif grade.deals < FEW:
        yield f"{grade.deals} deals say little: the cards make most of it."


def _text(found: Estimate) -> str:
    """An estimate with its error, or without one where none is known."""
    if found.n < 2:
        return f"{found.value:.1f}"
    return numbers.estimate(found.value, found.low, found.high)


def _like(total: Estimate) -> str:
    """Who of the ladder gives up as much, within the errors, or nearly; empty if many may."""
    away = {name: abs(points - total.value) for name, (points, _) in LADDER.items()}
    like = [name for name, (points, _) in LADDER.items() if total.low <= points <= total.high]
    like = like or [min(away, key=away.__getitem__)]
    if total.n < 2 or len(like) > MANY:
        return ""
    return ", about as much as " + " or ".join(f"{name} ({LADDER[name][0]:g})" for name in like)


def ladder_table(grade: Grade) -> Table:
    """The rates of the roster, with the player's among them."""
    rows = [(points, name, f"{points} ± {half}") for name, (points, half) in LADDER.items()]
    rows.append((grade.total.value, f"> {grade.trial.matchup.a.text}", _text(grade.total)))
    told = [row[1:] for row in sorted(rows)]
    return listed("Ladder", ("player", "points given up a deal"), told, OF_LADDER)

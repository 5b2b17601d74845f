"""What a grade says: what was given up, whose rate that is, the result less luck, the costliest."""

from collections.abc import Iterator, Sequence
from typing import Any

from simgin.analysis.game_logs import NOTES
from simgin.analysis.grades import FEW, LADDER, Grade
from simgin.analysis.rates_report import costliest_in_words, rates_rows, rates_table
from simgin.report import numbers
from simgin.report.report import Report
from simgin.report.table import Table, listed
from simgin.stats.estimate import Estimate

YOU = "you"
MANY = 3  # of the ladder: with more the deals do not tell whose rate it is
OF_LADDER = (
    "Of the roster: against champion, judged by champion, in hundreds of deals of eaai. Other "
    "rules and opponents move these rates somewhat."
)


def grade_report(
    grade: Grade, rows: Sequence[dict[str, Any]] = (), engine: str = "", command: str = ""
) -> Report:
    """The report of a grade. rows: of `grade_rows`. engine: another, whose logs were read."""
    trial = grade.trial
    who = trial.matchup.a.text
    deals = "1 deal" if grade.deals == 1 else f"{grade.deals:,} deals"
    game = f" of {engine}" if engine else f", {trial.matchup.variant.text}"
    table = rates_table(grade, trial.judge.a.text)
    costliest = listed("Costliest decisions", ("decision", "command"), costliest_in_words(rows))
    return Report(
        question=f"What {who} gave up in {deals}{game}",
        verdict=[*verdict(grade), *([NOTES[engine]] if engine else [])],
        tables=[table, *([ladder_table(grade)] if grade.has_ladder else []), costliest],
        command=command,
    )


def grade_rows(grade: Grade) -> list[dict[str, Any]]:
    """The rows of error rates, and one each for the points won, and less luck."""
    rows = rates_rows(grade)
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
    unit = grade.unit if grade.unit.startswith("%") else f"{grade.unit} a deal"
    like = _like(total) if grade.has_ladder else ""
    lucky = "; as the cards lay, that was more than the best would have brought"
    yield f"{who} gave up {_text(total)} {unit}{like}{lucky if total.value < 0 else ''}."
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

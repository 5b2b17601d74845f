"""What error rates say: what a strategy gives up a deal, by what was to be decided, where most."""

from collections.abc import Iterator, Sequence
from typing import Any

from simgin.analysis.rates import ErrorRates, given_up
from simgin.analysis.words import better
from simgin.play.matchup import own_names
from simgin.report import numbers
from simgin.report.report import Report
from simgin.report.table import Column, Table
from simgin.stats.estimate import Estimate

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


def rates_report(rates: ErrorRates, command: str = "") -> Report:
    """What was given up, and what the judge itself gains."""
    matchup = rates.trial.matchup
    strategy, opponent, judge = _short_names(rates)
    against = f" against {opponent}" if matchup.b else ""
    said = [f"{rates.deals:,} deals, judged by {judge}."]
    if strategy != judge:
        unit = rates.unit if rates.unit.startswith("%") else f"{rates.unit} a deal"
        lead = f"{_text(rates.lead)} {unit}"
        said.append(f"{judge} itself is better than {strategy}{against} by {lead}.")
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
    if rates.deals == 1:  # of which no error is known
        frame = frame.drop(columns=["low", "high"])
    kinds = zip(frame["kind"], frame["mistake"], strict=True)
    frame["decision"] = [f"  {mistake}" if mistake else KINDS[kind] for kind, mistake in kinds]
    note = (
        f"The best is what {judge} does, or what was clearly better in {rates.trial.worlds} "
        "worlds; then it plays on. ± are 95 % intervals."
    )
    columns = (
        Column("decision", "decision"),
        Column("per_deal", "not the best, a deal", digits=2),
        Column("value", given_up(rates.trial.matchup), factor=rates.factor),
    )
    return Table("What was given up, by what was to be decided", frame, columns, note)


def _text(lead: Estimate) -> str:
    return numbers.estimate(lead.value, lead.low, lead.high)


# The costliest decisions


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
    """Of some rows of `rates_rows` the costliest decisions, each with its command.

    None that cost nothing when it was looked at again.
    """
    for row in rows:
        if row["metric"] == "cost" and row["value"] > 0:
            factor = 100 if row["counted"].startswith("%") else 1
            cost = numbers.estimate(row["value"], row["low"], row["high"], factor)
            done, best = row["done"], better(row["done"], row["best"])
            told = f"{cost:>8} {row['counted']}: {row['decision']}: {done}, better {best}"
            yield told, row["command"]

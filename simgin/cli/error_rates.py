"""The screen of `simgin analyze A --deals N`: what a strategy gives up a deal, and where most."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from simgin.cli.analysis_tables import plain_table
from simgin.cli.output import command_line
from simgin.report import numbers

if TYPE_CHECKING:
    from rich.table import Table

    from simgin.analysis.judge import Judged
    from simgin.analysis.rates import ErrorRates
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


def rates_parts(rates: ErrorRates) -> Iterator[Any]:
    """The table of error rates, how to read it, and the costliest decisions."""
    from rich.text import Text

    from simgin.analysis.words import better

    short = _short_names(rates)
    matchup = rates.trial.matchup
    against = f" against {short[1]}" if matchup.b else ""
    title = f"Error rate of {short[0]}{against}, {matchup.variant.text}"
    yield Text(title, style="bold")
    yield f"{rates.deals:,} deals, judged by {short[2]}"
    yield ""
    yield _table(rates)
    yield ""
    yield Text(_reading(rates, short))
    costliest = rates.costliest(COSTLIEST)
    if costliest:
        yield ""
        yield Text("Costliest decisions found", style="bold")
        for judged, lead in costliest:
            cost = f"{_text(lead):>8} {rates.unit}"
            best = better(judged.done, judged.best)
            yield f"{cost}: {judged.place}: {judged.done}, better {best}"
            yield Text(f"  {replay_command(rates, judged)}", no_wrap=True)


def _short_names(rates: ErrorRates) -> tuple[str, str, str]:
    """Strategy, opponent and judge, as files call them."""
    from simgin.play.matchup import own_names

    trial = rates.trial
    short = own_names([trial.matchup, trial.judge])
    players = (*trial.matchup.players, trial.judge.a)
    names = [short.get(player.text, player.text) for player in players]
    return names[0], names[-2], names[-1]


def _table(rates: ErrorRates) -> Table:
    """A row for each kind of decision, and under it for each kind of mistake."""
    from simgin.analysis.rates import given_up

    table = plain_table("decision", "not the best, a deal", given_up(rates.trial.matchup))
    for row in rates.frame().to_dict("records"):
        title = f"  {row['mistake']}" if row["mistake"] else KINDS[row["kind"]]
        points = numbers.estimate(row["value"], row["low"], row["high"], rates.factor)
        table.add_row(title, f"{row['per_deal']:.2f}", points)
    return table


def _reading(rates: ErrorRates, short: tuple[str, str, str]) -> str:
    """What the rates are measured against, and how much of it the judge would have gained."""
    strategy, opponent, judge = short
    text = (
        f"The best is what {judge} does, or what was clearly better in {rates.trial.worlds} "
        "worlds; then it plays on. ± are 95 % intervals."
    )
    if strategy == judge:
        return text
    unit = rates.unit if rates.unit.startswith("%") else f"{rates.unit} a deal"
    against = f" against {opponent}" if rates.trial.matchup.b else ""
    lead = f"{_text(rates.lead)} {unit}"
    return f"{text} {judge} itself is better than {strategy}{against} by {lead}."


def _text(lead: Estimate) -> str:
    return numbers.estimate(lead.value, lead.low, lead.high)


def replay_command(rates: ErrorRates, judged: Judged) -> str:
    """The command that analyses a decision."""
    trial = rates.trial
    matchup = trial.matchup
    words: list[object] = ["analyze", *(player.text for player in matchup.players)]
    if matchup.variant.text != "standard":
        words += ["-v", matchup.variant.text]
    if matchup.seed != 1:
        words += ["--seed", matchup.seed]
    words += ["--unit", judged.unit]
    if judged.half:
        words += ["--half", judged.half]
    words += ["--turn", judged.turn, "--as", trial.judge.a.text]
    return command_line(*words)


def rates_rows(rates: ErrorRates) -> list[Row]:
    """The rows of the frame, and one for each of the costliest decisions, with its command."""
    found: list[Row] = []
    for row in rates.frame().to_dict("records"):
        found.append({str(name): value for name, value in row.items()})
    who = {name: found[0][name] for name in ("variant", "strategy", "opponent", "unit")}
    for judged, lead in rates.costliest(COSTLIEST):
        found.append(
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
                "command": replay_command(rates, judged),
            }
        )
    return found

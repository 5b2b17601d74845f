"""The report of a search or a training: sentences, pictures, tables."""

from __future__ import annotations

from simgin.report import numbers
from simgin.report.report import Report
from simgin.report.table import Column, Table
from simgin.stats import table
from simgin.stats.estimate import Estimate
from simgin.tune.confirmation import Line
from simgin.tune.found import Found, frame, interval, limits
from simgin.tune.tune_request import TuneRequest


def found_report(found: Found, command: str) -> Report:
    """What came of it, for a page and a screen. command: repeats it."""
    request, words = found.request, found.words
    tables = found.shown()
    if found.is_moved:
        tables.append(_confirmation(found))
    origin = f"stream {found.identity['stream']}, engine {found.identity['engine']}"
    files = f"{words.file} with the {words.done} {words.content}"
    return Report(
        question=f"{request.strategy.name}, {words.done} for {request.variant.text}",
        verdict=found.sentences,
        tables=tables,
        pictures=found.pictures(),
        facts=[
            ("Gain", f"{words.done} less {words.before}, on the same packs; ± is a 95 % interval"),
            (words.search.capitalize(), found.method),
            ("Random numbers", origin),
            ("Beside this page", f"{files}, every table as CSV, manifest.json."),
        ],
        command=command,
        files={name: table.csv(frame) for name, frame in found.tables().items()},
    )


def gain_sentences(found: Found) -> list[str]:
    """Whether anything was gained, and what it is worth against what it was."""
    words = found.words
    if not found.is_moved:
        return [
            f"The {words.search} ended where it began: nothing is gained, and the {words.before}s "
            "stay."
        ]
    direct = found.confirmation.direct
    sentences = [_verdict(found, found.confirmation.objective)]
    if found.confirmation.objective.gain.low > 0 > direct.gain.high:
        figure = interval(found.request, direct.tuned)
        unit = "points per deal" if found.request.objective == "points" else "% of the matches"
        sentences.append(
            f"But against the {words.before} itself it makes only {figure} {unit}: it is fitted to "
            "its opponents, and not the better player."
        )
    return sentences


def _verdict(found: Found, line: Line) -> str:
    words, request = found.words, found.request
    gain = interval(request, line.gain)
    unit = "points" if request.objective == "points" else "percentage points"
    before, after = _value(request, line.default), _value(request, line.tuned)
    size = f"on {request.confirmed:,} matches of {words.unseen}"
    change = f"{before} become {after} {_measure(request)}, {size}"
    advice = f"Keep the {words.before}{'s' * (words.before == 'default')}."
    if line.gain.low > 0:
        return f"{words.doing} gained {gain} {unit}: {change}."
    if line.gain.high < 0:
        return f"{words.doing} gained nothing: {change}. {advice}"
    return f"No gain is shown, {gain} {unit}: {change}. {advice}"


def _measure(request: TuneRequest) -> str:
    """What is counted, against whom."""
    if request.objective == "points":
        return f"points per deal against {request.opponents}"
    hardest = "the hardest of " if request.objective == "worst" and len(request.pool) > 1 else ""
    return f"% of the matches against {hardest}{request.opponents}"


def _value(request: TuneRequest, estimate: Estimate) -> str:
    """A figure without its interval."""
    factor = request.metric.factor
    span = factor * (estimate.high - estimate.low)
    return numbers.number(factor * estimate.value, span / 2)


def _confirmation(found: Found) -> Table:
    """What was found against everybody, beside what it began as."""
    words, request = found.words, found.request
    lines = []
    for line in found.confirmation.every:
        itself = f", the {words.before}" * (line.opponent == request.strategy.text)
        lines.append((f"{request.names[line.opponent]}{itself}", line))
    if found.sums_up:
        lines.append((found.sums_up, found.confirmation.objective))
    told = [
        {
            "against": name,
            **limits(words.before, line.default),
            **limits(words.done, line.tuned),
            **limits("gain", line.gain),
        }
        for name, line in lines
    ]
    names = [words.before, words.done, "gain"]
    columns = [Column(name, name, factor=request.metric.factor) for name in names]
    return Table(
        f"Confirmation: {request.metric.title}",
        frame(told),
        [Column("against", "against"), *columns],
        f"{request.confirmed:,} matches each, seed {request.seed}, on {words.unseen}.",
    )

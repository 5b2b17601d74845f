"""The report of a search: sentences, the picture of its course, tables, and the tuned numbers."""

from __future__ import annotations

from collections.abc import Iterator

from simgin import plots
from simgin.report.report import Picture, Report
from simgin.report.sheet import Sheet
from simgin.stats import table
from simgin.strategy.values_file import values_text
from simgin.tune import scores
from simgin.tune.confirmation import Line
from simgin.tune.knobs import slot_values
from simgin.tune.sentences import interval, result_sentences, shown_names
from simgin.tune.tuned import Tuned
from simgin.tune.wording import Found

FILE = "tuned.toml"
READING = "± is a 95 % interval. Gain: tuned less default, on the same packs."


def tune_report(tuned: Tuned, command: str) -> Report:
    """The report of a search. command: repeats it."""
    request = tuned.request
    sentences = result_sentences(tuned)
    sheets = list(tune_sheets(tuned))
    path = tuned.path
    title = f"{request.strategy.name}, tuned for {request.variant.text}"
    bullets = [f"* {sentence}" for sentence in sentences]
    sections = [sheet.markdown() for sheet in sheets]
    return Report(
        title=title,
        lead=READING,
        sentences=sentences,
        pictures=[
            Picture(
                "search",
                "Course of the search",
                _described(tuned),
                plots.search(path, seed=request.seed),
            )
        ],
        sheets=sheets,
        facts=list(_facts(tuned)),
        command=command,
        summary="\n".join([f"# {title}\n", *bullets, "", READING, "", *sections]),
        tables={
            "parameters.csv": table.csv(tuned.parameters),
            "candidates.csv": table.csv(tuned.candidates),
            "search.csv": table.csv(path),
            "confirmation.csv": table.csv(tuned.table),
        },
    )


def tuned_file(tuned: Tuned, command: str) -> str:
    """The tuned numbers as `name@FILE.toml` reads them, with what they are worth."""
    remarks = [command, *result_sentences(tuned)]
    head = "".join(f"# {remark}\n" for remark in remarks)
    values = slot_values(tuned.request.knobs, tuned.values)
    return f"{head}\n{values_text(values)}"


def tune_sheets(tuned: Tuned) -> Iterator[Sheet]:
    """The numbers, and the confirmation."""
    yield _numbers_sheet(tuned)
    if tuned.is_moved:
        yield confirmation_sheet(tuned)


def _numbers_sheet(tuned: Tuned) -> Sheet:
    rows = []
    for knob, value in zip(tuned.request.knobs, tuned.values, strict=True):
        limits = f"{knob.low:g}..{knob.high:g}"
        default = knob.text(knob.param.default)
        chosen = knob.text(value)
        rows.append((knob.name, default, chosen, limits))
    headings = ("parameter", "default", "tuned", "limits")
    return Sheet("Numbers", headings, rows)


def confirmation_sheet(tuned: Found) -> Sheet:
    """What was found against everybody, beside what it began as."""
    words = tuned.wording
    request = tuned.request
    metric = scores.metric_of(request.objective)
    names = shown_names(request)
    confirmed = tuned.confirmation
    rows = []
    for line in confirmed.every:
        name = names[line.opponent]
        if line.opponent == request.strategy.text:
            name = f"{name}, the {words.before}"
        row = _row(tuned, name, line)
        rows.append(row)
    if len(request.pool) > 1:
        title = "hardest of the pool" if request.objective == "worst" else "mean of the pool"
        row = _row(tuned, title, confirmed.objective)
        rows.append(row)
    return Sheet(
        f"Confirmation: {metric.title}",
        ("against", words.before, words.done, "gain"),
        rows,
        f"{request.confirmed:,} matches each, seed {request.seed}, on {words.unseen}.",
    )


def _row(tuned: Found, name: str, line: Line) -> tuple[str, ...]:
    """A line of the confirmation."""
    return (
        name,
        interval(tuned, line.default),
        interval(tuned, line.tuned),
        interval(tuned, line.gain),
    )


def _described(tuned: Tuned) -> str:
    """The picture in words."""
    metric = scores.metric_of(tuned.request.objective)
    gains = []
    for generation in tuned.course.generations:
        value = metric.factor * generation.gain.value
        gains.append(f"{value:.2f}")
    course = ", ".join(gains)
    gain = interval(tuned, tuned.confirmation.objective.gain)
    return f"Gain on the default by generation: {course}; of the values chosen {gain}."


def _facts(tuned: Tuned) -> Iterator[tuple[str, str]]:
    """How the search was made."""
    request = tuned.request
    size = f"{len(tuned.course.generations)} generations of {request.candidates} strategies"
    played = f"{request.matches:,} matches each against every opponent"
    yield "Search", f"CMA-ES, {size}, {played}, all of a generation on the same packs."
    identity = request.identity
    yield "Random numbers", f"stream {identity['stream']}, engine {identity['engine']}"
    yield "Beside this page", f"{FILE} with the tuned numbers, every table as CSV, manifest.json."

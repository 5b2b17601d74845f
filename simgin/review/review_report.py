"""The report of a review: question, verdicts, scorecard, goals, kinds of player, pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simgin.report.report import Report
from simgin.report.table import Cell, Column, Table
from simgin.review import verdicts
from simgin.review.goals import MET, MISSED, read_goals
from simgin.review.players import STRONG
from simgin.review.review import SKILL, WAITING, Change, Review
from simgin.review.review_pictures import review_pictures
from simgin.review.scorecard import EVENING, EVENINGS, LITTLE, MUCH, SAME, UNCLEAR, Row
from simgin.review.sweeps import best_values, sweep_lines
from simgin.review.verdicts import label, skill_size
from simgin.rules import variants
from simgin.stats.quantity import Quantity

if TYPE_CHECKING:
    import pandas as pd

TONES = {SAME: "same", LITTLE: "little", MUCH: "much", UNCLEAR: "unclear"}
READING = (
    f"Between strong players. Much: what an evening of {EVENING} matches under each would show, "
    f"five times in six; a little: what {EVENINGS} evenings would; same: less. Of skill and seats "
    "a little is 2 and 1, much 6 and 3 percentage points. ± are 95 % intervals."
)
CANNOT_TELL = (
    "Fun, learning, bluffing, and people: these players never tire, misremember or talk. A strong "
    "player is the strongest program here, not the best play there is."
)


def review_report(review: Review, command: str) -> Report:
    """Everything that is said about a review."""
    tables = [table for table in _tables(review) if len(table.frame)]
    return Report(
        verdicts.question(review),
        _verdict(review),
        rules=verdicts.rules_in_words(review),
        tables=tables,
        pictures=list(review_pictures(review)),
        folded=list(_folded(review)),
        facts=list(_facts(review)),
        command=command,
        files={
            "metrics.csv": _csv(review.metrics),
            "differences.csv": _csv(review.differences),
            "table.csv": _csv(review.findings.table),
        },
    )


def _verdict(review: Review) -> list[str]:
    if review.request.sweep:
        return [f"{line}." for line in sweep_lines(review)]
    return [f"{name}: {words}" for name, words in verdicts.verdicts(review)]


def _csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n")


def _tables(review: Review) -> Iterator[Table]:
    yield _goals(review)
    yield scorecard(review)
    yield best_values(review) if review.request.sweep else _same_length(review)


# The scorecard


def scorecard(review: Review) -> Table:
    """A row for each property, a column for each rule set; of a sweep the other way round."""
    import pandas as pd

    request = review.request
    names = {variant: label(variant) for variant in request.variants}
    rows = []
    for row in review.rows:
        cells = {variant: _cell(review, variant, row) for variant in request.variants}
        if any(cell.text != "–" for cell in cells.values()):  # noqa: RUF001
            rows.append({"row": row.title, **cells})
    if review.has_waiting:
        title = "Playing for gin wins from knocking at once"
        rows.append({"row": title, **{v: _waiting(review, v) for v in request.variants}})
    rows.append({"row": _skill_title(review), **{v: _skill(review, v) for v in request.variants}})
    frame = pd.DataFrame(rows)
    if request.sweep:
        turned = frame.set_index("row").T.reset_index(names="variant")
        turned["variant"] = turned["variant"].map(names)
        columns = [Column(name, "rules" if name == "variant" else name) for name in turned]
        return Table("At a glance", turned, columns, READING)
    columns = [Column("row", ""), *(Column(variant, names[variant]) for variant in names)]
    return Table("At a glance", frame, columns, READING)


def _skill_title(review: Review) -> str:
    if review.request.alone:
        return "Skill: deals won more than by weaker players"
    return "Skill: the strong player's matches against weaker kinds"


def _cell(review: Review, variant: str, row: Row, key: str = STRONG) -> Cell:
    """The strong player's figure, its change in words, and the range of the others."""
    number = review.figures[variant, row.key, key]
    if not isinstance(number, Quantity) or number.value != number.value:
        return Cell("–")  # noqa: RUF001
    text, light = row.text(number.value), row.light(number)
    if variant == review.request.base or review.request.base is None:
        return Cell(text, "", light, "base")
    change = review.changes.get((variant, row.key, key))
    if change is None:
        return Cell(text, "", light, "unclear")
    word = _word(change, row.more, row.less)
    if review.disagree(variant, row.key):
        light = f"{light}; by kind {_span(review, variant, row)}"
    return Cell(text, word, light, TONES[change.size])


def _word(change: Change, more: str, less: str) -> str:
    """`▲ a little longer`, `same` or `too close to call`."""
    if not change.sign:
        return change.size
    arrow, way = ("▲", more) if change.sign > 0 else ("▼", less)
    return f"{arrow} {change.size} {way}"


def _span(review: Review, variant: str, row: Row) -> str:
    """The least and the greatest change of any kind of player, as in `-61 to +25`."""
    values = [
        change.difference.value * row.factor
        for (of, key, _), change in review.changes.items()
        if (of, key) == (variant, row.key)
    ]
    return f"{min(values):+.{row.digits}f} to {max(values):+.{row.digits}f}"


def _waiting(review: Review, variant: str) -> Cell:
    """What playing for gin wins from knocking at once."""
    (number,) = [n for (v, key, _), n in review.figures.items() if (v, key) == (variant, WAITING)]
    (change,) = [
        c for (v, key, _), c in review.changes.items() if (v, key) == (variant, WAITING)
    ] or [None]
    return _share_cell(number, change)


def _share_cell(number: object, change: Change | None) -> Cell:
    assert isinstance(number, Quantity)
    low, high = number.limits
    text, light = f"{100 * number.value:.0f} %", f"± {50 * (high - low):.1f}"
    if change is None:
        return Cell(text, "", light, "base")
    return Cell(text, _word(change, "more", "less"), light, TONES[change.size])


def _skill(review: Review, variant: str) -> Cell:
    """The least and the greatest share that the strong player wins from a weaker kind."""
    values = [
        100 * number.value
        for (of, key, _), number in review.figures.items()
        if (of, key) == (variant, SKILL) and isinstance(number, Quantity)
    ]
    text = f"{min(values):.0f} to {max(values):.0f} %" if len(values) > 1 else f"{values[0]:.0f} %"
    if variant == review.request.base or review.request.base is None:
        return Cell(text, tone="base")
    found = skill_size(review, variant)
    words = {"depends": "depends on the opponent", SAME: SAME, UNCLEAR: UNCLEAR}
    if found in words:
        tone = {"depends": "depends", SAME: "same", UNCLEAR: "unclear"}[found]
        return Cell(text, words[found], tone=tone)
    arrow, way = ("▲", "more") if "+" in found else ("▼", "less")
    size = "against some" if found.startswith("some") else ""
    word = f"{arrow} {way} {size}" if size else f"{arrow} {found[1:]} {way}"
    return Cell(text, word, tone="depends" if size else TONES[found[1:]])


# Goals and the same length


def _goals(review: Review) -> Table:
    """Met, missed or undecided, for every goal and rule set."""
    import pandas as pd

    tones = {MET: "same", MISSED: "much"}
    rows = []
    for goal in read_goals(review.request.goals, review.rows):
        cells: dict[str, Any] = {"goal": goal.text}
        for variant in review.request.variants:
            number = review.figures[variant, goal.row.key, STRONG]
            found = goal.verdict(number)
            text = goal.row.text(number.value) if isinstance(number, Quantity) else ""
            cells[variant] = Cell(found, text, tone=tones.get(found, "unclear"))
        rows.append(cells)
    columns = [Column(v, label(v)) for v in review.request.variants]
    return Table("Goals", pd.DataFrame(rows), [Column("goal", "goal"), *columns])


def _same_length(review: Review) -> Table:
    """The scorecard at the targets that make matches as long as the base's."""
    import pandas as pd

    same = dict(review.request.same_length)
    if not same:
        return Table("At the same length", pd.DataFrame(), ())
    base = str(review.request.base)
    shown = {base: label(base)}
    for variant, text in same.items():
        shown[text] = f"{label(variant)} to {variants.find(text).row['points_target']}"
    rows = []
    for row in review.rows:
        cells = {variant: _cell(review, variant, row) for variant in shown}
        if any(cell.text != "–" for cell in cells.values()):  # noqa: RUF001
            rows.append({"row": row.title, **cells})
    rows.append({"row": _skill_title(review), **{v: _skill(review, v) for v in shown}})
    note = (
        "Played to the target at which a match between strong players takes about as long as under "
        f"{label(base)}: shut-outs, comebacks and skill follow mostly from the length."
    )
    columns = [Column("row", ""), *(Column(v, title) for v, title in shown.items())]
    return Table("At the same length", pd.DataFrame(rows), columns, note)


# Folded, and how it was made


def _folded(review: Review) -> Iterator[Table]:
    """Every figure by kind of player, every difference."""
    shown = review.metrics.assign(variant=review.metrics["variant"].map(label))
    known = shown[shown["why"] == ""]
    columns = (
        *(Column("variant", "rules"), Column("title", "what"), Column("kind", "kind of player")),
        *(Column("opponent", "against"), Column("value", "value"), Column("n", "n")),
    )
    yield Table("All figures", known, columns, "Shares are from 0 to 1.")
    if len(review.differences):
        changed = review.differences
        changed = changed.assign(
            variant=changed["variant"].map(label),
            difference_low=changed["low"],
            difference_high=changed["high"],
        )
        columns = (
            *(Column("variant", "rules"), Column("title", "what")),
            *(Column("kind", "kind of player"), Column("opponent", "against")),
            *(Column("difference", "difference"), Column("p_holm", "p, Holm", digits=4)),
            Column("size", "in words"),
        )
        note = f"Each less {label(str(review.request.base))}; p is adjusted over this whole table."
        yield Table("All differences", changed, columns, note)


def _facts(review: Review) -> Iterator[tuple[str, str]]:
    request = review.request
    yield "What this cannot tell", CANNOT_TELL
    if request.note:
        yield "Note", request.note
    yield "Players", _who(review)
    each = "of every player" if request.alone else "of every pair of players"
    yield "Size", f"{request.matches:,} matches {each}, under every rule set, on the same packs."
    yield "Seed", str(request.seed)
    yield "Why some figures are missing", _missing(review)


def _who(review: Review) -> str:
    """Every kind with its strategy, and the strong player by rule set where that differs."""
    request = review.request
    named = [f"{kind} ({name})" if kind != name else name for kind, name in request.kinds]
    strong = {request.player(variant) for variant in request.variants}
    if len(strong) == 1:
        return f"{'; '.join([*named, f'{STRONG} ({strong.pop()})'])}."
    by_rules = [f"{request.player(v)} under {label(v)}" for v in request.variants]
    return f"{'; '.join(named)}; {STRONG}: {', '.join(by_rules)}."


def _missing(review: Review) -> str:
    reasons: dict[str, list[str]] = {}
    frame = review.metrics[(review.metrics["why"] != "") & (review.metrics["kind"] == STRONG)]
    for row in frame.to_dict("records"):
        reasons.setdefault(row["why"], []).append(f"{row['title']} ({label(row['variant'])})")
    parts = [f"{', '.join(dict.fromkeys(what))}: {why}" for why, what in reasons.items()]
    return "; ".join(parts) + "." if parts else "None is."


def rows_for_json(review: Review) -> Sequence[dict[str, Any]]:
    """The figures as --json prints them."""
    from simgin.stats import table

    return table.records(review.metrics)

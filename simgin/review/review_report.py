"""The report of a review: question, verdicts, scorecard, goals, player types and plots."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from simgin.findings.verdict import listed
from simgin.report.numbers import DASH
from simgin.report.report import Caution, Report
from simgin.report.table import Cell, Column, Table
from simgin.review import verdicts
from simgin.review.review import SKILL, WAITING, Change, Review
from simgin.review.review_pictures import review_pictures
from simgin.review.scorecard import (
    AGAINST,
    ALONE,
    EVENING,
    EVENINGS,
    LITTLE,
    MET,
    MISSED,
    MUCH,
    SAME,
    UNCLEAR,
    UNDECIDED,
    Goal,
    Row,
    is_tenfold,
    read_goals,
    skill_title,
)
from simgin.review.verdicts import best_values, label, skill_size, spans, sweep_lines, values
from simgin.rules import variants
from simgin.stats import table
from simgin.stats.quantity import Quantity
from simgin.stats.table import frame_of
from simgin.strategy.cast import CHAMPION, PLAYS_FOR_GIN, STRONG
from simgin.text import shell

TONES = {SAME: "same", LITTLE: "little", MUCH: "much", UNCLEAR: "unclear"}
# Text and tone of a cell by the result of `simgin.review.verdicts.skill_effect`
SKILL_CELLS = {
    SAME: (SAME, "same"),
    UNCLEAR: (UNCLEAR, "unclear"),
    "depends": ("depends on the opponent", "depends"),
    "some+": ("▲ more against some", "depends"),
    "some-": ("▼ less against some", "depends"),
    **{f"+{size}": (f"▲ {size} more", TONES[size]) for size in (LITTLE, MUCH)},
    **{f"-{size}": (f"▼ {size} less", TONES[size]) for size in (LITTLE, MUCH)},
}
MARK = "†"  # marks rows that a player trained for the rules would change
MOST_NAMED = 4  # rule sets listed in a caveat
MOST_COLUMNS = 8  # rule sets per table; plots show longer sweeps
GOAL_WORDS = (MET, MISSED, UNDECIDED)
READING = "; ± are 95 % intervals. "
SIZES = (
    f"Much: what an evening of {EVENING} matches "
    f"under each would show, five times in six; a little: what {EVENINGS} evenings would; same: "
    "less. For skill, seats and shares of wins, a little is from 1 or 2 percentage points, much "
    "from 3 or 6. "
)
CANNOT_TELL = (
    "Fun, learning, bluffing, and people: these players never tire, misremember or talk. A strong "
    "player is the strongest program here, not the best play there is."
)


def review_report(review: Review, command: str) -> Report:
    """Return the report of a review."""
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
        caution=_caution(review, command),
        files={
            "metrics.csv": table.csv(review.metrics),
            "differences.csv": table.csv(review.differences),
            "table.csv": table.csv(review.findings.table),
        },
    )


def _caution(review: Review, command: str) -> Caution | None:
    """Return a caveat that lists untrained strong players, with the command to train them."""
    request = review.request
    untrained = [variant for variant in request.variants if variant in request.untrained]
    if not untrained:
        return None
    players = list(dict.fromkeys(map(request.player, untrained)))
    which = _those(review, untrained)
    if len(untrained) > MOST_NAMED:
        which = f"{len(untrained)} of these {len(request.variants)} rule sets"
    return Caution(
        f"Caution: {listed(players)} {'was' if len(players) == 1 else 'were'} not trained for "
        f"{which}. Rows marked {MARK} can be far from what a trained player does there. "
        "Add --adapt to train one.",
        _adapting(command),
    )


def _adapting(command: str) -> str:
    """Return the command with adapted players and its own output directory."""
    words = shlex.split(command)
    for at in range(1, len(words)):
        if words[at - 1] == "-o":
            words[at] = f"{words[at].rstrip('/')}-adapted"
    return shell.join([*words, "--adapt"])


def _verdict(review: Review) -> list[str]:
    """Return the goals, followed by the verdicts of all rule sets or of the sweep."""
    goals = [_goal_line(review, goal) for goal in read_goals(review.request.goals, review.rows)]
    if review.request.sweep:
        return goals + [f"{line}." for line in sweep_lines(review)]
    return goals + [f"{name}: {words}" for name, words in verdicts.verdicts(review)]


def _goal_line(review: Review, goal: Goal) -> str:
    """Return a line on which rule sets meet a goal, miss it, or are inconclusive."""
    found: dict[str, list[str]] = {}
    for variant in review.request.variants:
        number = review.figures[variant, goal.row.key, STRONG]
        name = values(review, variant) if review.request.sweep else label(variant)
        found.setdefault(goal.verdict(number), []).append(name)
    parts = [f"{word} by {listed(found[word])}" for word in GOAL_WORDS if word in found]
    return f"Goal {goal.text}: {'; '.join(parts)}."


def _tables(review: Review) -> Iterator[Table]:
    if len(review.request.variants) <= MOST_COLUMNS:
        yield scorecard(review)
    yield best_values(review) if review.request.sweep else _same_length(review)
    yield _better_player(review)


# Scorecard


def scorecard(review: Review) -> Table:
    """Return the scorecard of the strong player: a row per metric, a column per rule set."""
    request = review.request
    rows = _rows(review, request.variants, _cell)
    if review.request.waiting:
        rows.append({"row": "Gin v knock", **{v: _waiting(review, v) for v in request.variants}})
    rows.append(_skill_row(review, request.variants))
    named = [(variant, label(variant)) for variant in request.variants]
    title = "At a glance"
    if request.sweep:
        rows = [{name: _arrow(cell) for name, cell in row.items()} for row in rows]
        named = [(variant, values(review, variant)) for variant in request.variants]
        title += f", by {' and '.join(name.replace('_', ' ') for name, _ in request.sweep)}"
    columns = [Column("row", "property"), *(Column(*names) for names in named)]
    whose = "Of the strong player" if request.alone else "Between strong players"
    sizes = SIZES if request.base else ""
    note = f"{whose}{READING}{sizes}{_meanings(review)}Players: {_who(review)}"
    return Table(title, frame_of(rows), columns, note)


def _rows(
    review: Review, shown: Iterable[str], cell: Callable[[Review, str, Row], Cell]
) -> list[dict[str, Any]]:
    """Return the rows of the scorecard for which any rule set has a value."""
    found = []
    for row in review.rows:
        cells = {variant: cell(review, variant, row) for variant in shown}
        if any(own.text != DASH for own in cells.values()):
            found.append({"row": f"{row.title}{_mark(review, shown, row.key)}", **cells})
    return found


def _skill_row(review: Review, shown: Iterable[str]) -> dict[str, Any]:
    cells = {variant: _skill(review, variant) for variant in shown}
    return {"row": skill_title(review.request.alone) + _mark(review, shown, SKILL), **cells}


def _mark(review: Review, shown: Iterable[str], metric: str) -> str:
    """Return UNTRAINED_MARK if training for one of the rule sets would change a row, or ""."""
    return MARK * any(review.is_untrained((variant, metric, STRONG)) for variant in shown)


def _turned(card: Table) -> Table:
    """Return a scorecard as text with one row per rule set."""
    texts = {
        column.title: [str(cell) for cell in card.frame[column.name]] for column in card.columns
    }
    rows = texts.pop("property")
    frame = frame_of([dict(zip(rows, cells, strict=True)) for cells in texts.values()])
    frame.insert(0, "rules", list(texts))
    return Table(card.title, frame, [Column(name, name) for name in map(str, frame)], card.note)


def _meanings(review: Review) -> str:
    """Return explanations of rows whose titles are not sufficient."""
    meanings = {row.title: row.meaning for row in review.rows if row.meaning}
    meanings |= ALONE if review.request.alone else AGAINST
    return "".join(f"{title}: {meaning}. " for title, meaning in meanings.items())


def _arrow(cell: Any) -> Any:
    """Return a cell for wide tables, with only the arrow of its verdict."""
    if not isinstance(cell, Cell):
        return cell
    arrow = cell.word[:1] if cell.word[:1] in ("▲", "▼") else ""
    return Cell(cell.text, arrow, cell.light.partition(";")[0], cell.tone)


def _cell(review: Review, variant: str, row: Row) -> Cell:
    """Return the strong player's value, its effect in words, and the range over player types."""
    number = review.figures[variant, row.key, STRONG]
    if not isinstance(number, Quantity) or number.value != number.value:
        return Cell(DASH)
    text, light = row.text(number.value), row.light(number)
    if variant == review.request.base or review.request.base is None:
        return Cell(text, "", light, "base")
    change = review.changes.get((variant, row.key, STRONG))
    if change is None:
        return Cell(text, "", light, "unclear")
    word = _word(change, row.more, row.less)
    if review.disagree(variant, row.key):
        light = f"{light}; by kind {_span(review, variant, row)}"
    return Cell(text, word, light, TONES[change.size])


def _word(change: Change, more: str, less: str) -> str:
    """Return `▲ a little longer`, `same` or `too close to call`."""
    if not change.sign:
        return change.size
    arrow, way = ("▲", more) if change.sign > 0 else ("▼", less)
    return f"{arrow} {change.size} {way}"


def _span(review: Review, variant: str, row: Row) -> str:
    """Return the range of the effect over player types, as in `-61 to +25`."""
    values = [
        change.difference.value * row.factor
        for (of, key, _), change in review.changes.items()
        if (of, key) == (variant, row.key)
    ]
    return f"{min(values):+.{row.digits}f} to {max(values):+.{row.digits}f}"


def _waiting(review: Review, variant: str) -> Cell:
    """Return the win rate of playing for gin against knocking immediately."""
    key = (variant, WAITING, PLAYS_FOR_GIN)
    number, change = review.figures[key], review.changes.get(key)
    assert isinstance(number, Quantity)
    text, light = f"{100 * number.value:.0f} %", _half(number)
    if change is None:
        return Cell(text, "", light, "base")
    return Cell(text, _word(change, "more", "less"), light, TONES[change.size])


def _skill(review: Review, variant: str) -> Cell:
    """Return the range of the strong player's win rate against weaker player types.

    In solitaire games, it is the difference from the naive player in percentage points.
    """
    known = [
        number
        for (of, key, _), number in review.figures.items()
        if (of, key) == (variant, SKILL) and isinstance(number, Quantity)
    ]
    values = [100 * number.value for number in known]
    text = f"{min(values):.0f} to {max(values):.0f} %" if len(values) > 1 else f"{values[0]:.0f} %"
    if review.request.alone:
        text = f"{values[0]:+.0f} points"
    widest = max(known, key=lambda number: number.limits[1] - number.limits[0])
    if variant == review.request.base or review.request.base is None:
        return Cell(text, "", _half(widest), "base")
    word, tone = SKILL_CELLS[skill_size(review, variant)]
    return Cell(text, word, _half(widest), tone)


# Equal match length


def _same_length(review: Review) -> Table:
    """Return the scorecard at targets that make matches as long as under the baseline."""
    same = dict(review.request.same_length)
    if not same:
        return Table("At the same length", frame_of([]), ())
    base = str(review.request.base)
    shown = {base: label(base)}
    for variant, text in same.items():
        shown[text] = f"{label(variant)} to {variants.find(text).row['points_target']}"
    rows = _rows(review, shown, _cell)
    rows.append(_skill_row(review, shown))
    note = (
        "Played to the target at which a match between strong players takes about as long as under "
        f"{label(base)}: length alone moves shut-outs, comebacks and skill."
    )
    columns = [Column("row", "property"), *(Column(v, title) for v, title in shown.items())]
    return Table("At the same length", frame_of(rows), columns, note)


def _better_player(review: Review) -> Table:
    """Return a table of how an adapted player differs from champion."""
    rows: list[dict[str, Any]] = []
    learned = review.request.learned
    if learned:
        won = {v: review.won(v, review.request.player(v), CHAMPION) for v in learned}
        cells = {v: Cell(f"{100 * own.value:.1f} %", "", _half(own)) for v, own in won.items()}
        rows.append({"row": "Wins from champion", **cells})
    rows += _rows(review, learned, _learned_cell)
    note = (
        "Matches between two players that learned these rules, against those between two of "
        "champion, whose weights come from other rules."
    )
    columns = [Column("row", "property"), *(Column(v, label(v)) for v in learned)]
    return Table("What a better player does differently", frame_of(rows), columns, note)


def _half(own: Quantity) -> str:
    low, high = own.limits
    return f"± {50 * (high - low):.1f}"


def _learned_cell(review: Review, variant: str, row: Row) -> Cell:
    own = row.measure(review.played(variant, STRONG))
    played = review.played_by(variant, CHAMPION)
    before = row.measure(played)
    if not isinstance(own, Quantity) or not isinstance(before, Quantity):
        return Cell(DASH)
    bounds = row.bounds(before, played.matches)
    change = Change(own - before, bounds, is_tenfold(own, before, row))
    word = _word(change, row.more, row.less)
    return Cell(row.text(own.value), word, row.light(own), TONES[change.size])


# Detail tables and methods


def _folded(review: Review) -> Iterator[Table]:
    """Yield the scorecard of a long sweep, all values by player type, and all effects."""
    if len(review.request.variants) > MOST_COLUMNS:
        yield _turned(scorecard(review))
    named = review.metrics.assign(variant=review.metrics["variant"].map(label))
    known = named[named["why"] == ""]
    columns = (
        *(Column("variant", "rules"), Column("title", "what"), Column("players", "players")),
        *(Column("value", "value"), Column("n", "n")),
    )
    yield Table("All figures", known, columns, "Shares are from 0 to 1.")
    if len(review.differences):
        changed = review.differences
        changed = changed.assign(
            variant=changed["variant"].map(label),
            difference_low=changed["low"],
            difference_high=changed["high"],
        )
        shown = (
            *(Column("variant", "rules"), Column("title", "what")),
            Column("players", "players"),
            *(Column("difference", "difference"), Column("p_holm", "p, Holm", digits=4)),
            Column("size", "in words"),
        )
        note = f"Each less {label(str(review.request.base))}; p is adjusted over this whole table."
        yield Table("All differences", changed, shown, note)


def _facts(review: Review) -> Iterator[tuple[str, str]]:
    request = review.request
    yield "What this cannot tell", CANNOT_TELL
    if request.note:
        yield "Note", request.note
    each = "of every player" if request.alone else "of every pair of players"
    yield "Size", f"{request.matches:,} matches {each}, under every rule set, on the same packs."
    yield "Seed", str(request.seed)
    if missing := _missing(review):
        yield "Why some figures are missing", missing


def _who(review: Review) -> str:
    """Return every player type with its strategy, and the strong players by rule set."""
    request = review.request
    named = [f"{kind} ({name})" if kind != name else name for kind, name in request.kinds]
    strong: dict[str, list[str]] = {}
    for v in request.variants:
        player = "champion as it learned each" if v in request.learned else request.player(v)
        strong.setdefault(player, []).append(v)
    most, *others = sorted(strong, key=lambda player: -len(strong[player]))
    but = "".join(f"; {other} under {_those(review, strong[other])}" for other in others)
    named.append(f"{STRONG} ({most}{but})")
    stay = [v for v in request.variants if request.adapt and v not in request.learned]
    learned = f" Learning gained nothing under {_those(review, stay)}." if stay else ""
    return f"{'; '.join(named)}.{learned}"


def _those(review: Review, chosen: Sequence[str]) -> str:
    """Return a list of rule sets; those of a sweep are listed by their values."""
    swept = review.request.swept if review.request.sweep else []
    named = [label(variant) for variant in chosen if variant not in swept]
    if len(named) < len(chosen):
        names = " / ".join(name.replace("_", " ") for name, _ in review.request.sweep)
        named.append(f"{names} {listed(spans(review, chosen))}")
    return listed(named)


def _missing(review: Review) -> str:
    reasons: dict[str, list[str]] = {}
    frame = review.metrics[(review.metrics["why"] != "") & (review.metrics["players"] == STRONG)]
    for row in frame.to_dict("records"):
        reasons.setdefault(row["why"], []).append(f"{row['title']} ({label(row['variant'])})")
    parts = [f"{', '.join(dict.fromkeys(what))}: {why}" for why, what in reasons.items()]
    return "; ".join(parts) + "." if parts else ""

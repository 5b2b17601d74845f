"""Report of a review: question, verdicts, scorecard, goals, player types and plots."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from simgin.report.numbers import EN_DASH
from simgin.report.report import Caveat, LazySequence, Report
from simgin.report.report_table import Column, ScoreCell, Table
from simgin.review import verdicts
from simgin.review.review import GIN_VS_KNOCK, SKILL, Effect, Review
from simgin.review.review_plots import review_plots
from simgin.review.scorecard import (
    EVENINGS,
    GIN_ROW,
    GIN_VS_KNOCK_TITLE,
    LITTLE,
    MATCHES_PER_EVENING,
    MATCHUP_MEANINGS,
    MET,
    MISSED,
    MUCH,
    SAME,
    SOLO_MEANINGS,
    UNCLEAR,
    UNDECIDED,
    ScorecardRow,
    effect_size_range,
    parse_goals,
    skill_title,
)
from simgin.review.verdicts import (
    best_values_line,
    best_values_table,
    format_sweep_values,
    has_best_values,
    rule_set_label,
    skill_effect,
    sweep_lines,
    value_ranges,
    variant_label,
)
from simgin.rules import variants
from simgin.stats import table
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import make_frame
from simgin.strategy.cast import CHAMPION, PLAYS_FOR_GIN, STRONG
from simgin.text import shell
from simgin.text.amounts import format_count_range
from simgin.text.messages import join_words

SIZE_TONES = {SAME: "same", LITTLE: "little", MUCH: "much", UNCLEAR: "unclear"}
# Text and tone of a cell, by the result of `simgin.review.verdicts.skill_effect`
SKILL_EFFECT_CELLS = {
    SAME: (SAME, "same"),
    UNCLEAR: (UNCLEAR, "unclear"),
    "depends": ("effect varies by opponent", "depends"),
    "some+": ("▲ more against some opponents", "depends"),
    "some-": ("▼ less against some opponents", "depends"),
    **{f"+{size}": (f"▲ {size} more", SIZE_TONES[size]) for size in (LITTLE, MUCH)},
    **{f"-{size}": (f"▼ {size} less", SIZE_TONES[size]) for size in (LITTLE, MUCH)},
}
SAME_LENGTH_TITLE = "Scorecard at equal match length"
UNTRAINED_MARK = "†"  # mark of rows that would change with a player trained for the rules
MAX_VARIANTS_NAMED = 4  # maximum number of rule sets listed in a caveat
# maximum number of rule sets per table; longer sweeps are shown in plots
MAX_VARIANTS_PER_TABLE = 8
GOAL_RESULTS = {MET: "met by", MISSED: "missed by", UNDECIDED: "undecided for"}
INTERVAL_NOTE = "± marks 95 % confidence intervals. "
SIZE_NOTE = (
    "Values with a sign are differences from the baseline. "
    'If a difference is called "much", you would see it with probability 5/6 in an evening of '
    f"{MATCHES_PER_EVENING} matches under each rule set. "
    f'"A little" requires {EVENINGS} evenings, and "same" marks smaller differences. If a cell '
    "names two sizes, the interval includes both. More matches can decide between them. For "
    'skill, seats and percentages of wins, "a little" begins at 1 or 2 percentage points and '
    '"much" at 3 or 6. '
)
LIMITATIONS = (
    "A review does not measure fun, learning, bluffing or human play, because the simulated "
    "players never get tired, forget a card or talk. The strong player is the strongest strategy "
    "in simgin, but it does not play perfectly."
)


def review_report(review: Review, command: str) -> Report:
    """Return the report of a review."""
    tables = [table for table in _tables(review) if len(table.frame)]
    return Report(
        verdicts.review_question(review),
        _verdict_lines(review),
        rules=verdicts.describe_rules(review),
        tables=tables,
        plots=LazySequence(review_plots(review)),
        detail_tables=list(_detail_tables(review)),
        facts=list(_methods(review)),
        command=command,
        caveat=_training_caveat(review, command),
        notes=verdicts.review_notes(review),
        files={
            "metrics.csv": table.format_csv(review.metrics),
            "differences.csv": table.format_csv(review.differences),
            "table.csv": table.format_csv(review.results.table),
        },
    )


def _training_caveat(review: Review, command: str) -> Caveat | None:
    """Return a caveat on strong players that were not trained, with the command to train them."""
    request = review.request
    untrained = [variant for variant in request.variants if variant in request.untrained]
    if not untrained:
        return None
    players = list(dict.fromkeys(map(request.strong_player, untrained)))
    rule_sets = _variants_text(review, untrained, "or")
    if len(untrained) > MAX_VARIANTS_NAMED:
        rule_sets = f"{len(untrained)} of these {len(request.variants)} rule sets"
    return Caveat(
        f"Caution: {join_words(players)} {'was' if len(players) == 1 else 'were'} not trained for "
        f"{rule_sets}. Rows marked {UNTRAINED_MARK} can differ greatly from the rows of a trained "
        "player. Add --adapt to train a player.",
        _adapt_command(command),
    )


def _adapt_command(command: str) -> str:
    """Return the command with --adapt and a separate output directory."""
    words = shlex.split(command)
    for index in range(1, len(words)):
        if words[index - 1] == "-o":
            words[index] = f"{words[index].rstrip('/')}-adapted"
    return shell.join_command([*words, "--adapt"])


def _verdict_lines(review: Review) -> list[str]:
    """Return the goals, followed by the verdicts of all rule sets or of the sweep."""
    goals = list(_goal_lines(review))
    if review.request.sweep:
        return [*goals, *sweep_lines(review), best_values_line(review)]
    return goals + [f"{name}: {words}" for name, words in verdicts.review_verdicts(review)]


def _goal_lines(review: Review) -> Iterator[str]:
    """Yield the rule sets that meet all goals, followed by the rule sets that meet each goal."""
    goals = parse_goals(review.request.goals, review.rows)
    tested_variants = review.request.variants
    by_goal = [{v: review.evaluate_goal(goal, v) for v in tested_variants} for goal in goals]
    if len(goals) > 1 and len(tested_variants) > 1:
        yield recommendation(by_goal, partial(_variants_text, review))
    label = format_sweep_values if review.request.sweep else rule_set_label
    for goal, results in zip(goals, by_goal, strict=True):
        parts = [
            f"{words} "
            + join_words([label(review, v) for v in tested_variants if results[v] == goal_result])
            for goal_result, words in GOAL_RESULTS.items()
            if goal_result in results.values()
        ]
        yield f'The goal "{goal.text}" is {join_words(parts)}.'


def recommendation(
    by_goal: Sequence[Mapping[str, str]], join_names: Callable[[Sequence[str]], str]
) -> str:
    """Return a sentence about the rule sets that meet all goals, miss a goal, or are undecided.

    Args:
        by_goal: For every goal, MET, MISSED or UNDECIDED by rule set.
        join_names: Function that joins the names of rule sets.
    """
    goals_text = "both goals" if len(by_goal) == 2 else f"all {len(by_goal)} goals"
    by_variant = {v: [results[v] for results in by_goal] for v in by_goal[0]}
    met = [v for v, own in by_variant.items() if set(own) == {MET}]
    missed = [v for v, own in by_variant.items() if MISSED in own]
    undecided = [v for v in by_variant if v not in (*met, *missed)]
    parts = [f"no rule set {'clearly ' * bool(undecided)}meets {goals_text}"]
    if met:
        parts = [f"{goals_text} are met by {join_names(met)}"]
    if missed and (met or undecided):
        parts.append(f"at least one is missed by {join_names(missed)}")
    elif missed:
        min_missed = min(own.count(MISSED) for own in by_variant.values())
        nearest = [v for v in missed if by_variant[v].count(MISSED) == min_missed]
        parts.append(f"the fewest are missed by {join_names(nearest)}")
    if undecided:
        parts.append(f"more matches are needed for {join_names(undecided)}")
    *first, last = parts
    return verdicts.join_sentences([", ".join([*first, "and " * bool(first) + last])])


def _tables(review: Review) -> Iterator[Table]:
    if len(review.request.variants) <= MAX_VARIANTS_PER_TABLE:
        yield scorecard_table(review)
    if not review.request.sweep:
        yield _same_length_table(review)
    elif has_best_values(review):
        yield best_values_table(review)
    yield _adapted_player_table(review)


# Scorecard


def scorecard_table(review: Review) -> Table:
    """Return the strong player's scorecard, with a row per metric and a column per rule set."""
    request = review.request
    rows = _scorecard_rows(review, request.variants, _value_cell)
    if review.request.gin_and_knock_players:
        rows.append(
            {
                "row": GIN_VS_KNOCK_TITLE,
                **{v: _gin_vs_knock_cell(review, v) for v in request.variants},
            }
        )
    rows.append(_skill_row(review, request.variants))
    named = [(variant, rule_set_label(review, variant)) for variant in request.variants]
    title = "Scorecard"
    if request.sweep:
        rows = [{name: _arrow_only(cell) for name, cell in row.items()} for row in rows]
        named = [(variant, format_sweep_values(review, variant)) for variant in request.variants]
        title += f", by {' and '.join(name.replace('_', ' ') for name, _ in request.sweep)}"
        if request.base:
            base = variant_label(request.base)
            title += f" (▲ ▼: significantly above or below {base})"
    columns = [Column("row", "property"), *(Column(*names) for names in named)]
    scope = "for the strong player" if request.is_solo else "for matches between strong players"
    sizes = SIZE_NOTE if request.base else ""
    note = (
        f"Values are {scope}. {INTERVAL_NOTE}{sizes}{_meanings_text(review)}"
        f"Players: {_players_text(review)}"
    )
    return Table(title, make_frame(rows), columns, note)


def _scorecard_rows(
    review: Review,
    shown_variants: Iterable[str],
    make_cell: Callable[[Review, str, ScorecardRow], ScoreCell],
) -> list[dict[str, Any]]:
    """Return the scorecard rows with a value, or all rows of a review in progress."""
    rows = []
    for row in review.rows:
        cells = {variant: make_cell(review, variant, row) for variant in shown_variants}
        if review.finished is not None or any(own.text != EN_DASH for own in cells.values()):
            rows.append(
                {"row": f"{row.title}{_training_mark(review, shown_variants, row.key)}", **cells}
            )
    return rows


def _skill_row(review: Review, shown_variants: Iterable[str]) -> dict[str, Any]:
    cells = {variant: _skill_cell(review, variant) for variant in shown_variants}
    return {
        "row": skill_title(review.request.is_solo) + _training_mark(review, shown_variants, SKILL),
        **cells,
    }


def _training_mark(review: Review, shown_variants: Iterable[str], metric: str) -> str:
    """Return `UNTRAINED_MARK` if training for one of the rule sets would change a row, or ""."""
    return UNTRAINED_MARK * any(
        review.is_untrained((variant, metric, STRONG)) for variant in shown_variants
    )


def _transpose(card: Table) -> Table:
    """Return a scorecard as strings, with one row per rule set."""
    texts = {
        column.heading: [str(cell) for cell in card.frame[column.name]] for column in card.columns
    }
    rows = texts.pop("property")
    frame = make_frame([dict(zip(rows, cells, strict=True)) for cells in texts.values()])
    frame.insert(0, "rules", list(texts))
    return Table(card.title, frame, [Column(name, name) for name in map(str, frame)], card.note)


def _meanings_text(review: Review) -> str:
    """Return explanations of the rows that need more than a title."""
    meanings = {row.title: row.meaning for row in review.rows if row.meaning}
    meanings |= SOLO_MEANINGS if review.request.is_solo else MATCHUP_MEANINGS
    return "".join(f"{title}: {meaning}. " for title, meaning in meanings.items())


def _arrow_only(cell: Any) -> Any:
    """Return a narrow cell with the value and the arrow of its verdict."""
    if not isinstance(cell, ScoreCell):
        return cell
    arrow = cell.verdict[:1] if cell.verdict[:1] in ("▲", "▼") else ""
    return ScoreCell(cell.text, arrow, cell.detail.partition(";")[0], cell.tone)


def _value_cell(review: Review, variant: str, row: ScorecardRow) -> ScoreCell:
    """Return a cell with the strong player's value, effect size and range over player types."""
    number = review.measurements.get((variant, row.key, STRONG))
    if not isinstance(number, PairedEstimate) or number.value != number.value:
        return ScoreCell(EN_DASH)
    text, interval = row.format_value(number.value), row.format_interval(number)
    if variant == review.request.base or review.request.base is None:
        return ScoreCell(text, "", interval, "base")
    change = review.effects.get((variant, row.key, STRONG))
    if change is None:
        return ScoreCell(text, "", interval, "unclear")
    cell = _changed_cell(text, change, row)
    if review.player_types_differ(variant, row.key):
        by_type = _range_by_type(review, variant, row)
        return replace(cell, detail=f"{cell.detail}; by player type {by_type}")
    return cell


def _changed_cell(text: str, effect: Effect, row: ScorecardRow) -> ScoreCell:
    """Return a cell with a value, its effect size, and its difference with the interval."""
    change = row.format_change(effect.difference.value)
    detail = row.format_difference(effect.difference)
    word = _effect_text(effect, row.more, row.less)
    return ScoreCell(text, word, detail, SIZE_TONES[effect.size], change)


def _effect_text(effect: Effect, more: str, less: str) -> str:
    """Return `▲ a little longer`, `same`, `at most a little longer` or `inconclusive`."""
    size = effect_size_range(effect.size, effect.bounds, effect.interval)
    if size in (SAME, UNCLEAR):
        return size
    arrow, word = ("▲ ", more) if effect.difference.value > 0 else ("▼ ", less)
    return f"{arrow * bool(effect.sign)}{size} {word}"


def _range_by_type(review: Review, variant: str, row: ScorecardRow) -> str:
    """Return the range of the effect over player types, as in `-61 to +25`."""
    effects = review.effects_by_type(variant, row.key)
    values = [effect.difference.value for effect in effects.values()]
    return f"{row.format_change(min(values))} to {row.format_change(max(values))}"


def _gin_vs_knock_cell(review: Review, variant: str) -> ScoreCell:
    """Return a cell with the win rate of playing for gin against immediate knocking."""
    key = (variant, GIN_VS_KNOCK, PLAYS_FOR_GIN)
    number, change = review.measurements.get(key), review.effects.get(key)
    if not isinstance(number, PairedEstimate):
        return ScoreCell(EN_DASH)
    text = GIN_ROW.format_value(number.value)  # The value is formatted like the percentage of gin.
    if change is None:
        return ScoreCell(text, "", _format_half_width(number), "base")
    return _changed_cell(text, change, GIN_ROW)


def _skill_cell(review: Review, variant: str) -> ScoreCell:
    """Return a cell with the range of the strong player's win rates against weaker player types.

    In solitaire games, the cell contains the difference from the naive player.
    """
    measured = [
        number
        for (rule_set, key, _), number in review.measurements.items()
        if (rule_set, key) == (variant, SKILL)
    ]
    if len(measured) < (1 if review.request.is_solo else len(review.request.kinds)):
        return ScoreCell(EN_DASH)  # the matches are not finished
    estimates = [number for number in measured if isinstance(number, PairedEstimate)]
    values = [100 * number.value for number in estimates]
    text = f"{min(values):.0f} to {max(values):.0f} %" if len(values) > 1 else f"{values[0]:.0f} %"
    if review.request.is_solo:
        text = f"{values[0]:+.0f} points"
    if variant == review.request.base or review.request.base is None:
        return ScoreCell(text, "", _widest_interval(estimates), "base")
    word, tone = SKILL_EFFECT_CELLS[skill_effect(review, variant)]
    changes = [own.difference for own in review.effects_by_type(variant, SKILL).values()]
    bounds = (pick(own.value for own in changes) for pick in (min, max))
    change = " to ".join(dict.fromkeys(map(GIN_ROW.format_change, bounds)))
    half_width = _widest_interval(changes)
    is_range = " to " in change
    separator = " points; each estimate" if is_range else ""
    detail = f"{change}{separator} {half_width}"
    return ScoreCell(text, word, detail, tone, change)


def _widest_interval(numbers: Sequence[PairedEstimate]) -> str:
    """Return the largest half-width among the confidence intervals of the given proportions."""
    return _format_half_width(max(numbers, key=lambda own: own.interval[1] - own.interval[0]))


# Equal match length


def _same_length_table(review: Review) -> Table:
    """Return the scorecard with targets that give the same match length as the baseline."""
    same = dict(review.request.same_length)
    if not same:
        return Table(SAME_LENGTH_TITLE, make_frame([]), ())
    base = str(review.request.base)
    titles = {base: rule_set_label(review, base)}
    for variant, text in same.items():
        target = variants.find_variant(text).params["points_target"]
        titles[text] = f"{rule_set_label(review, variant)} to {target}"
    rows = _scorecard_rows(review, titles, _value_cell)
    rows.append(_skill_row(review, titles))
    note = (
        "Match length affects shut-outs, comebacks and skill. With the targets in this table, "
        f"matches between strong players are about as long as under {rule_set_label(review, base)}."
    )
    columns = [Column("row", "property"), *(Column(v, title) for v, title in titles.items())]
    return Table(SAME_LENGTH_TITLE, make_frame(rows), columns, note)


def _adapted_player_table(review: Review) -> Table:
    """Return a table of the differences between adapted players and champion."""
    rows: list[dict[str, Any]] = []
    learned = review.request.adapted_variants
    if learned:
        won = {v: review.win_rate(v, review.request.strong_player(v), CHAMPION) for v in learned}
        cells = {
            v: ScoreCell(f"{100 * players.value:.1f} %", "", _format_half_width(players))
            for v, players in won.items()
        }
        rows.append({"row": "Matches won against champion", **cells})
    rows += _scorecard_rows(review, learned, _adapted_cell)
    note = (
        "Each column compares matches between two players that were trained for these rules with "
        "matches between two copies of champion without this training. Values with a "
        "sign are differences from champion."
    )
    columns = [Column("row", "property"), *(Column(v, rule_set_label(review, v)) for v in learned)]
    return Table("How trained players differ from champion", make_frame(rows), columns, note)


def _format_half_width(proportion: PairedEstimate) -> str:
    low, high = proportion.interval
    return f"± {50 * (high - low):.1f}"


def _adapted_cell(review: Review, variant: str, row: ScorecardRow) -> ScoreCell:
    value, change = (
        review.measurements[variant, row.key, STRONG],
        review.adapted_effect(variant, row),
    )
    if isinstance(value, str) or change is None:
        return ScoreCell(EN_DASH)
    return _changed_cell(row.format_value(value.value), change, row)


# Detail tables and methods


def _detail_tables(review: Review) -> Iterator[Table]:
    """Yield the scorecard of a long sweep, all values by player type, and all effects."""
    if len(review.request.variants) > MAX_VARIANTS_PER_TABLE:
        yield _transpose(scorecard_table(review))
    label = partial(rule_set_label, review)
    named = review.metrics.assign(variant=review.metrics["variant"].map(label))
    known = named[named["why"] == ""]
    columns = (
        *(Column("variant", "rules"), Column("title", "metric"), Column("players", "players")),
        *(Column("value", "value"), Column("n", "n")),
    )
    yield Table("All metrics", known, columns, "Proportions are between 0 and 1.")
    if len(review.differences):
        changed = review.differences
        changed = changed.assign(variant=changed["variant"].map(label))
        displayed_tables = (
            *(Column("variant", "rules"), Column("title", "metric")),
            Column("players", "players"),
            *(Column("value", "difference"), Column("p_holm", "p (Holm)", digits=4)),
            Column("size", "effect size"),
        )
        base = rule_set_label(review, str(review.request.base))
        note = (
            f"A difference is the value of the rule set minus that of {base}. The p-values are "
            "corrected for all rows of this table by Holm's method."
        )
        yield Table("All differences from the baseline", changed, displayed_tables, note)


def _methods(review: Review) -> Iterator[tuple[str, str]]:
    request = review.request
    yield "Limitations", LIMITATIONS
    each = "player" if request.is_solo else "pair of players"
    sizes = list(review.sizes.values()) if request.is_sequential else [request.matches]
    stopping = " Undecided effect sizes and goals required more matches." * (len(set(sizes)) > 1)
    yield (
        "Sample size",
        f"{format_count_range(sizes)} matches per {each} and rule set.{stopping} All rule sets use "
        "the same deals.",
    )
    yield "Seed", str(request.seed)
    if missing := _missing_text(review):
        yield "Missing values", missing


def _players_text(review: Review) -> str:
    """Return a sentence that lists the player types and their strategies."""
    request = review.request
    named = [f"{kind} ({name})" if kind != name else name for kind, name in request.kinds]
    strong: dict[str, list[str]] = {}
    for v in request.variants:
        player = (
            "champion, trained for each rule set"
            if v in request.adapted_variants
            else request.strong_player(v)
        )
        strong.setdefault(player, []).append(v)
    most_common, *others = sorted(strong, key=lambda player: -len(strong[player]))
    exceptions = "".join(
        f"; {other} under {_variants_text(review, strong[other])}" for other in others
    )
    named.append(f"{STRONG} ({most_common}{exceptions})")
    unimproved = [
        v for v in request.variants if request.adapt and v not in request.adapted_variants
    ]
    learned = (
        f" Training did not improve champion under {_variants_text(review, unimproved)}."
        if unimproved
        else ""
    )
    return f"{'; '.join(named)}.{learned}"


def _variants_text(review: Review, variant_names: Sequence[str], conjunction: str = "and") -> str:
    """Return the joined names of rule sets, or their parameter values in a sweep."""
    swept = review.request.swept_variants if review.request.sweep else []
    named = [rule_set_label(review, variant) for variant in variant_names if variant not in swept]
    if len(named) < len(variant_names):
        names = " / ".join(name.replace("_", " ") for name, _ in review.request.sweep)
        named.append(f"{names} {join_words(value_ranges(review, variant_names), conjunction)}")
    return join_words(named, conjunction)


def _missing_text(review: Review) -> str:
    reasons: dict[str, list[str]] = {}
    frame = review.metrics[(review.metrics["why"] != "") & (review.metrics["players"] == STRONG)]
    for row in frame.to_dict("records"):
        reasons.setdefault(row["why"], []).append(
            f"{row['title']} ({rule_set_label(review, row['variant'])})"
        )
    parts = [f"{', '.join(dict.fromkeys(what))}: {why}." for why, what in reasons.items()]
    return " ".join(parts)

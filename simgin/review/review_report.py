"""Report of a review, with verdicts, the scorecard, goals, player types and plots."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from simgin.learn.adapt import has_own_weights
from simgin.report.numbers import EN_DASH, format_p_value
from simgin.report.report import Caveat, LazySequence, Report
from simgin.report.report_table import Column, ScoreCell, Table
from simgin.review import verdicts
from simgin.review.review import GIN_VS_KNOCK_METRIC, SKILL_METRIC, Effect, Review
from simgin.review.review_plots import iterate_review_plots
from simgin.review.scorecard import (
    COMPARISON_MEANINGS,
    EVENINGS_FOR_SMALL_EFFECT,
    GIN_ROW,
    GIN_VS_KNOCK_TITLE,
    GOAL_MET,
    GOAL_MISSED,
    GOAL_UNDECIDED,
    LARGE_EFFECT,
    MATCHES_PER_EVENING,
    NO_EFFECT,
    SMALL_EFFECT,
    SOLO_COMPARISON_MEANINGS,
    STALLED_ROW_KEY,
    UNCLEAR_EFFECT,
    ScorecardRow,
    choose_skill_title,
    format_effect_size,
    parse_goals,
)
from simgin.review.verdicts import (
    build_best_values_table,
    can_show_best_values,
    describe_best_values,
    format_rule_set_label,
    format_sweep_values,
    format_value_ranges,
    format_variant_label,
    iterate_sweep_lines,
    summarise_skill_effect,
)
from simgin.rules import variants
from simgin.stats import table
from simgin.stats.paired_estimate import PairedEstimate
from simgin.stats.table import make_frame
from simgin.strategy.cast import CHAMPION_STRATEGY, GIN_PLAYER, STRONG_PLAYER
from simgin.text import shell
from simgin.text.amounts import format_count_range
from simgin.text.messages import join_words

EFFECT_SIZE_TONES = {
    NO_EFFECT: "same",
    SMALL_EFFECT: "little",
    LARGE_EFFECT: "much",
    UNCLEAR_EFFECT: "unclear",
}
# text and colour of a cell, by the result of `simgin.review.verdicts.summarise_skill_effect`
SKILL_CELL_TEXTS_AND_TONES = {
    NO_EFFECT: (NO_EFFECT, "same"),
    UNCLEAR_EFFECT: (UNCLEAR_EFFECT, "unclear"),
    "depends": ("effect varies by opponent", "depends"),
    "some+": ("▲ more against some opponents", "depends"),
    "some-": ("▼ less against some opponents", "depends"),
    **{
        f"+{size}": (f"▲ {size} more", EFFECT_SIZE_TONES[size])
        for size in (SMALL_EFFECT, LARGE_EFFECT)
    },
    **{
        f"-{size}": (f"▼ {size} less", EFFECT_SIZE_TONES[size])
        for size in (SMALL_EFFECT, LARGE_EFFECT)
    },
}
SAME_LENGTH_TITLE = "Scorecard at equal match length"
# mark of rows that would change if the strong player were trained for the rules
UNTRAINED_MARK = "†"
MAX_VARIANTS_IN_CAVEAT = 4  # maximum number of rule sets that a caveat lists
# Maximum number of rule sets with a column in a scorecard. Longer scorecards are summarised, and
# longer sweeps are shown in plots.
MAX_VARIANTS_PER_TABLE = 8
# rows that are shown in the summary of a scorecard, in addition to the skill row
MAIN_ROW_KEYS = ("turns_per_match", "win", "score", "gin")
GOAL_RESULT_PHRASES = {
    GOAL_MET: "met by",
    GOAL_MISSED: "missed by",
    GOAL_UNDECIDED: "undecided for",
}
DIFFERENCES_TITLE = "All differences from the baseline"
INTERVAL_NOTE = "± marks 95 % confidence intervals."
# Paragraphs of the note below the scorecard
EFFECT_SIZE_NOTES = (
    "Values with a sign are differences from the baseline. "
    '"Much" means that you notice the difference with probability 5/6 in one evening of '
    f"{MATCHES_PER_EVENING} matches under each rule set. "
    f'"A little" means that you need {EVENINGS_FOR_SMALL_EFFECT} evenings to notice the difference '
    'with the same probability. "Same" marks smaller differences.',
    'For skill and playing for gin, "a little" begins at 2 percentage points and "much" at 6. '
    'For deals won, matches won and stalled deals, "a little" begins at 1 percentage point and '
    '"much" at 3. In the other rows, both limits depend on how much the value varies between '
    "matches.",
    'If the interval includes several sizes, the cell shows "at most a little" or "same to much". '
    "To narrow the interval, play more matches.",
    'If the effect on skill depends on the opponent, the cell shows "effect varies by opponent" or '
    f'"against some opponents", and the table "{DIFFERENCES_TITLE}" shows the effect against each '
    "opponent.",
)
LIMITATIONS_TEXT = (
    "A review does not measure fun, learning, bluffing or how people play. Unlike people, the "
    "simulated players never get tired, forget a card or talk. The strong player is the strongest "
    "strategy in simgin, but it does not play perfectly."
)


def build_review_report(review: Review, command: str) -> Report:
    """Return the report of a review, with its verdicts, tables, plots and caveats."""
    tables = [table for table in _iterate_tables(review) if len(table.frame)]
    return Report(
        verdicts.format_review_question(review),
        _list_verdict_lines(review),
        rules=verdicts.describe_rules(review),
        tables=tables,
        plots=LazySequence(iterate_review_plots(review)),
        detail_tables=list(_iterate_detail_tables(review)),
        facts=list(_iterate_method_facts(review)),
        command=command,
        caveat=_make_training_caveat(review, command),
        notes=[
            *verdicts.list_review_notes(review),
            *verdicts.list_stall_warnings(review),
            *_iterate_training_notes(review),
        ],
        files={
            "metrics.csv": table.format_csv(review.metrics),
            "differences.csv": table.format_csv(review.differences),
            "table.csv": table.format_csv(review.results.table),
        },
    )


def _make_training_caveat(review: Review, command: str) -> Caveat | None:
    """Return a caveat if strong players were not trained for the rules, otherwise None."""
    request = review.request
    untrained_variants = request.untrained_variants
    if not untrained_variants:
        return None
    players = list(dict.fromkeys(map(request.find_strong_player, untrained_variants)))
    rule_sets = _format_rule_sets(review, untrained_variants, "or")
    if len(untrained_variants) > MAX_VARIANTS_IN_CAVEAT:
        rule_sets = f"{len(untrained_variants)} of these {len(request.played_variants)} rule sets"
    return Caveat(
        f"Warning: {join_words(players)} {'was' if len(players) == 1 else 'were'} not trained for "
        f"{rule_sets}. The values in rows marked {UNTRAINED_MARK} can differ greatly from those of "
        "a trained player. Add --adapt to train a player.",
        _make_training_command(command),
    )


def _make_training_command(command: str) -> str:
    """Return a review command that also trains players, with another output directory."""
    arguments = shlex.split(command)
    for index in range(1, len(arguments)):
        if arguments[index - 1] == "-o":
            arguments[index] = f"{arguments[index].rstrip('/')}-adapted"
    return shell.join_command([*arguments, "--adapt"])


def _list_verdict_lines(review: Review) -> list[str]:
    """Return sentences about the goals, and verdicts on the rule sets or the sweep."""
    lines = list(_iterate_goal_lines(review))
    if review.request.sweep:
        return [*lines, *iterate_sweep_lines(review), describe_best_values(review)]
    return lines + [f"{name}: {verdict}" for name, verdict in verdicts.list_review_verdicts(review)]


def _iterate_goal_lines(review: Review) -> Iterator[str]:
    """Yield sentences that name the rule sets that meet or miss each goal."""
    goals = parse_goals(review.request.goals, review.scorecard_rows)
    specs = review.request.variants
    results_by_goal = [
        {variant: review.evaluate_goal(goal, variant) for variant in specs} for goal in goals
    ]
    if len(goals) > 1 and len(specs) > 1:
        yield format_recommendation(results_by_goal, partial(_format_rule_sets, review))
    format_label = format_sweep_values if review.request.sweep else format_rule_set_label
    for goal, results in zip(goals, results_by_goal, strict=True):
        clauses = []
        for goal_result, verb in GOAL_RESULT_PHRASES.items():
            if names := [
                format_label(review, variant)
                for variant in specs
                if results[variant] == goal_result
            ]:
                clauses.append(f"{verb} {join_words(names)}")
        yield f'The goal "{goal.text}" is {join_words(clauses)}.'


def format_recommendation(
    results_by_goal: Sequence[Mapping[str, str]], join_names: Callable[[Sequence[str]], str]
) -> str:
    """Return a sentence that groups rule sets by whether they meet all goals.

    Args:
        results_by_goal: For every goal, its result (GOAL_MET, GOAL_MISSED or GOAL_UNDECIDED) by
            rule set.
        join_names: Function that joins the names of rule sets.
    """
    goals_text = "both goals" if len(results_by_goal) == 2 else f"all {len(results_by_goal)} goals"
    results = {
        variant: [result_by_variant[variant] for result_by_variant in results_by_goal]
        for variant in results_by_goal[0]
    }
    met = [variant for variant in results if set(results[variant]) == {GOAL_MET}]
    missed = [variant for variant in results if GOAL_MISSED in results[variant]]
    variants_undecided = [variant for variant in results if variant not in (*met, *missed)]
    clauses = [f"no rule set {'clearly ' * bool(variants_undecided)}meets {goals_text}"]
    if met:
        clauses = [f"{goals_text} are met by {join_names(met)}"]
    if missed and (met or variants_undecided):
        clauses.append(f"at least one is missed by {join_names(missed)}")
    elif missed:
        min_missed = min(goal_results.count(GOAL_MISSED) for goal_results in results.values())
        nearest = [
            variant for variant in missed if results[variant].count(GOAL_MISSED) == min_missed
        ]
        if len(nearest) == len(results):
            number_names = {1: "one", len(results_by_goal): goals_text.split()[0]}
            count_text = number_names.get(min_missed, str(min_missed))
            clauses.append(f"each rule set misses {count_text} of them")
        else:
            clauses.append(f"the fewest are missed by {join_names(nearest)}")
    if variants_undecided:
        clauses.append(f"more matches are needed for {join_names(variants_undecided)}")
    *first_clauses, last_clause = clauses
    sentence = ", ".join([*first_clauses, "and " * bool(first_clauses) + last_clause])
    return verdicts.format_sentences([sentence])


def _iterate_tables(review: Review) -> Iterator[Table]:
    """Yield the main tables of the report."""
    for scorecard in _iterate_scorecards(review):
        if not (review.request.sweep and _has_too_many_columns(scorecard)):
            yield fit_scorecard(review, scorecard)
    if review.request.sweep and can_show_best_values(review):
        yield build_best_values_table(review)
    player_table = _build_adapted_player_table(review)
    yield (
        _transpose_scorecard(player_table) if _has_too_many_columns(player_table) else player_table
    )


# Scorecard


def _iterate_scorecards(review: Review) -> Iterator[Table]:
    """Yield the scorecard and, unless there is a sweep, the scorecard at equal match length."""
    yield build_scorecard_table(review)
    if not review.request.sweep:
        yield _build_same_length_table(review)


def _has_too_many_columns(scorecard: Table) -> bool:
    """Return True if a scorecard has too many rule sets for one column each."""
    return len(scorecard.columns) - 1 > MAX_VARIANTS_PER_TABLE


def fit_scorecard(review: Review, scorecard: Table) -> Table:
    """Return a scorecard, or its main rows as columns if it has too many rule sets."""
    if not _has_too_many_columns(scorecard):
        return scorecard
    main_titles = {row.title for row in review.scorecard_rows if row.key in MAIN_ROW_KEYS}
    main_titles.add(choose_skill_title(review.request.is_solo))
    column_names = [column.name for column in scorecard.columns]
    rows = [
        dict(zip(column_names, map(_shorten_to_arrow, cells), strict=True))
        for cells in zip(*(scorecard.frame[name] for name in column_names), strict=True)
        if str(cells[0]).removesuffix(UNTRAINED_MARK) in main_titles
    ]
    title, note = f"{scorecard.title}: main properties", _explain_summary(review, scorecard.title)
    return _transpose_scorecard(Table(title, make_frame(rows), scorecard.columns, note))


def _explain_summary(review: Review, scorecard_title: str) -> str:
    """Return the note below a summarised scorecard."""
    players = "the strong player" if review.request.is_solo else "matches between strong players"
    arrow_note = ""
    if review.request.base:
        base = format_rule_set_label(review, review.request.base)
        arrow_note = f"▲ and ▼ mark values at least a little above or below {base}. "
    return (
        f"Values are for {players}. {arrow_note}"
        f'The table "{scorecard_title}" in the report shows all properties.'
    )


def build_scorecard_table(review: Review) -> Table:
    """Return the strong player's scorecard, with rows for metrics and columns for rule sets."""
    request = review.request
    rows = _make_scorecard_cell_rows(review, request.variants, _make_value_cell)
    if review.request.gin_and_knock_players:
        cells = {variant: _make_gin_vs_knock_cell(review, variant) for variant in request.variants}
        rows.append({"row": GIN_VS_KNOCK_TITLE, **cells})
    rows.append(_make_skill_row(review, request.variants))
    format_label = format_sweep_values if request.sweep else format_rule_set_label
    labels = [(variant, format_label(review, variant)) for variant in request.variants]
    title = "Scorecard"
    if request.sweep:
        rows = [{name: _shorten_to_arrow(cell) for name, cell in row.items()} for row in rows]

        title += f", by {' and '.join(name.replace('_', ' ') for name, _ in request.sweep)}"
        if request.base:
            base = format_variant_label(request.base)
            title += f" (▲ ▼: at least a little above or below {base})"
    columns = [Column("row", "property"), *(Column(*label) for label in labels)]
    players = "the strong player" if request.is_solo else "matches between strong players"
    paragraphs = [
        f"Values are for {players}. {INTERVAL_NOTE}",
        *(EFFECT_SIZE_NOTES if request.base else ()),
        _explain_scorecard_rows(review),
        f"Players: {_format_players(review)}",
    ]
    return Table(title, make_frame(rows), columns, "\n\n".join(filter(None, paragraphs)))


def _make_scorecard_cell_rows(
    review: Review,
    shown_variants: Iterable[str],
    make_cell: Callable[[Review, str, ScorecardRow], ScoreCell],
) -> list[dict[str, Any]]:
    """Return the cells of the scorecard's rows, without rows that stay empty."""
    rows = []
    for row in review.shown_scorecard_rows:
        cells = {variant: make_cell(review, variant, row) for variant in shown_variants}
        if review.finished_matchup_indices is not None or any(
            cell.text != EN_DASH for cell in cells.values()
        ):
            # A warning can state the stalled deals of another player type.
            title = row.title + f" ({STRONG_PLAYER} player)" * (row.key == STALLED_ROW_KEY)
            title += _make_untrained_mark(review, shown_variants, row.key)
            rows.append({"row": title, **cells})
    return rows


def _make_skill_row(review: Review, shown_variants: Iterable[str]) -> dict[str, Any]:
    """Return the scorecard row with win rates against weaker players."""
    cells = {variant: _make_skill_cell(review, variant) for variant in shown_variants}
    title = choose_skill_title(review.request.is_solo) + _make_untrained_mark(
        review, shown_variants, SKILL_METRIC
    )
    return {"row": title, **cells}


def _make_untrained_mark(review: Review, shown_variants: Iterable[str], metric: str) -> str:
    """Return a mark if training a strong player would change a scorecard row, otherwise ""."""
    return UNTRAINED_MARK * any(
        review.needs_training((variant, metric, STRONG_PLAYER)) for variant in shown_variants
    )


def _transpose_scorecard(scorecard: Table) -> Table:
    """Return a scorecard whose rows are the rule sets."""
    cells_by_heading = {
        column.heading: [str(cell) for cell in scorecard.frame[column.name]]
        for column in scorecard.columns
    }
    row_titles = cells_by_heading.pop("property")
    frame = make_frame(
        [dict(zip(row_titles, cells, strict=True)) for cells in cells_by_heading.values()]
    )
    frame.insert(0, "rules", list(cells_by_heading))
    columns = [Column(name, name) for name in map(str, frame)]
    return Table(scorecard.title, frame, columns, scorecard.note)


def _explain_scorecard_rows(review: Review) -> str:
    """Return sentences that explain scorecard rows whose titles are not sufficient."""
    meanings = {row.title: row.meaning for row in review.shown_scorecard_rows if row.meaning}
    meanings |= SOLO_COMPARISON_MEANINGS if review.request.is_solo else COMPARISON_MEANINGS
    if not review.request.gin_and_knock_players:
        meanings.pop(GIN_VS_KNOCK_TITLE, None)
    return " ".join(f"{title}: {meaning}." for title, meaning in meanings.items())


def _shorten_to_arrow(cell: Any) -> Any:
    """Return a scorecard cell whose verdict is only an arrow."""
    if not isinstance(cell, ScoreCell):
        return cell
    arrow = cell.verdict[:1] if cell.verdict[:1] in ("▲", "▼") else ""
    return ScoreCell(cell.text, arrow, cell.detail.partition(";")[0], cell.tone)


def _make_value_cell(review: Review, variant: str, row: ScorecardRow) -> ScoreCell:
    """Return a scorecard cell with a value, its effect size and its range over player types."""
    estimate = review.measurements.get((variant, row.key, STRONG_PLAYER))
    if not isinstance(estimate, PairedEstimate) or estimate.value != estimate.value:
        return ScoreCell(EN_DASH)
    text, interval = row.format_value(estimate.value), row.format_half_width(estimate)
    if variant == review.request.base or review.request.base is None:
        return ScoreCell(text, "", interval, "base")
    effect = review.effects.get((variant, row.key, STRONG_PLAYER))
    if effect is None:
        return ScoreCell(text, "", interval, "unclear")
    cell = _make_difference_cell(text, effect, row)
    if review.varies_by_player_type(variant, row.key):
        type_range = _format_effect_range_by_type(review, variant, row)
        return replace(cell, detail=f"{cell.detail}; range over player types: {type_range}")
    return cell


def _make_difference_cell(text: str, effect: Effect, row: ScorecardRow) -> ScoreCell:
    """Return a scorecard cell with a value and its difference from the baseline."""
    difference_text = row.format_difference(effect.difference)
    effect_text = _format_effect(effect, row.more_word, row.less_word)
    tone = EFFECT_SIZE_TONES[effect.size]
    return ScoreCell(text, effect_text, difference_text, tone, difference_text.partition(" ± ")[0])


def _format_effect(effect: Effect, more_word: str, less_word: str) -> str:
    """Format an effect size, such as `▲ a little longer` or `inconclusive`."""
    size = format_effect_size(effect.size, effect.size_thresholds, effect.interval)
    if size in (NO_EFFECT, UNCLEAR_EFFECT):
        return size
    arrow, direction_word = ("▲ ", more_word) if effect.difference.value > 0 else ("▼ ", less_word)
    return f"{arrow * bool(effect.sign)}{size} {direction_word}"


def _format_effect_range_by_type(review: Review, variant: str, row: ScorecardRow) -> str:
    """Format the range of an effect over player types, such as `-61 to +25`."""
    effects = review.select_effects_by_type(variant, row.key)
    values = [effect.difference.value for effect in effects.values()]
    return f"{row.format_change(min(values))} to {row.format_change(max(values))}"


def _make_gin_vs_knock_cell(review: Review, variant: str) -> ScoreCell:
    """Return a scorecard cell with the win rate of playing for gin against knocking."""
    key = (variant, GIN_VS_KNOCK_METRIC, GIN_PLAYER)
    estimate, effect = review.measurements.get(key), review.effects.get(key)
    if not isinstance(estimate, PairedEstimate):
        return ScoreCell(EN_DASH)
    # The win rate has the same format as the percentage of gin.
    text = GIN_ROW.format_value(estimate.value)
    if effect is None:
        return ScoreCell(text, "", _format_half_width(estimate), "base")
    return _make_difference_cell(text, effect, GIN_ROW)


def _make_skill_cell(review: Review, variant: str) -> ScoreCell:
    """Return a scorecard cell with the range of win rates against weaker player types.

    In solitaire games, the cell contains the difference from the naive player.
    """
    measurements = [
        measurement
        for (row_variant, key, _), measurement in review.measurements.items()
        if (row_variant, key) == (variant, SKILL_METRIC)
    ]
    if len(measurements) < (1 if review.request.is_solo else len(review.request.kinds)):
        return ScoreCell(EN_DASH)  # Some matches are not finished.
    estimates = [number for number in measurements if isinstance(number, PairedEstimate)]
    values = [100 * number.value for number in estimates]
    text = f"{min(values):.0f} to {max(values):.0f} %" if len(values) > 1 else f"{values[0]:.0f} %"
    if review.request.is_solo:
        text = f"{values[0]:.0f} percentage points"
    if variant == review.request.base or review.request.base is None:
        return ScoreCell(text, "", _format_largest_half_width(estimates), "base")
    changes = [
        effect.difference
        for effect in review.select_effects_by_type(variant, SKILL_METRIC).values()
    ]
    if not changes:
        return ScoreCell(EN_DASH)  # The matches of the baseline are not finished.
    effect_text, tone = SKILL_CELL_TEXTS_AND_TONES[summarise_skill_effect(review, variant)]
    bounds = (extreme(effect.value for effect in changes) for extreme in (min, max))
    change_text = " to ".join(dict.fromkeys(map(GIN_ROW.format_change, bounds)))
    separator = " percentage points; each estimate" if " to " in change_text else ""
    detail = f"{change_text}{separator} {_format_largest_half_width(changes)}"
    return ScoreCell(text, effect_text, detail, tone, change_text)


def _format_largest_half_width(proportions: Sequence[PairedEstimate]) -> str:
    """Format the half-width of the widest confidence interval of several proportions."""
    return _format_half_width(
        max(proportions, key=lambda rate: rate.interval[1] - rate.interval[0])
    )


# Equal match length


def _build_same_length_table(review: Review) -> Table:
    """Return the scorecard for target scores that give equal match lengths."""
    variant_by_base = dict(review.request.same_length)
    if not variant_by_base:
        return Table(SAME_LENGTH_TITLE, make_frame([]), ())
    base = str(review.request.base)
    titles = {base: format_rule_set_label(review, base)}
    for variant, same_length_variant in variant_by_base.items():
        target = variants.find_variant(same_length_variant).params["points_target"]
        titles[same_length_variant] = f"{format_rule_set_label(review, variant)}, target {target}"
    rows = _make_scorecard_cell_rows(review, titles, _make_value_cell)
    rows.append(_make_skill_row(review, titles))
    note = (
        "Match length affects shut-outs, comebacks and skill. With the targets in this table, "
        "matches between strong players are about as long as under "
        f"{format_rule_set_label(review, base)}."
    )
    columns = [Column("row", "property"), *(Column(spec, title) for spec, title in titles.items())]
    return Table(SAME_LENGTH_TITLE, make_frame(rows), columns, note)


def _build_adapted_player_table(review: Review) -> Table:
    """Return a table that compares adapted players with `champion`."""
    rows: list[dict[str, Any]] = []
    adapted_variants = review.request.adapted_variants
    if adapted_variants:
        rows.append({"row": "Matches won against champion"})
    for variant in adapted_variants:
        win_rate = review.estimate_win_rate(
            variant, review.request.find_strong_player(variant), CHAMPION_STRATEGY
        )
        text = f"{100 * win_rate.value:.1f} %"
        rows[0][variant] = ScoreCell(text, "", _format_half_width(win_rate))
    rows += _make_scorecard_cell_rows(review, adapted_variants, _make_adapted_player_cell)
    note = (
        "In each column, two players trained for these rules play each other. Values with a sign "
        "are differences from matches between two copies of champion, which was not trained for "
        "these rules."
    )
    labels = [
        Column(variant, format_rule_set_label(review, variant)) for variant in adapted_variants
    ]
    columns = [Column("row", "property"), *labels]
    return Table("How trained players differ from champion", make_frame(rows), columns, note)


def _format_half_width(proportion: PairedEstimate) -> str:
    """Format the half-width of a proportion's interval in percentage points."""
    low, high = proportion.interval
    return f"± {50 * (high - low):.1f}"


def _make_adapted_player_cell(review: Review, variant: str, row: ScorecardRow) -> ScoreCell:
    """Return a cell with the value of an adapted player, compared with `champion`."""
    value = review.measurements[variant, row.key, STRONG_PLAYER]
    change = review.compute_adaptation_effect(variant, row)
    if isinstance(value, str) or change is None:
        return ScoreCell(EN_DASH)
    return _make_difference_cell(row.format_value(value.value), change, row)


# Detail tables and methods


def _iterate_detail_tables(review: Review) -> Iterator[Table]:
    """Yield the scorecards of many rule sets, and tables of all values and differences."""
    yield from map(_transpose_scorecard, filter(_has_too_many_columns, _iterate_scorecards(review)))
    format_label = partial(format_rule_set_label, review)
    metrics = review.metrics.assign(variant=review.metrics["variant"].map(format_label))
    hidden_keys = {row.key for row in {*review.scorecard_rows} - {*review.shown_scorecard_rows}}
    known_metrics = metrics[(metrics["why"] == "") & ~metrics["metric"].isin(hidden_keys)]
    columns = (
        *(Column("variant", "rules"), Column("title", "metric"), Column("players", "players")),
        *(Column("value", "value"), Column("n", "n")),
    )
    stalled_text = "".join(f" {sentence}" for sentence in verdicts.list_stall_warnings(review))
    metrics_note = f"Proportions are between 0 and 1.{stalled_text}"
    yield Table("All metrics", known_metrics, columns, metrics_note)
    if len(review.differences):
        differences = review.differences[~review.differences["metric"].isin(hidden_keys)]
        differences = differences.assign(
            variant=differences["variant"].map(format_label),
            p_holm=differences["p_holm"].map(format_p_value),
        )
        difference_columns = (
            *(Column("variant", "rules"), Column("title", "metric")),
            Column("players", "players"),
            *(Column("value", "difference"), Column("p_holm", "p (Holm)")),
            Column("size", "effect size"),
        )
        base = format_rule_set_label(review, str(review.request.base))
        note = (
            f"A difference is the value of the rule set minus that of {base}. The p-values are "
            f"adjusted for all rows of this table with Holm's method.{stalled_text}"
        )
        yield Table(DIFFERENCES_TITLE, differences, difference_columns, note)


def _iterate_method_facts(review: Review) -> Iterator[tuple[str, str]]:
    """Yield the limitations, sample size, seed and missing values of a review."""
    request = review.request
    yield "Limitations", LIMITATIONS_TEXT
    unit = "player" if request.is_solo else "pair of players"
    sizes = list(review.matches_by_pairing.values()) if request.is_sequential else [request.matches]
    sentences = [f"{format_count_range(sizes)} matches per {unit} and rule set."]
    if len(set(sizes)) > 1:
        sentences.append("simgin played more matches while effect sizes or goals were undecided.")
    yield "Sample size", " ".join([*sentences, "All rule sets use the same deals."])
    yield "Seed", str(request.seed)
    if missing_text := _explain_missing_values(review):
        yield "Missing values", missing_text


def _format_players(review: Review) -> str:
    """Return a list of the player types with their strategies, as a sentence."""
    request = review.request
    type_names = [f"{kind} ({name})" if kind != name else name for kind, name in request.kinds]
    variants_by_player: dict[str, list[str]] = {}
    for variant in request.variants:
        is_adapted = variant in request.adapted_variants
        trained_text = "champion, trained for each rule set"
        player = trained_text if is_adapted else request.find_strong_player(variant)
        variants_by_player.setdefault(player, []).append(variant)
    players = sorted(variants_by_player.items(), key=lambda item: -len(item[1]))
    exceptions = [f"; {name} under {_format_rule_sets(review, v)}" for name, v in players[1:]]
    type_names.append(f"{STRONG_PLAYER} ({players[0][0]}{''.join(exceptions)})")
    return f"{'; '.join(type_names)}."


def _iterate_training_notes(review: Review) -> Iterator[str]:
    """Yield sentences about rule sets for which there is no newly trained player."""
    request = review.request
    if not request.adapt:
        return
    for sentence, is_already_trained in (
        ("Training did not find a stronger player under {}.", False),
        ("champion was already trained for {}.", True),
    ):
        specs = [
            spec
            for spec in request.variants
            if spec not in request.adapted_variants
            and has_own_weights(variants.find_variant(spec)) is is_already_trained
        ]
        if specs:
            yield sentence.format(_format_rule_sets(review, specs))


def _format_rule_sets(review: Review, specs: Sequence[str], conjunction: str = "and") -> str:
    """Join the names of rule sets or, in a sweep, their parameter values."""
    swept_variants = review.request.swept_variants if review.request.sweep else []
    labels = [
        format_rule_set_label(review, variant) for variant in specs if variant not in swept_variants
    ]
    if len(labels) < len(specs):
        names = " / ".join(name.replace("_", " ") for name, _ in review.request.sweep)
        labels.append(f"{names} {join_words(format_value_ranges(review, specs), conjunction)}")
    return join_words(labels, conjunction)


def _explain_missing_values(review: Review) -> str:
    """Return sentences with the missing scorecard values and the reasons."""
    rows_by_reason: dict[str, list[str]] = {}
    frame = review.metrics[
        (review.metrics["why"] != "") & (review.metrics["players"] == STRONG_PLAYER)
    ]
    for row in frame.to_dict("records"):
        rows_by_reason.setdefault(row["why"], []).append(
            f"{row['title']} ({format_rule_set_label(review, row['variant'])})"
        )
    return " ".join(
        f"{', '.join(dict.fromkeys(row_titles))}: {reason}."
        for reason, row_titles in rows_by_reason.items()
    )

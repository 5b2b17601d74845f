"""Report of a run: sentences, tables, plots and settings.

To add a plot, write a function in `simgin.plots` and yield a `Plot` in this module.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simgin.report import numbers, summary
from simgin.report.report import Plot, Report
from simgin.report.report_table import Column, Table, describe_frame
from simgin.results.run_info import describe_homogeneity, describe_size
from simgin.results.sentences import (
    COMPARISON_COLUMNS,
    compare_pairs,
    describe_upsets,
    format_comparison,
    is_significant,
    list_sentences,
)
from simgin.rules import variants
from simgin.stats import batches, differences, table
from simgin.stats.estimate import ALPHA, Z95
from simgin.stats.metrics import METRICS_BY_NAME, WIN_METRICS
from simgin.text.amounts import UNIT_PLURALS
from simgin.text.messages import format_setting

if TYPE_CHECKING:
    import pandas as pd

    from simgin.results.run_results import RunResults

REFERENCE_VARIANT = "standard"  # variant with which rules are compared
PLAYER_COLUMNS = (Column("variant", "variant"), Column("strategy", "A"), Column("opponent", "B"))
LEAGUE_TABLE_COLUMNS = (
    Column("strategy", "strategy"),
    Column("elo", "Elo"),
    Column("lead", "lead over next"),
)
MIX_TABLE_COLUMNS = (Column("elo_v_mix", "Elo v mix"), Column("mix", "weight in mix %", factor=100))
MIRRORED_PAIRS_COLUMNS = (
    *PLAYER_COLUMNS,
    Column("measure", "metric"),
    Column("rho", "variance ratio (rho)"),
    Column("luck", "luck share %", factor=100),
    Column("swept", "double wins A"),
    Column("swept_by_b", "double wins B"),
    Column("p_sweeps", "p"),
)
LEAGUE_NOTE = (
    "Elo ratings are estimated from the numbers of {unit} won (Bradley-Terry model). The reference "
    "strategy has an Elo rating of 0. Each interval applies to the difference between a strategy's "
    "rating and the rating of the reference strategy."
)
EQUILIBRIUM_MIX_NOTE = " No strategy beats the equilibrium mix."
MIRRORED_PAIRS_NOTE = (
    "The variance ratio is the variance of a mirrored pair divided by that of two independent "
    "results. The luck share is the proportion of the variance of a single result that is due to "
    "the deal, for these two players. In a double win, a player wins both games of a pair. The "
    "p-value comes from the exact sign test."
)
DETECTABLE_DIFFERENCE_NOTE = (
    "The other differences are not significant. The number in parentheses is the smallest "
    "difference that would be detected with 80 % power."
)
# Maximum number of matchups per plot. Larger leagues are plotted as heat maps.
MAX_PLOTTED_MATCHUPS = 60
CROSS_PLOT_COLUMNS = (*PLAYER_COLUMNS[1:], Column("value", "won %", factor=100))
PLAYER_COLUMN_NAMES = tuple(column.name for column in PLAYER_COLUMNS)
EFFECT_PLOT_COLUMNS = (
    Column("change", "change"),
    Column("field", "field"),
    Column("value", "points"),
)


def build_run_report(
    results: RunResults, command: str, run_plots: Iterable[Plot] = (), *, details: bool = True
) -> Report:
    """Return the report of a run.

    Args:
        results: Results of the run.
        command: Command that repeats the run.
        run_plots: Plots that the report includes. If the report has no plots, it does not include
            CSV files.
        details: True to include the detailed tables.
    """
    display_results = results.with_display_names
    main_table = choose_main_table(display_results)
    return Report(
        question=results.info.question or _choose_default_question(display_results),
        verdict=list_sentences(display_results),
        tables=[main_table] if main_table else [],
        plots=list(run_plots),
        detail_tables=build_run_tables(display_results) if details else [],
        facts=list(_iter_settings(results)),
        command=command,
        files=_build_csv_files(results) if run_plots else {},
    )


def add_equivalence_test(
    rows: list[dict[str, Any]], results: RunResults, margin: str | float
) -> str:
    """Test whether the players of a run are equivalent, and return the result as a sentence.

    Args:
        rows: Rows of the run. The function adds `margin` and `verdict` to the row of the tested
            metric.
        results: Results of the run.
        margin: Margin returned by `amounts.parse_half_width`.
    """
    key = results.matchup_keys[0]
    total = batches.sum_rows(results.load_rows(0))
    multiplier = results.stop_results[0].interval_multiplier
    metric, verdict = differences.compute_equivalence_verdict(total, key.unit, margin, multiplier)
    half_width = differences.parse_margin(margin)
    for row in rows:
        if (row["strategy"], row["metric"]) == (key.a, metric):
            row |= {"margin": half_width, "verdict": verdict}
    a, b = results.with_display_names.matchup_keys[0].players
    comparison = (
        (f"the win rate of {a}", "50 %")
        if isinstance(margin, str)
        else (f"the score of {a}", f"the score of {b}")
    )
    subject = f"{a} and {b}"
    return differences.format_equivalence_verdict(subject, comparison, verdict, half_width, metric)


def _build_csv_files(results: RunResults) -> dict[str, str]:
    """Return the contents of all non-empty CSV files, keyed by name."""
    files = {
        f"{name}.csv": table.format_csv(frame)
        for name, frame in results.frames().items()
        if len(frame)
    }
    return files | {"summary.csv": summary.format_summary_csv(results.estimates)}


def _choose_default_question(results: RunResults) -> str:
    """Return the default question that the report of a run answers."""
    key, *other_keys = results.matchup_keys
    if other_keys:
        return "Which strategy wins?"
    if not key.b:
        return f"How well does {key.a} play {key.variant}?"
    return f"Does {key.a} beat {key.b}?" if key.a != key.b else f"How does {key.a} play?"


def _iter_settings(results: RunResults) -> Iterator[tuple[str, str]]:
    """Yield the label and the description of each setting that determines the results.

    Times and machines are listed only in the manifest, so that equal runs have equal reports.
    """
    info = results.info
    identity = info.identity
    if info.hypothesis:
        yield "Hypothesis", info.hypothesis
    yield "Played", describe_size(info)
    if info.stopping_text:
        yield "Stopping rule", info.stopping_text
    for spec, params in identity["variants"].items():
        yield f"Variant {spec}", describe_changed_rules(params)
    for spec, strategy in identity["strategies"].items():
        name_prefix = f"{info.display_names[spec]}: " if spec in info.display_names else ""
        policies = ", ".join(f"{slot} {policy}" for slot, policy in strategy["policies"].items())
        details = f"ending {strategy['ending']}, digest {strategy['digest']}"
        yield f"Strategy {spec}", f"{name_prefix}{policies}, {details}"
    yield "Random numbers", f"stream {identity['stream']}, engine {identity['engine']}"
    yield (
        "Files",
        "table.csv contains all metrics, manifest.json contains the versions and times, and "
        "ledger.sqlite contains the sums of all batches.",
    )


def describe_changed_rules(params: Mapping[str, Any]) -> str:
    """Return the rules of a variant that differ from the standard rules.

    If the variant does not use a parameter, the parameter is omitted.
    """
    changed_rules = []
    for name, value in variants.find_variant(REFERENCE_VARIANT).params.items():
        # The values are compared as strings because a manifest contains lists and a variant
        # contains tuples.
        text, reference_text = format_setting(params.get(name)), format_setting(value)
        if params.get(name) is not None and text != reference_text:
            changed_rules.append(f"{name} {text} ({reference_text})")
    if not changed_rules:
        return "standard rules"
    return f"differences from {REFERENCE_VARIANT} (value there): {', '.join(changed_rules)}"


# Tables


def choose_main_table(results: RunResults) -> Table | None:
    """Return the table for the terminal: a short league table, or the results of matchups.

    Returns:
        Table for the terminal, or None if the sentences contain all results.
    """
    league_tables = [*build_league_tables(results)] if results.round_robins else []
    if len(league_tables) == 1 and len(league_tables[0].frame) <= summary.MAX_TERMINAL_ROWS:
        return league_tables[0]
    if results.are_all_identical:
        return None
    return summary.build_terminal_table(results.estimates, results.info.seed)


def build_run_tables(results: RunResults) -> list[Table]:
    """Return all tables of a run that contain rows."""
    results_table = summary.build_results_table(results.estimates)
    homogeneity_text = describe_homogeneity(results.info.homogeneity_tests, "batches")
    note = f"{results_table.note} {describe_size(results.info)} {homogeneity_text}".rstrip()
    tables = [
        replace(results_table, note=note),
        *build_effects_tables(results.effects),
        build_differences_table(results.differences),
        *build_league_tables(results),
        *build_cross_tables(results),
        Table(
            "Efficiency of mirrored pairs",
            results.pairing_efficiency.assign(
                p_sweeps=lambda frame: frame["p_sweeps"].map(numbers.format_p_value)
            ),
            MIRRORED_PAIRS_COLUMNS,
            MIRRORED_PAIRS_NOTE,
        ),
    ]
    if len(results.matchup_keys) == 1:
        tables.append(summary.build_details_table(results.estimates))
    return [table for table in tables if len(table.frame)]


def build_league_tables(results: RunResults) -> Iterator[Table]:
    """Yield a table of the ratings and of the equilibrium mix of each round robin."""
    pairs = compare_pairs(results.standings, results.cross_table)
    for name, rows in results.standings.groupby("variant", sort=False):
        if rows["elo"].notna().all():
            note = LEAGUE_NOTE.format(unit=UNIT_PLURALS[results.info.unit])
            upset_text = describe_upsets(pairs[str(name)])
            fit_text = _describe_rating_fit(results, str(name))
            has_mix = bool((rows["mix"] > 0).sum() > 1)
            yield Table(
                f"League: {name}",
                rows,
                (*LEAGUE_TABLE_COLUMNS, *MIX_TABLE_COLUMNS * has_mix),
                f"{note}{EQUILIBRIUM_MIX_NOTE * has_mix}{fit_text}{upset_text}",
            )


def _describe_rating_fit(results: RunResults, variant: str) -> str:
    """Return a sentence about the deviance that the ratings leave unexplained, or ""."""
    non_additivity = results.non_additivity[variant]
    half_width = results.interval_multiplier / Z95 * non_additivity.half_width
    if math.isnan(non_additivity.proportion) or non_additivity.proportion <= half_width:
        return ""
    bounds = (non_additivity.proportion - half_width, non_additivity.proportion + half_width)
    percent_text = numbers.format_estimate(non_additivity.proportion, *bounds, 100)
    return (
        f" The ratings leave {percent_text} % of the deviance unexplained, because results also "
        "depend on the matchup (non-additivity)."
    )


def build_cross_tables(results: RunResults) -> Iterator[Table]:
    """Yield the cross-table of each round robin, in the order of its league table."""
    unit_name = UNIT_PLURALS[results.info.unit].capitalize()
    standings = results.standings
    for variant, frame in results.cross_table.groupby("variant", sort=False):
        ranks = standings.loc[standings["variant"] == variant].set_index("strategy")["place"]
        ranked_frame = frame.assign(
            strategy=[f"{ranks[name]} {name}" for name in frame["strategy"]],
            column=frame["opponent"].map(ranks).map(str),
            place=frame["strategy"].map(ranks),
            against=frame["opponent"].map(ranks),
        ).sort_values(["place", "against"])
        title = f"{unit_name} won by row against column (%): {variant}"
        note = "The columns are numbered like the rows."
        yield build_pivot_table(title, ranked_frame, "strategy", "column", _format_proportion, note)


def _format_proportion(row: Any) -> str:
    """Format the proportion in a row as a percentage with its interval."""
    return numbers.format_estimate(row["value"], row["low"], row["high"], 100)


def build_pivot_table(
    title: str,
    frame: pd.DataFrame,
    row_column: str,
    column: str,
    escape_cell: Callable[[Any], str],
    note: str = "",
) -> Table:
    """Return a table whose rows and columns are the values of two columns of a DataFrame.

    Args:
        title: Title of the table.
        frame: DataFrame in long format.
        row_column: Column whose values are the rows of the table.
        column: Column whose values are the columns of the table.
        escape_cell: Function that formats a row of the DataFrame as a table cell.
        note: Note that is shown below the table.
    """
    headings = sorted(dict.fromkeys(frame[column]), key=_make_sort_key)
    cells_by_row: dict[str, dict[str, str]] = {}
    for row in frame.to_dict("records"):
        cells = cells_by_row.setdefault(row[row_column], dict.fromkeys(headings, ""))
        cells[row[column]] = escape_cell(row)
    rows = [{row_column: name, **cells} for name, cells in cells_by_row.items()]
    return Table(
        title,
        table.make_frame(rows),
        [Column(name, name) for name in (row_column, *headings)],
        note,
    )


def _make_sort_key(heading: str) -> int:
    """Return a sort key that orders numbers by value and keeps the order of names."""
    return int(heading) if heading.isdigit() else 0


def build_differences_table(frame: pd.DataFrame) -> Table:
    """Return the table of differences, with one row per comparison and one column per metric."""
    pairing_note = "The two sides played different deals, so their errors add up."
    if frame["paired"].all():
        pairing_note = "Both sides played the same deals, so the differences are paired."
    note = pairing_note
    if n_tests := frame["p"].count():
        note += (
            f" * marks differences with p < {ALPHA} after Holm's adjustment for the {n_tests} "
            "comparisons in this table."
        )
    if any(_shows_detectable_difference(row) for _, row in frame.iterrows()):
        note = f"{note} {DETECTABLE_DIFFERENCE_NOTE}"
    labelled_frame = _add_comparison_columns(frame)
    return build_pivot_table(
        "Differences", labelled_frame, "comparison", "column", _format_difference, note
    )


def _add_comparison_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Add columns with the names of the comparison and of the metric to each difference."""
    return frame.assign(
        comparison=[
            format_comparison(*row, separator=" - ", against="v")
            for row in frame[COMPARISON_COLUMNS].astype(str).itertuples(index=False)
        ],
        column=[METRICS_BY_NAME[name].title for name in frame["metric"]],
    )


def _shows_detectable_difference(row: Any) -> bool:
    """Return True if a difference is shown with the smallest detectable difference."""
    is_known = not math.isnan(row["value"] + row["low"] + row["high"])
    is_tested = is_known and row["se"] > 0 and not is_significant(row)
    return is_tested and not math.isnan(row.get("detectable", math.nan))


def _format_difference(row: Any) -> str:
    """Format the difference in a row, marked with * if it is significant."""
    if row["se"] == 0:
        return "none"
    factor = METRICS_BY_NAME[row["metric"]].display_factor
    text = numbers.format_estimate(row["value"], row["low"], row["high"], factor)
    if is_significant(row):
        return f"{text} *"
    if not _shows_detectable_difference(row):
        return text
    smallest_detectable = factor * row["detectable"]
    return f"{text} ({numbers.format_number(smallest_detectable, smallest_detectable)})"


def build_effects_tables(frame: pd.DataFrame) -> Iterator[Table]:
    """Yield a table of effects for each variant and metric, with a row for each change."""
    note = (
        "The table shows the gain of a player who makes the change. In a field such as gold, the "
        "opponent has the same strategy as the player. In a field such as gold v simple, the "
        f"opponent is the strategy after v. * marks p < {ALPHA} after Holm's adjustment for the "
        f"{frame['p'].count()} effects of the run."
    )
    for names, rows in frame.groupby(["variant", "metric"], sort=False):
        variant, metric = map(str, names)
        title = f"Effects under {variant}: {METRICS_BY_NAME[metric].title}"
        min_gain = rows.groupby("change")["value"].transform("min")
        sorted_rows = rows.assign(gains=-min_gain).sort_values("gains", kind="stable")
        yield build_pivot_table(title, sorted_rows, "change", "field", _format_difference, note)


# Plots


def iter_run_plots(results: RunResults) -> Iterator[Plot]:
    """Yield all plots of a run, in the order of the report."""
    from simgin import plots

    seed, unit = results.info.seed, results.info.unit
    leagues = results.standings.groupby("variant", sort=False)
    for variant, rows in leagues:
        variant_suffix = f" under {variant}" * (len(leagues) > 1)
        cross_table = results.cross_table[results.cross_table["variant"] == variant]
        if rows["elo"].notna().all():
            figure = plots.elo_ratings(rows, unit=unit, seed=seed)
            question = f"Which strategies are stronger{variant_suffix}?"
            alt = describe_frame(rows, LEAGUE_TABLE_COLUMNS)
            estimates = results.league_estimates
            estimates = estimates[estimates["variant"] == variant]
            yield Plot(f"ratings-{make_file_slug(variant)}", question, alt, figure, estimates)
        figure = plots.cross_table(rows, cross_table, unit=unit, seed=seed)
        question = f"Which strategies beat each other{variant_suffix}?"
        alt = describe_frame(cross_table, CROSS_PLOT_COLUMNS)
        yield Plot(f"league-{make_file_slug(variant)}", question, alt, figure, cross_table)
    yield from _iter_difference_plots(results.differences, seed)
    point_effects = results.effects[results.effects["metric"] == "margin"]
    for variant, rows in point_effects.groupby("variant", sort=False):
        if rows["low"].notna().any():  # With too few batches, there are no intervals.
            figure = plots.gains_by_field(rows, seed=seed)
            question = f"How much does each change gain under {variant}?"
            alt = describe_frame(rows, EFFECT_PLOT_COLUMNS)
            yield Plot(f"effects-{make_file_slug(variant)}", question, alt, figure, rows)
    if len(results.matchup_keys) <= MAX_PLOTTED_MATCHUPS:
        yield from _iter_matchup_plots(results.table, seed)


def _iter_difference_plots(frame: pd.DataFrame, seed: int) -> Iterator[Plot]:
    """Yield plots of the differences between strategies and between variants."""
    from simgin import plots

    is_strategy = frame["variant"] == frame["base_variant"]
    for subject, rows in (("strategies", frame[is_strategy]), ("variants", frame[~is_strategy])):
        n_compared = len(rows.groupby(list(PLAYER_COLUMN_NAMES)))
        if rows["low"].notna().any() and n_compared <= MAX_PLOTTED_MATCHUPS:
            figure = plots.forest_plot(rows, seed=seed)
            question = f"How large are the differences between {subject}?"
            alt = _describe_differences(rows)
            yield Plot(f"differences-{subject}", question, alt, figure, rows)


def _describe_differences(frame: pd.DataFrame) -> str:
    """Return alternative text for a plot of differences, with one description per metric."""
    sentences = []
    for name, rows in _add_comparison_columns(frame).groupby("metric", sort=False):
        metric = METRICS_BY_NAME[str(name)]
        heading = f"{metric.title} difference"
        columns = (Column("comparison", ""), Column("value", heading, factor=metric.display_factor))
        sentences.append(describe_frame(rows, columns))
    return " ".join(sentences)


def _iter_matchup_plots(frame: pd.DataFrame, seed: int) -> Iterator[Plot]:
    """Yield two plots of all matchups: wins and points, and deal endings."""
    from simgin import plots

    wide_frame, columns = summary.make_matchup_frame(frame), summary.make_metric_columns(frame)
    for name, question, figure, is_shown in (
        ("win_and_points", "Which strategy wins?", plots.win_and_points(frame, seed=seed), True),
        ("endings", "How do deals end?", plots.endings(frame, seed=seed), False),
    ):
        plotted_columns = [column for column in columns if column.name != "turns"]
        shown_columns = [c for c in plotted_columns if (c.name in WIN_METRICS) == is_shown]
        alt = describe_frame(wide_frame, (*PLAYER_COLUMNS, *shown_columns))
        metric_names = [column.name for column in shown_columns]
        bound_columns = [f"{name}{end}" for name in metric_names for end in ("", "_low", "_high")]
        shown_frame = wide_frame[[*(column.name for column in PLAYER_COLUMNS), *bound_columns]]
        rows = table.build_output_frame("table", table.stack_estimates(shown_frame, metric_names))
        yield Plot(name, question, alt, figure, rows)


def make_file_slug(variant: object) -> str:
    """Convert the name of a variant to a string that file names and HTML ids can contain."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", str(variant))

"""Documentation blocks for the pages on variants: parameters, index and measured results."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby

import pandas as pd

import simgin
from blocks.markdown import format_table
from blocks.reference import PROJECT_ROOT
from blocks.strategies import render_main_metrics
from simgin.report import numbers
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.stats import table
from simgin.stats.metrics import METRICS_BY_NAME

TWO_PLAYER_EXPERIMENT_PATH, SOLITAIRE_KEYWORD = "experiments/games.toml", "alone"
MATCHES_PER_SOLO_STRATEGY = "100k"
PARAMETER_SECTION_TITLES = {
    "deal": "the deal",
    "meld": "melds and values",
    "score": "scoring",
    "match": "the match",
    "stake": "the die",
}
ENDINGS_WITHOUT_WINNER = ("joker", "limit", "void")  # endings that no player caused

# (metric, title in the table, factor of the values)
ENDING_METRICS = "knock gin big_gin shot undercut even void stalled joker limit refused".split()
RESULT_TABLE_METRICS = (
    ("deal_win", "deals won %", 100),
    ("margin", "point difference per deal", 1),
    ("score", "score per deal", 1),
    *((kind, METRICS_BY_NAME[kind].title, 100) for kind in ENDING_METRICS),
    ("turns", "turns per deal", 1),
    ("deals_per_match", "deals per match", 1),
    ("match_win", "matches won %", 100),
    ("settlement", "settlement per match, with bonuses", 1),
)
VARIANT_INDEX_HEADINGS = (
    "variant",
    "players",
    "main difference",
    "turns per deal",
    "ended by a dead hand, the joker or the draw limit %",
    "ended by gin %",
)

# (variant, A, B), and the row of A for each metric
RowsOfMatchup = tuple[tuple[str, str, str], table.RowsByMetric]


def render_parameter_differences(variant_name: str) -> str:
    """Return a table of the parameters whose values differ from `standard`."""
    variant, base = variants.find_variant(variant_name), variants.find_variant("standard")
    if variant_name == base.spec:
        return "Standard Gin has the default value of every [parameter](../rules.md#11)."
    lines = [
        (
            f"`{parameter}`",
            _format_parameter(variant, parameter),
            _format_parameter(base, parameter),
        )
        for parameter, _, value in variants.rule_differences(base, variant)
        if value is not None
    ]
    return format_table(("parameter", "value", "value in `standard`"), lines)


def _format_parameter(variant: Variant, parameter_name: str) -> str:
    """Return the value of a rule parameter in a variant as text."""
    return variants.load_rule_parameters()[parameter_name].to_text(variant.params[parameter_name])


def render_parameter_definitions() -> str:
    """Return one table per section, with the values and the meaning of every parameter."""
    base = variants.find_variant("standard")
    tables = []
    for section, group in groupby(
        variants.load_rule_parameters().values(), key=lambda parameter: parameter.section
    ):
        lines = [
            (
                f"`{parameter.name}`",
                parameter.list_allowed_values(),
                _format_parameter(base, parameter.name),
                _mark_up_code(
                    parameter.meaning[0].upper() + parameter.meaning[1:], parameter.choices
                ),
            )
            for parameter in group
        ]
        headings = (
            f"parameters of {PARAMETER_SECTION_TITLES[section]}",
            "values",
            "`standard`",
            "meaning",
        )
        tables.append(format_table(headings, lines))
    return "\n\n".join(tables)


def _mark_up_code(text: str, choices: Sequence[str | int]) -> str:
    """Put parameter names, values and settings such as `goal = points` in backticks."""
    choice = "|".join(["yes", "no", *map(str, choices)])
    code = rf"\b\w+ = \w+|\b[a-z]+_\w+|(?<=With )(?:{choice})(?=,)|(?<=\()(?:{choice})(?=\))"
    return re.sub(code, r"`\g<0>`", text)


def render_variant_index() -> str:
    """Return the index of all variants, with three measured results for each variant."""
    lines = [
        (*format_index_cells(variants.find_variant(name)), *_iter_measured_cells(name))
        for name in variants.variant_names()
    ]
    return format_table(VARIANT_INDEX_HEADINGS, lines)


def format_index_cells(variant: Variant) -> tuple[str, ...]:
    """Return the link, the number of players and the description of a variant as cells."""
    link = f"[{variant.title}]({variant.spec}.md) `{variant.spec}`"
    return link, str(variant.params["players"]), variant.about


def _iter_measured_cells(variant_name: str) -> Iterator[str]:
    """Yield the three measured results of `gold` in a variant as table cells."""
    solo = variants.find_variant(variant_name).is_solo
    matchups = table.iterate_matchups(
        play_experiment(SOLITAIRE_KEYWORD if solo else TWO_PLAYER_EXPERIMENT_PATH)
    )
    rows = next(
        rows for (variant, a, _), rows in matchups if (variant, a) == (variant_name, "gold")
    )
    undecided = next(
        kind for kind in ENDINGS_WITHOUT_WINNER if kind == "void" or rows[kind]["value"] > 0
    )
    for metric, factor in (("turns", 1), (undecided, 100), ("gin", 100)):
        yield numbers.format_estimate(*table.find_interval(rows, metric), factor)


def render_results(source: str, variant: str = "") -> str:
    """Return a table with the results of an experiment or of the solitaire variants.

    Args:
        source: Path of the experiment file, or "alone" to play matches in the solitaire variants.
        variant: Variant with a row per metric and a column per strategy. By default, the table has
            a row with the main metrics for each matchup.
    """
    results = play_experiment(source)
    matchups = [
        (key, rows) for key, rows in table.iterate_matchups(results) if variant in ("", key[0])
    ]
    if not variant:
        command = f"To reproduce the table, run `simgin run {source}`."
        return "\n\n".join([_format_caption(matchups), render_main_metrics(results), command])
    headings = ["", *(f"`{a}`" for (_, a, _), _ in matchups)]
    lines = _iter_metric_rows([rows for _, rows in matchups])
    return f"{_format_caption(matchups)}\n\n{format_table(headings, lines)}"


@cache
def play_experiment(source: str) -> pd.DataFrame:
    """Play an experiment or all solitaire variants, and return one row per metric."""
    if source != SOLITAIRE_KEYWORD:
        return simgin.run(PROJECT_ROOT / source).frame
    frames = [
        simgin.match(strategy, variant=name, matches=MATCHES_PER_SOLO_STRATEGY).frame
        for name in list_solitaire_variants()
        for strategy in _list_solo_example_strategies(variants.find_variant(name))
    ]
    return pd.concat(frames, ignore_index=True)


def list_solitaire_variants() -> list[str]:
    """Return the names of the solitaire variants."""
    return [name for name in variants.variant_names() if variants.find_variant(name).is_solo]


def _list_solo_example_strategies(variant: Variant) -> list[str]:
    """Return strategies that differ in knocking or, in variants without knocks, discarding."""
    if variant.params["knock_limit"]:
        return ["gold", "gold+knock=at:k=5", "gold+knock=at:k=0"]
    return ["gold", "gold+discard=hits:keep_pairs=yes"]


def _format_caption(matchups: Sequence[RowsOfMatchup]) -> str:
    """Return a caption with the number of matches and the opponent."""
    opponents = {b for (_, _, b), _ in matchups}
    against = f" against `{opponents.pop()}`" if opponents != {""} else ""
    n_matches = int(matchups[0][1]["match_win"]["n"])
    return (
        f"Each [strategy](README.md#players) in the table played {n_matches:,} matches{against}. "
        "The intervals are 95 % confidence intervals."
    )


def _iter_metric_rows(rows_by_strategy: Sequence[table.RowsByMetric]) -> Iterator[tuple[str, ...]]:
    """Yield a table row for each informative metric, with a cell for each strategy."""
    for metric, title, factor in RESULT_TABLE_METRICS:
        if _is_informative_metric(metric, rows_by_strategy):
            cells = (
                numbers.format_estimate(*table.find_interval(rows, metric), factor)
                if metric in rows
                else ""
                for rows in rows_by_strategy
            )
            yield title, *cells


def _is_informative_metric(metric: str, rows_by_strategy: Sequence[table.RowsByMetric]) -> bool:
    """Return True if a metric is not always 0 and does not repeat another metric."""
    present = [rows for rows in rows_by_strategy if metric in rows]
    if metric == "margin" and any("score" in rows for rows in rows_by_strategy):
        return False
    if metric in ("deals_per_match", "match_win"):
        return any(rows["deals_per_match"]["value"] > 1 for rows in present)
    if metric == "settlement":
        return any(_has_settlement_bonus(rows) for rows in present)
    if metric in ENDING_METRICS:
        return any(rows[metric]["value"] > 0 for rows in present)
    return bool(present)


def _has_settlement_bonus(rows: table.RowsByMetric) -> bool:
    """Return True if the winner of a match receives more than the difference in points."""
    return bool(abs(rows["settlement"]["value"] - rows["match_margin"]["value"]) > 1e-9)

"""Findings cards for docs/findings.md, generated from docs/findings.toml.

A card has a `question`, a `verdict` of at most ten words, an optional `reason`, and the
queries that support them. A query selects rows of a DataFrame in results/reference, named by
`from`. Its other keys are values of columns, except for two: `less` is a number to subtract, or the
keys in which the subtracted rows differ, and `family` names a query with default keys in
[families]. Queries are used in three places:

    effect         effect for each player type, as one of EFFECT_SYMBOLS, in the table of the theme
    placeholders   numbers for the placeholders in the text; a range if there are several rows
    checks         condition from CHECK_FUNCTIONS that makes a quantifier (`word`) true

UnsupportedClaimError is raised if a query selects no rows, if a check fails, if a number has more
digits than its interval supports, or if the text has a number or a quantifier without a query.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from blocks.markdown import format_table
from blocks.reference import DOCS_DIRECTORY, REFERENCE_DIRECTORY
from simgin.stats import differences
from simgin.strategy.cast import PLAYER_TYPE_TABLES

FINDINGS_PATH = DOCS_DIRECTORY / "findings.toml"
MAX_VERDICT_WORDS = 10
# maximum half-width of an interval, in units of the number's last digit
MAX_HALF_WIDTH_IN_LAST_DIGIT = 2
# standard errors; of 200 symbols, one or more are wrong with probability 0.1
MIN_EFFECT_Z_SCORE = 3.5
GAIN_SYMBOL, EQUIVALENT_SYMBOL, LOSS_SYMBOL, INCONCLUSIVE_SYMBOL = EFFECT_SYMBOLS = (
    "▲",
    "=",
    "▼",
    "?",
)
STRATEGIES_BY_PLAYER_TYPE = {  # strategies of each player type in the results
    entry["short"]: (entry["strategy"], *entry.get("also", ()))
    for entry in PLAYER_TYPE_TABLES["two_player"]
    if "short" in entry
}
QUANTIFIER_PATTERN = re.compile(
    r"\b(?:every(?:body|one|where)?|all|always|never|nobody|none|nothing|only|best|most|least|any"
    r"|whoever|strongest|no difference|the same|each|half|hardly|mostly)\b",
    re.I,
)
NUMBER_PATTERN = re.compile(r"\d+(?:\.\d+)? ?%|\d*\.\d+")  # other numbers belong to rules

IDENTIFYING_COLUMNS = ("variant", "strategy", "opponent", "metric")  # columns that identify a row

RowQuery = Mapping[str, Any]


class UnsupportedClaimError(Exception):
    """Error for a claim that the reference results do not support."""


@dataclass(frozen=True)
class FindingCard:
    """Card of docs/findings.md, which answers one question about the rules."""

    theme: str
    question: str
    verdict: str
    claim: str = ""  # number of a claim in docs/reference/rules.md 14
    conclusion: str = ""  # key of CONCLUSION_PHRASES if there is a claim
    reason: str = ""
    effect: Mapping[str, Any] = field(default_factory=dict)
    placeholders: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[Mapping[str, Any], ...] = ()

    @property
    def results(self) -> list[str]:
        """Names of the results that the card uses, with the most important one first."""
        parts = [self.effect, *self.checks, *self.placeholders.values()]
        queries = [
            add_family_defaults(part[key])
            for part in parts
            for key in ("query", "evaluation_query")
            if key in part
        ]
        return list(dict.fromkeys(query["from"].rpartition("/")[0] for query in queries))


CONCLUSION_PHRASES = {  # conclusion about a claim
    "supported": "is supported",
    "refuted": "is refuted",
    "depends": "is only partly supported",
    "undecided": "remains undecided",
}


def render_cards() -> str:
    """Return all cards in Markdown, with a heading and a table of effects for each theme."""
    parts = []
    for theme, group in groupby(read_cards(), key=lambda card: card.theme):
        cards = list(group)
        parts.append(f"## {theme}")
        if effects := [format_effect_cells(**card.effect) for card in cards if card.effect]:
            headings = ("effect", *STRATEGIES_BY_PLAYER_TYPE)
            parts.append(format_table(headings, effects))
        parts += [render_card(card) for card in cards]
    return "\n\n".join(parts)


@cache
def read_findings_file() -> dict[str, Any]:
    """Return the content of docs/findings.toml."""
    return tomllib.loads(FINDINGS_PATH.read_text())


def read_cards() -> list[FindingCard]:
    """Return all cards, in the order in which docs/findings.md shows them."""
    themes = read_findings_file()["cards"].items()
    return [
        FindingCard(**{"theme": theme, **entry}) for theme, entries in themes for entry in entries
    ]


def render_card(card: FindingCard) -> str:
    """Return a card in Markdown.

    Raises:
        UnsupportedClaimError: If the results do not support the card.
    """
    try:
        text = _render_text(card)
        for check in card.checks:
            _require_check(check)
        if card.effect:
            format_effect_cells(**card.effect)
    except UnsupportedClaimError as error:
        raise UnsupportedClaimError(f"{card.question} {error}") from None
    return "\n\n".join((f"### {card.question}", text, _render_source(card)))


def _render_text(card: FindingCard) -> str:
    """Return the verdict and the reason of a card, with their numbers filled in.

    Raises:
        UnsupportedClaimError: If a number or a quantifier has no query.
    """
    text = f"{card.verdict} {card.reason}"
    if len(card.verdict.split()) > MAX_VERDICT_WORDS:
        raise UnsupportedClaimError(f"the verdict is longer than {MAX_VERDICT_WORDS} words")
    if card.claim and (
        card.conclusion not in CONCLUSION_PHRASES or not (card.checks or card.reason)
    ):
        raise UnsupportedClaimError("a claim needs a finding, and a reason or a check")
    backed_words = " ".join(check["word"] for check in card.checks)
    literal_text = re.sub(r"\{\w+\}", "", text)
    for word in QUANTIFIER_PATTERN.findall(literal_text):
        if word.lower() not in backed_words.lower():
            raise UnsupportedClaimError(f"no check supports the word {word!r}")
    if numbers_in_text := NUMBER_PATTERN.findall(literal_text):
        raise UnsupportedClaimError(f"no query supports {numbers_in_text}")
    conclusion = (
        f"Claim {card.claim} {CONCLUSION_PHRASES[card.conclusion]}." if card.conclusion else ""
    )
    text = " ".join(filter(None, (card.verdict, card.reason, conclusion)))
    return text.format(**{name: _format_number(**part) for name, part in card.placeholders.items()})


def _format_number(
    query: RowQuery,
    number_format: str = "{:.1f}",
    factor: float = 1,
    column: str = "value",
    unit: str = "",
    minimum_only: bool = False,
) -> str:
    """Format the number in the selected row, or the range of the numbers in several rows.

    Args:
        query: Query of the rows.
        number_format: Format of a number.
        factor: Factor of the values.
        column: Column of the values.
        unit: Text after the numbers.
        minimum_only: True to show the smallest number instead of the range.

    Raises:
        UnsupportedClaimError: If the interval is too wide for the last digit.
    """
    selected = select_rows(query)
    values = factor * selected[column]
    limits = (values.min(),) if minimum_only else (values.min(), values.max())
    if not _is_precise_enough(selected, column, number_format, factor):
        raise UnsupportedClaimError(
            f"the interval is too wide for the last digit of {number_format.format(limits[0])}"
        )
    return " to ".join(dict.fromkeys(number_format.format(value) for value in limits)) + unit


def _is_precise_enough(rows: pd.DataFrame, column: str, number_format: str, factor: float) -> bool:
    """Return True if the 95 % intervals are narrow enough for the decimals that are shown."""
    low, high = ("low", "high") if column == "value" else (f"{column}_low", f"{column}_high")
    half_width = abs(factor) * (rows[high] - rows[low]).max() / 2
    n_decimals = len(number_format.format(0.0).partition(".")[2])
    return bool(half_width <= MAX_HALF_WIDTH_IN_LAST_DIGIT * 10.0**-n_decimals)


def format_effect_cells(
    query: RowQuery, type_column: str, title: str, margin: float = 0.25
) -> list[str]:
    """Return table cells with a title and the effect symbol for each player type."""
    selected = select_rows(query)
    symbols = []
    for type_name, names in STRATEGIES_BY_PLAYER_TYPE.items():
        of_type = selected[selected[type_column].map(_extract_strategy_name).isin(names)]
        if len(of_type) > 1:
            raise UnsupportedClaimError(f"several rows match the player type {type_name!r}")
        symbols.append(
            "".join(choose_effect_symbol(row.value, row.se, margin) for row in of_type.itertuples())
        )
    if not any(symbols):
        raise UnsupportedClaimError("no row matches a player type")
    return [title, *symbols]


def _extract_strategy_name(label: str) -> str:
    """Return the strategy without its changes, such as "gold" for "gold+knock=at"."""
    return re.split("[+:@]", label.rpartition(" v ")[2])[0]


def choose_effect_symbol(value: float, se: float, margin: float) -> str:
    """Return the symbol of an effect: a gain, a loss, equivalence or an inconclusive result."""
    low, high = value - MIN_EFFECT_Z_SCORE * se, value + MIN_EFFECT_Z_SCORE * se
    if differences.classify_difference(low, high, margin) == differences.EQUIVALENT:
        return EQUIVALENT_SYMBOL
    return GAIN_SYMBOL if low > 0 else LOSS_SYMBOL if high < 0 else INCONCLUSIVE_SYMBOL


def _render_source(card: FindingCard) -> str:
    """Return a line with links to the results that support a card."""
    links = [f"[{name}](../results/reference/{name})" for name in card.results]
    return f"Data: {', '.join(links)}"


@cache
def read_manifest(result: str) -> dict[str, Any]:
    """Return the manifest of a reference result."""
    return dict(json.loads((REFERENCE_DIRECTORY / result / "manifest.json").read_text()))


# Queries


@cache
def read_result_table(table_name: str) -> pd.DataFrame:
    """Return a table in results/reference, such as advice-fields/effects, as a DataFrame."""
    return pd.read_csv(
        REFERENCE_DIRECTORY / f"{table_name}.csv", dtype={"opponent": str}, keep_default_na=True
    )


def add_family_defaults(query: RowQuery) -> RowQuery:
    """Return a query, completed with the default keys of its group of queries."""
    if "family" not in query:
        return query
    keys = {name: value for name, value in query.items() if name != "family"}
    return {**read_findings_file()["families"][query["family"]], **keys}


def select_rows(query: RowQuery) -> pd.DataFrame:
    """Return the rows that a query selects.

    Raises:
        UnsupportedClaimError: If there are none.
    """
    query = add_family_defaults(query)
    keys = {name: value for name, value in query.items() if name not in ("from", "less")}
    selected = _filter_rows(read_result_table(query["from"]), keys)
    match query.get("less", 0):
        case dict(other):
            base = _filter_rows(read_result_table(query["from"]), {**keys, **other})
            names = [name for name in IDENTIFYING_COLUMNS if name not in other]
            return _compute_row_differences(selected, base, names)
        case number:
            ends = ["value", "low", "high"]
            return selected.assign(**{end: selected[end] - number for end in ends})


def _filter_rows(rows: pd.DataFrame, values_by_column: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows with the given values in the given columns."""
    for name, value in values_by_column.items():
        rows = rows[rows[name].isin(value if isinstance(value, list) else [value])]
    if rows.empty:
        raise UnsupportedClaimError(f"no row matches {dict(values_by_column)}")
    return rows


def _compute_row_differences(
    rows: pd.DataFrame, base: pd.DataFrame, key_columns: list[str]
) -> pd.DataFrame:
    """Return the differences between matching rows of two tables, with standard errors.

    The intervals are conservative if both results come from the same deals.
    """
    merged = rows.merge(base, on=key_columns, suffixes=("", "_base"), validate="many_to_one")
    if len(merged) != len(rows):
        raise UnsupportedClaimError("a row has no counterpart to subtract")
    value, se = merged["value"] - merged["value_base"], np.hypot(merged["se"], merged["se_base"])
    return merged.assign(value=value, se=se, low=value - 1.96 * se, high=value + 1.96 * se)


# Checks


def _require_check(check: Mapping[str, Any]) -> None:
    """Raise UnsupportedClaimError unless the reference results pass a check."""
    arguments = {name: value for name, value in check.items() if name not in ("word", "is")}
    if not CHECK_FUNCTIONS[check["is"]](**arguments):
        raise UnsupportedClaimError(f"the results contradict {check['word']!r}")


def check_all_rows(query: RowQuery, condition: str) -> bool:
    """Return True if a condition, such as "low > 0", holds for all rows."""
    return bool(select_rows(query).eval(condition).all())


def check_only_named_rows(
    query: RowQuery, column: str, names: list[str], condition: str, other_condition: str
) -> bool:
    """Return True if the named rows meet one condition and all other rows another condition."""
    selected = select_rows(query)
    named = selected[column].isin(names)
    has_others = 0 < named.sum() < len(selected)
    return has_others and bool(
        selected[named].eval(condition).all() and selected[~named].eval(other_condition).all()
    )


def check_equivalence(query: RowQuery, margin: float) -> bool:
    """Return True if every row is equivalent to 0 within a margin."""
    verdicts = [
        differences.classify_difference(row.low, row.high, margin)
        for row in select_rows(query).itertuples()
    ]
    return set(verdicts) == {differences.EQUIVALENT}


def check_best_row(
    selection_query: RowQuery,
    evaluation_query: RowQuery,
    column: str,
    names: list[str],
    sign: int = 1,
) -> bool:
    """Return True if the best row of one result is also the best in an independent result.

    Args:
        selection_query: Query of the rows among which the best is chosen.
        evaluation_query: Query of rows with another seed, on which the best row is evaluated.
        column: Column that identifies rows in both results.
        names: Rows that might be the best; the best row does not have to beat them.
        sign: 1 if higher values are better, -1 if lower values are.

    Raises:
        UnsupportedClaimError: If both results have the same seed.
    """
    seeds = [
        read_manifest(add_family_defaults(query)["from"].rpartition("/")[0])["seed"]
        for query in (selection_query, evaluation_query)
    ]
    if seeds[0] == seeds[1]:
        raise UnsupportedClaimError("the best row was chosen and evaluated on the same deals")
    first = select_rows(selection_query)
    winner = str(first.loc[(sign * first["value"]).idxmax(), column])
    second = select_rows(evaluation_query).set_index(column)
    margins = sign * (second.loc[winner, "value"] - second["value"])
    standard_errors = np.hypot(second.loc[winner, "se"], second["se"])
    others = ~second.index.isin(names)
    return winner in names and bool((margins > 1.96 * standard_errors)[others].all())


CHECK_FUNCTIONS: dict[str, Callable[..., bool]] = {
    "every": check_all_rows,
    "only": check_only_named_rows,
    "same": check_equivalence,
    "best": check_best_row,
}

"""Blocks of the pages of the games: their parameters, the index, and what was measured."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby

import pandas as pd

import simgin
from blocks.markdown import table as markdown_table
from blocks.reference import ROOT
from simgin.report import numbers
from simgin.rules import variants
from simgin.rules.variants import Variant
from simgin.stats import table
from simgin.stats.metrics import METRICS_BY_NAME

TWO_PLAYERS, ONE_PLAYER = "experiments/games.toml", "alone"
ONE_PLAYER_MATCHES = "100k"
SECTIONS = {
    "deal": "the deal",
    "meld": "melds and values",
    "score": "scoring",
    "match": "the match",
    "stake": "the die",
}
UNDECIDED = ("joker", "limit", "void")  # endings in which nobody at the table ended the deal

# Metric, its name on the page, and the factor of its numbers.
ENDINGS = "knock gin big_gin shot undercut even void stalled joker limit refused".split()
LINES = (
    ("deal_win", "deals won %", 100),
    ("margin", "points per deal, own less the opponent's", 1),
    ("score", "score per deal", 1),
    *((kind, METRICS_BY_NAME[kind].title, 100) for kind in ENDINGS),
    ("turns", "turns per deal", 1),
    ("deals_per_match", "deals per match", 1),
    ("match_win", "matches won %", 100),
    ("settlement", "settlement per match, with bonuses", 1),
)
INDEX_HEAD = (
    "game",
    "players",
    "what is special",
    "a match is won by",
    "turns per deal",
    "dead hand, joker or limit %",
    "gin %",
)

Matchup = tuple[tuple[str, str, str], table.ByMetric]  # (variant, A, B), and A's rows by metric


def parameters(name: str) -> str:
    """Return a table of differences from `standard`, or all parameters of `standard`."""
    variant, base = variants.find_variant(name), variants.find_variant("standard")
    if name == base.text:
        return _by_section(base)
    lines = [
        (f"`{parameter}`", _written(variant, parameter), _written(base, parameter))
        for parameter, _, value in variants.rule_differences(base, variant)
        if value is not None
    ]
    return markdown_table(("parameter", "here", "`standard`"), lines)


def _by_section(variant: Variant) -> str:
    effective = [
        parameter
        for parameter in variants.rule_parameters().values()
        if parameter.has_effect(variant.params)
        and parameter.status != "descriptive"
        and variant.params[parameter.name] is not None
    ]
    lines = []
    for section, some in groupby(effective, key=lambda parameter: parameter.section):
        values = (f"`{each.name}` {_written(variant, each.name)}" for each in some)
        lines.append((SECTIONS[section], ", ".join(values)))
    return markdown_table(("", "parameters that have an effect"), lines)


def _written(variant: Variant, name: str) -> str:
    return variants.rule_parameters()[name].to_text(variant.params[name])


def index() -> str:
    """Return a table of all variants, with three measured values of each."""
    lines = [
        (*facts(variants.find_variant(name)), *_figures(name)) for name in variants.variant_names()
    ]
    return markdown_table(INDEX_HEAD, lines)


def facts(variant: Variant) -> tuple[str, ...]:
    """Return the cells of the index that follow from the parameters of a variant."""
    link = f"[{variant.title}]({variant.text}.md) `{variant.text}`"
    won_by = variant.goal.won_by.format(**variant.params)
    return link, str(variant.params["players"]), variant.about, won_by


def _figures(name: str) -> Iterator[str]:
    solo = variants.find_variant(name).params["players"] == 1
    matchups = table.iterate_matchups(played(ONE_PLAYER if solo else TWO_PLAYERS))
    rows = next(rows for (variant, a, _), rows in matchups if (variant, a) == (name, "gold"))
    undecided = next(kind for kind in UNDECIDED if kind == "void" or rows[kind]["value"] > 0)
    for metric, factor in (("turns", 1), (undecided, 100), ("gin", 100)):
        yield numbers.format_estimate(*table.find_interval(rows, metric), factor)


def measured(source: str, *names: str) -> str:
    """Return the results of an experiment: a row for each metric, a column for each matchup."""
    matchups = _in_order(source, names)
    several = len({variant for (variant, _, _), _ in matchups}) > 1
    head = [f"`{a}`" + (f" in `{variant}`" if several else "") for (variant, a, _), _ in matchups]
    lines = _lines([rows for _, rows in matchups])
    parts = [_caption(matchups), markdown_table(("", *head), lines), _commands(source, matchups)]
    return "\n\n".join(parts)


def _in_order(source: str, names: Sequence[str]) -> list[Matchup]:
    """Sort matchups by strategy, and by variant as named."""
    matchups = [
        (key, rows)
        for key, rows in table.iterate_matchups(played(source))
        if not names or key[0] in names
    ]
    if names:
        matchups.sort(key=lambda matchup: names.index(matchup[0][0]))
    strategies = list(dict.fromkeys(a for (_, a, _), _ in matchups))
    return sorted(matchups, key=lambda matchup: strategies.index(matchup[0][1]))


@cache
def played(source: str) -> pd.DataFrame:
    """Return the tidy rows of an experiment file, or of the solitaire variants."""
    if source != ONE_PLAYER:
        return simgin.run(ROOT / source)
    frames = [
        simgin.match(strategy, variant=name, matches=ONE_PLAYER_MATCHES)
        for name in one_player_variants()
        for strategy in _solo_strategies(variants.find_variant(name))
    ]
    return pd.concat(frames, ignore_index=True)


def one_player_variants() -> list[str]:
    """Return the names of the solitaire variants."""
    return [
        name
        for name in variants.variant_names()
        if variants.find_variant(name).params["players"] == 1
    ]


def _solo_strategies(variant: Variant) -> list[str]:
    """Return strategies that differ in when they knock, or else in what they keep."""
    if variant.params["knock_limit"]:
        return ["gold", "gold+knock=at:k=5", "gold+knock=at:k=0"]
    return ["gold", "gold+discard=hits:keep_pairs=yes"]


def _caption(matchups: Sequence[Matchup]) -> str:
    opponents = {b for (_, _, b), _ in matchups}
    against = f" against `{opponents.pop()}`" if opponents != {""} else ""
    who = "([who they are](README.md#who-plays))"
    intervals = "± and brackets are 95 % intervals."
    return f"{_matches(matchups):,} matches a column{against} {who}; {intervals}"


def _commands(source: str, matchups: Sequence[Matchup]) -> str:
    (variant, a, b), _ = matchups[0]
    players = f"{a} {b}".strip()
    command = f"`simgin match {players} -v {variant} --matches {_matches(matchups)}`"
    if source == ONE_PLAYER:
        return f"One column: {command}."
    return f"Command: `simgin run {source}`; the first column alone: {command}."


def _matches(matchups: Sequence[Matchup]) -> int:
    return int(matchups[0][1]["match_win"]["n"])


def _lines(columns: Sequence[table.ByMetric]) -> Iterator[tuple[str, ...]]:
    for metric, title, factor in LINES:
        if _is_informative(metric, columns):
            cells = (
                numbers.format_estimate(*table.find_interval(rows, metric), factor)
                if metric in rows
                else ""
                for rows in columns
            )
            yield title, *cells


def _is_informative(metric: str, columns: Sequence[table.ByMetric]) -> bool:
    """Return False for absent rules, endings that never occur and repeated numbers."""
    present = [rows for rows in columns if metric in rows]
    if metric == "margin" and any("score" in rows for rows in columns):
        return False
    if metric in ("deals_per_match", "match_win"):
        return any(rows["deals_per_match"]["value"] > 1 for rows in present)
    if metric == "settlement":
        return any(_has_bonus(rows) for rows in present)
    if metric in ENDINGS:
        return any(rows[metric]["value"] > 0 for rows in present)
    return bool(present)


def _has_bonus(rows: table.ByMetric) -> bool:
    return bool(abs(rows["settlement"]["value"] - rows["match_margin"]["value"]) > 1e-9)

"""Cards of docs/findings.md, from the records in docs/findings.toml and the tables they quote.

A record has a `question`, a `verdict` of at most ten words, optionally a sentence (`because`), and
queries. A query selects rows of a result: `from` is a DataFrame in results/reference, other keys
are values of its columns, and `less` is subtracted: a number, or the keys in which the other rows
differ. `family` names a query of the table [families] that is extended. A record uses the rows for

    dots      the direction of a measure for each player type (DOTS)
    numbers   numbers that replace braces in the text; several rows give a range
    checks    conditions that make a quantifier, the `word`, true (CHECKS)

Untrue is raised if a query finds nothing, a check fails, a number has more digits than its tables
support, or the text has a number or a quantifier without a query.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from blocks.reference import REFERENCE, ROOT
from simgin.stats import differences
from simgin.strategy.cast import CAST

RECORDS = ROOT / "docs" / "findings.toml"
LONGEST = 10  # words of a verdict
KNOWN = 2  # units of a figure's last digit that its interval may reach either way
Z = 3.5  # standard errors of a dot: 200 dots err together in one page of ten
GAINS, SAME, LOSES, OPEN = DOTS = "▲", "=", "▼", "?"
KINDS = {  # the strategies of each player type in results
    entry["short"]: (entry["strategy"], *entry.get("also", ()))
    for entry in CAST["two_player"]
    if "short" in entry
}
QUANTIFIER = re.compile(
    r"\b(?:every(?:body|one|where)?|all|always|never|nobody|none|nothing|only|best|most|least|any"
    r"|whoever|strongest|no difference|the same|each|half|hardly|mostly)\b",
    re.I,
)
FIGURE = re.compile(r"\d+(?:\.\d+)? ?%|\d*\.\d+")  # other numbers are of the rules

NAMES = ("variant", "strategy", "opponent", "metric")  # of whom a row is

Query = Mapping[str, Any]


class Untrue(Exception):
    """Error for a record that contradicts its tables."""


@dataclass(frozen=True)
class Card:
    """Record of a finding."""

    theme: str
    question: str
    verdict: str
    claim: str = ""  # its number in docs/reference/rules.md 14
    finding: str = ""  # of a claim: FINDINGS
    because: str = ""
    dots: Mapping[str, Any] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[Mapping[str, Any], ...] = ()

    @property
    def results(self) -> list[str]:
        """Names of the quoted results, first the one that its dots show."""
        asked = [self.dots, *self.checks, *self.numbers.values()]
        queries = [whole(one[key]) for one in asked for key in ("of", "judged") if key in one]
        return list(dict.fromkeys(query["from"].rpartition("/")[0] for query in queries))


FINDINGS = ("supported", "refuted", "depends", "undecided")


def cards() -> str:
    """Return all cards by theme."""
    parts = []
    theme = ""
    for card in records():
        if card.theme != theme:
            theme = card.theme
            parts.append(f"## {theme}")
        parts.append(shown(card))
    return "\n\n".join(parts)


@cache
def told() -> dict[str, Any]:
    """Read the file of records."""
    return tomllib.loads(RECORDS.read_text())


def records() -> list[Card]:
    """Return the records in the order of the page."""
    themes = told()["cards"].items()
    return [Card(**{"theme": theme, **one}) for theme, own in themes for one in own]


def shown(card: Card) -> str:
    """Return a card as Markdown, or raise Untrue."""
    try:
        words = _words(card)
        for check in card.checks:
            _hold(check)
        lines = [f"**{card.question}**", words]
        if card.dots:
            lines.append(_dots(**card.dots))
        lines.append(_source(card))
    except Untrue as untrue:
        raise Untrue(f"{card.question} {untrue}") from None
    return "<br>\n".join(lines)


def _words(card: Card) -> str:
    """Return verdict and reason with their numbers; raise Untrue if a quantifier has no query."""
    text = f"{card.verdict} {card.because}"
    if len(card.verdict.split()) > LONGEST:
        raise Untrue(f"the verdict is longer than {LONGEST} words")
    if card.claim and (card.finding not in FINDINGS or not (card.checks or card.because)):
        raise Untrue("a claim has a finding, and what shows it")
    backed = " ".join(check["word"] for check in card.checks)
    literal = re.sub(r"\{\w+\}", "", text)
    for word in QUANTIFIER.findall(literal):
        if word.lower() not in backed.lower():
            raise Untrue(f"nothing stands behind the word {word!r}")
    if figures := FIGURE.findall(literal):
        raise Untrue(f"no query made {figures}")
    lead = f"{card.finding.capitalize()} ({card.claim}). " if card.finding else ""
    text = f"{lead}{card.verdict} {card.because}".strip()
    return text.format(**{name: _number(**one) for name, one in card.numbers.items()})


def _number(
    of: Query,
    form: str = "{:.1f}",
    factor: float = 1,
    column: str = "value",
    unit: str = "",
    ends: str = "both",
) -> str:
    """Return a number, or the range of several, as text.

    Args:
        of: Query for the rows.
        form: Format of a number.
        factor: Factor of the values.
        column: Column of the values.
        unit: Unit after the number.
        ends: "least" for the smallest value only.

    Raises:
        Untrue: The tables are less precise than the format.
    """
    found = rows(of)
    values = factor * found[column]
    asked = (values.min(),) if ends == "least" else (values.min(), values.max())
    if not _is_known(found, column, form, factor):
        raise Untrue(f"the figure {form.format(asked[0])} is not known to its last digit")
    return " to ".join(dict.fromkeys(form.format(value) for value in asked)) + unit


def _is_known(found: pd.DataFrame, column: str, form: str, factor: float) -> bool:
    """Return True if no 95 % interval extends beyond KNOWN units of the last digit."""
    low, high = ("low", "high") if column == "value" else (f"{column}_low", f"{column}_high")
    half = abs(factor) * (found[high] - found[low]).max() / 2
    last = len(form.format(0.0).partition(".")[2])  # digits after the point
    return bool(half <= KNOWN * 10.0**-last)


def _dots(of: Query, by: str, measure: str, margin: float = 0.25) -> str:
    """Return the direction of a measure for each player type."""
    found = rows(of)
    dots = []
    for kind, names in KINDS.items():
        own = found[found[by].map(_player).isin(names)]
        if len(own) > 1:
            raise Untrue(f"several rows are of the kind {kind!r}")
        dots += [f"{dot(row.value, row.se, margin)} {kind}" for row in own.itertuples()]
    if not dots:
        raise Untrue("no row is of a kind of player")
    return f"{measure}: {' · '.join(dots)}"


def _player(text: str) -> str:
    """Return the base of a strategy, or of an opponent in a field: gold of gold+knock=at."""
    return re.split("[+:@]", text.rpartition(" v ")[2])[0]


def dot(value: float, se: float, margin: float) -> str:
    """Return one of DOTS; "same" requires the whole interval to be within the margin."""
    low, high = value - Z * se, value + Z * se
    if differences.classify_difference(low, high, margin) == differences.SAME:
        return SAME
    return GAINS if low > 0 else LOSES if high < 0 else OPEN


def _source(card: Card) -> str:
    """Return links to the tables, and the commands that make them."""
    links = [f"[table](../results/reference/{name})" for name in card.results]
    return f"<small>{', '.join(links)}; `{command(card.results[0])}`</small>"


def command(result: str) -> str:
    """Return the command that makes a result."""
    if (ROOT / "experiments" / f"{result}.toml").exists():
        return f"simgin run experiments/{result}.toml"
    return str(manifest(result)["command"]).partition(" -o ")[0]


@cache
def manifest(result: str) -> dict[str, Any]:
    """Return the manifest of a result."""
    return dict(json.loads((REFERENCE / result / "manifest.json").read_text()))


# Queries


@cache
def frame(name: str) -> pd.DataFrame:
    """Return a DataFrame of results/reference, such as advice-fields/effects."""
    return pd.read_csv(REFERENCE / f"{name}.csv", dtype={"opponent": str}, keep_default_na=True)


def whole(query: Query) -> Query:
    """Return a query merged with the query of its family."""
    own = {name: value for name, value in query.items() if name != "family"}
    return {**told()["families"][query["family"]], **own} if "family" in query else own


def rows(query: Query) -> pd.DataFrame:
    """Return the rows of a query; raise Untrue if there are none."""
    query = whole(query)
    keys = {name: value for name, value in query.items() if name not in ("from", "less")}
    found = _chosen(frame(query["from"]), keys)
    match query.get("less", 0):
        case dict(other):
            base = _chosen(frame(query["from"]), {**keys, **other})
            names = [name for name in NAMES if name not in other]
            return _less(found, base, names)
        case number:
            ends = ["value", "low", "high"]
            return found.assign(**{end: found[end] - number for end in ends})


def _chosen(found: pd.DataFrame, keys: Mapping[str, Any]) -> pd.DataFrame:
    for name, value in keys.items():
        found = found[found[name].isin(value if isinstance(value, list) else [value])]
    if found.empty:
        raise Untrue(f"no row has {dict(keys)}")
    return found


def _less(found: pd.DataFrame, base: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Return differences as if the shuffles were independent, so intervals are rather too wide."""
    both = found.merge(base, on=names, suffixes=("", "_base"), validate="many_to_one")
    if len(both) != len(found):
        raise Untrue("a row has nothing to be compared with")
    value, se = both["value"] - both["value_base"], np.hypot(both["se"], both["se_base"])
    return both.assign(value=value, se=se, low=value - 1.96 * se, high=value + 1.96 * se)


# Checks


def _hold(check: Mapping[str, Any]) -> None:
    """Raise Untrue unless a quantifier is true."""
    asked = {name: value for name, value in check.items() if name not in ("word", "is")}
    if not CHECKS[check["is"]](**asked):
        raise Untrue(f"{check['word']!r} is untrue")


def every(of: Query, that: str) -> bool:
    """Return True if a condition, such as "low > 0", holds for all rows."""
    return bool(rows(of).eval(that).all())


def only(of: Query, column: str, names: list[str], that: str, others: str) -> bool:
    """Return True if a condition holds for these rows, and another one for the other rows."""
    found = rows(of)
    named = found[column].isin(names)
    both = 0 < named.sum() < len(found)
    return both and bool(found[named].eval(that).all() and found[~named].eval(others).all())


def same(of: Query, margin: float) -> bool:
    """Return True if all rows are equivalent to zero within a margin (two one-sided tests)."""
    verdicts = [
        differences.classify_difference(row.low, row.high, margin) for row in rows(of).itertuples()
    ]
    return set(verdicts) == {differences.SAME}


def best(chosen: Query, judged: Query, column: str, names: list[str], sign: int = 1) -> bool:
    """Return True if the best row of one result beats all rows that are not named in another.

    sign: -1 if less is better. Raises Untrue if both have the same seed.
    """
    seeds = [
        manifest(whole(query)["from"].rpartition("/")[0])["seed"] for query in (chosen, judged)
    ]
    if seeds[0] == seeds[1]:
        raise Untrue("what is best was chosen on the packs on which it is judged")
    first = rows(chosen)
    winner = str(first.loc[(sign * first["value"]).idxmax(), column])
    second = rows(judged).set_index(column)
    leads = sign * (second.loc[winner, "value"] - second["value"])
    errors = np.hypot(second.loc[winner, "se"], second["se"])
    others = ~second.index.isin(names)
    return winner in names and bool((leads > 1.96 * errors)[others].all())


CHECKS: dict[str, Callable[..., bool]] = {"every": every, "only": only, "same": same, "best": best}

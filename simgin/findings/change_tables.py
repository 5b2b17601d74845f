"""The tables of what changes do: differences with their base, and effects by field."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simgin.findings.change_sentences import COMPARED, SURE, is_significant
from simgin.report import numbers
from simgin.report.sheet import Sheet
from simgin.stats.metrics import BY_NAME

if TYPE_CHECKING:
    import pandas as pd


def differences(frame: pd.DataFrame) -> Sheet:
    """One row per comparison, one column per metric."""
    metrics = list(dict.fromkeys(frame["metric"]))
    lines = []
    for names, rows in frame.groupby(COMPARED, sort=False):
        cells = {row["metric"]: _difference(row) for _, row in rows.iterrows()}
        lines.append((_minus(*map(str, names)), *[cells.get(metric, "") for metric in metrics]))
    if frame["paired"].all():
        packs = "Both sides played the same packs, so differences are paired."
    else:
        packs = "The sides played different packs, so the errors of both add up."
    note = (
        f"{packs} * marks p < {SURE} after Holm's adjustment for the {frame['p'].count()} "
        "comparisons of this table. Otherwise there is no significant difference; one as large as "
        "the number in brackets would have been detected in four runs of five."
    )
    headings = ("minus its base", *[BY_NAME[metric].title for metric in metrics])
    return Sheet("Differences", headings, lines, note)


def _minus(
    variant: str, base_variant: str, strategy: str, base_strategy: str, opponent: str
) -> str:
    """What is compared with what: the part that differs, and the rest in brackets."""
    against = [f"v {opponent}"] if opponent else []
    if variant != base_variant:
        return f"{variant} - {base_variant} ({' '.join([strategy, *against])})"
    if strategy != base_strategy:
        return f"{strategy} - {base_strategy} ({', '.join([variant, *against])})"
    return f"{strategy} ({' '.join([variant, *against])})"  # the same in two runs


def _difference(row: Any) -> str:
    if row["se"] == 0:
        return "none"
    metric = row["metric"]
    text = numbers.estimate(row["difference"], row["low"], row["high"], BY_NAME[metric].factor)
    if text == numbers.DASH or math.isnan(row["p_holm"]):
        return text
    if row["p_holm"] < SURE:
        return f"{text} *"
    smallest = detectable(row["detectable"], metric)
    return f"{text} ({smallest})"


def detectable(value: float, metric: str) -> str:
    """The smallest difference that would have been detected, as a metric is shown."""
    if math.isnan(value):
        return numbers.DASH
    scaled = BY_NAME[metric].factor * value
    return numbers.number(scaled, scaled)


def effects(frame: pd.DataFrame) -> Iterator[Sheet]:
    """A sheet for every variant and metric: one row per change, one column per field."""
    family = frame["p"].count()
    note = (
        "What the player gains by the change. A field is what the others play: the same as the "
        f"player, or the opponent named after v. * marks p < {SURE} after Holm's adjustment for "
        f"the {family} effects of the run; the last column counts those."
    )
    for names, rows in frame.groupby(["variant", "metric"], sort=False):
        variant, metric = map(str, names)
        title = f"Effects under {variant}: {BY_NAME[metric].title}"
        fields = tuple(dict.fromkeys(rows["field"]))
        gains = rows.groupby("change", sort=False)["difference"].mean()
        ranked = gains.sort_values(ascending=False, kind="stable")
        lines = [
            _effects_line(change, rows[rows["change"] == change], fields) for change in ranked.index
        ]
        yield Sheet(title, ("change", *fields, "gains, loses"), lines, note)


def _effects_line(change: str, rows: pd.DataFrame, fields: Sequence[str]) -> tuple[str, ...]:
    """A change in every field, and in how many of them it gains and loses for certain."""
    texts = dict.fromkeys(fields, "")
    gains = 0
    losses = 0
    for _, row in rows.iterrows():
        factor = BY_NAME[row["metric"]].factor
        text = numbers.estimate(row["difference"], row["low"], row["high"], factor)
        if is_significant(row):
            text = f"{text} *"
            gains += row["difference"] > 0
            losses += row["difference"] < 0
        texts[row["field"]] = text
    return (change, *texts.values(), f"{gains}, {losses} of {len(rows)}")

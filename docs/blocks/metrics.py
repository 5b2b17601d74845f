"""Blocks of the pages of metrics, rule metrics and plots, from their records in the code."""

import inspect

from blocks import facts
from blocks.markdown import one_line, table
from simgin import plots
from simgin.review import review_frames, rule_metrics, solo_metrics
from simgin.stats import metrics
from simgin.stats.metrics import Metric


def of_unit(unit: str) -> str:
    """What every metric of a unit is, and how its number and its error are computed."""
    head = ("metric", "players", "what it is", "numerator", "denominator", "share", "error over")
    return table(head, [definition(metric) for metric in metrics.METRICS if metric.unit == unit])


def definition(metric: Metric) -> tuple[str, ...]:
    """The line of a metric."""
    return (
        f"`{metric.name}`",
        " or ".join(map(str, metric.players)),
        metric.meaning,
        facts.meaning(metric.own),
        facts.meaning(metric.denominator),
        "yes" if metric.share else "no",
        "all units" if metric.always else "units that hold any",
    )


def of_rules(players: str) -> str:
    """Every rule metric of reviews for so many players."""
    records = solo_metrics.SOLO_METRICS if players == "1" else rule_metrics.RULE_METRICS
    lines = []
    for metric in records:
        notable = f"{metric.factor * metric.notable:g}" if metric.state else ""
        deep = "yes" if metric.deep else ""
        meaning = one_line(metric.meaning)
        lines.append((metric.heading, f"`{metric.key}`", meaning, deep, notable))
    return table(("metric", "in `metrics.csv`", "what it is", "`--deep`", "reported from"), lines)


def pictures() -> str:
    """Every picture with its columns, and the function that makes such a frame of a review."""
    lines = []
    for name in plots.__all__:
        if name not in ("png", "svg"):
            is_made = inspect.isfunction(getattr(review_frames, name, None))
            about = one_line(inspect.getdoc(getattr(plots, name)))
            lines.append((f"`{name}`", about, f"`review_frames.{name}`" if is_made else ""))
    return table(("`simgin.plots`", "what it draws", "frame of a review"), lines)

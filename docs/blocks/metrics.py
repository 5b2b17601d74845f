"""Blocks of the pages of metrics, rule metrics and plots, from their records in the code."""

import inspect

from blocks.markdown import one_line, table
from simgin import plots
from simgin.review import frames, rule_metrics, solo_metrics
from simgin.review.meanings import meaning
from simgin.stats import facts, metrics
from simgin.stats.metrics import Metric

FRAMES = {"odds": "draws"}  # frames of a review that are not named like the picture


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
    records = solo_metrics.TRAITS if players == "1" else rule_metrics.TRAITS
    lines = []
    for trait in records:
        notable = f"{trait.factor * trait.notable:g}" if trait.said else ""
        deep = "yes" if trait.deep else ""
        lines.append(
            (trait.title, f"`{trait.key}`", one_line(meaning(trait, int(players))), deep, notable)
        )
    return table(("metric", "in `metrics.csv`", "what it is", "`--deep`", "reported from"), lines)


def pictures() -> str:
    """Every picture with its columns, and the function that makes such a frame of a review."""
    lines = []
    for name in plots.__all__:
        if name not in ("png", "svg"):
            frame = FRAMES.get(name, name)
            is_made = inspect.isfunction(getattr(frames, frame, None))
            about = one_line(inspect.getdoc(getattr(plots, name)))
            lines.append((f"`{name}`", about, f"`frames.{frame}`" if is_made else ""))
    return table(("`simgin.plots`", "what it draws", "frame of a review"), lines)

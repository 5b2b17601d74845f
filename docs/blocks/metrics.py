"""Blocks of the pages of metrics, reviews and plots, from their records in the code."""

import inspect
import re
from collections.abc import Mapping
from typing import Any

from blocks import facts
from blocks.markdown import one_line, table
from blocks.reference import REFERENCE
from simgin import plots
from simgin.review import scorecard
from simgin.review.review import GIN_VS_KNOCK, SKILL
from simgin.review.review_request import SECONDS_PER_TURN
from simgin.rules import variants
from simgin.stats import metrics
from simgin.stats.metrics import Metric
from simgin.stats.table import read_schema
from simgin.strategy import cast


def of_unit(unit: str) -> str:
    """Return a table of the metrics of a unit: meaning, numerator, denominator and error."""
    head = ("metric", "players", "what it is", "numerator", "denominator", "share", "error over")
    return table(head, [definition(metric) for metric in metrics.METRICS if metric.unit == unit])


def columns(what: str) -> str:
    """Return a table of the output files, or of the meanings of all columns."""
    schema = read_schema()
    outputs = schema["outputs"]
    if what == "outputs":
        head = ("file", "written by", "contents", "columns after the ten, or all (*)")
        return table(head, [_output(name, entry) for name, entry in outputs.items()])
    lines = [(f"`{name}`", *told) for name, told in schema["columns"].items()]
    for name, entry in outputs.items():
        for column, told in entry.get("meanings", {}).items():
            lines.append((f"`{column}` in {_file(name, entry)}", *told))
    return table(("column", "meaning", "unit"), lines)


def _output(name: str, entry: Mapping[str, Any]) -> tuple[str, ...]:
    own = ", ".join(f"`{column}`" for column in entry.get("columns", ()))
    return _file(name, entry), entry["by"], entry["about"], own + " *" * entry.get("plain", False)


def _file(name: str, entry: Mapping[str, Any]) -> str:
    file = entry.get("file", name)
    return f"`{file}.csv`" if file else f"`--json` of {entry['by']}"


def definition(metric: Metric) -> tuple[str, ...]:
    """Return the row of a metric."""
    return (
        f"`{metric.name}`",
        " or ".join(map(str, metric.players)),
        metric.meaning,
        facts.meaning(metric.numerator_a),
        facts.meaning(metric.denominator),
        "yes" if metric.is_proportion else "no",
        "all units" if metric.is_in_every_unit else "units that hold any",
    )


def of_reviews() -> str:
    """Return a table of the rows of a scorecard: two players, then solitaire games."""
    rows = scorecard.scorecard_rows(variants.find_variant("standard").params, SECONDS_PER_TURN)
    lines = [_line(row.title, row) for row in rows]
    bounds = _fixed(scorecard.SKILL_BOUNDS)
    keys = (GIN_VS_KNOCK, SKILL)
    for key, (title, meaning) in zip(keys, scorecard.MATCHUP_MEANINGS.items(), strict=True):
        lines.append((title, f"`{key}`", meaning, bounds, ""))
    known = {row.key for row in rows}
    alone = [row for row in scorecard.SOLO_ROWS if row.key not in known]
    lines += [_line(f"alone: {row.title}", row) for row in alone]
    for title, meaning in scorecard.SOLO_MEANINGS.items():
        lines.append((f"alone: {title}", f"`{SKILL}`", meaning, bounds, ""))
    head = ("row", "in `metrics.csv`", "what it is", "a little, much from", "in goals")
    return table(head, lines)


def _line(title: str, row: scorecard.ScorecardRow) -> tuple[str, ...]:
    return title, f"`{row.key}`", row.meaning, _fixed(row.fixed_bounds), ", ".join(row.goal_names)


def _fixed(bounds: tuple[float, float] | None) -> str:
    return "" if bounds is None else " and ".join(f"{100 * bound:g} points" for bound in bounds)


def of_review(name: str) -> str:
    """Return caution, verdicts and scorecard of a reference review, without ranges."""
    parts = (REFERENCE / name / "summary.md").read_text().split("\n\n")
    at = parts.index("## At a glance")
    cautions = [part.partition(" `")[0] for part in parts[:at] if part.startswith("**Caution")]
    return "\n\n".join((*cautions, parts[at - 1], re.sub(r"; by kind [^)]*", "", parts[at + 1])))


def of_chart(name: str) -> str:
    """Return the summary of a chart in results/reference."""
    return (REFERENCE / name / "summary.md").read_text().split("\n\n")[2]


def kinds_of_player() -> str:
    """Return a table of the player types of reviews, for two players and for solitaire games."""
    two_player, solitaire = variants.find_variant("standard"), variants.find_variant("solitary-gin")
    strong = cast.player_types(two_player)[-1]
    lines = [(kind.name, f"`{kind.strategy}`") for kind in (*cast.weaker_types(two_player), strong)]
    lines += [
        (f"alone: {kind.name}", f"`{kind.strategy}`") for kind in cast.weaker_types(solitaire)
    ]
    return table(("kind of player", "strategy"), lines)


def player_types(variant: str) -> str:
    """Return a table of the player types of a game."""
    game = variants.find_variant(variant)
    entries = cast.CAST["solitaire" if game.params["players"] == 1 else "two_player"]
    types = zip(cast.player_types(game), entries, strict=True)
    lines = [(name, f"`{strategy}`", entry["about"]) for (name, strategy), entry in types]
    return table(("player type", "strategy", "how it plays"), lines)


def pictures() -> str:
    """Return a table of all plots with the columns of their DataFrames."""
    names = [name for name in plots.__all__ if name not in ("png", "svg")]
    texts = [inspect.getdoc(getattr(plots, name)) or "" for name in names]
    lines = [
        (f"`{name}`", one_line(text.partition("\n\nArgs:")[0]))
        for name, text in zip(names, texts, strict=True)
    ]
    return table(("`simgin.plots`", "what it draws"), lines)

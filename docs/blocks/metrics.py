"""Documentation blocks about metrics, reviews, charts and plots."""

import inspect
import re
import textwrap
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from blocks.markdown import format_table
from blocks.reference import DOCS_DIRECTORY, REFERENCE_DIRECTORY
from simgin import plots
from simgin.review import scorecard
from simgin.review.review import GIN_VS_KNOCK_METRIC, SKILL_METRIC
from simgin.review.review_request import DEFAULT_SECONDS_PER_TURN
from simgin.rules import variants
from simgin.runs import parquet
from simgin.stats import metrics
from simgin.stats.table import read_schema
from simgin.strategy import cast


def render_metrics(unit: str) -> str:
    """Return a table that defines all metrics of a unit."""
    lines = [
        (f"`{metric.name}`", ", ".join(map(str, metric.player_counts)), metric.meaning)
        for metric in metrics.METRICS
        if metric.unit == unit
    ]
    return format_table(("Metric", "Players", "Definition"), lines)


def render_columns(topic: str) -> str:
    """Return a table of the output files, or a table of the columns in these files.

    Args:
        topic: "outputs" for the files, "names" for the columns, "deals" for the columns of recorded
            deals.
    """
    if topic == "deals":
        return _render_deal_columns()
    schema = read_schema()
    outputs = schema["outputs"]
    if topic == "outputs":
        files = [_format_output_cells(name, entry) for name, entry in outputs.items()]
        names = Counter(_format_output_source(name, entry) for name, entry in outputs.items())
        columns = [
            _list_columns_of_file(entry, file, is_unique_file=names[file] == 1)
            for entry, (file, *_) in zip(outputs.values(), files, strict=True)
        ]
        listing = "\n".join(["```text", *filter(None, columns), "```"])
        after = (
            "The listed columns follow the column `n`, but files marked with an asterisk contain "
            "only the listed columns:"
        )
        return "\n\n".join(
            (format_table(("file", "written by", "contents"), files), after, listing)
        )
    columns = schema["columns"]
    lines = [
        (f"`{name}`", _describe_column(*description))
        for name, description in columns.items()
        if not _is_error_or_bound(name, columns)
    ]
    files: dict[tuple[str, str], list[str]] = {}
    for name, entry in outputs.items():
        for column, description in entry.get("meanings", {}).items():
            key = f"`{column}`", _describe_column(*description)
            files.setdefault(key, []).append(_format_output_source(name, entry))
    file_specific_lines = [
        (column, ", ".join(names), cell) for (column, cell), names in files.items()
    ]
    return "\n\n".join(
        (
            format_table(("column", "meaning"), lines),
            format_table(("column", "file", "meaning"), file_specific_lines),
        )
    )


def _render_deal_columns() -> str:
    """Return a table of the columns of recorded deals, with their values."""
    lines = [
        (f"`{name}`", _format_deal_values(column.get("words", "")), column["about"].rstrip("."))
        for name, column in parquet.read_columns().items()
    ]
    return format_table(("column", "values", "meaning"), lines)


def _format_deal_values(words: str) -> str:
    """Return the possible values of a column of recorded deals."""
    if words not in parquet.WORDS_BY_CODE:
        return "string" if words else "integer"
    values = parquet.WORDS_BY_CODE[words].values()
    return ", ".join([f"`{value}`" for value in values if value] + ["empty"] * ("" in values))


def _format_output_cells(output_name: str, schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the file, the command and the contents of an output as table cells."""
    return _format_output_source(output_name, schema), schema["by"], schema["about"]


def _list_columns_of_file(schema: Mapping[str, Any], file: str, *, is_unique_file: bool) -> str:
    """Return the name of a file and its special columns, or "" if it has none."""
    columns = ", ".join(schema.get("columns", ()))
    command = "" if is_unique_file else f" ({schema['by']})"
    heading = f"{file}{command}".replace("`", "") + " *" * schema.get("plain", False)
    return textwrap.fill(f"{heading}: {columns}", 80, subsequent_indent="    ") if columns else ""


def _describe_column(meaning: str, unit: str) -> str:
    """Return the meaning of a column, followed by its unit if it has one."""
    return f"{meaning} ({unit})" if unit else meaning


def _is_error_or_bound(column: str, columns: Collection[str]) -> bool:
    """Return True if a column contains the standard error or a bound of another column."""
    base, _, suffix = column.rpartition("_")
    return suffix in ("se", "low", "high") and base in columns and base != "value"


def _format_output_source(output_name: str, schema: Mapping[str, Any]) -> str:
    """Return the CSV file of an output, or the command that prints the output as JSON."""
    file = schema.get("file", output_name)
    return f"`{file}.csv`" if file else f"`{schema['by'].strip('`')} --json`"


def render_scorecard() -> str:
    """Return a table that explains the scorecard rows of two-player and solitaire reviews."""
    rows = scorecard.list_scorecard_rows(
        variants.find_variant("standard").params, DEFAULT_SECONDS_PER_TURN
    )
    lines = [_format_scorecard_cells(row.title, row) for row in rows]
    bounds = _format_percent_pair(scorecard.SKILL_EFFECT_BOUNDS)
    keys = (GIN_VS_KNOCK_METRIC, SKILL_METRIC)
    for key, (title, meaning) in zip(keys, scorecard.COMPARISON_MEANINGS.items(), strict=True):
        lines.append((title, f"`{key}`", meaning, bounds, ""))
    two_player_keys = {row.key for row in rows}
    solo_rows = [row for row in scorecard.SOLO_ROWS if row.key not in two_player_keys]
    lines += [_format_scorecard_cells(f"{row.title} (solitaire)", row) for row in solo_rows]
    for title, meaning in scorecard.SOLO_COMPARISON_MEANINGS.items():
        lines.append((f"{title} (solitaire)", f"`{SKILL_METRIC}`", meaning, bounds, ""))
    headings = ("Row", "In `metrics.csv`", "Meaning", "Thresholds (%)", "Names in goals")
    return format_table(headings, lines)


def _format_scorecard_cells(title: str, row: scorecard.ScorecardRow) -> tuple[str, ...]:
    """Return the documentation of a scorecard row as table cells."""
    return (
        title,
        f"`{row.key}`",
        row.meaning,
        _format_percent_pair(row.fixed_effect_bounds),
        ", ".join(row.goal_names),
    )


def _format_percent_pair(proportions: tuple[float, float] | None) -> str:
    """Format two proportions in percent, or return "" if there are none."""
    return "" if proportions is None else " and ".join(f"{100 * bound:g}" for bound in proportions)


def render_review(result: str) -> str:
    """Return the warning, the verdicts and the scorecard of a review in results/reference."""
    parts = (REFERENCE_DIRECTORY / result / "summary.md").read_text().split("\n\n")
    table_index = parts.index("## Scorecard")
    warnings = [
        part.partition(" `")[0] for part in parts[:table_index] if part.startswith("**Warning")
    ]
    return "\n\n".join(
        (
            *warnings,
            parts[table_index - 1],
            re.sub(r"; range over player types: [^)]*", "", parts[table_index + 1]),
        )
    )


def render_chart(result: str) -> str:
    """Return the conclusions of a chart in results/reference, without notes on the method."""
    verdict = (REFERENCE_DIRECTORY / result / "summary.md").read_text().split("\n\n")[2]
    notes = ("* The chart covers", "* The win rate of this chart was not measured")
    lines = [line for line in verdict.splitlines() if not line.startswith(notes)]
    return "\n".join(lines).replace("* A version of", "\nA version of")


def render_review_players() -> str:
    """Return a table of the player types in reviews, with their strategies."""
    two_player, solitaire = variants.find_variant("standard"), variants.find_variant("solitary-gin")
    strong = cast.list_player_types(two_player)[-1]
    lines = [
        (player.name, f"`{player.strategy}`")
        for player in (*cast.list_weaker_types(two_player), strong)
    ]
    lines += [
        (f"{player.name} (solitaire)", f"`{player.strategy}`")
        for player in cast.list_weaker_types(solitaire)
    ]
    return format_table(("Player type", "Strategy"), lines)


def render_player_types(variant: str) -> str:
    """Return a table of the player types of a game."""
    game = variants.find_variant(variant)
    entries = cast.PLAYER_TYPE_TABLES["solitaire" if game.is_solo else "two_player"]
    types = zip(cast.list_player_types(game), entries, strict=True)
    lines = [(name, f"`{strategy}`", entry["about"]) for (name, strategy), entry in types]
    return format_table(("Player type", "Strategy", "Behaviour"), lines)


def render_plots() -> str:
    """Return a section for each plot function, with a command, Python code and an image."""
    gallery = tomllib.loads((DOCS_DIRECTORY / "plots.toml").read_text())
    sections = []
    for name in (name for name in plots.__all__ if name not in ("png", "svg")):
        summary = (inspect.getdoc(getattr(plots, name)) or "").partition(".\n")[0]
        summary = " ".join(summary.split()).partition(". ")[0].rstrip(".")
        entry, image = gallery[name], f"plots/{name}.png"
        if "image" in entry:
            image = f"../../results/reference/{entry['image']}"
        code = f"```sh\n{entry['command']}\n```\n\n```python\n{entry['python'].strip()}\n```"
        alt = summary.removeprefix("Plot ").partition(", and mark")[0]
        picture = f"![{alt[:1].upper()}{alt[1:]}]({image})"
        sections.append(f"### {name}\n\n{summary}.\n\n{code}\n\n{picture}")
    return "\n\n".join(sections)

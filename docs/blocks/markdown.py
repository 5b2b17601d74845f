"""Formatting of Markdown tables."""

from collections.abc import Iterable, Sequence


def format_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table with the given headings and rows.

    Args:
        headings: Column headings.
        rows: Cells of each row.
    """
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def escape_cell(content: str | None) -> str:
    """Return text as a one-line Markdown table cell, with escaped vertical bars."""
    return " ".join((content or "").split()).replace("|", "\\|")

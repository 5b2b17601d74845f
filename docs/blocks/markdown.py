"""Formatting of Markdown tables."""

from collections.abc import Iterable, Sequence


def format_table(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table.

    Args:
        headings: Column headings.
        lines: Cells of each row.
    """
    rows = [headings, ["---"] * len(headings), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def format_cell(text: str | None) -> str:
    """Return text as a one-line table cell in which bars are escaped."""
    return " ".join((text or "").split()).replace("|", "\\|")

"""Markdown tables."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table with a head and lines of cells."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def one_line(text: str | None) -> str:
    """Return a text as one cell of a table."""
    return " ".join((text or "").split()).replace("|", "\\|")

"""Text in figures: its sizes, long names on several lines, and no formulas."""

from __future__ import annotations

from simgin.report.wrapping import fold

__all__ = [
    "CAPTION_CHARACTERS",
    "LABEL_CHARACTERS",
    "LARGE",
    "NORMAL",
    "PANEL_TITLE_CHARACTERS",
    "SMALL",
    "TEXT_LINE",
    "TITLE_CHARACTERS",
    "escape",
    "folded",
]

TEXT_LINE = 0.18  # inches per line of a title, legend or caption
SMALL, NORMAL, LARGE = 7.5, 8.5, 11  # points; on a phone a point is 1.18 pixels
# Characters per line
TITLE_CHARACTERS, CAPTION_CHARACTERS = 42, 66
LABEL_CHARACTERS, PANEL_TITLE_CHARACTERS = 22, 48


def escape(text: str) -> str:
    """A text whose dollar signs, which a path may contain, do not start a formula."""
    return text.replace("$", r"\$")


def folded(text: str, width: int) -> str:
    """A text whose lines have at most `width` characters."""
    lines = []
    for part in text.split("\n"):
        lines += fold(part, width)
    return "\n".join(lines)

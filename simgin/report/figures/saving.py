"""Figures as files: PNG and SVG."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from simgin.report.figures.layout import DPI

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def png(figure: Figure) -> bytes:
    """A figure as a PNG file, without date or version: equal figures give equal bytes."""
    _lay_out(figure)
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
    return out.getvalue()


def svg(figure: Figure, name: str) -> str:
    """A figure as an SVG file whose text stays text.

    Every id begins with `name`, so that several figures can stand on one page.
    """
    import matplotlib

    _lay_out(figure)
    out = io.StringIO()
    settings = {"svg.fonttype": "none", "svg.hashsalt": "simgin", "font.family": "sans-serif"}
    no_metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context(settings):  # type: ignore[arg-type]
        figure.savefig(out, format="svg", metadata=no_metadata)
    return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", out.getvalue())


def _lay_out(figure: Figure) -> None:
    """Compute the layout once, not again for every file."""
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.set_layout_engine("none")

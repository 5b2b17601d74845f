"""What a finished run leaves for people and programs, as file contents: tables, summaries and pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simgin import plots, summary, table

if TYPE_CHECKING:
    import pandas as pd


def files(frame: pd.DataFrame, *, seed: int, question: str | None = None) -> dict[str, bytes | str]:
    """Every file but the manifest, by its path in the run directory, for `simgin.results.save`."""
    heading = f"# {question}\n\n" if question else ""
    return {
        "table.csv": table.csv(frame),
        "summary.csv": summary.csv(frame),
        "summary.md": heading + summary.markdown(frame),
        "plots/win_and_points.png": plots.png(plots.win_and_points(frame, seed=seed)),
        "plots/endings.png": plots.png(plots.endings(frame, seed=seed)),
    }

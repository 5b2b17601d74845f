"""What a finished run leaves for people and programs, as file contents: tables, summaries and pictures."""

from __future__ import annotations

from simgin import plots, summary, table
from simgin.findings import Findings


def files(found: Findings) -> dict[str, bytes | str]:
    """Every file but ledger and manifest, by its path in the run directory, for `simgin.results.save`."""
    frame, asked = found.table, found.plan
    heading = f"# {asked.question}\n\n" if asked.question else ""
    return {
        "table.csv": table.csv(frame),
        "summary.csv": summary.csv(frame),
        "summary.md": heading + summary.markdown(frame),
        "plots/win_and_points.png": plots.png(plots.win_and_points(frame, seed=asked.seed)),
        "plots/endings.png": plots.png(plots.endings(frame, seed=asked.seed)),
    }

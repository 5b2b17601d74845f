"""The reference results quoted in the tutorial are what this version computes, byte for byte."""

from pathlib import Path

import pandas as pd
import pytest

from simgin.stats.metrics import BY_NAME
from simgin.stats.table import TABLE_COLUMNS
from support.command_line import call

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "results/reference/demo"


@pytest.mark.usefixtures("without_pictures")
def test_the_demo_experiment_reproduces_the_reference_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    call("run", "experiments/demo.toml", "-o", tmp_path / "demo")
    assert (tmp_path / "demo/table.csv").read_bytes() == (REFERENCE / "table.csv").read_bytes()
    assert (tmp_path / "demo/summary.md").read_text() == (REFERENCE / "summary.md").read_text()


def test_the_tutorial_quotes_the_reference_results() -> None:
    table = (REFERENCE / "summary.md").read_text().partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| standard")]
    quoted = (ROOT / "docs/tutorial/first-hour.md").read_text()
    assert len(rows) == 5
    for row in rows:
        _, a, _b, _played, *cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert f"| {a} | " + " | ".join(cells) + " |" in quoted


FRAMES = [
    path
    for path in sorted((ROOT / "results/reference").rglob("*.csv"))
    if path.stem not in ("summary", "costliest")  # tables for people
]


@pytest.mark.parametrize("path", FRAMES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_frame_has_the_columns_of_tidy_rows_and_shares_from_0_to_1(path: Path) -> None:
    frame = pd.read_csv(path, keep_default_na=False, na_values={"value": ""})
    assert tuple(frame.columns[:10]) == TABLE_COLUMNS
    shares = frame[frame["metric"].map(lambda name: name in BY_NAME and BY_NAME[name].share)]
    assert shares["value"].abs().max() <= 1 or shares.empty

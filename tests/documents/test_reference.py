"""The reference results quoted in the tutorial are what this version computes, byte for byte."""

from pathlib import Path

import pytest

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

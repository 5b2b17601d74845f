"""Tests of `--export`: the tables of a screen as Markdown, LaTeX and CSV."""

import csv
import io
import json

import pytest

from simgin.report.report_table import ScoreCell, make_table_from_rows
from support.command_line import run_simgin

MATCH_COMMAND = ["match", "gold", "simple", "--deals", "200"]


def test_exported_cells_equal_those_on_the_screen():
    screen = run_simgin(*MATCH_COMMAND).stdout
    rows = [*csv.reader(io.StringIO(run_simgin(*MATCH_COMMAND, "--export", "csv").stdout))]
    assert rows[0] == ["metric", "gold", "simple"]
    for row in rows[1:]:
        assert all(cell in screen for cell in row)
    markdown = run_simgin(*MATCH_COMMAND, "--export", "markdown").stdout.splitlines()
    cells = [line.strip("| ").split(" | ") for line in markdown]
    assert [cells[0], *cells[2:]] == rows
    latex = run_simgin(*MATCH_COMMAND, "--export", "latex").stdout
    assert latex.startswith("\\begin{tabular}{lrr}\n\\toprule\nmetric & gold & simple")
    assert latex.count(" \\\\\n") == len(rows)


def test_latex_and_markdown_escape_special_characters():
    table = make_table_from_rows("Odds", ("a_b", "x"), [("50 % & more", "1"), ("a|b", "2")])
    assert "a\\_b & x" in table.export("latex") and "50 \\% \\& more & 1" in table.export("latex")
    assert r"a\|b" in table.export("markdown")
    assert table.export("csv") == "a_b,x\n50 % & more,1\na|b,2\n"


def test_latex_uses_the_minus_sign_of_math_mode():
    table = make_table_from_rows("Odds", ("name", "x"), [("gold-7", "-0.5 (-1.2 to -0.1)")])
    assert "gold-7 & $-$0.5 ($-$1.2 to $-$0.1)" in table.export("latex")


def test_cells_of_a_scorecard_are_exported_with_their_intervals():
    cell = ScoreCell("66", "▼ a little shorter", "-17.1 ± 0.7", change="-17.1")
    table = make_table_from_rows("Scorecard", ("row", "x"), [("Turns", cell)])
    text = "66 (-17.1 ± 0.7) ▼ a little shorter"
    assert text in table.export("csv") and text in table.export("markdown")
    assert "66 ($-$17.1 ± 0.7) $\\downarrow$ a little shorter" in table.export("latex")


def test_details_option_exports_every_table():
    one, several = (
        run_simgin(*MATCH_COMMAND, *more, "--export", "csv").stdout.count("\n\n")
        for more in ([], ["--details"])
    )
    assert one == 0 and several > 0


def test_export_of_a_result_without_a_table_is_rejected(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run_simgin("examples", "copied", "--export", "csv", exit_code=2)
    assert "this result contains no table to export. Omit --export." in result.stderr
    assert not (tmp_path / "copied").exists()


@pytest.mark.parametrize("arguments", [["variants"], ["config"], ["examples"]])
def test_list_commands_export_their_rows(arguments, monkeypatch, tmp_path):
    monkeypatch.setenv("SIMGIN_CONFIG", str(tmp_path / "config.toml"))
    exported = [*csv.reader(io.StringIO(run_simgin(*arguments, "--export", "csv").stdout))]
    assert (
        len(exported) > 5 and len(json.loads(run_simgin(*arguments, "--json").stdout)["rows"]) >= 5
    )

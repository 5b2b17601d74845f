"""Tests of `--export`: the tables of a screen as Markdown, LaTeX and CSV."""

import csv
import io
import json

import pytest

from simgin.report.report_table import make_table_from_rows
from support.command_line import call

MATCH = ["match", "gold", "simple", "--deals", "200"]


def test_the_formats_have_the_cells_of_the_screen():
    screen = call(*MATCH).stdout
    rows = [*csv.reader(io.StringIO(call(*MATCH, "--export", "csv").stdout))]
    assert rows[0] == ["metric", "gold", "simple"]
    for row in rows[1:]:
        assert all(cell in screen for cell in row)
    markdown = call(*MATCH, "--export", "markdown").stdout.splitlines()
    cells = [line.strip("| ").split(" | ") for line in markdown]
    assert [cells[0], *cells[2:]] == rows
    latex = call(*MATCH, "--export", "latex").stdout
    assert latex.startswith("\\begin{tabular}{lrr}\n\\toprule\nmetric & gold & simple")
    assert latex.count(" \\\\\n") == len(rows)


def test_latex_and_markdown_escape_special_characters():
    table = make_table_from_rows("Odds", ("a_b", "x"), [("50 % & more", "1"), ("a|b", "2")])
    assert "a\\_b & x" in table.export("latex") and "50 \\% \\& more & 1" in table.export("latex")
    assert r"a\|b" in table.export("markdown")
    assert table.export("csv") == "a_b,x\n50 % & more,1\na|b,2\n"


def test_latex_has_minus_signs():
    table = make_table_from_rows("Odds", ("name", "x"), [("gold-7", "-0.5 (-1.2 to -0.1)")])
    assert "gold-7 & $-$0.5 ($-$1.2 to $-$0.1)" in table.export("latex")


def test_details_exports_every_table():
    one, several = (
        call(*MATCH, *more, "--export", "csv").stdout.count("\n\n") for more in ([], ["--details"])
    )
    assert one == 0 and several > 0


def test_commands_without_a_table_say_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call("examples", "copied", "--export", "csv", code=2)
    assert "this result contains no table to export. Omit --export." in result.stderr
    assert not (tmp_path / "copied").exists()


@pytest.mark.parametrize("words", [["variants"], ["config"], ["examples"]])
def test_lists_are_tables(words, monkeypatch, tmp_path):
    monkeypatch.setenv("SIMGIN_CONFIG", str(tmp_path / "config.toml"))
    exported = [*csv.reader(io.StringIO(call(*words, "--export", "csv").stdout))]
    assert len(exported) > 5 and len(json.loads(call(*words, "--json").stdout)["rows"]) >= 5

"""Tests that a Python prompt and a notebook display results."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

import simgin
from simgin.report.report import LazySequence
from simgin.runs import directory
from simgin.runs.result import Result
from simgin.text.messages import SimginError
from support.command_line import run_simgin
from support.html_checks import find_elements, get_text, parse_html

pytestmark = pytest.mark.usefixtures("few_metropolis_steps", "few_evaluated_deals")
HAND, PILE = "7H 7D 7C 8C 9C TC 4H TD AC 4C KS", "QD TS 9D* QH"
LEAGUE_EXPERIMENT_TOML = """
question = "Who wins?"
seed = 3
deals = "2k"
round_robin = ["gold", "gold-early", "simple"]
"""


def make_grade(directory):
    path = directory / "deal.json"
    path.write_text(run_simgin("show", "gold", "simple", "--json").stdout)
    return simgin.grade(path, worlds=20)


def make_league(directory):
    path = directory / "league.toml"
    path.write_text(LEAGUE_EXPERIMENT_TOML)
    return simgin.run(path)


def make_review(_directory):
    return simgin.review_rules("oklahoma", "standard", players=["simple", "gold"], matches=1000)


def make_tuning(_directory):
    return simgin.tune_strategy(
        "gold-early", parameters="k", generations=1, matches=1000, confirmation_matches=1000
    )


RESULT_MAKERS = {
    "match": lambda _: simgin.match("gold", deals="2k", seed=7),
    "match alone": lambda _: simgin.match("solo-greedy", variant="solitaire-gin", deals=400),
    "league": make_league,
    "review": make_review,
    "odds": lambda _: simgin.compute_odds("solitary-gin", "solo-greedy", deals="2k"),
    "chart": lambda _: simgin.compute_chart("upcard", strategy="simple", deals="4k"),
    "position": lambda _: simgin.analyze(HAND, PILE, strategy="gold", opponent="gold", worlds=200),
    "deal": lambda _: simgin.analyze_deal("gold", "simple", unit=3, turn=5, worlds=50),
    "rates": lambda _: simgin.error_rates("gold", "simple", judge="gold-early", deals=20, worlds=1),
    "grade": make_grade,
    "find": lambda _: simgin.find("gold", "simple", where="undercut, lost", deals=400),
    "tune": make_tuning,
}
RESULTS_WITHOUT_PLOT = {"rates", "grade", "find"}


@pytest.fixture(scope="module", params=RESULT_MAKERS)
def named_result(request, tmp_path_factory):
    """Return the name of a result and the result."""
    return request.param, RESULT_MAKERS[request.param](tmp_path_factory.mktemp("made"))


def test_repr_of_a_result_shows_its_summary_and_table(named_result):
    name, result = named_result
    text, table = repr(result), result.overview().main_table
    assert isinstance(result, Result) and result.summary()
    first_words = " ".join(text.split())[:30]
    if name not in ("position", "deal"):  # These results also show a title.
        assert " ".join(result.summary().split()).startswith(first_words)
    assert table.title.split()[0].lower() in text.lower()
    shown = " ".join(text.split())
    assert all(heading.split()[0] in shown for heading in table.headings if heading)
    assert max(map(len, text.splitlines())) <= 80 and not text.endswith("\n")


def test_html_of_a_result_is_valid_and_complete(named_result, drawn_plots):
    name, result = named_result
    page = (
        f"<!doctype html><html lang='en'><head><title>t</title></head><body>{result._repr_html_()}"
    )
    root, errors = parse_html(f"{page}</body></html>")
    assert errors == []
    rows = find_elements(find_elements(root, "table")[0], "tr")
    table = result.overview().main_table
    assert len(rows) == 1 + len(table.rows)
    cells = [get_text(cell).strip() for cell in find_elements(rows[1], "th", "td")]
    assert cells[0] == str(table.rows[0][0]).strip()
    assert result.summary().split()[0] in get_text(find_elements(root, "p")[0])
    assert len(find_elements(root, "svg")) == (name not in RESULTS_WITHOUT_PLOT)
    ids = [
        {node.get("id") for node in root.iter() if node.get("id")},
        {*re.findall(r'\bid="([^"]+)"', result._repr_html_())},
    ]
    assert ids[0] and not ids[0] & ids[1]  # a notebook shows both


def test_result_has_a_frame_and_a_plot(named_result):
    name, result = named_result
    assert isinstance(result.frame, pd.DataFrame) and len(result.frame)
    table = next(iter(result.frames().values()))
    assert {*result.frame.columns} == {*table.columns}
    assert result.frame.equals(table[result.frame.columns])
    if name in RESULTS_WITHOUT_PLOT:
        with pytest.raises(SimginError, match=r"has no plot\. Use the DataFrame `\.frame`"):
            result.plot()
    else:
        assert isinstance(result.plot(), Figure)


def test_saved_result_contains_a_valid_report(named_result, tmp_path):
    name, result = named_result
    page = result.save(tmp_path / "out")
    assert page == tmp_path / "out" / "report.html" and parse_html(page.read_text())[1] == []
    manifest = directory.read_manifest(page.parent)
    assert manifest["command"] == result.call and result.call.startswith("simgin.")
    assert set(manifest["files"]) <= {
        str(path.relative_to(page.parent)) for path in page.parent.rglob("*")
    }
    if name in ("match", "odds"):  # a run, and a result without a ledger
        assert result.save(tmp_path / "out") == page  # the same call may replace its files


@pytest.mark.parametrize("name", ["match", "odds"])
def test_saved_files_equal_those_of_the_command(name, tmp_path, few_decks):
    arguments = {
        "match": ("match", "gold", "--deals", "2k", "--seed", 7),
        "odds": ("odds", "solitary-gin", "--strategy", "solo-greedy", "--deals", "2k"),
    }[name]
    run_simgin(*arguments, "-o", tmp_path / "command")
    RESULT_MAKERS[name](tmp_path).save(tmp_path / "python")
    saved_files, command_files = (
        {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "python", tmp_path / "command")
    )
    expected = {
        file_name
        for file_name in command_files
        if not file_name.startswith(("threshold", "counts"))
    }  # --complete
    assert expected == {*saved_files} or (name == "odds" and {*saved_files} <= expected)
    for file in saved_files:
        if file.endswith(".csv") and name == "match":
            assert saved_files[file].read_bytes() == command_files[file].read_bytes()


def test_saved_run_can_be_reported_and_is_not_overwritten(tmp_path):
    path = tmp_path / "out"
    simgin.match("gold", deals=400).save(path)
    assert directory.read_manifest(path)["command"] == "simgin.match('gold', deals=400)"
    assert json.loads(run_simgin("report", path, "--json").stdout)["rows"]
    with pytest.raises(ValueError, match="contains"):
        simgin.match("gold-early", deals=400).save(path)
    with pytest.raises(ValueError, match="contains"):
        simgin.find("gold", where="gin", deals=400).save(path)


def test_dataframe_operations_on_a_result_suggest_the_frame(named_result):
    _, result = named_result
    with pytest.raises(AttributeError, match=r"'groupby'\. Use `\.frame` for the DataFrame\."):
        result.groupby("metric")
    with pytest.raises(TypeError, match=r"is not a DataFrame\. Use `\.frame\['metric'\]`\."):
        result["metric"]
    with pytest.raises(TypeError, match="is not a DataFrame"):
        list(result)


def test_call_is_recorded_as_python_code():
    strategy = simgin.find_strategy("gold+knock=at:k=4")
    variant = simgin.find_variant("oklahoma")
    result = simgin.match(strategy, Path("simple"), variant, deals="400")
    assert result.call == "simgin.match('gold+knock=at:k=4', 'simple', 'oklahoma', deals='400')"
    assert repr(eval(result.call)) == repr(result)
    assert inspect.signature(simgin.match).parameters["a"].annotation


def test_strategies_and_variants_are_listed_in_frames():
    strategies, variants = simgin.strategies(), simgin.variants()
    assert strategies["strategy"].iloc[0] == "champion" and {1, 2} == {*strategies["players"]}
    assert strategies["about"].str.len().min() > 10
    assert {"standard", "oklahoma", "solitaire-gin"} <= {*variants["variant"]}
    assert simgin.strategy.Strategy and callable(simgin.match)


def test_lazy_sequence_computes_only_the_items_used():
    computed = []
    items = LazySequence(computed.append(i) or i for i in range(4))
    assert items[0] == 0 and computed == [0]
    assert next(iter(items)) == 0 and computed == [0]
    assert items[-1] == 3 and len(items) == 4 and [*items] == items[:] == [0, 1, 2, 3]
    with pytest.raises(IndexError):
        items[4]


NOTEBOOK_CELLS = (
    "%matplotlib inline\nimport simgin",
    "result = simgin.match('gold', deals='2k', seed=7)\nresult",
    "result.plot()",
    "simgin.find_variant('oklahomma')",
    "import threading\n"
    "from simgin.report.progress import show_progress_in_ipython\n"
    "with show_progress_in_ipython('gold v simple') as on_progress:\n"
    "    threading.Event().wait(1.2)\n"
    "    on_progress(1, 4)\n"
    "    print('still there')\n",
)


@pytest.mark.slow
def test_notebook_displays_results_progress_and_short_errors(tmp_path, monkeypatch):
    import nbclient
    import nbformat

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(cell) for cell in NOTEBOOK_CELLS]
    )
    nbclient.NotebookClient(book, allow_errors=True, timeout=300).execute()
    _, shown, plot, error, progress = (cell.outputs for cell in book.cells)
    data = shown[-1].data
    assert "simgin-result" in data["text/html"] and "<svg" in data["text/html"]
    assert data["text/plain"].startswith("gold against simple is too close to call")
    assert "image/png" in plot[-1].data
    assert error[0].ename == "VariantError" and len(error[0].traceback) == 1
    assert "oklahoma" in error[0].traceback[0]
    line, printed = progress
    assert line.data == {"text/plain": "", "text/html": ""} and printed.text == "still there\n"


IMPORT_TIME_CODE = """
import time
start = time.perf_counter()
import simgin
print(time.perf_counter() - start)
"""


def test_importing_the_package_is_quick():
    best = min(
        float(subprocess.run([sys.executable, "-c", IMPORT_TIME_CODE], capture_output=True).stdout)
        for _ in range(5)
    )
    assert best < 0.1


IMPORTED_MODULES_CODE = """
import sys, simgin
result = simgin.match("gold", deals=400, workers=1)
print({"matplotlib", "pandas", "jinja2", "IPython"} & set(sys.modules))
repr(result)
print({"matplotlib.figure", "pandas", "IPython"} & set(sys.modules))
"""


def test_result_computes_nothing_before_it_is_shown():
    run = subprocess.run(
        [sys.executable, "-c", IMPORTED_MODULES_CODE], capture_output=True, text=True
    )
    assert run.stdout.split("\n")[:2] == ["set()", "set()"], run.stderr

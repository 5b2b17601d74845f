"""Tests of leagues, and of panels, which are several strategies against one opponent."""

import json
import shlex
from pathlib import Path

import pytest

import simgin
from simgin.cli import session
from simgin.runs import directory, runner
from simgin.stats.table import format_csv
from support.command_line import interrupt_after_blocks, run_simgin
from support.command_runs import STRATEGY_SOURCE, list_files, read_reproducible_files

pytestmark = pytest.mark.usefixtures("empty_directory", "few_mix_samples")

PANEL_COMMAND = ("match", "mine.py", "gold-early", "stubborn", "--against", "gold")
DEAL_OPTIONS = ("--deals", 4000, "--workers", 1)
LEAGUE_COMMAND = ("league", "gold", "simple", "stubborn")
MATCH_OPTIONS = ("--matches", 1000, "--workers", 1)


@pytest.fixture(autouse=True)
def strategy_file(empty_directory):
    """Write a strategy to mine.py."""
    Path("mine.py").write_text(STRATEGY_SOURCE)


def extract_repeat_arguments(output):
    """Return the arguments of the repeat command that an output shows."""
    line = output.splitlines()[-1]
    assert line.startswith("Command: simgin ")
    return shlex.split(line)[2:]


def read_csv_files(path):
    """Return the contents of the CSV files in a directory by name."""
    return {
        name: Path(path, name).read_bytes() for name in list_files(path) if name.endswith(".csv")
    }


def test_match_of_several_strategies_equals_a_panel_experiment():
    output = run_simgin(*PANEL_COMMAND, *DEAL_OPTIONS, "-o", "out").stdout
    assert "Which strategies beat gold?" in output
    Path("e.toml").write_text(
        'question = "?"\ndeals = 4000\n'
        'panel = {strategies = ["mine.py", "gold-early", "stubborn"], against = "gold"}\n'
    )
    screen = run_simgin("run", "e.toml", "-o", "file", "--workers", 1).stdout
    assert "Estimated time: a few seconds." in screen
    assert read_csv_files("out") == read_csv_files("file")
    assert {"differences.csv", "table.csv"} <= read_csv_files("out").keys()
    repeat_command = extract_repeat_arguments(output)
    assert repeat_command[:6] == ["match", "mine.py", "gold-early", "stubborn", "--against", "gold"]
    assert (
        run_simgin(*repeat_command[:-2], "-o", "again").stdout.splitlines()[:-2]
        == output.splitlines()[:-2]
    )
    assert read_csv_files("again") == read_csv_files("out")


def test_opponent_is_removed_from_the_compared_strategies():
    result = run_simgin(
        "match", "gold-early", "gold", "stubborn", "--against", "gold", *MATCH_OPTIONS
    )
    assert "simgin: gold is used only as the common opponent, not as a strategy." in result.stderr
    assert extract_repeat_arguments(result.stdout)[:3] == ["match", "gold-early", "stubborn"]
    for pair in (("gold-early", "gold"), ("gold", "gold-early")):
        result = run_simgin("match", *pair, "--against", "gold", *DEAL_OPTIONS)
        assert "gold is used only as the common opponent" in result.stderr
        assert extract_repeat_arguments(result.stdout)[:3] == ["match", "gold-early", "gold"]
    played = simgin.match(["gold-early", "gold"], against="gold", deals=4000)
    assert [key.players for key in played.matchup_keys] == [("gold-early", "gold")]


@pytest.mark.parametrize(("unit", "min_size"), [("deals", 10_000), ("matches", 1000)])
def test_sample_too_small_for_tests_is_reported_before_the_run(monkeypatch, unit, min_size):
    monkeypatch.setattr(session, "run_plan_request", lambda *_, **__: None)
    warning = (
        f"200 {unit} are too few to test differences. Use --{unit} {min_size} or more (in an "
        f"experiment file, {unit} = {min_size})."
    )
    assert warning in run_simgin(*PANEL_COMMAND, f"--{unit}", 200).stderr
    assert run_simgin(*PANEL_COMMAND, f"--{unit}", min_size).stderr == ""


def test_repeat_command_of_a_report_contains_the_plot_style():
    run_simgin("match", "gold", "simple", *MATCH_OPTIONS, "-o", "out")
    assert extract_repeat_arguments(run_simgin("report", "out", "--style", "ggplot").stdout) == [
        *("report", "out", "--style", "ggplot")
    ]


def test_differences_are_relative_to_the_baseline():
    frames = {}
    for base in ("gold-early", "simple", "gold"):
        run_simgin(*PANEL_COMMAND, *DEAL_OPTIONS, "--base", base, "-o", base)
        results = simgin.match(
            ["mine.py", "gold-early", "stubborn"], against="gold", base=base, deals=4000, workers=1
        )
        saved = Path(base, "differences.csv").read_text()
        assert format_csv(results.differences) == saved
        frames[base] = saved.splitlines()
    players = [{line.split(",")[1] for line in lines[1:]} for lines in frames.values()]
    assert players == [
        {"mine.py", "stubborn"},
        {"mine.py", "gold-early", "stubborn"},
        {"mine.py", "gold-early", "stubborn"},
    ]
    manifest = directory.read_manifest("simple")
    assert [matchup["a"] for matchup in manifest["matchups"]] == [
        "mine.py",
        "gold-early",
        "stubborn",
        "simple",
    ]
    assert [matchup["a"] for matchup in directory.read_manifest("gold")["matchups"]] == [
        *("mine.py", "gold-early", "stubborn")
    ]


def test_differences_from_the_opponent_equal_the_match_results():
    run_simgin(
        "match",
        "gold-early",
        "stubborn",
        "--against",
        "gold",
        "--base",
        "gold",
        *MATCH_OPTIONS,
        "-o",
        "out",
    )
    with simgin.results.run_results.load_results(Path("out")) as results:
        table, differences = results.table, results.differences
    assert set(differences["metric"]) == {"margin", "match_win"}
    for _, row in differences.iterrows():
        played = table[(table["strategy"] == row["strategy"]) & (table["metric"] == row["metric"])]
        expected_if_equal = 0.5 if row["metric"] == "match_win" else 0
        assert row["value"] == pytest.approx(played["value"].iloc[0] - expected_if_equal)
        assert row["base_strategy"] == "gold" and row["p_holm"] >= row["p"]


def test_panel_of_one_strategy_equals_a_match():
    expected = run_simgin("match", "gold-early", "gold", *DEAL_OPTIONS).stdout
    assert run_simgin("match", "gold-early", "--against", "gold", *DEAL_OPTIONS).stdout == expected


@pytest.mark.parametrize(
    "command", [(*PANEL_COMMAND, *DEAL_OPTIONS), (*LEAGUE_COMMAND, *MATCH_OPTIONS)]
)
def test_interrupted_command_resumes(monkeypatch, command):
    run_simgin(*command, "-o", "whole")
    with monkeypatch.context() as patch:
        interrupt_after_blocks(patch, 2)
        assert "Continue with: simgin" in run_simgin(*command, "-o", "out", exit_code=130).stderr
    assert "resuming the run in out." in run_simgin(*command, "-o", "out").stderr
    assert read_reproducible_files("out") == read_reproducible_files("whole")
    monkeypatch.setattr(runner, "play_block", lambda *_: pytest.fail("played"))
    assert "already complete" in run_simgin(*command, "-o", "out").stderr
    run_simgin("report", "out")
    assert read_csv_files("out") == read_csv_files("whole")


def test_league_equals_a_round_robin_experiment():
    output = run_simgin(*LEAGUE_COMMAND, *MATCH_OPTIONS, "-o", "out").stdout
    assert "leads the league of 3" in " ".join(output.split())
    Path("e.toml").write_text(
        'question = "?"\nmatches = 1000\nround_robin = ["gold", "simple", "stubborn"]\n'
    )
    run_simgin("run", "e.toml", "-o", "file", "--workers", 1)
    assert read_csv_files("out") == read_csv_files("file") and "league.csv" in list_files("out")
    results = simgin.league(["gold", "simple", "stubborn"], matches=1000, workers=1)
    assert len(results.standings) == 3
    found = json.loads(run_simgin(*LEAGUE_COMMAND, *MATCH_OPTIONS, "--json").stdout)
    assert found["command"].startswith("simgin league gold simple stubborn -v standard --matches")
    assert found["rows"] == results.records()
    plan = run_simgin(*LEAGUE_COMMAND, "--dry-run").stdout
    assert "3 matchups" in plan and "5,000 matches each" in plan


def test_labels_replace_specs_on_screen_but_not_in_tables():
    Path("e.toml").write_text(
        'question = "?"\ndeals = 2000\nvariants = ["standard", "oklahoma"]\n'
        'labels = {"mine.py" = "My bot", gold = "Golden", oklahoma = "With a limit card"}\n'
        'panel = {strategies = ["mine.py", "gold-early"], against = "gold"}\n'
    )
    output = " ".join(run_simgin("run", "e.toml", "-o", "out", "--details").stdout.split())
    assert "My bot" in output and "Golden" in output and "With a limit card: " in output
    assert "mine.py" not in output.partition("Output:")[0]
    text = Path("out/table.csv").read_text()
    assert "mine.py" in text and "My bot" not in text and "oklahoma" in text
    report = Path("out/report.html").read_text()
    run_simgin("report", "out")
    assert Path("out/report.html").read_text() == report and "My bot" in report
    results = simgin.league(
        ["gold", "simple", "mine.py"], matches=20, workers=1, labels={"gold": "Golden"}
    )
    assert results.info.display_names["gold"] == "Golden"
    with pytest.raises(ValueError, match=r"'wary' is not played\..*: standard, gold or simple"):
        simgin.match("gold", deals=20, labels={"wary": "?"})


def test_label_of_a_strategy_name_is_used_in_plots():
    short_name = simgin.match("mine.py", deals=20).info.display_names["mine.py"]
    results = simgin.league(
        ["gold", "simple", "mine.py"], matches=20, workers=1, labels={short_name: "My bot"}
    )
    labelled = results.with_display_names
    figure = simgin.plots.cross_table(labelled.standings, labelled.cross_table, unit="match")
    assert "My bot" in " ".join(text.get_text() for text in figure.axes[0].get_yticklabels())


def test_paths_in_an_experiment_file_are_relative_to_the_file(monkeypatch):
    Path("inner").mkdir()
    Path("inner/near.py").write_text(STRATEGY_SOURCE)
    variants = '[variants.club]\ntitle = "Club"\nabout = "A club."\nchanges.gin_bonus = 30\n'
    Path("inner/club.toml").write_text(variants)
    Path("inner/e.toml").write_text(
        'question = "Is near.py better?"\nvariants = ["club.toml+undercut_bonus=10"]\ndeals = 200\n'
        'labels."near.py" = "Near"\n'
        'panel.strategies = ["near.py", "simple+knock=near.py#mine", "mine.py"]\n'
    )
    run_simgin("run", "inner/e.toml", "--workers", 1)
    manifest = directory.read_manifest("results/e")
    a, changed, b = [matchup["a"] for matchup in manifest["matchups"]]
    assert (a, b) == ("inner/near.py", "mine.py") and changed.endswith("/inner/near.py#mine")
    assert manifest["question"] == "Is near.py better?"
    assert manifest["matchups"][0]["variant"].startswith("inner/club.toml")
    monkeypatch.chdir("inner")
    Path("mine.py").write_text(STRATEGY_SOURCE)
    run_simgin("run", "e.toml", "--workers", 1)
    assert directory.read_manifest("results/e")["matchups"][0]["a"] == "near.py"

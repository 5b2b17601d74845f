"""Tests of `simgin match` and `simgin run`, and of runs that are repeated, extended or resumed."""

import json
import re
import shlex
from pathlib import Path

import pytest

import simgin
from simgin.core import rng
from simgin.runs import directory, runner
from simgin.stats import table
from support.command_line import run_simgin
from support.command_runs import (
    EXPERIMENT_TOML,
    FEW_DEALS_OPTIONS,
    JSON_OUTPUT_KEYS,
    STRATEGY_SOURCE,
    list_files,
    read_reproducible_files,
)

pytestmark = pytest.mark.usefixtures("empty_directory")
PLOT_NAMES = ("win_and_points", "endings")


def test_run_writes_its_files_to_the_printed_directory(empty_directory):
    Path("waiting.toml").write_text(EXPERIMENT_TOML)
    output = run_simgin("run", "waiting.toml", "--workers", 1).stdout
    assert output.startswith("Does waiting for gin pay?")
    path = Path("results/waiting")
    written = "ledger.sqlite manifest.json pairing.csv report.html summary.csv summary.md table.csv"
    drawn = [f"plots/{name}.{kind}" for name in PLOT_NAMES for kind in ("csv", "png", "svg")]
    assert set(list_files(path)) == {*written.split(), "plots", *drawn}
    assert output.splitlines()[-1] == "Command: simgin run waiting.toml"
    assert directory.read_manifest(path)["question"] == "Does waiting for gin pay?"
    assert table.format_csv(simgin.run("waiting.toml").frame) == (path / "table.csv").read_text()
    found = json.loads(
        run_simgin("run", "waiting.toml", "--seed", 9, "-o", "there", "--json").stdout
    )
    assert list(found) == JSON_OUTPUT_KEYS and found["seed"] == 9
    assert found["command"] == "simgin run waiting.toml -o there --seed 9"
    names = {path.name for path in empty_directory.iterdir()}
    assert names == {"there", "results", "waiting.toml"}


def test_league_reports_entries_with_identical_results(empty_directory):
    Path("twice.toml").write_text(
        'question = "Who leads?"\nvariants = ["standard"]\ndeals = 2000\n'
        'round_robin = ["gold", "gold-at:k=10", "simple"]\n'
    )
    output = run_simgin("run", "twice.toml", "--workers", 1).stdout
    message = "gold and gold-at:k=10 have identical results"
    assert message in " ".join(output.split())
    assert message in Path("results/twice/summary.md").read_text()
    assert message in Path("results/twice/report.html").read_text()


def read_stable_manifest(path):
    """Return the manifest without its times."""
    times = ("started", "ended", "seconds")
    manifest = directory.read_manifest(path)
    return {name: value for name, value in manifest.items() if name not in times}


def test_repeated_command_prints_the_same_without_playing(empty_directory, monkeypatch):
    def read_outcome():
        printed = run_simgin("run", "waiting.toml", "--json").stdout
        return (
            printed,
            read_reproducible_files("results/waiting"),
            read_stable_manifest("results/waiting"),
        )

    Path("waiting.toml").write_text(EXPERIMENT_TOML)
    first = read_outcome()
    monkeypatch.setattr(runner, "play_block", lambda *_: pytest.fail("played"))
    assert read_outcome() == first
    output = run_simgin("run", "waiting.toml").stdout
    assert "already complete" in output


def test_finished_run_can_be_extended_or_shortened(empty_directory):
    for n in ("2k", "6k", "3001"):
        message = run_simgin("match", "gold", "--deals", n, "-o", "out", "--workers", 2).stderr
        shortening_message = "the run in out contains more deals than requested. "
        assert (shortening_message in message) == (n == "3001")
        run_simgin("match", "gold", "--deals", n, "-o", f"fresh{n}", "--workers", 1)
        assert read_reproducible_files("out") == read_reproducible_files(f"fresh{n}")
        assert (
            read_stable_manifest("out")["matchups"] == read_stable_manifest(f"fresh{n}")["matchups"]
        )


def test_saved_run_of_a_changed_strategy_is_rejected(empty_directory):
    Path("mine.py").write_text(STRATEGY_SOURCE)
    run_simgin("match", "mine.py", *FEW_DEALS_OPTIONS, "-o", "out")
    for old, new, message in [
        ("> 3", "> 4", 'digest: "[0-9a-f]{16}" in the other run, "[0-9a-f]{16}" in this run'),
        (", knock=mine", "", 'policies, knock: "mine" in the other run, "at:k=10" in this run'),
        (", knock=mine", ", ending='same'", 'ending: "best" in the other run, "same" in this run'),
    ]:
        Path("mine.py").write_text(STRATEGY_SOURCE.replace(old, new))
        errors = run_simgin("match", "mine.py", *FEW_DEALS_OPTIONS, "-o", "out", exit_code=2).stderr
        assert re.search(f"strategies, mine\\.py, {message}\\.", errors)


def test_dry_run_shows_finished_percentage_and_writes_nothing(empty_directory):
    Path("waiting.toml").write_text(EXPERIMENT_TOML.replace("200", "2000"))
    output = run_simgin("run", "waiting.toml", "--dry-run").stdout
    assert "2,000 deals" in output and "done)" not in output
    assert list_files(empty_directory) == ["waiting.toml"]
    run_simgin("run", "waiting.toml")
    before = list_files(empty_directory)
    Path("waiting.toml").write_text(EXPERIMENT_TOML.replace("200", "4000"))
    output = run_simgin("run", "waiting.toml", "--dry-run").stdout
    assert "4,000 deals (50 % done)" in output and list_files(empty_directory) == before


@pytest.mark.parametrize(("size", "metric"), [("--deals", "deal_win"), ("--matches", "match_win")])
def test_dry_run_estimates_interval_widths_and_sample_sizes(size, metric):
    arguments = ("match", "gold", "gin-only", size, "4000", "--json")
    (plan,) = json.loads(run_simgin(*arguments, "--dry-run", "--power", "2%").stdout)["rows"]
    rows = json.loads(run_simgin(*arguments).stdout)["rows"]
    own = next(row for row in rows if (row["strategy"], row["metric"]) == ("gold", metric))
    assert plan["half_width"][metric] == pytest.approx((own["high"] - own["low"]) / 2, rel=0.25)
    # the half-width at 4,000 is 1.96 SE; 2.8 SE are 0.02 at the requested size
    half = plan["half_width"][metric]
    assert plan["needed"] == pytest.approx(4000 * (2.8 / 1.96 * half / 0.02) ** 2, rel=0.02)
    output = run_simgin(*arguments[:-1], "--power", "2%").stdout
    assert f"with 80 % power that A wins 52 % of {size[2:]} instead of 50 %, play" in output
    output = run_simgin(*arguments[:-1], "--power", "0.5").stdout
    assert "with 80 % power that A scores 0.5 points per deal more than B, play" in output
    output = run_simgin(
        "match", "gold", "-v", "solitaire-gin", size, "4000", "--power", "1%"
    ).stdout
    assert f"a difference of 1 percentage point in {size[2:]} won, play" in output


@pytest.mark.parametrize(
    ("margin", "metric", "verdict", "message"),
    [
        (
            "20%",
            "deal_win",
            "same",
            "equivalent: the win rate of gold is within 20 percentage points of 50 % (deals won).",
        ),
        (
            "0.001",
            "margin",
            "open",
            "the score of gold is within 0.001 points per deal of the score of simple",
        ),
        ("0.1%", "deal_win", "open", "the sample is too small to decide"),
    ],
)
def test_margin_option_reports_equivalence_or_a_small_sample(margin, metric, verdict, message):
    arguments = ("match", "gold", "simple", "--deals", "4000", "--margin", margin)
    assert message in " ".join(run_simgin(*arguments).stdout.split())
    rows = json.loads(run_simgin(*arguments, "--json").stdout)["rows"]
    (verdict_row,) = [row for row in rows if "verdict" in row]
    assert (verdict_row["strategy"], verdict_row["metric"], verdict_row["verdict"]) == (
        "gold",
        metric,
        verdict,
    )
    assert (
        "two different strategies"
        in run_simgin("match", "gold", "gold", "--margin", margin, exit_code=2).stderr
    )


# `simgin match`: what it prints, its JSON contract and its files


def test_match_prints_a_sentence_a_table_and_its_command():
    output = run_simgin("match", "gold", *FEW_DEALS_OPTIONS).stdout
    sentence_start, table_start = output.index("gold against simple"), output.index("deals won %")
    assert (
        sentence_start
        < output.index("gold against simple, standard, 200 deals, seed 1")
        < table_start
    )
    assert len(output.splitlines()) <= 24
    repeat = output.splitlines()[-1].removeprefix("Command: simgin ")
    assert repeat == "match gold simple -v standard --deals 200 --seed 1"
    assert run_simgin(*shlex.split(repeat)).stdout == output
    assert run_simgin("match", "gold", *FEW_DEALS_OPTIONS, "--seed", 0).stdout.endswith(
        "--deals 200 --seed 0\n"
    )


def test_json_output_has_the_documented_keys():
    result = run_simgin("match", "gold", "-v", "eaai", *FEW_DEALS_OPTIONS, "--json")
    found = json.loads(
        result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON")
    )
    assert list(found) == JSON_OUTPUT_KEYS
    assert (found["simgin"], found["stream"]) == (simgin.__version__, rng.STREAM_VERSION)
    assert (found["seed"], found["stopped"], found["files"]) == (1, "complete", [])
    assert found["command"] == "simgin match gold simple -v eaai --deals 200 --seed 1"
    assert [tuple(row) for row in found["rows"]] == [table.TABLE_COLUMNS] * len(found["rows"])
    undefined = [row for row in found["rows"] if row["metric"] == "points_shot"]
    assert undefined and all(row["value"] is None and row["se"] is None for row in undefined)
    assert found["rows"] == table.to_records(simgin.match("gold", variant="eaai", deals=200).frame)


def test_json_output_lists_the_written_files(empty_directory):
    result = run_simgin("match", "gold", *FEW_DEALS_OPTIONS, "-o", "out dir", "--json")
    found = json.loads(result.stdout)
    names = {Path(path).name for path in found["files"] if Path(path).is_file()}
    assert len(names) == len(found["files"])
    assert {"manifest.json", "table.csv", "summary.csv", "summary.md"} <= names
    assert found["command"].endswith("-o 'out dir'")
    assert directory.read_manifest("out dir")["command"] == found["command"]
    assert (
        table.format_csv(simgin.match("gold", deals=200).frame)
        == Path("out dir/table.csv").read_text()
    )
    assert [path.name for path in empty_directory.iterdir()] == ["out dir"]


def test_note_warns_if_single_deals_depend_on_the_score():
    for variant, condition in (("shot", "the score"), ("dice", "the die and the score")):
        output = run_simgin("match", "gold", "-v", variant, *FEW_DEALS_OPTIONS).stderr
        assert f"deals of {variant} depend on {condition}" in output and "--matches" in output
        assert "depend" not in run_simgin("match", "gold", "-v", variant, "--matches", 10).stderr


def test_strategies_that_ignore_a_high_knock_limit_cause_a_warning(empty_directory):
    players = ["gold", "simple:k=20", "gold+knock=at:k=10", "gold-early"]
    for limit, strategies in ((20, ["gold"]), (10, [])):
        message = run_simgin(
            *("match", *players, "--against", "champion", "--dry-run"),
            *("-v", f"standard+knock_limit={limit}", "--deals", 20_000),
        ).stderr
        assert [line for line in message.splitlines() if "allows knocks" in line] == [
            f"simgin: warning: standard+knock_limit={limit} allows knocks with up to {limit} "
            f"points of deadwood, but {name} knocks with at most 10. To use the limit, choose "
            f"{name}+knock=at:k={limit}."
            for name in strategies
        ]

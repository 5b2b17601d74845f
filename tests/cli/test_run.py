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
from support.command_line import call
from support.command_runs import EXPERIMENT, FEW, KEYS, OWN, files, reproducible_files

pytestmark = pytest.mark.usefixtures("empty_directory")
PLOTS = ("win_and_points", "endings")


def test_run_writes_its_files_to_the_printed_directory(empty_directory):
    Path("waiting.toml").write_text(EXPERIMENT)
    output = call("run", "waiting.toml", "--workers", 1).stdout
    assert output.startswith("Does waiting for gin pay?")
    place = Path("results/waiting")
    written = "ledger.sqlite manifest.json pairing.csv report.html summary.csv summary.md table.csv"
    drawn = [f"plots/{name}.{kind}" for name in PLOTS for kind in ("csv", "png", "svg")]
    assert set(files(place)) == {*written.split(), "plots", *drawn}
    assert output.splitlines()[-1] == "Command: simgin run waiting.toml"
    assert directory.read_manifest(place)["question"] == "Does waiting for gin pay?"
    assert table.format_csv(simgin.run("waiting.toml").frame) == (place / "table.csv").read_text()
    found = json.loads(call("run", "waiting.toml", "--seed", 9, "-o", "there", "--json").stdout)
    assert list(found) == KEYS and found["seed"] == 9
    assert found["command"] == "simgin run waiting.toml -o there --seed 9"
    names = {path.name for path in empty_directory.iterdir()}
    assert names == {"there", "results", "waiting.toml"}


def test_a_league_reports_entries_that_are_the_same_player(empty_directory):
    Path("twice.toml").write_text(
        'question = "Who leads?"\nvariants = ["standard"]\ndeals = 2000\n'
        'round_robin = ["gold", "gold-at:k=10", "simple"]\n'
    )
    output = call("run", "twice.toml", "--workers", 1).stdout
    message = "gold and gold-at:k=10 have identical results"
    assert message in " ".join(output.split())
    assert message in Path("results/twice/summary.md").read_text()
    assert message in Path("results/twice/report.html").read_text()


def read_stable_manifest(place):
    """Return the manifest without its times."""
    times = ("started", "ended", "seconds")
    found = directory.read_manifest(place)
    return {name: value for name, value in found.items() if name not in times}


def test_a_repeated_command_prints_the_same_and_plays_nothing(empty_directory, monkeypatch):
    def read_outcome():
        printed = call("run", "waiting.toml", "--json").stdout
        return (
            printed,
            reproducible_files("results/waiting"),
            read_stable_manifest("results/waiting"),
        )

    Path("waiting.toml").write_text(EXPERIMENT)
    first = read_outcome()
    monkeypatch.setattr(runner, "play_block", lambda *_: pytest.fail("played"))
    assert read_outcome() == first
    output = call("run", "waiting.toml").stdout
    assert "already complete" in output


def test_more_deals_extend_a_run_and_fewer_use_part_of_it(empty_directory):
    for n in ("2k", "6k", "3001"):
        call("match", "gold", "--deals", n, "-o", "out", "--workers", 2)
        call("match", "gold", "--deals", n, "-o", f"fresh{n}", "--workers", 1)
        assert reproducible_files("out") == reproducible_files(f"fresh{n}")
        assert (
            read_stable_manifest("out")["matchups"] == read_stable_manifest(f"fresh{n}")["matchups"]
        )


def test_a_changed_strategy_of_the_same_name_is_another_run(empty_directory):
    Path("mine.py").write_text(OWN)
    call("match", "mine.py", *FEW, "-o", "out")
    for old, new, message in [
        ("> 3", "> 4", 'digest: "[0-9a-f]{16}" in the other run, "[0-9a-f]{16}" in this run'),
        (", knock=mine", "", 'policies, knock: "mine" in the other run, "at:k=10" in this run'),
        (", knock=mine", ", ending='same'", 'ending: "best" in the other run, "same" in this run'),
    ]:
        Path("mine.py").write_text(OWN.replace(old, new))
        errors = call("match", "mine.py", *FEW, "-o", "out", code=2).stderr
        assert re.search(f"strategies, mine\\.py, {message}\\.", errors)


def test_a_dry_run_writes_nothing_and_shows_what_is_left(empty_directory):
    Path("waiting.toml").write_text(EXPERIMENT.replace("200", "2000"))
    output = call("run", "waiting.toml", "--dry-run").stdout
    assert "2,000 deals" in output and "done)" not in output
    assert files(empty_directory) == ["waiting.toml"]
    call("run", "waiting.toml")
    before = files(empty_directory)
    Path("waiting.toml").write_text(EXPERIMENT.replace("200", "4000"))
    output = call("run", "waiting.toml", "--dry-run").stdout
    assert "4,000 deals (50 % done)" in output and files(empty_directory) == before


@pytest.mark.parametrize(("size", "metric"), [("--deals", "deal_win"), ("--matches", "match_win")])
def test_a_dry_run_estimates_interval_widths_and_required_sizes(size, metric):
    words = ("match", "gold", "gin-only", size, "4000", "--json")
    (plan,) = json.loads(call(*words, "--dry-run", "--power", "2%").stdout)["rows"]
    rows = json.loads(call(*words).stdout)["rows"]
    own = next(row for row in rows if (row["strategy"], row["metric"]) == ("gold", metric))
    assert plan["half_width"][metric] == pytest.approx((own["high"] - own["low"]) / 2, rel=0.25)
    # the half-width at 4,000 is 1.96 SE; 2.8 SE are 0.02 at the requested size
    half = plan["half_width"][metric]
    assert plan["needed"] == pytest.approx(4000 * (2.8 / 1.96 * half / 0.02) ** 2, rel=0.02)
    output = call(*words[:-1], "--power", "2%").stdout
    assert f"with 80 % power that A wins 52 % of {size[2:]} instead of 50 %, play" in output
    output = call(*words[:-1], "--power", "0.5").stdout
    assert "with 80 % power that A scores 0.5 points per deal more than B, play" in output
    output = call("match", "gold", "-v", "solitaire-gin", size, "4000", "--power", "1%").stdout
    assert f"a difference of 1 percentage point in {size[2:]} won, play" in output


@pytest.mark.parametrize(
    ("margin", "metric", "verdict", "words"),
    [
        ("20%", "deal_win", "same", "are equivalent within 20 percentage points"),
        ("0.001", "margin", "open", "the sample is too small to decide"),
        ("0.1%", "deal_win", "open", "the sample is too small to decide"),
    ],
)
def test_a_margin_reports_equivalent_strategies(margin, metric, verdict, words):
    asked = ("match", "gold", "simple", "--deals", "4000", "--margin", margin)
    assert words in " ".join(call(*asked).stdout.split())
    rows = json.loads(call(*asked, "--json").stdout)["rows"]
    (judged,) = [row for row in rows if "verdict" in row]
    assert (judged["strategy"], judged["metric"], judged["verdict"]) == ("gold", metric, verdict)
    assert (
        "two different strategies"
        in call("match", "gold", "gold", "--margin", margin, code=2).stderr
    )


# `simgin match`: what it prints, its JSON contract and its files


def test_match_prints_a_sentence_a_table_and_its_command():
    output = call("match", "gold", *FEW).stdout
    words, table_line = output.index("gold against simple"), output.index("deals won %")
    assert words < output.index("gold against simple, standard, 200 deals, seed 1") < table_line
    assert len(output.splitlines()) <= 24
    repeat = output.splitlines()[-1].removeprefix("Command: simgin ")
    assert repeat == "match gold simple -v standard --deals 200 --seed 1"
    assert call(*shlex.split(repeat)).stdout == output
    assert call("match", "gold", *FEW, "--seed", 0).stdout.endswith("--deals 200 --seed 0\n")


def test_the_json_output_is_one_object_with_the_agreed_keys():
    result = call("match", "gold", "-v", "eaai", *FEW, "--json")
    found = json.loads(
        result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON")
    )
    assert list(found) == KEYS
    assert (found["simgin"], found["stream"]) == (simgin.__version__, rng.STREAM_VERSION)
    assert (found["seed"], found["stopped"], found["files"]) == (1, "complete", [])
    assert found["command"] == "simgin match gold simple -v eaai --deals 200 --seed 1"
    assert [tuple(row) for row in found["rows"]] == [table.TABLE_COLUMNS] * len(found["rows"])
    undefined = [row for row in found["rows"] if row["metric"] == "points_shot"]
    assert undefined and all(row["value"] is None and row["se"] is None for row in undefined)
    assert found["rows"] == table.to_records(simgin.match("gold", variant="eaai", deals=200).frame)


def test_written_files_are_named_and_exist(empty_directory):
    result = call("match", "gold", *FEW, "-o", "out dir", "--json")
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


def test_single_deals_that_depend_on_the_score_carry_a_note():
    for variant, standing in (("shot", "the score"), ("dice", "the die and the score")):
        output = call("match", "gold", "-v", variant, *FEW).stderr
        assert f"deals of {variant} depend on {standing}" in output and "--matches" in output
        assert "depend" not in call("match", "gold", "-v", variant, "--matches", 10).stderr

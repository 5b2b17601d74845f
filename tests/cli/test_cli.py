"""The command line: what it prints, the JSON contract, exit codes, and refusals of bad input."""

import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import simgin
from simgin.cli import session
from simgin.cli.groups import NameOrSubcommand
from simgin.cli.main import COMMANDS, cli
from simgin.core import rng
from simgin.rules import variants
from simgin.runs import block as blocks
from simgin.runs import directory, ledger, runner
from simgin.stats import table
from simgin.strategy import SLOTS
from support.command_line import call, interrupted_after

KEYS = ["simgin", "stream", "command", "seed", "stopped", "files", "rows"]
HEAVY = ("numba", "numpy", "pandas", "matplotlib", "scipy", "pydantic", "rich")
FEW = ("--deals", "200", "--workers", "1")

PLUGIN = """
from simgin.strategy import Strategy, discard

@discard
def not_held(view, rules, params):
    return 51 if view.hand >> 51 & 1 == 0 else 50 if view.hand >> 50 & 1 == 0 else 49

@discard
def half(view, rules, params):
    return view.count * 0.5

@discard
def careful(view, rules, params):
    if view.own_turn >= 1:
        raise ValueError("no idea")
    return 0

@discard
def nameless(view, rules, params):
    return undefined_name

THROWS = Strategy("throws", discard=not_held)
FLOATS = Strategy("floats", discard=half)
RAISES = Strategy("raises", discard=careful)
BROKEN = Strategy("broken", discard=nameless)
"""

EXPERIMENT = """
question = "Does waiting for gin pay?"
variants = ["eaai"]
deals = 200
[panel]
strategies = ["gold", "simple"]
against = "simple"
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """Commands run in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def shell(*words, **more):
    """A command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "simgin", *words],
        capture_output=True,
        text=True,
        timeout=120,
        **more,
    )


def files(place):
    return sorted(path.relative_to(place).as_posix() for path in Path(place).rglob("*"))


# Help


def test_help_mentions_every_command_and_imports_nothing_heavy():
    code = f"""
import sys
from simgin.cli.main import cli
try:
    cli.main(["--help"])
except SystemExit as end:
    assert end.code == 0
print([name for name in {HEAVY} if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.splitlines()[-1] == "[]", run.stderr
    assert all(f"\n  {name} " in run.stdout for name in COMMANDS)
    assert all(len(line) <= 80 for line in run.stdout.splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help(name):
    command = getattr(importlib.import_module(f"simgin.cli.commands.{name}"), name)
    assert isinstance(command, click.Command) and command.help
    said = call(name, "--help").stdout
    assert f"Usage: simgin {name}" in said
    assert all(len(line) <= 80 for line in said.splitlines())


def test_the_commands_in_the_help_exist():
    shown = [
        line.split()[1]
        for line in call("--help").stdout.splitlines()
        if line.startswith("    simgin ")
    ]
    assert len(shown) > 8 and set(shown) <= set(COMMANDS)


def test_version_prints_the_version():
    assert call("--version").stdout == f"simgin {simgin.__version__}\n"


def test_without_a_command_the_help_is_shown_and_the_exit_code_is_2():
    result = call(code=2)
    assert (
        result.stdout == "" and result.stderr.startswith("Usage: ") and "Commands:" in result.stderr
    )


# match


def test_match_prints_table_summary_mirroring_and_a_command_that_repeats_it():
    said = call("match", "gold", *FEW).stdout
    for words in (
        "gold against simple, standard, 200 deals",
        "deals won %",
        "Mirrored: 100 pairs of deals",
        "Seed 1.",
    ):
        assert words in said
    assert len(said.splitlines()) <= 20
    assert all(len(line) <= 80 for line in said.splitlines())
    repeat = said.splitlines()[-1].removeprefix("Repeat:  simgin ")
    assert repeat == "match gold simple -v standard --deals 200 --seed 1"
    assert call(*shlex.split(repeat)).stdout == said


def test_details_come_after_the_essential_table():
    said = call("match", "gold", *FEW, "--details").stdout
    assert said.index("deals won %") < said.index(
        "first_player_win"
    ) and "won by the nondealer" in " ".join(said.split())
    assert all(len(line) <= 80 for line in said.splitlines())


def test_a_strategy_against_itself_is_not_mirrored():
    assert (
        "Not mirrored: gold against itself, 200 deals. Seed 7."
        in call("match", "gold", "gold", "--seed", 7, *FEW).stdout
    )


def test_match_plays_whole_matches():
    said = call("match", "gold", "--matches", 40, "--workers", 1).stdout
    assert "matches won %" in said and "Mirrored: 20 pairs of matches" in said
    assert said.splitlines()[-1].endswith("--matches 40 --seed 1")


def test_the_json_output_is_one_object_with_the_agreed_keys():
    result = call("match", "gold", "-v", "eaai", *FEW, "--json")
    found = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert list(found) == KEYS
    assert (found["simgin"], found["stream"], found["seed"], found["stopped"], found["files"]) == (
        simgin.__version__,
        rng.STREAM,
        1,
        "complete",
        [],
    )
    assert found["command"] == "simgin match gold simple -v eaai --deals 200 --seed 1"
    assert [tuple(row) for row in found["rows"]] == [table.TABLE_COLUMNS] * len(found["rows"])
    undefined = [row for row in found["rows"] if row["metric"] == "points_shot"]
    assert undefined and all(row["value"] is None and row["se"] is None for row in undefined)
    assert found["rows"] == table.records(simgin.match("gold", variant="eaai", deals=200))


def test_written_files_are_named_and_exist(here):
    result = call("match", "gold", *FEW, "-o", "out dir", "--json")
    found = json.loads(result.stdout)
    assert all(Path(path).is_file() for path in found["files"])
    assert {Path(path).name for path in found["files"]} >= {
        "manifest.json",
        "table.csv",
        "summary.csv",
        "summary.md",
    }
    assert found["command"].endswith("-o 'out dir'")
    assert directory.read_manifest("out dir")["command"] == found["command"]
    assert table.csv(simgin.match("gold", deals=200)) == Path("out dir/table.csv").read_text()
    assert [path.name for path in here.iterdir()] == ["out dir"]


def test_results_do_not_depend_on_workers(here):
    for workers in (1, 2):
        call(
            "match",
            "gold-early",
            "simple",
            "--deals",
            "9k",
            "--seed",
            5,
            "--workers",
            workers,
            "-o",
            f"w{workers}",
        )
    assert Path("w1/table.csv").read_bytes() == Path("w2/table.csv").read_bytes()
    assert Path("w1/summary.md").read_bytes() == Path("w2/summary.md").read_bytes()


def test_single_deals_that_depend_on_the_score_carry_a_note():
    result = call("match", "gold", "-v", "shot", *FEW)
    assert "deals of shot depend on the score" in result.stderr and "--matches" in result.stderr
    assert "depend" not in call("match", "gold", "-v", "shot", "--matches", 10).stderr


def test_a_strategy_file_can_be_named_by_path(here):
    Path("my file.py").write_text(
        "from simgin.strategy.author import Strategy\nMINE = Strategy('mine')\n"
    )
    said = call("match", "my file.py", "gold", *FEW).stdout
    assert said.splitlines()[-1].startswith("Repeat:  simgin match 'my file.py")


# run


def test_run_writes_its_files_where_it_says(here):
    Path("waiting.toml").write_text(EXPERIMENT)
    said = call("run", "waiting.toml", "--workers", 1).stdout
    assert said.startswith("Does waiting for gin pay?")
    place = Path("results/waiting")
    assert files(place) == sorted(
        [
            "ledger.sqlite",
            "manifest.json",
            "pairing.csv",
            "plots",
            "plots/endings.png",
            "plots/endings.svg",
            "plots/win_and_points.png",
            "plots/win_and_points.svg",
            "report.html",
            "summary.csv",
            "summary.md",
            "table.csv",
        ]
    )
    assert said.splitlines()[-1] == "Repeat:  simgin run waiting.toml"
    assert directory.read_manifest(place)["question"] == "Does waiting for gin pay?"
    assert table.csv(simgin.run("waiting.toml")) == (place / "table.csv").read_text()


def test_run_takes_another_seed_and_directory(here):
    Path("waiting.toml").write_text(EXPERIMENT)
    found = json.loads(
        call("run", "waiting.toml", "--seed", 9, "-o", "there", "--workers", 2, "--json").stdout
    )
    assert list(found) == KEYS and found["seed"] == 9
    assert found["command"] == "simgin run waiting.toml -o there --seed 9"
    assert sorted(path.name for path in here.iterdir()) == ["there", "waiting.toml"]


def kept(place):
    """The part of a run directory that must not depend on how the run went."""
    return {
        name: Path(place, name).read_bytes() for name in ("table.csv", "summary.csv", "summary.md")
    }


def manifest(place):
    """The manifest without its times."""
    found = directory.read_manifest(place)
    return {
        name: value for name, value in found.items() if name not in ("started", "ended", "seconds")
    }


def test_a_repeated_command_prints_the_same_and_plays_nothing(here, monkeypatch):
    Path("waiting.toml").write_text(EXPERIMENT)
    first = (
        call("run", "waiting.toml", "--json").stdout,
        kept("results/waiting"),
        manifest("results/waiting"),
    )
    monkeypatch.setattr(blocks, "play", lambda *_: pytest.fail("played"))
    assert (
        call("run", "waiting.toml", "--json").stdout,
        kept("results/waiting"),
        manifest("results/waiting"),
    ) == first
    said = call("run", "waiting.toml").stdout
    assert (
        "200 deals (100 % done)" in said
        and said.splitlines()[-1] == "Repeat:  simgin run waiting.toml"
    )


def test_a_repeated_match_prints_the_same(here):
    first, second = (call("match", "gold", *FEW, "-o", "out").stdout for _ in range(2))
    assert first == second


def test_more_deals_extend_a_run_and_fewer_use_part_of_it(here):
    for n in ("2k", "6k", "3001", "6k"):
        call("match", "gold", "--deals", n, "-o", "out", "--workers", 2)
        call("match", "gold", "--deals", n, "-o", f"fresh{n}", "--workers", 1)
        assert kept("out") == kept(f"fresh{n}")
        assert manifest("out")["matchups"] == manifest(f"fresh{n}")["matchups"]


def test_only_what_is_missing_is_played(here, monkeypatch):
    call("match", "gold", "--deals", "8k", "-o", "out")
    asked, play = [], blocks.play
    monkeypatch.setattr(
        blocks,
        "play",
        lambda block, name: (asked.append((block.first, block.units)), play(block, name))[1],
    )
    call("match", "gold", "--deals", "9k", "-o", "out")
    assert asked == [(4, 500)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("match gold-early", ["strategies, gold", "gold-early"]),
        ("match gold gold-early", ['matchups #1, b: "simple" there, "gold-early" here.']),
        ("match gold --seed 2", ["seed: 1 there, 2 here."]),
        ("match gold -v eaai", ['matchups #1, variant: "standard" there, "eaai" here.']),
        ("match gold --matches 2", ['unit: "deal" there, "match" here.']),
        ("match gold --until 0.5", ["stop: nothing there", "until margin"]),
        ("run waiting.toml", ['question: nothing there, "Does waiting for gin pay?" here.']),
    ],
)
def test_the_directory_of_another_run_is_refused_and_the_difference_is_named(here, words, told):
    Path("waiting.toml").write_text(EXPERIMENT)
    call("match", "gold", *FEW, "-o", "out")
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    words = [
        *words.split(),
        *(FEW if words.startswith("match") and "--matches" not in words else ()),
        "-o",
        "out",
    ]
    said = call(*words, code=2).stderr
    assert (
        "out holds another run:" in said
        and "Name another directory with -o, or remove this one to begin again." in said
    )
    assert all(one in said for one in told)
    assert {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()} == before


OWN = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return view.own_turn > 3
MINE = Strategy('mine', knock=mine)
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("> 3", "> 4", 'digest: "[0-9a-f]{16}" there, "[0-9a-f]{16}" here'),
        (", knock=mine", "", 'policies, knock: "mine" there, "at:k=10" here'),
        (", knock=mine", ", ending='same'", 'ending: "best" there, "same" here'),
    ],
)
def test_a_changed_strategy_of_the_same_name_is_another_run(here, old, new, told):
    Path("mine.py").write_text(OWN)
    call("match", "mine.py", *FEW, "-o", "out")
    Path("mine.py").write_text(OWN.replace(old, new))
    said = call("match", "mine.py", *FEW, "-o", "out", code=2).stderr
    assert re.search(f"strategies, mine\\.py, {told}\\.", said)


def test_an_additional_cell_is_another_run(here):
    Path("waiting.toml").write_text(EXPERIMENT)
    call("run", "waiting.toml")
    Path("waiting.toml").write_text(EXPERIMENT.replace('"simple"]', '"simple", "gold-early"]'))
    said = call("run", "waiting.toml", code=2).stderr
    assert "matchups: " in said and "gold-early" in said


def test_a_dry_run_writes_nothing_and_shows_what_is_left(here):
    Path("waiting.toml").write_text(EXPERIMENT.replace("200", "2000"))
    said = call("run", "waiting.toml", "--dry-run").stdout
    assert "2,000 deals" in said and "done)" not in said and files(here) == ["waiting.toml"]
    call("run", "waiting.toml")
    before = files(here)
    Path("waiting.toml").write_text(EXPERIMENT.replace("200", "4000"))
    assert (
        "4,000 deals (50 % done)" in call("run", "waiting.toml", "--dry-run").stdout
        and files(here) == before
    )


# variants and strategies


def test_listing_variants_imports_nothing_heavy():
    code = (
        "import sys, simgin.cli.commands.variants; assert not {'numba', 'numpy', 'pandas', "
        "'pydantic', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_variants_lists_every_variant():
    said = call("variants").stdout
    assert all(f"\n{name} " in said for name in variants.names())
    assert all(len(line) <= 80 for line in said.splitlines())


def test_a_variant_shows_its_differences_and_every_parameter():
    said = call("variants", "oklahoma+knock_limit=5").stdout
    assert "Changes from standard" in said and "(section" not in said
    assert "\nknock_limit        (5) " in said  # the upcard sets the limit there
    assert all(f"\n{name} " in said for name in variants.parameters())


def test_variants_can_be_listed_as_json():
    found = json.loads(call("variants", "--json").stdout)
    assert list(found) == KEYS and [row["name"] for row in found["rows"]] == list(variants.names())
    rows = json.loads(call("variants", "eaai", "--json").stdout)["rows"]
    assert {row["parameter"]: row["value"] for row in rows} == variants.find("eaai").row


def test_strategies_lists_strategies_and_policies():
    said = call("strategies").stdout
    for words in (
        "gold-early",
        "Policies for +take=",
        "Policies for +discard=",
        "Policies for +knock=",
        "[k=10]",
    ):
        assert words in said
    assert all(len(line) <= 80 for line in said.splitlines())
    found = json.loads(call("strategies", "--json").stdout)
    assert list(found) == KEYS and {row["kind"] for row in found["rows"]} == {"strategy", "policy"}
    assert {row["tier"] for row in found["rows"]} == {"fast"}


def test_a_new_strategy_is_written_once_and_shows_its_tier(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = call("strategies", "new", "mine.py").stdout
    for words in (
        "Written: mine.py",
        "simgin match mine.py",
        "simgin strategies check mine.py",
        "simgin show mine.py",
    ):
        assert words in said
    rows = json.loads(call("strategies", "mine.py", "--json").stdout)["rows"]
    assert [row["tier"] for row in rows] == ["fast"] * len(SLOTS)
    assert "already exists" in call("strategies", "new", "mine.py", code=2).stderr


def test_an_interpreted_strategy_is_shown_as_slow(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from simgin.strategy.author import *\nSEEN = {}\n@take\n"
        "def f(view, rules, params):\n    return SEEN.get(1, 0)\n"
        "S = Strategy('x', take=f)"
    )
    run = call("strategies", file)
    assert "slow" in run.stdout and "Slow: runs in Python" in run.stdout and "numba" in run.stderr


def test_a_strategy_shows_slots_parameters_file_and_digest():
    said = call("strategies", "gold-early:k=7").stdout
    for words in (
        "early:k=7",
        "0..500 (whole)",
        "own turns in which any legal",
        "knock.py",
        "Digest: ",
    ):
        assert words in said
    rows = json.loads(call("strategies", "gold-early:k=7", "--json").stdout)["rows"]
    assert [row["slot"] for row in rows] == list(SLOTS)
    assert rows[2]["parameters"][0] | {"about": ""} == {
        "name": "k",
        "kind": "integer",
        "value": "7",
        "may_be": "0..500 (whole)",
        "about": "",
    }


def test_a_subcommand_and_a_name_can_share_a_command():
    group = NameOrSubcommand(
        click.Command(
            "things",
            params=[click.Argument(["name"])],
            callback=lambda name: click.echo(f"one {name}"),
        )
    )
    group.add_command(click.Command("diff", callback=lambda: click.echo("differences")))
    above = click.Group(commands={"things": group})
    assert CliRunner().invoke(above, ["things", "diff"]).output == "differences\n"
    assert CliRunner().invoke(above, ["things", "gold"]).output == "one gold\n"


# Bad input


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("mach", "no command 'mach'; did you mean `simgin match`?"),
        ("--frobnicate", "No such option"),
        ("match", "Missing argument 'A'"),
        ("match golt", "did you mean 'gold'?"),
        ("match gold simpel", "did you mean 'simple'?"),
        ("match gold -v oklahom", "did you mean 'oklahoma'?"),
        ("match gold -v standard+gin_bonus=lots", "gin_bonus must be a whole number"),
        ("match gold simple -v gin-solitaire", "is for one player: name one strategy"),
        ("match gold+knock=at:k=1000", "k must lie in 0..99"),
        ("match gold+knock=at:q=1", "has no parameter 'q'"),
        ("match gold --deals lots", "'lots' is not a count"),
        ("match gold --deals 1.5", "is not a whole number"),
        ("match gold --matches 0", "at least 1"),
        ("match gold --deals -5", "too few"),
        ("match gold --deals 1e99", "at most 1e12"),
        ("match gold --deals 10 --matches 10", "keep one of them"),
        ("match gold --seed -1", "between 0 and 2^64 - 1"),
        ("match gold --seed x", "not a valid integer"),
        ("match gold --workers 0", "--workers"),
        ("match gold --dealz 5", "--deals"),
        ("match nowhere.py", "cannot be read"),
        ("match mine.py", "several strategies"),
        ("match mine.py#other", "has no strategy 'other'"),
        ("match mine.py#throws", "is not among the legal discards"),
        ("match mine.py#floats", "returns a float"),
        ("match mine.py#raises", "raised ValueError"),
        ("match mine.py#broken", "cannot be compiled"),
        ("match syntax.py", "cannot be read: SyntaxError"),
        ("match gold -o taken.txt", "is a file"),
        ("match gold -o taken.txt/deeper", "is a file"),
        ("match gold -o full", "which simgin did not write"),
        ("match gold -o .", "where you are"),
        ("run nowhere.toml", "cannot be read"),
        ("run wrong.toml", "unknown key varants; did you mean variants?"),
        ("run taken.txt", "not valid TOML"),
        ("variants golf", "no variant 'golf'"),
        ("strategies golt", "did you mean 'gold'?"),
        ("bench --seconds 0", "--seconds"),
    ],
)
def test_bad_input_is_refused_in_a_sentence_and_leaves_nothing(here, words, said):
    Path("mine.py").write_text(PLUGIN)
    Path("syntax.py").write_text("def")
    Path("taken.txt").write_text("not results")
    Path("wrong.toml").write_text(EXPERIMENT.replace("variants", "varants"))
    Path("full").mkdir()
    directory.save("full", {"simgin": "0"}, {})
    Path("full/thesis.tex").write_text("years of work")
    before = files(here)
    result = call(*words.split(), code=2)
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines and all(line.startswith("simgin: ") for line in lines)
    assert said in result.stderr
    assert [name for name in files(here) if "__pycache__" not in name] == before


def test_an_illegal_answer_is_reported_with_the_command_that_replays_it(here):
    Path("mine.py").write_text(PLUGIN)
    said = call("match", "mine.py#throws", *FEW, "-o", "out", "--json", code=2).stderr
    assert "simgin show 'mine.py#throws' simple -v standard --seed 1 --unit" in said
    assert files("out") == ["ledger.sqlite"]
    Path("mine.py").write_text(PLUGIN.replace(", discard=not_held", ""))
    call(
        "match", "mine.py#throws", *FEW, "-o", "out"
    )  # mended, and nothing of the faulty one was kept


def test_every_mistake_of_an_experiment_has_a_line(here):
    Path("wrong.toml").write_text(
        EXPERIMENT.replace("variants", "varants").replace('"gold"', '"golt"')
    )
    lines = call("run", "wrong.toml", code=2).stderr.splitlines()
    assert len(lines) == 2 and all(line.startswith("simgin: wrong.toml: ") for line in lines)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere"
)
def test_a_directory_without_permission_is_refused_before_playing(here):
    Path("locked").mkdir(mode=0o500)
    assert "no permission" in call("match", "gold", "-o", "locked/out", code=2).stderr


def test_a_directory_is_checked_before_playing(here, monkeypatch):
    monkeypatch.setattr(blocks, "play", lambda *_: pytest.fail("played"))
    Path("taken.txt").write_text("")
    call("match", "gold", "-o", "taken.txt", code=2)


def test_a_full_disk_is_reported_and_the_same_command_continues(here, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        said = call("match", "gold", *FEW, "-o", "out", code=2).stderr
    assert "No space left on device" in said and "the same command goes on" in said
    assert files(here) == ["out", "out/ledger.sqlite"]
    monkeypatch.setattr(blocks, "play", lambda *_: pytest.fail("played"))
    call("match", "gold", *FEW, "-o", "out")


def test_a_bug_is_not_reported_as_bad_input(monkeypatch):
    monkeypatch.setattr(runner, "run", lambda *_, **__: int("a bug"))
    assert isinstance(CliRunner().invoke(cli, ["match", "gold"]).exception, ValueError)


# Interruptions and pipes


def test_an_interruption_exits_with_130_and_keeps_finished_blocks(here, monkeypatch):
    with monkeypatch.context() as patched:
        interrupted_after(patched, 2)
        said = call("match", "gold", "--deals", "60k", "-o", "out", "--workers", 1, code=130).stderr
    command = "simgin match gold simple -v standard --deals 60000 --seed 1 -o out"
    assert f"interrupted; finished blocks are kept in out. Continue with: {command}" in said
    assert files(here) == ["out", "out/ledger.sqlite"]
    with ledger.reading(Path("out/ledger.sqlite")) as book:
        assert len(book.finished(0)) >= 2
    call(*shlex.split(command)[1:])
    call("match", "gold", "--deals", "60k", "-o", "whole")
    assert kept("out") == kept("whole")


def test_an_interruption_without_a_directory_says_that_nothing_was_written(here, monkeypatch):
    interrupted_after(monkeypatch, 1)
    said = call("match", "gold", "--deals", "60k", code=130).stderr
    assert "nothing was written. Start again with: simgin match gold simple" in said
    assert files(here) == []


def test_a_run_with_a_time_limit_continues_with_matches(here, monkeypatch):
    interrupted_after(monkeypatch, 1)
    said = call("match", "gold", "--matches", "60k", "--for", "50s", "-o", "out", code=130).stderr
    assert (
        "Continue with: simgin match gold simple -v standard --matches 60000 --for 50s "
        "--seed 1 -o out" in said
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_stops_a_run(here):
    code = """
import os, signal, threading
from simgin.cli import main
from simgin.runs import runner
original = runner.run
def run(*args, **more):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    return original(*args, **more)
runner.run = run
signal.signal(signal.SIGINT, signal.default_int_handler)
main.cli.main(["match", "gold", "--deals", "1e9", "-o", "out"])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 130, run.stderr
    assert (
        "interrupted; finished blocks are kept in out" in run.stderr
        and "Traceback" not in run.stderr
    )
    assert files(here) == ["out", "out/ledger.sqlite"]
    with ledger.reading(Path("out/ledger.sqlite")) as book:
        assert book.finished(0)


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
def test_a_closed_pipe_is_no_error():
    script = f"{shlex.quote(sys.executable)} -m simgin variants --json | head -c 10"
    run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=120)
    assert run.stdout == '{"simgin":' and run.stderr == ""


def test_a_separate_process_behaves_alike(here):
    good = shell("match", "gold", *FEW, "--json")
    assert good.returncode == 0 and list(json.loads(good.stdout)) == KEYS
    assert "Warning" not in good.stderr
    bad = shell("match", "golt")
    assert (
        bad.returncode == 2
        and bad.stdout == ""
        and bad.stderr.startswith("simgin: there is no strategy 'golt'")
    )


def test_colour_codes_are_printed_on_terminals_only():
    run = shell("strategies", env={**os.environ, "NO_COLOR": "1", "FORCE_COLOR": "1"})
    assert run.returncode == 0 and "\x1b[1m" in run.stdout  # a terminal, bold
    assert not re.search(r"\x1b\[[^m]*(3|4|9|10)[0-9][;m]", run.stdout)


# The rest of the room


def test_compiling_is_announced_only_when_it_takes_long(monkeypatch):
    said, long = [], threading.Event()
    monkeypatch.setattr(session, "note", lambda message: (said.append(message), long.set()))
    with session.explain_wait():
        pass
    assert said == []
    monkeypatch.setattr(session, "COMPILING_AFTER", 0.0)
    with session.explain_wait():
        assert long.wait(10)
    assert "half a minute" in said[0]


def test_the_public_list_is_lazy_and_complete():
    assert all(hasattr(simgin, name) for name in simgin.__all__)
    assert set(simgin.__all__) <= set(dir(simgin))
    with pytest.raises(AttributeError, match="nothing"):
        _ = simgin.nothing

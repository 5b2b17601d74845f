"""The command line as a whole: help, bad input, exit codes, interruptions and pipes."""

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
from simgin.cli.main import COMMANDS, cli
from simgin.runs import directory, ledger, runner, threads
from support.command_line import call, interrupted_after
from support.command_runs import EXPERIMENT, FEW, files, kept

pytestmark = pytest.mark.usefixtures("empty_directory")

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


def shell(*words, **more):
    """A command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "simgin", *words],
        capture_output=True,
        text=True,
        timeout=120,
        **more,
    )


def test_help_mentions_every_command():
    output = call("--help").stdout
    assert all(f"\n  {name} " in output for name in COMMANDS)
    assert all(len(line) <= 80 for line in output.splitlines())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help(name):
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, click.Command) and command.help
    output = call(name, "--help").stdout
    assert f"Usage: simgin {name}" in output
    assert all(len(line) <= 80 for line in output.splitlines())


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


# Bad input


@pytest.mark.parametrize(
    ("words", "message"),
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
def test_bad_input_is_refused_in_a_sentence_and_leaves_nothing(empty_directory, words, message):
    Path("mine.py").write_text(PLUGIN)
    Path("syntax.py").write_text("def")
    Path("taken.txt").write_text("not results")
    Path("wrong.toml").write_text(EXPERIMENT.replace("variants", "varants"))
    Path("full").mkdir()
    directory.save("full", {"simgin": "0"}, {})
    Path("full/thesis.tex").write_text("years of work")
    before = files(empty_directory)
    result = call(*words.split(), code=2)
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines and all(line.startswith("simgin: ") for line in lines)
    assert message in result.stderr
    assert [name for name in files(empty_directory) if "__pycache__" not in name] == before


def test_an_illegal_answer_is_reported_with_the_command_that_replays_it(empty_directory):
    Path("mine.py").write_text(PLUGIN)
    message = call("match", "mine.py#throws", *FEW, "-o", "out", "--json", code=2).stderr
    assert "simgin show 'mine.py#throws' simple -v standard --seed 1 --unit" in message
    assert files("out") == ["ledger.sqlite"]
    Path("mine.py").write_text(PLUGIN.replace(", discard=not_held", ""))
    call(
        "match", "mine.py#throws", *FEW, "-o", "out"
    )  # mended, and nothing of the faulty one was kept


def test_every_mistake_of_an_experiment_has_a_line(empty_directory):
    Path("wrong.toml").write_text(
        EXPERIMENT.replace("variants", "varants").replace('"gold"', '"golt"')
    )
    lines = call("run", "wrong.toml", code=2).stderr.splitlines()
    assert len(lines) == 2 and all(line.startswith("simgin: wrong.toml: ") for line in lines)


def test_a_directory_is_checked_before_playing(empty_directory, monkeypatch):
    monkeypatch.setattr(threads, "play_block", lambda *_: pytest.fail("played"))
    Path("taken.txt").write_text("")
    call("match", "gold", "-o", "taken.txt", code=2)


def test_a_full_disk_is_reported_and_the_same_command_continues(empty_directory, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        message = call("match", "gold", *FEW, "-o", "out", code=2).stderr
    assert "No space left on device" in message and "the same command goes on" in message
    assert files(empty_directory) == ["out", "out/ledger.sqlite"]
    monkeypatch.setattr(threads, "play_block", lambda *_: pytest.fail("played"))
    call("match", "gold", *FEW, "-o", "out")


def test_a_bug_is_not_reported_as_bad_input(monkeypatch):
    monkeypatch.setattr(runner, "run", lambda *_, **__: int("a bug"))
    assert isinstance(CliRunner().invoke(cli, ["match", "gold"]).exception, ValueError)


# Interruptions and pipes


def test_an_interruption_exits_with_130_and_keeps_finished_blocks(empty_directory, monkeypatch):
    with monkeypatch.context() as patched:
        interrupted_after(patched, 2)
        message = call(
            "match", "gold", "--deals", "60k", "-o", "out", "--workers", 1, code=130
        ).stderr
    command = "simgin match gold simple -v standard --deals 60000 --seed 1 -o out"
    assert f"interrupted; finished blocks are kept in out. Continue with: {command}" in message
    assert files(empty_directory) == ["out", "out/ledger.sqlite"]
    with ledger.reading(Path("out/ledger.sqlite")) as run_ledger:
        assert len(run_ledger.finished(0, 1000)) >= 2
    call(*shlex.split(command)[1:])
    call("match", "gold", "--deals", "60k", "-o", "whole")
    assert kept("out") == kept("whole")


def test_an_interruption_without_a_directory_says_that_nothing_was_written(
    empty_directory, monkeypatch
):
    interrupted_after(monkeypatch, 1)
    message = call("match", "gold", "--deals", "60k", code=130).stderr
    assert "nothing was written. Start again with: simgin match gold simple" in message
    assert files(empty_directory) == []


def test_a_run_with_a_time_limit_continues_with_matches(empty_directory, monkeypatch):
    interrupted_after(monkeypatch, 1)
    message = call(
        "match", "gold", "--matches", "60k", "--for", "50s", "-o", "out", code=130
    ).stderr
    assert (
        "Continue with: simgin match gold simple -v standard --matches 60000 --for 50 "
        "--seed 1 -o out" in message
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_stops_a_run(empty_directory):
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
    assert files(empty_directory) == ["out", "out/ledger.sqlite"]
    with ledger.reading(Path("out/ledger.sqlite")) as run_ledger:
        assert run_ledger.finished(0, 1000)


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
def test_a_closed_pipe_is_no_error():
    script = f"{shlex.quote(sys.executable)} -m simgin variants --json | head -c 10"
    run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=120)
    assert run.stdout == '{"simgin":' and run.stderr == ""


def test_colour_codes_are_printed_on_terminals_only(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    run = CliRunner().invoke(cli, ["strategies"], color=True)
    assert run.exit_code == 0 and "\x1b[1m" in run.stdout  # a terminal, bold
    assert not re.search(r"\x1b\[[^m]*(3|4|9|10)[0-9][;m]", run.stdout)


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

"""Tests of the whole command line: help, invalid input, exit codes, interruptions and pipes."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import simgin
from simgin.cli import session
from simgin.cli.main import COMMANDS, cli
from simgin.core import jit, shipped_code
from simgin.runs import directory, ledger, runner
from support.command_line import interrupt_after_blocks, run_simgin
from support.command_runs import (
    EXPERIMENT_TOML,
    FAULTY_STRATEGIES_SOURCE,
    FEW_DEALS_OPTIONS,
    list_files,
    read_reproducible_files,
)

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_help_lists_all_commands():
    output = run_simgin("--help").stdout
    assert all(f"\n  {name} " in output for name in COMMANDS)
    assert all(len(line) <= 80 for line in output.splitlines())
    shown = re.findall(r"^    simgin (\S+)", output, re.M)
    assert len(shown) > 8 and set(shown) <= set(COMMANDS)
    assert run_simgin("--version").stdout == f"simgin {simgin.__version__}\n"


def test_simgin_without_arguments_lists_the_tasks_on_one_screen():
    output = run_simgin().stdout
    lines = output.splitlines()
    assert len(lines) <= 22 and all(len(line) <= 80 for line in lines)
    assert "simgin --help" in lines[-1]
    shown = re.findall(r"simgin ([a-z]+)", "\n".join(lines[1:]))
    assert {"match", "odds", "review", "run", "analyze", "play"} <= set(shown) <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help(name):
    command = cli.get_command(click.Context(cli), name)
    assert isinstance(command, click.Command) and command.help
    output = run_simgin(name, "--help").stdout
    assert f"Usage: simgin {name}" in output
    assert all(len(line) <= 80 for line in output.splitlines())


def test_illegal_action_is_reported_with_a_command_to_replay_it(empty_directory):
    Path("mine.py").write_text(FAULTY_STRATEGIES_SOURCE)
    message = run_simgin(
        "match", "mine.py#throws", *FEW_DEALS_OPTIONS, "-o", "out", "--json", exit_code=2
    ).stderr
    assert "simgin show 'mine.py#throws' simple -v standard --seed 1 --unit" in message
    assert list_files("out") == ["ledger.sqlite"]
    Path("mine.py").write_text(FAULTY_STRATEGIES_SOURCE.replace(", discard=not_held", ""))
    run_simgin(
        "match", "mine.py#throws", *FEW_DEALS_OPTIONS, "-o", "out"
    )  # fixed: no faulty code was cached


def test_command_can_be_repeated_after_a_full_disk(empty_directory, monkeypatch):
    def fail_as_full_disk(path, content):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(directory, "write_file", fail_as_full_disk)
        message = run_simgin("match", "gold", *FEW_DEALS_OPTIONS, "-o", "out", exit_code=2).stderr
    assert "No space left on device" in message and "repeat the command to continue" in message
    assert list_files(empty_directory) == ["out", "out/ledger.sqlite"]
    monkeypatch.setattr(runner, "play_block", lambda *_: pytest.fail("played"))
    run_simgin("match", "gold", *FEW_DEALS_OPTIONS, "-o", "out")


def test_unexpected_exception_is_not_reported_as_bad_input(monkeypatch):
    monkeypatch.setattr(runner, "run_tasks", lambda *_, **__: int("a bug"))
    assert isinstance(CliRunner().invoke(cli, ["match", "gold"]).exception, ValueError)


def test_interrupted_command_exits_with_130_and_saves_finished_blocks(empty_directory, monkeypatch):
    with monkeypatch.context() as patched:
        interrupt_after_blocks(patched, 2)
        arguments = ("match", "gold", "--deals", "60k", "--for", "10m")
        message = run_simgin(*arguments, "-o", "out", "--workers", 1, exit_code=130).stderr
    command = "simgin match gold simple -v standard --deals 60000 --for 600 --seed 1 -o out"
    expected = (
        f"interrupted. Finished batches are saved in out. Continue with: {command} --workers 1\n"
    )
    assert message.endswith(expected)
    assert list_files(empty_directory) == ["out", "out/ledger.sqlite"]
    with ledger.open_existing_ledger(Path("out/ledger.sqlite")) as run_ledger:
        assert len(run_ledger.find_finished_batches(0, 1000)) >= 2
    run_simgin(*shlex.split(command)[1:])
    run_simgin("match", "gold", "--deals", "60k", "-o", "whole")
    assert read_reproducible_files("out") == read_reproducible_files("whole")
    before = list_files(empty_directory)
    with monkeypatch.context() as patched:
        interrupt_after_blocks(patched, 1)
        message = run_simgin("match", "gold", "--deals", "60k", exit_code=130).stderr
    assert "Nothing was saved. Start again with: simgin match gold simple" in message
    assert list_files(empty_directory) == before


RUN_OPTIONS = ("--workers", "1", "--patience", "20s", "--details", "--json")


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (("match", "gold", "--deals", "60k", "-o", "out"), RUN_OPTIONS),
        (("match", "gold", "--deals", "60k"), RUN_OPTIONS),
        (("run", "e.toml", "-o", "out"), ("--scheduler", "local:1", *RUN_OPTIONS)),
        (("review", "eaai", "--players", "simple,gold", "-o", "out"), ("--workers", "2")),
        (("odds", "gin-solitaire"), ("--workers", "1")),
    ],
)
def test_command_to_resume_contains_all_options(empty_directory, monkeypatch, arguments, options):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    Path("e.toml").write_text(EXPERIMENT_TOML)
    for path in ("runs.runner.run_tasks", "odds.odds.run_odds"):
        monkeypatch.setattr(f"simgin.{path}", interrupt)
    output = run_simgin(*arguments, *options, exit_code=130).stderr
    resume_arguments = shlex.split(output.splitlines()[-1].partition(" with: simgin ")[2])
    assert resume_arguments[0] == arguments[0] and set(arguments) <= {
        *resume_arguments,
        "60k",
        "gold",
    }
    assert sorted(resume_arguments[-len(options) :]) == sorted(options)
    if "out/ledger.sqlite" in list_files("."):
        with ledger.open_existing_ledger(Path("out/ledger.sqlite")) as run_ledger:
            assert shlex.split(run_ledger.command)[1:] == resume_arguments


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_stops_a_run(empty_directory):
    code = """
import os, signal, threading
from simgin.cli import main
from simgin.runs import runner
original = runner.run_tasks
def run(*args, **more):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    return original(*args, **more)
runner.run_tasks = run
signal.signal(signal.SIGINT, signal.default_int_handler)
main.cli.main(["match", "gold", "--deals", "1e9", "-o", "out"])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 130, run.stderr
    assert "interrupted. Finished batches are saved in out" in run.stderr
    assert "Traceback" not in run.stderr
    assert list_files(empty_directory) == ["out", "out/ledger.sqlite"]
    with ledger.open_existing_ledger(Path("out/ledger.sqlite")) as run_ledger:
        assert run_ledger.find_finished_batches(0, 1000)


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
def test_closed_pipe_is_not_an_error():
    script = f"{shlex.quote(sys.executable)} -m simgin variants --json | head -c 10"
    run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=120)
    assert run.stdout == '{"simgin":' and run.stderr == ""


def test_no_color_removes_colours_but_not_bold_text(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    run = CliRunner().invoke(cli, ["strategies"], color=True)
    assert run.exit_code == 0 and "\x1b[1m" in run.stdout  # bold text on a terminal
    assert not re.search(r"\x1b\[[^m]*(3|4|9|10)[0-9][;m]", run.stdout)


def halve(number):
    return number // 2


def compile_halve_without_cache():
    jit.compile_function(halve, "int64(int64)", use_cache=False)


@pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")
def test_compilation_is_announced_only_if_it_takes_long(monkeypatch):
    notes = []
    monkeypatch.setattr(session, "print_status", notes.append)
    with session.announce_compilation():
        compile_halve_without_cache()
    assert notes == []
    monkeypatch.setattr(session, "NOTICE_DELAY_SECONDS", 0.0)
    with session.announce_compilation():
        pass
    assert notes == []
    with session.announce_compilation():
        compile_halve_without_cache()
        compile_halve_without_cache()
    assert notes == [session.COMPILING_NOTICE]
    monkeypatch.setattr(
        shipped_code, "describe_shipped_code_problem", lambda _: "The code is for another CPU."
    )
    with session.announce_compilation():
        compile_halve_without_cache()
    assert notes[1:] == [f"{session.COMPILING_NOTICE} The code is for another CPU."]
    # The warning about the cache must be the only message
    monkeypatch.setattr(jit, "get_cache_directory", lambda: None)
    with session.announce_compilation():
        compile_halve_without_cache()
    assert len(notes) == 2


HAND_COMMAND = ("hand", "5S 6S 7S 9H 9D 9C KS QD 2C AH")
CLOSED_STREAM_CASES = [
    pytest.param(">&-", 0, marks=pytest.mark.slow),
    *(("<&- >&- 2>&-", 0), ("--json >&-", 0), ("--nonsense 2>&-", 2)),
]


@pytest.mark.skipif(sys.platform == "win32", reason="no such streams")
@pytest.mark.parametrize(("redirections", "exit_code"), CLOSED_STREAM_CASES)
def test_closed_streams_are_not_an_error(redirections, exit_code):
    script = f"{shlex.join([sys.executable, '-m', 'simgin', *HAND_COMMAND])} {redirections}"
    run = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stdout, run.stderr) == (exit_code, "", "")


@pytest.mark.parametrize("module", ["click", "simgin.cli.main", "numpy", "simgin.core.jit"])
def test_ctrl_c_during_startup_prints_one_line(module):
    """Interrupt the import of a module while it executes code from a string."""
    code = f"""
import builtins, os, signal, sys
load = builtins.__import__
def interrupted(name, *others):
    if name == {module!r}:
        exec("os.kill(os.getpid(), signal.SIGINT); [0 for _ in range(1000)]")
    return load(name, *others)
builtins.__import__ = interrupted
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["simgin", *{HAND_COMMAND!r}]
from simgin.__main__ import main
main()
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode in (130, -2), (
        run.stderr
    )  # -2: killed by the signal, which shells report as 130
    assert run.stderr.strip() == "simgin: interrupted."

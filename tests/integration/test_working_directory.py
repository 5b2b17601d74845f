"""Tests that the processes of simgin import no modules from the working directory."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from simgin.checks import bench, contract
from simgin.rules import variants
from support.hostile import STRATEGY_CODE
from support.shadowing_modules import (
    read_executed_modules,
    run_installed_simgin,
    write_shadowing_modules,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture
def hostile_directory(empty_directory):
    """Create a directory with a strategy and modules that shadow all imported modules."""
    write_shadowing_modules(empty_directory)
    Path("mine.py").write_text(STRATEGY_CODE)
    yield empty_directory
    assert read_executed_modules(empty_directory) == []


def test_strategies_check_imports_nothing_from_the_working_directory(hostile_directory):
    results = contract.check_strategies(["mine.py"], [variants.find_variant("solitaire-gin")])
    assert all(result.passed for result in results), results


def test_bench_imports_nothing_from_the_working_directory(hostile_directory):
    command = [*bench.THIS_INSTALLATION_COMMAND, "bench", "--seconds", "nan", "--json"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert process.returncode == 2 and "is not a valid number of seconds" in process.stderr


def test_bench_finds_an_installation_by_its_path(hostile_directory):
    """Expect an absolute path, because a bare name would be looked up in PATH."""
    Path("simgin").write_text(f"#!{sys.executable}\nprint('[]')\n")
    Path("simgin").chmod(0o755)
    assert bench.find_installation(Path("simgin")) == hostile_directory / "simgin"


def test_saved_speeds_are_not_executed_as_a_program(hostile_directory):
    """Make the file executable, because some file systems treat every file as executable."""
    path = Path("speeds.json")
    path.write_text(f"#!{sys.executable}\nopen('it-ran', 'w').write('speeds')\n")
    path.chmod(0o755)
    assert bench.find_installation(path) is None


def test_child_processes_ignore_the_working_directory():
    """Check in the source code that every command for Python has the option -P."""
    starts = []
    for path in sorted((ROOT / "simgin").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.List) and node.elts:
                words = [ast.unparse(word) for word in node.elts[:2]]
                if words[0] == "sys.executable":
                    starts.append((path.name, words[1]))
    # --debug starts the same command again, as the user typed it
    assert starts == [
        ("bench.py", "'-P'"),
        ("contract.py", "'-P'"),
        ("debug.py", "*sys.orig_argv[1:]"),
        ("specialized_kernel.py", "'-P'"),
        ("jobs.py", "'-P'"),
    ]


@pytest.mark.slow
def test_python_path_of_the_user_is_respected(empty_directory):
    """Import a module from a directory in PYTHONPATH."""
    (empty_directory / "mine").mkdir()
    (empty_directory / "mine" / "helper.py").write_text("ANSWER = 1\n")
    text = STRATEGY_CODE.replace("return 1", "return ANSWER")
    (empty_directory / "mine.py").write_text(f"from helper import ANSWER\n{text}")
    arguments = ("strategies", "check", "mine.py", "-v", "solitaire-gin", "--json")
    process = run_installed_simgin(
        empty_directory, *arguments, PYTHONPATH=str(empty_directory / "mine")
    )
    assert process.returncode == 0, process.stdout + process.stderr
    assert all(row["passed"] for row in json.loads(process.stdout)["rows"])


LIBRARY_SETTINGS_FILES = [
    (".numba_config.yaml", b"disable_jit: 1\nboundscheck: 1\ncaptured_errors: 7\n"),
    (".numba_config.yaml", b"[1, 2"),
    (".numba_config.yaml", b"\xff\xfe"),
    ("matplotlibrc", b"font.size: 40\nbackend: module://evil\naxes.facecolor: red\n"),
    ("matplotlibrc", b"font.size: \xff\nno colon"),
]
MATCH_COMMAND = "match gold simple --deals 200 -o out"


@pytest.fixture(scope="module")
def plain_directory(tmp_path_factory):
    """Play a match in a directory without settings files, and return the directory."""
    directory = tmp_path_factory.mktemp("plain")
    assert run_installed_simgin(directory, *MATCH_COMMAND.split()).returncode == 0
    return directory


def test_broken_settings_of_a_library_are_ignored(empty_directory):
    Path(".numba_config.yaml").write_text("[1, 2")
    process = run_installed_simgin(empty_directory, "hand", "5S6S7S9H9D9CKSQD2CAH")
    assert process.returncode == 0 and "Traceback" not in process.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("name", "content"), LIBRARY_SETTINGS_FILES)
def test_library_settings_in_the_working_directory_are_ignored(
    empty_directory, plain_directory, name, content
):
    """Compare results and plots with those of a directory without the file."""
    Path(name).write_bytes(content)
    Path("mine.py").write_text(STRATEGY_CODE)
    children = "strategies check mine.py -v eaai", "match gold --deals 2k --scheduler local:1"
    for command in (MATCH_COMMAND, *children):
        process = run_installed_simgin(empty_directory, *command.split())
        assert process.returncode == 0, process.stderr
        assert all(line.startswith("simgin: ") for line in process.stderr.splitlines())
        assert "knock runs in Python" not in process.stdout
    drawn = sorted(Path("out").rglob("*.png"))
    assert len(drawn) > 1
    for path in (*drawn, Path("out/table.csv")):
        assert path.read_bytes() == (plain_directory / path).read_bytes(), path


COMMANDS = [
    "strategies check mine.py -v eaai",
    "match mine.py simple --deals 2000 --scheduler local:2 -o out",
    "match mine.py simple --deals 2 --debug",
    "run demo.toml --scheduler local:1 -o demo",
    "doctor",
    "play",
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_imports_from_the_working_directory(hostile_directory, command):
    experiment = 'question = "?"\ndeals = 2000\nmatchups = [{ a = "mine.py", b = "gold" }]\n'
    Path("demo.toml").write_text(experiment)
    process = run_installed_simgin(hostile_directory, *command.split())
    assert process.returncode == 0, process.stdout + process.stderr
    assert "Traceback" not in process.stderr

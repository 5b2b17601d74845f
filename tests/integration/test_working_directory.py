"""Tests that no process that simgin starts imports a module of the working directory."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from simgin.checks import bench, contract
from simgin.rules import variants
from support.shadowing_modules import executed_modules, poison, run_command

ROOT = Path(__file__).parents[2]
STRATEGY = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return 1
MINE = Strategy("mine", knock=mine)
"""


@pytest.fixture
def hostile_directory(empty_directory):
    """Create a working directory with a module of every name, and a strategy."""
    poison(empty_directory)
    Path("mine.py").write_text(STRATEGY)
    yield empty_directory
    assert executed_modules(empty_directory) == []


def test_the_process_that_checks_strategies_imports_nothing_from_here(hostile_directory):
    found = contract.check_strategies(["mine.py"], [variants.find_variant("solitaire-gin")])
    assert all(one.passed for one in found), found


def test_the_process_that_measures_speed_imports_nothing_from_here(hostile_directory):
    command = [*bench.THIS_PROGRAM, "bench", "--seconds", "nan", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "is not a valid number of seconds" in done.stderr


def test_a_measured_program_is_that_of_its_path(hostile_directory):
    """Use a path with a folder, because PATH is searched for plain names."""
    Path("simgin").write_text(f"#!{sys.executable}\nprint('[]')\n")
    Path("simgin").chmod(0o755)
    assert bench.find_installation(Path("simgin")) == hostile_directory / "simgin"


def test_saved_numbers_are_never_a_program(hostile_directory):
    """Treat every file as executable, as some file systems do."""
    path = Path("speeds.json")
    path.write_text(f"#!{sys.executable}\nopen('it-ran', 'w').write('speeds')\n")
    path.chmod(0o755)
    assert bench.find_installation(path) is None


def test_every_child_starts_without_the_working_directory():
    """Read the source: each command that starts this Python continues with -P."""
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
    """Import from a directory that the user names."""
    (empty_directory / "mine").mkdir()
    (empty_directory / "mine" / "helper.py").write_text("ANSWER = 1\n")
    text = STRATEGY.replace("return 1", "return ANSWER")
    (empty_directory / "mine.py").write_text(f"from helper import ANSWER\n{text}")
    words = ("strategies", "check", "mine.py", "-v", "solitaire-gin", "--json")
    done = run_command(empty_directory, *words, PYTHONPATH=str(empty_directory / "mine"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(row["passed"] for row in json.loads(done.stdout)["rows"])


SETTINGS = [
    (".numba_config.yaml", b"disable_jit: 1\nboundscheck: 1\ncaptured_errors: 7\n"),
    (".numba_config.yaml", b"[1, 2"),
    (".numba_config.yaml", b"\xff\xfe"),
    ("matplotlibrc", b"font.size: 40\nbackend: module://evil\naxes.facecolor: red\n"),
    ("matplotlibrc", b"font.size: \xff\nno colon"),
]
PLAYED = "match gold simple --deals 200 -o out"


@pytest.fixture(scope="module")
def plain_directory(tmp_path_factory):
    """Create a directory without settings files, with its results and plots."""
    place = tmp_path_factory.mktemp("plain")
    assert run_command(place, *PLAYED.split()).returncode == 0
    return place


def test_broken_settings_of_a_library_are_not_read_here(empty_directory):
    Path(".numba_config.yaml").write_text("[1, 2")
    done = run_command(empty_directory, "hand", "5S6S7S9H9D9CKSQD2CAH")
    assert done.returncode == 0 and "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("name", "content"), SETTINGS)
def test_settings_of_libraries_in_the_working_directory_are_not_read(
    empty_directory, plain_directory, name, content
):
    """Compare results and plots with those of a directory without the file."""
    Path(name).write_bytes(content)
    Path("mine.py").write_text(STRATEGY)
    children = "strategies check mine.py -v eaai", "match gold --deals 2k --scheduler local:1"
    for words in (PLAYED, *children):
        done = run_command(empty_directory, *words.split())
        assert done.returncode == 0, done.stderr
        assert all(line.startswith("simgin: ") for line in done.stderr.splitlines())
        assert "knock runs in Python" not in done.stdout
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
def test_no_command_imports_anything_from_here(hostile_directory, command):
    experiment = 'question = "?"\ndeals = 2000\nmatchups = [{ a = "mine.py", b = "gold" }]\n'
    Path("demo.toml").write_text(experiment)
    done = run_command(hostile_directory, *command.split())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr

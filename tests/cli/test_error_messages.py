"""Tests that commands with bad input print the error messages in data/refusals.txt.

Each line of that file contains a command and its message. Each block of data/mistakes.txt contains
a command, its messages and its input file.
"""

import shlex
from pathlib import Path

import numpy as np
import pytest

from simgin.cli import session
from simgin.runs import directory
from support.command_runs import FAULTY_STRATEGIES_SOURCE, STRATEGY_SOURCE
from support.hostile import run_cli, run_cli_harmlessly
from support.variant_files import CLUB_VARIANT_TOML, DEN_VARIANT_TOML
from support.weighted_strategy import write_weighted_strategy

DATA_DIRECTORY = Path(__file__).parents[1] / "data"
REJECTED_COMMAND_CASES = (DATA_DIRECTORY / "refusals.txt").read_text().splitlines()
INVALID_FILE_CASES = (
    (DATA_DIRECTORY / "mistakes.txt").read_text().removeprefix("=== ").split("\n=== ")
)


@pytest.fixture(scope="module")
def input_directory(tmp_path_factory):
    """Create a directory with unrelated files and the files that the commands name."""
    folder = tmp_path_factory.mktemp("refusals")
    for name in ("full", "tuned", "empty", "folder.toml", "c++"):
        (folder / name).mkdir()
    directory.write_run_directory(folder / "full", {"simgin": "0"}, {})
    (folder / "full" / "thesis.tex").write_text("years of work")
    texts = {
        "mine.py": FAULTY_STRATEGIES_SOURCE,
        "patient.py": STRATEGY_SOURCE,
        "taken.txt": "not results",
        "there.py": "mine",
    }
    texts |= {"knocks.toml": "[knock]\nk = 3\n", "there.toml": "mine", "there.html": "mine"}
    for name, text in (
        texts | dict.fromkeys(("mine.toml", "c++/mine.toml"), CLUB_VARIANT_TOML + DEN_VARIANT_TOML)
    ).items():
        (folder / name).write_text(text)
    np.save(folder / "mine.npy", np.zeros(8))
    write_weighted_strategy(folder)
    return folder


@pytest.mark.parametrize("case", REJECTED_COMMAND_CASES)
def test_bad_input_is_rejected_without_side_effects(input_directory, monkeypatch, case):
    monkeypatch.chdir(input_directory)
    command, _, message = case.partition(" | ")
    output = run_cli_harmlessly(*shlex.split(command), exit_codes=(2,)).stderr
    assert message in " ".join(output.split())


@pytest.mark.parametrize("case", INVALID_FILE_CASES, ids=range(len(INVALID_FILE_CASES)))
def test_every_mistake_in_a_file_is_reported(empty_directory, case):
    first, _, content = case.partition("\n")
    command, *messages = first.split(" | ")
    (file,) = (word.rpartition("@")[2] for word in command.split() if "." in word)
    Path(file).write_text(content)
    output = run_cli(*command.split(), exit_codes=(0, 2)).stderr.splitlines()
    output = [
        line for line in output if line != f"simgin: {session.COMPILING_NOTICE}"
    ]  # on a busy machine
    unexpected_lines = [
        line for line, message in zip(output, messages, strict=True) if message not in line
    ]
    assert unexpected_lines == []

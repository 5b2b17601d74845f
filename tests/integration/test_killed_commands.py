"""Tests that commands that are killed and run again write the same files.

The instants are spread evenly over the life of the command: opening, converting, writing, closing
and publishing. SIMGIN_KILLS in the environment sets how many there are for each command.
"""

import json
import os
import shlex
import shutil
import signal
import sys
import time
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from simgin.core import jit
from simgin.runs import directory
from simgin.runs.ledger import LEDGER_FILE
from simgin.text.files import INCOMPLETE_FILE_PREFIX
from support.command_line import run_simgin
from support.hostile import read_directory
from support.killing import KillableProcess
from support.weighted_strategy import write_weighted_strategy

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

MIN_KILLS = int(os.environ.get("SIMGIN_KILLS", "40"))
GOLDEN_RATIO_FRACTION = (
    5**0.5 - 1
) / 2  # fractional parts of its multiples are evenly distributed in 0 to 1
KILLS_IN_A_ROW = 3  # consecutive kills before the command may end
UNSTABLE_MANIFEST_KEYS = {
    "started",
    "ended",
    "seconds",
    directory.CHECKSUM_KEY,
}  # keys of a manifest
SQLITE_PAGE_SIZE = 4096  # bytes: a ledger without tables is no larger
EXPERIMENT_TOML = """
question = "Is it the same?"
variants = ["eaai"]
deals = 2000
[panel]
strategies = ["gold", "gold-early"]
against = "simple"
"""
# Trainings of champion that take a second and make it worse, and empty plots
FAST_SETTINGS_CODE = """
from matplotlib.figure import Figure
from simgin.report import html_report
from simgin.report.figures import layout
from simgin.charts import chart
from simgin.learn import adapt, champion_weights
from simgin.odds import solo_odds

adapt.AdaptRequest.read.__func__.__kwdefaults__.update(
    rounds=1, deals=600, confirmation_matches=1000
)
champion_weights.MATCH_VALUE_DEALS, champion_weights.REFINEMENT_MATCHES = 20_000, 40
champion_weights.ROLLOUT_DEALS_PER_CALL = 60
chart.WIN_RATE_MATCHES, solo_odds.N_HINDSIGHT_DECKS = 200, 100
html_report.render_plot_files = lambda *_: {}
layout._lay_out = lambda _: None
EMPTY = {"png": b"", "svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'}
Figure.savefig = lambda _, out, format, **__: out.write(EMPTY[format])
"""
MATCH_COMMAND = "match gold simple -v eaai --deals 2000"
COMMANDS = {
    "match": f"{MATCH_COMMAND} -o out --record",
    "run": "run e.toml -o out",
    "review": "review eaai --against standard --matches 1000 -o out",
    "adapt": "review straight --adapt --matches 1000 -o out",
    "tune": "tune gold-early -v eaai --generations 1 --matches 1000 --confirm 1000 "
    "--run out -o out.toml",
    "train": "train weighed.py -v eaai --rounds 1 --deals 600 --confirm 1000 --run out -o out.npy",
    "champion": "train champion -v eaai --rounds 1 --deals 600 --confirm 1000 -o out.npy",
    "odds": "odds gin-solitaire --strategy solo-greedy --deals 10k -o out",
    "chart": "chart knock -v eaai --deals 8000 -o out --strategy out.py",
    "analyze": "analyze gold simple -v eaai --unit 3 --turn 1 --worlds 200 -o out",
    "compare": "compare a b -o out",
    "report": "report a",
}
READ_ONLY_COMMANDS = ("compare", "report")
COMMANDS_WITH_LEDGER = ("match", "run", "review", "adapt", "tune", "train", "champion")


def make_command_code(name):
    """Return Python code that runs a command and exits with its exit code."""
    words = shlex.split(COMMANDS[name])
    if name not in READ_ONLY_COMMANDS:
        words += ["--workers", "1"]
    return f"from simgin.cli.main import cli; cli.main({words!r})"


class CommandRun:
    """Command that is run repeatedly in a folder with a separate cache."""

    def __init__(self, crash_runner, name, start_folder, folder, cache_folder):
        self._crash_runner, self._code = crash_runner, make_command_code(name)
        self._start_folder, self._folder, self._cache_folder = (start_folder, folder, cache_folder)

    def reset(self):
        """Remove everything that the command wrote, and restore the files that it reads."""
        for folder in (
            self._folder,
            self._cache_folder / "learned",
            self._cache_folder / "outcomes",
        ):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._start_folder, self._folder)

    def run(self, **limits):
        """Run the command, and kill it after a time or at a file operation if one is given."""
        return self._crash_runner.execute(self._folder, self._code, **limits)

    def read_outcome(self):
        """Return the contents of all complete files by name, without ledgers and manifest times.

        An incomplete file outside a run directory stays, but no command reads it.
        """
        files = {**read_directory(self._folder), **read_directory(self._cache_folder / "learned")}
        for name in files:
            if name.endswith(directory.MANIFEST_FILE):
                manifest = json.loads(files[name])
                files[name] = {
                    key: manifest[key] for key in manifest.keys() - UNSTABLE_MANIFEST_KEYS
                }
        excluded = [
            name for name in files if ".sqlite" in name or name.startswith(INCOMPLETE_FILE_PREFIX)
        ]
        return {name: content for name, content in files.items() if name not in excluded}

    def find_killed_phase(self):
        """Return the phase in which the command was killed, judging by its ledger files."""
        files = [
            *self._folder.glob(f"out/{LEDGER_FILE}"),
            *self._cache_folder.glob("learned/*.sqlite"),
        ]
        if not files:
            return "no ledger"
        file = files[0]
        if file.stat().st_size <= SQLITE_PAGE_SIZE:
            return "birth"
        journal = Path(f"{file}-journal")
        is_hot = journal.exists() and journal.read_bytes().strip(b"\0")
        return "conversion" if is_hot else "elsewhere"


def choose_kill_point(kill_index, n_operations, seconds):
    """Return the time or the file operation at which to kill a command."""
    fraction = kill_index * GOLDEN_RATIO_FRACTION % 1
    if kill_index % 4 == 0:
        return {"seconds": fraction * seconds}
    first, last = {1: (1, n_operations), 2: (1, 45), 3: (n_operations - 15, n_operations)}[
        kill_index % 4
    ]
    return {"last_operation": max(1, first + int(fraction * (last + 1 - first)))}


@pytest.fixture(scope="module")
def start_folder(tmp_path_factory):
    """Create the files that every command starts from."""
    start = tmp_path_factory.mktemp("start")
    (start / "e.toml").write_text(EXPERIMENT_TOML)
    write_weighted_strategy(start)
    for place in ("a", "b"):
        run_simgin(*MATCH_COMMAND.split(), "-o", start / place)
    return start


@pytest.fixture(scope="module")
def cache_copy(tmp_path_factory):
    """Copy the cache to a temporary directory, from which trained players can be removed."""
    cache = tmp_path_factory.mktemp("cache") / jit.compute_source_digest()
    return shutil.copytree(jit.get_cache_root() / jit.compute_source_digest(), cache)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_command_killed_many_times_writes_the_same_files(name, start_folder, cache_copy, tmp_path):
    shutil.copytree(start_folder, tmp_path / "warm")
    first = f"{FAST_SETTINGS_CODE}\n{make_command_code(name)}"
    environment = {"SIMGIN_CACHE_DIR": str(cache_copy.parent), "COLUMNS": "80"}
    with KillableProcess(tmp_path / "warm", first, **environment) as crash_runner:
        command_run = CommandRun(crash_runner, name, start_folder, tmp_path / "life", cache_copy)
        command_run.reset()
        started = time.monotonic()
        complete_run = command_run.run()
        seconds = time.monotonic() - started
        assert complete_run.ended == 0, complete_run.said
        expected, phase_counts = command_run.read_outcome(), Counter()
        for number in count():
            if number % KILLS_IN_A_ROW == 0:
                command_run.reset()
            end = command_run.run(**choose_kill_point(number, complete_run.operations, seconds))
            assert end.ended in (0, -signal.SIGKILL, -signal.SIGALRM), end.said
            phase_counts[command_run.find_killed_phase()] += end.ended != 0
            if number % KILLS_IN_A_ROW == KILLS_IN_A_ROW - 1:
                end = command_run.run()
                assert end.ended == 0, (phase_counts, end.said)
                assert command_run.read_outcome() == expected
                if phase_counts.total() >= MIN_KILLS:
                    break
    print(name, dict(phase_counts), f"{complete_run.operations} operations, {seconds:.2f} s")
    if name in COMMANDS_WITH_LEDGER:
        assert phase_counts["birth"] and phase_counts["conversion"]

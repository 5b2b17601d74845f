"""Tests that every resumable command, killed before file operations, ends with the same bytes.

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
from simgin.text.files import INCOMPLETE_PREFIX
from support.command_line import call
from support.hostile import read_tree
from support.killing import Killing
from support.weighted_strategy import write_weighed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

KILLS = int(os.environ.get("SIMGIN_KILLS", "40"))
SPREAD = (5**0.5 - 1) / 2  # fractional parts of its multiples are evenly distributed in 0 to 1
KILLS_IN_A_ROW = 3  # consecutive kills before the command may end
TIMES = {"started", "ended", "seconds", directory.CHECKSUM_KEY}  # keys of a manifest
PAGE_SIZE = 4096  # bytes: a ledger without tables is no larger
EXPERIMENT = """
question = "Is it the same?"
variants = ["eaai"]
deals = 2000
[panel]
strategies = ["gold", "gold-early"]
against = "simple"
"""
# Trainings of champion that take a second and make it worse, and empty plots
FAST_PLOTS_CODE = """
from matplotlib.figure import Figure
from simgin.report import html_report
from simgin.report.figures import layout
from simgin.charts import chart
from simgin.learn import adapt, champion_weights
from simgin.odds import solo_odds

adapt.AdaptRequest.read.__func__.__kwdefaults__.update(
    rounds=1, deals=600, confirmation_matches=1000
)
champion_weights.VALUE_DEALS, champion_weights.REFINEMENT_MATCHES = 20_000, 40
champion_weights.ROLLOUT_BLOCK, chart.TEST_MATCHES, solo_odds.N_HINDSIGHT_DECKS = 60, 200, 100
html_report.render_plot_files = lambda *_: {}
layout._lay_out = lambda _: None
EMPTY = {"png": b"", "svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'}
Figure.savefig = lambda _, out, format, **__: out.write(EMPTY[format])
"""
MATCH = "match gold simple -v eaai --deals 2000"
COMMANDS = {
    "match": f"{MATCH} -o out --record",
    "run": "run e.toml -o out",
    "review": "review eaai --against standard --matches 1000 -o out",
    "adapt": "review eaai --adapt --matches 1000 -o out",
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
READ_ONLY = ("compare", "report")
KEEP_LEDGERS = ("match", "run", "review", "adapt", "tune", "train", "champion")


def command_code(name):
    """Return Python code that runs a command and exits as it does."""
    words = shlex.split(COMMANDS[name])
    if name not in READ_ONLY:
        words += ["--workers", "1"]
    return f"from simgin.cli.main import cli; cli.main({words!r})"


class CommandRun:
    """A command in a folder, with a separate cache."""

    def __init__(self, killing, name, start, place, cache):
        self._killing, self._code = killing, command_code(name)
        self._start, self._place, self._cache = start, place, cache

    def begin(self):
        """Remove everything that the command has written."""
        for folder in (self._place, self._cache / "learned", self._cache / "outcomes"):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._start, self._place)

    def go(self, **until):
        return self._killing.attempt(self._place, self._code, **until)

    def outcome(self):
        """Return the contents of all complete files by name, without ledgers and manifest times.

        An incomplete file outside a run directory stays, but no command reads it.
        """
        found = {**read_tree(self._place), **read_tree(self._cache / "learned")}
        for name in found:
            if name.endswith(directory.MANIFEST_FILE):
                manifest = json.loads(found[name])
                found[name] = {key: manifest[key] for key in manifest.keys() - TIMES}
        left_out = [
            name for name in found if ".sqlite" in name or name.startswith(INCOMPLETE_PREFIX)
        ]
        return {name: content for name, content in found.items() if name not in left_out}

    def window(self):
        """Return the phase in which the command was killed, as the files of its ledger show."""
        files = [*self._place.glob(f"out/{LEDGER_FILE}"), *self._cache.glob("learned/*.sqlite")]
        if not files:
            return "no ledger"
        file = files[0]
        if file.stat().st_size <= PAGE_SIZE:
            return "birth"
        journal = Path(f"{file}-journal")
        is_hot = journal.exists() and journal.read_bytes().strip(b"\0")
        return "conversion" if is_hot else "elsewhere"


def kill_options(number, operations, seconds):
    """Return the time or operation of a kill: random, at the beginning, or at the end."""
    share = number * SPREAD % 1
    if number % 4 == 0:
        return {"seconds": share * seconds}
    first, last = {1: (1, operations), 2: (1, 45), 3: (operations - 15, operations)}[number % 4]
    return {"last": max(1, first + int(share * (last + 1 - first)))}


@pytest.fixture(scope="module")
def start_folder(tmp_path_factory):
    """Create the files that every command starts from."""
    start = tmp_path_factory.mktemp("start")
    (start / "e.toml").write_text(EXPERIMENT)
    write_weighed(start)
    for place in ("a", "b"):
        call(*MATCH.split(), "-o", start / place)
    return start


@pytest.fixture(scope="module")
def cache_copy(tmp_path_factory):
    """Copy the cache, so that players are trained again."""
    cache = tmp_path_factory.mktemp("cache") / jit.compiled_digest()
    return shutil.copytree(jit.cache_root() / jit.compiled_digest(), cache)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_killed_many_times_ends_with_the_same_bytes(
    name, start_folder, cache_copy, tmp_path
):
    shutil.copytree(start_folder, tmp_path / "warm")
    first = f"{FAST_PLOTS_CODE}\n{command_code(name)}"
    environment = {"SIMGIN_CACHE_DIR": str(cache_copy.parent), "COLUMNS": "80"}
    with Killing(tmp_path / "warm", first, **environment) as killing:
        life = CommandRun(killing, name, start_folder, tmp_path / "life", cache_copy)
        life.begin()
        began = time.monotonic()
        whole = life.go()
        seconds = time.monotonic() - began
        assert whole.ended == 0, whole.said
        wanted, killed = life.outcome(), Counter()
        for number in count():
            if number % KILLS_IN_A_ROW == 0:
                life.begin()
            end = life.go(**kill_options(number, whole.operations, seconds))
            assert end.ended in (0, -signal.SIGKILL, -signal.SIGALRM), end.said
            killed[life.window()] += end.ended != 0
            if number % KILLS_IN_A_ROW == KILLS_IN_A_ROW - 1:
                end = life.go()
                assert end.ended == 0, (killed, end.said)
                assert life.outcome() == wanted
                if killed.total() >= KILLS:
                    break
    print(name, dict(killed), f"{whole.operations} operations, {seconds:.2f} s")
    if name in KEEP_LEDGERS:
        assert killed["birth"] and killed["conversion"]

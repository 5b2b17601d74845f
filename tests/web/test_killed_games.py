"""Tests that saved games and deals remain valid if the server is killed at any moment."""

import contextlib
import json
import random
import shutil
import signal
import sys
import threading
from itertools import count

import httpx2
import pytest

from simgin.analysis.deal_file import read_deal_file
from support.killing import KillableProcess
from support.web_site import serve_site

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

OPEN_GAME_CODE = """
import json
from pathlib import Path
from simgin.play import played_game
from simgin.web.games import GameRequest, OpenGame
from simgin.web.pages import Form
from simgin.play.table_text import list_choices
from simgin.web.table_json import make_game_version

played_game.get_saved_games_folder = lambda: Path("games")
game = OpenGame(GameRequest.read(Form({"opponent": "simple", "seed": "4"}), ()))
decision = game.game.decision
"""
PRINT_GAME_CODE = (
    "print(json.dumps([make_game_version(game.game), len(game.game.deals), decision is None]))\n"
)
# End a deal as soon as possible, so that few actions lead to several deals
TAKE_ACTION_CODE = """
if decision is None:
    game.start_next_deal()
else:
    keys = list(list_choices(decision, game.game.table.rules))
    game.take_action(next((key for key in "kgbh" if key in keys), keys[-1]))
"""
N_KILLS, REQUEST_TIMEOUT_SECONDS = 5, 300  # kills of a server, and seconds for a request
GAME_QUERY = "variant=standard&opponent=simple&length=match&seat=0"


@pytest.fixture(scope="module")
def crash_runner(tmp_path_factory):
    """Return a runner for child processes that can be killed at a given file operation."""
    directory = tmp_path_factory.mktemp("warm")
    with KillableProcess(
        directory, OPEN_GAME_CODE + TAKE_ACTION_CODE, SIMGIN_DATA_DIR="data"
    ) as crash_runner:
        yield crash_runner


def read_saved_game(crash_runner, directory):
    """Return the version of a saved game, its number of finished deals, and if a deal is over."""
    end = crash_runner.execute(directory, OPEN_GAME_CODE + PRINT_GAME_CODE)
    assert end.ended == 0, end.said
    return json.loads(end.said)


def count_saved_deals(directory):
    """Read all saved deals, and return their number."""
    return len(
        [read_deal_file(path).deal for path in (directory / "data/deals").glob("deal-*.json")]
    )


@pytest.mark.parametrize("n_deals_to_play", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_game_killed_at_any_operation_can_be_continued(crash_runner, tmp_path, n_deals_to_play):
    directory, copy = tmp_path / "game", tmp_path / "copy"
    directory.mkdir()
    kills = 0
    for number in count():
        before, n_deals, is_over = read_saved_game(crash_runner, directory)
        if n_deals == n_deals_to_play:
            break
        shutil.copytree(directory, copy)
        assert crash_runner.execute(copy, OPEN_GAME_CODE + TAKE_ACTION_CODE).ended == 0
        after = read_saved_game(crash_runner, copy)[0]
        # The end of a deal writes the most files
        for operation in count(1) if is_over or number == 0 else [1 + number % 4]:
            shutil.rmtree(copy)
            shutil.copytree(directory, copy)
            end = crash_runner.execute(
                copy, OPEN_GAME_CODE + TAKE_ACTION_CODE, last_operation=operation
            )
            assert read_saved_game(crash_runner, copy)[0] in (before, after)
            assert count_saved_deals(copy) in (n_deals, n_deals + is_over)
            if end.ended == 0:
                break
            assert end.ended == -signal.SIGKILL, end.said
            kills += 1
        shutil.rmtree(copy)
        assert crash_runner.execute(directory, OPEN_GAME_CODE + TAKE_ACTION_CODE).ended == 0
    assert count_saved_deals(directory) == n_deals_to_play and kills > 15


@pytest.mark.slow
def test_server_continues_its_games_after_a_kill(empty_directory, monkeypatch):
    monkeypatch.setenv("SIMGIN_DATA_DIR", str(empty_directory / "data"))
    rng = random.Random(1)
    query = f"{GAME_QUERY}&seed={random.SystemRandom().getrandbits(63)}"  # in the shared cache
    acknowledged_progress = (0, 0)
    for _ in range(N_KILLS):
        with serve_site(empty_directory) as (server, address):
            with open_client(address) as browser:
                state = browser.get(f"/play/state?{query}").json()
                assert read_progress(state) >= acknowledged_progress
                threading.Timer(rng.uniform(0, 0.5), server.kill).start()
                try:
                    while not state["is_over"]:
                        state = take_random_action(browser, query, state, rng)
                        acknowledged_progress = read_progress(state)
                except httpx2.TransportError:
                    pass
            server.wait()
    assert acknowledged_progress > (0, 5)
    assert count_saved_deals(empty_directory) <= acknowledged_progress[0]
    with serve_site(empty_directory) as (_, address), open_client(address) as browser:
        assert not browser.post(f"/play/restart?{query}").json()["can_undo"]


@contextlib.contextmanager
def open_client(address):
    """Yield a client that has opened the address of a server and received its cookie."""
    origin = address.partition("/?")[0]
    with httpx2.Client(
        base_url=origin, headers={"Origin": origin}, timeout=REQUEST_TIMEOUT_SECONDS
    ) as client:
        client.get(address)
        yield client


def read_progress(state):
    """Return the number of finished deals and of actions in the current deal."""
    return tuple(map(int, state["version"].split(".")))[:2]


def take_random_action(browser, query, state, rng):
    """Take a random action or begin the next deal, and return the new state."""
    if state["result"]:
        action, body = "next", {}
    else:
        action, body = "act", {"key": rng.choice(state["table"]["choices"])["key"]}
    answer = browser.post(f"/play/{action}?{query}", json={"version": state["version"], **body})
    assert answer.status_code == 200, answer.text
    return answer.json()

"""Tests of saved games and kept deals after the server was killed at any moment."""

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
from support.killing import Killing
from support.web_site import serve

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

OPEN = """
import json
from pathlib import Path
from simgin.play import played_game
from simgin.web.games import GameRequest, OpenGame
from simgin.web.pages import Form
from simgin.play.table_text import list_choices
from simgin.web.table_json import game_version

played_game.saved_games_folder = lambda: Path("games")
game = OpenGame(GameRequest.read(Form({"opponent": "simple", "seed": "4"}), ()))
decision = game.game.decision
"""
SHOW = "print(json.dumps([game_version(game.game), len(game.game.deals), decision is None]))\n"
# End a deal as soon as possible, so that few actions lead to several deals
ACT = """
if decision is None:
    game.next_deal()
else:
    keys = list(list_choices(decision, game.game.table.rules))
    game.act(next((key for key in "kgbh" if key in keys), keys[-1]))
"""
N_DEALS = 2
N_KILLS, PATIENCE = 5, 300  # kills of a server, and seconds for a request
QUERY = "variant=standard&opponent=simple&length=match&seat=0"


@pytest.fixture(scope="module")
def killing(tmp_path_factory):
    place = tmp_path_factory.mktemp("warm")
    with Killing(place, OPEN + ACT, SIMGIN_DATA_DIR="data") as killing:
        yield killing


def look(killing, place):
    """Return the version of the saved game, its finished deals, and whether a deal is over."""
    end = killing.attempt(place, OPEN + SHOW)
    assert end.ended == 0, end.said
    return json.loads(end.said)


def kept_deals(place):
    """Return the number of kept deals, all of which can be read."""
    return len([read_deal_file(path).deal for path in (place / "data/deals").glob("deal-*.json")])


def test_a_game_that_is_killed_at_any_operation_continues(killing, tmp_path):
    place, copy = tmp_path / "game", tmp_path / "copy"
    place.mkdir()
    kills = 0
    for number in count():
        before, n_deals, is_over = look(killing, place)
        if n_deals == N_DEALS:
            break
        shutil.copytree(place, copy)
        assert killing.attempt(copy, OPEN + ACT).ended == 0
        after = look(killing, copy)[0]
        # The end of a deal writes the most files
        for operation in count(1) if is_over or number == 0 else [1 + number % 4]:
            shutil.rmtree(copy)
            shutil.copytree(place, copy)
            end = killing.attempt(copy, OPEN + ACT, last=operation)
            assert look(killing, copy)[0] in (before, after)
            assert kept_deals(copy) in (n_deals, n_deals + is_over)
            if end.ended == 0:
                break
            assert end.ended == -signal.SIGKILL, end.said
            kills += 1
        shutil.rmtree(copy)
        assert killing.attempt(place, OPEN + ACT).ended == 0
    assert kept_deals(place) == N_DEALS and kills > 15


@pytest.mark.slow
def test_a_killed_server_continues_its_games(empty_directory, monkeypatch):
    monkeypatch.setenv("SIMGIN_DATA_DIR", str(empty_directory / "data"))
    draw = random.Random(1)
    query = f"{QUERY}&seed={random.SystemRandom().getrandbits(63)}"  # in the shared cache
    acknowledged = (0, 0)
    for _ in range(N_KILLS):
        with serve(empty_directory) as (server, address):
            with open_client(address) as browser:
                state = browser.get(f"/play/state?{query}").json()
                assert progress_of(state) >= acknowledged
                threading.Timer(draw.uniform(0, 0.5), server.kill).start()
                try:
                    while not state["is_over"]:
                        state = act(browser, query, state, draw)
                        acknowledged = progress_of(state)
                except httpx2.TransportError:
                    pass
            server.wait()
    assert acknowledged > (0, 5)
    assert kept_deals(empty_directory) <= acknowledged[0]
    with serve(empty_directory) as (_, address), open_client(address) as browser:
        assert not browser.post(f"/play/restart?{query}").json()["can_undo"]


@contextlib.contextmanager
def open_client(address):
    """Open the address of a server, and yield a client that has its cookie."""
    origin = address.partition("/?")[0]
    with httpx2.Client(base_url=origin, headers={"Origin": origin}, timeout=PATIENCE) as client:
        client.get(address)
        yield client


def progress_of(state):
    """Return the number of finished deals and of actions in the current deal."""
    return tuple(map(int, state["version"].split(".")))[:2]


def act(browser, query, state, draw):
    """Take a random action or begin the next deal, and return the new state."""
    if state["result"]:
        action, body = "next", {}
    else:
        action, body = "act", {"key": draw.choice(state["table"]["choices"])["key"]}
    answer = browser.post(f"/play/{action}?{query}", json={"version": state["version"], **body})
    assert answer.status_code == 200, answer.text
    return answer.json()

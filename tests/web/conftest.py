"""Fixtures with a site in the directory of the test, and clients of the site."""

import pytest
from starlette.testclient import TestClient

from simgin.play import played_game
from simgin.web.app import Site, create_app
from simgin.web.jobs import JobQueue
from support.command_line import run_simgin
from support.web_site import ADDRESS, PORT, TOKEN, serve_in_thread


@pytest.fixture
def site(empty_directory, monkeypatch):
    """Create a site with results and user data in the directory of the test."""
    monkeypatch.setenv("SIMGIN_DATA_DIR", str(empty_directory / "data"))
    queue = JobQueue(empty_directory / "results")
    yield Site(queue.results_directory, queue)
    queue.close()


@pytest.fixture
def address(site, empty_directory, monkeypatch):
    """Start a server for the site, and return its address, which includes the token."""
    monkeypatch.setattr(played_game, "get_saved_games_folder", lambda: empty_directory / "games")
    with serve_in_thread(site) as address:
        yield address


@pytest.fixture(scope="session")
def match_directory(tmp_path_factory):
    """Play a match once, and return its run directory."""
    path = tmp_path_factory.mktemp("results") / "match"
    run_simgin("match", "gold", "simple", "--deals", "2k", "-o", path)
    return path


@pytest.fixture
def unauthorized_client(site):
    """Return a client without the token of the site."""
    app = create_app(site, TOKEN, PORT)
    return TestClient(app, base_url=ADDRESS, follow_redirects=False, raise_server_exceptions=False)


@pytest.fixture
def browser(unauthorized_client):
    """Return a client that has opened the address with the token."""
    assert unauthorized_client.get(f"/?token={TOKEN}").status_code == 303
    unauthorized_client.headers["Origin"] = ADDRESS
    return unauthorized_client

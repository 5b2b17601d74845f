"""Tests of a server in a separate process: ports, jobs and shutdown."""

import contextlib
import re
import signal
import socket
import subprocess
import sys
import threading

import httpx2

from simgin.web import server as web_server
from support.web_site import serve_site, wait_until

SLEEPING_STRATEGY_CODE = """
import os, time
from pathlib import Path
from simgin.strategy.author import Strategy

STRATEGY = Strategy("sleeping")
if "SIMGIN_PROGRESS" in os.environ:  # in a job
    Path("started").touch()
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        Path("interrupted").touch()
        raise
"""


def test_job_ends_when_its_server_is_killed(empty_directory, monkeypatch):
    monkeypatch.setenv("SIMGIN_DATA_DIR", str(empty_directory / "data"))
    (empty_directory / "sleeping.py").write_text(SLEEPING_STRATEGY_CODE)
    with serve_site(empty_directory, "sleeping.py") as (server, address):
        origin = address.partition("/?")[0]
        with httpx2.Client(base_url=origin, headers={"Origin": origin}) as browser:
            browser.get(address)
            answer = browser.post("/compare?s1=sleeping.py&s2=simple")
        assert "job" in answer.json()
        wait_until((empty_directory / "started").exists, 60)
        server.kill()
    wait_until((empty_directory / "interrupted").exists, 30)


def test_server_uses_the_first_free_default_port(monkeypatch):
    used, free = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
    ports = [bound_socket.getsockname()[1] for bound_socket in (used, free)]
    monkeypatch.setattr(web_server, "DEFAULT_PORTS", (*ports, 0))
    free.close()
    with (
        used,
        web_server.listen_at_default_port("127.0.0.1") as first,
        web_server.listen_at_default_port("127.0.0.1") as second,
    ):
        assert first.getsockname()[1] == ports[1]
        assert second.getsockname()[1] not in ports


SLOW_HOME_PAGE_CODE = """
import time
from pathlib import Path
from simgin.web import home, server

def show_slowly(request):
    Path("requested").touch()
    time.sleep(server.SHUTDOWN_TIMEOUT_SECONDS + 1)

server.SHUTDOWN_TIMEOUT_SECONDS = 0.5
home.show_home = show_slowly
site = server.LocalServer(Path("results"), ())
print(site.url, flush=True)
site.run()
"""


def test_server_stopped_during_a_request_prints_nothing(empty_directory, monkeypatch):
    monkeypatch.setenv("SIMGIN_DATA_DIR", str(empty_directory / "data"))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", SLOW_HOME_PAGE_CODE], **pipes) as server:
        address = re.search(r"http://\S+", server.stdout.readline())[0]
        threading.Thread(target=request_page, args=[address], daemon=True).start()
        wait_until((empty_directory / "requested").exists, 60)
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=60)
    assert (errors, server.returncode) == ("", 0)


def request_page(address):
    with httpx2.Client(follow_redirects=True) as browser, contextlib.suppress(httpx2.HTTPError):
        browser.get(address, timeout=60)

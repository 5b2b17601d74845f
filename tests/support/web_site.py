"""Serve the pages of simgin.web in tests, and check the responses."""

import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import html5lib
import uvicorn

from simgin.web.app import create_app
from simgin.web.connections import IdleTimeoutProtocol

TOKEN, PORT = "secret-token", 8123
ADDRESS = f"http://127.0.0.1:{PORT}"


@contextmanager
def serve_site(folder, *strategies):
    """Start `simgin web` in a directory, and yield its process and its address with the token."""
    words = [sys.executable, "-m", "simgin", "web", "--no-open", *strategies]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server, re.search(r"http://\S+", server.stdout.readline())[0]
        finally:
            server.send_signal(signal.SIGINT)


@contextmanager
def serve_in_thread(site):
    """Serve a site on a free port, and yield its address with the token."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        app = create_app(site, TOKEN, port)
        config = uvicorn.Config(app, http=IdleTimeoutProtocol, log_level="warning", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/?token={TOKEN}"
        finally:
            server.should_exit = True
            thread.join()


def check_page(response, status=200):
    """Check that a page is valid HTML without inline scripts or styles, and return its text."""
    assert response.status_code == status
    html5lib.HTMLParser(strict=True).parse(response.text)
    assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=", response.text)
    return response.text


def wait_until(condition, seconds=300):
    """Wait until a condition is true, and fail after some seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def wait_for_job(job, *states):
    """Wait until a job has reached one of the states."""
    wait_until(lambda: job.state in states)

"""Sites in the tests of simgin.web: addresses, real servers, checks of pages, and waiting."""

import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import html5lib

TOKEN, PORT = "secret-token", 8123
ADDRESS = f"http://127.0.0.1:{PORT}"


@contextmanager
def serve(folder, *strategies):
    """Start `simgin web` in a directory, and yield its process and its address with the token."""
    words = [sys.executable, "-m", "simgin", "web", "--no-open", *strategies]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server, re.search(r"http://\S+", server.stdout.readline())[0]
        finally:
            server.send_signal(signal.SIGINT)


def page_of(answer, status=200):
    """Return the text of a page that is valid HTML without inline scripts or styles."""
    assert answer.status_code == status
    html5lib.HTMLParser(strict=True).parse(answer.text)
    assert not re.search(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=", answer.text)
    return answer.text


def wait_until(is_true, seconds=300):
    """Wait until a function returns a true value."""
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end
        time.sleep(0.02)


def wait_for(job, *states):
    """Wait until a job is in one of some states."""
    wait_until(lambda: job.state in states)

"""Address and token of the site in the tests of simgin.web, checks of its pages, and waiting."""

import re
import time

import html5lib

TOKEN, PORT = "secret-token", 8123
ADDRESS = f"http://127.0.0.1:{PORT}"


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

"""Tests of a real server process."""

import httpx2

from support.web_site import serve, wait_until

SLEEPING = """
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


def test_a_job_ends_when_its_server_is_killed(empty_directory, monkeypatch):
    monkeypatch.setenv("SIMGIN_DATA_DIR", str(empty_directory / "data"))
    (empty_directory / "sleeping.py").write_text(SLEEPING)
    with serve(empty_directory, "sleeping.py") as (server, address):
        origin = address.partition("/?")[0]
        with httpx2.Client(base_url=origin, headers={"Origin": origin}) as browser:
            browser.get(address)
            answer = browser.post("/compare?s1=sleeping.py&s2=simple")
        assert "job" in answer.json()
        wait_until((empty_directory / "started").exists, 60)
        server.kill()
    wait_until((empty_directory / "interrupted").exists, 30)

"""Fuzz tests of `simgin web`: no request causes a bug, reads other files or leaks memory."""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

import simgin
from simgin.core import jit
from simgin.web.server import MAX_CONNECTIONS
from support.hostile import FUZZ_SEED, STRATEGY_CODE, TOUCH_FILE_CODE, parametrize_cases
from support.hostile_requests import RequestGenerator
from support.web_site import wait_until

SECRET_TEXT = "years-of-work"
MAX_MEMORY_GROWTH_BYTES = 64 << 20  # after the first half of the requests
MAX_SLOW_CONNECTIONS = 30  # connections that are left open
pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
REQUEST_TIMEOUT_SECONDS = 300  # because the first request can compile code
SOURCE_DIRECTORY = Path(simgin.__file__).parents[1]
DEMO_RUN_DIRECTORY = Path(__file__).parents[2] / "results" / "reference" / "demo"


class RecordedServer:
    """Server in a child process that records the files it opens."""

    def __init__(self, directory):
        self.directory = directory
        self._log, self._errors = directory.parent / "log", directory.parent / "errors"
        command = [sys.executable, "-P", "-m", "support.recorded_server"]
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join((str(SOURCE_DIRECTORY), str(Path(__file__).parents[1]))),
            "PYTHONDONTWRITEBYTECODE": "1",
            "SIMGIN_DATA_DIR": str(directory.parent / "data"),
        }
        with open(self._log, "wb") as log, open(self._errors, "wb") as errors:
            self.process = subprocess.Popen(
                command, cwd=directory, env=environment, stdout=log, stderr=errors
            )
        wait_until(lambda: b"\n" in self._log.read_bytes() or self.process.poll() is not None)
        assert self.process.poll() is None, self.stderr_text
        address = urlsplit(self._log.read_text().splitlines()[0])
        self.host = address.netloc
        self.host_and_port = (address.hostname, address.port)
        self.cookie = f"simgin-{address.port}={parse_qs(address.query)['token'][0]}"

    @property
    def stderr_text(self):
        """Text that the server printed on stderr."""
        return self._errors.read_text(errors="replace")

    @property
    def resident_bytes(self):
        """Resident memory in bytes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    @property
    def audit_events(self):
        """Recorded audit events, each with its name, a flag for writing, and paths."""
        return [json.loads(line) for line in self._log.read_text().splitlines()[1:]]

    def send(self, request, is_stream=False, timeout_seconds=REQUEST_TIMEOUT_SECONDS):
        """Send a request; return the answer, or what was received before a timeout."""
        answer = b""
        with socket.create_connection(
            self.host_and_port, timeout=REQUEST_TIMEOUT_SECONDS
        ) as connection:
            # The server can close the connection before it has read a large request
            with suppress(ConnectionError):
                connection.sendall(request)
            connection.settimeout(timeout_seconds)
            with suppress(
                ConnectionError, TimeoutError if timeout_seconds < REQUEST_TIMEOUT_SECONDS else ()
            ):
                while piece := connection.recv(1 << 16):
                    answer += piece
                    if is_stream and b"\r\n\r\n" in answer:
                        break
        return answer

    def get(self, target, method="GET"):
        """Return the status and the text of the answer to a valid request."""
        head = f"{method} {target} HTTP/1.1\r\nHost: {self.host}\r\nCookie: {self.cookie}\r\n"
        head += f"Origin: http://{self.host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        answer = self.send(head.encode()).decode(errors="replace")
        return parse_status(answer.encode()), answer.partition("\r\n\r\n")[2]

    def start_job(self):
        """Start a job, and return its name."""
        status, text = self.get("/odds?variant=solitaire-gin", "POST")
        assert status == 200, text
        return json.loads(text)["job"]

    def stop(self):
        """Stop the server as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(60) == 0


def parse_status(answer):
    """Return the status code of an answer, or 0 for an empty answer."""
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    return int(found[1]) if found else 0


@pytest.fixture
def server(tmp_path):
    """Serve a directory with secret files and one strategy that requests can name."""
    directory = tmp_path / "here"
    shutil.copytree(DEMO_RUN_DIRECTORY, directory / "results" / "demo")
    np.save(directory / "w.npy", np.zeros(9))
    (directory / "own.py").write_text(STRATEGY_CODE)
    for name in ("mine.py", "MINE.PY", "mine", "simple", "gold.py", "random.py"):
        (directory / name).write_text(TOUCH_FILE_CODE)
    for name in ("secret.txt", "results/secret.txt", "mine.toml", "standard"):
        (directory / name).write_text(SECRET_TEXT)
    running = RecordedServer(directory)
    yield running
    running.process.kill()
    running.process.wait()


def find_forbidden_events(server):
    """Return the audit events that access forbidden files or start forbidden programs."""
    written = [server.directory / "results", server.directory.parent / "data", jit.get_cache_root()]
    own = [server.directory / name for name in ("own.py", "__pycache__")]
    read = [*written, *own, SOURCE_DIRECTORY, "/dev", "/proc", "/sys"]
    read += [sys.prefix, sys.base_prefix, "/usr/share/zoneinfo", "/etc/localtime"]
    read += [allowed_path for allowed_path in sys.path if Path(allowed_path).is_absolute()]
    forbidden = set()
    for event, is_writing, paths in server.audit_events:
        if event == "subprocess.Popen" and Path(paths[0]).name == "cat":
            continue
        if event.startswith(("subprocess", "socket", "os.system", "os.exec")):
            forbidden.add((event, *paths))
            continue
        is_changing = is_writing or event not in ("open", "os.listdir", "os.scandir")
        allowed_paths = written if is_changing else read
        for name in paths:
            path = (server.directory / name).resolve()
            # An open file has a number; an import hook has a name such as __editable__
            is_path = not name.isdigit() and not name.startswith("__")
            if is_path and not any(
                path.is_relative_to(allowed_path) for allowed_path in allowed_paths
            ):
                forbidden.add((event, name))
    return forbidden


@parametrize_cases(200, 5000)
def test_no_request_causes_a_bug_or_accesses_other_files(server, n_cases):
    server.get("/review/check")  # load the modules
    server.get("/play/state?opponent=simple&length=deal&seed=1")
    requests = RequestGenerator(
        random.Random(FUZZ_SEED), server.host, server.cookie, server.start_job()
    )
    counts, memory = {}, 0
    with ExitStack() as slow:
        for i in range(n_cases):
            request, kind, is_stream = requests.make_request()
            if (
                i % 20 == 0 and i < 20 * MAX_SLOW_CONNECTIONS
            ):  # a client that sends and reads nothing more
                connection = slow.enter_context(socket.create_connection(server.host_and_port))
                connection.sendall(request[: requests.rng.randint(0, 2000)])
            # A malformed request can be incomplete, so that the server waits for its end
            answer = server.send(
                request, is_stream, 0.2 if kind == "bytes" else REQUEST_TIMEOUT_SECONDS
            )
            status = parse_status(answer)
            counts[status] = counts.get(status, 0) + 1
            exchange = request[:2000], answer[:2000]
            assert status < 500, exchange
            assert kind != "stranger" or status in (400, 403), exchange
            for text in (b"Traceback", b'File "', SECRET_TEXT.encode(), b"root:", b"X-Evil: 1\r\n"):
                assert text not in answer, exchange
            if i == n_cases // 2:
                memory = server.resident_bytes
    print(dict(sorted(counts.items())), f"{memory >> 20} MiB, {server.resident_bytes >> 20} MiB")
    assert server.resident_bytes - memory < MAX_MEMORY_GROWTH_BYTES
    assert {200, 400, 403, 404, 405, 413} <= counts.keys()
    assert server.get("/")[0] == 200
    assert not find_forbidden_events(server)
    assert not (server.directory / "it-ran").exists()
    server.stop()
    assert "Traceback" not in server.stderr_text, server.stderr_text


def test_server_answers_after_a_flood_of_connections(server):
    job = server.start_job()
    head = f"GET /jobs/{job}/events HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}"
    with ExitStack() as flood:
        for _ in range(MAX_CONNECTIONS + 20):
            connection = flood.enter_context(
                socket.create_connection(server.host_and_port, timeout=60)
            )
            connection.sendall(f"{head}\r\n\r\n".encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 503 ")
    wait_until(lambda: server.get("/")[0] == 200, 60)
    assert server.get(f"/jobs/{job}/cancel", "POST")[0] == 200
    server.stop()
    assert "Traceback" not in server.stderr_text, server.stderr_text

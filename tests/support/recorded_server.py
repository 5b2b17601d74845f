"""Serve the web pages of simgin, and record the files that the process opens.

The first line of stdout is the address, and every later line is one audit event as JSON: the name
of the event and its paths. Commands do not run: each job waits until it is cancelled.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from simgin.web.jobs import JobQueue
from simgin.web.server import LocalServer

RECORDED_EVENTS = (
    "open",
    "os.listdir",
    "os.scandir",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
)
RECORDED_EVENTS += (
    "os.symlink",
    "os.link",
    "os.truncate",
    "os.chmod",
    "shutil.rmtree",
    "sqlite3.connect",
)
RECORDED_EVENTS += (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "socket.connect",
    "socket.getaddrinfo",
)


def print_event(event, args):
    """Print an audit event as JSON if it is one of RECORDED_EVENTS."""
    if event in RECORDED_EVENTS:
        is_writing = event == "open" and bool(args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        words = [os.fsdecode(one) if isinstance(one, str | bytes) else repr(one) for one in args]
        line = json.dumps([event, is_writing, words[: 1 + (event == "os.rename")]])
        os.write(1, f"{line}\n".encode())


def start_waiting_process(queue, job):
    """Start a process that waits for cancellation instead of running the command of a job."""
    pipe = subprocess.PIPE
    return subprocess.Popen(["cat"], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


if __name__ == "__main__":
    JobQueue._start_process = start_waiting_process
    served = LocalServer(Path("results"), ("own.py",))
    print(served.url, flush=True)
    sys.addaudithook(print_event)
    served.run()

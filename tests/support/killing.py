"""Kill Python code before a chosen file operation of SQLite or Python.

A process imports simgin once and forks a child for every attempt, which then takes milliseconds.
The child counts the operations that change files and sends itself SIGKILL before the chosen one.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from types import SimpleNamespace

FILE_CHANGE_EVENTS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate")
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT
C_SIZE, C_OFFSET = ctypes.c_size_t, ctypes.c_int64
C_STRING, C_POINTER = ctypes.c_char_p, ctypes.c_void_p
SYSTEM_CALLS = {  # return and argument types, in the order of SQLite's table
    "open": (ctypes.c_int, C_STRING, ctypes.c_int, ctypes.c_int),
    "write": (ctypes.c_ssize_t, ctypes.c_int, C_POINTER, C_SIZE),
    "pwrite": (ctypes.c_ssize_t, ctypes.c_int, C_POINTER, C_SIZE, C_OFFSET),
    "pwrite64": (ctypes.c_ssize_t, ctypes.c_int, C_POINTER, C_SIZE, C_OFFSET),
    "ftruncate": (ctypes.c_int, ctypes.c_int, C_OFFSET),
    "unlink": (ctypes.c_int, C_STRING),
}


class SqliteVfs(ctypes.Structure):
    """The first fields of `sqlite3_vfs`, SQLite's table of file functions."""

    _fields_ = (
        *((name, ctypes.c_int) for name in ("version", "file_size", "longest_path")),
        *((name, C_POINTER) for name in ("next", "name", "data")),
        ("functions", C_POINTER * 13),
        ("set_call", ctypes.CFUNCTYPE(ctypes.c_int, C_POINTER, C_STRING, C_POINTER)),
        ("get_call", ctypes.CFUNCTYPE(C_POINTER, C_POINTER, C_STRING)),
    )


class OperationCounter:
    """Counter of file operations that kills this process before a chosen operation."""

    def __init__(self, last_operation):
        self.count, self._last, self._callbacks = 0, last_operation, []

    def start(self):
        sys.addaudithook(self._handle_audit_event)
        import _sqlite3

        find = ctypes.CDLL(getattr(_sqlite3, "__file__", None)).sqlite3_vfs_find
        find.restype = ctypes.POINTER(SqliteVfs)
        vfs = find(None)
        for name, kinds in SYSTEM_CALLS.items():
            if address := vfs[0].get_call(vfs, name.encode()):
                kind = ctypes.CFUNCTYPE(*kinds, use_errno=True)
                counted = kind(self._wrap_call(name, kind(address)))
                vfs[0].set_call(vfs, name.encode(), ctypes.cast(counted, C_POINTER))
                self._callbacks.append(counted)  # SQLite stores only the address

    def _wrap_call(self, call_name, system_call):
        """Return a callback that counts a system call and then makes the call."""

        def call_and_count(*arguments):
            if call_name != "open" or arguments[1] & os.O_CREAT:
                self._count_operation()
            return system_call(*arguments)

        return call_and_count

    def _handle_audit_event(self, event, arguments):
        if event in FILE_CHANGE_EVENTS or (event == "open" and (arguments[2] or 0) & WRITE_FLAGS):
            self._count_operation()

    def _count_operation(self):
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


# Functions of the process that forks


def execute_code(directory, code):
    """Execute code in a directory, and return the exit code that a process would have."""
    os.chdir(directory)
    try:
        exec(code, {})
    except SystemExit as end:
        return end.code or 0
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def run_in_child(directory, code, last_operation, seconds):
    """Execute code in a child process; return exit code, output and operation count."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as counted:
        child = os.fork()
        if child == 0:
            for stream in (1, 2):
                os.dup2(said.fileno(), stream)
            operations = OperationCounter(last_operation)
            operations.start()
            signal.setitimer(signal.ITIMER_REAL, seconds)  # SIGALRM terminates the process
            ended = execute_code(directory, code)
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os.write(counted.fileno(), str(operations.count).encode())
            os._exit(ended)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        for file in (said, counted):
            file.seek(0)
        count = int(counted.read() or 0)
        return {"ended": ended, "said": said.read().decode(), "operations": count}


def serve_requests():
    """Execute each input line as code: the first line in this process, others in children."""
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    ended = execute_code(*json.loads(sys.stdin.readline()))
    os.write(answers, f"{ended}\n".encode())
    for line in sys.stdin:
        os.write(answers, f"{json.dumps(run_in_child(**json.loads(line)))}\n".encode())


# Interface for tests


class KillableProcess:
    """Process that executes code in children, which can be killed.

    The process first executes `first` itself, so that no child has to import or compile.
    """

    def __init__(self, directory, first, **environment):
        words, pipes = [sys.executable, __file__], dict.fromkeys(("stdin", "stdout"), -1)
        environment = {**os.environ, **environment}
        self._process = subprocess.Popen(words, text=True, env=environment, **pipes)
        assert self._send_request([str(directory), first]) == "0\n"

    def _send_request(self, request):
        self._process.stdin.write(f"{json.dumps(request)}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def execute(self, directory, code, *, last_operation=0, seconds=0):
        """Execute code in a child until it ends, an operation is reached, or time runs out."""
        request = {"directory": str(directory), "code": code, "last_operation": last_operation}
        request["seconds"] = seconds
        return SimpleNamespace(**json.loads(self._send_request(request)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.communicate()


if __name__ == "__main__":
    serve_requests()

"""Tests of the pager, which shows long lists, but only on a terminal."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
TERMINAL_VARIABLES = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}


def run_on_terminal(tmp_path, *arguments, **environment):
    """Return the output of a command on a terminal whose pager marks every line."""
    import pty

    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nexec sed 's/^/PAGED /'\n")
    pager.chmod(0o700)
    variables = {**os.environ, **TERMINAL_VARIABLES, "PAGER": str(pager), **environment}
    terminal, process_end = pty.openpty()
    command = [sys.executable, "-m", "simgin", *arguments]
    process = subprocess.Popen(
        command, stdin=process_end, stdout=process_end, stderr=process_end, env=variables
    )
    os.close(process_end)
    output = b""
    try:
        while part := os.read(terminal, 1 << 16):
            output += part
    except OSError:  # the other end was closed
        pass
    os.close(terminal)
    assert process.wait() == 0
    return output.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("command", ["strategies", "variants", "variants oklahoma"])
def test_long_list_uses_the_pager_on_a_terminal(tmp_path, command):
    lines = run_on_terminal(tmp_path, *command.split()).splitlines()
    assert len(lines) > 24 and all(line.startswith("PAGED ") for line in lines)
    assert lines[-1].startswith(f"PAGED Command: simgin {command}")


def test_pager_is_not_used_if_disabled_or_unnecessary(tmp_path):
    for command, environment in [
        ("variants", {"NO_PAGER": "1"}),
        ("variants --json", {}),
        ("strategies --short", {}),
        ("variants diff standard eaai", {}),  # shorter than the terminal
    ]:
        assert "PAGED" not in run_on_terminal(tmp_path, *command.split(), **environment), command

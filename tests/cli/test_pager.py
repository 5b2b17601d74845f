"""Tests of the pager: long lists use it on a terminal, and on nothing else."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
FEW_LINES = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}


def run_on_terminal(tmp_path, *words, **environment):
    """Return the output of a command on a terminal whose pager marks every line."""
    import pty

    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nexec sed 's/^/PAGED /'\n")
    pager.chmod(0o700)
    variables = {**os.environ, **FEW_LINES, "PAGER": str(pager), **environment}
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "simgin", *words]
    process = subprocess.Popen(command, stdin=end, stdout=end, stderr=end, env=variables)
    os.close(end)
    output = b""
    try:
        while part := os.read(terminal, 1 << 16):
            output += part
    except OSError:  # the other end was closed
        pass
    os.close(terminal)
    assert process.wait() == 0
    return output.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("words", ["strategies", "variants", "variants oklahoma"])
def test_a_long_list_uses_the_pager_on_a_terminal(tmp_path, words):
    lines = run_on_terminal(tmp_path, *words.split()).splitlines()
    assert len(lines) > 24 and all(line.startswith("PAGED ") for line in lines)
    assert lines[-1].startswith(f"PAGED Command: simgin {words}")


def test_no_pager_is_used_if_the_user_or_the_output_does_not_need_one(tmp_path):
    for words, environment in [
        ("variants", {"NO_PAGER": "1"}),
        ("variants --json", {}),
        ("strategies --short", {}),
        ("variants diff standard eaai", {}),  # shorter than the terminal
    ]:
        assert "PAGED" not in run_on_terminal(tmp_path, *words.split(), **environment), words

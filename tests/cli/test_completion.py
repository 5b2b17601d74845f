"""Tests of shell completion, which must not load the engine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from simgin.cli.main import COMMANDS, cli
from simgin.rules import variants
from simgin.strategy import loader

COMPLETE_ALL = f"""
import sys
from click.shell_completion import ShellComplete
from simgin.cli.main import cli
shell = ShellComplete(cli, {{}}, "simgin", "_SIMGIN_COMPLETE")
for name in {list(COMMANDS)}:
    assert shell.get_completions([name], "--"), name
    shell.get_completions([name], "")
print({{"numba", "pandas", "pydantic", "rich"}} & set(sys.modules))
"""


def list_completions(*words: str) -> list[str]:
    """Return click's completions of the last word."""
    shell = ShellComplete(cli, {}, "simgin", "_SIMGIN_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


def test_words_of_the_line_are_offered() -> None:
    assert set(list_completions("")) == set(COMMANDS) and list_completions("rev") == ["review"]
    assert {"check", "new", "gold"} <= set(list_completions("strategies", ""))
    assert {"diff", "new", "check", "oklahoma"} <= set(list_completions("variants", ""))
    assert "--until" in list_completions("match", "gold", "--")
    assert "--seconds" in list_completions("strategies", "check", "gold", "--")
    assert list_completions("strategies", "--slot", "kn") == ["knock"]
    for line in (["match"], ["match", "gold"], ["odds", "--strategy"], ["tune"], ["show"]):
        assert set(loader.list_built_in()) <= set(list_completions(*line, ""))
    for line in (["odds", "standard"], ["review", "oklahoma", "--against"], ["hand", "-v"]):
        assert set(variants.variant_names()) <= set(list_completions(*line, ""))
    assert list_completions("run", "dem") == ["demo"]
    # eager options do nothing during completion
    assert list_completions("match", "--debug", "gold-e") == ["gold-early"]
    assert list_completions("--version", "rev") == ["review"]


def test_files_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "rules.toml", "notes.txt"):
        (tmp_path / name).write_text("")
    assert list_completions("match", "min") == ["mine.py"]
    assert list_completions("match", "gold", "-v", "rul") == ["rules.toml"]
    shell = ShellComplete(cli, {}, "simgin", "_SIMGIN_COMPLETE")
    for words in (["match"], ["run"], ["match", "gold", "-v"]):
        (item,) = shell.get_completions(words, "./")
        assert (item.value, item.type) == ("./", "file")


def test_no_shell_waits_for_the_engine() -> None:
    command = [sys.executable, "-c", COMPLETE_ALL]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_real_bash_completes(tmp_path: Path) -> None:
    """Call the completion script as bash calls it."""
    found = tmp_path / "simgin"
    found.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m simgin "$@"\n')
    found.chmod(0o755)
    script = """
    eval "$(_SIMGIN_COMPLETE=bash_source simgin)"
    COMP_WORDS=(simgin match gold-e) COMP_CWORD=2
    _simgin_completion simgin 2>/dev/null
    echo "${COMPREPLY[*]}"
    """
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    command = ["bash", "--norc", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "gold-early\n" and not done.stderr

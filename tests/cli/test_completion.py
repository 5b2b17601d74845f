"""Completion in the shell: what is offered, where bash breaks words, and that nothing is loaded."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from simgin.cli import completion
from simgin.cli.main import COMMANDS, cli
from simgin.rules import variants
from simgin.strategy import loader

HEAVY = ("numba", "numpy", "pandas", "pydantic", "rich")
NEXT = {":k=": "4", "ck=": "at"}  # what may follow an offer that ends like this
NOTHING_LOADED = f"""
import sys
from simgin.cli.main import cli
try:
    cli.main([])
except SystemExit:
    pass
print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


def offered(*words: str) -> list[str]:
    """What click offers for the last word."""
    shell = ShellComplete(cli, {}, "simgin", "_SIMGIN_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


def test_commands_subcommands_and_options_are_offered() -> None:
    assert offered("") == list(COMMANDS) and offered("rev") == ["review"]
    assert {"check", "new", "gold"} <= set(offered("strategies", ""))
    assert {"diff", "new", "check", "oklahoma"} <= set(offered("variants", ""))
    assert "--until" in offered("match", "gold", "--")
    assert "--seconds" in offered("strategies", "check", "gold", "--")
    assert offered("strategies", "--slot", "kn") == ["knock"]


def test_all_strategies_and_variants_are_offered() -> None:
    assert set(loader.built_in()) <= set(offered("match", ""))
    assert set(loader.built_in()) <= set(offered("match", "gold", ""))
    for command in ("odds", "review"):
        assert set(variants.names()) <= set(offered(command, "standard", ""))
    assert offered("match", "gold", "-v", "okla") == ["oklahoma", "oklahoma-spades"]
    assert offered("review", "oklahoma", "--against", "eaa") == ["eaai"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gold+kn", ["gold+knock="]),
        ("gold+knock=ear", ["gold+knock=early"]),
        ("gold+knock=at:", ["gold+knock=at:k="]),
        ("gold+take=never+stake=dea", ["gold+take=never+stake=dead"]),
        ("mc:n=4,patient=", ["mc:n=4,patient=yes", "mc:n=4,patient=no"]),
        ("gold-early:k", ["gold-early:k="]),
        ("mine.py+discard=hits", ["mine.py+discard=hits", "mine.py+discard=hitscore"]),
        ("gold+nonsense=at:", []),
    ],
)
def test_texts_of_strategies_are_continued(text: str, expected: list[str]) -> None:
    """Whatever is offered can be found, once a number stands behind `=`."""
    assert offered("match", text) == expected
    for word in expected:
        if not word.startswith("mine.py"):
            loader.find(word + NEXT.get(word[-3:], ""))


def test_texts_of_variants_are_continued() -> None:
    offers = offered("match", "gold", "-v", "standard+big_gin")
    assert offers == ["standard+big_gin=", "standard+big_gin_bonus="]
    for word in offered("variants", "standard+ace_runs="):
        assert variants.find(word).text
    assert "standard+rainbow" in offered("variants", "standard+rai")


def test_experiments_are_offered_by_name() -> None:
    assert offered("run", "dem") == ["demo"]
    assert "league" in offered("run", "")


def test_files_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "rules.toml", "notes.txt"):
        (tmp_path / name).write_text("")
    assert offered("match", "min") == ["mine.py"]
    assert offered("match", "gold", "-v", "rul") == ["rules.toml"]
    shell = ShellComplete(cli, {}, "simgin", "_SIMGIN_COMPLETE")
    for words in (["match"], ["run"], ["match", "gold", "-v"]):
        (item,) = shell.get_completions(words, "./")
        assert (item.value, item.type) == ("./", "file")


def bash_offers(*words: str) -> subprocess.CompletedProcess[str]:
    """What the program prints to bash that has broken a line into these words."""
    place = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    environment = {**os.environ, **place, "_SIMGIN_COMPLETE": "bash_complete"}
    command = [sys.executable, "-c", NOTHING_LOADED]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("match", "gold+knock", "=", "ear"), ["plain,early"]),
        (("match", "gold+knock", "="), None),
        (("match", "gold+knock", "=", "at", ":"), ["plain,k="]),
        (("match", "gold", "--variant", "=", "okla"), ["plain,oklahoma", "plain,oklahoma-spades"]),
        (("match", "gold", "-v", "standard+big_gin", "=", "y"), ["plain,yes"]),
    ],
)
def test_bash_gets_the_rest_of_a_word_and_nothing_is_loaded(
    words: tuple[str, ...], expected: list[str] | None
) -> None:
    done = bash_offers("simgin", *words)
    lines = done.stdout.split()
    assert done.stderr.strip() == "[]"
    assert lines == expected if expected else {"plain,at", "plain,early"} <= set(lines)


@pytest.fixture
def program(tmp_path: Path) -> dict[str, str]:
    """The environment of a shell in which simgin is found."""
    found = tmp_path / "simgin"
    found.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m simgin "$@"\n')
    found.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "XDG_CONFIG_HOME": str(tmp_path)}


def told_by(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_a_real_bash_completes(program: dict[str, str]) -> None:
    """The script that bash reads, called as bash calls it."""
    script = """
    eval "$(_SIMGIN_COMPLETE=bash_source simgin)"
    complete -p simgin
    COMP_WORDS=(simgin match gold+kn) COMP_CWORD=2
    _simgin_completion simgin 2>/dev/null
    echo "${COMPREPLY[*]}"
    """
    said = told_by(["bash", "--norc", "-c", script], program)
    assert "-F _simgin_completion simgin" in said
    assert said.splitlines()[-1] == "gold+knock="
    assert "compopt -o nospace" in completion._Bash.source_template


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh")
@pytest.mark.parametrize(
    ("word", "added"),
    [
        ("gold+kn", "-S  -U -- gold+knock="),  # no blank behind it
        ("gold+knock=ear", "-U -V unsorted gold+knock=early"),
    ],
)
def test_a_real_zsh_completes(word: str, added: str, program: dict[str, str]) -> None:
    """The script that zsh reads, called as zsh calls it; its builtins say what they are given."""
    script = f"""
    compdef() {{}}
    compadd() {{
        if [[ $4 == -a ]]; then print -r -- $1 $2 $3 $completions; else print -r -- "$@"; fi
    }}
    eval "$(_SIMGIN_COMPLETE=zsh_source simgin)"
    words=(simgin match {word}) CURRENT=3
    _simgin_completion
    """
    assert told_by(["zsh", "-f", "-c", script], program) == f"{added}\n"


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish")
def test_a_real_fish_completes(program: dict[str, str]) -> None:
    """fish puts no blank behind `=` by itself."""
    script = """
    _SIMGIN_COMPLETE=fish_source simgin | source
    complete -C "simgin match gold+kn"
    complete -C "simgin match gold+knock=ear"
    """
    said = told_by(["fish", "--no-config", "-c", script], program)
    assert said.split() == ["gold+knock=", "gold+knock=early"]

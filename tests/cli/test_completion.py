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
from simgin.rules.parameters import load_rule_parameters
from simgin.strategy import catalogue, loader

LIST_COMPLETIONS_CODE = f"""
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
    """Return the completions that click offers for the last word."""
    shell = ShellComplete(cli, {}, "simgin", "_SIMGIN_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


def test_commands_and_arguments_are_completed() -> None:
    assert set(list_completions("")) == set(COMMANDS) and list_completions("rev") == ["review"]
    assert {"check", "new", "gold"} <= set(list_completions("strategies", ""))
    assert {"diff", "new", "check", "oklahoma"} <= set(list_completions("variants", ""))
    assert "--until" in list_completions("match", "gold", "--")
    assert "--seconds" in list_completions("strategies", "check", "gold", "--")
    assert list_completions("strategies", "--slot", "kn") == ["knock"]
    for line in (["match"], ["match", "gold"], ["odds", "--strategy"], ["tune"], ["show"]):
        assert set(loader.list_built_in_strategies()) <= set(list_completions(*line, ""))
    for line in (["odds", "standard"], ["review", "oklahoma", "--against"], ["hand", "-v"]):
        assert set(variants.variant_names()) <= set(list_completions(*line, ""))
    assert list_completions("run", "dem") == ["demo"]
    # eager options do nothing during completion
    assert list_completions("match", "--debug", "gold-e") == ["gold-early"]
    assert list_completions("--version", "rev") == ["review"]


def test_files_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "rules.toml", "notes.txt"):
        (tmp_path / name).write_text("")
    assert list_completions("match", "min") == ["mine.py"]
    assert list_completions("match", "gold", "-v", "rul") == ["rules.toml"]
    shell = ShellComplete(cli, {}, "simgin", "_SIMGIN_COMPLETE")
    for words in (["match"], ["run"], ["match", "gold", "-v"]):
        (item,) = shell.get_completions(words, "./")
        assert (item.value, item.type) == ("./", "file")


def test_completion_does_not_load_the_engine() -> None:
    command = [sys.executable, "-c", LIST_COMPLETIONS_CODE]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    assert process.stdout == "set()\n"


def list_bash_completions(command_line: str, folder: Path) -> str:
    """Return the completions that bash offers for the last word of a command line."""
    executable = folder / "simgin"
    executable.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m simgin "$@"\n')
    executable.chmod(0o755)
    script = f"""
    eval "$(_SIMGIN_COMPLETE=bash_source simgin)"
    COMP_WORDS=({command_line}) COMP_CWORD={len(command_line.split()) - 1}
    compopt() {{ :; }}  # works only during a completion
    _simgin_completion simgin
    echo "${{COMPREPLY[*]}}"
    """
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    command = ["bash", "--norc", "-c", script]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert not process.stderr
    return process.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_a_strategy(tmp_path: Path) -> None:
    assert list_bash_completions("simgin match gold-e", tmp_path) == "gold-early\n"


def test_rules_and_their_values_are_completed_after_a_plus_sign() -> None:
    assert list_completions("match", "gold", "-v", "standard+under") == [
        "standard+undercut_bonus=",
        "standard+undercut_on_tie=",
    ]
    values = list_completions("review", "standard+undercut_bonus=")
    assert {f"standard+undercut_bonus={n}" for n in (20, 25)} <= set(values)
    assert list_completions("odds", "standard+big_gin=") == [
        "standard+big_gin=yes",
        "standard+big_gin=no",
    ]
    assert list_completions("hand", "-v", "oklahoma+gin_bonus=20+straig") == [
        "oklahoma+gin_bonus=20+straight"
    ]
    for name in load_rule_parameters():
        for spec in list_completions("odds", f"standard+{name}="):
            setting = spec.partition("=")[2]
            assert not load_rule_parameters()[name].make_error_message(
                load_rule_parameters()[name].parse(setting)
            )


def test_policies_are_completed_after_a_slot() -> None:
    assert list_completions("match", "gold+kn") == ["gold+knock="]
    assert list_completions("play", "begi") == ["beginner"]
    for slot, names in catalogue.list_policy_names().items():
        loaded = [policy.name for policy in loader.list_policies() if policy.slot == slot]
        assert names == sorted(loaded)
        assert list_completions("match", "gold", f"gold+{slot}=") == [
            f"gold+{slot}={name}" for name in names
        ]
    assert list_completions("strategies", "gold+knock=at+discard=high") == [
        "gold+knock=at+discard=high-first",
        "gold+knock=at+discard=high-late",
    ]
    assert list_completions("config", "o") == ["opponent"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("arguments", "completions"),
    [
        ("match gold+take = knock-or", "knock-or-meld"),
        ("match gold -v standard+undercut_on", "standard+undercut_on_tie="),
        ("match gold -v standard+big_gin =", "yes no"),
        ("match gold -v standard+big_gin = yes+shot = n", "no"),
        ("match gold --variant = oklahoma-sp", "oklahoma-spades"),
        ("match gold+knock = at : k = 4 gold-e", "gold-early"),
    ],
)
def test_bash_completes_after_equals_signs_and_colons(
    arguments: str, completions: str, tmp_path: Path
) -> None:
    assert list_bash_completions(f"simgin {arguments}", tmp_path) == f"{completions}\n"

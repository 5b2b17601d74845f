"""Tests of quoted shell commands."""

import os
import shutil
import subprocess

import pytest

from simgin.text import shell

SPECIAL_WORDS = [
    *(
        "simgin",
        "",
        " ",
        "a b",
        "it's",
        '"',
        "\\",
        "\\n",
        "$HOME",
        "`id`",
        "*",
        "~",
        "!",
        "#",
        "-o",
    ),
    *(
        "a\nb",
        "\t",
        "\x1b[31m",
        "\x7f",
        "é",
        "\u202e",
        "🂡",
        "\udce9",
        "\n'\\\"$(id)",
        "\x9bx",
        "\x01f",
    ),
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_splits_a_command_into_the_same_words():
    script = f"printf '%s\\0' {shell.join_command(SPECIAL_WORDS)}"
    result = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert [os.fsdecode(word) for word in result.stdout.split(b"\0")[:-1]] == SPECIAL_WORDS


def test_quoted_words_are_printable():
    assert all(shell.quote_word(word).isprintable() for word in SPECIAL_WORDS)
    assert shell.join_command(["simgin", "report", "my run"]) == "simgin report 'my run'"

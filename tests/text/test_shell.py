"""Commands for pasting: bash reads every word as it was, and each command is on one line."""

import os
import shutil
import subprocess

import pytest

from simgin.text import shell

WORDS = [
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
def test_bash_reads_the_words_of_a_pasted_command():
    script = f"printf '%s\\0' {shell.join_command(WORDS)}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert [os.fsdecode(word) for word in done.stdout.split(b"\0")[:-1]] == WORDS


def test_a_pasted_command_is_printable():
    assert all(shell.quote(word).isprintable() for word in WORDS)
    assert shell.join_command(["simgin", "report", "my run"]) == "simgin report 'my run'"

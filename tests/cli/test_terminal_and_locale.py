"""Tests of impossible terminal sizes, and of names that the locale cannot encode."""

import os
import subprocess
from pathlib import Path

import pytest

from simgin.rules.user_files import format_variant_file
from simgin.rules.variants import find_variant
from support.hostile import STRATEGY_CODE, run_cli
from support.shadowing_modules import SIMGIN_COMMAND

ODD_TERMINAL_SIZES = [
    "1000000000",
    "9" * 30,
    "9" * 5000,
    "0",
    "-5",
    "1",
    "abc",
    "",
    " 80",
    "8e1",
    "²",
    "٣",
    "\n",
]
ASCII_LOCALE_ENVIRONMENT = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize("variable", ["COLUMNS", "LINES"])
def test_output_is_readable_with_an_invalid_terminal_size(empty_directory, variable):
    expected = run_cli("hand", "5S6S7S9H9D9CKSQD2CAH", exit_codes=(0,)).stdout
    for size in ODD_TERMINAL_SIZES:
        env = {variable: size}
        assert run_cli("match", "gold", "--deals", 100, exit_codes=(0,), env=env).stdout
        output = run_cli("hand", "5S6S7S9H9D9CKSQD2CAH", exit_codes=(0,), env=env).stdout
        assert output.split() == expected.split() and len(output) < 1000, size


def run_with_byte_arguments(*arguments, **variables):
    """Run simgin with arguments encoded as bytes; return the exit code and stderr."""
    arguments = [os.fsencode(word) for word in arguments]
    variables = {**os.environ, **variables}
    process = subprocess.run(
        [os.fsencode(SIMGIN_COMMAND), *arguments], env=variables, capture_output=True, timeout=300
    )
    assert b"Traceback" not in process.stderr
    return process.returncode, process.stderr.decode()


def test_name_that_the_locale_cannot_encode_is_rejected(empty_directory):
    Path("é.py").write_text(STRATEGY_CODE)
    for arguments in (("match", "é.py"), ("report", "é"), ("strategies", "é.py")):
        code, output = run_with_byte_arguments(*arguments, **ASCII_LOCALE_ENVIRONMENT)
        assert code == 2 and output.count("\n") == 1
        assert "is not valid in your locale (ascii). Set PYTHONUTF8=1." in output
    code, output = run_with_byte_arguments("match", b"\xe9.py")
    assert code == 2 and "is not valid UTF-8. Use another name." in output


@pytest.mark.parametrize("folder", [b"\xe9", "é".encode()])
def test_strategy_in_a_folder_that_cannot_be_encoded_is_rejected(empty_directory, folder):
    """Without this error, numba would interpret the strategy without a message."""
    os.mkdir(folder)
    os.chdir(folder)
    Path("mine.py").write_text(STRATEGY_CODE)
    code, output = run_with_byte_arguments("strategies", "mine.py", **ASCII_LOCALE_ENVIRONMENT)
    assert code == 2 and output.count("\n") == 1 and output.startswith("simgin: error: the path ")


FILE_WRITING_COMMANDS = """
match gold --deals 2000 -o out
run e.toml -o run
report run
compare run run
variants v.toml
variants new w.toml --from v.toml
review v.toml --against standard --matches 1000 -o review
odds solitaire-gin --deals 2000 -o odds
chart knock --player simple --deals 8k -o chart --strategy by_chart.py
match by_chart.py --deals 100
tune gold-early -v eaai --generations 1 --confirm 1k -o tuned.toml --run tune
match gold-early@tuned.toml --deals 100
train champion -v eaai --rounds 1 --deals 200 --confirm 1k -o mine.npy --run train
match champion@./mine.npy --deals 100
strategies new new.py
examples copied
drill -o drill.html --positions 1
show gold simple --json
bench --seconds 0.01 --save speeds.json
doctor
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "env", "is_encodable"),
    [
        (b"plain", ASCII_LOCALE_ENVIRONMENT, True),
        ("é".encode(), {"LC_ALL": "C"}, True),
        ("é".encode(), ASCII_LOCALE_ENVIRONMENT, False),
        (b"\xe9", {}, False),
    ],
)
def test_commands_that_write_files_work_in_any_folder_and_locale(
    empty_directory, folder, env, is_encodable
):
    """Use titles with non-ASCII characters, and directories whose names may be undecodable."""
    os.mkdir(folder)
    os.chdir(folder)
    title = "Tété ± 🂡"
    Path("e.toml").write_text(
        f'question = "{title}"\ndeals = 2000\nmatchups = [{{ a = "gold" }}]\n'
    )
    variant = format_variant_file("v.toml", find_variant("oklahoma")).replace(
        'title = "V"', f'title = "{title}"'
    )
    Path("v.toml").write_text(variant)
    for line in FILE_WRITING_COMMANDS.strip().splitlines():
        code, output = run_with_byte_arguments(*line.split(), **env)
        is_strategy_file = line.startswith("match by_chart.py")
        assert code == (0 if is_encodable or not is_strategy_file else 2), (line, output)
        assert "UnicodeEncodeError" not in output

"""Generate hostile input with hypothesis, and check how commands handle any input.

SIMGIN_FUZZ_CASES and SIMGIN_FUZZ_SEED in the environment replace the number of cases and the seed.
"""

import contextlib
import json
import os
import re
import signal
import time
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning

from simgin.cli.main import cli

N_FUZZ_CASES = os.environ.get("SIMGIN_FUZZ_CASES")
FUZZ_SEED = os.environ.get("SIMGIN_FUZZ_SEED", "1")
STRATEGY_CODE = """
from simgin.strategy import Strategy, knock
@knock
def mine(view, rules, params):
    return 1
MINE = Strategy("mine", knock=mine)
"""
TOUCH_FILE_CODE = "import pathlib\npathlib.Path('it-ran').touch()\n"
COMMAND_TIMEOUT = 300  # seconds, which is enough on a busy machine
HOSTILE_VALUES = [
    *(None, True, False, 0, 1, -1, 7, 10**6, 10**13, 2**63, 2**64, 10**40, -(10**40)),
    *(0.0, -0.5, 1.96, 1e300, 1e-300, float("nan"), float("inf")),
    *("", " ", "gold", "deal", "eaai", "../../out", "/etc/passwd", "manifest.json", "5S", "-", "9"),
    *("\0", "\n", "é", "\ud800", "\x1b[2J", "x" * 5000, "<script>alert(1)</script>", "{{ 7 * 7 }}"),
    *([], [None], [[]], [0, 1], [5, 6, 7, 8], [0, 99], ["a"], {}, {"a": 1}, {"": {"": []}}),
]
ODD_STRINGS = [
    *("", " ", "\0", "\n", "\r\n", "\t", "é", "ß", "İ", "10", "🂡", "\u202e", "٣", "½", "±1"),
    *("+", "=", "#", ":", ",", "/", "-", "--", ".", "..", "'", '"', "\\", "$", "%s", "{0}", "[b]"),
    *("`", "nan", "inf", "-1", "0", "1e400", "1e9", "0x10", "2MM", "5m", "50%", "0,10", "10,0"),
    *("9" * 30, "9" * 5000, "x" * 5000, "none", "yes", "mine.py", "mine.toml#club", "~nobody"),
]


def parametrize_cases(n_fast, n_slow=2000):
    """Parametrize a test by its number of cases, with more cases if slow tests run."""
    slow = pytest.param(int(N_FUZZ_CASES or n_slow), marks=pytest.mark.slow)
    return pytest.mark.parametrize("n_cases", [int(N_FUZZ_CASES or n_fast), slow])


def run_cases(n_cases, check, *strategies):
    """Call a check with n random cases, which depend only on the seed."""
    # Shrinking a failing case would take minutes
    options = {"deadline": None, "database": None, "phases": [Phase.generate]}
    many = settings(max_examples=n_cases, suppress_health_check=list(HealthCheck), **options)
    with warnings.catch_warnings():
        # The warning about a long case would hide the failure
        warnings.simplefilter("ignore", HypothesisWarning)
        seed(f"{FUZZ_SEED} {check.__qualname__}")(many(given(*strategies)(check)))()


@st.composite
def draw_corrupted(draw, content):
    """Draw bytes or a string with up to two insertions, deletions, replacements or changed bits."""
    content = draw(content)
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(content)))
        end = start + draw(st.sampled_from((0, 0, 1, 1, 8, 100, 10**9)))
        piece = draw(st.sampled_from(ODD_STRINGS))
        if isinstance(content, bytes):
            piece = draw(st.just(piece.encode()) | st.binary(max_size=64))
            if draw(st.booleans()):
                end = start + 1
                piece = bytes(one ^ 1 << draw(st.integers(0, 7)) for one in content[start:end])
        content = content[:start] + piece + content[end:]
    return content


@st.composite
def draw_changed_json(draw, json_value, replacements=HOSTILE_VALUES):
    """Draw a JSON object with up to two values replaced, removed, nested or renamed."""
    json_value = copy_json(draw(json_value))
    for _ in range(draw(st.integers(0, 2))):
        paths = [path for path in iter_json_paths(json_value) if path]
        if not paths:
            break
        *parents, key = draw(st.sampled_from(paths))
        container = json_value
        for step in parents:
            container = container[step]
        change = draw(
            st.sampled_from(("replace", "replace", "replace", "remove", "rename", "nest"))
        )
        if change == "remove":
            del container[key]
        elif change == "rename" and isinstance(container, dict):
            container[draw(st.sampled_from((f"{key}s", "", "__class__")))] = container.pop(key)
        elif change == "nest":
            for _ in range(draw(st.sampled_from((1, 50, 300)))):
                container[key] = [container[key]]
        else:
            container[key] = copy_json(draw(st.sampled_from(replacements)))
    return json_value


def iter_json_paths(json_value, path=()):
    """Yield the paths of all values in a JSON object, as tuples of keys."""
    yield path
    if isinstance(json_value, dict | list):
        for key in json_value if isinstance(json_value, dict) else range(len(json_value)):
            yield from iter_json_paths(json_value[key], (*path, key))


def copy_json(json_value):
    return json.loads(json.dumps(json_value))


def fill_template(draw, template, fields):
    """Replace each {name} in a template by a string that is drawn from fields[name]."""
    pattern = rf"\{{({'|'.join(fields)})\}}"
    while re.search(pattern, template):
        template = re.sub(pattern, lambda found: draw(st.sampled_from(fields[found[1]])), template)
    return template


def check_exit_codes(codes, max_rejected_share=0.98):
    """Raise AssertionError unless some cases are accepted and some are rejected."""
    assert len(codes) < 20 or 0.02 * len(codes) < codes.count(2) < max_rejected_share * len(
        codes
    ), codes


def read_directory(directory):
    """Return the bytes of files and the targets of links in a directory, except Python's cache."""
    found = {}
    for path in sorted(
        set(Path(directory).rglob("*")) - set(Path(directory).rglob("__pycache__/*"))
    ):
        name = path.relative_to(directory).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


class CommandTimeoutError(BaseException):
    """Raised if a command does not end in time."""


@contextlib.contextmanager
def time_limit(seconds=COMMAND_TIMEOUT):
    """Raise CommandTimeoutError if a block exceeds its time limit or that of an outer block."""

    def interrupt(*_):
        raise CommandTimeoutError

    before, start = signal.signal(signal.SIGALRM, interrupt), time.monotonic()
    outer = signal.alarm(seconds)  # seconds left in the enclosing block, or 0
    signal.alarm(min(seconds, outer or seconds))
    try:
        yield
    finally:
        signal.alarm(max(1, outer - int(time.monotonic() - start)) if outer else 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def cpu_limit(seconds=10):
    """Raise AssertionError if the block takes more CPU time than the limit."""
    start = time.process_time()
    with time_limit():
        yield
    assert time.process_time() - start < seconds


def run_cli(*arguments, exit_codes=(0, 1, 2), env=None, stdin=None):
    """Run a command, and check that it ends in time and without a traceback."""
    arguments = [str(word) for word in arguments]
    with time_limit():
        result = CliRunner().invoke(cli, arguments, prog_name="simgin", env=env, input=stdin)
    if not isinstance(result.exception, SystemExit | None):
        raise AssertionError(arguments) from result.exception
    assert result.exit_code in exit_codes, (arguments, result.output)
    assert "Traceback" not in result.output, (arguments, result.output)
    if result.exit_code == 2:
        assert result.stdout == "" or arguments[0] == "show", (
            arguments
        )  # the output shows the deal up to the error
        lines = result.stderr.splitlines()
        assert lines and all(line.startswith("simgin: ") for line in lines), (
            arguments,
            result.stderr,
        )
        assert lines[-1].endswith((".", "?", "`")) or "with: simgin " in lines[-1], (
            arguments,
            lines,
        )
        assert len(result.stderr) < 20_000, arguments
    elif "--json" in arguments:
        json.loads(result.stdout)
    return result


def run_cli_harmlessly(*arguments, may_write=(), **options):
    """Run a command, and check that it changes only files with the prefixes in `may_write`."""
    before = read_directory(".")
    result = run_cli(*arguments, **options)
    after = read_directory(".")
    for name in before.keys() | after.keys():
        is_same = before.get(name) == after.get(name)
        assert is_same or (result.exit_code != 2 and name.startswith(tuple(may_write))), (
            arguments,
            name,
        )
    return result

"""Hostile input: how many cases of it, of which seed, and the rule that holds for every command.

SIMGIN_FUZZ_CASES and SIMGIN_FUZZ_SEED in the environment replace number and seed.
"""

import contextlib
import json
import os
import random
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

CASES = os.environ.get("SIMGIN_FUZZ_CASES")
SEED = os.environ.get("SIMGIN_FUZZ_SEED", "1")
FEW, MANY = int(CASES or 200), int(CASES or 2000)
PATIENCE = 300  # seconds after which a command hangs, even on a busy machine
VALUES = [
    *(None, True, False, 0, 1, -1, 7, 10**6, 10**13, 2**63, 2**64, 10**40, -(10**40)),
    *(0.0, -0.5, 1.96, 1e300, 1e-300, float("nan"), float("inf")),
    *("", " ", "gold", "deal", "eaai", "../../out", "/etc/passwd", "manifest.json", "5S", "-", "9"),
    *("\0", "\n", "é", "\ud800", "\x1b[2J", "x" * 5000, "<script>alert(1)</script>", "{{ 7 * 7 }}"),
    *([], [None], [[]], [0, 1], [5, 6, 7, 8], [0, 99], ["a"], {}, {"a": 1}, {"": {"": []}}),
]
ODD = [
    *("", " ", "\0", "\n", "\r\n", "\t", "é", "ß", "İ", "10", "🂡", "\u202e", "٣", "½", "±1"),
    *("+", "=", "#", ":", ",", "/", "-", "--", ".", "..", "'", '"', "\\", "$", "%s", "{0}", "[b]"),
    *("`", "nan", "inf", "-1", "0", "1e400", "1e9", "0x10", "2MM", "5m", "50%", "0,10", "10,0"),
    *("9" * 30, "9" * 5000, "x" * 5000, "none", "yes", "mine.py", "mine.toml#club", "~nobody"),
]


def cases(few):
    many = pytest.param(MANY, marks=pytest.mark.slow)
    return pytest.mark.parametrize("n", [int(CASES or few), many])


sizes = cases(FEW)


def fuzz(n, check, *drawn):
    """Check n cases that are drawn, the same ones for the same seed."""
    # To shrink what fails would take minutes
    how = {"deadline": None, "database": None, "phases": [Phase.generate]}
    many = settings(max_examples=n, suppress_health_check=list(HealthCheck), **how)
    with warnings.catch_warnings():
        # That a case is long, which would hide why it fails
        warnings.simplefilter("ignore", HypothesisWarning)
        seed(f"{SEED} {check.__qualname__}")(many(given(*drawn)(check)))()


def generator(name):
    return random.Random(f"{SEED} {name}")


@st.composite
def damaged(draw, content):
    """Bytes or a text with a piece or two put in, replaced or left out; now and then as it was."""
    content = draw(content)
    is_text = isinstance(content, str)
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(content)))
        end = start + draw(st.sampled_from((0, 0, 1, 1, 8, 100, 10**9)))
        piece = draw(st.sampled_from(ODD))
        if not is_text:
            piece = draw(st.just(piece.encode()) | st.binary(max_size=64))
        content = content[:start] + piece + content[end:]
    return content


@st.composite
def changed(draw, value, values=VALUES):
    """A JSON object with a value or two replaced, left out or renamed."""
    value = copied(draw(value))
    for _ in range(draw(st.integers(0, 2))):
        below = [place for place in places(value) if place]
        if not below:
            break
        *above, key = draw(st.sampled_from(below))
        holder = value
        for step in above:
            holder = holder[step]
        how = draw(st.sampled_from(("put", "put", "put", "drop", "name", "nest")))
        if how == "drop":
            del holder[key]
        elif how == "name" and isinstance(holder, dict):
            holder[draw(st.sampled_from((f"{key}s", "", "__class__")))] = holder.pop(key)
        elif how == "nest":
            for _ in range(draw(st.sampled_from((1, 50, 300)))):
                holder[key] = [holder[key]]
        else:
            holder[key] = copied(draw(st.sampled_from(values)))
    return value


def places(value, place=()):
    """The places of all values in a JSON object, as tuples of keys."""
    yield place
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*place, key))


def copied(value):
    """A JSON object of its own: what is put into it twice is not changed twice."""
    return json.loads(json.dumps(value))


def tree(place):
    """Everything below a folder but Python's own: the bytes of files, the targets of links."""
    found = {}
    for path in sorted(set(Path(place).rglob("*")) - set(Path(place).rglob("__pycache__/*"))):
        name = path.relative_to(place).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


class Hang(BaseException):
    """A command that did not end in time."""


@contextlib.contextmanager
def in_time(seconds=PATIENCE):
    """Raise Hang where the block takes longer than a command may."""

    def late(*_):
        raise Hang

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def soon(seconds=10):
    """Check that the block takes few seconds of CPU time, and ends on a busy machine, too."""
    start = time.process_time()
    with in_time():
        yield
    assert time.process_time() - start < seconds


def answer(*words, codes=(0, 1, 2), env=None, stdin=None):
    """The result of a command line, which ends in time, with a code, and no traceback."""
    told = [str(word) for word in words]
    with in_time():
        result = CliRunner().invoke(cli, told, prog_name="simgin", env=env, input=stdin)
    if not isinstance(result.exception, SystemExit | None):
        raise AssertionError(told) from result.exception
    assert result.exit_code in codes, (told, result.output)
    assert "Traceback" not in result.output, (told, result.output)
    if result.exit_code == 2:
        refused(told, result)
    elif "--json" in told:
        json.loads(result.stdout)
    return result


def refused(told, result):
    """Check that a refusal is said in sentences, every line of them of simgin's."""
    assert result.stdout == "" or told[0] == "show", told  # a deal is shown up to the fault
    lines = result.stderr.splitlines()
    assert lines and all(line.startswith("simgin: ") for line in lines), (told, result.stderr)
    ended = lines[-1].endswith((".", "?", "`")) or "with: simgin " in lines[-1]
    assert ended, (told, result.stderr)
    assert len(result.stderr) < 20_000, told


def harmless(*words, writes=(), codes=(0, 1, 2), stdin=None):
    """`answer`, after which nothing here has changed but what begins with one of `writes`."""
    before = tree(".")
    result = answer(*words, codes=codes, stdin=stdin)
    after = tree(".")
    for name in before.keys() | after.keys():
        same = before.get(name) == after.get(name)
        assert same or (result.exit_code != 2 and name.startswith(tuple(writes))), (words, name)
    return result


def flipped(rng, content):
    """Bytes with a bit or some bytes changed, put in or left out, or with the end torn off."""
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        at = rng.randrange(len(content) or 1)
        what = rng.random()
        if what < 0.5 and content:
            content[at] ^= 1 << rng.randrange(8)
        elif what < 0.7:
            content[at : at + rng.choice((0, 8, 64))] = rng.randbytes(rng.choice((1, 8, 64)))
        else:
            del content[at : at + rng.choice((1, 5, 100, 10**9))]
    return bytes(content)

"""Hostile input: how many cases of it, of which seed, and the rule that holds for every command.

Some hundreds of cases of a format by default, ten thousand with `-m slow`. FUZZ_SEED and FUZZ_CASES
in the environment replace the seed and the number.
"""

import contextlib
import json
import os
import random
import signal
from pathlib import Path

import pytest
from click.testing import CliRunner

from simgin.cli.main import cli

SEED = int(os.environ.get("FUZZ_SEED", "1"))
FEW = int(os.environ.get("FUZZ_CASES", "200"))
MANY = int(os.environ.get("FUZZ_CASES", "10000"))
sizes = pytest.mark.parametrize("n", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
PATIENCE = 300  # seconds after which a command hangs, even on a busy machine
VALUES = [
    *(None, True, False, 0, 1, -1, 2, 7, 10**6, 10**13, 2**63, 2**64, 10**40, -(10**40)),
    *(0.0, -0.5, 0.5, 1.96, 1e300, 1e-300, float("nan"), float("inf")),
    *("", " ", "gold", "deal", "eaai", "../../out", "/etc/passwd", "manifest.json", "table.csv"),
    *("\0", "\n", "é", "\ud800", "\x1b[2J", "x" * 5000, "<script>alert(1)</script>", "{{ 7 * 7 }}"),
    *([], [None], [[]], [0, 1], [5, 6, 7, 8], [0, 99], ["a"], {}, {"a": 1}, {"": {"": []}}),
]


# Pieces that texts are damaged with
ODD = [
    *("", " ", "\0", "\n", "\r\n", "\t", "é", "ß", "İ", "10", "🂡", "\udcff", "\u202e"),
    *("+", "=", "#", ":", ",", "/", "-", "--", ".", "'", '"', "\\", "$", "%s", "{0}", "{goal}"),
    *("[b]", "`", "nan", "inf", "-1", "1e9", "0x10", "٣", "9" * 30, "9" * 5000, "x" * 5000),
    *("none", "yes"),
]


def generator(name):
    """The random generator of one format."""
    return random.Random(f"{SEED} {name}")


def mangled(rng, text):
    """A text with a piece or two put in, left out or doubled; now and then as it was."""
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        start, end = sorted(rng.randint(0, len(text)) for _ in range(2))
        changed = (
            text[:start] + rng.choice(ODD) + text[start:],
            text[:start] + text[end:],
            text[:end] + text[start:],
        )
        text = rng.choice(changed)
    return text


def tree(place):
    """Everything below a folder: the bytes of files, the targets of links."""
    found = {}
    for path in sorted(Path(place).rglob("*")):
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


def answer(*words, codes=(0, 1, 2), env=None):
    """The result of a command line, which must end as promised.

    That is: in time, with one of the exit codes, without a traceback, and with a sentence on stderr
    where it is 2.
    """
    told = [str(word) for word in words]
    with in_time():
        result = CliRunner().invoke(cli, told, prog_name="simgin", env=env)
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


def accepted(call, *values):
    """What a function returns; None where it refuses in sentences. Other exceptions pass."""
    try:
        return call(*values)
    except ValueError as error:
        assert type(error).__module__.startswith("simgin."), repr(values)
        said = str(error)
        ended = all(line.rstrip()[-1:] in (".", "?") for line in said.split("\n"))
        assert said and len(said) < 8000 and ended, (values, said)
        return None


def places(value, place=()):
    """The places of all values in a JSON object, as tuples of keys."""
    yield place
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*place, key))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield from places(value[i], (*place, i))


def at(value, place):
    """What stands at a place."""
    for key in place:
        value = value[key]
    return value


def copied(value):
    """A JSON object of its own: what is put into it twice is not changed twice."""
    return json.loads(json.dumps(value))


def mutated(rng, value):
    """A JSON object with a value or two replaced, removed, doubled or renamed."""
    value = copied(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        below = [place for place in places(value) if place]
        if not below:
            break
        place = rng.choice(below)
        holder = at(value, place[:-1])
        key = place[-1]
        what = rng.random()
        if what < 0.6:
            holder[key] = copied(rng.choice(VALUES))
        elif what < 0.75:
            del holder[key]
        elif what < 0.85:
            other = holder[rng.choice(list(holder))] if isinstance(holder, dict) else None
            holder[key] = copied(other)
        elif what < 0.9:
            holder[key] = nested(rng) if len(place) < 50 else None
        elif isinstance(holder, list):
            holder.append(copied(rng.choice([*VALUES, *holder])))
        else:
            holder[rng.choice((f"{key}s", "", "__class__", "seal"))] = holder.pop(key)
    return value


def nested(rng):
    """Lists or objects in one another."""
    value = []
    for _ in range(rng.choice((3, 50, 300, 600))):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


def flipped(rng, content):
    """Bytes with a bit or some bytes changed, put in or left out, or with the end torn off."""
    content = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        at = rng.randrange(len(content))
        what = rng.random()
        if what < 0.5:
            content[at] ^= 1 << rng.randrange(8)
        elif what < 0.65:
            content[at : at + rng.choice((1, 8, 64))] = rng.randbytes(rng.choice((1, 8, 64)))
        elif what < 0.8:
            del content[at : at + rng.choice((1, 5, 100))]
        elif what < 0.9:
            del content[at:]
        else:
            size = rng.choice((1, 64, 4096))
            content[at : at + size] = bytes(len(content[at : at + size]))
        if not content:
            break
    return bytes(content)

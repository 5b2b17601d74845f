"""Strategy files that raise or declare anything when read: a sentence, never a traceback."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from simgin.strategy import compiler, loader
from support.hostile import answer, flipped, generator, sizes

HEAD = "import os, sys\nfrom simgin.strategy import *\nfrom simgin.toolkit import *\n"
SOUND = """
@take(n=param(3, 0, 9, "turns"), w=choice("high", "low"), on=flag(True))
def picks(view, rules, params):
    return count_after(view.hand, view.taken_offer, rules) < view.count
@knock
def ends(view, rules, params):
    return 1
MINE = Strategy("mine", take=picks, knock=ends)
"""
RAISED = [
    *("SystemExit(7)", "GeneratorExit", "BaseException('so')", "MemoryError", "OSError(28, 'so')"),
    *("type('Own', (BaseException,), {})", "type('Own', (Exception,), {'__str__': 7})"),
    *("UnicodeDecodeError('a', b'', 0, 1, 'so')", "NameError('so', name=[])", "KeyError(None)"),
    *("ExceptionGroup('so', [OSError()])", "ValueError('two\\n\\nlines' * 4000)", "SyntaxError"),
    *("click.Abort", "click.exceptions.Exit(0)", "asyncio.CancelledError"),
]
VALUES = [
    *("None", "0", "-1", "2.5", "1e400", "float('nan')", "10**5000", "''", "'x'", "'A b'", "b'x'"),
    *("'\\0'", "'x' * 9999", "'\\ud800'", "()", "[]", "[1]", "{}", "{1: 2}", "len", "object()"),
    *("Strategy", "Policy", "sys", "lambda v, r, p: 1", "type('Odd', (), {'__repr__': 7})()"),
    *("type('Odd', (), {'__eq__': lambda a, b: 1 / 0})()", "range(3)", "Ellipsis", "print", "take"),
    *("type('Odd', (), {'__getattr__': lambda a, b: 1 / 0})()", "memoryview(b'')", "picks", "MINE"),
    *("param(3, 0, 9)", "choice()", "flag(None)", "(yield)"),
]
STATEMENTS = [
    "raise {raised}",
    "sys.exit({value})",
    "X = Strategy({value})",
    "X = Strategy('x', {slot}={value})",
    "X = Strategy('x', ending={value})",
    "X = Strategy('x', about={value}, source={value})",
    "X = Strategy('x', **{{{value}: {value}}})",
    "X = {slot}({value})",
    "X = {slot}(k={value})(picks.function)",
    "X = {slot}(weights={value})(picks.function)",
    "X = {slot}(name={value}, noise={value})(picks.function)",
    "X = Strategy('x', take=picks(n={value}))",
    "X = param({value}, {value}, {value})",
    "X = take(k=param({value}, 0, 9))(picks.function); Y = Strategy('y', take=X)",
    "__doc__ = {value}",
    "__name__ = {value}",
    "os.remove(__file__)",
    "os.remove(__file__); os.mkdir(__file__)",
    "exec('X = lambda v, r, p: 1'); Y = Strategy('y', take=take(X))",
    "sys.modules[__name__] = {value}",
    "def f(): yield {value}\nfor x in f(): x.y",
    "{value}.nothing",
]


def source(rng):
    """A strategy file: a sound one with something hostile before or after it, or damaged."""
    if rng.random() < 0.2:
        return flipped(rng, (HEAD + SOUND).encode())
    lines = []
    for _ in range(rng.choice((1, 1, 2))):
        line = rng.choice(STATEMENTS)
        while "{value}" in line:
            line = line.replace("{value}", rng.choice(VALUES), 1)
        line = line.replace("{raised}", rng.choice(RAISED))
        line = line.replace("{slot}", rng.choice(("take", "discard", "knock", "show", "pick")))
        lines.append(line.replace("{{", "{").replace("}}", "}"))
    hostile = "\n".join(lines) + "\n"
    body = hostile + SOUND if rng.random() < 0.2 else SOUND + hostile
    return (HEAD + "import asyncio, click\n" + body).encode(errors="surrogatepass")


def described(text):
    """All that commands ask of a strategy before it is compiled."""
    strategy = loader.find(text)
    loader.source_digest(strategy)
    loader.parameter_values(strategy)
    loader.policy_texts(strategy)
    for policy in strategy.policies:
        compiler.vector(policy)
        assert policy.about is not None
    return strategy


def read_or_refused(text):
    """Whether a strategy is found; where it is not, a sentence says so."""
    try:
        described(text)
    except ValueError as error:
        assert type(error).__module__.startswith("simgin."), text
        said = str(error)
        assert said.endswith((".", "?")) and "\n" not in said and len(said) < 3000, said
        return False
    return True


@sizes
def test_any_strategy_file_is_read_or_refused(empty_directory, n):
    rng = generator("strategy files")
    modules = set(sys.modules)
    sound = 0
    for i in range(n):
        path = Path(f"s{i}.py")
        path.write_bytes(source(rng))
        found = read_or_refused(str(path))
        sound += found
        if i % 10 == 0:
            told = answer("match", path, "nobody", codes=(2,)).stderr
            assert found or path.name in told
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
    for name in set(sys.modules) - modules:
        if str(name).startswith("simgin_plugin_"):  # a file may name itself with a number
            del sys.modules[name]
    assert n / 20 < sound < 0.7 * n


DECLARED = ["Strategy(None)", "Strategy('x', about=3)", "Strategy('x', take=take(len))"]


@pytest.mark.parametrize("line", [f"raise {raised}" for raised in RAISED] + DECLARED)
def test_a_fault_of_a_file_is_one_sentence_with_its_line(empty_directory, line):
    Path("mine.py").write_text(f"import asyncio, click\nfrom simgin.strategy import *\n{line}\n")
    told = answer("match", "mine.py", codes=(2,)).stderr
    assert told.count("\n") == 1 and "mine.py cannot be read (line 3): " in told
    assert line not in DECLARED or "TypeError: " in told


def test_a_folder_and_a_file_that_vanishes_are_refused(empty_directory):
    Path("folder.py").mkdir()
    Path("gone.py").write_text(HEAD + SOUND + "os.remove(__file__)\n")
    for name in ("folder.py", "gone.py", "nowhere.py", "folder.py/mine.py"):
        told = answer("match", name, "--deals", 10, codes=(2,)).stderr
        assert told.count("\n") == 1 and name in told


WEIGHTS = """
@take(weights="w.npy")
def picks(view, rules, params):
    return params[0] > 0
MINE = Strategy("mine", take=picks)
"""


ARRAYS = (
    *(np.arange(5.0), np.zeros((0, 3)), np.array(3), np.array(["a"]), np.array([1j])),
    *(np.array([None, {}], object), np.zeros(2, [("a", "f8")]), np.array(["2026"], "M8")),
)


def weights(rng, path):
    """A file of numbers: of any type and shape, or damaged."""
    if rng.random() < 0.6:
        with path.open("wb") as file:
            np.save(file, rng.choice(ARRAYS), allow_pickle=True)
    else:
        path.write_bytes(rng.randbytes(rng.choice((0, 1, 10, 200))))
    if rng.random() < 0.5 and path.stat().st_size:
        path.write_bytes(flipped(rng, path.read_bytes()))


@pytest.mark.filterwarnings("ignore")  # numpy's, about what it makes of complex numbers
@sizes
def test_any_file_of_numbers_is_read_or_refused(empty_directory, n):
    rng = generator("weights")
    Path("mine.py").write_text(HEAD + WEIGHTS)
    sound = 0
    for _ in range(n):
        weights(rng, Path("w.npy"))
        sound += read_or_refused("mine.py")
    assert n / 20 < sound < 0.9 * n
    os.remove("w.npy")
    assert not read_or_refused("mine.py")
    os.mkdir("w.npy")
    assert not read_or_refused("mine.py")

"""Strategy files and policies that misbehave: a sentence, never a traceback."""

import sys
from pathlib import Path

import pytest

from simgin.strategy import by_value, compiler, loader
from support.hostile import FEW, MANY, answer, flipped, generator, sizes, tree

HEAD = "import os, sys\nfrom simgin.strategy import *\nfrom simgin.toolkit import *\n"
SOUND = """
@take(n=param(3, 0, 9, "turns"), w=choice("high", "low"), on=flag(True))
def picks(view, rules, params):
    return deadwood_after_taking(view.hand, view.taken_offer, rules) < view.count
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
    strategy = loader.find_strategy(text)
    loader.compute_strategy_digest(strategy)
    loader.collect_parameter_values(strategy)
    loader.format_policies(strategy)
    for policy in strategy.policies:
        compiler.make_parameter_vector(policy)
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
        if isinstance(name, str) and name.startswith("simgin_plugin_"):  # it may be a number
            del sys.modules[name]
    assert n / 20 < sound < 0.7 * n


@pytest.mark.parametrize("name", ["7", "10**5000", "type('Odd', (), {'__repr__': 7})()"])
def test_a_file_and_a_module_that_it_reads_are_called_by_no_text(empty_directory, name):
    calls = f"import types\nM = types.ModuleType('m')\nM.x = 1\n__name__ = M.__name__ = {name}\n"
    Path("mine.py").write_text(HEAD + calls + SOUND.replace("return 1", "return M.x"))
    assert read_or_refused("mine.py")
    answer("match", "mine.py", "--deals", 10, codes=(0, 2))


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


POLICY_HEAD = """
import os, sys, time, functools
import numpy as np
from simgin.strategy import *
from simgin.toolkit import *
LIST, DICT, ARRAY, TEXT = [1, 2], {1: 2}, np.arange(3), "x"
"""
SIGNATURES = [
    *["(view, rules, params)"] * 12,
    *("(view, rules)", "()", "(view, rules, params, more)", "(view, rules, params, more=1)"),
    *("(*args)", "(view, rules, params, *more)", "(view, rules, params, **more)", "(**more)"),
    *("(view, rules, *, params)", "(view, rules, params=None)", "(view, rules, params, /)"),
    *("(self, view, rules, params)", "(rules, view, params)", "(_, __, ___)"),
    *("(view: 'x', rules: 1 / 1, params) -> None", "(view, view_, rules=print)"),
]
LINES = [
    *("return 0", "return 1", "return True", "return None", "return 2.5", "return 'x'", "return"),
    *("return -1", "return 63", "return 64", "return 10**30", "return -2**63", "return 2**63"),
    *("return view", "return rules", "return params", "return (1, 2)", "return [1]", "return {}"),
    *("return view.nothing", "return rules.nothing", "return params.nothing", "return params[0]"),
    *("return mine(view, rules, params)", "return mine", "yield 1", "return (lambda: 1)()"),
    *("raise ValueError('so')", "raise SystemExit(3)", "raise KeyboardInterrupt", "assert False"),
    *("raise BaseException", "raise ValueError('two\\n\\nlines' * 999)", "raise MemoryError"),
    *("view.hand = 0", "rules.knock_limit = 3", "params[0] = 1", "LIST.append(1)", "ARRAY[0] = 9"),
    *("view.history[0, 0] = 3", "del view", "global MORE; MORE = 1", "import os"),
    *("if view.hand == 'x': return 1", "return min([])", "return max(view)", "return len(view)"),
    *("return best_discard(view.hand)", "return best_discard(view, rules, params)"),
    *("return np.linalg.inv(np.zeros((2, 2)))[0, 0]", "return np.zeros(10**13)[0] > 0"),
    *("return sum(range(10**5)) % 2", "return time.time() % 2", "return np.random.rand() < 1"),
    *("x = [[]]; x.append(x); return 0", "try: return 0\n    finally: return 1", "'about'"),
    *("return functools.reduce(lambda a, b: a, [])", "return '\\ud800'", "return view.noise"),
    *("with open(__file__) as file: return 0", "async def f(): pass", "class X: pass"),
]
WRAPPED = [
    *["{definition}"] * 12,
    "{definition}mine = {slot}(lambda view, rules, params: 1)\n",
    "{definition}mine = {slot}({slot}(lambda v, r, p: 1).function)\n",
    "def make():\n    x = object()\n    @{slot}\n    def inner(view, rules, params): return x\n"
    "    return inner\nmine = make()\n",
    "class Mine:\n    def __call__(self, view, rules, params): return 1\nmine = {slot}(Mine())\n",
    "{definition}Z = mine.function\nZ.__code__ = (lambda a, b, c: 7).__code__\n",
    "{definition}Z = mine.function\nZ.__doc__ = 7\nZ.__module__ = None\n",
    "{definition}Z = mine.function\nZ.__globals__.clear\nZ.__defaults__ = (1, 2, 3)\n",
]


def policy_source(rng, lines=LINES):
    """A strategy whose one policy has an odd signature, an odd line or two, or an odd wrapping."""
    slot = rng.choice(("take", "discard", "knock", "show"))
    body = [rng.choice(lines) for _ in range(rng.choice((1, 1, 2)))]
    more = rng.choice(("", "", "", "(noise=True)", "(k=param(1, 0, 9))", "(weights=[1.0])"))
    definition = f"@{slot}{more}\ndef mine{rng.choice(SIGNATURES)}:\n"
    for line in body:
        definition += f"    {line}\n"
    wrapped = rng.choice(WRAPPED).replace("{definition}", definition).replace("{slot}", slot)
    return f"{POLICY_HEAD}{wrapped}MINE = Strategy('mine', {slot}=mine)\n"


def told(result):
    """Check that whatever went wrong is told in lines of simgin's."""
    lines = result.stderr.splitlines()
    assert all(line.startswith("simgin: ") for line in lines), result.stderr
    assert result.exit_code == 0 or lines
    assert len(result.stderr) < 5000


@pytest.mark.parametrize("n", [FEW // 8, pytest.param(MANY, marks=pytest.mark.slow)])
def test_any_policy_is_played_or_refused(empty_directory, monkeypatch, capfd, n):
    monkeypatch.setattr(by_value, "compute_fingerprint", lambda _: "")  # nothing is kept
    rng = generator("policies")
    played = 0
    for i in range(n):
        path = Path(f"s{i}.py")
        text = policy_source(rng)
        path.write_text(text)
        told(answer("strategies", path, "--json"))
        words = rng.choice((["match", path, "--deals", 10], ["show", path, "gold"]))
        result = answer(*words)
        told(result)
        played += result.exit_code == 0
        assert path.read_text() == text
        path.unlink()
        assert tree(".") == {}
    assert n / 20 < played < 0.8 * n
    assert "Traceback" not in "".join(capfd.readouterr())

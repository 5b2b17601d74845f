"""Policies that misbehave when they are compiled or asked: a sentence, never a traceback.

A policy that never answers, or that ends the process, is found by `simgin strategies check`, which
asks it in a process of its own; `match` and `show` run it as part of simgin.
"""

from pathlib import Path

import pytest

from simgin.checks import contract
from simgin.rules.variants import find
from simgin.strategy import live
from support.hostile import FEW, MANY, answer, generator, in_time

HEAD = """
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
    *("return params['x']", "return view.hand", "return view.legal"),
    *("return view.hand[3]", "return 1 // 0", "return 1 / 0"),
    *("return undefined", "return LIST[9]", "return DICT[9]", "return TEXT[9]"),
    *("return mine(view, rules, params)", "return mine", "yield 1", "return (lambda: 1)()"),
    *("raise ValueError('so')", "raise SystemExit(3)", "raise KeyboardInterrupt", "assert False"),
    *("raise BaseException", "raise ValueError('two\\n\\nlines' * 999)", "raise MemoryError"),
    *("view.hand = 0", "rules.knock_limit = 3", "params[0] = 1", "LIST.append(1)", "ARRAY[0] = 9"),
    *("view.history[0, 0] = 3", "del view", "global MORE; MORE = 1", "import os"),
    *("if view.hand == 'x': return 1", "return min([])", "return max(view)", "return len(view)"),
    *("return exec('1')", "return eval('1')", "return int('x')", "return ord('ab')"),
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
    "{definition}mine = {slot}(functools.partial(print))\n",
    "{definition}mine = {slot}({slot}(lambda v, r, p: 1).function)\n",
    "def make():\n    x = object()\n    @{slot}\n    def inner(view, rules, params): return x\n"
    "    return inner\nmine = make()\n",
    "class Mine:\n    def __call__(self, view, rules, params): return 1\nmine = {slot}(Mine())\n",
    "{definition}Z = mine.function\nZ.__code__ = (lambda a, b, c: 7).__code__\n",
    "{definition}Z = mine.function\nZ.__name__ = 'x' * 9999\n",
    "{definition}Z = mine.function\nZ.__doc__ = 7\nZ.__module__ = None\n",
    "{definition}Z = mine.function\nZ.__globals__.clear\nZ.__defaults__ = (1, 2, 3)\n",
]
# What is asked only in a process of its own: it ends or hangs there, or reads beyond an array
ENDINGS = ["os._exit(3)", "os.kill(os.getpid(), 9)", "while True: pass", "time.sleep(999)"]
ENDINGS += ["os.close(1)", "sys.stdout.write('{')", "return params[99]", "return ARRAY[99]"]
ENDINGS += ["return view.history[99999, 9]", "return count_after(view.hand, 99, rules)"]


def source(rng, lines=LINES):
    """A strategy whose one policy has an odd signature, an odd line or two, or an odd wrapping."""
    slot = rng.choice(("take", "discard", "knock", "show"))
    body = [rng.choice(lines) for _ in range(rng.choice((1, 1, 2)))]
    more = rng.choice(("", "", "", "(noise=True)", "(k=param(1, 0, 9))", "(weights=[1.0])"))
    definition = f"@{slot}{more}\ndef mine{rng.choice(SIGNATURES)}:\n"
    for line in body:
        definition += f"    {line}\n"
    wrapped = rng.choice(WRAPPED).replace("{definition}", definition).replace("{slot}", slot)
    return f"{HEAD}{wrapped}MINE = Strategy('mine', {slot}=mine)\n"


def told(result):
    """Check that whatever went wrong is told in lines of simgin's."""
    lines = result.stderr.splitlines()
    assert all(line.startswith("simgin: ") for line in lines), result.stderr
    assert result.exit_code == 0 or lines
    assert len(result.stderr) < 5000


@pytest.mark.parametrize("n", [FEW // 8, pytest.param(MANY, marks=pytest.mark.slow)])
def test_any_policy_is_played_or_refused(empty_directory, monkeypatch, capfd, n):
    monkeypatch.setattr(live, "fingerprint", lambda _: "")  # nothing is kept
    rng = generator("policies")
    played = 0
    for i in range(n):
        path = Path(f"s{i}.py")
        text = source(rng)
        path.write_text(text)
        told(answer("strategies", path, "--json"))
        words = rng.choice((["match", path, "--deals", 10], ["show", path, "gold"]))
        result = answer(*words)
        told(result)
        played += result.exit_code == 0
        assert path.read_text() == text
        path.unlink()
        assert list(Path().iterdir()) == []
    assert n / 20 < played < 0.8 * n
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("n", [FEW // 60, pytest.param(MANY // 40, marks=pytest.mark.slow)])
def test_the_check_ends_whatever_a_policy_does(empty_directory, n):
    rng = generator("checked policies")
    paths = []
    for i in range(n):
        path = Path(f"s{i}.py")
        path.write_text(source(rng, LINES if i % 3 else ENDINGS))
        paths.append(str(path))
    with in_time(60 * n):
        findings = contract.check(paths, [find("standard")], seconds=0.5)
    assert len(findings) == len(contract.CHECKS) * n
    for finding in findings:
        said = finding.sentence
        assert "\n" not in said and "Traceback" not in said and len(said) < 3000, said
        assert finding.passed is True or said.endswith((".", "?")), said
    failed = {finding.strategy for finding in findings if finding.passed is False}
    assert len(failed) > n / 2

"""Damaged and foreign files where compiled code is kept: compiled anew, with the same answers."""

import os
import pickle
import shutil
from pathlib import Path

import pytest

from simgin.core import jit
from simgin.core.view import new_view
from simgin.rules.build import build_rules
from simgin.rules.variants import find_variant
from simgin.strategy import compiler, loader
from support.hostile import FEW, MANY, flipped, generator, in_time, tree

pytestmark = pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")

# An answer that takes much of its code: a bit that is lost shows
MINE = """
from simgin.strategy import Strategy, discard
@discard
def mine(view, rules, params):
    found = 0
    for card in range(52):
        if view.legal >> card & 1:
            found = (31 * found + card) % 1009
    return found
MINE = Strategy("mine", discard=mine)
"""
LEGAL = (0b1011, 1 << 51, 0, (1 << 52) - 1, 0x5A5A5A5A5A5A)


@pytest.fixture
def policy(empty_directory, monkeypatch):
    """A policy that is compiled nowhere yet."""
    monkeypatch.setattr(jit, "cache_directory", lambda: empty_directory / "cache")
    Path("cache").mkdir()
    Path("mine.py").write_text(MINE)
    return loader.find_strategy("mine.py").discard


def played(policy):
    """How many versions were read from disk to answer; every answer must be right."""
    view = new_view()
    rules = build_rules(find_variant("standard"))
    with in_time():
        hook = compiler._compile_uncached(policy)
    for legal in LEGAL:
        view.legal = legal
        answer = policy.function(view, rules, None)
        assert hook(view, rules, compiler.make_parameter_vector(policy)) == answer
    return sum(hook.stats.cache_hits.values())


def files():
    return sorted(path for path in Path("cache").rglob("*.nb?") if path.is_file())


def damage(rng, outside):
    """Damage one of the files, or put something else in its place."""
    path = rng.choice(files())
    content = path.read_bytes()
    if rng.random() < 0.6:
        path.write_bytes(flipped(rng, content))
        return
    path.unlink()
    replacements = (
        lambda: path.write_bytes(b""),
        lambda: path.write_bytes(rng.randbytes(rng.choice((1, 100, 10_000)))),
        lambda: path.write_bytes(pickle.dumps(rng.choice((None, "0.0.0", ["foreign"], 2**70)))),
        lambda: path.write_bytes(pickle.dumps("0.0.0") + content),
        lambda: path.symlink_to(outside),
        lambda: path.symlink_to(path.name),
        lambda: shutil.rmtree(path.parent),
        lambda: None,
    )
    rng.choice(replacements)()


@pytest.mark.parametrize("n", [FEW // 12, pytest.param(MANY, marks=pytest.mark.slow)])
def test_whatever_lies_there_the_answers_are_the_same(policy, n):
    rng = generator("compiled policies")
    Path("outside").mkdir()
    Path("outside/mine.txt").write_text("years of work")
    assert (played(policy), played(policy)) == (0, 1)
    for _ in range(n):
        before = [path.read_bytes() for path in files()]
        damage(rng, Path("outside/mine.txt").absolute())
        is_sound = [path.read_bytes() for path in files() if path.exists()] == before
        assert played(policy) == int(is_sound)
        if not is_sound and played(policy) == 0:  # what cannot be replaced is left as it is
            shutil.rmtree("cache/policies")
            assert (played(policy), played(policy)) == (0, 1)
    assert tree("outside") == {"mine.txt": b"years of work"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_what_may_not_be_read_is_not_loaded(policy):
    played(policy)
    for path in (next(Path("cache").rglob("*.nbc")), *Path("cache/policies").iterdir()):
        mode = path.stat().st_mode
        path.chmod(0)
        assert played(policy) == 0
        path.chmod(mode)

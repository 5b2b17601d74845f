"""Damaged and foreign files where compiled policies are kept: compiled anew, with the same answers.

Machine code that has lost a bit may still run: so nothing is loaded that is not as it was written.
"""

import os
import pickle
import shutil
from pathlib import Path

import pytest
from simgin.strategy.fingerprint import fingerprint

from simgin.core import jit
from simgin.core.view import new_view
from simgin.rules.record import build_rules
from simgin.rules.variants import find
from simgin.strategy import compiler, kept, loader
from support.hostile import FEW, MANY, flipped, generator, in_time, tree

pytestmark = pytest.mark.skipif(jit.interpreted(), reason="nothing is compiled")

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


def expected(legal):
    found = 0
    for card in range(52):
        if legal >> card & 1:
            found = (31 * found + card) % 1009
    return found


@pytest.fixture
def policy(empty_directory, monkeypatch):
    """A policy that is compiled nowhere yet."""
    monkeypatch.setattr(jit, "cache_directory", lambda: empty_directory / "cache")
    Path("cache").mkdir()
    Path("mine.py").write_text(MINE)
    return loader.find("mine.py").discard


def played(policy):
    """How many versions were read from disk to answer; every answer must be right."""
    view = new_view()
    rules = build_rules(find("standard"))
    with in_time():
        hook = compiler._compile(policy)
    for legal in LEGAL:
        view.legal = legal
        assert hook(view, rules, compiler.vector(policy)) == expected(legal)
    return sum(hook.stats.cache_hits.values())


def folder_of(policy):
    return Path("cache", jit.AUTHORS, fingerprint(policy.function))


def contents(folder):
    """What counts of a folder: of seals, that they are there."""
    if folder.is_symlink() or not folder.is_dir():
        return None
    found = tree(folder)
    for name, content in found.items():
        if name.startswith(kept.SEAL) and isinstance(content, bytes):
            found[name] = b""
    return found


def damage(rng, folder, outside):
    """Damage one of the files in a folder, or put something else in its place."""
    path = rng.choice([path for path in sorted(folder.rglob("*")) if path.is_file()])
    content = path.read_bytes()
    what = rng.random()
    if what < 0.6 and content:
        path.write_bytes(flipped(rng, content))
        return
    path.unlink()
    replacements = (
        path.mkdir,
        lambda: path.write_bytes(b""),
        lambda: path.write_bytes(rng.randbytes(rng.choice((1, 100, 10_000)))),
        lambda: path.write_bytes(pickle.dumps(rng.choice((None, "0.0.0", ["foreign"], 2**70)))),
        lambda: path.write_bytes(pickle.dumps("0.0.0") + content),
        lambda: path.symlink_to(outside),
        lambda: path.symlink_to(path.name),
        lambda: os.mkfifo(path),
        lambda: shutil.rmtree(folder),
        lambda: replace_folder(folder, outside),
        lambda: path.with_name("more").write_bytes(content),
        lambda: None,
    )
    rng.choice(replacements)()


def replace_folder(folder, outside):
    """A link or a file instead of the folder."""
    shutil.rmtree(folder)
    if len(folder.name) % 2:
        folder.symlink_to(outside)
    else:
        folder.write_text("no folder")


@pytest.mark.parametrize("n", [FEW // 8, pytest.param(MANY, marks=pytest.mark.slow)])
def test_whatever_lies_there_the_answers_are_the_same(policy, n):
    rng = generator("compiled policies")
    Path("outside").mkdir()
    Path("outside/mine.txt").write_text("years of work")
    assert played(policy) == 0
    folder = folder_of(policy)
    sound = contents(folder)
    for _ in range(n):
        damage(rng, folder, Path("outside").absolute())
        was_sound = contents(folder) == sound
        assert played(policy) == int(was_sound)
        sound = contents(folder)
    assert played(policy) == 1
    assert tree("outside") == {"mine.txt": b"years of work"}


def test_what_was_not_sealed_is_not_loaded(policy):
    """As a kill between the two leaves it, or a stranger who knows no better."""
    played(policy)
    for path in folder_of(policy).glob(f"{kept.SEAL}*"):
        path.unlink()
    assert played(policy) == 0
    assert played(policy) == 1


def test_what_cannot_be_removed_is_not_loaded(policy, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError

    played(policy)
    path = next(folder_of(policy).rglob("*.nbc"))
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    before = tree("cache")
    monkeypatch.setattr(shutil, "rmtree", refuse)
    assert played(policy) == played(policy) == 0
    assert tree("cache") == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_what_may_not_be_read_is_not_loaded(policy):
    played(policy)
    folder = folder_of(policy)
    for path in (next(folder.rglob("*.nbc")), folder, folder.parent):
        mode = path.stat().st_mode
        path.chmod(0)
        assert played(policy) == 0
        path.chmod(mode)

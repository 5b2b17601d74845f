"""Tests of the cache of compiled code and of inlining."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from numba import types

from simgin.core import batch_kernel, jit, numba_cache
from simgin.core.policy_types import POLICY_SIGNATURE
from simgin.play import kernel
from simgin.strategy import compiler, loader

ROOT = Path(__file__).resolve().parents[2]


def run_with_cache(cache, code, **environment):
    """Run code in a new process with the given cache directory, or with that of the tests."""
    cache_settings = {} if cache is None else {"SIMGIN_CACHE_DIR": str(cache)}
    env = {**os.environ, **cache_settings, **environment}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_unwritable_cache_causes_a_warning(tmp_path):
    blocked = tmp_path / "a file"
    blocked.write_text("no directory")
    result = run_with_cache(
        blocked, "from simgin.core.cards import suit_lane; print(suit_lane(5 << 13, 1))"
    )
    assert result.stdout == "5\n"
    assert "SIMGIN_CACHE_DIR" in result.stderr and result.stderr.count("\n") == 1


def test_code_with_bounds_checks_has_a_separate_cache(tmp_path):
    code = """
from simgin.core import jit
from simgin.core.bits import lowest_bit
print(jit.compile_function(lowest_bit.py_func)._cache.cache_path)
engine = jit.compile_function(lowest_bit.py_func, "int64(int64)", is_engine_code=True)
print(engine._cache.cache_path)
"""
    plain_path, engine_path = run_with_cache(tmp_path, code).stdout.splitlines()
    assert plain_path == engine_path
    checked_path, checked_engine_path = run_with_cache(
        tmp_path, code, NUMBA_BOUNDSCHECK="1"
    ).stdout.splitlines()
    assert plain_path != checked_path and checked_engine_path == plain_path


def test_every_compiled_source_is_in_the_digest():
    """Check that cached code is not stale after a change of any compiled file."""
    sources = {path.resolve() for path in jit.list_compiled_sources()}
    for path in (ROOT / "simgin").rglob("*.py"):
        text = path.read_text()
        if "\n@jit\n" in text or ("import jit\n" in text and "@jit" in text):
            assert path.resolve() in sources, f"{path} compiles functions and is not in the digest"


def test_change_of_a_source_changes_the_digest(monkeypatch, tmp_path):
    extra = tmp_path / "more.py"
    extra.write_text("x = 1\n")
    sources = [*jit.list_compiled_sources(), extra]
    monkeypatch.setattr(jit, "list_compiled_sources", lambda: sources)
    before = jit.compute_source_digest.__wrapped__()
    extra.write_text("x = 2\n")
    assert jit.compute_source_digest.__wrapped__() != before


def test_old_cache_directories_are_removed(tmp_path):
    """Check also that directories of other programs remain in a shared folder."""
    foreign_directories = {"documents", "0123", "0123456789abcdef", "f" * 16}
    for name in foreign_directories:
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis.tex").write_text("years of work")
    (tmp_path / "documents" / jit.CACHE_TAG_FILE).write_text(
        jit.CACHE_TAG_CONTENT.replace("simgin", "another")
    )
    os.mkfifo(tmp_path / "0123" / jit.CACHE_TAG_FILE)
    for i in range(8):
        (tmp_path / f"{i:016x}").mkdir()
        (tmp_path / f"{i:016x}" / jit.CACHE_TAG_FILE).write_text(jit.CACHE_TAG_CONTENT)
    for i, path in enumerate(sorted(tmp_path.iterdir())):
        os.utime(path, (i, i))
    result = run_with_cache(
        tmp_path, "from simgin.core import jit; print(jit.get_cache_directory().name)"
    )
    remaining = {path.name for path in tmp_path.iterdir()}
    assert (
        result.stdout.strip() in remaining
        and f"{7:016x}" in remaining
        and f"{0:016x}" not in remaining
    )
    assert len(remaining - foreign_directories) == jit.MAX_CACHE_DIRECTORIES
    assert all((tmp_path / name / "thesis.tex").exists() for name in foreign_directories)


def test_recently_used_cache_directories_are_kept(tmp_path):
    """Create eight caches of other versions of simgin, which could be in use."""
    for i in range(8):
        (tmp_path / f"{i:016x}").mkdir()
        (tmp_path / f"{i:016x}" / jit.CACHE_TAG_FILE).write_text(jit.CACHE_TAG_CONTENT)
    run_with_cache(tmp_path, "from simgin.core import jit; jit.get_cache_directory()")
    assert len([*tmp_path.iterdir()]) == 9


COMPILE_IN_THREADS_CODE = """
import os, sys, threading
from numba.core import config
from simgin.core import jit
from simgin.core.cards import suit_lane
os.chdir("elsewhere")
sys.setswitchinterval(1e-6)
many = lambda: [jit.compile_function(suit_lane.py_func)(5 << 13, 1) for _ in range(40)]
threads = [threading.Thread(target=many) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(os.listdir(), repr(config.CACHE_DIR))
"""


@pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")
@pytest.mark.parametrize("cache", [None, "cache"])
def test_location_of_the_cache_does_not_depend_on_the_directory(tmp_path, monkeypatch, cache):
    """Compile in other threads after the process has changed its directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    result = run_with_cache(Path(cache) if cache else None, COMPILE_IN_THREADS_CODE)
    assert result.stdout == "[] ''\n", result.stderr
    assert cache is None or list(Path(cache).rglob("*.nbc"))


@pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.slow)])
def test_built_in_policies_can_be_cached(step):
    """Check policies one by one, because simgin compiles an uncached policy at every start."""
    for policy in loader.list_policies()[::step]:
        compiled = compiler.compile_policy(policy)
        assert compiled.stats.cache_hits or compiled.stats.cache_misses, policy.name
        assert compiler.find_interpretation_reason(policy) == "", policy.name


@pytest.mark.slow
def test_built_in_policies_return_integers_or_booleans():
    """Check each policy, because numba cannot convert other types."""
    for policy in loader.list_policies():
        compiled = jit.compile_function(
            policy.function, POLICY_SIGNATURE.args, use_cache=False, no_alias=True
        )
        (signature,) = compiled.nopython_signatures
        assert isinstance(signature.return_type, types.Integer | types.Boolean), policy.name


def split_mangled_name(mangled):
    """Split a mangled name into its parts, such as simgin, core, bitboard, ranks_of."""
    parts, rest = [], mangled.removeprefix("_ZN")
    while length := re.match(r"\d+", rest):
        start, size = length.end(), int(length[0])
        parts.append(rest[start : start + size])
        rest = rest[start + size :]
    return parts


@pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")
@pytest.mark.parametrize("n_players", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_only_marked_functions_are_forced_inline(n_players):
    """Check functions compiled as parts of a loop, which inherit its compiler options."""
    play_function = batch_kernel.play_units_solo if n_players == 1 else batch_kernel.play_units
    function = jit.compile_function(play_function, use_cache=False, no_alias=True)
    with (
        numba_cache._nested_compilation()
    ):  # compiled as part of another function: linked, not optimised
        function.compile(kernel.make_batch_kernel_signature(n_players))
    (result,) = function.overloads.values()
    inlined = set()
    for code in result.library._final_module.functions:
        if b"alwaysinline" in list(code.attributes):
            *module_parts, name = split_mangled_name(code.name)
            if module_parts and module_parts[0].startswith("simgin"):
                inlined.add((".".join(module_parts), name))
    assert ("simgin.core.bitboard", "sum_card_values_bitwise") in inlined
    for module, name in inlined:
        function = getattr(__import__(module, fromlist=[name]), name, None)
        assert isinstance(function, numba_cache.LazyDispatcher), name
        assert function.targetoptions.get("forceinline"), name


def test_cache_root_exists_without_a_home_directory(monkeypatch):
    def raise_no_home_directory():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(jit.Path, "home", raise_no_home_directory)
    for name in ("SIMGIN_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert jit.get_cache_root().is_absolute()

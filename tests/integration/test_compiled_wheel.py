"""Tests of the wheel with compiled code, which is installed into a separate environment."""

import hashlib
import json
import os
import resource
import subprocess
import sys

import pytest

from simgin.core import jit, shipped_code
from support.deal_digests import compute_digests
from support.installation import build_from_copy, install_wheel

MATCH = ("match", "gold", "simple", "--deals", "2k", "--seed", "1", "--workers", "1")
CODE = ("compiled", "manifest.json")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled"),
    pytest.mark.skipif(not shipped_code._is_cpu_supported(), reason="needs an x86-64-v3 CPU"),
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Build the wheel, and install it into a virtual environment."""
    place = tmp_path_factory.mktemp("compiled")
    words = "-m pip wheel -q --no-deps --no-build-isolation -w dist .".split()
    build_from_copy(place / "checkout", *words, SIMGIN_PRECOMPILE="1")
    (wheel,) = (place / "checkout" / "dist").glob("*.whl")
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert f"-{version}-{version}-" in wheel.name and "x86_64" in wheel.name
    install_wheel(wheel, place / "venv")
    return place / "venv"


def package_of(environment):
    (package,) = environment.glob("lib/python*/site-packages/simgin")
    return package


def content_of(package):
    """Return the digests of all files of a package."""
    files = [path for path in package.rglob("*") if path.is_file()]
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in files}


def play(environment, cache, **variables):
    """Play a match, and return its output, the messages and the CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [environment / "bin" / "simgin", *MATCH],
        cwd=cache.parent,
        env={**os.environ, "SIMGIN_CACHE_DIR": str(cache), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, done.stderr, seconds


def compiled_files(cache):
    return list(cache.rglob("*.nb?"))


def test_the_first_match_compiles_nothing_and_is_as_fast_as_the_second(environment, tmp_path):
    cache = tmp_path / "cache"
    content = content_of(package_of(environment))
    first, messages, seconds = play(environment, cache)
    assert messages == "" and not compiled_files(cache)
    second, messages, seconds_of_second = play(environment, cache)
    assert (second, messages) == (first, "")
    print(f"CPU time of the first match: {seconds:.2f} s, of the second: {seconds_of_second:.2f} s")
    assert seconds < 2 * seconds_of_second
    assert content_of(package_of(environment)) == content


def test_every_strategy_plays_as_code_for_this_processor_does(environment, tmp_path):
    shipped = compute_digests(environment / "bin" / "python", SIMGIN_CACHE_DIR=str(tmp_path))
    assert not compiled_files(tmp_path)
    assert shipped == compute_digests(sys.executable)


def corrupt(package):
    for path in package.glob("compiled/**/*.nb?"):
        path.write_bytes(path.read_bytes()[:-1])


def require_other_numba(package):
    path = package.joinpath(*CODE)
    manifest = json.loads(path.read_text())
    manifest["versions"]["numba"] = "0.1"
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "variables", "problem"),
    [
        (corrupt, {}, "precompiled code is corrupt"),
        (require_other_numba, {}, "requires numba 0.1, but numba"),
        (lambda _: None, {"NUMBA_CPU_NAME": "x86-64"}, "numba compiles for x86-64."),
    ],
)
def test_code_that_does_not_fit_is_compiled_with_one_notice(
    environment, tmp_path, change, variables, problem
):
    expected = play(environment, tmp_path / "other")[0]
    package = package_of(environment)
    saved = {path: path.read_bytes() for path in package.glob("compiled/**/*.*") if path.is_file()}
    try:
        change(package)
        content = content_of(package)
        output, messages, _ = play(environment, tmp_path / "cache", **variables)
        assert content_of(package) == content
    finally:
        for path, before in saved.items():
            path.write_bytes(before)
    assert output == expected and compiled_files(tmp_path / "cache")
    assert messages.count("\n") == 1 and "compiling" in messages and problem in messages


def test_an_unwritable_cache_is_not_mentioned_if_nothing_is_compiled(environment, tmp_path):
    cache = tmp_path / "file"
    cache.write_text("")
    assert play(environment, cache)[1] == ""

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
from support.installation import install_wheel, run_python_in_copy

MATCH_COMMAND = ("match", "gold", "simple", "--deals", "2k", "--seed", "1", "--workers", "1")
COMPILED_MANIFEST_PATH_PARTS = ("compiled", "manifest.json")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled"),
    pytest.mark.skipif(not shipped_code._is_cpu_supported(), reason="needs an x86-64-v3 CPU"),
]


@pytest.fixture(scope="module")
def virtual_environment(tmp_path_factory):
    """Build the wheel, and return a virtual environment in which it is installed."""
    directory = tmp_path_factory.mktemp("compiled")
    arguments = "-m pip wheel -q --no-deps --no-build-isolation -w dist .".split()
    run_python_in_copy(directory / "checkout", *arguments, SIMGIN_PRECOMPILE="1")
    (wheel,) = (directory / "checkout" / "dist").glob("*.whl")
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert f"-{version}-{version}-" in wheel.name and "x86_64" in wheel.name
    install_wheel(wheel, directory / "venv")
    return directory / "venv"


def find_simgin_package(virtual_environment):
    """Return the directory of simgin in a virtual environment."""
    (package,) = virtual_environment.glob("lib/python*/site-packages/simgin")
    return package


def hash_files(package):
    """Return the digest of each file of a package."""
    files = [path for path in package.rglob("*") if path.is_file()]
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in files}


def play_match(virtual_environment, cache, **variables):
    """Play a match; return its output, its messages and its CPU time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.run(
        [virtual_environment / "bin" / "simgin", *MATCH_COMMAND],
        cwd=cache.parent,
        env={**os.environ, "SIMGIN_CACHE_DIR": str(cache), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert process.returncode == 0, process.stderr
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return process.stdout, process.stderr, seconds


def list_compiled_files(cache):
    return list(cache.rglob("*.nb?"))


def test_first_match_compiles_nothing_and_is_fast(virtual_environment, tmp_path):
    cache = tmp_path / "cache"
    content = hash_files(find_simgin_package(virtual_environment))
    first, messages, seconds = play_match(virtual_environment, cache)
    assert messages == "" and not list_compiled_files(cache)
    second, messages, seconds_of_second = play_match(virtual_environment, cache)
    assert (second, messages) == (first, "")
    print(f"CPU time of the first match: {seconds:.2f} s, of the second: {seconds_of_second:.2f} s")
    assert seconds < 2 * seconds_of_second
    assert hash_files(find_simgin_package(virtual_environment)) == content


def test_precompiled_and_native_code_play_identical_deals(virtual_environment, tmp_path):
    shipped = compute_digests(
        virtual_environment / "bin" / "python", SIMGIN_CACHE_DIR=str(tmp_path)
    )
    assert not list_compiled_files(tmp_path)
    assert shipped == compute_digests(sys.executable)


def truncate_compiled_files(package):
    for path in package.glob("compiled/**/*.nb?"):
        path.write_bytes(path.read_bytes()[:-1])


def require_other_numba_version(package):
    path = package.joinpath(*COMPILED_MANIFEST_PATH_PARTS)
    manifest = json.loads(path.read_text())
    manifest["versions"]["numba"] = "0.1"
    path.write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("change", "variables", "problem"),
    [
        (truncate_compiled_files, {}, "precompiled code is corrupt"),
        (require_other_numba_version, {}, "requires numba 0.1, but numba"),
        (lambda _: None, {"NUMBA_CPU_NAME": "x86-64"}, "numba compiles for x86-64."),
    ],
)
def test_unusable_precompiled_code_is_replaced_with_one_notice(
    virtual_environment, tmp_path, change, variables, problem
):
    expected = play_match(virtual_environment, tmp_path / "other")[0]
    package = find_simgin_package(virtual_environment)
    saved = {path: path.read_bytes() for path in package.glob("compiled/**/*.*") if path.is_file()}
    try:
        change(package)
        content = hash_files(package)
        output, messages, _ = play_match(virtual_environment, tmp_path / "cache", **variables)
        assert hash_files(package) == content
    finally:
        for path, before in saved.items():
            path.write_bytes(before)
    assert output == expected and list_compiled_files(tmp_path / "cache")
    assert messages.count("\n") == 1 and "compiling" in messages and problem in messages


def test_unwritable_cache_is_not_mentioned_if_nothing_is_compiled(virtual_environment, tmp_path):
    cache = tmp_path / "file"
    cache.write_text("")
    assert play_match(virtual_environment, cache)[1] == ""

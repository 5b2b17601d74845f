"""Tests of the compiled code in the package, which is used only if it is intact."""

import importlib.util
import json
from pathlib import Path

import pytest
from numba.core import config
from numba.core.registry import cpu_target

from simgin.core import jit, shipped_code

ROOT = Path(__file__).resolve().parents[2]
COMPILER_VERSIONS = shipped_code.get_compiler_versions()
CORRUPTION_MESSAGE = shipped_code.CORRUPTION_MESSAGE
pytestmark = pytest.mark.skipif(jit.is_interpreted(), reason="nothing is compiled")


def square(x):
    return x * x


def clear_caches():
    """Clear the cached manifest and the list of corrupt files."""
    shipped_code.load_code_manifest.cache_clear()
    shipped_code.explain_unused_code.cache_clear()
    shipped_code._corrupt_files.clear()


def count_compilations():
    """Load a function as a new process does, and return how often it was compiled."""
    clear_caches()
    function = jit.compile_function(square, "int64(int64)")
    assert function(7) == 49
    return sum(function.stats.cache_misses.values())


def describe_shipped_code_problem():
    return shipped_code.describe_shipped_code_problem(jit.compute_source_digest())


@pytest.fixture
def shipped_package(tmp_path, monkeypatch):
    """Write a compiled function as `.ci/compile.py` writes the code of a wheel for this CPU."""
    spec = importlib.util.spec_from_file_location("compile", ROOT / ".ci" / "compile.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    native = cpu_target.target_context.codegen().magic_tuple()
    monkeypatch.setattr(shipped_code, "magic_tuple", lambda: native)
    monkeypatch.setattr(shipped_code, "_is_cpu_supported", lambda: True)
    monkeypatch.setattr(jit, "get_cache_directory", lambda: tmp_path / "first")
    assert (count_compilations(), describe_shipped_code_problem()) == (1, "")
    script.write_compiled_package(tmp_path / "compiled")
    monkeypatch.setattr(shipped_code, "COMPILED_CODE_DIRECTORY", tmp_path / "compiled")
    monkeypatch.setattr(jit, "get_cache_directory", lambda: tmp_path / "second")
    yield tmp_path / "compiled"
    monkeypatch.undo()
    clear_caches()


def make_truncating_change(pattern):
    """Return a function that removes the last byte of all files that match a pattern."""

    def change_package(shipped_package):
        for path in shipped_package.rglob(pattern):
            path.write_bytes(path.read_bytes()[:-1])

    return change_package


def make_manifest_change(**parts):
    """Return a function that changes parts of the manifest."""

    def change_package(shipped_package):
        path = shipped_package / shipped_code.MANIFEST_FILE_NAME
        path.write_text(json.dumps(json.loads(path.read_text()) | parts))

    return change_package


def read_file_contents(shipped_package):
    return {path: path.read_bytes() for path in shipped_package.rglob("*.*") if path.is_file()}


@pytest.mark.parametrize(
    ("change_package", "problem"),
    [
        (lambda shipped_package: (shipped_package / shipped_code.MANIFEST_FILE_NAME).unlink(), ""),
        (make_truncating_change("*.nbc"), CORRUPTION_MESSAGE),
        (make_truncating_change("*.nbi"), CORRUPTION_MESSAGE),
        (make_truncating_change("*.json"), CORRUPTION_MESSAGE),
        (make_manifest_change(versions=None), CORRUPTION_MESSAGE),
        (make_manifest_change(sources="other"), "source files of simgin were modified."),
        (
            make_manifest_change(versions={**COMPILER_VERSIONS, "numba": "0.1"}),
            "requires numba 0.1, but numba",
        ),
    ],
)
def test_unusable_shipped_code_is_compiled_again(shipped_package, change_package, problem):
    change_package(shipped_package)
    before = read_file_contents(shipped_package)
    assert count_compilations() == 1
    assert problem in describe_shipped_code_problem() and bool(problem) == bool(
        describe_shipped_code_problem()
    )
    assert count_compilations() == 0  # The cache of the user contains the code.
    assert read_file_contents(shipped_package) == before


def test_intact_code_is_loaded_without_a_copy(shipped_package):
    before = read_file_contents(shipped_package)
    assert (count_compilations(), describe_shipped_code_problem()) == (0, "")
    assert (
        read_file_contents(shipped_package) == before
        and not (shipped_package.parent / "second").exists()
    )


def test_code_is_loaded_without_a_writable_cache(shipped_package, monkeypatch, capfd):
    monkeypatch.setattr(jit, "get_cache_directory", lambda: None)
    assert count_compilations() == 0
    assert capfd.readouterr().err == ""


def test_forged_file_is_not_unpickled(shipped_package, tmp_path):
    for path in shipped_package.rglob("*.nb?"):
        path.write_bytes(b"cpathlib\nPath.touch\n(cpathlib\nPath\n(Vowned\ntRtR.")
    assert (count_compilations(), describe_shipped_code_problem()) == (1, CORRUPTION_MESSAGE)


@pytest.mark.parametrize(
    ("name", "features", "is_supported"),
    [("x86-64-v3", "", True), ("x86-64", None, False), (None, "-avx2", False)],
)
def test_cpu_support_follows_the_settings_of_numba(monkeypatch, name, features, is_supported):
    monkeypatch.setattr(config, "CPU_NAME", name)
    monkeypatch.setattr(config, "CPU_FEATURES", features)
    assert shipped_code._is_cpu_supported() is is_supported


def test_cpu_without_an_instruction_set_is_not_supported(monkeypatch):
    monkeypatch.setattr(config, "CPU_NAME", None)
    features = dict.fromkeys(shipped_code.MINIMUM_CPU_FEATURES, True)
    monkeypatch.setattr(shipped_code.llvm, "get_host_cpu_features", lambda: features)
    assert shipped_code._is_cpu_supported()
    features["bmi2"] = False
    assert not shipped_code._is_cpu_supported()

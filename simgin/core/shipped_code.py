"""Compiled code that a wheel contains, so that the first command need not compile.

`.ci/compile.py` writes the code and a manifest. The manifest lists the versions that the code
requires, and the digest of every file. Because the files contain pickles and machine code, simgin
reads a file only if its digest matches, and never writes to the package. If the code does not match
the installed versions, the sources or the CPU, simgin compiles as if the package contained no code.
"""

import contextlib
import hashlib
import json
import sysconfig
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import binding as llvm
from numba.core import config
from numba.core.caching import IndexDataCacheFile

COMPILED_CODE_DIRECTORY = Path(__file__).resolve().parents[1] / "compiled"
MANIFEST_FILE_NAME = "manifest.json"
# supported by most Intel CPUs since 2013, and by all AMD Ryzen and EPYC CPUs
MINIMUM_CPU = "x86-64-v3"
MINIMUM_CPU_FEATURES = """avx avx2 bmi bmi2 crc32 cx16 f16c fma lzcnt movbe popcnt sahf sse3
sse4.1 sse4.2 ssse3 xsave""".split()
CORRUPTION_MESSAGE = "The precompiled code is corrupt. To repair it, reinstall simgin."

_corrupt_files: set[str] = set()


def get_compiler_versions() -> dict[str, str]:
    """Return the versions that determine the format of compiled code.

    numba distinguishes only the first two numbers of a NumPy version.
    """
    return {
        "Python": str(sysconfig.get_config_var("SOABI")),
        "numba": numba.__version__,
        "NumPy": ".".join(np.__version__.split(".")[:2]),
    }


def magic_tuple() -> tuple[str, str, str]:
    """Return the processor part of a cache key in the format of numba's `magic_tuple`."""
    return llvm.get_process_triple(), MINIMUM_CPU, ""


@cache
def load_code_manifest() -> dict[str, Any] | None:
    """Return the manifest of the compiled code, or None if the package contains no such code.

    Raises:
        ValueError: If the file is corrupt.
    """
    try:
        return dict(json.loads((COMPILED_CODE_DIRECTORY / MANIFEST_FILE_NAME).read_bytes()))
    except FileNotFoundError:
        return None


@cache
def explain_unused_code(source_digest: str) -> str | None:
    """Return the reason why simgin does not use the compiled code in the package, or None.

    Args:
        source_digest: Digest of the compiled sources.

    Returns:
        A sentence, or None if the code is used, or "" if the package contains no code.
    """
    try:
        manifest = load_code_manifest()
        return "" if manifest is None else _find_incompatibility(manifest, source_digest)
    except (OSError, ValueError, LookupError, TypeError):
        return CORRUPTION_MESSAGE


def _find_incompatibility(manifest: dict[str, Any], source_digest: str) -> str | None:
    """Return the reason why the compiled code of a manifest cannot be used, or None."""
    for name, installed in get_compiler_versions().items():
        if (required := manifest["versions"][name]) != installed:
            return (
                f"The precompiled code requires {name} {required}, but {name} {installed} is "
                "installed."
            )
    if manifest["sources"] != source_digest:
        return "The precompiled code is not used, because source files of simgin were modified."
    if not _is_cpu_supported():
        name = config.CPU_NAME or llvm.get_host_cpu_name()
        return f"The precompiled code is for {MINIMUM_CPU} CPUs, but numba compiles for {name}."
    return None


def describe_shipped_code_problem(source_digest: str) -> str:
    """Return the reason why simgin does not use all precompiled code of the package, or ""."""
    return explain_unused_code(source_digest) or (CORRUPTION_MESSAGE if _corrupt_files else "")


def _is_cpu_supported() -> bool:
    """Return True if numba would generate code for a CPU that can execute the compiled code."""
    if config.CPU_NAME is not None:
        return bool(config.CPU_NAME == MINIMUM_CPU)
    features = llvm.get_host_cpu_features()
    return config.CPU_FEATURES is None and all(features.get(name) for name in MINIMUM_CPU_FEATURES)


class ShippedCacheFile(IndexDataCacheFile):  # type: ignore[misc]
    """Cache files of a function whose compiled code is part of the package."""

    def __init__(self, folder: Path, filename_base: str) -> None:
        super().__init__(str(COMPILED_CODE_DIRECTORY / folder), filename_base, "")

    def _load_index(self) -> Any:
        return super()._load_index() if _is_intact(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        return super()._load_data(name) if _is_intact(self._data_path(name)) else None


def _is_intact(path: str) -> bool:
    """Return True if a file has the digest that the manifest states."""
    manifest = load_code_manifest()
    expected = manifest and manifest["files"].get(
        Path(path).relative_to(COMPILED_CODE_DIRECTORY).as_posix()
    )
    if expected is None:
        return False
    with contextlib.suppress(OSError):
        if hashlib.sha256(Path(path).read_bytes()).hexdigest() == expected:
            return True
    _corrupt_files.add(path)
    return False

"""Compiled policies of authors on disk: what is not as it was written is removed.

Machine code that has lost a bit may still run, and play something else. So each folder of
`simgin.core.jit` gets an empty file named after a digest of all that was written there. Several
processes may write the same folder at once: each leaves such a file behind, and any of them will
do.
"""

import contextlib
import hashlib
import shutil
from pathlib import Path

from simgin.core import jit

SEAL = "sealed-"  # how the name of such a file begins


def prepare(key: str) -> bool:
    """Whether the folder that a key names can be used: empty, or sound and read as it is.

    What is damaged or foreign is removed; False if that cannot be done.
    """
    folder = _folder(key)
    if folder is None:
        return False
    with contextlib.suppress(OSError):
        if _is_sound(folder):
            return True
        _remove(folder)
    return not folder.is_symlink() and not folder.exists()


def seal(key: str) -> None:
    """Note what now lies in the folder that a key names."""
    folder = _folder(key)
    if folder is None:
        return
    with contextlib.suppress(OSError):  # without one it is compiled again
        _seal_of(folder).touch()


def _folder(key: str) -> Path | None:
    directory = jit.cache_directory()
    return directory and directory / jit.AUTHORS / key


def _is_sound(folder: Path) -> bool:
    return not folder.is_symlink() and folder.is_dir() and _seal_of(folder).is_file()


def _seal_of(folder: Path) -> Path:
    """The file that says that all others in a folder are sound. OSError if one cannot be read."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.name.startswith(SEAL) or path.is_dir():
            continue
        content = b"" if path.is_symlink() or not path.is_file() else path.read_bytes()
        name = path.relative_to(folder).as_posix()
        about = f"{name} {len(content)} "
        digest.update(about.encode(errors="replace"))
        digest.update(content)
    return folder / f"{SEAL}{digest.hexdigest()[:16]}"


def _remove(folder: Path) -> None:
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink(missing_ok=True)
    else:
        shutil.rmtree(folder)

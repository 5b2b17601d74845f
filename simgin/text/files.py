"""Files that people name, read; and files written beside their place and moved into it.

So a reader finds the whole file or none.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WRITING = ".simgin-writing-"  # how the name of an incomplete file begins


class NewFileError(ValueError):
    """A file that cannot be created; the message is a sentence with the remedy."""


def read_text(path: Path) -> str:
    """The text of a UTF-8 file. OSError also for a device, whose end may never come."""
    if path.is_char_device() or path.is_block_device():
        raise OSError(errno.EINVAL, "it is a device, not a file")
    return path.read_text(encoding="utf-8")


@contextmanager
def replacing(path: Path, writer: str = "") -> Iterator[Path]:
    """A path beside `path` to write to, moved to `path` at the end and removed if the block fails.

    What a killed process leaves behind is overwritten the next time. `writer` is part of the
    name: give one of its own to each process that may write the same file at the same time.
    """
    incomplete = path.with_name(f"{WRITING}{writer}{path.name}")
    try:
        yield incomplete
        os.replace(incomplete, path)
    finally:
        incomplete.unlink(missing_ok=True)


def write_file(path: Path, content: bytes) -> None:
    """Write a file, in place of an earlier one if there is one. Folders are made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as incomplete:
        incomplete.write_bytes(content)


def create_file(path: Path, text: str) -> None:
    """Write a new UTF-8 file. Raises NewFileError, and writes nothing, if `path` exists."""
    if os.path.lexists(path):
        raise NewFileError(f"{path} already exists and was not changed; name another file.")
    try:
        with replacing(path) as incomplete:
            incomplete.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, error.strerror) from None


def check_file(path: Path) -> None:
    """Raise NewFileError unless `path` may be written: before long work, not at its end."""
    if not path.parent.is_dir():
        raise _unwritable(path, f"there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise _unwritable(path, f"no permission to write to {path.parent}")


def _unwritable(path: Path, reason: str | None) -> NewFileError:
    return NewFileError(
        f"{path} cannot be written: {reason}; name a file in a folder you can write to."
    )


def plain_name(file: Path) -> str:
    """The name of a file in a-z, 0-9 and -, as a strategy or variant may have it; may be empty."""
    return re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")

"""Reading of files that users name, and atomic writing.

Input files are untrusted: simgin reads only regular files of limited size, never a pipe or a device
that might not end. Output files are written under a temporary name and moved into place, so that a
reader finds either the complete file or none.
"""

import codecs
import errno
import json
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from simgin.text.messages import quote_text

INCOMPLETE_PREFIX = ".simgin-writing-"  # prefix of the names of incomplete files
MAX_FILE_BYTES = 1 << 26  # per file
# UTF-32 comes before UTF-16 because its byte order mark begins with that of UTF-16
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


class NewFileError(ValueError):
    """Error for a file that cannot be created; the message states the problem and the fix."""


def read_bytes(path: Path, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of a file.

    Args:
        path: A regular file.
        max_bytes: Maximum number of bytes.

    Raises:
        OSError: If the file cannot be read, is not a regular file, or is larger than the maximum.
    """
    with open(path, "rb", opener=_open_regular) as file:
        content = file.read(max_bytes + 1) or b""  # None if reading would block
    if len(content) > max_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {max_bytes >> 20} MiB", str(path))
    return content


def read_text(path: Path, max_bytes: int = MAX_FILE_BYTES, errors: str = "strict") -> str:
    """Return the content of a text file in UTF-8 or in the encoding of its byte order mark.

    Args:
        path: A regular file.
        max_bytes: Maximum number of bytes.
        errors: Handling of invalid bytes, as for `bytes.decode`.

    Raises:
        OSError: As in `read_bytes`.
        UnicodeDecodeError: If the text is invalid and `errors` is "strict".
    """
    content = read_bytes(path, max_bytes)
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors)
    return content.decode(errors=errors)


def parse_json(text: str) -> Any:
    """Parse JSON.

    Raises:
        JSONDecodeError: If it is invalid, is nested too deeply, or contains a number of thousands
            of digits.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError):
        reason = "nested too deep, or a number of thousands of digits"
        raise json.JSONDecodeError(reason, "", 0) from None


def has_suffix(name: object, *suffixes: str) -> bool:
    """Return True if a file name has one of the suffixes, regardless of case."""
    return str(name).lower().endswith(suffixes)


def _open_regular(path: str, flags: int) -> int:
    """Open a regular file without blocking, as the `opener` of `open`."""
    kind = stat.S_IFMT(os.stat(path).st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFDIR):  # opening a directory fails with a clear error
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # some files in /proc block


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` at the end; it is removed on failure.

    The temporary name is random, so that an attacker cannot place a link there. An existing file at
    `path` is never opened.
    """
    incomplete = path.with_name(f"{INCOMPLETE_PREFIX}{secrets.token_hex(8)}")
    file = incomplete.open("xb")
    try:
        with file:
            yield file
        os.replace(incomplete, path)
    finally:
        incomplete.unlink(missing_ok=True)


def write_file(path: Path, content: bytes) -> None:
    """Write a file and its parent folders; replace an existing file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(content)


def create_file(path: Path, text: str) -> None:
    """Write a new UTF-8 file.

    Raises:
        NewFileError: If `path` exists or cannot be written; no file is changed.
    """
    if os.path.lexists(path):
        raise NewFileError(f"{path} already exists and was not changed; name another file.")
    try:
        with atomic_write(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise _unwritable_error(path, error.strerror) from None


def check_writable(path: Path, marker: bytes = b"", command: str = "") -> None:
    """Raise NewFileError unless a file can be written; for use before long computations.

    Args:
        path: The file to write later.
        marker: Bytes that an existing file must contain to be replaced.
        command: The command that writes such files, for the error message.
    """
    if not path.parent.is_dir():
        raise _unwritable_error(path, f"there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise _unwritable_error(path, f"no permission to write to {path.parent}")
    if marker and path.exists() and marker not in read_bytes(path):
        raise NewFileError(f"{path} exists, and no {command} wrote it; name another file.")


def describe_encoding_error(name: str) -> str:
    """Return an error message for a name that is not valid UTF-8; empty if it is valid.

    Python represents bytes that the encoding of the locale cannot decode as lone surrogates.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        plain = name.encode(errors="replace").decode()
    else:
        return ""
    try:
        readable = name.encode(errors="surrogateescape").decode()
    except UnicodeError:
        return f"{quote_text(plain)} is not UTF-8 text; use another name"
    locale = f"the encoding of your locale, {sys.getfilesystemencoding()}"
    return f"{quote_text(readable)} cannot be written in {locale}; set PYTHONUTF8=1"


def _unwritable_error(path: Path, reason: str | None) -> NewFileError:
    """Return the error for a file that cannot be written."""
    return NewFileError(
        f"{path} cannot be written: {reason}; name a file in a folder you can write to."
    )


def slugify(file: Path) -> str:
    """Return a file name in a-z, 0-9 and -, as in names of strategies; can be empty."""
    return re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")

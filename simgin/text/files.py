"""Files that people name, read; and files written beside their place and moved into it.

What is read may come from anybody: only whole files of bounded size are, never a pipe or a device,
whose end may never come. Of what is written a reader finds the whole file or none.
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

from simgin.text.messages import quoted

WRITING = ".simgin-writing-"  # how the name of an incomplete file begins
MOST_BYTES = 1 << 26  # of a file
# How texts of other programs begin; the mark of UTF-32 begins with that of UTF-16
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


class NewFileError(ValueError):
    """A file that cannot be created; the message is a sentence with the remedy."""


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file. OSError also for what is no file, or holds more bytes than `most`."""
    with open(path, "rb", opener=_open_regular) as file:
        content = file.read(most + 1) or b""  # None where it would have to wait
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MiB", str(path))
    return content


def read_text(path: Path, most: int = MOST_BYTES, errors: str = "strict") -> str:
    """Read a text file in UTF-8, or in the encoding that its byte order mark names.

    errors: what to do with bytes that are no text, as for `bytes.decode`. Raises OSError as
    `read_bytes` does.
    """
    content = read_bytes(path, most)
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors)
    return content.decode(errors=errors)


def parse_json(text: str) -> Any:
    """Parse JSON; JSONDecodeError also for deep nesting and numbers of thousands of digits."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError):
        reason = "nested too deep, or a number of thousands of digits"
        raise json.JSONDecodeError(reason, "", 0) from None


def has_ending(name: object, *endings: str) -> bool:
    """Return whether the name of a file ends in one of these, in small letters or capitals."""
    return str(name).lower().endswith(endings)


def _open_regular(path: str, flags: int) -> int:
    """Open a file as `open` does, but no pipe or device, and wait neither here nor in reading."""
    kind = stat.S_IFMT(os.stat(path).st_mode)
    if kind not in (stat.S_IFREG, stat.S_IFDIR):  # a directory has an error of its own
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # some files of /proc wait


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file beside `path` to write to, moved to `path` at the end and removed if that fails.

    Nobody can guess its name and lay a link there; and what is there already is never opened.
    """
    incomplete = path.with_name(f"{WRITING}{secrets.token_hex(8)}")
    file = incomplete.open("xb")
    try:
        with file:
            yield file
        os.replace(incomplete, path)
    finally:
        incomplete.unlink(missing_ok=True)


def write_file(path: Path, content: bytes) -> None:
    """Write a file, in place of an earlier one if there is one. Folders are made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content)


def create_file(path: Path, text: str) -> None:
    """Write a new UTF-8 file. Raises NewFileError, and writes nothing, if `path` exists."""
    if os.path.lexists(path):
        raise NewFileError(f"{path} already exists and was not changed; name another file.")
    try:
        with replacing(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise _unwritable(path, error.strerror) from None


def check_file(path: Path, mark: bytes = b"", by: str = "") -> None:
    """Raise NewFileError unless `path` may be written: before long work, not at its end.

    mark: what a file holds that may be replaced, since a command like this one, `by`, wrote it.
    """
    if not path.parent.is_dir():
        raise _unwritable(path, f"there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise _unwritable(path, f"no permission to write to {path.parent}")
    if mark and path.exists() and mark not in read_bytes(path):
        raise NewFileError(f"{path} exists, and no {by} wrote it; name another file.")


def encoding_fault(name: str) -> str:
    """Return what keeps a name from being UTF-8 text, with the remedy; empty if it is.

    Python hands over bytes that the locale's encoding does not have as halves of characters.
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
        return f"{quoted(plain)} is not UTF-8 text; use another name"
    locale = f"the encoding of your locale, {sys.getfilesystemencoding()}"
    return f"{quoted(readable)} cannot be written in {locale}; set PYTHONUTF8=1"


def _unwritable(path: Path, reason: str | None) -> NewFileError:
    return NewFileError(
        f"{path} cannot be written: {reason}; name a file in a folder you can write to."
    )


def plain_name(file: Path) -> str:
    """The name of a file in a-z, 0-9 and -, as a strategy or variant may have it; may be empty."""
    return re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")

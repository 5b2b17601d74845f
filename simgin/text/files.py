"""Safe reading of input files and atomic writing of output files.

Because input files are untrusted, simgin reads only regular files of limited size, not pipes or
devices, which might not end. Output files are written under a temporary name and then renamed, so
that readers never see an incomplete file.
"""

import codecs
import errno
import json
import os
import re
import secrets
import stat
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from simgin.text.messages import SimginError, quote_text

MAX_DIRECTORY_NAME_LENGTH = 80  # Windows limits whole paths to 260 characters by default.
# replacements of letters that are not replaced by their base letters
TRANSLITERATIONS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d"}
)
INCOMPLETE_FILE_PREFIX = ".simgin-writing-"  # prefix of the names of incomplete files
MAX_FILE_BYTES = 1 << 26  # maximum size of an input file, in bytes
# UTF-32 comes before UTF-16, because the UTF-32 byte order mark begins with the UTF-16 byte order
# mark.
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


class NewFileError(SimginError):
    """Exception for a file that cannot be created, with a message that suggests a fix."""


def read_bytes(path: Path, max_bytes: int = MAX_FILE_BYTES) -> bytes:
    """Return the contents of a file as bytes.

    Args:
        path: A regular file.
        max_bytes: Maximum number of bytes.

    Raises:
        OSError: If the file cannot be read, is not a regular file, or exceeds the maximum size.
    """
    with open(path, "rb", opener=_open_regular_file) as file:
        content = file.read(max_bytes + 1) or b""  # read() returns None if it would block.
    if len(content) > max_bytes:
        raise OSError(errno.EFBIG, f"the file is larger than {max_bytes >> 20} MiB", str(path))
    return content


def read_text(path: Path, max_bytes: int = MAX_FILE_BYTES, errors: str = "strict") -> str:
    """Return the text of a file, decoded as UTF-8 or according to its byte order mark.

    Args:
        path: A regular file.
        max_bytes: Maximum number of bytes.
        errors: Handling of invalid bytes, as in `bytes.decode`.

    Raises:
        OSError: As in `read_bytes`.
        UnicodeDecodeError: If the text is invalid and `errors` is "strict".
    """
    content = read_bytes(path, max_bytes)
    for byte_order_mark, encoding in BYTE_ORDER_MARKS.items():
        if content.startswith(byte_order_mark):
            return content[len(byte_order_mark) :].decode(encoding, errors)
    return content.decode(errors=errors)


def parse_json(text: str) -> Any:
    """Parse a JSON string.

    Raises:
        JSONDecodeError: If the text is invalid, is nested too deeply, or contains a number with
            thousands of digits.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError):
        reason = "nested too deeply, or a number that is too long"
        raise json.JSONDecodeError(reason, "", 0) from None


def has_suffix(name: object, *suffixes: str) -> bool:
    """Return True if a file name ends with one of the suffixes, ignoring case."""
    return str(name).lower().endswith(suffixes)


def _open_regular_file(path: str, flags: int) -> int:
    """Open a regular file without blocking, as an `opener` for the function `open`."""
    file_type = stat.S_IFMT(os.stat(path).st_mode)
    if file_type not in (stat.S_IFREG, stat.S_IFDIR):  # Opening a directory raises a clear error.
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # Some files in /proc block open().


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` on success and is deleted on failure.

    The temporary name is random, so that an attacker cannot place a link at that path. An existing
    file at `path` is replaced without being opened.
    """
    incomplete_path = path.with_name(f"{INCOMPLETE_FILE_PREFIX}{secrets.token_hex(8)}")
    file = incomplete_path.open("xb")
    try:
        with file:
            yield file
        os.replace(incomplete_path, path)
    finally:
        incomplete_path.unlink(missing_ok=True)


def write_file(path: Path, content: bytes) -> None:
    """Write or replace a file, and create its parent folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(content)


def create_file(path: Path, text: str) -> None:
    """Write a new UTF-8 file, or raise an error if the file exists.

    Raises:
        NewFileError: If `path` already exists or cannot be written. In this case, no file is
            changed.
    """
    if os.path.lexists(path):
        raise NewFileError(f"{path} already exists and was not changed. Choose another file.")
    try:
        with atomic_write(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise _make_unwritable_error(path, error.strerror) from None


def check_writable(path: Path, required_content: bytes = b"") -> None:
    """Raise NewFileError if the output file of a long computation cannot be written.

    Args:
        path: File that will be written later.
        required_content: Bytes that an existing file must contain to be replaced.
    """
    if not path.parent.is_dir():
        raise _make_unwritable_error(path, f"the folder {path.parent} does not exist")
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise _make_unwritable_error(path, f"no permission to write to {path.parent}")
    if required_content and path.exists() and required_content not in read_bytes(path):
        raise NewFileError(
            f"{path} already exists and was not written by this command. Choose another file."
        )


def describe_encoding_error(name: str) -> str:
    """Return an error message if a name is not valid UTF-8, otherwise "".

    Python represents bytes that it cannot decode as lone surrogates.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        replaced_name = name.encode(errors="replace").decode()
    else:
        return ""
    try:
        readable_name = name.encode(errors="surrogateescape").decode()
    except UnicodeError:
        return f"{quote_text(replaced_name)} is not valid UTF-8. Use another name"
    encoding = sys.getfilesystemencoding()
    return f"{quote_text(readable_name)} is not valid in your locale ({encoding}). Set PYTHONUTF8=1"


def _make_unwritable_error(path: Path, reason: str | None) -> NewFileError:
    """Return the error for a file that cannot be written."""
    return NewFileError(
        f"{path} cannot be written ({reason}). Specify a file in a folder that you can write to."
    )


def make_directory_name(text: str) -> str:
    """Return the default name of the directory for a request, such as `odds-solitary-gin`."""
    return slugify(text, "=")[:MAX_DIRECTORY_NAME_LENGTH].rstrip("-")


def slugify(text: str, other_characters: str = "") -> str:
    """Convert a text to a name that consists of a-z, 0-9, - and the given other characters.

    Letters with accents are transliterated, for example `ü` to `ue` and `é` to `e`.
    """
    composed_text = unicodedata.normalize("NFC", text.lower()).translate(TRANSLITERATIONS)
    letters = "".join(
        character
        for character in unicodedata.normalize("NFKD", composed_text)
        if not unicodedata.combining(character)
    )
    return re.sub(f"[^a-z0-9{re.escape(other_characters)}]+", "-", letters).strip("-")

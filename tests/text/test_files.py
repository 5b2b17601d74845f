"""Files of others: whatever lies at a path, reading it ends, and writing harms nothing there."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

import pytest

from simgin.text import files
from support.hostile import in_time

KINDS = {
    "pipe": os.mkfifo,
    "link to a pipe": lambda path: (os.mkfifo(f"{path}-"), path.symlink_to(f"{path}-")),
    "link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "circle": lambda path: path.symlink_to(path),
    "folder": Path.mkdir,
    "large": lambda path: path.write_bytes(b"x" * 1001),
}


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_regular_file_of_bounded_size_is_read(tmp_path, kind):
    KINDS[kind](tmp_path / "mine")
    for read in (files.read_bytes, files.read_text):
        with pytest.raises(OSError) as error:
            read(tmp_path / "mine", 1000)
        assert error.value.strerror and error.value.filename
    (tmp_path / "link").symlink_to(__file__)
    assert files.read_text(tmp_path / "link") == Path(__file__).read_text()


def test_what_lies_where_a_file_is_written_is_never_opened(tmp_path, monkeypatch):
    mine = tmp_path / "mine.txt"
    mine.write_text("years of work")
    for name in ("new.py", "1234-new.py", "1234"):
        (tmp_path / f"{files.WRITING}{name}").symlink_to(mine)
    files.create_file(tmp_path / "new.py", "pass")
    monkeypatch.setattr(secrets, "token_hex", lambda _: "1234")  # as if it were guessed
    for write in (files.create_file, lambda path, text: files.write_file(path, text.encode())):
        with pytest.raises((OSError, files.NewFileError), match="File exists"):
            write(tmp_path / "second.py", "pass")
    assert mine.read_text() == "years of work" and not (tmp_path / "second.py").exists()


def test_a_new_file_is_readable_as_others_are(tmp_path):
    (tmp_path / "plain").touch()
    files.write_file(tmp_path / "new", b"x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "plain"]


def test_a_regular_file_whose_end_never_comes_is_read_as_far_as_it_goes():
    with in_time(10), suppress(OSError):  # who may not open it is refused
        files.read_bytes(Path("/proc/kmsg"))

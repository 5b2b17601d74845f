"""Tests of reading and writing files safely."""

import json
import os
import secrets
from contextlib import suppress
from pathlib import Path

import pytest

from simgin.text import files
from support.hostile import time_limit

CREATE_BY_FILE_TYPE = {
    "pipe": os.mkfifo,
    "link to a pipe": lambda path: (os.mkfifo(f"{path}-"), path.symlink_to(f"{path}-")),
    "link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "circle": lambda path: path.symlink_to(path),
    "folder": Path.mkdir,
    "large": lambda path: path.write_bytes(b"x" * 1001),
}


@pytest.mark.parametrize("file_type", CREATE_BY_FILE_TYPE)
def test_special_and_large_files_are_rejected(tmp_path, file_type):
    CREATE_BY_FILE_TYPE[file_type](tmp_path / "mine")
    for read in (files.read_bytes, files.read_text):
        with pytest.raises(OSError) as error:
            read(tmp_path / "mine", 1000)
        assert error.value.strerror and error.value.filename
    (tmp_path / "link").symlink_to(__file__)
    assert files.read_text(tmp_path / "link") == Path(__file__).read_text()


ENCODINGS_WITH_MARK = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")


@pytest.mark.parametrize("encoding", ENCODINGS_WITH_MARK)
def test_byte_order_mark_determines_the_encoding(tmp_path, encoding):
    text = "7\u2665 \u2013 \U0001f0a1\n"
    mark = "\ufeff" if encoding.endswith(("le", "be")) else ""
    (tmp_path / "mine").write_text(mark + text, encoding=encoding)
    assert files.read_text(tmp_path / "mine") == text
    (tmp_path / "mine").write_bytes((tmp_path / "mine").read_bytes()[:-1] + b"\xff\xff")
    with pytest.raises(UnicodeDecodeError):
        files.read_text(tmp_path / "mine")
    assert files.read_text(tmp_path / "mine", errors="replace").startswith("7\u2665 ")


@pytest.mark.parametrize("text", ["9" * 5000, "[" * 100_000, "{", "\x00"])
def test_invalid_json_raises_a_decode_error(text):
    with pytest.raises(json.JSONDecodeError):
        files.parse_json(text)
    assert files.parse_json('{"a": [1, null]}') == {"a": [1, None]}


def test_suffix_is_case_insensitive():
    assert files.has_suffix("MINE.PY", ".py") and files.has_suffix(Path("a.Log"), ".txt", ".log")
    assert not files.has_suffix("mine.py.txt", ".py") and not files.has_suffix("py", ".py")


def test_existing_links_are_not_followed_when_writing(tmp_path, monkeypatch):
    user_file = tmp_path / "mine.txt"
    user_file.write_text("years of work")
    for name in ("new.py", "1234-new.py", "1234"):
        (tmp_path / f"{files.INCOMPLETE_FILE_PREFIX}{name}").symlink_to(user_file)
    files.create_file(tmp_path / "new.py", "pass")
    monkeypatch.setattr(secrets, "token_hex", lambda _: "1234")  # as if it were guessed
    for write_new in (files.create_file, lambda path, text: files.write_file(path, text.encode())):
        with pytest.raises((OSError, files.NewFileError), match="File exists"):
            write_new(tmp_path / "second.py", "pass")
    assert user_file.read_text() == "years of work" and not (tmp_path / "second.py").exists()


def test_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "plain").touch()
    files.write_file(tmp_path / "new", b"x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "plain"]


def test_endless_file_is_read_only_up_to_the_limit():
    with time_limit(10), suppress(OSError):  # who may not open it is refused
        files.read_bytes(Path("/proc/kmsg"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("../Meine Spieler/Neuer Größter.py", "meine-spieler-neuer-groesster-py"),
        ("Stra\N{COMBINING DIAERESIS}sse", "straesse"),
        ("Çà_et_là Ærø łódź naïve groß", "ca-et-la-aero-lodz-naive-gross"),
        ("standard+gin_bonus=30", "standard-gin-bonus=30"),
    ],
)
def test_names_derived_from_text_contain_transliterated_letters(text, name):
    assert files.slugify(text, "=") == name


def test_directory_name_is_short_and_keeps_equals_signs():
    assert files.make_directory_name("odds-Größter+gin_bonus=30") == "odds-groesster-gin-bonus=30"
    assert files.make_directory_name("a" * 79 + "-b") == "a" * 79

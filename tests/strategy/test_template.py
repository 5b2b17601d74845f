"""`simgin strategies new` never overwrites a file; checks/test_contract.py plays what it writes."""

from pathlib import Path

import pytest

from simgin.strategy import compiler, loader, strategy_template
from simgin.text.files import NewFileError, create_file

SLOTS = ("take", "discard", "knock")


def test_a_new_strategy_is_named_after_its_file_or_as_asked(tmp_path: Path) -> None:
    for file, name, found in (("My idea 2.py", None, "my-idea-2"), ("_.py", "tidy", "tidy")):
        path = tmp_path / file
        create_file(path, strategy_template.strategy_file(path, name))
        strategy = loader.find(str(path))
        assert strategy.name == found
        assert {compiler.tier(strategy.policy(slot)) for slot in SLOTS} == {"fast"}


@pytest.mark.parametrize(
    ("file", "name", "message"),
    [
        ("there.py", None, "already exists and was not changed"),
        ("mine.txt", None, "must end in .py: try .*mine.txt.py"),
        ("none/mine.py", None, "cannot be written: No such file or directory; name"),
        ("there.py/mine.py", None, "cannot be written: Not a directory; name"),
        ("_.py", None, "'' cannot be the name of a strategy: names consist of a-z, 0-9 and -"),
        ("mine.py", "My Idea", "'My Idea' cannot be .*; give one after the file"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_in_a_sentence(
    tmp_path: Path, file: str, name: str | None, message: str
) -> None:
    (tmp_path / "there.py").write_text("mine")
    with pytest.raises(NewFileError, match=message) as raised:
        create_file(tmp_path / file, strategy_template.strategy_file(tmp_path / file, name))
    assert "\n" not in str(raised.value)
    assert (tmp_path / "there.py").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1

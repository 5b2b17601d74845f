"""`simgin strategies new` writes a file that plays at once and never overwrites another.

That the file passes the contract test is checked in checks/test_contract.py.
"""

from pathlib import Path

import numpy as np
import pytest

from simgin.play import kernel
from simgin.play.matchup import Matchup
from simgin.rules import variants
from simgin.strategy import compiler, loader, template
from simgin.text.files import NewFileError, create_file


def test_a_new_strategy_file_plays_at_once(tmp_path: Path) -> None:
    file = tmp_path / "My idea 2.py"
    create_file(file, template.strategy_file(file))
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    strategy = loader.find(str(file))
    assert strategy.name == "my-idea-2"
    rows = kernel.play(
        Matchup(variants.find("standard"), strategy, loader.find("gold"), 1, "deal"), 0, 100
    )
    assert isinstance(rows, np.ndarray) and rows.any()
    assert {compiler.tier(strategy.policy(slot)) for slot in ("take", "discard", "knock")} == {
        "fast"
    }


def test_a_new_strategy_can_be_named(tmp_path: Path) -> None:
    create_file(tmp_path / "_.py", template.strategy_file(tmp_path / "_.py", "tidy"))
    assert loader.find(str(tmp_path / "_.py#tidy")).name == "tidy"


@pytest.mark.parametrize(
    ("file", "name", "message"),
    [
        ("there.py", None, "already exists and was not changed"),
        ("mine.txt", None, "must end in .py: try .*mine.txt.py"),
        ("mine", None, "must end in .py"),
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
        create_file(tmp_path / file, template.strategy_file(tmp_path / file, name))
    assert "\n" not in str(raised.value)
    assert (tmp_path / "there.py").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1

"""The figures of tests/measure_house.py count a toy tree and keep to their limits here."""

from pathlib import Path

import pytest

from measure_house import MEASURES, House, Measure, markdown, plain, table
from support.value_walk import walk

ROOT = Path(__file__).resolve().parents[1]
TOY = {
    "simgin/__init__.py": "",
    "simgin/rules.py": '''"""Rules (RULES.md 3.4; docs/rules.md, docs/nowhere.md)."""


class Variant:
    text: str


def find(text) -> Variant:
    words = text
    return Variant(words)


def of(row):
    """Of seed 003: RULES is a name, RULES 3 is a citation."""
    # a comment is no code
    return row["goal"] == "points"
''',
    "simgin/run.py": '''from simgin import rules as games
from simgin import plots
from simgin import portrait


class Cell:
    variant: str
    seed: int


def play(names, seed):
    cells = [Cell(games.find(name), seed) for name in names]
    return kept(cells)


def kept(cells):
    for cell in cells:
        print(cell.variant, cell.seed)
    figure = plots.lengths(portrait.lengths(cells), seed=1)
    return "a line that is long" + "''' + "x" * 80 + '''"
''',
    "simgin/portrait.py": "def lengths(cells):\n    return cells\n",
    "simgin/plots/__init__.py": "from simgin.plots.length import lengths\n",
    "simgin/plots/length.py": "def lengths(frame, *, seed) -> Figure:\n    return frame\n",
    "simgin/commands/review.py": '''from simgin.run import play


def review(variants, output):
    play(variants, 1)
''',
    "simgin/traits.py": 'TRAITS = (Trait("length", "turns_sd", "spread"), '
    'Trait("length", "turns", "turns"))\n',
    "docs/rules.md": "`turns_sd` is explained, and written of in STRATEGIES 2.\n",
    "tests/rooms.toml": '[rooms]\nrules = []\nrun = ["rules", "cli"]\ncli = ["*"]\n',
}  # fmt: skip
FOUND = {
    "top_files": 5,
    "largest_folder": 5,
    "allowed_arrows": 4,
    "upward_arrows": 1,
    "functions_called_of": 1,
    "renamed_imports": 1,
    "unresolved_citations": 5,
    "files_of_a_goal": 1,
    "files_of_a_picture": 4,
    "files_of_a_review_metric": 2,
}


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> House:
    root = tmp_path_factory.mktemp("toy")
    for name, text in TOY.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return House(root)


@pytest.fixture(scope="module")
def here() -> House:
    return House(ROOT)


def key(measure: Measure) -> str:
    return measure.measure.__name__


@pytest.mark.parametrize("measure", [one for one in MEASURES if key(one) in FOUND], ids=key)
def test_what_is_planted_is_found(toy: House, measure: Measure) -> None:
    assert measure.measure(toy) == FOUND[key(measure)]


def test_docstrings_and_comments_are_no_code(toy: House) -> None:
    rules = next(source for source in toy.sources if source.path.name == "rules.py")
    assert rules.code_lines == {4, 5, 8, 9, 10, 13, 16}


def test_nodes_and_long_lines_are_shares(tmp_path: Path) -> None:
    (tmp_path / "simgin").mkdir()
    text = 'def f():\n    """Said."""\n\n    # why\n    return 1\n\n\nx = ' + "1" * 100 + "\n"
    (tmp_path / "simgin" / "a.py").write_text(text)
    house = House(tmp_path)
    figures = {key(measure): measure for measure in MEASURES}
    assert figures["long_lines"].measure(house) == 20  # of five lines that are not blank
    # function, arguments, expression, its constant, return, its constant; on two lines of code
    assert figures["nodes_a_line"].measure(house) == 3


def test_the_walk_knows_every_name_of_a_value(toy: House) -> None:
    way = walk(toy.package, "simgin.commands.review.review", "variants")
    assert way.all_names == {
        *("variants", "names", "name", "text", "words", "variant", "cells", "cell"),
        *("frame", "figure"),
    }
    assert {place.removeprefix("simgin.") for place in way.places} == {
        *("commands.review.review", "run.play", "run.kept", "run.Cell"),
        *("rules.find", "rules.Variant", "portrait.lengths", "plots.length.lengths"),
    }


def test_the_table_has_a_column_for_every_house(toy: House) -> None:
    lines = table({"before": toy, "now": toy})
    assert lines[0] == ["", "before", "now", "at most"]
    assert lines[1] == ["files at the top of `simgin/`", "5", "5", "5"]
    assert markdown(lines).splitlines()[1] == "|---|--:|--:|--:|"
    assert len(plain(lines).splitlines()) == len(MEASURES) + 1


LIMITED = [measure for measure in MEASURES if measure.limit is not None]


@pytest.mark.parametrize("measure", LIMITED, ids=key)
def test_no_figure_passes_its_limit(here: House, measure: Measure) -> None:
    assert measure.limit is not None
    assert measure.measure(here) <= measure.limit

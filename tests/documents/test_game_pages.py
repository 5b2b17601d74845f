"""The pages of the games: none is missing, what comes from the rows is up to date, and the numbers are what their commands print."""

import re
from pathlib import Path

import pytest

from simgin.rules import record, variants
from simgin.stats import metrics
from support.pages_script import make

DOCS = Path(__file__).resolve().parents[2] / "docs"
GAMES = DOCS / "reference" / "games"
NAMES = variants.names()
PAGES = sorted(GAMES.glob("*.md"))
HEADINGS = ["Rules", "Parameters", "Interpretations", "Results", "Version history"]
QUESTIONS = {
    "X": 12,
    "000": 17,
    "001": 12,
    "002": 14,
    "003": 44,
    "004": 16,
}  # how many each source has raised
COMMANDS = sorted({text for page in PAGES for text in re.findall(r"-v ([^` ]+)", page.read_text())})


def test_every_game_has_a_page_and_every_page_a_game() -> None:
    assert {page.stem for page in PAGES} == {*NAMES, "README"}


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_its_parts_in_their_order(name: str) -> None:
    text = (GAMES / f"{name}.md").read_text()
    assert text.startswith(f"# {variants.find(name).title}\n")
    assert re.findall(r"^## (.*)$", text, re.M) == HEADINGS
    assert f"<!-- rows: {name} -->" in text
    assert re.search(rf"<!-- table: \S+ {name}( [a-z0-9-]+)? -->", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_comes_from_the_rows_is_up_to_date(page: Path) -> None:
    assert make.filled(page, ("rows",)) == page.read_text()


def test_the_metrics_are_those_of_the_table() -> None:
    page = DOCS / "reference" / "metrics.md"
    assert make.filled(page, ("metrics",)) == page.read_text()
    assert re.findall(r"^\| `(\w+)` \| [12]", page.read_text(), re.M) == [
        metric.name for metric in metrics.METRICS
    ]


def test_every_metric_that_is_documented_has_its_own_words() -> None:
    """No two metrics of a unit are made from the same words, unless one is the other for one player."""
    made = [
        (metric.unit, make._definition(metric)[3:5])
        for metric in metrics.METRICS
        if metric.name not in ("win", "score")
    ]
    assert len(set(made)) == len(made)


@pytest.mark.parametrize("name", NAMES)
def test_the_index_has_every_game(name: str) -> None:
    assert (
        f"| {' | '.join(make.facts(variants.find(name)))} | " in (GAMES / "README.md").read_text()
    )


def test_every_question_is_answered_on_some_page() -> None:
    answered = [
        number
        for page in PAGES
        for number in re.findall(r"^\| (\w+-\d+) \|", page.read_text(), re.M)
    ]
    assert sorted(answered) == sorted(
        f"{source}-{i + 1}" for source, count in QUESTIONS.items() for i in range(count)
    )


@pytest.mark.parametrize("text", [text for text in COMMANDS if text not in NAMES])
def test_what_is_named_instead_is_a_game_and_another_one(text: str) -> None:
    other = variants.find(text)
    record.build(other)
    assert variants.difference(variants.find(text.partition("+")[0]), other)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_tables_are_what_the_script_measures(page: Path) -> None:
    assert make.filled(page, make.KINDS) == page.read_text()

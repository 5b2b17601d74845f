"""The variant pages: every variant has one, and what is generated is up to date."""

import re
from pathlib import Path

import pytest

from simgin.rules import variants
from simgin.rules.build import build_rules
from simgin.stats import metrics
from support.pages_script import games
from support.pages_script import metrics as blocks

DOCS = Path(__file__).resolve().parents[2] / "docs"
GAMES = DOCS / "reference" / "games"
NAMES = variants.names()
PAGES = sorted(GAMES.glob("*.md"))
HEADINGS = ["Rules", "Parameters", "Interpretations", "Results", "Version history"]
# How many questions each source raises
QUESTIONS = {"X": 12, "000": 17, "001": 12, "002": 14, "003": 44, "004": 16}
COMMANDS = {text for page in PAGES for text in re.findall(r"-v ([^` ]+)", page.read_text())}


def test_every_variant_has_a_page_and_every_page_a_variant() -> None:
    assert {page.stem for page in PAGES} == {*NAMES, "README"}


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_page_has_its_headings_in_order(name: str) -> None:
    text = (GAMES / f"{name}.md").read_text()
    assert text.startswith(f"# {variants.find(name).title}\n")
    assert re.findall(r"^## (.*)$", text, re.M) == HEADINGS
    assert f"<!-- rows: {name} -->" in text
    assert re.search(rf"<!-- table: \S+ {name}( [a-z0-9-]+)? -->", text)
    facts = " | ".join(games.facts(variants.find(name)))
    assert f"| {facts} | " in (GAMES / "README.md").read_text()


def test_every_metric_stands_in_the_table() -> None:
    told = re.findall(r"^\| `(\w+)` \| [12]", (DOCS / "reference/metrics.md").read_text(), re.M)
    assert told == [metric.name for metric in metrics.METRICS]


def test_every_metric_has_its_own_definition() -> None:
    """Two metrics of a unit share a definition only if one is the other's one-player form."""
    own = [metric for metric in metrics.METRICS if metric.name not in ("win", "score")]
    made = [(metric.unit, blocks.definition(metric)[3:5]) for metric in own]
    assert len(set(made)) == len(made)


def test_every_question_on_the_rules_is_answered_on_some_page() -> None:
    text = "".join(page.read_text() for page in PAGES)
    asked = [f"{source}-{i + 1}" for source, count in QUESTIONS.items() for i in range(count)]
    assert sorted(re.findall(r"^\| (\w+-\d+) \|", text, re.M)) == sorted(asked)


def test_composed_variants_on_the_pages_differ_from_their_bases() -> None:
    for text in COMMANDS - set(NAMES):
        other = variants.find(text)
        build_rules(other)
        assert variants.difference(variants.find(text.partition("+")[0]), other), text

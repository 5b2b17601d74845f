"""The pages on variants, metrics, reviews and plots agree with the code, and miss nothing."""

import re
from pathlib import Path

import pytest

from simgin import plots
from simgin.review import players, review_request, rule_metrics, solo_metrics
from simgin.review.review_request import read_request
from simgin.rules import variants
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


QUOTED = ("how-to/reviews.md", "reference/rule-metrics.md", "reference/plots.md")
REVIEWS, RULE_METRICS, PLOTS = ((DOCS / name).read_text() for name in QUOTED)
TOLD = {1: solo_metrics.SOLO_METRICS, 2: rule_metrics.RULE_METRICS}


def rows(text: str, block: str) -> list[list[str]]:
    """The cells of the table in a block, without its head."""
    inner = text.split(f"<!-- {block} -->")[1].split("<!-- end -->")[0]
    lines = [line for line in inner.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


@pytest.mark.parametrize("players", [1, 2])
def test_every_review_metric_is_described_once_in_its_own_whole_sentences(players: int) -> None:
    found = rows(RULE_METRICS, f"traits: {players}")
    assert {len(row) for row in found} == {5}
    told = [(row[0], row[1].strip("`"), bool(row[3])) for row in found]
    assert told == [(one.heading, one.key, one.deep) for one in TOLD[players]]
    assert len({one.key for one in TOLD[players]}) == len(told)
    assert all(one.meaning.endswith(".") for one in TOLD[players])
    words = [row[2] for row in found]
    assert all(words) and len(set(words)) == len(words)


def test_every_plot_is_described_and_every_plot_of_a_review_is_shown() -> None:
    found = rows(PLOTS, "plots")
    assert {row[0].strip("`") for row in found} | {"png", "svg"} == set(plots.__all__)
    assert all(row[1] for row in found)
    pictures = re.findall(r"!\[[^\]]+\]\(\S*/plots/(\S+)\.png\)", REVIEWS)
    expected = "differences endings turns points deadwood knock knock_matrix scores ladder league"
    assert {name.partition("-")[0] for name in pictures} >= {*expected.split(), "convergence"}


def test_the_page_states_what_a_review_plays() -> None:
    played = REVIEWS.split("## What is played")[1].split("## How to read")[0]
    two, alone = (read_request([name], None, deep=True) for name in ("standard", "solitaire-gin"))
    for name in (*players.FIELD, *players.WEAK, "marjj"):
        assert f"`{name}`" in played
    field = {*players.FIELD, *players.WEAK, "marjj"}
    assert set(two.players) - {players.strongest_quick()} == field
    assert f"{review_request.MATCHES_ALONE:,} matches each" in played
    assert alone.matches == review_request.MATCHES_ALONE * review_request.DEEPER
    assert f"{review_request.MATCHES:,} matches of every pair" in REVIEWS
    assert f"({review_request.MOST_HANDS:,} at most)" in played
    assert (
        review_request.SINGLES / review_request.HANDS == 1 / 4
    )  # "a quarter of one for every match"
    # "ten for every match", "a hundred times as many"
    assert (review_request.SINGLES, review_request.DEEPER) == (10, 100)

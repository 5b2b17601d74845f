"""The pages on reviews and plots agree with the code, and every command shown can be read."""

import re
import shlex
from pathlib import Path

import pytest

from simgin import plots
from simgin.review import players, review_request, rule_metrics, solo_metrics
from simgin.review.review_request import read_request

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("how-to/reviews.md", "reference/rule-metrics.md", "reference/plots.md")
REVIEWS, RULE_METRICS, PLOTS = ((DOCS / name).read_text() for name in PAGES)
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


def test_the_commands_name_variants_that_can_be_compared() -> None:
    (block,) = re.findall(r"```\n(simgin review .*?)```", REVIEWS, re.S)
    commands = [shlex.split(line.partition("   ")[0])[2:] for line in block.splitlines()]
    assert len(commands) == 4
    for words in commands:
        assert words[-2] == "-o"
        against = words[words.index("--against") + 1] if "--against" in words else None
        names = words[: words.index("--against") if against else words.index("-o")]
        asked = read_request(names, against)
        assert len(asked.variants) == len(names) + (against is not None)


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

"""The documentation is correct: tables agree with the code, examples run and links resolve."""

import inspect
import re
import runpy
import shlex
import sys
from pathlib import Path

import click
import pytest

from simgin import plots, toolkit
from simgin.checks.contract import CHECKS
from simgin.cli.main import cli
from simgin.core import batch_columns
from simgin.review import review_request, scorecard
from simgin.rules import variants
from simgin.stats import metrics
from simgin.strategy import cast
from support.command_line import call
from support.pages_script import games, make
from support.pages_script import metrics as blocks

ROOT = Path(__file__).resolve().parents[2]
# Blocks for which matches are played
PLAYED = {"games", "table", "screen", "graded", "learned", "odds"}
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def read(page):
    return (ROOT / page).read_text()


def test_every_link_resolves():
    linked = {
        (page, to) for page in PAGES for to in re.findall(r"\]\(([^)#]+)\)", page.read_text())
    }
    lost = [
        f"{page.name} links to {target}"
        for page, target in linked
        if not target.startswith("http") and not (page.parent / target).exists()
    ]
    assert lost == []


def test_pages_for_users_link_to_none_for_developers():
    developers = re.compile(
        r"\]\([^)]*(decisions/|development/|architecture\.md|threat-model\.md|CONTRIBUTING)"
    )
    docs = ROOT / "docs"
    own = [docs / "architecture.md", docs / "explanation/threat-model.md"]
    users = [page for page in PAGES if docs in page.parents and page not in own]
    users = [page for page in users if page.parent.name not in ("decisions", "development")]
    assert [page.name for page in users if developers.search(page.read_text())] == []


@pytest.mark.parametrize(
    ("page", "most"),
    [("how-to/positions", 1500), ("how-to/odds", 1000), ("reference/strategies/solo", 1200)],
)
def test_a_page_is_short_but_for_what_is_generated(page, most):
    text = re.sub(r"<!-- .*?<!-- end -->", "", read(f"docs/{page}.md"), flags=re.S)
    assert len(text.split()) <= most


@pytest.mark.parametrize("page", make.find_pages(), ids=lambda page: page.stem)
def test_generated_blocks_are_up_to_date(page):
    """Those that are made in a moment. After a change: python docs/make.py."""
    assert make.render_page(page, set(make.BLOCKS) - PLAYED) == page.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("page", make.find_pages(), ids=lambda page: page.stem)
def test_blocks_that_are_played_are_reproduced(page):
    assert make.render_page(page, PLAYED) == page.read_text()


def test_every_contract_check_and_every_helper_is_documented():
    text = read("docs/how-to/writing-a-strategy.md")
    checks = text.split("## The contract test")[1]
    assert re.findall(r"^\| `(\w+)` \| [^|]* \|$", checks, re.M) == list(CHECKS)
    section = text.partition("## Helpers")[2].partition("\n## ")[0]
    documented = dict(re.findall(r"^\| `(\w+)(\(.*?\))?` \| .+ \|$", section, re.M))
    assert sorted(documented) == sorted(toolkit.__all__)
    for name, arguments in documented.items():
        function = getattr(toolkit, name)
        if arguments or callable(function):
            assert arguments == str(inspect.signature(getattr(function, "py_func", function))), name


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/tutorial/first-hour.md", "docs/how-to/reviews.md", "docs/how-to/odds.md"],
)
def test_the_commands_shown_have_these_arguments(page):
    blocks = re.findall(r"^```\n(.*?)^```", read(page), re.M | re.S)
    shown = re.findall(r"^simgin (\w.*)$", "".join(blocks), re.M)
    assert shown
    for line in shown:
        name, *words = shlex.split(re.split(r"\s{3,}|\s+#", line)[0])
        command = cli.get_command(click.Context(cli), name)
        assert command is not None, line
        command.make_context(name, words)  # parses the arguments, and plays nothing


def test_the_strategies_in_the_documentation_play(tmp_path):
    """README and the tutorial show the same one."""
    pages = ("README.md", "docs/tutorial/first-hour.md", "docs/how-to/writing-a-strategy.md")
    shown = [re.findall(r"```python\n(.*?)```", read(page), re.S) for page in pages]
    assert shown[0] == shown[1] and len(shown[0]) == 1
    for i, code in enumerate(shown[0] + [code for code in shown[2] if "Strategy(" in code]):
        path = tmp_path / f"mine{i}.py"
        path.write_text(code)
        call("match", path, "gold", "--deals", 200)


def test_the_variants_and_commands_in_the_documentation_work(tmp_path, monkeypatch):
    page = read("docs/how-to/variants.md")
    (file,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    blocks = re.findall(r"```\n(simgin .*?)```", page, re.S)
    commands = [line.partition("  #")[0] for block in blocks for line in block.splitlines()]
    assert len(commands) > 12
    commands.sort(key=lambda command: " new " not in command)  # the page's own file after those
    monkeypatch.chdir(tmp_path)
    for command in commands:
        if " new " not in command:
            Path("mine.toml").write_text(file)
        call(*shlex.split(command)[1:], *(["--deals", "200"] if " match " in command else []))
    exec(code.replace("20k", "200"), {})


def test_the_odds_in_the_readme_are_those_of_their_page():
    """The match shares of the naive player and of the strongest, in Solitary Gin."""
    answer = read("README.md").partition("simgin odds solitary-gin")[2].partition("by draw")[0]
    naive, strong = re.search(r"in ([\d.]+) %.* in\s+([\d.]+ ± [\d.]+) %", answer, re.S).groups()
    below = read("docs/how-to/odds.md").partition("**Solitary Gin (solitary-gin)")[2]
    table = below.partition("**Odds by draws")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith(("| g", "| s"))]
    assert rows[1][-1].startswith(f"{naive} ")
    assert rows[-1][-1] == f"{strong} |"


def test_the_functions_on_the_page_for_developers_are_in_their_files():
    """The page follows one deal through the code."""
    rows = re.findall(r"^\| \d+ \| `(\S+)` \| ([^|]*) \|", read("docs/development/README.md"), re.M)
    assert len(rows) > 10
    for file, names in rows:
        defined = re.findall(r"^ *def (\w+)", read(f"simgin/{file}"), re.M)
        assert set(re.findall(r"`(\w+)`", names)) <= set(defined), file


@pytest.mark.parametrize("words", [(), ("solitaire-gin", "solo-greedy")])
def test_the_script_for_developers_prints_one_batch(words, monkeypatch, capsys):
    script = ROOT / "docs/development/one_batch.py"
    monkeypatch.setattr(sys, "argv", [str(script), *words])
    runpy.run_path(str(script), run_name="__main__")
    sums = dict(re.findall(r"^(\w+) +(-?\d+) +\d+$", capsys.readouterr().out, re.M))
    units = batch_columns.DEAL_BATCH_SIZE
    assert sums["deals"] == str(units if words else 2 * units)
    assert tuple(sums) == batch_columns.FACT_NAMES


# The pages on variants, metrics, reviews and plots


DOCS = Path(__file__).resolve().parents[2] / "docs"
GAMES = DOCS / "reference" / "games"
NAMES = variants.variant_names()
GAME_PAGES = sorted(GAMES.glob("*.md"))
HEADINGS = ["Rules", "Parameters", "Interpretations", "Results", "Version history"]
# How many questions each source raises
QUESTIONS = {"X": 12, "000": 17, "001": 12, "002": 14, "003": 44, "004": 16}


def test_every_variant_has_a_page_and_every_page_a_variant():
    assert {page.stem for page in GAME_PAGES} == {*NAMES, "README"}


@pytest.mark.parametrize("name", NAMES)
def test_a_variant_page_has_its_headings_in_order(name):
    text = (GAMES / f"{name}.md").read_text()
    assert text.startswith(f"# {variants.find_variant(name).title}\n")
    assert re.findall(r"^## (.*)$", text, re.M) == HEADINGS
    assert f"<!-- rows: {name} -->" in text
    assert re.search(rf"<!-- table: \S+ {name}( [a-z0-9-]+)? -->", text)
    facts = " | ".join(games.index_cells(variants.find_variant(name)))
    assert f"| {facts} | " in (GAMES / "README.md").read_text()


def test_every_metric_stands_in_the_table():
    told = re.findall(r"^\| `(\w+)` \| [12]", (DOCS / "reference/metrics.md").read_text(), re.M)
    assert told == [metric.name for metric in metrics.METRICS]


def test_every_metric_has_its_own_definition():
    """Two metrics of a unit share a definition only if one is the other's one-player form."""
    own = [metric for metric in metrics.METRICS if metric.name not in ("win", "score")]
    made = [(metric.unit, blocks.metric_cells(metric)[3:5]) for metric in own]
    assert len(set(made)) == len(made)


def test_every_question_on_the_rules_is_answered_on_some_page():
    text = "".join(page.read_text() for page in GAME_PAGES)
    asked = [f"{source}-{i + 1}" for source, count in QUESTIONS.items() for i in range(count)]
    assert sorted(re.findall(r"^\| (\w+-\d+) \|", text, re.M)) == sorted(asked)


REVIEWS, PLOTS = ((DOCS / name).read_text() for name in ("how-to/reviews.md", "reference/plots.md"))


def rows(text, block):
    """The cells of the table in a block, without its head."""
    inner = text.split(f"<!-- {block} -->")[1].split("<!-- end -->")[0]
    lines = [line for line in inner.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def test_every_row_of_a_scorecard_is_described():
    told = [(row[0], row[1].strip("`")) for row in rows(REVIEWS, "scorecard")]
    known = scorecard.scorecard_rows(
        variants.find_variant("standard").params, review_request.SECONDS_PER_TURN
    )
    against = [("Gin v knock", "waiting"), ("Skill", "skill")]
    alone = [("Deals won", "win"), ("Score a deal", "score"), ("Matches won", "match_win")]
    alone += [("Draws a deal", "draws"), ("Skill, matches won", "skill")]
    alone = [(f"alone: {title}", key) for title, key in alone]
    assert told == [*((row.title, row.key) for row in known), *against, *alone]


def test_every_share_of_a_scorecard_names_its_denominator():
    """What it is a percentage of: deals or matches, all or some of them."""
    row = {**variants.find_variant("standard").params}
    known = scorecard.scorecard_rows(row, review_request.SECONDS_PER_TURN)
    shares = {row.title: row.meaning for row in known if "%" in row.unit}
    assert len(shares) == 5
    assert all(re.match(r"of (all|the) (deals|matches)", told) for told in shares.values()), shares


def test_every_plot_is_described_and_every_plot_of_a_review_is_shown():
    found = rows(PLOTS, "plots")
    assert {row[0].strip("`") for row in found} | {"png", "svg"} == set(plots.__all__)
    assert all(row[1] for row in found)
    pictures = re.findall(r"!\[[^\]]+\]\(\S*/plots/(\S+)\.png\)", REVIEWS)
    review = [name for name in pictures if not name.startswith("sweep")]
    assert review == ["match_length", "outcomes", "kinds", "knock_chart", "scores"]


def test_the_page_states_what_a_review_plays():
    told = dict(rows(REVIEWS, "kinds"))
    assert told["strong"] == f"`{cast.CHAMPION}`"
    alone = review_request.SOLO_MATCHES
    assert f"{review_request.REVIEW_MATCHES:,} matches ({alone:,} a player" in REVIEWS
    assert all(f"`{name}`" in REVIEWS for name in cast.CHALLENGERS)
    assert (review_request.DEEP_FACTOR, scorecard.MATCHES_PER_EVENING, scorecard.EVENINGS) == (
        100,
        5,
        10,
    )
    assert (review_request.LENGTH_TOLERANCE, review_request.TARGET_STEP) == (0.1, 5)

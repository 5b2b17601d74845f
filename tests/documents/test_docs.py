"""Tests of the documentation: tables agree with the code, examples run and links resolve."""

import inspect
import re
import runpy
import shlex
import sys
from pathlib import Path

import pytest

from simgin import plots, toolkit
from simgin.checks.contract import CONTRACT_CHECKS
from simgin.core import batch_columns
from simgin.review import review_request, scorecard
from simgin.rules import variants
from simgin.stats import metrics
from simgin.strategy import cast
from support.command_line import parse_command, run_simgin
from support.pages_script import games, make

PROJECT_ROOT = Path(__file__).resolve().parents[2]
DOCS_DIRECTORY = PROJECT_ROOT / "docs"
PAGES = [
    PROJECT_ROOT / "README.md",
    PROJECT_ROOT / "CONTRIBUTING.md",
    *sorted(DOCS_DIRECTORY.rglob("*.md")),
]
BLOCK_KINDS_WITH_MATCHES = {
    "games",
    "table",
    "screen",
    "graded",
    "learned",
    "odds",
}  # blocks that play matches
for_each_page = pytest.mark.parametrize("page", make.find_pages(), ids=lambda page: page.stem)


def read_page(path):
    return (PROJECT_ROOT / path).read_text()


def test_every_link_resolves():
    links = {(page, to) for page in PAGES for to in re.findall(r"\]\(([^)#]+)\)", page.read_text())}
    local = [(page, target) for page, target in links if not target.startswith("http")]
    assert [link for link in local if not (link[0].parent / link[1]).exists()] == []


def test_pages_for_users_do_not_link_to_pages_for_developers():
    developers = re.compile(
        r"\]\([^)]*(decisions/|development/|architecture\.md|threat-model\.md|CONTRIBUTING)"
    )
    own = {DOCS_DIRECTORY / "architecture.md", DOCS_DIRECTORY / "explanation/threat-model.md"}
    users = [page for page in {*PAGES} - own if DOCS_DIRECTORY in page.parents]
    users = [page for page in users if page.parent.name not in ("decisions", "development")]
    assert [page.name for page in users if developers.search(page.read_text())] == []


@pytest.mark.parametrize(
    ("page", "max_words"),
    [("how-to/positions", 1500), ("how-to/odds", 1000), ("reference/strategies/solo", 1200)],
)
def test_page_is_short_except_for_generated_blocks(page, max_words):
    text = re.sub(r"<!-- .*?<!-- end -->", "", read_page(f"docs/{page}.md"), flags=re.S)
    assert len(text.split()) <= max_words


def test_every_generated_block_has_a_known_kind():
    texts = [page.read_text() for page in PAGES]
    n_blocks = sum(len(make.GENERATED_BLOCK_PATTERN.findall(text)) for text in texts)
    assert n_blocks == sum(text.count("<!-- end -->") for text in texts) > 90


@for_each_page
def test_generated_blocks_are_up_to_date(page):
    """Regenerate all blocks that need no matches; if the test fails, run docs/make.py."""
    assert (
        make.render_page(page, set(make.BLOCK_RENDERERS) - BLOCK_KINDS_WITH_MATCHES)
        == page.read_text()
    )


@pytest.mark.slow
@for_each_page
def test_blocks_with_matches_are_up_to_date(page):
    assert make.render_page(page, BLOCK_KINDS_WITH_MATCHES) == page.read_text()


def test_every_contract_check_and_toolkit_function_is_documented():
    text = read_page("docs/how-to/writing-a-strategy.md")
    checks = text.split("## Check a strategy")[1]
    assert re.findall(r"^\| `(\w+)` \| [^|]* \|$", checks, re.M) == list(CONTRACT_CHECKS)
    section = (
        read_page("docs/reference/api.md").partition("## simgin.toolkit")[2].partition("<!--")[0]
    )
    documented = dict(re.findall(r"^\| `(\w+)(\(.*?\))?` \| .+ \|$", section, re.M))
    assert sorted(documented) == sorted(toolkit.__all__)
    for name, arguments in documented.items():
        function = getattr(toolkit, name)
        if arguments or callable(function):
            assert arguments == str(inspect.signature(getattr(function, "py_func", function))), name


def find_commands(page):
    """Return the commands of simgin in the code blocks of a page, without redirections."""
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```", page.read_text(), re.M | re.S)
    lines = re.findall(r"^ *simgin (\w.*)$", "".join(blocks).replace("\\\n", " "), re.M)
    return [re.split(r"\s{3,}#?|\s+[#>|&]", line)[0] for line in lines]


def test_commands_in_the_documentation_have_valid_arguments():
    commands = [shlex.split(line) for page in PAGES for line in find_commands(page)]
    assert len(commands) > 150
    for name, *words in commands:
        # bench requires existing files. The options start another process or end the parser.
        if name != "bench" and not {"--debug", "--style", "--help"} & {*words}:
            parse_command(name, *words)


def test_strategies_in_the_documentation_can_be_played(tmp_path):
    """Check also that the README and the tutorial show the same strategy."""
    pages = ("README.md", "docs/tutorial/first-hour.md", "docs/how-to/writing-a-strategy.md")
    codes = [re.findall(r"```python\n(.*?)```", read_page(page), re.S) for page in pages]
    assert codes[0] == codes[1] and len(codes[0]) == 1
    for i, code in enumerate(codes[0] + [code for code in codes[2] if "Strategy(" in code]):
        path = tmp_path / f"mine{i}.py"
        path.write_text(code)
        run_simgin("match", path, "gold", "--deals", 200)


def test_toolkit_example_prints_the_documented_output(capsys):
    page = read_page("docs/how-to/writing-a-strategy.md")
    section = page.partition("## Use the toolkit outside a policy")[2]
    code = re.search(r"```python\n(.*?)```", section, re.S)[1]
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall("  # (.*)", code)


def test_variants_and_commands_in_the_documentation_work(tmp_path, monkeypatch):
    page = read_page("docs/how-to/variants.md")
    (file,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    blocks = re.findall(r"```sh\n(simgin .*?)```", page, re.S)
    commands = [line.partition("  #")[0] for block in blocks for line in block.splitlines()]
    assert len(commands) > 12
    commands.sort(key=lambda command: " new " not in command)  # the page's own file follows
    monkeypatch.chdir(tmp_path)
    for command in commands:
        if " new " not in command:
            Path("mine.toml").write_text(file)
        run_simgin(*shlex.split(command)[1:], *(["--deals", "200"] if " match " in command else []))
    exec(code.replace("20k", "200"), {})


def test_odds_in_the_readme_equal_those_on_the_odds_page():
    """Compare the win rates of the naive and the strongest player in Solitary Gin."""
    example = (
        read_page("README.md")
        .partition("simgin odds solitary-gin")[2]
        .partition("by number of draws")[0]
    )
    naive, strong = re.search(r"in ([\d.]+) %.* in\s+([\d.]+ ± [\d.]+) %", example, re.S).groups()
    section = read_page("docs/how-to/odds.md").partition("**Solitary Gin (solitary-gin)")[2]
    table = section.partition("**Odds by draws")[0]
    table_rows = [
        line.split(" | ") for line in table.splitlines() if line.startswith(("| g", "| s"))
    ]
    assert table_rows[1][-1].startswith(f"{naive} ")
    assert table_rows[-1][-1] == f"{strong} |"


def test_functions_named_on_the_developer_page_exist():
    """Read the table that follows one deal through the code."""
    table_rows = re.findall(
        r"^\| \d+ \| `(\S+)` \| ([^|]*) \|", read_page("docs/development/README.md"), re.M
    )
    assert len(table_rows) > 10
    for file, names in table_rows:
        defined = re.findall(r"^ *def (\w+)", read_page(f"simgin/{file}"), re.M)
        assert set(re.findall(r"`(\w+)`", names)) <= set(defined), file


@pytest.mark.parametrize("arguments", [(), ("solitaire-gin", "solo-greedy")])
def test_developer_script_prints_one_batch(arguments, monkeypatch, capsys):
    script = PROJECT_ROOT / "docs/development/one_batch.py"
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    runpy.run_path(str(script), run_name="__main__")
    sums = dict(re.findall(r"^(\w+) +(-?\d+) +\d+$", capsys.readouterr().out, re.M))
    units = batch_columns.DEAL_BATCH_SIZE
    assert sums["deals"] == str(units if arguments else 2 * units)
    assert tuple(sums) == batch_columns.STATISTIC_NAMES


# The pages on variants, metrics, reviews and plots

VARIANT_PAGES_DIRECTORY = DOCS_DIRECTORY / "reference" / "games"
VARIANT_PAGES = sorted(VARIANT_PAGES_DIRECTORY.glob("*.md"))
VARIANT_PAGE_HEADINGS = ["Rules", "Parameters", "Interpretations", "Results"]
QUESTION_COUNT_BY_SOURCE = {
    "X": 12,
    "000": 17,
    "001": 12,
    "002": 14,
    "003": 44,
    "004": 16,
}  # number of questions by source
STANDARD_PARAMS = variants.find_variant("standard").params
REVIEWS_PAGE_TEXT, PLOTS_PAGE_TEXT = (
    read_page("docs/how-to/reviews.md"),
    read_page("docs/reference/plots.md"),
)


def read_table_rows(page_text, block):
    """Return the cells of the table in a generated block, without the header."""
    inner = page_text.split(f"<!-- {block} -->")[1].split("<!-- end -->")[0]
    lines = [line for line in inner.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


@pytest.mark.parametrize("name", variants.variant_names())
def test_every_variant_has_a_page_with_its_headings_in_order(name):
    text = (VARIANT_PAGES_DIRECTORY / f"{name}.md").read_text()
    assert text.startswith(f"# {variants.find_variant(name).title}\n")
    assert re.findall(r"^## (.*)$", text, re.M) == VARIANT_PAGE_HEADINGS
    assert f"<!-- rows: {name} -->" in text
    assert re.search(rf"<!-- table: \S+ {name}( [a-z0-9-]+)? -->", text)
    facts = " | ".join(games.format_index_cells(variants.find_variant(name)))
    assert f"| {facts} | " in (VARIANT_PAGES_DIRECTORY / "README.md").read_text()
    assert len(VARIANT_PAGES) == len(variants.variant_names()) + 1


def test_every_open_question_on_the_rules_has_an_answer():
    text = "".join(page.read_text() for page in VARIANT_PAGES)
    questions = [
        f"{source}-{i + 1}" for source, n in QUESTION_COUNT_BY_SOURCE.items() for i in range(n)
    ]
    assert sorted(re.findall(r"^\| (\w+-\d+) \|", text, re.M)) == sorted(questions)


def test_every_metric_is_documented_with_a_unique_definition():
    """Allow a solitaire metric and its two-player form to share a definition."""
    names = re.findall(r"^\| `(\w+)` \| [12]", read_page("docs/reference/metrics.md"), re.M)
    assert names == [metric.name for metric in metrics.METRICS]
    checked_metrics = [metric for metric in metrics.METRICS if metric.name not in ("win", "score")]
    definitions = [(metric.unit, metric.meaning) for metric in checked_metrics]
    assert len(set(definitions)) == len(definitions)


def test_every_row_of_a_scorecard_is_documented():
    """Check also that percentages state whether they refer to deals or matches."""
    described = [
        (row[0], row[1].strip("`")) for row in read_table_rows(REVIEWS_PAGE_TEXT, "scorecard")
    ]
    row_specs = scorecard.list_scorecard_rows(
        {**STANDARD_PARAMS}, review_request.DEFAULT_SECONDS_PER_TURN
    )
    matchup_rows = [*zip(scorecard.COMPARISON_MEANINGS, ("waiting", "skill"), strict=True)]
    solo_rows = [("Deals won", "win"), ("Score per deal", "score"), ("Matches won", "match_win")]
    solo_rows += [
        ("Draws per deal", "draws"),
        ("Skill (matches won): strong v naive player", "skill"),
    ]
    solo_rows = [(f"{title} (solitaire)", key) for title, key in solo_rows]
    assert described == [*((row.title, row.key) for row in row_specs), *matchup_rows, *solo_rows]
    meanings = [row.meaning for row in row_specs if "%" in row.unit]
    assert len(meanings) == 6
    assert all(
        re.match(r"percentage of (all|the) (deals|matches)", meaning) for meaning in meanings
    ), meanings


def test_every_plot_is_documented():
    sections = (
        PLOTS_PAGE_TEXT.split("<!-- plots -->")[1].split("<!-- end -->")[0].split("\n### ")[1:]
    )
    assert {text.split()[0] for text in sections} | {"png", "svg"} == set(plots.__all__)
    for text in sections:
        assert f"plots.{text.split()[0]}(" in text and "```sh\nsimgin " in text and "\n![" in text
    images = re.findall(r"!\[[^\]]+\]\(\S*/plots/(\S+)\.png\)", REVIEWS_PAGE_TEXT)
    images = [name for name in images if not name.startswith("sweep")]
    assert images == ["match_length", "outcomes", "kinds", "knock_chart", "scores"]


def test_reviews_page_states_the_players_and_matches_of_a_review():
    assert (
        dict(read_table_rows(REVIEWS_PAGE_TEXT, "kinds"))["strong"] == f"`{cast.CHAMPION_STRATEGY}`"
    )
    solo = review_request.DEFAULT_SOLO_REVIEW_MATCHES
    first, *_, last = review_request.ERROR_RATES_BY_MATCHES
    assert f"players plays [{first:,} to {last:,} matches]" in REVIEWS_PAGE_TEXT
    assert f"solitaire games, every player plays {solo:,} matches" in REVIEWS_PAGE_TEXT
    assert all(f"`{name}`" in REVIEWS_PAGE_TEXT for name in cast.CHALLENGER_STRATEGIES)
    evenings = (scorecard.MATCHES_PER_EVENING, scorecard.EVENINGS_FOR_SMALL_EFFECT)
    assert (review_request.DEEP_REVIEW_FACTOR, *evenings) == (100, 5, 10)
    assert (review_request.MATCH_LENGTH_TOLERANCE, review_request.TARGET_SCORE_STEP) == (0.1, 5)

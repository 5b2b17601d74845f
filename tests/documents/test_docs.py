"""The documentation is correct: tables agree with the code, examples run and links resolve."""

import inspect
import re
import shlex
from pathlib import Path

import click
import pytest

from simgin import toolkit
from simgin.checks.contract import CHECKS
from simgin.cli.main import cli
from support.command_line import call
from support.pages_script import make

ROOT = Path(__file__).resolve().parents[2]
PLAYED = {"games", "table", "screen", "learned", "odds"}  # blocks for which matches are played
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_resolves(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", make.pages(), ids=lambda page: page.stem)
def test_generated_blocks_are_up_to_date(page: Path) -> None:
    """Those that are made in a moment. After a change: python docs/make.py."""
    assert make.filled(page, set(make.BLOCKS) - PLAYED) == page.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("page", make.pages(), ids=lambda page: page.stem)
def test_blocks_that_are_played_are_reproduced(page: Path) -> None:
    assert make.filled(page, PLAYED) == page.read_text()


def test_every_contract_check_is_documented() -> None:
    text = (ROOT / "docs/how-to/writing-a-strategy.md").read_text()
    assert re.findall(
        r"^\| `(\w+)` \| [^|]* \|$", text.split("## The contract test")[1], re.M
    ) == list(CHECKS)


def test_every_helper_is_documented_with_its_arguments() -> None:
    section = (
        (ROOT / "docs/how-to/writing-a-strategy.md")
        .read_text()
        .partition("## Helpers")[2]
        .partition("\n## ")[0]
    )
    documented = dict(re.findall(r"^\| `(\w+)(\(.*?\))?` \| .+ \|$", section, re.M))
    assert sorted(documented) == sorted(toolkit.__all__)
    for name, arguments in documented.items():
        function = getattr(toolkit, name)
        if arguments or callable(function):
            assert arguments == str(inspect.signature(getattr(function, "py_func", function))), name


def test_the_tutorial_shows_the_strategy_of_the_readme() -> None:
    readme, tutorial = (
        re.findall(r"```python\n.*?```", (ROOT / page).read_text(), re.S)
        for page in ("README.md", "docs/tutorial/first-hour.md")
    )
    assert readme == tutorial


@pytest.mark.parametrize(
    "page",
    ["README.md", "docs/tutorial/first-hour.md", "docs/how-to/reviews.md", "docs/how-to/odds.md"],
)
def test_the_commands_shown_have_these_arguments(page: str) -> None:
    blocks = re.findall(r"^```\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    shown = re.findall(r"^simgin (\w.*)$", "".join(blocks), re.M)
    assert shown
    for line in shown:
        name, *words = shlex.split(re.split(r"\s{3,}|\s+#", line)[0])
        command = cli.get_command(click.Context(cli), name)
        assert command is not None, line
        command.make_context(name, words)  # parses the arguments, and plays nothing


@pytest.mark.parametrize("page", ["README.md", "docs/how-to/writing-a-strategy.md"])
def test_the_strategies_in_the_documentation_play(page: str, tmp_path: Path) -> None:
    files = [
        code
        for code in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
        if "Strategy(" in code
    ]
    assert files
    for i, code in enumerate(files):
        path = tmp_path / f"mine{i}.py"
        path.write_text(code)
        call("match", path, "gold", "--deals", 200)


def test_the_variants_and_commands_in_the_documentation_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs/how-to/variants.md").read_text()
    (file,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    commands = [
        line.partition("  #")[0]
        for block in re.findall(r"```\n(simgin .*?)```", page, re.S)
        for line in block.splitlines()
    ]
    assert len(commands) > 12
    for folder, content in (("new", None), ("old", file)):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        if content:
            Path("mine.toml").write_text(content)
        for command in commands:
            words = shlex.split(command)[1:] + (["--deals", "200"] if " match " in command else [])
            if (" new " in command) == (content is None):
                call(*words)
    exec(code.replace("20k", "200"), {})


def test_the_odds_in_the_readme_are_those_of_their_page() -> None:
    """The match shares of the naive player and of the strongest, in Solitary Gin."""
    readme = (ROOT / "README.md").read_text()
    answer = readme.partition("simgin odds solitary-gin")[2].partition("by draw")[0]
    naive, strong = re.search(r"in ([\d.]+) %.* in\s+([\d.]+ ± [\d.]+) %", answer, re.S).groups()
    page = (ROOT / "docs" / "how-to" / "odds.md").read_text()
    table = page.partition("**Solitary Gin (solitary-gin)")[2].partition("**Odds by draws")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith(("| g", "| s"))]
    assert rows[1][-1].startswith(f"{naive} ")
    assert rows[-1][-1] == f"{strong} |"

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


def read(page: str) -> str:
    return (ROOT / page).read_text()


def test_every_link_resolves() -> None:
    linked = {
        (page, to) for page in PAGES for to in re.findall(r"\]\(([^)#]+)\)", page.read_text())
    }
    lost = [
        f"{page.name} links to {target}"
        for page, target in linked
        if not target.startswith("http") and not (page.parent / target).exists()
    ]
    assert lost == []


@pytest.mark.parametrize("page", make.pages(), ids=lambda page: page.stem)
def test_generated_blocks_are_up_to_date(page: Path) -> None:
    """Those that are made in a moment. After a change: python docs/make.py."""
    assert make.filled(page, set(make.BLOCKS) - PLAYED) == page.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("page", make.pages(), ids=lambda page: page.stem)
def test_blocks_that_are_played_are_reproduced(page: Path) -> None:
    assert make.filled(page, PLAYED) == page.read_text()


def test_every_contract_check_and_every_helper_is_documented() -> None:
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
def test_the_commands_shown_have_these_arguments(page: str) -> None:
    blocks = re.findall(r"^```\n(.*?)^```", read(page), re.M | re.S)
    shown = re.findall(r"^simgin (\w.*)$", "".join(blocks), re.M)
    assert shown
    for line in shown:
        name, *words = shlex.split(re.split(r"\s{3,}|\s+#", line)[0])
        command = cli.get_command(click.Context(cli), name)
        assert command is not None, line
        command.make_context(name, words)  # parses the arguments, and plays nothing


def test_the_strategies_in_the_documentation_play(tmp_path: Path) -> None:
    """README and the tutorial show the same one."""
    pages = ("README.md", "docs/tutorial/first-hour.md", "docs/how-to/writing-a-strategy.md")
    shown = [re.findall(r"```python\n(.*?)```", read(page), re.S) for page in pages]
    assert shown[0] == shown[1] and len(shown[0]) == 1
    for i, code in enumerate(shown[0] + [code for code in shown[2] if "Strategy(" in code]):
        path = tmp_path / f"mine{i}.py"
        path.write_text(code)
        call("match", path, "gold", "--deals", 200)


def test_the_variants_and_commands_in_the_documentation_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_the_odds_in_the_readme_are_those_of_their_page() -> None:
    """The match shares of the naive player and of the strongest, in Solitary Gin."""
    answer = read("README.md").partition("simgin odds solitary-gin")[2].partition("by draw")[0]
    naive, strong = re.search(r"in ([\d.]+) %.* in\s+([\d.]+ ± [\d.]+) %", answer, re.S).groups()
    table = (
        read("docs/how-to/odds.md")
        .partition("**Solitary Gin (solitary-gin)")[2]
        .partition("**Odds by draws")[0]
    )
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith(("| g", "| s"))]
    assert rows[1][-1].startswith(f"{naive} ")
    assert rows[-1][-1] == f"{strong} |"

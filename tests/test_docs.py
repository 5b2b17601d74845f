"""The documents are true: tables agree with the code, the examples run, links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from simgin.check import CHECKS
from simgin.core.view import FIELDS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_field_of_the_view_is_documented() -> None:
    text = (ROOT / "docs/writing-a-strategy.md").read_text()
    for name, about in FIELDS:
        assert f"| `{name}` | {about} |" in text


def test_every_check_of_the_contract_is_documented() -> None:
    text = (ROOT / "docs/writing-a-strategy.md").read_text()
    assert re.findall(r"^\| `(\w+)` \| [^|]* \|$", text.split("## The contract test")[1], re.M) == list(CHECKS)


@pytest.mark.parametrize("page", ["README.md", "docs/writing-a-strategy.md"])
def test_the_strategies_in_the_documents_play(page: str, tmp_path: Path) -> None:
    files = [code for code in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S) if "Strategy(" in code]
    assert files
    for i, code in enumerate(files):
        path = tmp_path / f"mine{i}.py"
        path.write_text(code)
        command = [sys.executable, "-m", "simgin", "match", str(path), "gold", "--deals", "2000"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

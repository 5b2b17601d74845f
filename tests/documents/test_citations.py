"""Every citation of a page, anchor, rule or file in the project exists."""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = "simgin strategies tests docs experiments training benchmarks notebooks".split()
FILES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".toml", ".md", ".j2"}
)
FILES += sorted(ROOT.glob("*.md"))
RULES = ROOT / "docs/reference/rules.md"

# Documents that are not in the repository, so no file may cite them
UNPUBLISHED = re.compile(
    r"\b(?:RULES|METRICS|DESIGN|STRATEGIES|REFERENCE)(?:\.md\b|,?(?: section)? \d)"
    r"|\b[Ss]eeds? 00[0-4]\b"
)

CLAUSE = r"(?:\d{3}-\d+|X-\d+|H\d+|\d{1,2}(?:\.\d{1,2})?)(?![\w-])"
RULES_CITATION = re.compile(rf"\brules\.md ({CLAUSE}(?:(?:, | and | to | or ){CLAUSE})*)")
PAGE_CITATION = re.compile(r"\bdocs/[\w./-]+\.md(?:#[\w-]+)?")
FILE_CITATION = re.compile(
    r"(?<![\w/.-])(?:simgin|tests|training|benchmarks|experiments|strategies)/"
    r"[a-z0-9_./-]+\.(?:py|toml|json)\b"
)


@cache
def clauses() -> frozenset[str]:
    """Return the clauses of the rules: headings, numbered items and ids in tables."""
    text = RULES.read_text()
    found = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\b", text, re.M))
    found |= set(re.findall(r"^\| (\d{3}-\d+|X-\d+|H\d+) \|", text, re.M))
    for number, section in re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", text, re.M | re.S):
        if not re.search(r"^### ", section, re.M):
            found |= {f"{number}.{item}" for item in re.findall(r"^(\d+)\. ", section, re.M)}
    return frozenset(found)


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page: slugs of its headings, and explicit ids."""
    text = page.read_text()
    slugs = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        words = re.sub(r"[^\w\s-]", "", heading).strip().lower()
        slugs.add(re.sub(r"[\s-]+", "-", words))
    return frozenset(slugs | set(re.findall(r'id="([^"]+)"', text)))


def missing_citations(text: str) -> list[str]:
    """Return the citations in a text that do not exist."""
    cited = [
        number for numbers in RULES_CITATION.findall(text) for number in re.findall(CLAUSE, numbers)
    ]
    wrong = [f"rules.md {number}" for number in cited if number not in clauses()]
    for citation in PAGE_CITATION.findall(text):
        name, _, anchor = citation.partition("#")
        page = ROOT / name
        if not page.exists() or (anchor and anchor not in anchors(page)):
            wrong.append(citation)
    return wrong + sorted(
        path for path in set(FILE_CITATION.findall(text)) if not (ROOT / path).exists()
    )


def test_every_citation_exists() -> None:
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in FILES}
    wrong = {name: missing_citations(text) for name, text in texts.items()}
    assert {name: cited for name, cited in wrong.items() if cited} == {}
    assert [name for name, text in texts.items() if UNPUBLISHED.search(text)] == []

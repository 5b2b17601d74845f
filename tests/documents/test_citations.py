"""Tests that every page, anchor, rule and file cited in the project exists."""

import re
from functools import cache
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]
CITING_FOLDERS = "simgin strategies tests docs experiments training benchmarks notebooks".split()
CITING_FILES = sorted(
    path
    for folder in CITING_FOLDERS
    for path in (PROJECT_ROOT / folder).rglob("*")
    if path.suffix in {".py", ".toml", ".md", ".j2"}
)
CITING_FILES += sorted(PROJECT_ROOT.glob("*.md"))
RULES_PAGE = PROJECT_ROOT / "docs/reference/rules.md"

# Documents that are not in the repository, so no file may cite them
UNPUBLISHED_DOCUMENT_PATTERN = re.compile(
    r"\b(?:RULES|METRICS|DESIGN|STRATEGIES|REFERENCE)(?:\.md\b|,?(?: section)? \d)"
    r"|\b[Ss]eeds? 00[0-4]\b"
)

RULE_NUMBER_PATTERN = r"(?:\d{3}-\d+|X-\d+|H\d+|\d{1,2}(?:\.\d{1,2})?)(?![\w-])"
RULES_CITATION_PATTERN = re.compile(
    rf"\brules\.md ({RULE_NUMBER_PATTERN}(?:(?:, | and | to | or ){RULE_NUMBER_PATTERN})*)"
)
PAGE_CITATION_PATTERN = re.compile(r"\bdocs/[\w./-]+\.md(?:#[\w-]+)?")
FILE_CITATION_PATTERN = re.compile(
    r"(?<![\w/.-])(?:simgin|tests|training|benchmarks|experiments|strategies)/"
    r"[a-z0-9_./-]+\.(?:py|toml|json)\b"
)


@cache
def list_rule_numbers() -> frozenset[str]:
    """Return the numbers of all rules, which are in headings, lists and tables."""
    text = RULES_PAGE.read_text()
    clauses = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\b", text, re.M))
    clauses |= set(re.findall(r"^\| (\d{3}-\d+|X-\d+|H\d+) \|", text, re.M))
    for number, section in re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", text, re.M | re.S):
        if not re.search(r"^### ", section, re.M):
            clauses |= {f"{number}.{item}" for item in re.findall(r"^(\d+)\. ", section, re.M)}
    return frozenset(clauses)


@cache
def list_anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page, which are ids and slugs of headings."""
    text = page.read_text()
    slugs = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        words = re.sub(r"[^\w\s-]", "", heading).strip().lower()
        slugs.add(re.sub(r"[\s-]+", "-", words))
    return frozenset(slugs | set(re.findall(r'id="([^"]+)"', text)))


def find_broken_citations(text: str) -> list[str]:
    """Return the citations in a text whose targets do not exist."""
    cited = [
        number
        for numbers in RULES_CITATION_PATTERN.findall(text)
        for number in re.findall(RULE_NUMBER_PATTERN, numbers)
    ]
    missing = [f"rules.md {number}" for number in cited if number not in list_rule_numbers()]
    for citation in PAGE_CITATION_PATTERN.findall(text):
        name, _, anchor = citation.partition("#")
        page = PROJECT_ROOT / name
        if not page.exists() or (anchor and anchor not in list_anchors(page)):
            missing.append(citation)
    return missing + sorted(
        path
        for path in set(FILE_CITATION_PATTERN.findall(text))
        if not (PROJECT_ROOT / path).exists()
    )


def test_every_cited_page_rule_and_file_exists() -> None:
    texts = {str(path.relative_to(PROJECT_ROOT)): path.read_text() for path in CITING_FILES}
    missing = {name: find_broken_citations(text) for name, text in texts.items()}
    assert {name: cited for name, cited in missing.items() if cited} == {}
    assert [name for name, text in texts.items() if UNPUBLISHED_DOCUMENT_PATTERN.search(text)] == []

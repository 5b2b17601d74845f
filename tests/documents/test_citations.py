"""Citations resolve: a page exists and has the anchor or clause, and a path is a file."""

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

# Documents that the project started from. They are not in the repository, so nothing may cite them.
ELSEWHERE = re.compile(
    r"\b(?:RULES|METRICS|DESIGN|STRATEGIES|REFERENCE)(?:\.md\b|,?(?: section)? \d)"
    r"|\b[Ss]eeds? 00[0-4]\b"
)

CLAUSE = r"(?:\d{3}-\d+|X-\d+|H\d+|\d{1,2}(?:\.\d{1,2})?)(?![\w-])"
OF_RULES = re.compile(rf"\brules\.md ({CLAUSE}(?:(?:, | and | to | or ){CLAUSE})*)")
PAGE = re.compile(r"\bdocs/[\w./-]+\.md(?:#[\w-]+)?")
FILE = re.compile(
    r"(?<![\w/.-])(?:simgin|tests|training|benchmarks|experiments|strategies)/"
    r"[a-z0-9_./-]+\.(?:py|toml|json)\b"
)


@cache
def clauses() -> frozenset[str]:
    """Clauses of the rules: headings, numbered items of undivided sections, ids in tables."""
    text = RULES.read_text()
    found = set(re.findall(r"^#+ (\d+(?:\.\d+)?)\b", text, re.M))
    found |= set(re.findall(r"^\| (\d{3}-\d+|X-\d+|H\d+) \|", text, re.M))
    for number, section in re.findall(r"^## (\d+)\. (.*?)(?=^## |\Z)", text, re.M | re.S):
        if not re.search(r"^### ", section, re.M):
            found |= {f"{number}.{item}" for item in re.findall(r"^(\d+)\. ", section, re.M)}
    return frozenset(found)


@cache
def anchors(page: Path) -> frozenset[str]:
    """What may follow # in a link to a page: slugs of its headings, and explicit ids."""
    text = page.read_text()
    slugs = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        words = re.sub(r"[^\w\s-]", "", heading).strip().lower()
        slugs.add(re.sub(r"[\s-]+", "-", words))
    return frozenset(slugs | set(re.findall(r'id="([^"]+)"', text)))


def unresolved(text: str) -> list[str]:
    """Citations in a text that lead nowhere."""
    cited = [number for numbers in OF_RULES.findall(text) for number in re.findall(CLAUSE, numbers)]
    wrong = [f"rules.md {number}" for number in cited if number not in clauses()]
    for citation in PAGE.findall(text):
        name, _, anchor = citation.partition("#")
        page = ROOT / name
        if not page.exists() or (anchor and anchor not in anchors(page)):
            wrong.append(citation)
    return wrong + sorted(path for path in set(FILE.findall(text)) if not (ROOT / path).exists())


def test_every_citation_leads_somewhere() -> None:
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in FILES}
    wrong = {name: unresolved(text) for name, text in texts.items()}
    assert {name: cited for name, cited in wrong.items() if cited} == {}
    assert [name for name, text in texts.items() if ELSEWHERE.search(text)] == []

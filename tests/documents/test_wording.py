"""Tests that unclear wording and long sentences do not become more frequent.

tests/data/wording.toml contains the patterns and the limits. If you remove some of these phrases,
lower the limits. Never raise a limit.
"""

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PROJECT_ROOT = Path(__file__).resolve().parents[2]
WORDING_RULES = tomllib.loads((PROJECT_ROOT / "tests/data/wording.toml").read_text())
PAGES = sorted(
    path
    for path in [
        *PROJECT_ROOT.glob("*.md"),
        *PROJECT_ROOT.glob("docs/**/*.md"),
        *PROJECT_ROOT.glob("notebooks/*.md"),
    ]
    if path.name not in ("api.md", "cli.md")  # generated from docstrings and help texts
)
SOURCE_FILES = sorted(
    path for folder in WORDING_RULES["folders"] for path in (PROJECT_ROOT / folder).rglob("*.py")
)
STRING_TOKEN_TYPES = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))


def read_page_lines(path: Path) -> list[str]:
    """Return the lines of a page, with empty lines instead of generated blocks and code."""
    text = path.read_text()
    if path.name == "CHANGELOG.md":
        text = text.partition("\n### Renamed names")[0]

    def keep_line_breaks(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n")

    text = re.sub(r"(?s)<!-- .*?<!-- end -->|^ *```.*?^ *```$", keep_line_breaks, text, flags=re.M)
    return re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text).splitlines()


def split_page_blocks(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the first line number and the text of each paragraph, list item and table cell."""
    start, block = 1, []
    for number, line in enumerate([*read_page_lines(path), ""], 1):
        text = line.strip()
        if not text or re.match(r"[#|]|([-*]|\d+\.) ", text):
            yield start, " ".join(block)
            start, block = number, []
        if text.startswith("|"):
            yield from ((number, cell) for cell in text.strip("|").split("|"))
        elif text:
            block.append(re.sub(r"^(#+|[-*]|\d+\.) ", "", text))


def split_docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line number and the text of each docstring paragraph in a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            for paragraph in re.split(r"\n\s*\n|\n(?=\s*\w+: )", text):
                yield node.body[0].lineno, paragraph


@cache
def collect_page_and_docstring_text() -> list[tuple[str, str]]:
    """Return the location and the text of each paragraph of pages and docstrings."""
    blocks = [(path, block) for path in PAGES for block in split_page_blocks(path)]
    blocks += [
        (path, block)
        for path in SOURCE_FILES
        for block in split_docstrings(ast.parse(path.read_text()))
    ]
    return [(f"{path.relative_to(PROJECT_ROOT)}:{line}", text) for path, (line, text) in blocks]


@cache
def collect_page_and_source_text() -> list[tuple[str, str]]:
    """Return the locations and texts of pages, TOML files, comments and strings."""
    blocks = [(path, block) for path in PAGES for block in split_page_blocks(path)]
    for path in SOURCE_FILES:
        tokens = tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
        text_tokens = [
            token for token in tokens if token.type in (tokenize.COMMENT, *STRING_TOKEN_TYPES)
        ]
        blocks += [(path, (token.start[0], token.string)) for token in text_tokens]
    for path in (PROJECT_ROOT / name for name in WORDING_RULES["files"]):
        blocks += [(path, line) for line in enumerate(path.read_text().splitlines(), 1)]
    code = re.compile(r"`[^`\n]*`|\{[^{}\n]*\}")
    return [
        (f"{path.relative_to(PROJECT_ROOT)}:{n}", code.sub("`", text)) for path, (n, text) in blocks
    ]


def assert_at_most(locations: list[str], limit: int, violation_name: str) -> None:
    """Fail with a list of all locations if there are more than the limit."""
    assert len(locations) <= limit, f"more than {limit} {violation_name}: {', '.join(locations)}"


@pytest.mark.parametrize("pattern", WORDING_RULES["limits"])
def test_unclear_wording_does_not_become_more_frequent(pattern):
    expression = re.compile(rf"\b(?:{pattern})\b", re.I)
    locations = [
        location
        for location, text in collect_page_and_source_text()
        for _ in expression.findall(text)
    ]
    assert_at_most(locations, WORDING_RULES["limits"][pattern], f"matches of {pattern!r}")


def test_long_sentences_do_not_become_more_frequent():
    sentences = [
        (location, sentence)
        for location, text in collect_page_and_docstring_text()
        for sentence in re.split(r"(?<=[.?!:])\s+(?=[A-Z`*\"(\[])", text)
    ]
    locations = [location for location, sentence in sentences if len(sentence.split()) > 30]
    assert_at_most(locations, WORDING_RULES["long_sentences"], "sentences with over 30 words")


def test_every_code_block_has_a_language():
    """Apply rule MD040 of the linter markdownlint."""
    fences = [(path, re.findall(r"^ *```(.*)$", path.read_text(), re.M)[::2]) for path in PAGES]
    assert [path.name for path, languages in fences if "" in languages] == []


def test_bold_text_is_not_used_for_headings():
    """Apply rule MD036 of the linter markdownlint."""
    bold = re.compile(r"\*\*[^*]+[^*.:?!]\*\*")
    blocks = [(path, block) for path in PAGES for block in split_page_blocks(path)]
    locations = [f"{path.name}:{line}" for path, (line, text) in blocks if bold.fullmatch(text)]
    assert_at_most(locations, WORDING_RULES["bold_headings"], "bold headings")

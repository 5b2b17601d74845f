"""Links of the pages that leave docs/: pictures are copied into the site, other files are named as text.

A hook of mkdocs (`mkdocs.yml`). On a page as it stands in the repository the same links lead to the files.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pictures that pages show from results/reference."""
    for page in list(files.documentation_pages()):
        for is_picture, _, target in LINK.findall(page.content_string):
            path = _outside(page.src_uri, target)
            if is_picture and path and not files.get_file_from_path(path):
                file = File.generated(config, path, abs_src_path=str(ROOT / path))
                files.append(file)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let pictures point into the site, and name other files of the repository in place of a link."""

    def rewritten(link: re.Match[str]) -> str:
        is_picture, text, target = link.groups()
        path = _outside(page.file.src_uri, target)
        if not path:
            return link[0]
        if is_picture:
            return f"![{text}]({relpath(path, PurePosixPath(page.file.src_uri).parent)})"
        return f"{text} (`{path}`)"

    return LINK.sub(rewritten, markdown)


def _outside(source: str, target: str) -> str | None:
    """Path in the repository of a link that leaves docs/; None for any other link."""
    if "://" in target or target.startswith("#"):
        return None
    path = normpath(f"docs/{PurePosixPath(source).parent}/{target.partition('#')[0]}")
    return None if path.startswith("docs/") else path

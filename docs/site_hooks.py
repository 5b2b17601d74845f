"""Hooks of mkdocs for the pages (`hooks` in mkdocs.yml).

Links that leave docs/ lead to files of the repository. In the site their pictures are copied, and
other files are named as text, like the pages for developers (`exclude_docs` in mkdocs.yml).
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

HERE = Path(__file__).resolve().parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the plots that pages show from results/reference."""
    for page in list(files.documentation_pages()):
        for is_picture, _, target in LINK.findall(page.content_string):
            path = _outside(page.src_uri, target, config)
            if is_picture and path and not files.get_file_from_path(path):
                files.append(File.generated(config, path, abs_src_path=str(HERE.parent / path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let images point into the site, and show other files as text."""
    source = page.file.src_uri

    def rewritten(link: re.Match[str]) -> str:
        is_picture, text, target = link.groups()
        path = _outside(source, target, config)
        if not path:
            return link[0]
        if is_picture:
            return f"![{text}]({relpath(path, PurePosixPath(source).parent)})"
        return f"{text} `{path}`"

    return LINK.sub(rewritten, markdown)


def _outside(source: str, target: str, config: MkDocsConfig) -> str | None:
    """Return the repository path of a link that leaves the site; None for any other link."""
    if "://" in target or target.startswith("#"):
        return None
    path = normpath(f"docs/{PurePosixPath(source).parent}/{target.partition('#')[0]}")
    inside = path.startswith("docs/")
    excluded = config.exclude_docs and config.exclude_docs.match_file(path.removeprefix("docs/"))
    return None if inside and not excluded else path

"""MkDocs hooks that rewrite links to files outside docs/ and control line breaks.

The hooks copy linked images into the site. They replace links to other files by their text and
path, also if the file is a page that is excluded from the site (`exclude_docs` in mkdocs.yml). If
the path contains the text, only the path remains. The hooks also prevent line breaks within options
and before units. In tables, they allow line breaks in code after punctuation. In headings, they
allow line breaks after underscores.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

DOCS_DIRECTORY = Path(__file__).resolve().parent
LINK_PATTERN = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
TABLE_CELL_PATTERN = re.compile(r"<t[dh][ >].*?</t[dh]>", re.S)
# The pattern does not match code blocks.
INLINE_CODE_PATTERN = re.compile(r"(?<!</span><code>)(?<=<code>).+?(?=</code>)", re.S)
SHELL_BLOCK_PATTERN = re.compile(r'<div class="language-sh .*?</div>', re.S)
HEADING_PATTERN = re.compile(r'[^<>]+(?=<a class="headerlink")')
ALLOWED_LINE_BREAK_PATTERN = re.compile(r"((?<=[+:,=/_])|(?<=\w-))(?=\w)")
COMMAND_OPTION_PATTERN = re.compile(r"(?<![\w-])--?[a-z][\w-]*")
SPACE_BESIDE_UNIT_PATTERN = re.compile(
    r"(<pre.*?</pre>|<code.*?</code>|<[^>]*>)|(?<=\d)\s(?=%)|(?<=±)\s(?=\d)", re.S
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add to the site the images outside docs/ that pages show."""
    for page in list(files.documentation_pages()):
        for is_image, _, target in LINK_PATTERN.findall(page.content_string):
            path = _find_repository_path(page.src_uri, target, config)
            if is_image and path and not files.get_file_from_path(path):
                files.append(
                    File.generated(config, path, abs_src_path=str(DOCS_DIRECTORY.parent / path))
                )
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite the links of a page that lead to images or files outside docs/."""
    source = page.file.src_uri

    def rewrite_link(link: re.Match[str]) -> str:
        is_image, text, target = link.groups()
        path = _find_repository_path(source, target, config)
        if not path:
            return link[0]
        if is_image:
            return f"![{text}]({relpath(path, PurePosixPath(source).parent)})"
        is_repetition = set(text.strip("`").split("/")) <= set(path.split("/"))
        return f"`{path}`" if is_repetition else f"{text} (`{path}`)"

    return LINK_PATTERN.sub(rewrite_link, markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Prevent line breaks in options and before units, and allow line breaks in table code."""

    def prevent_breaks_in_options(code: re.Match[str]) -> str:
        return COMMAND_OPTION_PATTERN.sub(r'<span class="option">\g<0></span>', code[0])

    def allow_breaks_in_code(cell: re.Match[str]) -> str:
        return INLINE_CODE_PATTERN.sub(
            lambda code: ALLOWED_LINE_BREAK_PATTERN.sub("<wbr>", code[0]), cell[0]
        )

    html = INLINE_CODE_PATTERN.sub(
        prevent_breaks_in_options, TABLE_CELL_PATTERN.sub(allow_breaks_in_code, html)
    )
    html = SHELL_BLOCK_PATTERN.sub(prevent_breaks_in_options, html)
    html = HEADING_PATTERN.sub(lambda heading: heading[0].replace("_", "_<wbr>"), html)
    return SPACE_BESIDE_UNIT_PATTERN.sub(lambda match: match[1] or "&nbsp;", html)


def _find_repository_path(page_path: str, link_target: str, config: MkDocsConfig) -> str | None:
    """Return the path in the repository if a link leads outside the site, otherwise None."""
    if "://" in link_target or link_target.startswith("#"):
        return None
    path = normpath(f"docs/{PurePosixPath(page_path).parent}/{link_target.partition('#')[0]}")
    is_in_docs = path.startswith("docs/")
    excluded = config.exclude_docs and config.exclude_docs.match_file(path.removeprefix("docs/"))
    return None if is_in_docs and not excluded else path

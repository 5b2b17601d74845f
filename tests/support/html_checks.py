"""Check an HTML report with html5lib, and with rules that html5lib does not check."""

import re
from collections import Counter
from itertools import pairwise

import html5lib

REFERENCE_ATTRIBUTES = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "data-of")
EXTERNAL_URL_PATTERN = re.compile(r"(?:https?:)?//|^\s*(?:file|data|ftp|javascript):", re.I)
REPORT_FILE_PATTERN = re.compile(
    r"[\w%-][\w%./-]*\.(?:csv|png)$"
)  # files that simgin writes with a report
LOADING_TAGS = set(
    "img link iframe object embed audio video source base form foreignobject".split()
)
LOADING_CODE_PATTERN = r"@import|url\([^#]|https?:|fetch\(|XMLHttp|import\("


def parse_html(text):
    """Return the root element, with lower-case tags and no namespaces, and the syntax errors."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parse(text)
    for node in root.iter():
        if isinstance(node.tag, str):  # the tag of a comment is a function
            node.tag = node.tag.rpartition("}")[2].lower()
            for name in [name for name in node.attrib if isinstance(name, str) and "}" in name]:
                node.attrib[name.rpartition("}")[2]] = node.attrib.pop(name)
    return root, [f"line {line}: {code}" for (line, _), code, _ in parser.errors]


def get_text(node):
    """Return the text inside an element."""
    return "".join(node.itertext())


def find_elements(root, *tags):
    """Return the elements with one of the tags, in document order."""
    return [node for node in root.iter() if node.tag in tags]


def find_html_errors(text):
    """Return all errors in the HTML of a report."""
    root, errors = parse_html(text)
    nodes = [node for node in root.iter() if isinstance(node.tag, str)]
    ids = [node.get("id") for node in nodes if node.get("id")]
    known_ids = {*ids}
    errors += [f"duplicate id {name}" for name, count in Counter(ids).items() if count > 1]
    for node in nodes:
        references = [name for key in REFERENCE_ATTRIBUTES for name in node.get(key, "").split()]
        references += re.findall(r"(?:url\(|^)#([^)]*)", node.get("href", ""))
        references += [
            one for value in node.attrib.values() for one in re.findall(r"url\(#(.*?)\)", value)
        ]
        errors += [
            f"<{node.tag}> refers to a missing id {name}" for name in {*references} - known_ids
        ]
        errors += _iter_external_resources(node)
    errors += [error for svg in find_elements(root, "svg") for error in _iter_plot_errors(svg)]
    errors += [
        error for table in find_elements(root, "table") for error in _iter_table_errors(table)
    ]
    return [*errors, *_iter_document_errors(root)]


def _iter_external_resources(node):
    attributes = dict(node.attrib)
    if node.tag == "image" and attributes.get("href", "").startswith("data:image/png;base64,"):
        del attributes["href"]  # The link contains the colours of a heat map.
    if node.tag in LOADING_TAGS or attributes.keys() & {"src", "srcset"}:
        yield f"<{node.tag}> can load a resource"
    for name, value in attributes.items():
        if name.startswith("on"):
            yield f"<{node.tag}> has a script in {name}"
        is_link = name == "href" and not (value.startswith("#") or REPORT_FILE_PATTERN.match(value))
        if name != "xmlns" and (is_link or EXTERNAL_URL_PATTERN.search(value)):
            yield f"<{node.tag}> has an external URL in {name}"
    if node.tag in ("style", "script") and re.search(LOADING_CODE_PATTERN, get_text(node)):
        yield f"<{node.tag}> can load a resource"


def _iter_plot_errors(svg):
    named = [node for node in svg if node.tag in ("title", "desc") and get_text(node).strip()]
    is_labelled = svg.get("aria-labelledby", "").split() == [node.get("id") for node in named]
    if svg.get("role") != "img" or len(named) != 2 or not is_labelled:
        yield "a plot has no title and alternative text"
    if "viewBox" not in svg.attrib:
        yield "a plot has no size"


def _iter_table_errors(table):
    if not any(get_text(caption).strip() for caption in table.iter("caption")):
        yield "a table has no caption"
    headings = [(node.get("scope"), get_text(node).strip()) for node in table.iter("th")]
    if not headings or {scope for scope, _ in headings} - {"col", "row"} or ("col", "") in headings:
        yield "a table has headings without a scope or name"
    if len({len(find_elements(row, "th", "td")) for row in table.iter("tr")}) != 1:
        yield "a table has rows of different length"


def _iter_document_errors(root):
    levels = [int(node.tag[1]) for node in find_elements(root, "h1", "h2", "h3", "h4", "h5", "h6")]
    if levels[:1] != [1] or levels.count(1) != 1 or any(b > a + 1 for a, b in pairwise(levels)):
        yield "the headings are not nested in one h1"
    if root.get("lang") != "en" or not any(
        get_text(node).strip() for node in root.iterfind("head/title")
    ):
        yield "the report has no language or title"
    if any(len(find_elements(root, name)) != 1 for name in ("header", "main", "footer")):
        yield "a landmark is missing or duplicated"
    labels = {label.get("for") for label in root.iter("label")} - {None}
    yield from (
        f"<{node.tag}> has no label"
        for node in find_elements(root, "input", "select")
        if node.get("id") not in labels
    )
    policies = [node.get("content") for node in root.iter("meta") if "http-equiv" in node.attrib]
    if len(policies) != 1 or "default-src 'none'" not in policies[0]:
        yield "no content security policy forbids the network"

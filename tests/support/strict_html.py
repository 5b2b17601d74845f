"""A strict reader of HTML pages: what a browser forgives is a fault here.

`faults(text)` is a list of sentences, empty for a valid page.
"""

import itertools
import re
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "wbr", "hr", "img", "link"}
REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "data-of")
OUTSIDE = re.compile(r"(?:https?:)?//|^\s*(?:file|data|ftp|javascript):", re.I)
LOADING = {
    "img",
    "link",
    "iframe",
    "object",
    "embed",
    "audio",
    "video",
    "source",
    "base",
    "form",
    "foreignobject",
}


class Node:
    """An element: its name, attributes, children, and the text inside it."""

    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children, self.texts = [], []

    @property
    def text(self):
        return "".join(part if isinstance(part, str) else part.text for part in self.texts)

    def all(self, *tags):
        """Every element of these names inside, in their order."""
        for child in self.children:
            if child.tag in tags:
                yield child
            yield from child.all(*tags)

    def up(self):
        while self.parent is not None:
            self = self.parent
            yield self


class Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = self.here = Node("", {}, None)
        self.faults = []

    def handle_starttag(self, tag, attributes):
        if len({name for name, _ in attributes}) < len(attributes):
            self.faults.append(f"<{tag}> has an attribute twice")
        node = Node(tag, dict(attributes), self.here)
        self.here.children.append(node)
        self.here.texts.append(node)
        if tag not in VOID:
            self.here = node

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if self.here.tag != tag:
            self.faults.append(f"</{tag}> closes <{self.here.tag}>")
        else:
            self.here = self.here.parent

    def handle_data(self, data):
        self.here.texts.append(data)


def read(text):
    """The tree of a page and what is wrong with its tags."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    left = [] if reader.here is reader.root else [f"<{reader.here.tag}> is never closed"]
    return reader.root, reader.faults + left


def faults(text):
    root, found = read(text)
    nodes = list(root.all(*{node.tag for node in every(root)}))
    ids = [node.attributes["id"] for node in nodes if "id" in node.attributes]
    found += [f"the id {name} is there twice" for name in set(ids) if ids.count(name) > 1]
    for node in nodes:
        found += _references(node, set(ids)) + _network(node)
    return found + _headings(root) + _pictures(root) + _tables(root) + _document(root)


def every(node):
    for child in node.children:
        yield child
        yield from every(child)


def _references(node, ids):
    wanted = [one for name in REFERENCES for one in (node.attributes.get(name) or "").split()]
    wanted += [
        href[1:]
        for name in ("href", "xlink:href")
        if (href := node.attributes.get(name) or "").startswith("#")
    ]
    wanted += [
        word
        for value in node.attributes.values()
        for word in re.findall(r"url\(#([^)]*)\)", value or "")
    ]
    return [
        f"<{node.tag}> refers to {reference}, which is nowhere"
        for reference in wanted
        if reference not in ids
    ]


def _network(node):
    found = (
        [f"<{node.tag}> can load something"]
        if node.tag in LOADING or "src" in node.attributes or "srcset" in node.attributes
        else []
    )
    attributes = dict(node.attributes)
    if node.tag == "image" and attributes.get("href", "").startswith("data:image/png;base64,"):
        del attributes["href"]  # the colours of a heat map
    for name, value in attributes.items():
        if name.startswith("on"):
            found.append(f"<{node.tag}> has a script in {name}")
        if (
            OUTSIDE.search(value or "") and name != "data-variant"
        ):  # a variant is a text, and may be a path
            found.append(f"<{node.tag}> has an address outside in {name}")
        if name in ("href", "xlink:href") and not (value or "").startswith("#"):
            found.append(f"<{node.tag}> leads outside")
    if node.tag in ("style", "script"):
        found += [
            f"<{node.tag}> names {word}"
            for word in re.findall(r"@import|url\([^#]|https?:|fetch\(|XMLHttp|import\(", node.text)
        ]
    return found


def _headings(root):
    levels = [int(node.tag[1]) for node in root.all("h1", "h2", "h3", "h4", "h5", "h6")]
    found = (
        []
        if levels[:1] == [1] and levels.count(1) == 1
        else ["there is not one h1 before all other headings"]
    )
    return found + [f"h{b} follows h{a}" for a, b in itertools.pairwise(levels) if b > a + 1]


def _pictures(root):
    found = []
    for svg in root.all("svg"):
        named = [child.text.strip() for child in svg.children if child.tag in ("title", "desc")]
        labels = (svg.attributes.get("aria-labelledby") or "").split()
        own = [
            child.attributes.get("id") for child in svg.children if child.tag in ("title", "desc")
        ]
        if (
            svg.attributes.get("role") != "img"
            or len(named) != 2
            or not all(named)
            or labels != own
        ):
            found.append("a picture has no title and description of its own")
        if "viewbox" not in svg.attributes:
            found.append("a picture has no size of its own")
    return found


def _tables(root):
    found = []
    for table in root.all("table"):
        if not [one for one in table.all("caption") if one.text.strip()]:
            found.append("a table has no caption")
        headings = list(table.all("th"))
        if not headings or any(
            heading.attributes.get("scope") not in ("col", "row") for heading in headings
        ):
            found.append("a table has headings without a scope")
        if any(
            not heading.text.strip()
            for heading in headings
            if heading.attributes.get("scope") == "col"
        ):
            found.append("a column has no name")
        widths = {
            sum(child.tag in ("th", "td") for child in row.children) for row in table.all("tr")
        }
        if len(widths) != 1:
            found.append(f"rows of a table have {sorted(widths)} cells")
    return found


def _document(root):
    found = []
    if [node.attributes.get("lang") for node in root.all("html")] != ["en"]:
        found.append("the page names no language")
    if not all(
        len(list(root.all(landmark))) == 1 for landmark in ("header", "main", "footer", "nav")
    ):
        found.append("a landmark is missing, or there twice")
    if not [
        title for head in root.all("head") for title in head.all("title") if title.text.strip()
    ]:
        found.append("the page has no title")
    for field in root.all("input", "select"):
        if not [
            label
            for label in root.all("label")
            if label.attributes.get("for") == field.attributes.get("id")
        ]:
            found.append(f"<{field.tag}> has no label")
    policies = [
        node.attributes.get("content")
        for node in root.all("meta")
        if node.attributes.get("http-equiv")
    ]
    if len(policies) != 1 or "default-src 'none'" not in policies[0]:
        found.append("no policy forbids the network")
    return found

"""A strict reader of HTML pages: what a browser forgives is a fault here.

`faults(text)` is a list of sentences, empty for a valid page.
"""

import itertools
import re
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "wbr", "hr", "img", "link"}
REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "data-of")
OUTSIDE = re.compile(r"(?:https?:)?//|^\s*(?:file|data|ftp|javascript):", re.I)
LOADING = {"img", "link", "iframe", "object", "embed", "audio", "video", "source", "base", "form"}
LOADING |= {"foreignobject"}


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
    values = {name: value or "" for name, value in node.attributes.items()}
    wanted = [one for name in REFERENCES for one in values.get(name, "").split()]
    links = [values.get(name, "") for name in ("href", "xlink:href")]
    wanted += [link[1:] for link in links if link.startswith("#")]
    wanted += [one for value in values.values() for one in re.findall(r"url\(#([^)]*)\)", value)]
    return [f"<{node.tag}> refers to {one}, which is nowhere" for one in wanted if one not in ids]


def _network(node):
    found = []
    values = {name: value or "" for name, value in node.attributes.items()}
    if node.tag in LOADING or "src" in values or "srcset" in values:
        found.append(f"<{node.tag}> can load something")
    if node.tag == "image" and values.get("href", "").startswith("data:image/png;base64,"):
        del values["href"]  # the colours of a heat map
    for name, value in values.items():
        if name.startswith("on"):
            found.append(f"<{node.tag}> has a script in {name}")
        if OUTSIDE.search(value) and name != "data-variant":  # a variant may be a path
            found.append(f"<{node.tag}> has an address outside in {name}")
        if name in ("href", "xlink:href") and not value.startswith("#"):
            found.append(f"<{node.tag}> leads outside")
    if node.tag in ("style", "script"):
        words = re.findall(r"@import|url\([^#]|https?:|fetch\(|XMLHttp|import\(", node.text)
        found += [f"<{node.tag}> names {word}" for word in words]
    return found


def _headings(root):
    levels = [int(node.tag[1]) for node in root.all("h1", "h2", "h3", "h4", "h5", "h6")]
    found = [f"h{b} follows h{a}" for a, b in itertools.pairwise(levels) if b > a + 1]
    if levels[:1] != [1] or levels.count(1) != 1:
        found.append("there is not one h1 before all other headings")
    return found


def _pictures(root):
    found = []
    for svg in root.all("svg"):
        named = [child for child in svg.children if child.tag in ("title", "desc")]
        labels = (svg.attributes.get("aria-labelledby") or "").split()
        own = [child.attributes.get("id") for child in named]
        told = [child for child in named if child.text.strip()]
        if svg.attributes.get("role") != "img" or len(told) != 2 or labels != own:
            found.append("a picture has no title and description of its own")
        if "viewbox" not in svg.attributes:
            found.append("a picture has no size of its own")
    return found


def _tables(root):
    found = []
    for table in root.all("table"):
        headings = list(table.all("th"))
        scopes = [heading.attributes.get("scope") for heading in headings]
        if not any(one.text.strip() for one in table.all("caption")):
            found.append("a table has no caption")
        if not headings or not {*scopes} <= {"col", "row"}:
            found.append("a table has headings without a scope")
        if any(s == "col" and not h.text.strip() for h, s in zip(headings, scopes, strict=True)):
            found.append("a column has no name")
        widths = {sum(c.tag in ("th", "td") for c in row.children) for row in table.all("tr")}
        if len(widths) != 1:
            found.append(f"rows of a table have {sorted(widths)} cells")
    return found


def _document(root):
    found = []
    if [node.attributes.get("lang") for node in root.all("html")] != ["en"]:
        found.append("the page names no language")
    if any(len(list(root.all(name))) != 1 for name in ("header", "main", "footer", "nav")):
        found.append("a landmark is missing, or there twice")
    if not any(title.text.strip() for head in root.all("head") for title in head.all("title")):
        found.append("the page has no title")
    labelled = {label.attributes.get("for") for label in root.all("label")}
    for field in root.all("input", "select"):
        if field.attributes.get("id") not in labelled:
            found.append(f"<{field.tag}> has no label")
    metas = [node.attributes for node in root.all("meta") if node.attributes.get("http-equiv")]
    if len(metas) != 1 or "default-src 'none'" not in metas[0].get("content"):
        found.append("no policy forbids the network")
    return found

"""A strict reader of HTML: `faults(text)` is a list of sentences, empty for a valid page."""

import itertools
import re
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "wbr", "hr", "img", "link"}
REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "data-of")
OUTSIDE = re.compile(r"(?:https?:)?//|^\s*(?:file|data|ftp|javascript):", re.I)
BESIDE = re.compile(r"[\w%-][\w%./-]*\.(?:csv|png)$")  # a file that was written with the page
LOADING = set("img link iframe object embed audio video source base form foreignobject".split())


class Node:
    """An element: its name, attributes, children, and the text inside it."""

    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children, self.texts = [], []

    @property
    def text(self):
        return "".join(part if isinstance(part, str) else part.text for part in self.texts)

    def all(self, *tags):
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
    told = node.attributes
    wanted = [one for name in REFERENCES for one in (told.get(name) or "").split()]
    hrefs = [told.get(name) or "" for name in ("href", "xlink:href")]
    wanted += [href[1:] for href in hrefs if href.startswith("#")]
    for value in told.values():
        wanted += re.findall(r"url\(#([^)]*)\)", value or "")
    lost = [name for name in wanted if name not in ids]
    return [f"<{node.tag}> refers to {name}, which is nowhere" for name in lost]


def _network(node):
    found = []
    if node.tag in LOADING or "src" in node.attributes or "srcset" in node.attributes:
        found.append(f"<{node.tag}> can load something")
    attributes = dict(node.attributes)
    if node.tag == "image" and attributes.get("href", "").startswith("data:image/png;base64,"):
        del attributes["href"]  # the colours of a heat map
    for name, value in attributes.items():
        if name.startswith("on"):
            found.append(f"<{node.tag}> has a script in {name}")
        if OUTSIDE.search(value or ""):
            found.append(f"<{node.tag}> has an address outside in {name}")
        if name in ("href", "xlink:href") and not (value.startswith("#") or BESIDE.match(value)):
            found.append(f"<{node.tag}> leads outside")
    if node.tag in ("style", "script"):
        reaching = r"@import|url\([^#]|https?:|fetch\(|XMLHttp|import\("
        found += [f"<{node.tag}> names {word}" for word in re.findall(reaching, node.text)]
    return found


def _headings(root):
    levels = [int(node.tag[1]) for node in root.all("h1", "h2", "h3", "h4", "h5", "h6")]
    first = levels[:1] == [1] and levels.count(1) == 1
    found = [] if first else ["there is not one h1 before all other headings"]
    return found + [f"h{b} follows h{a}" for a, b in itertools.pairwise(levels) if b > a + 1]


def _pictures(root):
    found = []
    for svg in root.all("svg"):
        named = [child for child in svg.children if child.tag in ("title", "desc")]
        texts = [child.text.strip() for child in named if child.text.strip()]
        labels = (svg.attributes.get("aria-labelledby") or "").split()
        own = [child.attributes.get("id") for child in named]
        if svg.attributes.get("role") != "img" or len(texts) != 2 or labels != own:
            found.append("a picture has no title and description of its own")
        if "viewbox" not in svg.attributes:
            found.append("a picture has no size of its own")
    return found


def _tables(root):
    found = []
    for table in root.all("table"):
        if not any(caption.text.strip() for caption in table.all("caption")):
            found.append("a table has no caption")
        headings = [(one.attributes.get("scope"), one.text.strip()) for one in table.all("th")]
        if not headings or {scope for scope, _ in headings} - {"col", "row"}:
            found.append("a table has headings without a scope")
        if ("col", "") in headings:
            found.append("a column has no name")
        rows = [[child.tag for child in row.children] for row in table.all("tr")]
        widths = {row.count("th") + row.count("td") for row in rows}
        if len(widths) != 1:
            found.append(f"rows of a table have {sorted(widths)} cells")
    return found


def _document(root):
    found = []
    if [node.attributes.get("lang") for node in root.all("html")] != ["en"]:
        found.append("the page names no language")
    if any(len(list(root.all(name))) != 1 for name in ("header", "main", "footer")):
        found.append("a landmark is missing, or there twice")
    titles = [title.text.strip() for head in root.all("head") for title in head.all("title")]
    if not any(titles):
        found.append("the page has no title")
    labelled = {label.attributes.get("for") for label in root.all("label")}
    for field in root.all("input", "select"):
        if field.attributes.get("id") not in labelled:
            found.append(f"<{field.tag}> has no label")
    metas = [node.attributes for node in root.all("meta") if "http-equiv" in node.attributes]
    if len(metas) != 1 or "default-src 'none'" not in metas[0].get("content"):
        found.append("no policy forbids the network")
    return found

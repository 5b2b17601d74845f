"""Figures that say how easily a stranger finds the way.

    python tests/measure_house.py [CHECKOUT] [--before OLD] [--markdown]

Each figure is read from the source texts of a checkout; nothing is imported or executed. With
`--before` the figures of an older checkout stand beside it. What each of them counts is the first
paragraph of its function's docstring; the limits are those that tests/test_measure_house.py holds.
"""

import argparse
import ast
import os
import re
import statistics
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from support.value_walk import Walk, walk

LONG = 100  # columns
TEXTS = (".py", ".md", ".toml", ".j2")
DOCUMENTS = "RULES METRICS DESIGN STRATEGIES REFERENCE".split()  # none of them in the repository
CITATION = re.compile(
    rf"\b(?:{'|'.join(DOCUMENTS)})(?:\.md\b|,? (?:sections? )?\d| sections?\b)|\bseeds? 00\d\b"
)
PAGE = re.compile(r"\bdocs/[\w./-]+\.md\b")
GENERATED = re.compile(r"<!-- \w+(?:: [^>]*)? -->\n.*?<!-- end -->", re.S)  # parts of pages
RULE_METRIC = ("Trait", "RuleMetric")  # the record of a review's metric, in the old tree and here


@dataclass(frozen=True)
class Source:
    """One Python file."""

    path: Path
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of its syntax tree."""
        return list(ast.walk(self.tree))

    @cached_property
    def readers(self) -> dict[str, set[str]]:
        """Whose attributes it reads, by the attribute: {"turns": {"plots", "frames"}}."""
        readers: dict[str, set[str]] = defaultdict(set)
        for node in self.nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                readers[node.attr].add(node.value.id)
        return readers

    @cached_property
    def code_lines(self) -> set[int]:
        """Numbers of the lines that are not blank, a comment or a docstring."""
        lines = self.text.split("\n")
        stripped = {number: line.strip() for number, line in enumerate(lines, 1)}
        code = {number for number, line in stripped.items() if line and line[0] != "#"}
        for node in self.nodes:
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (
                ast.get_docstring(node) is not None
            ):
                code -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        return code


class House:
    """A checkout, read once."""

    def __init__(self, root: Path) -> None:
        self.root, self.package = root, root / "simgin"
        self.sources = []
        for path in sorted(self.package.rglob("*.py")):
            text = path.read_text()
            self.sources.append(Source(path, text, ast.parse(text)))

    def texts(self) -> Iterator[str]:
        """What people read: every text file but these measures, whose patterns would be found."""
        own = {Path(__file__).name, "test_measure_house.py"}
        for folder, folders, files in os.walk(self.root):
            folders[:] = [name for name in folders if name[0] != "." and name != "build"]
            for name in files:
                if name.endswith(TEXTS) and name not in own:
                    yield Path(folder, name).read_text(errors="replace")

    @cached_property
    def review(self) -> Walk:
        """The walk of the variants that are named to `simgin review`."""
        file = next(self.package.rglob("commands/review.py"))
        module = ".".join(file.relative_to(self.root).with_suffix("").parts)
        return walk(self.package, f"{module}.review", "variants")


# The map


def top_files(house: House) -> int:
    """Python files at the top of simgin/."""
    return len(list(house.package.glob("*.py")))


def largest_folder(house: House) -> int:
    """Python files in the largest folder of simgin/; core is left out."""
    folders = [source.path.parent for source in house.sources]
    return max(folders.count(folder) for folder in folders if folder.name != "core")


def allowed_arrows(house: House) -> int:
    """Pairs (importer, imported) that the layer test allows."""
    rooms = _rooms(house)
    return sum(len(allowed) for allowed in rooms.values())


def upward_arrows(house: House) -> int:
    """Those of them that point to a room listed above its importer."""
    rooms = _rooms(house)
    order = list(rooms)
    pairs = [(room, other) for room, allowed in rooms.items() for other in allowed]
    return sum(order.index(other) > order.index(room) for room, other in pairs)


def _rooms(house: House) -> dict[str, list[str]]:
    """What each room may import; before there were rooms, each module whatever stands before it."""
    table = house.root / "tests" / "rooms.toml"
    if table.exists():
        rooms: dict[str, list[str]] = tomllib.loads(table.read_text())["rooms"]
        order = list(rooms)
        return {
            room: order[: order.index(room)] if "*" in allowed else allowed
            for room, allowed in rooms.items()
        }
    tree = ast.parse((house.root / "tests" / "test_layers.py").read_text())
    text = next(
        node.value.func.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ORDER"
    )
    order = text.split()
    return {module: order[:i] for i, module in enumerate(order)}


# Words


def functions_called_of(house: House) -> int:
    """Functions and methods called `of`."""
    nodes = [node for source in house.sources for node in source.nodes]
    return sum(isinstance(node, ast.FunctionDef) and node.name == "of" for node in nodes)


def renamed_imports(house: House) -> int:
    """Imports of simgin's own modules under another name."""
    count = 0
    for source in house.sources:
        for node in source.nodes:
            if isinstance(node, ast.Import):
                modules = [(alias.name, alias.asname) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = [(f"{node.module}.{alias.name}", alias.asname) for alias in node.names]
            else:
                continue
            for module, name in modules:
                own = name not in (None, module.rpartition(".")[2]) and _is_module(house, module)
                count += own
    return count


def _is_module(house: House, dotted: str) -> bool:
    path = house.root.joinpath(*dotted.split("."))
    return dotted.startswith("simgin.") and (path.is_dir() or path.with_suffix(".py").exists())


def names_of_variants(house: House) -> int:
    """Names that the variants of a review bear on their way: parameters, variables, fields."""
    return len(house.review.all_names)


def places_of_variants(house: House) -> int:
    """Functions and records that they enter."""
    return len(house.review.places)


def unresolved_citations(house: House) -> int:
    """Citations of documents that are not in the repository, and of pages that are not in docs/."""
    count = 0
    for text in house.texts():
        count += len(CITATION.findall(text))
        pages = [house.root / page for page in PAGE.findall(text)]
        count += sum(not page.exists() for page in pages)
    return count


# Form


def nodes_a_line(house: House) -> float:
    """Syntax nodes a line of code, in functions."""
    nodes = lines = 0
    for source in house.sources:
        for function in _outermost_functions(source.tree):
            nodes += sum(1 for _ in ast.walk(function))
            span = range(function.lineno, (function.end_lineno or 0) + 1)
            lines += len(source.code_lines.intersection(span))
    return nodes / lines


def _outermost_functions(node: ast.AST) -> Iterator[ast.FunctionDef]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield child
        else:
            yield from _outermost_functions(child)


def long_lines(house: House) -> float:
    """Lines over 100 columns, of those that are not blank: a percentage."""
    lines = [line for source in house.sources for line in source.text.split("\n") if line.strip()]
    return 100 * sum(len(line) > LONG for line in lines) / len(lines)


# What an addition touches


def files_of_a_goal(house: House) -> int:
    """Files with code that decides by the goal of a match.

    They name a constant of the goals, subscript a row by "goal", or compare an attribute `.goal`.
    """
    return sum(_decides_by_goal(source) for source in house.sources)


def _decides_by_goal(source: Source) -> bool:
    for node in source.nodes:
        match node:
            case ast.Name(id=name) | ast.alias(name=name) | ast.Attribute(attr=name) if (
                name.startswith("GOAL_")
            ):
                return True
            case ast.Subscript(slice=ast.Constant(value="goal")):
                return True
            case ast.Compare(left=left, comparators=others):
                sides = [left, *others]
                if any(isinstance(side, ast.Attribute) and side.attr == "goal" for side in sides):
                    return True
    return False


def files_of_a_picture(house: House) -> float:
    """Files that a picture on one room's pages is named in: the median of all pictures.

    A picture is a public function of simgin.plots that takes a seed. It is named where it is
    defined, imported from simgin.plots, or read as `plots.NAME`. The function of its frame bears
    the same name, and is read from another module where the picture is. Of several rooms that show
    it, the one with the fewest files counts.
    """
    pictures = [
        node.name
        for source in house.sources
        if source.path.parent.name == "plots"
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef) and _is_picture(node)
    ]
    return statistics.median(_fewest(_files_naming_picture(house, name)) for name in pictures)


def _fewest(files: set[Path]) -> int:
    """The files in simgin/plots and those of the room that has the fewest others."""
    rooms = Counter(path.parent for path in files)
    in_plots = sum(count for room, count in rooms.items() if room.name == "plots")
    elsewhere = [count for room, count in rooms.items() if room.name != "plots"]
    return in_plots + min(elsewhere, default=0)


def _is_picture(function: ast.FunctionDef) -> bool:
    takes_seed = "seed" in [argument.arg for argument in function.args.kwonlyargs]
    returns = function.returns is not None and ast.unparse(function.returns) == "Figure"
    return takes_seed and returns and not function.name.startswith("_")


def _files_naming_picture(house: House, name: str) -> set[Path]:
    files = set()
    for source in house.sources:
        readers = source.readers.get(name, set())
        if "plots" in readers or name in _names_from_plots(source):
            files.add(source.path)
        if "plots" in readers:
            frames = readers - {"plots", "look"}
            files |= {other.path for other in house.sources if other.path.stem in frames}
    return files


def _names_from_plots(source: Source) -> set[str]:
    """The functions of simgin.plots that a file defines or imports by name."""
    names = set()
    for node in source.nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("simgin.plots"):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef) and source.path.parent.name == "plots":
            names.add(node.name)
    return names


def files_of_a_review_metric(house: House) -> float:
    """Files that name a rule metric by its key, written pages included: the median of all.

    Only keys with an underscore count; the others are words that files use for other things too.
    """
    keys = {key for source in house.sources for key in _rule_metric_keys(source)}
    words = [_constants(source.nodes) for source in house.sources]
    for path in sorted((house.root / "docs").rglob("*")):
        if path.suffix == ".py":
            words.append(_constants(list(ast.walk(ast.parse(path.read_text())))))
        elif path.suffix == ".md":
            written = GENERATED.sub("", path.read_text())
            words.append(set(re.findall(r"`(\w+)`", written)))
    counts = [sum(key in own for own in words) for key in keys if "_" in key]
    return statistics.median(counts) if counts else 0


def _rule_metric_keys(source: Source) -> Iterator[str]:
    for node in source.nodes:
        if not (isinstance(node, ast.Call) and ast.unparse(node.func) in RULE_METRIC):
            continue
        named = [word.value for word in node.keywords if word.arg == "key"]
        for value in [*node.args[1:2], *named]:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value.value


def _constants(nodes: list[ast.AST]) -> set[str]:
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    words = [node.arg for node in nodes if isinstance(node, ast.keyword)]
    return {text for text in [*texts, *words] if isinstance(text, str)}


# The table


@dataclass(frozen=True)
class Measure:
    """One line of the table; `limit` is what is asked, None where there is no limit."""

    title: str
    measure: Callable[[House], float]
    limit: float | None = None
    unit: str = ""

    def text(self, value: float) -> str:
        """A value as the table shows it."""
        decimals = 1 if isinstance(value, float) and value != int(value) else 0
        return f"{value:,.{decimals}f}{self.unit}"


MEASURES = (
    Measure("files at the top of `simgin/`", top_files, 5),
    Measure("files in the largest folder (core apart)", largest_folder, 17),
    Measure("arrows that the layer test allows", allowed_arrows, 100),
    Measure("of these, upward", upward_arrows, 0),
    Measure("functions called `of`", functions_called_of, 0),
    Measure("modules imported under another name", renamed_imports, 0),
    Measure("names that a review's variants bear on their way", names_of_variants),
    Measure("functions and records that they enter", places_of_variants),
    Measure("syntax nodes a line", nodes_a_line, 10),
    Measure("lines over 100 columns", long_lines, 1, " %"),
    Measure("unresolved citations", unresolved_citations, 0),
    Measure("files that decide by the goal of a match", files_of_a_goal, 5),
    Measure("files that name a picture", files_of_a_picture, 2),
    Measure("files that name a rule metric of reviews", files_of_a_review_metric, 2),
)


def table(houses: dict[str, House]) -> list[list[str]]:
    """The lines of the table, its head first: a column for every house."""
    lines = [["", *houses, "at most"]]
    for measure in MEASURES:
        values = [measure.text(measure.measure(house)) for house in houses.values()]
        limit = "" if measure.limit is None else measure.text(measure.limit)
        lines.append([measure.title, *values, limit])
    return lines


def markdown(lines: list[list[str]]) -> str:
    """A table in Markdown, numbers to the right."""
    head, *rest = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([head, "|---|" + "--:|" * (len(lines[0]) - 1), *rest])


def plain(lines: list[list[str]]) -> str:
    """A table for a screen."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = []
    for title, *values in lines:
        cells = [value.rjust(width) for value, width in zip(values, widths[1:], strict=True)]
        rows.append("  ".join([title.ljust(widths[0]), *cells]))
    return "\n".join(rows)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure how easily a stranger finds the way.")
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("checkout", nargs="?", type=Path, default=here)
    parser.add_argument("--before", type=Path, help="an older checkout to compare with")
    parser.add_argument("--markdown", action="store_true", help="print a Markdown table")
    options = parser.parse_args()
    houses = {"before": House(options.before.resolve())} if options.before else {}
    houses["now"] = House(options.checkout.resolve())
    lines = table(houses)
    print(markdown(lines) if options.markdown else plain(lines))


if __name__ == "__main__":
    main()

"""A static walk along one value: the names it bears and the functions and records it enters.

The walk starts at a parameter and follows the calls of a package's own functions. A value is
carried by a name bound to it, by a container of it, by a comprehension over it, and by a record
that was made with it. Such a record's field carries it too. So does what a function returns, if it
returns the value or is declared to return a record. Methods, and functions that are passed as
values, are not followed. Nothing is executed.
"""

import ast
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

CONTAINERS = set(
    "tuple list dict set frozenset sorted enumerate zip reversed map iter next".split()
)
FILLING = ("append", "extend", "add", "update")
VIEWS = ("items", "values", "keys", "copy")
Definition = ast.FunctionDef | ast.ClassDef


class Program:
    """The definitions of a package, by dotted name, and what its modules import."""

    def __init__(self, package: Path) -> None:
        self.definitions: dict[str, Definition] = {}
        self.module_of: dict[str, str] = {}
        self.imports: dict[str, dict[str, str]] = {}
        for path in sorted(package.rglob("*.py")):
            parts = path.relative_to(package.parent).with_suffix("").parts
            module = ".".join(part for part in parts if part != "__init__")
            tree = ast.parse(path.read_text())
            self.imports[module] = _imports(tree)
            self._define(module, module, tree)

    def _define(self, module: str, prefix: str, scope: ast.Module | ast.ClassDef) -> None:
        for node in scope.body:
            if isinstance(node, Definition):
                name = f"{prefix}.{node.name}"
                self.definitions[name], self.module_of[name] = node, module
                if isinstance(node, ast.ClassDef):
                    self._define(module, name, node)

    def resolve(self, module: str, expression: ast.expr) -> str | None:
        """The dotted name of the definition that an expression of a module names."""
        dotted = _dotted(expression)
        head, _, rest = dotted.partition(".")
        name = self.imports[module].get(head, f"{module}.{head}") + (f".{rest}" if rest else "")
        for _ in range(len(self.imports)):  # a package's __init__ may only pass a name on
            if name in self.definitions:
                return name
            package, _, last = name.rpartition(".")
            if last not in self.imports.get(package, {}):
                return None
            name = self.imports[package][last]
        return None

    def returns_record(self, name: str) -> bool:
        """Whether a function is declared to return a class of the package, or several of them."""
        definition, module = self.definitions[name], self.module_of[name]
        annotation = getattr(definition, "returns", None)
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = ast.parse(annotation.value, mode="eval").body
        if annotation is None:
            return False
        parts = [
            node for node in ast.walk(annotation) if isinstance(node, ast.Name | ast.Attribute)
        ]
        names = [self.resolve(module, part) for part in parts]
        return any(isinstance(self.definitions.get(name or ""), ast.ClassDef) for name in names)


def _imports(tree: ast.Module) -> dict[str, str]:
    imports = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                imports[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                imports[alias.asname or alias.name] = alias.name
    return imports


def _dotted(expression: ast.expr) -> str:
    if isinstance(expression, ast.Attribute):
        return f"{_dotted(expression.value)}.{expression.attr}"
    return expression.id if isinstance(expression, ast.Name) else ""


@dataclass
class Walk:
    """What is known of a walk so far; it is complete once a pass adds nothing."""

    program: Program
    names: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # by function
    fields: set[str] = field(default_factory=set)  # of records
    places: set[str] = field(default_factory=set)  # functions and records
    returning: set[str] = field(default_factory=set)  # functions that return the value

    @property
    def all_names(self) -> set[str]:
        """Parameters, variables and fields that hold the value."""
        return self.fields.union(*self.names.values()) - {"self"}

    @property
    def modules(self) -> set[str]:
        """The modules that the value enters."""
        return {self.program.module_of[place] for place in self.places}

    def size(self) -> int:
        """How much is known; it only grows."""
        held = sum(len(names) for names in self.names.values())
        return held + len(self.fields) + len(self.places) + len(self.returning)

    def enter(self, function: str, parameter: str) -> None:
        """Note that a function is passed the value."""
        self.places.add(function)
        self.names[function].add(parameter)


def walk(package: Path, function: str, parameter: str) -> Walk:
    """The walk of a parameter of a function, named by its dotted name, through a package."""
    result = Walk(Program(package))
    result.enter(function, parameter)
    size = 0
    while size != result.size():
        size = result.size()
        for place in sorted(result.places):
            if isinstance(result.program.definitions[place], ast.FunctionDef):
                _Body(result, place).follow()
    return result


class _Body:
    """One function's body: which of its expressions carry the value."""

    def __init__(self, walk: Walk, function: str) -> None:
        self.walk, self.program, self.function = walk, walk.program, function
        self.names = walk.names[function]

    def follow(self) -> None:
        """Bind the targets of assignments, enter what is called, note what is returned."""
        for node in ast.walk(self.program.definitions[self.function]):
            match node:
                case ast.Assign(targets=targets, value=value) if self.carries(value):
                    self.bind(*targets)
                case (
                    ast.AnnAssign(target=target, value=ast.expr() as value)
                    | ast.AugAssign(target=target, value=value)
                    | ast.NamedExpr(target=target, value=value)
                    | ast.For(target=target, iter=value)
                    | ast.withitem(context_expr=value, optional_vars=ast.expr() as target)
                ) if self.carries(value):
                    self.bind(target)
                case (
                    ast.Return(value=ast.expr() as value)
                    | ast.Yield(value=ast.expr() as value)
                    | ast.YieldFrom(value=value)
                ) if self.carries(value):
                    self.walk.returning.add(self.function)
                case ast.Call():
                    self.carries(node)

    def carries(self, expression: ast.expr | None) -> bool:
        """Whether an expression carries the value. Enters the functions that it passes it to."""
        match expression:
            case ast.Name(id=name):
                return name in self.names
            case ast.Attribute(value=value, attr=name):
                is_field = name in self.walk.fields or isinstance(value, ast.Call)
                return is_field and self.carries(value)
            case ast.Call():
                return self.call_carries(expression)
            case ast.Subscript(value=value) | ast.Starred(value=value):
                return self.carries(value)
            case ast.Lambda() | ast.Compare() | ast.JoinedStr():
                return False
            case ast.IfExp(body=value, orelse=other):
                return any([self.carries(value), self.carries(other)])
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                self.bind_generators(expression.generators)
        if expression is None:
            return False
        children = [node for node in ast.iter_child_nodes(expression) if isinstance(node, ast.expr)]
        carried = [self.carries(child) for child in children]  # each may enter functions
        return any(carried)

    def bind(self, *targets: ast.expr) -> None:
        """Give names to the value: variables, or attributes of an object."""
        for target in targets:
            if isinstance(target, ast.Attribute):
                self.walk.fields.add(target.attr)
            elif isinstance(target, ast.Subscript):
                self.bind(target.value)
            else:
                found = {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
                self.names.update(found - {"_"})

    def bind_generators(self, generators: list[ast.comprehension]) -> None:
        """Give names to the elements that a comprehension runs over."""
        for generator in generators:
            if self.carries(generator.iter):
                self.bind(generator.target)

    def call_carries(self, call: ast.Call) -> bool:
        """Whether a call's result carries the value; whom it is passed to is entered."""
        positional = [self.carries(argument) for argument in call.args]
        keywords = {word.arg: self.carries(word.value) for word in call.keywords}
        is_passed = any(positional) or any(keywords.values())
        name = self.program.resolve(self.program_module(), call.func)
        if name is None:
            return self.foreign_call_carries(call, is_passed)
        definition = self.program.definitions[name]
        if (
            isinstance(definition, ast.ClassDef)
            and f"{name}.__init__" not in self.program.definitions
        ):
            self.put_into_record(name, definition, positional, keywords)
            return is_passed
        if isinstance(definition, ast.ClassDef):
            self.pass_to(f"{name}.__init__", call, positional, keywords)
            return is_passed
        self.pass_to(name, call, positional, keywords)
        return name in self.walk.returning or (is_passed and self.program.returns_record(name))

    def program_module(self) -> str:
        """The module that the function stands in."""
        return self.program.module_of[self.function]

    def foreign_call_carries(self, call: ast.Call, is_passed: bool) -> bool:
        """Calls of Python's own functions and of methods."""
        function = call.func
        if _dotted(function) in CONTAINERS | {"dict.fromkeys", "itertools.chain"}:
            return is_passed
        if not isinstance(function, ast.Attribute):
            return False
        if is_passed and function.attr in FILLING and isinstance(function.value, ast.Name):
            self.bind(function.value)
        return function.attr in VIEWS and self.carries(function.value)

    def put_into_record(
        self,
        name: str,
        definition: ast.ClassDef,
        positional: list[bool],
        keywords: dict[str | None, bool],
    ) -> None:
        """A record holds the value in the fields that it was made with."""
        fields = [node.target for node in definition.body if isinstance(node, ast.AnnAssign)]
        names = [target.id for target in fields if isinstance(target, ast.Name)]
        for word, is_passed in [*zip(names, positional, strict=False), *keywords.items()]:
            if is_passed and word:
                self.walk.fields.add(word)
                self.walk.places.add(name)

    def pass_to(
        self, name: str, call: ast.Call, positional: list[bool], keywords: dict[str | None, bool]
    ) -> None:
        """A function holds the value under the names of its parameters."""
        definition = self.program.definitions[name]
        assert isinstance(definition, ast.FunctionDef)
        arguments = definition.args
        words = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        if words and words[0] in ("self", "cls"):
            words = words[1:]
        last = arguments.vararg.arg if arguments.vararg else (words[-1] if words else None)
        for i, is_passed in enumerate(positional):
            is_plain = i < len(words) and not isinstance(call.args[i], ast.Starred)
            word = words[i] if is_plain else last
            if is_passed and word:
                self.walk.enter(name, word)
        for keyword, is_passed in keywords.items():
            if is_passed and keyword:
                self.walk.enter(name, keyword)

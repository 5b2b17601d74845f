"""Names and attributes that a function reads, found in the syntax tree of its source."""

import ast
import linecache
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

_DEFINITION = ast.FunctionDef | ast.Lambda
_COMPREHENSION = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SCOPE = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | _COMPREHENSION


@dataclass(frozen=True)
class Reads:
    """What a function reads, in the order of its text."""

    names: list[str]  # names of its module and of Python itself
    dotted: list[str]  # the same with the attributes read from them, as `np.random.random`
    modules: list[str]  # what it imports itself
    fields: list[tuple[str, str]]  # (argument, attribute), unless the argument is assigned to
    attributes: set[str]  # attributes of anything


def find_reads(function: Callable[..., Any]) -> Reads | None:
    """What a function reads; None if its source cannot be found, as for what `exec` made."""
    body = find_body(function)
    if body is None:
        return None
    code = function.__code__
    arguments = set(code.co_varnames[: code.co_argcount])
    closure = set(code.co_freevars)
    own_names = arguments | closure
    free_names = sorted(_free_names(body), key=_position)
    names = [node.id for node in free_names if node.id not in own_names]
    attributes = []
    for node in ast.walk(body):
        if isinstance(node, ast.Attribute):
            attributes.append(node)
    fields = []
    for attribute in sorted(attributes, key=_position):
        owner = attribute.value
        if owner not in free_names or not isinstance(owner, ast.Name):
            continue
        if owner.id in arguments:
            fields.append((owner.id, attribute.attr))
    owners = {attribute.value: attribute for attribute in attributes}
    dotted = [_dotted(node, owners) for node in free_names if node.id not in own_names]
    return Reads(
        names=names,
        dotted=dotted,
        modules=list(_imported(body)),
        fields=fields,
        attributes={node.attr for node in attributes},
    )


def find_body(function: Callable[..., Any]) -> ast.Module | None:
    """What a function executes, as a syntax tree; None if its source cannot be found."""
    definition = _find_definition(function.__code__, function.__globals__)
    return None if definition is None else _body(definition)


def _dotted(name: ast.Name, owners: Mapping[ast.expr, ast.Attribute]) -> str:
    """A name with all attributes that are read from it: `np.random.random`."""
    text = name.id
    node: ast.expr = name
    while node in owners:
        node = owners[node]
        text += f".{node.attr}"
    return text


def _imported(body: ast.AST) -> Iterator[str]:
    """The modules that import statements inside a function name."""
    for node in ast.walk(body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def _position(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


# The definition of a function


def _find_definition(code: CodeType, module: dict[str, Any]) -> _DEFINITION | None:
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, module)
    text = "".join(lines)
    definitions = _definitions(text)
    candidates = [node for node in definitions if _is_definition(node, code)]
    if len(candidates) > 1:  # several lambdas on one line
        candidates = [node for node in candidates if _encloses(node, code)]
    if len(candidates) != 1:
        return None
    return candidates[0]


@lru_cache(maxsize=16)
def _definitions(text: str) -> list[_DEFINITION]:
    """Every function that a text defines, nested ones too; none if the text cannot be parsed."""
    try:
        with warnings.catch_warnings(action="ignore"):  # the import of the file has shown them
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, _DEFINITION)]


def _is_definition(node: _DEFINITION, code: CodeType) -> bool:
    """Whether a definition has the name, the first line and the arguments of a function's code."""
    name = "<lambda>"
    first_line = node.lineno
    if isinstance(node, ast.FunctionDef):
        name = node.name
        lines = [decorator.lineno for decorator in node.decorator_list]
        first_line = min([node.lineno, *lines])
    positional = [*node.args.posonlyargs, *node.args.args]
    names = tuple(argument.arg for argument in positional)
    if names != code.co_varnames[: code.co_argcount]:
        return False
    if name != code.co_name:
        return False
    return first_line == code.co_firstlineno


def _encloses(node: _DEFINITION, code: CodeType) -> bool:
    """Whether all of a function's code comes from the text of a definition."""
    begin = (node.lineno, node.col_offset)
    end = (node.end_lineno or 0, node.end_col_offset or 0)
    for line, _, column, _ in code.co_positions():
        if line is None or not column:
            continue
        position = (line, column)
        if not begin <= position < end:
            return False
    return True


def _body(definition: _DEFINITION) -> ast.Module:
    """What a function executes: no decorators, defaults or annotations."""
    if isinstance(definition, ast.Lambda):
        statement = ast.Expr(definition.body)
        return ast.Module([statement], [])
    return ast.Module(definition.body, [])


# The scopes inside a function


def _free_names(scope: ast.AST) -> Iterator[ast.Name]:
    """Reads of names that neither a scope nor one nested in it binds.

    Defaults and decorators of nested functions count as read inside those. A mistake in one of
    them may pass, but nothing correct is refused.
    """
    bound = _bound_names(scope)
    for node in _scope_nodes(scope):
        if isinstance(node, _SCOPE):
            reads = list(_free_names(node))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            reads = [node]
        else:
            continue
        for name in reads:
            if name.id not in bound:
                yield name


def _bound_names(scope: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in _scope_nodes(scope):
        names |= _names_bound_by(node)
    for node in ast.walk(scope):  # a walrus and `nonlocal` bind outside the scope they stand in
        if isinstance(node, ast.NamedExpr):
            names.add(node.target.id)
        elif isinstance(node, ast.Nonlocal):
            names.update(node.names)
    return names


def _scope_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, nested scopes included but not entered; without annotations."""
    annotation = getattr(scope, "annotation", None)
    returns = getattr(scope, "returns", None)
    for node in ast.iter_child_nodes(scope):
        if node in (annotation, returns):
            continue
        yield node
        if not isinstance(node, _SCOPE):
            yield from _scope_nodes(node)


def _names_bound_by(node: ast.AST) -> set[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return {name}
        case ast.alias(name=module, asname=name):
            return {name or module.partition(".")[0]}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return {name}
        case ast.ExceptHandler(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return {name}
    return set()

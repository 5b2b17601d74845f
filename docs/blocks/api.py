"""The functions and classes of a module with their docstrings, for the page of the Python API."""

import importlib
import inspect
import re
from types import ModuleType
from typing import Any

TYPE = re.compile(r"""(: |-> )(['"])(.*?)\2""")
MODULES = re.compile(r"\b(?:\w+\.)+(?=[A-Z]|ndarray)")
SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Examples?):\n", re.MULTILINE)
ENTRY = re.compile(r"^(\*{0,2}\w+): ", re.MULTILINE)
LONGEST = 100  # characters of a signature on one line


def api(module: str, *names: str) -> str:
    """Return a section for each public name of a module, or only for the given names."""
    home = importlib.import_module(module)
    members = {name: getattr(home, name) for name in names or home.__all__}
    constants = [name for name, member in members.items() if not hasattr(member, "__name__")]
    parts = [f"Constants: {', '.join(f'`{name}`' for name in constants)}."] if constants else []
    for name, member in members.items():
        if name not in constants and not isinstance(member, ModuleType):
            parts.append(_section(f"{module}.{name}", getattr(member, "py_func", member)))
    return "\n\n".join(parts)


def _section(title: str, member: Any) -> str:
    """Return the heading, the signature and the docstring of a member."""
    text = f"{title.rpartition('.')[2]}{_signature(member)}"
    return f"### {title}\n\n```python\n{text}\n```\n\n{_markdown(inspect.getdoc(member) or '')}"


def _markdown(docstring: str) -> str:
    """Return a Google-style docstring as Markdown: sections become lists, examples code."""
    parts = SECTION.split(docstring)
    text = [parts[0].strip()]
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        lines = inspect.cleandoc("\n" + body)
        if name.startswith("Example"):
            intro, _, code = lines.rpartition("::\n")
            shown = f"{intro}:" if intro else "Example:"
            text.append(f"{shown}\n\n```python\n{inspect.cleandoc(code or lines)}\n```")
        elif name == "Returns":
            text.append(f"Returns: {lines}")
        else:
            items = ENTRY.sub(r"* `\1`: ", lines)
            text.append(f"{name}:\n\n{items}")
    return "\n\n".join(text)


def _signature(member: Any) -> str:
    """Return a signature on one line, or with a line for each argument if it is too long."""
    signature = inspect.signature(member)
    text = _plain(str(signature))
    if len(text) <= LONGEST:
        return text
    inside, _, returned = text.rpartition(") -> ")
    arguments = [_plain(str(each)) for each in signature.parameters.values()]
    kinds = [each.kind for each in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        arguments.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"(\n{lines})" + (f" -> {returned}" if inside else "")


def _plain(text: str) -> str:
    """Remove quotation marks and modules from the types of a signature, on any Python."""
    return MODULES.sub("", TYPE.sub(r"\1\3", text))

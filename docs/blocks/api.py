"""Documentation block with the functions and classes of a module, for the Python API reference."""

import importlib
import inspect
import re
from types import ModuleType
from typing import Any

QUOTED_TYPE_PATTERN = re.compile(r"""(: |-> )(['"])(.*?)\2""")
MODULE_PREFIX_PATTERN = re.compile(r"\b(?:\w+\.)+(?=[A-Z]|ndarray)")
DOCSTRING_SECTION_PATTERN = re.compile(
    r"^(Args|Attributes|Returns|Raises|Examples?):\n", re.MULTILINE
)
ARGUMENT_NAME_PATTERN = re.compile(r"^(\*{0,2}\w+): ", re.MULTILINE)
MAX_SIGNATURE_LENGTH = 80  # characters; a longer signature has one line per argument
# Arguments that have the same meaning in many functions. The page describes them once.
OMITTED_ARGUMENT_LINES = (
    "cards: Cards as a 52-bit mask.",
    "card: Card, 0 to 51.",
    "rules: Rules of the variant.",
    "seed: Seed of the deals.",
    "variant: Variant, as a spec or an object.",
    "view: View of the player.",
    "workers: Number of threads (default: one per CPU).",
)


def render_api(module: str, *names: str) -> str:
    """Return a section for each public name of a module, or only for the given names."""
    imported = importlib.import_module(module)
    members = {name: getattr(imported, name) for name in names or imported.__all__}
    constants = [name for name, member in members.items() if not hasattr(member, "__name__")]
    parts = [f"Constants: {', '.join(f'`{name}`' for name in constants)}."] if constants else []
    for name, member in members.items():
        if name not in constants and not isinstance(member, ModuleType):
            parts.append(_render_section(f"{module}.{name}", getattr(member, "py_func", member)))
    return "\n\n".join(parts)


def _render_section(title: str, member: Any) -> str:
    """Return the heading, the signature and the docstring of a function or class."""
    text = f"{title.rpartition('.')[2]}{_format_signature(member)}"
    body = _convert_docstring_to_markdown(inspect.getdoc(member) or "")
    return f"### {title}\n\n```python\n{text}\n```\n\n{body}"


def _convert_docstring_to_markdown(docstring: str) -> str:
    """Convert a Google-style docstring to Markdown, with lists and code blocks."""
    parts = DOCSTRING_SECTION_PATTERN.split(docstring)
    text = [parts[0].strip()]
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        lines = inspect.cleandoc("\n" + body)
        if name.startswith("Example"):
            intro, _, code = lines.rpartition("::\n")
            heading = f"{intro}:" if intro else "Example:"
            text.append(f"{heading}\n\n```python\n{inspect.cleandoc(code or lines)}\n```")
        elif name == "Returns":
            text.append(f"Returns: {lines}")
        else:
            entries = [line for line in lines.splitlines() if line not in OMITTED_ARGUMENT_LINES]
            items = ARGUMENT_NAME_PATTERN.sub(r"* `\1`: ", "\n".join(entries))
            text.append(f"{name}:\n\n{items}" if items else "")
    return "\n\n".join(filter(None, text))


def _format_signature(member: Any) -> str:
    """Return the signature of a function, with one line per argument if it is long."""
    signature = inspect.signature(member)
    text = _shorten_type_names(str(signature))
    if len(text) <= MAX_SIGNATURE_LENGTH:
        return text
    arguments_text, _, returned = text.rpartition(") -> ")
    arguments = [_shorten_type_names(str(each)) for each in signature.parameters.values()]
    kinds = [each.kind for each in signature.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds:
        arguments.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"(\n{lines})" + (f" -> {returned}" if arguments_text else "")


def _shorten_type_names(signature: str) -> str:
    """Remove quotation marks and module names from the types in a signature."""
    return MODULE_PREFIX_PATTERN.sub("", QUOTED_TYPE_PATTERN.sub(r"\1\3", signature))

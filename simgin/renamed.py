"""Error messages that state the new names of renamed functions and attributes.

Version 1.0 will remove this module and its table.
"""

import sys
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

RENAMES_FILE = Path(__file__).with_name("renamed.toml")


def find_new_name(owner: str, name: str) -> str | None:
    """Return the new name of a renamed function or attribute, or None if there is none."""
    return _read_renames().get(owner, {}).get(name)


@cache
def _read_renames() -> dict[str, dict[str, str]]:
    """Return the new names of functions and attributes, keyed by owner and old name."""
    import tomllib

    return tomllib.loads(RENAMES_FILE.read_text(encoding="utf-8"))


def make_missing_name_error(owner: str, name: str, valid_names: Collection[str] = ()) -> Exception:
    """Return the error for a missing name, including the new name if there is one.

    In `from module import name`, Python discards the message of an AttributeError, so the error is
    an ImportError.

    Args:
        owner: Module, such as `simgin.toolkit`, or name of a class.
        name: Missing name.
        valid_names: Valid names. The error suggests the most similar one.
    """
    import difflib
    import dis

    new_name = find_new_name(owner, name)
    if new_name is None:
        # The command `odds` corresponds to the function `compute_odds`.
        similar_names = [valid for valid in valid_names if name in valid.split("_")]
        similar_names += difflib.get_close_matches(name, valid_names, n=1)
        suggestion = f". Did you mean {similar_names[0]!r}?" if similar_names else ""
        return AttributeError(f"{owner!r} has no attribute {name!r}{suggestion}")
    message = f"{owner}.{name} is now {owner}.{new_name}. Use the new name."
    caller = sys._getframe(2)
    is_import = dis.opname[caller.f_code.co_code[caller.f_lasti]] == "IMPORT_FROM"
    return (ImportError if is_import else AttributeError)(message)


def make_getattr(module: str) -> Callable[[str], NoReturn]:
    """Return a `__getattr__` for a module that reports the new names of renamed functions."""

    def raise_missing_name(name: str) -> NoReturn:
        raise make_missing_name_error(module, name, sys.modules[module].__all__)

    return raise_missing_name


class RenamedAttributes:
    """Base class of classes whose attributes have been renamed."""

    if not TYPE_CHECKING:  # Type checkers would accept any attribute.

        def __getattr__(self, name: str) -> NoReturn:
            if hasattr(type(self), name):  # A property has raised its own AttributeError.
                object.__getattribute__(self, name)
            owners = [cls.__name__ for cls in type(self).__mro__]
            renamed_owners = (owner for owner in owners if find_new_name(owner, name))
            names = [attribute for attribute in dir(self) if not attribute.startswith("_")]
            raise make_missing_name_error(next(renamed_owners, owners[0]), name, names)

"""Where text may be broken: long names on several lines, numbers never apart from their units."""

from __future__ import annotations

import re
from collections.abc import Iterator


def fold(name: str, width: int) -> list[str]:
    """Lines of at most `width` characters: broken before + and after a space, else before : # /.

    A part without any of these is cut only if it is longer than a whole line.
    """
    lines = [""]
    for part in _parts(name, width):
        if lines[-1] and not _fits(lines[-1] + part, width):
            lines.append("")
        lines[-1] += part
        while not _fits(lines[-1], width):
            whole = lines.pop()
            lines.append(whole[:width])
            lines.append(whole[width:])
    return [line.rstrip() for line in lines]


def keep_units(text: str) -> str:
    """The text with no break between a number and its error or unit, nor between "seed" and it."""
    return re.sub(r" (?=[±%])|(?<=±) |(?<=seed) ", "\N{NO-BREAK SPACE}", text)


def _fits(line: str, width: int) -> bool:
    """Whether a line is short enough; spaces at its end do not count."""
    return len(line.rstrip()) <= width


def _parts(name: str, width: int) -> Iterator[str]:
    for part in re.findall(r"\+?[^+ ]+ ?|.", name):
        if _fits(part, width):
            yield part
        else:
            yield from re.findall(r"[:#/]?[^:#/]+|.", part)

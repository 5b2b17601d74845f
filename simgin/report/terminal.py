"""Terminal output in which control characters are escaped."""

import io
from collections.abc import Iterable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from simgin.text.messages import escape_control_chars


class Terminal(Console):
    """Rich console that escapes control characters in every printed string.

    Therefore, names and paths in the output cannot send control sequences to the terminal.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Render an object as rich does, escaping control characters in the text."""
        for segment in super().render(renderable, options):
            yield (
                segment
                if segment.control
                else segment._replace(text=escape_control_chars(segment.text))
            )


def render_text(parts: Iterable[RenderableType]) -> str:
    """Render objects as plain text as wide as the terminal (80 characters by default)."""
    out = io.StringIO()
    plain = {"highlight": False, "markup": False, "emoji": False, "force_jupyter": False}
    console = Terminal(file=out, color_system=None, **plain)  # type: ignore[arg-type]
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()).strip("\n")

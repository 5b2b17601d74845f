"""Terminal output in which control characters are escaped."""

import io
from collections.abc import Iterable, Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from simgin.text.messages import escape_control_chars


class Terminal(Console):
    """Rich console that escapes control characters in all printed strings.

    Names and paths in the output therefore cannot send control sequences to the terminal.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Render an object as rich does, and escape control characters in its text."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else escape_control_chars(segment.text)
            yield segment._replace(text=text)


def render_text(renderables: Iterable[RenderableType]) -> str:
    """Render rich objects as plain text at the terminal's width, or 80 characters if unknown."""
    buffer = io.StringIO()
    plain_options = {"highlight": False, "markup": False, "emoji": False, "force_jupyter": False}
    console = Terminal(file=buffer, color_system=None, **plain_options)  # type: ignore[arg-type]
    for renderable in renderables:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()).strip("\n")

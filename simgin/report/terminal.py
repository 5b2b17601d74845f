"""The terminal that results are printed on: no name and no question can steer it."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from simgin.text.messages import printable


class Terminal(Console):
    """rich's console, which prints every text as it may be printed."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """As in rich; what rich itself does with the terminal stays as it is."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))

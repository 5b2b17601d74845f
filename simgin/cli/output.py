"""What every command says at its end: tables on stdout, or one JSON object; the files written; the command that repeats it."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MOST_LISTED = 10  # files of one folder by name
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else on stdout."
)


@dataclass(frozen=True)
class Answer:
    """What a command came to. `command` repeats it; `rows` go to --json and nowhere else."""

    command: str
    rows: list[dict[str, Any]]
    seed: int | None = None
    files: Sequence[Path] = field(default=())
    stopped: str = "complete"

    def json(self) -> str:
        """The object that --json prints."""
        import simgin
        from simgin.core import rng

        whole = {
            "simgin": simgin.__version__,
            "stream": rng.STREAM,
            "command": self.command,
            "seed": self.seed,
            "stopped": self.stopped,
            "files": [str(path) for path in self.files],
            "rows": self.rows,
        }
        return json.dumps(whole, allow_nan=False)

    def give(self, as_json: bool, parts: Iterable[Any]) -> None:
        """Print the object, or the parts (what rich prints), the files and the command that repeats it."""
        if as_json:
            click.echo(self.json())
            return
        out = console()
        for part in parts:
            out.print(part)
        if self.files:
            click.echo("Written: " + "\n         ".join(_listed(self.files)))
        click.echo(f"Repeat:  {self.command}")


def _listed(files: Sequence[Path]) -> Iterator[str]:
    """The files, those of a folder of many as one: so many lines would push the answer off the screen."""
    for folder, inside in itertools.groupby(files, key=lambda path: path.parent):
        names = [str(path) for path in inside]
        yield from names if len(names) <= MOST_LISTED else [f"{folder} ({len(names)} files)"]


def console() -> Console:
    """Where tables go: stdout, 80 columns wide unless the terminal or COLUMNS says otherwise. Takes texts as they are."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def grid(title: str, *headings: str) -> Table:
    """A table with nothing but a line under its headings. Long words are folded, never cut."""
    from rich import box
    from rich.table import Table

    out = Table(
        title=f"\n{title}",
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    for heading in headings:
        out.add_column(heading, overflow="fold")
    return out


def note(message: str) -> None:
    """Something to know that is no result: on stderr."""
    click.echo(f"simgin: {message}", err=True)


def command_line(*words: object) -> str:
    """The command that these words are, quoted for a shell."""
    return shlex.join(["simgin", *map(str, words)])

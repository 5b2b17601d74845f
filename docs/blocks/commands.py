"""The help of every command, as it is printed, for the page of the command line."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.testing import CliRunner

from simgin.cli.main import cli

DOCS = Path(__file__).resolve().parents[1]


def reference() -> str:
    """Return a section for every command, with its help as a block of text."""
    parts = []
    for command, context in _commands(
        cli, click.Context(cli, info_name="simgin", **cli.context_settings)
    ):
        text = command.get_help(context)
        parts.append(f"## {context.command_path}\n\n```text\n{text}\n```")
    return "\n\n".join(parts)


def screen(*words: str) -> str:
    """Return the output of a command at 80 columns, without the line that repeats it."""
    done = CliRunner(env={"COLUMNS": "80"}).invoke(cli, list(words), prog_name="simgin")
    assert done.exit_code == 0, done.output
    lines = [line.rstrip() for line in done.stdout.splitlines()[:-2]]
    text = "\n".join(lines).rstrip()
    return f"```text\n{text}\n```"


def learned(*words: str) -> str:
    """Return the output of `simgin train` for the strategy on a page; words: page, options."""
    name, *options = words
    page = (DOCS / name).read_text()
    code = page.partition("```python\n")[2].partition("```")[0]
    with TemporaryDirectory() as folder, chdir(folder):
        Path("weighed.py").write_text(code)
        return screen("train", "weighed.py", *options)


def graded(a: str, b: str, deals: str) -> str:
    """Return the output of `simgin grade` for deals of a against b, one file for each deal."""
    with TemporaryDirectory() as folder, chdir(folder):
        for number in range(int(deals)):
            address = ["--unit", str(number // 2), "--half", str(number % 2)]
            shown = CliRunner().invoke(cli, ["show", a, b, *address, "--json"])
            Path(f"mine-{number + 1}.json").write_text(shown.stdout)
        return screen("grade", *sorted(map(str, Path().glob("*.json"))))


def _commands(
    group: click.Group, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield every command below a group in the order of its help, each with its context."""
    for name, command in subcommands(group):
        inner = click.Context(command, info_name=name, parent=context, terminal_width=80)
        yield command, inner
        if isinstance(command, click.Group):
            yield from _commands(command, inner)


def subcommands(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    """Return the commands of a group by name, in the order of its help."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield name, command

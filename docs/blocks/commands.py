"""Documentation blocks with the help texts and the output of commands."""

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from click.testing import CliRunner

from blocks.reference import DOCS_DIRECTORY
from simgin.cli.main import cli

CLOSING_NOTE_LABELS = ("Details:", "Output:", "Command:")


def render_commands() -> str:
    """Return a section for every command, with the help text as a code block."""
    parts = []
    for command, context in _iter_commands(
        cli, click.Context(cli, info_name="simgin", **cli.context_settings)
    ):
        text = command.get_help(context)
        parts.append(f"## {context.command_path}\n\n```text\n{text}\n```")
    return "\n\n".join(parts)


def render_command_output(*arguments: str) -> str:
    """Return the output of a command, wrapped at 80 columns and without the closing notes."""
    result = CliRunner(env={"COLUMNS": "80"}).invoke(cli, list(arguments), prog_name="simgin")
    assert result.exit_code == 0, result.output
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    notes = next(i for i, line in enumerate(lines) if line.startswith(CLOSING_NOTE_LABELS))
    text = "\n".join(lines[:notes]).rstrip()
    return f"```text\n{text}\n```"


def render_training_output(*arguments: str) -> str:
    """Return the output of `simgin train` for the Python code on a documentation page.

    Args:
        *arguments: Path of the page below docs/, followed by options of the command.
    """
    name, *options = arguments
    page = (DOCS_DIRECTORY / name).read_text()
    code = page.partition("```python\n")[2].partition("```")[0]
    with TemporaryDirectory() as folder, chdir(folder):
        Path("weighed.py").write_text(code)
        return render_command_output("train", "weighed.py", *options)


def render_grade_output(strategy: str, opponent: str, n_deals: str) -> str:
    """Return the output of `simgin grade` for the first deals of a matchup."""
    with TemporaryDirectory() as folder, chdir(folder):
        for index in range(int(n_deals)):
            deal_options = ["--unit", str(index // 2), "--half", str(index % 2)]
            result = CliRunner().invoke(cli, ["show", strategy, opponent, *deal_options, "--json"])
            Path(f"mine-{index + 1}.json").write_text(result.stdout)
        return render_command_output("grade", *sorted(map(str, Path().glob("*.json"))))


def _iter_commands(
    group: click.Group, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield every command below a group, including nested commands, with its context."""
    for name, command in iter_subcommands(group):
        inner = click.Context(command, info_name=name, parent=context, terminal_width=80)
        yield command, inner
        if isinstance(command, click.Group):
            yield from _iter_commands(command, inner)


def iter_subcommands(group: click.Group) -> Iterator[tuple[str, click.Command]]:
    """Yield the names and commands directly below a group, in the order of its help text."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield name, command

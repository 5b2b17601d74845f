"""Commands with subcommands that also take a name."""

import click
import pytest
from click.testing import CliRunner

from simgin.cli.groups import NameOrSubcommand

pytestmark = pytest.mark.usefixtures("empty_directory")


def test_a_subcommand_and_a_name_can_share_a_command():
    group = NameOrSubcommand(
        click.Command(
            "things",
            params=[click.Argument(["name"])],
            callback=lambda name: click.echo(f"one {name}"),
        )
    )
    group.add_command(click.Command("diff", callback=lambda: click.echo("differences")))
    above = click.Group(commands={"things": group})
    assert CliRunner().invoke(above, ["things", "diff"]).output == "differences\n"
    assert CliRunner().invoke(above, ["things", "gold"]).output == "one gold\n"

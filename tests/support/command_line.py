"""Run simgin commands in this process, and interrupt them."""

import click
from click.testing import CliRunner

from simgin.cli.main import cli
from simgin.runs import ledger


def run_simgin(*arguments, exit_code=0):
    """Run a simgin command in this process, and check its exit code."""
    result = CliRunner().invoke(cli, [str(word) for word in arguments], prog_name="simgin")
    if not isinstance(result.exception, SystemExit | None):
        raise result.exception
    assert result.exit_code == exit_code, result.output
    assert "Traceback" not in result.output
    return result


def interrupt_after_blocks(monkeypatch, n_blocks, only_on_disk=False):
    """Interrupt a run after n blocks are in ledgers, or only after n blocks on disk."""
    add, added = ledger.Ledger.add_block, []

    def add_and_count(self, *block):
        add(self, *block)
        if not only_on_disk or self._name != "the ledger":
            added.append(block)
        if len(added) == n_blocks:
            raise KeyboardInterrupt

    monkeypatch.setattr(ledger.Ledger, "add_block", add_and_count)


def parse_command(name, *words):
    """Parse the arguments of a command without running it, and raise an error if one is invalid."""
    parent = click.Context(cli, **cli.context_settings)
    command = cli.get_command(parent, name)
    assert command is not None, name
    command.make_context(name, [*words], parent=parent)

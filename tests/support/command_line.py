"""Run commands in this process and interrupt them."""

from click.testing import CliRunner

from simgin.cli.main import cli
from simgin.runs import ledger


def call(*words, code=0):
    """Run a command line in this process, and check its exit code and the lack of a traceback."""
    result = CliRunner().invoke(cli, [str(word) for word in words], prog_name="simgin")
    if not isinstance(result.exception, SystemExit | None):
        raise result.exception
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def interrupt_after_blocks(monkeypatch, n_blocks, on_disk=False):
    """Raise KeyboardInterrupt after n blocks; with `kept`, count only ledgers on disk."""
    add, added = ledger.Ledger.add_block, []

    def add_and_count(self, *block):
        add(self, *block)
        if not on_disk or self._name != "the ledger":
            added.append(block)
        if len(added) == n_blocks:
            raise KeyboardInterrupt

    monkeypatch.setattr(ledger.Ledger, "add_block", add_and_count)

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


def interrupted_after(monkeypatch, blocks_, kept=False):
    """Raise KeyboardInterrupt after n blocks; with `kept`, count only ledgers on disk."""
    add, added = ledger.Ledger.add_block, []

    def counted(self, *block):
        add(self, *block)
        if not kept or self._name != "the ledger":
            added.append(block)
        if len(added) == blocks_:
            raise KeyboardInterrupt

    monkeypatch.setattr(ledger.Ledger, "add_block", counted)

"""The command line: which commands there are, and what becomes of errors.

Nothing here imports the engine or the tables: a command's module is imported when the command is called, so `simgin --help` is quick.
"""

from __future__ import annotations

import contextlib
import difflib
import errno
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import click

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

# Command -> what it does, for the list in the help. Each is the click command of its name in simgin/commands/NAME.py.
COMMANDS = {
    "match": "Play two strategies against each other.",
    "run": "Play an experiment file and keep the results.",
    "review": "See what rules do to the game, in pictures.",
    "compare": "Tell two runs apart, on the same packs if they share them.",
    "odds": "Tell the odds a player asks for, alone or for two.",
    "report": "Write the tables, pictures and page of a run again.",
    "variants": "List the games, or show one with all its rules.",
    "strategies": "List strategies, show, check or begin one.",
    "show": "Replay one deal with every decision.",
    "hand": "Deadwood, melding and best discards of a hand.",
    "conform": "Check worked examples of the rules on the engine.",
    "bench": "Measure the speed of this machine.",
    "doctor": "See whether all is well on this machine.",
}

TOUR = """Monte Carlo for Gin Rummy: strategies, rule variants, and what they do,
with error bars.

\b
Is one strategy better than another, and by how much?
  simgin match gold                       against simple, 100,000 deals
  simgin match mine.py gold --deals 2M    your own file, 2,000,000 deals
  simgin match gold+knock=at:k=4 gold     another knock rule, all else equal
  simgin match gold --matches 20k         whole matches, to 100 points
  simgin match gold --until 0.1%          until it is known so well
  simgin match gold --matches 200k --sprt 0,10     until a test decides

\b
What does a rule do to the game?
  simgin variants                         all games; add a name for one
  simgin match gold -v oklahoma
  simgin match gold -v standard+gin_bonus=10+knock_limit=5
  simgin review oklahoma --against standard -o results/oklahoma

\b
What are the odds alone, against the joker or the clock?
  simgin odds                             every game for one, with a picture
  simgin odds standard                    of two: by seat and by score
  simgin match gold -v solitaire-gin      one strategy; also gin-solitaire
  simgin match gold -v solitary-gin --matches 20k

\b
What is there to play with?
  simgin strategies                       add a name for one
  simgin strategies new mine.py           a file to begin your own with
  simgin strategies check mine.py         does it keep to the contract?

\b
A question in a file: kept, gone on with after a break, compared.
  simgin run experiments/demo.toml        tables, plots, a page to send on
  simgin run FILE.toml --dry-run          what it would play, and how long
  simgin compare results/a results/b      two runs, on the same packs
  simgin report results/demo              its page again, without playing

\b
What happened in that deal? What is this hand worth?
  simgin show gold simple --unit 7
  simgin hand "5S 6S 7S 9H 9D 9C KS QD 2C AH"

A run with the same seed gives the same numbers on any number of workers.
Intervals are 95 %. Every command has --help, and --json for programs.
"""


class Tour(click.Group):
    """The group of all commands: imports one when it is called, and turns errors into a sentence and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which they are met."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(
            importlib.import_module(f"simgin.cli.commands.{cmd_name}"), cmd_name
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in click, but a name that is none names its neighbour."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            remedy = f"; did you mean `simgin {near[0]}`?" if near else "."
            raise click.UsageError(f"there is no command {args[0]!r}{remedy}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table: no module is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run a command line and leave with its exit code."""
        run = super().main
        sys.exit(
            _exit_code(
                lambda: run(args, prog_name or "simgin", **{**extra, "standalone_mode": False})
            )
        )


def _exit_code(run: Callable[[], object]) -> int:
    """What a command line comes to: 0, 1 failed, 2 bad input, 130 interrupted. Other errors are bugs and come out as they are."""
    try:
        code = run()
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.Abort:
        _say("interrupted.")
        return INTERRUPTED
    except click.ClickException as error:
        _say(_sentence(error))
        return BAD_INPUT
    except ValueError as error:
        if not type(error).__module__.startswith("simgin."):
            raise
        _say(str(error))
        return BAD_INPUT
    except OSError as error:
        if error.errno != errno.EPIPE:
            raise
        _discard_output()
        return FAILED


def _sentence(error: click.ClickException) -> str:
    """Message of an error in the command line, and where the remedy is."""
    context = getattr(error, "ctx", None)
    hint = f"\n`{context.command_path} --help` says what is possible." if context else ""
    return error.format_message() + hint


def _say(message: str) -> None:
    for line in message.splitlines():
        click.echo(f"simgin: {line}", err=True)


def _discard_output() -> None:
    """Whoever read stdout has gone: nothing more is to be said, not even when the interpreter flushes it at the end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        import simgin

        click.echo(f"simgin {simgin.__version__}")
        ctx.exit()


@click.group(
    cls=Tour,
    help=TOUR,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Print the version.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """The command line; its help is TOUR."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(BAD_INPUT)


def main() -> None:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no ± gets ?
    cli.main()

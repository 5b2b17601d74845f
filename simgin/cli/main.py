"""Entry point of the command line, with the list of commands, the help and the exit codes.

This module does not import the engine or pandas. The module of a command is imported when the
command is called, so that `simgin --help` is fast.
"""

import atexit
import contextlib
import difflib
import errno
import gc
import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import click

from simgin.text.files import describe_encoding_error
from simgin.text.messages import escape_control_chars, print_status, shorten_middle

FAILURE_CODE, BAD_INPUT_CODE, INTERRUPTED_CODE = 1, 2, 130
GC_THRESHOLD = 200_000  # number of new objects after which Python collects garbage
# minimum and maximum number of columns of a terminal
MIN_TERMINAL_COLUMNS, MAX_TERMINAL_COLUMNS = 20, 10_000
MAX_TERMINAL_SIZE_DIGITS = 9  # maximum number of digits in the numbers of columns and lines
# maximum numbers of lines in an error message, of characters per line and of characters per word
MAX_ERROR_LINES, MAX_LINE_LENGTH, MAX_WORD_LENGTH = 60, 2000, 200
LONG_WORD_PATTERN = re.compile(rf"\S{{{MAX_WORD_LENGTH},}}")

# Summary of each command in the list of commands. The click command is the function NAME_command in
# the module simgin.cli.commands.NAME.
COMMANDS = {
    "match": "Play one strategy against another.",
    "league": "Play several strategies against each other, and rank them.",
    "strategies": "List, show, create or test strategies.",
    "variants": "List, show, compare or create variants.",
    "review": "Measure how a rule change affects the game.",
    "chart": "Draw a chart of knock, upcard or discard decisions.",
    "odds": "Compute the probability of winning a deal or a match.",
    "tune": "Find better parameters for a strategy.",
    "train": "Train the weights of a strategy.",
    "run": "Run an experiment and save the results.",
    "examples": "List or copy the example experiments and notebooks.",
    "report": "Regenerate the tables, plots and HTML report of a run.",
    "compare": "Compare the results of two runs.",
    "web": "Open web pages to play, analyse and compare.",
    "play": "Play against a strategy, or play a solitaire game.",
    "drill": "Practise decisions in which mistakes are costly.",
    "show": "Replay one deal, decision by decision.",
    "hand": "Evaluate a hand: deadwood, melds and best discards.",
    "analyze": "Find the best action, or the cost of each decision.",
    "grade": "Measure the cost of a player's mistakes in recorded deals.",
    "find": "Find deals with an undercut, a big loss or a mistake.",
    "config": "Show or change your default settings.",
    "cite": "Print a BibTeX entry for simgin, and details of a result.",
    "doctor": "Check the installation.",
    "bench": "Measure the speed of this machine.",
}

# text that `simgin` prints if it is called without arguments
HELP_OVERVIEW = """\
simgin simulates Gin Rummy and its variants with confidence intervals.

Compare strategies:
  simgin match gold-early simple --matches 20k
Write a strategy:
  simgin strategies new mine.py
Compute odds:
  simgin odds solitary-gin
Review a rule change:
  simgin review oklahoma --against standard
Find the best move:
  simgin analyze 7H 7D 7C 8C 9C TC 4H TD AC 4C KS --pile "QD TS 9D* QH"
Play a match in the browser, or in the terminal:
  simgin web
  simgin play --coach
Run an experiment:
  simgin run demo

Help for one command:  simgin match --help
All commands:          simgin --help"""


class CommandGroup(click.Group):
    """Command group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands in the order in which the help lists them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return the command with the given name, or return None if it is unknown."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"simgin.cli.commands.{cmd_name}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command as click does, or suggest a command if the name is unknown."""
        is_known = args[0] in COMMANDS or args[0].startswith("-")
        if not is_known and not ctx.resilient_parsing:
            close_matches = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean `simgin {close_matches[0]}`?" if close_matches else ""
            raise click.UsageError(f"{args[0]!r} is not a simgin command.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing their modules."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> NoReturn:
        """Run the command line and exit with its exit code."""
        if "_SIMGIN_COMPLETE" in os.environ:
            from simgin.cli import completion  # noqa: F401  registers the script for bash
        _open_closed_streams()
        _limit_terminal_size()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # Terminals that cannot encode ± show ? instead.
                stream.reconfigure(errors="replace")
        arguments = sys.argv[1:] if args is None else list(args)
        run_group = super().main

        def run() -> object:
            _check_arguments(arguments)
            with _print_warnings():
                return run_group(arguments, prog_name or "simgin", standalone_mode=False, **extra)

        sys.exit(_run_command_line(run))


def _open_closed_streams() -> None:
    """Connect each closed standard stream to the null device."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def _limit_terminal_size() -> None:
    """Limit COLUMNS and LINES to plausible values, because rich does not limit them."""
    for name, minimum in (("COLUMNS", MIN_TERMINAL_COLUMNS), ("LINES", 1)):
        value = os.environ.pop(name, "")
        if value.isdecimal() and (size := int(value[:MAX_TERMINAL_SIZE_DIGITS])):
            os.environ[name] = str(min(max(size, minimum), MAX_TERMINAL_COLUMNS))


def _check_arguments(arguments: Sequence[str]) -> None:
    """Raise UsageError if an argument cannot be encoded as UTF-8 and therefore cannot be stored."""
    for argument in arguments:
        if problem := describe_encoding_error(argument):
            raise click.UsageError(f"{problem}.")


@contextlib.contextmanager
def _print_warnings() -> Iterator[None]:
    """Print each distinct rule warning in the `with` block once on stderr."""
    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=UserWarning, module=r"simgin\.rules\.")
        original_showwarning, printed_messages = warnings.showwarning, set()

        def print_warning(message: Warning | str, *arguments: Any, **options: Any) -> None:
            from simgin.rules.validation import RulesWarning

            if not isinstance(message, RulesWarning):
                original_showwarning(message, *arguments, **options)
            elif message.reason not in printed_messages:
                printed_messages.add(message.reason)
                print_status(f"warning: {message}")

        warnings.showwarning = print_warning
        yield


def _run_command_line(run: Callable[[], object]) -> int:
    """Run a command line, print its errors, and return the exit code.

    Returns:
        0 for success, 1 for a failed check, 2 for invalid input or 130 for an interruption.
    """
    try:
        exit_code = run()
        sys.stdout.flush()
        return exit_code if isinstance(exit_code, int) else 0
    except click.Abort:
        print_status("interrupted.")
        return INTERRUPTED_CODE
    except click.ClickException as error:
        _print_error(_describe_usage_error(error))
        return BAD_INPUT_CODE
    except ValueError as error:
        if not type(error).__module__.startswith("simgin."):
            raise
        _print_error(str(error), is_error_list=hasattr(error, "messages"))
        return BAD_INPUT_CODE
    except OSError as error:
        if error.errno == errno.EPIPE:
            _discard_stdout()
            return FAILURE_CODE
        _print_error(_describe_os_error(error))
        return BAD_INPUT_CODE


def _describe_os_error(error: OSError) -> str:
    """Return an error message for an operating system error, such as a full disk."""
    file_name = error.filename or "The output"
    return f"{file_name} cannot be read or written ({error.strerror or error}). Check the path."


def _describe_usage_error(error: click.ClickException) -> str:
    """Return click's error message with the command that prints the help."""
    context = getattr(error, "ctx", None)
    hint = f"\nFor help, run `{context.command_path} --help`." if context else ""
    return error.format_message() + hint


def _print_error(message: str, *, is_error_list: bool = False) -> None:
    """Print an error message, and shorten long quotations of user input.

    Args:
        message: Error message.
        is_error_list: True if each line of the message is a separate error.
    """
    lines = escape_control_chars(message).splitlines()
    for index, line in enumerate([*lines[:MAX_ERROR_LINES], *lines[MAX_ERROR_LINES:][-1:]]):
        short_line = LONG_WORD_PATTERN.sub(
            lambda word: shorten_middle(word[0], MAX_WORD_LENGTH), line
        )
        label = "" if index and not is_error_list else "error: "
        print_status(f"{label}{shorten_middle(short_line, MAX_LINE_LENGTH)}")


def _discard_stdout() -> None:
    """Redirect stdout to the null device after the reader has closed the pipe."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_version(ctx: click.Context, _parameter: click.Parameter, is_requested: bool) -> None:
    """Print the version and exit."""
    if is_requested and not ctx.resilient_parsing:
        import simgin

        click.echo(f"simgin {simgin.__version__}")
        ctx.exit()


@click.group(
    cls=CommandGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Simulate Gin Rummy and its variants. simgin compares strategies, measures the effects of rule
    changes, and computes odds. simgin computes a 95 % confidence interval for every estimate.

    \b
    Compare strategies
      simgin match gold                       gold v simple, 100,000 deals
      simgin match gold --matches 20k         whole matches to 100 points
      simgin match gold+knock=at:k=4 gold     knock with 4 points or less
      simgin match gold --until 0.1%          stop at a precision of ±0.1 %
      simgin match gold --matches 200k --sprt 0,10    stop when the test decides
      simgin match gold mine.py stubborn --against simple
      simgin league gold simple stubborn      each against all the others

    \b
    Write and improve strategies
      simgin strategies                       list all; add a NAME to show one
      simgin strategies new mine.py           create a file to start from
      simgin strategies check mine.py         test that it follows the rules
      simgin match mine.py gold --deals 2M
      simgin tune mine.py -o mine.toml        find better parameters
      simgin train mine.py -o mine.npy        train weights for discards

    \b
    Change the rules
      simgin variants                         list all; add a NAME to show one
      simgin match gold -v oklahoma
      simgin match gold -v standard+gin_bonus=10+knock_limit=5
      simgin review oklahoma --against standard -o results/oklahoma

    \b
    Compute odds
      simgin odds                             solitaire variants, by draw
      simgin odds standard                    two players, by seat and score
      simgin match gold -v solitaire-gin      one strategy in solitaire
      simgin chart knock                      when to knock

    \b
    Run experiments
      simgin run demo                         tables, plots and an HTML report
      simgin examples                         more experiments, and notebooks
      simgin run FILE.toml --dry-run          the plan and the time it takes
      simgin compare results/a results/b      difference between two runs
      simgin report results/demo              rewrite the files of a run

    \b
    Play and practise
      simgin web                              in the browser
      simgin play                             a match against champion
      simgin play simple --coach              advice after each decision
      simgin drill                            thirty costly decisions
      simgin grade mine-*.json                the cost of your mistakes

    \b
    Analyse deals and hands
      simgin show gold simple --unit 7
      simgin hand "5S 6S 7S 9H 9D 9C KS QD 2C AH"
      simgin analyze gold simple --unit 7     the cost of each decision
      simgin find gold simple --where "undercut, lost"

    The same seed gives the same results with any number of workers. Every command has --help, and
    most commands have --json for use in programs.
    """  # noqa: D205  the help begins with several sentences
    if context.invoked_subcommand is None:
        click.echo(HELP_OVERVIEW)
    elif context.invoked_subcommand != "config":  # The command `config` can repair the file.
        from simgin.cli.config import apply_config

        apply_config(context, COMMANDS)


def main() -> None:
    """Run the command-line interface."""
    # In a short match, garbage collection would take 10 % of the total time during the imports, and
    # 25 % of it at exit.
    gc.set_threshold(GC_THRESHOLD)
    atexit.register(gc.freeze)
    cli.main()

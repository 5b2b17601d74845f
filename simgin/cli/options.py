"""Options that several commands share, with parsers and shell completion."""

import difflib
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from simgin.cli.completion import complete_strategy, complete_variant
from simgin.cli.output import EXPORT_FORMATS, EXPORT_KEY, PATIENCE_KEY, STYLE_KEY
from simgin.text import amounts


class NameType(StringParamType):
    """Parameter type for the name of a built-in object or the path of a user's file.

    Args:
        complete: Function that returns completions of a word, without file names.
        suffix: File name extension of the user's files.
    """

    def __init__(self, complete: Callable[[str], Iterable[str]], suffix: str) -> None:
        self._complete = complete
        self._suffix = suffix

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names and files that start with `incomplete`, or all files if none match."""
        files = sorted(path.name for path in Path().glob(f"*{self._suffix}"))
        names = [*self._complete(incomplete), *files]
        completions = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return completions or [CompletionItem(incomplete, type="file")]


class SecondsType(click.FloatRange):
    """Parameter type for a finite number of seconds within limits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert a string to a finite number of seconds."""
        seconds = super().convert(value, param, ctx)
        if not math.isfinite(seconds):
            self.fail(
                f"{value} is not a valid number of seconds. Use a number such as 0.5.", param, ctx
            )
        return seconds


# Shell completion calls these functions, so they must not import the engine.
def _complete_experiment(_: str) -> Iterable[str]:
    """Return the names of all example experiments."""
    from simgin.text import examples

    return examples.list_experiments()


def _complete_style(_: str) -> Iterable[str]:
    """Return the names of all plot styles."""
    from simgin.report.figures import style

    return style.list_styles()


STRATEGY_TYPE = NameType(complete_strategy, ".py")
VARIANT_TYPE = NameType(complete_variant, ".toml")
EXPERIMENT_TYPE = NameType(_complete_experiment, ".toml")
STYLE_TYPE = NameType(_complete_style, ".mplstyle")
PATH_TYPE = click.Path(path_type=Path)
FILE_PATH_TYPE = click.Path(path_type=Path, dir_okay=False)


def _make_callback(parse: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a click callback that parses a value and names the option in error messages."""

    def parse_option(_context: click.Context, _option: click.Parameter, value: object) -> Any:
        if value is None:
            return None
        try:
            return parse(value)
        except amounts.AmountError as error:
            raise click.BadParameter(str(error)) from None

    return parse_option


parse_count_option = _make_callback(amounts.parse_count)
parse_half_width_option = _make_callback(amounts.parse_half_width)
parse_elo_bounds_option = _make_callback(amounts.parse_elo_bounds)
parse_seconds_option = _make_callback(amounts.parse_seconds)


def integer_option(name: str, text: str, metavar: str, **settings: Any) -> Callable[[Any], Any]:
    """Return an integer option with a help text that shows the default value."""
    return click.option(
        name, type=int, metavar=metavar, help=text, show_default="default" in settings, **settings
    )


def strategy_option(
    help_text: str, *names: str, metavar: str = "NAME", **settings: Any
) -> Callable[[Any], Any]:
    """Return an option that expects a strategy spec."""
    return click.option(*names, type=STRATEGY_TYPE, metavar=metavar, help=help_text, **settings)


margin_option = click.option(
    "--margin",
    callback=parse_half_width_option,
    metavar="X",
    help="Also test for equivalence within this margin, such as 1% (wins) or 0.5 (points per "
    "deal).",
)
json_only_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as one JSON object."
)


def _set_export(
    context: click.Context, _option: click.Parameter, export_format: str | None
) -> None:
    """Store the export format in the context."""
    if export_format:
        context.meta[EXPORT_KEY] = export_format


_export_option = click.option(
    f"--{EXPORT_KEY}",
    type=click.Choice(EXPORT_FORMATS),
    callback=_set_export,
    expose_value=False,
    help="Print only the tables, in this format.",
)


def json_option(command: Any) -> Any:
    """Decorate a command with the options `--json` and `--export`."""
    return json_only_option(_export_option(command))


def _use_style(context: click.Context, _option: click.Parameter, style_name: str | None) -> None:
    """Use a plot style until the command ends."""
    if style_name and not context.resilient_parsing:
        from simgin.report.figures import style

        context.meta[STYLE_KEY] = style_name
        context.with_resource(style.use_style(style_name))


style_option = click.option(
    f"--{STYLE_KEY}",
    type=STYLE_TYPE,
    callback=_use_style,
    expose_value=False,
    metavar="NAME|FILE",
    help="Style of the plots: a matplotlib style such as ggplot, or a .mplstyle file.",
)
details_option = click.option(
    "--details", is_flag=True, help="Print all tables of the report in full."
)
variant_option = click.option(
    "-v",
    "--variant",
    type=VARIANT_TYPE,
    default="standard",
    show_default=True,
    help="Variant, such as oklahoma or standard+knock_limit=5.",
)
seed_option = click.option(
    "--seed",
    type=int,
    callback=_make_callback(amounts.parse_seed),
    metavar="N",
    default=1,
    show_default=True,
    help="Random seed of the shuffles.",
)
unit_option = integer_option(
    "--unit", "Index of the deal, pair of deals or pair of matches, counted from 0.", "I", default=0
)
half_option = integer_option(
    "--half", "Game within a mirrored pair: 0, or 1 with the seats swapped.", "0/1", default=0
)
deal_option = integer_option(
    "--deal", "Index of the deal in a match, counted from 0 (see `simgin match --matches`).", "J"
)


def _set_patience(context: click.Context, option: click.Parameter, value: object) -> None:
    """Set the time limit for policy calls."""
    seconds = parse_seconds_option(context, option, value)
    if seconds is not None:
        from simgin.play import watchdog

        watchdog.ABORT_AFTER_SECONDS = seconds
        context.meta[PATIENCE_KEY] = value


_patience_option = click.option(
    "--patience",
    callback=_set_patience,
    expose_value=False,
    metavar="TIME",
    help="Abort the run if a policy call exceeds this time limit [default: 1m].",
)
_workers_option = click.option(
    "--workers",
    type=int,
    callback=_make_callback(amounts.parse_workers),
    metavar="N",
    help="Number of threads, which does not affect the results [default: all CPU cores].",
)


def workers_option(command: Any) -> Any:
    """Decorate a command with the options `--workers` and `--patience`."""
    return _workers_option(_patience_option(command))


scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Play on a dask cluster (tcp://host:8786) or in local processes (local:4).",
)
record_option = click.option(
    "--record", is_flag=True, help="Also write every deal to DIR/deals.parquet."
)


dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Print the expected run time and interval half-widths, and exit.",
)


def is_on_command_line(parameter: str) -> bool:
    """Return True if the user specified a parameter on the command line."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.core.ParameterSource.COMMANDLINE


def count_option(name: str, help_text: str, **settings: Any) -> Callable[[Any], Any]:
    """Return an option for a number of deals or matches."""
    return click.option(name, callback=parse_count_option, metavar="N", help=help_text, **settings)


def time_option(help_text: str) -> Callable[[Any], Any]:
    """Return the option `--for`, which limits the playing time."""
    return click.option(
        "--for", "seconds", callback=parse_seconds_option, metavar="TIME", help=help_text
    )


def output_option(help_text: str, metavar: str = "DIR") -> Callable[[Any], Any]:
    """Return the option `-o`, which sets the output directory or file."""
    return click.option("-o", "--output", type=PATH_TYPE, metavar=metavar, help=help_text)


class DefaultCommandGroup(click.Group):
    """Command group whose default command runs unless the first word is a subcommand.

    Subcommands are added with `@group.command("diff")`. Subcommands are listed in the help of the
    default command.
    """

    def __init__(self, default: click.Command) -> None:
        super().__init__(default.name, help=default.help)
        self.default = default

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Return the context of the named subcommand or of the default command."""
        if args and args[0] in self.commands:
            return super().make_context(info_name, args, parent, **extra)
        arguments = [argument for argument in args if not argument.startswith("-")]
        if len(arguments) > 1:
            self._reject_misspelt_subcommand(arguments[0], info_name)
        return self.default.make_context(info_name, args, parent, **extra)

    def _reject_misspelt_subcommand(self, word: str, info_name: str | None) -> None:
        """Raise UsageError if a word resembles the name of a subcommand."""
        matches = difflib.get_close_matches(word, self.commands, n=1)
        if matches:
            raise click.UsageError(
                f"{word!r} is not a subcommand. Did you mean `simgin {info_name} {matches[0]}`?"
            )


_RUN_OPTION_DECORATORS = (
    click.option(
        "--until",
        callback=parse_half_width_option,
        metavar="±X",
        help="Stop when the half-width of the 95 % interval falls to this value, such as 0.1% "
        "(wins) or 0.05 (points).",
    ),
    click.option(
        "--sprt",
        callback=parse_elo_bounds_option,
        metavar="ELO0,ELO1",
        help="Stop when a sequential test decides between two Elo differences, such as 0,10.",
    ),
    time_option("Time limit for the simulation, such as 30s or 5m."),
    seed_option,
    workers_option,
    scheduler_option,
    output_option("Directory for the tables, plots and HTML report."),
    style_option,
    record_option,
)


# parameters of a run that are not arguments of the functions that make its plan
RUN_OPTIONS = ("workers", "scheduler", "output", "record", "dry_run", "details", "as_json", "power")


def add_run_options(command: Any) -> Any:
    """Decorate a command with the options that limit, distribute and save a run."""
    for add_option in reversed(_RUN_OPTION_DECORATORS):
        command = add_option(command)
    return command

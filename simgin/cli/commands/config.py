"""`simgin config`: default values of options."""

import click

from simgin.cli import config
from simgin.cli.options import NameType, json_option
from simgin.cli.output import CommandResult, format_repeat_command
from simgin.report.report_table import make_table_from_rows
from simgin.rules import variants
from simgin.strategy import loader
from simgin.text.messages import format_setting, print_status


@click.command("config")
@click.argument("key", required=False, type=NameType(lambda _: config.CONFIG_KEYS, ".none"))
@click.argument("value", required=False)
@click.option("--unset", is_flag=True, help="Remove the setting KEY from the file.")
@json_option
def config_command(key: str | None, value: str | None, unset: bool, as_json: bool) -> None:
    """Show or change your default settings.

    simgin stores the settings in a TOML file and uses them as default values of options. Options on
    the command line override the settings. Every command that simgin prints contains the settings,
    so that the command gives the same result on another machine.

    \b
      simgin config                         all settings
      simgin config variant oklahoma
      simgin config results ~/gin
      simgin config variant --unset
    """
    from rich.text import Text

    if unset and (key is None or value is not None):
        raise click.UsageError(
            "--unset requires a KEY without a VALUE. Specify only the setting to remove."
        )
    if unset or value is not None:
        config.read_config_file()  # A file that contains an error must not be overwritten.
    settings, errors = config.check_config()
    if unset and key in settings:
        config.write_config(settings | {key: None})
        settings, errors = config.check_config()
    elif key is not None:
        parsed_value = config.parse_setting(key, value)
        if key == "variant" and value:
            variants.find_variant(value)
        elif key == "opponent" and value:
            loader.find_strategy(value)
        if value is not None:
            config.write_config(settings | {key: parsed_value})
            settings, errors = config.check_config()
    for error in errors:
        print_status(f"warning: {error}")
    rows = [
        {"key": name, "value": settings.get(name), "default": default, "meaning": meaning}
        for name, (meaning, default) in config.CONFIG_KEYS.items()
        if key == name or key not in config.CONFIG_KEYS
    ]
    cells = [tuple(map(format_setting, row.values())) for row in rows]
    path_line = Text(f"\nFile:    {config.find_config_path()}", no_wrap=True)
    renderables = [make_table_from_rows("Settings", tuple(rows[0]), cells), path_line]
    CommandResult(format_repeat_command(), rows).print(as_json, renderables)

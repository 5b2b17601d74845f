"""Configuration file of the user, which contains default values of options.

click uses these values as defaults of the options. Options on the command line therefore take
precedence, and the command that repeats a result contains the configured values.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from simgin.cli.output import format_command
from simgin.text import amounts
from simgin.text.files import write_file
from simgin.text.messages import SimginError, format_value, spell_booleans_as_toml, suggest_spelling

CONFIG_FILE_HEADER = (
    "# Defaults of the simgin command. Change them with `simgin config KEY VALUE`.\n"
)
CONFIG_KEYS = {  # meaning and default of each key
    "variant": ("variant (-v)", "standard"),
    "opponent": ("opponent (in play: champion)", "simple"),
    "seconds_per_turn": ("seconds per turn in reviews", "8"),
    "workers": ("number of threads", "all CPU cores"),
    "results": ("directory for results", "results"),
}


def find_config_path() -> Path:
    """Return the path of the configuration file."""
    if path := os.environ.get("SIMGIN_CONFIG"):
        return Path(path)
    import platformdirs

    return platformdirs.user_config_path("simgin") / "config.toml"


def read_config() -> dict[str, Any]:
    """Return the settings in the configuration file, or raise an error if a setting is not valid.

    If there is no file, there are no settings.

    Raises:
        SimginError: If the file, a key or a value is not valid.
    """
    settings, errors = check_config()
    if errors:
        raise SimginError(errors[0])
    return settings


def read_config_file() -> dict[str, Any]:
    """Return the contents of the configuration file without checking the settings.

    If there is no file, the contents are empty.

    Raises:
        SimginError: If the file cannot be read or is not a TOML file.
    """
    if not (path := find_config_path()).is_file():
        return {}
    from simgin.text.toml import read_toml_file

    try:
        return read_toml_file(path, "Correct the file")
    except SimginError as error:
        raise SimginError(f"{error} To restore all defaults, delete the file.") from None


def check_config() -> tuple[dict[str, Any], list[str]]:
    """Return the settings in the configuration file, and a message for each invalid setting."""
    try:
        settings, errors = read_config_file(), []
    except SimginError as error:
        return {}, [str(error)]
    path = find_config_path()
    for key, value in settings.items():
        try:
            settings[key] = parse_setting(key, value)
        except SimginError as error:
            message = spell_booleans_as_toml(str(error), value)
            removal_command = format_command("config", key, "--unset")
            errors.append(f"{path}: {message} To remove the setting, run: {removal_command}")
    return settings, errors


def parse_setting(key: str, value: Any) -> Any:
    """Validate and convert the value of a setting. None is returned unchanged.

    Args:
        key: Name of the setting.
        value: Value in the file or on the command line.

    Raises:
        SimginError: If the name or the value of the setting is not valid.
    """
    if key not in CONFIG_KEYS:
        suggestion = suggest_spelling(key, CONFIG_KEYS)
        fix = f". Use one of {', '.join(CONFIG_KEYS)}." if suggestion == "." else suggestion
        raise SimginError(f"{format_value(key)} is not a valid setting{fix}")
    parsers: Any = {"workers": amounts.parse_workers, "seconds_per_turn": amounts.parse_seconds}
    try:
        return value if value is None else parsers.get(key, _parse_name)(value)
    except SimginError as error:
        raise SimginError(f"{key}: {error}") from None


def _parse_name(value: Any) -> Any:
    """Return a name, or raise an error if the value is not a printable string."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise SimginError(f"{format_value(value)} is not a valid name. Use a string in quotes.")
    return value


def write_config(settings: Mapping[str, Any]) -> None:
    """Write all settings that are not None to the configuration file."""
    set_values = {key: value for key, value in settings.items() if value is not None}
    lines = [
        f"{key} = {json.dumps(set_values[key], ensure_ascii=False, default=str)}\n"
        for key in set_values
    ]
    write_file(find_config_path(), "".join([CONFIG_FILE_HEADER, *lines]).encode())


def apply_config(context: click.Context, commands: Mapping[str, str]) -> None:
    """Use the configured settings as default values for the commands in a context."""
    settings = read_config()
    context.meta["results"] = settings.pop("results", None)
    opponent = settings.pop("opponent", None)
    context.default_map = {name: dict(settings) for name in commands}
    for command, argument in (("match", "against"), ("show", "b"), ("play", "strategy")):
        context.default_map[command] |= {argument: opponent} if opponent else {}


def is_configured(parameter: str) -> bool:
    """Return True if the value of a command parameter comes from the configuration file."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is click.core.ParameterSource.DEFAULT_MAP


def drop_solitaire_opponent(parameter: str, options: dict[str, Any]) -> None:
    """Remove an opponent that comes from the configuration file if the game is a solitaire game."""
    from simgin.rules.variants import find_variant

    if is_configured(parameter) and find_variant(options["variant"]).is_solo:
        options[parameter] = click.get_current_context().params[parameter] = None


def find_configured_output(name: str) -> Path | None:
    """Return the path of `name` in the directory for results, or None if it is not configured."""
    results = click.get_current_context().meta.get("results")
    return Path(results).expanduser() / name if results else None

"""`simgin variants`: list, rules, comparison, checks and template of variants."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from simgin.cli import options
from simgin.cli.completion import complete_variant
from simgin.cli.options import DefaultCommandGroup, json_option
from simgin.cli.output import CommandResult, format_command, format_repeat_command
from simgin.report.report_table import make_table_from_rows
from simgin.rules.variants import (
    Parameter,
    Variant,
    VariantError,
    find_built_in_equal,
    find_variant,
    load_rule_parameters,
    rule_differences,
    variant_names,
    variants_in_file,
)
from simgin.text.files import has_suffix

SECTION_TITLES = {
    "deal": "The deal",
    "meld": "Melds and card values",
    "score": "Scoring",
    "match": "The match",
    "stake": "The die and stakes",
}
NO_EFFECT_NOTE = (
    "\nRules marked with a dash or shown in parentheses have no effect in this variant."
)
ALLOWED_VALUES_NOTE = (
    "Square brackets list the allowed values, as in standard+knock_limit=5+big_gin=yes."
)


_NAME_TYPE = options.NameType(
    lambda word: [*variants_command.commands, *complete_variant(word)], ".toml"
)


@click.command("variants")
@click.argument("name", required=False, type=_NAME_TYPE)
@json_option
def _list_or_show_variants(name: str | None, as_json: bool) -> None:
    """List all variants, or show all rules of one variant.

    Combine variants and rules with plus signs. Later rules override earlier rules:

    \b
      simgin variants oklahoma
      simgin variants oklahoma+rainbow+gin_bonus=20

    You can define your own variants in a TOML file and use them in every command:

    \b
      simgin variants mine.toml               list the variants in a file
      simgin variants mine.toml#club          show one of them
      simgin match gold -v mine.toml#club

    Use the subcommands to compare or define variants:

    \b
      simgin variants diff A B                compare two variants
      simgin variants new mine.toml           create a file to start from
      simgin variants check mine.toml         check the variants in a file
    """
    if name is None:
        _print_variant_list([find_variant(built_in) for built_in in variant_names()], as_json)
    elif has_suffix(name, ".toml") and "+" not in name:
        _print_variant_list(_read_variant_file(name), as_json)
    else:
        _print_rules(find_variant(name), as_json)


variants_command: DefaultCommandGroup = DefaultCommandGroup(_list_or_show_variants)


@variants_command.command("diff")
@click.argument("a", type=options.VARIANT_TYPE)
@click.argument("b", type=options.VARIANT_TYPE)
@json_option
def _print_differences(a: str, b: str, as_json: bool) -> None:
    """Show the rules in which variants A and B differ.

    \b
      simgin variants diff standard oklahoma
      simgin variants diff oklahoma+rainbow mine.toml#club
    """
    first_variant, second_variant = find_variant(a), find_variant(b)
    rows = [
        _make_difference_row(parameter, first_variant, second_variant)
        for parameter in _find_changed_parameters(first_variant, second_variant)
    ]
    CommandResult(format_repeat_command(a=first_variant.spec, b=second_variant.spec), rows).print(
        as_json, _render_differences(first_variant, second_variant), use_pager=True
    )


@variants_command.command("check")
@click.argument("file", metavar="FILE.toml")
@json_option
@click.pass_context
def _check_file(ctx: click.Context, file: str, as_json: bool) -> None:
    """Check every variant in a file and print all errors.

    The exit code is 0 if all variants are valid, 1 if any variant is invalid, and 2 if the file
    cannot be read.
    """
    rows = [_make_check_row(text, result) for text, result in variants_in_file(file).items()]
    CommandResult(format_repeat_command(), rows).print(as_json, _render_check_results(rows))
    ctx.exit(0 if all(row["ok"] for row in rows) else 1)


@variants_command.command("new")
@click.argument("file", metavar="FILE.toml")
@click.option(
    "--from",
    "base_spec",
    type=options.VARIANT_TYPE,
    default="standard",
    show_default=True,
    metavar="VARIANT",
    help="Variant to start from, such as oklahoma+rainbow.",
)
@json_option
def _create_variant_file(file: str, base_spec: str, as_json: bool) -> None:
    """Create a file for your own variants.

    The file lists every rule in a comment. simgin does not overwrite existing files.

    \b
      simgin variants new mine.toml --from oklahoma+rainbow
    """
    from simgin.rules import user_files
    from simgin.text.files import create_file

    if sentence := user_files.find_path_error(file):
        raise VariantError([sentence])
    base = find_variant(base_spec)
    create_file(Path(file), user_files.format_variant_file(file, base))
    created_variant = find_variant(f"{file}#{user_files.suggest_variant_name(file)}")
    row = {"variant": created_variant.spec, "from": base.spec}
    result = CommandResult(format_repeat_command(base_spec=base.spec), [row], files=[Path(file)])
    result.print(as_json, _render_next_steps(file, created_variant))


def _print_variant_list(matching_variants: Sequence[Variant], as_json: bool) -> None:
    """Print the name and the description of each variant."""
    rows = [
        {
            "name": variant.spec,
            "title": variant.title,
            "about": variant.about,
            "players": variant.params["players"],
        }
        for variant in matching_variants
    ]
    CommandResult(format_repeat_command(), rows).print(
        as_json, _render_variant_list(matching_variants), use_pager=True
    )


def _read_variant_file(file: str) -> list[Variant]:
    """Return the variants in a file, or raise VariantError with all errors in the file."""
    valid_variants, sentences = [], []
    for spec, result in variants_in_file(file).items():
        if isinstance(result, Variant):
            valid_variants.append(result)
            continue
        for sentence in result.messages:
            starts_with_file = sentence.startswith(f"{file}: ")
            sentences.append(sentence if starts_with_file else f"{spec}: {sentence}")
    if sentences:
        raise VariantError(sentences)
    return valid_variants


def _render_variant_list(matching_variants: Sequence[Variant]) -> Iterator[Any]:
    """Yield a table of the variants, followed by commands for the next steps."""
    rows = [(variant.spec, f"{variant.title}. {variant.about}") for variant in matching_variants]
    yield make_table_from_rows("Variants", ("name", "rules"), rows)
    yield ""
    yield "Show all rules of a variant: simgin variants NAME"
    yield "Change a rule: standard+gin_bonus=10"
    yield "Define your own variants: simgin variants new mine.toml"


def _print_rules(variant: Variant, as_json: bool) -> None:
    """Print all rules of a variant, and its differences from the standard rules."""
    base = find_variant("standard")
    rows = [
        _make_rule_row(parameter, variant, base) for parameter in load_rule_parameters().values()
    ]
    CommandResult(format_repeat_command(name=variant.spec), rows).print(
        as_json, _render_rules(variant, base), use_pager=True
    )


def _render_rules(variant: Variant, base: Variant) -> Iterator[Any]:
    """Yield the description of a variant, its differences from a base, and all its rules."""
    yield f"{variant.spec}: {variant.title}"
    yield variant.about
    if equal_variant := find_built_in_equal(variant):
        yield f"This variant has the same rules as {equal_variant.spec}."
    changed_parameters = _find_changed_parameters(base, variant)
    if changed_parameters:
        rows = [
            (param.name, _format_value(param, variant), _format_value(param, base))
            for param in changed_parameters
        ]
        yield make_table_from_rows(
            f"Differences from {base.spec}", ("rule", variant.spec, base.spec), rows
        )
    for section, section_parameters in groupby(
        load_rule_parameters().values(), lambda parameter: parameter.section
    ):
        cells = [
            (
                param.name,
                _format_value(param, variant),
                f"{param.meaning} [{param.list_allowed_values()}]",
            )
            for param in section_parameters
        ]
        yield make_table_from_rows(
            SECTION_TITLES.get(section, section), ("rule", "value", "meaning"), cells
        )
    yield NO_EFFECT_NOTE
    yield ALLOWED_VALUES_NOTE


def _find_changed_parameters(first: Variant, second: Variant) -> list[Parameter]:
    """Return the rule parameters whose values differ between two variants."""
    return [load_rule_parameters()[name] for name, _, _ in rule_differences(first, second)]


def _render_differences(first: Variant, second: Variant) -> Iterator[Any]:
    """Yield a table of the rules in which two variants differ."""
    changed_parameters = _find_changed_parameters(first, second)
    if not changed_parameters:
        yield f"{first.spec} and {second.spec} have the same rules."
        return
    rows = [
        (param.name, _format_value(param, first), _format_value(param, second), param.meaning)
        for param in changed_parameters
    ]
    yield make_table_from_rows(
        f"{first.spec} (A) and {second.spec} (B)", ("rule", "A", "B", "meaning"), rows
    )
    rule_changes = [param for param in changed_parameters if param.status != "descriptive"]
    if not any(
        param.has_effect(first.params) or param.has_effect(second.params) for param in rule_changes
    ):
        yield "\nNone of these rules has an effect, so both variants play identically."
    yield NO_EFFECT_NOTE


def _make_check_row(spec: str, result: Variant | VariantError) -> dict[str, Any]:
    """Return the row for `--json` that describes a checked variant."""
    sentences = result.messages if isinstance(result, VariantError) else []
    return {"variant": spec, "ok": not sentences, "sentences": sentences}


def _render_check_results(rows: list[dict[str, Any]]) -> Iterator[Any]:
    """Yield a line for each checked variant, followed by its error messages."""
    from rich.padding import Padding

    for row in rows:
        yield f"{row['variant']}: {'ok' if row['ok'] else 'not valid'}"
        for sentence in row["sentences"]:
            yield Padding(sentence, (0, 0, 0, 4))
    yield ""


def _render_next_steps(file: str, created_variant: Variant) -> Iterator[str]:
    """Yield commands that check, compare and play a new variant."""
    yield f"You can now play {created_variant.spec}. Edit its rules in {file}, then run:"
    yield f"  {format_command('variants', 'check', file)}"
    yield f"  {format_command('variants', 'diff', 'standard', created_variant.spec)}"
    yield f"  {format_command('match', 'gold', '-v', created_variant.spec)}"
    yield ""


def _format_value(parameter: Parameter, variant: Variant) -> str:
    """Format the value of a parameter, with parentheses if the parameter has no effect."""
    value = variant.params[parameter.name]
    text = parameter.to_text(value)
    return text if value is None or parameter.has_effect(variant.params) else f"({text})"


def _make_difference_row(parameter: Parameter, first: Variant, second: Variant) -> dict[str, Any]:
    """Return the row for `--json` that describes a rule in which two variants differ."""
    first_value = first.params[parameter.name]
    second_value = second.params[parameter.name]
    return {
        "parameter": parameter.name,
        "section": parameter.section,
        "a": first_value,
        "b": second_value,
        "text_a": parameter.to_text(first_value),
        "text_b": parameter.to_text(second_value),
        "acts_a": parameter.has_effect(first.params),
        "acts_b": parameter.has_effect(second.params),
        "meaning": parameter.meaning,
    }


def _make_rule_row(parameter: Parameter, variant: Variant, base: Variant) -> dict[str, Any]:
    """Return the row for `--json` that describes a rule of a variant."""
    value = variant.params[parameter.name]
    return {
        "variant": variant.spec,
        "parameter": parameter.name,
        "section": parameter.section,
        "value": value,
        "text": parameter.to_text(value),
        "acts": parameter.has_effect(variant.params),
        "standard": parameter.to_text(base.params[parameter.name]),
        "may_be": parameter.describe_range(),
        "meaning": parameter.meaning,
    }

"""Spec strings of strategies, with the syntax `name[:p=v{,p=v}]{+slot=name[:p=v{,p=v}]}[@FILE]`.

    gold    gold-early:k=7    simple+knock=at:k=4    mine.py    mine.py#second+discard=low
    mine.py@tuned.toml    champion@./mine.npy    champion@LEARNED.npy

`slot=` is followed by the policy for that slot, or by a strategy that has such a policy. `+stake=`
sets both offer and answer. The optional file comes last. The file contains parameter values by
slot, or weights that replace the weights of the strategy. A file name without a folder refers to a
trained player in the cache. For a weights file in the current folder, write ./mine.npy.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from simgin.core.codes import SLOTS
from simgin.strategy.author import NAME_PATTERN, STRATEGY_NAME_HINT, Policy, Strategy
from simgin.text.files import NewFileError, has_suffix, slugify
from simgin.text.messages import SimginError, format_value, quote_text, suggest_spelling

STRATEGY_TEMPLATE_FILE = Path(__file__).with_name("strategy.py.j2")
STAKE_SLOTS = ("offer", "answer")
_SLOT_SEPARATOR_PATTERN = re.compile(r"\+(?=(?:" + "|".join([*SLOTS, "stake"]) + r")=)")
# Pattern of an unknown slot before the first valid slot
_UNKNOWN_SLOT_PATTERN = re.compile(r"\+(\w+)=")
_VALUES_SEPARATOR_PATTERN = re.compile(r":(?=[A-Za-z_]\w*=)")
_ASSIGNMENT_PATTERN = re.compile(r"\s*\w+\s*=.*\S.*")
_FILE_SUFFIX_PATTERN = re.compile(r"(.*)@([^@]+\.(?:toml|npy))\s*", re.DOTALL | re.IGNORECASE)
# Pattern of a file name that precedes a slot or a parameter
_MISPLACED_FILE_PATTERN = re.compile(r"@[^@+]+\.(?:toml|npy)[+:]\w+=", re.IGNORECASE)


class StrategyError(SimginError):
    """Exception for a strategy that cannot be found or read.

    The message suggests a fix.
    """


@dataclass(frozen=True)
class PolicyReference:
    """Name of a policy with parameter values, such as `at:k=4`."""

    text: str
    name: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class StrategySpec:
    """Parsed strategy spec.

    Attributes:
        strategy: Name and parameter values of the strategy.
        policies: Policies that replace policies of the strategy, by slot.
        file: File with parameter values or weights, or "" if there is none.
    """

    strategy: PolicyReference
    policies: Mapping[str, PolicyReference]
    file: str = ""

    @property
    def has_values(self) -> bool:
        """True if the spec contains parameter values, which a file must not repeat."""
        return any(reference.values for reference in (self.strategy, *self.policies.values()))

    @property
    def has_weights(self) -> bool:
        """True if the spec's file contains weights rather than parameter values."""
        return has_suffix(self.file, ".npy")

    @property
    def is_trained_player(self) -> bool:
        """True if the spec's file contains the weights of a trained player.

        The file name of a trained player does not contain a folder.
        """
        return self.has_weights and "/" not in self.file


# Parsing


def parse_spec(spec: str) -> StrategySpec:
    """Parse the spec of a strategy.

    Raises:
        StrategyError: If the spec is not valid.
    """
    file_match = _FILE_SUFFIX_PATTERN.fullmatch(spec)
    file = ""
    if file_match:
        spec, file = file_match[1], file_match[2]
        file = format_weights_path(Path(file)) if "/" in file else file
    elif _MISPLACED_FILE_PATTERN.search(spec):
        raise StrategyError(
            f"{quote_text(spec)} is not a valid strategy spec, because a file with parameters or "
            "weights must come last. Write, for example, champion+knock=at@FILE.npy."
        )
    strategy_text, *policy_texts = _SLOT_SEPARATOR_PATTERN.split(spec.strip())
    _check_slots(strategy_text)
    policies: dict[str, PolicyReference] = {}
    for policy_text in policy_texts:
        slot, _, policy = policy_text.partition("=")
        slots = STAKE_SLOTS if slot == "stake" else (slot,)
        policies |= dict.fromkeys(slots, _parse_reference(policy))
    return StrategySpec(_parse_reference(strategy_text), policies, file)


def format_weights_path(file: Path) -> str:
    """Format a weights file for a spec, in which a bare file name means a trained player."""
    return str(file) if "/" in str(file) else f"./{file}"


def _check_slots(strategy_text: str) -> None:
    """Raise StrategyError if a spec names a slot that does not exist."""
    unknown_slot = _UNKNOWN_SLOT_PATTERN.search(strategy_text)
    if unknown_slot and not has_suffix(strategy_text.partition("#")[0], ".py"):
        suggestion = suggest_spelling(unknown_slot[1], [*SLOTS, "stake"])
        slots = f"{', '.join(SLOTS)}, and stake (both offer and answer)"
        raise StrategyError(
            f"{quote_text(unknown_slot[1])} is not a valid slot{suggestion} Valid slots: {slots}."
        )


def _parse_reference(text: str) -> PolicyReference:
    """Parse the name of a policy with its parameter values."""
    name, *value_texts = _VALUES_SEPARATOR_PATTERN.split(text.strip(), maxsplit=1)
    assignments = value_texts[0].split(",") if value_texts else []
    has_stray_colon = ":" in name and not has_suffix(name.partition("#")[0], ".py")
    if has_stray_colon or not all(
        _ASSIGNMENT_PATTERN.fullmatch(assignment) for assignment in assignments
    ):
        raise StrategyError(
            f"{quote_text(text)} is not a valid strategy spec. Write "
            "name:parameter=value,parameter=value."
        )
    values = {}
    for assignment in assignments:
        parameter_name, _, value = assignment.partition("=")
        values[parameter_name.strip()] = value.strip()
    path, separator, inner_name = name.strip().partition("#")
    if has_suffix(path, ".py"):  # Write ./mine.py as mine.py, because the spec identifies a run.
        path = str(Path(path))
    return PolicyReference(text, path + separator + inner_name, values)


# Parameter values


def set_policy_values(policy: Policy, values: Mapping[str, str], spec: str) -> Policy:
    """Return a copy of a policy with new parameter values.

    Raises:
        StrategyError: If a value is not valid. The message quotes `spec`.
    """
    try:
        return policy(**values)
    except (TypeError, ValueError) as error:
        raise StrategyError(f"{quote_text(spec)}: {error}.") from None


def set_parameter_values(strategy: Strategy, values: Mapping[str, str], spec: str) -> Strategy:
    """Return a copy of a strategy with new parameter values.

    If several policies have the parameter, their declarations must be equal. The value then applies
    to all of these policies.
    """
    for name, value in values.items():
        owners = [policy for policy in strategy.policies if name in policy.params]
        if len({policy.params[name] for policy in owners}) != 1:
            raise StrategyError(_describe_ambiguous_parameter(strategy, name, owners))
        policies = {owner.slot: set_policy_values(owner, {name: value}, spec) for owner in owners}
        strategy = with_policies(strategy, policies)
    return strategy


def _describe_ambiguous_parameter(strategy: Strategy, name: str, owners: list[Policy]) -> str:
    """Return the error message for a parameter that is unknown or ambiguous."""
    if owners:
        slots = " or ".join(f"+{policy.slot}={policy.name}:{name}=..." for policy in owners)
        return (
            f"several policies of {strategy.name!r} have different parameters {quote_text(name)}. "
            f"Specify the slot: {slots}."
        )
    valid_names = [name for policy in strategy.policies for name in policy.params]
    suggestion = suggest_spelling(name, valid_names)
    return (
        f"{quote_text(name)} is not a parameter of {strategy.name!r}{suggestion} Valid "
        f"parameters: {', '.join(valid_names) or 'none'}."
    )


def with_policies(strategy: Strategy, policies: Mapping[str, Policy], spec: str = "") -> Strategy:
    """Return a copy of a strategy with different policies in some slots."""
    policies_by_slot: dict[str, Any] = dict(policies)
    return replace(strategy, spec=spec, **policies_by_slot)


# Formatting


def format_changed_values(policy: Policy, defaults: Policy | None) -> dict[str, str]:
    """Return the values of a policy that differ from the given defaults, as strings."""
    defaults_by_name = defaults.params if defaults else {}
    return {
        name: param.format(param.default)
        for name, param in policy.params.items()
        if name not in defaults_by_name or param.default != defaults_by_name[name].default
    }


def format_policy_values(policy: Policy, defaults: Policy | None) -> str:
    """Format the parameter values of a policy that differ from the defaults."""
    return format_parameter_values(format_changed_values(policy, defaults))


def format_parameter_values(values: Mapping[str, str]) -> str:
    """Format parameter values for a spec, as in `:k=4,tie=random`.

    Without values, the result is empty.
    """
    settings = ",".join(f"{name}={value}" for name, value in values.items())
    return f":{settings}" if settings else ""


# Files of parameter values, which `simgin tune` writes and `name@FILE.toml` reads. A file contains
# a table for each slot, such as `[knock]`, with the parameters of the policy, such as `k = 7`.

ParameterValuesBySlot = Mapping[str, Mapping[str, str]]  # values as strings, by slot and parameter


def read_values_file(path: Path) -> ParameterValuesBySlot:
    """Read a file of parameter values.

    Raises:
        StrategyError: If the file cannot be read or has unknown slots.
    """
    # Import the module here, because it loads slowly and few specs have a file.
    from simgin.text.toml import TomlError, read_toml_file

    try:
        tables = read_toml_file(path, "Specify a file of parameter values")
    except TomlError as error:
        raise StrategyError(str(error)) from None
    values = {}
    for slot, table in tables.items():
        if slot not in SLOTS:
            suggestion = suggest_spelling(slot, SLOTS)
            valid_slots = ", ".join(SLOTS)
            raise StrategyError(
                f"{path}: {quote_text(slot)} is not a valid slot{suggestion} Valid slots: "
                f"{valid_slots}."
            )
        if not isinstance(table, dict):
            raise StrategyError(
                f"{path}: {slot} must be a table of parameters, not {format_value(table)}. Write "
                f"the parameters below [{slot}]."
            )
        values[slot] = {name: _to_string(value) for name, value in table.items()}
    return values


def check_values_given_once(spec: StrategySpec, file_values: ParameterValuesBySlot) -> None:
    """Raise StrategyError if a spec sets the value of a parameter that its file also sets."""
    for slot, slot_values in file_values.items():
        spec_values = spec.policies.get(slot, spec.strategy).values
        for name in slot_values:
            if name in spec_values:
                raise StrategyError(
                    f"parameter {name} is given twice: {name}={spec_values[name]} in the strategy "
                    f"spec and {name}={slot_values[name]} in {spec.file}. Remove one of these "
                    "values."
                )


def _to_string(value: object) -> str:
    """Convert a value from a TOML file to a string.

    Integers that have too many digits for `str` are abbreviated.
    """
    try:
        return str(value)
    except ValueError:
        return format_value(value)


def format_values_toml(values: ParameterValuesBySlot) -> str:
    """Format parameter values by slot as the content of a TOML file."""
    tables = []
    for slot, slot_values in values.items():
        lines = [f"{name} = {_to_toml(value)}\n" for name, value in slot_values.items()]
        tables.append("".join([f"[{slot}]\n", *lines]))
    return "\n".join(tables)


def _to_toml(text: str) -> str:
    """Format a value as TOML.

    Strings that are not numbers are quoted.
    """
    try:
        float(text)
    except ValueError:
        return json.dumps(text)
    return text


# Template of a strategy file with working example policies


def render_strategy_file(file: Path, name: str | None = None) -> str:
    """Return the content of a new strategy file.

    Args:
        file: Path of the file.
        name: Name of the strategy. The default is the name of the file.

    Raises:
        NewFileError: If the path does not end in .py, if it cannot be used in a spec, or if the
            name is not valid.
    """
    if not has_suffix(file, ".py"):
        suggestion = f"{file}.py" if file.name else "mine.py"
        raise NewFileError(f"the name of a strategy file must end in .py. Try {suggestion}.")
    if not _is_path(str(file)):
        raise NewFileError(
            f"{quote_text(str(file))} has characters with a special meaning in strategy specs. Use "
            "only a-z, 0-9 and - in the names of files and folders."
        )
    name = name or slugify(file.stem)
    if not NAME_PATTERN.fullmatch(name):
        raise NewFileError(
            f"{quote_text(name)} is not a valid strategy name. {STRATEGY_NAME_HINT}. Specify the "
            "name after the file name."
        )
    return STRATEGY_TEMPLATE_FILE.read_text(encoding="utf-8").replace("{{ name }}", name)


def _is_path(text: str) -> bool:
    """Return True if a spec consists only of a file path."""
    try:
        name = parse_spec(text).strategy.name
    except StrategyError:
        return False
    return name == text and text.isprintable() and "#" not in text

"""The text form of strategies: `name[:p=v{,p=v}]{+slot=name[:p=v{,p=v}]}[@FILE]`.

    gold    gold-early:k=7    simple+knock=at:k=4    mine.py    mine.py#second+discard=low
    mine.py@tuned.toml    champion@./mine.npy    champion@LEARNED.npy

After `slot=` stands the policy that takes that slot, or a strategy whose policy of that slot does;
`+stake=` sets both offer and answer. Last comes a file: of values of parameters, slot by slot, or
of weights in place of the strategy's own. Weights of a name without a folder are those of a player
that simgin learned and keeps; a file in the working directory is written ./mine.npy.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from simgin.core.answers import SLOTS
from simgin.strategy.author import NAME, Policy, Strategy
from simgin.text.files import NewFileError, has_ending, plain_name
from simgin.text.messages import did_you_mean, quoted, shown

TEMPLATE = Path(__file__).with_name("strategy.py.j2")
STAKE_SLOTS = ("offer", "answer")
_PART = re.compile(r"\+(?=(?:" + "|".join([*SLOTS, "stake"]) + r")=)")
_STRAY = re.compile(r"\+(\w+)=")  # in front of the first slot that is known
_VALUES = re.compile(r":(?=[A-Za-z_]\w*=)")
_ITEM = re.compile(r"\s*\w+\s*=.*\S.*")
_FILE = re.compile(r"(.*)@([^@]+\.(?:toml|npy))\s*", re.DOTALL | re.IGNORECASE)
_EARLY = re.compile(r"@[^@+]+\.(?:toml|npy)\+\w+=", re.IGNORECASE)  # a file in front of a slot


class StrategyError(ValueError):
    """A strategy that cannot be found or read; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Reference:
    """A name with values of parameters, as `at:k=4`."""

    text: str
    name: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class TextForm:
    """A strategy's text in parts."""

    strategy: Reference
    policies: Mapping[str, Reference]  # by slot: what replaces the strategy's own policy
    file: str = ""  # of values or weights, which comes last

    @property
    def has_weights(self) -> bool:
        """Return True if the file holds weights, and not values of parameters."""
        return has_ending(self.file, ".npy")

    @property
    def is_learned(self) -> bool:
        """Return True if the weights are those of a learned player: a name without a folder."""
        return self.has_weights and "/" not in self.file


# Reading


def parse(text: str) -> TextForm:
    """The parts of a strategy's text; StrategyError for a text of another form."""
    named = _FILE.fullmatch(text)
    file = ""
    if named:
        text, file = named[1], named[2]
        file = at_path(Path(file)) if "/" in file else file
    elif _EARLY.search(text):
        raise StrategyError(
            f"{quoted(text)}: a file of values or weights comes last, as in "
            "champion+knock=at@FILE.npy."
        )
    head, *parts = _PART.split(text.strip())
    _check_slots(head)
    policies: dict[str, Reference] = {}
    for part in parts:
        slot, _, policy = part.partition("=")
        slots = STAKE_SLOTS if slot == "stake" else (slot,)
        policies |= dict.fromkeys(slots, _parse_reference(policy))
    return TextForm(_parse_reference(head), policies, file)


def at_path(file: Path) -> str:
    """Return a path as a text names it, which has a folder: a name alone is a learned player's."""
    return str(file) if "/" in str(file) else f"./{file}"


def _check_slots(head: str) -> None:
    """Raise StrategyError for a slot that does not exist."""
    stray = _STRAY.search(head)
    if stray and not has_ending(head.partition("#")[0], ".py"):
        known = [*SLOTS, "stake"]
        near = did_you_mean(stray[1], known)
        listed = ", ".join(known)
        raise StrategyError(f"there is no slot {quoted(stray[1])}{near} The slots are {listed}.")


def _parse_reference(text: str) -> Reference:
    name, *rest = _VALUES.split(text.strip(), maxsplit=1)
    items = rest[0].split(",") if rest else []
    stray_colon = ":" in name and not has_ending(name.partition("#")[0], ".py")
    if stray_colon or not all(_ITEM.fullmatch(item) for item in items):
        raise StrategyError(
            f"{quoted(text)} is not of the form name:parameter=value,parameter=value."
        )
    values = {}
    for item in items:
        key, _, value = item.partition("=")
        values[key.strip()] = value.strip()
    return Reference(text, name.strip(), values)


# Giving values to parameters


def set_policy_values(policy: Policy, values: Mapping[str, str], text: str) -> Policy:
    """The policy with other values; StrategyError, naming `text`, for what is not possible."""
    try:
        return policy(**values)
    except (TypeError, ValueError) as error:
        raise StrategyError(f"{quoted(text)}: {error}.") from None


def set_values(strategy: Strategy, values: Mapping[str, str], text: str) -> Strategy:
    """The strategy with other values of its policies' parameters.

    A value goes to the one policy that has the parameter, or to all that declare it alike.
    """
    for name, value in values.items():
        owners = [policy for policy in strategy.policies if name in policy.params]
        if len({policy.params[name] for policy in owners}) != 1:
            raise StrategyError(_no_single_parameter(strategy, name, owners))
        strategy = exchange(
            strategy,
            {policy.slot: set_policy_values(policy, {name: value}, text) for policy in owners},
        )
    return strategy


def _no_single_parameter(strategy: Strategy, name: str, owners: list[Policy]) -> str:
    if owners:
        slots = " or ".join(f"+{policy.slot}={policy.name}:{name}=..." for policy in owners)
        return (
            f"several policies of {strategy.name!r} have a parameter {quoted(name)}, "
            f"and they differ; name the slot: {slots}."
        )
    known = [name for policy in strategy.policies for name in policy.params]
    listed = ", ".join(known) or "none"
    near = did_you_mean(name, known)
    return f"{strategy.name!r} has no parameter {quoted(name)}; it has {listed}{near}"


def exchange(strategy: Strategy, policies: Mapping[str, Policy], text: str = "") -> Strategy:
    """The strategy with other policies in some slots."""
    slots: dict[str, Any] = dict(policies)
    return replace(strategy, text=text, **slots)


# Writing


def changed_values(policy: Policy, defaults: Policy | None) -> dict[str, str]:
    """The values of a policy as text, without those that are the defaults of another."""
    known = {name: param.default for name, param in defaults.params.items()} if defaults else {}
    return {
        name: param.text(param.default)
        for name, param in policy.params.items()
        if param.default != known.get(name)
    }


def values_text(values: Mapping[str, str]) -> str:
    """Values as they follow a name: `:k=4,tie=random`; empty if there are none."""
    settings = ",".join(f"{name}={value}" for name, value in values.items())
    return f":{settings}" if settings else ""


# Files of values: what `simgin tune` writes, and what `name@FILE.toml` reads. A table for every
# slot, `[knock]`, and in it the parameters of the policy in that slot, `k = 7`.

Values = Mapping[str, Mapping[str, str]]  # by slot and parameter, as texts


def read_values(path: Path) -> Values:
    """The values in a file; StrategyError, with a sentence, for a file of another form."""
    # Here, as what it is written with takes a while to load and few strategies have a file.
    from simgin.text.toml import TomlError, read_tables

    try:
        tables = read_tables(path, "name a file of parameter values")
    except TomlError as error:
        raise StrategyError(str(error)) from None
    values = {}
    for slot, table in tables.items():
        if slot not in SLOTS:
            near = did_you_mean(slot, SLOTS)
            listed = ", ".join(SLOTS)
            raise StrategyError(
                f"{path}: there is no slot {quoted(slot)}{near} The slots are {listed}."
            )
        if not isinstance(table, dict):
            raise StrategyError(
                f"{path}: {slot} is {shown(table)}; write a table of parameters below [{slot}]."
            )
        values[slot] = {name: _value(value) for name, value in table.items()}
    return values


def _value(value: object) -> str:
    """Return a value of TOML as text, also a number in hexadecimal that Python does not print."""
    try:
        return str(value)
    except ValueError:
        return shown(value)


def values_toml(values: Values) -> str:
    """The tables of a file of values."""
    tables = []
    for slot, of_slot in values.items():
        lines = [f"[{slot}]"]
        for name, value in of_slot.items():
            lines.append(f"{name} = {_written(value)}")
        tables.append("\n".join(lines) + "\n")
    return "\n".join(tables)


def _written(text: str) -> str:
    """A value in TOML: a number as it is, a word in quotes."""
    try:
        float(text)
    except ValueError:
        return json.dumps(text)
    return text


# A strategy file to start from: it plays as it stands and shows the form of a policy


def strategy_file(file: Path, name: str | None = None) -> str:
    """The text of a strategy file. The strategy is called `name`, or like the file by default.

    Raises NewFileError for a path that does not end in .py or that a command would read as more
    than a path, and for an impossible name.
    """
    if not has_ending(file, ".py"):
        suggestion = f"{file}.py" if file.name else "mine.py"
        raise NewFileError(f"the name of a strategy file must end in .py: try {suggestion}.")
    if not _is_path(str(file)):
        raise NewFileError(
            f"{quoted(str(file))} would not be read as a path where a strategy is named: use a-z, "
            "0-9 and - in names of files and folders."
        )
    name = name or plain_name(file)
    if not NAME.fullmatch(name):
        raise NewFileError(
            f"{quoted(name)} cannot be the name of a strategy: names consist of a-z, 0-9 and -, at "
            "most 100 of them; give one after the file."
        )
    return TEMPLATE.read_text(encoding="utf-8").replace("{{ name }}", name)


def _is_path(text: str) -> bool:
    """Whether a text that names a strategy is the path of a file and nothing more."""
    try:
        named = parse(text).strategy.name
    except StrategyError:
        return False
    return named == text and text.isprintable() and "#" not in text

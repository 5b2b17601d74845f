"""Decorators that check the arguments of public Python functions and store the call."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import reprlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from simgin.rules.variants import Variant, find_variant
from simgin.strategy import loader
from simgin.strategy.author import Strategy
from simgin.strategy.strategy_spec import StrategyError
from simgin.text.amounts import AmountError, parse_count, parse_seconds, parse_seed
from simgin.text.messages import SimginError, format_value, join_words, suggest_spelling

if TYPE_CHECKING:
    from simgin.runs.result import Result

StrategyLike = str | Path | Strategy  # name or path of a strategy, or a Strategy object
VariantLike = str | Variant  # variant spec, or a Variant object

Params = ParamSpec("Params")
ReturnT = TypeVar("ReturnT")
ResultT = TypeVar("ResultT", bound="Result")

OPTION_PATTERN = re.compile(r"(?<!\S)-(?:-([a-z]+)|o)\b")  # option of a command in an error message
OPTION_VALUE_PATTERN = re.compile(
    r"--([a-z]+) (\S+)"
)  # option with a value, as in `--where differ`

# Accepted classes, name of one value and name of several values, for each part of an annotation
ARGUMENT_TYPES: Mapping[str, tuple[Any, str, str]] = {
    "None": (type(None), "None", ""),
    "bool": (bool, "True or False", ""),
    "int": (Integral, "a whole number", "whole numbers"),
    "float": (Real, "a number", "numbers"),
    "str": (str, "a string", "strings"),
    "Path": (PathLike, "a path", "paths"),
    "StrategyLike": ((str, PathLike, Strategy), "a strategy", "strategies"),
    "VariantLike": ((str, Variant), "a variant", "variants"),
    "Mapping[str, str]": (Mapping, "a dictionary", ""),
}


def _join_cards(cards: str | Sequence[str]) -> str:
    """Join a list of cards into a string."""
    return cards if isinstance(cards, str) else " ".join(map(str, cards))


# Parsers of arguments by name
ARGUMENT_PARSERS: Mapping[str, Callable[[Any], Any]] = {
    "variant": lambda spec: find_variant(spec).spec,
    "cards": _join_cards,
    "pile": _join_cards,
    "seed": parse_seed,
    "seconds": parse_seconds,
} | dict.fromkeys(("deals", "matches", "confirmation_matches", "worlds"), parse_count)
LIST_TYPE_PATTERN = re.compile(r"(?:Sequence|tuple)\[(\w+).*\]")  # list, with the kind of its items


def check_arguments(function: Callable[Params, ReturnT]) -> Callable[Params, ReturnT]:
    """Decorate a function so that arguments of the wrong type raise SimginError."""
    signature = inspect.signature(function)
    help_sentence = f"`help(simgin.{function.__name__})` describes the arguments."

    @functools.wraps(function)
    def wrapper(*args: Params.args, **kwargs: Params.kwargs) -> ReturnT:
        for name in kwargs.keys() - signature.parameters.keys():
            suggestion = suggest_spelling(name, signature.parameters)
            raise SimginError(f"`{name}` is not an argument{suggestion} {help_sentence}")
        # If the call has too many arguments, Python reports the error.
        with contextlib.suppress(TypeError):
            arguments = signature.bind_partial(*args, **kwargs).arguments
            for name, value in arguments.items():
                if error := _find_type_error(signature.parameters[name], value):
                    raise SimginError(f"{error} {help_sentence}")
        return function(*args, **kwargs)

    return wrapper


def _find_type_error(parameter: inspect.Parameter, value: Any) -> str:
    """Return an error message if an argument does not match its annotation, otherwise ""."""
    type_names = parameter.annotation.split(" | ")
    for argument in value if parameter.kind is parameter.VAR_POSITIONAL else [value]:
        if not any(_has_type(argument, type_name) for type_name in type_names):
            expected = join_words([_describe_type(type_name) for type_name in type_names], "or")
            given_text = (
                reprlib.repr(argument)
                if isinstance(argument, list | tuple)
                else format_value(argument)
            )
            return f"`{parameter.name}` must be {expected}, not {given_text}."
    return ""


def _has_type(value: object, type_name: str) -> bool:
    """Return True if a value has the type that part of an annotation names.

    Any iterable is accepted as a list. The items of an iterator cannot be checked in advance.
    """
    if list_match := LIST_TYPE_PATTERN.fullmatch(type_name):
        if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
            return False
        return isinstance(value, Iterator) or all(_has_type(item, list_match[1]) for item in value)
    return isinstance(value, ARGUMENT_TYPES[type_name][0]) and (
        type_name == "bool" or not isinstance(value, bool)
    )


def _describe_type(name: str) -> str:
    """Return a description of a type in an annotation, such as `a list of strings`."""
    list_match = LIST_TYPE_PATTERN.fullmatch(name)
    return (
        f"a list of {ARGUMENT_TYPES[list_match[1]][2]}" if list_match else ARGUMENT_TYPES[name][1]
    )


def convert_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the arguments of a public function to the arguments of a request.

    Args:
        arguments: All arguments of a function, which are its local variables before the first
            statement. The arguments `workers` and `output` do not belong to the request.

    Raises:
        SimginError: If a variant or an amount is not valid, or two strategies have the same name.
    """
    strategies_by_spec: dict[str, Strategy] = {}
    specs = {
        name: _to_spec(value, strategies_by_spec)
        for name, value in arguments.items()
        if name not in ("workers", "output")
    }
    for name in [name for name in ARGUMENT_PARSERS if specs.get(name) is not None]:
        specs[name] = ARGUMENT_PARSERS[name](specs[name])
    return specs


def _to_spec(value: Any, strategies_by_spec: dict[str, Strategy]) -> Any:
    """Convert strategies and variants to specs, and leave other values unchanged."""
    if isinstance(value, Strategy):
        strategy = loader.find_strategy(value)
        same_spec = strategies_by_spec.setdefault(strategy.spec, strategy)
        if not loader.is_same_strategy(same_spec, strategy):
            raise StrategyError(
                f"two different strategies have the name {strategy.spec!r}. Rename one of them."
            )
        return strategy.spec
    if isinstance(value, Iterable) and not isinstance(value, str | Mapping):
        return tuple(_to_spec(item, strategies_by_spec) for item in value)
    if isinstance(value, Variant):
        return value.spec
    return str(value) if isinstance(value, PathLike) else value


def record_call(function: Callable[Params, ResultT]) -> Callable[Params, ResultT]:
    """Decorate a function so that it checks its arguments and stores the call in its result.

    Error messages name the arguments of the function instead of the options of the command.
    """
    checked_function = check_arguments(function)

    @functools.wraps(function)
    def wrapper(*args: Params.args, **kwargs: Params.kwargs) -> ResultT:
        try:
            result = checked_function(*args, **kwargs)
            arguments = [*map(_format_argument, args)]
            arguments += [f"{name}={_format_argument(value)}" for name, value in kwargs.items()]
            vars(result)["call"] = f"simgin.{function.__name__}({', '.join(arguments)})"
            if kwargs.get("output") is not None:
                result.save(str(kwargs["output"]))
        except SimginError as error:
            signature = inspect.signature(function)
            names = signature.parameters
            error.args = tuple(_replace_option_names(arg, names) for arg in error.args)
            if isinstance(error, AmountError):
                error.args = (_add_argument_name(str(error), signature.bind(*args, **kwargs)),)
            raise
        except KeyboardInterrupt as interrupt:
            message = "The call was interrupted. Its results were not saved."
            if kwargs.get("output") is not None:
                message = "The call was interrupted. To continue the run, repeat the same call."
            interrupt.args = (message,)
            # IPython prints these lines instead of a traceback.
            vars(interrupt)["_render_traceback_"] = lambda: [f"KeyboardInterrupt: {message}"]
            raise
        return result

    return wrapper


def _replace_option_names(message: Any, names: Collection[str]) -> Any:
    """Replace options such as --upcard with arguments such as `upcard` in an error message.

    Commands are not changed.
    """
    if not isinstance(message, str):
        return message

    def format_name(option: re.Match[str]) -> str:
        name = option[1] or "output"
        return f"`{name}`" if name in names else option[0]

    segments = message.split("`")
    segments[::2] = [OPTION_PATTERN.sub(format_name, segment) for segment in segments[::2]]
    segments[1::2] = [
        f'{option[1]}="{option[2]}"'
        if (option := OPTION_VALUE_PATTERN.fullmatch(segment))
        else segment
        for segment in segments[1::2]
    ]
    return "`".join(segments)


def _add_argument_name(message: str, call: inspect.BoundArguments) -> str:
    """Add the name of an argument to an error message about an amount."""
    names = [
        name
        for name, value in call.arguments.items()
        if "float | str" in call.signature.parameters[name].annotation
        and message.startswith((f"{value} ", f"{value!r} "))
    ]
    return f"`{names[0]}`: {message}" if len(names) == 1 else message


def _format_argument(value: object) -> str:
    """Format an argument as Python code, with specs for strategy and variant objects."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_format_argument, value))}]"
    spec = value.spec if isinstance(value, Strategy | Variant) else value
    return repr(str(spec) if isinstance(spec, Path) else spec)

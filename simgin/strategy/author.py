"""Decorators that turn functions into policies, and the Strategy class.

A *policy* is a plain function `policy(view, rules, params) -> int` that makes one type of decision.
The type of decision is the *slot* of the policy. A *strategy* consists of one policy per slot, and
determines whether the discard policy or the knock policy is called first. Functions are compiled
when a strategy is played for the first time, not when its file is loaded.

    from simgin.strategy import Strategy, discard, param
    from simgin.toolkit import best_discard

    @discard
    def low(view, rules, params):
        return best_discard(view.hand, view.legal, rules)

    STRATEGY = Strategy("mine", discard=low)
"""

import inspect
import math
import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from simgin.core.codes import SLOTS
from simgin.renamed import RenamedAttributes
from simgin.text.messages import quote_text

NAME_PATTERN = re.compile(r"[a-z0-9-]{1,100}")  # valid names of strategies
STRATEGY_NAME_HINT = "Use 1 to 100 of the characters a-z, 0-9 and -"
_BOOLEAN_WORDS = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}


@dataclass(frozen=True)
class Param:
    """Named parameter of a policy, created with `param`, `flag` or `choice`.

    Attributes:
        default: Default value, encoded as a number.
        low: Minimum value.
        high: Maximum value.
        about: Description.
        kind: Type of the parameter: "number", "integer", "bool" or "choice".
        choices: Valid values if the kind is "choice". A value is encoded as its index in `choices`.
    """

    default: float
    low: float
    high: float
    about: str
    kind: str
    choices: tuple[str, ...] = ()

    def encode(self, value: float | bool | str) -> float:
        """Return the number that represents a value in the parameter vector.

        Raises:
            ValueError: If the value is not valid. The message is a verb phrase without a subject.
        """
        if self.kind == "choice":
            if value not in self.choices:
                choice_names = ", ".join(self.choices)
                raise ValueError(f"must be one of {choice_names}, not {_format_value(value)}")
            return float(self.choices.index(str(value)))
        if self.kind == "bool":
            word = str(value).lower()
            if word not in _BOOLEAN_WORDS:
                raise ValueError(f"must be yes or no, not {_format_value(value)}")
            return _BOOLEAN_WORDS[word]
        range_text = f"from {self.low:g} to {self.high:g}"
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"must be a number {range_text}, not {_format_value(value)}") from None
        if not self.low <= number <= self.high:
            raise ValueError(f"must be {range_text}, not {_format_value(value)}")
        if self.kind == "integer" and number != int(number):
            raise ValueError(f"must be a whole number {range_text}, not {_format_value(value)}")
        return number

    def format(self, value: float) -> str:
        """Format a number from the parameter vector as a readable string."""
        if self.kind == "choice":
            return self.choices[int(value)]
        if self.kind == "bool":
            return "yes" if value else "no"
        return f"{value:.12g}"


def param(default: float, low: float, high: float, about: str = "") -> Any:
    """Declare a numeric parameter of a policy.

    Args:
        default: Default value. If the default is an int, only integers are valid.
        low: Minimum value.
        high: Maximum value.
        about: Description.

    Returns:
        The parameter, for use as a keyword argument of a decorator.

    Raises:
        ValueError: If the default is out of range.

    Example:
        @knock(k=param(5, 0, 10, "maximum deadwood for a knock"))
        def early(view, rules, params):
            return view.ending_count <= params[0]
    """
    kind = "integer" if isinstance(default, int) else "number"
    parameter = Param(default, low, high, str(about), kind)
    try:
        parameter.encode(default)
    except ValueError as error:
        raise ValueError(f"the default of a parameter {error}") from None
    return parameter


def flag(default: bool, about: str = "") -> Any:
    """Declare a Boolean parameter.

    The policy receives 1.0 for yes and 0.0 for no.

    Args:
        default: Default value.
        about: Description.

    Returns:
        The parameter, for use as a keyword argument of a decorator.

    Example:
        @discard(keep_pairs=flag(False, "keep pairs together"))
    """
    return Param(float(default), 0, 1, str(about), "bool")


def choice(*words: str, about: str = "") -> Any:
    """Declare a parameter with named values.

    The policy receives the index of the value as 0.0, 1.0, 2.0, ...

    Args:
        *words: Valid values. The first value is the default.
        about: Description.

    Returns:
        The parameter, for use as a keyword argument of a decorator.

    Raises:
        TypeError: If there are no values.

    Example:
        @discard(tie=choice("high", "random", about="order of equal discards"))
    """
    if not words:
        raise TypeError("a choice requires values. Use, for example, choice('high', 'random')")
    return Param(0.0, 0, len(words) - 1, str(about), "choice", tuple(map(str, words)))


def _format_value(value: object) -> str:
    """Format a value for an error message.

    A long or unprintable value is quoted and truncated.
    """
    text = str(value)
    return text if len(text) <= 40 and text.isprintable() else reprlib.repr(text)


def name_policy_type(slot: str) -> str:
    """Return the name of a policy type with an article, such as "an offer policy"."""
    article = "an" if slot.startswith(("a", "o")) else "a"
    return f"{article} {slot} policy"


def _require_type(
    description: str, value: object, required_type: Any, type_description: str
) -> None:
    """Raise TypeError unless a value has the required type."""
    if not isinstance(value, required_type):
        raise TypeError(f"{description} must be {type_description}, not {reprlib.repr(value)}")


@dataclass(frozen=True)
class Policy:
    """Function that makes all decisions of one type, together with its parameters.

    Calling a policy, as in `at(k=0)`, returns a copy with other default values.

    Attributes:
        slot: Slot of the policy: take, discard, knock, offer, answer or show.
        name: Name of the policy.
        function: Python function with the signature `(view, rules, params) -> int`.
        params: Parameters by name, in the order of the vector `params`.
        noise: True if the function reads `view.noise`, a random number.
        weights: Array or .npy file of weights, which follow the parameters in the vector `params`.
        rules_weights: File of numbers from which `for_rules` computes weights for other rules.
        for_rules: Function `(weights, rules_weights, rules) -> weights`, which is called before the
            first deal. The result must contain the same number of weights.
        describe: Function that computes the features of a discard. `simgin train` requires this
            function.
        start: Initial weights for training, by description of the feature.
        pickle_bytes: Pickle of the function if it was defined in a running program and not in a
            strategy file (see `simgin.strategy.by_value`).
    """

    slot: str
    name: str
    function: Callable[..., Any]
    params: dict[str, Param]
    noise: bool = False
    weights: Path | np.ndarray | None = None
    rules_weights: Path | None = None
    for_rules: Callable[..., np.ndarray] | None = None
    describe: Callable[..., Any] | None = None
    start: dict[str, float] = field(default_factory=dict)
    pickle_bytes: bytes = field(default=b"", compare=False, repr=False)

    def __call__(self, /, **values: float | bool | str) -> "Policy":
        """Return the same policy with different default values of its parameters.

        Args:
            **values: Parameter values by name, as in `at(k=0)`.

        Raises:
            TypeError: If the policy has no such parameter.
            ValueError: If a value is not valid.
        """
        params = dict(self.params)
        for name, value in values.items():
            if name not in params:
                valid_names = ", ".join(params) or "none"
                raise TypeError(
                    f"{quote_text(name)} is not a parameter of the {self.slot} policy "
                    f"{self.name!r}. Valid parameters: {valid_names}"
                )
            try:
                encoded_value = params[name].encode(value)
            except ValueError as error:
                raise ValueError(f"{name} {error}") from None
            params[name] = replace(params[name], default=encoded_value)
        return replace(self, params=params)

    @property
    def about(self) -> str:
        """First line of the function's docstring."""
        docstring = inspect.getdoc(self.function) or ""
        return docstring.split("\n")[0]

    @property
    def is_untrained(self) -> bool:
        """True if the policy uses its initial weights because the weights file is missing."""
        return bool(self.start) and isinstance(self.weights, Path) and not self.weights.exists()

    @property
    def source_file(self) -> Path:
        """Path of the file that defines the function.

        If the function is defined in a notebook cell, this path does not exist.
        """
        return Path(self.function.__code__.co_filename)

    @property
    def location(self) -> str:
        """Name of the file that defines the function, or "a cell" if a notebook cell defines it."""
        return self.source_file.name if self.source_file.is_file() else "a cell"


@dataclass(frozen=True)
class Strategy(RenamedAttributes):
    """Named set of policies, one for each slot.

    The default policies are `lower` (take), `low` (discard), `at:k=10` (knock), `none` (offer),
    `never` (answer) and `first` (show).

    Attributes:
        name: Name of the strategy, which consists of the characters a-z, 0-9 and -.
        take: Policy that takes or declines the card on offer.
        discard: Policy that chooses the discard.
        knock: Policy that decides whether to end the deal.
        offer: Policy that decides whether to offer to raise the die (Gin Dice).
        answer: Policy that accepts or refuses an offer (Gin Dice).
        show: Policy that chooses the melding to show, if the rules allow a choice.
        ending: If "best", the engine proposes the best ending to `knock` and then calls `discard`.
            If "same", the engine calls `discard` first and proposes only an ending with that
            discard, as in the EAAI contest.
        about: Description of the strategy. The default is the docstring of the module.
        source: Origin of the strategy. The default is the paragraph `Source: ...` of the docstring.
        spec: Canonical spec, which the loader sets.

    Example:
        STRATEGY = Strategy("mine", discard=low, knock=at(k=4))
    """

    name: str
    take: Policy | None = None
    discard: Policy | None = None
    knock: Policy | None = None
    offer: Policy | None = None
    answer: Policy | None = None
    show: Policy | None = None
    ending: str = "best"
    about: str = ""
    source: str = ""
    spec: str = field(default="")

    def __post_init__(self) -> None:
        """Raise TypeError if a value has the wrong type, or ValueError if the name is invalid."""
        for name in ("name", "ending", "about", "source", "spec"):
            _require_type(f"the {name} of a strategy", getattr(self, name), str, "a string")
        if not NAME_PATTERN.fullmatch(self.name):
            raise ValueError(
                f"{quote_text(self.name)} is not a valid strategy name. {STRATEGY_NAME_HINT}"
            )
        if self.ending not in ("best", "same"):
            raise ValueError(f"'ending' must be 'best' or 'same', not {quote_text(self.ending)}")
        for slot in SLOTS:
            policy = self.policy(slot)
            description = f"the {slot} policy of {self.name!r}"
            _require_type(description, policy, Policy | None, f"a function decorated with @{slot}")
            if policy is not None and policy.slot != slot:
                raise TypeError(
                    f"{quote_text(policy.name)} is {name_policy_type(policy.slot)}, not "
                    f"{name_policy_type(slot)}"
                )

    def __repr__(self) -> str:
        policies = ", ".join(f"{policy.slot} {policy.name}" for policy in self.policies)
        return f"Strategy({self.spec or self.name!r}): {policies}"

    def policy(self, slot: str) -> Policy | None:
        """Return the policy in a slot."""
        policy: Policy | None = getattr(self, slot)
        return policy

    @property
    def policies(self) -> list[Policy]:
        """Policies in the filled slots, in slot order."""
        return [policy for policy in map(self.policy, SLOTS) if policy is not None]


def _make_decorator(slot: str, docstring: str) -> Any:
    """Return the decorator for policies in a slot.

    The decorator can be used with or without arguments.
    """

    def decorate(
        function: Callable[..., Any] | None = None,
        *,
        noise: bool = False,
        weights: str | None = None,
        rules_weights: str | None = None,
        for_rules: Callable[..., np.ndarray] | None = None,
        name: str | None = None,
        describe: Callable[..., Any] | None = None,
        start: Mapping[str, float] | None = None,
        **params: Param,
    ) -> Any:
        if isinstance(function, Param):
            raise TypeError(
                f"a parameter requires a name. Write, for example, @{slot}(k=param(...))"
            )
        for param_name, param_value in params.items():
            if not isinstance(param_value, Param):
                raise TypeError(
                    f"{param_name}={param_value!r} is not a parameter. Write "
                    f"{param_name}=param({param_value!r}, low, high)"
                )
        if (for_rules is None) != (rules_weights is None):
            raise TypeError("'for_rules' and 'rules_weights' can only be used together")
        if describe is not None or start is not None:
            _check_trainable(slot, weights, describe, start)

        def make_policy(function: Callable[..., Any]) -> Policy:
            description = f"the object decorated with @{slot}"
            _require_type(description, function, FunctionType, "a function")
            return Policy(
                slot,
                name or function.__name__.replace("_", "-"),
                function,
                params,
                noise,
                _resolve_weights_path(function, "weights", weights),
                _resolve_weights_path(function, "rules_weights", rules_weights),
                for_rules,
                describe,
                dict(start or {}),
            )

        return make_policy if function is None else make_policy(function)

    decorate.__doc__ = docstring
    return decorate


def _resolve_weights_path(
    function: Callable[..., Any], keyword: str, file: str | None
) -> Path | None:
    """Return the path of a weights file next to the file that defines a function."""
    if not file:
        return None
    _require_type(f"{keyword!r}", file, str, "the name of a file")
    source_file = Path(function.__code__.co_filename)
    return (source_file.parent if source_file.is_file() else Path()) / file


def _check_trainable(slot: str, weights: str | None, describe: object, start: Any) -> None:
    """Raise TypeError if the declarations for `simgin train` are incomplete or have wrong types."""
    if slot != "discard":
        raise TypeError(
            f"only discard policies can be trained. Remove `start` and `describe` from @{slot}"
        )
    if not weights or not callable(describe) or not start:
        raise TypeError(
            "training requires a weights file, a function that computes the features of a discard, "
            "and an initial weight for each feature. Write, for example, "
            '@discard(weights="mine.npy", describe=describe, start={"deadwood left": 1})'
        )
    _require_type("'start'", start, dict, "a dict")
    for about, weight in start.items():
        _require_type("the description of a feature", about, str, "a string")
        _require_type(f"the initial weight of {about!r}", weight, int | float, "a number")
        if math.isnan(weight):
            raise ValueError(f"the initial weight of {about!r} must be a number, not NaN")


def helper(function: Callable[..., Any]) -> Any:
    """Mark a function for compilation with numba, so that policies can call it.

    Example:
        @helper
        def high(cards):
            return cards & cards_of_ranks(0b1111 << 9)
    """
    # Import the module here, so that reading a strategy file does not load the compiler.
    from simgin.core.jit import compile_function

    return compile_function(function, use_cache=False)


take = _make_decorator(
    "take",
    "Declare a take policy, which returns ACTION_STOCK, ACTION_TAKE or ACTION_PASS, if legal. "
    "The card on offer is `view.taken_offer`.",
)
discard = _make_decorator(
    "discard", "Declare a discard policy, which returns a card in `view.legal` (0..51)."
)
knock = _make_decorator(
    "knock",
    "Declare a knock policy, which returns 1 to end the deal as proposed in `view.ending*`, or 0.",
)
offer = _make_decorator("offer", "Declare an offer policy (Gin Dice), which returns a number or 0.")
answer = _make_decorator(
    "answer", "Declare an answer policy (Gin Dice), which returns 1 to accept the offer, or 0."
)
show = _make_decorator(
    "show", "Declare a show policy (`melding = choice`), which returns a row of `view.meldings`."
)

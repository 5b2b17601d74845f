"""What an author writes with: decorators that make policies, and the Strategy record.

A *policy* is a plain function `policy(view, rules, params) -> int` for one slot; a *strategy* is a
policy for each slot and the order of discard and ending. Functions are compiled when a strategy is
first played, not when its file is read.

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

from simgin.core.answers import SLOTS
from simgin.text.messages import quoted

NAME = re.compile(r"[a-z0-9-]{1,100}")  # of a strategy
_YES_OR_NO = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}


@dataclass(frozen=True)
class Param:
    """A named number of a policy."""

    default: float
    low: float
    high: float
    about: str
    kind: str  # number, integer, bool, choice
    words: tuple[str, ...] = ()  # of a choice, which is coded by the place of its word

    def code(self, value: float | bool | str) -> float:
        """The number that a value stands for; ValueError, which continues its name, if none."""
        if self.kind == "choice":
            if value not in self.words:
                words = ", ".join(self.words)
                raise ValueError(f"must be one of {words}, not {_shown(value)}")
            return float(self.words.index(str(value)))
        if self.kind == "bool":
            word = str(value).lower()
            if word not in _YES_OR_NO:
                raise ValueError(f"must be yes or no, not {_shown(value)}")
            return _YES_OR_NO[word]
        span = f"{self.low:g}..{self.high:g}"
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"must be a number {span}, not {_shown(value)}") from None
        if not self.low <= number <= self.high:
            raise ValueError(f"must lie in {span}, not {_shown(value)}")
        if self.kind == "integer" and number != int(number):
            raise ValueError(f"must be a whole number {span}, not {_shown(value)}")
        return number

    def text(self, code: float) -> str:
        """The text of a value that has been coded."""
        if self.kind == "choice":
            return self.words[int(code)]
        if self.kind == "bool":
            return "yes" if code else "no"
        return f"{code:.12g}"


def param(default: float, low: float, high: float, about: str = "") -> Any:
    """A number in low..high; a whole number if the default is an int.

    ValueError for a default outside of that range.
    """
    kind = "integer" if isinstance(default, int) else "number"
    made = Param(default, low, high, str(about), kind)
    try:
        made.code(default)
    except ValueError as error:
        raise ValueError(f"the default of a parameter {error}") from None
    return made


def flag(default: bool, about: str = "") -> Any:
    """A yes or no, which the policy sees as 1.0 or 0.0."""
    return Param(float(default), 0, 1, str(about), "bool")


def choice(*words: str, about: str = "") -> Any:
    """One of some words, the first by default, which the policy sees as 0.0, 1.0, 2.0 ..."""
    if not words:
        raise TypeError("a choice has words: write choice('high', 'random')")
    return Param(0.0, 0, len(words) - 1, str(about), "choice", tuple(map(str, words)))


def _shown(value: object) -> str:
    """A value as a message shows it: quoted, and cut, if it is long or cannot be printed."""
    text = str(value)
    if len(text) <= 40 and text.isprintable():
        return text
    return reprlib.repr(text)


def _require(what: str, value: object, kind: Any, said: str) -> None:
    """Raise TypeError unless a value is of a kind, called as said."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} is {said}, not {reprlib.repr(value)}")


@dataclass(frozen=True)
class Policy:
    """A function for one slot, with its parameters.

    Called with values, as in `at(k=0)`, it gives a copy with other defaults.
    """

    slot: str
    name: str
    function: Callable[..., Any]
    params: dict[str, Param]
    noise: bool = False
    # numbers that follow the parameters: in a .npy file, or as they are
    weights: Path | np.ndarray | None = None
    # of a discard policy that `simgin train` teaches: what writes the numbers of a discard, and the
    # weight of each, by its meaning, before any training
    describe: Callable[..., Any] | None = None
    start: dict[str, float] = field(default_factory=dict)
    live: bytes = field(default=b"", compare=False, repr=False)  # see `simgin.strategy.live`

    def __call__(self, /, **values: float | bool | str) -> "Policy":
        """The same policy with other defaults.

        TypeError for a parameter that it does not have, ValueError for an impossible value.
        """
        params = dict(self.params)
        for name, value in values.items():
            if name not in params:
                known = ", ".join(params) or "none"
                raise TypeError(
                    f"the {self.slot} policy {self.name!r} has no parameter {quoted(name)}; it has "
                    f"{known}"
                )
            try:
                code = params[name].code(value)
            except ValueError as error:
                raise ValueError(f"{name} {error}") from None
            params[name] = replace(params[name], default=code)
        return replace(self, params=params)

    @property
    def about(self) -> str:
        """First line of the function's docstring."""
        text = inspect.getdoc(self.function) or ""
        return text.split("\n")[0]

    @property
    def is_untrained(self) -> bool:
        """Whether it plays with its start, as no training has written the file of its weights."""
        return bool(self.start) and isinstance(self.weights, Path) and not self.weights.exists()

    @property
    def source(self) -> Path:
        """The file that the function was written in, which a notebook's is not."""
        return Path(self.function.__code__.co_filename)

    @property
    def home(self) -> str:
        """What a message calls the place where the function was written."""
        return self.source.name if self.source.is_file() else "a cell"


@dataclass(frozen=True)
class Strategy:
    """A policy for every slot, under a name.

    A slot left out gets the default: take `lower`, discard `low`, knock `at:k=10`, offer none,
    answer never, show row 0.
    """

    name: str
    take: Policy | None = None
    discard: Policy | None = None
    knock: Policy | None = None
    offer: Policy | None = None
    answer: Policy | None = None
    show: Policy | None = None
    # best: the best ending is proposed before `discard` is asked. same: `discard` is asked first,
    # and only an ending with that card is proposed (the order of the EAAI contest).
    ending: str = "best"
    about: str = ""  # the idea; by default the module's docstring
    source: str = ""  # where it comes from; by default the docstring's paragraph `Source: ...`
    text: str = field(default="")  # canonical text form, set by the loader

    def __post_init__(self) -> None:
        """Raise TypeError for a value of another type, ValueError for an impossible name."""
        for name in ("name", "ending", "about", "source", "text"):
            _require(f"the {name} of a strategy", getattr(self, name), str, "a text")
        if not NAME.fullmatch(self.name):
            raise ValueError(
                f"{quoted(self.name)} cannot be the name of a strategy: names consist of a-z, 0-9 "
                "and -, at most 100 of them"
            )
        if self.ending not in ("best", "same"):
            raise ValueError(f"ending must be best or same, not {quoted(self.ending)}")
        for slot in SLOTS:
            policy = self.policy(slot)
            what = f"the {slot} policy of {self.name!r}"
            _require(what, policy, Policy | None, f"a function below @{slot}")
            if policy is not None and policy.slot != slot:
                raise TypeError(
                    f"{quoted(policy.name)} is a {policy.slot} policy and cannot fill the slot "
                    f"{slot}"
                )

    def __repr__(self) -> str:
        return f"Strategy({self.text or self.name!r})"

    def policy(self, slot: str) -> Policy | None:
        """The policy in a slot."""
        policy: Policy | None = getattr(self, slot)
        return policy

    @property
    def policies(self) -> list[Policy]:
        """The policies of the slots that are filled, in the order of the slots."""
        policies = [self.policy(slot) for slot in SLOTS]
        return [policy for policy in policies if policy is not None]


def _decorator(slot: str, about: str) -> Any:
    """The decorator of one slot, used bare or with parameters."""

    def decorate(
        function: Callable[..., Any] | None = None,
        *,
        noise: bool = False,
        weights: str | None = None,
        name: str | None = None,
        describe: Callable[..., Any] | None = None,
        start: Mapping[str, float] | None = None,
        **params: Param,
    ) -> Any:
        if isinstance(function, Param):
            raise TypeError(f"a parameter has a name: write @{slot}(k=param(...))")
        for key, value in params.items():
            if not isinstance(value, Param):
                raise TypeError(
                    f"{key}={value!r} is no parameter: write {key}=param({value!r}, low, high)"
                )
        if describe is not None or start is not None:
            _check_trained(slot, weights, describe, start)

        def make(function: Callable[..., Any]) -> Policy:
            if isinstance(function, Policy):
                raise TypeError(
                    f"{function.name} is a {function.slot} policy already: one decorator a policy"
                )
            _require(f"what stands below @{slot}", function, FunctionType, "a function")
            file = None
            if weights:
                _require("the file of a policy's numbers", weights, str, "a text")
                source = Path(function.__code__.co_filename)
                file = (source.parent if source.is_file() else Path()) / weights
            text = name or function.__name__.replace("_", "-")
            return Policy(slot, text, function, params, noise, file, describe, dict(start or {}))

        return make if function is None else make(function)

    decorate.__doc__ = about
    return decorate


def _check_trained(slot: str, weights: str | None, describe: object, start: Any) -> None:
    """Raise TypeError unless a policy has all that `simgin train` needs."""
    if slot != "discard":
        raise TypeError(f"only discards are trained: leave start and describe out of @{slot}")
    if not weights or not callable(describe) or not start:
        raise TypeError(
            "a policy that is trained names three things: a file for its weights, a function that "
            "describes a discard in numbers, and a weight to start from for each; write "
            '@discard(weights="mine.npy", describe=describe, start={"deadwood left": 1})'
        )
    _require("the start of a policy", start, dict, "a dict")
    for about, weight in start.items():
        _require("the meaning of a number", about, str, "a text")
        _require(f"the start of {about!r}", weight, int | float, "a number")
        if math.isnan(weight):
            raise ValueError(f"the start of {about!r} is a number, not NaN")


def helper(function: Callable[..., Any]) -> Any:
    """Decorator of a function that policies call: compiled with them."""
    # Here, so that reading a strategy file does not load the compiler.
    from simgin.core.jit import compiled

    return compiled(function, keep=False)


take = _decorator(
    "take",
    "A take policy: with `view.taken_offer` on offer, answers STOCK, TAKE or PASS, "
    "where `view.legal` has it.",
)
discard = _decorator(
    "discard",
    "A discard policy: with eleven cards in `view.hand`, answers a card of `view.legal`, 0..51.",
)
knock = _decorator(
    "knock",
    "A knock policy: answers whether to end the deal as `view.ending*` proposes: 1 yes, 0 no.",
)
offer = _decorator("offer", "An offer policy (Gin Dice): answers 0 or the number offered.")
answer = _decorator("answer", "An answer policy (Gin Dice): answers 1 accept or 0 refuse.")
show = _decorator("show", "A show policy (`melding = choice`): answers a row of `view.meldings`.")

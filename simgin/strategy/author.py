"""What the author of a strategy writes with: decorators that make policies, and the record that joins them.

A *policy* is one plain function `policy(view, rules, params) -> int` for one slot; a *strategy* is a policy for each slot and the order
of discard and ending. Functions are compiled when a strategy is first played, not when its file is read.

    from simgin.strategy import Strategy, discard, param
    from simgin.toolkit import best_discard

    @discard
    def low(view, rules, params):
        return best_discard(view.hand, view.legal, rules)

    STRATEGY = Strategy("mine", discard=low)
"""

import inspect
import reprlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from simgin.core.answers import (
    BIG_GIN,
    KNOCK,
    PASS,
    PHASE_BLIND,
    PHASE_LAST,
    PHASE_STOP,
    PHASE_TURN,
    PHASE_UPCARD,
    SHOT,
    STOCK,
    TAKE,
)

SLOTS = ("take", "discard", "knock", "offer", "answer", "show")

# view.phase
UPCARD, TURN, LAST = PHASE_UPCARD, PHASE_TURN, PHASE_LAST
STOP, BLIND = PHASE_STOP, PHASE_BLIND

__all__ = [
    "BIG_GIN", "BLIND", "KNOCK", "LAST", "PASS", "SHOT", "SLOTS", "STOCK", "STOP", "TAKE", "TURN", "UPCARD",
    "Param", "Policy", "Strategy", "answer", "choice", "discard", "flag", "helper", "knock", "offer", "param", "show", "take",
]  # fmt: skip


@dataclass(frozen=True)
class Param:
    """One named number of a policy. A choice is coded by the place of its word, a yes as 1."""

    default: float
    low: float
    high: float
    about: str
    kind: str  # number, integer, bool, choice
    words: tuple[str, ...] = ()


def param(default: float, low: float, high: float, about: str = "") -> Any:
    """A number in low..high; an integer if the default is one."""
    return Param(default, low, high, about, "integer" if isinstance(default, int) else "number")


def flag(default: bool, about: str = "") -> Any:
    """A yes or no, seen by the policy as 1.0 or 0.0."""
    return Param(float(default), 0, 1, about, "bool")


def choice(*words: str, about: str = "") -> Any:
    """One of some words, the first by default, seen by the policy as 0.0, 1.0, 2.0 ..."""
    return Param(0.0, 0, len(words) - 1, about, "choice", words)


@dataclass(frozen=True)
class Policy:
    """A function for one slot with its parameters. Called with values it gives a copy with other defaults: `at(k=0)`."""

    slot: str
    name: str
    function: Callable[..., Any]
    params: dict[str, Param]
    noise: bool = False
    weights: Path | None = None  # .npy file of numbers that follow the parameters

    def __call__(self, **values: float | bool | str) -> "Policy":
        """The same policy with other defaults; TypeError for a parameter that it does not have."""
        unknown = [name for name in values if name not in self.params]
        if unknown:
            raise TypeError(
                f"the policy {self.name!r} has no parameter {unknown[0]!r}; it has {', '.join(self.params) or 'none'}."
            )
        changed = {
            name: replace(self.params[name], default=coded(self.params[name], v))
            for name, v in values.items()
        }
        return replace(self, params={**self.params, **changed})

    @property
    def about(self) -> str:
        """First line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]

    @property
    def source(self) -> Path:
        """The file the function was written in."""
        return Path(self.function.__code__.co_filename)


@dataclass(frozen=True)
class Strategy:
    """A named product of policies.

    A slot left out gets the default: take `lower`, discard `low`, knock `at:k=10`, no offer, accept never, show row 0. ending: `best`
    proposes the best ending before `discard` is asked, `same` asks `discard` first and proposes only that card (the EAAI order).
    """

    name: str
    take: Policy | None = None
    discard: Policy | None = None
    knock: Policy | None = None
    offer: Policy | None = None
    answer: Policy | None = None
    show: Policy | None = None
    ending: str = "best"
    about: str = ""  # the idea; the module's docstring if empty
    # Where it comes from; the paragraph `Source: ...` of the module's docstring if empty
    source: str = ""
    text: str = field(default="")  # canonical text form, set by the loader

    def policy(self, slot: str) -> Policy | None:
        """The policy in a slot."""
        policy: Policy | None = getattr(self, slot)
        return policy


def coded(parameter: Param, value: float | bool | str) -> float:
    """The number that a value of a parameter stands for; ValueError with a sentence if it is none."""
    if parameter.kind == "choice":
        if value not in parameter.words:
            raise ValueError(f"must be one of {', '.join(parameter.words)}, not {_said(value)}")
        return float(parameter.words.index(str(value)))
    if parameter.kind == "bool":
        words = {"yes": 1.0, "true": 1.0, "1": 1.0, "no": 0.0, "false": 0.0, "0": 0.0}
        if str(value).lower() not in words:
            raise ValueError(f"must be yes or no, not {_said(value)}")
        return words[str(value).lower()]
    return _number(parameter, value)


def _number(parameter: Param, value: float | bool | str) -> float:
    span = f"{parameter.low:g}..{parameter.high:g}"
    try:
        number = float(value)
    except ValueError:
        raise ValueError(f"must be a number {span}, not {_said(value)}") from None
    if not parameter.low <= number <= parameter.high:
        raise ValueError(f"must lie in {span}, not {_said(value)}")
    if parameter.kind == "integer" and number != int(number):
        raise ValueError(f"must be a whole number {span}, not {_said(value)}")
    return number


def _said(value: object) -> str:
    """A value as a message shows it: plain, but in quotation marks and cut if it is long or cannot be printed."""
    text = str(value)
    return text if len(text) <= 40 and text.isprintable() else reprlib.repr(text)


def written(parameter: Param, value: float) -> str:
    """The text of a value: `coded` gives it back."""
    if parameter.kind == "choice":
        return parameter.words[int(value)]
    if parameter.kind == "bool":
        return "yes" if value else "no"
    return f"{value:.12g}"


def _decorator(slot: str, about: str) -> Any:
    """The decorator of one slot, used bare or with parameters."""

    def decorate(
        function: Callable[..., Any] | None = None,
        *,
        noise: bool = False,
        weights: str | None = None,
        name: str | None = None,
        **params: Param,
    ) -> Any:
        def make(function: Callable[..., Any]) -> Policy:
            file = Path(function.__code__.co_filename).parent / weights if weights else None
            text = name or function.__name__.replace("_", "-")
            return Policy(slot, text, function, params, noise, file)

        return make if function is None else make(function)

    decorate.__doc__ = about
    return decorate


def helper(function: Callable[..., Any]) -> Any:
    """Decorator of a function that policies call: compiled with them."""
    from simgin.core.jit import (
        compiled,  # here, so that reading a strategy file compiles and loads nothing
    )

    return compiled(function, keep=False)


take = _decorator(
    "take",
    "A take policy: asked with `view.taken_offer` on offer; answers STOCK, TAKE or PASS (where `view.legal` has it).",
)
discard = _decorator(
    "discard",
    "A discard policy: asked with eleven cards in `view.hand`; answers a card of `view.legal`, 0..51.",
)
knock = _decorator(
    "knock",
    "A knock policy: asked about the ending in `view.ending*`; answers 0 play on, 1 end the deal.",
)
offer = _decorator("offer", "An offer policy (Gin Dice): answers 0 or the number offered.")
answer = _decorator("answer", "An answer policy (Gin Dice): answers 1 accept or 0 refuse.")
show = _decorator(
    "show", "A show policy (`melding = choice`): answers a row of the meldings in the view."
)

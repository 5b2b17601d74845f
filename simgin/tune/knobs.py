"""What is searched: the parameters of a strategy that are numbers, and how far they may move."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from simgin.rules.variants import Variant
from simgin.strategy import Param, Policy, Strategy
from simgin.text.messages import did_you_mean, quoted

ORDERED = ("number", "integer", "bool")  # kinds of parameters; words have no order
DIGITS = 2  # of a value, below the first of its step
_CHOSEN = re.compile(r"\s*([\w.]+?)\s*(?:=\s*(-?[\d.]+?)\.\.(-?[\d.]+)\s*)?")


class TuneError(ValueError):
    """A search that cannot be made; the message is a sentence with the remedy."""


@dataclass(frozen=True)
class Knob:
    """A number of a strategy that is searched.

    slots: all that have the parameter `key`, where they declare it alike; else one, and `name` says
    which. low, high: how far it is moved.
    """

    name: str
    key: str
    slots: tuple[str, ...]
    param: Param
    low: float
    high: float

    @property
    def start(self) -> float:
        """Where the search begins: the default, or the limit next to it."""
        return min(max(self.param.default, self.low), self.high)

    @property
    def whole(self) -> bool:
        """Whether only whole numbers are tried: also for yes and no, which are 1 and 0."""
        return self.param.kind != "number"

    @property
    def step(self) -> float:
        """The first standard deviation of what is tried.

        A quarter of the range, but at most half of the default or 1: limits are often far wider
        than what is sensible.
        """
        sensible = max(abs(self.start) / 2, 1)
        span = self.high - self.low
        return min(span / 4, sensible)

    def value(self, number: float) -> float:
        """A number as it is played: within the limits, and whole or of few digits."""
        decimals = 0
        if not self.whole:
            decimals = max(0, DIGITS - math.floor(math.log10(self.step)))
        rounded = round(number, decimals) + 0.0  # the sum turns minus zero into zero
        return min(max(rounded, self.low), self.high)

    def text(self, value: float) -> str:
        """A value as a strategy's text has it."""
        return self.param.text(value)


def read_knobs(strategy: Strategy, variant: Variant, chosen: str | None = None) -> tuple[Knob, ...]:
    """The numbers of a strategy that a search moves.

    chosen: some of them, as in `k,share` or `k=0..12`. Raises TuneError where there are none.
    """
    owners = _owners(strategy, variant)
    known = {}
    for name, policies in owners.items():
        key = name.rpartition(".")[2]
        param = policies[0].params[key]
        if param.kind in ORDERED and param.low < param.high:
            slots = tuple(policy.slot for policy in policies)
            known[name] = Knob(name, key, slots, param, param.low, param.high)
    if chosen is None:
        if not known:
            raise TuneError(_no_numbers(strategy))
        return tuple(known.values())
    found = [_chosen(strategy, text, known, owners) for text in chosen.split(",")]
    return tuple({knob.name: knob for knob in found}.values())


def slot_values(knobs: Sequence[Knob], values: Sequence[float]) -> dict[str, dict[str, str]]:
    """Values of knobs by slot and parameter, as texts."""
    by_slot: dict[str, dict[str, str]] = {}
    for knob, value in zip(knobs, values, strict=True):
        text = knob.text(value)
        for slot in knob.slots:
            by_slot.setdefault(slot, {})[knob.key] = text
    return by_slot


def _owners(strategy: Strategy, variant: Variant) -> dict[str, list[Policy]]:
    """The policies that are asked, by their parameters: `k`, or `knock.k` where two differ."""
    asked = [policy for policy in strategy.policies if _is_asked(policy, variant)]
    by_key: dict[str, list[Policy]] = {}
    for policy in asked:
        for key in policy.params:
            by_key.setdefault(key, []).append(policy)
    owners = {}
    for key, policies in by_key.items():
        if len({policy.params[key] for policy in policies}) == 1:
            owners[key] = policies
            continue
        for policy in policies:
            owners[f"{policy.slot}.{key}"] = [policy]
    return owners


def _is_asked(policy: Policy, variant: Variant) -> bool:
    """Whether a policy's slot is ever asked under a variant."""
    if policy.slot in ("offer", "answer"):
        return variant.row["die"] != "off"
    if policy.slot == "show":
        return variant.row["melding"] == "choice"
    return True


def _chosen(
    strategy: Strategy, text: str, known: Mapping[str, Knob], owners: Mapping[str, object]
) -> Knob:
    """The knob that a text names, within the limits that it gives."""
    match = _CHOSEN.fullmatch(text)
    if match is None:
        raise TuneError(f"{quoted(text)} is not of the form parameter or parameter=low..high.")
    name, low, high = match.groups()
    if name in owners and name not in known:
        raise TuneError(
            f"{name} of {strategy.text} is not a number, and a search needs an order; play the "
            "strategy once with each of its words."
        )
    if name not in known:
        listed = ", ".join(known) or "none"
        near = did_you_mean(name, known)
        raise TuneError(f"{strategy.text} has no number {quoted(name)}; it has {listed}{near}")
    knob = known[name]
    if low is None:
        return knob
    return _narrowed(knob, text.strip(), low, high)


def _narrowed(knob: Knob, text: str, low: str, high: str) -> Knob:
    """A knob with limits of the user's, inside of those of its declaration."""
    shown = quoted(text)
    try:
        least = knob.param.code(low)
        most = knob.param.code(high)
    except ValueError as error:
        raise TuneError(f"{shown}: a limit of {knob.name} {error}.") from None
    if not least < most:
        raise TuneError(f"{shown}: the first limit must lie below the second.")
    return replace(knob, low=least, high=most)


def _no_numbers(strategy: Strategy) -> str:
    """Why a strategy cannot be tuned."""
    weights = [policy for policy in strategy.policies if policy.weights is not None]
    remedy = "write numbers that matter as parameters, such as @knock(k=param(5, 0, 20))"
    if any(policy.describe for policy in weights):
        return (
            f"{strategy.text} has no parameter that is a number, but weights: `simgin train` "
            "learns those."
        )
    if weights:
        return (
            f"{strategy.text} has no parameter that is a number: what it knows is in its weights, "
            f"which a search of this kind is not made for; {remedy}."
        )
    return f"{strategy.text} has no parameter that is a number; {remedy}."

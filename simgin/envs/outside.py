"""A policy from outside as a strategy: a function of an observation plays in `simgin match`.

from simgin.envs.outside import strategy_of

def act(seen):  # the dict of simgin.envs.gin_rummy: observation, action_mask
    return int(seen["action_mask"].argmax())

STRATEGY = strategy_of("first-legal", act)

It is asked in Python, with all statistics and in other processes, some thousand times slower than a
compiled policy. The function depends on nothing but what it is shown; what it loads once, such as a
network, belongs into a function below `functools.cache`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from simgin.core.answers import SLOTS
from simgin.strategy import Policy, Strategy

Act = Callable[[Mapping[str, np.ndarray]], int]


def strategy_of(name: str, act: Act, about: str = "") -> Strategy:
    """The strategy whose every question is answered by `act`, as an action of the environments."""
    policies: dict[str, Any] = {slot: _policy(slot, name, act) for slot in SLOTS}
    return Strategy(name, about=about or (act.__doc__ or ""), **policies)


def _policy(slot: str, name: str, act: Act) -> Policy:
    number = SLOTS.index(slot)

    def answer(view: Any, rules: Any, params: Any) -> int:
        from simgin.envs.encoding import answered

        return answered(act, number, view, rules)

    return Policy(slot, name, answer, {})

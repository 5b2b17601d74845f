"""A policy from outside as a strategy: a function of an observation plays in `simgin match`.

from simgin.envs.outside import strategy_of

def act(seen):  # the dict of simgin.envs.gin_rummy: observation, action_mask
    return int(seen["action_mask"].argmax())

STRATEGY = strategy_of("first-legal", act)

It is asked in Python, with all statistics and in other processes, some thousand times slower than a
compiled policy, and one question at a time in each process. The function depends on nothing but
what it is shown; what it loads once, such as a network, belongs into a function below
`functools.cache`.
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

    def answer(view: Any, rules: Any, params: Any) -> int:
        from simgin.envs.encoding import answered

        return answered(act, int(params[0]), view, rules)

    policies: dict[str, Any] = {
        slot: Policy(slot, name, answer, {}, weights=np.array([number], np.float64))
        for number, slot in enumerate(SLOTS)
    }
    return Strategy(name, about=about or (act.__doc__ or ""), **policies)

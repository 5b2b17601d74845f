"""Strategies that call external policies, for example in `simgin match`.

from simgin.envs.external_player import make_external_strategy

def act(observation):  # dict of simgin.envs.gin_rummy: observation, action_mask
    return int(observation["action_mask"].argmax())

STRATEGY = make_external_strategy("first-legal", act)

In each process, simgin calls the function in Python for one decision at a time. Calling a Python
function takes about a thousand times as long as calling a compiled policy. The result must depend
only on the observation. Large objects such as networks should be loaded in a function that is
decorated with `functools.cache`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from simgin.core.codes import SLOTS
from simgin.strategy import Policy, Strategy

ActFunction = Callable[[Mapping[str, np.ndarray]], int]


def make_external_strategy(name: str, act: ActFunction, about: str = "") -> Strategy:
    """Return a strategy that calls the function `act` for every decision.

    Args:
        name: Name of the strategy.
        act: Function that returns an action for an observation dict, as in `simgin.envs.gin_rummy`.
        about: Description of the strategy. The default is the docstring of `act`.

    Example:
        def act(observation):
            return int(observation["action_mask"].argmax())

        STRATEGY = make_external_strategy("first-legal", act)
    """

    def choose_action(view: Any, rules: Any, params: Any) -> int:
        from simgin.envs.encoding import choose_external_action

        return choose_external_action(act, int(params[0]), view, rules)

    policies: dict[str, Any] = {
        slot: Policy(slot, name, choose_action, {}, weights=np.array([number], np.float64))
        for number, slot in enumerate(SLOTS)
    }
    return Strategy(name, about=about or (act.__doc__ or ""), **policies)

"""Slow, obvious reference policies, written from docs/reference/strategies.

A policy is a function of what its player sees (`Seen`) and of its parameters to the set of
acceptable answers or cards: several where the description leaves a tie or a melding open.
"""

from . import advice, discard, knock, take
from .seen import Seen
from .stop import stopping_value

__all__ = ["Seen", "advice", "discard", "knock", "stopping_value", "take"]

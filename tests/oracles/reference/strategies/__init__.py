"""Slow, obvious reference policies, written from docs/reference/strategies.

A policy is a function of the player's information (`Seen`) and its parameters to the set of
acceptable actions or cards, which contains several if the description leaves a tie open.
"""

from . import advice, discard, knock, take
from .seen import Seen
from .stop import stopping_value

__all__ = ["Seen", "advice", "discard", "knock", "stopping_value", "take"]

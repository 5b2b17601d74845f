"""Slow, simple reference policies, written from docs/reference/strategies.

A policy is a function of the player's information (`PlayerView`) and its parameters to the set of
acceptable actions or cards, which contains several if the description leaves a tie open.
"""

from . import advice, discard, knock, take
from .player_view import PlayerView
from .stop import compute_stopping_value

__all__ = ["PlayerView", "advice", "compute_stopping_value", "discard", "knock", "take"]

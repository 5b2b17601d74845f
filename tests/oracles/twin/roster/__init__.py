"""The slow, obvious twin of the policies, for tests only.

The policies are written from their descriptions alone (docs/reference/strategies). A policy is a
function of what its player sees (`Seen`) and of its parameters. A take or knock policy returns the
set of acceptable answers, a discard policy the set of acceptable cards: several where the
description leaves a tie, or a choice of melding, open.
"""

from . import advice, discard, knock, take
from .seen import Seen
from .stop import stopping_value

__all__ = ["Seen", "advice", "discard", "knock", "stopping_value", "take"]

"""The slow, obvious twin of the policies: rules of thumb written from their descriptions alone (docs/reference/strategies), for tests only.

A policy here is a function of what its player sees (`Seen`) and of its parameters. A take or a knock policy gives the set of acceptable
answers, a discard policy the set of acceptable cards: more than one where the text leaves a tie, or a choice of melding, open.
Where the text can be read in several ways, the reading is a keyword of the function; its default is the one that is held to.
"""

from . import discard, knock, take
from .seen import Seen
from .stop import stopping_value

__all__ = ["Seen", "discard", "knock", "stopping_value", "take"]

"""Who holds what, knowing nothing but the pile: every unseen card is as likely as any other to be in the opponent's hand."""

from simgin.strategy import helper
from simgin.toolkit import popcount


@helper
def chance_held(view):
    """The chance that the opponent holds a given unseen card; those of `view.known` he holds for certain. 0 without an opponent."""
    if view.unseen == 0 or view.deck_left >= 0:
        return 0.0
    return (10 - popcount(view.known)) / popcount(view.unseen)

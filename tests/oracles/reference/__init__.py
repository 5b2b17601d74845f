"""Slow, obvious reference implementation of the rules, written only from docs/reference/rules.md.

Cards are strings ("5S", "TH"), a hand is any iterable of cards, a meld is a list of cards in text
order (rules.md 3.5), a melding is a list of melds, a row is a dict parameter -> value.
"""

# ruff: noqa: F401
from .deal import Deal, Result, showdown
from .endings import knock_limit, legal_endings, shot_ranks
from .goals import GOALS, deals_counted
from .layoff import defender_count
from .match import Match
from .melds import (
    PACK,
    RANKS,
    SUITS,
    all_melds,
    card_values,
    deadwood,
    melds_in,
    optimal_meldings,
    shown,
    texts,
)
from .points import deal_points, multiplier
from .solo import JOKER, SoloDeal

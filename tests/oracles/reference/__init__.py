"""Slow, simple reference implementation of the rules, written only from docs/reference/rules.md.

Cards are strings ("5S", "TH"), a hand is any iterable of cards, a meld is a list of cards in text
order (rules.md 3.5), a melding is a list of melds, and `params` are the rule parameters by name.
"""

# ruff: noqa: F401
from .deal import Deal, DealResult, score_showdown
from .endings import get_knock_limit, get_shot_ranks, list_legal_endings
from .goals import GOAL_CLASSES, count_won_deals
from .layoff import find_best_layoff
from .match import Match
from .melds import (
    PACK,
    RANKS,
    SUITS,
    compute_deadwood,
    find_melds,
    find_optimal_meldings,
    find_shown_melding,
    format_melds,
    get_card_values,
    list_all_melds,
)
from .points import get_multiplier, score_deal
from .solo import JOKER, SoloDeal

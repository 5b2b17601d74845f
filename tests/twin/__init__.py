"""The slow, obvious twin of the engine: two-player gin rummy written from RULES.md alone, for tests only.

Cards are text ("5S", "TH"), a hand is any iterable of cards, a meld is a list of cards in text order (RULES 3.5),
a melding is a list of melds, a row is a dict parameter -> value as in `variants` of rules_vectors.json.
"""

from .deal import Deal, Result, Showdown, meldings, showdown
from .eaai import eaai_showdown
from .endings import Ending, knock_limit, legal_endings, legal_meldings, shot_ranks
from .layoff import LayOff, defender_count
from .match import Match
from .melds import PACK, RANKS, SUITS, all_melds, card_values, deadwood, melds_in, optimal_meldings, showable, shown, texts
from .points import Score, deal_points, multiplier

__all__ = [
    "PACK",
    "RANKS",
    "SUITS",
    "Deal",
    "Ending",
    "LayOff",
    "Match",
    "Result",
    "Score",
    "Showdown",
    "all_melds",
    "card_values",
    "deadwood",
    "deal_points",
    "defender_count",
    "eaai_showdown",
    "knock_limit",
    "legal_endings",
    "legal_meldings",
    "meldings",
    "melds_in",
    "multiplier",
    "optimal_meldings",
    "shot_ranks",
    "showable",
    "showdown",
    "shown",
    "texts",
]

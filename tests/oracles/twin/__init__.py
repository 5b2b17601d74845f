"""The slow, obvious twin of the engine, for tests only.

Gin rummy for one and two players, written from docs/reference/rules.md alone. Cards are text ("5S",
"TH"), a hand is any iterable of cards, a meld is a list of cards in text order (rules.md 3.5), a
melding is a list of melds, a row is a dict parameter -> value as in `variants` of
tests/data/rules_vectors.json.
"""

from .deal import Deal, Result, Showdown, meldings, showdown
from .die import Die
from .eaai import eaai_showdown
from .endings import Ending, knock_limit, legal_endings, legal_meldings, shot_ranks
from .goals import GOALS, deals_counted, game_value, settled
from .layoff import LayOff, defender_count
from .match import Match, shuffled
from .melds import (
    PACK,
    RANKS,
    SUITS,
    all_melds,
    card_values,
    deadwood,
    melds_in,
    optimal_meldings,
    showable,
    shown,
    texts,
)
from .points import Score, deal_points, multiplier
from .refusals import refusals
from .solo import JOKER, SoloDeal, joker_places

__all__ = [
    "GOALS",
    "JOKER",
    "PACK",
    "RANKS",
    "SUITS",
    "Deal",
    "Die",
    "Ending",
    "LayOff",
    "Match",
    "Result",
    "Score",
    "Showdown",
    "SoloDeal",
    "all_melds",
    "card_values",
    "deadwood",
    "deal_points",
    "deals_counted",
    "defender_count",
    "eaai_showdown",
    "game_value",
    "joker_places",
    "knock_limit",
    "legal_endings",
    "legal_meldings",
    "meldings",
    "melds_in",
    "multiplier",
    "optimal_meldings",
    "refusals",
    "settled",
    "shot_ranks",
    "showable",
    "showdown",
    "shown",
    "shuffled",
    "texts",
]

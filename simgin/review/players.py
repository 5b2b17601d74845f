"""The players of a review: whose play stands for a variant, and who else is met."""

from __future__ import annotations

from simgin.odds import solo_odds
from simgin.rules import variants
from simgin.strategy import catalogue

FIELD = ("gold", "gold-early", "simple", "gin-only")
REFERENCE = "gold-early"  # who plays the passes, and whom restricted players meet
LUCK_PAIR = ("gold-early", "gold")  # whose deals the luck share is measured on
WEAK = ("stock-greedy", "rlcard-novice", "random")  # the foot of the skill ladder
QUICK = 10_000  # deals a second

# What is taken away from the reference player, as canonical text: cells are named by it
RESTRICTIONS = ("take=never", "knock=at:k=0", "knock=at", "discard=uniform")

# Who plays every variant for one player, weakest first; the best player of a variant comes last
SOLO_FIELD = (solo_odds.NAIVE, "solo-greedy", "solo-lookahead")


def restricted(restriction: str) -> str:
    """The reference player with a restriction, as text."""
    return f"{REFERENCE}+{restriction}"


def strongest_quick() -> str:
    """The strategy with the best rating of those that play 10,000 deals a second."""
    return catalogue.best(at_least=QUICK)


def best_solo(variant: str) -> str:
    """The strongest quick player of a variant for one player."""
    return solo_odds.quick_ladder(variants.find(variant))[-1]


def solo_field(variant: str) -> tuple[str, ...]:
    """Who plays a variant for one player, weakest first."""
    best = best_solo(variant)
    return (*(name for name in SOLO_FIELD if name != best), best)

"""Policies for the die of Gin Dice (RULES.md 8): the defaults, who never touch it."""

from simgin.strategy import answer, offer


@offer
def none(view, rules, params):
    """Never offer."""
    return 0


@answer
def never(view, rules, params):
    """Refuse every offer."""
    return 0

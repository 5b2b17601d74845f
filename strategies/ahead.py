"""Discards chosen by looking one draw ahead: of each ten cards, what the unseen cards would make of them.

The throw-away players behind the rule book's orientation values look ahead like this, with perfect memory (RULES.md 15.3; STRATEGIES.md 4,
solo-lookahead). For one player and for two; some hundred evaluations a discard, so several times slower than the greedy rules.
"""

from simgin.strategy import choice, discard
from simgin.toolkit import best_discards, dearest, lowest


@discard(aim=choice("deadwood", "gin", about="what is looked for first: the mean of the best counts, or cards that make gin"))
def ahead(view, rules, params):
    """Keep the ten cards with the least mean of the best deadwood after one more card; or with most cards that make gin."""
    best, best_gins, least = -1, -1, 1 << 30
    legal = view.legal
    while legal:
        card = lowest(dearest(legal, rules)[0])
        legal &= ~(1 << card)
        ten = view.hand & ~(1 << card)
        gins, total = 0, 0
        unseen = view.unseen
        while unseen:
            eleven = ten | unseen & -unseen
            unseen &= unseen - 1
            count = best_discards(eleven, eleven, rules)[0]
            total += count
            gins += count == 0
        if params[0] == 0:
            gins = 0
        if gins > best_gins or (gins == best_gins and total < least):
            best, best_gins, least = card, gins, total
    return best

"""Points of a deal (rules.md 6)."""

from simgin.core.answers import BIG_GIN, KNOCK, SHOT
from simgin.core.jit import jit
from simgin.core.rules import TIE_EVEN, TIE_KNOCK
from simgin.core.sums import KINDS

KIND_KNOCK, KIND_GIN, KIND_BIG_GIN, KIND_SHOT, KIND_UNDERCUT, KIND_EVEN = range(6)
KIND_VOID, KIND_STALLED, KIND_JOKER, KIND_LIMIT, KIND_REFUSED = range(6, 11)
assert KINDS[KIND_REFUSED] == "refused"


@jit
def _uncontested(ending, own, other, premium, rules):
    """(kind, points) of gin, big gin and shot, which cannot be undercut."""
    if ending == BIG_GIN:
        return KIND_BIG_GIN, other + rules.big_gin_bonus + premium
    if ending == SHOT:
        return KIND_SHOT, other + rules.gin_bonus + premium - (own if rules.shot_deducts else 0)
    return KIND_GIN, other + rules.gin_bonus + premium


@jit
def score(ending, own, other, stock_left, factor, rules):
    """(kind, points of the stopper, points of the other side, winner).

    winner: 1 stopper, -1 the other side, 0 nobody. ending: KNOCK, SHOT or BIG_GIN; a knock with no
    deadwood is gin. own and other: the two counts. stock_left: face-down cards, for `rush_premium`.
    factor: the deal's multiplier.
    """
    gin = own == 0 and ending == KNOCK
    premium = (
        stock_left
        if rules.rush_premium and (rules.rush_on_gin or (ending == KNOCK and not gin))
        else 0
    )
    if gin or ending != KNOCK:
        kind, points = _uncontested(ending, own, other, premium, rules)
        # A dash of layoff_on_gin, where there are no lay-offs, is not zero.
        if rules.layoff and rules.layoff_on_gin and other == 0 and ending != SHOT:
            return kind, 0, 0, 0
        return kind, points * factor, 0, 1
    is_tie = other == own
    if other > own or (is_tie and rules.undercut_on_tie == TIE_KNOCK):
        return KIND_KNOCK, (other - own + premium) * factor, 0, 1
    if is_tie and rules.undercut_on_tie == TIE_EVEN:
        return KIND_EVEN, 0, 0, 0
    return KIND_UNDERCUT, 0, (own - other + rules.undercut_bonus) * factor, -1

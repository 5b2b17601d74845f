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
    """Return ending and points of gin, big gin and shots, which cannot be undercut."""
    if ending == BIG_GIN:
        return KIND_BIG_GIN, other + rules.big_gin_bonus + premium
    if ending == SHOT:
        return KIND_SHOT, other + rules.gin_bonus + premium - (own if rules.shot_deducts else 0)
    return KIND_GIN, other + rules.gin_bonus + premium


@jit
def score(ending, own, other, stock_left, factor, rules):
    """Score a showdown; return its ending, the points of knocker and defender, and the winner.

    Args:
        ending: Declared ending: KNOCK, SHOT or BIG_GIN. A knock without deadwood is gin.
        own: Deadwood of the knocker.
        other: Deadwood of the defender after laying off.
        stock_left: Number of face-down cards, for `rush_premium`.
        factor: Multiplier of the deal.
        rules: RULES record.

    Returns:
        Index in DEAL_ENDINGS, points of the knocker, points of the defender, and the winner: 1 the
        knocker, -1 the defender, 0 neither.
    """
    gin = own == 0 and ending == KNOCK
    premium = (
        stock_left
        if rules.rush_premium and (rules.rush_on_gin or (ending == KNOCK and not gin))
        else 0
    )
    if gin or ending != KNOCK:
        kind, points = _uncontested(ending, own, other, premium, rules)
        # layoff_on_gin is -1 (a dash) if the rules have no lay-offs, so layoff is tested as well.
        if rules.layoff and rules.layoff_on_gin and other == 0 and ending != SHOT:
            return kind, 0, 0, 0
        return kind, points * factor, 0, 1
    is_tie = other == own
    if other > own or (is_tie and rules.undercut_on_tie == TIE_KNOCK):
        return KIND_KNOCK, (other - own + premium) * factor, 0, 1
    if is_tie and rules.undercut_on_tie == TIE_EVEN:
        return KIND_EVEN, 0, 0, 0
    return KIND_UNDERCUT, 0, (own - other + rules.undercut_bonus) * factor, -1

"""Scoring of deals (rules.md 6)."""

from simgin.core.batch_columns import DEAL_RESULTS
from simgin.core.codes import ENDING_BIG_GIN, ENDING_KNOCK, ENDING_SHOT
from simgin.core.jit import jit
from simgin.core.rules_record import TIE_EVEN, TIE_KNOCK

# Results of a deal: indices in DEAL_RESULTS
RESULT_KNOCK, RESULT_GIN, RESULT_BIG_GIN, RESULT_SHOT, RESULT_UNDERCUT, RESULT_EVEN = range(6)
RESULT_VOID, RESULT_STALLED, RESULT_JOKER_WON, RESULT_LIMIT_REACHED, RESULT_REFUSED = range(6, 11)
assert DEAL_RESULTS[RESULT_REFUSED] == "refused"


@jit
def _score_gin_or_shot(ending, knocker_deadwood, defender_deadwood, premium, rules):
    """Return the result and the points of a deal that ended with gin, big gin or a shot.

    Gin, big gin and shots cannot be undercut.
    """
    if ending == ENDING_BIG_GIN:
        return RESULT_BIG_GIN, defender_deadwood + rules.big_gin_bonus + premium
    if ending == ENDING_SHOT:
        return RESULT_SHOT, defender_deadwood + rules.gin_bonus + premium - (
            knocker_deadwood if rules.shot_deducts else 0
        )
    return RESULT_GIN, defender_deadwood + rules.gin_bonus + premium


@jit
def score_deal(ending, knocker_deadwood, defender_deadwood, stock_left, multiplier, rules):
    """Return the result of a showdown, the points of both players and the winner.

    Args:
        ending: Declared ending (ENDING_KNOCK, ENDING_SHOT or ENDING_BIG_GIN). A knock without
            deadwood is gin.
        knocker_deadwood: Deadwood of the knocker.
        defender_deadwood: Deadwood of the defender after laying off.
        stock_left: Number of face-down cards, for `rush_premium`.
        multiplier: Multiplier of the deal.
        rules: Rules record.

    Returns:
        Index in DEAL_RESULTS, points of the knocker, points of the defender, and winner. The winner
        is 1 for the knocker, -1 for the defender, and 0 for neither.
    """
    is_gin = knocker_deadwood == 0 and ending == ENDING_KNOCK
    premium = (
        stock_left
        if rules.rush_premium and (rules.rush_on_gin or (ending == ENDING_KNOCK and not is_gin))
        else 0
    )
    if is_gin or ending != ENDING_KNOCK:
        result, points = _score_gin_or_shot(
            ending, knocker_deadwood, defender_deadwood, premium, rules
        )
        # Without lay-offs, layoff_on_gin is -1 (printed as a dash), so layoff is tested as well.
        if (
            rules.layoff
            and rules.layoff_on_gin
            and defender_deadwood == 0
            and ending != ENDING_SHOT
        ):
            return result, 0, 0, 0
        return result, points * multiplier, 0, 1
    is_tie = defender_deadwood == knocker_deadwood
    if defender_deadwood > knocker_deadwood or (is_tie and rules.undercut_on_tie == TIE_KNOCK):
        return RESULT_KNOCK, (defender_deadwood - knocker_deadwood + premium) * multiplier, 0, 1
    if is_tie and rules.undercut_on_tie == TIE_EVEN:
        return RESULT_EVEN, 0, 0, 0
    return (
        RESULT_UNDERCUT,
        0,
        (knocker_deadwood - defender_deadwood + rules.undercut_bonus) * multiplier,
        -1,
    )

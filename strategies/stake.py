"""Policies for the die of Gin Dice (RULES.md 8): the defaults, who never touch it, random play, and a first pair of thresholds.

The pair follows the rule's own suggestion that a strong hand raises and a hopeless one gives up (seed 003; H10 asks for the best numbers).
Both judge a hand by its deadwood alone and look neither at the score nor at the pile, so they are a beginning and not an answer.
"""

from simgin.strategy import BLIND, answer, flag, offer, param
from simgin.toolkit import chance, pick


@offer
def none(view, rules, params):
    """Never offer."""
    return 0


@answer
def never(view, rules, params):
    """Refuse every offer."""
    return 0


@offer(noise=True, p_offer=param(0.2, 0.0, 1.0, "chance of an offer whenever one may be made"))
def random(view, rules, params):
    """With probability p_offer, any number."""
    return pick(view.legal & ~1, view.noise) if (view.noise & 0xFFFFF) < params[0] * 0x100000 else 0


@answer(noise=True, name="random", p_accept=param(0.5, 0.0, 1.0, "chance of accepting an offer"))
def accepting(view, rules, params):
    """Accept with probability p_accept."""
    return chance(params[0], view.noise)


@offer(
    count=param(20, 0, 99, "highest deadwood to offer with"),
    turn=param(6, 1, 500, "last own turn on which to offer"),
    blind=flag(False, "offer before the cards are seen, too"),
)
def strong(view, rules, params):
    """One more than the die shows, with at most `count` deadwood in the first `turn` own turns."""
    if view.phase == BLIND:
        return view.stake + 1 if params[2] else 0
    return view.stake + 1 if view.count <= params[0] and view.own_turn <= params[1] else 0


@answer(count=param(35, 0, 99, "highest deadwood to accept with"), blind=flag(True, "accept before the cards are seen"))
def brave(view, rules, params):
    """Accept with at most `count` deadwood, and (or not) what is offered blind."""
    return params[1] > 0 if view.phase == BLIND else view.count <= params[0]

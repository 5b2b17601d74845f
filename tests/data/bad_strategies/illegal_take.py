"""legal: answered 2, but only 0 or 1 is legal"""

from simgin.strategy import Strategy, take


@take
def policy(view, rules, params):
    return 2


STRATEGY = Strategy("illegal-take", take=policy)

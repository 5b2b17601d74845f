"""read: is a take policy and cannot fill the slot discard"""

from simgin.strategy import Strategy, take


@take
def policy(view, rules, params):
    return 0


STRATEGY = Strategy("wrong-slot", discard=policy)

"""legal: answered 0.5, a float"""

from simgin.strategy import Strategy, discard

SEEN = {}


@discard
def policy(view, rules, params):
    return SEEN.get("never", 0.5)


STRATEGY = Strategy("float-in-python", discard=policy)

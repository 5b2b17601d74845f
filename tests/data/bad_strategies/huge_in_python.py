"""legal: which no int64 holds"""

from simgin.strategy import Strategy, discard

SEEN = {}


@discard
def policy(view, rules, params):
    return SEEN.get("never", 2**64)


STRATEGY = Strategy("huge-in-python", discard=policy)

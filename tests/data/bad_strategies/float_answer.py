"""compiles: returns a float"""

from simgin.strategy import Strategy, discard


@discard
def policy(view, rules, params):
    return 0.5 * view.hand


STRATEGY = Strategy("float-answer", discard=policy)

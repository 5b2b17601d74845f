"""raises: raised SystemExit"""

import sys

from simgin.strategy import Strategy, discard


@discard
def policy(view, rules, params):
    sys.exit(f"{view.turns} turns are enough")


STRATEGY = Strategy("leaving", discard=policy)

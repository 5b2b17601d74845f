"""raises: ended the process, with exit code 3"""

import os

from simgin.strategy import Strategy, discard


@discard
def policy(view, rules, params):
    os._exit(3)


STRATEGY = Strategy("ending-the-process", discard=policy)

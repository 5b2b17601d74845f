"""raises: ended the process, with signal 9"""

import signal

from simgin.strategy import Strategy, discard


@discard
def policy(view, rules, params):
    signal.raise_signal(signal.SIGKILL)


STRATEGY = Strategy("ending-the-process", discard=policy)

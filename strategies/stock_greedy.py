"""Stock-greedy: never takes a discard, keeps the least deadwood, and knocks immediately.

A comparison with an otherwise identical strategy that takes cards for melds shows the value of the
discard pile (docs/reference/rules.md 15.3). Ties between discards go to the highest card.

Source: Developed for simgin as a control, 2026.
"""

from simgin_strategies.discard import discard_for_least_deadwood
from simgin_strategies.knock import knock_with_limit
from simgin_strategies.take import take_never

from simgin.strategy import Strategy

STOCK_GREEDY = Strategy(
    "stock-greedy", take=take_never, discard=discard_for_least_deadwood, knock=knock_with_limit
)

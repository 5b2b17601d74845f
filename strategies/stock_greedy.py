"""Stock-greedy: never takes a discard, keeps the least deadwood, and knocks immediately.

A comparison with an otherwise identical strategy that takes cards for melds shows the value of the
discard pile (docs/reference/rules.md 15.3). Ties between discards go to the highest card.

Source: Developed for simgin as a control, 2026.
"""

from simgin_strategies.discard import low
from simgin_strategies.knock import at
from simgin_strategies.take import never

from simgin.strategy import Strategy

STOCK_GREEDY = Strategy("stock-greedy", take=never, discard=low, knock=at)

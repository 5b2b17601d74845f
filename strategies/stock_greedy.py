"""Stock-greedy: never takes from the pile, discards for least deadwood, knocks immediately.

It is the opposite of taking whatever melds: compared with the same strategy that takes for melds,
it shows the value of the discard pile (docs/reference/rules.md 15.3). Of equal discards it chooses
the highest, which is this project's choice.

Source: A control of this project, 2026.
"""

from simgin_strategies.discard import low
from simgin_strategies.knock import at
from simgin_strategies.take import never

from simgin.strategy import Strategy

STOCK_GREEDY = Strategy("stock-greedy", take=never, discard=low, knock=at)

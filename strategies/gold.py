"""Gold: takes what lowers its deadwood, discards for least deadwood, knocks immediately.

Ties among discards go to the card of highest value, then to the lowest number. The variants differ
in when they end the deal. `gold-early`, which knocks early or waits for gin, is a strong and fast
opponent.

Source: The baseline of Kelidari, Haghi and Salmani (Nikelroid/adversarial-coevolution) and of
jdh8/gin-rummy-engine.
"""

from simgin_strategies.discard import low
from simgin_strategies.knock import at, early
from simgin_strategies.take import lower

from simgin.strategy import Strategy

GOLD = Strategy("gold", take=lower, discard=low, knock=at)
GOLD_AT = Strategy(
    "gold-at",
    take=lower,
    discard=low,
    knock=at(k=4),
    about="Gold that knocks with k or less, by default four.",
)
GIN_ONLY = Strategy(
    "gin-only", take=lower, discard=low, knock=at(k=0), about="Gold that waits for gin."
)
GOLD_EARLY = Strategy(
    "gold-early",
    take=lower,
    discard=low,
    knock=early,
    about="Gold that knocks in its first k turns, by default five, and then waits for gin.",
    source="Knock rule of MARJJ (Ahmed et al.), also learned by Goldstein et al.; both EAAI-21.",
)
